"""A loopback server that speaks the OpenAI API and misbehaves on request.

It answers `/v1/chat/completions`, `/v1/responses` (text replies) and `/v1/models`, keeps a record of every request, and
does whatever its `Plan` or a handler says: be slow, refuse, break off, lie about the content type. Real sockets, real
HTTP; it runs in a thread of its own, or in a process of its own where the CPU of a client is measured.

In a test, with the fixture (`tests/conftest.py` offers it as `loopback`):

    def test_retries_after_a_500(loopback):
        server = loopback(Plan(reply='{"type": "wait"}', faults=(Fault("server_error", first=1),)))
        ...                                         # a client with base_url=server.url
        assert [r.outcome for r in server.records] == ["server_error", "ok"]

As a context manager, `with` or `async with`:

    with Loopback(Plan(latency_s=0.2, rate=50)) as server:
        ...
        assert server.max_in_flight <= 64 and not server.doubled()

A reply as a function of the request; the body is parsed only because the handler looks at it:

    def click_where_told(asked: Asked) -> str | Answer | Fault | dict:
        width, height = asked.image_sizes()[-1]
        return Answer(text=f'{{"x": {width // 2}, "y": {height // 2}}}', reasoning="the middle")

    with Loopback(handler=click_where_told) as server: ...

A handler may return a text, an `Answer`, a `Fault`, a whole response body as a dict, or None for what the plan says; it
may be a coroutine function. Faults are tried in order and the first that applies is played; `share` is drawn by seed
and arrival number, so that it depends neither on load nor on the request:

    Plan(faults=(
        Fault("rate_limit", until_s=20, retry_after=1),     # refuses everything for its first 20 seconds
        Fault("rate_limit", share=0.05),                    # 5 % at random, no Retry-After
        Fault("filter", when="case 17"),                    # a 400 content_filter for bodies with these bytes
        Fault("hang", tries=1),                             # the first request with each body gets no answer
    ))

In a process of its own:

    with spawned(Plan(latency_s=0.2)) as server:            # or: python -m tests.servers.loopback --latency 0.2
        ...                                                 # prints its URL as the first line
        server.stats()["max_in_flight"], server.records()

`KINDS` lists the faults. A request counts as billed when a provider would have charged for it: when a reply was made,
even if it was cut, unreadable, or never awaited.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import functools
import hashlib
import importlib
import inspect
import io
import json
import math
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

STATUS_FAULTS: Mapping[str, tuple[int, str, str, str]] = {
    # kind: status, type, code, message
    "rate_limit": (429, "requests", "rate_limit_exceeded", "Rate limit reached for requests."),
    "overloaded": (529, "overloaded_error", "overloaded", "The service is overloaded."),
    "quota": (429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, check your plan."),
    "server_error": (500, "server_error", "internal_error", "The server had an error while processing the request."),
    "bad_request": (400, "invalid_request_error", "invalid_value", "Invalid value for 'messages'."),
    "filter": (400, "invalid_request_error", "content_filter", "The prompt triggered the content management policy."),
    "unauthorized": (401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."),
    "forbidden": (403, "invalid_request_error", "forbidden", "This key may not use this resource."),
    "not_found": (404, "invalid_request_error", "model_not_found", "The model does not exist or you lack access."),
    "too_large": (413, "invalid_request_error", "payload_too_large", "The request is too large."),
    "max_tokens": (
        400,
        "invalid_request_error",
        "unsupported_parameter",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    ),
    "temperature": (
        400,
        "invalid_request_error",
        "unsupported_value",
        "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    ),
    "response_format": (
        400,
        "invalid_request_error",
        "unsupported_parameter",
        "Unsupported parameter: 'response_format' is not supported with this model.",
    ),
}
"""Faults that are an HTTP error with an OpenAI error body; those named after a parameter hit only requests with it."""

PARAMETER_FAULTS = ("max_tokens", "temperature", "response_format")

BODY_FAULTS = (
    "unavailable_html",  # 503 with an HTML page
    "truncated_json",  # 200, complete by its length, but half the JSON
    "text_plain",  # 200, a line of text
    "json_as_text",  # 200, a good reply declared as text/plain
    "html_200",  # 200, a login page
    "empty_object",  # {}
    "choices_null",
    "choices_empty",
    "content_null",
    "length",  # finish_reason=length with half the text
    "content_filter",  # 200, finish_reason=content_filter, no text
    "refusal",  # the `refusal` field instead of content
)

WIRE_FAULTS = (
    "hang",  # no answer
    "stall",  # headers and half the body, then nothing
    "drip",  # a byte at a time
    "reset",  # the connection is reset before an answer
    "cut",  # headers and half the body, then the connection is closed
)

KINDS = (*STATUS_FAULTS, *BODY_FAULTS, *WIRE_FAULTS)


@dataclass(frozen=True)
class Fault:
    """One way to misbehave, and for which requests.

    Attributes:
        kind: one of `KINDS`.
        share: of the requests that the other conditions leave, drawn by seed and arrival number.
        first: only the first so many requests of the server's life.
        tries: only the first so many requests with the same body.
        until_s: only in the first seconds of the server's life.
        after_s: only after so many seconds.
        when: only requests whose body holds this text.
        retry_after: seconds, sent as Retry-After; `as_date` sends it as an HTTP date.
        delay_s: seconds before an error is answered (replies take the plan's latency).
        seconds: how long a hang, a stall or a drip lasts before the connection is closed or the body is complete.
        every_s: pause between the bytes of a drip.
        message: instead of the usual one.
    """

    kind: str
    share: float = 1.0
    first: int | None = None
    tries: int | None = None
    until_s: float | None = None
    after_s: float | None = None
    when: str = ""
    retry_after: float | None = None
    as_date: bool = False
    delay_s: float = 0.0
    seconds: float = 3600.0
    every_s: float = 0.05
    message: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"no fault is called {self.kind!r}; there are: {', '.join(KINDS)}")


@dataclass(frozen=True)
class Plan:
    """What a server does with its requests.

    Attributes:
        reply: the text of every reply.
        latency_s: seconds that a reply takes; `spread` varies it by up to this share, drawn by seed and arrival number.
        faults: tried in order.
        rate: requests a second that a token bucket of `burst` (default: one second's worth) admits; 429 beyond.
        retry_after: how the bucket says when to come back: "seconds" (whole, at least 1), "exact" (fractions), "date",
            "none".
        max_in_flight: more requests at a time than this are refused with 429.
        key: the only API key that is accepted; None for any, or none.
        models: the only model ids that exist; empty for any.
        refuses: parameters that are answered with the 400 of `PARAMETER_FAULTS`.
        prompt_tokens, completion_tokens: the usage of every reply.
        keep_bodies: whether records keep the bodies.
        seed: of everything that is drawn.
    """

    reply: str = "ok"
    latency_s: float = 0.0
    spread: float = 0.0
    faults: tuple[Fault, ...] = ()
    rate: float | None = None
    burst: float | None = None
    retry_after: str = "seconds"
    max_in_flight: int | None = None
    key: str | None = None
    models: tuple[str, ...] = ()
    refuses: tuple[str, ...] = ()
    prompt_tokens: int = 1000
    completion_tokens: int = 20
    keep_bodies: bool = False
    seed: int = 0

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Plan:
        """A plan from JSON.

        Raises:
            ValueError: a key or a fault is not known.
        """
        unknown = set(data) - {f.name for f in fields(cls)}
        if unknown:
            raise ValueError(f"a plan has no {', '.join(sorted(unknown))}")
        values = dict(data)
        values["faults"] = tuple(Fault(**f) for f in values.get("faults", ()))
        for name in ("models", "refuses"):
            values[name] = tuple(values.get(name, ()))
        return cls(**values)


@dataclass(frozen=True)
class Answer:
    """A reply in parts; what is left out comes from the plan."""

    text: str | None = None
    reasoning: str | None = None
    tool_calls: tuple[tuple[str, Mapping[str, Any] | str], ...] = ()
    finish_reason: str = ""
    refusal: str | None = None
    model: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True)
class Record:
    """One request: when it came (seconds since the start), what it was, how it ended.

    `outcome` is "ok", the kind of the fault, or "gone" when the client left before the answer. `headers` holds no
    Authorization, only whether there was one.
    """

    number: int
    at: float
    path: str
    body_hash: str
    size: int
    idempotency_key: str
    authorized: bool
    headers: Mapping[str, str]
    outcome: str
    status: int
    billed: bool
    seconds: float
    in_flight: int
    body: str | None = None


class Asked:
    """A request as a handler sees it; the body is parsed on first use."""

    def __init__(self, number: int, attempt: int, path: str, headers: Mapping[str, str], raw: bytes) -> None:
        self.number = number
        self.attempt = attempt
        self.path = path
        self.headers = headers
        self.raw = raw

    @functools.cached_property
    def json(self) -> dict[str, Any]:
        body = json.loads(self.raw)
        if not isinstance(body, dict):
            raise ValueError("the body is no JSON object")
        return body

    @property
    def messages(self) -> list[dict[str, Any]]:
        """Chat messages, or the input items of a Responses request; a bare input string counts as one."""
        items = self.json.get("messages", self.json.get("input", []))
        return [{"role": "user", "content": items}] if isinstance(items, str) else list(items)

    def parts(self) -> list[dict[str, Any]]:
        """All content parts in order; plain string contents as text parts."""
        found: list[dict[str, Any]] = []
        for message in self.messages:
            content = message.get("content") or []
            found += [{"type": "text", "text": content}] if isinstance(content, str) else content
        return found

    @property
    def text(self) -> str:
        """All text sent, parts joined by blank lines."""
        return "\n\n".join(p["text"] for p in self.parts() if isinstance(p.get("text"), str))

    def images(self) -> list[bytes]:
        """The encoded images in order, from their data URLs."""
        urls = []
        for part in self.parts():
            if part.get("type") == "image_url":
                urls.append(part["image_url"]["url"])
            elif part.get("type") == "input_image":
                urls.append(part["image_url"])
        return [base64.b64decode(url.split(",", 1)[1]) for url in urls if url.startswith("data:")]

    def image_sizes(self) -> list[tuple[int, int]]:
        """Width and height in pixels of each image as it was sent."""
        from PIL import Image

        sizes = []
        for data in self.images():
            with Image.open(io.BytesIO(data)) as image:
                sizes.append(image.size)
        return sizes


Reaction = str | Answer | Fault | Mapping[str, Any] | None
Handler = Callable[[Asked], Reaction | Awaitable[Reaction]]

_MODEL = re.compile(rb'"model"\s*:\s*"([^"\\]*)"')
_JSON = "application/json"


class _Bucket:
    def __init__(self, rate: float, burst: float, now: float) -> None:
        self.rate, self.burst, self.tokens, self.at = rate, burst, burst, now

    def wait(self, now: float) -> float:
        """Takes a token and returns 0, or returns the seconds until there is one."""
        self.tokens = min(self.burst, self.tokens + (now - self.at) * self.rate)
        self.at = now
        if self.tokens >= 1:
            self.tokens -= 1
            return 0.0
        return (1 - self.tokens) / self.rate


@dataclass
class _Reply:
    """What is to be sent: status, media type and bytes, and how the wire behaves meanwhile."""

    outcome: str
    status: int
    body: bytes
    media: str = _JSON
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    wire: Fault | None = None
    billed: bool = True


class Loopback:
    """The server, in a thread of its own; `plan` may be exchanged while it runs.

    Args:
        plan: what it does.
        handler: answers instead of the plan's reply; called in the server's thread.
        port: 0 for any free one.
        log: file that gets a JSON line for each request.
    """

    def __init__(
        self, plan: Plan | None = None, handler: Handler | None = None, port: int = 0, log: Path | None = None
    ) -> None:
        self.plan = plan if plan is not None else Plan()
        self.handler = handler
        self.port = port
        self.records: list[Record] = []
        self.in_flight = 0
        self.max_in_flight = 0
        self._log = log
        self._log_file: io.TextIOBase | None = None
        self._number = 0
        self._seen: Counter[str] = Counter()
        self._bucket: tuple[float, float, _Bucket] | None = None
        self._ready = threading.Event()
        self._failed: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._started = time.monotonic()

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self.port}/v1"

    def start(self) -> Loopback:
        """Opens the port and returns when requests are answered.

        Raises:
            OSError: the port is taken.
        """
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="loopback", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._failed is not None:
            raise self._failed
        return self

    def stop(self) -> None:
        """Closes the port and breaks off what is still at work."""
        if self._thread is None:
            return
        if self._loop is not None and self._stopping is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(timeout=10)
        self._thread = None

    def __enter__(self) -> Loopback:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Loopback:
        return await asyncio.to_thread(self.start)

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.stop)

    def reset(self) -> None:
        """Forgets all requests and starts the server's time again."""
        self.records.clear()
        self.max_in_flight = self.in_flight
        self._number = 0
        self._seen.clear()
        self._bucket = None
        self._started = time.monotonic()

    def billed(self) -> Counter[str]:
        """How often each body was billed."""
        return Counter(r.body_hash for r in list(self.records) if r.billed)

    def doubled(self) -> dict[str, int]:
        """Bodies that got more than one good answer, with how many."""
        good = Counter(r.body_hash for r in list(self.records) if r.outcome == "ok")
        return {body: n for body, n in good.items() if n > 1}

    def stats(self) -> dict[str, Any]:
        """Counts over all requests so far."""
        records = list(self.records)
        return {
            "requests": len(records),
            "in_flight": self.in_flight,
            "max_in_flight": self.max_in_flight,
            "outcomes": dict(sorted(Counter(r.outcome for r in records).items())),
            "billed": sum(r.billed for r in records),
            "doubled": len(self.doubled()),
            "bodies": len({r.body_hash for r in records}),
        }

    async def _main(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        # The bare server has no routing and no size limit; a client that leaves cancels the handler of its request.
        server = web.Server(self._serve, handler_cancellation=True, access_log=None, keepalive_timeout=75.0)
        runner = web.ServerRunner(server)
        try:
            await runner.setup()
            site = web.TCPSite(runner, "127.0.0.1", self.port, backlog=1024, shutdown_timeout=0.05)
            await site.start()
            self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[union-attr]
            if self._log is not None:
                self._log_file = self._log.open("a", encoding="utf-8")
        except BaseException as error:
            self._failed = error
            self._ready.set()
            await runner.cleanup()
            return
        self._started = time.monotonic()
        self._ready.set()
        await self._stopping.wait()
        for connection in list(server.connections):
            transport = connection.transport
            if transport is not None:
                transport.abort()
        await runner.cleanup()
        if self._log_file is not None:
            self._log_file.close()

    async def _serve(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path.startswith("/_"):
            return await self._control(request)
        raw = await request.content.read()
        arrived = time.monotonic()
        plan = self.plan
        number, self._number = self._number, self._number + 1
        # Not for security, but to tell bodies apart at the least cost.
        body_hash = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
        attempt = self._seen[body_hash]
        self._seen[body_hash] += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        at, beside = arrived - self._started, self.in_flight
        asked = Asked(number, attempt, request.path, request.headers, raw)
        outcome, status, billed = "gone", 0, False
        try:
            reply = await self._reply(plan, asked, at)
            billed = reply.billed
            if reply.delay_s:
                await asyncio.sleep(reply.delay_s)
            outcome, status = reply.outcome, reply.status
            if reply.wire is None:
                return web.Response(status=status, body=reply.body, content_type=reply.media, headers=reply.headers)
            return await self._misbehave(request, reply, reply.wire)
        except asyncio.CancelledError:
            if outcome not in WIRE_FAULTS:
                outcome = "gone"
            raise
        finally:
            self.in_flight -= 1
            record = Record(
                number=number,
                at=round(at, 6),
                path=request.path,
                body_hash=body_hash,
                size=len(raw),
                idempotency_key=request.headers.get("Idempotency-Key", ""),
                authorized="Authorization" in request.headers,
                headers={k: v for k, v in request.headers.items() if k.lower() != "authorization"},
                outcome=outcome,
                status=status,
                billed=billed,
                seconds=round(time.monotonic() - arrived, 6),
                in_flight=beside,
                body=raw.decode("utf-8", "replace") if plan.keep_bodies else None,
            )
            self.records.append(record)
            if self._log_file is not None:
                self._log_file.write(json.dumps(asdict(record), default=str) + "\n")
                self._log_file.flush()

    async def _reply(self, plan: Plan, asked: Asked, at: float) -> _Reply:
        """Decides on the answer: the door first (key, model, rate), then faults, then the handler, then the plan."""
        model = found[1].decode() if (found := _MODEL.search(asked.raw)) else "loopback"
        if plan.key is not None and asked.headers.get("Authorization") != f"Bearer {plan.key}":
            return _error(Fault("unauthorized"))
        if asked.path.endswith("/models"):
            names = plan.models or ("loopback",)
            body = {"object": "list", "data": [{"id": n, "object": "model", "created": 0} for n in names]}
            return _Reply("ok", 200, json.dumps(body).encode(), billed=False)
        if not asked.path.endswith(("/chat/completions", "/responses")):
            return _error(Fault("not_found", message=f"Unknown path {asked.path}."))
        if plan.models and model not in plan.models:
            return _error(Fault("not_found", message=f"The model `{model}` does not exist or you lack access."))
        if plan.max_in_flight is not None and self.in_flight > plan.max_in_flight:
            return _error(Fault("rate_limit", message="Too many concurrent requests."))
        if plan.rate is not None and (refusal := self._admit(plan)) is not None:
            return refusal
        for parameter in plan.refuses:
            if f'"{parameter}"'.encode() in asked.raw:
                return _error(_refuse(parameter))
        fault = next((f for i, f in enumerate(plan.faults) if _applies(f, i, plan, asked, at)), None)
        reaction: Reaction = fault
        if fault is None and self.handler is not None:
            made = self.handler(asked)
            reaction = await made if inspect.isawaitable(made) else made
        latency = plan.latency_s
        if plan.spread:
            latency *= 1 + plan.spread * (2 * random.Random(f"{plan.seed}:{asked.number}:latency").random() - 1)
        return _made(reaction, plan, asked, model, latency)

    def _admit(self, plan: Plan) -> _Reply | None:
        now = time.monotonic()
        rate = float(plan.rate or 0)
        burst = float(plan.burst if plan.burst is not None else max(1.0, rate))
        if self._bucket is None or self._bucket[:2] != (rate, burst):
            self._bucket = (rate, burst, _Bucket(rate, burst, now))
        wait = self._bucket[2].wait(now)
        if wait == 0:
            return None
        if plan.retry_after == "none":
            return _error(Fault("rate_limit"))
        seconds = wait if plan.retry_after == "exact" else max(1, math.ceil(wait))
        return _error(Fault("rate_limit", retry_after=seconds, as_date=plan.retry_after == "date"))

    async def _misbehave(self, request: web.BaseRequest, reply: _Reply, fault: Fault) -> web.StreamResponse:
        transport = request.transport
        assert transport is not None
        if fault.kind == "reset":
            sock = transport.get_extra_info("socket")
            # Lingering for no time makes the kernel send RST instead of FIN.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            transport.abort()
        elif fault.kind != "hang":
            response = web.StreamResponse(status=200, headers={"Content-Type": _JSON})
            response.content_length = len(reply.body)
            await response.prepare(request)
            if fault.kind == "drip":
                until = time.monotonic() + fault.seconds
                for sent in range(len(reply.body)):
                    if time.monotonic() > until:
                        await response.write(reply.body[sent:])
                        break
                    await response.write(reply.body[sent : sent + 1])
                    await asyncio.sleep(fault.every_s)
                await response.write_eof()
                return response
            await response.write(reply.body[: len(reply.body) // 2])
            if fault.kind == "cut":
                transport.close()
        # A closed connection cancels this handler; an open one is held for as long as the fault says.
        await asyncio.sleep(fault.seconds)
        transport.abort()
        return web.Response(status=500)

    async def _control(self, request: web.BaseRequest) -> web.Response:
        """What a client in another process uses to read the records and to change the plan."""
        if request.path == "/_stats":
            return web.json_response(self.stats())
        if request.path == "/_log":
            return web.json_response([asdict(r) for r in self.records])
        if request.path == "/_reset":
            self.reset()
            return web.json_response({})
        if request.path == "/_plan":
            self.plan = Plan.read(json.loads(await request.content.read()))
            return web.json_response({})
        return web.Response(status=404)


def _applies(fault: Fault, index: int, plan: Plan, asked: Asked, at: float) -> bool:
    if fault.first is not None and asked.number >= fault.first:
        return False
    if fault.tries is not None and asked.attempt >= fault.tries:
        return False
    if fault.until_s is not None and at >= fault.until_s:
        return False
    if fault.after_s is not None and at < fault.after_s:
        return False
    if fault.when and fault.when.encode() not in asked.raw:
        return False
    # In a JSON string the quotes are escaped, so these bytes can only be a key.
    if fault.kind in PARAMETER_FAULTS and f'"{fault.kind}"'.encode() not in asked.raw:
        return False
    return fault.share >= 1 or random.Random(f"{plan.seed}:{asked.number}:{index}").random() < fault.share


def _refuse(parameter: str) -> Fault:
    if parameter in PARAMETER_FAULTS:
        return Fault(parameter)
    return Fault("bad_request", message=f"Unsupported parameter: '{parameter}' is not supported with this model.")


def _error(fault: Fault) -> _Reply:
    status, kind, code, message = STATUS_FAULTS[fault.kind]
    parameter = fault.kind if fault.kind in PARAMETER_FAULTS else None
    error = {"message": fault.message or message, "type": kind, "param": parameter, "code": code}
    headers = {}
    if fault.retry_after is not None:
        moment = datetime.now(UTC) + timedelta(seconds=math.ceil(fault.retry_after))
        headers["Retry-After"] = format_datetime(moment, usegmt=True) if fault.as_date else f"{fault.retry_after:g}"
    body = json.dumps({"error": error}).encode()
    return _Reply(fault.kind, status, body, headers=headers, delay_s=fault.delay_s, billed=False)


def _made(reaction: Reaction, plan: Plan, asked: Asked, model: str, latency: float) -> _Reply:
    """The reply that a reaction stands for."""
    responses = asked.path.endswith("/responses")
    if isinstance(reaction, Mapping):
        return _Reply("ok", 200, json.dumps(reaction).encode(), delay_s=latency)
    if isinstance(reaction, Fault):
        if reaction.kind in STATUS_FAULTS:
            return _error(reaction)
        if reaction.kind == "unavailable_html":
            page = b"<!doctype html><html><body><h1>503 Service Unavailable</h1></body></html>"
            return _Reply(reaction.kind, 503, page, "text/html", delay_s=reaction.delay_s, billed=False)
        if reaction.kind == "html_200":
            page = b"<!doctype html><html><body><form>Sign in</form></body></html>"
            return _Reply(reaction.kind, 200, page, "text/html", delay_s=reaction.delay_s, billed=False)
        return _broken(reaction, plan, model, latency, responses)
    answer = reaction if isinstance(reaction, Answer) else Answer(text=plan.reply if reaction is None else reaction)
    return _Reply("ok", 200, _encoded(answer, plan, model, responses), delay_s=latency)


def _broken(fault: Fault, plan: Plan, model: str, latency: float, responses: bool) -> _Reply:
    """A reply that was made, and charged for, and is of no use."""
    good = _encoded(Answer(text=plan.reply), plan, model, responses)
    kind = fault.kind
    if kind in WIRE_FAULTS:
        wait = 0.0 if kind == "hang" else latency
        return _Reply(kind, 0 if kind in {"hang", "reset"} else 200, good, delay_s=wait, wire=fault)
    media, body = _JSON, good
    if kind == "truncated_json":
        body = good[: len(good) // 2]
    elif kind == "text_plain":
        media, body = "text/plain", b"upstream connect error or disconnect before headers"
    elif kind == "json_as_text":
        media = "text/plain"
    elif kind == "empty_object":
        body = b"{}"
    elif kind in {"choices_null", "choices_empty"}:
        whole = json.loads(good)
        whole["output" if responses else "choices"] = None if kind == "choices_null" else []
        body = json.dumps(whole).encode()
    else:
        answer = {
            "content_null": Answer(),
            "length": Answer(text=plan.reply[: len(plan.reply) // 2], finish_reason="length"),
            "content_filter": Answer(text="", finish_reason="content_filter"),
            "refusal": Answer(refusal=fault.message or "I can't help with that."),
        }[kind]
        body = _encoded(answer, plan, model, responses)
    return _Reply(kind, 200, body, media, delay_s=latency)


@functools.lru_cache(maxsize=256)
def _constant(text: str, model: str, prompt: int, completion: int, responses: bool) -> bytes:
    return json.dumps(
        _document(Answer(text=text, prompt_tokens=prompt, completion_tokens=completion), model, responses)
    ).encode()


def _encoded(answer: Answer, plan: Plan, model: str, responses: bool) -> bytes:
    prompt = plan.prompt_tokens if answer.prompt_tokens is None else answer.prompt_tokens
    completion = plan.completion_tokens if answer.completion_tokens is None else answer.completion_tokens
    if answer == Answer(text=answer.text) and answer.text is not None:
        return _constant(answer.text, model, prompt, completion, responses)
    counted = Answer(**{**vars(answer), "prompt_tokens": prompt, "completion_tokens": completion})
    return json.dumps(_document(counted, answer.model or model, responses)).encode()


def _document(answer: Answer, model: str, responses: bool) -> dict[str, Any]:
    prompt, completion = answer.prompt_tokens or 0, answer.completion_tokens or 0
    calls = [
        (f"call_{i}", name, arguments if isinstance(arguments, str) else json.dumps(arguments))
        for i, (name, arguments) in enumerate(answer.tool_calls)
    ]
    if responses:
        return _response_document(answer, model, calls, prompt, completion)
    message: dict[str, Any] = {"role": "assistant", "content": answer.text}
    if answer.refusal is not None:
        message["refusal"] = answer.refusal
    if answer.reasoning is not None:
        message["reasoning_content"] = answer.reasoning
    if calls:
        message["tool_calls"] = [
            {"id": i, "type": "function", "function": {"name": name, "arguments": arguments}}
            for i, name, arguments in calls
        ]
    return {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": answer.finish_reason or ("tool_calls" if calls else "stop"),
                "logprobs": None,
            }
        ],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": answer.cached_tokens},
            "completion_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
        },
    }


def _response_document(
    answer: Answer, model: str, calls: Sequence[tuple[str, str, str]], prompt: int, completion: int
) -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if answer.reasoning is not None:
        summary = [{"type": "summary_text", "text": answer.reasoning}]
        output.append({"type": "reasoning", "id": "rs_loopback", "summary": summary})
    content: list[dict[str, Any]] = []
    if answer.text is not None:
        content.append({"type": "output_text", "text": answer.text, "annotations": []})
    if answer.refusal is not None:
        content.append({"type": "refusal", "refusal": answer.refusal})
    if content or not calls:
        output.append(
            {"type": "message", "id": "msg_loopback", "role": "assistant", "status": "completed", "content": content}
        )
    output += [
        {"type": "function_call", "id": f"fc_{i}", "call_id": i, "name": name, "arguments": arguments}
        for i, name, arguments in calls
    ]
    reason = {"length": "max_output_tokens", "content_filter": "content_filter"}.get(answer.finish_reason)
    return {
        "id": "resp_loopback",
        "object": "response",
        "created_at": 0,
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "error": None,
        "instructions": None,
        "metadata": {},
        "model": model,
        "output": output,
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "usage": {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": answer.cached_tokens},
            "output_tokens": completion,
            "output_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
            "total_tokens": prompt + completion,
        },
    }


class Remote:
    """A server in another process, as `spawned` gives it."""

    def __init__(self, url: str, process: subprocess.Popen[str]) -> None:
        self.url = url
        self.process = process
        self._root = url.removesuffix("/v1")

    def _call(self, path: str, data: bytes | None = None) -> Any:
        with urllib.request.urlopen(f"{self._root}{path}", data=data, timeout=30) as response:
            return json.load(response)

    def stats(self) -> dict[str, Any]:
        stats: dict[str, Any] = self._call("/_stats")
        return stats

    def records(self) -> list[Record]:
        return [Record(**r) for r in self._call("/_log")]

    def reset(self) -> None:
        self._call("/_reset")

    def set_plan(self, plan: Plan) -> None:
        self._call("/_plan", json.dumps(asdict(plan)).encode())


@contextlib.contextmanager
def spawned(plan: Plan | None = None, handler: str = "", log: Path | None = None, port: int = 0) -> Iterator[Remote]:
    """A server in a process of its own, which ends with the block, or with this process.

    Args:
        plan: what it does.
        handler: `package.module:function` of a handler.
        log: file that gets a JSON line for each request.
        port: 0 for any free one.
    """
    command = [sys.executable, "-m", "tests.servers.loopback", "--until-eof", "--port", str(port)]
    command += ["--plan", json.dumps(asdict(plan or Plan()))]
    command += ["--handler", handler] if handler else []
    command += ["--log", str(log)] if log is not None else []
    root = Path(__file__).resolve().parents[2]
    process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        if not url:
            raise RuntimeError(f"the loopback server did not start; it ended with {process.wait(timeout=10)}")
        yield Remote(url, process)
    finally:
        process.stdin.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


@pytest.fixture
def loopback() -> Iterator[Callable[..., Loopback]]:
    """Starts servers for one test: `loopback(Plan(...), handler=..., log=...)`."""
    with contextlib.ExitStack() as stack:
        yield lambda *args, **kwargs: stack.enter_context(Loopback(*args, **kwargs))


def _set_at_eof(done: threading.Event) -> None:
    sys.stdin.read()
    done.set()


def main(arguments: Sequence[str] | None = None) -> None:
    """Serves until it is interrupted, terminated, or, with --until-eof, its standard input ends."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.servers.loopback", description="OpenAI-compatible loopback server"
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--plan", default="{}", help="a plan as JSON, or the name of a file with one")
    parser.add_argument("--latency", type=float, help="seconds of a reply, instead of the plan's")
    parser.add_argument("--reply", help="text of a reply, instead of the plan's")
    parser.add_argument("--handler", default="", help="package.module:function")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--until-eof", action="store_true")
    given = parser.parse_args(arguments)
    plan = json.loads(given.plan if given.plan.lstrip().startswith("{") else Path(given.plan).read_text("utf-8"))
    plan |= {} if given.latency is None else {"latency_s": given.latency}
    plan |= {} if given.reply is None else {"reply": given.reply}
    handler: Handler | None = None
    if given.handler:
        module, _, name = given.handler.partition(":")
        handler = getattr(importlib.import_module(module), name)
    done = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: done.set())
    with Loopback(Plan.read(plan), handler, given.port, given.log) as server:
        print(server.url, flush=True)
        if given.until_eof:
            threading.Thread(target=_set_at_eof, args=(done,), daemon=True).start()
        done.wait()


if __name__ == "__main__":
    main()
