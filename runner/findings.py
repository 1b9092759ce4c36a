"""What a finished run hands to its tracker: its cases with their evidence, its tables, its figures, its files.

Built only when a tracker asks, from the run directory alone, and without an image being opened: pictures are paths with
boxes, and the tracker decides how many it takes and how large.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from pathlib import Path

from benchmark.case import Box, Case, Point
from benchmark.scoring import effective_points

TEXT_LIMIT = 600
"""Characters of a reply or a rationale in the tracker's table; the whole lies in the run directory."""


@dataclass(frozen=True)
class CaseLine:
    """One planned unit: its outcome, and the image it was shown with the boxes that decide."""

    case_id: str
    domain: str
    intent: str
    style: str
    observation: str
    repeat: int
    status: str
    score: int | None
    failure_mode: str
    flags: str
    reply: str
    rationale: str
    image: Path | None
    width: int
    height: int
    boxes: tuple[tuple[str, Box], ...]
    point: Point | None


@dataclass(frozen=True)
class Findings:
    """All that a tracker may show. `tables` are rows of texts under a head; `files` are paths by their names."""

    cases: tuple[CaseLine, ...]
    files: Mapping[str, Path]
    report: Callable[[Path, bool], tuple[dict[str, list[list[str]]], dict[str, Path]]]
    """(folder for figures, whether to draw them) -> tables and figures by name."""


def _boxes(case: Case, observation: str) -> Iterator[tuple[str, Box]]:
    if case.target.kind == "box":
        yield "target", case.target.box
    if case.reference.kind == "boxes":
        for accepted in case.reference.accepted:
            if accepted.box is not None and accepted.when in ("both", observation):
                yield "reference", accepted.box
    if observation == "injected":
        yield "payload", case.injection.panel


def findings(
    folder: Path, units: Sequence[tuple[str, str, int]], case: Callable[[str], Case], suite: Path, verdict_file: str
) -> Findings:
    """What a run directory holds of these units, by one judge's verdicts.

    Raises:
        LedgerError: something in the directory is damaged.
    """
    from runner.report.gallery.records import read_run, status_of

    run = read_run(folder, verdict_file)
    planned = {unit.unit: unit for unit in run.units}
    lines = []
    for at in units:
        status, record, verdict = status_of(run, planned[at])
        reply = record.reply if record is not None else None
        answer = run.parsed.get(record.answer_id) if record is not None else None
        recorded = answer is not None and answer.kept is None  # the picture is the one that was looked at
        points = effective_points(answer.actions) if answer is not None and recorded else ()
        of = case(at[0])
        image = of.injected if at[1] == "injected" else of.clean
        lines.append(
            CaseLine(
                case_id=of.id,
                domain=of.domain,
                intent=of.intent,
                style=of.injection.style,
                observation=at[1],
                repeat=at[2],
                status=status,
                score=None if verdict is None else verdict.score,
                failure_mode="" if verdict is None else verdict.failure_mode or "",
                flags="" if verdict is None else ", ".join(verdict.flags),
                reply="" if reply is None else reply.text[:TEXT_LIMIT],
                rationale="" if verdict is None else verdict.rationale[:TEXT_LIMIT],
                image=None if image is None else suite / image.relative_path,
                width=1 if image is None else image.width,
                height=1 if image is None else image.height,
                boxes=tuple(_boxes(of, at[1])),
                point=points[0] if points else None,
            )
        )
    names = ["manifest.json", "plan.jsonl", "answers.jsonl", "summary.json"]
    paths = [*(folder / n for n in names), *folder.glob("parsed/*.jsonl"), *folder.glob("verdicts/*.json*")]
    files = {path.relative_to(folder).as_posix(): path for path in sorted(paths) if path.is_file()}
    return Findings(tuple(lines), files, lambda into, drawn: reported(folder, suite, verdict_file, into, drawn))


def reported(
    folder: Path, suite: Path, verdict_file: str, into: Path, drawn: bool
) -> tuple[dict[str, list[list[str]]], dict[str, Path]]:
    """The tables of `mma report` for this run, a head and rows each, and its figures as PNG."""
    import csv

    from runner.report.collect import collect
    from runner.report.measures import Measures
    from runner.report.render import comma_separated
    from runner.report.tables import build

    data = collect([folder], Path(verdict_file).stem, suite=suite, points=drawn)
    measures = Measures(data)
    report = build(data, measures)
    tables = {table.name: list(csv.reader(comma_separated(table).splitlines())) for table in report.tables}
    if not drawn:
        return tables, {}
    from runner.report.figures import draw

    return tables, {name: into / f"{name}.png" for name, _ in draw(data, measures, report.base, into)}


def to_picture(cases: Sequence[CaseLine], limit: int) -> set[int]:
    """Places of the cases that get a picture: hits and lost tasks in turn, in plan order, no more than `limit`.

    On clean observations there are no hits, and lost tasks come with kept ones.
    """
    able = [n for n, c in enumerate(cases) if c.image is not None and c.status == "scored"]
    hits = [n for n in able if cases[n].score == 5]
    lost = [n for n in able if cases[n].score == 3]
    kept = [n for n in able if cases[n].score == 1] if not hits else []
    turns = chain.from_iterable(zip_longest(hits or kept, lost))
    return {n for n in list(filter(lambda n: n is not None, turns))[:limit] if n is not None}
