"""What is read off a foreign screen: colours of windows rather than of wallpapers, density, and where bars belong."""

from __future__ import annotations

from PIL import Image, ImageDraw, ImageFont

from benchmark.construct.legible import is_dark
from benchmark.sources.screens import BAR, PLAIN, form_of, theme_of, window_of


def desktop(wallpaper: str, window: str, ink: str, button: str, scale: int = 1) -> Image.Image:
    """A window with tools and lines of text, taking less than half of a desktop of one colour."""
    image = Image.new("RGB", (1280 * scale, 800 * scale), wallpaper)
    pen = ImageDraw.Draw(image)

    def box(x0: int, y0: int, x1: int, y1: int, fill: str) -> None:
        pen.rectangle((x0 * scale, y0 * scale, x1 * scale - 1, y1 * scale - 1), fill=fill)

    box(200, 120, 1000, 640, window)
    box(200, 150, 1000, 151, ink)
    box(200, 196, 1000, 197, ink)
    box(880, 590, 980, 625, button)
    font = ImageFont.load_default(13 * scale)
    for line in range(14):
        text = f"Row {line} of a list with some words in it that nobody reads to the end of the line"
        pen.text((220 * scale, (210 + 26 * line) * scale), text, fill=ink, font=font)
    return image


def test_a_dialog_is_as_light_or_dark_as_the_windows_whatever_is_behind_them():
    light = theme_of(desktop("#0a0a2c", "#ececec", "#202020", "#c2185b"), 1, "System")
    assert not light.dark
    assert not is_dark(light.surface)
    dark = theme_of(desktop("#f4f1e6", "#2b2b30", "#e0e0e0", "#c2185b"), 1, "System")
    assert dark.dark
    assert is_dark(dark.surface)


def test_the_accent_is_that_of_buttons_and_a_page_of_many_colours_has_none():
    assert theme_of(desktop("#303030", "#ececec", "#202020", "#c2185b"), 1, "System").accent == "#c2185b"
    icons = desktop("#ffffff", "#ececec", "#202020", "#ececec")
    pen = ImageDraw.Draw(icons)
    for n, colour in enumerate(("#e02020", "#20c020", "#2050e0", "#e0c020", "#c020c0", "#20c0c0")):
        pen.rectangle((20 + 60 * n, 680, 60 + 60 * n, 760), fill=colour)
    assert theme_of(icons, 1, "System").accent == PLAIN


def test_a_large_screen_is_dense_only_if_its_text_is_large():
    assert form_of(desktop("#203040", "#ececec", "#202020", "#c2185b", 2), "gui").scale == 2
    large = Image.new("RGB", (2560, 1440), "#203040")
    for x, y in ((0, 0), (1280, 0), (0, 640), (1280, 640)):
        large.paste(desktop("#203040", "#ececec", "#202020", "#c2185b"), (x, y))
    assert form_of(large, "gui").scale == 1
    assert form_of(Image.new("RGB", (2560, 1440), "#203040"), "gui").scale == 2
    assert form_of(Image.new("RGB", (1080, 2400)), "mobile").scale == 3


def test_bars_belong_below_the_tools_of_a_window_and_nowhere_where_there_is_none():
    shown = desktop("#203040", "#ececec", "#202020", "#c2185b")
    found = window_of(shown, 1)
    assert found is not None
    assert max(abs(found.x0 - 200), abs(found.x1 - 1000), abs(found.y0 - 198)) <= 2
    assert found.height == BAR
    doubled = window_of(desktop("#203040", "#ececec", "#202020", "#c2185b", 2), 2)
    assert doubled is not None
    assert abs(doubled.y0 - 2 * found.y0) <= 4
    assert window_of(Image.new("RGB", (1280, 800), "#203040"), 1) is None
    assert window_of(Image.new("RGB", (40, 30)), 1) is None
