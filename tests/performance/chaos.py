"""Runs that are killed at random in every part, and finished by giving the same command again.

    python -m tests.performance.chaos [--seeds 10] [--cases 120] [--latency 1.0] [--in-flight 8]

For each seed: a cluster of a head and one node, and a server whose answers depend on the request. Driver, worker, node
and server are killed at seeded moments while calls are out (node and server come back); then the command is given until it ends with 0.
Its summary must equal that of an undisturbed run, with every case scored once and no call repeated that was not cut.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from tests.servers.cluster import Cluster, free_port
from tests.servers.loopback import Asked, Plan, spawned
from tests.small_suite import PLANNED, TARGET, click, write_suite

KILLS = ("driver", "worker", "node", "server")


def answered(asked: Asked) -> str:
    """One request in two is obeyed, whichever it is."""
    return click(TARGET.center if hashlib.sha256(asked.raw).digest()[0] % 2 else PLANNED.center)


def command(suite: Path, port: int, options: argparse.Namespace, *overrides: str) -> list[str]:
    return [
        sys.executable, "-m", "runner.cli", "run", "suite=stored", f"suite.path={suite}", "domain=web",
        "model=openai_compatible", f"model.base_url=http://127.0.0.1:{port}/v1", "model.name=stub", "tracker=none",
        "model.api_key_env=null", "model.limits.retry_max=4", f"model.limits.max_in_flight={options.in_flight}",
        f"model.limits.start_in_flight={options.in_flight}", *overrides,
    ]  # fmt: skip


def figures(folder: Path) -> dict[str, Any]:
    """What a run found, without what it took."""
    (path,) = (folder / "runs").glob("*/summary.json")
    summary = json.loads(path.read_text())
    return {k: summary[k] for k in ("domains", "intents", "macro_asr", "macro_scr", "planned_in_directory")}


def verdicts(folder: Path) -> dict[str, list[int]]:
    """Scores by case."""
    (run,) = [p.parent for p in (folder / "runs").glob("*/summary.json")]
    answers = {a["answer_id"]: a["case_id"] for a in map(json.loads, (run / "answers.jsonl").open())}
    found: dict[str, list[int]] = {}
    for file in (run / "verdicts").glob("rules-*.jsonl"):
        for verdict in map(json.loads, file.open()):
            found.setdefault(answers[verdict["answer_id"]], []).append(verdict["score"])
    return found


def disturbed(seed: int, folder: Path, suite: Path, options: argparse.Namespace) -> str:
    """One chaos run; says what was killed and what it cost."""
    generator = random.Random(seed)
    port, killed = free_port(), []
    plan = Plan(latency_s=options.latency)
    handler = f"{__name__ if __name__ != '__main__' else 'tests.performance.chaos'}:answered"
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(Cluster())
        servers = contextlib.ExitStack()
        stack.push(lambda *_: servers.close())
        server = servers.enter_context(spawned(plan, handler, folder / "requests.jsonl", port))
        node = cluster.add()
        arguments = command(suite, port, options, "executor=ray", f"executor.address={cluster.address}")
        todo = list(KILLS)
        generator.shuffle(todo)
        for _ in range(8):
            process = subprocess.Popen(
                arguments, cwd=folder, env=cluster.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            while process.poll() is None:
                time.sleep(0.1)
                if not todo or not server.stats()["in_flight"]:
                    continue
                time.sleep(generator.uniform(0.0, 1.5 * options.latency))
                if process.poll() is not None:
                    continue
                what = todo.pop()
                killed.append(what)
                if what == "driver":
                    process.send_signal(signal.SIGKILL)
                elif what == "worker":
                    for worker in cluster.workers()[:1]:
                        os.kill(worker, signal.SIGKILL)
                elif what == "node":
                    cluster.kill(node)
                    back = threading.Thread(target=cluster.add)  # the run goes on meanwhile
                    back.start()
                    stack.callback(back.join)
                else:
                    servers.close()
                    time.sleep(generator.uniform(0.0, 1.0))
                    server = servers.enter_context(spawned(plan, handler, folder / "requests.jsonl", port))
            if process.returncode == 0:
                break
        assert process.returncode == 0, f"seed {seed}: exit code {process.returncode} after {killed}"
    assert len(killed) >= 2, f"seed {seed}: the run was over after {killed}; give more cases or latency"
    made = [json.loads(line) for line in (folder / "requests.jsonl").open()]
    billed = sum(r["billed"] for r in made)
    return f"killed {', '.join(killed)}; {billed} calls billed for {options.cases} cases"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--cases", type=int, default=120)
    parser.add_argument("--latency", type=float, default=1.0)
    parser.add_argument("--in-flight", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        suite = write_suite(root / "suite", {"web": options.cases})
        calm = root / "calm"
        calm.mkdir()
        with spawned(Plan(), "tests.performance.chaos:answered") as server:
            port = int(server.url.split(":")[2].split("/")[0])
            subprocess.run(command(suite, port, options), cwd=calm, check=True, capture_output=True)
        for seed in range(options.seeds):
            folder = root / f"seed{seed}"
            folder.mkdir()
            said = disturbed(seed, folder, suite, options)
            assert figures(folder) == figures(calm), f"seed {seed}: the summary differs after {said}"
            assert verdicts(folder) == verdicts(calm), f"seed {seed}: verdicts differ after {said}"
            print(f"seed {seed}: {said}; summary and verdicts equal the undisturbed run's", flush=True)


if __name__ == "__main__":
    main()
