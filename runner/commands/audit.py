"""`mma audit sample RUN... n=300 seed=0` and `mma audit agree LABELS...`: people look at what a judge said.

`sample` writes a page to label on and the key to it; `agree` reads the exports of that page and says how far people
agree with each other and with the judge, and how often the judge errs, in a form that reports take.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from benchmark.statistics import Agreement, Estimate, Interval
    from runner.audit.agree import Agreed

HELP = """usage: mma audit sample RUN... [n=300] [seed=0] [stratify=false] [out=audit]
       mma audit agree LABELS... [key=FILE] [out=FILE]

sample  draws scored answers to injected cases from runs and writes OUT.html, a page to label them on (it works from
        disk and is blind to model, control and judge), and OUT.key.json, the key, which no annotator should see.
        stratify=true draws evenly from domain x model x score and keeps each item's sampling probability.
agree   reads the exports of that page, one file per annotator, and prints agreement, kappas, alpha and confusion, with
        intervals. It writes the judge's sensitivity and specificity for document and video, from which
        `mma report --audit` corrects those rates.
"""


def main(arguments: list[str]) -> int:
    from runner.audit.sample import AuditError

    if not arguments or arguments[0] in {"-h", "--help"}:
        print(HELP, end="")
        return 0 if arguments else 2
    what, *rest = arguments
    if "-h" in rest or "--help" in rest:
        print(HELP, end="")
        return 0
    allowed = {"sample": ("n", "seed", "stratify", "out"), "agree": ("key", "out")}.get(what)
    if allowed is None:
        raise AuditError(f"there is no `mma audit {what}`; it is sample or agree")
    paths, options = [], {}
    for word in rest:
        name, equals, value = word.partition("=")
        if equals and name in allowed:
            options[name] = value
        elif equals and not Path(word).exists():
            raise AuditError(
                f"{name}= is no option of `mma audit {what}`; it takes {', '.join(f'{a}=' for a in allowed)}"
            )
        else:
            paths.append(Path(word))
    if not paths:
        raise AuditError(
            f"mma audit {what} needs at least one {'run directory' if what == 'sample' else 'file of labels'}"
        )
    return sample(paths, options) if what == "sample" else compare(paths, options)


def whole(options: dict[str, str], name: str, default: int) -> int:
    from runner.audit.sample import AuditError

    try:
        return int(options.get(name, default))
    except ValueError:
        raise AuditError(f"{name}={options[name]}: give a whole number") from None


def sample(paths: list[Path], options: dict[str, str]) -> int:
    from rich.console import Console

    from runner.audit.page import page
    from runner.audit.sample import AuditError, Opened, audit_id, draw, items, key_of_audit
    from runner.display import TerminalDisplay
    from runner.ledger import write_whole

    if options.get("stratify", "false") not in {"true", "false"}:
        raise AuditError(f"stratify={options['stratify']}: give true or false")
    n, seed, stratify = whole(options, "n", 300), whole(options, "seed", 0), options.get("stratify") == "true"
    runs = {}
    for path in paths:
        if not (path / "summary.json").is_file():
            raise AuditError(f"{path} holds no summary.json: it is no run directory, or the run was never finished")
        runs[path] = Opened(path)
    candidates = [c for run in runs.values() for c in run.candidates()]
    drawn = draw(candidates, n, seed, stratify)
    out = Path(options.get("out", "audit"))
    out = out.with_suffix("") if out.suffix == ".html" else out
    with TerminalDisplay() as display:
        shown = items(drawn, runs, display.stage("reading"))
    text = page(audit_id(drawn), shown)
    write_whole(out.with_name(out.name + ".html"), text)
    key = key_of_audit(drawn, len(candidates), seed, stratify)
    write_whole(out.with_name(out.name + ".key.json"), json.dumps(key, indent=1, ensure_ascii=False) + "\n")
    console = Console(highlight=False)
    console.print(f"drawn     {len(drawn)} of {len(candidates)} scored answers", markup=False)
    if len(drawn) < n:
        console.print(f"          {n} were asked for; there are no more")
    console.print(f"page      {out}.html ({len(text.encode()) / 1e6:.1f} MB), for the annotators", markup=False)
    console.print(f"key       {out}.key.json, for nobody but you", markup=False)
    console.print(f"next      mma audit agree labels-{key['audit']}-*.json key={out}.key.json", markup=False)
    return 0


def compare(paths: list[Path], options: dict[str, str]) -> int:
    from rich.console import Console

    from runner.audit.agree import agree, plain, read_key, read_labels
    from runner.ledger import write_whole

    labels = [read_labels(p) for p in paths]
    key = read_key(paths, labels[0].audit, Path(options["key"]) if "key" in options else None)
    found = agree(labels, key)
    out = Path(options["out"]) if "out" in options else paths[0].parent / f"audit-{found.audit}.json"
    write_whole(out, json.dumps(plain(found), indent=1, ensure_ascii=False) + "\n")
    console = Console(highlight=False)
    show(console, found, key)
    console.print(f"written: {out}", markup=False)
    if found.errors and any(found.errors.values()):
        console.print(f"next: mma report RUN... --audit {out}", markup=False)
    return 0


def _coefficient(found: Estimate) -> str:
    return "n/a" if found.estimate is None else f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]"


def _share(found: Interval) -> str:
    if found.estimate is None:
        return "n/a"
    return f"{100 * found.estimate:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def show(console: Console, found: Agreed, key: dict[str, Any]) -> None:
    """Prints the figures of an audit."""
    from rich.table import Table

    from runner.audit.agree import SCORES, judge_of

    how = "stratified, weighted by inverse sampling probability" if key.get("stratified") else "simple random sample"
    console.print(
        f"audit {found.audit}: {found.items} items of {key.get('population', '?')} ({how}), {found.labelled} labelled by "
        f"{len(found.annotators)}, {found.undecided} without a majority",
        markup=False,
    )
    table = Table(title="agreement (95 % intervals, clusters resampled)", title_justify="left", header_style="bold")
    table.add_column("between", overflow="fold")
    for name in ("items", "agree", "kappa", "quadratic kappa"):
        table.add_column(name, justify="right", no_wrap=True)

    def line(name: str, one: Agreement) -> None:
        figures = (_share(one.percent), _coefficient(one.kappa), _coefficient(one.quadratic_kappa))
        table.add_row(name, str(one.n), *(f.replace(" [", "\n[") for f in figures))

    for (a, b), one in found.pairs.items():
        line(f"{a} and {b}", one)
    for file, one in found.judges.items():
        line(f"people and {judge_of(file)}", one)
    console.print(table)
    if found.alpha is not None:
        console.print(f"Krippendorff's alpha (ordinal), all annotators: {_coefficient(found.alpha)}", markup=False)
    for file, alpha in found.judge_alphas.items():
        console.print(
            f"Krippendorff's alpha (ordinal), people and {judge_of(file)}: {_coefficient(alpha)}", markup=False
        )
    for file, one in found.judges.items():
        console.print(f"people (rows) and {judge_of(file)} (columns), items", style="italic", markup=False)
        confusion = Table(header_style="bold")
        confusion.add_column("")
        for score in SCORES:
            confusion.add_column(str(score), justify="right")
        for score, row in zip(SCORES, one.confusion):
            confusion.add_row(str(score), *map(str, row))
        console.print(confusion)
        for domain, rates in found.errors[file].items():
            for rate, error in rates.items():
                console.print(
                    f"{domain} {rate.upper()}: sensitivity {_share(error.sensitivity)} of {error.tp + error.fn}, "
                    f"specificity {_share(error.specificity)} of {error.fp + error.tn}",
                    markup=False,
                )
