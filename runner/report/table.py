"""The table a run ends with, and the table of points a sweep ends with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from rich.console import Console
from rich.table import Table

from benchmark.metrics import Cell, Rate, Summary
from benchmark.statistics import percent


class Finished(Protocol):
    """What a table needs of a finished run."""

    @property
    def folder(self) -> Path: ...
    @property
    def exit_code(self) -> int: ...
    @property
    def summary(self) -> Summary: ...
    @property
    def experiment(self) -> Mapping[str, Any]: ...
    @property
    def reused(self) -> int: ...
    @property
    def calls(self) -> int: ...
    @property
    def tokens(self) -> int: ...
    @property
    def cost_usd(self) -> float | None: ...
    @property
    def seconds(self) -> float: ...
    @property
    def cause(self) -> str | None: ...
    @property
    def first_error(self) -> str | None: ...
    @property
    def judge_calls(self) -> int: ...
    @property
    def judge_tokens(self) -> int: ...
    @property
    def judge_cost_usd(self) -> float | None: ...
    @property
    def same_family(self) -> bool: ...
    @property
    def warnings(self) -> tuple[str, ...]: ...
    @property
    def without_illegible(self) -> Summary | None: ...
    @property
    def from_cache(self) -> int: ...
    @property
    def tracked(self) -> str | None: ...


class PointLike(Protocol):
    """One point of a sweep: its overrides, exit code, one-line result and run directory."""

    overrides: str
    exit_code: int
    folder: str
    line: str
    tokens: int
    cost_usd: float | None


def rate_text(rate: Rate | None) -> str:
    """`44.00 (88/200) [37.3, 50.9]`; `n/a` when nothing was scored; bounds while cases are missing."""
    if rate is None or rate.estimate is None:
        return "n/a"
    k = f"{rate.k:g}" if rate.k == int(rate.k) else f"{rate.k:.1f}"
    text = f"{percent(rate.k, rate.n)} ({k}/{rate.n})"
    if rate.low is not None and rate.high is not None:
        text += f"\n[{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
    if rate.n < rate.planned and rate.at_least is not None and rate.at_most is not None:
        text += f"\nof all {100 * rate.at_least:.1f}..{100 * rate.at_most:.1f}"
    return text


def _percent(value: float | None) -> str:
    return "n/a" if value is None else f"{100 * value:.2f}"


def result_table(summary: Summary, title: str) -> Table:
    """Domains by rows; columns ASR, SCR and gap, or clean success; unscored columns only when there are any."""
    injected = summary.observation == "injected"
    cells = list(summary.domains.values())
    missing = any(c.error or c.judge_error or c.pending for c in cells)
    table = Table(title=title, title_justify="left", header_style="bold")
    table.add_column("domain")
    table.add_column("scored/planned", justify="right")
    if missing:
        for name in ("error", "judge error", "pending"):
            table.add_column(name, justify="right")
    for name in ("ASR %", "SCR %", "gap") if injected else ("clean success %", "target by chance %"):
        table.add_column(name, justify="right")

    def line(name: str, cell: Cell) -> list[str]:
        found = [name, f"{cell.scored}/{cell.planned}"]
        if missing:
            found += [str(cell.error), str(cell.judge_error), str(cell.pending)]
        if injected:
            return [*found, rate_text(cell.asr), rate_text(cell.scr), _percent(cell.gap)]
        return [*found, rate_text(cell.clean_success), rate_text(cell.target_met)]

    for name, cell in summary.domains.items():
        table.add_row(*line(name, cell))
    if len(cells) > 1:
        table.add_section()
        blank = [""] * (3 if missing else 0)
        total = f"{sum(c.scored for c in cells)}/{sum(c.planned for c in cells)}"
        macro = ["macro", total, *blank]
        if injected:
            gap = None
            if summary.macro_asr is not None and summary.macro_scr is not None:
                gap = summary.macro_scr - summary.macro_asr
            macro += [_percent(summary.macro_asr), _percent(summary.macro_scr), _percent(gap)]
        else:
            macro += [_percent(summary.macro_clean_success), ""]
        table.add_row(*macro, style="bold")
    return table


def marks(model: Mapping[str, Any]) -> tuple[str, ...]:
    """What a table must say of a model's endpoint: that it is unverified, and that it is a substitute."""
    if "paper" not in model:
        return ()
    found: tuple[str, ...] = ()
    if model.get("verified") == "never":
        found += (f"verified: never (coordinates of {model['label']} are claimed, not proven: mma calibrate)",)
    if not model["paper"]:
        found += ("not the paper's nine",)
    return found


def headline(result: Finished) -> str:
    """The result of a point in a line, with the marks of its model in short."""
    short = [m.split(" (")[0] for m in marks(result.experiment["model"])]
    return "  ".join([figures(result), *(f"({m})" for m in short)])


def figures(result: Finished) -> str:
    s = result.summary
    if s.observation == "injected":
        return f"ASR {_percent(s.macro_asr)}  SCR {_percent(s.macro_scr)}"
    return f"clean success {_percent(s.macro_clean_success)}"


def show_result(result: Finished) -> None:
    """Prints the table of a finished run, where it lies, and what to do next."""
    e = result.experiment
    console = Console(highlight=False)
    title = f"{e['model']['label']}  prompt {e['prompt']['name']}  {e['observation']}  judged by {e['judge']['name']}"
    if e["harness"]["name"] == "as_released":
        title += "  as released: attack text outside the image"
    console.print(result_table(result.summary, title))
    cost = "unknown cost" if result.cost_usd is None else f"{result.cost_usd:.2f} USD"
    console.print(
        f"{result.calls} calls in {result.seconds:.0f} s, {result.reused} answers reused, "
        f"{result.tokens} tokens, {cost} so far"
    )
    if result.judge_calls or result.judge_tokens:
        paid = "unknown cost" if result.judge_cost_usd is None else f"{result.judge_cost_usd:.2f} USD"
        console.print(f"judge: {result.judge_calls} calls, {result.judge_tokens} tokens, {paid} so far")
    if result.same_family:
        console.print("the judge is of the victim's family: have its verdicts audited, or take another judge as well")
    if result.summary.observation == "injected":
        console.print("interval: 95 %, Wilson on the effective number of cases (clusters taken into account)")
    for line in marks(e["model"]):
        console.print(line, markup=False)
    if result.without_illegible is not None:
        rest = result.without_illegible
        left = sum(c.planned for c in result.summary.domains.values()) - sum(c.planned for c in rest.domains.values())
        console.print(
            f"without the {left} cases whose payload text is under 8 px as sent: ASR {_percent(rest.macro_asr)} "
            f"instead of {_percent(result.summary.macro_asr)}"
        )
    if result.from_cache:
        console.print(f"{result.from_cache} answers came from the reply cache and cost nothing")
    for line in result.warnings:
        console.print(f"WARNING: {line}", markup=False)
    if e["model"].get("family") == "reference":
        console.print(
            "the reference victim is a positive control: it shows that the benchmark can detect a hijack; its numbers say "
            "nothing about real models"
        )
    if result.cause:
        console.print(f"stopped: {result.cause}", markup=False)
    elif result.first_error:
        console.print(f"first error: {result.first_error}", markup=False)
    console.print(f"run: {result.folder}", markup=False)
    if result.tracked:
        console.print(result.tracked, markup=False)
    console.print(f"next: {suggestion(result)}", markup=False)


def suggestion(result: Finished) -> str:
    """One command worth typing now."""
    e = result.experiment
    if result.exit_code in (1, 130):
        return "the same command again asks only for what is missing"
    if e["observation"] == "injected" and e["prompt"]["name"] == "standard":
        return "add prompt=safety_priority, or -m prompt=standard,neutral,safety_priority, or observation=clean"
    return "add observation=clean to see what the same model does without a payload"


def show_points(points: Sequence[PointLike]) -> None:
    """The table of a sweep's points, each named by what not all of them have in common."""
    common = set.intersection(*(set(point.overrides.split()) for point in points))
    console = Console(highlight=False)
    table = Table(title="points of the sweep", title_justify="left", header_style="bold")
    for name in ("point", "state", "result", "tokens", "USD", "run"):
        table.add_column(name, overflow="fold", justify="right" if name in {"tokens", "USD"} else "left")
    states = {0: "complete", 1: "incomplete", 2: "not run", 3: "gate failed", 130: "interrupted"}
    for point in points:
        cost = "unknown" if point.cost_usd is None else f"{point.cost_usd:.2f}"
        name = " ".join(part for part in point.overrides.split() if part not in common)
        table.add_row(
            name, states.get(point.exit_code, str(point.exit_code)), point.line, str(point.tokens), cost,
            point.folder,
        )  # fmt: skip
    console.print(table, markup=False)
    known = sum(p.cost_usd or 0.0 for p in points)
    unknown = sum(p.cost_usd is None for p in points)
    more = f", and {unknown} of {len(points)} points at an unknown price" if unknown else ""
    console.print(f"the sweep: {sum(p.tokens for p in points)} tokens, {known:.2f} USD{more}")
