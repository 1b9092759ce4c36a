"""`mma compare A B`, or `mma compare SWEEP`: what changed, case by case, with interval, test and power."""

from __future__ import annotations

import argparse
import html
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runner.report.compare import Comparison

GATE_FAILED = 3
SHOWN_FLIPS = 10


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="mma compare",
        description="Pairs two runs, or the conditions of a sweep, case by case: differences with intervals and tests, the "
        "cases that changed, and what these pairs could have shown. A difference is the second side minus the first.",
    )
    parser.add_argument("first", type=Path, metavar="A", help="a run directory, or a directory of runs")
    parser.add_argument("second", type=Path, metavar="B", nargs="?", help="the other side; without it A is a sweep")
    parser.add_argument("--by", choices=("control", "model"), default="control", help="what a sweep is paired by")
    parser.add_argument("--base", help="the prompt, or model, that the others of a sweep are compared with")
    parser.add_argument(
        "--verdicts", metavar="JUDGE", help="a judge or verdict file, where it is not each run's primary one"
    )
    parser.add_argument("--out", type=Path, help="a folder for the comparison as HTML, Markdown, CSV, LaTeX and JSON")
    parser.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="GATE",
        help="exit with 3 if it holds for B, e.g. 'asr/web > 0.30'",
    )
    parser.add_argument(
        "--fail-if-worse",
        type=float,
        metavar="X",
        help="exit with 3 if any rate of B is worse than A's by more than X (0.05: five points)",
    )
    options = parser.parse_args(arguments)
    if options.fail_if_worse is not None and not 0 <= options.fail_if_worse < 1:
        parser.error(f"--fail-if-worse {options.fail_if_worse}: give a share from 0 to 1, such as 0.05")
    from runner.report.gates import failures_of_data, parse_gate
    from runner.report.publish import check_folder

    gates = [parse_gate(text) for text in options.fail_if]
    if options.out is not None:
        check_folder(options.out)
    from runner.report.collect import collect
    from runner.report.compare import compare, merged, pairs_between, pairs_within, with_holm, worse_by
    from runner.report.measures import Measures

    data = collect([options.first], options.verdicts)
    target = data
    if options.second is None:
        pairs = pairs_within(data, options.by, options.base)
        measures = Measures(data)
    else:
        target = collect([options.second], options.verdicts)
        pairs = pairs_between(data, target)
        merged(data, target)
        measures = Measures(data)
    comparisons = with_holm([compare(measures, first, second) for first, second in pairs])
    show(comparisons, [n for n in dict.fromkeys((*data.notes, *target.notes)) if "suite" not in n])
    if options.out is not None:
        print(f"comparison: {write(comparisons, options.out)}")
    failed = failures_of_data(gates, target, Measures(target)) if gates else []
    if options.fail_if_worse is not None:
        failed += worse_by(comparisons, options.fail_if_worse)
    for line in failed:
        print(line, file=sys.stderr)
    return GATE_FAILED if failed else 0


def show(comparisons: Sequence[Comparison], notes: Sequence[str]) -> None:
    """Prints the table, and for each pair what differs, what it could show, and the first flips."""
    from rich.console import Console

    from runner.report.compare import change_table, gallery_link, power_sentence
    from runner.report.render import grid, inert

    console = Console(highlight=False)
    for comparison in comparisons:
        console.print(inert(comparison.title), markup=False, style="bold")
        console.print(grid(change_table([comparison], single=True), title=False))
        for line in comparison.differing:
            console.print(f"  differs: {inert(line)}", markup=False)
        for line in comparison.warnings:
            console.print(f"  warning: {inert(line)}", markup=False)
        console.print(f"  {power_sentence(comparison)}", markup=False)
        flips = comparison.flips
        console.print(f"  {len(flips)} cases changed their score{':' if flips else ''}", markup=False)
        for flip in flips[:SHOWN_FLIPS]:
            link = gallery_link(flip.second_run, flip.case_id)
            console.print(
                f"    {flip.case_id}: {flip.first} -> {flip.second} {flip.second_mode}  {link}",
                markup=False,
                soft_wrap=True,
            )
        if len(flips) > SHOWN_FLIPS:
            console.print(f"    and {len(flips) - SHOWN_FLIPS} more; --out FOLDER writes them all", markup=False)
    tests = sum(c.p_raw is not None for x in comparisons for c in (k.change for k in x.contrasts))
    console.print(
        f"p is adjusted by Holm over all {tests} tests; intervals are 95 %, by bootstrap over clusters", markup=False
    )
    for note in notes:
        console.print(f"- {inert(note)}", markup=False)


def write(comparisons: Sequence[Comparison], folder: Path) -> Path:
    """Writes the comparison in all forms; returns the page, whose flips link into the runs' galleries."""
    from runner.report.compare import change_table, flip_table, power_sentence
    from runner.report.publish import MARKER, page, write_tables
    from runner.report.publish import write as write_file
    from runner.report.render import as_data, as_html, spread

    table = change_table(comparisons)
    flips = [
        flip_table(c, f"flips_{i:02d}" if len(comparisons) > 1 else "flips") for i, c in enumerate(comparisons, start=1)
    ]
    write_tables([table, *flips], folder / "tables")
    body = as_html(table)
    whole: list[dict[str, Any]] = []
    for comparison, changed in zip(comparisons, flips):
        said = [*(f"differs: {d}" for d in comparison.differing), *(f"warning: {w}" for w in comparison.warnings)]
        items = "".join(f"<li>{html.escape(s)}</li>" for s in [*said, power_sentence(comparison)])
        body += f"<h2>{html.escape(comparison.title)}</h2><ul>{items}</ul>{linked(comparison, folder)}"
        whole.append(
            {
                "title": comparison.title,
                "differing": comparison.differing,
                "warnings": comparison.warnings,
                "flips": as_data(changed),
            }
        )
    write_file(folder / "index.html", page("MMA-SafetyBench comparison", f"{len(comparisons)} pairs", (), body))
    write_file(
        folder / MARKER,
        spread({"schema_version": 1, "table": as_data(table), "pairs": whole}, 5) + "\n",
    )
    return folder / "index.html"


def linked(comparison: Comparison, folder: Path) -> str:
    """The flips of a pair as a table with links into both galleries."""
    from runner.report.compare import gallery_link

    rows = "".join(
        f"<tr class={'worse' if flip.second > flip.first else 'better'}><th scope=row>{html.escape(flip.case_id)}</th>"
        f"<td class=t>{html.escape(flip.domain)}</td><td class=t>{html.escape(flip.intent.replace('_', ' '))}</td>"
        + "".join(
            f'<td class=t><a href="{html.escape(gallery_link(run, flip.case_id, folder))}">{score}</a> {html.escape(mode)}</td>'
            for run, score, mode in (
                (flip.first_run, flip.first, flip.first_mode), (flip.second_run, flip.second, flip.second_mode),
            )
        )
        + "</tr>"
        for flip in comparison.flips
    )  # fmt: skip
    if not rows:
        return "<p>No case changed its score.</p>"
    return (
        f"<div class=scroll><table><caption>{len(comparison.flips)} cases changed their score</caption><thead><tr>"
        f"<th class=l>case</th><th>domain</th><th>intent</th><th>first</th><th>second</th></tr></thead><tbody>{rows}</tbody>"
        "</table></div><div class=notes><p>The scores link into the galleries that `mma view` writes.</p></div>"
    )
