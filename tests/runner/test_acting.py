"""Runs of agents that act: what tells two of them apart, what they are said to cost, and what of them is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmark.suite import StoredSuite
from runner.commands.compose import experiment_of
from runner.display import TerminalDisplay
from runner.dry_run import preview
from runner.report.collect import collect
from runner.run import Result, execute
from tests.run_directories import Synthetic
from tests.servers.loopback import Loopback, Plan
from tests.small_suite import write_acting_suite

WAIT = json.dumps({"action": "wait", "coordinate": None, "rationale": "It is still loading."})


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> StoredSuite:
    return StoredSuite("stored", str(write_acting_suite(tmp_path_factory.mktemp("acting"), 4)))


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(Plan(reply=WAIT)) as running:
        yield running


def composed(suite: StoredSuite, *overrides: str) -> dict[str, Any]:
    return experiment_of(
        [
            "suite=stored", f"suite.path={suite.folder}", "model=openai_compatible", "model.base_url=http://here",
            "model.name=stub", "model.space.name=pixel", "model.api_key_env=null", "model.cache=null", "harness=interactive",
            "domain=interactive", "judge=rules", "tracker=none", *overrides,
        ]
    )  # fmt: skip


def run(suite: StoredSuite, server: Loopback, root: Path, *overrides: str) -> Result:
    experiment = composed(suite, f"run.root={root}", *overrides)
    experiment["model"]["base_url"] = server.url
    with TerminalDisplay() as display:
        return execute(experiment, display)


def test_where_a_defense_keeps_its_readings_makes_no_variant_in_a_report(tmp_path: Path) -> None:
    reads = {"_target_": "x", "name": "ocr_filter", "cache": "here", "workers": 1}
    for n, defense in enumerate((reads, reads | {"cache": "there", "workers": 2})):
        for kind, chosen in (("alone", defense), ("stacked", {"name": "stack", "members": {"a": defense}})):
            folder = tmp_path / kind / str(n)
            Synthetic("stub", {"web": [5]}, control=f"p{n}", experiment={"defense": chosen}).write(folder)
    assert [collect([tmp_path / kind]).subjects() for kind in ("alone", "stacked")] == [["stub"], ["stub"]]


@pytest.mark.parametrize("history", ["2", "null"])
def test_a_dry_run_names_what_episodes_cost_at_most(
    suite: StoredSuite, tmp_path: Path, capsys: pytest.CaptureFixture[str], history: str
) -> None:
    """What goes out in episodes that take all their steps stays under it, and is not far below."""
    options = ("limit=2", "harness.steps=6", f"harness.history={history}", "repeats=2")
    priced = ("model.price.prompt=1000", "model.price.completion=1000")
    forecast = preview(composed(suite, *options, *priced))
    shown = " ".join(capsys.readouterr().out.split())
    assert "4 episodes, at most 24 requests" in shown
    assert "tokens at most about" in shown
    assert forecast.cost_usd == pytest.approx(forecast.tokens / 1000)
    assert f"cost at most about {forecast.cost_usd:.2f} USD" in shown
    assert "later turns show" in shown
    with Loopback(Plan(reply=WAIT, keep_bodies=True)) as server:
        run(suite, server, tmp_path, *options)
        images = sum((record.body or "").count("data:image") for record in server.records)
    assert len(server.records) == forecast.requests == 24
    assert f"with {images} images" in shown
