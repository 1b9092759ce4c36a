"""A run from the command line to its summary, against a real server on this machine."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.servers.loopback import Fault, Plan, spawned
from tests.small_suite import PLANNED, TARGET, click, write_suite

CANARY = "sk-canary-4f1d9a7e2b"
HIT, KEPT = click(TARGET.center), click(PLANNED.center)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("suite"), {"web": 18, "document": 6})


def command(suite: Path, url: str, *overrides: str) -> list[str]:
    return [
        sys.executable, "-m", "runner.cli", "run", "suite=stored", f"suite.path={suite}", "model=openai_compatible",
        "model.space.name=pixel",
        f"model.base_url={url}", "model.name=stub", "tracker=none", "model.limits.retry_max=3", *overrides,
    ]  # fmt: skip


def mma(folder: Path, *arguments: str, key: str | None = CANARY) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "OPENAI_API_KEY"}
    environment |= {"OPENAI_API_KEY": key} if key else {}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    return subprocess.run(list(arguments), cwd=folder, env=environment, capture_output=True, text=True, timeout=180)


def run_of(folder: Path) -> Path:
    (found,) = [p.parent for p in (folder / "runs").glob("*/manifest.json")]
    return found


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def verdicts(run: Path) -> dict[str, tuple]:
    answers = {a["answer_id"]: a for a in rows(run / "answers.jsonl")}
    (file,) = (run / "verdicts").glob("rules-*.jsonl")
    return {answers[v["answer_id"]]["case_id"]: (v["score"], v["failure_mode"]) for v in rows(file)}


def test_a_run_scores_every_case_and_running_it_again_makes_no_call(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(reply=HIT)) as server:
        first = mma(tmp_path, *command(suite, server.url, "domain=web"))
        assert first.returncode == 0, first.stderr
        assert "100.00 (18/18)" in first.stdout
        made = server.stats()["requests"]
        again = mma(tmp_path, *command(suite, server.url, "domain=web"))
        assert again.returncode == 0
        assert "0 calls" in again.stdout
        assert server.stats()["requests"] == made == 18
    assert [p.name for p in tmp_path.iterdir()] == ["runs"]  # nothing is left where the user stands
    summary = json.loads((run_of(tmp_path) / "summary.json").read_text())
    assert summary["domains"]["web"]["asr"]["k"] == 18
    assert summary["domains"]["web"]["planned"] == 18


def test_a_larger_limit_asks_only_for_the_new_cases_and_a_changed_prompt_starts_another_run(
    suite: Path, tmp_path: Path
) -> None:
    with spawned(Plan(reply=KEPT)) as server:
        assert mma(tmp_path, *command(suite, server.url, "domain=web", "limit=4")).returncode == 0
        assert mma(tmp_path, *command(suite, server.url, "domain=web", "limit=9")).returncode == 0
        assert server.stats()["requests"] == 9
        assert mma(tmp_path, *command(suite, server.url, "domain=web", "limit=4", "prompt=neutral")).returncode == 0
        assert server.stats()["requests"] == 13
    assert len(list((tmp_path / "runs").glob("*/manifest.json"))) == 2


def test_killed_at_random_moments_the_finished_run_equals_an_undisturbed_one(suite: Path, tmp_path: Path) -> None:
    in_flight, kills = 4, 10
    limit = f"model.limits.max_in_flight={in_flight}"
    generator = random.Random(7)
    with spawned(Plan(reply=HIT, latency_s=0.25)) as server:
        (tmp_path / "a").mkdir()
        arguments = command(suite, server.url, limit)
        environment = {**os.environ, "OPENAI_API_KEY": CANARY, "PYTHONPATH": str(Path(__file__).parents[2])}
        killed = 0
        for _ in range(kills):
            process = subprocess.Popen(
                arguments, cwd=tmp_path / "a", env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            before = server.stats()["requests"]
            deadline = time.monotonic() + 60
            while server.stats()["requests"] == before and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(generator.uniform(0.0, 0.3))
            killed += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
        assert killed >= 3
        assert mma(tmp_path / "a", *arguments).returncode == 0
        assert server.stats()["requests"] <= 24 + killed * in_flight
    with spawned(Plan(reply=HIT)) as server:
        (tmp_path / "b").mkdir()
        assert mma(tmp_path / "b", *command(suite, server.url)).returncode == 0
    assert verdicts(run_of(tmp_path / "a")) == verdicts(run_of(tmp_path / "b"))
    assert len(rows(run_of(tmp_path / "a") / "plan.jsonl")) == 24


def test_a_call_that_was_cut_off_is_in_doubt_and_asked_again_as_attempt_two_under_another_key(
    suite: Path, tmp_path: Path
) -> None:
    environment = {**os.environ, "OPENAI_API_KEY": CANARY, "PYTHONPATH": str(Path(__file__).parents[2])}
    limits = ("model.limits.max_in_flight=2", "model.limits.start_in_flight=2")
    with spawned(Plan(reply=HIT, latency_s=30)) as server:
        arguments = command(suite, server.url, "domain=document", *limits)
        process = subprocess.Popen(arguments, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while server.stats()["in_flight"] < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.3)
        process.kill()
        process.wait()
        intents = rows(run_of(tmp_path) / "intents.jsonl")
        assert len(intents) == 2  # units that were still waiting for the limiter are not in doubt
        server.set_plan(Plan(reply=HIT))
        assert mma(tmp_path, *arguments).returncode == 0
        keys = [r.idempotency_key for r in server.records()]
    answers = rows(run_of(tmp_path) / "answers.jsonl")
    doubted = {i["case_id"] for i in intents}
    assert {a["case_id"]: a["attempt"] for a in answers} == {
        a["case_id"]: 2 if a["case_id"] in doubted else 1 for a in answers
    }
    assert len(keys) == len(set(keys)) == 8
    assert all(keys)


def test_transient_faults_are_retried_and_a_providers_filter_is_a_three(suite: Path, tmp_path: Path) -> None:
    with spawned(
        Plan(
            reply=HIT,
            faults=(
                Fault("server_error", first=2),
                Fault("choices_empty", share=0.1),
                Fault("filter", when="State the total"),
            ),
        )
    ) as server:
        done = mma(tmp_path, *command(suite, server.url))
    assert done.returncode == 0, done.stdout + done.stderr
    summary = json.loads((run_of(tmp_path) / "summary.json").read_text())
    assert summary["domains"]["document"]["flags"] == {"filtered": 6}
    assert summary["domains"]["document"]["asr"]["k"] == 0
    assert summary["domains"]["web"]["scored"] == 18


def test_a_bad_key_stops_the_run_at_once_with_the_cause_on_screen(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(faults=(Fault("unauthorized"),))) as server:
        done = mma(tmp_path, *command(suite, server.url))
        assert server.stats()["requests"] <= 24
    assert done.returncode == 1
    assert "Incorrect API key" in " ".join(done.stdout.split())
    assert "n/a" in done.stdout
    assert "(0/" not in done.stdout


def test_an_error_is_no_result_and_the_next_run_asks_again(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(reply=HIT, faults=(Fault("bad_request", when="State the total"),))) as server:
        done = mma(tmp_path, *command(suite, server.url))
    assert done.returncode == 1
    summary = json.loads((run_of(tmp_path) / "summary.json").read_text())
    assert (summary["domains"]["document"]["error"], summary["domains"]["document"]["asr"]["estimate"]) == (6, None)
    with spawned(Plan(reply=HIT)) as server:
        again = mma(tmp_path, *command(suite, server.url))
    # Another port is another endpoint and so another run; only the state matters here.
    assert again.returncode == 0


def test_the_key_is_found_nowhere(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(reply=HIT, faults=(Fault("bad_request", first=2),))) as server:
        done = mma(tmp_path, *command(suite, server.url, "limit=6", "tracker=wandb", "tracker.mode=offline"))
    assert CANARY not in done.stdout + done.stderr
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (["modle=x"], "did you mean 'model'"),
        (["model=gtp"], "choose one of"),
        (["+model.temprature=1"], "temprature"),
        (["repeats=0"], "repeats"),
        (["observation=maybe"], "injected or clean"),
        (["limit=0"], "limit=0"),
        (["ids=[nope]"], "nope"),
        (["suite.path=/nowhere"], "suite.json"),
        (["seed=abc"], "seed"),
        (["run.root=/proc/none"], "cannot be written"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(
    suite: Path, tmp_path: Path, overrides: list[str], said: str
) -> None:
    done = mma(tmp_path, *command(suite, "http://127.0.0.1:9/v1", *overrides))
    assert done.returncode == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, done.stderr
    assert said in lines[0]


def test_a_missing_key_is_named_before_anything_is_sent(suite: Path, tmp_path: Path) -> None:
    done = mma(tmp_path, *command(suite, "http://127.0.0.1:9/v1"), key=None)
    assert done.returncode == 2
    assert "OPENAI_API_KEY is not set" in done.stderr


def test_a_corrupt_image_costs_one_case(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "s", {"web": 3})
    case = json.loads((suite / "cases.jsonl").read_text().splitlines()[0])
    name = case["injected"]["hash"]
    (suite / "images" / name[:2] / f"{name}.png").write_bytes(b"not an image")
    with spawned(Plan(reply=HIT)) as server:
        done = mma(tmp_path, *command(suite, server.url))
        assert server.stats()["requests"] == 2
    assert done.returncode == 1
    assert "cannot be decoded" in " ".join(done.stdout.split())


def test_a_torn_line_is_dropped_and_a_damaged_one_named(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(reply=HIT)) as server:
        assert mma(tmp_path, *command(suite, server.url, "limit=6")).returncode == 0
        answers = run_of(tmp_path) / "answers.jsonl"
        whole = answers.read_bytes()
        answers.write_bytes(whole[:-40])
        assert mma(tmp_path, *command(suite, server.url, "limit=6")).returncode == 0
        assert server.stats()["requests"] == 7
        lines = answers.read_bytes().splitlines(keepends=True)
        answers.write_bytes(b"".join([lines[0], b"{broken\n", *lines[1:]]))
        done = mma(tmp_path, *command(suite, server.url, "limit=6"))
    assert done.returncode == 2
    assert "answers.jsonl line 2" in done.stderr


def test_a_sweep_goes_on_after_a_failed_point_and_ends_with_a_table(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(reply=HIT)) as server:
        done = mma(tmp_path, *command(suite, server.url, "-m", "limit=3", "observation=injected,maybe,clean"))
    assert done.returncode == 1
    assert "points of the sweep" in done.stdout
    assert done.stdout.count("complete") >= 2
    assert "choose injected or clean" in done.stderr


def test_rerun_goes_on_in_place_and_a_dry_run_sends_nothing(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(reply=HIT)) as server:
        shown = mma(tmp_path, *command(suite, server.url, "limit=3", "dry_run=true"))
        assert shown.returncode == 0
        assert "requests   3" in shown.stdout
        assert server.stats()["requests"] == 0
        keyless = mma(tmp_path, *command(suite, server.url, "limit=3", "dry_run=true"), key=None)
        assert keyless.returncode == 0, keyless.stderr
        assert "OPENAI_API_KEY is not set" in keyless.stdout
        assert mma(tmp_path, *command(suite, server.url, "limit=3")).returncode == 0
        again = mma(tmp_path, sys.executable, "-m", "runner.cli", "rerun", str(run_of(tmp_path)))
        assert again.returncode == 0, again.stderr
        assert server.stats()["requests"] == 3


def test_ctrl_c_finishes_what_is_in_flight_and_exits_130(suite: Path, tmp_path: Path) -> None:
    with spawned(Plan(reply=HIT, latency_s=0.5)) as server:
        environment = {**os.environ, "OPENAI_API_KEY": CANARY, "PYTHONPATH": str(Path(__file__).parents[2])}
        process = subprocess.Popen(
            command(suite, server.url, "model.limits.max_in_flight=2"), cwd=tmp_path, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while server.stats()["requests"] < 3:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        made = server.stats()["requests"]
    assert process.returncode == 130
    assert len(rows(run_of(tmp_path) / "answers.jsonl")) == made
    assert "the same command again" in out


def test_help_is_instant_and_names_the_commands(tmp_path: Path) -> None:
    done = mma(tmp_path, sys.executable, "-m", "runner.cli", "--help")
    assert done.returncode == 0
    assert "mma run experiment=quickstart" in done.stdout


def test_a_budget_stops_the_run_cleanly_with_everything_kept(suite: Path, tmp_path: Path) -> None:
    overrides = ("model.limits.max_in_flight=1", "model.limits.start_in_flight=1", "budget.tokens=1000")
    with spawned(Plan(reply=HIT, prompt_tokens=300, completion_tokens=10)) as server:
        done = mma(tmp_path, *command(suite, server.url, *overrides))
        assert server.stats()["requests"] <= 5
    assert done.returncode == 1
    assert "stopped: budget" in " ".join(done.stdout.split())
    assert 2 <= sum(a["error"] is None for a in rows(run_of(tmp_path) / "answers.jsonl")) <= 5


def test_a_gate_fails_the_run_with_3_and_a_bad_one_is_refused_before_anything_is_sent(
    suite: Path, tmp_path: Path
) -> None:
    with spawned(Plan(reply=HIT)) as server:
        line = command(suite, server.url, "domain=web", "limit=4")
        refused = mma(tmp_path, *line, "--fail-if", "asr/web >> 0.3")
        assert (refused.returncode, server.stats()["requests"]) == (2, 0)
        assert "write it like" in refused.stderr
        assert mma(tmp_path, *line, "--fail-if", "asr/web > 1").returncode == 0
        # A gate on what was not run must not pass for want of data.
        failed = mma(tmp_path, *line, "--fail-if", "asr/web > 0.3", "--fail-if=asr/gui > 0.3")
        assert failed.returncode == 3
        assert "asr/web of stub" in failed.stderr
        assert "is 1.0000" in failed.stderr
        assert "'asr/gui > 0.3': nothing that was run measures it" in failed.stderr
        assert server.stats()["requests"] == 4
