"""Tables on paper and screen: Markdown, CSV, LaTeX, JSON, HTML, and the terminal.

Each form carries the same cells: percent, k/n, interval, bounds while something is not scored, p where something is
tested, and marks with their legend. Labels come from configurations and endpoints and are treated as foreign: each
form escapes what it would otherwise act on.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from rich.table import Table as Grid
from rich.text import Text

from runner.report.measures import MARKS, Cell
from runner.report.tables import Line, Table

CONTROL_CHARACTERS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")

LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}", "-": "-", "'": "'", "`": r"\textasciigrave{}",
}  # fmt: skip


def inert(label: object) -> str:
    """A foreign text on one line, without control characters or marks that turn the direction of writing."""
    return CONTROL_CHARACTERS.sub(" ", str(label))


def number(value: float | Decimal | None) -> str:
    return "n/a" if value is None else f"{value:.1f}"


def whole(k: float) -> str:
    return f"{k:g}" if k == int(k) else f"{k:.2f}"


def main_text(cell: Cell) -> str:
    """The first line of a cell: `44.00`, `78.95 (36.37)`, `+3.10`, `n/a`."""
    if cell.kind == "blank":
        return ""
    if cell.kind == "text":
        return inert(cell.text)
    if cell.value is None:
        return "n/a"
    shown = f"{cell.value:+}" if cell.kind == "difference" and cell.value else str(cell.value)
    return shown if cell.beside is None else f"{shown} ({cell.beside})"


def fraction_text(cell: Cell) -> str:
    if cell.value is None or not cell.n:
        return ""
    if cell.kind == "difference":
        return f"{cell.n} pairs"
    return f"{whole(cell.k)}/{cell.n}" if cell.k is not None else ""


def interval_text(cell: Cell) -> str:
    if cell.value is None or cell.low is None or cell.high is None:
        return ""
    return f"[{number(cell.low)}, {number(cell.high)}]"


def bounds_text(cell: Cell) -> str:
    """What the missing cases could make of a rate."""
    if cell.at_least is None or cell.at_most is None:
        return f"0 of {cell.planned} scored" if cell.kind == "rate" and cell.value is None and cell.planned else ""
    return f"of all {number(cell.at_least)}..{number(cell.at_most)}"


def p_text(cell: Cell) -> str:
    if cell.p is None:
        return ""
    return "p < 0.001" if cell.p < 0.001 else f"p = {cell.p:.3f}"


def details(cell: Cell) -> list[str]:
    """All that stands under the first line of a cell."""
    if cell.kind in ("text", "blank"):
        return []
    return [t for t in (fraction_text(cell), interval_text(cell), p_text(cell), bounds_text(cell)) if t]


def letters(marks: Sequence[str]) -> str:
    return ",".join(MARKS[m][0] for m in marks)


def legend(table: Table) -> list[tuple[str, str]]:
    """The marks that a table uses, with what they mean."""
    used = {m for line in table.lines for m in line.marks} | {
        m for line in table.lines for c in line.cells for m in c.marks
    }
    return [MARKS[m] for m in MARKS if m in used]


def markdown_escape(label: object) -> str:
    text = html.escape(inert(label), quote=False)
    return re.sub(r"([\\`*_{}\[\]|#~])", r"\\\1", text)


def markdown(table: Table) -> str:
    """A table for GitHub and its like; marks are superscripts, explained below."""

    def entry(cell: Cell) -> str:
        shown = markdown_escape(main_text(cell)) + (f"<sup>{letters(cell.marks)}</sup>" if cell.marks else "")
        return "<br>".join([shown, *(html.escape(d) for d in details(cell))])

    def labels(line: Line) -> list[str]:
        first, *rest = (markdown_escape(x) for x in line.labels)
        first += f"<sup>{letters(line.marks)}</sup>" if line.marks else ""
        cells = [first, *rest]
        return [f"**{c}**" if line.kind == "mean" and c else c for c in cells]

    heads = [*table.heads, *table.columns]
    rows = [
        "| " + " | ".join(markdown_escape(h) for h in heads) + " |",
        "|" + "---|" * len(table.heads) + "---:|" * len(table.columns),
    ]
    rows += ["| " + " | ".join([*labels(line), *(entry(c) for c in line.cells)]) + " |" for line in table.lines]
    notes = [markdown_escape(n) for n in table.notes] + [
        f"<sup>{a}</sup> {markdown_escape(b)}" for a, b in legend(table)
    ]
    return f"### {markdown_escape(table.title)}\n\n" + "\n".join(rows) + "\n\n" + "".join(f"{n}  \n" for n in notes)


def csv_safe(label: object) -> str:
    """A label that no spreadsheet takes for a formula."""
    text = inert(label)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text


def comma_separated(table: Table) -> str:
    """One row per line; each rate has columns for value, k, n, planned, interval, bounds, p and marks where there are any."""
    parts: dict[str, Callable[[Cell], object]] = {
        "k": lambda c: None if c.k is None else whole(c.k), "n": lambda c: c.n, "planned": lambda c: c.planned,
        "low": lambda c: None if c.low is None else round(c.low, 2), "high": lambda c: None if c.high is None else round(c.high, 2),
        "at least": lambda c: None if c.at_least is None else round(c.at_least, 2),
        "at most": lambda c: None if c.at_most is None else round(c.at_most, 2), "gap": lambda c: c.beside,
        "p": lambda c: None if c.p is None else f"{c.p:.6g}", "marks": lambda c: "; ".join(c.marks) or None,
    }  # fmt: skip
    columns: list[tuple[int, str, Callable[[Cell], object]]] = []
    for position, name in enumerate(table.columns):
        cells = [line.cells[position] for line in table.lines]
        columns.append(
            (position, name, lambda c: csv_safe(c.text) if c.kind == "text" else "n/a" if c.value is None else c.value)
        )
        if any(c.kind != "text" for c in cells):
            columns += [
                (position, f"{name} {p}", get) for p, get in parts.items() if any(get(c) is not None for c in cells)
            ]
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*map(csv_safe, table.heads), "row marks", *(csv_safe(name) for _, name, _ in columns)])
    for line in table.lines:
        values = [get(line.cells[position]) for position, _, get in columns]
        writer.writerow([*map(csv_safe, line.labels), "; ".join(line.marks), *("" if v is None else v for v in values)])
    return out.getvalue()


def latex_escape(label: object) -> str:
    """Text for LaTeX without packages; letters that its fonts may lack become a question mark."""
    found = []
    for character in inert(label):
        if character in LATEX:
            found.append(LATEX[character])
        elif ord(character) < 128:
            found.append(character)
        else:
            found.append(
                {"…": r"\ldots{}", "–": "--", "—": "---", "×": r"$\times$", "≥": r"$\geq$"}.get(character, "?")
            )
    text = "".join(found)
    # A bracket at the start of a row would be taken for the argument of the \\ before it.
    return text.replace("[", "{[}").replace("]", "{]}")


def latex_quotes(text: str) -> str:
    """`\textquotedbl` needs another font encoding; plain TeX writes quotes otherwise."""
    return text.replace(r"\textquotedbl{}", "''")


def latex(table: Table) -> str:
    """A `table` environment that needs only booktabs; each line of cells has its interval in small print below."""

    def tidy(label: object) -> str:
        return latex_quotes(latex_escape(label))

    def mark(marks: Sequence[str]) -> str:
        return f"\\textsuperscript{{{letters(marks)}}}" if marks else ""

    def first(cell: Cell) -> str:
        shown = tidy(main_text(cell))
        if cell.kind == "difference" and cell.value is not None:
            shown = f"${cell.value:+}$" if cell.value else f"${cell.value}$"
        fraction = fraction_text(cell)
        return shown + mark(cell.marks) + (f" {{\\tiny {tidy(fraction)}}}" if fraction else "")

    def second(cell: Cell) -> str:
        shown = " ".join(t for t in (interval_text(cell), p_text(cell), bounds_text(cell)) if t)
        return f"{{\\tiny {tidy(shown).replace('p =', '$p$ =').replace('p ' + LATEX['<'], '$p <$')}}}" if shown else ""

    def bold(value: str, line: Line) -> str:
        return f"\\textbf{{{value}}}" if line.kind == "mean" and value else value

    rows: list[str] = []
    before: tuple[str, ...] = ()
    for number_, line in enumerate(table.lines):
        if number_ and (line.kind == "mean") != (table.lines[number_ - 1].kind == "mean"):
            rows.append("\\midrule")
        labels = [tidy(x) for x in line.labels]
        if len(labels) > 1 and line.labels[:1] == before[:1]:
            labels[0] = ""
        elif line.marks:
            labels[0] += mark(line.marks)
        before = line.labels
        rows.append(" & ".join([*(bold(x, line) for x in labels), *(first(c) for c in line.cells)]) + " \\\\")
        below = [second(c) for c in line.cells]
        if any(below):
            rows.append(" & ".join([*([""] * len(labels)), *below]) + " \\\\[2pt]")
    notes = [tidy(n) for n in table.notes] + [f"\\textsuperscript{{{a}}} {tidy(b)}." for a, b in legend(table)]
    small = "\n".join(f"\\par {n}" for n in notes)
    label = re.sub("[^a-z0-9]+", "-", table.name)
    return (
        f"% needs \\usepackage{{booktabs}}\n\\begin{{table}}[t]\n\\centering\n\\footnotesize\n"
        f"\\setlength{{\\tabcolsep}}{{3pt}}\n\\caption{{{tidy(table.title)}}}\n\\label{{tab:{label}}}\n"
        f"\\begin{{tabular}}{{{'l' * len(table.heads)}{'r' * len(table.columns)}}}\n\\toprule\n"
        + " & ".join(tidy(h) for h in (*table.heads, *table.columns))
        + " \\\\\n\\midrule\n"
        + "\n".join(rows)
        + "\n\\bottomrule\n\\end{tabular}\n"
        + (f"\n{{\\scriptsize\\raggedright\n{small}\n\\par}}\n" if notes else "")
        + "\\end{table}\n"
    )


def plain(value: Any) -> Any:
    """Decimals as numbers, for JSON."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items() if v is not None and v != ()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return round(value, 6) if isinstance(value, float) else value


def as_data(table: Table) -> dict[str, Any]:
    """A table as plain data; a cell without `value` is n/a."""
    found: dict[str, Any] = plain(asdict(table))
    return found


def as_json(table: Table) -> str:
    return json.dumps(as_data(table), indent=1, ensure_ascii=False) + "\n"


def as_html(table: Table) -> str:
    """A `<table>` for the page of a report."""

    def entry(cell: Cell) -> str:
        sup = f"<sup>{letters(cell.marks)}</sup>" if cell.marks else ""
        small = "".join(f"<small>{html.escape(d)}</small>" for d in details(cell))
        kind = " class=t" if cell.kind == "text" else " class=na" if cell.value is None and cell.kind != "blank" else ""
        return f"<td{kind}>{html.escape(main_text(cell))}{sup}{small}</td>"

    body: list[str] = []
    before: tuple[str, ...] = ()
    for line in table.lines:
        labels = [html.escape(inert(x)) for x in line.labels]
        fresh = line.labels[:1] != before
        if len(labels) > 1 and not fresh:
            labels[0] = ""
        elif line.marks:
            labels[0] += f"<sup>{letters(line.marks)}</sup>"
        before = line.labels[:1]
        classes = " ".join(c for c in (line.kind if line.kind != "body" else "", "fresh" if fresh else "") if c)
        cells = "".join(f"<th scope=row>{x}</th>" for x in labels) + "".join(entry(c) for c in line.cells)
        kind = f' class="{classes}"' if classes else ""
        body.append(f"<tr{kind}>{cells}</tr>")
    heads = "".join(f"<th class=l>{html.escape(h)}</th>" for h in table.heads)
    heads += "".join(f"<th>{html.escape(inert(c))}</th>" for c in table.columns)
    notes = "".join(f"<p>{html.escape(n)}</p>" for n in table.notes)
    notes += "".join(f"<p><sup>{a}</sup> {html.escape(b)}</p>" for a, b in legend(table))
    return (
        f"<div class=scroll><table><caption>{html.escape(table.title)}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div><div class=notes>{notes}</div>"
    )


def brief(cell: Cell) -> list[str]:
    """The details of a cell with the interval in whole percent: a terminal has little room."""
    if cell.kind in ("text", "blank"):
        return []
    there = cell.value is not None and cell.low is not None and cell.high is not None
    interval = f"[{cell.low:.0f}, {cell.high:.0f}]" if there else ""
    return [t for t in (fraction_text(cell), interval, p_text(cell), bounds_text(cell)) if t]


def grid(table: Table, title: bool = True) -> Grid:
    """A table for the terminal."""
    found = Grid(title=table.title if title else None, title_justify="left", header_style="bold")
    for head in table.heads:
        found.add_column(head, overflow="fold")
    for column in table.columns:
        found.add_column(inert(column), justify="right", overflow="fold")
    for line in table.lines:
        first, *rest = (inert(x) for x in line.labels)
        labels = [first + (f" ({letters(line.marks)})" if line.marks else ""), *rest]
        cells = [
            Text("\n".join([main_text(c) + (f" ({letters(c.marks)})" if c.marks else ""), *details(c)]))
            for c in line.cells
        ]
        found.add_row(*(Text(x) for x in labels), *cells, style="bold" if line.kind == "mean" else None)
    return found
