"""The two forms of an OpenAI request: chat completions and Responses.

Each says where a prompt goes, how it is written down, and what a reply of that form means; both give the same `Reply`.
Sending, retrying and negotiating are the client's (`openai_chat`). Parameters stand in a profile by their chat names;
the Responses form gives them its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from runner.exchange import Image, Message, Prompt, Reply, Usage
from runner.limits import CallError

TOKEN_CAPS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


class Dialect(Protocol):
    """One form of request and reply."""

    path: str
    renames: Mapping[str, str]
    """What a refused parameter may be called instead; all others are dropped."""

    def messages(self, prompt: Prompt, urls: Sequence[str], detail: str | None) -> dict[str, Any]:
        """The part of a body that holds the prompt; `urls` are the data URLs of its images, in order."""
        ...

    def parameters(self, params: Mapping[str, Any], schema: Mapping[str, Any] | None) -> dict[str, Any]:
        """The part of a body that holds the parameters and, when it is to be enforced, the reply's schema."""
        ...

    def options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """What an agent asks beside its messages (`Prompt.options`), in this form."""
        ...

    def declared(self, name: str) -> tuple[str, ...]:
        """The names under which a body's parameter may stand in a profile; `response_format` for the schema."""
        ...

    def reply(self, result: Mapping[str, Any]) -> Reply:
        """Reads a reply as it came, as JSON; what was sent, its images and its cost are filled in by the caller.

        Servers differ in what they leave out and in what they send as null, so nothing is taken for granted.

        Raises:
            CallError: it is complete and of no use.
        """
        ...


def parts_of(message: Message, urls: list[str]) -> list[tuple[str, str]]:
    """The parts of a message as ("text", text) or ("image", data URL); takes its URLs from the front of `urls`."""
    return [("image", urls.pop(0)) if isinstance(p, Image) else ("text", p) for p in message.parts]


class Chat:
    """`POST /chat/completions`."""

    path: str = "/chat/completions"
    renames: Mapping[str, str] = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

    def declared(self, name: str) -> tuple[str, ...]:
        return (name,)

    def messages(self, prompt: Prompt, urls: Sequence[str], detail: str | None) -> dict[str, Any]:
        left = list(urls)
        found: list[dict[str, Any]] = []
        for message in prompt.messages:
            parts = parts_of(message, left)
            if all(kind == "text" for kind, _ in parts):
                text = "\n\n".join(text for _, text in parts)
                # A message of tool calls alone has no content; an empty text would be one more answer.
                said = text or (None if message.extra.get("tool_calls") else "")
                found.append({"role": message.role, "content": said, **message.extra})
                continue
            extra = {} if detail is None else {"detail": detail}
            content: list[dict[str, Any]] = [
                {"type": "text", "text": body}
                if kind == "text"
                else {"type": "image_url", "image_url": {"url": body, **extra}}
                for kind, body in parts
            ]
            found.append({"role": message.role, "content": content, **message.extra})
        return {"messages": found}

    def options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        return dict(options)

    def parameters(self, params: Mapping[str, Any], schema: Mapping[str, Any] | None) -> dict[str, Any]:
        body = dict(params)
        if schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": dict(schema), "strict": True},
            }
        return body

    def reply(self, result: Mapping[str, Any]) -> Reply:
        """Reads a chat completion.

        Raises:
            CallError: it holds no choices.
        """
        usage = _chat_usage(_object(result.get("usage")))
        choices = _objects(result.get("choices"))
        if not choices:
            raise CallError("empty", "the reply holds no choices", tokens=usage.prompt)
        choice = choices[0]
        message = choice.get("message")
        if not isinstance(message, Mapping):
            raise CallError("empty", "the reply's choice holds no message", tokens=usage.prompt)
        functions = [call.get("function") for call in _objects(message.get("tool_calls"))]
        calls = tuple(
            {"name": function.get("name"), "arguments": function.get("arguments")}
            for function in functions
            if isinstance(function, Mapping)
        )
        finish = _text(choice.get("finish_reason"))
        return Reply(
            text=_text(message.get("content")) or _text(message.get("refusal")),
            reasoning=_text(message.get("reasoning_content") or message.get("reasoning")),
            tool_calls=calls,
            finish_reason=finish,
            filtered=finish == "content_filter",
            model=_text(result.get("model")),
            usage=usage,
        )


class Responses:
    """`POST /responses`; nothing is kept at the provider (`store: false`)."""

    path: str = "/responses"
    renames: Mapping[str, str] = {}

    def declared(self, name: str) -> tuple[str, ...]:
        named = {"max_output_tokens": TOKEN_CAPS, "reasoning": ("reasoning_effort", "reasoning")}
        return ("response_format",) if name == "text" else named.get(name, (name,))

    def messages(self, prompt: Prompt, urls: Sequence[str], detail: str | None) -> dict[str, Any]:
        left = list(urls)
        extra = {} if detail is None else {"detail": detail}
        items: list[dict[str, Any]] = []
        for message in prompt.messages:
            if message.role == "tool":
                said = "\n\n".join(body for kind, body in parts_of(message, left) if kind == "text")
                items.append(
                    {"type": "function_call_output", "call_id": message.extra.get("tool_call_id"), "output": said}
                )
                continue
            spoken = "output_text" if message.role == "assistant" else "input_text"
            content: list[dict[str, Any]] = [
                {"type": spoken, "text": body}
                if kind == "text"
                else {"type": "input_image", "image_url": body, **extra}
                for kind, body in parts_of(message, left)
            ]
            calls = message.extra.get("tool_calls") or ()
            if content or not calls:
                items.append({"role": message.role, "content": content})
            for call in calls:
                items.append({"type": "function_call", "call_id": call.get("id"), **(call.get("function") or {})})
        return {"input": items, "store": False}

    def options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Tools and formats lie flat here; `stop` does not exist and is left out."""
        found = {k: options[k] for k in ("parallel_tool_calls",) if k in options}
        if "tools" in options:
            found["tools"] = [_flat(tool) for tool in options["tools"]]
        if "tool_choice" in options:
            found["tool_choice"] = _flat(options["tool_choice"])
        if isinstance(options.get("response_format"), Mapping):
            wanted = dict(options["response_format"])
            found["text"] = {"format": {**(wanted.pop("json_schema", None) or {}), **wanted}}
        return found

    def parameters(self, params: Mapping[str, Any], schema: Mapping[str, Any] | None) -> dict[str, Any]:
        body: dict[str, Any] = {}
        for name, value in params.items():
            if name in TOKEN_CAPS:
                body["max_output_tokens"] = value
            elif name == "reasoning_effort":
                body["reasoning"] = {"effort": value}
            else:
                body[name] = value
        if schema is not None:
            body["text"] = {"format": {"type": "json_schema", "name": "reply", "schema": dict(schema), "strict": True}}
        return body

    def reply(self, result: Mapping[str, Any]) -> Reply:
        """Reads a response.

        Raises:
            CallError: it failed at the provider, or holds no output.
        """
        usage = _responses_usage(_object(result.get("usage")))
        if result.get("status") == "failed":
            said = _object(result.get("error")).get("message") or "the provider says that the response failed"
            raise CallError("server_error", str(said)[:500], tokens=usage.prompt)
        incomplete = result.get("status") == "incomplete"
        why = _text(_object(result.get("incomplete_details")).get("reason")) if incomplete else ""
        finish = {"max_output_tokens": "length", "content_filter": "content_filter"}.get(why, why or "stop")
        output = _objects(result.get("output"))
        if not output and not why:
            raise CallError("empty", "the reply holds no output", tokens=usage.prompt)
        texts: list[str] = []
        thoughts: list[str] = []
        calls: list[Mapping[str, Any]] = []
        for item in output:
            match item.get("type"):
                case "message":
                    for part in _objects(item.get("content")):
                        said = part.get("text", part.get("refusal"))
                        if isinstance(said, str):
                            texts.append(said)
                case "reasoning":
                    whole = [*_objects(item.get("summary")), *_objects(item.get("content"))]
                    thoughts += [p["text"] for p in whole if isinstance(p.get("text"), str)]
                case "function_call":
                    calls.append({"name": item.get("name"), "arguments": item.get("arguments")})
        return Reply(
            text="\n".join(texts),
            reasoning="\n".join(thoughts),
            tool_calls=tuple(calls),
            finish_reason=finish,
            filtered=finish == "content_filter",
            model=_text(result.get("model")),
            usage=usage,
        )


def _flat(tool: Any) -> Any:
    """A function tool, or a choice of one, as Responses has it: without the `function` level of chat."""
    if isinstance(tool, Mapping) and isinstance(tool.get("function"), Mapping):
        return {"type": tool.get("type", "function"), **tool["function"]}
    return tool


def _object(value: Any) -> Mapping[str, Any]:
    """A JSON object; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def _objects(value: Any) -> list[Mapping[str, Any]]:
    """The JSON objects of a list; none for anything else."""
    return [entry for entry in value if isinstance(entry, Mapping)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _chat_usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        prompt=_count(usage.get("prompt_tokens")),
        completion=_count(usage.get("completion_tokens")),
        cached=_count(_object(usage.get("prompt_tokens_details")).get("cached_tokens")),
        reasoning=_count(_object(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def _responses_usage(usage: Mapping[str, Any]) -> Usage:
    return Usage(
        prompt=_count(usage.get("input_tokens")),
        completion=_count(usage.get("output_tokens")),
        cached=_count(_object(usage.get("input_tokens_details")).get("cached_tokens")),
        reasoning=_count(_object(usage.get("output_tokens_details")).get("reasoning_tokens")),
    )


DIALECTS: Mapping[str, Dialect] = {"chat": Chat(), "responses": Responses()}
