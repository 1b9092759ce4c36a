"""The published cells of the paper, printed from a ledger that holds their counts."""

from __future__ import annotations

import csv
from decimal import Decimal

import pytest

from benchmark.statistics import percent
from runner.report.collect import Data, collect
from runner.report.measures import Measures
from runner.report.render import comma_separated, latex, markdown
from runner.report.tables import Line, Report, Table, build
from tests import paper_ledger


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> tuple[Data, Report]:
    data = collect([paper_ledger.write(tmp_path_factory.mktemp("paper"), padding=40)])
    return data, build(data, Measures(data))


def table(report: Report, name: str) -> Table:
    return next(t for t in report.tables if t.name == name)


def line(found: Table, *labels: str) -> Line:
    return next(x for x in found.lines if x.labels == labels)


def cell(found: Table, column: str, *labels: str) -> str:
    return str(line(found, *labels).cells[found.columns.index(column)].value)


@pytest.mark.parametrize(
    ("k", "n", "printed"),
    [
        (88, 200, "44.00"), (157, 209, "75.12"), (136, 283, "48.06"), (134, 191, "70.16"), (168, 191, "87.96"),
        (166, 191, "86.91"), (221, 283, "78.09"), (98, 209, "46.89"), (86, 191, "45.03"), (89, 209, "42.58"),
        (165, 209, "78.95"), (205, 209, "98.09"), (188, 200, "94.00"), (290, 300, "96.67"), (176, 283, "62.19"),
    ],
)  # fmt: skip
def test_a_published_percentage_is_its_count_rounded_once_halves_up(k: int, n: int, printed: str) -> None:
    assert str(percent(k, n)) == printed


@pytest.mark.parametrize(
    ("name", "column", "labels", "printed"),
    [
        ("table2_asr", "web", ("GPT-5",), "44.00"), ("table2_asr", "gui", ("GPT-5",), "75.12"),
        ("table2_asr", "mobile", ("GPT-5",), "48.06"), ("table2_asr", "video", ("GPT-5",), "70.16"),
        ("table2_asr", "video", ("GLM-4.6V",), "87.96"), ("table2_asr", "mobile", ("GLM-4.6V",), "78.09"),
        ("table2_asr", "video", ("Qwen3-VL-32B",), "86.91"), ("table2_asr", "gui", ("Claude 4.5 Sonnet",), "42.58"),
        ("table2_asr", "web", ("mean",), "43.00"), ("table2_asr", "document", ("mean",), "48.89"),
        ("table2_asr", "mobile", ("mean",), "51.24"), ("table2_asr", "gui", ("mean",), "63.69"),
        ("table2_asr", "video", ("mean",), "69.17"), ("table2_asr", "macro", ("mean",), "55.20"),
        ("table3_neutral", "macro", ("mean", "neutral"), "50.60"),
        ("table5_safety_priority", "gui", ("GLM-4.6V", "safety-priority"), "46.89"),
        ("table5_safety_priority", "video", ("GLM-4.6V", "safety-priority"), "45.03"),
        ("table5_safety_priority", "macro", ("mean", "safety-priority"), "19.54"),
        ("table4_clean_success", "macro", ("mean",), "84.03"), ("table4_clean_success", "web", ("Model E",), "94.00"),
        ("table4_clean_success", "mobile", ("Model F",), "62.19"),
        ("table6_scr", "gui", ("Claude 4.5 Sonnet",), "78.95"), ("table6_scr", "gui", ("Model E",), "98.09"),
    ],
)  # fmt: skip
def test_tables_print_the_published_cells(
    sweep: tuple[Data, Report], name: str, column: str, labels: tuple[str, ...], printed: str
) -> None:
    assert cell(table(sweep[1], name), column, *labels) == printed


def test_a_gap_is_the_difference_of_rounded_cells(sweep: tuple[Data, Report]) -> None:
    found = table(sweep[1], "table6_scr")
    assert line(found, "Claude 4.5 Sonnet").cells[1].beside == Decimal("36.37")
    assert "78.95 (36.37)" in markdown(found)
    assert r"78.95 {\tiny (36.37)}" in latex(found)


def test_pairs_are_counted_as_the_paper_counts_them(sweep: tuple[Data, Report]) -> None:
    counts = sweep[1].counts
    neutral, safety = counts["asr_neutral_against_standard"], counts["asr_safety_priority_against_standard"]
    assert (neutral["lower"], neutral["higher"], neutral["equal"], neutral["pairs"]) == (40, 5, 0, 45)
    assert (safety["lower"], safety["pairs"]) == (45, 45)
    assert counts["positive_gap"]["models"] == 9
    assert counts["positive_gap"]["in_at_least_domains"] == 4
    assert any("lower than under standard in 40 of 45 model-domain pairs, higher in 5" in s for s in sweep[1].findings)


def test_every_cell_of_table_2_has_count_and_interval_in_all_forms(sweep: tuple[Data, Report]) -> None:
    found = table(sweep[1], "table2_asr")
    for body in found.lines[:-1]:
        for c in body.cells[:-1]:
            assert c.low is not None
            assert c.high is not None
            assert c.low < float(c.value or 0) < c.high
            assert c.planned == c.n
    rows = list(csv.DictReader(comma_separated(found).splitlines()))
    gpt = next(r for r in rows if r["model"] == "GPT-5")
    assert (gpt["web"], gpt["web k"], gpt["web n"], gpt["row marks"]) == ("44.00", "88", "200", "by rules")
    assert "88/200" in markdown(found)
    assert "88/200" in latex(found)


def test_the_tables_take_each_answer_once(sweep: tuple[Data, Report]) -> None:
    data = sweep[0]
    assert len(data.runs) == 36
    assert len(data.cases) == 1083
    assert sum(int(s.planned.sum()) for s in data.series.values()) == 38_988


def test_every_cell_is_its_count_in_whole_arithmetic(sweep: tuple[Data, Report]) -> None:
    found = table(sweep[1], "table2_asr")
    for domain, counts in paper_ledger.counts()["standard"].items():
        n = paper_ledger.SIZES[domain]
        for model, k in counts.items():
            hundredths = (20_000 * k + n) // (2 * n)
            assert cell(found, domain, model) == f"{hundredths // 100}.{hundredths % 100:02d}"
