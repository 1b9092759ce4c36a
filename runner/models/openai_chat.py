"""A victim or judge behind any OpenAI-compatible endpoint, by chat completions or by Responses.

Uses the openai SDK's client with its own retries switched off: whether and when a call is repeated is decided by
`runner.limits` alone. Every failure, also the SDK's odd ones (a 200 that is no JSON, a reply without choices), becomes
a `CallError`; what was really sent after negotiation of parameters is part of the reply.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.request import getproxies

from runner.exchange import ImagePolicy, MissingKey, Profile, Prompt, Reply, SentImage, Space, Usage
from runner.limits import (
    Bill,
    CallError,
    Claim,
    Limiter,
    LimitSpec,
    RetrySpec,
    call_with_retry,
    endpoint_id,
    from_response,
)
from runner.models.dialects import DIALECTS, TOKEN_CAPS
from runner.models.images import prepared


def api_key(variable: str | None) -> str:
    """The key from the environment; endpoints without one get a placeholder.

    Raises:
        MissingKey: a variable is named and not set.
    """
    if variable is None:
        return "none"
    value = os.environ.get(variable, "").strip()
    if not value:
        raise MissingKey(f"environment variable {variable} is not set; export it, or set model.api_key_env=null")
    return value


_UNSUPPORTED = re.compile(
    r"unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|extra (?:fields|inputs)"
    r"|only the default|cannot be (?:set|modified)",
    re.IGNORECASE,
)


def refused_parameter(error: CallError, sent: Collection[str]) -> str | None:
    """The parameter of ours that a 400 says it does not support; None for any other 400.

    A name in quotes counts wherever it stands, and so does one that is no word of everyday language; "text" or
    "reasoning" without quotes are taken for words. Of several, the first one named is meant: a message that says "use
    max_completion_tokens instead of max_tokens" is only sent to who used the latter.
    """
    if error.kind != "bad_request" or error.status not in {400, 422} or not _UNSUPPORTED.search(error.message):
        return None
    found: list[tuple[int, str]] = []
    for name in sent:
        bare = rf"(?<![\w.]){re.escape(name)}(?!\w)" if "_" in name or name in {"temperature", "seed"} else r"(?!)"
        match = re.search(rf"[\"'`]{re.escape(name)}(?:[.\[][^\"'`]*)?[\"'`]|{bare}", error.message, re.IGNORECASE)
        if match is not None:
            found.append((match.start(), name))
    return min(found)[1] if found else None


class OpenAIChat:
    """One chat model at one endpoint; safe to use from one event loop."""

    def __init__(
        self,
        label: str,
        name: str,
        family: str,
        base_url: str | None,
        api_key_env: str | None,
        dialect: str,
        space: Mapping[str, Any],
        image: Mapping[str, Any],
        params: Mapping[str, Any],
        refuses: Sequence[str],
        enforce_schema: bool,
        limits: Mapping[str, Any],
        price: Mapping[str, Any],
        verified: str,
        notes: str,
        limiter: Limiter,
        account: str = "",
        paper: bool = False,
        cache: str | None = None,
    ) -> None:
        if dialect not in DIALECTS:
            raise ValueError(f"model.dialect={dialect!r} is not known; choose {' or '.join(DIALECTS)}")
        if enforce_schema and "response_format" in refuses:
            raise ValueError(f"model.enforce_schema=true cannot be kept: {label} takes no response_format")
        self.dialect = dialect
        self._form = DIALECTS[dialect]
        self._images = Path(cache) if cache else None
        self.profile = Profile(label, Space(**space), ImagePolicy(**image))
        self.name = name
        self.family = family
        self.base_url = base_url
        self.enforce_schema = enforce_schema
        self.price = dict(price)
        self.key_name = api_key_env
        self._params = {k: v for k, v in params.items() if v is not None and k not in refuses}
        self._declared = dict(self._params)
        self._timeout = float(limits["timeout_s"])
        self._spec = LimitSpec(
            max_in_flight=limits["max_in_flight"],
            start_in_flight=limits["start_in_flight"],
            requests_per_minute=limits["requests_per_minute"],
            tokens_per_minute=limits["tokens_per_minute"],
        )
        self._retry = RetrySpec(max=limits["retry_max"])
        self._limiter = limiter
        self._account = account
        self._endpoint = endpoint_id(base_url or "default", name, api_key_env or "")
        self._stand_in = secrets.token_hex(16)
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="images")
        self._client: Any = None
        self._negotiated: list[dict[str, str]] = []

    def identity(self) -> Mapping[str, Any]:
        return {
            "kind": "openai_chat",
            "dialect": self.dialect,
            "model": self.name,
            "base_url": self.base_url,
            "params": self._declared,
            "enforce_schema": self.enforce_schema,
            "image": dict(vars(self.profile.policy)),
            # Of no space nothing is sent or read: the keys of a judge do not depend on whether it declares one.
            "space": vars(self.profile.space if self.profile.space.name else Space()),
        }

    def check(self) -> None:
        """Raises MissingKey when a call could not even be signed."""
        api_key(self.key_name)

    async def open(self) -> None:
        import httpx2
        from openai import AsyncOpenAI, DefaultAsyncHttpx2Client

        from runner.models.connections import Spread

        most = self._spec.max_in_flight
        # Idle connections are dropped before servers close theirs (5 s at uvicorn), which would race with a request.
        limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most, keepalive_expiry=2)
        # A proxy named by the environment is the library's to find; it does so only without a transport of ours.
        through = {"limits": limits} if getproxies() else {"transport": Spread(most, keepalive_s=2)}
        timeout = httpx2.Timeout(connect=10, read=self._timeout, write=60, pool=None)
        self._client = AsyncOpenAI(
            base_url=self.base_url,
            api_key=api_key(self.key_name),
            max_retries=0,
            timeout=timeout,
            http_client=DefaultAsyncHttpx2Client(timeout=timeout, **through),
        )
        await self._limiter.open(self._endpoint, self._spec, self.profile.name)

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def ask(self, prompt: Prompt, key: str, cap: int = 1) -> Reply:
        """Sends one prompt; `cap` multiplies the token limit (a reply that was cut short is asked for once more).

        Raises:
            CallError: the call failed for good.
            benchmark.images.ImageError: an image is missing or damaged.
        """
        if self._client is None:
            await self.open()
        policy = self.profile.policy
        if policy.max_count is not None and len(prompt.images) > policy.max_count:
            raise CallError(
                "bad_request",
                f"the prompt holds {len(prompt.images)} images and {self.profile.name} takes {policy.max_count}; "
                "lower harness.history",
            )

        async def send(attempt: int) -> Reply:
            # Encoded at send time and dropped after it: what waits for its turn holds no image bytes. The body is
            # written there too: the SDK's own walk over large messages costs more than all else in a call.
            told, images = await asyncio.get_running_loop().run_in_executor(self._threads, self._told, prompt)
            return await self._send(told, images, prompt, f"{key}:{attempt}", cap)

        called = await call_with_retry(
            self._limiter,
            Claim(self._endpoint, account=self._account),
            send,
            self._retry,
            bill=lambda reply: Bill(reply.usage.prompt + reply.usage.completion, reply.cost_usd),
            timeout_s=self._timeout,
        )
        reply = called.value
        return replace(
            reply, latency_s=round(called.seconds, 4), waited_s=round(called.waited_s, 4), attempts=called.attempts
        )

    def _told(self, prompt: Prompt) -> tuple[bytes, tuple[SentImage, ...]]:
        """The model and the prompt in the dialect's form, as JSON, and how its images were fitted.

        What the parameters set themselves is left to them.
        """
        ready = [prepared(image, self.profile.policy, self._images) for image in prompt.images]
        # A name that nothing sent can hold stands for each image while the rest is written: to escape an image, letter
        # by letter, takes longer than all else here.
        messages = self._form.messages(prompt, [self._stand_in] * len(ready), self.profile.policy.detail)
        set_apart = self._form.parameters(self._params, None)
        told = {k: v for k, v in {"model": self.name, **messages}.items() if k not in set_apart}
        around = _json(told).split(self._stand_in.encode())
        urls = [*(url for url, _ in ready), b""]
        return b"".join(part for pair in zip(around, urls, strict=True) for part in pair), tuple(
            how for _, how in ready
        )

    def _body(self, prompt: Prompt, cap: int) -> dict[str, Any]:
        params = {k: (v * cap if k in TOKEN_CAPS and isinstance(v, int) else v) for k, v in self._params.items()}
        return self._form.parameters(params, prompt.schema if self.enforce_schema else None)

    async def _send(self, told: bytes, images: tuple[SentImage, ...], prompt: Prompt, key: str, cap: int) -> Reply:
        while True:
            body = self._body(prompt, cap)
            asked = {**body, **self._form.options(prompt.options)}  # these are the agent's, and not negotiated
            try:
                reply = await self._once(told, asked, key)
            except CallError as error:
                refused = refused_parameter(error, body)
                if refused is None:
                    raise
                self._negotiate(refused)
                continue
            negotiated = {"negotiated": list(self._negotiated)} if self._negotiated else {}
            return replace(
                reply, images=images, cost_usd=cost_usd(reply.usage, self.price), sent={**asked, **negotiated}
            )

    def _negotiate(self, refused: str) -> None:
        """Renames or drops a refused parameter for the rest of the run.

        Several calls may be refused for the same parameter at once; the first one changes it, and for the others there
        is nothing left to change: they are sent again as they would be sent now.
        """
        names = self._form.declared(refused)
        if names == ("response_format",) and self.enforce_schema:
            self.enforce_schema = False
            self._negotiated.append({"parameter": "response_format", "now": "dropped"})
            return
        name = next((n for n in names if n in self._params), None)
        if name is None:
            return
        value = self._params.pop(name)
        renamed = self._form.renames.get(name)
        if renamed is not None and all(n["parameter"] != renamed for n in self._negotiated):
            self._params[renamed] = value
        else:
            renamed = "dropped"
        self._negotiated.append({"parameter": name, "now": renamed})

    async def _once(self, told: bytes, body: Mapping[str, Any], key: str) -> Reply:
        import httpx2
        import openai

        # Parameters may be negotiated between two tries, the prompt is not: they are joined as they are written.
        content = told[:-1] + b"," + _json(body)[1:] if body else told
        try:
            response = await self._client.post(
                self._form.path,
                cast_to=httpx2.Response,
                content=content,
                options={
                    "headers": {"Idempotency-Key": key, "Content-Type": "application/json"},
                    "idempotency_key": key,
                },
            )
            result = json.loads(response.content)
        except openai.APITimeoutError as error:
            raise CallError("timeout", f"no answer in time ({_cause(error)})") from None
        except openai.APIConnectionError as error:
            raise CallError("connection", f"the connection failed ({_cause(error)})") from None
        except openai.APIStatusError as error:
            raise _from_status(error) from None
        except (openai.OpenAIError, ValueError) as error:
            raise CallError("malformed", f"the reply cannot be read ({type(error).__name__})") from None
        if not isinstance(result, dict):
            raise CallError("malformed", f"the reply is no answer to {self._form.path}")
        return self._form.reply(result)


def _json(body: Mapping[str, Any]) -> bytes:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def cost_usd(usage: Usage, price: Mapping[str, Any]) -> float | None:
    """What a call cost in US dollars; None when a price that is needed is not known."""
    prompt, completion = price.get("prompt"), price.get("completion")
    if prompt is None or completion is None:
        return None
    cached = price.get("cached")
    cached_price = prompt if cached is None else cached
    fresh = max(0, usage.prompt - usage.cached)
    return float((fresh * prompt + usage.cached * cached_price + usage.completion * completion) / 1e6)


def _from_status(error: Any) -> CallError:
    body = error.body if isinstance(error.body, Mapping) else {}
    code = str(body.get("code") or body.get("type") or getattr(error, "code", "") or "")
    try:
        text = error.response.text
    except Exception:  # a body that was cut cannot be read again; the status says enough
        text = ""
    message = str(body.get("message") or error.message)
    parameter = body.get("param")
    if isinstance(parameter, str) and parameter and parameter not in message:
        message = f"{message} (parameter '{parameter}')"
    return from_response(error.status_code, message, code, dict(error.response.headers), text)


def _cause(error: BaseException) -> str:
    cause = error.__cause__
    return type(cause).__name__ if cause is not None else type(error).__name__
