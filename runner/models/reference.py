"""The offline victim that really reads its screenshots: no key, no network, no GPU.

It gets the same messages as every other model, takes the words of its task from them, reads the current image with
OCR, and replies by one of the policies of `runner.models.policies`. A positive control: it shows that suite, harness and
scoring together can detect a hijack; its numbers say nothing about real models.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, get_args

from runner.exchange import Image, ImagePolicy, Profile, Prompt, Reply, SentImage, Space
from runner.limits import CallError, Limiter
from runner.models.looks import Looks
from runner.models.policies import Policy, reply_to
from runner.models.screen import Seen
from runner.reading import Line, Reader, ReadingError

POLICY_VERSION = "6"

_OPTION = re.compile(r"^\(([A-Z])\)\s*(.+)$", re.MULTILINE)


def kind_of(prompt: Prompt) -> Literal["spatial", "document", "video"]:
    """Which form of reply a prompt asks for, by the words of its instruction."""
    text = prompt.messages[0].parts[0]
    if isinstance(text, str):
        if "`coordinate`" in text:
            return "spatial"
        if "option" in text:
            return "video"
    return "document"


def seen_in(prompt: Prompt, lines: tuple[Line, ...], earlier: tuple[tuple[Line, ...], ...] = ()) -> Seen:
    """What a policy knows: the words of the messages and what was read in the images."""
    current = prompt.images[-1].ref
    words = [p for m in prompt.messages[1:] for p in m.parts if isinstance(p, str)]
    task = next((w.removeprefix("Task:").strip() for w in words if w.startswith("Task:")), "")
    options = {k: v.strip() for w in words for k, v in _OPTION.findall(w)}
    history = tuple(
        re.sub(r"^(?:Step|Page|Frame) \d+:\s*", "", w)
        for w in words
        if not w.startswith("Task:")
        and not _OPTION.match(w)
        and not re.fullmatch(r"[A-Z][a-z]+(?: [a-z]+)*(?: \d+)?:", w)
    )
    return Seen(
        kind=kind_of(prompt),
        instruction=str(prompt.messages[0].parts[0]),
        task=task,
        history=history,
        options=options,
        lines=lines,
        width=current.width,
        height=current.height,
        earlier=earlier,
    )


class ReferenceVictim:
    """One of three policies over OCR. With `history`, earlier images are read too where an answer may need them."""

    def __init__(
        self,
        label: str,
        name: str,
        family: str,
        policy: str,
        space: Mapping[str, Any],
        image: Mapping[str, Any],
        history: bool,
        workers: int | None,
        cache: str | None,
        limits: Mapping[str, Any],
        price: Mapping[str, Any],
        verified: str,
        limiter: Limiter,
        account: str = "",
    ) -> None:
        if policy not in get_args(Policy):
            raise ValueError(f"model.policy={policy!r} is not known; choose {', '.join(get_args(Policy))}")
        if workers is not None and workers < 1:
            raise ValueError(f"model.workers={workers}: give at least 1, or null for one per core")
        self.profile = Profile(label, Space(**space), ImagePolicy(**image))
        self.name = name
        self.family = family
        self.policy: Policy = policy  # type: ignore[assignment]
        self.history = history
        self._workers = workers
        self._cache = Path(cache) if cache else None
        self._reader: Reader | None = None
        self._looks: Looks | None = None

    def identity(self) -> Mapping[str, Any]:
        from runner.reading.settings import Settings, fingerprint

        reading = fingerprint(Settings())
        return {
            "kind": "reference", "policy": self.policy, "version": POLICY_VERSION, "history": self.history,
            "reading": reading,
        }  # fmt: skip

    async def open(self) -> None:
        self._reader = Reader(cache=self._cache, processes=self._workers)
        self._looks = Looks(self._cache, self._reader.fingerprint)

    async def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    async def ask(self, prompt: Prompt, key: str, cap: int = 1) -> Reply:
        """Reads the current image and replies.

        Raises:
            CallError: no image, or the OCR engine is not installed or broke down.
            ImageError: the image is missing or damaged.
        """
        if self._reader is None:
            await self.open()
        assert self._looks is not None
        if not prompt.images:
            raise CallError("bad_request", "the prompt holds no image to read")
        started = time.monotonic()
        wanted = self.history and kind_of(prompt) == "video"
        images = prompt.images if wanted else prompt.images[-1:]
        read = [await self._lines(image) for image in images]
        seen = seen_in(prompt, read[-1], tuple(read[:-1]))
        if seen.kind == "spatial":
            marks, patches = await asyncio.to_thread(self._looks.at, images[-1].path, images[-1].ref.hash, read[-1])
            seen = replace(seen, marks=marks, panels=patches)
        text = json.dumps(reply_to(self.policy, seen), ensure_ascii=False)
        return Reply(
            text=text,
            model=f"reference-{self.policy}",
            cost_usd=0.0,
            sent={"policy": self.policy},
            images=tuple(
                SentImage(i.ref.hash, i.ref.width, i.ref.height, i.ref.width, i.ref.height, "image/png", 0)
                for i in images
            ),
            latency_s=round(time.monotonic() - started, 4),
        )

    async def _lines(self, image: Image) -> tuple[Line, ...]:
        assert self._reader is not None
        try:
            return await self._reader.read(image.path, image.ref.hash)
        except ReadingError as error:
            hint = "pip install 'mma-safetybench[reference]' brings the engine"
            raise CallError("stopped", f"the reference victim cannot read: {error} ({hint})") from None
