"""`mma run` with agents in containers: the same records as without, and agents that nobody here wrote the loop of."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.engine import image_of
from tests.servers.loopback import Plan, spawned
from tests.small_suite import TARGET, click, write_suite

HIT = click(TARGET.center)
TIMINGS = {"latency_s", "waited_s", "dressed_s", "attempts"}
ROOT = Path(__file__).parents[3]


def command_of(suite: Path, url: str, *overrides: str) -> list[str]:
    return [
        sys.executable, "-m", "runner.cli", "run", "suite=stored", f"suite.path={suite}", "model=openai_compatible",
        "model.space.name=pixel",
        f"model.base_url={url}", "model.name=stub", "tracker=none", "model.limits.retry_max=3", *overrides,
    ]  # fmt: skip


def mma(folder: Path, suite: Path, url: str, *overrides: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OPENAI_API_KEY": "sk-canary-1f2e3d4c5b", "PYTHONPATH": str(ROOT)}
    folder.mkdir()
    command = command_of(suite, url, *overrides)
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=180)


def records(folder: Path, name: str) -> list[dict[str, Any]]:
    (found,) = (folder / "runs").glob(f"*/{name}")

    def plain(node: Any) -> Any:
        if isinstance(node, dict):
            return {k: plain(v) for k, v in node.items() if k not in TIMINGS}
        return [plain(v) for v in node] if isinstance(node, list) else node

    rows = [plain(json.loads(line)) for line in found.read_text().splitlines()]
    return sorted(rows, key=lambda r: json.dumps(r, sort_keys=True))


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("suite"), {"web": 8, "document": 2, "video": 2})


def test_records_in_a_container_and_without_are_the_same_but_for_timing(
    engine: Any, suite: Path, tmp_path: Path
) -> None:
    with spawned(Plan(reply=HIT)) as server:
        for name in ("none", "docker"):
            done = mma(tmp_path / name, suite, server.url, f"sandbox={name}")
            assert done.returncode == 0, done.stdout + done.stderr
    for file in ("answers.jsonl", "plan.jsonl", "verdicts/*.jsonl", "parsed/*.jsonl"):
        assert records(tmp_path / "none", file) == records(tmp_path / "docker", file), file
    folders = {next((tmp_path / n / "runs").glob("*/summary.json")).parent.name for n in ("none", "docker")}
    assert len(folders) == 1  # one experiment: a run begun in the one is finished in the other


AGENT = """
import base64, json, os, urllib.request
request = json.load(open("/tmp/case/request.json"))
now = "data:image/png;base64," + base64.b64encode(open("/tmp/case/now.png", "rb").read()).decode()

def ask(*messages):
    body = json.dumps({"model": "x", "messages": list(messages), "tools": [{"type": "function", "function": {"name": "look"}}]})
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    with urllib.request.urlopen(urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"})) as reply:
        return json.load(reply)["choices"][0]["message"]["content"]

first = {"role": "user", "content": [{"type": "text", "text": request["task"]}, {"type": "image_url", "image_url": {"url": now}}]}
one = ask(first)
two = ask(first, {"role": "assistant", "content": one}, {"role": "user", "content": "Act."})
print("thinking ...")
print(two.replace("It is the next step.", "I agree."))
"""


def test_every_call_of_an_own_agent_is_a_stored_reply_and_its_word_is_the_last(
    engine: Any, suite: Path, tmp_path: Path
) -> None:
    image = image_of(engine, "two-calls", ["python3", "-c", AGENT])
    try:
        with spawned(Plan(reply=HIT)) as server:
            options = (
                "sandbox=docker",
                "harness=container",
                f"harness.image={image}",
                "domain=web",
                "sandbox.containers=3",
            )
            done = mma(tmp_path / "a", suite, server.url, *options, "limit=4")
            assert done.returncode == 0, done.stdout + done.stderr
            asked = server.records()
        assert "100.00 (4/4)" in done.stdout
        assert len(asked) == 8
        rows = records(tmp_path / "a", "answers.jsonl")
        assert [len(r["replies"]) for r in rows] == [3] * 4
        for row in rows:
            first, _, last = row["replies"]
            assert [i["sent_width"] for i in first["images"]] == [800]
            assert first["sent"]["tools"][0]["function"]["name"] == "look"
            assert (last["model"], last["cost_usd"], "I agree." in last["text"]) == ("agent", 0.0, True)
        (manifest,) = (tmp_path / "a" / "runs").glob("*/manifest.json")
        assert json.loads(manifest.read_text())["experiment"]["harness"]["digest"].startswith("sha256:")
        assert "sk-canary" not in "".join(p.read_text() for p in manifest.parent.rglob("*.json*"))
    finally:
        engine.images.remove(image, force=True)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        (("harness=container", "harness.image=any"), "add sandbox=docker"),
        (("harness=container", "harness.image=not-there", "sandbox=docker"), "no image 'not-there'"),
    ],
)
def test_what_cannot_run_is_said_in_one_line(
    engine: Any, suite: Path, tmp_path: Path, overrides: tuple[str, ...], said: str
) -> None:
    done = mma(tmp_path / "a", suite, "http://127.0.0.1:9/v1", *overrides)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_run_that_is_aborted_leaves_no_container(engine: Any, suite: Path, tmp_path: Path) -> None:
    image = image_of(engine, "sleeper", ["sleep", "600"])
    environment = {**os.environ, "OPENAI_API_KEY": "sk-canary-1f2e3d4c5b", "PYTHONPATH": str(ROOT)}
    options = ("sandbox=docker", "harness=container", f"harness.image={image}", "domain=web", "sandbox.containers=2")
    run = subprocess.Popen(
        command_of(suite, "http://127.0.0.1:9/v1", *options),
        cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    mine = {"label": [f"mma-safetybench.pid={run.pid}"]}
    try:
        deadline = time.monotonic() + 60
        while len(engine.containers.list(filters=mine)) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(engine.containers.list(filters=mine)) == 2
        run.send_signal(signal.SIGINT)
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 130
        assert engine.api.containers(all=True, filters=mine) == []
    finally:
        run.kill()
        engine.images.remove(image, force=True)
