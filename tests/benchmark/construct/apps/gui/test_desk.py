"""What the desk does for every app on it: looks, putting a window aside, menus, and windows behind."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from benchmark.construct.app import Event
from benchmark.construct.apps import apps
from benchmark.construct.apps.gui import files
from benchmark.construct.apps.gui.desk import LOOKS, SPOTS, snip
from benchmark.construct.render import layout, outline

APP = files.APP
START = APP.goals[0].make(APP.goals[0].sample(random.Random("desk"))).start


def ids(state):
    return [item.id for item in outline(APP.view(state))]


def test_a_window_put_aside_can_only_be_called_back():
    aside = APP.step(START, Event("click", "win-min"))
    assert ids(aside) == ["dock-self"]
    assert APP.step(aside, Event("click", "dock-self")) == START


def test_a_menu_opens_closes_on_escape_and_on_a_click_elsewhere():
    chosen = next(e for e in START.entries if not e.binned and e.home == "Home")
    opened = APP.step(START, Event("right_click", f"row-{chosen.key}"))
    assert "menu" in ids(opened)
    assert "menu" not in ids(APP.step(opened, Event("press", None, "Escape")))
    assert "menu" not in ids(APP.step(opened, Event("click", "side-home")))


@pytest.mark.parametrize("app", [pytest.param(a, id=a.name) for a in apps("gui")])
def test_a_window_lies_on_the_screen_in_every_look_and_place(app):
    start = app.goals[0].make(app.goals[0].sample(random.Random("looks"))).start
    pages = set()
    for look in LOOKS:
        for spot in range(len(SPOTS)):
            place = app.place(replace(start, look=look, backdrop=spot))
            floor = 1080 if look.startswith("aster") else 1026
            assert place.x >= 0
            assert place.y >= 0
            assert place.x + place.width <= 1920
            assert place.y + place.height <= floor
        pages.add(app.view(replace(start, look=look)) + app.css(replace(start, look=look)))
        assert app.theme(replace(start, look=look)).dark == look.endswith("dark")
    assert len(pages) == len(LOOKS)


def test_elements_stay_inside_the_window_or_the_dock():
    place = APP.place(START)
    for element in layout(APP.view(START), APP.form, APP.css(START)):
        inside = place.x <= element.box.x0 and element.box.x1 <= place.x + place.width
        assert inside or element.id == "dock-self", element


def test_windows_behind_differ_by_backdrop_and_cannot_be_acted_on():
    views = [APP.view(replace(START, backdrop=n, aside=True)) for n in range(6)]
    assert len(set(views)) == 6
    assert all([item.id for item in outline(view)] == ["dock-self"] for view in views)


@pytest.mark.parametrize(
    ("text", "length", "cut"),
    [("short", 10, "short"), ("one two three", 12, "one two ..."), ("one, two", 7, "one ...")],
)
def test_long_texts_are_cut_between_words(text, length, cut):
    assert snip(text, length) == cut
