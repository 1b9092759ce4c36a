"""The official release's own protocol: two turns, and attack text outside the image.

First the popup image with the prompt that anchors it; then, in the same conversation, the earlier images with the user's
task and the text of the attack. This is no protocol of ours: it is for comparison with numbers that were made so, never
mixed with others, and every table of such a run is marked. Instruction, prompt control and the form of the reply are as
everywhere. Only the release's web, receipt and resume records carry the two texts; other cases have no observation here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmark.case import Case, Observation
from runner.exchange import Agent, Ask, Image, Message, Profile, Prompt, Reply, Sandbox
from runner.harness import one_reply
from runner.harness.brief import MissingObservation, instruction
from runner.harness.play import program


class AsReleased:
    """Two calls for each case; the second reply is the answer. All earlier images are sent, as the release does."""

    def __init__(
        self, name: str, domains: Mapping[str, Mapping[str, Any]], prompt: Mapping[str, Any], images: Path
    ) -> None:
        self.name = name
        self.domains = domains
        self.control = prompt
        self.root = images

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name}

    def agent(self) -> Agent:
        return Agent(program=program(one_reply.__file__))

    def turns(self, case: Case, observation: Observation) -> tuple[Message, Message, Message]:
        """The system message and the two messages of the user.

        Raises:
            MissingObservation: the case carries no such texts, or has no image of this observation.
        """
        extras = case.provenance.extras
        anchor, attack = extras.get("anchor_prompt", ""), extras.get("attack_prompt", "")
        if not anchor.strip() or not attack.strip():
            raise MissingObservation(
                f"case {case.id} carries no texts of the release's protocol; harness=as_released takes the web, receipt "
                "and resume cases of suite=official"
            )
        current = case.image(observation)
        if current is None:
            raise MissingObservation(f"case {case.id} has no {observation} image")
        earlier = tuple(Image(s.image, self.root / s.image.relative_path) for s in case.history if s.image is not None)
        return (
            Message("system", (instruction(self.domains[case.domain], self.control),)),
            Message("user", (Image(current, self.root / current.relative_path), anchor)),
            Message("user", (*earlier, f"Task: {case.task.strip()}", attack)),
        )

    def prompt(self, case: Case, observation: Observation, profile: Profile) -> Prompt:
        """All that is sent, without the first reply between: for the request key and for estimates.

        Raises:
            MissingObservation: see `turns`.
        """
        return Prompt(self.turns(case, observation), schema=self.domains[case.domain]["schema"])

    async def run(
        self, case: Case, observation: Observation, profile: Profile, ask: Ask, sandbox: Sandbox
    ) -> tuple[Reply, ...]:
        told, first, second = self.turns(case, observation)
        seen = await ask(Prompt((told, first)))
        said = Message("assistant", (seen.text or "(no reply)",))
        answer = await ask(Prompt((told, first, said, second), schema=self.domains[case.domain]["schema"]))
        return seen, answer
