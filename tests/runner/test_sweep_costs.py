"""What a sweep is told of its costs, before and after, and what a budget does to its points."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.servers.loopback import Loopback, Plan
from tests.small_suite import TARGET, click, write_suite


def test_a_sweep_says_what_it_will_cost_and_what_it_cost_and_each_point_keeps_its_budget(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 12})
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "COLUMNS": "160"}

    def mma(url: str, *more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "runner.cli", "run", "-m", "suite=stored", f"suite.path={suite}", "model=vllm_local",
             "model.space.name=pixel",
             f"model.base_url={url}", "model.name=stub", "tracker=none", "domain=web", "prompt=standard,neutral",
             "model.price.prompt=10", "model.price.completion=50", *more],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=400, check=False,
        )  # fmt: skip

    with Loopback(Plan(reply=click(TARGET.center), prompt_tokens=1000, completion_tokens=20)) as server:
        before = mma(server.url, "dry_run=true")
        assert before.returncode == 0, before.stderr
        assert not server.records
        assert "the sweep:" in before.stdout
        assert "smallest   web 14.0 px" in before.stdout
        # A call costs 0.011 USD: five fit into a budget of 0.06, at each point of the sweep.
        stopped = mma(server.url, "budget.usd=0.06", "model.limits.max_in_flight=1")
        assert stopped.returncode == 1, stopped.stderr
        assert stopped.stdout.count("budget.usd=0.06 is reached") == 2
        assert len(server.records) == 10
        after = mma(server.url)
        assert after.returncode == 0, after.stderr
        assert len(server.records) == 24, "nothing that was paid for is asked again"
        assert "the sweep: 24480 tokens, 0.26 USD" in after.stdout
        assert server.max_in_flight <= 64
    summaries = [json.loads(p.read_text()) for p in (tmp_path / "runs").glob("*/summary.json")]
    assert [round(s["cost_usd"], 6) for s in summaries] == [0.132, 0.132]
    assert [s["tokens"] for s in summaries] == [12240, 12240]
