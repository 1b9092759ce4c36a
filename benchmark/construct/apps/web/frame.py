"""What the web apps share: state of menus and dialogs, the verbs of element ids, and small pieces of HTML.

An element id is a verb and an argument ("open-12", "ask-delete", "menu-sort"). The verbs that mean the same on every
site are carried out here: `menu-x` toggles a menu, `ask-x` opens a dialog, `dismiss` closes it, `go-x` changes the
screen (`visit-x` where a page has a second way to it). All others go to the app's `click`. Looks are not shared: each site brings its own style sheet.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from string import Template
from typing import Any, ClassVar, TypeVar

from benchmark.case import Domain
from benchmark.construct.app import App, Event, Goal, GoalTemplate, Move, State, esc
from benchmark.construct.icons import icon
from benchmark.construct.tables import initials

W = TypeVar("W", bound="WebState")


@dataclass(frozen=True)
class WebState(State):
    """A state of a site: which made-up world it shows, in which palette, and what lies open over the page."""

    world: str = "0"
    tint: int = 0
    menu: str = ""
    dialog: str = ""
    notice: str = ""
    page: int = 0


class WebApp(App):
    """A site. `submits` says which element Enter presses for a focused field, `parents` where back leads."""

    domain: ClassVar[Domain] = "web"
    submits: ClassVar[Mapping[str, str]] = {}
    parents: ClassVar[Mapping[str, str]] = {}

    @abstractmethod
    def click(self, state: Any, verb: str, arg: str) -> Any:
        """What a click on the element `verb-arg` does beyond the verbs that all sites share."""

    def go(self, state: W, screen: str, **changes: Any) -> W:
        """Another screen, from its top, with nothing open over it."""
        fresh: dict[str, Any] = {"screen": screen, "scroll": 0, "menu": "", "dialog": "", "page": 0}
        return replace(state, **(fresh | changes))

    def apply(self, state: Any, event: Event) -> Any:
        if event.kind in {"click", "double_click"} and event.element:
            verb, _, arg = event.element.partition("-")
            return self._press(state, verb, arg)
        if event.kind == "press" and event.text == "Escape":
            return replace(state, menu="", dialog="", notice="")
        if event.kind == "press" and event.text == "Enter" and state.focus in self.submits:
            verb, _, arg = self.submits[state.focus].partition("-")
            return self._press(replace(state, focus=None), verb, arg)
        if event.kind == "back":
            if state.dialog or state.menu:
                return replace(state, menu="", dialog="")
            parent = self.parents.get(state.screen)
            return self.go(state, parent) if parent else state
        return state

    def _press(self, state: Any, verb: str, arg: str) -> Any:
        if verb == "menu":
            return replace(state, notice="", menu="" if state.menu == arg else arg)
        state = replace(state, notice="", menu="")
        if verb == "ask":
            return replace(state, dialog=arg)
        if verb == "dismiss":
            return replace(state, dialog="")
        if verb in {"go", "visit"}:
            return self.go(state, arg) if arg in self.screens else state
        return self.click(state, verb, arg)

    @property
    @abstractmethod
    def screens(self) -> tuple[str, ...]:
        """The screens that `go-` may lead to."""


def without(state: W, *prefixes: str) -> W:
    """The state with what was typed into fields of these id prefixes forgotten."""
    kept = tuple((id, text) for id, text in state.fields if not id.startswith(prefixes))
    return replace(state, fields=kept)


def number(text: str, default: int = -1) -> int:
    """The argument of an id as a number; `default` where it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else default


def world_rng(app: str, world: str, purpose: str = "") -> random.Random:
    """A generator for one part of a site's made-up content."""
    return random.Random(f"{app}/{world}/{purpose}")


def draw_world(rng: random.Random) -> str:
    return str(rng.randrange(100_000))


def tint_of(world: str, palettes: int) -> int:
    """Which palette a world is shown in."""
    return random.Random(f"tint/{world}").randrange(palettes)


@lru_cache(maxsize=256)
def _sheet(name: str, colours: tuple[tuple[str, str], ...]) -> str:
    text = Path(__file__).with_name(f"{name}.css").read_text(encoding="utf-8")
    return " ".join(Template(text).substitute(dict(colours)).split())


def sheet(name: str, **colours: str) -> str:
    """The style sheet of a site, with its `$colours` filled in."""
    return _sheet(name, tuple(sorted(colours.items())))


def drawn(rng: random.Random, **choices: int) -> dict[str, str]:
    """Parameters of a goal: a world, and a number below each of `choices`."""
    return {"world": draw_world(rng), **{name: str(rng.randrange(top)) for name, top in choices.items()}}


def tap(id: str, role: str, inner: str, cls: str = "", *, name: str = "", style: str = "") -> str:
    """An element that can be acted on; `name` says what it is where no text does."""
    attributes = f' class="{cls}"' if cls else ""
    attributes += f' data-name="{esc(name)}"' if name else ""
    attributes += f' style="{style}"' if style else ""
    return f'<div id="{id}" data-role="{role}"{attributes}>{inner}</div>'


def icon_tap(
    id: str, glyph: str, name: str, cls: str = "", *, size: int = 18, colour: str = "#374151", fill: str = "none",
    role: str = "icon", style: str = "",
) -> str:  # fmt: skip
    """An element that is only an icon."""
    return tap(id, role, icon(glyph, size, colour, fill=fill), cls, name=name, style=style)


def div(inner: str, cls: str = "", style: str = "") -> str:
    attributes = (f' class="{cls}"' if cls else "") + (f' style="{style}"' if style else "")
    return f"<div{attributes}>{inner}</div>"


def join(parts: Iterable[str]) -> str:
    return "".join(parts)


def field(
    id: str, state: State, cls: str, placeholder: str = "", *, default: str = "", muted: str = "#8a8f98",
    accent: str = "#2563eb", name: str = "", secret: bool = False,
) -> str:  # fmt: skip
    """A text field: what was typed, else its default, else the placeholder; a caret and the accent while focused."""
    value = state.text(id, default)
    focused = state.focus == id
    shown = "•" * len(value) if secret else esc(value)
    if not value and not focused:
        shown = f'<span style="color:{muted}">{esc(placeholder)}</span>'
    caret = f'<span style="color:{accent}">|</span>' if focused else ""
    ring = f' style="border-color:{accent}"' if focused else ""
    return (
        f'<div id="{id}" data-role="field" data-name="{esc(name or placeholder)}" class="{cls} clip"{ring}>'
        f"{shown}{caret}</div>"
    )


def switch(id: str, on: bool, name: str, accent: str, off: str = "#c3c8d1") -> str:
    """A switch without text; the label stands in an element of its own beside it."""
    left = 18 if on else 2
    knob = f'<div style="width:16px;height:16px;border-radius:8px;background:#ffffff;margin-left:{left}px"></div>'
    style = f"width:36px;height:20px;border-radius:10px;padding-top:2px;background:{accent if on else off};flex:none"
    return tap(id, "switch", knob, name=name, style=style)


def checkbox(id: str, on: bool, name: str, accent: str, *, size: int = 18, edge: str = "#9aa3b2") -> str:
    """A box to tick, without text."""
    look = f"background:{accent};border:1px solid {accent}" if on else f"background:#ffffff;border:1px solid {edge}"
    inner = icon("check", size - 4, "#ffffff", width=3) if on else ""
    place = f"width:{size}px;height:{size}px;border-radius:4px;padding:1px;flex:none;{look}"
    return tap(id, "checkbox", inner, name=name, style=place)


def radio(on: bool, accent: str) -> str:
    """The dot of a choice; the row around it is the element."""
    inner = f'<div style="width:8px;height:8px;border-radius:4px;background:{accent};margin:3px"></div>' if on else ""
    edge = accent if on else "#9aa3b2"
    return div(
        inner, style=f"width:16px;height:16px;border-radius:8px;border:1px solid {edge};background:#ffffff;flex:none"
    )


AVATAR_COLOURS = ("#b4532a", "#2f6f8f", "#5b7f3a", "#7a4f9a", "#a8843a", "#38707a", "#9a4a6a", "#4f5f9a", "#6a6a52")


def shade(text: str, colours: Sequence[str] = AVATAR_COLOURS) -> str:
    """A colour that belongs to a name."""
    return colours[sum(ord(c) * (i + 3) for i, c in enumerate(text)) % len(colours)]


def avatar(name: str, size: int = 32, *, radius: int | None = None) -> str:
    """A person's initials on their colour."""
    round_ = size // 2 if radius is None else radius
    return div(
        initials(name),
        style=f"width:{size}px;height:{size}px;border-radius:{round_}px;background:{shade(name)};color:#ffffff;"
        f"font-size:{max(11, round(size * 0.38))}px;font-weight:600;line-height:{size}px;text-align:center;flex:none",
    )


def dialog(title: str, body: str, buttons: str, *, cls: str = "dlg", width: int = 440, top: int = 220) -> str:
    """A modal dialog over a scrim; goes last in the document."""
    left = (1280 - width) // 2
    return (
        '<div id="scrim" data-role="panel" style="position:absolute;left:0;top:0;width:1280px;height:800px;'
        'background:rgba(15,20,30,.45)"></div>'
        f'<div id="dialog" data-role="panel" class="{cls}" style="position:absolute;left:{left}px;top:{top}px;'
        f'width:{width}px"><div class="dlg-t">{title}</div><div class="dlg-b">{body}</div>'
        f'<div class="dlg-f">{buttons}</div></div>'
    )


def menu(items: str, *, left: int, top: int, width: int, cls: str = "menu") -> str:
    """An open menu at a fixed place; goes last in the document."""
    return (
        f'<div id="menu" data-role="panel" class="{cls}" '
        f'style="position:absolute;left:{left}px;top:{top}px;width:{width}px">{items}</div>'
    )


def toast(text: str, *, cls: str = "toast") -> str:
    """A short note of what has just happened; blocks nothing but what lies under it."""
    return f'<div id="toast" data-role="panel" class="{cls}">{esc(text)}</div>' if text else ""


def line_chart(values: Sequence[float], width: int, height: int, colour: str, fill: str = "none") -> str:
    """A line over equal steps; `fill` colours the area under it."""
    low, high = min(values), max(values)
    span = (high - low) or 1
    step = width / max(1, len(values) - 1)
    points = [
        (round(i * step, 1), round(height - 4 - (v - low) / span * (height - 8), 1)) for i, v in enumerate(values)
    ]
    path = " ".join(f"{x},{y}" for x, y in points)
    area = f'<polygon points="0,{height} {path} {width},{height}" fill="{fill}"/>' if fill != "none" else ""
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}">{area}'
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-linejoin="round"/></svg>'
    )


def bar_chart(values: Sequence[float], width: int, height: int, colour: str, *, last: str | None = None) -> str:
    """Upright bars; the last one may stand out in a colour of its own."""
    top = max(max(values), 1)
    slot = width / len(values)
    bars = "".join(
        f'<rect x="{i * slot + slot * 0.18:.1f}" y="{height - v / top * height:.1f}" width="{slot * 0.64:.1f}" '
        f'height="{v / top * height:.1f}" rx="2" fill="{last if last and i == len(values) - 1 else colour}"/>'
        for i, v in enumerate(values)
    )
    return f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}">{bars}</svg>'


def ring_chart(shares: Sequence[tuple[float, str]], size: int, width: int = 14) -> str:
    """A ring of shares that add up to 1."""
    radius = (size - width) / 2
    around = 2 * 3.14159265 * radius
    parts, before = [], 0.0
    for share, colour in shares:
        parts.append(
            f'<circle cx="{size / 2}" cy="{size / 2}" r="{radius}" fill="none" stroke="{colour}" '
            f'stroke-width="{width}" '
            f'stroke-dasharray="{share * around:.2f} {around:.2f}" stroke-dashoffset="{-before * around:.2f}"/>'
        )
        before += share
    return f'<svg width="{size}" height="{size}" viewBox="0 0 {size} {size}">{"".join(parts)}</svg>'


def click(id: str, says: str) -> Move:
    return Move(Event("click", id), says)


def write(id: str, text: str, says: str) -> Move:
    return Move(Event("type", id, text), says)


def press(key: str, says: str) -> Move:
    return Move(Event("press", None, key), says)


def scroll(says: str, direction: str = "down") -> Move:
    return Move(Event("scroll", None, direction), says)


def goal(
    name: str, params: Mapping[str, str], instruction: str, start: Any, script: Sequence[Move],
    done: Callable[[Any], bool], *, sensitive: bool = True, **entities: str,
) -> Goal:  # fmt: skip
    """A goal whose texts are those its script types."""
    return Goal(
        name=name,
        params=dict(params),
        instruction=instruction,
        start=start,
        script=tuple(script),
        done=done,
        entities={key: value[:40] for key, value in entities.items()},
        texts=tuple(move.event.text for move in script if move.event.kind == "type"),
        sensitive=sensitive,
    )


def template(
    make: Callable[[Mapping[str, str]], Goal], sample: Callable[[random.Random], dict[str, str]]
) -> GoalTemplate:
    """A goal template called like the function that makes it."""
    return GoalTemplate(make.__name__, sample, make)


def said(params: Mapping[str, str], *wordings: str) -> str:
    """One of several ways to say the same, chosen by the goal's world."""
    return wordings[random.Random(f"said/{params.get('world', '')}/{len(wordings)}").randrange(len(wordings))]
