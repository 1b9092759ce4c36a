"""A cluster of three nodes on one machine runs a sweep of four points; one node is killed and one cut off on the way.

    python -m tests.performance.three_nodes [--cases 60] [--latency 0.5]

Needs root: each node but the head lives in a network namespace of its own, so that cutting its cable is a real
partition. Prints when each loss was noticed and checks that every case of every point is scored once.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.servers.cluster import Cluster
from tests.servers.loopback import Plan, spawned
from tests.small_suite import TARGET, click, write_suite

BRIDGE, HOST = "mmabr0", "10.77.41.1"


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@contextmanager
def cables(count: int) -> Iterator[list[tuple[str, str]]]:
    """Network namespaces behind one bridge; gives each one's name and address."""
    ip("link", "add", BRIDGE, "type", "bridge")
    made = []
    try:
        ip("addr", "add", f"{HOST}/24", "dev", BRIDGE)
        ip("link", "set", BRIDGE, "up")
        for number in range(count):
            name, address = f"mmans{number}", f"10.77.41.{number + 2}"
            made.append((name, address))
            ip("netns", "add", name)
            ip("link", "add", f"mmav{number}", "type", "veth", "peer", "name", "eth0", "netns", name)
            ip("link", "set", f"mmav{number}", "master", BRIDGE, "up")
            ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield made
    finally:
        for number, (name, _) in enumerate(made):  # a namespace whose processes end late keeps its cable
            for gone in (("link", "del", f"mmav{number}"), ("netns", "del", name)):
                with suppress(subprocess.CalledProcessError):
                    ip(*gone)
        ip("link", "del", BRIDGE)


def relay(port: int) -> int:
    """Makes a server on this machine's loopback reachable from the nodes; returns the port at `HOST`."""
    ready: list[int] = []
    started = threading.Event()

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pipe(reader, far_writer), pipe(far_reader, writer))

    async def serve() -> None:
        server = await asyncio.start_server(connected, HOST, 0)
        ready.append(server.sockets[0].getsockname()[1])
        started.set()
        await server.serve_forever()

    threading.Thread(target=lambda: asyncio.run(serve()), daemon=True).start()
    started.wait(10)
    return ready[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--latency", type=float, default=0.5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, cables(2) as (first, second):
        folder = Path(scratch)
        suite = write_suite(folder / "suite", {"web": options.cases})
        with (
            spawned(Plan(reply=click(TARGET.center), latency_s=options.latency)) as server,
            Cluster(host=HOST) as cluster,
        ):
            port = relay(int(server.url.split(":")[2].split("/")[0]))
            nodes = [cluster.add(a, ("ip", "netns", "exec", n)) for n, a in (first, second)]
            command = [
                sys.executable, "-m", "runner.cli", "run", "-m", "suite=stored", f"suite.path={suite}", "domain=web",
                "model=openai_compatible",
                "model.space.name=pixel", f"model.base_url=http://{HOST}:{port}/v1", "model.name=stub", "tracker=none",
                "model.api_key_env=null", "model.limits.max_in_flight=9", "model.limits.start_in_flight=9",
                "prompt=standard,neutral,safety_priority,placebo_priority", "executor=ray",
                f"executor.address={cluster.address}",
            ]  # fmt: skip
            process = subprocess.Popen(
                command, cwd=folder, env=cluster.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            started = time.monotonic()
            lines: list[tuple[float, str]] = []
            assert process.stderr is not None
            stream = process.stderr
            reader = threading.Thread(
                target=lambda: lines.extend((time.monotonic(), line) for line in stream), daemon=True
            )
            reader.start()

            def reached(requests: int) -> None:
                while server.stats()["requests"] < requests and process.poll() is None:
                    time.sleep(0.1)

            reached(options.cases // 4)
            while len(cluster.workers()) < 3 and process.poll() is None:
                time.sleep(0.1)
            reached(server.stats()["requests"] + 9)
            killed = time.monotonic()
            cluster.kill(nodes[0])
            reached(options.cases * 12 // 5)
            cut = time.monotonic()
            ip("link", "set", "mmav1", "down")
            assert process.stdout is not None
            out = process.stdout.read()
            code = process.wait()
            reader.join(10)
            losses = [at for at, line in lines if "is lost" in line]
            print("".join(line for _, line in lines if "running" not in line))
            print(f"exit code {code} after {time.monotonic() - started:.0f} s, {server.stats()['requests']} requests")
            print(
                f"killed node noticed after {min((a - killed for a in losses if a >= killed), default=float('nan')):.1f} s"
            )
            print(
                f"cut node noticed after {min((a - cut for a in losses if a >= cut), default=float('nan')):.1f} s (bar 15)"
            )
            assert code == 0, out
            for summary in sorted((folder / "runs").glob("*/summary.json")):
                cell = json.loads(summary.read_text())["domains"]["web"]
                verdicts = [v for f in (summary.parent / "verdicts").glob("rules-*.jsonl") for v in f.open()]
                attempts = [json.loads(a)["attempt"] for a in (summary.parent / "answers.jsonl").open()]
                assert cell["scored"] == cell["planned"] == options.cases == len(verdicts), summary
                print(
                    f"{summary.parent.name}: {cell['scored']}/{cell['planned']} scored, {sum(a > 1 for a in attempts)} as attempt 2"
                )


if __name__ == "__main__":
    main()
