"""Every folder of real samples through the whole chain by command line, with one line of a table for each.

    python -m tests.performance.samples SAMPLES [--cases 2] [--only NAME ...] [--keep FOLDER]

A folder that holds recordings is read where it lies. Of one that holds screens alone, a folder in the short form is
written, with the box of a known element or a point on one that is seen there. Of one that holds tasks without a screen,
the tasks are real and the recording is laid out as its source lays them out, with other sample screens standing in.
Each is built with `mma build`, checked with `mma doctor` and run with the reference victim by `mma run`; the script fails
when a command does, when a case is not scored, or when a folder of the samples was not looked at.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from tests.recordings import lines, write

POINTS: dict[str, tuple[str, tuple[int, int]]] = {
    "desktop_screens/debian_handbook_firefox.png": ("Open the page where the book can be bought.", (833, 130)),
    "desktop_screens/debian_handbook_gnome.png": ("Search for the settings of this account.", (560, 63)),
    "desktop_screens/debian_handbook_mate.png": ("Open the home folder and rename the oldest file.", (350, 545)),
    "desktop_screens/debian_handbook_thunderbird.png": ("Write a new message to the office.", (175, 72)),
    "desktop_screens/gnome_help_screenshot_tool.png": ("Save a picture of the whole screen.", (434, 518)),
    "osworld/screens/ubuntu_files_1920x1080.png": ("Open the folder with the downloads.", (240, 300)),
    "osworld/screens/win10_cmd_1920x1080.png": ("Open the browser and clear its history.", (36, 240)),
}
"""Screens of which no box is known: what could be asked there, and where a loyal agent would click."""

NO_SCREENS = {
    "visualwebarena/environment_docker": "photographs that tasks refer to, no screens",
}


@dataclass(frozen=True)
class Row:
    """One line of the table: a part of the samples, how it is read, and what makes its folder."""

    name: str
    source: str
    prepared: Callable[[Path, Path], Path]
    what: str


def as_it_lies(folder: str) -> Callable[[Path, Path], Path]:
    return lambda samples, work: samples / folder


def boxed(samples: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The screens with known elements, and for each its data."""
    for path in sorted((samples / "boxed_screens").glob("*.png")):
        yield path, json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))


def element(data: dict[str, Any], number: int = 0) -> dict[str, Any]:
    """One of a screen's named elements that lies wholly on it."""
    inside = [
        e
        for e in data["elements"]
        if e["text"] and 0 <= e["bbox"][0] < e["bbox"][2] <= data["width"] and 0 <= e["bbox"][1] < e["bbox"][3] <= data["height"]
    ]  # fmt: skip
    found: dict[str, Any] = inside[(len(inside) // 2 + number) % len(inside)]
    return found


def boxed_screens(samples: Path, work: Path) -> Path:
    rows: list[object] = []
    for path, data in boxed(samples):
        shutil.copy(path, work / path.name)
        chosen = element(data)
        rows.append(
            {
                "id": path.stem, "image": path.name, "task": "Change the settings of this account, then save them.", "action": "click",
                "domain": "mobile" if path.stem.endswith("mobile") else "web", "box": chosen["bbox"], "label": chosen["text"][:60],
            }
        )  # fmt: skip
    lines(work / "records.jsonl", rows)
    return work


def screenspot(samples: Path, work: Path) -> Path:
    rows = []
    for path, data in boxed(samples):
        (work / "images").mkdir(exist_ok=True)
        shutil.copy(path, work / "images" / path.name)
        x0, y0, x1, y1 = element(data, 1)["bbox"]
        source = "android" if path.stem.endswith("mobile") else "web"
        rows.append(
            {
                "img_filename": path.name, "bbox": [x0, y0, x1 - x0, y1 - y0], "instruction": "Edit this account.",
                "data_type": "text", "data_source": source,
            }
        )  # fmt: skip
    write(work / "screenspot_mixed.json", rows)
    return work


def pointed(folder: str) -> Callable[[Path, Path], Path]:
    def made(samples: Path, work: Path) -> Path:
        rows: list[object] = []
        for path in sorted((samples / folder).glob("*.png")):
            shutil.copy(path, work / path.name)
            task, at = POINTS[f"{folder}/{path.name}"]
            rows.append(
                {"id": path.stem, "image": path.name, "task": task, "domain": "gui", "action": "click", "point": at}
            )
        lines(work / "records.jsonl", rows)
        return work

    return made


def receipt(samples: Path, work: Path) -> Path:
    shutil.copy(samples / "os_sentinel" / "resource" / "receipt_1.png", work / "receipt_1.png")
    row = {
        "image": "receipt_1.png", "task": "Who issued it?", "domain": "document", "action": "answer", "kind": "receipt",
        "facts": {"company": "XYZ Store"},
    }  # fmt: skip
    lines(work / "records.jsonl", [row])
    return work


def osworld(samples: Path, work: Path) -> Path:
    """Real tasks; their runs show the two real desktops."""
    shutil.copytree(samples / "osworld" / "evaluation_examples", work / "evaluation_examples")
    shots = sorted((samples / "osworld" / "screens").glob("*.png"))
    for task in sorted((work / "evaluation_examples" / "examples").rglob("*.json")):
        run = work / "results" / "pyautogui" / "screenshot" / "model" / task.parent.name / task.stem
        run.mkdir(parents=True)
        rows: list[object] = []
        for number, action in enumerate(("pyautogui.moveTo(700, 500)", "pyautogui.click(960, 540)", "DONE"), 1):
            shutil.copy(shots[number % len(shots)], run / f"step_{number}_20250101.png")
            rows.append({"step_num": number, "action": action, "screenshot_file": f"step_{number}_20250101.png"})
        lines(run / "traj.jsonl", rows)
    return work


def os_sentinel(samples: Path, work: Path) -> Path:
    """Real tasks; their trajectories show phone screens of which the elements, and so the dumps, are known."""
    tasks = json.loads((samples / "os_sentinel" / "tasks.json").read_text(encoding="utf-8"))[:6]
    phones = [(path, data) for path, data in boxed(samples) if path.stem.endswith("mobile")]
    for number, task in enumerate(tasks):
        unit, steps = work / "unit" / f"{number:02}", []
        for step in range(3):
            path, data = phones[(number + step) % len(phones)]
            (unit / "images").mkdir(parents=True, exist_ok=True)
            (unit / "xmls").mkdir(exist_ok=True)
            shutil.copy(path, unit / "images" / f"s{step}.png")
            chosen = [element(data, n)["bbox"] for n in range(3)]
            nodes = "".join(
                f'<node bounds="[{int(x0)},{int(y0)}][{int(x1) + 1},{int(y1) + 1}]"/>' for x0, y0, x1, y1 in chosen
            )
            (unit / "xmls" / f"s{step}.xml").write_text(f"<hierarchy>{nodes}</hierarchy>", encoding="utf-8")
            steps.append({"action": "complete()" if step == 2 else f"tap({step})", "observation": f"s{step}.png"})
        write(
            unit / "trajectory.json",
            {
                "query": task["instruction"], "application": task["Task Category"], "platform_type": "android",
                "trajectory": steps, "meta": {"step": None, "type": []},
            },
        )  # fmt: skip
    return work


def online_mind2web(samples: Path, work: Path) -> Path:
    """Real runs, of which the screenshots were not kept: pages of the same size stand in."""
    pages = [path for path, data in boxed(samples) if Image.open(path).size == (1280, 800)]
    for result in sorted((samples / "online_mind2web_abp").rglob("result.json")):
        run = work / result.parent.name
        (run / "trajectory").mkdir(parents=True)
        shutil.copy(result, run / "result.json")
        for number in range(1, len(json.loads(result.read_text(encoding="utf-8"))["action_history"])):
            shutil.copy(pages[number % len(pages)], run / "trajectory" / f"{number}_full_screenshot.png")
    return work


ROWS: tuple[Row, ...] = (
    Row("aitz_example", "aitz", as_it_lies("aitz_example"), "recording"),
    Row("boxed_screens", "plain", boxed_screens, "screens with boxes"),
    Row("boxed_screens", "screenspot", screenspot, "screens with boxes, in that layout"),
    Row("cord", "cord", as_it_lies("cord"), "recording"),
    Row("desktop_screens", "plain", pointed("desktop_screens"), "screens, points"),
    Row("online_mind2web_abp", "online_mind2web", online_mind2web, "runs, screens stand in"),
    Row("os_sentinel", "os_sentinel", os_sentinel, "tasks, screens stand in"),
    Row("os_sentinel/resource", "plain", receipt, "photographed receipt"),
    Row("osworld", "osworld", osworld, "tasks and screens"),
    Row("osworld/screens", "plain", pointed("osworld/screens"), "screens, points"),
    Row("resumes_synthetic", "resumes", as_it_lies("resumes_synthetic"), "recording"),
    Row("screenagent", "screenagent", as_it_lies("screenagent"), "recording"),
    Row("sroie", "sroie", as_it_lies("sroie"), "recording"),
    Row("videos", "lvbench", as_it_lies("videos"), "recording"),
    Row("visualwebarena", "visualwebarena", as_it_lies("visualwebarena"), "recording"),
    Row("webvoyager", "webvoyager", as_it_lies("webvoyager"), "recording"),
)


def command(*words: str, log: Path) -> int:
    """Runs `mma` with some words; what it says is kept."""
    with log.open("ab") as file:
        return subprocess.run([sys.executable, "-m", "runner.cli", *words], stdout=file, stderr=file, check=False).returncode  # fmt: skip


def through(row: Row, samples: Path, base: Path, cases: int) -> tuple[str, bool]:
    """A row's line of the table, and whether all of it went well."""
    work, started = base / f"{row.name.replace('/', '-')}-{row.source}", time.monotonic()
    (work / "data").mkdir(parents=True)
    root, suite, runs, log = row.prepared(samples, work / "data"), work / "suite", work / "runs", work / "log.txt"
    sample = "null" if row.source == "plain" else str(cases)
    built = command(
        "build", "suite=from_source", f"suite.source={row.source}", f"suite.root={root}", f"suite.path={suite}",
        "suite.keep=all", "suite.min_steps=1", f"suite.sample={sample}", log=log,
    )  # fmt: skip
    checked = command("doctor", "suite=stored", f"suite.path={suite}", log=log)
    ran = command(
        "run", "suite=stored", f"suite.path={suite}", "model=reference", "judge=rules", "tracker=none", f"run.root={runs}",
        log=log,
    )  # fmt: skip
    stored = sum(1 for _ in (suite / "cases.jsonl").open()) if (suite / "cases.jsonl").is_file() else 0
    findings = len((suite / "findings.txt").read_text().splitlines()) if (suite / "findings.txt").is_file() else 0
    scored = planned = 0
    hit = 0.0
    for path in runs.glob("*/summary.json"):
        for part in json.loads(path.read_text(encoding="utf-8"))["domains"].values():
            scored, planned, hit = scored + part["scored"], planned + part["planned"], hit + part["asr"]["k"]
    good = not (built or checked or ran) and stored == planned == scored > 0
    took = time.monotonic() - started
    text = (
        f"{row.name:<22}{row.source:<17}{row.what:<36}{stored:>5}{findings:>6}{built:>6}{checked:>7}{ran:>5}"
        f"{scored:>5}/{planned:<3}{hit:>4.0f}{took:>6.0f} s"
    )
    return text, good


def unseen(samples: Path) -> list[str]:
    """Folders of the samples with images or records that no row reads."""
    heads = {row.name.split("/")[0] for row in ROWS}
    return sorted(p.name for p in samples.iterdir() if p.is_dir() and p.name not in heads)


def main() -> int:
    parser = argparse.ArgumentParser(description="every folder of real samples through build, doctor and run")
    parser.add_argument("samples", type=Path)
    parser.add_argument("--cases", type=int, default=2)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    os.environ.setdefault("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
    base = args.keep or Path(tempfile.mkdtemp(prefix="samples-"))
    print(
        f"{'folder':<22}{'source':<17}{'what it holds':<36}{'cases':>5}{'finds':>6}{'build':>6}{'doctor':>7}{'run':>5}{'scored':>9}{'hit':>4}"
    )
    failed = False
    try:
        for row in ROWS:
            if args.only and row.name not in args.only and row.source not in args.only:
                continue
            text, good = through(row, args.samples.resolve(), base, args.cases)
            failed |= not good
            print(text if good else f"{text}  FAILED", flush=True)
    finally:
        if args.keep is None:
            shutil.rmtree(base, ignore_errors=True)
    for name, why in NO_SCREENS.items():
        print(f"{name}: {why}")
    if left := unseen(args.samples):
        print(f"not looked at: {', '.join(left)}")
    return 1 if failed or left else 0


if __name__ == "__main__":
    raise SystemExit(main())
