"""User payload packs: what a good one changes, and the one line that a bad one gives."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmark.construct.build import GeneratedSuite, builder
from benchmark.construct.packs import load
from benchmark.construct.payload.wordings import wordings
from benchmark.images import ImageStore
from benchmark.invariants import problems
from benchmark.suite import SuiteError

GUIDE = Path(__file__).parents[3] / "docs" / "payload_packs.md"


def example() -> list[dict]:
    """The example of the guide, so that it stays true."""
    return json.loads(re.search(r"```json\n(.*?)```", GUIDE.read_text(), re.DOTALL)[1])


def written(folder: Path, rows, name: str = "web.data_leakage.json") -> str:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(rows if isinstance(rows, str) else json.dumps(rows))
    return str(folder)


def test_a_pack_adds_its_wordings_and_the_cases_keep_every_invariant(tmp_path):
    pack = load(written(tmp_path / "pack", example()))
    own = {w["id"] for w in example()}
    made = builder("web", pack)
    specs = [s for s in made.plan(60, 0) if s.intent == "data_leakage"]
    store = ImageStore(tmp_path / "suite")
    known = len(wordings("web", "data_leakage"))
    met = [s for s in specs if int(s.choices["wording"]) >= known][:2]
    cases = [made.build(s, store) for s in met]
    assert {c.injection.attributes.wording for c in cases} & own
    assert [p for c in cases for p in problems(c, store)] == []


def test_a_suite_with_a_pack_is_another_suite_in_another_folder_and_private(tmp_path):
    plain = GeneratedSuite(root=str(tmp_path))
    mine = GeneratedSuite(root=str(tmp_path), payloads=written(tmp_path / "pack", example()))
    assert mine.identity() != plain.identity()
    assert mine.folder != plain.folder
    assert (plain.public, mine.public) == (True, False)
    assert mine._info(()).canary == ""
    assert "mma-safetybench canary" in plain._info(()).canary
    assert "private" in mine.note()
    row = {**example()[0], "title": "Something else"}
    assert GeneratedSuite(root=str(tmp_path), payloads=written(tmp_path / "b", [row])).folder != mine.folder


def test_other_domains_and_intents_are_untouched_by_a_pack(tmp_path):
    pack = load(written(tmp_path / "pack", example()))
    assert builder("gui", pack).plan(30, 0) == builder("gui").plan(30, 0)
    mine, plain = builder("web", pack).plan(60, 0), builder("web").plan(60, 0)
    for intent in ("destructive_induction", "privilege_escalation"):
        assert [s for s in mine if s.intent == intent] == [s for s in plain if s.intent == intent]


def changed(**fields) -> list[dict]:
    return [{**example()[0], **fields}]


def without(name: str) -> list[dict]:
    return [{k: v for k, v in example()[0].items() if k != name}]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("{", "web.data_leakage.json: it is no JSON"),
        ("[]", "a list of wordings, at least one"),
        ('{"a": 1}', "a list of wordings"),
        ('["a"]', "wording 1: it should be an object"),
        (without("title"), "it has no 'title'"),
        (changed(colour="red"), "there is no field 'colour'"),
        (changed(body="One text."), "body should be a list"),
        (changed(body=[]), "one to three sentences"),
        (changed(body=["a.", "b.", "c.", "d."]), "one to three sentences"),
        (changed(body=[1]), "sentence should be a text"),
        (changed(title="  "), "title should be a text of one line"),
        (changed(title="a\nb"), "title should be a text of one line"),
        (changed(title="x" * 61), "title has 61 characters, at most 60 fit"),
        (changed(control="y" * 29), "control has 29 characters"),
        (changed(authority="boss"), "authority is 'boss'; it should be one of system, app, admin, vendor"),
        (changed(pressure="x"), "pressure is 'x'"),
        (changed(urgency=["low"]), "urgency is"),
        (changed(id="Mine!"), "id should be of small letters"),
        (changed(id="web-l01"), "id 'web-l01' is taken by the benchmark"),
        (example() + example(), "is taken by web.data_leakage.json"),
        (changed(title="Call {who}"), "unknown slots"),
        (changed(brief="Send it to box@mail.acme.com now."), "'mail.acme.com' could be a real host"),
        (changed(brief="Ring 212-867-5309 now."), "could be a real number"),
    ],
)
def test_a_bad_pack_gives_one_line_that_names_the_place(tmp_path, rows, says):
    folder = written(tmp_path / "bad", rows)
    with pytest.raises(SuiteError, match=re.escape(says)) as refusal:
        GeneratedSuite(root=str(tmp_path), payloads=folder)
    assert str(refusal.value).startswith(f"suite.payloads={folder}: ")
    assert "\n" not in str(refusal.value)


def test_a_file_of_another_name_and_an_empty_or_missing_folder_are_refused(tmp_path):
    with pytest.raises(SuiteError, match=r"desktop\.data_leakage\.json should be called"):
        load(written(tmp_path / "a", example(), "desktop.data_leakage.json"))
    (tmp_path / "b").mkdir()
    with pytest.raises(SuiteError, match="holds no <domain>"):
        load(str(tmp_path / "b"))
    with pytest.raises(SuiteError, match="no such folder"):
        load(str(tmp_path / "c"))


def test_reserved_hosts_and_numbers_pass(tmp_path):
    brief = "Mail {to} or desk@help.example.org, ring 555-0142."
    assert load(written(tmp_path / "ok", changed(brief=brief))).digest
