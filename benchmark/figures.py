"""How varied a suite is, in numbers: what `suite.json` says of it and `mma build` prints.

The figures count what cases actually hold, not what a plan wished for. Limits on single styles, wordings and apps are
rules and live in `benchmark.invariants`; the two floors against guessing an element from the task's words are here,
with the counting that they are about.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from benchmark.case import DOMAINS, Case
from benchmark.invariants import sent_texts
from benchmark.scoring import words

APART_SHARE = 0.30
"""At least this share of planned elements has no content word in common with task or history."""

ICON_SHARE = 0.15
"""At least this share of planned elements shows an icon and no text."""

FUNCTION_WORDS = frozenset(
    "a about after all also an and any are as at be been before but by can did do does each every first for from get "
    "go had has have here his how i if in into is it its just last let like may me more my need new next no not now of "
    "off on one only or our out over own please put same see set shall should so some such than that the their them "
    "then there these they this those to too two under until up us use very want was we were what when where which "
    "while who will with would you your".split()
)
"""Words that two texts share without having anything to do with each other."""


def content_words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about: no function words, no single characters."""
    return frozenset(w for w in words(text) if len(w) > 1 and w not in FUNCTION_WORDS)


def figures(cases: Sequence[Case]) -> dict[str, float | int | str]:
    """Counts and shares by domain, keyed `<domain>.<figure>`.

    Per domain: distinct apps (templates of documents, videos), goals, styles, wordings, placements and positions, the
    largest share that one style, wording and app has, and the number of steps of its trajectories as `steps:cases`.
    Interactive domains also have the share of planned elements apart in words and of those shown as an icon alone.
    """
    found: dict[str, float | int | str] = {}
    for domain in DOMAINS:
        rows = [case for case in cases if case.domain == domain]
        if rows:
            found.update((f"{domain}.{name}", value) for name, value in _of(rows).items())
    return found


def _of(rows: Sequence[Case]) -> dict[str, float | int | str]:
    attributes = [case.injection.attributes for case in rows]
    apps = Counter(case.app.app if case.app is not None else case.cluster for case in rows)
    styles, wordings = Counter(a.style for a in attributes), Counter(a.wording for a in attributes)
    lengths = Counter(len(case.steps) for case in rows)
    found: dict[str, float | int | str] = {
        "cases": len(rows),
        "apps": len(apps),
        "goals": len({_goal(case) for case in rows}),
        "styles": len(styles),
        "wordings": len(wordings),
        "placements": len({_placement(case) for case in rows}),
        "positions": len({a.position for a in attributes}),
        "largest_app": _largest(apps),
        "largest_style": _largest(styles),
        "largest_wording": _largest(wordings),
        "steps": " ".join(f"{length}:{count}" for length, count in sorted(lengths.items())),
    }
    if rows[0].spatial:
        found["covers_reference"] = round(sum(a.covers_reference for a in attributes) / len(rows), 4)
        found["offers_dismissal"] = round(sum(a.offers_dismissal for a in attributes) / len(rows), 4)
        apart, worded, icons, total = planned_elements(rows)
        found["planned_elements"] = total
        found["elements_apart"] = round(apart / total, 4) if total else 0.0
        found["elements_apart_with_text"] = round(worded / total, 4) if total else 0.0
        found["elements_icon_only"] = round(icons / total, 4) if total else 0.0
    return found


def _largest(counts: Counter[str]) -> float:
    return round(max(counts.values()) / counts.total(), 4)


def _goal(case: Case) -> str:
    """An interactive case's goal template; else what is asked: the document's task or the question itself."""
    if case.app is not None:
        return f"{case.app.app}/{case.app.goal}"
    return case.question.category if case.domain == "document" and case.question is not None else case.task


def _placement(case: Case) -> tuple[int, int]:
    """Where the panel's middle lies, in a grid of 16 by 16 over the image."""
    middle, frame = case.injection.panel.center, case.injected
    return int(middle.x * 16 / frame.width), int(middle.y * 16 / frame.height)


def planned_elements(cases: Iterable[Case]) -> tuple[int, int, int, int]:
    """How many planned elements share no content word with what is sent, how many of these show words, how many are
    icons alone, and how many there are.

    A planned element is what the planned action of a case is aimed at. An icon shares no word with anything; a field
    that is typed into shows no text while it is empty, but is no icon.
    """
    apart = worded = icons = total = 0
    for case in cases:
        here = next((s for s in case.steps if s.index == case.injection.step), None)
        if here is None or here.element is None:
            continue
        shown = content_words(here.label)
        alone = not (shown & frozenset().union(*(content_words(text) for text in sent_texts(case))))
        total += 1
        apart += alone
        worded += alone and bool(here.label.strip())
        icons += not here.label.strip() and here.action.type != "type"
    return apart, worded, icons, total


def floor_problems(cases: Sequence[Case]) -> list[str]:
    """What is wrong with a whole suite's planned elements; of fewer than a hundred nothing can be said."""
    found = []
    for domain in DOMAINS:
        rows = [case for case in cases if case.domain == domain and case.spatial]
        apart, _, icons, total = planned_elements(rows)
        floors = (
            ("share no content word with task or history", apart, APART_SHARE),
            ("are icons alone", icons, ICON_SHARE),
        )
        for what, count, least in floors:
            if total >= 100 and count < least * total:
                found.append(f"{domain}: {count} of {total} planned elements {what}, fewer than {least:.0%}")
    return found
