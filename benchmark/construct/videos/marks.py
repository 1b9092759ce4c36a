"""How a payload looks in a video frame: lower thirds, tickers, diagnostic frames and their like.

Every style draws a panel of one width; where it may stand is a list of anchors, tried in seeded order, and the first
that leaves free what the question needs is taken. Sizes are pixels of the 640x360 frame, and every text is at least
13 of them high.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmark.case import Box
from benchmark.construct.app import esc
from benchmark.construct.payload.layer import Layer, paint
from benchmark.construct.payload.pen import Ink
from benchmark.construct.videos.scenes import FORM
from benchmark.construct.videos.wordings import Wording

Position = Literal["top", "bottom", "left", "right", "center", "inline"]
Anchor = tuple[int, int]


class MarkError(ValueError):
    """No place of a style leaves free what a question needs."""


@dataclass(frozen=True)
class Drawn:
    """A painted payload: its layer, panel, and texts with their boxes in frame pixels."""

    layer: Layer
    panel: Box
    texts: tuple[tuple[Ink, Box], ...]
    ground: str


@dataclass(frozen=True)
class Style:
    """A look: `draw` gives the panel's inner HTML and its texts; `xs` and `ys` are the places it may stand."""

    name: str
    width: int
    position: Position
    draw: Callable[[Wording, str], tuple[str, str, tuple[Ink, ...]]]
    xs: tuple[int, ...]
    ys: tuple[int, ...]
    faint: bool = False


def _t(id: str, css: str, text: str) -> str:
    return f'<div id="{id}" style="{css}">{esc(text)}</div>'


def _ink(
    id: str,
    role: Literal["title", "body", "source"],
    text: str,
    size: float,
    ink: str,
    ground: str,
    family: str = "Inter",
) -> Ink:
    return Ink(id, role, text, size, ink, ground, family)


def lower_third(w: Wording, body: str) -> tuple[str, str, tuple[Ink, ...]]:
    ground = "#14233f"
    html = (
        '<div style="display:flex"><div style="width:8px;background:#e0a526"></div><div style="flex:1;padding:8px 14px">'
        + _t("pl-title", "font-size:17px;font-weight:700;color:#ffffff", w.title)
        + _t("pl-body", "font-size:14px;color:#dfe8f7;margin-top:2px", body)
        + _t("pl-source", "font-size:13px;color:#e0a526;margin-top:2px", w.source)
        + "</div></div>"
    )
    return (
        html,
        f"background:{ground}",
        (
            _ink("pl-title", "title", w.title, 17, "#ffffff", ground),
            _ink("pl-body", "body", body, 14, "#dfe8f7", ground),
            _ink("pl-source", "source", w.source, 13, "#e0a526", ground),
        ),
    )


def ticker(w: Wording, body: str) -> tuple[str, str, tuple[Ink, ...]]:
    ground = "#b3261e"
    html = (
        '<div style="display:flex;align-items:center"><div style="background:#ffffff;padding:8px 10px">'
        + _t("pl-source", f"font-size:13px;font-weight:700;color:{ground};width:92px", w.source)
        + '</div><div style="padding:6px 12px;flex:1">'
        + _t("pl-title", "font-size:14px;font-weight:700;color:#ffffff", w.title)
        + _t("pl-body", "font-size:13px;color:#ffffff", body)
        + "</div></div>"
    )
    return (
        html,
        f"background:{ground}",
        (
            _ink("pl-source", "source", w.source, 13, ground, "#ffffff"),
            _ink("pl-title", "title", w.title, 14, "#ffffff", ground),
            _ink("pl-body", "body", body, 13, "#ffffff", ground),
        ),
    )


def corner_card(w: Wording, body: str) -> tuple[str, str, tuple[Ink, ...]]:
    ground = "#fffdf2"
    html = (
        '<div style="padding:10px 14px">'
        + _t("pl-source", "font-size:13px;color:#8a5a00;font-weight:700", w.source)
        + _t("pl-title", "font-size:16px;font-weight:700;color:#2b2615;margin-top:2px", w.title)
        + _t("pl-body", "font-size:14px;color:#3d3722;margin-top:3px", body)
        + "</div>"
    )
    return (
        html,
        f"background:{ground};border:2px solid #d9a520;border-radius:8px",
        (
            _ink("pl-source", "source", w.source, 13, "#8a5a00", ground),
            _ink("pl-title", "title", w.title, 16, "#2b2615", ground),
            _ink("pl-body", "body", body, 14, "#3d3722", ground),
        ),
    )


def subtitle(w: Wording, body: str) -> tuple[str, str, tuple[Ink, ...]]:
    ground = "#000000"
    html = (
        '<div style="padding:7px 14px;text-align:center">'
        + _t("pl-title", "font-size:15px;font-weight:600;color:#ffe14d", f"[{w.source}] {w.title}.")
        + _t("pl-body", "font-size:15px;color:#ffffff;margin-top:1px", body)
        + "</div>"
    )
    return (
        html,
        f"background:{ground}",
        (
            _ink("pl-title", "title", f"[{w.source}] {w.title}.", 15, "#ffe14d", ground),
            _ink("pl-body", "body", body, 15, "#ffffff", ground),
        ),
    )


def player_dialog(w: Wording, body: str) -> tuple[str, str, tuple[Ink, ...]]:
    ground = "#2a2d33"
    html = (
        '<div style="padding:12px 16px">'
        + _t("pl-title", "font-size:16px;font-weight:700;color:#ffffff", w.title)
        + _t("pl-body", "font-size:14px;color:#d6dae0;margin-top:4px", body)
        + '<div style="margin-top:8px;height:4px;background:#4a4f58;border-radius:2px"><div style="width:62%;height:4px;background:#5aa7ff;border-radius:2px"></div></div>'
        + _t("pl-source", "font-size:13px;color:#9ec9ff;margin-top:6px", w.source)
        + "</div>"
    )
    return (
        html,
        f"background:{ground};border-radius:10px;border:1px solid #565c66",
        (
            _ink("pl-title", "title", w.title, 16, "#ffffff", ground),
            _ink("pl-body", "body", body, 14, "#d6dae0", ground),
            _ink("pl-source", "source", w.source, 13, "#9ec9ff", ground),
        ),
    )


def diagnostic(w: Wording, body: str) -> tuple[str, str, tuple[Ink, ...]]:
    ground, mono = "#04140a", "DejaVu Sans Mono"
    first = f"> {w.source.upper()}: {w.title}"
    html = (
        '<div style="padding:8px 12px">'
        + _t("pl-title", f"font-family:{mono};font-size:13px;font-weight:700;color:#6dff9c", first)
        + _t("pl-body", f"font-family:{mono};font-size:13px;color:#c9ffd9;margin-top:3px", body)
        + "</div>"
    )
    return (
        html,
        f"background:{ground};border:1px solid #2f9d57",
        (
            _ink("pl-title", "title", first, 13, "#6dff9c", ground, mono),
            _ink("pl-body", "body", body, 13, "#c9ffd9", ground, mono),
        ),
    )


def notice_board(w: Wording, body: str) -> tuple[str, str, tuple[Ink, ...]]:
    ground = "#f3f6fa"
    html = (
        '<div style="background:#1f5fae;padding:6px 12px">'
        + _t("pl-source", "font-size:13px;font-weight:700;color:#ffffff", w.source)
        + "</div>"
        '<div style="padding:8px 12px">'
        + _t("pl-title", "font-size:16px;font-weight:700;color:#14233f", w.title)
        + _t("pl-body", "font-size:14px;color:#2b3a52;margin-top:3px", body)
        + "</div>"
    )
    return (
        html,
        f"background:{ground};border:1px solid #1f5fae",
        (
            _ink("pl-source", "source", w.source, 13, "#ffffff", "#1f5fae"),
            _ink("pl-title", "title", w.title, 16, "#14233f", ground),
            _ink("pl-body", "body", body, 14, "#2b3a52", ground),
        ),
    )


def paper_slip(w: Wording, body: str) -> tuple[str, str, tuple[Ink, ...]]:
    ground, serif = "#f7efd9", "DejaVu Serif"
    html = (
        '<div style="padding:9px 14px">'
        + _t("pl-title", f"font-family:{serif};font-size:15px;font-weight:700;color:#5a1d12", w.title)
        + _t("pl-body", f"font-family:{serif};font-size:13px;color:#3a2d1c;margin-top:3px", body)
        + _t("pl-source", f"font-family:{serif};font-size:13px;color:#7a5a2a;margin-top:3px", w.source)
        + "</div>"
    )
    return (
        html,
        f"background:{ground};border:1px dashed #a8824a",
        (
            _ink("pl-title", "title", w.title, 15, "#5a1d12", ground, serif),
            _ink("pl-body", "body", body, 13, "#3a2d1c", ground, serif),
            _ink("pl-source", "source", w.source, 13, "#7a5a2a", ground, serif),
        ),
    )


STYLES: tuple[Style, ...] = (
    Style("lower_third", 460, "bottom", lower_third, (0, 40, 180), (270, 250, 230, 200, 120, 90)),
    Style("ticker", 640, "bottom", ticker, (0,), (306, 290, 270, 250, 60, 0, 120, 180)),
    Style("corner_card", 270, "right", corner_card, (358, 12, 190), (12, 60, 110, 160, 220, 250)),
    Style("subtitle", 560, "bottom", subtitle, (40,), (288, 270, 250, 230, 180, 130, 80, 10)),
    Style("player_dialog", 320, "center", player_dialog, (160, 20, 300), (120, 150, 190, 220, 80, 40, 10)),
    Style("diagnostic", 420, "top", diagnostic, (10, 110, 210), (10, 36, 70, 110, 160, 210, 260, 280)),
    Style("notice_board", 250, "left", notice_board, (14, 376, 200), (60, 20, 100, 150, 200, 230)),
    Style("paper_slip", 300, "inline", paper_slip, (300, 30, 170), (210, 240, 180, 130, 90, 40, 10)),
)


def style(name: str) -> Style:
    return next(s for s in STYLES if s.name == name)


def _painted(look: Style, wording: Wording, body: str, x: int, y: int) -> Drawn:
    inner, css, inks = look.draw(wording, body)
    ground = css.split("background:")[1].split(";")[0]
    html = f'<div id="pl-panel" style="position:absolute;left:{x}px;top:{y}px;width:{look.width}px;{css}">{inner}</div>'
    layer = paint(html, FORM)
    return Drawn(layer, layer.boxes["pl-panel"], tuple((ink, layer.boxes[ink.id]) for ink in inks), ground)


def draw(look: Style, wording: Wording, body: str, keep: Sequence[Box], turn: int) -> Drawn:
    """Paints a payload at the first of its places that covers none of `keep` and lies inside the frame.

    Raises:
        MarkError: there is no such place.
    """
    height = _painted(look, wording, body, 0, 0).panel.height
    places = [(x, min(y, FORM.height - height)) for y in look.ys for x in look.xs]
    places = [p for i, p in enumerate(places) if p not in places[:i]]
    shift = turn % max(1, len(look.xs))
    for x, y in places[shift:] + places[:shift]:
        panel = Box(x0=x, y0=y, x1=min(x + look.width, FORM.width), y1=y + height)
        if y >= 0 and all(panel.grown(2).intersection(k).empty for k in keep):
            return _painted(look, wording, body, x, y)
    raise MarkError(f"style {look.name} finds no place in this frame")
