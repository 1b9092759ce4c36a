"""Comparisons of two runs: pairs, differences, flips, power, and what is refused or warned of."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from scipy import stats

from benchmark.statistics import holm, paired_difference
from runner.commands.compare import main
from runner.report.collect import ReportError, collect
from runner.report.compare import (
    Comparison,
    compare,
    gallery_link,
    merged,
    pairs_between,
    pairs_within,
    power_sentence,
    with_holm,
    worse_by,
)
from runner.report.measures import Measures
from tests.run_directories import Synthetic, case_id, counted


def compared(a: Path, b: Path | None = None, by: str = "control") -> list[Comparison]:
    data = collect([a])
    if b is None:
        pairs = pairs_within(data, by, None)
    else:
        other = collect([b])
        pairs = pairs_between(data, other)
        merged(data, other)
    measures = Measures(data)
    return with_holm([compare(measures, *pair) for pair in pairs])


def by_scope(found: Comparison, metric: str = "asr") -> dict[str, object]:
    return {c.scope: c for c in found.contrasts if c.metric == metric}


def write_pair(tmp_path: Path, first: dict, second: dict, **change: object) -> tuple[Path, Path]:
    a = Synthetic("m", first)
    b = replace(a, scores=second, **{"control": "neutral", **change})  # type: ignore[arg-type]
    return a.write(tmp_path / "a"), b.write(tmp_path / "b")


def test_a_difference_is_second_minus_first_over_pairs_scored_on_both_sides(tmp_path: Path) -> None:
    random_ = random.Random(3)
    first = [random_.choice([5, 5, 3, 1]) for _ in range(60)]
    second = [random_.choice([5, 3, 1, 1]) for _ in range(58)] + [None, "pending"]
    a, b = write_pair(tmp_path, {"web": first}, {"web": second})
    (found,) = compared(a, b)
    web = by_scope(found)["web"]
    x, y = [float(s == 5) for s in first], [float(s == 5) for s in second[:58]] + [None, None]
    wanted = paired_difference(y, x, [f"web-c{i % 40}" for i in range(60)])
    assert web.difference.estimate == pytest.approx(wanted.estimate)
    assert (web.difference.low, web.difference.high) == pytest.approx((wanted.low, wanted.high))
    assert (web.difference.p_value, web.difference.n_pairs, web.difference.left_out) == (wanted.p_value, 58, 2)
    ups = sum(q == 1 and p == 0 for p, q in zip(x, y))
    downs = sum(q == 0 and p == 1 for p, q in zip(x, y))
    assert web.mcnemar_p == pytest.approx(stats.binomtest(ups, ups + downs, 0.5).pvalue)
    assert "complete pairs" in web.change.marks
    assert any("not scored: 0 on the first side, 2 on the second" in w for w in found.warnings)


def test_sides_are_aligned_by_case_id_whatever_order_and_selection_they_were_planned_in(tmp_path: Path) -> None:
    a = Synthetic("m", {"web": [5, 1, 3, 5], "gui": [1, 1, 1]}).write(tmp_path / "a")
    b = Synthetic("m", {"gui": [5, 1, 1], "web": [5, 5]}, "neutral").write(tmp_path / "b")
    (found,) = compared(a, b)
    assert {(f.case_id, f.first, f.second) for f in found.flips} == {
        (case_id("web", 1), 1, 5),
        (case_id("gui", 0), 1, 5),
    }
    assert any(
        "5 cases are planned on both sides, 2 only on the first, 0 only on the second" in w for w in found.warnings
    )
    assert by_scope(found)["web"].difference.n_pairs == 2


def test_flips_link_into_the_gallery_at_the_case(tmp_path: Path) -> None:
    a, b = write_pair(tmp_path, {"web": [5, 1, 1]}, {"web": [1, 1, 5]})
    (found,) = compared(a, b)
    assert [(f.case_id, f.first, f.second) for f in found.flips] == [
        (case_id("web", 2), 1, 5),
        (case_id("web", 0), 5, 1),
    ]
    link = gallery_link(found.flips[0].second_run, found.flips[0].case_id, tmp_path / "out")
    assert link == "../b/gallery/index.html#web-0002"


def test_holm_runs_over_all_tests_of_a_sweep(tmp_path: Path) -> None:
    for control, hits in (("standard", 30), ("neutral", 24), ("safety_priority", 5)):
        Synthetic("m", {"web": counted(60, hits), "gui": counted(60, hits)}, control).write(tmp_path / control)
    found = compared(tmp_path)
    assert len(found) == 2
    cells = [x.change for c in found for x in c.contrasts]
    assert [c.p for c in cells] == pytest.approx(holm([c.p_raw for c in cells]))
    assert len(cells) == 12


def test_models_of_a_sweep_can_be_paired(tmp_path: Path) -> None:
    for label in "abc":
        Synthetic(label, {"web": counted(20, 9)}).write(tmp_path / label)
    assert len(compared(tmp_path, by="model")) == 3
    with pytest.raises(ReportError, match="nothing can be paired by control"):
        compared(tmp_path)


def test_the_same_experiment_twice_is_a_comparison_too(tmp_path: Path) -> None:
    run = Synthetic("m", {"web": [5, 1, 1, 5]}, returned="model-may")
    a = run.write(tmp_path / "last")
    b = replace(run, scores={"web": [5, 5, 1, 5]}, returned="model-june").write(tmp_path / "this")
    (found,) = compared(a, b)
    assert found.differing == ()
    assert any("other model ids: model-may -> model-june" in w for w in found.warnings)
    assert len(found.flips) == 1


def test_another_judge_and_other_settings_are_said(tmp_path: Path) -> None:
    a, b = write_pair(
        tmp_path, {"web": [5, 1]}, {"web": [5, 1]}, judge="gpt_5", experiment={"defense": {"name": "spotlight"}}
    )
    (found,) = compared(a, b)
    assert any("judges differ: rules -> gpt_5" in w for w in found.warnings)
    assert "defense.name: none -> spotlight" in found.differing


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"suite": {"name": "other", "version": "1", "data": "1"}}, "different suites"),
        ({"observation": "clean"}, "different observations"),
        ({"scores": {"gui": [5, 1]}}, "no case in common"),
    ],
)
def test_what_cannot_be_paired_is_refused(tmp_path: Path, change: dict[str, object], said: str) -> None:
    a = Synthetic("m", {"web": [5, 1]})
    replace(a, **change).write(tmp_path / "b")  # type: ignore[arg-type]
    with pytest.raises(ReportError, match=said):
        compared(a.write(tmp_path / "a"), tmp_path / "b")


def test_power_is_said_for_every_rate(tmp_path: Path) -> None:
    a, b = write_pair(tmp_path, {"web": counted(200, 100)}, {"web": counted(200, 100, shift=40)})
    (found,) = compared(a, b)
    web = by_scope(found)["web"]
    assert web.detectable is not None
    assert 0.02 < web.detectable < 0.5
    assert f"ASR web: {100 * web.detectable:.1f} points (n = 200)" in power_sentence(found)


def test_nothing_scored_is_no_difference(tmp_path: Path) -> None:
    a, b = write_pair(tmp_path, {"web": [5, 1]}, {"web": [None, None]})
    (found,) = compared(a, b)
    web = by_scope(found)["web"]
    assert (web.difference.estimate, web.change.value, web.detectable) == (None, None, None)
    assert "cannot be compared" in worse_by([found], 0.5)[0]


@pytest.mark.parametrize(
    ("first", "second", "allowed", "failing"),
    [
        ([1] * 20, [5] * 2 + [1] * 18, 0.05, True),
        ([1] * 20, [5] * 1 + [1] * 19, 0.05, False),
        ([5] * 20, [1] * 20, 0.0, False),
        ([1] * 20, [1] * 18 + [None] * 2, 0.05, True),
        ([1] * 20, [1] * 20, 0.0, False),
    ],
)
def test_fail_if_worse_takes_the_estimate_and_never_passes_on_missing_pairs(
    tmp_path: Path, first: list, second: list, allowed: float, failing: bool
) -> None:
    a, b = write_pair(tmp_path, {"web": first}, {"web": second})
    assert bool(worse_by(compared(a, b), allowed)) is failing


def test_fewer_clean_successes_are_worse(tmp_path: Path) -> None:
    run = Synthetic("m", {"web": [1] * 10}, observation="clean")
    a = run.write(tmp_path / "a")
    b = replace(run, scores={"web": [3] * 2 + [1] * 8}, control="neutral").write(tmp_path / "b")
    assert worse_by(compared(a, b), 0.1)
    assert not worse_by(compared(b, a), 0.1)


def test_the_command_prints_writes_and_gates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = write_pair(tmp_path, {"web": counted(40, 8)}, {"web": counted(40, 20)})
    out = tmp_path / "out"
    assert main([str(a), str(b), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "+30.00" in said
    assert "12 cases changed their score" in said
    page = (out / "index.html").read_text()
    assert 'href="../b/gallery/index.html#web-0008"' in page
    assert len(json.loads((out / "report.json").read_text())["pairs"][0]["flips"]["lines"]) == 12
    assert main([str(a), str(b), "--fail-if-worse", "0.05"]) == 3
    assert "worse by 30.00 points" in capsys.readouterr().err
    assert main([str(b), str(a), "--fail-if-worse", "0.05"]) == 0
    assert main([str(a), str(b), "--fail-if", "asr/web > 0.4"]) == 3
    assert main([str(b), str(a), "--fail-if", "asr/web > 0.4"]) == 0
    with pytest.raises(SystemExit):
        main([str(a), str(b), "--fail-if-worse", "5"])
