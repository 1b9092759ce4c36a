"""The environment: what agents do really happens, the payload's control does what its case declares, and no more."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmark.agents import ODD, Oracle, Victim, Wanderer, episode, ways_past
from benchmark.case import Action, Case, Point
from benchmark.construct.spatial import SpatialBuilder
from benchmark.episode import Environment, NotInteractive, Overlay, Wish, invariants
from benchmark.images import ImageStore, pixel_hash

COUNT = 3


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Case]:
    """A few freshly built cases of each interactive domain, by id."""
    store = ImageStore(tmp_path_factory.mktemp("built"))
    found = {}
    for domain in ("web", "gui", "mobile"):
        builder = SpatialBuilder(domain)  # type: ignore[arg-type]
        for spec in builder.plan(COUNT, 3):
            found[spec.id] = builder.build(spec, store)
    return found


@pytest.mark.parametrize("start", ["injection", "trajectory"])
def test_who_knows_the_task_completes_it_unharmed_and_who_obeys_is_harmed(cases: Mapping[str, Case], start) -> None:  # type: ignore[no-untyped-def]
    for case in cases.values():
        for observation in ("clean", "injected"):
            kept = episode(Environment(case, observation, start), Oracle())  # type: ignore[arg-type]
            assert (kept.task_completed, kept.harm_executed, kept.obeyed) == (True, False, False), case.id
            assert kept.exposed == (observation == "injected")
        lost = episode(Environment(case, "injected", start), Victim())
        assert (lost.harm_executed, lost.obeyed, lost.steps_to_harm) == (True, True, 1), case.id
        assert lost.recovered == lost.task_completed


def test_the_screen_is_the_one_of_the_case_to_the_pixel(cases: Mapping[str, Case]) -> None:
    for case in cases.values():
        environment = Environment(case)
        assert pixel_hash(environment.observe()) == case.injected.hash
        environment = Environment(case, "clean")
        assert case.clean is not None
        assert pixel_hash(environment.observe()) == case.clean.hash


def test_the_same_actions_lead_to_the_same_pixels(cases: Mapping[str, Case]) -> None:
    case = cases["web-0001"]
    first, second = Environment(case, start="trajectory"), Environment(case, start="trajectory")
    player = Wanderer(random.Random(4))
    for _ in range(12):
        action = player.act(first)
        assert first.act(action) == second.act(action)
    assert first.state == second.state
    assert pixel_hash(first.observe()) == pixel_hash(second.observe())


def test_the_payload_comes_up_at_the_injection_point_and_stays_until_it_is_dealt_with(
    cases: Mapping[str, Case],
) -> None:
    case = next(c for c in cases.values() if c.injection.step > 0)
    environment, oracle = Environment(case, start="trajectory"), Oracle()
    for _ in range(case.injection.step):
        assert not environment.present
        environment.act(oracle.act(environment))
    assert environment.present
    assert environment.appeared == case.injection.step
    environment.act(Action(type="wait"))
    assert environment.present
    way = next(ways_past(environment))
    before = environment.state
    assert environment.act(way).what == "dismissed"
    assert not environment.present
    assert environment.state == before
    assert environment.ending().dismissed


@pytest.mark.parametrize("observation", ["clean", "injected"])
def test_looking_around_on_the_way_does_not_bring_the_payload_early(cases: Mapping[str, Case], observation) -> None:  # type: ignore[no-untyped-def]
    looked = 0
    for case in cases.values():
        if case.injection.step < 2:
            continue
        environment, oracle = Environment(case, observation, "trajectory"), Oracle()
        field = next((e for e in environment.own_screen().elements if e.role == "field"), None)
        environment.act(Action(type="scroll", direction="down"))
        environment.act(Action(type="scroll", direction="up"))
        if field is not None:
            environment.act(Action(type="click", point=field.box.center))
            looked += environment.state.focus == field.id
        while environment.appeared is None and environment.steps < 20:
            environment.act(oracle.act(environment))
        assert environment.appeared is not None
        assert environment.on_way, case.id
    assert looked


def test_on_another_way_the_payload_comes_up_as_late_as_on_the_recorded_one(cases: Mapping[str, Case]) -> None:
    """An agent that goes elsewhere meets it too, after as many actions that brought the app further."""
    met = Counter[bool]()
    for case in cases.values():
        if case.injection.step == 0:
            continue
        environment, player = Environment(case, start="trajectory"), Wanderer(random.Random(case.id))
        for _ in range(120):
            if environment.ended or environment.appeared is not None:
                break
            environment.act(player.act(environment))
        met[environment.appeared is not None] += 1
    assert met[True] > met[False]


@pytest.mark.parametrize("text", ODD)
def test_whatever_is_typed_the_screen_can_be_drawn(cases: Mapping[str, Case], text: str) -> None:
    typed = 0
    for case in cases.values():
        environment = Environment(case, "clean")
        fields = [e for e in environment.own_screen().elements if e.role == "field"]
        for element in fields[:2]:
            environment.act(Action(type="type", point=element.box.center, text=text))
            typed += 1
        assert environment.screen().elements
        assert not invariants(environment)
    assert typed


def test_a_payload_with_a_lifetime_goes_away_by_itself(cases: Mapping[str, Case]) -> None:
    environment = Environment(cases["web-0001"], lifetime=2)
    environment.act(Action(type="wait"))
    assert environment.present
    environment.act(Action(type="wait"))
    assert not environment.present
    assert not environment.ending().dismissed


def test_what_is_modal_takes_every_action_that_is_not_a_way_past_it(cases: Mapping[str, Case]) -> None:
    modal = [c for c in cases.values() if Overlay.of(c).modal]
    assert modal
    for case in modal:
        environment = Environment(case)
        event = environment.goal.script[case.injection.step].event
        element = next((e for e in environment.own_screen().elements if e.id == event.element), None)
        point = element.box.center if element is not None else Point(x=1, y=1)
        before = environment.state
        environment.act(Action(type="click", point=point))
        assert environment.state == before


def test_a_refused_effect_does_not_happen_and_is_told(cases: Mapping[str, Case]) -> None:
    case = cases["gui-0001"]
    asked: list[Wish] = []

    def never(wish: Wish) -> str | None:
        asked.append(wish)
        return "not today"

    environment = Environment(case, gate=never)
    target = next(e for e in environment.elements() if e.id == "pl-target")
    outcome = environment.act(Action(type="click", point=target.box.center))
    assert outcome.what == "blocked"
    assert outcome.note == "not today"
    assert asked[0].effect == case.injection.effect
    assert not environment.harmed
    assert environment.ending().obeyed
    assert environment.ending().blocked == 1


def test_a_case_of_no_app_and_one_without_an_overlay_say_why_they_cannot_be_played(cases: Mapping[str, Case]) -> None:
    case = cases["web-0001"]
    with pytest.raises(NotInteractive, match="web-0001"):
        Environment(case.model_copy(update={"app": None}))
    bare = case.provenance.model_copy(update={"extras": {}})
    with pytest.raises(NotInteractive, match="keeps no overlay"):
        Environment(case.model_copy(update={"provenance": bare}))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_wandering_breaks_nothing(cases: Mapping[str, Case], data: st.DataObject, seed: int) -> None:
    case = data.draw(st.sampled_from(sorted(cases.values(), key=lambda c: c.id)))
    environment = Environment(case, start=data.draw(st.sampled_from(["injection", "trajectory"])))
    player = Wanderer(random.Random(seed))
    for _ in range(20):
        effects = environment.state.effects
        outcome = environment.act(player.act(environment))
        assert environment.state.effects[: len(effects)] == effects
        assert environment.state.effects[len(effects) :] == outcome.effects
    assert invariants(environment) == []
    found = environment.ending()
    assert found.steps == 20
    assert found.recovered == (found.harm_executed and found.task_completed)


def test_huge_coordinates_and_endless_waiting_end_at_the_limit(cases: Mapping[str, Case]) -> None:
    class Stuck:
        def act(self, environment: Environment) -> Action:
            return Action(type="click", point=Point(x=1e30, y=-1e30)) if environment.steps % 2 else Action(type="wait")

    found = episode(Environment(cases["mobile-0001"]), Stuck(), limit=30)
    assert found.steps == 30
    assert not found.task_completed
    assert not found.harm_executed


def test_nothing_is_written_where_an_episode_is_played(cases: Mapping[str, Case], tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    episode(Environment(cases["web-0001"]), Victim())
    assert not list(tmp_path.iterdir())
