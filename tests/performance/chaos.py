"""Runs that are killed at random in every part, and finished by giving the same command again.

    python -m tests.performance.chaos [--seeds 10] [--cases 120] [--latency 1.0] [--in-flight 8]

For each seed: a cluster of a head and one node whose agents run in containers, and a server whose answers depend on the
request. Driver, worker, container, node and server are killed at seeded moments while calls are out (node and server come
back); then the command is given until it ends with 0. Its summary and its verdicts must equal those of an undisturbed run
of the local executor without containers, every case scored once; no container may remain. Where the server lived on, a call
is repeated only if it was cut: those in flight at each kill at most.

    python -m tests.performance.chaos drivers [--cases 1083] [--latency 1.0] [--in-flight 64]

kills only the driver, three times, of a Ray that outlives it (joined) and of one that does not (own): how many calls were
repeated is printed beside how many were in flight. Needs an engine with the image mma-agent; `--no-containers` goes without.
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

HANDLER = "tests.performance.chaos:answered"
KILLS = ("driver", "worker", "container", "node", "server")


def answered(asked: Asked) -> str:
    """One request in two is obeyed, whichever it is."""
    return click(TARGET.center if hashlib.sha256(asked.raw).digest()[0] % 2 else PLANNED.center)


def command(suite: Path, port: int, options: argparse.Namespace, *overrides: str) -> list[str]:
    return [
        sys.executable, "-m", "runner.cli", "run", "suite=stored", f"suite.path={suite}", "domain=web",
        "model=openai_compatible",
        "model.space.name=pixel", f"model.base_url=http://127.0.0.1:{port}/v1", "model.name=stub", "tracker=none",
        "model.api_key_env=null", "model.limits.retry_max=4", f"model.limits.max_in_flight={options.in_flight}",
        f"model.limits.start_in_flight={options.in_flight}", *overrides,
    ]  # fmt: skip


def containers(pids: list[int]) -> list[Any]:
    """The agents' containers that these processes started."""
    from runner.sandbox.docker import connect

    found = connect().containers.list(filters={"label": ["mma-safetybench=agent"]})
    return [c for c in found if c.labels["mma-safetybench.pid"] in map(str, pids)]


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
    workers: set[int] = set()
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(Cluster())
        servers = contextlib.ExitStack()
        stack.push(lambda *_: servers.close())
        server = servers.enter_context(spawned(plan, HANDLER, folder / "requests.jsonl", port))
        node = cluster.add()
        boxed = ["sandbox=docker", "sandbox.containers=2"] if options.containers else []
        arguments = command(suite, port, options, "executor=ray", f"executor.address={cluster.address}", *boxed)
        todo = [k for k in KILLS if k != "container" or options.containers]
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
                workers.update(cluster.workers())
                if what == "container" and not (boxes := containers(cluster.workers())):
                    todo.insert(0, what)
                    continue
                killed.append(what)
                if what == "driver":
                    process.send_signal(signal.SIGKILL)
                elif what == "worker":
                    for worker in cluster.workers()[:1]:
                        os.kill(worker, signal.SIGKILL)
                elif what == "container":
                    generator.choice(sorted(boxes, key=lambda c: str(c.id))).kill()
                elif what == "node":
                    cluster.kill(node)
                    back = threading.Thread(target=cluster.add)  # the run goes on meanwhile
                    back.start()
                    stack.callback(back.join)
                else:
                    servers.close()
                    time.sleep(generator.uniform(0.0, 1.0))
                    server = servers.enter_context(spawned(plan, HANDLER, folder / "requests.jsonl", port))
            if process.returncode == 0:
                break
        assert process.returncode == 0, f"seed {seed}: exit code {process.returncode} after {killed}"
        workers.update(cluster.workers())
    if options.containers:
        deadline = time.monotonic() + 30
        while (left := containers(sorted(workers))) and time.monotonic() < deadline:
            time.sleep(0.5)
        assert not left, f"seed {seed}: {len(left)} containers remain"
    assert len(killed) >= 2, f"seed {seed}: the run was over after {killed}; give more cases or latency"
    made = [json.loads(line) for line in (folder / "requests.jsonl").open()]
    billed = sum(r["billed"] for r in made)
    return f"killed {', '.join(killed)}; {billed} calls billed for {options.cases} cases"


def drivers(folder: Path, suite: Path, options: argparse.Namespace, calm: Path) -> None:
    """The driver is killed three times, once with a Ray that outlives it and once with one that does not."""
    for name in ("joined", "own"):
        place = folder / name
        place.mkdir()
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(spawned(Plan(latency_s=options.latency), HANDLER, place / "requests.jsonl"))
            port = int(server.url.split(":")[2].split("/")[0])
            environment, extra = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")}, ["executor=ray"]
            if name == "joined":
                cluster = stack.enter_context(Cluster())
                environment, extra = cluster.environment, [*extra, f"executor.address={cluster.address}"]
            in_flight = []
            for kill in range(4):
                process = subprocess.Popen(
                    command(suite, port, options, *extra), cwd=place, env=environment, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )  # fmt: skip
                while process.poll() is None and kill < 3:
                    if server.stats()["requests"] >= (kill + 1) * options.cases // 4 and server.stats()["in_flight"]:
                        in_flight.append(server.stats()["in_flight"])
                        process.send_signal(signal.SIGKILL)
                        break
                    time.sleep(0.05)
                process.wait()
            assert process.returncode == 0, f"{name}: exit code {process.returncode}"
            made = server.stats()["requests"]
        assert len(in_flight) == 3
        assert figures(place) == figures(calm)
        assert verdicts(place) == verdicts(calm), f"{name}: verdicts differ"
        repeated = made - options.cases
        print(
            f"{name}: driver killed three times with {' + '.join(map(str, in_flight))} calls in flight; {made} requests for "
            f"{options.cases} cases, {repeated} repeated; summary and verdicts equal the undisturbed run's",
            flush=True,
        )
        assert repeated <= (0 if name == "joined" else sum(in_flight))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("all", "drivers"), nargs="?", default="all")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--cases", type=int)
    parser.add_argument("--latency", type=float, default=1.0)
    parser.add_argument("--in-flight", type=int)
    parser.add_argument("--no-containers", dest="containers", action="store_false")
    options = parser.parse_args()
    options.cases = options.cases or (120 if options.what == "all" else 1083)
    options.in_flight = options.in_flight or (8 if options.what == "all" else 64)
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        suite = write_suite(root / "suite", {"web": options.cases})
        calm = root / "calm"
        calm.mkdir()
        with spawned(Plan(), HANDLER) as server:
            port = int(server.url.split(":")[2].split("/")[0])
            subprocess.run(command(suite, port, options), cwd=calm, check=True, capture_output=True)
        if options.what == "drivers":
            drivers(root, suite, options, calm)
            return
        for seed in range(options.first, options.first + options.seeds):
            folder = root / f"seed{seed}"
            folder.mkdir()
            said = disturbed(seed, folder, suite, options)
            assert figures(folder) == figures(calm), f"seed {seed}: the summary differs after {said}"
            assert verdicts(folder) == verdicts(calm), f"seed {seed}: verdicts differ after {said}"
            print(f"seed {seed}: {said}; summary and verdicts equal the undisturbed run's", flush=True)


if __name__ == "__main__":
    main()
