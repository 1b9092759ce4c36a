"""The desktop that every gui app stands on: two looks, light and dark, with other windows behind.

"Aster" has a panel on top and a dock on the left, round windows and centred titles; "Harbor" has a taskbar below and
square windows with their controls drawn flat. Which look a case has is a parameter of its goal, so that one app
appears under both. `DeskApp` draws the frame around what an app draws, opens and closes menus and dialogs, and lets
a window be put aside and called back; an app says only what is in its window and what its own elements do. The
windows behind come from `behind` and cannot be acted on.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

from benchmark.case import Domain, Effect
from benchmark.construct import tables
from benchmark.construct.app import App, Event, Goal, GoalTemplate, Move, State, Theme, esc, field_html
from benchmark.construct.apps.gui.behind import Ink, windows_behind
from benchmark.construct.icons import icon

D = TypeVar("D", bound="DeskState")

LOOKS = ("aster-light", "harbor-light", "aster-dark", "harbor-dark")
TITLE_HEIGHT = 40
STATUS_HEIGHT = 30
SPOTS = ((0.35, 0.35), (0.62, 0.4), (0.22, 0.6), (0.5, 0.25), (0.75, 0.62), (0.45, 0.55), (0.3, 0.2), (0.66, 0.7))
DOCK = (
    ("browser", "globe", "#3b78c9"), ("mail", "mail", "#c2543c"), ("files", "folder", "#d99a2b"),
    ("editor", "edit", "#4d7f53"), ("terminal", "terminal", "#39424f"), ("sheets", "grid", "#2f8f6b"),
    ("photos", "image", "#8a5bb8"), ("backup", "database", "#2c7a94"), ("updates", "download", "#b4602d"),
    ("settings", "gear", "#66707d"), ("music", "music", "#b83f74"),
)  # fmt: skip


@dataclass(frozen=True)
class Palette:
    """The colours of an app's window: ground, side pane, toolbar, lines, words, and what is marked."""

    surface: str
    side: str
    bar: str
    line: str
    text: str
    muted: str
    accent: str
    on_accent: str
    mark: str
    danger: str = "#c0362c"
    good: str = "#2c8a57"
    warn: str = "#b7791f"


@dataclass(frozen=True)
class DeskState(State):
    """What every desktop app has: the look, what stands behind, the time shown, and what is open over the window.

    `menu` and `dialog` name the open ones. `aside` is true while the window is minimised. `sent` holds what left this
    machine, as (what, to).
    """

    look: str = "aster-light"
    backdrop: int = 0
    clock: str = "Mon 6 Jan 09:30"
    menu: str = ""
    dialog: str = ""
    aside: bool = False
    sent: tuple[tuple[str, str], ...] = ()

    @property
    def dark(self) -> bool:
        return self.look.endswith("dark")

    @property
    def aster(self) -> bool:
        return self.look.startswith("aster")


@dataclass(frozen=True)
class Place:
    """Where a window stands on the desk, in pixels; `body` is the height between title and status line."""

    x: int
    y: int
    width: int
    height: int

    @property
    def body(self) -> int:
        return self.height - TITLE_HEIGHT - STATUS_HEIGHT

    @property
    def top(self) -> int:
        return self.y + TITLE_HEIGHT


class DeskApp(App):
    """An app in a window on a desk; subclasses draw `window` and `over`, and say what their elements do in `act`."""

    domain: ClassVar[Domain] = "gui"
    symbol: ClassVar[str]
    tile: ClassVar[str]
    size: ClassVar[tuple[int, int]] = (1280, 850)
    font: ClassVar[str] = "Inter"
    text_size: ClassVar[int] = 14
    light: ClassVar[Palette]
    night: ClassVar[Palette]

    @abstractmethod
    def window(self, state: Any, place: Place, p: Palette) -> str:
        """What lies between the title and the status line: `place.width` by `place.body` pixels."""

    @abstractmethod
    def act(self, state: Any, event: Event) -> Any:
        """`apply` without what the desk itself handles; a click has already closed any open menu."""

    def over(self, state: Any, place: Place, p: Palette) -> str:
        """Menus and dialogs, in coordinates of the desk."""
        return ""

    def heading(self, state: Any) -> str:
        """The title of the window."""
        return self.title

    def status(self, state: Any) -> str:
        """The status line while nothing has been changed yet."""
        return "Ready"

    def styles(self, p: Palette) -> str:
        """Style sheet of the app, with its palette."""
        return ""

    def palette(self, state: DeskState) -> Palette:
        return self.night if state.dark else self.light

    def place(self, state: DeskState) -> Place:
        left, top, width, height = (96, 46, 1812, 1022) if state.aster else (12, 10, 1896, 1006)
        fx, fy = SPOTS[state.backdrop % len(SPOTS)]
        w, h = self.size
        return Place(left + round((width - w) * fx), top + round((height - h) * fy), w, h)

    def view(self, state: DeskState) -> str:
        p = self.palette(state)
        place = self.place(state)
        shell = [_ground(state.look, state.backdrop, self.name), _furniture(state.look, state.clock, self.name)]
        if state.aside:
            return f'<div class="desk">{"".join(shell)}{_recall(state.look, self)}</div>'
        status = self._note(state) or self.status(state)
        shell.append(
            f'<div id="win" class="clip win" style="left:{place.x}px;top:{place.y}px;width:{place.width}px;'
            f'height:{place.height}px">{_title_bar(state.look, self.heading(state), self.symbol)}'
            f'<div class="inner" style="height:{place.body}px">{self.window(state, place, p)}</div>'
            f'<div class="status"><div class="one">{esc(status)}</div></div></div>'
        )
        return f'<div class="desk">{"".join(shell)}{_recall(state.look, self)}{self.over(state, place, p)}</div>'

    def css(self, state: DeskState) -> str:
        return _styles(self, state.look)

    def theme(self, state: DeskState) -> Theme:
        p = self.palette(state)
        return Theme(
            app_name=self.title, dark=state.dark, accent=p.accent, on_accent=p.on_accent, surface=p.surface,
            background=p.side, text=p.text, muted=p.muted, border=p.line, danger=p.danger,
            radius=12 if state.aster else 3, font=self.font, size=self.text_size,
            platform="Aster desktop" if state.aster else "Harbor desktop",
        )  # fmt: skip

    def apply(self, state: DeskState, event: Event) -> Any:
        element = event.element or ""
        clicked = event.kind in {"click", "double_click"}
        if state.aside:
            return replace(state, aside=False) if clicked and element == "dock-self" else state
        if event.kind == "press" and event.text == "Escape" and (state.menu or state.dialog):
            return replace(state, menu="", dialog="", focus=None)
        if clicked and element in {"win-min", "win-close"}:
            return replace(state, aside=True, menu="", focus=None)
        if clicked and element.startswith("open-"):
            name = element.removeprefix("open-")
            return replace(state, menu="" if state.menu == name else name)
        if clicked and element == "dialog-cancel":
            return replace(state, dialog="", focus=None)
        return self.act(replace(state, menu="") if clicked else state, event)

    def _note(self, state: DeskState) -> str:
        """The last change in words, as the status line shows it."""
        if not state.effects:
            return ""
        last = state.effects[-1]
        spec = next((s for s in self.manifest if s.name == last.name), None)
        return "" if spec is None else spec.describe.format(**{a: last.args.get(a, "") for a in spec.args})


def dialog(
    state: DeskState, place: Place, p: Palette, title: str, body: str, buttons: Iterable[tuple[str, str, str]],
    *, width: int = 470, drop: int = 190, symbol: str = "info",
) -> str:  # fmt: skip
    """A modal dialog over the window with its scrim.

    `buttons` are (id, label, kind), kind being "plain", "primary" or "danger".
    """
    left = place.x + (place.width - width) // 2
    row = "".join(
        f'<div id="{id}" data-role="button" class="btn {kind}{" wide" if state.aster else ""}">{esc(label)}</div>'
        for id, label, kind in buttons
    )
    colour = p.danger if symbol in {"trash", "warning"} else p.accent
    if state.aster:
        head = f'<div class="dhead"><div>{icon(symbol, 30, colour)}</div><div class="dtitle">{esc(title)}</div></div>'
    else:
        head = (
            f'<div class="dstrip"><div>{icon(symbol, 17, colour)}</div>'
            f'<div class="one" style="font-weight:600">{esc(title)}</div></div>'
        )
    return (
        f'<div id="scrim" data-role="panel" class="scrim" style="left:{place.x}px;top:{place.y}px;'
        f'width:{place.width}px;height:{place.height}px"></div>'
        f'<div id="dialog" data-role="panel" class="dialog" style="left:{left}px;top:{place.y + drop}px;'
        f'width:{width}px">{head}<div class="dbody">{body}</div><div class="drow">{row}</div></div>'
    )


def menu(left: int, top: int, items: Iterable[tuple[str, str, str]], p: Palette, *, width: int = 230) -> str:
    """A menu at a point of the desk; items are (id, label, icon name), an empty id being a line."""
    rows = "".join(
        f'<div id="{id}" data-role="menuitem" class="mitem"><div>{icon(symbol, 16, p.muted)}</div>'
        f'<div class="one">{esc(label)}</div></div>'
        if id
        else '<div class="mline"></div>'
        for id, label, symbol in items
    )
    style = f"left:{left}px;top:{top}px;width:{width}px"
    return f'<div id="menu" data-role="panel" class="menu" style="{style}">{rows}</div>'


def tool(id: str, symbol: str, name: str, p: Palette, *, on: bool = False, size: int = 18) -> str:
    """A toolbar button without words."""
    marked = f"background:{p.mark};" if on else ""
    return (
        f'<div id="{id}" data-role="button" data-name="{esc(name)}" class="tool" style="{marked}">'
        f"{icon(symbol, size, p.accent if on else p.text, width=1.8)}</div>"
    )


def button(id: str, label: str, kind: str = "plain") -> str:
    return f'<div id="{id}" data-role="button" class="btn {kind}">{esc(label)}</div>'


def switch(id: str, name: str, on: bool, p: Palette) -> str:
    """A sliding switch without words."""
    ground, left = (p.accent, 21) if on else (p.line, 3)
    return (
        f'<div id="{id}" data-role="switch" data-name="{esc(name)}" class="switch" style="background:{ground}">'
        f'<div class="knob" style="margin-left:{left}px"></div></div>'
    )


def entry(id: str, state: DeskState, p: Palette, placeholder: str, *, style: str = "") -> str:
    """A one-line text field in the app's colours."""
    base = (
        f"height:36px;padding:7px 11px;border:1px solid {p.line};border-radius:{8 if state.aster else 2}px;"
        f"background:{p.surface};color:{p.text};font-size:14px;text-align:left;{style}"
    )
    return field_html(id, state, style=base, placeholder=placeholder, muted=p.muted, accent=p.accent)


def emptied(state: D, *ids: str, **texts: str) -> D:
    """The state with some fields cleared, and others filled."""
    kept = {**{k: v for k, v in state.fields if k not in ids}, **texts}
    return replace(state, fields=tuple(sorted(kept.items())))


def snip(text: str, length: int) -> str:
    """The beginning of a text, cut between words and with dots where something is left out (the engine draws none)."""
    if len(text) <= length:
        return text
    return text[: length - 3].rsplit(" ", 1)[0].rstrip(",.;:") + " ..."


def desk_params(rng: random.Random) -> dict[str, str]:
    """The part of a goal's parameters that the desk itself has: look, backdrop, time."""
    when = tables.day(rng.randrange(0, 300))
    hour = f"{rng.randrange(8, 19):02d}:{rng.randrange(60):02d}"
    return {
        "look": rng.choice(LOOKS),
        "backdrop": str(rng.randrange(48)),
        "clock": f"{tables.WEEKDAYS[when.weekday()][:3]} {tables.short_date(when)} {hour}",
        "seed": str(rng.randrange(100_000)),
    }


def desk_fields(params: Mapping[str, str]) -> dict[str, Any]:
    """The state fields that `desk_params` stands for."""
    return {"look": params["look"], "backdrop": int(params["backdrop"]), "clock": params["clock"]}


def template(
    name: str, draw: Callable[[random.Random, str], dict[str, str]], make: Callable[[Mapping[str, str]], Goal]
) -> GoalTemplate:
    """A goal template whose parameters are those of the desk and those that `draw` adds.

    `draw` gets the generator and the seed of the app's content, so that it can pick from what will be there.
    """

    def sample(rng: random.Random) -> dict[str, str]:
        base = desk_params(rng)
        return {**base, **draw(rng, base["seed"])}

    return GoalTemplate(name, sample, make)


def scrolls(bottom: int, visible: int, limit: int, says: str) -> list[Move]:
    """The scrolling that brings what ends at `bottom` into a pane of `visible` pixels that scrolls by `limit`."""
    needed = max(min(bottom, visible + limit) - visible, 0)
    return [Move(Event("scroll", None, "down"), says)] * -(-needed // 300)


def click(element: str, says: str) -> Move:
    return Move(Event("click", element), says)


def double(element: str, says: str) -> Move:
    return Move(Event("double_click", element), says)


def typing(element: str, text: str, says: str) -> Move:
    return Move(Event("type", element, text), says)


def press(key: str, says: str) -> Move:
    return Move(Event("press", None, key), says)


def arg(effect: Effect, name: str) -> str:
    """An argument of an effect, empty when it is not there."""
    return effect.args.get(name, "")


def tinted(aster: bool, dark: bool) -> Ink:
    """The colours of chrome and of windows behind."""
    if aster:
        return Ink("#26282d", "#3a3d44", "#e8e9ec", "#9a9fa9", "#1f2126", 14, "Inter") if dark else Ink(
            "#f2f1f4", "#dcdbe1", "#2c2b33", "#77757f", "#ffffff", 14, "Inter"
        )  # fmt: skip
    return Ink("#202a35", "#35424f", "#e3e9ef", "#93a1ae", "#18212a", 3, "DejaVu Sans") if dark else Ink(
        "#e3e8ec", "#c3ccd3", "#1e2a34", "#66757f", "#fbfcfd", 3, "DejaVu Sans"
    )  # fmt: skip


@lru_cache(maxsize=64)
def _styles(app: DeskApp, look: str) -> str:
    aster, dark = look.startswith("aster"), look.endswith("dark")
    p = app.night if dark else app.light
    ink = tinted(aster, dark)
    r = 8 if aster else 2
    return (
        f".desk{{position:absolute;left:0;top:0;width:1920px;height:1080px;font-size:14px;overflow:hidden;"
        f"font-family:{ink.font};color:{ink.text}}}"
        f".win,.back{{position:absolute;border-radius:{ink.radius}px;background:{ink.page};overflow:hidden}}"
        f".win{{background:{p.surface};box-shadow:0 0 0 1px rgba(0,0,0,.35),0 20px 60px rgba(0,0,0,.5)}}"
        f".back{{box-shadow:0 0 0 1px rgba(0,0,0,.3),0 8px 26px rgba(0,0,0,.35)}}"
        f".title{{height:{TITLE_HEIGHT}px;display:flex;align-items:center;padding:0 10px;gap:10px;"
        f"background:{ink.bar};border-bottom:1px solid {ink.line};color:{ink.text};font-size:14px}}"
        f".inner{{font-family:{app.font};font-size:{app.text_size}px;color:{p.text};background:{p.surface};"
        f"display:flex;flex-direction:column}}"
        f".status{{height:{STATUS_HEIGHT}px;padding:6px 16px 0;font-size:13px;color:{p.muted};background:{p.bar};"
        f"border-top:1px solid {p.line};font-family:{app.font}}}"
        f".one{{white-space:nowrap;overflow:hidden;text-overflow:ellipsis;min-width:0}}.grow{{flex:1;min-width:0}}"
        f".row{{display:flex;align-items:center}}.num{{text-align:right}}"
        f".tool{{width:34px;height:34px;border-radius:{r}px;display:flex;align-items:center;justify-content:center;"
        f"flex-shrink:0}}"
        f".btn{{height:36px;padding:0 18px;border-radius:{r}px;border:1px solid {p.line};background:{p.bar};"
        f"color:{p.text};font-size:14px;font-weight:500;line-height:34px;text-align:center;flex-shrink:0;"
        f"white-space:nowrap}}"
        f".btn.primary{{background:{p.accent};border-color:{p.accent};color:{p.on_accent}}}"
        f".btn.danger{{background:{p.danger};border-color:{p.danger};color:#ffffff}}.btn.wide{{flex:1;min-width:0}}"
        f".switch{{width:42px;height:24px;border-radius:12px;padding-top:3px;flex-shrink:0}}"
        f".knob{{width:18px;height:18px;border-radius:9px;background:#ffffff}}"
        f".scrim{{position:absolute;background:rgba(0,0,0,{'.42' if dark else '.28'});border-radius:{ink.radius}px}}"
        f".dialog{{position:absolute;background:{p.surface};color:{p.text};border-radius:{16 if aster else 3}px;"
        f"border:1px solid {p.line};box-shadow:0 16px 48px rgba(0,0,0,.45);font-family:{app.font};overflow:hidden}}"
        f".dhead{{padding:24px 28px 0;display:flex;flex-direction:column;align-items:center;gap:10px}}"
        f".dtitle{{font-size:18px;font-weight:700;text-align:center}}"
        f".dstrip{{display:flex;gap:10px;align-items:center;height:40px;padding:0 16px;background:{p.bar};"
        f"border-bottom:1px solid {p.line}}}"
        f".dbody{{padding:16px 28px 8px;font-size:14px;line-height:1.5;{'text-align:center' if aster else ''}}}"
        f".drow{{display:flex;gap:12px;justify-content:flex-end;padding:14px 28px 24px}}"
        f".menu{{position:absolute;background:{p.surface};color:{p.text};border:1px solid {p.line};"
        f"border-radius:{12 if aster else 2}px;padding:6px;box-shadow:0 10px 30px rgba(0,0,0,.35);font-size:14px;"
        f"font-family:{app.font}}}"
        f".mitem{{height:36px;display:flex;align-items:center;gap:12px;padding:0 12px;border-radius:{r}px}}"
        f".mline{{height:1px;background:{p.line};margin:5px 8px}}"
        f".panel{{position:absolute;display:flex;align-items:center;font-size:14px}}"
        f"{app.styles(p)}"
    )


def _title_bar(look: str, heading: str, symbol: str, *, active: bool = True) -> str:
    aster, dark = look.startswith("aster"), look.endswith("dark")
    ink = tinted(aster, dark)
    colour = ink.text if active else ink.muted
    low, high = ('id="win-min" data-role="button" data-name="Minimise"', 'id="win-close" data-role="button" data-name="Close"') if active else ("", "")  # fmt: skip
    if aster:
        dot = f"width:24px;height:24px;border-radius:12px;background:{ink.line};padding:6px"
        controls = "".join(
            f'<div {name} style="{dot}">{icon(glyph, 12, colour)}</div>'
            for name, glyph in ((low, "minus"), ("", "expand"), (high, "close"))
        )
        return (
            f'<div class="title"><div style="width:96px"></div><div class="grow one" style="text-align:center;'
            f'font-weight:600;color:{colour}">{esc(heading)}</div>'
            f'<div class="row" style="width:96px;gap:9px;justify-content:flex-end">{controls}</div></div>'
        )
    box = "width:40px;height:39px;padding:12px 13px"
    controls = "".join(
        f'<div {name} style="{box}">{icon(glyph, 14, colour)}</div>'
        for name, glyph in ((low, "minus"), ("", "stop"), (high, "close"))
    )
    return (
        f'<div class="title" style="padding-right:0"><div>{icon(symbol, 17, colour)}</div>'
        f'<div class="grow one" style="color:{colour}">{esc(heading)}</div><div class="row">{controls}</div></div>'
    )


@lru_cache(maxsize=512)
def _ground(look: str, backdrop: int, own: str) -> str:
    """Wallpaper and the windows behind; cached, for it is the same in all states of a case."""
    aster, dark = look.startswith("aster"), look.endswith("dark")
    rng = random.Random(f"desk/{backdrop}")
    papers = (
        (("#23395b", "#5d4a77", "#c47f6b"), ("#12343b", "#2d6a5f", "#b9c48a"), ("#3a2a4d", "#7a3f63", "#e0a16b"))
        if not dark
        else (("#0f1726", "#1f2a44", "#3f3a63"), ("#0b1d20", "#15363a", "#2f5c4f"), ("#1b1326", "#3a2140", "#6d3b4a"))
    )
    a, b, c = rng.choice(papers)
    lift = rng.randrange(120)
    hills = (
        f'<path d="M0 {820 - lift} C380 {620 + lift} 760 {930 - lift} 1180 {720 + lift // 2} S1760 {790 - lift} 1920 '
        f'{640 + lift} V1080 H0z" fill="{a}" fill-opacity="0.55"/><path d="M0 {960 - lift // 2} C420 {820 + lift // 2} '
        f'900 {1020 - lift} 1300 {890 + lift // 3} S1800 {940 - lift} 1920 {860 + lift // 2} V1080 H0z" fill="{a}" '
        f'fill-opacity="0.75"/>'
        if aster
        else f'<circle cx="{1300 + lift}" cy="{260 + lift}" r="{520 - lift}" fill="{c}" fill-opacity="0.25"/>'
        f'<circle cx="{420 - lift}" cy="{900 - lift}" r="{430 + lift}" fill="{b}" fill-opacity="0.45"/>'
        f'<path d="M0 {700 + lift} L1920 {380 + lift} V1080 H0z" fill="{a}" fill-opacity="0.4"/>'
    )
    area = (100, 50, 1804, 1016) if aster else (14, 12, 1892, 1004)
    ink = tinted(aster, dark)
    frames = "".join(
        f'<div class="back" style="left:{x}px;top:{y}px;width:{w}px;height:{h}px">'
        f"{_title_bar(look, heading, symbol, active=False)}{inside}</div>"
        for x, y, w, h, heading, symbol, inside in windows_behind(rng, area, ink, own)
    )
    return (
        f'<div style="position:absolute;left:0;top:0;width:1920px;height:1080px;'
        f'background:linear-gradient(150deg,{a},{b} 55%,{c})"></div>'
        f'<svg width="1920" height="1080" viewBox="0 0 1920 1080" style="position:absolute;left:0;top:0">{hills}</svg>'
        f"{frames}"
    )


@lru_cache(maxsize=256)
def _furniture(look: str, clock: str, own: str) -> str:
    """Panel and dock, or taskbar, without the own app's place in it, which can be clicked."""
    aster, dark = look.startswith("aster"), look.endswith("dark")
    ink = tinted(aster, dark)
    if aster:
        tray = "".join(f"<div>{icon(name, 17, '#eef0f4')}</div>" for name in ("wifi", "volume", "battery", "power"))
        dock = "".join(
            f'<div style="position:absolute;left:16px;top:{62 + i * 74}px;width:52px;height:52px;border-radius:15px;'
            f'background:{tile};padding:13px">{icon(glyph, 26, "#ffffff", width=1.8)}</div>'
            for i, (name, glyph, tile) in enumerate(DOCK)
            if name != own
        )
        return (
            f'<div class="panel" style="left:0;top:0;width:1920px;height:36px;padding:0 18px;'
            f'background:rgba(12,14,20,.82);color:#eef0f4"><div style="width:300px;font-weight:600">Overview</div>'
            f'<div class="grow" style="text-align:center;font-weight:600">{esc(clock)}</div>'
            f'<div class="row" style="width:300px;gap:16px;justify-content:flex-end">{tray}</div></div>'
            f'<div style="position:absolute;left:8px;top:52px;width:68px;height:{len(DOCK) * 74 + 8}px;'
            f'border-radius:22px;background:rgba(12,14,20,.55)"></div>{dock}'
        )
    day, hour = clock.rsplit(" ", 1)
    pins = "".join(
        f'<div style="position:absolute;left:{300 + i * 56}px;top:1030px;width:44px;height:44px;padding:8px">'
        f'<div style="width:28px;height:28px;border-radius:4px;background:{tile};padding:5px">'
        f"{icon(glyph, 18, '#ffffff', width=1.8)}</div></div>"
        for i, (name, glyph, tile) in enumerate(DOCK)
        if name != own
    )
    tray = "".join(f"<div>{icon(name, 17, ink.text)}</div>" for name in ("chevron_up", "wifi", "volume", "battery"))
    return (
        f'<div class="panel" style="left:0;top:1026px;width:1920px;height:54px;background:{ink.bar};'
        f'border-top:1px solid {ink.line};padding:0 16px;gap:14px"><div style="width:34px;height:34px;'
        f'border-radius:3px;background:#2f7f8c;padding:7px">{icon("grid", 20, "#ffffff")}</div>'
        f'<div class="row" style="width:210px;height:34px;border:1px solid {ink.line};background:{ink.page};'
        f'padding:0 12px;gap:10px;color:{ink.muted}"><div>{icon("search", 15, ink.muted)}</div><div>Find anything</div>'
        f'</div><div class="grow"></div><div class="row" style="gap:14px">{tray}</div><div style="text-align:right;'
        f'font-size:13px;line-height:1.35;padding-left:6px"><div>{esc(hour)}</div><div>{esc(day)}</div></div>'
        f"</div>{pins}"
    )


@lru_cache(maxsize=64)
def _recall(look: str, app: DeskApp) -> str:
    """The own app's place in the dock or taskbar, marked as running."""
    index = next((i for i, entry in enumerate(DOCK) if entry[0] == app.name), len(DOCK) - 1)
    data = f'id="dock-self" data-role="icon" data-name="{esc(app.title)}"'
    if look.startswith("aster"):
        return (
            f'<div style="position:absolute;left:8px;top:{80 + index * 74}px;width:4px;height:16px;border-radius:2px;'
            f'background:#ffffff"></div><div {data} style="position:absolute;left:16px;top:{62 + index * 74}px;'
            f'width:52px;height:52px;border-radius:15px;background:{app.tile};padding:13px">'
            f"{icon(app.symbol, 26, '#ffffff', width=1.8)}</div>"
        )
    ink = tinted(False, look.endswith("dark"))
    return (
        f'<div {data} style="position:absolute;left:{300 + index * 56}px;top:1030px;width:44px;height:46px;'
        f'background:{ink.line};border-bottom:3px solid #2f7f8c;padding:8px"><div style="width:28px;height:28px;'
        f'border-radius:4px;background:{app.tile};padding:5px">{icon(app.symbol, 18, "#ffffff", width=1.8)}</div></div>'
    )
