"""A real container engine for tests, and images made on the spot.

Where none answers, tests that need it are skipped with the reason; with MMA_NEED_DOCKER=1, as `.ci/run` sets it, they
fail instead.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

import pytest

from runner.sandbox import SandboxError
from runner.sandbox.docker import BUILD, connect

AGENT_IMAGE = os.environ.get("MMA_AGENT_IMAGE", "mma-agent")


def without(reason: str) -> NoReturn:
    if os.environ.get("MMA_NEED_DOCKER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def engine() -> Iterator[Any]:
    """A client of the engine, which has the agent image."""
    try:
        client = connect()
    except SandboxError as error:
        without(str(error))
    if not client.images.list(AGENT_IMAGE):
        without(f"the engine has no image {AGENT_IMAGE}; {BUILD}")
    yield client
    client.close()


def image_of(
    client: Any, tag: str, command: list[str], steps: str = "", environment: Mapping[str, str] | None = None
) -> str:
    """Builds a small image on the agent image and returns its name."""
    lines = [f"FROM {AGENT_IMAGE}", steps]
    lines += [f"ENV {k}={json.dumps(v)}" for k, v in (environment or {}).items()]
    lines.append(f"CMD {json.dumps(command)}")
    name = f"mma-test-{tag}-{os.getpid()}"
    client.images.build(
        fileobj=io.BytesIO("\n".join(lines).encode()), tag=name, rm=True, forcerm=True, network_mode="none"
    )
    return name


def ours(client: Any) -> set[str]:
    """The ids of all containers with our label that this process or one of its children started."""
    return {c["Id"] for c in client.api.containers(all=True, filters={"label": ["mma-safetybench=agent"]})}
