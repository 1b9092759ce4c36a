"""Building a suite: killed, out of disk, of other sizes, with other seeds; never whole before it is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmark import lock
from benchmark.case import DOMAINS
from benchmark.construct.build import SIZES, GeneratedSuite, builder
from benchmark.images import ImageStore
from benchmark.lock import LockError
from benchmark.suite import CANARY, StoredSuite, SuiteError, data_hash, pixel_hash

ROOT = Path(__file__).parents[3]
NONE = dict.fromkeys(DOMAINS, 0)


def sizes(**wanted: int) -> dict[str, int]:
    return {**NONE, **wanted}


def command(folder: Path, *overrides: str, web: int = 4) -> list[str]:
    zero = [f"suite.sizes.{d}={web if d == 'web' else 0}" for d in DOMAINS]
    return [sys.executable, "-m", "runner.cli", "build", f"suite.path={folder}", *zero, *overrides]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def four(tmp_path_factory) -> GeneratedSuite:
    suite = GeneratedSuite(root=str(tmp_path_factory.mktemp("four")), sizes=sizes(web=4), workers=1, lock=None)
    suite.finish()
    return suite


def children(pid: int) -> set[int]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == pid:
                found |= {int(entry.name)} | children(int(entry.name))
    return found


def alive(pid: int) -> bool:
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_killed_build_is_never_whole_leaves_nobody_behind_and_goes_on_where_it_was(four, tmp_path):
    folder = tmp_path / "killed"
    with subprocess.Popen(command(folder, "suite.workers=2", "suite.lock=null"), env=environment(), cwd=tmp_path) as build:
        until = time.monotonic() + 120
        while not (folder / "built.jsonl").is_file() or not (folder / "built.jsonl").read_bytes().count(b"\n"):
            assert build.poll() is None
            assert time.monotonic() < until
            time.sleep(0.02)
        workers = children(build.pid)
        build.send_signal(signal.SIGKILL)
        build.wait()
    assert workers
    until = time.monotonic() + 20
    while any(alive(pid) for pid in workers):
        assert time.monotonic() < until, "workers outlive the build that was killed"
        time.sleep(0.05)
    assert not (folder / "suite.json").exists()
    with pytest.raises(SuiteError, match=r"no whole suite \(a build of it was begun; the same `mma build` finishes it\)"):
        StoredSuite("stored", str(folder))
    with (folder / "built.jsonl").open("a") as file:
        file.write('{"id": "web-00')  # and the line that was being written
    suite = GeneratedSuite(path=str(folder), sizes=sizes(web=4), workers=1, lock=None)
    before = (folder / "built.jsonl").read_bytes().count(b"\n")
    drawn = []
    info = suite.finish(lambda done, total: drawn.append(total))
    assert before >= 1
    assert len(drawn) == 4 - before
    whole = four._info([four.case(i) for i in four.specs])
    assert (info.data_hash, info.pixel_hash) == (whole.data_hash, whole.pixel_hash)
    assert StoredSuite("stored", str(folder)).info == info


def test_a_full_disk_is_one_line_and_the_build_goes_on_when_there_is_room(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=700k", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system can only be mounted with privileges")
    try:
        done = subprocess.run(
            command(folder / "suite", "suite.workers=1", "suite.lock=null"),
            env=environment(), cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        last = done.stderr.strip().splitlines()[-1]
        assert done.returncode == 2, done.stderr
        assert "cannot be written to" in last
        assert "No space left on device" in last
        assert "Traceback" not in done.stderr
        assert not (folder / "suite" / "suite.json").exists()
        assert not list((folder / "suite").rglob("*.png.part"))
        subprocess.run(["mount", "-o", "remount,size=60m", str(folder)], check=True)
        suite = GeneratedSuite(path=str(folder / "suite"), sizes=sizes(web=2), workers=1, lock=None)
        assert sum(suite.finish().counts.values()) == 2
    finally:
        subprocess.run(["umount", str(folder)], check=False)


def test_a_video_that_finds_no_room_is_one_line_too(tmp_path):
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=60k", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small file system can only be mounted with privileges")
    try:
        suite = GeneratedSuite(path=str(folder / "suite"), sizes=sizes(video=1), workers=1, lock=None)
        with pytest.raises((SuiteError, ValueError), match=r"cannot be written.*No space left"):
            suite.finish()
    finally:
        subprocess.run(["umount", str(folder)], check=False)


def test_a_lock_that_does_not_match_says_which_case_differs_in_what(four, tmp_path):
    store = ImageStore(four.folder)
    lines = [lock.line_of(four.case(i), store) for i in four.specs]
    path = tmp_path / "own.lock"
    lock.written(path, "generated 1.0 seed 0", lines)
    again = GeneratedSuite(path=str(four.folder), sizes=sizes(web=4), lock=str(path))
    again.finish()
    assert again.standing()["locked"] == 4
    assert again.note() is None
    text = path.read_text()
    path.write_text(text.replace(f"{lines[2].id} {lines[2].data}", f"{lines[2].id} {'0' * 24}"))
    done = subprocess.run(
        command(four.folder, f"suite.lock={path}"), env=environment(), cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "data     web-0003: its data differ" in done.stdout
    assert "1 of 4 cases differ from own.lock (1 in data): web-0003" in done.stderr
    other = GeneratedSuite(path=str(four.folder), sizes=sizes(web=4), lock=str(path))
    other.ensure(["web-0001"])
    with pytest.raises(LockError, match="web-0003"):
        other.ensure(["web-0001", "web-0003"])


def test_cases_beyond_the_lock_are_built_and_said_to_be_unverified(four, tmp_path):
    store = ImageStore(four.folder)
    lock.written(tmp_path / "own.lock", "generated 1.0 seed 0", [lock.line_of(four.case("web-0001"), store)])
    suite = GeneratedSuite(path=str(four.folder), sizes=sizes(web=4), lock=str(tmp_path / "own.lock"))
    suite.finish()
    assert suite.note() == "3 cases lie beyond the lock and are not verified"


def test_a_folder_of_another_suite_is_not_built_into(four, tmp_path):
    with pytest.raises(SuiteError, match=r"holds another suite \(seed 0 and not 7\); use it as it is with suite=stored"):
        GeneratedSuite(path=str(four.folder), seed=7)
    begun = tmp_path / "begun"
    begun.mkdir()
    (begun / "building.json").write_text(json.dumps({**four.identity(), "builder": "0" * 12}))
    with pytest.raises(SuiteError, match="builder 000000000000 and not"):
        GeneratedSuite(path=str(begun))


def test_an_archive_is_used_as_the_suite_that_it_is_and_grows(four, tmp_path):
    from benchmark.archive import pack

    pack(four.folder, tmp_path / "four.tar")
    moved = GeneratedSuite(path=str(tmp_path / "four.tar"), root=str(tmp_path / "root"), sizes=sizes(web=5), workers=1, lock=None)
    drawn = []
    moved.ensure(["web-0001", "web-0004"], lambda done, total: drawn.append(done))
    assert drawn == []
    moved.finish(lambda done, total: drawn.append(done))
    assert drawn == [1]
    assert moved.case("web-0002") == four.case("web-0002")
    assert StoredSuite("stored", str(moved.folder)).info.counts == {"web": 5}


def test_public_suites_carry_the_canary_and_private_ones_do_not(four, tmp_path):
    assert json.loads((four.folder / "suite.json").read_text())["canary"] == CANARY
    private = GeneratedSuite(root=str(tmp_path), seed=11, sizes=sizes(document=1), workers=1)
    info = private.finish()
    assert info.canary == ""
    assert CANARY not in (private.folder / "suite.json").read_text()
    assert "private" in private.note()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"sizes": {"web": -1}}, "suite.sizes.web=-1: give a number of cases"),
        ({"sizes": NONE}, "every domain has size 0"),
        ({"sizes": {"desktop": 5}}, "suite.sizes.desktop: there is no such domain"),
        ({"sizes": {"web": True}}, "suite.sizes.web=True"),
        ({"workers": 0}, "suite.workers=0"),
        ({"path": __file__}, "neither a folder nor an archive"),
    ],
)
def test_bad_options_are_one_line(tmp_path, options, says):
    with pytest.raises(SuiteError, match=says):
        GeneratedSuite(root=str(tmp_path), **options)


def test_an_unknown_case_and_an_unknown_app_are_one_line(tmp_path, four):
    with pytest.raises(SuiteError, match="case web-9999 is not in this suite"):
        four.ensure(["web-9999"])
    from benchmark.construct.apps import app

    with pytest.raises(KeyError, match="no web app 'browser'; there are"):
        app("web", "browser")


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_larger_suite_begins_with_the_smaller_one_and_repeats_no_plan(domain):
    large = builder(domain).plan(2000, 0)
    assert builder(domain).plan(SIZES[domain], 0) == large[: SIZES[domain]]
    assert len({s.id for s in large}) == 2000
    keys = {(s.cluster, *sorted(s.params.items()), *sorted(s.choices.items())) for s in large}
    assert len(keys) == 2000 or domain in {"document", "video"}


def test_a_suite_in_which_two_cases_show_one_image_is_not_whole(four, tmp_path):
    suite = GeneratedSuite(path=str(tmp_path / "s"), sizes=sizes(web=2), lock=None)
    first = four.case("web-0001")
    suite._cases = {"web-0001": first, "web-0002": first.model_copy(update={"id": "web-0002"})}
    for ref in [s.image for s in first.steps if s.image] + [first.clean, first.injected]:
        ImageStore(suite.folder).put(ImageStore(four.folder).read(ref))
    with pytest.raises(SuiteError, match="the built cases make no suite: injected image"):
        suite.finish()
    assert not (suite.folder / "suite.json").exists()


def test_the_figures_of_a_suite_are_in_its_suite_json(four):
    found = json.loads((four.folder / "suite.json").read_text())["figures"]
    assert found["web.cases"] == 4
    assert {"web.apps", "web.goals", "web.styles", "web.wordings", "web.placements", "web.steps", "web.elements_apart",
            "web.elements_icon_only", "web.largest_style", "web.largest_wording", "web.largest_app"} <= set(found)  # fmt: skip
    assert sum(int(part.split(":")[1]) for part in found["web.steps"].split()) == 4


def test_the_public_lock_vouches_for_what_this_machine_draws(four):
    """A few cases, built here, against the lock in version control (`across_pythons` does sixty on every Python)."""
    if not lock.PUBLIC.is_file():
        pytest.skip("there is no public lock in this tree")
    locked = lock.read(lock.PUBLIC).lines
    for id in four.specs:
        case = four.case(id)
        assert locked[id].data == data_hash(case)[: lock.DIGITS]
        assert lock.compared(locked[id], case, ImageStore(four.folder), lock.renderers()) is None, pixel_hash(case)
