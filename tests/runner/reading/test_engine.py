"""The engine on screens drawn for the purpose: texts, boxes, sizes and colours against what was drawn."""

from __future__ import annotations

import difflib
import random

import numpy as np
import pytest
from PIL import Image

from benchmark.case import Box
from benchmark.construct.render import FORMS, Form, Screen, screen
from runner.reading.engine import Engine, colours, main_rows, regions, search_scale, word_bounds
from runner.reading.lines import Line
from runner.reading.settings import Settings


@pytest.fixture(scope="module")
def engine() -> Engine:
    pytest.importorskip("rapidocr", reason="the extra 'reference' is not installed")
    return Engine(Settings())


def read(engine: Engine, image: Image.Image) -> list[Line]:
    return engine.read(np.asarray(image.convert("RGB")))


def said(lines: list[Line]) -> list[str]:
    return [line.text for line in lines]


def div(id: str, text: str, style: str) -> str:
    return f'<div id={id} data-role=text style="white-space:nowrap;{style}">{text}</div>'


SMALL = Form(640, 400)

DIALOG = f"""
<div style="width:640px;height:400px;background:#20242c;padding:40px">
 <div style="background:#ffffff;color:#1c1c22;width:440px;padding:16px;border-radius:8px">
  {div("title", "Storage is almost full", "font-size:18px;font-weight:700")}
  <div id=body data-role=text style="font-size:13px;margin-top:8px;color:#6b7280">Free up space now to avoid losing your
   recent documents. Items in the shared folder will be removed after you confirm.</div>
  <div style="display:flex;margin-top:14px">
   <div style="border:1px solid #b0b0b0;padding:6px 12px;margin-right:8px">{div("no", "Cancel", "font-size:13px")}</div>
   <div style="background:#c0392b;color:#ffffff;padding:6px 12px">{div("yes", "Delete now", "font-size:13px")}</div>
  </div>
 </div>
</div>"""


@pytest.fixture(scope="module")
def dialog(engine: Engine) -> tuple[Screen, list[Line]]:
    drawn = screen(DIALOG, SMALL)
    return drawn, read(engine, drawn.image)


def test_a_dialog_is_read_as_it_was_written(dialog: tuple[Screen, list[Line]]) -> None:
    assert " ".join(said(dialog[1])) == (
        "Storage is almost full Free up space now to avoid losing your recent documents. Items in the shared folder "
        "will be removed after you confirm. Cancel Delete now"
    )


@pytest.mark.parametrize(
    ("id", "text", "size", "ratio"),
    [("title", "Storage is almost full", 18, 16.9), ("no", "Cancel", 13, 16.9), ("yes", "Delete now", 13, 5.4)],
)
def test_box_size_and_contrast_of_a_line(dialog, id: str, text: str, size: float, ratio: float) -> None:
    drawn, lines = dialog
    (line,) = [item for item in lines if item.text == text]
    around = drawn.element(id).box
    assert line.box.inside(around.grown(2))
    assert around.contains(line.box.center)
    assert line.height_px == pytest.approx(size, rel=0.15)
    assert line.contrast == pytest.approx(ratio, rel=0.25)
    assert line.confidence > 0.9


def test_buttons_side_by_side_are_lines_of_their_own(dialog) -> None:
    assert {"Cancel", "Delete now"} <= set(said(dialog[1]))


def test_a_tool_bar_is_cut_at_its_gaps_and_a_menu_bar_by_its_words(engine: Engine) -> None:
    def bar(names: str, gap: int) -> str:
        labels = "".join(div(name.lower(), name, f"font-size:13px;margin-right:{gap}px") for name in names.split())
        return f'<div style="display:flex;padding:12px">{labels}</div>'

    body = bar("Archive Report Move Delete", 18) + '<div style="height:40px"></div>' + bar("File Edit View Insert", 9)
    drawn = screen(f'<div style="width:640px;height:400px;background:#f4f4f6;color:#222">{body}</div>', SMALL)
    lines = read(engine, drawn.image)
    assert {"Archive", "Report", "Move", "Delete"} <= set(said(lines))
    for name in ("File", "Edit", "View", "Insert"):
        (box,) = [found for line in lines if (found := line.find(name))]
        assert box.inside(drawn.element(name.lower()).box.grown(3))


def test_text_turned_a_little_is_read(engine: Engine) -> None:
    drawn = screen(
        f'<div style="width:640px;height:400px;background:#fff;padding:150px 120px;color:#a11">'
        f"{div('stamp', 'RETURN TO SENDER', 'font-size:26px;font-weight:700')}</div>",
        SMALL,
    )
    turned = drawn.image.rotate(9, Image.Resampling.BICUBIC, fillcolor=(255, 255, 255))
    (line,) = read(engine, turned)
    assert line.text == "RETURN TO SENDER"
    assert line.box.contains(drawn.element("stamp").box.center)


def test_words_of_a_screen_are_read(engine: Engine) -> None:
    rng = random.Random("words of a screen")
    vocabulary = ("account", "transfer", "update", "security", "permission", "remove", "cancel", "settings", "invoice")
    rows = [
        (" ".join(rng.choice(vocabulary) for _ in range(rng.randint(1, 4))).capitalize(), rng.choice([11, 12, 13, 15]))
        for _ in range(12)
    ]
    body = "".join(div(f"t{i}", text, f"font-size:{size}px;height:30px") for i, (text, size) in enumerate(rows))
    drawn = screen(
        f'<div style="width:640px;height:400px;background:#17181d;color:#d6d6da;padding:12px">{body}</div>', SMALL
    )
    lines = read(engine, drawn.image)
    for i, (text, _) in enumerate(rows):
        box = drawn.element(f"t{i}").box
        found = " ".join(line.text for line in lines if box.contains(line.box.center))
        assert difflib.SequenceMatcher(None, found, text).ratio() >= 0.95, (text, found)


@pytest.mark.parametrize("size", [(1, 1), (3, 900), (900, 3), (40, 40)])
def test_images_without_room_for_text_say_nothing(engine: Engine, size: tuple[int, int]) -> None:
    assert read(engine, Image.new("RGB", size, (90, 120, 200))) == []


def test_noise_is_read_without_breaking(engine: Engine) -> None:
    noise = np.random.default_rng(5).integers(0, 256, (200, 300, 3), dtype=np.uint8)
    assert all(line.box.inside(Box(x0=0, y0=0, x1=300, y1=200)) for line in engine.read(noise))


def test_the_same_pixels_are_read_the_same(engine: Engine, dialog) -> None:
    assert read(engine, dialog[0].image) == dialog[1]


def test_regions_are_cut_along_what_is_empty_whatever_its_colour() -> None:
    grey = np.full((300, 400), 240, np.uint8)
    grey[:, :120] = 40
    for x, y in [(20, 20), (20, 140), (200, 20), (200, 220)]:
        grey[y : y + 12, x : x + 60 : 3] = 128
    assert sorted((x0, y0) for x0, y0, _, _ in regions(grey, gap=32, quiet=12)) == [
        (20, 20), (20, 140), (200, 20), (200, 220),
    ]  # fmt: skip


def test_grain_alone_is_no_region() -> None:
    rng = np.random.default_rng(1)
    grain = np.clip(rng.normal(200, 4, (300, 300)), 0, 255).astype(np.uint8)
    assert regions(grain, gap=32, quiet=12) == []


@pytest.mark.parametrize(
    ("size", "scale"),
    [
        ((1280, 800), 1.0),
        ((1920, 1080), 1600 / 1920),
        ((1080, 2400), 1280 / 2400),
        ((640, 360), 1.5),
        ((300, 200), 2.0),
    ],
)
def test_the_scale_of_the_search_follows_the_form_of_the_screen(size: tuple[int, int], scale: float) -> None:
    assert search_scale(*size, Settings()) == pytest.approx(scale)


def columns(pattern: str) -> np.ndarray:
    return np.array([c == "#" for c in pattern])


@pytest.mark.parametrize(
    ("pattern", "lengths", "bounds"),
    [
        ("##.##...##.#", [2, 2], [(0, 5), (8, 12)]),
        ("##.##.##", [6], [(0, 8)]),
        ("#...#..#...#", [1, 2, 1], [(0, 1), (4, 8), (11, 12)]),
        ("############", [5, 6], [(0, 5), (6, 12)]),
        ("", [3], [(0, 0)]),
    ],
)
def test_words_are_parted_at_the_widest_gaps(pattern: str, lengths: list[int], bounds: list[tuple[int, int]]) -> None:
    assert word_bounds(columns(pattern), lengths) == bounds


@pytest.mark.parametrize(
    ("pattern", "rows"),
    [
        ("...#######...", (3, 10)),
        (".#.######....", (1, 9)),
        ("##..######...", (4, 10)),
        ("...######..##", (3, 9)),
        (".....", (0, 5)),
    ],
)
def test_ink_of_the_lines_above_and_below_is_not_this_lines(pattern: str, rows: tuple[int, int]) -> None:
    assert main_rows(columns(pattern)) == rows


def test_colours_are_those_of_letters_and_ground() -> None:
    crop = np.full((20, 80, 3), (250, 250, 240), np.uint8)
    crop[5:15, 4:76:4] = (180, 20, 30)
    assert colours(crop) == ((180, 20, 30), (250, 250, 240))


def test_a_whole_web_screen_takes_the_forms_size(engine: Engine) -> None:
    form = FORMS["mobile"]
    body = div("a", "Airplane mode", "font-size:15px;padding:60px 20px")
    drawn = screen(f'<div style="width:{form.width}px;height:{form.height}px;background:#fff">{body}</div>', form)
    (line,) = read(engine, drawn.image)
    assert line.text == "Airplane mode"
    assert line.height_px == pytest.approx(15 * form.scale, rel=0.15)
    assert line.box.inside(drawn.element("a").box)
