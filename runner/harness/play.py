"""Plays one case with an agent in a sandbox: carries its questions to the model and takes its last word.

What the agent says in the end is a reply of its own, unless it repeats what the model said last: then the model's
reply is the answer. So an agent that only passes on leaves the same record wherever it runs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

from runner.exchange import (
    Agent,
    AgentError,
    Ask,
    Brief,
    Profile,
    Reply,
    Sandbox,
    SentImage,
    fitted_size,
)
from runner.harness.asked import NotUnderstood, completion_of, prompt_of, refusal
from runner.harness.brief import NOW

REFUSALS = 50
"""How often an agent may ask for what it cannot have before its case ends."""


@cache
def program(path: str) -> str:
    """The source of an agent of ours by its `__file__`; every case asks for it, and it is read once."""
    return Path(path).read_text(encoding="utf-8")


async def play(
    agent: Agent, brief: Brief, profile: Profile, ask: Ask, sandbox: Sandbox, *, max_calls: int
) -> tuple[Reply, ...]:
    """The replies of a case in order; the last one is the answer.

    An agent that has used its calls up is refused more of them and may still answer; one that then breaks down has
    said nothing, which is an answer too.

    Raises:
        AgentError: the agent broke down, ran out of time or misbehaved.
        runner.limits.CallError: a call to the model failed for good.
    """
    replies: list[Reply] = []
    refused = 0
    exhausted = False
    with ExitStack() as held:

        @cache
        def scratch() -> Path:
            return Path(held.enter_context(tempfile.TemporaryDirectory(prefix="mma-agent-")))

        async def relay(body: Mapping[str, Any]) -> Mapping[str, Any]:
            nonlocal refused, exhausted
            if refused >= REFUSALS:
                raise AgentError("agent", f"the agent asked {REFUSALS} times for what it cannot have")
            if len(replies) >= max_calls:
                refused, exhausted = refused + 1, True
                return refusal(429, f"no more than {max_calls} calls are made for one request", "insufficient_quota")
            try:
                prompt = prompt_of(body, brief.images, scratch)
            except NotUnderstood as error:
                refused += 1
                return refusal(400, str(error), "invalid_value")
            reply = await ask(prompt)
            replies.append(reply)
            return completion_of(reply, len(replies))

        try:
            said = await sandbox.play(agent, brief, relay)
        except AgentError as error:
            if not exhausted or error.kind != "agent":
                raise
            said = ""
    if replies and said.strip() == replies[-1].text.strip():
        return tuple(replies)
    return (*replies, own_word(said, brief, profile, replies))


def own_word(said: str, brief: Brief, profile: Profile, replies: list[Reply]) -> Reply:
    """What an agent printed, as a reply; its points are read against the current image as the model was shown it."""
    now = brief.images[NOW].ref
    shown = [i for reply in replies for i in reply.images if i.hash == now.hash]
    if not shown:
        size = fitted_size(profile.policy, now.width, now.height)
        shown = [SentImage(now.hash, now.width, now.height, *size, "image/png", 0)]
    return Reply(text=said, model="agent", cost_usd=0.0, images=(shown[-1],))
