"""A victim or judge behind any OpenAI-compatible chat completions endpoint.

Uses the openai SDK's client with its own retries switched off: whether and when a call is repeated is decided by
`runner.limits` alone. Every failure, also the SDK's odd ones (a 200 that is no JSON, a reply without choices), becomes
a `CallError`; what was really sent after negotiation of parameters is part of the reply.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from runner.exchange import Image, ImagePolicy, Profile, Prompt, Reply, SentImage, Space, Usage
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
from runner.models.images import prepared

RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
TOKEN_CAPS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


class MissingKey(ValueError):
    """The environment variable that should hold a key is not set."""


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


def refused_parameter(error: CallError, sent: Mapping[str, Any]) -> str | None:
    """The parameter of ours that a 400 says it does not support; None for any other 400."""
    if error.kind != "bad_request" or error.status not in {400, 422}:
        return None
    text = error.message.lower()
    if not re.search(
        r"unsupported|not support|unrecognized|unknown|unexpected|not permitted|not allowed|extra (?:fields|inputs)|only the default",
        text,
    ):
        return None
    named = [p for p in sent if re.search(rf"(?<![a-z_]){re.escape(p.lower())}(?![a-z_])", text)]
    # A message that says "use max_completion_tokens instead of max_tokens" names the sent one and its replacement.
    return named[0] if named else None


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
    ) -> None:
        if dialect != "chat":
            raise ValueError(f"model.dialect={dialect!r} is not known; it is chat")
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
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="images")
        self._client: Any = None
        self._negotiated: list[dict[str, str]] = []

    def identity(self) -> Mapping[str, Any]:
        return {
            "kind": "openai_chat",
            "model": self.name,
            "base_url": self.base_url,
            "params": self._declared,
            "enforce_schema": self.enforce_schema,
            "image": dict(vars(self.profile.policy)),
            "space": vars(self.profile.space),
        }

    def check(self) -> None:
        """Raises MissingKey when a call could not even be signed."""
        api_key(self.key_name)

    async def open(self) -> None:
        import httpx2
        from openai import AsyncOpenAI, DefaultAsyncHttpx2Client

        most = self._spec.max_in_flight
        # Idle connections are dropped before servers close theirs (5 s at uvicorn), which would race with a request.
        limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most, keepalive_expiry=2)
        timeout = httpx2.Timeout(connect=10, read=self._timeout, write=60, pool=None)
        self._client = AsyncOpenAI(
            base_url=self.base_url,
            api_key=api_key(self.key_name),
            max_retries=0,
            timeout=timeout,
            http_client=DefaultAsyncHttpx2Client(limits=limits, timeout=timeout),
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
            # Encoded at send time and dropped after it: what waits for its turn holds no image bytes.
            messages, images = await asyncio.get_running_loop().run_in_executor(self._threads, self._messages, prompt)
            return await self._send(messages, tuple(images), prompt, f"{key}:{attempt}", cap)

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

    def _messages(self, prompt: Prompt) -> tuple[list[dict[str, Any]], list[SentImage]]:
        sent: list[SentImage] = []
        messages: list[dict[str, Any]] = []
        for message in prompt.messages:
            if all(isinstance(p, str) for p in message.parts):
                text = "\n\n".join(str(p) for p in message.parts)
                # A message of tool calls alone has no content; some servers take an empty text for a second answer.
                content_or_none = text or (None if message.extra.get("tool_calls") else "")
                messages.append({"role": message.role, "content": content_or_none, **message.extra})
                continue
            content: list[dict[str, Any]] = []
            for part in message.parts:
                if isinstance(part, Image):
                    url, how = prepared(part, self.profile.policy)
                    sent.append(how)
                    body = {"url": url}
                    if self.profile.policy.detail is not None:
                        body["detail"] = self.profile.policy.detail
                    content.append({"type": "image_url", "image_url": body})
                else:
                    content.append({"type": "text", "text": part})
            messages.append({"role": message.role, "content": content, **message.extra})
        return messages, sent

    def _body(self, prompt: Prompt, cap: int) -> dict[str, Any]:
        body = {k: (v * cap if k in TOKEN_CAPS and isinstance(v, int) else v) for k, v in self._params.items()}
        if self.enforce_schema and prompt.schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": dict(prompt.schema), "strict": True},
            }
        return {**body, **prompt.options}

    async def _send(
        self, messages: list[dict[str, Any]], images: tuple[SentImage, ...], prompt: Prompt, key: str, cap: int
    ) -> Reply:
        while True:
            body = self._body(prompt, cap)
            try:
                return await self._once(messages, images, body, key)
            except CallError as error:
                refused = refused_parameter(error, {k: v for k, v in body.items() if k not in prompt.options})
                if refused is None or not self._negotiate(refused):
                    raise

    def _negotiate(self, parameter: str) -> bool:
        """Renames or drops a refused parameter for the rest of the run; False when that was tried before."""
        if any(n["parameter"] == parameter for n in self._negotiated):
            return parameter not in self._params
        renamed = RENAMED.get(parameter)
        if parameter == "response_format":
            self.enforce_schema = False
        value = self._params.pop(parameter, None)
        already = {n["parameter"] for n in self._negotiated}
        if renamed is not None and renamed not in already and value is not None:
            self._params[renamed] = value
            self._negotiated.append({"parameter": parameter, "now": renamed})
        else:
            self._negotiated.append({"parameter": parameter, "now": "dropped"})
        return True

    async def _once(
        self, messages: list[dict[str, Any]], images: tuple[SentImage, ...], body: Mapping[str, Any], key: str
    ) -> Reply:
        import openai
        from openai.types.chat import ChatCompletion

        try:
            # The body is written once, outside the event loop: the SDK's own walk over large messages costs more
            # than all else in a call.
            content = await asyncio.get_running_loop().run_in_executor(
                self._threads, _json, {"model": self.name, "messages": messages, **body}
            )
            completion = await self._client.post(
                "/chat/completions",
                cast_to=ChatCompletion,
                content=content,
                options={"headers": {"Idempotency-Key": key, "Content-Type": "application/json"}},
            )
        except openai.APITimeoutError as error:
            raise CallError("timeout", f"no answer in time ({_cause(error)})") from None
        except openai.APIConnectionError as error:
            raise CallError("connection", f"the connection failed ({_cause(error)})") from None
        except openai.APIStatusError as error:
            raise _from_status(error) from None
        except (openai.OpenAIError, ValueError) as error:
            raise CallError("malformed", f"the reply cannot be read ({type(error).__name__})") from None
        if not isinstance(completion, ChatCompletion):
            raise CallError("malformed", "the reply is not a chat completion")
        if not completion.choices:
            raise CallError("empty", "the reply holds no choices", tokens=_usage(completion).prompt)
        return self._reply(completion, images, body)

    def _reply(self, completion: Any, images: tuple[SentImage, ...], body: Mapping[str, Any]) -> Reply:
        choice = completion.choices[0]
        message = choice.message
        extra = message.model_extra or {}
        usage = _usage(completion)
        calls = tuple(
            {"name": call.function.name, "arguments": call.function.arguments}
            for call in (message.tool_calls or ())
            if getattr(call, "function", None) is not None
        )
        text = message.content if isinstance(message.content, str) else ""
        if not text and isinstance(getattr(message, "refusal", None), str):
            text = message.refusal
        reasoning = extra.get("reasoning_content") or extra.get("reasoning") or ""
        return Reply(
            text=text,
            reasoning=reasoning if isinstance(reasoning, str) else "",
            tool_calls=calls,
            finish_reason=choice.finish_reason or "",
            filtered=choice.finish_reason == "content_filter",
            model=completion.model or "",
            usage=usage,
            cost_usd=cost_usd(usage, self.price),
            sent={**body, **({"negotiated": list(self._negotiated)} if self._negotiated else {})},
            images=images,
        )


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


def _usage(completion: Any) -> Usage:
    usage = completion.usage
    if usage is None:
        return Usage()
    prompt_details = getattr(usage, "prompt_tokens_details", None)
    completion_details = getattr(usage, "completion_tokens_details", None)
    return Usage(
        prompt=usage.prompt_tokens or 0,
        completion=usage.completion_tokens or 0,
        cached=getattr(prompt_details, "cached_tokens", None) or 0,
        reasoning=getattr(completion_details, "reasoning_tokens", None) or 0,
    )


def _from_status(error: Any) -> CallError:
    body = error.body if isinstance(error.body, Mapping) else {}
    code = str(body.get("code") or body.get("type") or getattr(error, "code", "") or "")
    try:
        text = error.response.text
    except Exception:  # a body that was cut cannot be read again; the status says enough
        text = ""
    message = str(body.get("message") or error.message)
    return from_response(error.status_code, message, code, dict(error.response.headers), text)


def _cause(error: BaseException) -> str:
    cause = error.__cause__
    return type(cause).__name__ if cause is not None else type(error).__name__
