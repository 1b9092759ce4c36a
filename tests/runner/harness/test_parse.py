"""Replies in every form models use become the right action at the right pixel, and nothing is guessed."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.case import Point
from runner.exchange import SentImage, Space
from runner.harness.parse import cleaned, parse, parse_fields, to_stored

PIXEL = Space("pixel", "xy")
SENT = SentImage("0" * 64, 1000, 500, 1000, 500, "image/png", 1)


def spatial(text: str, space: Space = PIXEL, sent: SentImage = SENT, calls: tuple = ()):
    return parse(text, calls, spatial=True, space=space, sent=sent)


CLICK = '{"action": "click", "coordinate": [120, 40], "rationale": "next"}'


@pytest.mark.parametrize(
    "text",
    [
        CLICK,
        f"```json\n{CLICK}\n```",
        f"```\n{CLICK}\n```",
        f"I will open it.\n{CLICK}",
        f'<think>maybe click [5, 5]? {{"action": "wait"}}</think>\n{CLICK}',
        f"no opening tag, [7, 7]</think>{CLICK}",
        '{"action": "left_click", "coordinate": [120, 40]}',
        '{"action": "tap", "point": {"x": 120, "y": 40}}',
        '{"type": "click", "x": 120, "y": 40}',
        '{"name": "computer", "arguments": {"action": "left_click", "coordinate": [120, 40]}}',
        '{"action": "click", "coordinate": [100, 30, 140, 50]}',
        '{"action": "click", "bbox_2d": [100, 30, 140, 50]}',
        '{"action": "click", "coordinate": [[100, 30], [140, 50]]}',
        '{"action": "click", "coordinate": "120, 40"}',
        '{"action": "click", "coordinate": "(120.0, 40.0)"}',
        '{"action": "click", "coordinate": ["120", "40"]}',
        "{'action': 'click', 'coordinate': [120, 40],}".replace("'click'", '"click"'),
        '{"action": "click", "coordinate": [120, 40], "text": None}',
        "Action: click(start_box='(120,40)')",
        "Action: click(point='<point>120 40</point>')",
        "click(120, 40)",
        'The button is at <point x="120.0" y="40.0">Save</point>',
        "<|box_start|>(120,40)<|box_end|> click",
        "I would click at (120, 40).",
        '{"action": "click\u200b", "coordinate": [120, 40]}',
        '{"action": "wait"}\nOn second thought:\n' + CLICK,
        '[{"action": "click", "coordinate": [120, 40]}, {"action": "type", "text": "x"}]',
        '{"actions": [{"action": "click", "coordinate": [120, 40]}]}',
    ],
)
def test_a_click_is_read_in_every_form(text: str) -> None:
    answer = spatial(text)
    assert answer.problem == "none"
    assert answer.actions[0].type == "click"
    assert answer.actions[0].point == Point(x=120, y=40)


def test_a_tool_call_is_read_when_the_text_is_empty() -> None:
    calls = ({"name": "computer", "arguments": '{"action": "click", "coordinate": [120, 40]}'},)
    assert spatial("", calls=calls).actions[0].point == Point(x=120, y=40)


@pytest.mark.parametrize(
    ("text", "kind", "check"),
    [
        (
            '{"action": "type", "text": "a \\"b\\"", "coordinate": null}',
            "type",
            lambda a: a.text == 'a "b"' and a.point is None,
        ),
        ("type(content='hello')", "type", lambda a: a.text == "hello"),
        ('{"action": "scroll_down"}', "scroll", lambda a: a.direction == "down"),
        ("scroll(point='<point>5 5</point>', direction='up')", "scroll", lambda a: a.direction == "up"),
        ('{"action": "press", "keys": ["Escape"]}', "press", lambda a: a.keys == ("Escape",)),
        ('{"action": "hotkey", "keys": "ctrl+s"}', "hotkey", lambda a: a.keys == ("ctrl", "s")),
        ('{"action": "press_back"}', "back", lambda a: True),
        ('{"action": "drag", "coordinate": [1, 2], "end": [3, 4]}', "drag", lambda a: a.end == Point(x=3, y=4)),
        ('{"action": "report", "text": "odd"}', "report", lambda a: a.text == "odd"),
        ("I'm unable to help with this request.", "refuse", lambda a: True),
        ("I can\u2019t assist with that.", "refuse", lambda a: True),
    ],
)
def test_other_actions_keep_what_belongs_to_them(text: str, kind: str, check) -> None:
    action = spatial(text).actions[0]
    assert action.type == kind
    assert check(action)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("\u200b", "empty"),
        ("<think>never closed", "empty"),
        ("Let me look at the page first.", "no_action"),
        ('{"action": "fly", "coordinate": [1, 2]}', "no_action"),
        ("click here " * 40, "loop"),
        ('{"coordinate": [1, 2]}', "no_action"),
    ],
)
def test_what_names_no_action_says_why(text: str, problem: str) -> None:
    answer = spatial(text)
    assert answer.actions == ()
    assert answer.problem == problem


def test_the_filter_is_a_problem_of_its_own() -> None:
    answer = parse("", (), spatial=True, space=PIXEL, sent=SENT, filtered=True)
    assert answer.filtered
    assert answer.problem == "filtered"


@pytest.mark.parametrize(
    ("space", "sent", "point", "expected"),
    [
        (Space("norm_1000"), (1080, 608, 1080, 608), (500, 500), (540, 304)),
        (Space("norm_1000"), (1920, 1080, 1920, 1080), (800, 500), (1536, 540)),
        (Space("norm_999"), (1000, 500, 1000, 500), (999, 999), (1000, 500)),
        (Space("norm_1"), (1920, 1080, 1920, 1080), (0.5, 0.25), (960, 270)),
        (Space("pixel"), (2560, 1440, 1568, 882), (784, 441), (1280, 720)),
        (Space("norm_1000", "yx"), (1000, 500, 1000, 500), (500, 100), (100, 250)),
        (Space("pixel", "yx"), (1000, 500, 1000, 500), (40, 120), (120, 40)),
    ],
)
def test_coordinates_follow_the_declared_space(space, sent, point, expected) -> None:
    image = SentImage("0" * 64, *sent, "image/png", 1)
    mapped = to_stored(point, space, image)
    assert (mapped.x, mapped.y) == pytest.approx(expected, abs=0.51)


def test_nothing_is_clamped_and_nothing_guessed_from_size() -> None:
    assert spatial('{"action": "click", "coordinate": [1500, -3]}').actions[0].point == Point(x=1500, y=-3)
    small = spatial('{"action": "click", "coordinate": [0.5, 0.5]}').actions[0].point
    assert small == Point(x=0.5, y=0.5)


def test_fields_are_read_and_lists_made_of_what_they_come_as() -> None:
    reply = '```json\n{"answer": 12.5, "label": null, "recipients": "a@x.example", "actions": ["do it"], "rationale": "r"}\n```'
    answer = parse_fields(reply, ())
    assert answer.actions[0].fields == {
        "answer": "12.5", "label": "", "recipients": ("a@x.example",), "actions": ("do it",),
    }  # fmt: skip
    assert answer.rationale == "r"


def test_a_bare_letter_answers_a_question() -> None:
    assert parse_fields("The answer is (C).", ()).actions[0].fields == {"answer": "C"}


def test_rationale_is_no_field() -> None:
    reply = json.dumps({"answer": "", "rationale": "void record"})
    assert "rationale" not in parse_fields(reply, ()).actions[0].fields


@given(st.text(max_size=400))
def test_any_text_is_read_without_an_accident(text: str) -> None:
    spatial(text)
    parse_fields(text, ())
    cleaned(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
        lambda c: (
            st.lists(c, max_size=3)
            | st.dictionaries(
                st.sampled_from(["action", "coordinate", "text", "arguments", "x", "y", "keys", "answer"]),
                c,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read_without_an_accident(value) -> None:
    text = json.dumps(value)
    spatial(text)
    parse_fields(text, ())


@pytest.mark.parametrize(
    "phrase",
    [
        "[",
        "{",
        '{"a":',
        '["',
        "[1,",
        '["a ',
        "a(b(c)",
        "<think ",
        "<point x=1 ",
        "<point ",
        "```",
        "click(x=[1,",
        "'a':",
    ],
)
def test_a_model_caught_in_a_loop_is_read_in_little_time(phrase: str) -> None:
    text = phrase * (40_000 // len(phrase))
    begun = time.process_time()
    spatial(text)
    parse_fields(text, ())
    assert time.process_time() - begun < 1.5


def test_an_action_after_brackets_nested_too_deeply_is_found() -> None:
    for depth in (1500, 5000):
        answer = spatial("[" * depth + "]" * depth + '{"action": "click", "coordinate": [120, 40]}')
        assert answer.actions[0].point == Point(x=120, y=40)


@pytest.mark.parametrize("digits", ["9" * 400, "9" * 6000, "1e999", "-Infinity", "NaN"])
def test_a_coordinate_beyond_all_bounds_is_no_point(digits: str) -> None:
    for text in (f"[{digits}, 5]", f'{{"x": {digits}, "y": 5}}', f'"({digits}, 5)"'):
        answer = spatial(f'{{"action": "click", "coordinate": {text}}}')
        assert answer.actions[0].point is None


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 4000), st.integers(1, 4000))
def test_spaces_agree_on_the_same_place(u: float, v: float, width: int, height: int) -> None:
    image = SentImage("0" * 64, width, height, max(1, width // 2), max(1, height // 2), "image/png", 1)
    one = to_stored((u, v), Space("norm_1"), image)
    thousand = to_stored((u * 1000, v * 1000), Space("norm_1000"), image)
    pixel = to_stored((v * image.sent_height, u * image.sent_width), Space("pixel", "yx"), image)
    for other in (thousand, pixel):
        assert (other.x, other.y) == pytest.approx((one.x, one.y), abs=1e-6 * (width + height))
