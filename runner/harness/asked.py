"""What an agent asks its model, between the form of the OpenAI API and ours.

Messages, tools and the form of the reply travel; model, sampling and token limits do not, they are the experiment's.
An image is named (`now.png`) or comes as a data URL; bytes that show the very pixels of a case's image count as that
image, others become images of their own. Nothing is fetched: any other address is refused.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PIL import Image as Pillow

from benchmark.case import ImageRef
from benchmark.images import MAX_PIXELS, pixel_hash
from runner.exchange import Image, Message, Part, Prompt, Reply

OPTIONS = ("tools", "tool_choice", "parallel_tool_calls", "response_format", "stop")
"""What of a request's parameters belongs to the agent; the rest is the experiment's."""

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant", "tool": "tool"}
EXTRAS = ("tool_calls", "tool_call_id", "name")
FORMATS = ("PNG", "JPEG", "WEBP", "GIF")


class NotUnderstood(ValueError):
    """A request that is none; the agent is told so as the API would tell it."""


def prompt_of(body: Mapping[str, Any], images: Mapping[str, Image], scratch: Callable[[], Path] | None) -> Prompt:
    """The prompt of an agent's request.

    Args:
        body: as for `/v1/chat/completions`.
        images: those of the case, by name.
        scratch: makes a folder for images that the agent made itself; None refuses them.

    Raises:
        NotUnderstood: the request has no messages, an unknown role or part, or an image that cannot be taken.
    """
    listed = body.get("messages")
    if not isinstance(listed, list) or not listed:
        raise NotUnderstood("messages is missing")
    messages = []
    for number, entry in enumerate(listed):
        role = ROLES.get(str(entry.get("role"))) if isinstance(entry, Mapping) else None
        if role is None:
            raise NotUnderstood(f"messages[{number}] has no role that is known")
        content = entry.get("content")
        parts: list[Part] = []
        if isinstance(content, str):
            parts = [content]
        elif isinstance(content, list):
            parts = [_part(p, f"messages[{number}].content[{i}]", images, scratch) for i, p in enumerate(content)]
        elif content is not None:
            raise NotUnderstood(f"messages[{number}].content is neither text nor parts")
        extra = {k: entry[k] for k in EXTRAS if entry.get(k) is not None}
        messages.append(Message(role, tuple(parts), extra))  # type: ignore[arg-type]
    options = {k: body[k] for k in OPTIONS if body.get(k) is not None}
    return Prompt(tuple(messages), options=options)


def _part(part: Any, where: str, images: Mapping[str, Image], scratch: Callable[[], Path] | None) -> Part:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        raise NotUnderstood(f"{where} is no part of a message")
    for name in ("text", "refusal"):
        if part.get("type") == name and isinstance(part.get(name), str):
            return str(part[name])
    if part.get("type") == "image_url":
        source = part.get("image_url")
        url = source.get("url") if isinstance(source, Mapping) else source
        if isinstance(url, str):
            return _image(url, where, images, scratch)
    raise NotUnderstood(f"{where} has type {str(part.get('type'))[:40]!r}; text and image_url are taken")


def _image(url: str, where: str, images: Mapping[str, Image], scratch: Callable[[], Path] | None) -> Image:
    if url in images:
        return images[url]
    head, comma, _ = url[:200].partition(",")
    if not (head.startswith("data:image/") and head.endswith(";base64") and comma) or scratch is None:
        raise NotUnderstood(
            f"{where}: an image is sent as data:image/png;base64,... or by its name; nothing is fetched"
        )
    try:
        data = base64.b64decode(url[len(head) + 1 :], validate=True)
    except (binascii.Error, ValueError):
        raise NotUnderstood(f"{where}: the image is no base64") from None
    for known in images.values():
        if known.path.stat().st_size == len(data) and known.path.read_bytes() == data:
            return known
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Pillow.DecompressionBombWarning)
            with Pillow.open(io.BytesIO(data), formats=FORMATS) as opened:
                if opened.width * opened.height > MAX_PIXELS:
                    raise NotUnderstood(f"{where}: the image is over {MAX_PIXELS} pixels")
                pixels = opened.convert("RGB")
    except NotUnderstood:
        raise
    except Exception as error:  # whatever a decoder says of hostile bytes, the agent hears that they are no image
        raise NotUnderstood(f"{where}: the image cannot be decoded ({type(error).__name__})") from None
    ref = ImageRef(hash=pixel_hash(pixels), width=pixels.width, height=pixels.height)
    for known in images.values():
        if known.ref == ref:
            return known
    path = scratch() / f"{hashlib.sha256(data).hexdigest()}.img"
    if not path.exists():
        path.write_bytes(data)
    return Image(ref, path)


def completion_of(reply: Reply, turn: int) -> dict[str, Any]:
    """A reply in the form of the OpenAI API; `turn` counts the calls of a case and names the tool calls."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.tool_calls:
        message["tool_calls"] = [
            {
                "id": f"call_{turn}_{i}",
                "type": "function",
                "function": {"name": str(call.get("name", "")), "arguments": str(call.get("arguments", ""))},
            }
            for i, call in enumerate(reply.tool_calls)
        ]
    elif reply.text == "":
        message["content"] = ""
    return {
        "id": f"chatcmpl-{turn}",
        "object": "chat.completion",
        "created": 0,
        "model": "default",
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": reply.finish_reason or "stop",
                "logprobs": None,
            }
        ],
        "usage": {
            "prompt_tokens": reply.usage.prompt,
            "completion_tokens": reply.usage.completion,
            "total_tokens": reply.usage.prompt + reply.usage.completion,
        },
    }


def refusal(status: int, message: str, code: str) -> dict[str, Any]:
    """An error as the API would give it; the shim in the container sends it with this status."""
    return {"error": {"status": status, "message": message, "type": "invalid_request_error", "code": code}}
