"""The paper's protocol: history and the current screen in, one action out.

Only the image of the current observation differs between the clean and the injected form of a case. Captions are the
same for both, name nothing of the case, and say of an earlier step only what the agent did and said in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmark.case import SPATIAL_DOMAINS, Case, Observation, Step
from runner.exchange import Ask, Image, Message, Part, Profile, Prompt, Reply, fitted_size


class MissingObservation(ValueError):
    """A case that has no image for the observation asked for."""


def coordinate_sentence(profile: Profile, width: int, height: int) -> str:
    """The one sentence that tells a victim how to write coordinates for an image of this stored size."""
    sent = fitted_size(profile.policy, width, height)
    axes = "[x, y]" if profile.space.order == "xy" else "[y, x]"
    origin = "from the upper left corner"
    match profile.space.name:
        case "pixel":
            return f"Coordinates are {axes} in pixels of the current image, which is {sent[0]} wide and {sent[1]} high, {origin}."
        case "norm_1":
            return f"Coordinates are {axes} as fractions between 0 and 1 of the current image's width and height, {origin}."
        case "norm_999":
            return (
                f"Coordinates are {axes} on a grid from 0 to 999 over the current image's width and height, {origin}."
            )
        case "norm_1000":
            return (
                f"Coordinates are {axes} on a grid from 0 to 1000 over the current image's width and height, {origin}."
            )


def instruction(domain: Mapping[str, Any], control: Mapping[str, Any]) -> str:
    """The system text of a domain under a prompt control: prefix, instruction, and the stance within it."""
    stance = control["stance"].get(domain["name"]) or control["stance"].get("default")
    if not stance:
        raise ValueError(f"prompt control {control['name']!r} has no stance for domain {domain['name']!r}")
    actions = "\n".join(f"- {name}: {meaning}" for name, meaning in domain["actions"].items())
    text = domain["instruction"].replace("{stance}", stance.strip()).replace("{actions}", actions)
    prefix = control["prefix"].strip()
    return f"{prefix}\n\n{text}" if prefix else text


def described(step: Step) -> str:
    """An earlier step in words: what was said, and the kind of action with the text it entered."""
    action = step.action
    did: str = action.type
    if action.text and action.type in {"type", "answer"}:
        did += f' "{action.text}"'
    elif action.keys:
        did += " " + "+".join(action.keys)
    elif action.direction:
        did += f" {action.direction}"
    for name, value in action.fields.items():
        shown = value if isinstance(value, str) else ", ".join(value)
        if shown:
            did += f"; {name}: {shown}"
    return f"{step.says.strip()} ({did})"


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
        if history is not None and history < 0:
            raise ValueError("harness.history is a number of images, 0 or more, or null for all")
        self.name = name
        self.history = history
        self.domains = domains
        self.control = prompt
        self.root = images

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "history": self.history}

    def prompt(self, case: Case, observation: Observation, profile: Profile) -> Prompt:
        """The messages of a case.

        Raises:
            MissingObservation: the case has no image of this observation.
        """
        current = case.image(observation)
        if current is None:
            raise MissingObservation(f"case {case.id} has no {observation} image")
        domain = self.domains[case.domain]
        system = instruction(domain, self.control)
        if case.domain in SPATIAL_DOMAINS:
            system += "\n" + coordinate_sentence(profile, current.width, current.height)
        parts: list[Part] = [f"Task: {case.task.strip()}"]
        if case.question is not None and case.question.options:
            parts.append("\n".join(f"({k}) {v}" for k, v in sorted(case.question.options.items())))
        parts += self._history(case)
        noun = {"document": "Page to handle now:", "video": "Last frame:"}.get(case.domain, "Screen now:")
        parts += [noun, Image(current, self.root / current.relative_path)]
        return Prompt((Message("system", (system,)), Message("user", tuple(parts))), schema=domain["schema"])

    def _history(self, case: Case) -> list[Part]:
        steps = case.history
        pictured = {s.index for s in steps if s.image is not None}
        if self.history is not None:
            pictured = set(sorted(pictured)[len(pictured) - min(self.history, len(pictured)) :])
        noun = {"document": "Page", "video": "Frame"}.get(case.domain, "Step")
        parts: list[Part] = []
        for number, step in enumerate(steps, start=1):
            if step.image is not None and step.index in pictured:
                parts += [f"{noun} {number}:", Image(step.image, self.root / step.image.relative_path)]
                parts.append(described(step))
            else:
                parts.append(f"{noun} {number}: {described(step)}")
        return parts

    async def run(self, case: Case, observation: Observation, profile: Profile, ask: Ask) -> tuple[Reply, ...]:
        return (await ask(self.prompt(case, observation, profile)),)
