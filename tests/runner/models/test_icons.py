"""Icons on screens: found by their edges, named by their shape, and left nameless where they look like nothing known."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from benchmark.case import Box
from benchmark.construct.icons import icon
from benchmark.construct.render import Form, screen
from runner.models.iconography import ICONS, Mark, named
from runner.models.icons import icons, is_sign
from runner.models.panels import panels
from runner.reading.lines import Line

MEANING = {
    "trash": "bin", "close": "cross", "check": "tick", "plus": "plus", "more": "more", "more_vertical": "more",
    "send": "plane", "edit": "pencil", "search": "magnifier", "heart": "heart", "bookmark": "bookmark", "lock": "lock",
    "share": "nodes", "save": "disk", "mail": "envelope", "archive": "case", "folder": "folder", "download": "download",
    "upload": "upload", "reply": "reply", "forward": "forward", "eye_off": "closed_eye",
}  # fmt: skip


def on_screen(name: str, size: int, ink: str, ground: str) -> Image.Image:
    """A screen of 200 x 120 with one icon in its middle."""
    left, top = (200 - size) // 2, (120 - size) // 2
    html = (
        f'<body style="margin:0;background:{ground}"><div style="position:absolute;left:{left}px;top:{top}px;'
        f'width:{size}px;height:{size}px">{icon(name, size, ink)}</div></body>'
    )
    return screen(html, Form(200, 120)).image


def line(text: str, box: Box, ground: tuple[int, int, int] = (255, 255, 255)) -> Line:
    return Line(text, box, 0.9, float(box.height), (0, 0, 0), ground)


@pytest.mark.parametrize("name", sorted(MEANING))
@pytest.mark.parametrize(
    ("size", "ink", "ground"), [(18, "#222222", "#ffffff"), (26, "#e6e9ef", "#171a21"), (60, "#0a66c2", "#f4f5f7")]
)
def test_a_common_icon_has_its_meaning(name, size, ink, ground):
    image = on_screen(name, size, ink, ground)
    margin = 2
    box = Box(
        x0=(200 - size) // 2 - margin, y0=(120 - size) // 2 - margin,
        x1=(200 + size) // 2 + margin, y1=(120 + size) // 2 + margin,
    )  # fmt: skip
    assert [mark.name for mark in named(image, [box])] == [MEANING[name]]


def test_scribbles_letters_and_empty_places_have_no_name():
    image = Image.new("RGB", (200, 60), "white")
    draw = ImageDraw.Draw(image)
    draw.polygon([(10, 10), (40, 14), (22, 44)], fill="black")
    draw.rectangle((60, 10, 90, 40), fill=(90, 120, 200))
    boxes = [Box(x0=8, y0=8, x1=44, y1=48), Box(x0=58, y0=8, x1=93, y1=43), Box(x0=120, y0=8, x1=150, y1=40)]
    assert [mark.name for mark in named(image, boxes)] == ["", "", ""]


def test_a_switch_is_known_by_its_knob():
    image = Image.new("RGB", (120, 60), "white")
    draw = ImageDraw.Draw(image)
    draw.rounded_rectangle((20, 18, 62, 42), 12, fill=(80, 160, 240))
    draw.ellipse((41, 21, 59, 39), fill="white")
    mark = named(image, [Box(x0=20, y0=18, x1=63, y1=43)])[0]
    assert mark.name == "switch"


def test_text_is_no_icon_and_icons_beside_it_are_found():
    image = on_screen("trash", 24, "#222222", "#ffffff")
    ImageDraw.Draw(image).text((10, 52), "Delete", fill="black")
    text = line("Delete", Box(x0=9, y0=52, x1=50, y1=64))
    found = icons(image, [text])
    assert len(found) == 1
    assert found[0].inside(Box(x0=80, y0=40, x1=120, y1=80))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("X", True), ("⋮", True), ("↑↓", True), ("7", False), ("OK", False), ("No", False), ("", False)],
)
def test_what_is_read_in_a_drawn_thing(text, expected):
    assert is_sign(text) is expected


def test_every_icon_has_words():
    assert all(words.split() and strokes for words, strokes in ICONS.values())
    assert Mark(Box(x0=0, y0=0, x1=1, y1=1)).words == ()


def test_a_line_stands_on_the_patch_of_its_colour():
    image = Image.new("RGB", (400, 300), (240, 240, 240))
    draw = ImageDraw.Draw(image)
    draw.rectangle((100, 80, 299, 219), fill=(255, 255, 255))
    draw.text((120, 100), "On a card", fill="black")
    draw.text((10, 10), "On the ground", fill="black")
    on_card = line("On a card", Box(x0=120, y0=100, x1=180, y1=112))
    outside = line("On the ground", Box(x0=10, y0=10, x1=90, y1=22), (240, 240, 240))
    card, ground = panels(image, [on_card, outside])
    assert abs(card.x0 - 100) <= 4
    assert abs(card.y1 - 220) <= 4
    assert ground.width >= 396
    assert ground.height >= 296
