"""Small recordings in the layouts of other people's data sets, with pictures and texts of our own."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageDraw

TASK = "Change the password of the mail account."


def screen(path: Path, size: tuple[int, int] = (1280, 800), text: str = "row") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.new("RGB", size, "#ffffff")
    pen = ImageDraw.Draw(image)
    for y in range(60, size[1] // 2, 26):
        pen.text((40, y), f"{text} {y} of a program nobody knows", fill="#333333")
    pen.rectangle((40, 8, 200, 40), fill="#2f7f8c")
    image.save(path)
    return path


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")


def lines(path: Path, values: list[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")


def osworld(root: Path) -> None:
    write(root / "examples" / "mail" / "u1.json", {"id": "u1", "instruction": TASK, "config": []})
    run = root / "results" / "pyautogui" / "screenshot" / "m" / "mail" / "u1"
    for n in (1, 2, 3, 4):
        screen(run / f"step_{n}_x.png", text=f"step {n}")
    actions: list[object] = [
        "pyautogui.click(70, 90)", "import pyautogui\npyautogui.click(x=100, y=20)\npyautogui.write('secret', interval=0.1)",
        {"action_type": "CLICK", "parameters": {"x": 90, "y": 120}}, "DONE",
    ]  # fmt: skip
    rows: list[object] = [
        {"step_num": n, "action": a, "screenshot_file": f"step_{n}_x.png", "response": "I go on."}
        for n, a in enumerate(actions, 1)
    ]
    lines(run / "traj.jsonl", [*rows, {"Error": "time is over"}])


def screenagent(root: Path) -> None:
    session = root / "train" / "s1"
    acts = [
        {
            "action_type": "MouseAction",
            "mouse_action_type": "click",
            "mouse_button": "left",
            "mouse_position": {"width": 90, "height": 90},
        },
        {"action_type": "KeyboardAction", "keyboard_action_type": "text", "keyboard_text": "secret"},
        {
            "action_type": "MouseAction",
            "mouse_action_type": "double_click",
            "mouse_position": {"width": 120, "height": 25},
        },
    ]
    for n, act in enumerate(acts):
        stamp = f"2024-01-01_10-00-0{n}-000001"
        screen(session / "images" / f"{stamp}.jpg", text=f"screen {n}")
        row = {"task_prompt_en": TASK, "actions": [act], "saved_image_name": f"{stamp}.jpg", "session_id": "s1"}
        write(session / f"{stamp}_translate.json", row)
        write(session / f"{stamp}_translate_neg_plan.json", {"nothing": 1})


def screenspot(root: Path) -> None:
    screen(root / "images" / "a.png")
    row = {
        "img_filename": "a.png",
        "bbox": [40, 8, 160, 32],
        "instruction": TASK,
        "data_type": "text",
        "data_source": "shop",
    }
    write(root / "screenspot_web.json", [row, {**row, "instruction": "Pay the order.", "bbox": [40, 60, 200, 18]}])


def webvoyager(root: Path) -> None:
    run = root / "taskShop--1"
    said = ["Click [3]", "Type [5]; secret", "ANSWER; It is done"]
    messages: list[object] = [
        {"role": "system", "content": "You browse."},
        {
            "role": "user",
            "content": f"Now given a task: {TASK}  Please interact with https://shop.example/ and get the answer.",
        },
    ]
    for n, action in enumerate(said, 1):
        screen(run / f"screenshot{n}.png", (1024, 768), f"page {n}")
        messages.append({"role": "assistant", "content": f"Thought: The field [5] is what I need.\n\nAction: {action}"})
        messages.append({"role": "user", "content": "Observation: a screenshot."})
    write(run / "interact_messages.json", messages)
    write(
        run / "target_boxes.json",
        {"steps": [{"step": 1, "bbox": [40, 8, 200, 40]}, {"step": 2, "bbox": [40, 60, 300, 80]}]},
    )


def visualwebarena(root: Path) -> None:
    write(
        root / "config_files" / "test_shopping.json",
        [{"sites": ["shopping"], "task_id": 7, "intent": TASK, "image": None}],
    )
    page = "<html><head></head><body><pre>\ntask_id: 7\n</pre><div>"
    for n, action in enumerate(("click [12]", "type [81] [blue chairs] [1]", "stop [It is done]")):
        shot = base64.b64encode(screen(root / "tmp.png", (1280, 720), f"page {n}").read_bytes()).decode()
        page += f"<h2>New Page</h2><div class='state_obv'><pre>[12] button 'Go &lt;'</pre><div><img src='data:image/png;base64,{shot}'/>"
        page += f"<div class='prev_action'>None</div><div class='predict_action'><div class='raw_parsed_prediction'><pre>I think. ```{action}```</pre></div>"
        page += f"<div class='parsed_action'><pre>{action}</pre></div></div>"
    (root / "tmp.png").unlink()
    path = root / "results_shopping" / "render_7.html"
    path.parent.mkdir(parents=True)
    path.write_text(page + "</body></html>", encoding="utf-8")


def os_sentinel(root: Path) -> None:
    unit = root / "unit" / "01"
    steps: list[object] = []
    said: list[object] = [
        "tap(1)",
        [{"name": "replace-text", "parameters": {"node": 2, "text": "secret"}}],
        'swipe("up")',
        "complete()",
    ]
    for n, action in enumerate(said):
        screen(unit / "images" / f"s{n}.png", (1080, 2400), f"phone {n}")
        steps.append({"action": action, "observation": f"s{n}.png"})
        nodes = "".join(f'<node index="{i}" bounds="[40,{200 + 160 * i}][1040,{320 + 160 * i}]"/>' for i in range(4))
        (unit / "xmls").mkdir(exist_ok=True)
        (unit / "xmls" / f"s{n}.xml").write_text(f'<?xml version="1.0"?><hierarchy>{nodes}</hierarchy>')
    write(
        unit / "trajectory.json",
        {
            "query": TASK,
            "application": "mail",
            "platform_type": "android",
            "trajectory": steps,
            "meta": {"step": 2, "type": ["privacy"]},
        },
    )


def online_mind2web(root: Path) -> None:
    run = root / "runs" / "0a1b"
    said = [
        "Navigate to https://shop.example/", "Click at (100, 20)", 'Type "secret"', "Press ENTER", "Scroll (delta_x=0, delta_y=400)",
        "Click at (120, 25)", "[link] Account -> CLICK", "Navigate back",
    ]  # fmt: skip
    for number in (1, 4, 5, 6, 7):
        screen(run / "trajectory" / f"{number}_full_screenshot.png", text=f"page {number}")
    write(
        run / "result.json",
        {"task_id": "0a1b", "task": TASK, "action_history": said, "thoughts": ["I look at it."] * len(said)},
    )


def aitz(root: Path) -> None:
    steps: list[object] = []
    for n, (kind, touch) in enumerate(((4, [0.1, 0.5]), (3, [-1.0, -1.0]), (4, [0.05, 0.3]), (10, [-1.0, -1.0]))):
        screen(root / "E-1" / f"E-1_{n}.png", (270, 600), f"phone {n}")
        steps.append(
            {
                "episode_id": "1", "step_id": n, "instruction": TASK, "image_path": f"general/E-1/E-1_{n}.png", "ui_text": "[\"Go\"]",
                "ui_positions": "[[50, 100, 30, 90]]", "result_action_type": kind, "result_action_text": "secret",
                "result_touch_yx": json.dumps(touch), "result_lift_yx": json.dumps(touch), "coat_action_desc": "press go",
            }
        )  # fmt: skip
    write(root / "E-1" / "E-1.json", steps)


def cord(root: Path) -> None:
    screen(root / "image" / "r1.png", (600, 1100), "item 1,000")
    quad = {"x1": 60, "y1": 60, "x2": 200, "y2": 60, "x3": 200, "y3": 80, "x4": 60, "y4": 80}
    words = [{"quad": quad, "text": "TOTAL", "is_key": 1, "row_id": 1}]
    truth = {
        "valid_line": [{"words": words, "category": "total", "group_id": 1}],
        "gt_parse": {"menu": None, "total": {"total_price": "61,000"}},
    }
    write(root / "json" / "r1.json", truth)


def sroie(root: Path) -> None:
    screen(root / "img" / "000.jpg", (600, 1100), "item 3.50")
    write(root / "key" / "000.json", {"company": "CORNER SHOP", "date": "25/12/2018", "total": "9.00"})
    (root / "box").mkdir()
    (root / "box" / "000.csv").write_text(
        "40,60,300,60,300,80,40,80,ITEM, WITH A COMMA\n40,90,300,90,300,110,40,110,TOTAL 9.00\n"
    )


def resumes(root: Path) -> None:
    screen(root / "p" / "a.png", (800, 1100), "experience")
    write(
        root / "p" / "a.json",
        {"name": "Dana Placeholder", "email": "dana@example.com", "phone": "555 0100", "title": "Clerk"},
    )


def lvbench(root: Path) -> None:
    import av

    root.mkdir(parents=True, exist_ok=True)
    with av.open(str(root / "clip.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=5)
        stream.width, stream.height, stream.pix_fmt = 640, 360, "yuv420p"
        for n in range(30):
            image = Image.new("RGB", (640, 360), (8 * n, 90, 120))
            container.mux(stream.encode(av.VideoFrame.from_image(image)))
        container.mux(stream.encode())
    asked = "What colour grows?\n(A) Red\n(B) Green\n(C) None"
    qa = [
        {
            "uid": "1",
            "question": asked,
            "answer": "A",
            "question_type": ["entity recognition"],
            "time_reference": "00:01-00:04",
        }
    ]
    lines(root / "video_info.meta.jsonl", [{"key": "clip", "type": "talk", "video_info": {"fps": 5}, "qa": qa}])


def plain(root: Path) -> None:
    screen(root / "a.png")
    screen(root / "b.png", text="second")
    row = {"image": "b.png", "task": TASK, "domain": "web", "action": "click", "box": [40, 8, 200, 40]}
    step = {"image": "a.png", "action": "type", "text": "me", "point": [60, 70], "says": "I write my name."}
    lines(root / "cases.jsonl", [{**row, "id": "one", "steps": [step]}, {**row, "domain": "gui", "point": [100, 20]}])


ALL: dict[str, Callable[[Path], None]] = {
    f.__name__: f
    for f in (
        aitz,
        cord,
        lvbench,
        online_mind2web,
        os_sentinel,
        osworld,
        plain,
        resumes,
        screenagent,
        screenspot,
        sroie,
        visualwebarena,
        webvoyager,
    )
}
