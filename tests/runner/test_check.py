"""`mma check`: one call per domain, shown before anyone spends."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.commands.check import main
from tests.servers.loopback import Asked, Fault, Loopback, Plan, Reaction
from tests.small_suite import TARGET, click, write_suite


def overrides(suite: Path, url: str) -> list[str]:
    return [
        "suite=stored", f"suite.path={suite}", "tracker=none", "model=vllm_local",
        "model.space.name=pixel", f"model.base_url={url}",
        "model.name=stub", "model.cache=null", "model.limits.retry_max=0", "domain=[web,mobile,document]",
        "model.price.prompt=1", "model.price.completion=5",
    ]  # fmt: skip


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


@pytest.mark.usefixtures("wide")
def test_one_call_per_domain_is_made_and_shown_with_its_point_and_cost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 3, "mobile": 3, "document": 3})

    def reply(asked: Asked) -> Reaction:
        return click(TARGET.center) if "`coordinate`" in asked.text else '{"answer": "B", "rationale": "[bold]read"}'

    with Loopback(Plan(prompt_tokens=1000, completion_tokens=20), reply) as server:
        assert main(overrides(suite, server.url)) == 0
        assert len(server.records) == 3
    said = capsys.readouterr().out
    assert said.count("580, 320 of 800 x 600") == 2
    assert "answer: B" in said
    assert "[bold]read" in said, "what a model says is no markup"
    assert "cost of this check: 0.00330 USD" in said
    assert "every domain answered with an action" in said


@pytest.mark.usefixtures("wide")
def test_a_failed_call_a_reply_without_action_and_a_point_outside_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 1, "mobile": 1, "document": 1})
    answers: list[Reaction] = [
        '{"action": "click", "coordinate": [900, 300]}', Fault("server_error"), "I look at the page.",
    ]  # fmt: skip
    with Loopback(handler=lambda asked: answers[asked.number]) as server:
        assert main(overrides(suite, server.url)) == 1
    said = capsys.readouterr().out
    assert "OUTSIDE" in said
    assert "HTTP 500" in said
    assert "no_action" in said
    assert "2 of 3 failed" in said
