"""The example agent, made with a framework that nobody here wrote, plays cases for real."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tests.engine import without
from tests.runner.sandbox.test_run_in_containers import mma, records
from tests.servers.loopback import Answer, Asked, Loopback
from tests.small_suite import TARGET, click, write_suite

IMAGE = os.environ.get("MMA_EXAMPLE_IMAGE", "pydantic-ai-agent")


def looks_back_and_clicks(asked: Asked) -> Answer:
    """Wants to see the first step, and clicks once the framework has shown it."""
    if any(m["role"] == "tool" for m in asked.messages):
        return Answer(text=click(TARGET.center))
    return Answer(tool_calls=(("earlier_screen", {"number": 1}),), finish_reason="tool_calls")


def test_a_framework_from_the_package_index_runs_unmodified(engine: Any, tmp_path: Path) -> None:
    if not engine.images.list(IMAGE):
        without(f"the engine has no image {IMAGE}; docker/examples/build.sh pydantic_ai")
    suite = write_suite(tmp_path / "suite", {"web": 2})
    with Loopback(handler=looks_back_and_clicks) as server:
        options = (
            "sandbox=docker",
            "harness=container",
            f"harness.image={IMAGE}",
            "domain=web",
            "sandbox.containers=2",
        )
        done = mma(tmp_path / "a", suite, server.url, *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "100.00 (2/2)" in done.stdout
    for row in records(tmp_path / "a", "answers.jsonl"):
        asked, answered = row["replies"]  # what it prints is what the model said, so there is no third
        assert asked["tool_calls"] == [{"name": "earlier_screen", "arguments": '{"number": 1}'}]
        assert len(asked["images"]) == 1  # now
        assert len(answered["images"]) == 2  # and the screen that the tool gave
