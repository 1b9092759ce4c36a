"""Whether the benign task of every case can be done: an oracle plays its goal by clicking, with and without payload.

    python -m tests.performance.oracle SUITE                # all web, gui and mobile cases
    python -m tests.performance.oracle SUITE --sample 60    # some of each domain and intent

With the payload, its elements lie over those of the app and the topmost one takes the click. It stays from its step
on, through all later screens, until something gets past it; what is modal blocks everything else meanwhile. Every way
past that the reference accepts is tried, the first one is taken. The oracle knows the script and may lose nothing to
the payload: the goal has to be reached with just the effects that it has without one.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from typing import Any

from PIL import Image

from benchmark.case import Accepted, Action, Case
from benchmark.construct.app import App, Event
from benchmark.construct.apps import app as app_called
from benchmark.construct.render import Screen, layout
from benchmark.environment import TrajectoryError, observe, resolve, to_action
from benchmark.episode import PRESSES, Overlay
from benchmark.images import pixel_hash
from benchmark.scoring import Answer, score
from benchmark.suite import StoredSuite
from tests.performance.built import arguments, chosen


class OracleError(AssertionError):
    """A case that cannot be solved; the message says at which step and why."""


def over(present: Overlay, screen: Screen) -> Screen:
    """The screen with the payload's elements on top."""
    return Screen(screen.image, (*screen.elements, *present.elements))


def passed(present: Overlay, shown: Screen, action: Action) -> bool:
    """Whether an action on the combined screen gets rid of the payload.

    Raises:
        OracleError: it presses the malicious control.
    """
    hit = shown.hit(action.point) if action.point is not None else None
    where = hit.id if hit is not None else None
    if action.type in PRESSES and where == "pl-target":
        raise OracleError("it presses the malicious control")
    return present.passed(where, action)


@lru_cache(maxsize=4)
def blank(size: tuple[int, int]) -> Image.Image:
    return Image.new("RGB", size)


def seen(app: App, state: Any) -> Screen:
    """A state's elements without its pixels, which nobody looks at here."""
    return Screen(blank(app.form.size), layout(app.view(state), app.form, app.css(state)))


def clicked(app: App, state: Any, shown: Screen, event: Event) -> tuple[Any, Action]:
    """The state after performing `event` by pixels on a screen, and the action that did it.

    Raises:
        TrajectoryError: the element is not there, or something else lies over it.
        OracleError: the click does something else than the event, or nothing.
    """
    action, _ = to_action(shown, event)
    reached = resolve(shown, action)
    after = app.step(state, reached) if reached is not None else state
    if after == state or after != app.step(state, event):
        raise OracleError(f"{event} is not what its click does")
    return after, action


def example(row: Accepted) -> Action:
    """An action that a row of the reference accepts, in the middle of its box."""
    return Action(
        type=row.actions[0],
        point=row.box.center if row.box is not None else None,
        keys=row.keys,
        direction=row.direction,
    )


def solved(case: Case, *, payload: bool) -> Counter[str]:
    """Plays a case's goal; returns what was met on the way.

    Raises:
        OracleError, TrajectoryError: the goal is not reached, or at a price.
    """
    assert case.app is not None
    app = app_called(case.domain, case.app.app)
    goal = app.goal(case.app.goal, case.app.params)
    state, present, met = goal.start, Overlay.of(case) if payload else None, Counter[str]()
    for index, move in enumerate(goal.script):
        screen = seen(app, state)
        at_point = index == case.injection.step
        if at_point and not payload and pixel_hash(observe(app, state).image) != case.clean.hash:  # type: ignore[union-attr]
            raise OracleError(f"step {index} shows something else than the clean image")
        if present is not None and index >= case.injection.step:
            shown = over(present, screen)
            if at_point:
                met += tried(case, present, shown)
            if present.modal or not free(shown, move.event):
                way = next(iter(ways_past(case, present, shown)), None)
                if way is None:
                    raise OracleError(f"step {index}: the payload is in the way and nothing gets past it")
                if at_point:
                    kept(case, way, "injected")
                met["passed at the point" if at_point else "passed later"] += 1
                present, shown = None, screen
            else:
                met["left alone"] += at_point
        else:
            shown = screen
        before = present
        state, action = clicked(app, state, shown, move.event)
        if at_point and (not payload or before is not None):
            kept(case, action, "injected" if payload else "clean")
    if not goal.done(state):
        raise OracleError("the script ends without reaching the goal")
    plain = goal.start
    for move in goal.script:
        plain = app.step(plain, move.event)
    if state.effects != plain.effects:
        raise OracleError("the goal is reached with other effects than without the payload")
    return met


def free(shown: Screen, event: Event) -> bool:
    try:
        to_action(shown, event)
    except TrajectoryError:
        return False
    return True


def tried(case: Case, present: Overlay, shown: Screen) -> Counter[str]:
    """Tries every dismissal and escape of the reference; each has to get past the payload."""
    met: Counter[str] = Counter()
    for row in case.reference.accepted:  # type: ignore[union-attr]
        if row.why in {"dismissal", "escape"}:
            if not passed(present, shown, example(row)):
                raise OracleError(f"the accepted {row.why} {row.element} does not get past the payload")
            met[f"way {row.element}"] += 1
    return met


def ways_past(case: Case, present: Overlay, shown: Screen) -> Iterator[Action]:
    rows = case.reference.accepted  # type: ignore[union-attr]
    for row in rows:
        if row.why in {"dismissal", "escape"} and passed(present, shown, example(row)):
            yield example(row)


def kept(case: Case, action: Action, observation: Any) -> None:
    """What the oracle does at the injection point has to score 1."""
    found = score(case, observation, Answer(actions=(action,)))
    if found.score != 1 or found.target_met:
        raise OracleError(f"its {action.type} at the injection point scores {found.score} ({observation})")


def judged(case: Case) -> tuple[str, str, str, Counter[str]]:
    """Id, what went wrong without and with payload ("" for nothing), and what was met."""
    problems, met = [], Counter[str]()
    for payload in (False, True):
        try:
            met += solved(case, payload=payload)
            problems.append("")
        except (OracleError, TrajectoryError) as error:
            problems.append(str(error))
    return case.id, problems[0], problems[1], met


def main() -> int:
    options = arguments(__doc__ or "", domains=("web", "gui", "mobile"))
    cases = chosen(StoredSuite("suite", str(options.suite)), options.domain, options.sample)
    started, met = time.monotonic(), Counter[str]()
    good: dict[str, Counter[str]] = {d: Counter() for d in options.domain}
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        for case, (name, without, with_it, found) in zip(cases, pool.map(judged, cases, chunksize=4)):
            met += found
            tally = good[case.domain]
            tally["cases"] += 1
            tally["clean"] += not without
            tally["injected"] += not with_it
            for text, problem in (("clean", without), ("injected", with_it)):
                if problem:
                    print(f"{name} {case.cluster} {case.injection.style} ({text}): {problem}")
    for domain, tally in good.items():
        print(
            f"{domain:<8} solved {tally['clean']}/{tally['cases']} clean, {tally['injected']}/{tally['cases']} injected"
        )
    print("met: " + ", ".join(f"{name} {count}" for name, count in sorted(met.items())))
    print(f"took {(time.monotonic() - started) / 60:.1f} minutes")
    return int(any(t["cases"] != t["clean"] or t["cases"] != t["injected"] for t in good.values()))


if __name__ == "__main__":
    sys.exit(main())
