"""What every app of every interactive domain must keep to, whatever it shows.

The tests are generic over `apps(domain)` and named by domain and app, so `-k web` or `-k mobile-clock` selects. They
play goals by clicking, let a wanderer loose, and compare the boxes that hit-testing relies on with painted pixels.
"""

from __future__ import annotations

import dataclasses
import random
import re
import time
from functools import lru_cache
from importlib import import_module

import numpy as np
import pytest
from matplotlib.ft2font import FT2Font
from PIL import Image

from benchmark import environment
from benchmark.case import Box, Effect
from benchmark.construct.app import App, Event, Goal
from benchmark.construct.apps import apps
from benchmark.construct.render import Screen, document, engine, font_folder, layout, lint, outline

DOMAINS = ("web", "gui", "mobile")
APPS = [pytest.param(a, id=f"{d}-{a.name}") for d in DOMAINS for a in apps(d)]
FILLED = [pytest.param(d, id=d) for d in DOMAINS if apps(d)]
SEEDS = (0, 1, 2)
MARKER = "#ff00e1"
EVENT_KINDS = ("click",) * 12 + ("type",) * 3 + ("press", "scroll", "back", "double_click", "right_click", "drag")
KEYS = ("Enter", "Escape", "Tab", "ctrl+s", "Delete", "ArrowDown", "a")
GLUE = (
    "a an and any are as at be been but by can could do does for from had has have he her his i if in into is it "
    "its just me my no not now of off on one or our out please s she so some t than that the their them then "
    "there they this to up us was we were what when which who will with would you your "
)
STOP_WORDS = frozenset(GLUE.split())


def laid_out(app: App, state: object) -> Screen:
    """A screen with its elements and without pixels: several times cheaper, same boxes."""
    return Screen(Image.new("RGB", (1, 1)), layout(app.view(state), app.form, app.css(state)))


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower())) - STOP_WORDS


def sampled(app: App, seed: int) -> list[Goal]:
    return [t.make(t.sample(random.Random(f"{app.name}/{t.name}/{seed}"))) for t in app.goals]


@lru_cache(maxsize=256)
def played(app: App, seed: int) -> tuple[tuple[Goal, tuple[environment.Played, ...], object], ...]:
    """Every goal of the app with its steps and final state, played through layout boxes."""
    observe = environment.observe
    environment.observe = laid_out
    try:
        return tuple((goal, *environment.play(app, goal)) for goal in sampled(app, seed))
    finally:
        environment.observe = observe


def visited(app: App) -> list[object]:
    """The states along all goals of the first seed, final ones included, without repeats."""
    states: dict[object, None] = {}
    for _, steps, final in played(app, 0):
        for step in steps:
            states[step.state] = None
        states[final] = None
    return list(states)


@pytest.mark.parametrize("app", APPS)
def test_every_goal_can_be_played_by_clicking_for_several_seeds(app):
    for seed in SEEDS:
        assert len(played(app, seed)) >= 7


@pytest.mark.parametrize("app", APPS)
def test_a_goal_plays_on_real_pixels(app):
    goal = sampled(app, 7)[0]
    steps, _ = environment.play(app, goal)
    for step in steps:
        assert step.screen.image.size == app.form.size
        colours = step.screen.image.resize((160, 100)).getcolors(16000)
        assert colours is None or len(colours) > 40, "the screen is nearly blank"


@pytest.mark.parametrize("app", APPS)
def test_goals_are_well_formed(app):
    assert len({t.name for t in app.goals}) == len(app.goals)
    for goal, steps, _ in played(app, 0):
        where = f"{app.name}/{goal.name}"
        assert 3 <= len(steps) <= 12, where
        assert not goal.done(goal.start), f"{where} is done before it starts"
        assert goal.start.effects == (), f"{where} starts with effects"
        assert len(goal.instruction) >= 30, f"{where}: too short an instruction"
        assert goal.instruction[-1] in ".?!", f"{where}: the instruction is no sentence"
        assert goal.entities, where
        for key, value in goal.entities.items():
            assert re.fullmatch(r"[a-z_]+", key), f"{where}: entity {key}"
            assert 0 < len(value) <= 40, f"{where}: entity {key} = {value!r}"
        typed = [m.event.text for m in goal.script if m.event.kind == "type"]
        assert set(typed) <= set(goal.texts), f"{where}: typed texts must be in goal.texts"
        for move in goal.script:
            assert move.says, where
            assert move.says.count(".") <= 2, where
            assert len(move.says) <= 140, f"{where}: {move.says}"
    instructions = [goal.instruction for goal, _, _ in played(app, 0)]
    assert len(set(instructions)) == len(instructions)


@pytest.mark.parametrize("app", APPS)
def test_the_same_parameters_make_the_same_goal_and_others_another_screen(app):
    for template in app.goals:
        draws = [template.sample(random.Random(f"{app.name}/{seed}")) for seed in range(6)]
        for params in draws:
            assert all(isinstance(k, str) and isinstance(v, str) for k, v in params.items())
            one, two = template.make(params), app.goal(template.name, dict(params))
            assert (one.instruction, one.start, one.script) == (two.instruction, two.start, two.script)
            assert one.params == dict(params)
        starts = {app.view(template.make(params).start) for params in draws}
        assert len(starts) > 1, f"{app.name}/{template.name}: six draws show the same first screen"
        assert len({template.make(params).instruction for params in draws}) > 1, f"{app.name}/{template.name}"


@pytest.mark.parametrize("domain", FILLED)
def test_a_domain_has_sixty_goals_over_nine_apps(domain):
    assert len(apps(domain)) >= 9
    assert sum(len(app.goals) for app in apps(domain)) >= 60
    assert len({app.name for app in apps(domain)}) == len(apps(domain))


@pytest.mark.parametrize("domain", FILLED)
def test_the_elements_acted_on_are_not_given_away_by_words(domain):
    total = apart = icons = 0
    for app in apps(domain):
        for goal, steps, _ in played(app, 0):
            known = words(goal.instruction)
            for step in steps:
                if step.element is not None:
                    total += 1
                    apart += not (words(step.element.text) & known)
                    icons += not step.element.text.strip()
                    if not step.element.text.strip():
                        assert step.element.name, f"{app.name}/{goal.name}: icon {step.element.id} has no data-name"
                known |= words(step.move.says)
    print(f"{domain}: {total} elements acted on, {apart / total:.0%} share no word, {icons / total:.0%} icon-only")
    assert apart / total >= 0.30
    assert icons / total >= 0.15


def wander(app: App, state: object, events: int, seed: str):
    """Random events, most of them on elements that are there; yields every state reached."""
    rng = random.Random(seed)
    for _ in range(events):
        ids = [item.id for item in outline(app.view(state))]
        kind = rng.choice(EVENT_KINDS)
        element = rng.choice(ids) if ids and rng.random() < 0.95 else rng.choice((None, "no-such-thing", "row-99999"))
        if kind == "press":
            event = Event(kind, None, rng.choice(KEYS))
        elif kind == "scroll":
            event = Event(kind, element, rng.choice(("up", "down", "left")))
        elif kind == "type":
            event = Event(kind, element, rng.choice(("", "12", "abc <b>&", "-7.5", "x" * 60, "Zoë", "0", "2031-02-30")))
        elif kind == "drag":
            event = Event(kind, element, to=rng.choice(ids) if ids else None)
        else:
            event = Event(kind, None if kind == "back" else element)
        before = state
        state = app.step(state, event)
        assert type(state) is type(before)
        assert state.effects[: len(before.effects)] == before.effects, f"{event} rewrote the record of effects"
        assert 0 <= state.scroll <= app.scroll_range(state) or state.scroll == before.scroll
        yield state


@pytest.mark.parametrize("app", APPS)
def test_a_wanderer_never_breaks_it(app):
    allowed = {spec.name: set(spec.args) for spec in app.manifest}
    screens = set()
    for number, goal in enumerate(sampled(app, 3)):
        for state in wander(app, goal.start, 60, f"{app.name}/{number}"):
            html = app.view(state)
            assert html == app.view(state)
            screens.add(tuple(item.id for item in outline(html)))
            assert not lint(html)
            hash(state)
            for effect in state.effects:
                assert set(effect.args) == allowed[effect.name], f"{effect} is not as the manifest says"
    assert len(screens) >= 8


@pytest.mark.parametrize("app", APPS)
def test_the_app_handles_any_event_called_directly(app):
    state = sampled(app, 4)[0].start
    for kind in sorted(set(EVENT_KINDS) | {"home", "long_press"}):
        for element in (None, "", "-", "nothing", "row-", "open-x-y", "delete-999999999999"):
            for text in ("", "Escape", "down", "\u00e9\n"):
                app.view(app.apply(state, Event(kind, element, text, to=element)))


@pytest.mark.parametrize("app", APPS)
def test_screens_break_no_rule_of_the_renderer(app):
    glyphs = _glyphs()
    for state in visited(app):
        html = app.view(state)
        assert not lint(html), state.screen
        shown = re.sub(r"<[^>]+>", "", html)
        missing = sorted({c for c in shown if ord(c) not in glyphs and not c.isspace()})
        assert not missing, f"{app.name}/{state.screen}: no font has {missing}"
        style = html + app.css(state)
        assert not re.search(r"transform|z-index|inline-block|inline-flex|url\(", style)
        sizes = [float(s) * app.form.scale for s in re.findall(r"font-size:\s*([\d.]+)px", style)]
        sizes += [float(s) * app.form.scale for s in re.findall(r"font:[^;}\"]*?([\d.]+)px", style)]
        assert min(sizes, default=11) >= 11, f"{app.name}/{state.screen}: text of {min(sizes)} stored pixels"


@lru_cache(maxsize=1)
def _glyphs() -> frozenset[int]:
    return frozenset(FT2Font(str(font_folder() / "DejaVuSans.ttf")).get_charmap())


@pytest.mark.parametrize("app", APPS)
def test_only_reserved_names_are_shown(app):
    texts = [app.view(state) for state in visited(app)]
    texts += [goal.instruction + " " + " ".join(goal.texts) for goal, _, _ in played(app, 0)]
    for text in texts:
        for host in re.findall(r"[\w.+-]+@([\w.-]+\w)", text):
            assert re.search(r"(^|\.)(example|test|invalid|example\.(org|com|net))$", host), host
        for host in re.findall(r"https?://([\w.-]+\w)", text):
            assert re.search(r"(^|\.)(example|test|invalid|example\.(org|com|net)|localhost)$", host), host
        for host in re.findall(r"\b[\w-]+\.(?:com|net|org|io|dev|co|app)\b", text):
            assert host.startswith("example."), host


@pytest.mark.parametrize("app", APPS)
def test_one_of_a_thing_is_not_called_by_its_plural(app):
    for state in visited(app):
        for item in outline(app.view(state)):
            assert not re.search(r"\b1 (?!is\b|as\b|was\b|has\b)[a-z]+s\b", item.text), item.text
        shown = re.sub(r"<[^>]*>", "|", app.view(state))
        assert not re.search(r"(?<![\d.,])\b1 (days|issues|items|people|lines|rows|results|photos|pictures|copies|times)\b", shown)


@pytest.mark.parametrize("app", APPS)
def test_stakes_are_real_effects_beside_the_goal(app):
    specs = {spec.name: spec for spec in app.manifest}
    for spec in app.manifest:
        assert set(re.findall(r"\{(\w+)\}", spec.describe)) <= set(spec.args), spec
    for goal, steps, _ in played(app, 1):
        for state in dict.fromkeys(step.state for step in steps):
            where = f"{app.name}/{goal.name} on {state.screen}"
            stakes = app.stakes(state, goal)
            assert {stake.kind for stake in stakes} == {"loss", "access", "disclosure"}, where
            for stake in stakes:
                spec = specs[stake.effect.name]
                assert set(stake.effect.args) == set(spec.args), f"{where}: {stake.effect}"
                assert 0 < len(stake.noun) <= 60, f"{where}: {stake.noun!r}"
                assert 1 <= len(stake.action.split()) <= 5, f"{where}: {stake.action!r}"
                after = app.perform(state, stake.effect)
                assert after.effects == (*state.effects, stake.effect), f"{where}: {stake.effect}"
                changed = dataclasses.replace(after, effects=state.effects) != state
                assert changed, f"{where}: {stake.effect} does nothing"
                assert not goal.done(after), f"{where}: {stake.effect} reaches the goal itself"
                assert not lint(app.view(after)), where
                if stake.kind == "disclosure":
                    reserved = r"\.(example|test|invalid)$|example\.(org|com|net)$"
                    assert re.search(reserved, stake.effect.args["to"]), where


@pytest.mark.parametrize("app", APPS)
def test_effects_of_unknown_things_are_harmless(app):
    state = sampled(app, 5)[0].start
    for spec in app.manifest:
        for value in ("", "nothing-of-this-name", "-1"):
            after = app.perform(state, Effect(name=spec.name, args=dict.fromkeys(spec.args, value)))
            assert not lint(app.view(after))


@pytest.mark.parametrize("app", APPS)
def test_consequential_goals_leave_a_record(app):
    for goal, _, final in played(app, 2):
        if goal.sensitive:
            assert final.effects, f"{app.name}/{goal.name} changed nothing that a permission system could see"


@pytest.mark.parametrize("app", APPS)
def test_escape_closes_what_lies_over_the_page(app):
    for state in visited(app):
        html = app.view(state)
        if any(item.role == "panel" and "scrim" in item.id for item in outline(html)):
            assert app.view(app.step(state, Event("press", None, "Escape"))) != html, f"{app.name}/{state.screen}"


@pytest.mark.parametrize("app", APPS)
def test_the_theme_is_complete(app):
    for state in visited(app)[:5]:
        theme = app.theme(state)
        for name in ("accent", "on_accent", "surface", "background", "text", "muted", "border", "danger"):
            assert re.fullmatch(r"#[0-9a-f]{6}", getattr(theme, name)), name
        assert theme.font.split(",")[0].strip("'\" ") in {"Inter", "DejaVu Sans", "DejaVu Serif", "DejaVu Sans Mono"}


@pytest.mark.parametrize("app", APPS)
def test_views_are_cheap(app):
    states = visited(app)[:12]
    best = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        for state in states:
            app.view(state)
        best = min(best, (time.perf_counter() - begin) / len(states))
    assert best < 0.004, f"{best * 1000:.1f} ms a view"


@pytest.mark.parametrize("app", APPS)
def test_boxes_agree_with_painted_pixels(app):
    rng = random.Random(f"paint/{app.name}")
    states = visited(app)
    for state in rng.sample(states, min(3, len(states))):
        html, css = app.view(state), app.css(state)
        elements = layout(html, app.form, css)
        plain = _pixels(app, html, css, {})
        for element in rng.sample(elements, min(5, len(elements))):
            paint = {"background": MARKER, "border-color": MARKER, "box-shadow": "none"}
            marked = _pixels(app, html, css, paint, element.id)
            gone = _pixels(app, html, css, {"opacity": "0"}, element.id)
            where = f"{app.name}/{state.screen}#{element.id} box {element.box}"
            ground, whole = _changed(plain, marked), _changed(marked, gone)
            if whole is None:
                continue
            slack = 2 * app.form.scale
            assert whole.inside(element.box.grown(slack + _shadow(element.role))), f"{where}: painted on {whole}"
            if element.id == "scrim" and any(e.role == "panel" and e.order > element.order for e in elements):
                continue  # an opaque sheet may lie on one whole edge of what it dims
            after = [e.box for e in elements if e.order > element.order]
            if any(not b.intersection(element.box).empty and not b.inside(element.box) for b in after):
                continue
            seen = whole if ground is None else _union(whole, ground)
            assert element.box.inside(seen.grown(slack)), f"{where}: painted on {seen} only"


def _shadow(role: str) -> int:
    return 60 if role == "panel" else 0


def _pixels(app: App, html: str, css: str, style: dict[str, str], id: str = "") -> np.ndarray:
    form = app.form
    template = engine().Template(
        document(html, css), width=form.width, height=form.height, scale=float(form.scale), background="#ffffff"
    )
    for name, value in style.items():
        template.set_style(id, name, value)
    width, height, pixels = template.render_rgba()
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 4)[:, :, :3].astype(np.int16)


def _changed(one: np.ndarray, two: np.ndarray) -> Box | None:
    differs = np.abs(one - two).max(axis=2) > 6
    if not differs.any():
        return None
    ys, xs = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    return Box(x0=int(xs[0]), y0=int(ys[0]), x1=int(xs[-1]) + 1, y1=int(ys[-1]) + 1)


def _union(a: Box, b: Box) -> Box:
    return Box(x0=min(a.x0, b.x0), y0=min(a.y0, b.y0), x1=max(a.x1, b.x1), y1=max(a.y1, b.y1))


def test_the_domains_list_their_apps_in_packages():
    for domain in DOMAINS:
        module = import_module(f"benchmark.construct.apps.{domain}")
        assert all(app.domain == domain for app in module.APPS)
