"""The ready sweeps: every point composes, the W&B form says the same, and one runs for real from anywhere."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from wandb.sdk.launch.sweeps.utils import create_sweep_command, create_sweep_command_args

from runner.commands.compose import experiment_of
from tests.servers.loopback import Plan, spawned
from tests.small_suite import PLANNED, click, write_suite

ROOT = Path(__file__).parents[2]
NAMES = sorted(path.stem for path in (ROOT / "sweeps" / "experiment").glob("*.yaml"))
WANTED = {
    "main_table", "neutral", "safety_priority", "clean", "paper", "utility", "placebo", "prompt_ablation",
    "permissions_ablation", "judge_ablation", "history_ablation",
}  # fmt: skip
COMPOSED: dict[tuple[str, ...], dict[str, Any]] = {}


def points(name: str) -> list[tuple[str, ...]]:
    """The overrides of each point of a sweep."""
    params = yaml.safe_load((ROOT / "sweeps" / "experiment" / f"{name}.yaml").read_text())["hydra"]["sweeper"]["params"]
    return list(itertools.product(*([f"{k}={v}" for v in str(values).split(",")] for k, values in params.items())))


def composed(overrides: tuple[str, ...]) -> dict[str, Any]:
    """Points that several sweeps share are composed once, with one domain: the texts of the others cost half the time."""
    if overrides not in COMPOSED:
        COMPOSED[overrides] = experiment_of([*overrides, "domain=web"])
    return COMPOSED[overrides]


def test_every_sweep_that_the_readme_names_is_there_in_both_forms() -> None:
    assert set(NAMES) == WANTED == {path.stem for path in (ROOT / "sweeps" / "wandb").glob("*.yaml")}
    readme = (ROOT / "sweeps" / "README.md").read_text()
    assert all(f"| `{name}` |" in readme for name in NAMES)
    assert not list((ROOT / "sweeps").rglob("__init__.py"))


@pytest.mark.parametrize("name", NAMES)
def test_every_point_of_a_sweep_composes_to_an_experiment_of_its_own(name: str) -> None:
    found = [composed(point) for point in points(name)]
    assert len({json.dumps(e, sort_keys=True) for e in found}) == len(found) >= 6
    assert all(e["model"]["paper"] for e in found)


def test_the_sweeps_are_the_conditions_of_the_papers_tables() -> None:
    def conditions(name: str) -> set[tuple[str, str]]:
        return {(e["prompt"]["name"], e["observation"]) for e in map(composed, points(name))}

    assert conditions("main_table") == {("standard", "injected")}
    assert conditions("neutral") == {("standard", "injected"), ("neutral", "injected")}
    assert conditions("clean") == {("standard", "clean")}
    assert conditions("safety_priority") == {
        (p, o) for p in ("standard", "safety_priority") for o in ("injected", "clean")
    }
    assert conditions("paper") == set().union(
        *(conditions(n) for n in ("main_table", "neutral", "clean", "safety_priority"))
    )
    controls = {path.stem for path in (ROOT / "conf" / "prompt").glob("*.yaml")}
    assert conditions("utility") == {(c, "clean") for c in controls}
    assert {e["harness"]["history"] for e in map(composed, points("history_ablation"))} == {0, 1, 3, None}
    judges = {
        (e["judge"]["name"], e["judge"].get("model", {}).get("label")) for e in map(composed, points("judge_ablation"))
    }
    assert len(judges) == 3
    paper = {
        path.stem for path in (ROOT / "conf" / "model").glob("*.yaml") if yaml.safe_load(path.read_text()).get("paper")
    }
    assert {p.split("=")[1] for point in points("paper") for p in point if p.startswith("model=")} == paper


def test_permissions_is_standard_and_one_sentence_more() -> None:
    standard, permissions = (experiment_of([f"prompt={name}"])["prompt"] for name in ("standard", "permissions"))
    assert permissions["prefix"] == standard["prefix"] == ""
    for domain, stance in standard["stance"].items():
        first, more = permissions["stance"][domain].split("\n")
        assert first == stance
        assert more.count(".") == 1
        assert not {"dialog", "popup", "pop-up", "instruction", "malicious", "attack"} & set(
            more.lower().replace(",", "").split()
        )


@pytest.mark.parametrize("name", NAMES)
def test_a_wandb_agent_starts_the_same_points(name: str) -> None:
    sweep = yaml.safe_load((ROOT / "sweeps" / "wandb" / f"{name}.yaml").read_text())
    keys = list(sweep["parameters"])
    # What W&B's schema of a sweep takes for a method and for the name of a parameter.
    assert sweep["method"] == "grid"
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", key) for key in keys)
    started = set()
    for values in itertools.product(*(sweep["parameters"][k]["values"] for k in keys)):
        args = create_sweep_command_args({"args": {k: {"value": v} for k, v in zip(keys, values)}})
        command = create_sweep_command(sweep["command"])
        line = list(
            itertools.chain.from_iterable(
                args["args_no_hyphens"] if c == "${args_no_hyphens}" else [c] for c in command
            )
        )
        assert line[:2] == ["mma", "run"]
        started.add(frozenset(line[2:]))
    assert started == {frozenset(point) for point in points(name)}


def sweep(folder: Path, *overrides: str) -> subprocess.CompletedProcess[str]:
    keys = {"OPENAI_API_KEY", "MOONSHOT_API_KEY"}
    return subprocess.run(
        [sys.executable, "-m", "runner.cli", "run", "-m", "tracker=none", "domain=web", *overrides],
        cwd=folder, capture_output=True, text=True, timeout=400,
        env={k: v for k, v in os.environ.items() if k not in keys} | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def test_a_ready_sweep_is_one_command_from_anywhere(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 3})
    with spawned(Plan(reply=click(PLANNED.center), keep_bodies=True)) as server:
        done = sweep(
            tmp_path, "experiment=permissions_ablation", "model=openai_compatible",
            "model.space.name=pixel", "model.api_key_env=null", "suite=stored",
            f"suite.path={suite}", f"model.base_url={server.url}", "model.name=stub",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        bodies = [record.body or "" for record in server.records()]
    assert len(list((tmp_path / "runs").glob("*/manifest.json"))) == 4
    assert len(bodies) == 12
    assert sum("Allowed are: reading" in body for body in bodies) == 6
    assert "points of the sweep" in done.stdout


def test_a_point_whose_key_is_missing_says_so_in_one_line(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 1})
    done = sweep(tmp_path, "experiment=neutral", "model=gpt_5,kimi_k2_5", "suite=stored", f"suite.path={suite}")
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if line]
    assert len(lines) == 4, done.stderr
    assert lines[1].startswith("mma run: model=gpt_5 condition=neutral")
    assert "OPENAI_API_KEY is not set" in lines[1]
    assert "MOONSHOT_API_KEY is not set" in lines[3]
