"""Replies kept across runs: the same request is not paid for twice.

Content-addressed over the full request: the prompt with its images by what they show, the model with its parameters,
the cap on tokens and the number of the repeat, so that repeats stay independent. Only complete replies are kept. With
`on`, a model that samples (a temperature that is not 0, or that is not sent at all) is asked anew each time; `always`
keeps its replies too. A file is written in one step and carries its own hash; what is damaged counts as absent.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal, get_args

from runner.exchange import Model, Prompt, Reply, SentImage, Usage
from runner.ledger import LedgerError, key_of, write_whole

CacheMode = Literal["off", "on", "always"]
MODES: tuple[str, ...] = get_args(CacheMode)
VERSION = 1
COMPLETE = frozenset({"stop", "tool_calls", "function_call", "completed", "end_turn"})


def cache_mode(value: Any) -> CacheMode:
    """The mode that a config value means; `true` and `false` are what YAML makes of `on` and `off`.

    Raises:
        ValueError: it is none of them.
    """
    mode = {"true": "on", "false": "off"}.get(str(value).lower(), str(value).lower())
    if mode not in MODES:
        raise ValueError(f"cache={value}: choose {', '.join(MODES)}")
    return mode  # type: ignore[return-value]


def complete(reply: Reply) -> bool:
    """Whether a reply ended by itself and says something."""
    return reply.finish_reason in COMPLETE and not reply.filtered and bool(reply.text.strip() or reply.tool_calls)


def deterministic(params: Mapping[str, Any] | None) -> bool:
    """Whether a model with these parameters gives the same answer twice, as far as it can be asked to."""
    return params is None or params.get("temperature") == 0


class ReplyCache:
    """Replies in a folder, one file each; safe to use from several processes at once."""

    def __init__(self, folder: Path, mode: CacheMode) -> None:
        self.folder = folder
        self.mode = mode

    async def ask(self, model: Model, prompt: Prompt, key: str, cap: int = 1, repeat: int = 0) -> Reply:
        """The kept reply to this request, else the model's, which is then kept if it may be.

        A kept reply costs nothing and uses no tokens now; what it once did stands in `sent["cache"]`.

        Raises:
            runner.limits.CallError: the model was asked and the call failed.
        """
        identity = model.identity()
        if self.mode == "off" or (self.mode == "on" and not deterministic(identity.get("params"))):
            return await model.ask(prompt, key, cap)
        name = key_of(
            {"version": VERSION, "prompt": prompt.canonical(), "model": dict(identity), "cap": cap, "repeat": repeat}
        )
        known = self.read(name)
        if known is not None:
            return known
        reply = await model.ask(prompt, key, cap)
        # Parameters may have been negotiated away on the way, and with them what made the reply repeatable.
        sampled = identity.get("params") is not None and not deterministic(reply.sent)
        if complete(reply) and (self.mode == "always" or not sampled):
            self.write(name, reply)
        return reply

    def _path(self, name: str) -> Path:
        return self.folder / name[:2] / f"{name}.json"

    def read(self, name: str) -> Reply | None:
        """A kept reply; None when there is none, or when its file is not whole."""
        try:
            body = json.loads(self._path(name).read_text(encoding="utf-8"))
            stored = body["reply"]
            if body["key"] != name or body["sha256"] != _hash(stored):
                return None
            usage = Usage(**stored["usage"])
            sent = {
                **stored["sent"],
                "cache": {"key": name, "usage": stored["usage"], "cost_usd": stored["cost_usd"]},
            }
            return Reply(
                **{
                    **stored,
                    "tool_calls": tuple(stored["tool_calls"]),
                    "images": tuple(SentImage(**i) for i in stored["images"]),
                    "attempts": (),
                    "usage": replace(usage, prompt=0, completion=0, cached=0, reasoning=0),
                    "cost_usd": 0.0,
                    "latency_s": 0.0,
                    "waited_s": 0.0,
                    "sent": sent,
                }
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def write(self, name: str, reply: Reply) -> None:
        stored = json.loads(json.dumps(asdict(reply)))
        body = {"key": name, "sha256": _hash(stored), "reply": stored}
        try:
            write_whole(self._path(name), json.dumps(body))
        except LedgerError:
            # A cache that cannot be written saves nothing and costs nothing; the run's own ledger has the reply.
            return


def _hash(stored: Any) -> str:
    return hashlib.sha256(json.dumps(stored, sort_keys=True).encode()).hexdigest()
