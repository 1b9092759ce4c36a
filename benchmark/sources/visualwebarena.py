"""VisualWebArena: web tasks as JSON, and recorded runs as pages `render_<id>.html` with embedded screenshots.

A run's page holds, for each step, the screen before the action and the action as text. The pages are not well-formed,
so they are searched for what is needed rather than parsed; a screenshot stays in its page until a case is made of it.
A click names an element of the accessibility tree and no place, so where no `boxes` are known a payload is laid at a
step whose action needs none. Steps written out as `steps.json` with images beside them are read too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmark.case import Action
from benchmark.sources.actions import DIRECTIONS, pressed
from benchmark.sources.records import Malformed, cleaned, json_items, one_line, record, text_of
from benchmark.sources.safety import Unusable, files, inside
from benchmark.sources.trajectory import Finding, Shot, Trajectory, Turn

LICENCE = "MIT"
IMAGE = re.compile(rb"data:image/(?:png|jpe?g);base64,([A-Za-z0-9+/=]+)")
FENCED = re.compile(r"```\s*(.*?)\s*```", re.DOTALL)
CALL = re.compile(r"^\s*([a-z_]+)\s*((?:\[.*?\]\s*)*)\s*$", re.DOTALL | re.IGNORECASE)
ARGUMENT = re.compile(r"\[(.*?)\]", re.DOTALL)
OBJECTIVE = re.compile(r"OBJECTIVE:\s*(.+)")
URL = re.compile(r"URL:\s*(\S+)")
PARSED = re.compile(r"<div class=['\"]parsed_action['\"][^>]*>\s*(?:<pre>)?(.*?)(?:</pre>)?\s*</div>", re.DOTALL)
PREDICTION = re.compile(
    r"<div class=['\"]raw_parsed_prediction['\"][^>]*>\s*(?:<pre>)?(.*?)(?:</pre>)?\s*</div>", re.DOTALL
)
INTENT = re.compile(r"^\s*(?:intent|objective):\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)


def read(root: Path) -> Iterator[Trajectory | Finding]:
    """Every recorded run below the root; tasks without one are said once, as a whole."""
    tasks, broken = _tasks(root)
    yield from broken
    runs = 0
    for path in files(root, ".html"):
        if re.fullmatch(r"render_\d+\.html", path.name):
            runs += 1
            yield _page(root, path, tasks)
    for path in files(root, "steps.json"):
        if path.name == "steps.json":
            runs += 1
            yield from _steps(root, path)
    if not runs:
        yield Finding(
            ".", 0, f"no recorded run (render_<id>.html) was found; {len(tasks)} tasks without one show no screen"
        )


def _tasks(root: Path) -> tuple[dict[str, str], list[Finding]]:
    """What was asked, by `<site>/<id>` and by `<id>` alone where that is not ambiguous."""
    found: dict[str, str] = {}
    broken: list[Finding] = []
    for path in files(root, ".json"):
        if not ("config_files" in path.parts or path.name.startswith("test_")):
            continue
        shown = path.relative_to(root).as_posix()
        try:
            for line, value in json_items(inside(root, shown)):
                try:
                    task = record(value)
                    wish, number = one_line(task.text("intent")), task.name("task_id")
                    sites = [s for s in task.items("sites") if isinstance(s, str)]
                except Unusable as error:
                    broken.append(Finding(shown, line, str(error)))
                    continue
                found["/".join((sites[0] if sites else "web", number))] = wish
                found[number] = "" if found.get(number, wish) != wish else wish
        except Unusable as error:
            broken.append(Finding(shown, 1, str(error)))
    return found, broken


def _page(root: Path, path: Path, tasks: Mapping[str, str]) -> Trajectory | Finding:
    shown = path.relative_to(root).as_posix()
    try:
        inside(root, shown)
        raw = text_of(path).encode()
        number = path.stem.removeprefix("render_")
        site = next((s for s in ("shopping", "reddit", "classifieds", "wikipedia") if s in shown.casefold()), "web")
        images = list(IMAGE.finditer(raw))
        if not images:
            raise Malformed("the page holds no screenshot")
        bounds = [*(m.start() for m in images), len(raw)]
        before = raw[: bounds[0]].decode("utf-8", "replace")
        said = INTENT.search(html.unescape(re.sub(r"<[^>]+>", "\n", before)))
        task = tasks.get(f"{site}/{number}") or tasks.get(number) or (one_line(said[1]) if said is not None else "")
        if not task:
            raise Malformed(f"no task with the number {number} was found, and the page names none")
        turns = []
        for i, match in enumerate(images):
            part = raw[match.end() : bounds[i + 1]].decode("utf-8", "replace")
            turns.append(
                _step(
                    Shot(path, (_offset(path, raw, match.start(1)), match.end(1) - match.start(1))), part, site, i + 1
                )
            )
    except Unusable as error:
        return Finding(shown, 1, str(error))
    return Trajectory("web", f"{site}/{shown}", site, shown, 1, task, tuple(turns))


def _offset(path: Path, raw: bytes, position: int) -> int:
    """The position in the file: a mark of its encoding at its head is no part of the text."""
    return position + max(path.stat().st_size - len(raw), 0)


def _step(shot: Shot, part: str, site: str, number: int) -> Turn:
    parsed, said = PARSED.search(part), PREDICTION.search(part)
    found = parsed or said
    if found is None:
        raise Malformed(f"step {number} names no action")
    text = html.unescape(re.sub(r"<[^>]+>", "", found[1]))
    prose = html.unescape(re.sub(r"<[^>]+>", "", said[1])) if said is not None else ""
    return Turn(shot, action_of(text), says=prose_of(prose), where=site)


def _steps(root: Path, path: Path) -> Iterator[Trajectory | Finding]:
    shown = path.relative_to(root).as_posix()
    try:
        for line, value in json_items(inside(root, shown)):
            try:
                step = record(value)
                seen, said = step.text("observation"), step.text("response")
                wish, url = OBJECTIVE.search(seen), URL.search(seen)
                if wish is None:
                    raise Malformed("field 'observation' holds no line 'OBJECTIVE: ...'")
                shot = Shot(inside(root, step.text("image"), path.parent))
                site = re.sub(r"^https?://", "", url[1]).split("/")[0][:60] if url is not None else "web"
                turn = Turn(shot, action_of(said), says=prose_of(said), where=site)
                yield Trajectory("web", f"{shown}/{line}", site, shown, line, one_line(wish[1]), (turn,))
            except Unusable as error:
                yield Finding(shown, line, str(error))
    except Unusable as error:
        yield Finding(shown, 1, str(error))


def prose_of(text: str) -> str:
    """What an agent said, without its action and the numbers of elements."""
    bare = FENCED.sub("", text).split("In summary")[0]
    return one_line(re.sub(r"\s*\[\d+\]", "", bare), 240)


def action_of(text: str) -> Action:
    """An action as the benchmark writes it, e.g. `type [81] [guitar] [1]`, fenced or not. Element numbers are no points.

    Raises:
        Malformed: it is none.
    """
    fenced = FENCED.findall(text)
    bare = (fenced[-1] if fenced else text).strip()
    match = CALL.match(bare)
    if match is None:
        raise Malformed(f"the action {bare[:60]!r} is not known")
    name, args = match[1].casefold(), [cleaned(a).strip() for a in ARGUMENT.findall(match[2])]
    match name:
        case "click" | "hover":
            return Action(type="click" if name == "click" else "hover")
        case "type":
            if len(args) < 2 or not args[1]:
                raise Malformed(f"the text to type is missing: {bare[:60]!r}")
            return Action(type="type", text=args[1])
        case "press":
            return pressed(args[:1])
        case "scroll":
            direction = DIRECTIONS.get(args[0].casefold() if args else "")
            if direction is None:
                raise Malformed(f"the scroll names no direction: {bare[:60]!r}")
            return Action(type="scroll", direction=direction)
        case "goto":
            return Action(type="open", text=args[0][:200] if args else None)
        case "go_back":
            return Action(type="back")
        case "go_forward" | "new_tab" | "tab_focus" | "page_focus" | "close_tab" | "page_close" | "none":
            return Action(type="wait")
        case "stop":
            return Action(type="answer", text=one_line(args[0], 400) if args else None)
        case _:
            raise Malformed(f"the action {name[:40]!r} is not known")
