"""The paper's protocol: history and the current screen in, one action out.

Only the image of the current observation differs between the clean and the injected form of a case. What is told lies
in `brief`, how it is put into messages in `one_reply`, and where that runs is the sandbox's choice; the prompt that
comes out is checked against the one that the request key was made of, so that it makes no difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmark.case import Case, Observation
from runner.exchange import Agent, AgentError, Ask, Brief, Profile, Prompt, Reply, Sandbox
from runner.harness import one_reply
from runner.harness.asked import prompt_of
from runner.harness.brief import brief_of, checked_history
from runner.harness.play import play, program


class NextAction:
    """Builds one prompt per case; `history` earlier images are shown, the latest ones (null: all of them)."""

    def __init__(
        self,
        name: str,
        history: int | None,
        domains: Mapping[str, Mapping[str, Any]],
        prompt: Mapping[str, Any],
        images: Path,
    ) -> None:
        self.name = name
        self.history = checked_history(history)
        self.domains = domains
        self.control = prompt
        self.root = images

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "history": self.history}

    def agent(self) -> Agent:
        return Agent(program=program(one_reply.__file__))

    def brief(self, case: Case, observation: Observation, profile: Profile) -> Brief:
        domain = self.domains[case.domain]
        return brief_of(
            case, observation, profile, domain=domain, control=self.control, history=self.history, root=self.root
        )

    def prompt(self, case: Case, observation: Observation, profile: Profile) -> Prompt:
        """The messages of a case.

        Raises:
            MissingObservation: the case has no image of this observation.
        """
        return first_prompt(self.brief(case, observation, profile))

    async def run(
        self, case: Case, observation: Observation, profile: Profile, ask: Ask, sandbox: Sandbox
    ) -> tuple[Reply, ...]:
        brief = self.brief(case, observation, profile)
        expected = first_prompt(brief)

        async def ask_the_same(prompt: Prompt) -> Reply:
            same = prompt.messages == expected.messages
            if not same and prompt.canonical()["messages"] != expected.canonical()["messages"]:
                raise AgentError(
                    "agent", "what came out of the sandbox is not the prompt of this case; nothing was sent"
                )
            return await ask(expected)

        return await play(self.agent(), brief, profile, ask_the_same, sandbox, max_calls=1)


def first_prompt(brief: Brief) -> Prompt:
    """A brief as this protocol puts it to a model."""
    body = {"messages": one_reply.messages(brief.request)}
    return Prompt(prompt_of(body, brief.images, None).messages, schema=brief.request["schema"])
