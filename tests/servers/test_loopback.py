"""The loopback server does what its plan says, as a client on a real socket sees it."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from PIL import Image

from tests.servers.loopback import Answer, Asked, Fault, Loopback, Plan, spawned

Start = Callable[..., Loopback]
HTTP = httpx2.Client(trust_env=False, timeout=5)


def body(text: str = "hello", **more: Any) -> dict[str, Any]:
    return {"model": "some-model", "messages": [{"role": "user", "content": text}], **more}


def post(server: Loopback, text: str = "hello", timeout: float = 5.0, **more: Any) -> httpx2.Response:
    return HTTP.post(f"{server.url}/chat/completions", json=body(text, **more), timeout=timeout)


def client(server: Loopback, timeout: float = 5.0) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.url, api_key="canary", max_retries=0, timeout=timeout)


def chat(server: Loopback, timeout: float = 5.0, **more: Any) -> Any:
    with client(server, timeout) as sdk:
        return sdk.chat.completions.create(**body(**more))


def test_answers_with_the_plans_reply_in_the_shape_the_sdk_reads(loopback: Start) -> None:
    server = loopback(Plan(reply="a reply", prompt_tokens=7, completion_tokens=3))
    reply = chat(server)
    assert reply.choices[0].message.content == "a reply"
    assert (reply.model, reply.choices[0].finish_reason) == ("some-model", "stop")
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.total_tokens) == (7, 3, 10)


def test_answers_responses_and_lists_models(loopback: Start) -> None:
    server = loopback(Plan(reply="a reply", models=("some-model",)))
    with client(server) as sdk:
        assert sdk.responses.create(model="some-model", input="hello").output_text == "a reply"
        assert [m.id for m in sdk.models.list()] == ["some-model"]
        with pytest.raises(openai.NotFoundError):
            sdk.responses.create(model="other-model", input="hello")


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("rate_limit", openai.RateLimitError),
        ("quota", openai.RateLimitError),
        ("server_error", openai.InternalServerError),
        ("unavailable_html", openai.InternalServerError),
        ("filter", openai.BadRequestError),
        ("bad_request", openai.BadRequestError),
        ("unauthorized", openai.AuthenticationError),
        ("forbidden", openai.PermissionDeniedError),
        ("not_found", openai.NotFoundError),
        ("too_large", openai.APIStatusError),
        ("overloaded", openai.InternalServerError),
        ("hang", openai.APITimeoutError),
        ("stall", openai.APITimeoutError),
        ("reset", openai.APIConnectionError),
        ("cut", openai.APIConnectionError),
        ("truncated_json", json.JSONDecodeError),
    ],
)
def test_fault_reaches_the_sdk_as_its_error(loopback: Start, kind: str, error: type[Exception]) -> None:
    server = loopback(Plan(faults=(Fault(kind, first=1),)))
    with pytest.raises(error):
        chat(server, timeout=0.3)
    assert chat(server).choices[0].message.content == "ok"
    assert sorted(r.outcome for r in server.records) == sorted([kind, "ok"])
    charged = kind in {"hang", "stall", "reset", "cut", "truncated_json"}
    assert [r.billed for r in server.records if r.outcome == kind] == [charged]


@pytest.mark.parametrize(
    ("kind", "holds"),
    [
        ("text_plain", lambda reply: isinstance(reply, str)),
        ("html_200", lambda reply: isinstance(reply, str)),
        ("json_as_text", lambda reply: reply.choices[0].message.content == "ok"),
        ("empty_object", lambda reply: reply.choices is None),
        ("choices_null", lambda reply: reply.choices is None),
        ("choices_empty", lambda reply: reply.choices == []),
        ("content_null", lambda reply: reply.choices[0].message.content is None),
        ("length", lambda reply: reply.choices[0].finish_reason == "length"),
        ("content_filter", lambda reply: reply.choices[0].finish_reason == "content_filter"),
        ("refusal", lambda reply: reply.choices[0].message.refusal and reply.choices[0].message.content is None),
    ],
)
def test_odd_body_reaches_the_sdk_as_it_is(loopback: Start, kind: str, holds: Callable[[Any], bool]) -> None:
    server = loopback(Plan(faults=(Fault(kind),)))
    assert holds(chat(server))
    assert [(r.outcome, r.billed) for r in server.records] == [(kind, kind != "html_200")]


def test_unknown_fault_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="no fault is called 'rate-limit'"):
        Fault("rate-limit")
    with pytest.raises(ValueError, match="a plan has no latency"):
        Plan.read({"latency": 1})


def test_parameter_faults_hit_only_requests_with_the_parameter(loopback: Start) -> None:
    server = loopback(Plan(refuses=("max_tokens", "temperature", "seed")))
    assert post(server, 'not a key: "max_tokens": 5').status_code == 200
    assert post(server, max_completion_tokens=5).status_code == 200
    for parameter in ("max_tokens", "temperature", "seed"):
        refused = post(server, **{parameter: 1})
        assert refused.status_code == 400
        assert f"'{parameter}'" in refused.json()["error"]["message"]


def test_retry_after_comes_as_seconds_or_as_a_date(loopback: Start) -> None:
    faults = (Fault("rate_limit", first=1, retry_after=2), Fault("rate_limit", retry_after=30, as_date=True))
    server = loopback(Plan(faults=faults))
    assert post(server).headers["Retry-After"] == "2"
    date = parsedate_to_datetime(post(server).headers["Retry-After"])
    assert 25 < date.timestamp() - time.time() <= 31


def test_token_bucket_admits_its_rate_and_says_when_to_come_back(loopback: Start) -> None:
    server = loopback(Plan(rate=2, burst=5))
    answers = [post(server) for _ in range(8)]
    assert [a.status_code for a in answers[:5]] == [200] * 5
    assert answers[-1].status_code == 429
    assert {a.headers["Retry-After"] for a in answers if a.status_code == 429} == {"1"}
    time.sleep(0.6)
    assert post(server).status_code == 200


def test_only_so_many_requests_are_let_in_at_a_time(loopback: Start) -> None:
    server = loopback(Plan(max_in_flight=2, latency_s=0.5))
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(post(server).status_code)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == [200, 200, 429, 429]
    assert server.max_in_flight >= 3


def test_share_is_drawn_by_seed_and_arrival_and_by_nothing_else(loopback: Start) -> None:
    plan = Plan(faults=(Fault("server_error", share=0.3),), seed=5)

    def outcomes() -> list[str]:
        server = loopback(plan)
        for i in range(60):
            post(server, f"{i}")
        return [r.outcome for r in server.records]

    first = outcomes()
    assert first == outcomes()
    assert 8 <= first.count("server_error") <= 28


def test_conditions_of_a_fault(loopback: Start) -> None:
    faults = (Fault("server_error", tries=2, when="case 7"), Fault("not_found", after_s=3600))
    server = loopback(Plan(faults=faults))
    assert [post(server, "case 7").status_code for _ in range(3)] == [500, 500, 200]
    assert post(server, "case 8").status_code == 200
    server.reset()
    server.plan = Plan(faults=(Fault("server_error", until_s=0.2),))
    assert post(server).status_code == 500
    time.sleep(0.25)
    assert post(server).status_code == 200


def test_drip_is_complete_in_the_end(loopback: Start) -> None:
    server = loopback(Plan(faults=(Fault("drip", seconds=0.2, every_s=0.01),)))
    started = time.monotonic()
    assert post(server).json()["choices"][0]["message"]["content"] == "ok"
    assert time.monotonic() - started > 0.2


def test_handler_sees_text_images_and_attempt_and_answers_in_any_form(loopback: Start) -> None:
    png = io.BytesIO()
    Image.new("RGB", (40, 30)).save(png, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(png.getvalue()).decode()}"
    content = [{"type": "text", "text": "where"}, {"type": "image_url", "image_url": {"url": url}}]

    def handler(asked: Asked) -> Any:
        if asked.attempt == 0:
            return Fault("rate_limit")
        if "tool" in asked.text:
            return Answer(tool_calls=(("click", {"x": 1}),), reasoning="so far", reasoning_tokens=4)
        if "dict" in asked.text:
            return {"anything": [1]}
        if "plan" in asked.text:
            return None
        return f"{asked.text} {asked.image_sizes()}"

    server = loopback(Plan(reply="planned"), handler=handler)
    message = {"model": "m", "messages": [{"role": "user", "content": content}]}
    answers = [HTTP.post(f"{server.url}/chat/completions", json=message) for _ in range(2)]
    assert answers[0].status_code == 429
    assert answers[1].json()["choices"][0]["message"]["content"] == "where [(40, 30)]"

    def second(text: str) -> Any:
        post(server, text)
        return post(server, text).json()

    tool = second("tool")["choices"][0]
    assert tool["finish_reason"] == "tool_calls"
    assert tool["message"]["tool_calls"][0]["function"] == {"name": "click", "arguments": '{"x": 1}'}
    assert tool["message"]["reasoning_content"] == "so far"
    assert second("dict") == {"anything": [1]}
    assert second("plan")["choices"][0]["message"]["content"] == "planned"


def test_async_handler_may_take_its_time(loopback: Start) -> None:
    async def slow(asked: Asked) -> str:
        await asyncio.sleep(0.05)
        return asked.text.upper()

    assert post(loopback(handler=slow)).json()["choices"][0]["message"]["content"] == "HELLO"


def test_record_holds_what_was_asked_and_never_the_key(loopback: Start, tmp_path: Path) -> None:
    log = tmp_path / "requests.jsonl"
    with Loopback(Plan(keep_bodies=True), log=log) as server, client(server) as sdk:
        sdk.chat.completions.create(**body("once"), extra_headers={"Idempotency-Key": "abc"})
        sdk.chat.completions.create(**body("once"))
        sdk.chat.completions.create(**body("twice"))
    assert [r.idempotency_key for r in server.records] == ["abc", "", ""]
    assert all(r.authorized and r.billed and r.outcome == "ok" for r in server.records)
    assert json.loads(server.records[0].body or "")["messages"][0]["content"] == "once"
    assert list(server.doubled().values()) == [2]
    assert server.stats()["bodies"] == 2
    lines = log.read_text("utf-8").splitlines()
    assert [json.loads(line)["number"] for line in lines] == [0, 1, 2]
    assert "canary" not in "\n".join(lines) + repr(server.records)


def test_wrong_key_is_turned_away(loopback: Start) -> None:
    server = loopback(Plan(key="the right one"))
    with pytest.raises(openai.AuthenticationError):
        chat(server)


def test_client_that_leaves_frees_its_place(loopback: Start) -> None:
    server = loopback(Plan(latency_s=30))
    with pytest.raises(httpx2.ReadTimeout):
        post(server, timeout=0.2)
    deadline = time.monotonic() + 5
    while server.in_flight and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [(r.outcome, r.billed) for r in server.records] == [("gone", True)]


def test_stops_at_once_while_requests_hang() -> None:
    def wait_for_nothing(server: Loopback) -> None:
        with pytest.raises(httpx2.TransportError):
            post(server)

    with Loopback(Plan(faults=(Fault("hang"),))) as server:
        thread = threading.Thread(target=wait_for_nothing, args=(server,))
        thread.start()
        while not server.in_flight:
            time.sleep(0.01)
        started = time.monotonic()
    thread.join()
    assert time.monotonic() - started < 2


def test_works_as_an_async_context_manager() -> None:
    async def scene() -> int:
        async with Loopback() as server, httpx2.AsyncClient() as http:
            return (await http.post(f"{server.url}/chat/completions", json=body())).status_code

    assert asyncio.run(scene()) == 200


def test_taken_port_is_an_error(loopback: Start) -> None:
    with pytest.raises(OSError, match="address already in use"):
        Loopback(port=loopback().port).start()


def test_process_of_its_own_answers_is_asked_for_its_records_and_ends() -> None:
    plan = Plan(reply="far", faults=(Fault("server_error", first=1),))
    with spawned(plan, handler="tests.servers.test_loopback:shout") as server:
        codes = [HTTP.post(f"{server.url}/chat/completions", json=body()).status_code for _ in range(2)]
        assert codes == [500, 200]
        assert [r.outcome for r in server.records()] == ["server_error", "ok"]
        server.set_plan(Plan(faults=(Fault("quota"),)))
        assert HTTP.post(f"{server.url}/chat/completions", json=body()).status_code == 429
        assert server.stats()["outcomes"] == {"ok": 1, "quota": 1, "server_error": 1}
        server.reset()
        assert server.stats()["requests"] == 0
    assert server.process.returncode == 0


def shout(asked: Asked) -> str:
    return asked.text.upper()


def test_command_line_prints_its_url_first() -> None:
    command = [sys.executable, "-m", "tests.servers.loopback", "--reply", "hi", "--until-eof"]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        reply = HTTP.post(f"{url}/chat/completions", json=body()).json()
        process.communicate()
    assert reply["choices"][0]["message"]["content"] == "hi"
