"""What belongs together, in which order, how large and how legible: all pure."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.case import Box
from runner.reading.lines import Block, Line, Word, contrast, dump, group, letter_height, load, reading_order

BLACK, WHITE, RED = (0, 0, 0), (255, 255, 255), (200, 30, 30)


def line(text: str, x: int, y: int, width: int | None = None, size: float = 14, ink=BLACK, ground=WHITE) -> Line:
    """A line whose letters are `size` high, capitals starting at (x, y)."""
    wide = width if width is not None else round(len(text) * size * 0.5)
    return Line(text, Box(x0=x, y0=y, x1=x + wide, y1=y + round(size * 0.93)), 0.99, size, ink, ground)


def texts(blocks: tuple[Block, ...]) -> list[str]:
    return [block.text for block in blocks]


@pytest.mark.parametrize(
    ("ink", "ground", "ratio"),
    [
        (BLACK, WHITE, 21.0),
        (WHITE, WHITE, 1.0),
        ((119, 119, 119), WHITE, 4.48),
        (WHITE, (119, 119, 119), 4.48),
        ((255, 0, 0), WHITE, 4.0),
    ],
)
def test_contrast_is_that_of_the_accessibility_guidelines(ink, ground, ratio) -> None:
    assert contrast(ink, ground) == pytest.approx(ratio, abs=0.01)


@pytest.mark.parametrize(
    ("text", "ink"), [("some", 5.5), ("Delete", 7.3), ("Type", 9.3), ("gap", 7.5), ("1,240", 9.3), ("--", 7.3)]
)
def test_letter_height_allows_for_which_letters_a_line_has(text: str, ink: float) -> None:
    assert letter_height(text, ink) == pytest.approx(10.0)


def test_a_paragraph_is_one_block_and_its_heading_another() -> None:
    lines = [
        line("Storage is almost full", 40, 40, size=20),
        line("Free up space now to keep", 40, 76),
        line("your recent documents.", 40, 96),
    ]
    blocks = group(lines)
    assert texts(blocks) == ["Storage is almost full", "Free up space now to keep your recent documents."]
    assert blocks[1].box == Box(x0=40, y0=76, x1=40 + round(25 * 7.0), y1=96 + 13)
    assert blocks[1].height_px == 14


def test_centred_lines_are_one_block_though_their_edges_differ() -> None:
    assert texts(group([line("Allow access to", 100, 50, 120), line("your contacts?", 110, 70, 100)])) == [
        "Allow access to your contacts?"
    ]


@pytest.mark.parametrize(
    "below",
    [
        pytest.param(line("Second", 40, 100), id="too far down"),
        pytest.param(line("Second", 60, 60), id="indented"),
        pytest.param(line("Second", 40, 62, size=20), id="larger"),
        pytest.param(line("Second", 40, 60, ink=RED), id="another colour"),
        pytest.param(line("Second", 40, 60, ground=RED), id="on another ground"),
        pytest.param(line("Second", 200, 40), id="beside it"),
    ],
)
def test_what_is_not_the_next_line_of_a_paragraph_stays_apart(below: Line) -> None:
    assert len(group([line("First line of it", 40, 40), below])) == 2


def test_columns_of_text_do_not_run_into_each_other() -> None:
    left = [line("left one", 40, 40 + 20 * i) for i in range(3)]
    right = [line("right one", 400, 40 + 20 * i) for i in range(3)]
    mixed = [item for pair in zip(left, right) for item in pair]
    assert texts(group(mixed)) == ["left one left one left one", "right one right one right one"]


def test_menu_entries_stay_apart() -> None:
    entries = [line(name, 40, 40 + 30 * i) for i, name in enumerate(("Cut", "Copy", "Paste"))]
    assert texts(group(entries)) == ["Cut", "Copy", "Paste"]


def test_lines_at_one_height_are_read_from_left_to_right() -> None:
    lines = [line("c", 300, 41), line("below", 10, 90), line("a", 20, 40), line("b", 100, 43)]
    assert [item.text for item in reading_order(lines)] == ["a", "b", "c", "below"]


def words_line(text: str) -> Line:
    words = tuple(Word(word, Box(x0=50 * i, y0=0, x1=50 * i + 40, y1=10)) for i, word in enumerate(text.split()))
    return Line(text, Box(x0=0, y0=0, x1=50 * len(words), y1=10), 0.9, 12.0, BLACK, WHITE, words)


@pytest.mark.parametrize(
    ("phrase", "span"),
    [
        ("Edit", (50, 90)),
        ("edit", (50, 90)),
        ("View page", (100, 190)),
        ("Format.", (200, 240)),
        ("page view", None),
        ("Form", None),
        ("", None),
        ("Edit View page Format Help More", None),
    ],
)
def test_a_label_is_found_again_in_a_line_that_swallowed_it(phrase: str, span: tuple[int, int] | None) -> None:
    box = words_line("File Edit View page Format Help").find(phrase)
    assert (None if box is None else (box.x0, box.x1)) == span


boxes = st.builds(
    lambda x, y, w, h: Box(x0=x, y0=y, x1=x + w, y1=y + h),
    st.integers(0, 2000), st.integers(0, 2000), st.integers(1, 600), st.integers(1, 80),
)  # fmt: skip
colour = st.tuples(*[st.integers(0, 255)] * 3)
any_line = st.builds(
    Line, st.text(min_size=1, max_size=20), boxes, st.floats(0, 1), st.floats(1, 200), colour, colour,
    st.lists(st.builds(Word, st.text(max_size=5), boxes), max_size=3).map(tuple),
)  # fmt: skip


@settings(deadline=None)
@given(st.lists(any_line, max_size=12))
def test_lines_survive_being_stored(lines: list[Line]) -> None:
    assert load(json.loads(json.dumps(dump(lines)))) == tuple(lines)


@settings(deadline=None)
@given(st.lists(any_line, max_size=12))
def test_grouping_keeps_every_line_exactly_once(lines: list[Line]) -> None:
    grouped = [item for block in group(lines) for item in block.lines]
    assert sorted(grouped, key=repr) == sorted(lines, key=repr)


@settings(deadline=None)
@given(st.lists(any_line, max_size=10, unique_by=lambda item: (item.box.y0, item.box.x0)))
def test_reading_order_is_a_permutation(lines: list[Line]) -> None:
    assert sorted(reading_order(lines), key=repr) == sorted(lines, key=repr)
