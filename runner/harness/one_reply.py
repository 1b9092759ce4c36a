"""The agent of `next_action`: one request in, one message list out, and the model's reply is the action.

It runs in the worker or, as its source, in a container, and is the same code in both. Therefore it imports nothing of
this project, runs on Python 3.8, and is a generator: it yields what the model is to be asked, in the form of the
OpenAI API with images by name, and is sent the completion.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any


def messages(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a request: instruction, task, options, earlier steps with their images, the current image."""

    def text(words: str) -> dict[str, Any]:
        return {"type": "text", "text": words}

    def image(name: str) -> dict[str, Any]:
        return {"type": "image_url", "image_url": {"url": name}}

    parts = [text("Task: " + request["task"])]
    if request["options"]:
        parts.append(text("\n".join(f"({k}) {v}" for k, v in sorted(request["options"].items()))))
    for step in request["history"]:
        if step["image"]:
            parts += [text(step["caption"]), image(step["image"]), text(step["did"])]
        else:
            parts.append(text(step["caption"] + " " + step["did"]))
    now = request["now"]
    parts += [text(now["caption"]), image(now["image"])]
    return [
        {"role": "system", "content": [text(request["instruction"])]},
        {"role": "user", "content": parts},
    ]


def play(request: dict[str, Any]) -> Generator[dict[str, Any], dict[str, Any], str]:
    """Asks once; what the model says is what the agent says."""
    completion = yield {"messages": messages(request)}
    return completion["choices"][0]["message"]["content"] or ""
