"""A built suite moves as one archive; an archive from elsewhere gets nothing past its reader."""

from __future__ import annotations

import io
import json
import os
import tarfile
from pathlib import Path

import pytest

from benchmark import archive
from benchmark.archive import ArchiveError, pack, unpacked
from benchmark.construct.build import GeneratedSuite
from benchmark.images import ImageStore
from benchmark.suite import Stamps, StoredSuite, SuiteError
from tests.small_suite import write_suite


@pytest.fixture
def suite(tmp_path) -> Path:
    return write_suite(tmp_path / "made", {"web": 3, "document": 2})


@pytest.fixture
def packed(suite, tmp_path) -> Path:
    pack(suite, tmp_path / "suite.tar")
    return tmp_path / "suite.tar"


def rewritten(packed: Path, change) -> Path:
    """The archive with its members passed through `change(member, bytes) -> list of (member, bytes)`."""
    out = packed.with_name("changed.tar")
    with tarfile.open(packed) as source, tarfile.open(out, "w") as target:
        for member in source:
            for new, data in change(member, source.extractfile(member).read()):
                target.addfile(new, io.BytesIO(data) if new.isreg() else None)
    return out


def with_member(packed: Path, name: str, data: bytes = b"x", **fields) -> Path:
    def change(member, content):
        rows = [(member, content)]
        if member.name == "cases.jsonl":
            extra = tarfile.TarInfo(name)
            extra.size = len(data)
            for key, value in fields.items():
                setattr(extra, key, value)
            rows.append((extra, data))
        return rows

    return rewritten(packed, change)


def files(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and p.name != "stamps.json"
    }


def test_a_packed_suite_is_the_same_elsewhere(suite, packed, tmp_path):
    moved = StoredSuite("stored", str(packed), root=str(tmp_path / "elsewhere"))
    assert moved.folder.parent == tmp_path / "elsewhere"
    assert files(moved.folder) == files(suite)
    here = StoredSuite("stored", str(suite))
    assert moved.identity() == here.identity()
    ids = [e.id for e in here.entries()]
    moved.ensure(ids)
    assert [moved.case(i) for i in ids] == [here.case(i) for i in ids]
    assert [p for i in ids for p in Stamps(moved.folder).problems(moved.case(i))] == []


def test_packing_twice_gives_the_same_bytes(suite, packed, tmp_path):
    for path in suite.rglob("*"):
        os.utime(path, (1, 1))
    pack(suite, tmp_path / "again.tar")
    assert (tmp_path / "again.tar").read_bytes() == packed.read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_an_archive_is_unpacked_once(packed, tmp_path):
    first = unpacked(packed, tmp_path / "root")
    marker = first / "images" / "stamps.json"
    marker.write_text("{}")
    assert unpacked(packed, tmp_path / "root") == first
    assert marker.exists()


def test_images_that_no_case_names_and_leftovers_are_not_packed(suite, packed, tmp_path):
    (suite / "images" / "00").mkdir(exist_ok=True)
    (suite / "images" / "00" / ("0" * 64 + ".png")).write_bytes(b"orphan")
    (suite / "built.jsonl").write_text("{}\n")
    pack(suite, tmp_path / "again.tar")
    assert (tmp_path / "again.tar").read_bytes() == packed.read_bytes()


@pytest.mark.parametrize(
    ("name", "fields", "says"),
    [
        ("/etc/passwd", {}, "'/etc/passwd' is not the name"),
        ("../outside.json", {}, "'../outside.json' is not the name"),
        ("images/../../x.png", {}, "is not the name"),
        ("images/ab/short.png", {}, "is not the name"),
        ("suite.json.exe", {}, "is not the name"),
        ("images/aa/" + "a" * 64 + ".png", {}, "belongs to no case"),
        ("images/aa/" + "b" * 64 + ".png", {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd", "size": 0}, "is a link"),
        ("cases2", {"type": tarfile.LNKTYPE, "linkname": "suite.json", "size": 0}, "is a link"),
        ("videos/a.mp4", {"type": tarfile.CHRTYPE, "size": 0}, "a device"),
        ("videos/../a.mp4", {}, "is not the name"),
        ("videos", {"type": tarfile.SYMTYPE, "linkname": "/tmp", "size": 0}, "is a link"),
        ("etc", {"type": tarfile.DIRTYPE, "size": 0}, "is a link, a device"),
        ("cases.jsonl", {}, "occurs twice"),
    ],
)  # fmt: skip
def test_a_member_that_no_suite_has_is_refused_by_name_and_nothing_is_left(packed, tmp_path, name, fields, says):
    bad = with_member(packed, name, **fields)
    with pytest.raises(ArchiveError, match=says):
        unpacked(bad, tmp_path / "root")
    assert [p.name for p in (tmp_path / "root").glob("*")] in ([], [".unpacking.lock"])
    assert not (tmp_path / "outside.json").exists()


def test_an_oversized_member_is_refused_by_name(packed, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "LIMITS", tuple((p, 200 if "png" in p.pattern else most) for p, most in archive.LIMITS))
    with pytest.raises(ArchiveError, match=r"member 'images/\w\w/\w+\.png' has \d+ bytes, more than the 200 allowed"):
        unpacked(packed, tmp_path / "root")


def test_a_changed_case_is_refused(packed, tmp_path):
    def change(member, content):
        if member.name == "cases.jsonl":
            content = content.replace(b"State the total.", b"State no total..")
            member.size = len(content)
        return [(member, content)]

    with pytest.raises(SuiteError, match="another data hash than suite"):
        unpacked(rewritten(packed, change), tmp_path / "root")
    assert not [p for p in (tmp_path / "root").iterdir() if p.is_dir()]


def test_a_missing_image_is_named(packed, tmp_path):
    gone = []

    def change(member, content):
        if member.name.endswith(".png") and not gone:
            gone.append(member.name)
            return []
        return [(member, content)]

    bad = rewritten(packed, change)
    with pytest.raises(ArchiveError, match=f"lacks 1 images, the first is {gone[0]}"):
        unpacked(bad, tmp_path / "root")


def test_a_changed_image_is_found_when_it_is_used(packed, suite, tmp_path):
    here = StoredSuite("stored", str(suite))
    other = ImageStore(suite).path(here.case("web-0001").injected).read_bytes()
    name = here.case("web-0000").injected.relative_path

    def change(member, content):
        if member.name == name:
            content = other
            member.size = len(content)
        return [(member, content)]

    moved = StoredSuite("stored", str(rewritten(packed, change)), root=str(tmp_path / "root"))
    assert "does not hold the pixels of its name" in Stamps(moved.folder).problems(moved.case("web-0000"))[0]


@pytest.mark.parametrize("content", [b"", b"not a tar at all" * 100])
def test_what_is_no_archive_is_refused_in_one_line(tmp_path, content):
    (tmp_path / "a.tar").write_bytes(content)
    with pytest.raises(ArchiveError, match=r"a\.tar"):
        unpacked(tmp_path / "a.tar", tmp_path / "root")
    with pytest.raises(ArchiveError, match="no such file"):
        unpacked(tmp_path / "none.tar", tmp_path / "root")


def test_an_archive_that_was_cut_short_leaves_nothing(packed, tmp_path):
    cut = tmp_path / "cut.tar"
    data = packed.read_bytes()
    for share in (0.3, 0.6, 0.9):
        cut.write_bytes(data[: int(len(data) * share)])
        with pytest.raises(SuiteError):
            unpacked(cut, tmp_path / "root")
    assert not [p for p in (tmp_path / "root").iterdir() if p.is_dir()]


def test_a_suite_that_is_not_whole_is_not_packed(suite, tmp_path):
    (suite / "suite.json").rename(suite / "building.json")
    with pytest.raises(SuiteError, match=r"no whole suite \(a build of it was begun"):
        pack(suite, tmp_path / "a.tar")


def test_the_archive_of_another_suite_is_not_taken_for_the_generated_one(packed, tmp_path):
    with pytest.raises(SuiteError, match=r"holds another suite \(name small and not generated.*suite=stored"):
        GeneratedSuite(path=str(packed), root=str(tmp_path))


def test_cases_changed_on_disk_are_refused_by_a_stored_suite(suite):
    StoredSuite("stored", str(suite)).ensure(["web-0000"])
    text = (suite / "cases.jsonl").read_text()
    (suite / "cases.jsonl").write_text(text.replace("the red button", "a red button"))
    with pytest.raises(SuiteError, match="another data hash"):
        StoredSuite("stored", str(suite)).ensure(["web-0000"])
    info = json.loads((suite / "suite.json").read_text())
    (suite / "suite.json").write_text(json.dumps({**info, "counts": {"web": 9}}))
    with pytest.raises(SuiteError, match=r"holds 5 cases, suite\.json says 9"):
        StoredSuite("stored", str(suite)).entries()
