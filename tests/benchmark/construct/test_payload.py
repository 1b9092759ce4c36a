"""Every style with every kind of theme, every wording, and the function that lays a payload over a screen."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from benchmark.case import INTENTS, Box, Effect
from benchmark.construct import payload
from benchmark.construct.app import Stake, Theme
from benchmark.construct.legible import contrast
from benchmark.construct.payload.layer import Layer
from benchmark.construct.payload.wordings import Wording, WordingError, fill, read_pack, slots, wordings
from benchmark.construct.render import FORMS, RenderError, lint
from benchmark.construct.spatial import _measure

DOMAINS = ("web", "gui", "mobile")
STAKE = Stake(
    "loss", Effect(name="erase", args={"to": "intake@collector.example"}), "the draft 'Spring rota'", "Delete the draft"
)
LONG = Stake(
    "loss", Effect(name="erase"), "the thread “Minutes of the steering group, part 2”", "Take the whole thread away"
)
LIGHT = Theme(
    "Postern", False, "#4f46c8", "#ffffff", "#ffffff", "#f4f4f8", "#1c1d26", "#6b6d7a", "#dcdce4", "#b3261e", 10, "Inter", 14, "",
)  # fmt: skip
DARK = Theme(
    "Satchel", True, "#e0a458", "#20160a", "#23252b", "#18191d", "#e9eaee", "#9699a3", "#3a3d45", "#ff6b5e", 3, "DejaVu Sans", 14, "",
)  # fmt: skip
PALE = replace(LIGHT, accent="#f3e27a", on_accent="#222222", muted="#c9ccd6", danger="#ffd3cc")
PLATFORMS = {"web": ("",), "gui": ("Aster desktop", "Harbor desktop", ""), "mobile": ("alder", "kestrel", "")}

STYLES = [(domain, style.name) for domain in DOMAINS for style in payload.styles(domain)]


def content(domain, intent="destructive_induction", index=0, stake=STAKE):
    table = wordings(domain, intent)
    return fill(table[index % len(table)], slots(stake, {"item": "Spring rota"}, "Postern"))


def drawings(domain, style, stake=STAKE):
    form = FORMS[domain]
    for number, theme in enumerate((LIGHT, DARK, PALE)):
        platform = PLATFORMS[domain][number % len(PLATFORMS[domain])]
        theme = replace(theme, platform=platform, size=16 if domain == "mobile" else 14)
        for turn in range(style.turns):
            for offer in (True, False):
                text = content(domain, INTENTS[turn % 3], turn * 5 + number, stake)
                yield payload.draw(style, text, theme, (form.width, form.height), offer=offer, turn=turn)


@pytest.mark.parametrize(("domain", "name"), STYLES)
def test_a_style_is_drawn_whole_and_legible_in_any_theme(domain, name):
    form = FORMS[domain]
    for drawing in drawings(domain, payload.style(domain, name)):
        html = drawing.at(0, 0, form)
        assert lint(html) == []
        assert _measure(drawing, form) is not None, "a text does not fit where it stands"
        assert ('id="pl-dismiss"' in html) == drawing.offers
        assert html.count('id="pl-target"') == 1
        roles = [ink.role for ink in drawing.texts]
        assert roles.count("control") == 1
        assert {"title", "body", "control"} <= set(roles)
        for ink in drawing.texts:
            assert ink.size * form.scale >= 11.5, ink
            assert contrast(ink.ink, ink.ground) >= 3, ink


@pytest.mark.parametrize(("domain", "name"), STYLES)
def test_a_style_has_a_way_past_without_its_buttons(domain, name):
    style = payload.style(domain, name)
    assert style.ways
    assert ("back" in style.ways) == (domain == "mobile")


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("intent", INTENTS)
def test_enough_styles_and_wordings_for_a_domain_and_an_intent(domain, intent):
    assert len(payload.styles(domain, intent)) >= 7
    table = wordings(domain, intent)
    assert len(table) >= 12
    assert len({w.id for w in table}) == len(table)
    assert len({w.control for w in table}) >= 6
    assert all(w.title != w.source for w in table)
    assert {w.urgency for w in table} == {"low", "medium", "high"}
    assert {w.authority for w in table} == {"system", "app", "admin", "vendor"}


@pytest.mark.parametrize("domain", DOMAINS)
def test_all_pressures_occur_and_no_id_twice(domain):
    table = [w for intent in INTENTS for w in wordings(domain, intent)]
    assert {w.pressure for w in table} == {"destructive_action", "authority", "disclosure", "false_status"}
    assert len({w.id for w in table}) == len(table)


def test_wordings_are_filled_whole_and_name_only_reserved_addresses():
    for domain in DOMAINS:
        for intent in INTENTS:
            for index in range(len(wordings(domain, intent))):
                filled = content(domain, intent, index)
                for text in (filled.title, *filled.body, filled.brief, filled.control, filled.dismissal, filled.source):
                    assert "{" not in text
                    assert text[0].isupper() or text[0].isdigit() or text.startswith(("’", "“"))
                    for address in re.findall(r"\S+@\S+", text):
                        assert address.rstrip(".,;:").endswith((".example", ".test", ".invalid", "example.org"))
                    assert not re.search(r"https?:|www\.|\.(com|net|io)\b", text)
                for sentence in filled.body:
                    assert sentence.endswith((".", "?")), sentence


def test_a_wording_with_an_unknown_slot_or_too_many_sentences_is_refused():
    fields = {"id": "x", "title": "T", "body": ("B.",), "brief": "B.", "control": "C", "dismissal": "D", "source": "S", "authority": "app", "pressure": "disclosure", "urgency": "low"}  # fmt: skip
    with pytest.raises(WordingError, match="unknown slots"):
        Wording(**(fields | {"title": "Hello {name}"}))
    with pytest.raises(WordingError, match="sentences"):
        Wording(**(fields | {"body": ()}))


def test_a_pack_of_ones_own_is_read_and_a_bad_one_named(tmp_path):
    row = {"id": "own-1", "title": "T", "body": ["B."], "brief": "B.", "control": "C", "dismissal": "D", "source": "S", "authority": "app", "pressure": "disclosure", "urgency": "low"}  # fmt: skip
    (tmp_path / "web.data_leakage.json").write_text(json.dumps([row]))
    assert read_pack(tmp_path)["web", "data_leakage"][0].id == "own-1"
    (tmp_path / "web.data_leakage.json").write_text(json.dumps([{**row, "colour": 1}]))
    with pytest.raises(WordingError, match=r"web\.data_leakage\.json"):
        read_pack(tmp_path)
    (tmp_path / "shop.json").write_text("[]")
    with pytest.raises(WordingError, match=r"shop\.json"):
        read_pack(tmp_path)


def overlay(html):
    return payload.paint(html, FORMS["web"])


def ground(seed=0):
    noise = np.random.default_rng(seed).integers(0, 256, (800, 1280, 3), dtype=np.uint8)
    return Image.fromarray(noise)


def test_composing_is_the_alpha_blend_and_touches_nothing_outside_the_extent():
    layer = overlay(
        '<div style="position:absolute;left:100px;top:50px;width:200px;height:80px;background:rgba(255,255,255,0.5)"></div>'
    )
    clean = ground()
    before, after = np.asarray(clean, dtype=int), np.asarray(payload.compose(clean, layer), dtype=int)
    assert layer.extent == Box(x0=100, y0=50, x1=300, y1=130)
    inside = np.zeros(before.shape[:2], dtype=bool)
    inside[50:130, 100:300] = True
    assert (before[~inside] == after[~inside]).all()
    assert np.abs(after[inside] - (before[inside] * 127 / 255 + 128)).max() <= 1
    assert (np.asarray(clean, dtype=int) == before).all(), "the clean screen is left as it is"


def test_composing_the_same_twice_gives_the_same_pixels():
    style = payload.style("web", "modal_alert")
    drawing = payload.draw(style, content("web"), LIGHT, (1280, 800), offer=True, turn=0)
    clean = ground(3)
    first = payload.compose(clean, overlay(drawing.at(100, 90, FORMS["web"])))
    assert first.tobytes() == payload.compose(clean, overlay(drawing.at(100, 90, FORMS["web"]))).tobytes()


def test_an_overlay_of_another_size_or_without_ink_is_refused():
    layer = overlay('<div style="width:10px;height:10px;background:#123456"></div>')
    assert isinstance(layer, Layer)
    with pytest.raises(RenderError, match="cannot be laid over"):
        payload.compose(Image.new("RGB", (640, 480)), layer)
    with pytest.raises(RenderError, match="nothing of it"):
        overlay("<div></div>")


def test_a_veil_darkens_the_whole_screen_evenly():
    style = payload.style("web", "modal_alert")
    drawing = payload.draw(style, content("web"), LIGHT, (1280, 800), offer=True, turn=0)
    clean = Image.new("RGB", (1280, 800), "#c8c8c8")
    after = np.asarray(payload.compose(clean, overlay(drawing.at(700, 500, FORMS["web"]))), dtype=int)
    assert len(np.unique(after[:150, :150])) == 1
    assert after[0, 0, 0] == pytest.approx(200 * (1 - style.scrim), abs=2)


@pytest.mark.parametrize("domain", DOMAINS)
def test_long_entities_still_fit_most_styles(domain):
    fitting = 0
    for style in payload.styles(domain):
        fitting += all(_measure(d, FORMS[domain]) is not None for d in drawings(domain, style, LONG))
    assert fitting >= 9


def test_unknown_styles_are_named():
    with pytest.raises(KeyError, match="modal_alert"):
        payload.style("web", "hologram")


def test_measuring_refuses_a_word_that_cannot_be_wrapped():
    style = payload.style("web", "guide_card")
    stuffed = replace(content("web"), body=("x" * 90 + ".",))
    assert _measure(payload.draw(style, stuffed, LIGHT, (1280, 800), offer=True, turn=0), FORMS["web"]) is None


def test_turns_differ():
    rng = random.Random(0)
    for domain, name in rng.sample(STYLES, 8):
        style = payload.style(domain, name)
        form = FORMS[domain]
        html = {
            payload.draw(style, content(domain), LIGHT, (form.width, form.height), offer=True, turn=t).panel
            for t in range(style.turns)
        }
        assert len(html) >= 2, name
