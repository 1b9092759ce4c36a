"""A report as a folder: every table in four forms, every figure in two, one JSON of all, and one page to mail.

`index.html` holds all tables and figures in itself and asks for nothing else: no script, no font, no address. A folder
that holds something other than a report is not written to.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from runner.report.collect import ReportError
from runner.report.render import as_data, as_html, as_json, comma_separated, latex, markdown, markdown_escape, spread
from runner.report.tables import Report, Table

MARKER = "report.json"

STYLE = """
:root{color-scheme:light}
body{font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;color:#1b1f24;background:#fff;
 margin:0 auto;max-width:1180px;padding:28px 24px 80px}
h1{font-size:25px;margin:0 0 4px}h2{font-size:19px;margin:44px 0 10px;border-bottom:1px solid #d5dae1;padding-bottom:5px}
.sub{color:#57606a;margin:0 0 18px}
ul{padding-left:20px}li{margin:3px 0}
nav{columns:3;font-size:13.5px;margin:14px 0 0}nav a{display:block;color:#0b5cad;text-decoration:none;padding:1px 0}
nav a:hover{text-decoration:underline}
.scroll{overflow-x:auto;margin-top:26px}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px}
caption{text-align:left;font-weight:600;font-size:15.5px;padding:0 0 7px;white-space:nowrap}
thead th{border-top:2px solid #1b1f24;border-bottom:1px solid #1b1f24;text-align:right;font-weight:600;padding:5px 10px;
 vertical-align:bottom}
thead th.l,tbody th{text-align:left}
tbody th{font-weight:400;padding:5px 12px 5px 10px;vertical-align:top;white-space:nowrap}
td{text-align:right;padding:5px 10px;vertical-align:top;white-space:nowrap}
td.t{white-space:normal;text-align:right;max-width:22em}td.na{color:#6b7280}
td small{display:block;color:#57606a;font-size:11.5px;line-height:1.35}
tbody tr.fresh>*{border-top:1px solid #e6e9ee}tbody tr:first-child>*{border-top:0}
tr.mean>*{font-weight:600;border-top:1px solid #1b1f24}tr.mean small{font-weight:400}
tr.difference>*{background:#f5f7fa}
tbody tr:last-child>*{border-bottom:2px solid #1b1f24}
sup{font-size:10px;color:#7a3b00;line-height:0}
.notes{color:#57606a;font-size:12.5px;max-width:75em}.notes p{margin:4px 0}
figure{margin:26px 0}figure svg,figure img{max-width:100%;height:auto}figcaption{font-weight:600;margin-bottom:6px}
.better{color:#05603a}.worse{color:#a11d12}
@media print{body{max-width:none;padding:0}.scroll{overflow:visible}h2{break-after:avoid}figure,table{break-inside:avoid}}
"""


def check_folder(folder: Path) -> None:
    """Refuses to write among files that are none of ours.

    Raises:
        ReportError: the folder is a file, or holds something and no report.
    """
    if folder.exists() and not folder.is_dir():
        raise ReportError(f"--out {folder} is a file; give a directory")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / MARKER).is_file():
        raise ReportError(f"--out {folder} holds other files and no report; give an empty or a new directory")


def write(path: Path, text: str) -> None:
    """Writes a file of a report; unlike a ledger's it can be made again, so nothing waits for the disk."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise ReportError(f"{path} cannot be written: {error.strerror or error}; choose another --out") from None


def write_tables(tables: Sequence[Table], folder: Path) -> None:
    for table in tables:
        for suffix, form in (("md", markdown), ("csv", comma_separated), ("tex", latex), ("json", as_json)):
            write(folder / f"{table.name}.{suffix}", form(table))


def page(title: str, subtitle: str, lists: Sequence[tuple[str, Sequence[str]]], body: str) -> str:
    """A page that holds all it needs; `lists` are headed sentences, `body` is markup."""
    said = "".join(
        f"<h2>{html.escape(head)}</h2><ul>{''.join(f'<li>{html.escape(s)}</li>' for s in sentences)}</ul>"
        for head, sentences in lists
        if sentences
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{html.escape(title)}</h1><p class=sub>{html.escape(subtitle)}</p>{said}{body}</body></html>\n"
    )


def inline_svg(path: Path, name: str) -> str:
    """The drawing alone, its ids made its own, so that several stand in one page without mixing."""
    text = path.read_text(encoding="utf-8")
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'href="#', f'href="#{name}-', text)
    return re.sub(r"url\(#", f"url(#{name}-", text)


def publish(report: Report, figures: Sequence[tuple[str, str]], folder: Path, extra: dict[str, Any]) -> Path:
    """Writes what joins tables and figures, which are written already; returns the page."""
    subtitle = f"{extra['runs']} runs, {extra['answers']} answers, {extra['cases']} cases"
    paper = [t for t in report.tables if t.name.startswith("table")]
    rest = [t for t in report.tables if not t.name.startswith("table")]
    links = "".join(f'<a href="#{t.name}">{html.escape(t.title)}</a>' for t in (*paper, *rest))
    links += "".join(f'<a href="#figure-{name}">Figure: {html.escape(title)}</a>' for name, title in figures)
    drawn = "".join(
        f'<figure id="figure-{name}"><figcaption>{html.escape(title)}</figcaption>'
        f"{inline_svg(folder / 'figures' / f'{name}.svg', name)}</figure>"
        for name, title in figures
    )
    body = f"<h2>Contents</h2><nav>{links}</nav>"
    for head, tables in (("The paper's tables", paper), ("Further tables", rest)):
        if tables:
            body += f"<h2>{head}</h2>" + "".join(f'<section id="{t.name}">{as_html(t)}</section>' for t in tables)
        if tables is paper or not paper:
            body += f"<h2>Figures</h2>{drawn}" if drawn and "<h2>Figures</h2>" not in body else ""
    title = "MMA-SafetyBench report"
    write(folder / "index.html", page(title, subtitle, (("Findings", report.findings), ("Notes", report.notes)), body))
    opening = [
        f"# {title}",
        "",
        subtitle,
        "",
        *(f"- {markdown_escape(s)}" for s in (*report.findings, *report.notes)),
        "",
    ]
    images = [f"![{title}](figures/{name}.svg)" for name, title in figures]
    write(folder / "report.md", "\n".join([*opening, *(markdown(t) for t in report.tables), *images]) + "\n")
    whole = {
        "schema_version": 1, **extra, "base": report.base, "findings": report.findings, "counts": report.counts,
        "notes": report.notes, "tables": {t.name: as_data(t) for t in report.tables},
    }  # fmt: skip
    write(folder / MARKER, spread(whole, 4) + "\n")
    return folder / "index.html"
