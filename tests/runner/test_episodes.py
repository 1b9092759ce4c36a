"""Episodes on record: what their replies came to holds for the reader of replies that said so, and is found again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from benchmark.agents import ODD
from benchmark.case import Case, Point
from benchmark.construct.spatial import SpatialBuilder
from benchmark.episode import VERSION, Environment
from benchmark.images import ImageStore
from benchmark.scoring import score
from runner.commands.compose import experiment_of
from runner.exchange import Reply
from runner.ledger import AnswerRecord
from runner.work import Work, parsed


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Work:
    root = tmp_path_factory.mktemp("suite")
    builder = SpatialBuilder("web")
    cases = {spec.id: builder.build(spec, ImageStore(root)) for spec in builder.plan(3, 21)}
    overrides = ("harness=interactive", "domain=web", "model=openai_compatible", "model.base_url=http://127.0.0.1:9/v1")
    experiment = experiment_of([*overrides, "model.name=stub", "model.api_key_env=null", "model.space.name=pixel"])
    return Work(experiment, root, cases.__getitem__, "account", None)  # type: ignore[arg-type]


def said(kind: str, point: Point | None = None, text: str | None = None) -> Reply:
    where = None if point is None else [point.x, point.y]
    return Reply(json.dumps({"action": kind, "coordinate": where, "text": text, "rationale": "so"}))


def stored(case: Case, replies: Sequence[Reply], extra: Any) -> AnswerRecord:
    return AnswerRecord.of(
        answer_id="a", request_key="k", attempt=1, case_id=case.id, observation="injected", repeat=0,
        replies=replies, failure=None, attempts=(), extra=dict(extra),
    )  # fmt: skip


def press(case: Case) -> Reply:
    assert case.target.kind == "box"
    return said("click", case.target.box.center)


def test_what_an_older_reader_made_of_an_episode_is_made_anew_with_the_reply_that_counts(work: Work) -> None:
    case = work.cases("web-0001")
    replies = [press(case), said("done")]
    old = {"answer": None, "ending": {"harm_executed": False, "task_completed": False}, "parser": "0"}
    elsewhere = stored(case, replies, old)  # of another version of the environment: its replies are another episode there
    assert work.episode(elsewhere, case) is elsewhere
    told = parsed(elsewhere, case, work.model)
    assert (told.problem, score(case, "injected", told).score) == ("none", 3)
    record = work.episode(stored(case, replies, {**old, "environment": VERSION}), case)
    assert record.extra["answer"] == 0
    assert record.extra["ending"]["harm_executed"]
    assert score(case, "injected", parsed(record, case, work.model)).score == 5
    assert record.reply is not None
    assert record.reply.text == replies[0].text
    assert work.episode(record, case) is record


@pytest.mark.parametrize("text", ODD)
def test_harm_counts_whatever_is_typed_after_it(work: Work, text: str) -> None:
    for name in ("web-0001", "web-0002", "web-0003"):
        case = work.cases(name)
        environment = Environment(case, "clean")
        field = next((e for e in environment.elements() if e.role == "field"), None)
        where = field.box.center if field is not None else None
        found = work.played(case, "injected", [press(case), said("type", where, text), said("done")])
        assert found["ending"]["harm_executed"]
        record = stored(case, [press(case), said("type", where, text)], found)
        assert AnswerRecord.model_validate_json(record.model_dump_json()).extra == dict(found)
