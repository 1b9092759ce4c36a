"""The computed reference, against an exhaustive search of a small app."""

from __future__ import annotations

import itertools

import pytest

from benchmark.case import Accepted, Action, Box, Point
from benchmark.construct import reference
from benchmark.construct.app import Event
from benchmark.construct.place import CLEARANCE
from benchmark.environment import play
from tests.benchmark.construct.demo import Notebook

APP = Notebook()
PARAMS = {"note": "Alpha", "person": "Mira Holt", "page": "12"}


def distance(goal, state, limit):
    """The exact number of events to the goal, trying everything that can be clicked; None beyond `limit`."""
    level, seen = {state}, {state}
    for steps in range(limit + 1):
        if any(goal.done(s) for s in level):
            return steps
        following = set()
        for s in level:
            shown = reference.uncovered(reference.layout(APP.view(s), APP.form, APP.css(s)))
            events = [Event("click", id) for id in shown]
            events += [Event("type", id, t) for id in shown if shown[id].role == "field" for t in goal.texts]
            events += [Event("press", None, "Enter"), Event("press", None, "Escape")]
            following |= {APP.step(s, e) for e in events}
        level = following - seen
        seen |= level
    return None


@pytest.mark.parametrize(
    ("name", "step"), [("archive", 0), ("archive", 1), ("archive", 2), ("pass_on", 2), ("pass_on", 3)]
)
def test_accepts_exactly_the_events_after_which_the_goal_is_no_further_than_planned(name, step):
    goal = APP.goal(name, PARAMS)
    played, final = play(APP, goal)
    found = set(reference.alternatives(APP, goal, played, step, final))
    start, limit = played[step].state, len(played) - step - 1
    shown = reference.uncovered(played[step].screen.elements)
    events = [Event("click", id) for id in shown]
    events += [Event("type", id, t) for id in shown if shown[id].role == "field" for t in goal.texts]
    expected = {played[step].move.event}
    for event in events:
        after = APP.step(start, event)
        if after != start and distance(goal, after, limit) is not None:
            expected.add(event)
    assert found == expected


def test_two_buttons_for_the_same_thing_are_both_accepted_and_a_longer_way_is_not():
    goal = APP.goal("archive", PARAMS)
    played, final = play(APP, goal)
    elements = {event.element for event in reference.alternatives(APP, goal, played, 1, final)}
    assert elements == {"archive", "foot-archive"}
    assert "more" not in elements


def test_a_shorter_way_is_accepted_and_an_invisible_one_is_not():
    goal = APP.goal("archive", PARAMS)
    played, final = play(APP, goal)
    elements = {event.element for event in reference.alternatives(APP, goal, played, 0, final)}
    assert "quick-alpha" in elements
    assert "quick-hidden" not in elements
    assert "row-bravo" not in elements


def test_fields_may_be_filled_in_either_order_with_their_own_text_only():
    goal = APP.goal("pass_on", PARAMS)
    played, final = play(APP, goal)
    found = reference.alternatives(APP, goal, played, 1, final)
    assert Event("type", "text", "See page 12") in found
    assert Event("type", "text", "Mira Holt") not in found
    rows = reference.accepted(found, played[1].screen, played[1].action)
    by_element = {row.element: row for row in rows if row.actions == ("type",)}
    assert by_element["to"].text == ("Mira Holt",)
    assert by_element["text"].text == ("See page 12",)
    assert rows[0].why == "planned"
    assert rows[0].box is not None
    assert rows[0].box.contains(played[1].action.point)


def test_a_text_typed_without_a_point_is_accepted_without_a_box():
    rows = reference._rows(Event("type", "to", "x"), Box(x0=0, y0=0, x1=9, y1=9), Action(type="type", text="x"))
    assert rows[0].box is None


@pytest.mark.parametrize(
    ("event", "actions"),
    [
        (Event("scroll", None, "down"), [("scroll",), ("swipe",)]),
        (Event("press", None, "Control+s"), [("press", "hotkey")]),
        (Event("back"), [("back",)]),
        (Event("double_click", "a"), [("double_click",)]),
        (Event("click", "a"), [("click", "select", "open")]),
    ],
)
def test_every_kind_of_event_has_its_actions(event, actions):
    assert [row.actions for row in reference._rows(event, Box(x0=0, y0=0, x1=9, y1=9), None)] == actions


def test_what_a_panel_hides_altogether_counts_on_the_clean_screen_only_except_the_plan():
    panel = Box(x0=0, y0=0, x1=100, y1=100)
    hidden, half = Box(x0=10, y0=10, x1=60, y1=40), Box(x0=60, y0=10, x1=160, y1=40)
    rows = (
        Accepted(actions=("click",), box=hidden, why="planned"),
        Accepted(actions=("click",), box=hidden, why="alternative"),
        Accepted(actions=("click",), box=half, why="alternative"),
        Accepted(actions=("back",), why="alternative"),
    )
    assert [row.when for row in reference.visible(rows, panel)] == ["both", "clean", "both", "both"]


def test_a_tap_outside_keeps_its_distance_from_the_panel_and_stays_on_the_screen():
    panel, frame = Box(x0=300, y0=200, x1=700, y1=500), Box(x0=0, y0=0, x1=1000, y1=800)
    rows = reference.escapes(("outside", "escape"), panel, panel, frame, CLEARANCE)
    outside = [row for row in rows if row.element == "outside"]
    assert len(outside) == 4
    for row in outside:
        assert row.box.inside(frame)
        assert row.box.gap(panel) >= CLEARANCE
    for a, b in itertools.combinations(outside, 2):
        assert a.box.intersection(b.box).empty
    assert not any(row.box.contains(Point(x=500, y=350)) for row in outside)
    assert rows[-1].keys == ("Escape",)


def test_a_swipe_that_flicks_a_panel_away_starts_clear_of_its_control():
    panel, target = Box(x0=0, y0=0, x1=400, y1=300), Box(x0=20, y0=220, x1=200, y1=280)
    rows = reference.escapes(("swipe_up",), panel, target, Box(x0=0, y0=0, x1=400, y1=900), CLEARANCE)
    assert rows[0].direction == "up"
    assert rows[0].box.gap(target) >= CLEARANCE
