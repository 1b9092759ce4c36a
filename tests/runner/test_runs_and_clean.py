"""`mma runs` and `mma clean` on real run directories, also while one is at work."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.servers.loopback import Plan, spawned
from tests.small_suite import TARGET, click, write_suite

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"}

HEARD = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from runner.cli import main
main()
"""
"""The command as a terminal starts it: a shell's background job ignores SIGINT and hands that on."""


def mma(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "runner.cli", *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True,
        timeout=120, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def run_arguments(url: str, *overrides: str) -> list[str]:
    return [
        "run", "suite=stored", "suite.path=suites/small", "model=openai_compatible",
        "model.space.name=pixel", f"model.base_url={url}",
        "model.name=stub", "tracker=none", "domain=web", *overrides,
    ]  # fmt: skip


def listed(folder: Path, *arguments: str) -> list[dict[str, Any]]:
    done = mma(folder, "runs", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs: one complete, one of another control that a killed process left half done, one damaged."""
    folder = tmp_path_factory.mktemp("runs")
    write_suite(folder / "suites" / "small", {"web": 6})
    with spawned(Plan(reply=click(TARGET.center))) as server:
        assert mma(folder, *run_arguments(server.url)).returncode == 0
    with spawned(Plan(reply=click(TARGET.center), latency_s=0.6)) as server:
        limits = ("model.limits.max_in_flight=1", "model.limits.start_in_flight=1", "prompt=neutral")
        process = subprocess.Popen(
            [sys.executable, "-m", "runner.cli", *run_arguments(server.url, *limits)], cwd=folder, env=ENVIRONMENT,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while server.stats()["requests"] < 3 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGSTOP)  # at work, however slow this machine is
        (live,) = listed(folder, "--state", "running")
        assert live["prompt"] == "neutral"
        assert (live["planned"], live["error"]) == (6, 0)
        assert 1 <= live["scored"] < 6
        busy = mma(folder, "clean", "--all-runs", "--yes")
        assert live["run"] not in busy.stdout
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert not list((folder / "runs").glob("*standard*"))  # `--all-runs` took the one that was not at work
    with spawned(Plan(reply=click(TARGET.center))) as server:
        assert mma(folder, *run_arguments(server.url)).returncode == 0
    (folder / "runs" / "odd").mkdir()
    (folder / "runs" / "odd" / "manifest.json").write_text("{")
    return folder


def test_runs_are_listed_with_state_counts_and_filters(place: Path) -> None:
    found = {e["state"]: e for e in listed(place)}
    assert set(found) == {"complete", "incomplete", "damaged"}
    assert (found["complete"]["planned"], found["complete"]["scored"]) == (6, 6)
    assert found["incomplete"]["scored"] < found["incomplete"]["planned"] == 6
    assert [e["state"] for e in listed(place, "--control", "neutral")] == ["incomplete"]
    fitting = listed(place, "--model", "STUB", "--domain", "web", "--observation", "injected")
    assert {e["state"] for e in fitting} == {"complete", "incomplete"}
    assert listed(place, "--domain", "video") == []
    shown = mma(place, "runs")
    assert "1 complete, 1 incomplete, 1 damaged" in " ".join(shown.stdout.split())
    assert "no runs in nowhere" in mma(place, "runs", "nowhere").stdout


def test_watching_shows_the_list_until_ctrl_c(place: Path) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "runner.cli", "runs", "--watch", "--every", "0.2"], cwd=place, stdin=follower, stdout=follower,
        stderr=follower, env={**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "100", "LINES": "30"},
    )  # fmt: skip
    os.close(follower)
    seen, deadline = b"", time.monotonic() + 60
    while seen.count(b"Ctrl-C leaves") < 3 and time.monotonic() < deadline:
        if select.select([leader], [], [], 0.2)[0]:
            seen += os.read(leader, 65536)
    process.send_signal(signal.SIGINT)
    with suppress(OSError):  # the terminal's other end closes with the process
        while process.poll() is None and time.monotonic() < deadline:
            if select.select([leader], [], [], 0.1)[0]:
                os.read(leader, 65536)
    process.wait(timeout=30)
    os.close(leader)
    assert process.returncode == 0
    assert seen.count(b"Ctrl-C leaves") >= 3
    assert b"complete" in seen


def test_clean_lists_first_and_removes_only_what_it_listed(place: Path) -> None:
    (place / "runs" / ".sweep").mkdir()
    (place / "runs" / ".sweep" / "multirun.yaml").write_text("x: 1\n")
    (neutral,) = (place / "runs").glob("*neutral*")
    (neutral / ".summary.json.abcd.part").write_text("{")
    cache = place / "suites" / ".thumbnails" / "00"
    cache.mkdir(parents=True)
    (cache / f"{'0' * 64}-960.webp").write_bytes(b"old")
    kept = next((place / "suites" / "small" / "images").glob("*/*.png")).stem
    (cache / f"{kept}-960.webp").write_bytes(b"used")
    before = sorted(p for p in place.rglob("*"))
    shown = mma(place, "clean")
    text = " ".join(shown.stdout.split())
    for what in (
        "lock of a process that is gone",
        "composed sweep",
        "half-written file",
        "1 thumbnails of no suite here",
    ):
        assert what in text
    assert "nothing was removed" in text
    assert sorted(p for p in place.rglob("*")) == before
    assert mma(place, "clean", "--yes").returncode == 0
    gone = {p.relative_to(place).as_posix() for p in set(before) - set(place.rglob("*"))}
    assert gone == {
        "runs/.sweep", "runs/.sweep/multirun.yaml", f"runs/{neutral.name}/.lock",
        f"runs/{neutral.name}/.summary.json.abcd.part", f"suites/.thumbnails/00/{'0' * 64}-960.webp",
    }  # fmt: skip
    assert "nothing to remove" in mma(place, "clean").stdout
    chosen = mma(place, "clean", "--control", "neutral", "--yes")
    assert chosen.returncode == 0, chosen.stderr
    assert not neutral.exists()
    assert {e["state"] for e in listed(place)} == {"complete", "damaged"}


def test_a_question_that_is_not_answered_with_yes_removes_nothing(place: Path) -> None:
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "runner.cli", "clean", "--all-runs"], cwd=place, stdin=follower, stdout=follower, stderr=follower,
        env={**ENVIRONMENT, "TERM": "xterm"},
    )  # fmt: skip
    os.close(follower)
    seen, deadline = b"", time.monotonic() + 60
    while b"[y/N]" not in seen and time.monotonic() < deadline:
        if select.select([leader], [], [], 0.2)[0]:
            seen += os.read(leader, 65536)
    os.write(leader, b"\n")
    assert process.wait(timeout=30) == 0
    os.close(leader)
    assert list((place / "runs").glob("*/manifest.json"))
