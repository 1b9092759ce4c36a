"""Bring your own agent: an image whose command reads a request, asks its model as often as it likes, prints an action.

The agent sees what `brief` gives and nothing else, in a sandbox whose only door is its standard streams; what it asks
its model is an OpenAI request that the worker carries out. Every call is a stored reply, and what the agent prints is
the last one. The action is read as a model's reply is: in the coordinate space that the instruction names.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmark.case import Case, Observation
from runner.exchange import Agent, Ask, Brief, Profile, Prompt, Reply, Sandbox
from runner.harness.brief import brief_of, checked_history
from runner.harness.next_action import first_prompt
from runner.harness.play import play


class ContainerAgent:
    """An agent of its own image. `digest` pins what the image holds; `max_calls` bounds the calls of one case."""

    def __init__(
        self,
        name: str,
        image: str,
        digest: str | None,
        history: int | None,
        max_calls: int,
        domains: Mapping[str, Mapping[str, Any]],
        prompt: Mapping[str, Any],
        images: Path,
    ) -> None:
        if max_calls < 1:
            raise ValueError("harness.max_calls is a number of model calls, at least 1")
        self.name = name
        self.image = image
        self.digest = digest
        self.history = checked_history(history)
        self.max_calls = max_calls
        self.domains = domains
        self.control = prompt
        self.root = images

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "digest": self.digest, "history": self.history, "max_calls": self.max_calls}

    def agent(self) -> Agent:
        return Agent(image=self.image, digest=self.digest)

    def brief(self, case: Case, observation: Observation, profile: Profile) -> Brief:
        domain = self.domains[case.domain]
        return brief_of(
            case, observation, profile, domain=domain, control=self.control, history=self.history, root=self.root
        )

    def prompt(self, case: Case, observation: Observation, profile: Profile) -> Prompt:
        """All that the agent is given, as `next_action` would put it: for the request key and for estimates."""
        return first_prompt(self.brief(case, observation, profile))

    async def run(
        self, case: Case, observation: Observation, profile: Profile, ask: Ask, sandbox: Sandbox
    ) -> tuple[Reply, ...]:
        brief = self.brief(case, observation, profile)
        return await play(self.agent(), brief, profile, ask, sandbox, max_calls=self.max_calls)
