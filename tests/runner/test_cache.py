"""Replies kept across runs: what is the same request, what is kept, and what a damaged file does."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow

from benchmark.images import ImageStore
from runner.cache import ReplyCache, cache_mode, deterministic
from runner.commands.compose import experiment_of
from runner.exchange import Image, Message, Prompt, Reply, Usage
from runner.work import make_model
from tests.servers.loopback import Fault, Loopback, Plan

OVERRIDES = (
    "model=openai_compatible",
    "model.space.name=pixel",
    "model.base_url=http://here",
    "model.name=stub",
    "model.api_key_env=null",
)
CONFIG: dict[str, Any] = experiment_of([*OVERRIDES, "model.cache=null", "model.limits.retry_max=0"])["model"]


def prompt(folder: Path, shade: int = 200, text: str = "Where?") -> Prompt:
    ref = ImageStore(folder).put(Pillow.new("RGB", (64, 48), (shade, shade, shade)))
    return Prompt((Message("user", (text, Image(ref, folder / ref.relative_path))),))


def asked(cache: ReplyCache, server: Loopback, *calls: tuple[Prompt, dict[str, Any]], **params: Any) -> list[Reply]:
    model = make_model({**CONFIG, "base_url": server.url, "params": {**CONFIG["params"], **params}})

    async def scene() -> list[Reply]:
        try:
            return [await cache.ask(model, p, "key", **how) for p, how in calls]
        finally:
            await model.close()

    return asyncio.run(scene())


def test_the_same_request_is_made_once_and_any_other_is_made(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache", "on")
    one, other = prompt(tmp_path / "a"), prompt(tmp_path / "a", shade=90)
    moved = prompt(tmp_path / "elsewhere")
    with Loopback(Plan(reply="here")) as server:
        first, again, there = asked(cache, server, (one, {}), (one, {}), (moved, {}))
        assert len(server.records) == 1, "the same pixels in another folder are the same request"
        assert (first.text, again.text, there.text) == ("here", "here", "here")
        assert first.usage.prompt == 1000
        assert (again.usage, again.cost_usd) == (Usage(), 0.0)
        assert again.sent["cache"]["usage"]["prompt"] == 1000
        assert again.images == first.images
        asked(
            cache,
            server,
            (other, {}),
            (one, {"cap": 2}),
            (one, {"repeat": 1}),
            (prompt(tmp_path / "a", text="Who?"), {}),
        )
        assert len(server.records) == 5
        asked(cache, server, (one, {}), max_tokens=99)
        assert len(server.records) == 6


@pytest.mark.parametrize(
    ("mode", "temperature", "requests"),
    [("on", 0.0, 1), ("on", 0.7, 2), ("on", None, 2), ("always", 0.7, 1), ("always", None, 1), ("off", 0.0, 2)],
)
def test_replies_of_a_model_that_samples_are_kept_only_when_asked_for(
    tmp_path: Path, mode: str, temperature: float | None, requests: int
) -> None:
    cache = ReplyCache(tmp_path / "cache", cache_mode(mode))
    with Loopback(Plan(reply="here")) as server:
        for _ in range(2):
            asked(cache, server, (prompt(tmp_path), {}), temperature=temperature)
        assert len(server.records) == requests


def test_a_temperature_that_was_negotiated_away_makes_the_reply_no_longer_repeatable(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "cache", "on")
    with Loopback(Plan(reply="here", refuses=("temperature",))) as server:
        for _ in range(2):
            asked(cache, server, (prompt(tmp_path), {}))
        assert [r.status for r in server.records] == [400, 200, 400, 200]


@pytest.mark.parametrize("kind", ["length", "content_filter", "content_null"])
def test_only_complete_replies_are_kept(tmp_path: Path, kind: str) -> None:
    cache = ReplyCache(tmp_path / "cache", "on")
    with Loopback(Plan(reply="half of it", faults=(Fault(kind, first=1),))) as server:
        _, second, third = asked(cache, server, *[(prompt(tmp_path), {})] * 3)
        assert len(server.records) == 2
        assert second.text == third.text == "half of it"


@pytest.mark.parametrize("damage", [lambda b: b[: len(b) // 2], lambda b: b"", lambda b: b.replace(b"here", b"gone")])
def test_a_damaged_file_counts_as_absent_and_is_replaced(tmp_path: Path, damage: Any) -> None:
    cache = ReplyCache(tmp_path / "cache", "on")
    with Loopback(Plan(reply="here")) as server:
        asked(cache, server, (prompt(tmp_path), {}))
        (path,) = (tmp_path / "cache").rglob("*.json")
        path.write_bytes(damage(path.read_bytes()))
        (second,) = asked(cache, server, (prompt(tmp_path), {}))
        assert (second.text, len(server.records)) == ("here", 2)
        asked(cache, server, (prompt(tmp_path), {}))
        assert len(server.records) == 2


def _write_and_read(folder: str, number: int) -> int:
    cache, bad = ReplyCache(Path(folder), "on"), 0
    for _ in range(15):
        cache.write("ab" * 32, Reply(text=f"{number} " * 2000, finish_reason="stop"))
        found = cache.read("ab" * 32)
        bad += found is None or len(set(found.text.split())) != 1
    return bad


def test_processes_that_write_the_same_reply_never_read_a_half_of_it(tmp_path: Path) -> None:
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        assert list(pool.map(_write_and_read, [str(tmp_path)] * 3, range(3))) == [0, 0, 0]
    assert not list(tmp_path.rglob("*.part"))


def test_what_cannot_be_written_costs_no_reply(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    with Loopback(Plan(reply="here")) as server:
        (reply,) = asked(ReplyCache(tmp_path / "cache", "on"), server, (prompt(tmp_path / "i"), {}))
    assert reply.text == "here"


def test_modes_are_read_as_yaml_and_people_write_them() -> None:
    assert [cache_mode(v) for v in ("on", True, "off", False, "always", "True")] == [
        "on",
        "on",
        "off",
        "off",
        "always",
        "on",
    ]
    with pytest.raises(ValueError, match="cache=sometimes: choose off, on, always"):
        cache_mode("sometimes")
    assert deterministic(None)
    assert not deterministic({})


def test_halves_of_surrogate_pairs_come_back_as_they_were(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path, "on")
    cache.write("cd" * 32, replace(Reply(text="\\ud83d half", finish_reason="stop"), text=json.loads('"\\ud83d half"')))
    found = cache.read("cd" * 32)
    assert found is not None
    assert found.text == json.loads('"\\ud83d half"')
