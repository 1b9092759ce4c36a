"""OSWorld: desktop tasks as JSON, and recorded runs as `traj.jsonl` with a screenshot after each action.

A run is read from `<anything>/<app>/<uuid>/traj.jsonl`; its task from `examples/<app>/<uuid>.json`, wherever below the
root that lies. The screen an action was decided on is the one after the action before it, so the first action, whose
screen was not recorded, is left out unless an image of the start lies beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmark.case import Action
from benchmark.sources.actions import merged, of_fields, of_python
from benchmark.sources.records import Fields, Malformed, cleaned, json_lines, json_of, one_line, record, text_of
from benchmark.sources.safety import Unusable, files, inside
from benchmark.sources.trajectory import Finding, Shot, Trajectory, Turn

LICENCE = "Apache-2.0"
STARTS = ("step_0.png", "initial.png", "initial_state.png", "step_0_initial.png")


def read(root: Path) -> Iterator[Trajectory | Finding]:
    """All recorded runs below the root, in a fixed order; tasks without a run are said once, as a whole."""
    tasks = _tasks(root)
    runs = 0
    for path in files(root, "traj.jsonl"):
        if path.name != "traj.jsonl":
            continue
        runs += 1
        yield from _run(root, path, tasks)
    if not runs:
        yield Finding(
            ".",
            0,
            f"no recorded run (traj.jsonl) was found; {len(tasks)} tasks without one say what was asked but show no screen",
        )


def _tasks(root: Path) -> dict[str, Path]:
    """Task files by `<app>/<uuid>` and, where that is the only one, by `<uuid>`."""
    found: dict[str, Path] = {}
    for path in files(root, ".json"):
        if "examples" in path.parts:
            found[f"{path.parent.name}/{path.stem}"] = path
    return found


def _run(root: Path, path: Path, tasks: dict[str, Path]) -> Iterator[Trajectory | Finding]:
    app, uuid = path.parent.parent.name, path.parent.name
    shown = path.relative_to(root).as_posix()
    task_file = tasks.get(f"{app}/{uuid}") or next((p for k, p in tasks.items() if k.endswith(f"/{uuid}")), None)
    if task_file is None:
        yield Finding(shown, 0, f"no task file examples/{app}/{uuid}.json was found for this run")
        return
    try:
        task = Fields(json_of(text_of(inside(root, task_file.relative_to(root).as_posix()))))
        wish = one_line(task.text("instruction"))
    except Unusable as error:
        yield Finding(task_file.relative_to(root).as_posix(), 1, str(error))
        return
    turns: list[Turn] = []
    notes: list[str] = []
    before: Shot | None = None
    try:
        inside(root, shown)
        start = next((name for name in STARTS if (path.parent / name).is_file()), None)
        before = Shot(inside(root, start, path.parent)) if start is not None else None
    except Unusable as error:
        yield Finding(shown, 1, str(error))
        return
    for number, value in json_lines(path):
        try:
            line = record(value)
            if "Error" in line.value or "error" in line.value:
                notes.append("the recording ends with an error")
                break
            action = _action(line)
            after = Shot(inside(root, line.text("screenshot_file"), path.parent))
            says = _said(line)
        except Unusable as error:
            yield Finding(shown, number, str(error))
            return
        turns.append(Turn(shot=before, action=action, says=says, where=app))
        before = after
    if turns and turns[0].shot is None:
        notes.append("the first action is left out, its screen was not recorded")
        turns = turns[1:]
    if not turns:
        yield Finding(shown, 0, "the run holds no action whose screen was recorded")
        return
    yield Trajectory("gui", f"{app}/{uuid}/{_label(root, path)}", app, shown, 1, wish, tuple(turns), notes=tuple(notes))


def _label(root: Path, path: Path) -> str:
    """What tells two runs of one task apart: the folders above app and uuid."""
    return "-".join(path.relative_to(root).parts[:-3])[-60:]


def _action(line: Fields) -> Action:
    value = line.any("action")
    if isinstance(value, str):
        return of_python(value)
    if isinstance(value, list):
        if not value:
            raise Malformed("field 'action' is an empty list")
        return merged(
            [of_python(v) if isinstance(v, str) else of_fields(Fields(v, "an item of 'action'")) for v in value]
        )
    return of_fields(Fields(value, "field 'action'"))


def _said(line: Fields) -> str:
    """What the agent said, where the recording keeps it; the code itself is not prose."""
    said = line.value.get("response")
    if not isinstance(said, str) or "```" in said or "pyautogui" in said:
        return ""
    return one_line(cleaned(said), 240)
