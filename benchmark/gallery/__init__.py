"""A suite as pages to look at: every case clean beside injected, with what decides about it drawn over the pictures.

`write` puts an index and one page per domain (several, where a domain is large) into the suite's folder. The pages are
static and work from disk: images are the suite's own, style and script are inline, nothing is fetched, and a content
security policy that names the script by its hash makes sure of it. All texts of cases are escaped. Pictures of runs
are not made here.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmark.case import (
    DOMAINS,
    Accepted,
    Action,
    Attributes,
    Box,
    Case,
    FieldTest,
    ImageRef,
    Observation,
    Predicate,
    SuiteInfo,
)
from benchmark.suite import Entry, Progress

INDEX = "gallery.html"

SAMPLES = 3
"""Cases of each domain that the index shows."""

PAGE_CASES = 400
"""Cases on a page; a domain with more gets several. The paper's domains fit on one each."""

OPERATOR_WORDS = {"any_item": "has an item that is", "no_item": "has no item that is", "one_of": "is one of"}


def page_name(domain: str, number: int = 0) -> str:
    return f"gallery-{domain}.html" if number == 0 else f"gallery-{domain}-{number + 1}.html"


def write(
    folder: Path,
    info: SuiteInfo,
    entries: Sequence[Entry],
    case: Callable[[str], Case],
    progress: Progress | None = None,
) -> Path:
    """Writes the gallery of these cases into the suite's folder and returns the index; older pages are removed.

    Args:
        folder: where the suite's `images` lie; pages go beside them.
        info: what the suite is.
        entries: the cases to show, all of the suite or some.
        case: reads one; cases are read a page at a time, so that a suite of any size can be shown.
        progress: called as `progress(done, total)` after each page.
    """
    ids = {d: [e.id for e in entries if e.domain == d] for d in DOMAINS}
    pages = {d: [rows[i : i + PAGE_CASES] for i in range(0, len(rows), PAGE_CASES)] for d, rows in ids.items() if rows}
    samples = {d: {ids[d][i] for i in _spread(len(ids[d]), SAMPLES)} for d in pages}
    common = {"info": info, "domains": {d: len(ids[d]) for d in pages}, "page_name": page_name, **_inline()}
    template = _environment().get_template("page.html")
    tallies: dict[str, list[_Row]] = {d: [] for d in pages}
    shown: dict[str, list[dict[str, Any]]] = {d: [] for d in pages}
    names = {INDEX}
    for domain, parts in pages.items():
        for number, part in enumerate(parts):
            cases = [_shown(case(id)) for id in part]
            tallies[domain] += [_row(one["case"]) for one in cases]
            shown[domain] += [
                {**one, "page": page_name(domain, number)} for one in cases if one["case"].id in samples[domain]
            ]
            text = template.render(
                **common, domain=domain, cases=cases, choices=_choices(cases), number=number, count=len(parts)
            )
            names.add(page_name(domain, number))
            _put(folder / page_name(domain, number), text)
            if progress is not None:
                progress(len(names) - 1, sum(len(p) for p in pages.values()))
    figures = {d: _figures(rows) for d, rows in tallies.items()}
    _put(folder / INDEX, _environment().get_template("index.html").render(**common, samples=shown, figures=figures))
    for left_over in folder.glob("gallery*.html"):
        if left_over.name not in names:
            left_over.unlink()
    return folder / INDEX


def _put(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


@lru_cache(maxsize=1)
def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache(maxsize=1)
def _inline() -> Mapping[str, Any]:
    """Style and script as they stand in each page, and the policy that lets nothing else run."""
    from markupsafe import Markup

    here = Path(__file__).parent
    script = (here / "gallery.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    # Ours, and without any text of a case.
    return {
        "css": Markup((here / "gallery.css").read_text(encoding="utf-8")),
        "script": Markup(script),
        "policy": policy,
    }


def _spread(count: int, wanted: int) -> list[int]:
    """At most `wanted` positions of a list, evenly spread."""
    return sorted({i * count // wanted for i in range(wanted) if count})


def _shown(case: Case) -> dict[str, Any]:
    """A case as the templates take it: plain texts, and boxes by observation."""
    attributes = case.injection.attributes
    extras = {k: v for k, v in case.provenance.extras.items() if k != "overlay"}
    facets = _facets(case)
    words = [case.id, case.task, case.cluster, case.injection.visible_text, attributes.wording, *facets.values()]
    return {
        "case": case,
        "facets": facets,
        "search": " ".join(" ".join(words).casefold().split()),
        "pictures": _pictures(case),
        "attributes": _attributes(case),
        "target": case.target.description,
        "target_rule": "" if case.target.kind == "box" else predicate(case.target.predicate),
        "reference": _reference(case),
        "steps": [
            {
                "index": step.index,
                "image": step.image,
                "action": action(step.action),
                "point": step.action.point,
                "says": step.says,
                "label": step.label or step.element or "",
                "here": step.index == case.injection.step,
            }
            for step in case.steps
        ],
        "extras": extras,
    }


def _pictures(case: Case) -> list[dict[str, Any]]:
    pairs: list[tuple[Observation, ImageRef | None]] = [("clean", case.clean), ("injected", case.injected)]
    return [{"name": name, "image": image, "marks": _marks(case, name)} for name, image in pairs if image is not None]


def _marks(case: Case, observation: Observation) -> list[dict[str, Any]]:
    """What is drawn over an observation, large things first so that small ones stay on top."""
    marks: list[tuple[str, Box, str]] = []
    if case.reference.kind == "boxes":
        for row in case.reference.accepted:
            if row.box is not None and row.when in ("both", observation):
                marks.append((row.why, row.box, f"{row.why}: {accepted(row)}"))
    if observation == "injected":
        marks.append(("panel", case.injection.panel, "panel of the payload"))
    if case.target.kind == "box":
        marks.append(("target", case.target.box, f"target: {case.target.description}"))
    found: list[dict[str, Any]] = [
        {"kind": k, "box": b, "title": t} for k, b, t in sorted(marks, key=lambda m: -m[1].area)
    ]
    if case.planned is not None and case.planned.point is not None:
        found.append({"kind": "point", "point": case.planned.point, "title": f"planned: {action(case.planned)}"})
    return found


def _attributes(case: Case) -> dict[str, str]:
    given = case.injection.attributes
    found = {
        "style": given.style.replace("_", " "),
        "wording": given.wording,
        "source shown": given.authority,
        "pressure": given.pressure.replace("_", " "),
        "urgency": given.urgency,
        "salience": given.salience,
        "position": given.position,
        "covers the planned element": _yes(given.covers_reference),
        "offers a dismissal": _yes(given.offers_dismissal),
    }
    if given.faint:
        found["faint"] = "yes"
    effect = case.injection.effect
    if effect is not None:
        found["its control would"] = effect.name + "(" + ", ".join(f"{k}={v}" for k, v in effect.args.items()) + ")"
    return found


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _reference(case: Case) -> list[tuple[str, str]]:
    """Why and what, for each way to keep the task."""
    if case.reference.kind == "boxes":
        return [(row.why, accepted(row)) for row in case.reference.accepted]
    rows = [("answer", predicate(case.reference.predicate))] if case.reference.predicate is not None else []
    if case.reference.needs_judge:
        rows.append(("judge", "decides, since no reference can be computed"))
    return rows


def accepted(row: Accepted) -> str:
    """One way to keep the task in words, e.g. `click, select or open on save`."""
    *others, last = [a.replace("_", " ") for a in row.actions]
    said = f"{', '.join(others)} or {last}" if others else last
    if row.keys:
        said += f" {'+'.join(row.keys)}"
    if row.direction:
        said += f" {row.direction}"
    if row.element and row.box is not None:
        said += f" on {row.element}"
    if row.text:
        said += f" the text {' / '.join(repr(t) for t in row.text)}"
    return said + ("" if row.when == "both" else f" ({row.when} only)")


def action(given: Action) -> str:
    """An action in words, without its point."""
    said = given.type.replace("_", " ")
    if given.keys:
        said += f" {'+'.join(given.keys)}"
    if given.direction:
        said += f" {given.direction}"
    if given.text:
        said += f" {given.text!r}"
    for name, value in given.fields.items():
        said += f" {name}={value if isinstance(value, str) else ', '.join(value)}"
    return said


def predicate(given: Predicate) -> str:
    """A predicate in words."""
    parts = [" and ".join(_test(t) for t in given.all)] if given.all else []
    if given.any:
        parts.append("any of: " + "; ".join(_test(t) for t in given.any))
    if given.none:
        parts.append("none of: " + "; ".join(_test(t) for t in given.none))
    return " and ".join(parts)


def _test(test: FieldTest) -> str:
    said = f"{test.field} {OPERATOR_WORDS.get(test.op, test.op.replace('_', ' '))}"
    if test.values:
        said += " " + " / ".join(test.values)
    return said + (f" within {test.tolerance:g}" if test.tolerance else "")


def _choices(cases: Sequence[Mapping[str, Any]]) -> dict[str, list[tuple[str, int]]]:
    """What the filters of a page offer, with counts."""
    return {name: sorted(Counter(c["facets"][name] for c in cases).items()) for name in ("intent", "style", "app")}


def _facets(case: Case) -> dict[str, str]:
    source = case.app.app if case.app is not None else case.cluster
    return {"intent": case.intent, "style": case.injection.attributes.style, "app": source}


@dataclass(frozen=True)
class _Row:
    """What the figures of a domain need of a case."""

    attributes: Attributes
    app: str
    cluster: str
    steps: int


def _row(case: Case) -> _Row:
    return _Row(case.injection.attributes, case.app.app if case.app is not None else "", case.cluster, len(case.steps))


def _figures(rows: Sequence[_Row]) -> list[tuple[str, str]]:
    """A domain in numbers."""

    def share(found: Iterable[bool]) -> str:
        hits = sum(found)
        return f"{hits} ({hits / len(rows):.0%})"

    given = [row.attributes for row in rows]
    steps = sorted(row.steps for row in rows)
    figures = [
        ("cases", str(len(rows))),
        ("payload styles", str(len({a.style for a in given}))),
        ("wordings", str(len({a.wording for a in given}))),
        ("clusters", str(len({row.cluster for row in rows}))),
        ("steps of a trajectory", f"{steps[0]} to {steps[-1]}, median {steps[len(steps) // 2]}"),
    ]
    apps = {row.app for row in rows} - {""}
    if apps:
        figures.insert(1, ("apps", str(len(apps))))
        figures.append(("covers the planned element", share(a.covers_reference for a in given)))
        figures.append(("offers a dismissal", share(a.offers_dismissal for a in given)))
    for level in ("low", "medium", "high"):
        figures.append((f"{level} salience", share(a.salience == level for a in given)))
    return figures


__all__ = ["INDEX", "page_name", "write"]
