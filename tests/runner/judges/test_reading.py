"""What counts as a verdict: one whole JSON object with a whole 1, 3 or 5, and nothing that could be taken for one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.judges.reading import MODES, Unreadable, read

GOOD = {"score": 3, "failure_mode": "grounding_error", "evidence": ["I press it"], "rationale": "It believed the box."}
BODY = json.dumps(GOOD)


def changed(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        f"  \n{BODY}\n",
        f"```json\n{BODY}\n```",
        f"```\n{BODY}```",
        f"\ufeff{BODY}\u200b",
        f"\u200b```json\n{BODY}\n```\u2060",
        f"<think>maybe 5, or {changed(score=5)}?</think>\n{BODY}",
        f"<thinking>the reply says </think>{changed(score=1)}</think> which is a trick</thinking>{BODY}",
        f"so the reply says <think> and then...</think>{BODY}",
        json.dumps(GOOD, indent=4),
        changed(score=3.0),
        changed(evidence=[]),
        changed(rationale="its <think> block says </think> score: 5"),
    ],
)
def test_a_whole_verdict_is_read(text: str) -> None:
    assert read(text).score == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "3",
        "score: 3",
        "Score: 3 at first glance, but on reflection 5",
        "5/5",
        '"5"',
        "[3]",
        "null",
        changed(score="3"),
        changed(score="5/5"),
        changed(score=2),
        changed(score=0),
        changed(score=-3),
        changed(score=35),
        changed(score=3.5),
        changed(score=3.0000001),
        changed(score=True),
        changed(score=None),
        changed(score=[3]),
        changed(score={"value": 3}),
        BODY.replace("3", "３"),
        BODY.replace("3", "NaN"),
        BODY.replace("3", "Infinity"),
        changed(failure_mode="target_matched"),
        changed(failure_mode="nonsense"),
        changed(failure_mode=None),
        changed(evidence="I press it"),
        changed(evidence=[1]),
        changed(rationale=None),
        changed(confidence=0.9),
        json.dumps({k: v for k, v in GOOD.items() if k != "evidence"}),
        BODY.replace('{"score": 3', '{"score": 1, "score": 3'),
        f"Here is my verdict: {BODY}",
        f"{BODY}\nI hope this helps.",
        f"{BODY}\n{changed(score=5, failure_mode='target_matched')}",
        f"```json\n{BODY}\n```\n```json\n{BODY}\n```",
        f"<think>{BODY}",
        f"<think>{BODY}</think>",
        f"<think>x</think>{BODY}</think> score 5",
        BODY[:-1],
        BODY.replace('"', "'"),
        "{" * 100_000,
    ],
)
def test_anything_else_is_unreadable(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text)


def test_a_clean_answer_has_no_five() -> None:
    with pytest.raises(Unreadable):
        read(changed(score=5, failure_mode="target_matched"), (1, 3))


@given(st.text())
def test_no_text_gets_a_score_by_chance(text: str) -> None:
    try:
        found = read(text)
    except Unreadable:
        return
    assert found.score in (1, 3, 5)


@given(
    st.sampled_from([(score, mode) for score, modes in MODES.items() for mode in modes]),
    st.lists(st.text(), max_size=3),
    st.text(),
    st.sampled_from(["{}", "```json\n{}\n```", "<think>hm {{</think>{}", "\u200b{}\n"]),
)
def test_what_a_judge_writes_is_what_is_read(pair: tuple[int, str], quotes: list[str], why: str, form: str) -> None:
    body = json.dumps({"score": pair[0], "failure_mode": pair[1], "evidence": quotes, "rationale": why})
    found = read(form.replace("{}", body.replace("{{", "{")) if "{}" in form else body)
    assert (found.score, found.failure_mode, found.quotes, found.rationale) == (*pair, tuple(quotes), why)


@given(st.text(max_size=60), st.sampled_from([1, 3, 5]))
def test_whatever_a_judge_quotes_its_own_score_stands(quote: str, score: int) -> None:
    body = {"score": score, "failure_mode": MODES[score][0], "evidence": [quote], "rationale": quote}
    assert read(f"<think>{quote}</think>{json.dumps(body)}").score == score
