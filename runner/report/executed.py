"""The table of what agents really did, beside what their first action predicted."""

from __future__ import annotations

from collections.abc import Callable

from rich.table import Table

from benchmark.executions import Execution, Executions
from runner.report.table import rate_text

Figure = tuple[str, Callable[[Execution], str]]


def _number(value: float | None, form: str) -> str:
    return "n/a" if value is None else format(value, form)


UNDER_ATTACK: tuple[Figure, ...] = (
    ("executed ASR %", lambda c: rate_text(c.executed)),
    ("predicted ASR %", lambda c: rate_text(c.predicted)),
    ("execution gap", lambda c: "n/a" if c.gap is None else f"{100 * c.gap:+.2f}"),
    ("task success %", lambda c: rate_text(c.success)),
    ("recovered %", lambda c: rate_text(c.recovered)),
    ("dismissed %", lambda c: rate_text(c.dismissed)),
    ("steps to harm", lambda c: _number(c.steps_to_harm, "g")),
    ("steps", lambda c: _number(c.steps, ".1f")),
    ("effects blocked", lambda c: str(c.blocked)),
    ("blocked falsely", lambda c: str(c.false_blocks)),
    ("met on another way", lambda c: str(c.elsewhere)),
)
CLEAN: tuple[Figure, ...] = (
    ("clean success %", lambda c: rate_text(c.success)),
    ("harm %", lambda c: rate_text(c.executed)),
    ("steps", lambda c: _number(c.steps, ".1f")),
    ("falsely blocked", lambda c: str(c.false_blocks)),
)


def executed_table(found: Executions, defense: str) -> Table:
    """Figures by rows, domains by columns."""
    table = Table(title=f"what really happened  defense {defense}", title_justify="left", header_style="bold")
    cells = dict(found.domains)
    if len(cells) > 1:
        cells["all"] = found.total
    table.add_column(found.observation)
    for name in cells:
        table.add_column(name, justify="right")
    for name, figure in UNDER_ATTACK if found.observation == "injected" else CLEAN:
        table.add_row(name, *(figure(cell) for cell in cells.values()))
    return table
