"""What containers add to a case: resident, fresh, and an agent of its own image, against no container.

    python -m tests.performance.sandbox [--cases 1083] [--in-flight 64] [--fresh 40] [--latency 0.2]

Plays cases through the sandboxes with a model that answers after a while on this machine, without HTTP, so that the
difference is the sandbox's alone: wall milliseconds a case with everything in flight at once, beside the ideal of the
latency alone; and the worker's CPU milliseconds a case. Needs an engine with the image mma-agent.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmark.images import ImageStore
from runner.exchange import Agent, Brief, Image, Sandbox
from runner.harness import one_reply
from runner.sandbox import NoSandbox
from runner.sandbox.docker import DockerSandbox, connect
from tests.engine import image_of
from tests.small_suite import TARGET, click, screen

PROGRAM = Agent(program=Path(one_reply.__file__).read_text())
OWN = """
import json, os, urllib.request
request = json.load(open("/tmp/case/request.json"))
body = json.dumps({"messages": [{"role": "user", "content": request["task"]}]}).encode()
asked = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body)
print(json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"])
"""


def sandbox(image: str = "mma-agent", **options: Any) -> DockerSandbox:
    given: dict[str, Any] = {
        "name": "docker", "image": image, "digest": None, "containers": 8, "fresh": False, "recycle_after": 500,
        "memory_mb": 512, "cpus": 1.0, "processes": 128, "disk_mb": 64, "timeout_s": 120.0, "start_s": 60.0,
    }  # fmt: skip
    return DockerSandbox(**{**given, **options})


async def measured(
    box: Sandbox, agent: Agent, brief: Brief, cases: int, in_flight: int, latency: float
) -> tuple[float, float]:
    """Wall and CPU milliseconds a case, after one case to warm up."""

    async def relay(body: Mapping[str, Any]) -> Mapping[str, Any]:
        await asyncio.sleep(latency)
        return {"choices": [{"index": 0, "message": {"role": "assistant", "content": click(TARGET.center)}}]}

    await asyncio.gather(*(box.play(agent, brief, relay) for _ in range(min(in_flight, cases))))
    left = iter(range(cases))

    async def lane() -> None:
        for _ in left:
            await box.play(agent, brief, relay)

    before, started = cpu(), time.monotonic()
    await asyncio.gather(*(lane() for _ in range(in_flight)))
    wall, used = time.monotonic() - started, cpu() - before
    await box.close()
    return 1000 * wall / cases, 1000 * used / cases


def cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1083)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--fresh", type=int, default=40)
    parser.add_argument("--latency", type=float, default=0.2)
    options = parser.parse_args()
    client = connect()
    own = image_of(client, "own", ["python3", "-c", OWN])
    with tempfile.TemporaryDirectory() as scratch:
        store = ImageStore(Path(scratch))
        ref = store.put(screen(1, (1280, 800), noise=40))
        path = store.path(ref)
        now = {"caption": "Screen now:", "image": "now.png", "width": ref.width, "height": ref.height}
        request = {
            "version": 1, "instruction": "x" * 2500, "task": "Archive the second entry of the list.", "options": {},
            "history": [], "now": now, "schema": {},
        }  # fmt: skip
        brief = Brief(request, {"now.png": Image(ref, path)})
        print(
            f"image of {path.stat().st_size // 1000} kB, model answers after {options.latency:g} s, load {os.getloadavg()[0]:.1f}"
        )
        rows: list[tuple[str, Sandbox, Agent, int, int]] = [
            ("no container", NoSandbox("none"), PROGRAM, options.cases, options.in_flight),
            ("resident, program", sandbox(), PROGRAM, options.cases, options.in_flight),
            ("fresh, program", sandbox(fresh=True), PROGRAM, options.fresh, 8),
            ("resident, own image", sandbox(own), Agent(image=own), options.fresh * 2, 8),
            ("fresh, own image", sandbox(own, fresh=True), Agent(image=own), options.fresh, 8),
        ]
        none: float | None = None
        for name, box, agent, cases, in_flight in rows:
            wall, used = asyncio.run(measured(box, agent, brief, cases, in_flight, options.latency))
            ideal = 1000 * options.latency / in_flight
            none = wall if none is None else none
            more = f"   {wall - none:+6.2f} ms on no container" if in_flight == options.in_flight else ""
            print(
                f"{name:20} {cases:5} cases, {in_flight:3} in flight: wall {wall:7.2f} ms a case (ideal {ideal:.2f}), "
                f"worker CPU {used:6.2f} ms{more}"
            )
    client.images.remove(own, force=True)


if __name__ == "__main__":
    main()
