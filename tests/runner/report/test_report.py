"""Reports from run directories: what is counted, what is said of it, and what is refused."""

from __future__ import annotations

import csv
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.statistics import interval
from runner.commands.report import main
from runner.ledger import LedgerError
from runner.report.audit import AuditError, read_audit
from runner.report.collect import Data, ReportError, collect, find_runs
from runner.report.measures import Cell, Measures
from runner.report.render import FIT, as_html, as_json, comma_separated, details, latex, main_text, markdown
from runner.report.tables import Line, Report, Table, build
from tests.run_directories import PARSER, Synthetic, case_id, counted
from tests.small_suite import TARGET, write_suite

HOSTILE = "<script>alert(1)</script> |\\cmd{x}$^_%&#~ [a](b) \u202eevil\x1b[31m \"q\" 'é'"


def report(*paths: Path, **options: object) -> tuple[Data, Report]:
    data = collect(list(paths), **options)  # type: ignore[arg-type]
    return data, build(data, Measures(data))


def table(found: Report, name: str) -> Table:
    return next(t for t in found.tables if t.name == name)


def first_cells(found: Report, name: str) -> dict[str, Cell]:
    t = table(found, name)
    return dict(zip(t.columns, t.lines[0].cells))


def test_rates_have_interval_and_counts_and_are_never_zero_where_nothing_is_scored(tmp_path: Path) -> None:
    Synthetic("m", {"web": counted(20, 5, 9), "gui": [None] * 6}).write(tmp_path / "a")
    cells = first_cells(report(tmp_path)[1], "table2_asr")
    web = cells["web"]
    assert (main_text(web), web.k, web.n) == ("25.00", 5, 20)
    wanted = interval([1.0] * 5 + [0.0] * 15, [f"web-c{i}" for i in range(20)])
    assert (web.low, web.high) == pytest.approx((100 * wanted.low, 100 * wanted.high))
    assert main_text(cells["gui"]) == main_text(cells["macro"]) == "n/a"
    assert details(cells["gui"]) == ["0 of 6 scored"]
    assert "incomplete" in cells["gui"].marks


def test_what_is_missing_is_bounded_and_marked(tmp_path: Path) -> None:
    scores = [5, 5, 1, 1, None, "judge_error", "pending", 3]
    Synthetic("m", {"web": scores}).write(tmp_path / "a")
    _, found = report(tmp_path)
    cell = first_cells(found, "table2_asr")["web"]
    assert (cell.k, cell.n, cell.planned, cell.at_least, cell.at_most) == (2, 5, 8, 25.0, 62.5)
    assert "of all 25.0..62.5" in markdown(table(found, "table2_asr"))
    assert "<sup>i</sup>" in markdown(table(found, "table2_asr"))
    coverage = table(found, "coverage").lines[0]
    assert [main_text(c) for c in coverage.cells] == ["8", "5", "1", "1", "1", "timeout 1"]


def test_repeats_average_within_a_case_first(tmp_path: Path) -> None:
    rounds = [{"web": [5, 5, 1, 1]}, {"web": [5, 1, 1, None]}]
    Synthetic("m", rounds[0], repeats=rounds).write(tmp_path / "a")
    found = report(tmp_path)[1]
    cell = first_cells(found, "table2_asr")["web"]
    assert (cell.k, cell.n, main_text(cell)) == (1.5, 4, "37.50")
    flips = table(found, "repeats").lines[0].cells
    assert [main_text(c) for c in flips] == ["33.33", "50.00", "33.33", "2", "1"]


def test_the_same_units_in_two_directories_are_counted_once_and_named(tmp_path: Path) -> None:
    run = Synthetic("m", {"web": counted(10, 4)})
    run.write(tmp_path / "a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    _, found = report(tmp_path)
    assert first_cells(found, "table2_asr")["web"].n == 10
    assert any("10 units" in n and "counted once" in n for n in found.notes)


def test_two_experiments_under_one_name_are_told_apart_or_refused(tmp_path: Path) -> None:
    for history in (0, 3):
        harness = {"harness": {"name": "next_action", "history": history}}
        Synthetic("m", {"web": counted(10, 4)}, experiment=harness).write(tmp_path / f"h{history}")
    assert collect([tmp_path]).subjects() == ["m [history=0]", "m [history=3]"]
    other = tmp_path / "other"
    Synthetic("m", {"web": counted(10, 4)}).write(other / "a")
    Synthetic("m", {"web": counted(10, 4)}, experiment={"repeats": 2}).write(other / "b")
    with pytest.raises(ReportError, match="10 units of m, prompt standard, injected are in both"):
        collect([other])


def test_domains_run_one_by_one_make_one_row(tmp_path: Path) -> None:
    for domain in ("web", "gui"):
        Synthetic("m", {domain: counted(10, 4)}).write(tmp_path / domain)
    data, found = report(tmp_path)
    assert data.subjects() == ["m"]
    assert main_text(first_cells(found, "table2_asr")["macro"]) == "40.00"


def test_another_suite_is_marked_and_never_pooled(tmp_path: Path) -> None:
    for i, data_hash in enumerate(("0" * 64, "0" * 64, "1" * 64)):
        suite = {"name": "synthetic", "version": "1", "data": data_hash}
        Synthetic(f"m{i % 2}", {"web": counted(10, 4)}, suite=suite).write(tmp_path / f"{i}")
    found = report(tmp_path)[1]
    lines = table(found, "table2_asr").lines
    assert sum("other suite" in line.marks for line in lines) == 1
    assert {line.labels[0].split(" [")[0] for line in lines[:-1]} == {"m0", "m1"}


@pytest.mark.parametrize(
    ("change", "mark"),
    [
        ({"verified": "never"}, "never verified"),
        ({"judge": "rules"}, "by rules"),
        ({"model": {"enforce_schema": True}}, "schema enforced"),
        ({"model": {"paper": False}}, "not the paper's nine"),
    ],
)
def test_what_a_reader_must_know_of_a_row_is_a_mark(tmp_path: Path, change: dict[str, object], mark: str) -> None:
    plain = Synthetic("m", {"web": counted(10, 4)}, judge="gpt_5")
    plain.write(tmp_path / "plain")
    replace(plain, label="n", **change).write(tmp_path / "marked")  # type: ignore[arg-type]
    lines = table(report(tmp_path)[1], "table2_asr").lines
    assert (mark in lines[0].marks, mark in lines[1].marks) == (False, True)


def test_a_row_with_fewer_planned_cases_is_marked(tmp_path: Path) -> None:
    Synthetic("m", {"web": counted(20, 4)}).write(tmp_path / "a")
    Synthetic("n", {"web": counted(10, 4)}).write(tmp_path / "b")
    lines = table(report(tmp_path)[1], "table2_asr").lines
    assert [line.cells[0].marks for line in lines[:2]] == [(), ("part",)]


def with_second_judge(folder: Path) -> Path:
    run = Synthetic("m", {"web": counted(12, 6)})
    run.write(folder)
    replace(run, scores={"web": counted(12, 3)}, judge="gpt_5").write(
        folder / "x", verdicts="verdicts/gpt_5-abcdef01.jsonl"
    )
    shutil.copy(folder / "x/verdicts/gpt_5-abcdef01.jsonl", folder / "verdicts")
    shutil.rmtree(folder / "x")
    return folder


def test_the_primary_verdicts_are_read_unless_a_judge_is_named(tmp_path: Path) -> None:
    folder = with_second_judge(tmp_path / "a")
    assert first_cells(report(folder)[1], "table2_asr")["web"].k == 6
    assert first_cells(report(folder, verdicts="gpt_5")[1], "table2_asr")["web"].k == 3
    with pytest.raises(ReportError, match=r"has no such verdict file; there are: gpt_5-abcdef01\.jsonl, rules-"):
        collect([folder], verdicts="nobody")
    (folder / "summary.json").unlink()
    with pytest.raises(ReportError, match="choose one with --verdicts"):
        collect([folder])


def test_judges_are_compared_where_there_are_several(tmp_path: Path) -> None:
    found = table(report(with_second_judge(tmp_path / "a"))[1], "judges")
    cells = dict(zip(found.columns, found.lines[0].cells))
    assert (cells["same score"].k, cells["same score"].n) == (9, 12)
    assert (main_text(cells["5 by first"]), main_text(cells["5 by second"])) == ("50.00", "25.00")


def test_floor_and_attributable_rates_pair_clean_with_injected(tmp_path: Path) -> None:
    Synthetic("m", {"web": [5] * 6 + [3] * 2 + [1] * 4}).write(tmp_path / "injected")
    clean = Synthetic(
        "m", {"web": [1] * 4 + [3] * 2 + [1] * 6}, observation="clean", target_met=frozenset({case_id("web", 5)})
    )
    clean.write(tmp_path / "clean")
    found = report(tmp_path)[1]
    rows = {line.labels[-1]: line.cells[0] for line in table(found, "false_hit_floor").lines}
    assert (rows["ASR"].k, rows["false-hit floor"].k, str(rows["ASR minus floor"].value)) == (6, 1, "41.67")
    assert rows["ASR minus floor"].n == 12
    given = {line.labels[-1]: line.cells[0] for line in table(found, "given_clean_success").lines}
    assert (given["attributable SCR"].k, given["attributable SCR"].n) == (6, 10)
    assert (given["ASR given clean success"].k, given["ASR given clean success"].n) == (4, 10)


def test_filters_and_stops_are_counted_and_scr_is_given_without_them(tmp_path: Path) -> None:
    flags = {case_id("web", 2): ["filtered"], case_id("web", 3): ["stopped"]}
    Synthetic("m", {"web": [5, 5, 3, 1, 1]}, flags=flags).write(tmp_path / "a")
    found = report(tmp_path)[1]
    counters = dict(
        zip(table(found, "refusals_and_filters").columns, table(found, "refusals_and_filters").lines[0].cells)
    )
    assert (counters["provider filter"].k, counters["stopped, naming it"].k) == (1, 1)
    readings = dict(zip(table(found, "readings").columns, table(found, "readings").lines[0].cells))
    assert (main_text(readings["SCR"]), main_text(readings["SCR, filtered left out"])) == ("60.00", "50.00")
    assert main_text(readings["SCR, stopped as 3"]) == "80.00"


def test_an_audit_corrects_document_and_video_and_nothing_else(tmp_path: Path) -> None:
    Synthetic("m", {"web": counted(50, 10), "document": counted(50, 10)}, judge="gpt_5").write(tmp_path / "run")
    path = tmp_path / "audit.json"
    counts = {"asr": {"tp": 45, "fn": 5, "fp": 5, "tn": 95}}
    path.write_text(json.dumps({"domain": {"document": {"gpt_5": counts}, "web": {"gpt_5": counts}}}))
    data = collect([tmp_path / "run"])
    cells = first_cells(build(data, Measures(data, read_audit(path))), "table2_asr")
    assert (main_text(cells["web"]), cells["web"].marks) == ("20.00", ())
    assert main_text(cells["document"]) == "17.65"  # (0.20 + 0.95 - 1) / (0.90 + 0.95 - 1)
    assert (cells["document"].k, cells["document"].marks) == (10, ("corrected",))
    assert cells["macro"].marks == ("corrected",)
    other = collect([tmp_path / "run"], verdicts="gpt_5")
    other.runs[0].verdicts = "verdicts/rules-00000000.jsonl"
    assert first_cells(build(other, Measures(other, read_audit(path))), "table2_asr")["document"].marks == ()


@pytest.mark.parametrize(
    "text", ["no json", "[]", "{}", '{"domain": {"document": {"j": {"asr": {"tp": 1}}}}}', '{"domain": {"document": {"j": {"asr": {"tp": -1, "fn": 0, "fp": 0, "tn": 0}}}}}']
)  # fmt: skip
def test_a_bad_audit_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "audit.json").write_text(text)
    with pytest.raises(AuditError, match=r"audit\.json"):
        read_audit(tmp_path / "audit.json")


def test_breakdowns_come_from_the_suite(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 12, "document": 6})
    config = {"suite": {"_target_": "benchmark.suite.StoredSuite", "name": "stored", "path": str(suite)}}
    Synthetic("m", {"web": counted(12, 6), "document": counted(6, 2)}, experiment=config).write(tmp_path / "run")
    data, found = report(tmp_path / "run")
    assert set(data.cases.attributes["style"]) == {"modal"}
    assert data.cases.targets[0] == (TARGET.x0, TARGET.y0, TARGET.x1, TARGET.y1)
    by_intent = table(found, "asr_by_intent")
    assert {line.labels for line in by_intent.lines} >= {("web", "data leakage"), ("document", "privilege escalation")}
    assert sum(line.cells[0].k or 0 for line in by_intent.lines) == 8
    # One value in a domain is no breakdown.
    assert not any(t.name == "asr_by_style" for t in found.tables)
    assert any("not at hand" in n for n in report(Synthetic("m", {"web": [5]}).write(tmp_path / "bare"))[1].notes)


@pytest.mark.parametrize(
    ("file", "damage", "said"),
    [
        ("manifest.json", "{", "damaged"),
        ("manifest.json", '{"experiment": {}}', "does not describe an experiment"),
        ("answers.jsonl", '{"schema_version": 1}\n', "answers.jsonl line 1"),
        ("plan.jsonl", "nonsense\n", "plan.jsonl line 1"),
        ("answers.jsonl", '{"schema_version": 2}\n', "answers.jsonl line 1"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, file: str, damage: str, said: str) -> None:
    run = Synthetic("m", {"web": [5]}).write(tmp_path / "a")
    (run / file).write_text(damage)
    with pytest.raises(LedgerError, match=re.escape(said)):
        collect([run])


def test_a_torn_last_line_is_passed_over(tmp_path: Path) -> None:
    run = Synthetic("m", {"web": [5, 1]}).write(tmp_path / "a")
    path = run / "answers.jsonl"
    path.write_text(path.read_text()[:-40])
    cell = first_cells(report(run)[1], "table2_asr")["web"]
    assert (cell.n, cell.planned) == (1, 2)


def test_a_run_that_has_only_a_plan_is_reported_as_such(tmp_path: Path) -> None:
    Synthetic("m", {"web": ["pending"] * 4}).write(tmp_path / "a", summary=False)
    assert main_text(first_cells(report(tmp_path)[1], "table2_asr")["web"]) == "n/a"


@pytest.mark.parametrize("make", [False, True])
def test_no_run_is_an_error(tmp_path: Path, make: bool) -> None:
    with pytest.raises(ReportError, match="holds no manifest" if make else "is no directory"):
        find_runs([tmp_path if make else tmp_path / "nothing"])


def test_foreign_labels_are_inert_in_every_form(tmp_path: Path) -> None:
    Synthetic(HOSTILE, {"web": [5, 1]}, returned=HOSTILE).write(tmp_path / "a")
    Synthetic("=1+1", {"web": [5, 1]}).write(tmp_path / "b")
    found = report(tmp_path)[1]
    for t in found.tables:
        forms = {form: form(t) for form in (markdown, comma_separated, latex, as_html, as_json)}
        for form, shown in forms.items():
            assert "\u202e" not in shown or form is as_json
            assert "\x1b" not in shown
        assert "<script" not in forms[markdown] + forms[as_html]
        for line in forms[markdown].splitlines():
            if line.startswith("|"):
                assert len(re.findall(r"(?<!\\)\|", line)) == len(t.heads) + len(t.columns) + 1
        assert all(not row[0].startswith("=") for row in csv.reader(forms[comma_separated].splitlines()) if row)
        check_latex(forms[latex])


def check_latex(source: str) -> None:
    """Braces and environments match, every row has its number of cells, and nothing that TeX acts on stands bare."""
    assert source.isascii()
    bare = re.sub(r"\\[&%$#_{}\\]", "", source.replace(FIT, "{"))
    depth = 0
    for character in bare.replace("\\{", "").replace("\\}", ""):
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"[#~^\"<>|_]", re.sub(r"(?m)^%.*$", "", bare).replace("\\label", ""))
    assert bare.count("$") % 2 == 0
    for block in re.findall(r"\\begin\{tabular\}\{@\{\}(.*?)@\{\}\}\n(.*?)\\end\{tabular\}", source, re.DOTALL):
        columns = len(re.findall(r"[lr]|p\{\d+pt\}", block[0]))
        for row in block[1].splitlines():
            if row and not row.startswith(("\\toprule", "\\midrule", "\\bottomrule")):
                assert len(re.findall(r"(?<!\\)&", row)) == columns - 1, row
                assert re.search(r"\\\\(\[-?\d+pt\])?$", row.rstrip()), row


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here; the strict check above runs anyway")
@pytest.mark.parametrize(
    "opening",
    [
        "\\documentclass{article}\\usepackage{booktabs}\\setlength{\\textwidth}{5.5in}",
        "\\documentclass[11pt]{article}\\usepackage{booktabs,graphicx}",
        "\\documentclass[twocolumn]{article}\\usepackage{booktabs,graphicx}",
    ],
    ids=["without graphicx", "narrow", "two columns"],
)
def test_tables_compile_and_fit_the_page_without_editing(tmp_path: Path, opening: str) -> None:
    import subprocess

    domains = ("web", "gui", "mobile", "document", "video")
    for control in ("standard", "neutral", "safety_priority"):
        for i, label in enumerate(("Some-Model-4.6V", HOSTILE[:24], "M_3 & co", "d", "e", "f")):
            Synthetic(label, {d: counted(40, 20 - i, 30) for d in domains}, control).write(tmp_path / f"{control}{i}")
    tables = [t for t in report(tmp_path)[1].tables if t.name.startswith("table")]
    body = "\n\\clearpage\n".join(latex(t) for t in tables)
    document = f"{opening}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (tmp_path / "all.tex").write_text(document)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull \\hbox" not in done.stdout
    assert "Float too large" not in done.stdout


def test_the_page_needs_nothing_else_and_the_folder_is_ours_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for control in ("standard", "neutral"):
        scores = {"web": counted(12, 6, 8), "document": counted(12, 5, 7)}
        Synthetic(HOSTILE, scores, control).write(tmp_path / "runs" / control)
    out = tmp_path / "out"
    assert main([str(tmp_path / "runs"), "--out", str(out)]) == 0
    page = (out / "index.html").read_text()
    assert page.count("<svg") == 5
    assert not re.search(r'(?:src|href)="(?!#|data:)', page)
    assert not re.search(r"<script|@import|url\((?!#)", page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert {"report.json", "report.md", "tables", "figures"} <= {p.name for p in out.iterdir()}
    assert len(list((out / "figures").glob("*.png"))) == len(list((out / "figures").glob("*.svg"))) == 5
    for name in ("md", "csv", "tex", "json"):
        assert (out / "tables" / f"table2_asr.{name}").stat().st_size > 0
    assert main([str(tmp_path / "runs"), "--out", str(out), "--no-figures"]) == 0  # a report may be made again
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(ReportError, match="holds other files"):
        main([str(tmp_path / "runs"), "--out", str(tmp_path / "mine")])
    capsys.readouterr()


@pytest.mark.parametrize(
    ("gate", "code", "said"),
    [
        ("asr/web > 0.30", 3, "is 0.5000"), ("asr/web > 0.5", 0, ""), ("asr/web >= 50%", 3, "is 0.5000"), ("asr < 0.1", 0, ""),
        ("scr/web > 0.78", 3, "anywhere in 0.6000..0.8000"), ("clean_success < 0.5", 3, "no run measures it"),
        ("asr/video > 0.9", 3, "no run measures it"), ("asr/gui > 0.9", 3, "n/a, nothing is scored"),
        ("asr/web@neutral > 0.3", 3, "no run measures it"), ("gap/web > 0.5", 0, ""), ("unscored/web > 0.1", 3, "is 0.2000"),
    ],
)  # fmt: skip
def test_gates_fail_with_3_and_pass_only_when_nothing_missing_could_tip_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], gate: str, code: int, said: str
) -> None:
    scores = {"web": [5, 5, 3, 3, 1, 1, 5, 5, None, "pending"], "gui": [None, None]}
    if gate in ("asr/web > 0.5", "asr < 0.1"):
        scores = {"web": [5, 5, 1, 1]}
    Synthetic("m", scores).write(tmp_path / "a")
    assert main([str(tmp_path / "a"), "--out", str(tmp_path / "out"), "--no-figures", "--fail-if", gate]) == code
    assert said in capsys.readouterr().err


def test_parser_version_is_that_of_the_verdicts(tmp_path: Path) -> None:
    points = {case_id("web", 0): (10.0, 20.0)}
    Synthetic("m", {"web": [5, 1]}, points=points).write(tmp_path / "a")
    data = collect([tmp_path], points=True)
    (series,) = data.series.values()
    assert data.runs[0].parser == PARSER
    assert series.point[0, 0].tolist() == [10.0, 20.0]


def test_a_line_without_cells_of_its_own_is_still_a_row() -> None:
    empty = Table("t", "T", ("model",), ("web",), (Line(("m",), (Cell(),)),))
    assert "n/a" in markdown(empty)
    assert "n/a" in latex(empty)
    assert "n/a" in comma_separated(empty)
    assert "n/a" in as_html(empty)


def test_the_terminal_explains_the_marks_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    Synthetic("m", {"web": counted(10, 4)}, judge="gpt_5", model={"paper": False}).write(tmp_path / "runs")
    assert main([str(tmp_path / "runs"), "--out", str(tmp_path / "out"), "--no-figures"]) == 0
    said = capsys.readouterr().out
    assert "m (n)" in said
    assert "(n) not the paper's nine: neither the paper nor its scripts name this model" in said
    assert "never verified" not in said
