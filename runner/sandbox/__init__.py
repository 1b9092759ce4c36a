"""Where the agent's own code runs: in the worker, or in containers that have no other door than their streams."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from runner.exchange import Agent, Brief, Relay


class SandboxError(ValueError):
    """A sandbox that cannot be had as it is configured; the message is one line with the way out."""


class NoSandbox:
    """In the worker's own process; right for our own agents, which execute nothing that a model says."""

    def __init__(self, name: str, account: str = "") -> None:
        self.name = name
        self._programs: dict[str, dict[str, Any]] = {}

    def pin(self, agent: Agent) -> str | None:
        if agent.image:
            raise SandboxError(f"the agent of image {agent.image!r} runs in a container only; add sandbox=docker")
        return None

    async def open(self, agent: Agent) -> None:
        self.pin(agent)
        if agent.program not in self._programs:
            names: dict[str, Any] = {"__name__": "agent"}
            exec(compile(agent.program, "agent", "exec"), names)
            self._programs[agent.program] = names

    async def play(self, agent: Agent, brief: Brief, relay: Relay) -> str:
        await self.open(agent)
        playing: Generator[Mapping[str, Any], Mapping[str, Any], str] = self._programs[agent.program]["play"](
            brief.request
        )
        try:
            asked = next(playing)
            while True:
                asked = playing.send(await relay(asked))
        except StopIteration as end:
            return str(end.value or "")

    async def close(self) -> None:
        self._programs.clear()
