"""What an agent asks with tools, in both forms of request."""

from __future__ import annotations

from runner.exchange import Message, Prompt
from runner.models.dialects import Chat, Responses

CALL = {"id": "call_1_0", "type": "function", "function": {"name": "look", "arguments": "{}"}}
PROMPT = Prompt(
    (
        Message("user", ("Go.",)),
        Message("assistant", (), {"tool_calls": [CALL]}),
        Message("tool", ("seen",), {"tool_call_id": "call_1_0"}),
    )
)
OPTIONS = {
    "tools": [{"type": "function", "function": {"name": "look", "parameters": {}}}],
    "tool_choice": {"type": "function", "function": {"name": "look"}},
    "response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": {}}},
    "stop": ["x"],
}


def test_chat_keeps_them_as_they_are() -> None:
    assert Chat().messages(PROMPT, (), None)["messages"] == [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "content": "seen", "tool_call_id": "call_1_0"},
    ]
    assert Chat().options(OPTIONS) == OPTIONS


def test_responses_lays_them_flat() -> None:
    assert Responses().messages(PROMPT, (), None)["input"] == [
        {"role": "user", "content": [{"type": "input_text", "text": "Go."}]},
        {"type": "function_call", "call_id": "call_1_0", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "call_1_0", "output": "seen"},
    ]
    assert Responses().options(OPTIONS) == {
        "tools": [{"type": "function", "name": "look", "parameters": {}}],
        "tool_choice": {"type": "function", "name": "look"},
        "text": {"format": {"type": "json_schema", "name": "reply", "schema": {}}},
    }
