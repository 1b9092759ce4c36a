"""Empty text fields are found by their frames, and only they."""

from __future__ import annotations

import pytest
from PIL import Image, ImageDraw

from benchmark.case import Box
from runner.models.fields import fields
from runner.reading.lines import Line

DARK, LIGHT = (28, 32, 40), (255, 255, 255)
FRAME = {DARK: (58, 64, 76), LIGHT: (208, 212, 220)}


def line(text: str, x: int, y: int, width: int = 120, height: int = 16) -> Line:
    return Line(text, Box(x0=x, y0=y, x1=x + width, y1=y + height), 0.9, float(height), (0, 0, 0), LIGHT)


def screen(ground: tuple[int, int, int]) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    image = Image.new("RGB", (1280, 800), ground)
    return image, ImageDraw.Draw(image)


LABELS = (line("Name", 100, 60), line("Address", 100, 160), line("Save", 100, 260))


@pytest.mark.parametrize("ground", [LIGHT, DARK])
@pytest.mark.parametrize("radius", [0, 6])
@pytest.mark.parametrize("thick", [1, 2])
def test_a_frame_with_nothing_in_it_is_a_field(ground: tuple[int, int, int], radius: int, thick: int) -> None:
    image, draw = screen(ground)
    draw.rounded_rectangle((100, 180, 520, 219), radius, outline=FRAME[ground], width=thick)
    (found,) = fields(image, LABELS)
    assert abs(found.center.x - 310) <= 3
    assert abs(found.center.y - 200) <= 3


def test_a_cursor_does_not_fill_a_field() -> None:
    image, draw = screen(DARK)
    draw.rectangle((100, 180, 520, 219), outline=FRAME[DARK])
    draw.line((110, 188, 110, 210), fill=(230, 230, 230), width=2)
    assert len(fields(image, (*LABELS, line("|", 108, 186, 4, 24)))) == 1


def test_a_field_with_words_is_found_by_its_words() -> None:
    image, draw = screen(LIGHT)
    draw.rectangle((100, 180, 520, 219), outline=FRAME[LIGHT])
    draw.text((112, 190), "milan@marlow.example", fill=(30, 30, 30), font_size=18)
    assert fields(image, (*LABELS, line("milan@marlow.example", 112, 190, 190, 18))) == ()


@pytest.mark.parametrize(
    "shape",
    [
        (100, 180, 180, 219),  # a button or a swatch: not long enough
        (100, 180, 520, 190),  # a bar of progress: too low
        (100, 180, 520, 480),  # a card: too high
    ],
)
def test_other_frames_are_no_fields(shape: tuple[int, int, int, int]) -> None:
    image, draw = screen(LIGHT)
    draw.rectangle(shape, outline=FRAME[LIGHT])
    assert fields(image, LABELS) == ()


def test_ruled_lines_are_no_fields() -> None:
    image, draw = screen(LIGHT)
    for y in range(180, 500, 40):
        draw.line((100, y, 520, y), fill=FRAME[LIGHT])
    assert fields(image, LABELS) == ()


def test_nothing_read_nothing_found() -> None:
    assert fields(screen(LIGHT)[0], ()) == ()
