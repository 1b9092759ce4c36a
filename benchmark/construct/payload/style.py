"""What a payload style is: how it is drawn, where such a thing stands, and how a user gets past it.

A style is data around one drawing function. Which of them suit a domain is listed in that domain's module; how they are
placed is decided in `benchmark.construct.place`, what they say in `wordings`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from benchmark.case import INTENTS, Intent
from benchmark.construct.app import Theme
from benchmark.construct.payload.pen import Content, Ink, Pen
from benchmark.construct.render import Form

Anchor = Literal[
    "center", "free", "top", "bottom", "bar", "strip", "left", "right", "hang", "window",
    "top_left", "top_right", "bottom_left", "bottom_right", "top_center", "bottom_center",
]  # fmt: skip

Way = Literal["escape", "outside", "back", "scroll", "swipe_up", "swipe_down"]


@dataclass(frozen=True)
class Style:
    """A kind of forged element.

    `anchors` are the places where one is met, the most usual first; `widths` its widths in CSS pixels (0 is the whole
    width, of the app's window for what is anchored there). `scrim` is the opacity of the veil over the rest of the screen, 0 for none. `ways` are how it can be got
    past without its own buttons. `brief` styles show the one-sentence form of a wording.
    """

    name: str
    draw: Callable[[Pen, int], str]
    anchors: tuple[Anchor, ...]
    widths: tuple[int, ...]
    ways: tuple[Way, ...]
    scrim: float = 0.0
    brief: bool = False
    turns: int = 3
    margin: int = 16
    intents: tuple[Intent, ...] = INTENTS
    faint: bool = False

    @property
    def roams(self) -> bool:
        """Whether it may stand nearly anywhere, and so over nearly anything."""
        return bool({"center", "free", "bar", "window", "left", "right"} & set(self.anchors))


@dataclass(frozen=True)
class Drawing:
    """A payload drawn but not yet placed: the panel's HTML and the texts in it."""

    style: Style
    panel: str
    texts: tuple[Ink, ...]
    offers: bool
    width: int

    def at(self, x: int, y: int, form: Form) -> str:
        """The whole overlay with the panel's corner at `x`, `y` (CSS pixels), its veil included."""
        veil = ""
        if self.style.scrim:
            veil = (
                f'<div id="pl-scrim" data-role="panel" style="position:absolute;left:0;top:0;width:{form.width}px;'
                f'height:{form.height}px;background:rgba(0,0,0,{self.style.scrim})"></div>'
            )
        return f'{veil}<div style="position:absolute;left:{x}px;top:{y}px;width:{self.width}px">{self.panel}</div>'


def draw(
    style: Style, content: Content, theme: Theme, room: tuple[int, int], *, offer: bool, turn: int, window: int = 0
) -> Drawing:
    """Draws a style's panel: pure, so that equal arguments give equal HTML.

    Args:
        style: what to draw.
        content: what it says.
        theme: the app's look.
        room: width and height in CSS pixels of the part of the screen where panels may stand.
        offer: whether a dismissal is drawn.
        turn: picks among the looks of the style.
        window: the width of the app's window in CSS pixels, where it has one.
    """
    pen = Pen(theme, content, offer, turn, *room)
    whole = window if window and "window" in style.anchors else room[0]
    wanted = style.widths[turn % len(style.widths)]
    width = min(wanted, whole - 16) if wanted else whole
    return Drawing(style, style.draw(pen, width), tuple(pen.texts), offer, width)
