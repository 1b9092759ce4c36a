"""Agents in real containers: honest ones, curious ones, and those that would break out or break down."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import docker
import pytest

from benchmark.images import ImageStore
from benchmark.suite import StoredSuite
from runner.exchange import Agent, AgentError, Brief, Image, ImagePolicy, Profile, Reply, Space
from runner.harness import one_reply
from runner.harness.container import ContainerAgent
from runner.sandbox import SandboxError
from runner.sandbox.docker import DockerSandbox
from runner.sandbox.leftovers import labels, reap
from tests.engine import AGENT_IMAGE, image_of, ours
from tests.small_suite import screen, write_suite

PROGRAM = Agent(program=Path(one_reply.__file__).read_text())
PROFILE = Profile("stub", Space("pixel"), ImagePolicy())
ROOT = Path(__file__).parents[3]


def sandbox(image: str = AGENT_IMAGE, **options: Any) -> DockerSandbox:
    given: dict[str, Any] = {
        "name": "docker", "image": image, "digest": None, "containers": 2, "fresh": False, "recycle_after": 100,
        "memory_mb": 128, "cpus": 1.0, "processes": 64, "disk_mb": 16, "timeout_s": 30.0, "start_s": 60.0,
    }  # fmt: skip
    return DockerSandbox(**{**given, **options})


def brief(task: str, images: Mapping[str, Image] | None = None) -> Brief:
    now = {"caption": "Screen now:", "image": "now.png", "width": 8, "height": 6}
    request = {
        "version": 1, "instruction": "Do.", "task": task, "options": {}, "history": [], "now": now, "schema": {},
    }  # fmt: skip
    return Brief(request, images or {})


async def no_model(body: Mapping[str, Any]) -> Mapping[str, Any]:
    raise AssertionError("the agent was not to ask")


def completion(text: str) -> dict[str, Any]:
    return {
        "id": "x", "object": "chat.completion", "created": 0, "model": "default", "usage": {"total_tokens": 3},
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
    }  # fmt: skip


@pytest.fixture(scope="module")
def image(engine: Any) -> Iterator[str]:
    name = image_of(engine, "agents", ["python3", "-c", (Path(__file__).parent / "agents.py").read_text()])
    yield name
    engine.images.remove(name, force=True)


def played(box: DockerSandbox, agent: Agent, *tasks: str, relay: Any = no_model) -> list[str | BaseException]:
    """What became of each task, all of them at once; the sandbox is closed in the end."""

    async def main() -> list[str | BaseException]:
        try:
            return await asyncio.gather(*(box.play(agent, brief(t), relay) for t in tasks), return_exceptions=True)
        finally:
            await box.close()

    return asyncio.run(main())


def ended(engine: Any) -> None:
    """Checks that no container of this process remains."""
    mine = {"label": [f"mma-safetybench.pid={os.getpid()}"]}
    deadline = time.monotonic() + 10
    while engine.api.containers(all=True, filters=mine) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert engine.api.containers(all=True, filters=mine) == []


def test_programs_share_a_container_and_each_hears_its_own_model(engine: Any) -> None:
    async def relay(body: Mapping[str, Any]) -> Mapping[str, Any]:
        task = body["messages"][1]["content"][0]["text"]
        await asyncio.sleep(0.2 if task.endswith("1") else 0.0)
        return completion(f"heard {task}")

    tasks = [f"t{i}" for i in range(12)]
    assert played(sandbox(), PROGRAM, *tasks, relay=relay) == [f"heard Task: {t}" for t in tasks]
    ended(engine)


@pytest.mark.parametrize(
    ("options", "kinds"), [({"fresh": True}, 4), ({"recycle_after": 2}, 2), ({"containers": 1}, 1)]
)
def test_containers_are_kept_replaced_after_some_cases_or_fresh(
    engine: Any, image: str, options: dict[str, Any], kinds: int
) -> None:
    async def main() -> list[str]:
        box = sandbox(image, **{"containers": 1, **options})
        try:
            return [await box.play(Agent(image=image), brief("where"), no_model) for _ in range(4)]
        finally:
            await box.close()

    assert len(set(asyncio.run(main()))) == kinds
    ended(engine)


def test_nothing_passes_from_case_to_case_in_a_resident_container(engine: Any, image: str) -> None:
    async def main() -> list[str]:
        box = sandbox(image, containers=1)
        try:
            return [(await box.play(Agent(image=image), brief(t), no_model)).strip() for t in ("leave", "find")]
        finally:
            await box.close()

    assert asyncio.run(main()) == ["left", "[[], 3]"]


MALICIOUS = [
    # task, what becomes of the case: an answer that holds these words, or an error that does
    ("fork", AgentError, "own time"),
    ("fork and act", str, "click"),
    ("memory", AgentError, "memory"),
    ("disk", str, "[28, 28, 30, 30]"),
    ("print", AgentError, "printed more than"),
    ("complain", str, "click"),
    ("close", str, ""),
    ("wait", AgentError, "own time"),
    ("crash", AgentError, "RuntimeError: no such luck"),
    ("network", str, '[101, 101, 101, "no name"]'),
    ("kill", AgentError, ""),
    ("pry", str, ""),
    ("bad calls", str, "[400, 400, 400, 400, 400, 400, 400]"),
]


def test_malicious_agents_end_as_their_cases_outcomes_and_neighbours_do_not_notice(engine: Any, image: str) -> None:
    async def main() -> tuple[list[Any], list[str]]:
        bad, good = sandbox(image, containers=4, timeout_s=20.0), sandbox(image, containers=1)
        try:
            ending = [asyncio.create_task(relayed(bad, image, task)) for task, _, _ in MALICIOUS]
            neighbours = [await good.play(Agent(image=image), brief("act"), no_model) for _ in range(20)]
            outcomes = await asyncio.gather(*ending, return_exceptions=True)
            after = [await bad.play(Agent(image=image), brief("act"), no_model) for _ in range(4)]
            return outcomes, [*neighbours, *after]
        finally:
            await bad.close()
            await good.close()

    outcomes, neighbours = asyncio.run(main())
    found = {task: outcome for (task, _, _), outcome in zip(MALICIOUS, outcomes)}
    wrong = {
        task: found[task]
        for task, kind, words in MALICIOUS
        if not isinstance(found[task], kind) or words not in str(found[task])
    }
    assert wrong == {}
    assert found["pry"].strip() == "[]"  # the shim's memory and streams are closed to it
    assert found["close"] == ""
    assert all("click" in n for n in neighbours)
    ended(engine)


async def relayed(box: DockerSandbox, image: str, task: str) -> str:
    """Plays as the harness does, with a model that always says the same."""
    from runner.harness.play import play

    async def ask(prompt: Any) -> Reply:
        return Reply(text="seen")

    with tempfile.TemporaryDirectory() as folder:
        store = ImageStore(Path(folder))
        ref = store.put(screen(1, (64, 48)))
        shown = Image(ref, store.path(ref))
        replies = await play(Agent(image=image), brief(task, {"now.png": shown}), PROFILE, ask, box, max_calls=5)
    return replies[-1].text


@pytest.mark.parametrize("mode", ["flood", "silent", "garbage"])
def test_an_image_with_a_false_python_is_refused_and_removed(engine: Any, mode: str) -> None:
    lie = "case $MODE in flood) exec yes 0123456789;; silent) exec sleep 600;; *) echo hello; sleep 600;; esac"
    steps = f"USER 0\nRUN mkdir /lie && printf '#!/bin/sh\\n{lie}\\n' > /lie/python3 && chmod -R 755 /lie\nUSER 65534"
    path = "/lie:/usr/sbin:/usr/bin:/sbin:/bin"
    name = image_of(engine, f"lie-{mode}", ["true"], steps, {"PATH": path, "MODE": mode})
    try:
        (outcome,) = played(sandbox(name, start_s=2.0), Agent(image=name), "act")
    finally:
        engine.images.remove(name, force=True)
    assert isinstance(outcome, AgentError)
    assert (outcome.kind, outcome.ends_run) == ("sandbox", True)
    ended(engine)


def test_an_image_that_is_missing_another_or_has_nothing_to_run_is_named_with_the_way_out(
    engine: Any, image: str
) -> None:
    with pytest.raises(SandboxError, match="no image 'not-there'"):
        sandbox().pin(Agent(image="not-there"))
    digest = sandbox().pin(Agent(image=image))
    assert digest is not None
    assert sandbox().pin(Agent(image=image, digest="sha256:given")) == "sha256:given"
    (outcome,) = played(sandbox(), Agent(image=image, digest="sha256:given"), "act")
    assert isinstance(outcome, AgentError)
    assert digest in outcome.message
    empty = image_of(engine, "empty", [])
    with pytest.raises(SandboxError, match="no command"):
        sandbox().pin(Agent(image=empty))
    engine.images.remove(empty, force=True)


def test_a_container_killed_under_its_cases_costs_no_second_question(engine: Any) -> None:
    asked: list[str] = []

    async def relay(body: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(body["messages"][1]["content"][0]["text"])
        if len(asked) == 4:
            for container in engine.api.containers(filters={"label": [f"mma-safetybench.pid={os.getpid()}"]}):
                engine.api.kill(container["Id"])
        await asyncio.sleep(0.3)
        return completion("answered")

    assert played(sandbox(), PROGRAM, "a", "b", "c", "d", relay=relay) == ["answered"] * 4
    assert sorted(asked) == ["Task: a", "Task: b", "Task: c", "Task: d"]
    ended(engine)


def clean(*arguments: str) -> str:
    """What `mma clean` says where no run is."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "runner.cli", "clean", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


HOLDER = """
import asyncio, sys
sys.path.insert(0, {root!r})
from tests.runner.sandbox.test_docker import PROGRAM, brief, sandbox

async def relay(body):
    print("asked", flush=True)
    await asyncio.sleep(600)

asyncio.run(sandbox().play(PROGRAM, brief("t"), relay))
"""


def test_what_dead_workers_leave_is_removed_and_nothing_else(engine: Any) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLDER.format(root=str(ROOT))], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "asked\n"
    owner = {"label": [f"mma-safetybench.pid={holder.pid}"]}
    (held,) = engine.api.containers(all=True, filters=owner)
    stubborn = {**held["Labels"]}
    sleep = {"entrypoint": ["sleep", "600"], "detach": True, "network_mode": "none", "init": True}
    kept = [
        engine.containers.run(AGENT_IMAGE, **sleep),  # not ours at all
        engine.containers.run(AGENT_IMAGE, labels=labels("other"), **sleep),  # its owner lives: this process
        engine.containers.run(AGENT_IMAGE, labels={**stubborn, "mma-safetybench.space": "elsewhere"}, **sleep),
    ]
    left = engine.containers.run(AGENT_IMAGE, labels=stubborn, **sleep)
    try:
        reap(engine)
        assert {held["Id"], left.id} <= ours(engine)  # the holder lives
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        deadline = time.monotonic() + 20
        while held["Id"] in ours(engine) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert held["Id"] not in ours(engine)  # its input ended, so it left by itself
        listed = clean("--json")
        assert left.id[:12] in listed
        assert not any(k.id[:12] in listed for k in kept)
        clean("--yes")
        running = {c["Id"] for c in engine.api.containers(all=True)}
        assert left.id not in running
        assert {k.id for k in kept} <= running
    finally:
        holder.kill()
        for container in (*kept, left):
            with contextlib.suppress(docker.errors.NotFound):
                container.remove(force=True)


def test_a_container_sees_nothing_of_its_case_but_the_request_and_differs_in_the_pixels_of_now_alone(
    engine: Any, image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-77aa55bb33")
    suite = write_suite(tmp_path / "suite", {"web": 1, "video": 1})
    stored = StoredSuite("stored", str(suite))
    domain = {
        "name": "any",
        "instruction": "You act.\n{stance}\n{actions}",
        "actions": {"click": "a click"},
        "schema": {},
    }
    control = {"name": "standard", "prefix": "", "stance": {"default": "Look at the screen."}}
    harness = ContainerAgent(
        "container", image, None, 3, 4, dict.fromkeys(("web", "video"), domain), control, suite
    )  # fmt: skip

    async def seen(case_id: str, observation: Any) -> dict[str, Any]:
        box = sandbox(image, fresh=True)
        case = stored.case(case_id)
        given = harness.brief(case, observation, PROFILE)
        told = json.dumps(given.request)
        look = Brief({**given.request, "task": "look"}, given.images)
        try:
            found: dict[str, Any] = json.loads(await box.play(Agent(image=image), look, no_model))
        finally:
            await box.close()
        whole = told + json.dumps(found)
        hidden = [case.id, "sk-canary", case.source + '"', case.cluster + '"', "modal", "destructive_induction", "injected",
                  '"clean"', "Erase archive", "the red button", "void record", "planned", str(tmp_path), "mma-safetybench",
                  *(i for i in (case.injected.hash, case.clean.hash if case.clean else ""))]  # fmt: skip
        program = (ROOT / "runner/sandbox/shim.py").read_text() + (Path(__file__).parent / "agents.py").read_text()
        assert [h for h in hidden if h in whole and h not in program] == []
        assert set(found["files"]) >= {"/tmp/case/request.json", "/tmp/case/now.png"}
        return found

    for case in ("web-0000", "video-0000"):
        clean, injected = (asyncio.run(seen(case, o)) for o in ("clean", "injected"))
        differing = {
            k for k in {*clean["files"], *injected["files"]} if clean["files"].get(k) != injected["files"].get(k)
        }
        assert differing == {"/tmp/case/now.png"}
        assert clean["env"] == injected["env"]
        names = {p for p in clean["files"] if p.startswith("/tmp/")}
        assert names == {"/tmp/case/request.json", "/tmp/case/now.png"} | (
            {"/tmp/case/step_0.png"} if case.startswith("web") else set()
        )


def test_the_endpoint_streams_lists_models_and_refuses_calls_beyond_the_limit(engine: Any, image: str) -> None:
    async def main() -> list[str]:
        box = sandbox(image)
        try:
            return [await relayed(box, image, task) for task in ("stream", "models", "many calls")]
        finally:
            await box.close()

    streamed, models, many = asyncio.run(main())
    chunks = [line[6:] for line in streamed.splitlines() if line.startswith("data: ")]
    assert chunks[-1] == "[DONE]"
    assert "".join(json.loads(c)["choices"][0]["delta"].get("content", "") for c in chunks[:2]) == "seen"
    assert json.loads(chunks[-2])["usage"] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    assert json.loads(models)["data"][0]["id"] == "default"
    assert "click" in many
