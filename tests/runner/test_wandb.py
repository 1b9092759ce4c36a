"""W&B offline: what a run leaves is read back from its own file, with every media file it refers to in place."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from wandb.proto.wandb_internal_pb2 import Record

from tests.servers.loopback import Asked, Loopback, Plan
from tests.small_suite import PLANNED, TARGET, click, write_suite

ROOT = Path(__file__).parents[2]


def records(path: Path) -> Iterator[Record]:
    """The records of a `.wandb` file: a seven-byte head, then blocks of 32 KiB with LevelDB's framing."""
    data, at, parts = path.read_bytes(), 7, b""
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        _, length, kind = struct.unpack("<IHB", data[at : at + 7])
        if kind == 0:
            at += left
            continue
        parts += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):
            yield Record.FromString(parts)
            parts = b""


def items(group: Any) -> dict[str, Any]:
    return {i.key or ".".join(i.nested_key): json.loads(i.value_json) for i in group}


def alternating(asked: Asked) -> str:
    return click(TARGET.center if asked.number % 2 else PLANNED.center)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of two offline runs in one process."""
    folder = tmp_path_factory.mktemp("wandb")
    suite = write_suite(folder / "suite", {"web": 12, "document": 3})
    with Loopback(Plan(), handler=alternating) as server:
        done = subprocess.run(
            [
                sys.executable, "-m", "runner.cli", "run", "-m", "prompt=standard,neutral", "suite=stored", f"suite.path={suite}",
                "model=openai_compatible",
                "model.space.name=pixel", f"model.base_url={server.url}", "model.name=stub", "tracker=wandb",
                "tracker.mode=offline", "tracker.images=4",
            ],
            cwd=folder, capture_output=True, text=True, timeout=300,
            env={k: v for k, v in os.environ.items() if not k.startswith("WANDB")} | {"PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"},
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning" not in done.stdout, done.stdout
    return folder


def runs(folder: Path) -> list[Path]:
    found = sorted(p.parent for p in (folder / "runs").glob("*/manifest.json"))
    assert len(found) == 2
    return found


def recorded(run: Path) -> tuple[Path, list[Record]]:
    (path,) = run.glob("wandb/offline-run-*/*.wandb")
    return path.parent, list(records(path))


def test_the_numbers_of_an_offline_run_are_those_of_its_summary(folder: Path) -> None:
    for run in runs(folder):
        _, found = recorded(run)
        summary = json.loads((run / "summary.json").read_text())
        kept: dict[str, Any] = {}
        for record in found:
            if record.WhichOneof("record_type") == "summary":
                kept |= items(record.summary.update)
        for domain, cell in summary["domains"].items():
            assert kept[f"asr/{domain}"] == cell["asr"]["estimate"]
            assert kept[f"scored/{domain}"] == cell["scored"]
        assert kept["asr/macro"] == summary["macro_asr"]
        history = [items(r.history.item) for r in found if r.WhichOneof("record_type") == "history"]
        assert any(row.get("scored") == 15 and "asr/web" in row for row in history)
        cases = next(row for row in history if "cases" in row or "cases.nrows" in row)
        assert cases.get("cases.nrows", cases.get("cases", {}).get("nrows")) == 15
        assert any(key.startswith("tables/") for row in history for key in row)
        assert any(key.startswith("figures/") for row in history for key in row)


def test_every_file_that_an_offline_run_refers_to_lies_in_its_own_directory(folder: Path) -> None:
    for run in runs(folder):
        where, found = recorded(run)
        artifacts: dict[str, dict[str, Path]] = {}
        for record in found:
            kind = record.WhichOneof("record_type")
            if kind == "files":
                for file in record.files.files:
                    path = Path(file.path)
                    assert (path if path.is_absolute() else where / "files" / path).is_file(), file.path
            if kind == "artifact":
                contents = {c.path: Path(c.local_path) for c in record.artifact.manifest.contents}
                assert contents
                for name, path in contents.items():
                    assert path.is_file(), name
                    assert path.is_relative_to(run), path
                artifacts[record.artifact.type] = artifacts.get(record.artifact.type, {}) | contents
        assert {"manifest.json", "plan.jsonl", "answers.jsonl", "summary.json"} <= set(artifacts["run"])
        assert not any(name.endswith((".png", ".jpg")) for name in artifacts["run"])
        tables = [
            json.loads(path.read_text()) for name, path in artifacts["run_table"].items() if name == "cases.table.json"
        ]
        (table,) = tables
        column = table["columns"].index("picture")
        pictures = [row[column] for row in table["data"] if row[column] is not None]
        assert len(pictures) == 4
        for shown in pictures:
            assert artifacts["run_table"][shown["path"]].is_file()
            captions = {b["box_caption"]: b["position"] for b in shown["boxes"]["evidence"]}
            if "target" in captions:
                assert captions["target"]["minX"] == pytest.approx(TARGET.x0 / 800)
                assert captions["where the model pointed"]["minY"] < captions["where the model pointed"]["maxY"]


def test_a_tracker_that_cannot_show_the_cases_says_so_and_ends_its_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from runner.trackers.wandb import WandbTracker

    monkeypatch.setenv("WANDB_MODE", "offline")
    tracker = WandbTracker("wandb", "p", None, "offline", [])
    experiment = {
        "observation": "injected",
        "prompt": {"name": "standard"},
        "model": {"label": "m"},
        "domains": {"web": {}},
    }
    tracker.start({"id": "a1b2", "folder": str(tmp_path), "group": None, "experiment": experiment, "name": "n"}, 0)

    def found() -> Any:
        raise OSError("the disk is gone")

    said = tracker.finish({"domains": {}}, 0, found)
    assert said is not None
    assert said.startswith("warning: W&B got no cases")
    assert "the disk is gone" in said
    assert list(tmp_path.glob("wandb/offline-run-*/*.wandb"))


AGENT = """
import os, queue, sys, time, yaml
from wandb.wandb_agent import Agent
agent = Agent(None, queue.Queue(), sweep_id=os.environ["WANDB_SWEEP_ID"])
agent._sweep_command = yaml.safe_load(open(sys.argv[1]))["command"]
given = dict(pair.split("=", 1) for pair in sys.argv[2:])
agent._command_run({"run_id": "agentsrun", "program": None, "args": {k: {"value": v} for k, v in given.items()}})
while (code := agent._run_processes["agentsrun"].poll()) is None:
    time.sleep(0.05)
sys.exit(code)
"""


def test_a_wandb_agent_starts_a_point_and_finds_it_under_the_id_it_chose(tmp_path: Path) -> None:
    """The agent's own way from a server's command to a process; only the server is not asked."""
    suite = write_suite(tmp_path / "suite", {"web": 2})
    mma = tmp_path / "bin" / "mma"
    mma.parent.mkdir()
    mma.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m runner.cli "$@"\n')
    mma.chmod(0o755)
    chosen = {"model": "openai_compatible", "judged_by": "rules", "suite": "stored", "suite.path": str(suite)}
    with Loopback(Plan(), handler=alternating) as server:
        more = [
            f"model.base_url={server.url}", "model.name=stub", "model.api_key_env=null", "tracker=wandb", "tracker.mode=offline",
            "tracker.figures=false", "model.space.name=pixel",
        ]  # fmt: skip
        done = subprocess.run(
            [
                sys.executable, "-c", AGENT, str(ROOT / "sweeps" / "wandb" / "judge_ablation.yaml"),
                *(f"{k}={v}" for k, v in chosen.items()), *more,
            ],
            cwd=tmp_path, capture_output=True, text=True, timeout=300,
            env={k: v for k, v in os.environ.items() if not k.startswith("WANDB")}
            | {"PYTHONPATH": str(ROOT), "PATH": f"{mma.parent}:{os.environ['PATH']}", "WANDB_SWEEP_ID": "asweep"},
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (manifest,) = (tmp_path / "runs").glob("*/manifest.json")
    _, found = recorded(manifest.parent)
    (started,) = [r.run for r in found if r.WhichOneof("record_type") == "run"]
    assert started.run_id == "agentsrun"
    assert started.sweep_id == "asweep"
    config = items(started.config.update)
    assert config["suite.path"] == str(suite)
    assert config["experiment"]["model"]["name"] == "stub"
