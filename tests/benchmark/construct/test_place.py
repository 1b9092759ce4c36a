"""Where payloads may stand, on screens with and without boxes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from benchmark.case import Box, Point
from benchmark.construct.legible import contrast, is_dark
from benchmark.construct.place import (
    CLEARANCE,
    EdgeMap,
    Shape,
    choose,
    constant_answers,
    guess_theme,
    position_of,
    room,
    spots_of,
)
from benchmark.construct.render import FORMS, Form

FORM = FORMS["web"]
FRAME = Box(x0=0, y0=0, x1=1280, y1=800)
SHAPE = Shape(
    400, 200, Box(x0=0, y0=0, x1=400, y1=200), Box(x0=240, y0=140, x1=380, y1=180), Box(x0=120, y0=140, x1=220, y1=180)
)
ANCHORS = (
    "center", "free", "top", "bottom", "bar", "left", "right", "hang", "window", "top_left", "top_right",
    "bottom_left", "bottom_right", "top_center", "bottom_center",
)  # fmt: skip


def text_block(box, size=(1280, 800)):
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for y in range(box.y0, box.y1, 16):
        draw.text((box.x0, y), "word " * (box.width // 32), fill="black")
    return image


def place(edges, *, anchors=("free",), clear=(), planned=None, aim=None, covers=None, seed=0, inside=None):
    return choose(
        SHAPE, anchors, FORM, edges, clear=clear, planned=planned, aim=aim, covers=covers, margin=16,
        rng=random.Random(seed), inside=inside,
    )  # fmt: skip


BLANK = EdgeMap(Image.new("RGB", (1280, 800), "white"))


def test_text_is_busier_than_blank_and_outside_the_screen_is_nothing():
    edges = EdgeMap(text_block(Box(x0=100, y0=100, x1=600, y1=400)))
    assert edges.density(Box(x0=120, y0=120, x1=560, y1=380)) > 0.3
    assert edges.density(Box(x0=700, y0=500, x1=1200, y1=780)) == 0
    assert edges.density(Box(x0=2000, y0=2000, x1=2100, y1=2100)) == 0


@pytest.mark.parametrize("anchor", ANCHORS)
def test_every_anchor_keeps_a_panel_on_the_screen(anchor):
    area = Box(x0=84, y0=36, x1=1280, y1=760)
    found = list(spots_of(anchor, area, 400, 200, 16))
    assert found
    for x, y, usual in found:
        assert Box(x0=x, y0=y, x1=x + 400, y1=y + 200).inside(area)
        assert 0 <= usual <= 1


@pytest.mark.parametrize("anchor", ANCHORS)
def test_a_panel_larger_than_the_screen_has_no_place(anchor):
    assert not list(spots_of(anchor, FRAME, 1400, 200, 16))


boxes = st.builds(
    lambda x, y, w, h: Box(x0=x, y0=y, x1=min(x + w, 1280), y1=min(y + h, 800)),
    st.integers(0, 1200), st.integers(0, 760), st.integers(8, 500), st.integers(8, 300),
)  # fmt: skip


@given(st.lists(boxes, max_size=6), boxes, st.sampled_from([True, False, None]), st.integers(0, 99))
def test_the_control_keeps_clear_of_everything_and_of_constant_answers(clear, planned, covers, seed):
    aim = planned.center
    spot = place(BLANK, clear=clear, planned=planned, aim=aim, covers=covers, seed=seed)
    if spot is None:
        return
    assert spot.panel.inside(FRAME)
    assert spot.target.inside(spot.panel)
    assert all(spot.target.gap(box) >= CLEARANCE for box in (*clear, planned))
    assert not any(spot.target.contains(point) for point in constant_answers(1280, 800))
    assert spot.covers == spot.panel.contains(aim)
    if covers is not None:
        assert spot.covers == covers


def test_a_calm_place_is_preferred_and_the_same_seed_gives_the_same_place():
    edges = EdgeMap(text_block(Box(x0=0, y0=0, x1=1280, y1=420)))
    spot = place(edges)
    assert spot.panel.y0 >= 380
    assert place(edges) == spot


def test_a_place_inside_bounds_respects_them():
    inside = Box(x0=84, y0=300, x1=1280, y1=800)
    assert place(BLANK, anchors=("top_right",), inside=inside).panel.y0 >= 300


def test_nothing_is_returned_where_the_rules_leave_no_place():
    assert place(BLANK, clear=[FRAME]) is None


@pytest.mark.parametrize(
    ("box", "anchor", "expected"),
    [
        (Box(x0=0, y0=0, x1=1280, y1=60), "bar", "top"),
        (Box(x0=0, y0=300, x1=1280, y1=360), "bar", "inline"),
        (Box(x0=0, y0=740, x1=1280, y1=800), "bar", "bottom"),
        (Box(x0=880, y0=0, x1=1280, y1=800), "right", "right"),
        (Box(x0=0, y0=0, x1=400, y1=800), "left", "left"),
        (Box(x0=440, y0=280, x1=840, y1=520), "center", "center"),
        (Box(x0=860, y0=560, x1=1260, y1=780), "bottom_right", "bottom"),
        (Box(x0=60, y0=300, x1=400, y1=500), "free", "left"),
    ],
)
def test_positions_are_named(box, anchor, expected):
    assert position_of(box, FRAME, anchor) == expected


def test_room_is_more_on_a_calm_screen_and_none_where_everything_is_to_be_kept_clear():
    busy = EdgeMap(text_block(Box(x0=0, y0=0, x1=1280, y1=800)))
    assert room(FORM, BLANK, []) > room(FORM, busy, []) + 0.2
    assert room(FORM, BLANK, [FRAME]) == 0


@pytest.mark.parametrize(
    ("ground", "accent", "dark"),
    [("#ffffff", "#d0332c", False), ("#15181d", "#3fb27f", True), ("#f2ead8", "#2457c5", False)],
)
def test_a_theme_is_guessed_from_pixels(ground, accent, dark):
    image = Image.new("RGB", (1600, 900), ground)
    draw = ImageDraw.Draw(image)
    draw.rectangle((40, 40, 300, 120), fill=accent)
    for y in range(200, 800, 30):
        draw.line((60, y, 1200, y), fill="#888888", width=6)
    theme = guess_theme(image, 1, app_name="Desk")
    assert theme.dark == dark
    assert is_dark(theme.surface) == dark
    assert contrast(theme.text, theme.surface) > 7
    assert contrast(theme.accent, accent) < 1.2
    assert theme.app_name == "Desk"


def test_a_theme_can_be_guessed_from_a_single_colour_and_a_single_pixel():
    assert guess_theme(Image.new("RGB", (1, 1), "black")).dark
    assert guess_theme(Image.new("RGB", (50, 3), "white"), 2).accent.startswith("#")


def test_points_of_stored_pixels_scale_with_the_form():
    form = Form(360, 800, 3)
    edges = EdgeMap(Image.new("RGB", form.size, "white"), 3)
    shape = Shape(300, 200, Box(x0=0, y0=0, x1=900, y1=600), Box(x0=60, y0=420, x1=840, y1=540), None)
    spot = choose(
        shape, ("center",), form, edges, clear=(), planned=None, aim=Point(x=5, y=5), covers=False, margin=0,
        rng=random.Random(1),
    )  # fmt: skip
    assert spot.panel.x0 == spot.x * 3
    assert spot.panel.width == 900
