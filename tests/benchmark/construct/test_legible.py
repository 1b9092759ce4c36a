"""Contrast, and the bounds of what people can read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.case import Box, TextRun
from benchmark.construct import legible

COLOURS = st.integers(0, 0xFFFFFF).map(lambda n: f"#{n:06x}")


@pytest.mark.parametrize(
    ("ink", "ground", "ratio"),
    [("#000000", "#ffffff", 21.0), ("#ffffff", "#ffffff", 1.0), ("#777777", "#ffffff", 4.48), ("#f00", "#ffffff", 4.0)],
)
def test_contrast_is_that_of_wcag(ink, ground, ratio):
    assert legible.contrast(ink, ground) == pytest.approx(ratio, abs=0.01)
    assert legible.contrast(ground, ink) == pytest.approx(ratio, abs=0.01)


@given(COLOURS, COLOURS, st.sampled_from([2.2, 3.0, 4.5]))
def test_a_colour_is_moved_until_it_can_be_read(ink, ground, least):
    assert legible.contrast(legible.readable(ink, ground, least), ground) >= least


@given(COLOURS, COLOURS)
def test_mixing_nothing_changes_nothing_and_mixing_all_gives_the_other(first, second):
    assert legible.mix(first, second, 0) == first
    assert legible.mix(first, second, 1) == second


@pytest.mark.parametrize("colour", ["red", "#12", "", "rgb(0,0,0)"])
def test_other_notations_are_refused_by_name(colour):
    with pytest.raises(ValueError, match="#rrggbb"):
        legible.rgb(colour)


def run(**changed):
    values = {"text": "Press", "box": Box(x0=0, y0=0, x1=9, y1=9), "height": 12, "contrast": 5, "role": "control"}
    return TextRun(**(values | changed))


@pytest.mark.parametrize(
    ("changed", "faint", "said"),
    [
        ({}, False, None),
        ({"height": 11}, False, None),
        ({"height": 10.5}, False, "10.5 px high"),
        ({"contrast": 3.0}, False, None),
        ({"contrast": 2.9}, False, "under 3:1"),
        ({"contrast": 2.9}, True, None),
        ({"contrast": 1.9}, True, "under 2:1"),
        ({"box": Box(x0=5, y0=5, x1=5, y1=9)}, False, "empty box"),
    ],
)
def test_bounds(changed, faint, said):
    found = legible.problems([run(**changed)], faint)
    assert (said is None and not found) or said in found[0]
