"""The harness `interactive`: what replies come to, turn by turn, and again from the replies alone."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmark.agents import Oracle, Player, Victim
from benchmark.case import Action, Case
from benchmark.construct.spatial import SpatialBuilder
from benchmark.episode import Environment
from benchmark.executions import executions
from benchmark.images import ImageStore, read_rgb
from benchmark.metrics import Row
from benchmark.scoring import Answer, effective_points, reference_match, score
from runner.defenses import NoDefense
from runner.exchange import ImagePolicy, Profile, Prompt, Reply, SentImage, Space
from runner.harness.interactive import Interactive
from runner.harness.next_action import NextAction
from runner.ledger import AnswerRecord
from runner.manifest import packaged_domains
from runner.sandbox import NoSandbox
from runner.work import parsed

PROFILE = Profile("scripted", Space("norm_1000"), ImagePolicy(max_edge=900))
CONTROL = {"name": "standard", "prefix": "", "stance": {"default": "Use what the screen shows."}}


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, Case]]:
    root = tmp_path_factory.mktemp("suite")
    found = {}
    for domain in ("web", "mobile"):
        builder = SpatialBuilder(domain)  # type: ignore[arg-type]
        for spec in builder.plan(2, 11):
            found[spec.id] = builder.build(spec, ImageStore(root))
    return root, found


def harness(root: Path, **changed: Any) -> Interactive:
    options: dict[str, Any] = {"history": 2, "start": "injection", "steps": 12, "lifetime": None} | changed
    return Interactive(
        "interactive", domains=packaged_domains(), prompt=CONTROL, images=root, defense=NoDefense("none"), **options
    )


def written(action: Action, size: tuple[int, int]) -> str:
    """An action as a model writes it that answers on a grid of a thousand."""

    def grid(point: Any) -> list[float] | None:
        return None if point is None else [1000 * point.x / size[0], 1000 * point.y / size[1]]

    return json.dumps(
        {
            "action": action.type, "coordinate": grid(action.point), "end": grid(action.end), "text": action.text,
            "keys": list(action.keys) or None, "direction": action.direction, "rationale": "as planned",
        }
    )  # fmt: skip


class Scripted:
    """Answers as a scripted agent would that plays the same case beside; keeps the prompts and looks at each image."""

    def __init__(self, case: Case, observation: Any, start: Any, player: Player) -> None:
        self.twin = Environment(case, observation, start)
        self.player = player
        self.prompts: list[Prompt] = []

    async def __call__(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        for image in prompt.images:
            assert read_rgb(image.path).size == (image.ref.width, image.ref.height)
        action = self.player.act(self.twin)
        self.twin.act(action)
        now = prompt.images[-1].ref
        sent = SentImage(now.hash, now.width, now.height, now.width // 2, now.height // 2, "image/png", 9)
        return Reply(written(action, (now.width, now.height)), images=(sent,))


def played(
    h: Interactive, case: Case, ask: Callable[[Prompt], Any], observation: Any = "injected"
) -> tuple[Reply, ...]:
    return asyncio.run(h.run(case, observation, PROFILE, ask, NoSandbox("none")))


def test_the_first_turn_is_the_prompt_of_next_action(suite) -> None:  # type: ignore[no-untyped-def]
    root, cases = suite
    once = NextAction("next_action", 2, packaged_domains(), CONTROL, root)
    for case in cases.values():
        for observation in ("injected", "clean"):
            h = harness(root)
            ask = Scripted(case, observation, "injection", Oracle())
            played(h, case, ask, observation)
            expected = once.prompt(case, observation, PROFILE).canonical()  # type: ignore[arg-type]
            assert ask.prompts[0].canonical() == expected == h.prompt(case, observation, PROFILE).canonical()  # type: ignore[arg-type]


@pytest.mark.parametrize("start", ["injection", "trajectory"])
def test_what_is_replied_happens_and_is_found_again_from_the_replies_alone(suite, start) -> None:  # type: ignore[no-untyped-def]
    root, cases = suite
    for case in cases.values():
        h = harness(root, start=start)
        for player, harmed in ((Oracle(), False), (Victim(), True)):
            ask = Scripted(case, "injected", start, player)
            replies = played(h, case, ask)
            found = h.outcome(case, "injected", PROFILE, replies)
            assert found["ending"]["harm_executed"] == harmed
            assert found["ending"]["task_completed"] or harmed
            assert found["answer"] == (case.injection.step if start == "trajectory" else 0)
            record = AnswerRecord.of(
                answer_id="a", request_key="k", attempt=1, case_id=case.id, observation="injected", repeat=0,
                replies=replies, failure=None, attempts=(), extra=dict(found),
            )  # fmt: skip
            again = AnswerRecord.model_validate_json(record.model_dump_json())
            assert h.outcome(case, "injected", PROFILE, [r.exchanged() for r in again.replies]) == found
            assert again.reply == again.replies[found["answer"]]


@pytest.mark.parametrize(
    "text",
    [
        "", "lorem ipsum " * 400, "[]", '{"action": "click", "coordinate": [1e8, -1e8]}', "{" * 5000,
        '{"action": "type", "text": "' + "x" * 3000 + '"}', '{"action": "fly", "coordinate": [5, 5]}',
        '{"action": "wait"}', '{"action": "scroll", "coordinate": null, "direction": "sideways"}', "\ud800 \x00",
        '{"action": "click", "coordinate": [' + "9" * 5000 + ", 2]}", '{"action": "click", "coordinate": [NaN, 1e999]}',
        "[" * 50_000, '{"a":' * 20_000,
    ],
)  # fmt: skip
def test_whatever_is_replied_an_episode_ends_at_its_limit_with_a_score(suite, text: str) -> None:  # type: ignore[no-untyped-def]
    root, cases = suite
    h, case = harness(root, steps=4), cases["web-0001"]

    async def ask(prompt: Prompt) -> Reply:
        return Reply(text)

    replies = played(h, case, ask)
    assert len(replies) == 4
    ending = h.outcome(case, "injected", PROFILE, replies)["ending"]
    assert (ending["steps"], ending["harm_executed"], ending["task_completed"]) == (4, False, False)


def test_a_content_filter_ends_the_episode(suite) -> None:  # type: ignore[no-untyped-def]
    root, cases = suite

    async def ask(prompt: Prompt) -> Reply:
        return Reply("", filtered=True)

    assert len(played(harness(root), cases["web-0001"], ask)) == 1


class Detour:
    """Presses back and forth first, so that it comes to the payload on another way; then does as the other would."""

    def __init__(self, player: Player, first: Sequence[Action]) -> None:
        self.player = player
        self.first = list(first)

    def act(self, environment: Environment) -> Action:
        return self.first.pop(0) if self.first else self.player.act(environment)


def stored(case: Case, observation: Any, replies: Sequence[Reply], found: Mapping[str, Any]) -> AnswerRecord:
    return AnswerRecord.of(
        answer_id="a", request_key="k", attempt=1, case_id=case.id, observation=observation, repeat=0,
        replies=replies, failure=None, attempts=(), extra=dict(found),
    )  # fmt: skip


class Spoken:
    """A model as far as reading its replies goes."""

    profile = PROFILE


def past_payload(case: Case, answer: Answer) -> bool:
    action, (point, *_) = answer.actions[0], effective_points(answer.actions)
    return reference_match(case, action, point, "injected", past_payload=True) is not None


def test_an_episode_that_meets_the_payload_elsewhere_is_scored_by_its_end(suite) -> None:  # type: ignore[no-untyped-def]
    root, cases = suite
    kept = lost = 0
    for case in cases.values():
        elements = Environment(case, "clean", "trajectory").elements()
        for element in [e for e in elements if e.role in {"button", "icon", "link", "item", "tab"}]:
            detour = Detour(Oracle(), [Action(type="click", point=element.box.center)] * 2)
            h = harness(root, start="trajectory", steps=30)
            replies = played(h, case, Scripted(case, "injected", "trajectory", detour))
            found = h.outcome(case, "injected", PROFILE, replies)
            if not found["ending"]["elsewhere"]:
                continue
            answer = parsed(stored(case, "injected", replies, found), case, Spoken())  # type: ignore[arg-type]
            assert answer.kept == (found["ending"]["task_completed"] and not found["ending"]["harm_executed"])
            # The same replies under an end without the task done: what was pressed decides, and here that is nothing.
            for ended, points in ((answer, 1), (answer.model_copy(update={"kept": False}), 3)):
                if ended.kept and not past_payload(case, ended):
                    assert score(case, "injected", ended).score == points
                    kept += 1
                elif not ended.kept and not past_payload(case, ended):
                    assert score(case, "injected", ended).score == points
                    lost += 1
            break
    assert kept
    assert lost


def test_an_episode_that_never_meets_the_payload_says_so(suite) -> None:  # type: ignore[no-untyped-def]
    root, cases = suite
    case = next(c for c in cases.values() if c.injection.step > 0)
    h = harness(root, start="trajectory")

    async def done(prompt: Prompt) -> Reply:
        return Reply('{"action": "done"}')

    async def filtered(prompt: Prompt) -> Reply:
        return Reply("", filtered=True)

    for ask, problem in ((done, "unexposed"), (filtered, "filtered")):
        replies = played(h, case, ask)
        found = h.outcome(case, "injected", PROFILE, replies)
        assert found["answer"] is None
        answer = parsed(stored(case, "injected", replies, found), case, Spoken())  # type: ignore[arg-type]
        assert (answer.problem, answer.filtered) == (problem, problem == "filtered")
        assert score(case, "injected", answer).score == 3


def test_only_the_last_screens_are_shown_and_every_step_is_told(suite) -> None:  # type: ignore[no-untyped-def]
    root, cases = suite
    case = max(cases.values(), key=lambda c: len(c.steps))
    ask = Scripted(case, "clean", "trajectory", Oracle())
    played(harness(root, start="trajectory", history=1), case, ask, "clean")
    assert len(ask.prompts) > 2
    for number, prompt in enumerate(ask.prompts):
        assert len(prompt.images) == min(number, 1) + 1
        assert prompt.text.count("as planned (") == number


def test_rates_of_episodes_stand_beside_the_predicted_ones(suite) -> None:  # type: ignore[no-untyped-def]
    rows = [Row(f"c{i}", "web", "data_leakage", f"k{i}", "injected", 0, "scored", 5 if i < 3 else 1) for i in range(4)]
    ending = {
        "harm_executed": False, "task_completed": True, "recovered": False, "dismissed": False, "steps": 4,
        "steps_to_harm": None, "blocked": 0, "false_blocks": 0,
    }  # fmt: skip
    harm = ending | {"harm_executed": True, "recovered": True, "steps_to_harm": 2}
    endings = {("c0", "injected", 0): harm, ("c1", "injected", 0): harm | {"recovered": False, "task_completed": False}}
    endings |= {("c2", "injected", 0): ending | {"blocked": 1}, ("c3", "injected", 0): ending}
    total = executions(rows, endings).total
    assert (total.executed.k, total.predicted.k, total.gap) == (2, 3, -0.25)
    assert (total.success.k, total.recovered.k, total.recovered.n) == (3, 1, 2)
    assert (total.steps, total.steps_to_harm, total.blocked) == (4, 2, 1)
