"""What an agent asks, read into a prompt; and what its sandbox refuses without an engine."""

from __future__ import annotations

import ast
import base64
import io
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmark.images import ImageStore
from runner.exchange import Agent, AgentError, Image, Reply
from runner.harness.asked import NotUnderstood, completion_of, prompt_of
from runner.sandbox import NoSandbox, SandboxError
from runner.sandbox.docker import DockerSandbox, content_digest, outcome
from runner.sandbox.leftovers import labels, left_over
from tests.small_suite import screen


@pytest.fixture
def now(tmp_path: Path) -> Image:
    store = ImageStore(tmp_path)
    ref = store.put(screen(3, (64, 48)))
    return Image(ref, store.path(ref))


def url(image: Any, kind: str) -> str:
    buffer = io.BytesIO()
    image.save(buffer, kind)
    return f"data:image/{kind.lower()};base64," + base64.b64encode(buffer.getvalue()).decode()


def shown(address: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": address}}]}]}


def test_an_image_by_name_by_its_bytes_or_encoded_anew_is_the_cases_own(now: Image, tmp_path: Path) -> None:
    stored = "data:image/png;base64," + base64.b64encode(now.path.read_bytes()).decode()
    for address in (
        "now.png",
        stored,
        url(screen(3, (64, 48)), "PNG"),
        url(screen(3, (64, 48)), "GIF").replace("gif", "png"),
    ):
        assert prompt_of(shown(address), {"now.png": now}, lambda: tmp_path).images == (now,), address[:30]


def test_an_image_that_the_agent_made_is_one_of_its_own(now: Image, tmp_path: Path) -> None:
    (made,) = prompt_of(shown(url(screen(3, (32, 24)), "PNG")), {"now.png": now}, lambda: tmp_path).images
    assert (made.ref.width, made.ref.height) == (32, 24)
    assert made.path.parent == tmp_path
    with pytest.raises(NotUnderstood, match="by its name"):
        prompt_of(shown(url(screen(3, (32, 24)), "PNG")), {"now.png": now}, None)


def bomb() -> str:
    """A PNG whose head says that it is 50,000 pixels wide and high."""
    buffer = io.BytesIO()
    screen(1, (8, 8)).save(buffer, "PNG")
    data = bytearray(buffer.getvalue())
    data[16:24] = (50_000).to_bytes(4, "big") * 2
    return "data:image/png;base64," + base64.b64encode(bytes(data)).decode()


@pytest.mark.parametrize(
    "body",
    [
        {}, {"messages": []}, {"messages": "x"}, {"messages": ["x"]}, {"messages": [{"role": "root", "content": "x"}]},
        {"messages": [{"role": "user", "content": 5}]}, {"messages": [{"role": "user", "content": [{"type": "audio"}]}]},
        shown("https://example.org/a.png"), shown("file:///etc/passwd"), shown("../now.png"), shown("data:text/html;base64,AA=="),
        shown("data:image/png;base64,***"), shown("data:image/png;base64,AAAA"), shown(bomb()),
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": 5}]}]},
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused(now: Image, tmp_path: Path, body: dict[str, Any]) -> None:
    with pytest.raises(NotUnderstood):
        prompt_of(body, {"now.png": now}, lambda: tmp_path)


def test_tools_and_form_travel_and_model_and_sampling_do_not(tmp_path: Path) -> None:
    call = {"id": "call_1_0", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    body = {
        "model": "mine", "temperature": 2, "max_tokens": 5, "tools": [{"type": "function"}], "tool_choice": "auto",
        "messages": [
            {"role": "developer", "content": "d"}, {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "content": "result", "tool_call_id": "call_1_0"},
        ],
    }  # fmt: skip
    prompt = prompt_of(body, {}, lambda: tmp_path)
    assert prompt.options == {"tools": [{"type": "function"}], "tool_choice": "auto"}
    assert [(m.role, m.parts, dict(m.extra)) for m in prompt.messages] == [
        ("system", ("d",), {}), ("assistant", (), {"tool_calls": [call]}), ("tool", ("result",), {"tool_call_id": "call_1_0"}),
    ]  # fmt: skip
    said = completion_of(Reply(text="", tool_calls=({"name": "f", "arguments": "{}"},), finish_reason="tool_calls"), 1)
    assert said["choices"][0]["message"]["tool_calls"] == [call]
    assert said["choices"][0]["finish_reason"] == "tool_calls"


def test_an_image_agent_has_no_place_without_containers() -> None:
    with pytest.raises(SandboxError, match="sandbox=docker"):
        NoSandbox("none").pin(Agent(image="any"))


def test_limits_below_what_can_work_are_refused() -> None:
    given: dict[str, Any] = {
        "name": "docker", "image": "a", "digest": None, "containers": 2, "fresh": False, "recycle_after": 100, "memory_mb": 1,
        "cpus": 1.0, "processes": 64, "disk_mb": 16, "timeout_s": 30.0, "start_s": 60.0,
    }  # fmt: skip
    with pytest.raises(SandboxError, match="memory_mb=1"):
        DockerSandbox(**given)


def test_a_digest_says_what_an_image_holds_and_runs_not_how_it_is_named() -> None:
    attributes = {
        "Id": "a",
        "RepoTags": ["x"],
        "RootFS": {"Layers": ["l1", "l2"]},
        "Config": {"Cmd": ["run"], "Env": []},
    }
    digest = content_digest(attributes)
    assert content_digest({**attributes, "Id": "b", "RepoTags": [], "Created": "later"}) == digest
    assert content_digest({**attributes, "RootFS": {"Layers": ["l1"]}}) != digest
    assert content_digest({**attributes, "Config": {"Cmd": ["other"], "Env": []}}) != digest
    assert content_digest({**attributes, "Config": {"Cmd": ["run"], "Env": None}}) == digest


@pytest.mark.parametrize(
    ("done", "said"),
    [
        ({"text": "", "exit": 1, "stderr": "trace\nValueError: x\n\n"}, "status 1: ValueError: x"),
        ({"text": "x", "exit": -9}, "killed"),
        ({"text": "", "exit": 0, "flooded": True}, "more than 1 MB"),
    ],
)
def test_an_end_with_an_error_is_no_answer(done: dict[str, Any], said: str) -> None:
    with pytest.raises(AgentError, match=said):
        outcome(done)


def test_only_what_a_dead_process_of_this_space_owned_is_left_over() -> None:
    mine = labels("run")
    assert not left_over(mine)
    assert left_over({**mine, "mma-safetybench.started": "1"})  # another process of that number
    assert left_over({**mine, "mma-safetybench.pid": "4194999"})
    assert not left_over({**mine, "mma-safetybench.pid": "4194999", "mma-safetybench.space": "elsewhere"})
    assert not left_over({k: v for k, v in mine.items() if k != "mma-safetybench"} | {"mma-safetybench.pid": "4194999"})
    assert not left_over({})


@pytest.mark.parametrize("name", ["runner/sandbox/shim.py", "runner/harness/one_reply.py"])
def test_what_goes_into_containers_is_python_3_8_and_imports_the_standard_library_alone(name: str) -> None:
    tree = ast.parse((Path(__file__).parents[3] / name).read_text(), feature_version=(3, 8))
    imported = {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    imported |= {str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert {i.split(".")[0] for i in imported} <= sys.stdlib_module_names
    assert any(isinstance(n, ast.ImportFrom) and n.module == "__future__" for n in tree.body)  # annotations stay words
