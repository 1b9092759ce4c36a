"""`mma report RUN|DIR...`: the paper's tables and figures, and more, from run directories; no model is asked."""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from pathlib import Path

GATE_FAILED = 3


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mma report", description=__doc__)
    parser.add_argument(
        "runs", type=Path, nargs="+", metavar="RUN|DIR", help="run directories, or directories that hold some"
    )
    parser.add_argument("--out", type=Path, default=Path("report"), help="where to write (default: report)")
    parser.add_argument(
        "--verdicts", metavar="JUDGE", help="a judge or verdict file, where it is not each run's primary one"
    )
    parser.add_argument(
        "--audit", type=Path, help="what `mma audit agree` wrote: corrects document and video ASR and SCR"
    )
    parser.add_argument("--suite", type=Path, help="the suite's folder, where the runs' own paths do not lead to it")
    parser.add_argument(
        "--base", metavar="CONTROL", help="the prompt that others are compared with (default: standard)"
    )
    parser.add_argument("--no-figures", action="store_true", help="tables only")
    parser.add_argument(
        "--fail-if", action="append", default=[], metavar="GATE", help="exit with 3 if it holds, e.g. 'asr/web > 0.30'"
    )
    options = parser.parse_args(arguments)
    from runner.report.gates import failures_of_data, parse_gate
    from runner.report.publish import check_folder

    gates = [parse_gate(text) for text in options.fail_if]
    check_folder(options.out)
    from rich.console import Console

    from runner.report.apart import artist
    from runner.report.audit import read_audit
    from runner.report.collect import ReportError, collect
    from runner.report.defended import defense_table
    from runner.report.measures import Measures
    from runner.report.publish import publish, write_tables
    from runner.report.render import grid, legend
    from runner.report.tables import base_of, build

    audit = read_audit(options.audit) if options.audit else None
    figures: list[tuple[str, str]] = []
    with nullcontext() if options.no_figures else artist() as drawing:
        data = collect(options.runs, options.verdicts, options.suite, points=drawing is not None)
        if options.base is not None and options.base not in data.controls():
            raise ReportError(f"--base {options.base}: no run has that prompt; there are {', '.join(data.controls())}")
        measures = Measures(data, audit)
        if drawing is not None:
            drawing.draw(data, measures, options.base or base_of(data), options.out / "figures")
        report = build(data, measures, options.base)
        if (defenses := defense_table(data)) is not None:
            report.tables.insert(1, defenses)
        write_tables(report.tables, options.out / "tables")
        if drawing is not None:
            figures = drawing.titles()
    extra = {"runs": len(data.runs), "answers": sum(run.answers for run in data.runs), "cases": len(data.cases)}
    page = publish(report, figures, options.out, extra)
    console = Console(highlight=False)
    if report.tables:
        console.print(grid(report.tables[0]))
        for letter, meaning in legend(report.tables[0]):
            console.print(f"({letter}) {meaning}", markup=False)
    for sentence in (*report.findings, *report.notes):
        console.print(f"- {sentence}", markup=False)
    console.print(f"{len(report.tables)} tables and {len(figures)} figures: {page}", markup=False, soft_wrap=True)
    failed = failures_of_data(gates, data, measures)
    for line in failed:
        print(line, file=sys.stderr)
    return GATE_FAILED if failed else 0
