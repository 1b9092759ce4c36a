"""HTML to pixels and element boxes, the same on every machine.

Wraps blitz-py: no system font is ever read, a fixed set of fonts is registered, and layout boxes become clipped boxes
in pixels of the stored image. Hit-testing is ours, because the engine's boxes ignore clipping and paint order: what
an app may write so that the boxes can be trusted is checked by `lint`. Nothing here knows what an app or a payload is.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from PIL import Image

from benchmark.case import Box, Point

FONT_FILES = (
    "DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf",
    "DejaVuSerif-Italic.ttf", "DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf",
)  # fmt: skip

BASE_CSS = (
    "*{box-sizing:border-box}html,body{margin:0;padding:0}"
    "body{font-family:Inter,'DejaVu Sans';line-height:1.35}"
    ".clip{overflow:hidden}svg{display:block}"
)

BLOCK_TAGS = frozenset({"div", "section", "header", "footer", "nav", "main", "article", "form", "li", "ul", "td"})
INLINE_TAGS = frozenset({"span", "b", "i", "em", "strong", "small", "code", "u", "s", "sup", "sub", "label"})
VOID_TAGS = frozenset({"br", "hr", "img", "path", "circle", "rect", "line", "polyline", "polygon", "ellipse", "col"})
FORBIDDEN_TAGS = frozenset({"a", "button", "input", "select", "textarea", "script", "iframe", "table-row"})
FORBIDDEN_CSS = ("transform", "z-index", "inline-block", "inline-flex", "inline-grid", "url(http", "animation")


class RenderError(ValueError):
    """HTML that cannot be rendered to trustworthy boxes; the message names the element and the rule."""


@dataclass(frozen=True)
class Form:
    """A screen format: CSS pixels and how many stored pixels each of them has."""

    width: int
    height: int
    scale: int = 1

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in stored pixels."""
        return self.width * self.scale, self.height * self.scale


FORMS = {"web": Form(1280, 800), "gui": Form(1920, 1080), "mobile": Form(360, 800, 3)}


@dataclass(frozen=True)
class Element:
    """Something with an id on a screen.

    `role` is what it is for an agent ("panel" for what only blocks what lies under it), `text` its visible text,
    `name` what a person would call it, shown or not; `box` is clipped by its clipping ancestors and the screen and
    `order` counts in paint order.
    """

    id: str
    role: str
    text: str
    name: str
    box: Box
    order: int


@dataclass(frozen=True)
class Screen:
    """A rendered state: RGB pixels and the elements in paint order."""

    image: Image.Image
    elements: tuple[Element, ...]

    def element(self, id: str) -> Element | None:
        return next((e for e in self.elements if e.id == id), None)

    def hit(self, point: Point) -> Element | None:
        """The element that a click at `point` reaches: of those whose box holds it, the last one painted."""
        return next((e for e in reversed(self.elements) if e.box.contains(point)), None)


@dataclass
class _Node:
    tag: str
    id: str | None
    role: str | None
    name: str
    clip: bool
    parent: _Node | None
    inline_content: bool = False
    text: list[str] = field(default_factory=list)


class _Tree(HTMLParser):
    """Collects ids, roles, texts and clipping ancestors, in document order, which is paint order here."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = _Node("root", None, None, "", False, None)
        self.open: list[_Node] = [self.root]
        self.nodes: list[_Node] = []
        self.problems: list[str] = []
        self._style_depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "style":
            self._style_depth += 1
            return
        values = {k: v or "" for k, v in attrs}
        parent = self.open[-1]
        if tag in FORBIDDEN_TAGS:
            self.problems.append(f"<{tag}> is not drawn reliably; write a div with data-role")
        if tag in INLINE_TAGS:
            parent.inline_content = True
        node = _Node(
            tag=tag,
            id=values.get("id"),
            role=values.get("data-role"),
            name=values.get("data-name", ""),
            clip="clip" in values.get("class", "").split(),
            parent=parent,
        )
        # Names of attributes and styles only: what stands in a text, an agent's own for one, lays nothing out.
        said = " ".join([*values, values.get("style", "")])
        self.problems += [f"{w} is forbidden: element boxes do not follow it" for w in FORBIDDEN_CSS if w in said]
        if "overflow" in values.get("style", ""):
            self.problems.append(f"overflow in the style of {node.id or tag}: clip with class=clip, so that boxes know")
        self.nodes.append(node)
        if tag not in VOID_TAGS:
            self.open.append(node)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID_TAGS and len(self.open) > 1:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag == "style":
            self._style_depth -= 1
            return
        if tag in VOID_TAGS:
            return
        if self.open[-1].tag != tag:
            self.problems.append(f"</{tag}> closes <{self.open[-1].tag}> (id {self.open[-1].id})")
            return
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self._style_depth or not data.strip():
            return
        self.open[-1].inline_content = True
        for node in self.open:
            node.text.append(data.strip())


@lru_cache(maxsize=32)
def _parse(html: str) -> _Tree:
    tree = _Tree()
    tree.feed(html)
    tree.close()
    return tree


def lint(html: str) -> list[str]:
    """Names everything in `html` that would make the boxes of its elements wrong; an empty list is good."""
    tree = _parse(html)
    problems = list(tree.problems)
    seen: set[str] = set()
    for node in tree.nodes:
        if node.role and not node.id:
            problems.append(f"<{node.tag} data-role={node.role}> has no id")
        if node.clip and not node.id:
            problems.append(f"<{node.tag} class=clip> has no id, so its children cannot be clipped")
        if node.id is None:
            continue
        if node.id in seen:
            problems.append(f"id {node.id} occurs twice")
        seen.add(node.id)
        if not re.fullmatch(r"[a-z][a-z0-9_-]*", node.id):
            problems.append(f"id {node.id!r} should be lower case letters, digits, - and _")
        if node.tag not in BLOCK_TAGS:
            problems.append(f"id {node.id} is on <{node.tag}>, whose box is not trustworthy; use a div")
        if node.parent is not None and node.parent.inline_content and node.parent.tag != "td":
            problems.append(f"id {node.id} stands beside inline text in its parent, where its box would be wrong")
    if len(tree.open) != 1:
        problems.append(f"<{tree.open[-1].tag}> is never closed")
    return problems


@dataclass(frozen=True)
class Outline:
    """An element as the HTML states it, before any layout."""

    id: str
    role: str
    text: str
    name: str
    clips: tuple[str, ...]


@lru_cache(maxsize=4096)
def outline(html: str) -> tuple[Outline, ...]:
    """The elements with an id and a role, in document order, without rendering; cheap enough for a search."""
    result = []
    for node in _parse(html).nodes:
        if node.id is None or node.role is None:
            continue
        clips, above = [], node.parent
        while above is not None:
            if above.clip and above.id:
                clips.append(above.id)
            above = above.parent
        text = " ".join(node.text)
        result.append(Outline(node.id, node.role, text, node.name or text, tuple(clips)))
    return tuple(result)


@contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Hides what native code writes on descriptor 2: the engine announces that it found no system fonts, as wanted."""
    sys.stderr.flush()
    saved = os.dup(2)
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(null)


def font_folder() -> Path:
    """Where the fixed fonts lie: matplotlib ships them, and finding them does not import it."""
    spec = importlib.util.find_spec("matplotlib")
    if spec is None or spec.origin is None:
        raise RenderError("matplotlib is not installed, and its DejaVu fonts are needed to draw screens")
    return Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"


@lru_cache(maxsize=1)
def engine() -> Any:
    """The rendering engine with the fixed fonts and no others, started once per process."""
    # The engine reads FONTCONFIG_FILE when it is loaded; with system fonts the same page gets other pixels.
    if "blitz_py" in sys.modules:
        raise RenderError("blitz_py was imported before benchmark.construct.render; system fonts may have leaked in")
    before = os.environ.get("FONTCONFIG_FILE")
    os.environ["FONTCONFIG_FILE"] = str(Path(__file__).parent / "fonts" / "fonts.conf")
    try:
        with _quiet_stderr():
            import blitz_py

            blitz_py.register_fonts([(font_folder() / name).read_bytes() for name in FONT_FILES])
            blitz_py.measure_text("warm", font_size=10)
    finally:
        if before is None:
            del os.environ["FONTCONFIG_FILE"]
        else:
            os.environ["FONTCONFIG_FILE"] = before
    return blitz_py


def document(body: str, css: str = "") -> str:
    return f"<!doctype html><html><head><style>{BASE_CSS}{css}</style></head><body>{body}</body></html>"


HEAD, BODY = "sheet-head", "sheet-body"
WHITE = "#ffffff"

_drawing = threading.RLock()

if hasattr(os, "register_at_fork"):
    # A fork waits until nobody draws: the child would find the engine's own locks held by threads it has not got.
    os.register_at_fork(before=_drawing.acquire, after_in_parent=_drawing.release, after_in_child=_drawing.release)


PAGES = 500
"""So many pages a document takes before another takes its place: each leaves some 3 kB in it."""


@dataclass
class _Sheet:
    """A document of the engine, filled again and again. It keeps its last pixels, some 10 MB."""

    form: Form
    ground: str | None
    pages: int = 0
    template: Any = None

    def fill(self, body: str, css: str) -> Any:
        if self.template is None or self.pages == PAGES:
            form = self.form
            self.template = engine().Template(
                f'<!doctype html><html><head id="{HEAD}"></head><body id="{BODY}"></body></html>',
                width=form.width, height=form.height, scale=float(form.scale), background=self.ground,
            )  # fmt: skip
            self.pages = 0
        self.pages += 1
        self.template.set_html(HEAD, f"<style>{BASE_CSS}{css}</style>")
        self.template.set_html(BODY, body)
        return self.template


@lru_cache(maxsize=8)
def _sheet(process: int, form: Form, ground: str | None) -> _Sheet:
    """The sheet of a format, ground and process: a document's thread does not live on in a forked process."""
    return _Sheet(form, ground)


@contextmanager
def _laid(body: str, form: Form, css: str, ground: str | None = WHITE) -> Iterator[Any]:
    """The engine's document of a page, styled and laid out; it is the next page's as soon as the block is left.

    The engine gives each of its documents a thread, and some 15 kB of every thread are never freed. A document for
    each page let a process grow by 80 kB with every episode; one that takes many pages does not.
    """
    with _drawing:
        yield _sheet(os.getpid(), form, ground).fill(body, css)


def _painted(sheet: Any) -> Image.Image:
    width, height, pixels = sheet.render_rgba()
    return Image.frombytes("RGBA", (width, height), pixels)


def rgba(body: str, form: Form, css: str = "") -> tuple[Image.Image, dict[str, Box]]:
    """Renders on transparent ground: an RGBA image in stored pixels and the unclipped box of every id in it."""
    with _laid(body, form, css, None) as sheet:
        return _painted(sheet), _boxes(sheet, form)


def _boxes(sheet: Any, form: Form) -> dict[str, Box]:
    s = form.scale
    return {
        id: Box(x0=round(x * s), y0=round(y * s), x1=round((x + w) * s), y1=round((y + h) * s))
        for id, (x, y, w, h) in sorted(sheet.boxes().items())
        if id not in (HEAD, BODY)
    }


def screen(body: str, form: Form, css: str = "") -> Screen:
    """Renders a view: RGB pixels and its elements with clipped boxes, hidden and empty ones left out.

    Raises:
        RenderError: the HTML breaks a rule that the boxes depend on.
    """
    problems = lint(body)
    if problems:
        raise RenderError("; ".join(problems[:5]))
    with _laid(body, form, css) as sheet:
        image, found = _painted(sheet).convert("RGB"), _boxes(sheet, form)
    return Screen(image, _elements(body, found, Box(x0=0, y0=0, x1=image.width, y1=image.height)))


def boxes(body: str, form: Form, css: str = "") -> dict[str, Box]:
    """The unclipped box of every id, without painting: for measuring something before it is placed."""
    with _laid(body, form, css) as sheet:
        return _boxes(sheet, form)


def layout(body: str, form: Form, css: str = "") -> tuple[Element, ...]:
    """The elements of a view without painting it: several times cheaper than `screen`."""
    return _elements(body, boxes(body, form, css), Box(x0=0, y0=0, x1=form.size[0], y1=form.size[1]))


def _elements(body: str, boxes: dict[str, Box], frame: Box) -> tuple[Element, ...]:
    elements = []
    for order, item in enumerate(outline(body)):
        box = boxes[item.id].intersection(frame)
        for clip in item.clips:
            box = box.intersection(boxes[clip])
        if not box.empty:
            elements.append(Element(item.id, item.role, item.text, item.name, box, order))
    return tuple(elements)
