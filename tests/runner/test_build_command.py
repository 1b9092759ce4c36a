"""`mma build` from the command line: locks, archives, and what it says of a wrong line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from runner.cli import main
from runner.commands.build import BuildUsageError, Wishes, wishes_of
from runner.memory import PeakMemory, together
from tests.servers.loopback import Plan, spawned
from tests.small_suite import PLANNED, click, write_suite


def mma(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as leaving:
        main(arguments)
    said = capsys.readouterr()
    return int(leaving.value.code or 0), said.out, said.err


@pytest.mark.parametrize(
    ("line", "wishes", "overrides"),
    [
        ("", Wishes(), []),
        ("--lock", Wishes(lock=""), []),
        ("--lock suite.seed=7", Wishes(lock=""), ["suite.seed=7"]),
        ("--lock own.lock suite.seed=7", Wishes(lock="own.lock"), ["suite.seed=7"]),
        ("suite.seed=7 --lock=own.lock --pack", Wishes(lock="own.lock", pack=""), ["suite.seed=7"]),
        ("--pack a.tar --lock", Wishes(lock="", pack="a.tar"), []),
        ("--pack --lock", Wishes(lock="", pack=""), []),
        ("--lock ~limit", Wishes(lock=""), ["~limit"]),
    ],
)
def test_flags_stand_anywhere_among_the_overrides(line, wishes, overrides):
    assert wishes_of(line.split()) == (wishes, overrides)


def test_a_wrong_flag_and_an_archive_of_another_name_are_one_line():
    with pytest.raises(BuildUsageError, match="mma build has no option --pak"):
        wishes_of(["--pak"])
    with pytest.raises(BuildUsageError, match=r"an archive is named \.tar"):
        wishes_of(["--pack", "a.zip"])


def test_a_stored_suite_is_locked_packed_and_run_elsewhere_with_its_lock_in_the_manifest(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-93a0be1d77")
    write_suite(tmp_path / "made", {"web": 4, "document": 2})
    code, out, err = mma(
        capsys, "build", "suite=stored", "suite.path=made", "--lock", "own.lock", "--pack", "small.tar"
    )
    assert code == 0, err
    assert "own.lock, 6 cases" in out
    assert "small.tar" in out
    assert "MB peak over all processes" in out or "in the largest process" in out
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with spawned(Plan(reply=click(PLANNED.center))) as server:
        code, out, err = mma(
            capsys, "run", "suite=stored", "suite.path=../small.tar", "suite.lock=../own.lock", "model=openai_compatible",
            "model.space.name=pixel",
            f"model.base_url={server.url}", "model.name=stub", "tracker=none", "domain=web",
        )  # fmt: skip
    assert code == 0, err
    (path,) = Path("runs").glob("*/manifest.json")
    manifest = json.loads(path.read_text())
    assert manifest["suite_lock"]["lock"] == "own.lock"
    assert (manifest["suite_lock"]["locked"], manifest["suite_lock"]["drift"]) == (4, [])
    assert manifest["suite"]["name"] == "small"
    changed = Path("../own.lock").read_text().splitlines()
    changed = [row if not row.startswith("web-0001 ") else row.replace(row.split()[1], "0" * 24, 1) for row in changed]
    Path("../own.lock").write_text("\n".join(changed) + "\n")
    code, out, err = mma(
        capsys, "run", "suite=stored", "suite.path=../small.tar", "suite.lock=../own.lock", "model=openai_compatible",
        "model.space.name=pixel",
        "model.base_url=http://127.0.0.1:9/v1", "model.name=stub", "tracker=none", "domain=web",
    )  # fmt: skip
    assert code == 2
    assert "1 of 4 cases differ from own.lock (1 in data): web-0001" in err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("suite=stored suite.path=made", "of suite=stored it can write a --lock or a --pack"),
        ("suite=stored suite.path=none --pack", "none holds no suite.json, so it is no whole suite"),
        ("suite=stored suite.path=none.tar --lock a", "none.tar: there is no such file"),
        ("suite.sizes.web=-1", "suite.sizes.web=-1: give a number of cases"),
        ("suite.sizes.desk=4", "there is no config key 'suite.sizes.desk'"),
        ("suite.seed=3 --lock", "only the whole public suite has a usual lock"),
        ("suite.sizes.web=2 --lock", "only the whole public suite has a usual lock"),
        ("suite.payloads=none", "there is no such folder"),
        ("suite.colour=red", "colour"),
    ],
)
def test_what_cannot_be_built_is_one_line_and_exit_code_2(tmp_path, monkeypatch, capsys, line, says):
    monkeypatch.chdir(tmp_path)
    write_suite(tmp_path / "made", {"web": 1})
    code, _, err = mma(capsys, "build", *line.split())
    assert code == 2
    assert says in err
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "suites").exists()


def test_memory_is_counted_over_this_process_and_what_it_started():
    own = together()
    if own is None:
        pytest.skip("only Linux tells the proportional size of a process")
    assert own > 10_000_000
    reading, writing = os.pipe()
    block = 64_000_000
    pid = os.fork()
    if pid == 0:
        held = bytearray(os.urandom(1)) * block
        os.read(reading, 1)
        os._exit(len(held) & 0)
    try:
        with PeakMemory() as memory:
            grown = 0
            while grown < own + block // 2:
                grown = together() or 0
    finally:
        os.write(writing, b"x")
        os.waitpid(pid, 0)
    assert "MB peak over all processes" in str(memory)
