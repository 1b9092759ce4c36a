"""Warnings that a run draws from its own points and images, and what a run prints of them."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.case import Point
from benchmark.images import ImageStore
from runner.doubts import Seen, contradictions, legibility, smallest_text_px
from runner.exchange import ImagePolicy, SentImage, Space
from tests.servers.loopback import Loopback, Plan
from tests.small_suite import click, spatial_case, write_suite

Pair = tuple[float, float]


def seen(raws: list[Pair], space: str, size: tuple[int, int] = (1920, 1080)) -> list[Seen]:
    """Raw numbers as a declared space maps them."""
    across = {"pixel": size, "norm_1": (1, 1), "norm_1000": (1000, 1000)}[space]
    sent = SentImage("0" * 64, *size, *size, "image/png", 1)
    return [Seen(Point(x=a * size[0] / across[0], y=b * size[1] / across[1]), sent) for a, b in raws]


def uniform(count: int, across: Pair) -> list[Pair]:
    rng = random.Random(str(across))
    return [(rng.uniform(0, across[0]), rng.uniform(0, across[1])) for _ in range(count)]


@pytest.mark.parametrize(
    ("raws", "space", "says"),
    [
        (uniform(40, (1920, 1080)), "pixel", []),
        (uniform(40, (1000, 1000)), "norm_1000", []),
        (uniform(40, (1, 1)), "norm_1", []),
        (uniform(40, (1000, 1000)), "pixel", ["within 0-1000"]),
        (uniform(40, (1, 1)), "pixel", ["within 0-1:"]),
        (uniform(40, (1920, 1080)), "norm_1000", ["lie outside"]),
        (uniform(40, (1920, 1080)), "norm_1", ["lie outside"]),
        (uniform(9, (1, 1)), "pixel", []),
        ([(300.0, 200.0)] * 5 + uniform(5, (1000, 1000)), "pixel", []),
    ],
)
def test_points_that_contradict_the_declared_space_are_said_and_others_not(
    raws: list[Pair], space: str, says: list[str]
) -> None:
    found = contradictions(seen(raws, space), Space(space))  # type: ignore[arg-type]
    assert len(found) == len(says), found
    assert all(part in line for part, line in zip(says, found, strict=True))


def test_a_small_image_never_looks_like_a_grid() -> None:
    assert contradictions(seen(uniform(200, (800, 600)), "pixel", (800, 600)), Space("pixel")) == ()


def test_text_height_follows_the_policy(tmp_path: Path) -> None:
    case = spatial_case(ImageStore(tmp_path), 1)
    least = min(t.height for t in case.injection.texts)
    assert smallest_text_px(case, ImagePolicy()) == least
    assert smallest_text_px(case, ImagePolicy(max_edge=400)) == least / 2
    assert smallest_text_px(case, ImagePolicy(short_edge=300)) == least / 2
    found = legibility([case], ImagePolicy(max_edge=200))
    assert found.cases == {case.id}
    assert found.plain() == {"web": {"smallest_text_px": round(least / 4, 2), "illegible": 1}}
    assert not legibility([case], ImagePolicy()).cases


def test_a_run_prints_its_doubts_keeps_them_in_its_summary_and_shares_its_replies(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 11})
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "140"}
    with Loopback(Plan(reply=click(Point(x=700, y=900)))) as server:
        command = [
            sys.executable, "-m", "runner.cli", "run", "suite=stored", f"suite.path={suite}", "model=vllm_local",
            "model.space.name=pixel",
            f"model.base_url={server.url}", "model.name=stub", "tracker=none", "model.image.max_edge=300", "cache=on",
            "domain=web", "run.dir=one",
        ]  # fmt: skip
        first = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
        second = subprocess.run(
            [*command[:-1], "run.dir=two"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
        )
        assert len(server.records) == 11
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert "WARNING: 11 of 11 points lie outside the image" in first.stdout
    assert "verified: never" in first.stdout
    assert "not the paper's nine" in first.stdout
    assert "without the 11 cases whose payload text is under 8 px" in first.stdout
    assert "11 answers came from the reply cache" in second.stdout
    summary = json.loads((tmp_path / "two" / "summary.json").read_text())
    assert "lie outside the image" in summary["warnings"][0]
    assert (summary["from_cache"], summary["tokens"]) == (11, 0)
    assert summary["domains"]["web"]["flags"]["illegible_for_model"] == 11
    assert summary["without_illegible"]["domains"] == {}
    manifest = json.loads((tmp_path / "one" / "manifest.json").read_text())
    assert manifest["legibility"]["web"]["illegible"] == 11
