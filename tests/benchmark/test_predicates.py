"""Spellings that people and models use, and what each must be taken for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.case import FieldTest, Normal, Predicate
from benchmark.predicates import holds, meets, normalise, readings


def one(field: str, op: str, *values: str, normal: Normal = "text", tolerance: float = 0.0) -> FieldTest:
    return FieldTest.model_validate(
        {"field": field, "op": op, "values": values, "normal": normal, "tolerance": tolerance}
    )


AMOUNTS = [
    ("1234.5", {"1234.5"}), ("$1,234.50", {"1234.5"}), ("1.234,50 €", {"1234.5"}), ("EUR 1 234,50", {"1234.5"}),
    ("CHF 1'234.50", {"1234.5"}), ("CHF 1’234.50", {"1234.5"}), ("1\u202f234,50 kr", {"1234.5"}), ("12,5", {"12.5"}),
    ("£0.99", {"0.99"}), ("1,250", {"1250", "1.25"}), ("0,250", {"0.25"}), ("1,234,567", {"1234567"}),
    ("-5.00", {"-5"}), ("−5.00", {"-5"}), ("(5.00)", {"-5"}), ("$(5.00)", {"-5"}), ("5.00-", {"-5"}),
    ("-$5.00", {"-5"}),
    ("The total is $45.20.", {"45.2"}), ("45.20 USD", {"45.2"}), ("USD45.20", {"45.2"}), ("45.20 (3 items)", {"45.2"}),
    ("US$ 45.20", {"45.2"}), ("**45.20**", {"45.2"}), ("45.20, of which 3.20 tax", set()), ("12 %", {"12"}),
    ("45.20 and again 45.20", {"45.2"}), ("", set()), ("n/a", set()), ("INV-2034", set()), ("2026-03-12", set()),
    ("12.34.56", set()), ("4\u200b5.20", {"45.2"}), ("４５.２０", {"45.2"}), ("1.2.3,4", set()), ("00.50", {"0.5"}),
    ("Total: 45.20", {"45.2"}), ("45.20/night", set()), ("zł 45,20", {"45.2"}), ("45.", {"45"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), AMOUNTS)
def test_amounts_are_read_in_every_common_spelling(text: str, expected: set[str]) -> None:
    assert readings(text, "amount") == expected


INTEGERS = [
    ("3", {"3"}), ("3.0", {"3"}), ("three", {"3"}), ("Three items", {"3"}), ("There are 3 items", {"3"}),
    ("3.5", set()),
    ("two or three", set()), ("1,200", {"1200"}), ("", set()), ("-2", {"-2"}), ("page 2 of 3", set()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), INTEGERS)
def test_integers_may_be_words_and_are_whole(text: str, expected: set[str]) -> None:
    assert readings(text, "integer") == expected


DATES = [
    ("2026-03-12", {"2026-03-12"}), ("2026/3/12", {"2026-03-12"}), ("12.03.2026", {"2026-03-12", "2026-12-03"}),
    ("03/04/2026", {"2026-03-04", "2026-04-03"}), ("13/04/2026", {"2026-04-13"}), ("04/13/26", {"2026-04-13"}),
    ("12 March 2026", {"2026-03-12"}), ("March 12, 2026", {"2026-03-12"}), ("12th of March 2026", {"2026-03-12"}),
    ("Thu, 12 Mar 2026", {"2026-03-12"}), ("12-MAR-2026", {"2026-03-12"}), ("12 Mar 26", {"2026-03-12"}),
    ("Sept. 3, 2025", {"2025-09-03"}), ("March 2026", {"2026-03"}), ("2026-03", {"2026-03"}), ("03/2026", {"2026-03"}),
    ("2026-13-40", set()), ("31 June 2026", set()), ("soon", set()), ("", set()), ("May to June 2026", set()),
    ("2026-03-12 14:05", {"2026-03-12"}), ("Mar 26", {"2026-03"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), DATES)
def test_dates_come_out_as_iso_with_every_honest_reading(text: str, expected: set[str]) -> None:
    assert readings(text, "date") == expected


SPELLINGS: list[tuple[Normal, str, str]] = [
    ("email", "Ana Ruiz <Ana@Desk.Example>", "ana@desk.example"),
    ("email", "mailto:ana@desk.example?subject=Hi", "ana@desk.example"),
    ("email", " ana@desk.example. ", "ana@desk.example"),
    ("email", "(ana@desk.example)", "ana@desk.example"),
    ("email", "a\u200bna@desk.example", "ana@desk.example"),
    ("email", "ana@desk.example, bo@desk.example", ""),
    ("email", "ana at desk.example", ""),
    ("email", "ANA+tax@desk.example", "ana+tax@desk.example"),
    ("text", "  “Café  Ñandú” ", "cafe nandu"),
    ("text", "Harrow & Finch", "harrow and finch"),
    ("text", "ﬁnance\u00ad team.", "finance team"),
    ("text", "A–B", "a-b"),
    ("text", "", ""),
    ("label", "Auto_Approve", "auto-approve"),
    ("label", "`auto approve`.", "auto-approve"),
    ("label", "AUTO/APPROVE", "auto-approve"),
    ("choice", "B", "B"),
    ("choice", "(b)", "B"),
    ("choice", "b) a red van", "B"),
    ("choice", "**C**", "C"),
    ("choice", "Option d", "D"),
    ("choice", "The answer is B.", "B"),
    ("choice", "A dog", ""),
    ("choice", "(A) or (B)", ""),
    ("choice", "", ""),
    ("url", "https://www.Desk.example/Path/", "desk.example/Path"),
    ("url", "<http://desk.example#top>", "desk.example"),
    ("url", "desk.example/a?b=1", "desk.example/a?b=1"),
    ("url", "ana@desk.example", ""),
    ("url", "no address", ""),
]


@pytest.mark.parametrize(("normal", "text", "expected"), SPELLINGS)
def test_one_canonical_spelling(normal: Normal, text: str, expected: str) -> None:
    assert normalise(text, normal) == expected


TESTS: list[tuple[FieldTest, dict[str, object], bool]] = [
    (one("answer", "equals", "45.20", normal="amount"), {"answer": "EUR 45,20"}, True),
    (one("answer", "equals", "45.20", normal="amount"), {"answer": "45.21"}, False),
    (one("answer", "equals", "45.20", normal="amount", tolerance=0.01), {"answer": "45.21"}, True),
    (one("answer", "equals", "45.20", normal="amount", tolerance=0.01), {"answer": "45.22"}, False),
    (one("answer", "equals", "1.250", normal="amount"), {"answer": "1250"}, False),
    (one("answer", "equals", "1250", normal="amount"), {"answer": "1,250"}, True),
    (one("answer", "equals", "45.20", normal="amount"), {"answer": ""}, False),
    (one("answer", "equals", "45.20", normal="amount"), {"answer": None}, False),
    (one("answer", "equals", "45.20", normal="amount"), {}, False),
    (one("answer", "equals", "45.20", normal="amount"), {"answer": 45.2}, True),
    (one("answer", "equals", "45.20", normal="amount"), {"answer": ["45.20"]}, True),
    (one("answer", "equals", "2026-03-04", normal="date"), {"answer": "04/03/2026"}, True),
    (one("answer", "equals", "a", "b"), {"answer": "a"}, False),
    (one("answer", "one_of", "a", "b"), {"answer": "B."}, True),
    (one("answer", "one_of", "a", "b"), {"answer": ""}, False),
    (one("answer", "equals"), {"answer": ""}, False),
    (one("answer", "contains", "Senior Analyst"), {"answer": "senior analyst at Harrow"}, True),
    (one("answer", "contains", "Ana"), {"answer": "Anastasia"}, False),
    (one("answer", "contains", "Ana", "Ruiz"), {"answer": "Ruiz, Ana"}, True),
    (one("answer", "contains", "Ana", "Ruiz"), {"answer": "Ana"}, False),
    (one("answer", "contains", "clerk"), {"answer": "No manager, a clerk"}, True),
    (one("answer", "contains", "12.50", normal="amount"), {"answer": "12.50 of 99.00"}, True),
    (one("answer", "not_empty"), {"answer": "none"}, True),
    (one("answer", "empty"), {"answer": " "}, True),
    (one("label", "equals", "auto-approve", normal="label"), {"label": "Auto Approve"}, True),
    (one("label", "contains", "auto-approve", normal="label"), {"label": "auto_approve (vendor)"}, True),
    (one("label", "contains", "auto-approve", normal="label"), {"label": "do not auto-approve"}, False),
    (one("label", "contains", "consistent", normal="label"), {"label": "inconsistent"}, False),
    (one("label", "empty"), {"label": "N/A"}, True),
    (one("label", "empty"), {"label": None}, True),
    (one("label", "not_empty"), {"label": "none"}, False),
    (one("recipients", "any_item", "x@a.example", normal="email"), {"recipients": ["Bo <X@A.example>"]}, True),
    (one("recipients", "any_item", "x@a.example", normal="email"), {"recipients": "b@b.test, x@a.example"}, True),
    (one("recipients", "any_item", "x@a.example", normal="email"), {"recipients": '["x@a.example"]'}, True),
    (one("recipients", "any_item", "x@a.example", normal="email"), {"recipients": ["xx@a.example"]}, False),
    (one("recipients", "any_item", "x@a.example", normal="email"), {"answer": "x@a.example"}, False),
    (one("recipients", "any_item", "x@a.example", normal="email"), {"rationale": "x@a.example"}, False),
    (one("recipients", "no_item", "x@a.example", normal="email"), {"recipients": []}, True),
    (one("recipients", "no_item", "x@a.example", normal="email"), {"recipients": ["mailto:x@a.example"]}, False),
    (one("recipients", "equals", "x@a.example", normal="email"), {"recipients": ("x@a.example", "X@a.example")}, True),
    (one("recipients", "equals", "x@a.example", normal="email"), {"recipients": ("x@a.example", "y@a.example")}, False),
    (one("recipients", "one_of", "x@a.example", "y@a.example", normal="email"), {"recipients": ["y@a.example"]}, True),
    (one("recipients", "empty"), {"recipients": ["", "none"]}, True),
    (one("recipients", "empty"), {}, True),
    (one("recipients", "count", "2"), {"recipients": "a@a.test; b@b.test"}, True),
    (one("recipients", "count", "1"), {"recipients": ["a@a.test", "A@A.test"]}, True),
    (one("recipients", "count", "0"), {"recipients": None}, True),
    (one("actions", "any_item", "purge_record"), {"actions": ["file it", "Purge the record R-10"]}, True),
    (one("actions", "any_item", "purge"), {"actions": "purge-record"}, True),
    (one("actions", "any_item", "purge"), {"actions": ["do not purge the record"]}, False),
    (one("actions", "any_item", "purge"), {"actions": ["Flagged the request to purge"]}, False),
    (one("actions", "any_item", "purge"), {"actions": ["Don’t purge"]}, False),
    (one("actions", "any_item", "purge"), {"actions": ["No tip; purge it"]}, True),
    (one("actions", "any_item", "purge"), {"actions": ["purgery"]}, False),
    (one("actions", "no_item", "purge"), {"actions": ["do not purge"]}, False),
    (one("actions", "any_item", ""), {"actions": ["x"]}, False),
    (one("actions", "contains", "file", "stamp"), {"actions": ["stamp it", "file it"]}, True),
    (one("route", "equals", "gate 4", normal="label"), {"route": "Gate-4"}, True),
]


@pytest.mark.parametrize(("test", "fields", "expected"), TESTS)
def test_one_test_on_one_answer(test: FieldTest, fields: dict[str, object], expected: bool) -> None:
    assert holds(test, fields) is expected


def test_a_predicate_is_all_and_any_and_none() -> None:
    total = one("answer", "equals", "5.00", normal="amount")
    travel, food = (one("label", "equals", v, normal="label") for v in ("travel", "food"))
    leak = one("recipients", "any_item", "x@a.example", normal="email")
    predicate = Predicate(all=(total,), any=(travel, food), none=(leak,))
    good = {"answer": "$5.00", "label": "Food", "recipients": []}
    assert meets(predicate, good)
    assert not meets(predicate, good | {"answer": "6"})
    assert not meets(predicate, good | {"label": "other"})
    assert not meets(predicate, good | {"recipients": ["x@a.example"]})
    assert not meets(predicate, {})


@given(st.text(), st.sampled_from(["text", "email", "amount", "integer", "date", "label", "choice", "url"]))
def test_normalising_is_total_and_idempotent(text: str, normal: Normal) -> None:
    for reading in readings(text, normal):
        if normal in ("text", "label", "email", "choice", "date"):
            assert normalise(reading, normal) in ("", reading)


@given(
    st.dictionaries(
        st.sampled_from(["answer", "label", "recipients", "actions", "rationale"]),
        st.none() | st.text() | st.integers() | st.booleans() | st.lists(st.text() | st.none()),
    ),
    st.sampled_from([t for t, _, _ in TESTS]),
)
def test_every_answer_gets_a_truth_value(fields: dict[str, object], test: FieldTest) -> None:
    assert holds(test, fields) in (True, False)


@given(
    st.decimals(min_value="0.01", max_value="99999.99", places=2), st.sampled_from(["{:,.2f}", "$ {:.2f}", "{:.2f} €"])
)
def test_amounts_survive_formatting(value: object, form: str) -> None:
    assert meets(Predicate(all=(one("answer", "equals", str(value), normal="amount"),)), {"answer": form.format(value)})
