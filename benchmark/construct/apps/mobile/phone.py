"""The phone that every mobile app runs on: two invented system skins and the parts that apps are put together from.

A skin decides what the maker of a phone decides: status bar, gesture pill or navigation buttons, where dialogs stand,
how switches and sheets look, the keyboard, the permission prompt and the home screen. An app brings its palette and
its pages. A page is a column of blocks of known height, so that scrolling, keeping a focused field above the keyboard
and leaving out what is off the screen follow from sums, without a layout. What an app shows and does is its own.
"""

from __future__ import annotations

import random
import textwrap
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Literal, TypeVar

from benchmark.construct.app import App, Event, Goal, Move, State, Theme, esc
from benchmark.construct.icons import icon
from benchmark.construct.render import outline

WIDTH, HEIGHT = 360, 800
KEYBOARD = 240
SNACK = 52
SLIVER = 20

Block = tuple[int, str]
P = TypeVar("P", bound="PhoneState")


@dataclass(frozen=True)
class Skin:
    """A phone maker's system look; lengths in CSS pixels."""

    name: str
    status: int
    nav: int
    radius: int
    font: str
    centred: bool
    buttons: bool


SKINS = {
    "alder": Skin("alder", status=32, nav=24, radius=24, font="Inter", centred=False, buttons=False),
    "kestrel": Skin("kestrel", status=28, nav=46, radius=12, font="DejaVu Sans", centred=True, buttons=True),
}


@dataclass(frozen=True)
class Look:
    """What differs from phone to phone and is not the app's: skin, light or dark, clock, battery, carrier."""

    skin: str = "alder"
    dark: bool = False
    time: str = "9:41"
    battery: int = 76
    carrier: str = "Lumo"


@dataclass(frozen=True)
class Palette:
    """An app's colours (#rrggbb); `bar` is the ground of the app bar and of the status bar above it."""

    background: str
    surface: str
    text: str
    muted: str
    border: str
    accent: str
    on_accent: str
    soft: str
    danger: str
    bar: str
    on_bar: str


@dataclass(frozen=True)
class PhoneState(State):
    """What every mobile state has.

    `screen` may carry an argument after a slash ("thread/kim"); `trail` holds the screens below it with their scroll
    positions, `overlay` the open menu, sheet or dialog in the same notation, `notice` a short message at the bottom
    and `away` whether the phone's home screen is in front. `shared` lists what has left the phone, and to whom.
    """

    look: Look = Look()
    trail: tuple[tuple[str, int], ...] = ()
    overlay: str = ""
    notice: str = ""
    away: bool = False
    shared: tuple[tuple[str, str], ...] = ()

    @property
    def place(self) -> str:
        """The screen without its argument."""
        return self.screen.partition("/")[0]

    @property
    def subject(self) -> str:
        """The argument of the screen, "" when it has none."""
        return self.screen.partition("/")[2]


@dataclass(frozen=True)
class Page:
    """What an app shows in a state: blocks that scroll between a fixed top and a fixed bottom.

    `fab` is a floating button as (id, icon, name); `overlay` is drawn last. `ground` and `ink` colour the status bar.
    """

    blocks: tuple[Block, ...]
    top: Block = (0, "")
    bottom: Block = (0, "")
    fab: tuple[str, str, str] | None = None
    overlay: str = ""
    ground: str = ""
    ink: str = ""


def length(page: Page) -> int:
    """Height of all blocks of a page, in CSS pixels."""
    return sum(height for height, _ in page.blocks)


def put(entries: tuple[tuple[str, str], ...], key: str, value: str) -> tuple[tuple[str, str], ...]:
    """A sorted table of pairs with one entry set: what frozen states use for dictionaries."""
    return tuple(sorted({**dict(entries), key: value}.items()))


def go(state: P, screen: str, **changes: Any) -> P:
    """`state` one screen further: the current one goes on the trail, overlay and focus close."""
    trail = (*state.trail, (state.screen, state.scroll))[-12:]
    return replace(state, **{"screen": screen, "trail": trail, "scroll": 0, "overlay": "", "focus": None, **changes})


def to_root(state: P, screen: str, **changes: Any) -> P:
    """`state` on a top-level screen, as a tap on a tab gives it."""
    return replace(state, **{"screen": screen, "trail": (), "scroll": 0, "overlay": "", "focus": None, **changes})


def leave(state: P, **changes: Any) -> P:
    """`state` one screen back; at the root only overlay and focus close."""
    if not state.trail:
        return replace(state, **{"overlay": "", "focus": None, **changes})
    screen, scroll = state.trail[-1]
    back = {"screen": screen, "scroll": scroll, "trail": state.trail[:-1], "overlay": "", "focus": None}
    return replace(state, **{**back, **changes})


def cleared(state: Any, *ids: str) -> tuple[tuple[str, str], ...]:
    """The fields of `state` without those named, for a form that has been sent."""
    return tuple((k, v) for k, v in state.fields if k not in ids)


def filled(state: Any, **values: str) -> tuple[tuple[str, str], ...]:
    """The fields of `state` with some set; underscores in names stand for hyphens."""
    return tuple(sorted({**dict(state.fields), **{k.replace("_", "-"): v for k, v in values.items()}}.items()))


def short(text: str, limit: int) -> str:
    """`text`, or its beginning with an ellipsis when it has more than `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip(" ,.;:") + "…"


def wrapped(text: str, columns: int) -> list[str]:
    """`text` in lines of at most `columns` characters, so that its height is known without a layout."""
    return textwrap.wrap(text, columns) or [""]


def paragraph(text: str, columns: int, line: int = 22, *, css: str = "", side: int = 20) -> Block:
    """Running text as a block of known height; `line` is the line height in pixels."""
    rows = wrapped(text, columns)
    inner = "".join(f'<div class="el" style="height:{line}px;line-height:{line}px">{esc(r)}</div>' for r in rows)
    return len(rows) * line, f'<div style="padding:0 {side}px;{css}">{inner}</div>'


class PhoneApp(App):
    """Base of the mobile apps: draws pages in a skin and gives back, home, Escape and the keyboard their meaning."""

    domain = "mobile"
    light: ClassVar[Palette]
    dark: ClassVar[Palette]
    glyph: ClassVar[str]
    font: ClassVar[str] = "Inter"
    numeric: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def page(self, state: Any) -> Page:
        """What the app shows in a state."""

    @abstractmethod
    def act(self, state: Any, event: Event) -> Any:
        """What an event does in this app; back, home, Escape and the keyboard's keys never reach it."""

    def style(self, palette: Palette, skin: Skin) -> str:
        """The app's own style rules."""
        return ""

    def palette(self, state: Any) -> Palette:
        return self.dark if state.look.dark else self.light

    def css(self, state: Any) -> str:
        palette, skin = self.palette(state), SKINS[state.look.skin]
        return _css(palette, skin, self.font, state.look.dark) + self.style(palette, skin)

    def theme(self, state: Any) -> Theme:
        p, skin = self.palette(state), SKINS[state.look.skin]
        return Theme(
            app_name=self.title, dark=state.look.dark, accent=p.accent, on_accent=p.on_accent, surface=p.surface,
            background=p.background, text=p.text, muted=p.muted, border=p.border, danger=p.danger, radius=skin.radius,
            font=self.font, size=16, platform=skin.name,
        )  # fmt: skip

    def room(self, state: Any, page: Page) -> int:
        """Height left for the blocks of a page, in CSS pixels."""
        skin = SKINS[state.look.skin]
        taken = skin.status + skin.nav + page.top[0] + page.bottom[0]
        return HEIGHT - taken - (KEYBOARD if state.focus else 0) - (SNACK if state.notice and not state.focus else 0)

    def scroll_range(self, state: Any) -> int:
        page = self.page(state)
        return max(0, length(page) - self.room(state, page))

    def _offset(self, state: Any, page: Page) -> int:
        """How far the blocks are scrolled: as the state says, but the focused field stays above the keyboard."""
        room = self.room(state, page)
        offset: int = min(state.scroll, max(0, length(page) - room))
        if state.focus:
            mark, top = f'id="{state.focus}"', 0
            for height, html in page.blocks:
                if mark in html:
                    return min(max(offset, top + height - room), top)
                top += height
        return offset

    def in_view(self, state: Any, id: str) -> bool:
        """Whether the element is wholly on the screen and clear of a floating button."""
        page = self.page(state)
        mark, top, offset, room = f'id="{id}"', 0, self._offset(state, page), self.room(state, page)
        for height, html in page.blocks:
            if mark in html:
                clear = 76 if page.fab else 0
                at_end = offset >= self.scroll_range(state)
                return top >= offset and (
                    top + height <= offset + room - clear or (at_end and top + height <= offset + room)
                )
            top += height
        return any(item.id == id for item in outline(self.view(state)))

    def view(self, state: Any) -> str:
        skin, palette = SKINS[state.look.skin], self.palette(state)
        if state.away:
            return (
                "<div"
                f' class="phone">{_launcher(state.look, skin)}{_nav(skin, "#ffffff", "#00000000", state.look)}</div>'
            )
        page = self.page(state)
        room, offset = self.room(state, page), self._offset(state, page)
        shown, top, lead = [], 0, None
        for height, html in page.blocks:
            if top + height > offset and top < offset + room:
                lead = top if lead is None else lead
                # A sliver at an edge is left blank: of a rounded element it would show less than its box.
                seen = min(top + height, offset + room) - max(top, offset)
                shown.append(f'<div style="height:{height}px">{html if seen >= min(height, SLIVER) else ""}</div>')
            top += height
        ground, ink = page.ground or palette.bar, page.ink or palette.on_bar
        foot = page.bottom[0] + skin.nav + (KEYBOARD if state.focus else SNACK if state.notice else 0)
        fab = ""
        if page.fab and not state.focus:
            fab_id, name, label = page.fab
            fab = (
                f'<div id="{fab_id}" class="fab" data-role="icon" data-name="{esc(label)}"'
                f' style="bottom:{foot + 16}px">{icon(name, 24, palette.on_accent)}</div>'
            )
        snack = f'<div class="snackbox"><div class="snack">{esc(state.notice)}</div></div>'
        return (
            f'<div class="phone">{_status(state.look, skin, ground, ink)}'
            f'<div style="height:{page.top[0]}px">{page.top[1]}</div>'
            f'<div id="scroller" class="clip" style="height:{room}px">'
            f'<div style="margin-top:-{offset - (lead or 0)}px">{"".join(shown)}</div></div>'
            f"{snack if state.notice and not state.focus else ''}"
            f'<div style="height:{page.bottom[0]}px">{page.bottom[1]}</div>'
            f"{_keyboard(state.look, skin, state.focus in self.numeric, state.look.dark) if state.focus else ''}"
            f"{fab}{page.overlay}{_nav(skin, palette.text, palette.background, state.look)}</div>"
        )

    def _covered(self, state: Any, id: str | None) -> bool:
        """Whether an element lies under the scrim of what is open, where no tap can reach it."""
        below = True
        for item in outline(self.view(state)):
            if item.id == id:
                return below
            below = below and item.id != "scrim"
        return False

    def step(self, state: Any, event: Event) -> Any:
        if state.overlay and not state.away and (event.kind == "scroll" or self._covered(state, event.element)):
            return state
        if state.away and event.kind == "scroll":
            return state
        key = event.element if event.kind == "click" and state.focus and not state.away else None
        if key == "kbd-hide":
            after = replace(state, focus=None)
        elif key == "kbd-enter":
            after = self.apply(state, Event("press", None, "Enter"))
        else:
            after = super().step(state, event)
        if after.away or after.scroll == 0:
            return after
        # What a tap removed may have made the page shorter than it was scrolled.
        page = self.page(after)
        return replace(after, scroll=min(after.scroll, max(0, length(page) - self.room(after, page))))

    def apply(self, state: Any, event: Event) -> Any:
        click = event.element if event.kind == "click" else None
        if state.away:
            # The last app comes back by its icon, by the list of recent ones, or by taking the last step back.
            returns = event.kind == "back" or click in {f"launch-{self.name}", "nav-recents", "nav-back"}
            return replace(state, away=False) if returns else state
        if event.kind == "home" or click in {"nav-home", "nav-recents"}:
            return replace(state, away=True, focus=None, notice="")
        if event.kind == "back" or click in {"nav-back", "bar-back"} or (event.kind, event.text) == ("press", "Escape"):
            return self.backed(state, only_over=event.kind == "press")
        if event.kind in {"click", "long_press", "double_click"} and event.element and state.notice:
            state = replace(state, notice="")
        # Keys go to what lies on top, and what lies on top has no fields.
        if event.kind == "scroll" or (event.kind == "press" and state.overlay):
            return state
        return self.act(state, event)

    def backed(self, state: Any, *, only_over: bool) -> Any:
        """What back does: hides the keyboard, closes what is open, goes one screen back, leaves the app."""
        if state.overlay or state.focus:
            return replace(state, overlay="", focus=None)
        if only_over:
            return state
        if state.trail:
            return leave(state, notice="")
        return replace(state, away=True, notice="")


# What the system draws.

LAUNCHER = (
    ("settings", "Settings", "gear", "#64748b"), ("messages", "Pebble", "message", "#2f6fed"),
    ("contacts", "Rolodeck", "users", "#b4552d"), ("gallery", "Glimpse", "image", "#a2388a"),
    ("bank", "Fernhill", "bank", "#0f6b4f"), ("maps", "Waymark", "compass", "#2c8c5a"),
    ("clock", "Clock", "clock", "#3b3f8f"), ("notes", "Foolscap", "edit", "#c28a12"),
    ("store", "Bazaar", "bag", "#5a3fd6"), ("health", "Vitalis", "heart", "#d43a5e"),
    ("camera", "Camera", "camera", "#1f2937"), ("mail", "Mail", "mail", "#0e7490"),
)  # fmt: skip


def _status(look: Look, skin: Skin, ground: str, ink: str) -> str:
    signs = icon("wifi", 15, ink, width=2.4)
    if skin.name == "alder":
        fill = round(14 * look.battery / 100)
        cell = (
            '<svg width="24" height="14" viewBox="0 0 24 14"><rect x="1" y="2" width="18" height="10" rx="3"'
            f' fill="none" stroke="{ink}" stroke-width="1.4"/><rect x="3" y="4" width="{fill}" height="6" rx="1.5"'
            f' fill="{ink}"/><rect x="20" y="5" width="2" height="4" fill="{ink}"/></svg>'
        )
        bars = "".join(
            f'<rect x="{i * 4}" y="{9 - i * 3}" width="3" height="{3 + i * 3}" rx="1" fill="{ink}"/>' for i in range(4)
        )
        signal = f'<svg width="16" height="12" viewBox="0 0 16 12">{bars}</svg>'
        return (
            f'<div class="status" style="background:{ground};color:{ink};padding:0 20px">'
            f'<div style="flex:1;font-weight:600">{esc(look.time)}</div>{signal}{signs}{cell}</div>'
        )
    return (
        f'<div class="status" style="background:{ground};color:{ink};padding:0 14px">'
        f'<div style="width:120px">{esc(look.carrier)} 5G</div><div'
        f' style="flex:1;text-align:center">{esc(look.time)}</div>'
        f'<div style="width:120px;display:flex;gap:6px;justify-content:flex-end;align-items:center">{signs}'
        f"<div>{look.battery}%</div></div></div>"
    )


def _nav(skin: Skin, ink: str, ground: str, look: Look) -> str:
    if not skin.buttons:
        return (
            '<div id="nav-bar" class="nav" data-role="panel"><div id="nav-home" class="pill" data-role="icon" '
            f'data-name="Home"><div style="height:4px;border-radius:2px;background:{ink}"></div></div></div>'
        )
    shapes = {
        "recents": '<rect x="5" y="5" width="14" height="14" rx="3"/>',
        "home": '<circle cx="12" cy="12" r="7.5"/>',
        "back": '<path d="M15 4L7 12l8 8"/>',
    }
    cells = "".join(
        f'<div id="nav-{key}" class="navkey" data-role="icon" data-name="{key.capitalize()}"><svg width="20"'
        f' height="20" viewBox="0 0 24 24" fill="none" stroke="{ink}" stroke-width="2">{shape}</svg></div>'
        for key, shape in shapes.items()
    )
    return f'<div id="nav-bar" class="nav" data-role="panel" style="background:{ground}">{cells}</div>'


def _launcher(look: Look, skin: Skin) -> str:
    dusk = (
        "linear-gradient(160deg,#1b2a4a,#51386b 60%,#b5657a)"
        if look.dark
        else "linear-gradient(165deg,#2b6f8f,#6fa3a0 55%,#e2b98a)"
    )
    cells = "".join(
        f'<div id="launch-{name}" data-role="icon" data-name="{label}"'
        ' style="width:25%;height:96px;padding-top:4px"><div style="width:54px;height:54px;margin:0'
        f' auto;border-radius:{18 if not skin.buttons else 12}px;background:{colour};display:flex;align-items:center;justify-content:center">{icon(glyph, 26, "#ffffff")}</div><div'
        f' style="text-align:center;font-size:12px;color:#ffffff;margin-top:6px">{label}</div></div>'
        for name, label, glyph, colour in LAUNCHER
    )
    return (
        f'<div style="height:800px;background:{dusk};color:#ffffff;font-family:Inter">{_status(look, skin, "#00000000", "#ffffff")}'
        '<div style="height:190px;padding:56px 28px 0 28px"><div style="font-size:56px;font-weight:300;line-height:1">'
        f'{esc(look.time)}</div><div style="font-size:15px;margin-top:8px">Thursday, 12 March</div></div>'
        f'<div style="display:flex;flex-wrap:wrap;padding:120px 14px 0 14px">{cells}</div></div>'
    )


@lru_cache(maxsize=16)
def _keyboard(look: Look, skin: Skin, numeric: bool, dark: bool) -> str:
    ground, key, ink = ("#1f2226", "#3a3e45", "#f2f4f7") if dark else ("#dfe3e8", "#ffffff", "#1b1f24")
    accent = "#7fb4ff" if dark else "#2b5fc4"

    def cap(label: str, flex: str = "1", shade: str = key) -> str:
        return f'<div class="cap" style="flex:{flex};background:{shade};color:{ink}"><div>{label}</div></div>'

    enter = (
        f'<div id="kbd-enter" class="cap" data-role="icon" data-name="Enter" style="flex:1.6;background:{accent}">'
        f"{icon('arrow_right', 20, '#10141a' if dark else '#ffffff')}</div>"
    )
    if numeric:
        rows = [[cap(d) for d in row] for row in ("123", "456", "789")] + [[cap("."), cap("0"), cap("‹×"), enter]]
    else:
        rows = [[cap(c) for c in "qwertyuiop"], [cap(c) for c in "asdfghjkl"]]
        rows.append([cap("⇧", "1.5"), *(cap(c) for c in "zxcvbnm"), cap("‹×", "1.5")])
        rows.append([cap("?123", "1.6"), cap(","), cap("English", "4.4"), cap("."), enter])
    words = "".join(f'<div style="flex:1;text-align:center;color:{ink}">{w}</div>' for w in ("the", "and", "for"))
    hide = (
        '<div id="kbd-hide" class="kbdhide" data-role="icon" data-name="Hide'
        f' keyboard">{icon("chevron_down", 18, ink)}</div>'
    )
    body = "".join(
        f'<div class="caps" style="padding:0 {4 if i != 1 or numeric else 20}px">{"".join(r)}</div>'
        for i, r in enumerate(rows)
    )
    return (
        f'<div id="keyboard" class="keyboard" data-role="panel" style="background:{ground}">'
        f'<div class="kbdbar">{words if not numeric else "<div style=flex:1></div>"}{hide}</div>{body}</div>'
    )


@lru_cache(maxsize=64)
def _css(p: Palette, skin: Skin, font: str, dark: bool) -> str:
    card = "margin:0 12px;padding:0 14px;background:" + p.surface if skin.buttons else "padding:0 20px"
    dialog = (
        "left:12px;bottom:58px;width:336px;border-radius:18px;padding:22px 20px 16px 20px"
        if skin.buttons
        else "left:28px;top:250px;width:304px;border-radius:26px;padding:24px 24px 16px 24px"
    )
    ask_ground, ask_ink = ("#2a2d33", "#f1f3f6") if dark else ("#fbfcfe", "#1a1d22")
    return (
        f".phone{{position:relative;width:360px;height:800px;background:{p.background};color:{p.text};font-family:'{font}';"
        f"font-size:15px}}.status{{height:{skin.status}px;display:flex;align-items:center;gap:6px;font-size:13px;font-family:'{skin.font}'}}"
        f".nav{{position:absolute;left:0;bottom:0;width:360px;height:{skin.nav}px;display:flex;justify-content:center}}"
        ".pill{width:140px;height:24px;padding:10px 6px}"
        ".navkey{flex:1;height:46px;display:flex;align-items:center;justify-content:center}"
        f".bar{{height:56px;display:flex;align-items:center;padding:0 6px;background:{p.bar};color:{p.on_bar}}}"
        f".bartitle{{flex:1;min-width:0;font-size:{18 if skin.centred else 20}px;font-weight:600;padding:0 10px;"
        f"text-align:{'center' if skin.centred else 'left'}}}"
        ".ib{width:44px;height:44px;display:flex;align-items:center;justify-content:center}"
        f".row{{height:100%;display:flex;align-items:center;gap:14px;{card}}}"
        ".grow{flex:1;min-width:0}.el{white-space:nowrap;overflow:hidden}"
        f".t1{{font-size:16px;font-weight:500;white-space:nowrap;overflow:hidden}}.t2{{font-size:13px;color:{p.muted};white-space:nowrap;overflow:hidden}}"
        f".head{{height:100%;padding:18px {22 if skin.buttons else 20}px 0"
        f" {22 if skin.buttons else 20}px;font-size:13px;font-weight:600;color:{p.muted if skin.buttons else p.accent}}}"
        ".av{border-radius:50%;display:flex;align-items:center;justify-content:center;font-weight:600;color:#ffffff}"
        ".field{height:48px;padding:13px 14px;font-size:15px;border:1.5px solid"
        f" {p.border};border-radius:{10 if skin.buttons else 14}px;background:{p.surface};white-space:nowrap;overflow:hidden}}"
        f".btn{{height:46px;display:flex;align-items:center;justify-content:center;font-size:15px;font-weight:600;border-radius:{10 if skin.buttons else 23}px;background:{p.accent};color:{p.on_accent}}}"
        f".btn.quiet{{background:{p.soft};color:{p.text}}}.btn.warn{{background:{p.danger};color:{p.background}}}"
        ".chip{height:34px;padding:0"
        f" 14px;display:flex;align-items:center;font-size:13px;font-weight:500;border-radius:{8 if skin.buttons else 17}px;border:1px"
        f" solid {p.border};color:{p.text}}}"
        f".chip.on{{background:{p.soft};border-color:{p.accent};color:{p.text}}}"
        f".track{{width:46px;height:26px;border-radius:{13 if not skin.buttons else 7}px;padding:3px;background:{p.border};display:flex}}"
        f".track.on{{background:{p.accent};justify-content:flex-end}}"
        f".knob{{width:20px;height:20px;border-radius:{10 if not skin.buttons else 5}px;background:#ffffff}}"
        f".tabs{{height:62px;display:flex;background:{p.surface};border-top:1px solid {p.border}}}"
        f".tab{{flex:1;height:61px;padding-top:9px;font-size:12px;text-align:center;color:{p.muted}}}.tab.on{{color:{p.accent};font-weight:600}}"
        ".tabicon{height:24px;display:flex;justify-content:center;margin-bottom:3px}"
        f".fab{{position:absolute;right:16px;width:56px;height:56px;border-radius:{18 if not skin.buttons else 28}px;background:{p.accent};display:flex;align-items:center;justify-content:center;box-shadow:0"
        " 3px 8px rgba(0,0,0,.3)}"
        f".snackbox{{height:{SNACK}px;padding:4px 12px}}.snack{{height:44px;padding:13px"
        f" 16px;font-size:13px;border-radius:10px;background:{p.text};color:{p.background};white-space:nowrap;overflow:hidden}}"
        f".scrim{{position:absolute;left:0;top:0;width:360px;height:{HEIGHT - (skin.nav if skin.buttons else 0)}px;background:rgba(0,0,0,.45)}}"
        f".dialog{{position:absolute;{dialog};background:{p.surface};color:{p.text};box-shadow:0 8px 24px"
        " rgba(0,0,0,.3)}"
        f".dialogtitle{{font-size:19px;font-weight:600;line-height:1.25}}.dialogtext{{font-size:14px;color:{p.muted};margin-top:10px;line-height:1.45}}"
        f".dialogbuttons{{display:flex;gap:8px;margin-top:20px;justify-content:{'center' if skin.buttons else 'flex-end'}}}"
        + (
            f".dbtn{{flex:1;height:44px;border-radius:10px;background:{p.soft};color:{p.text};font-size:15px;font-weight:600;display:flex;align-items:center;justify-content:center}}"
            f".dbtn.main{{background:{p.accent};color:{p.on_accent}}}.dbtn.warn{{background:{p.danger};color:{p.background}}}"
            if skin.buttons
            else (
                ".dbtn{height:42px;padding:0"
                f" 14px;color:{p.accent};font-size:15px;font-weight:600;display:flex;align-items:center}}.dbtn.warn{{color:{p.danger}}}"
            )
        )
        + f".sheet{{position:absolute;left:0;bottom:{skin.nav if skin.buttons else 0}px;width:360px;border-radius:{skin.radius}px"
        f" {skin.radius}px 0 0;background:{p.surface};padding:10px 0 {12 if skin.buttons else 32}px 0;box-shadow:0 -4px 20px"
        f" rgba(0,0,0,.25)}}.handle{{width:36px;height:4px;border-radius:2px;background:{p.border};margin:0 auto 10px"
        " auto}.sheettitle{font-size:17px;font-weight:600;padding:4px 22px 8px"
        " 22px}.item{height:52px;display:flex;align-items:center;gap:16px;padding:0"
        f" 22px;font-size:15px}}.menu{{position:absolute;right:10px;width:212px;top:{skin.status + 8}px;padding:6px"
        f" 0;border-radius:{14 if not skin.buttons else 8}px;background:{p.surface};border:1px solid"
        f" {p.border};box-shadow:0 6px 18px"
        f" rgba(0,0,0,.25)}}.ask{{position:absolute;background:{ask_ground};color:{ask_ink};font-family:'{skin.font}';box-shadow:0"
        " 8px 24px rgba(0,0,0,.35);"
        + (
            "left:0;bottom:46px;width:360px;padding:24px 20px 18px 20px;border-radius:16px 16px 0 0}"
            if skin.buttons
            else "left:30px;top:230px;width:300px;padding:24px 20px 16px 20px;border-radius:28px}"
        )
        + f".askbtn{{height:46px;margin-top:8px;border-radius:{8 if skin.buttons else 20}px;background:{'#3a4150' if dark else '#dfe7f3'};color:{ask_ink};font-size:14px;font-weight:600;display:flex;align-items:center;justify-content:center}}"
        f".keyboard{{height:{KEYBOARD}px;padding-top:2px;font-family:'{skin.font}'}}.kbdbar{{height:38px;display:flex;align-items:center;font-size:14px}}"
        ".kbdhide{width:48px;height:38px;display:flex;align-items:center;justify-content:center}"
        ".caps{height:50px;display:flex;gap:5px}"
        f".cap{{min-width:0;height:44px;border-radius:{7 if not skin.buttons else 4}px;display:flex;align-items:center;justify-content:center;font-size:16px}}"
        f".card{{border-radius:{18 if not skin.buttons else 10}px;background:{p.surface};border:1px solid {p.border}}}"
        f".muted{{color:{p.muted}}}.small{{font-size:13px}}.tiny{{font-size:12px}}.bold{{font-weight:600}}"
    )


# Parts that apps put their pages together from.


def icon_button(id: str, glyph: str, name: str, colour: str, size: int = 22, *, fill: str = "none") -> str:
    """A 44 px square with an icon and no visible text."""
    return (
        f'<div id="{id}" class="ib" data-role="icon"'
        f' data-name="{esc(name)}">{icon(glyph, size, colour, fill=fill)}</div>'
    )


def app_bar(p: Palette, title: str, *actions: tuple[str, str, str], back: bool = False, sub: str = "") -> Block:
    """The bar at the top: an optional back arrow, the title, and actions as (id, icon, name)."""
    lead = icon_button("bar-back", "arrow_left", "Back", p.on_bar) if back else ""
    below = f'<div class="tiny el" style="font-weight:400">{esc(sub)}</div>' if sub else ""
    right = "".join(icon_button(id, glyph, name, p.on_bar) for id, glyph, name in actions)
    return (
        56,
        f'<div class="bar">{lead}<div class="bartitle"><div class="el">{esc(title)}</div>{below}</div>{right}</div>',
    )


def row(
    id: str,
    title: str,
    sub: str = "",
    *,
    lead: str = "",
    trail: str = "",
    height: int = 64,
    role: str = "row",
    name: str = "",
) -> Block:
    """A list row: `lead` and `trail` are HTML at its ends."""
    below = f'<div class="t2">{esc(sub)}</div>' if sub else ""
    named = f' data-name="{esc(name)}"' if name else ""
    return (
        height,
        (
            f'<div id="{id}" class="row" data-role="{role}"{named}>{lead}<div class="grow"><div'
            f' class="t1">{esc(title)}</div>{below}</div>{trail}</div>'
        ),
    )


def heading(text: str) -> Block:
    return 44, f'<div class="head">{esc(text)}</div>'


def gap(height: int) -> Block:
    return height, ""


def inset(height: int, html: str, side: int = 20) -> Block:
    """A block with margins at its sides."""
    return height, f'<div style="padding:0 {side}px">{html}</div>'


def track(on: bool) -> str:
    """The drawing of a switch, without an id."""
    return f'<div class="track{" on" if on else ""}"><div class="knob"></div></div>'


def toggle_row(id: str, title: str, sub: str, on: bool, *, lead: str = "", height: int = 64) -> Block:
    """A row that is a switch as a whole."""
    return row(
        id,
        title,
        sub,
        lead=lead,
        trail=track(on),
        height=height,
        role="switch",
        name=f"{title}: {'on' if on else 'off'}",
    )


def button(id: str, label: str, kind: Literal["", "quiet", "warn"] = "", *, grow: bool = False) -> str:
    style = ' style="flex:1;min-width:0"' if grow else ""
    return f'<div id="{id}" class="btn {kind}" data-role="button"{style}><div>{esc(label)}</div></div>'


def chip(id: str, label: str, on: bool = False) -> str:
    return f'<div id="{id}" class="chip{" on" if on else ""}" data-role="tab"><div class="el">{esc(label)}</div></div>'


def text_field(id: str, state: PhoneState, p: Palette, hint: str, *, style: str = "", secret: bool = False) -> str:
    """A text field that shows its value, or its hint, and a caret while it has the focus."""
    value = state.text(id)
    if secret:
        value = "•" * len(value)
    focused = state.focus == id
    shown = esc(short(value, 44)) if value else ("" if focused else f'<span style="color:{p.muted}">{esc(hint)}</span>')
    caret = f'<span style="color:{p.accent}">|</span>' if focused else ""
    edge = f"border-color:{p.accent};" if focused else ""
    return (
        f'<div id="{id}" class="field" data-role="field" data-name="{esc(hint)}"'
        f' style="{edge}{style}">{shown}{caret}</div>'
    )


def tab_bar(p: Palette, tabs: Iterable[tuple[str, str, str]], current: str) -> Block:
    """Tabs at the bottom, as (screen, icon, label); their ids are `tab-<screen>`."""
    cells = "".join(
        f'<div id="tab-{key}" class="tab{" on" if key == current else ""}" data-role="tab"><div class="tabicon">'
        f"{icon(glyph, 22, p.accent if key == current else p.muted)}</div><div>{esc(label)}</div></div>"
        for key, glyph, label in tabs
    )
    return 62, f'<div class="tabs">{cells}</div>'


SCRIM = '<div id="scrim" class="scrim" data-role="panel"></div>'


def dialog(title: str, text: str, *buttons: tuple[str, str, str], body: str = "") -> str:
    """A dialog of the app; buttons as (id, label, kind) with kind "", "main" or "warn"."""
    cells = "".join(
        f'<div id="{id}" class="dbtn {kind}" data-role="button"><div>{esc(label)}</div></div>'
        for id, label, kind in buttons
    )
    said = f'<div class="dialogtext">{esc(text)}</div>' if text else ""
    return (
        f'{SCRIM}<div id="dialog" class="dialog" data-role="panel"><div'
        f' class="dialogtitle">{esc(title)}</div>{said}{body}<div class="dialogbuttons">{cells}</div></div>'
    )


def sheet(title: str, p: Palette, *items: tuple[str, str, str], body: str = "") -> str:
    """A sheet from the bottom edge with items as (id, icon, label); an icon of "" leaves its place out."""
    rows = "".join(
        f'<div id="{id}" class="item" data-role="menuitem">{icon(glyph, 22, p.muted) if glyph else ""}<div class="grow'
        f' el">{esc(label)}</div></div>'
        for id, glyph, label in items
    )
    head = f'<div class="sheettitle">{esc(title)}</div>' if title else ""
    return f'{SCRIM}<div id="sheet" class="sheet" data-role="panel"><div class="handle"></div>{head}{body}{rows}</div>'


def menu(p: Palette, *items: tuple[str, str]) -> str:
    """The menu behind three dots, as (id, label)."""
    rows = "".join(
        f'<div id="{id}" class="item" style="height:46px" data-role="menuitem"><div class="el">{esc(label)}</div></div>'
        for id, label in items
    )
    plain = SCRIM.replace("data-role", 'style="background:rgba(0,0,0,.12)" data-role')
    return f'{plain}<div id="menu" class="menu" data-role="panel">{rows}</div>'


def permission(look: Look, glyph: str, question: str, *choices: tuple[str, str]) -> str:
    """The system's permission prompt, in the system's look and not the app's; choices as (id, label)."""
    tint = "#9cc0f5" if look.dark else "#2b5fc4"
    cells = "".join(
        f'<div id="{id}" class="askbtn" data-role="button"><div>{esc(label)}</div></div>' for id, label in choices
    )
    return (
        f'{SCRIM}<div id="permission" class="ask" data-role="panel"><div'
        f' style="display:flex;justify-content:center">{icon(glyph, 26, tint)}</div><div'
        ' style="font-size:17px;text-align:center;margin:12px 0 10px'
        f' 0;line-height:1.35">{esc(question)}</div>{cells}</div>'
    )


AVATAR_COLOURS = (
    "#b4552d",
    "#2f6fed",
    "#0f6b4f",
    "#8a3fa0",
    "#b8860b",
    "#c2385a",
    "#3b6f8f",
    "#566b2e",
    "#6a4fc4",
    "#8f4a3b",
)


def avatar(name: str, size: int = 42) -> str:
    """A round badge with initials, its colour fixed by the name."""
    initials = "".join(part[0] for part in name.split()[:2]).upper()
    colour = AVATAR_COLOURS[sum(map(ord, name)) % len(AVATAR_COLOURS)]
    return (
        '<div class="av"'
        f' style="width:{size}px;height:{size}px;background:{colour};font-size:{max(12, size * 2 // 5)}px"><div>{esc(initials)}</div></div>'
    )


def badge(glyph: str, colour: str, size: int = 40, ink: str = "#ffffff", radius: int = 12) -> str:
    """An icon on a coloured tile."""
    return (
        f'<div style="width:{size}px;height:{size}px;border-radius:{radius}px;background:{colour};display:flex;'
        f'align-items:center;justify-content:center">{icon(glyph, size * 11 // 20, ink)}</div>'
    )


# Parameters and scripts of goals.


def look_params(rng: random.Random) -> dict[str, str]:
    """Draws what a goal's phone looks like; part of the parameters of every mobile goal."""
    return {
        "skin": rng.choice(sorted(SKINS)),
        "mode": rng.choice(("light", "light", "dark")),
        "time": f"{rng.randint(7, 21)}:{rng.randint(0, 59):02d}",
        "battery": str(rng.randint(18, 97)),
        "carrier": rng.choice(("Lumo", "Ostara", "Quill")),
    }


def look_of(params: Mapping[str, str]) -> Look:
    return Look(params["skin"], params["mode"] == "dark", params["time"], int(params["battery"]), params["carrier"])


class Script:
    """Writes a goal's script by playing it: each call is one move, and `state` is where the phone is by then."""

    def __init__(self, app: PhoneApp, start: Any) -> None:
        self.app = app
        self.start = start
        self.state = start
        self.moves: list[Move] = []

    def do(self, event: Event, says: str) -> Script:
        self.state = self.app.step(self.state, event)
        self.moves.append(Move(event, says))
        return self

    def tap(self, id: str, says: str) -> Script:
        return self.do(Event("click", id), says)

    def hold(self, id: str, says: str) -> Script:
        return self.do(Event("long_press", id), says)

    def write(self, id: str, text: str, says: str) -> Script:
        return self.do(Event("type", id, text), says)

    def enter(self, says: str) -> Script:
        return self.do(Event("press", None, "Enter"), says)

    def back(self, says: str) -> Script:
        return self.do(Event("back"), says)

    def find(self, id: str, says: str = "It is further down, so I scroll.") -> Script:
        """Scrolls down until the element is on the screen; adds nothing when it already is."""
        while not self.app.in_view(self.state, id) and self.state.scroll < self.app.scroll_range(self.state):
            self.do(Event("scroll", None, "down"), says)
        return self

    @property
    def script(self) -> tuple[Move, ...]:
        return tuple(self.moves)

    def goal(
        self,
        name: str,
        params: Mapping[str, str],
        instruction: str,
        done: Callable[[Any], bool],
        entities: dict[str, str],
        *,
        sensitive: bool = True,
    ) -> Goal:
        """The goal that this script reaches; its texts are those that the script types."""
        texts = dict.fromkeys(m.event.text for m in self.moves if m.event.kind == "type")
        cut = {key: short(value, 40) for key, value in entities.items()}
        return Goal(name, dict(params), instruction, self.start, self.script, done, cut, tuple(texts), sensitive)
