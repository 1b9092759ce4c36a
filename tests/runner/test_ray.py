"""The executor over a real Ray: what it records, what it survives, what it keeps to itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runner.executors.ray_worker import health_timeout
from tests.servers.cluster import Cluster
from tests.servers.loopback import Fault, Plan, Remote, spawned
from tests.small_suite import TARGET, click, write_suite

CANARY = "sk-canary-7b1e52c09d"
TIMES = {"latency_s", "waited_s", "dressed_s", "seconds", "waited"}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("suite"), {"web": 24, "document": 6})


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with Cluster({"OPENAI_API_KEY": CANARY}) as running:
        yield running


@pytest.fixture(scope="module")
def server() -> Iterator[Remote]:
    with spawned(Plan(reply=click(TARGET.center))) as running:
        yield running


def start(
    folder: Path, suite: Path, url: str, environment: dict[str, str], *overrides: str, group: bool = False
) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    command = [
        sys.executable, "-m", "runner.cli", "run", "suite=stored", f"suite.path={suite}", "model=openai_compatible",
        "model.space.name=pixel",
        f"model.base_url={url}", "model.name=stub", "tracker=none", "model.limits.start_in_flight=4",
        "model.limits.max_in_flight=4", *overrides,
    ]  # fmt: skip
    return subprocess.Popen(
        command, cwd=folder, env={**environment, "OPENAI_API_KEY": CANARY, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=group,
    )  # fmt: skip


def finished(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=180)
    return process.returncode, out, err


def joined(cluster: Cluster) -> list[str]:
    return ["executor=ray", f"executor.address={cluster.address}"]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def run_of(folder: Path) -> Path:
    (found,) = [p.parent for p in (folder / "runs").glob("*/manifest.json")]
    return found


def timeless(node: Any) -> Any:
    if isinstance(node, dict):
        return {k: timeless(v) for k, v in node.items() if k not in TIMES}
    return [timeless(v) for v in node] if isinstance(node, list) else node


def records(run: Path) -> dict[str, list[Any]]:
    """All records of a run but for their order and timing."""
    files = list(run.rglob("*.jsonl"))
    return {
        p.relative_to(run).as_posix(): sorted(
            (timeless(r) for r in rows(p)), key=lambda r: json.dumps(r, sort_keys=True)
        )
        for p in files
        if p.name != "intents.jsonl"
    }


def until(what: Any, seconds: float = 150.0) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def all_scored_once(run: Path, cases: int) -> None:
    summary = json.loads((run / "summary.json").read_text())
    assert sum(d["scored"] for d in summary["domains"].values()) == cases
    (file,) = (run / "verdicts").glob("rules-*.jsonl")
    answers = {a["answer_id"]: a["case_id"] for a in rows(run / "answers.jsonl")}
    assert sorted(answers[v["answer_id"]] for v in rows(file)) == sorted({answers[v["answer_id"]] for v in rows(file)})
    assert len(rows(file)) == cases


def test_a_ray_of_its_own_and_a_joined_one_record_what_the_local_executor_does(
    suite: Path, cluster: Cluster, server: Remote, tmp_path: Path
) -> None:
    server.set_plan(Plan(reply=click(TARGET.center), faults=(Fault("server_error", tries=1, when="web"),)))
    before = set(Path("/tmp").glob("mma-ray-*"))
    own = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
    ways = {
        "local": (own, []),
        "own": ({**own, "RAY_ADDRESS": cluster.address}, ["executor=ray"]),  # it is not joined without being named
        "joined": (cluster.environment, joined(cluster)),
    }
    texts = {}
    for name, (environment, overrides) in ways.items():
        server.reset()
        code, texts[name], err = finished(start(tmp_path / name, suite, server.url, environment, *overrides))
        assert code == 0, err
        assert "30/30" in err
    assert texts["own"].splitlines()[1:9] == texts["local"].splitlines()[1:9]  # Ray adds nothing
    made = {name: records(run_of(tmp_path / name)) for name in ways}
    assert made["own"] == made["local"]
    assert made["joined"] == made["local"]
    assert len(made["local"]["answers.jsonl"]) == 30
    for name in ways:
        assert not (run_of(tmp_path / name) / "spool").exists()
    assert set(Path("/tmp").glob("mma-ray-*")) == before


def test_points_of_a_sweep_share_one_ray_and_one_limit(
    suite: Path, cluster: Cluster, server: Remote, tmp_path: Path
) -> None:
    server.set_plan(Plan(reply=click(TARGET.center), latency_s=0.1))
    server.reset()
    arguments = ["-m", "prompt=standard,neutral", "limit=12", *joined(cluster)]
    both = [start(tmp_path / n, suite, server.url, cluster.environment, *arguments) for n in ("a", "b")]
    assert [finished(p)[0] for p in both] == [0, 0]
    stats = server.stats()
    assert stats["requests"] == 48
    assert stats["max_in_flight"] <= 4  # four points, two of them at a time, on one endpoint


def test_a_killed_driver_loses_nothing_and_repeats_nothing_where_the_cluster_outlives_it(
    suite: Path, cluster: Cluster, server: Remote, tmp_path: Path
) -> None:
    server.set_plan(Plan(reply=click(TARGET.center), latency_s=1.5))
    server.reset()
    for _ in range(2):
        before = server.stats()["requests"]
        process = start(tmp_path / "a", suite, server.url, cluster.environment, *joined(cluster))
        until(lambda before=before: server.stats()["requests"] >= before + 3)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    code, _, err = finished(start(tmp_path / "a", suite, server.url, cluster.environment, *joined(cluster)))
    assert code == 0, err
    assert server.stats()["requests"] == 30
    assert server.stats()["doubled"] == 0
    keys = [r.idempotency_key for r in server.records()]
    assert len(set(keys)) == 30
    all_scored_once(run_of(tmp_path / "a"), 30)


def test_cases_of_a_killed_worker_go_to_another_as_attempt_two(
    suite: Path, cluster: Cluster, server: Remote, tmp_path: Path
) -> None:
    server.set_plan(Plan(reply=click(TARGET.center), latency_s=1.0))
    server.reset()
    process = start(tmp_path / "a", suite, server.url, cluster.environment, *joined(cluster))
    until(lambda: server.stats()["requests"] >= 5 and server.stats()["in_flight"] == 4)
    for worker in cluster.workers():
        os.kill(worker, signal.SIGKILL)
    code, _, err = finished(process)
    assert code == 0, err
    assert "a worker on" in err
    assert "is lost" in err
    run = run_of(tmp_path / "a")
    all_scored_once(run, 30)
    attempts = [a["attempt"] for a in rows(run / "answers.jsonl")]
    assert set(attempts) == {1, 2}
    assert attempts.count(2) <= 4
    assert server.stats()["requests"] <= 34


def test_ctrl_c_finishes_what_is_out_and_exits_130_and_what_stalls_is_named(
    suite: Path, cluster: Cluster, server: Remote, tmp_path: Path
) -> None:
    server.set_plan(Plan(reply=click(TARGET.center), latency_s=6.0))
    server.reset()
    arguments = [*joined(cluster), "executor.stall_s=1"]
    process = start(tmp_path / "a", suite, server.url, cluster.environment, *arguments)
    until(lambda: server.stats()["in_flight"] == 4)
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    code, _, err = finished(process)
    assert code == 130, err
    assert "nothing from" in err
    made = server.stats()
    assert made["outcomes"] == {"ok": made["requests"]}
    assert len(rows(run_of(tmp_path / "a") / "answers.jsonl")) == made["requests"] < 30


def test_a_node_that_joins_late_is_used(suite: Path, cluster: Cluster, server: Remote, tmp_path: Path) -> None:
    server.set_plan(Plan(reply=click(TARGET.center), latency_s=8.0))  # few are done before the node is there
    server.reset()
    process = start(tmp_path / "a", suite, server.url, cluster.environment, *joined(cluster))
    until(lambda: server.stats()["requests"] >= 1)
    node = cluster.add()
    try:
        spools = tmp_path / "a" / "runs"
        until(
            lambda: (
                len({p.name.rpartition("-")[0] for p in spools.glob("*/spool/*")}) == 2 or process.poll() is not None
            )
        )
        server.set_plan(Plan(reply=click(TARGET.center)))
        used = process.poll() is None
        code, _, err = finished(process)
    finally:
        cluster.kill(node)
    assert code == 0, err
    assert used, err
    assert "has joined" in err
    assert "is lost" not in err
    all_scored_once(run_of(tmp_path / "a"), 30)
    assert server.stats()["requests"] == 30


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_at_a_terminal_reaches_the_run_and_not_the_workers_of_its_own_ray(
    suite: Path, server: Remote, tmp_path: Path, presses: int
) -> None:
    """A terminal signals the whole group: Ray's processes as well."""
    server.set_plan(Plan(reply=click(TARGET.center), latency_s=4.0))
    server.reset()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}
    before = set(Path("/tmp").glob("mma-ray-*"))
    process = start(tmp_path / "a", suite, server.url, environment, "executor=ray", group=True)
    until(lambda: server.stats()["in_flight"] == 4)
    for _ in range(presses):
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.5)
    code, _, err = finished(process)
    assert code == 130, err
    assert "Traceback" not in err
    made = server.stats()["requests"]
    run = run_of(tmp_path / "a")
    answers = rows(run / "answers.jsonl") if (run / "answers.jsonl").exists() else []
    assert len(answers) == (made if presses == 1 else 0)
    assert not any(a["error"] for a in answers)
    assert (run / "summary.json").exists()
    until(lambda: set(Path("/tmp").glob("mma-ray-*")) == before, 20)


def test_actors_that_a_killed_driver_left_end_at_once_with_clean(
    suite: Path, cluster: Cluster, server: Remote, tmp_path: Path
) -> None:
    server.set_plan(Plan(reply=click(TARGET.center), latency_s=1.0))
    server.reset()
    process = start(tmp_path / "a", suite, server.url, cluster.environment, *joined(cluster))
    until(lambda: server.stats()["requests"] >= 4)
    process.send_signal(signal.SIGKILL)
    process.communicate()

    def clean(*arguments: str) -> str:
        command = [sys.executable, "-m", "runner.cli", "clean", "--address", cluster.address, *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=cluster.environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    until(lambda: "limiter-" in clean(), 40)  # not before all have been quiet: a driver might be there
    workers = cluster.workers()
    said = clean("--yes")
    assert "actor without a driver" in said
    assert "worker-" in said
    until(lambda: not set(workers) & set(cluster.workers()))
    code, _, err = finished(start(tmp_path / "a", suite, server.url, cluster.environment, *joined(cluster)))
    assert code == 0, err
    assert server.stats()["requests"] == 30  # what was out was finished before the workers went


def test_a_joined_clusters_time_until_a_node_is_given_up_is_found(cluster: Cluster) -> None:
    assert health_timeout(cluster.address) == 9.0
    assert health_timeout("127.0.0.1:1") is None


def test_images_reach_nodes_that_do_not_see_the_suite_and_only_once(
    suite: Path, cluster: Cluster, server: Remote, tmp_path: Path
) -> None:
    server.set_plan(Plan(reply=click(TARGET.center)))
    arguments = [*joined(cluster), "executor.images=ship"]
    code, _, err = finished(start(tmp_path / "a", suite, server.url, cluster.environment, *arguments))
    assert code == 0, err
    all_scored_once(run_of(tmp_path / "a"), 30)
    (cache,) = (cluster.folder / "scratch" / "images").iterdir()
    there = {p: p.stat().st_mtime_ns for p in cache.rglob("*.png")}
    used = {p.name for p in (suite / "images").rglob("*.png")}
    assert {p.name for p in there} == used
    again = [*arguments, "prompt=neutral", "executor.slots=2"]
    assert finished(start(tmp_path / "b", suite, server.url, cluster.environment, *again))[0] == 0
    assert {p: p.stat().st_mtime_ns for p in cache.rglob("*.png")} == there


def test_a_node_without_the_key_is_named_before_anything_is_sent(
    suite: Path, server: Remote, tmp_path: Path, cluster: Cluster
) -> None:
    server.reset()
    process = start(
        tmp_path / "a", suite, server.url, {**cluster.environment, "OTHER_KEY": CANARY}, *joined(cluster),
        "model.api_key_env=OTHER_KEY",
    )  # fmt: skip
    code, _, err = finished(process)
    assert code == 2
    assert "OTHER_KEY is not set" in err
    assert "executor.send_keys=true" in err
    assert server.stats()["requests"] == 0
    sent = start(
        tmp_path / "b", suite, server.url, {**cluster.environment, "OTHER_KEY": CANARY}, *joined(cluster),
        "model.api_key_env=OTHER_KEY", "executor.send_keys=true", "limit=3",
    )  # fmt: skip
    assert finished(sent)[0] == 0
    assert all(r.authorized for r in server.records())


def test_the_key_is_nowhere(cluster: Cluster, tmp_path: Path) -> None:
    """Runs last: looks through all that the runs above left, of ours and of Ray's."""
    for path in cluster.folder.rglob("*"):
        if path.is_file() and not path.is_socket():
            assert CANARY.encode() not in path.read_bytes(), path
    for process in Path("/proc").glob("[0-9]*"):
        try:
            assert CANARY.encode() not in (process / "cmdline").read_bytes()
        except OSError:
            continue
