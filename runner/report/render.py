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
from dataclasses import replace
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


PAGE_WIDTH, PAGE_HEIGHT = 397.0, 410.0
"""Room for one float in points: a column of text 5.5 inches wide, and a page in 11 pt less caption and notes."""
LETTER, LABEL_LETTER, SMALL_LETTER, GAP = 4.25, 3.95, 2.7, 6.0
"""Mean widths of digits and of letters in footnotesize, of both in tiny, and the space between columns, in points."""
LONG_TEXT = 26


def _small_lines(cell: Cell) -> list[str]:
    """What stands under a cell in small print, each on a row of its own so that columns stay narrow."""
    if cell.kind in ("text", "blank"):
        return []
    return [fraction_text(cell), interval_text(cell), " ".join(t for t in (p_text(cell), bounds_text(cell)) if t)]


def _width(table: Table, position: int) -> float:
    cells = [line.cells[position] for line in table.lines]
    if any(c.kind == "text" and len(main_text(c)) > LONG_TEXT for c in cells):
        return LONG_TEXT * LETTER + GAP
    beside = max((len(f"({c.beside})") for c in cells if c.beside is not None), default=-1) + 1
    shown = max((len(main_text(replace(c, beside=None))) + len(c.marks) for c in cells), default=0) * LETTER
    shown += beside * SMALL_LETTER
    below = max((len(t) for c in cells for t in _small_lines(c)), default=0) * SMALL_LETTER
    return max(shown, below, len(table.columns[position]) * LABEL_LETTER) + GAP


def _height(line: Line) -> float:
    """Of a line, in points: its own row and one for each kind of small print."""
    rows = sum(any(lines) for lines in zip(*(padded(_small_lines(c)) for c in line.cells)))
    tall = max((len(main_text(c)) // LONG_TEXT for c in line.cells if c.kind == "text"), default=0)
    return 9.5 * (1 + (tall + 1 if tall else 0)) + 6.5 * rows + 2


def padded(lines: Sequence[str]) -> tuple[str, str, str]:
    first, second, third, *_ = (*lines, "", "", "")
    return first, second, third


def _chunks(sizes: Sequence[float], room: float) -> list[range]:
    """Consecutive ranges whose sizes fit into the room, at least one each."""
    found, start, used = [], 0, 0.0
    for i, size in enumerate(sizes):
        if i > start and used + size > room:
            found.append(range(start, i))
            start, used = i, 0.0
        used += size
    return [*found, range(start, len(sizes))]


FIT = (
    "\\providecommand{\\resizebox}[3]{#3}% without graphicx, as wide as it is\n"
    "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
)


def latex(table: Table) -> str:
    """One or more `table*` environments that need only booktabs, each narrow and short enough for one page.

    In two columns of text they span both. Where graphicx is loaded, as nearly everywhere, a table that is still wider
    than the text is shrunk to it.

    A cell's count and interval stand in small print under it. What is too wide or too tall is cut into parts, which
    repeat the labels.
    """
    labels = (
        [max(len(h), *(len(line.labels[i]) for line in table.lines)) for i, h in enumerate(table.heads)]
        if table.lines
        else []
    )
    room = PAGE_WIDTH - sum(n * LABEL_LETTER + GAP for n in labels)
    across = _chunks([_width(table, i) for i in range(len(table.columns))], room)
    down = _chunks([_height(line) for line in table.lines], PAGE_HEIGHT)
    parts = [(rows, columns) for rows in down for columns in across]
    floats = []
    for number_, (rows, columns) in enumerate(parts, start=1):
        title = table.title if len(parts) == 1 else f"{table.title}, part {number_} of {len(parts)}"
        lines = tuple(replace(table.lines[i], cells=tuple(table.lines[i].cells[j] for j in columns)) for i in rows)
        notes = table.notes if number_ == len(parts) else ()
        part = replace(table, title=title, columns=tuple(table.columns[j] for j in columns), lines=lines, notes=notes)
        floats.append(_float(part, table.name if number_ == 1 else f"{table.name}-{number_}"))
    return "% needs \\usepackage{booktabs}\n" + "\n".join(floats)


def _tidy(label: object) -> str:
    return latex_quotes(latex_escape(label))


def _superscript(marks: Sequence[str]) -> str:
    return f"\\textsuperscript{{{letters(marks)}}}" if marks else ""


def _signed(cell: Cell) -> str:
    if cell.kind == "difference" and cell.value is not None:
        return f"${cell.value:+}$" if cell.value else f"${cell.value}$"
    beside = "" if cell.beside is None or cell.value is None else f" {{\\tiny ({cell.beside})}}"
    return _tidy(main_text(replace(cell, beside=None))) + beside


def _float(table: Table, name: str) -> str:
    """One `table` environment."""

    def bold(value: str, line: Line) -> str:
        return f"\\textbf{{{value}}}" if line.kind == "mean" and value else value

    def small(shown: str) -> str:
        shown = _tidy(shown).replace("p = ", "$p$ = ").replace("p " + LATEX["<"], "$p <$")
        return f"{{\\tiny {shown}}}" if shown else ""

    rows: list[str] = []
    before: tuple[str, ...] = ()
    for position, line in enumerate(table.lines):
        if position and (line.kind == "mean") != (table.lines[position - 1].kind == "mean"):
            rows.append("\\midrule")
        labels = [_tidy(x) for x in line.labels]
        if len(labels) > 1 and line.labels[:1] == before[:1]:
            labels[0] = ""
        elif line.marks:
            labels[0] += _superscript(line.marks)
        before = line.labels
        rows.append(
            " & ".join([*(bold(x, line) for x in labels), *(_signed(c) + _superscript(c.marks) for c in line.cells)])
        )
        for lines in zip(*(padded(_small_lines(c)) for c in line.cells)):
            if any(lines):
                rows[-1] += " \\\\[-3pt]"
                rows.append(" & ".join([*([""] * len(labels)), *(small(t) for t in lines)]))
        rows[-1] += " \\\\[1pt]"
    long = f"p{{{LONG_TEXT * LETTER:.0f}pt}}"
    kinds = [
        long if any(x.cells[i].kind == "text" and len(main_text(x.cells[i])) > LONG_TEXT for x in table.lines) else "r"
        for i in range(len(table.columns))
    ]
    notes = [_tidy(n) for n in table.notes] + [f"\\textsuperscript{{{a}}} {_tidy(b)}." for a, b in legend(table)]
    below = "\n".join(f"\\par {n}" for n in notes)
    label = re.sub("[^a-z0-9]+", "-", name)
    heads = " & ".join(_tidy(h) for h in (*table.heads, *table.columns))
    return (
        "\\begin{table*}[tp]\n\\centering\n\\footnotesize\n\\setlength{\\tabcolsep}{3pt}\n"
        f"\\caption{{{_tidy(table.title)}}}\n\\label{{tab:{label}}}\n"
        f"{FIT}\\begin{{tabular}}{{@{{}}{'l' * len(table.heads)}{''.join(kinds)}@{{}}}}\n\\toprule\n{heads} \\\\\n\\midrule\n"
        + "\n".join(rows)
        + "\n\\bottomrule\n\\end{tabular}}\n"
        + (f"\n{{\\scriptsize\\raggedright\n{below}\n\\par}}\n" if notes else "")
        + "\\end{table*}\n"
    )


def plain(value: Any) -> Any:
    """Decimals as numbers, for JSON."""
    if isinstance(value, Decimal):
        return float(value)
    return round(value, 6) if isinstance(value, float) else list(value) if isinstance(value, tuple) else value


def _given(found: Cell | Line | Table) -> dict[str, Any]:
    """The fields that say something, in their order."""
    return {k: plain(v) for k, v in vars(found).items() if v is not None and v != ()}


def as_data(table: Table) -> dict[str, Any]:
    """A table as plain data; a cell without `value` is n/a."""
    lines = [{**_given(line), "cells": [_given(cell) for cell in line.cells]} for line in table.lines]
    return {**_given(table), "lines": lines}


def spread(value: Any, levels: int, before: str = "") -> str:
    """JSON with one line for each entry down to a level, and everything deeper in one line: a row is a line of a diff."""
    if not levels or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    inner = before + " "
    if isinstance(value, dict):
        entries = [f"{json.dumps(k, ensure_ascii=False)}: {spread(v, levels - 1, inner)}" for k, v in value.items()]
    else:
        entries = [spread(v, levels - 1, inner) for v in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{inner}" + f",\n{inner}".join(entries) + f"\n{before}{closing}"


def as_json(table: Table) -> str:
    return spread(as_data(table), 2) + "\n"


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
            Text("\n".join([main_text(c) + (f" ({letters(c.marks)})" if c.marks else ""), *brief(c)]))
            for c in line.cells
        ]
        found.add_row(*(Text(x) for x in labels), *cells, style="bold" if line.kind == "mean" else None)
    return found
