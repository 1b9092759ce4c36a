"""Judge calls in a run, from the command line: beside the victims, kept, resumed, and done again by other judges."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from runner.commands.judge import main as judge
from runner.config import ConfigError
from tests.runner.test_run import CANARY, HIT, KEPT, command, mma, rows, run_of
from tests.servers.judging import verdict
from tests.servers.loopback import Fault, Plan, spawned
from tests.small_suite import write_suite

BOTH = "tests.servers.judging:both"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("suite"), {"web": 18, "document": 6})


def judged(suite: Path, url: str, *overrides: str, judge_url: str | None = None) -> list[str]:
    return command(
        suite, url, "judge=rubric", "model@judge.model=openai_compatible", f"judge.model.base_url={judge_url or url}", "judge.model.name=judge",
        "judge.model.limits.retry_max=2", *overrides,
    )  # fmt: skip


def summary_of(run: Path) -> dict:
    return json.loads((run / "summary.json").read_text())


def test_judges_stream_are_kept_and_do_not_listen_to_their_subjects(suite: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with spawned(Plan(keep_bodies=True), handler=BOTH, log=log) as server:
        first = mma(tmp_path, *judged(suite, server.url))
        assert first.returncode == 0, first.stdout + first.stderr
        made = server.stats()["requests"]
        run = run_of(tmp_path)
        (file,) = (run / "verdicts").glob("rubric-*.jsonl")
        kept = rows(file)
        assert Counter(v["score"] for v in kept) == {3: 24}
        assert {v["status"] for v in kept} == {"scored"}
        summary = summary_of(run)
        assert summary["verdicts"] == f"verdicts/{file.name}"
        asked = sum(v["calls"] for v in kept)
        assert 20 <= asked == summary["judge_calls"]
        assert summary["calls"] == 24
        assert made == 24 + asked
        assert summary["judge_tokens"] == 1020 * asked
        assert f"judge: {asked} calls" in first.stdout

        again = mma(tmp_path, *judged(suite, server.url))
        assert again.returncode == 0
        assert server.stats()["requests"] == made

        # A verdict by another fingerprint is void, and so is one of another parser version.
        lines = file.read_text().splitlines(keepends=True)
        edits = (lambda v: v | {"fingerprint": "f" * 64}, lambda v: v | {"parser": "0"})
        changed = [json.dumps(edit(json.loads(line))) + "\n" for edit, line in zip(edits, lines)]
        expected = sum(json.loads(line)["calls"] for line in lines[:2])
        file.write_text("".join([*changed, *lines[2:]]))
        assert mma(tmp_path, *judged(suite, server.url)).returncode == 0
        assert server.stats()["requests"] == made + expected

        # Another judge looks at what is stored; no victim is asked, and the run stays known by its first judge.
        made = server.stats()["requests"]
        assert judge([str(run), "judge=rules", "tracker=none"]) == 0
        assert server.stats()["requests"] == made
        assert summary_of(run)["verdicts"] == f"verdicts/{file.name}"
        (by_rules,) = (run / "verdicts").glob("rules-*.jsonl")
        assert len(rows(by_rules)) == 24
        figures = json.loads(by_rules.with_name(by_rules.stem + ".summary.json").read_text())
        assert figures["verdicts"] == f"verdicts/{by_rules.name}"
        assert judge([str(run), "judge=rules", "--primary", "tracker=none"]) == 0
        assert summary_of(run)["verdicts"] == f"verdicts/{by_rules.name}"
        assert len(rows(by_rules)) == 24
        with pytest.raises(ConfigError, match="prompt does not change how stored answers are judged"):
            judge([str(run), "prompt=neutral"])


def test_a_missing_judge_key_is_named_before_any_victim_is_asked(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(reply=HIT)) as server:
        done = mma(tmp_path, *judged(suite, server.url, "judge.model.api_key_env=JUDGE_KEY"))
        assert server.stats()["requests"] == 0
    assert done.returncode == 2
    assert "judge: environment variable JUDGE_KEY is not set" in done.stderr


def test_a_failed_judge_is_no_score_and_the_next_run_asks_only_it(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(reply=HIT)) as victims, spawned(Plan(reply="5/5")) as judges:
        line = judged(
            suite, victims.url, "domain=web", "limit=6", "model.family=x", "judge.model.family=x", judge_url=judges.url
        )
        done = mma(tmp_path, *line)
        assert done.returncode == 1
        cell = summary_of(run_of(tmp_path))["domains"]["web"]
        assert (cell["judge_error"], cell["scored"], cell["asr"]["estimate"]) == (6, 0, None)
        assert "no verdict" in " ".join(done.stdout.split())
        assert "victim's family" in done.stdout
        assert judges.stats()["requests"] == 18
        judges.set_plan(Plan(reply=verdict(5)))
        done = mma(tmp_path, *line)
        assert done.returncode == 0, done.stdout + done.stderr
        assert (victims.stats()["requests"], judges.stats()["requests"]) == (6, 24)
    (file,) = (run_of(tmp_path) / "verdicts").glob("rubric-*.jsonl")
    assert [v["attempt"] for v in rows(file)] == [1] * 6 + [2] * 6
    assert all(v["same_family"] for v in rows(file))
    assert summary_of(run_of(tmp_path))["judge_calls"] == 24


def test_a_refused_judge_key_stops_and_a_budget_covers_victims_and_judges(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(reply=KEPT, prompt_tokens=300, completion_tokens=0)) as victims:
        with spawned(Plan(faults=(Fault("unauthorized"),))) as judges:
            slow = ("model.limits.max_in_flight=1", "model.limits.start_in_flight=1", "domain=web")
            done = mma(tmp_path, *judged(suite, victims.url, *slow, judge_url=judges.url))
            assert done.returncode == 1
            assert "judge: unauthorized: HTTP 401: Incorrect API key" in " ".join(done.stdout.split())
            assert victims.stats()["requests"] < 18
        (tmp_path / "b").mkdir()
        with spawned(Plan(reply=verdict(1), prompt_tokens=300, completion_tokens=0)) as judges:
            before = victims.stats()["requests"]
            line = judged(suite, victims.url, *slow, "budget.tokens=3000", judge_url=judges.url)
            done = mma(tmp_path / "b", *line)
            assert "budget" in " ".join(done.stdout.split())
            made = victims.stats()["requests"] - before, judges.stats()["requests"]
    summary = summary_of(run_of(tmp_path / "b"))
    assert summary["tokens"] + summary["judge_tokens"] <= 3600
    assert min(made) >= 2
    assert sum(made) <= 12


def test_killed_at_random_moments_no_verdict_is_lost_or_asked_for_again(suite: Path, tmp_path: Path) -> None:
    in_flight, kills = 4, 3
    bounds = [f"{m}.limits.max_in_flight={in_flight}" for m in ("model", "judge.model")]
    generator = random.Random(11)
    environment = {**os.environ, "OPENAI_API_KEY": CANARY, "PYTHONPATH": str(Path(__file__).parents[2])}
    victims_plan, judges_plan = Plan(reply=HIT, latency_s=0.2), Plan(reply=verdict(3), latency_s=0.2)
    with spawned(victims_plan) as victims, spawned(judges_plan) as judges:
        arguments = judged(suite, victims.url, *bounds, judge_url=judges.url)
        killed = 0
        for _ in range(kills):
            process = subprocess.Popen(
                arguments, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            before = judges.stats()["requests"]
            deadline = time.monotonic() + 60
            while judges.stats()["requests"] == before and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(generator.uniform(0.0, 0.3))
            killed += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert killed >= 2
        done = mma(tmp_path, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert victims.stats()["requests"] <= 24 + killed * in_flight
        assert judges.stats()["requests"] <= 24 + killed * in_flight
    run = run_of(tmp_path)
    (file,) = (run / "verdicts").glob("rubric-*.jsonl")
    scored = [v["answer_id"] for v in rows(file)]
    assert sorted(scored) == sorted({a["answer_id"] for a in rows(run / "answers.jsonl")})
    assert len(scored) == 24
