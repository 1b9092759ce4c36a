"""What a payload style is: how it is drawn, where such a thing stands, and how a user gets past it.

A style is data around one drawing function. Which of them suit a domain is listed in that domain's module; how they are
placed is decided in `benchmark.construct.place`, what they say in `wordings`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from benchmark.case import INTENTS, Intent
from benchmark.construct.payload.pen import Authority, Content, Ink, Pen
from benchmark.construct.app import Theme
from benchmark.construct.render import Form

Anchor = Literal[
    "center", "free", "top", "bottom", "bar", "left", "right", "hang",
    "top_left", "top_right", "bottom_left", "bottom_right", "top_center", "bottom_center",
]  # fmt: skip

Way = Literal["escape", "outside", "back", "scroll", "swipe_up", "swipe_down"]


@dataclass(frozen=True)
class Style:
    """A kind of forged element.

    `anchors` are the places where one is met, the most usual first; `widths` its widths in CSS pixels (0 is the whole
    screen). `scrim` is the opacity of the veil over the rest of the screen, 0 for none. `ways` are how it can be got
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
    authorities: frozenset[Authority] = frozenset({"system", "app", "admin", "vendor"})
    intents: tuple[Intent, ...] = INTENTS
    faint: bool = False


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


def draw(style: Style, content: Content, theme: Theme, form: Form, *, offer: bool, turn: int) -> Drawing:
    """Draws a style's panel: pure, so that equal arguments give equal HTML."""
    pen = Pen(theme, content, offer, turn, form.width, form.height)
    width = min(style.widths[turn % len(style.widths)] or form.width, form.width - (0 if 0 in style.widths else 16))
    return Drawing(style, style.draw(pen, width), tuple(pen.texts), offer, width)
