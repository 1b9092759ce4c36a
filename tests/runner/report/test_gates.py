"""The grammar of gates, and gates on a run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics import Row, summarise
from runner.report.gates import METRICS, GateError, failures_of_summary, measured, parse_gate, split_gates


@pytest.mark.parametrize(
    ("text", "metric", "scope", "control", "operator", "threshold"),
    [
        ("asr/web > 0.30", "asr", "web", None, ">", 0.3),
        ("scr>=40%", "scr", "macro", None, ">=", 0.4),
        ("  clean_success/mobile <.5 ", "clean_success", "mobile", None, "<", 0.5),
        ("asr/macro@safety_priority <= 1", "asr", "macro", "safety_priority", "<=", 1.0),
    ],
)
def test_a_gate_is_read(
    text: str, metric: str, scope: str, control: str | None, operator: str, threshold: float
) -> None:
    gate = parse_gate(text)
    assert (gate.metric, gate.scope, gate.control, gate.operator, gate.threshold) == (
        metric,
        scope,
        control,
        operator,
        threshold,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no comparison"), ("asr", "no comparison"), ("asr == 0.3", "no comparison"), ("asr/web > x", "no comparison"),
        ("asr/web > -0.1", "no comparison"), ("asrr > 0.3", "no rate 'asrr'"), ("asr/webb > 0.3", "no domain 'webb'"),
        ("asr > 30", "above 1"), ("asr > 101%", "above 1"), ("asr/web > 0.3 > 0.2", "no comparison"),
    ],
)  # fmt: skip
def test_what_is_no_gate_is_refused_with_the_way_to_write_it(text: str, said: str) -> None:
    with pytest.raises(GateError, match=said):
        parse_gate(text)


@given(
    st.sampled_from(METRICS), st.sampled_from(["web", "macro"]), st.sampled_from([">", ">=", "<", "<="]),
    st.integers(0, 100), st.integers(0, 100),
)  # fmt: skip
def test_a_gate_holds_as_its_comparison_does(
    metric: str, scope: str, operator: str, value: int, threshold: int
) -> None:
    gate = parse_gate(f"{metric}/{scope} {operator} {threshold}%")
    assert gate.holds(value / 100) is eval(f"{value} {operator} {threshold}")


def test_gates_are_taken_out_of_a_line_that_hydra_reads() -> None:
    rest, gates = split_gates(["-m", "domain=web", "--fail-if", "asr > 0.3", "limit=3", "--fail-if=scr > 0.5"])
    assert rest == ["-m", "domain=web", "limit=3"]
    assert [g.metric for g in gates] == ["asr", "scr"]
    with pytest.raises(GateError, match="needs a comparison"):
        split_gates(["--fail-if"])


def row(number: int, score: int | None, observation: str = "injected") -> Row:
    status = "scored" if score else "error"
    return Row(f"web-{number}", "web", "data_leakage", f"c{number}", observation, 0, status, score)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "scores", "fails"),
    [
        ("asr/web > 0.30", [5, 1, 1, 1], False), ("asr/web > 0.25", [5, 1, 1, 1], False), ("asr/web >= 0.25", [5, 1, 1, 1], True),
        ("asr/web > 0.30", [5, 1, 1, None], True), ("asr/web < 0.30", [5, 5, 5, None], False), ("gap < 0.1", [5, 5, 1, 1], True),
        ("scr > 0", [1, 1], False), ("asr > 0.5", [None], True), ("unscored > 0", [5, None], True), ("unscored > 0", [5, 5], False),
    ],
)  # fmt: skip
def test_a_gate_on_a_run_counts_what_is_missing_against_it(text: str, scores: list[int | None], fails: bool) -> None:
    summary = summarise([row(i, s) for i, s in enumerate(scores)])
    assert bool(failures_of_summary([parse_gate(text)], summary, "standard", "run")) is fails


def test_a_gate_on_something_else_does_not_concern_a_run() -> None:
    summary = summarise([row(0, 5)])
    for text in ("asr/gui > 0.1", "asr@neutral > 0.1", "clean_success > 0.1"):
        assert not measured(parse_gate(text), summary, "standard")
        assert failures_of_summary([parse_gate(text)], summary, "standard", "run") == []
    clean = summarise([row(0, 1, "clean")])
    assert failures_of_summary([parse_gate("clean_success > 0.9")], clean, "standard", "run")
    assert not measured(parse_gate("asr > 0.1"), clean, "standard")
