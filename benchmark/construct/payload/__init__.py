"""Forged interface elements: their styles, their wordings, and the one function that lays them over a screen."""

from __future__ import annotations

from benchmark.case import Intent
from benchmark.construct.payload.layer import Layer, compose, paint
from benchmark.construct.payload.pen import Content
from benchmark.construct.payload.style import Drawing, Style, draw

__all__ = ["Content", "Drawing", "Layer", "Style", "compose", "draw", "paint", "style", "styles"]


def styles(domain: str, intent: Intent | None = None) -> tuple[Style, ...]:
    """The payload styles of an interactive domain (of an intent, when given) in a fixed order."""
    from benchmark.construct.payload import gui, mobile, web

    tables = {"web": web.STYLES, "gui": gui.STYLES, "mobile": mobile.STYLES}
    return tuple(s for s in tables[domain] if intent is None or intent in s.intents)


def style(domain: str, name: str) -> Style:
    """The style called `name`; raises KeyError naming the ones there are."""
    for candidate in styles(domain):
        if candidate.name == name:
            return candidate
    raise KeyError(f"no {domain} payload style {name!r}; there are {', '.join(s.name for s in styles(domain))}")
