"""What payload styles draw with: a theme's colours, and texts that remember how they were drawn.

Every style writes HTML through a `Pen`. It hands out ids (`pl-panel`, `pl-target`, `pl-dismiss`, `pl-title`, ...),
lifts a colour that would not be readable on its ground, and keeps size, ink and ground of each text, so that
legibility is known without reading pixels back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from benchmark.construct.app import Theme, esc
from benchmark.construct.icons import icon
from benchmark.construct.legible import contrast, ink_on, is_dark, mix, readable

Role = Literal["title", "body", "control", "dismissal", "source", "note"]
Urgency = Literal["low", "medium", "high"]
Authority = Literal["system", "app", "admin", "vendor"]
Pressure = Literal["destructive_action", "authority", "disclosure", "false_status"]


@dataclass(frozen=True)
class Content:
    """A wording with its slots filled: what a payload says.

    `body` is one to three sentences, `brief` a single one for small surfaces; `entities` are the fillings.
    """

    wording: str
    title: str
    body: tuple[str, ...]
    brief: str
    control: str
    dismissal: str
    source: str
    authority: Authority
    pressure: Pressure
    urgency: Urgency
    entities: dict[str, str]


@dataclass(frozen=True)
class Ink:
    """A text as drawn: CSS size and family, ink and ground, and the id whose box it fills."""

    id: str
    role: Role
    text: str
    size: float
    ink: str
    ground: str
    family: str


@dataclass
class Pen:
    """Draws one payload. `offer` says whether a dismissal is drawn, `turn` (0, 1, 2, ...) picks among looks.

    `width` and `height` are the CSS size of the part of the screen where panels may stand; `family` is the font that
    is written in, the theme's unless a style changes it; `texts` fills up while drawing.
    """

    theme: Theme
    content: Content
    offer: bool
    turn: int
    width: int
    height: int
    family: str = ""
    texts: list[Ink] = field(default_factory=list)
    _notes: int = 0

    def __post_init__(self) -> None:
        self.family = self.family or self.theme.font

    @property
    def surface(self) -> str:
        return self.theme.surface

    @property
    def dark(self) -> bool:
        return is_dark(self.theme.surface)

    @property
    def ink(self) -> str:
        return readable(self.theme.text, self.surface, 7.0)

    @property
    def soft(self) -> str:
        return readable(self.theme.muted, self.surface, 4.6)

    @property
    def line(self) -> str:
        return mix(self.surface, self.ink, 0.16)

    @property
    def warn(self) -> str:
        return "#f0a92b" if self.dark else "#b86e00"

    @property
    def alarm(self) -> str:
        return self.theme.danger

    def tint(self, colour: str, share: float = 0.12) -> str:
        return mix(self.surface, colour, share)

    def pick(self, *choices: str) -> str:
        """One of `choices`, by the turn of this payload."""
        return choices[self.turn % len(choices)]

    def px(self, size: float) -> float:
        """A size of the theme's scale: `size` is meant for body text of 14 px."""
        return max(round(size * self.theme.size / 14 * 2) / 2, 11.5)

    def text(
        self, role: Role, words: str, size: float, ink: str, ground: str, *, weight: int = 400, style: str = ""
    ) -> str:
        """A text in a block of its own; the first of a role gets the plain id, further ones are notes."""
        id = f"pl-{role}"
        if role == "note" or any(known.id == id for known in self.texts):
            self._notes += 1
            id, role = f"pl-note{self._notes}", "note" if role != "body" else "body"
        colour = readable(ink, ground, 4.5)
        self.texts.append(Ink(id, role, words, size, colour, ground, self.family))
        return (
            f'<div id="{id}" style="font-size:{size}px;font-weight:{weight};color:{colour};{style}">{esc(words)}</div>'
        )

    def control(
        self,
        *,
        ground: str,
        ink: str | None = None,
        size: float = 14,
        weight: int = 600,
        style: str = "",
        label: str = "",
    ) -> str:
        """The malicious control, `pl-target`, with the wording's label."""
        return self._button("pl-target", "control", label or self.content.control, ground, ink, size, weight, style)

    def dismiss(
        self,
        *,
        ground: str,
        ink: str | None = None,
        size: float = 14,
        weight: int = 500,
        style: str = "",
        label: str = "",
    ) -> str:
        """The harmless way out, `pl-dismiss`; an empty string where this payload offers none."""
        if not self.offer:
            return ""
        return self._button(
            "pl-dismiss", "dismissal", label or self.content.dismissal, ground, ink, size, weight, style
        )

    def cross(self, *, ground: str, size: int = 16, pad: int = 6, style: str = "") -> str:
        """A closing cross as the dismissal; an empty string where this payload offers none."""
        if not self.offer:
            return ""
        mark = icon("close", size, readable(mix(ink_on(ground), ground, 0.25), ground, 3.2))
        return (
            f'<div id="pl-dismiss" data-role="button" data-name="Close" '
            f'style="padding:{pad}px;flex-shrink:0;{style}">{mark}</div>'
        )

    def _button(
        self, id: str, role: Role, label: str, ground: str, ink: str | None, size: float, weight: int, style: str
    ) -> str:
        colour = readable(ink or ink_on(ground), ground, 4.5 if size < 18 else 3.2)
        self.texts.append(Ink(id, role, label, size, colour, ground, self.family))
        return (
            f'<div id="{id}" data-role="button" style="font-size:{size}px;font-weight:{weight};color:{colour};'
            f'white-space:nowrap;text-align:center;flex-shrink:0;{style}">{esc(label)}</div>'
        )

    def panel(self, inner: str, *, width: int, ground: str = "", style: str = "") -> str:
        """The visible forged element, `pl-panel`, `width` CSS pixels wide."""
        return (
            f'<div id="pl-panel" data-role="panel" style="width:{width}px;background:{ground or self.surface};'
            f'font-family:{self.family};{style}">{inner}</div>'
        )

    def body(self, size: float, ink: str, ground: str, *, style: str = "", align: str = "", gap: int = 6) -> str:
        """The body, one block per paragraph: all sentences in one, or the last one set apart; `align` is of both."""
        sentences = self.content.body
        if self.turn % 3 == 1 and len(sentences) > 1:
            first, last = " ".join(sentences[:-1]), sentences[-1]
            return self.text("body", first, size, ink, ground, style=f"{align}{style}") + self.text(
                "body", last, size, ink, ground, style=f"{align}margin-top:{gap}px;line-height:1.45"
            )
        return self.text("body", " ".join(sentences), size, ink, ground, style=f"{align}{style}")

    def facts(self, ground: str, *, size: float = 13) -> str:
        """A few lines of particulars, for surfaces with room to fill: what is concerned, where, by whom."""
        known = self.content.entities
        rows = (("Concerns", known.get("item", "")), ("Where", known.get("app", "")), ("Asked by", self.content.source))
        return "".join(
            f'<div style="display:flex;gap:12px;padding:8px 0;border-top:1px solid {mix(ground, ink_on(ground), 0.12)}">'
            + self.text("note", name, size, self.soft, ground, style="width:84px;flex-shrink:0")
            + self.text("note", value, size, self.ink, ground, style="flex:1;min-width:0")
            + "</div>"
            for name, value in rows
            if value
        )


def badge(name: str, ground: str, ink: str, size: int, radius: int | None = None) -> str:
    """An icon on a coloured disc or rounded square, as a block of its own."""
    inner = round(size * 0.56)
    pad = (size - inner) / 2
    return (
        f'<div style="width:{size}px;height:{size}px;border-radius:{size // 2 if radius is None else radius}px;'
        f'background:{ground};padding:{pad}px;flex-shrink:0">{icon(name, inner, readable(ink, ground, 3))}</div>'
    )


def stronger(colour: str, ground: str) -> str:
    """A filled button's colour that stands out from the panel it lies on."""
    return colour if contrast(colour, ground) >= 1.6 else readable(colour, ground, 2.2)
