"""Whether environment and browser agree: the same random sequences of actions on elements, played in both.

    python -m tests.performance.live                            # 200 sequences over all web apps, local Chromium
    python -m tests.performance.live --endpoint http://127.0.0.1:9223
    python -m tests.performance.live --sequences 20 --seed 7

Each action names an element. Each engine finds the middle of that element where it has laid it out itself, and carries
out what lies under that point: the environment by its boxes, the browser by a real click. After every action both have
to be in the same state. Of all elements seen on the way, the boxes of 95 % have to lie within 6 pixels of each other.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from typing import Any

from PIL import Image

from benchmark.case import Action
from benchmark.construct.app import App, Goal
from benchmark.construct.apps import apps
from benchmark.construct.reference import uncovered
from benchmark.construct.render import Screen
from benchmark.environment import resolve
from benchmark.episode import laid_out
from runner.browser import Browser

NEAR = 6
BLANK = Image.new("RGB", (1, 1))


def chosen(app: App, goal: Goal, shown: Screen, script: list[Any], rng: random.Random) -> tuple[str, str | None, str]:
    """What is done next, to which element: mostly the script's line, so that deep screens are reached as well."""
    ids = sorted(id for id, e in uncovered(shown.elements).items() if e.role not in {"text", "image", "status"})
    if script and rng.random() < 0.6:
        event = script.pop(0)
        if event.kind in {"click", "type", "double_click", "right_click"} and (
            event.element is None or event.element in ids
        ):
            return event.kind, event.element, event.text
        if event.kind in {"press", "scroll", "back"}:
            return event.kind, None, event.text
    if not ids or rng.random() < 0.05:
        return "scroll", None, rng.choice(("up", "down"))
    id = rng.choice(ids)
    element = shown.element(id)
    if element is not None and element.role == "field":
        return "type", id, rng.choice((*goal.texts, "some words"))
    return "click", id, ""


def action_on(shown: Screen, kind: str, id: str | None, text: str) -> Action | None:
    """The action at the middle of an element as this engine has laid it out; None where it shows no such element."""
    element = shown.element(id) if id is not None else None
    if id is not None and element is None:
        return None
    point = element.box.center if element is not None else None
    if kind == "type":
        return Action(type="type", point=point, text=text)
    if kind == "press":
        return Action(type="press", keys=tuple(text.split("+")))
    if kind == "scroll":
        return Action(type="scroll", direction="up" if text == "up" else "down")
    return Action(type=kind, point=point)  # type: ignore[arg-type]


def sequence(browser: Browser, app: App, rng: random.Random, tally: Counter[str], steps: int = 8) -> str | None:
    """Plays one sequence in both engines; returns where they part, or None."""
    template = rng.choice(app.goals)
    goal = app.goal(template.name, template.sample(rng))
    ours = theirs = goal.start
    script = [move.event for move in goal.script]
    for number in range(steps):
        boxes = Screen(BLANK, laid_out(app, ours))
        page = browser.screen(app, theirs, None, pixels=False)
        there = {e.id: e.box for e in page.elements}
        for element in boxes.elements:
            other = there.get(element.id)
            pairs = zip(_edges(element.box), _edges(other), strict=True) if other is not None else ()
            near = other is not None and all(abs(a - b) <= NEAR for a, b in pairs)
            tally["elements"] += 1
            tally["near"] += near
            if not near:
                tally[f"far {app.name}/{element.id}"] += 1
        kind, id, text = chosen(app, goal, boxes, script, rng)
        after = []
        for shown, state in ((boxes, ours), (page, theirs)):
            action = action_on(shown, kind, id, text)
            event = resolve(shown, action) if action is not None else None
            after.append(app.step(state, event) if event is not None else state)
        tally["actions"] += 1
        tally["changes"] += after[0] != ours
        if after[0] != after[1]:
            return f"{app.name}/{goal.name} step {number}: {kind} {id} {text!r}"
        ours, theirs = after
    return None


def _edges(box: Any) -> tuple[int, int, int, int]:
    return box.x0, box.y0, box.x1, box.y1


def compared(browser: Browser, sequences: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Plays sequences through the web apps in turn; returns what was counted, and where the engines parted."""
    tally: Counter[str] = Counter()
    found = apps("web")
    parted = []
    for number in range(sequences):
        problem = sequence(browser, found[number % len(found)], random.Random(f"{seed}/{number}"), tally)
        if problem is not None:
            parted.append(problem)
    return tally, parted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--endpoint")
    parser.add_argument("--executable", default="/usr/bin/chromium")
    options = parser.parse_args()
    browser = Browser(None if options.endpoint else options.executable, options.endpoint)
    started = time.monotonic()
    try:
        tally, parted = compared(browser, options.sequences, options.seed)
    finally:
        browser.close()
    for line in parted:
        print(f"parted: {line}")
    share = tally["near"] / tally["elements"]
    print(
        f"{options.sequences - len(parted)}/{options.sequences} sequences agree, {tally['actions']} actions of which "
        f"{tally['changes']} change something; {100 * share:.2f} % of {tally['elements']} boxes within {NEAR} px"
    )
    far = Counter({k: v for k, v in tally.items() if k.startswith("far ")})
    print("most often apart: " + (", ".join(f"{k[4:]} {v}" for k, v in far.most_common(8)) or "none"))
    print(f"took {time.monotonic() - started:.0f} s")
    return int(bool(parted) or share < 0.95)


if __name__ == "__main__":
    sys.exit(main())
