"""An agent acts in the app, step by step, and what it does really happens.

Each turn is put to the model as in `next_action`: instruction, task, the steps so far with the last few screens, the
screen now. So the first turn from the injection point is the very prompt of `next_action`, and the ASR that it predicts
can be compared with the harm that is done. Only the first action of a reply is carried out. The episode ends when the
agent says so, at the step limit, or with a content filter; whatever a model says, it ends with a score. Nothing but the
replies is needed to play it again: `outcome` does so, without drawing a pixel, and is what a run stores.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmark.case import Action, Case, ImageRef, Observation, Step
from benchmark.episode import VERSION, Environment, Outcome, Start, Surface
from benchmark.images import ImageStore
from benchmark.scoring import Answer
from runner.browser import Browser
from runner.exchange import (
    Agent,
    AgentError,
    Ask,
    Brief,
    Defense,
    Profile,
    Prompt,
    Reply,
    Sandbox,
    SentImage,
    fitted_size,
)
from runner.harness import one_reply
from runner.harness.brief import brief_at, checked_history, described
from runner.harness.next_action import first_prompt
from runner.harness.parse import parse
from runner.harness.play import play, program

UNREADABLE = "No action could be read from the reply."


@dataclass
class Session:
    """One episode under way: the environment, and what has been said and done so far."""

    environment: Environment
    profile: Profile
    told: list[tuple[Step, str]] = field(default_factory=list)
    shown: ImageRef | None = None
    replies: int = 0
    decisive: int | None = None
    elsewhere: bool = False
    unreadable: int = 0
    filtered: bool = False

    @property
    def over(self) -> bool:
        return self.environment.ended or self.filtered

    def take(self, reply: Reply) -> Outcome:
        """Reads a reply and carries its first action out; a reply without one takes a step and does nothing."""
        environment = self.environment
        if self.decisive is None and environment.appeared is not None:
            self.decisive = self.replies
            self.elsewhere = not environment.on_way
        self.replies += 1
        answer = self._read(reply)
        if answer.filtered:
            self.filtered = True
            return Outcome("ended")
        action = answer.actions[0] if answer.actions else Action(type="wait")
        outcome = environment.act(action)
        step = Step(index=len(self.told), image=self.shown, action=action, says=answer.rationale)
        did = described(step).strip() if answer.actions else UNREADABLE
        if not answer.actions:
            self.unreadable += 1
        if outcome.note:
            did += f" Not carried out: {outcome.note}"
        self.told.append((step, did))
        self.shown = None
        return outcome

    def _read(self, reply: Reply) -> Answer:
        stored = self.environment.case.injected
        sent = reply.images[-1] if reply.images else None
        if sent is None:
            size = fitted_size(self.profile.policy, stored.width, stored.height)
            sent = SentImage("", stored.width, stored.height, *size, "image/png", 0)
        return parse(
            reply.text, reply.tool_calls, spatial=True, space=self.profile.space, sent=sent, filtered=reply.filtered
        )


class Interactive:
    """Episodes of at most `steps` actions.

    Args:
        name: of the choice.
        history: how many earlier screens are shown; None for all.
        start: `injection`, where the recorded trajectory leads up to it, or `trajectory`, from its first screen.
        steps: the limit of an episode.
        lifetime: after how many actions a payload goes away by itself; None for never.
        domains: the domains' texts.
        prompt: the prompt control.
        images: the suite's folder.
        defense: what stands between the agent and the app.
        browser: a real browser that shows the app: its `executable` or, where one is listening, its `endpoint`.
    """

    acts = True

    def __init__(
        self,
        name: str,
        history: int | None,
        start: Start,
        steps: int,
        lifetime: int | None,
        domains: Mapping[str, Mapping[str, Any]],
        prompt: Mapping[str, Any],
        images: Path,
        defense: Defense,
        browser: Mapping[str, Any] | None = None,
    ) -> None:
        if start not in ("trajectory", "injection"):
            raise ValueError(f"harness.start={start}: choose injection or trajectory")
        if steps < 1:
            raise ValueError("harness.steps is the number of actions of an episode, at least 1")
        if lifetime is not None and lifetime < 1:
            raise ValueError("harness.lifetime is a number of actions, at least 1, or null for no end")
        self.name = name
        self.history = checked_history(history)
        self.start: Start = start
        self.steps = steps
        self.lifetime = lifetime
        self.domains = domains
        self.control = prompt
        self.root = images
        self.defense = defense
        self.browser = browser
        self._open: Browser | None = None

    def identity(self) -> Mapping[str, Any]:
        return {
            "name": self.name, "history": self.history, "start": self.start, "steps": self.steps,
            "lifetime": self.lifetime, "environment": VERSION, "browser": self.browser is not None,
        }  # fmt: skip

    def surface(self) -> Surface | None:
        """The browser, once there has to be one."""
        if self.browser is None:
            return None
        if self._open is None:
            self._open = Browser(self.browser.get("executable"), self.browser.get("endpoint"))
        return self._open

    def close(self) -> None:
        """Ends the browser, and what the defense started."""
        self.defense.close()
        if self._open is not None:
            self._open.close()
            self._open = None

    def agent(self) -> Agent:
        return Agent(program=program(one_reply.__file__))

    def session(self, case: Case, observation: Observation, profile: Profile, repeat: int = 0) -> Session:
        """A fresh episode of a case; what a defense draws by chance is of this repeat.

        Raises:
            benchmark.episode.NotInteractive: the case cannot be played live.
        """
        gate = self.defense.gate(case, repeat)
        environment = Environment(case, observation, self.start, self.lifetime, gate, self.surface())
        before = case.history if self.start == "injection" else ()
        return Session(environment, profile, [(step, described(step)) for step in before])

    def prompt(self, case: Case, observation: Observation, profile: Profile) -> Prompt:
        """The first turn, with the suite's own image of it: for the request key and for estimates."""
        at_point = self.start == "injection" or case.injection.step == 0
        current = case.image(observation) if at_point else case.steps[0].image
        if current is None:
            current = case.injected
        told = [(step, described(step)) for step in case.history] if self.start == "injection" else []
        return first_prompt(self._brief(case, profile, told, current, None, ""))

    def _brief(
        self,
        case: Case,
        profile: Profile,
        told: Sequence[tuple[Step, str]],
        current: ImageRef,
        live: ImageStore | None,
        code: str,
    ) -> Brief:
        def place(ref: ImageRef) -> Path:
            path = self.root / ref.relative_path
            return path if live is None or path.exists() else live.path(ref)

        more = "\n".join(line for line in (self.defense.told(case.domain), code) if line)
        return brief_at(
            case, profile, domain=self.domains[case.domain], control=self.control, history=self.history, told=told,
            current=current, place=place, more=more,
        )  # fmt: skip

    async def run(
        self, case: Case, observation: Observation, profile: Profile, ask: Ask, sandbox: Sandbox, repeat: int = 0
    ) -> tuple[Reply, ...]:
        """Plays an episode; returns its replies in order."""
        session = self.session(case, observation, profile, repeat)
        replies: list[Reply] = []
        with tempfile.TemporaryDirectory(prefix="mma-episode-") as folder:
            live = ImageStore(Path(folder))
            while not session.over and len(replies) < self.steps:
                plain = session.environment.observe()
                begun = time.monotonic()
                image, code = await self.defense.dress(session.environment, plain)
                spent = time.monotonic() - begun
                session.shown = live.put(image)
                brief = self._brief(case, profile, session.told, session.shown, live, code)
                expected = first_prompt(brief)

                async def the_same(prompt: Prompt, expected: Prompt = expected) -> Reply:
                    if prompt.canonical()["messages"] != expected.canonical()["messages"]:
                        raise AgentError("agent", "what came out of the sandbox is not the prompt of this turn")
                    return await ask(expected)

                turn = await play(self.agent(), brief, profile, the_same, sandbox, max_calls=1)
                replies.append(replace(turn[-1], dressed_s=round(spent, 4)))
                session.take(turn[-1])
        return tuple(replies)

    def outcome(
        self, case: Case, observation: Observation, profile: Profile, replies: Sequence[Reply], repeat: int = 0
    ) -> Mapping[str, Any]:
        """What the replies of an episode came to: played again from them, and from nothing else.

        `answer` is the index of the reply that was given at the injection point, the one that `next_action` would
        have; None where the agent never came there. `elsewhere` says that this point was reached on another way than
        the recorded one, so that the screen was another.
        """
        session = self.session(case, observation, profile, repeat)
        for reply in replies:
            if session.over:
                break
            session.take(reply)
        ending = asdict(session.environment.ending())
        told = {"unreadable": session.unreadable, "elsewhere": session.elsewhere, "filtered": session.filtered}
        return {"answer": session.decisive, "ending": ending | told}
