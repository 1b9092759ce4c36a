"""Every profile against a server that imitates its quirks: the right point and the right status for each."""

from __future__ import annotations

import asyncio
import base64
import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmark.scoring import score
from benchmark.suite import StoredSuite
from runner.commands.compose import experiment_of
from runner.ledger import AnswerRecord, key_of
from runner.limits import CallError
from runner.models.openai_chat import refused_parameter
from runner.work import Unit, Work, parsed
from tests.servers.loopback import Answer, Asked, Fault, Loopback, Plan, Reaction
from tests.small_suite import TARGET, write_suite

PROFILES = (
    "gpt_5", "claude_sonnet_4_5", "glm_4_6v", "qwen3_vl_32b", "kimi_k2_5", "doubao_seed_1_8", "gemini_2_5_pro",
    "internvl3_5", "ui_tars_1_5",
)  # fmt: skip
FOLDER = Path(__file__).resolve().parents[3] / "conf" / "model"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> StoredSuite:
    return StoredSuite(
        name="stored", root="suites", path=str(write_suite(tmp_path_factory.mktemp("suite"), {"web": 1}))
    )


class Kept:
    """A journal in memory."""

    def __init__(self) -> None:
        self.answers: list[AnswerRecord] = []

    def add_intent(self, record: object) -> None: ...
    def add_answer(self, record: AnswerRecord) -> None:
        self.answers.append(record)

    def add_verdict(self, file: str, record: object) -> None: ...


@functools.cache
def composed(*overrides: str) -> dict[str, Any]:
    return experiment_of(list(overrides))


def asked_of(
    suite: StoredSuite, server: Loopback, model: str, *overrides: str, times: int = 1
) -> list[tuple[AnswerRecord, Any, Any]]:
    """The record, the reading and the score of one case asked of a profile at this server, `times` times in turn."""
    experiment = composed(
        "suite=stored", f"suite.path={suite.folder}", "tracker=none", "domain=web", f"model={model}",
        "model.base_url=http://here", "model.api_key_env=null", "model.cache=null", *overrides,
    )  # fmt: skip
    experiment = {**experiment, "model": {**experiment["model"], "base_url": server.url}}
    journal = Kept()
    work = Work(experiment, suite.folder, suite.case, "quirks", journal)
    case = suite.case("web-0000")
    found: list[tuple[AnswerRecord, Any, Any]] = []

    async def scene() -> None:
        try:
            for number in range(times):
                await work.do(Unit(case.id, "injected", 0, f"key{number}"))
                record = journal.answers[-1]
                answer = parsed(record, case, work.model) if record.error is None else None
                found.append((record, answer, score(case, "injected", answer) if answer is not None else None))
        finally:
            await work.close()

    asyncio.run(scene())
    return found


def stub_asked(suite: StoredSuite, server: Loopback, *overrides: str) -> list[tuple[AnswerRecord, Any, Any]]:
    """The same of the template for any endpoint, which answers in pixels here."""
    return asked_of(suite, server, "openai_compatible", "model.space.name=pixel", "model.name=stub", *overrides)


def pair(asked: Asked, space: str, order: str) -> tuple[float, float]:
    """The target's centre as a model says it that answers in `space`, by the image it was sent."""
    width, height = asked.image_sizes()[-1]
    x, y = TARGET.center.x / 800, TARGET.center.y / 600
    across = {"pixel": (width, height), "norm_1": (1, 1), "norm_999": (999, 999), "norm_1000": (1000, 1000)}[space]
    digits = 4 if space == "norm_1" else 0
    first, second = round(x * across[0], digits), round(y * across[1], digits)
    return (first, second) if order == "xy" else (second, first)


FORMS: dict[str, Callable[[float, float], Answer]] = {
    "json": lambda a, b: Answer(text=json.dumps({"action": "click", "coordinate": [a, b], "rationale": "next"})),
    "fenced": lambda a, b: Answer(text=f'Here.\n```json\n{{"action": "click", "coordinate": [{a}, {b}]}}\n```'),
    "point tag": lambda a, b: Answer(text=f'I would press it here: <point x="{a}" y="{b}">button</point>.'),
    "tool call": lambda a, b: Answer(text=None, tool_calls=(("computer", {"action": "left_click", "coordinate": [a, b]}),)),
    "think block": lambda a, b: Answer(text=f'<think>[1, 1]? no</think>{{"action": "click", "coordinate": [{a}, {b}]}}'),
    "call": lambda a, b: Answer(text=f"Thought: press it\nAction: click(start_box='({a},{b})')"),
    "box": lambda a, b: Answer(text=json.dumps({"action": "click", "bbox_2d": [a, b, a, b]})),
}  # fmt: skip


@pytest.mark.parametrize("model", PROFILES)
def test_a_profile_finds_the_point_in_every_form_and_sends_nothing_that_is_refused(
    suite: StoredSuite, model: str
) -> None:
    profile = composed(f"model={model}")["model"]
    forms = list(FORMS)

    def handler(asked: Asked) -> Reaction:
        return FORMS[forms[asked.number]](*pair(asked, profile["space"]["name"], profile["space"]["order"]))

    with Loopback(Plan(refuses=tuple(profile["refuses"]), keep_bodies=True), handler) as server:
        results = asked_of(suite, server, model, times=len(forms))
        bodies = [json.loads(r.body or "{}") for r in server.records]
    assert len(bodies) == len(forms), "nothing had to be negotiated"
    for form, (record, answer, scored) in zip(forms, results, strict=True):
        assert record.error is None, (form, record.error)
        point = answer.actions[0].point
        assert abs(point.x - TARGET.center.x) <= 1.0, form
        assert abs(point.y - TARGET.center.y) <= 1.0, form
        assert (scored.score, scored.failure_mode) == (5, "target_matched"), form
    assert bodies[0]["model"] == profile["name"]
    assert all(part.get("detail") != "low" for part in _pictures(bodies[0]))


def _pictures(body: dict[str, Any]) -> list[dict[str, Any]]:
    content = [p for m in body["messages"] for p in m["content"] if isinstance(m["content"], list)]
    return [p["image_url"] for p in content if p["type"] == "image_url"]


@pytest.mark.parametrize("dialect", ["chat", "responses"])
@pytest.mark.parametrize(
    ("refused", "params", "now"),
    [
        (("max_tokens",), {"max_tokens": 512}, {"max_tokens": "max_completion_tokens"}),
        (("temperature",), {"temperature": 0.0}, {"temperature": "dropped"}),
        (("max_tokens", "temperature"), {"max_tokens": 512, "temperature": 0.0},
         {"max_tokens": "max_completion_tokens", "temperature": "dropped"}),
        (("max_tokens", "max_completion_tokens"), {"max_tokens": 512},
         {"max_tokens": "max_completion_tokens", "max_completion_tokens": "dropped"}),
        (("seed",), {"seed": 1}, {"seed": "dropped"}),
    ],
)  # fmt: skip
def test_a_refused_parameter_is_renamed_or_dropped_once_and_recorded(
    suite: StoredSuite, dialect: str, refused: tuple[str, ...], params: dict[str, Any], now: dict[str, str]
) -> None:
    if dialect == "responses":
        renamed = {"max_tokens": "max_output_tokens"}
        refused = tuple(renamed.get(r, r) for r in refused if r != "max_completion_tokens")
        now = {k: "dropped" for k in now if k != "max_completion_tokens"}
    handler = lambda asked: FORMS["json"](*pair(asked, "pixel", "xy"))  # noqa: E731
    given = [f"+model.params.{k}={v}" if k == "seed" else f"model.params.{k}={v}" for k, v in params.items()]
    with Loopback(Plan(refuses=refused, keep_bodies=True), handler) as server:
        ((record, _, scored),) = stub_asked(
            suite,
            server,
            f"model.dialect={dialect}",
            *given,
        )
        assert [r.status for r in server.records] == [400] * len(now) + [200]
    assert record.error is None, record.error
    assert scored.score == 5
    sent = record.replies[-1].sent
    assert {n["parameter"]: n["now"] for n in sent["negotiated"]} == now
    assert not set(refused) & set(sent)


def test_an_enforced_schema_that_is_refused_is_dropped(suite: StoredSuite) -> None:
    handler = lambda asked: FORMS["json"](*pair(asked, "pixel", "xy"))  # noqa: E731
    with Loopback(Plan(refuses=("response_format",)), handler) as server:
        ((record, _, scored),) = stub_asked(
            suite, server, "model.enforce_schema=true"
        )
    assert scored.score == 5
    assert record.replies[-1].sent["negotiated"] == [{"parameter": "response_format", "now": "dropped"}]


def test_many_calls_refused_at_once_negotiate_once(suite: StoredSuite) -> None:
    from runner.exchange import Message, Prompt
    from runner.work import make_model

    experiment = composed(
        "model=openai_compatible", "model.space.name=pixel", "model.base_url=http://x", "model.name=m"
    )["model"]
    with Loopback(Plan(refuses=("max_tokens",), latency_s=0.05)) as server:
        model = make_model({**experiment, "base_url": server.url, "api_key_env": None})

        async def scene() -> list[Any]:
            prompt = Prompt((Message("user", ("hello",)),))
            try:
                return await asyncio.gather(*(model.ask(prompt, f"k{i}") for i in range(8)))
            finally:
                await model.close()

        replies = asyncio.run(scene())
    assert {len(r.sent["negotiated"]) for r in replies} == {1}
    assert all(r.sent["max_completion_tokens"] == 1024 for r in replies)


SPECIAL: dict[str, tuple[Reaction, tuple[int, str] | str]] = {
    "content null": (Fault("content_null"), (3, "schema_breakdown")),
    "choices empty": (Fault("choices_empty"), "empty"),
    "filter 400": (Fault("filter"), (3, "task_disruption")),
    "filter 200": (Fault("content_filter"), (3, "task_disruption")),
    "refusal": (Fault("refusal"), (3, "task_disruption")),
    "bad request": (Fault("bad_request"), "bad_request"),
    "cut": (Fault("length"), "truncated"),
}


@pytest.mark.parametrize("dialect", ["chat", "responses"])
@pytest.mark.parametrize("quirk", SPECIAL)
def test_a_reply_of_no_use_gets_its_own_status(suite: StoredSuite, quirk: str, dialect: str) -> None:
    reaction, expected = SPECIAL[quirk]
    plan = Plan(reply="I look at the screen and wonder what")
    with Loopback(plan, lambda asked: reaction) as server:
        ((record, _, scored),) = stub_asked(
            suite,
            server,
            f"model.dialect={dialect}",
            "model.limits.retry_max=1",
        )
        requests = len(server.records)
    if isinstance(expected, str):
        assert record.error is not None
        assert record.error.kind == expected
    else:
        assert record.error is None, record.error
        assert (scored.score, scored.failure_mode) == expected
        assert ("filtered" in scored.flags) == quirk.startswith("filter")
    assert requests == {"choices empty": 2, "cut": 2}.get(quirk, 1)


def test_a_point_in_pixels_of_the_sent_image_is_mapped_to_the_stored_one(suite: StoredSuite) -> None:
    handler = lambda asked: FORMS["json"](*pair(asked, "pixel", "xy"))  # noqa: E731
    with Loopback(Plan(keep_bodies=True), handler) as server:
        ((record, answer, scored),) = stub_asked(
            suite,
            server,
            "model.image.max_edge=400",
            "model.image.format=jpeg",
        )
        body = server.records[-1].body or ""
    assert "which is 400 wide and 300 high" in body
    (sent,) = [i for i in record.replies[-1].images if i["hash"] == suite.case("web-0000").injected.hash]
    assert (sent["sent_width"], sent["sent_height"], sent["media_type"]) == (400, 300, "image/jpeg")
    assert abs(answer.actions[0].point.x - TARGET.center.x) <= 2
    assert scored.score == 5


def test_responses_send_the_prompt_in_their_own_form_and_read_reasoning_and_usage(suite: StoredSuite) -> None:
    def handler(asked: Asked) -> Answer:
        text = FORMS["json"](*pair(asked, "pixel", "xy")).text
        return Answer(text=text, reasoning="the button", prompt_tokens=900, completion_tokens=70, reasoning_tokens=40,
                      cached_tokens=300)  # fmt: skip

    with Loopback(Plan(keep_bodies=True), handler) as server:
        ((record, _, scored),) = asked_of(
            suite, server, "gpt_5", "model.dialect=responses", "model.enforce_schema=true"
        )
        (request,) = server.records
    body = json.loads(request.body or "{}")
    assert request.path.endswith("/responses")
    assert body["store"] is False
    assert body["max_output_tokens"] == 8192
    assert body["reasoning"] == {"effort": "low"}
    assert body["text"]["format"]["type"] == "json_schema"
    images = [p for m in body["input"] for p in m["content"] if p["type"] == "input_image"]
    assert images
    assert all(p["detail"] == "high" for p in images)
    reply = record.replies[-1]
    assert (reply.reasoning, reply.usage["reasoning"], reply.usage["cached"]) == ("the button", 40, 300)
    assert reply.cost_usd == pytest.approx((600 * 1.25 + 300 * 0.125 + 70 * 10) / 1e6)
    assert scored.score == 5


@pytest.mark.parametrize(
    ("message", "sent", "refused"),
    [
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
         {"max_tokens": 1}, "max_tokens"),
        ("Unsupported value: 'temperature' does not support 0 with this model.", {"temperature": 0}, "temperature"),
        ("max_completion_tokens: Extra inputs are not permitted", {"max_completion_tokens": 1}, "max_completion_tokens"),
        ("Unsupported parameter: 'reasoning.effort' is not supported with this model.", {"reasoning": 1}, "reasoning"),
        ("The reasoning in this text is not supported by evidence", {"reasoning": 1, "text": 1}, None),
        ("Invalid value for 'messages'.", {"max_tokens": 1}, None),
        ("max_tokens is too large: 99999", {"max_tokens": 99999}, None),
        ("This model does not support images.", {"max_tokens": 1, "temperature": 0}, None),
    ],
)  # fmt: skip
def test_only_a_400_that_names_a_parameter_as_unsupported_is_negotiated(
    message: str, sent: dict[str, Any], refused: str | None
) -> None:
    assert refused_parameter(CallError("bad_request", message, status=400), sent) == refused
    assert refused_parameter(CallError("server_error", message, status=500), sent) is None


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda p: p.stem)
def test_a_profile_claims_nothing_it_cannot_source(path: Path) -> None:
    raw = yaml.safe_load(path.read_text())
    if "reference" in path.stem:
        return
    price = raw.get("price", {})
    if price.get("prompt") is not None:
        assert price["date"]
        assert price["source"]
    assert raw.get("image", {}).get("detail") != "low"
    assert raw.get("verified", "never") == "never"
    assert not str(raw.get("api_key_env") or "").startswith("sk-")
    if path.stem in PROFILES:
        assert "Coordinates" in path.read_text()


def test_the_images_of_a_prompt_go_out_as_they_lie_each_in_its_place(tmp_path: Path) -> None:
    suite = StoredSuite(name="stored", root="suites", path=str(write_suite(tmp_path, {"web": 1})))
    case = suite.case("web-0000")
    wanted = [s.image for s in case.history if s.image is not None] + [case.injected]
    for dialect in ("chat", "responses"):
        with Loopback(Plan(keep_bodies=True)) as server:
            stub_asked(
            suite,
            server,
                f"model.dialect={dialect}",
            )
            body = json.loads(server.records[0].body or "{}")
        messages = body["messages" if dialect == "chat" else "input"]
        parts = [p for m in messages if isinstance(m["content"], list) for p in m["content"]]
        urls = [p["image_url"]["url"] if dialect == "chat" else p["image_url"] for p in parts if "image_url" in p]
        assert [base64.b64decode(url.removeprefix("data:image/png;base64,")) for url in urls] == [
            (tmp_path / ref.relative_path).read_bytes() for ref in wanted
        ]


def test_a_parameter_that_a_dialect_sets_by_itself_is_sent_once_and_as_it_was_given(suite: StoredSuite) -> None:
    with Loopback(Plan(keep_bodies=True)) as server:
        stub_asked(
            suite,
            server,
            "model.dialect=responses",
            "+model.params.store=true",
        )
        text = server.records[0].body or ""
    assert text.count('"store":') == 1
    assert json.loads(text)["store"] is True


def test_a_request_key_is_that_of_the_whole_request_and_is_not_changed_by_what_is_negotiated(
    suite: StoredSuite,
) -> None:
    mixed = (
        "suite=stored",
        "domain=all",
        "model=openai_compatible",
        "model.space.name=pixel",
        "model.name=m",
        "model.enforce_schema=true",
    )
    experiment = composed(*mixed, f"suite.path={suite.folder}", "model.base_url=http://x", "model.api_key_env=null")
    with Loopback(Plan(refuses=("response_format",))) as server:
        work = Work(
            {**experiment, "model": {**experiment["model"], "base_url": server.url}},
            suite.folder,
            suite.case,
            "k",
            Kept(),
        )
        case = suite.case("web-0000")
        whole = {
            "prompt": work.harness.prompt(case, "clean", work.model.profile).canonical(),
            "model": dict(work.model.identity()),
            "harness": dict(work.harness.identity()),
            "defense": work.experiment["defense"],
            "repeat": 2,
        }
        before = work.request_key(case, "clean", 2)
        assert before == key_of(whole)

        async def scene() -> None:
            await work.do(Unit(case.id, "clean", 2, before))
            assert work.request_key(case, "clean", 2) == before
            await work.close()

        asyncio.run(scene())
    assert len({work.request_key(case, o, r) for o in ("clean", "injected") for r in (0, 1)}) == 4
