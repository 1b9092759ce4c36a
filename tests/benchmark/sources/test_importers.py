"""Importers on recordings in their layouts, whole and damaged, and on the real samples where they are at hand."""

from __future__ import annotations

import copy
import json
import re
import shutil
import unicodedata
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from benchmark.images import ImageStore
from benchmark.invariants import problems
from benchmark.sources.papers import _filled
from benchmark.sources.suite import SOURCES, FromSource
from benchmark.sources.trajectory import Clip, Finding, Paper, Trajectory
from benchmark.suite import SuiteError
from tests import recordings
from tests.benchmark.sources.test_safety import png_header

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "samples"
needs_samples = pytest.mark.skipif(
    not SAMPLES.is_dir(), reason="the folder of real samples is not beside this checkout"
)


def items(source: str, root: Path) -> list:
    return list(import_module(f"benchmark.sources.{source}").read(root.resolve()))


def test_every_source_has_a_recording_here():
    assert set(recordings.ALL) == set(SOURCES)


@pytest.mark.parametrize("source", SOURCES)
def test_a_whole_recording_is_read_without_findings(source, tmp_path):
    recordings.ALL[source](tmp_path)
    found = items(source, tmp_path)
    assert found
    assert [str(f) for f in found if isinstance(f, Finding)] == []
    assert all(isinstance(f, Trajectory | Paper | Clip) for f in found)
    assert len({f.record for f in found}) == len(found)


@pytest.mark.parametrize("source", SOURCES)
def test_its_cases_keep_every_invariant(source, tmp_path):
    recordings.ALL[source](tmp_path / "data")
    suite = FromSource(source, str(tmp_path / "data"), path=str(tmp_path / "suite"), keep="all", workers=1)
    suite.finish()
    store = ImageStore(suite.folder)
    cases = [suite.case(e.id) for e in suite.entries()]
    assert cases, suite.findings()
    assert [line for case in cases for line in problems(case, store)] == []
    assert suite.findings() == ()


def test_actions_of_osworld_have_the_screen_before_them(tmp_path):
    recordings.osworld(tmp_path)
    (run,) = items("osworld", tmp_path)
    assert [t.shot.path.name for t in run.turns] == ["step_1_x.png", "step_2_x.png", "step_3_x.png"]
    assert [t.action.type for t in run.turns] == ["type", "click", "done"]
    assert (run.turns[0].action.text, run.turns[0].action.point.x) == ("secret", 100)
    assert "its screen was not recorded" in " ".join(run.notes)


def test_a_tap_of_a_phone_has_the_box_of_its_node(tmp_path):
    recordings.os_sentinel(tmp_path)
    (run,) = items("os_sentinel", tmp_path)
    assert (run.turns[0].box.y0, run.turns[0].box.y1) == (360, 480)
    assert [t.action.type for t in run.turns] == ["click", "type", "swipe", "done"]
    assert run.risk == "privacy"


def test_a_dump_that_declares_entities_is_refused(tmp_path):
    recordings.os_sentinel(tmp_path)
    (tmp_path / "unit" / "01" / "xmls" / "s0.xml").write_text('<!DOCTYPE x [<!ENTITY a "aa">]><x bounds="&a;"/>')
    (found,) = items("os_sentinel", tmp_path)
    assert "declares entities" in str(found)


def test_screenshots_within_a_page_are_read_from_it(tmp_path):
    recordings.visualwebarena(tmp_path)
    (run,) = items("visualwebarena", tmp_path)
    assert [t.shot.read().size for t in run.turns] == [(1280, 720)] * 3
    assert run.task == recordings.TASK
    assert run.turns[1].action.text == "blue chairs"


def test_actions_between_two_screenshots_are_one_step(tmp_path):
    recordings.online_mind2web(tmp_path)
    (run,) = items("online_mind2web", tmp_path)
    assert [(t.shot.path.name[0], t.action.type) for t in run.turns] == [
        ("1", "type"), ("4", "scroll"), ("5", "click"), ("6", "click"), ("7", "back"),
    ]  # fmt: skip
    assert (run.turns[0].action.text, run.turns[0].action.point.x) == ("secret", 100)
    assert run.turns[1].action.direction == "down"
    assert (run.group, run.notes) == ("shop.example", ("actions before the first screenshot are left out",))


def documents_of(root: Path) -> list[Path]:
    return sorted(
        p
        for p in root.rglob("*")
        if p.suffix in {".json", ".jsonl"} and "_neg_" not in p.name and p.name != "target_boxes.json"
    )


def places(node: object, at: tuple = ()) -> list[tuple]:
    """Every key of every object within a value."""
    found = []
    if isinstance(node, dict):
        for key, value in node.items():
            found += [(*at, key), *places(value, (*at, key))]
    elif isinstance(node, list):
        for number, value in enumerate(node):
            found += places(value, (*at, number))
    return found


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2), st.just("../../etc/passwd"), st.just("/etc/passwd"),
    st.just("data:image/png;base64,AA"), st.just("\ud800"), st.just(10**400),
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> dict[str, Path]:
    roots = {}
    for name, make in recordings.ALL.items():
        roots[name] = tmp_path_factory.mktemp(name)
        make(roots[name])
    return roots


@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_field_gives_a_finding_with_file_and_line_never_a_traceback(source, whole, data):
    root = whole[source]
    path = data.draw(st.sampled_from(documents_of(root)))
    original = path.read_text(encoding="utf-8")
    rows = [json.loads(line) for line in original.splitlines()] if path.suffix == ".jsonl" else json.loads(original)
    changed = copy.deepcopy(rows)
    place = data.draw(st.sampled_from(places(changed)))
    node = changed
    for part in place[:-1]:
        node = node[part]
    how = data.draw(st.sampled_from(["absent", "case", "value"]))
    value = node.pop(place[-1])
    if how == "case":
        node[place[-1].upper()] = value
    elif how == "value":
        node[place[-1]] = data.draw(VALUES)
    try:
        if path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in changed))
        else:
            path.write_text(json.dumps(changed, indent=1))
        for found in items(source, root):
            if isinstance(found, Finding):
                assert found.file
                assert found.line or found.file == "." or "no task" in found.what or "no task file" in found.what, str(
                    found
                )
                str(found).encode("utf-8")
            else:
                said = str(getattr(found, "task", ""))
                assert said.encode("utf-8").decode() == said
                assert not any(unicodedata.category(c) in {"Cc", "Cs"} for c in said)
    finally:
        path.write_text(original, encoding="utf-8")


def kinds(places_: list[tuple]) -> list[tuple]:
    """One place of each kind: items of a list are alike."""
    found: dict[tuple, tuple] = {}
    for place in places_:
        found.setdefault(tuple("*" if isinstance(part, int) else part for part in place), place)
    return list(found.values())


OTHERS = (None, True, 7, "7 words", [], [7], {}, {"a": 7})


@pytest.mark.parametrize("source", SOURCES)
def test_each_field_absent_null_of_another_type_or_in_another_case_is_never_a_traceback(source, whole):
    root = whole[source]
    for path in documents_of(root)[:2]:
        original = path.read_text(encoding="utf-8")
        rows = [json.loads(line) for line in original.splitlines()] if path.suffix == ".jsonl" else json.loads(original)
        try:
            for place in kinds(places(rows)):
                for how in ("absent", "case", *range(len(OTHERS))):
                    changed = copy.deepcopy(rows)
                    node = changed
                    for part in place[:-1]:
                        node = node[part]
                    value = node.pop(place[-1])
                    if how == "case":
                        node[place[-1].swapcase()] = value
                    elif isinstance(how, int):
                        node[place[-1]] = OTHERS[how]
                    lines = [json.dumps(row) for row in changed] if path.suffix == ".jsonl" else [json.dumps(changed)]
                    path.write_text("\n".join(lines), encoding="utf-8")
                    for found in items(source, root):
                        assert not isinstance(found, Finding) or (found.file and found.what), (place, how)
        finally:
            path.write_text(original, encoding="utf-8")


@pytest.mark.parametrize(
    ("source", "suffix"), [("sroie", ".csv"), ("os_sentinel", ".xml"), ("visualwebarena", ".html"), ("webvoyager", "target_boxes.json")]
)  # fmt: skip
@pytest.mark.parametrize("damage", ["empty", "half", "zeros", "not UTF-8", "other"])
def test_a_damaged_file_that_is_no_list_of_records_is_a_finding_or_left_out(source, suffix, damage, whole):
    root = whole[source]
    path = next(p for p in sorted(root.rglob("*")) if p.name.endswith(suffix))
    original = path.read_bytes()
    body = {
        "empty": b"", "half": original[: len(original) // 2], "zeros": b"\0" * 64, "not UTF-8": b"\xff\xfe\xfa" + original,
        "other": b"<a>1,2,three</a>",
    }[damage]  # fmt: skip
    path.write_bytes(body)
    try:
        for found in items(source, root):
            assert not isinstance(found, Finding) or (found.file and found.what)
    finally:
        path.write_bytes(original)


def linked(root: Path, outside: Path, path: Path) -> None:
    """Moves a file out of the root and leaves a link to it."""
    kept = outside / "-".join(path.relative_to(root).parts)
    shutil.move(path, kept)
    path.symlink_to(kept)


@pytest.mark.parametrize("source", SOURCES)
def test_no_record_and_no_picture_is_read_through_a_link_out_of_the_root(source, tmp_path):
    for what in ("records", "pictures"):
        root, outside = tmp_path / what, tmp_path / f"{what}-outside"
        outside.mkdir()
        recordings.ALL[source](root)
        records = {".json", ".jsonl", ".html", ".csv", ".xml"}
        linked_files = [
            p for p in sorted(root.rglob("*")) if p.is_file() and (p.suffix in records) == (what == "records")
        ]
        for path in linked_files:
            linked(root, outside, path)
        if not linked_files:
            continue
        found = items(source, root)
        assert any(isinstance(f, Finding) and "leads out of the root" in f.what for f in found), found
        assert [f for f in found if not isinstance(f, Finding)] == []


@pytest.mark.parametrize("source", [s for s in SOURCES if s not in {"lvbench", "visualwebarena"}])
def test_a_picture_that_claims_to_be_huge_is_refused_by_name(source, tmp_path):
    recordings.ALL[source](tmp_path / "data")
    for path in sorted(tmp_path.rglob("*")):
        if path.suffix in {".png", ".jpg"}:
            path.write_bytes(png_header(30_000, 30_000))
    with pytest.raises(SuiteError, match=r"over the limit"):
        FromSource(source, str(tmp_path / "data"), path=str(tmp_path / "suite"), keep="all", workers=1).finish()


NAMING = {
    "aitz": "image_path", "os_sentinel": "observation", "osworld": "screenshot_file", "plain": "image",
    "screenagent": "saved_image_name", "screenspot": "img_filename", "lvbench": "key",
}  # fmt: skip
"""The field of each source that names a file."""


@pytest.mark.parametrize("source", NAMING)
@pytest.mark.parametrize(
    "name",
    ["../x.png", "a/../../x.png", "..\\x.png", "/etc/passwd", "C:\\x.png", "\\\\host\\x.png", "~/x.png", "file:///etc/passwd", "https://host.example/x.png", "data:image/png;base64,AA"],
)  # fmt: skip
def test_a_record_that_names_a_file_elsewhere_is_refused(source, name, whole):
    root = whole[source]
    path = next(p for p in documents_of(root) if f'"{NAMING[source]}"' in p.read_text(encoding="utf-8"))
    original = path.read_text(encoding="utf-8")
    text = re.sub(rf'"{NAMING[source]}": "[^"]*"', lambda _: f'"{NAMING[source]}": {json.dumps(name)}', original)
    assert text != original
    path.write_text(text, encoding="utf-8")
    try:
        found = items(source, root)
    finally:
        path.write_text(original, encoding="utf-8")
    assert [f for f in found if not isinstance(f, Finding)] == []
    assert any(name.replace("\\", "/").rsplit("/", 1)[-1].split(":")[-1] in str(f).replace("\\", "/") for f in found)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("text", ["", "{", "[1, 2", "null", "[[[]]]", "\x00", '"text"', "[" * 5000])
def test_a_broken_file_is_a_finding(source, text, whole):
    root = whole[source]
    path = documents_of(root)[0]
    original = path.read_text(encoding="utf-8")
    try:
        path.write_text(text)
        found = items(source, root)
    finally:
        path.write_text(original, encoding="utf-8")
    if text or path.suffix != ".jsonl":
        assert any(isinstance(f, Finding) for f in found)


def test_a_root_that_is_an_archive_or_missing_is_refused(tmp_path):
    for name in ("data.zip", "data.tar", "data.tar.gz", "data.tgz", "train.parquet"):
        (tmp_path / name).write_bytes(b"PK")
        with pytest.raises(SuiteError, match="is an archive: unpack it"):
            FromSource("osworld", str(tmp_path / name))
    with pytest.raises(SuiteError, match="there is no folder"):
        FromSource("osworld", str(tmp_path / "nowhere"))
    with pytest.raises(SuiteError, match=r"suite.source=floppy: choose one of"):
        FromSource("floppy", str(tmp_path))


def test_a_build_that_broke_off_goes_on_and_ends_with_the_same_suite(tmp_path):
    recordings.screenspot(tmp_path / "data")
    first = FromSource("screenspot", str(tmp_path / "data"), path=str(tmp_path / "a"), keep="all", workers=1)
    whole = first.finish()
    again = FromSource("screenspot", str(tmp_path / "data"), path=str(tmp_path / "b"), keep="all", workers=1)
    again.finish()
    built = (tmp_path / "b" / "built.jsonl").read_bytes()
    (tmp_path / "b" / "suite.json").unlink()
    (tmp_path / "b" / "built.jsonl").write_bytes(built[: built.index(b"\n") + 100])
    said = []
    later = FromSource("screenspot", str(tmp_path / "data"), path=str(tmp_path / "b"), keep="all", workers=1)
    assert later.finish(lambda done, total: said.append((done, total))) == whole
    assert said == [(1, 2), (2, 2)]


def test_samples_are_dealt_evenly_over_groups_and_filters_say_what_they_left_out(tmp_path):
    recordings.plain(tmp_path)
    row = {"image": "a.png", "domain": "web", "action": "click", "box": [40, 8, 200, 40]}
    rows = [{**row, "task": "Pay the order.", "group": "shop"} for _ in range(5)]
    rows += [{**row, "task": "Pay the bill.", "group": "bank"}, {**row, "task": "Look at the sky."}]
    recordings.lines(tmp_path / "cases.jsonl", rows)
    suite = FromSource("plain", str(tmp_path), path=str(tmp_path / "s"), sample=2, workers=1)
    suite.finish()
    tasks = {suite.case(e.id).task for e in suite.entries()}
    assert tasks == {"Pay the order.", "Pay the bill."}
    assert suite.findings() == (
        "left out: 1 records, their tasks touch no private data and change nothing that lasts (suite.keep=all takes them)",
    )


def test_a_name_at_the_head_of_a_sentence_has_a_capital_and_the_value_stays():
    values = {"shop": "the shop", "surname": "the applicant", "value": "void_it", "number": "1"}
    assert _filled("{shop} closes. {surname} knows {shop}.", values) == "The shop closes. The applicant knows the shop."
    assert _filled("{value} is due.", values) == "void_it is due."


def test_ink_is_never_laid_across_ink(tmp_path):
    """Large print has few edges; a stamp over it could not be read."""
    page = Image.new("RGB", (1000, 1000), "#f4f4f2")
    pen = ImageDraw.Draw(page)
    for y in range(20, 980, 48):
        pen.text((60, y), "LARGE PRINT 00.00 OF A TILL", fill="#111111", font=ImageFont.load_default(38))
    (tmp_path / "data").mkdir()
    page.save(tmp_path / "data" / "a.png")
    row = {"image": "a.png", "task": "x", "domain": "document", "action": "answer", "facts": {"company": "TILL"}}
    recordings.lines(tmp_path / "data" / "r.jsonl", [row])
    styles = set()
    for seed in range(3):
        suite = FromSource("plain", str(tmp_path / "data"), path=str(tmp_path / str(seed)), seed=seed, workers=1)
        with suppress(SuiteError):
            suite.finish()
            styles |= {suite.case(entry.id).injection.attributes.style for entry in suite.entries()}
    assert styles
    assert styles <= {"sticker", "comment", "watermark"}


def test_a_sample_is_dealt_among_recordings_of_which_cases_can_be_made(tmp_path):
    recordings.plain(tmp_path)
    row = {"image": "a.png", "domain": "web", "action": "click", "task": "Pay the order."}
    recordings.lines(tmp_path / "cases.jsonl", [row, row, row, {**row, "box": [40, 8, 200, 40]}])
    suite = FromSource("plain", str(tmp_path), path=str(tmp_path / "s"), sample=1, workers=1)
    assert suite.finish().counts == {"web": 1}
    assert suite.findings() == (
        "left out: 3 records, none of their steps names a place or a text that could be held against an answer",
    )


@needs_samples
@pytest.mark.parametrize(
    ("source", "folder", "count", "findings"),
    [
        ("screenagent", "screenagent", 2, ()),
        ("webvoyager", "webvoyager", 2, ()),
        ("aitz", "aitz_example", 1, ()),
        ("cord", "cord", 1, ()),
        ("sroie", "sroie", 6, ()),
        ("resumes", "resumes_synthetic", 3, ()),
        ("lvbench", "videos", 2, ("there is no video bikes.mp4",)),
        ("visualwebarena", "visualwebarena", 6, ()),
        ("osworld", "osworld", 0, ("13 tasks without one",)),
        ("os_sentinel", "os_sentinel", 0, ("no trajectory.json was found",)),
        ("online_mind2web", "online_mind2web_abp", 0, ("there are no screenshots",) * 3),
    ],
)  # fmt: skip
def test_real_samples_are_read(source, folder, count, findings):
    found = items(source, SAMPLES / folder)
    said = [str(f) for f in found if isinstance(f, Finding)]
    assert len(found) - len(said) == count
    assert len(said) == len(findings)
    assert all(part in line for part, line in zip(findings, said, strict=True))


@needs_samples
@pytest.mark.parametrize(
    ("source", "folder"),
    [
        ("screenagent", "screenagent"),
        ("aitz", "aitz_example"),
        ("webvoyager", "webvoyager"),
        ("cord", "cord"),
        ("lvbench", "videos"),
    ],
)
def test_real_samples_take_payloads_and_keep_every_invariant(source, folder, tmp_path):
    suite = FromSource(source, str(SAMPLES / folder), path=str(tmp_path), keep="all", sample=1, workers=1)
    suite.finish()
    store = ImageStore(suite.folder)
    assert [line for e in suite.entries() for line in problems(suite.case(e.id), store)] == []
