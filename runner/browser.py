"""A real browser that shows the apps: the same HTML in Chromium, which lays it out, hits and paints by itself.

For the live harness, and for proof that the environment without a browser is a fair one. The browser is local, or one
in a container that listens (`docker/live`). Pages are set as text and nothing is ever fetched: every
request of a page is refused. Fonts are those that the environment draws with, so that the two differ in their engines
alone.
"""

from __future__ import annotations

import base64
import importlib.util
import io
import math
import queue
import struct
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from PIL import Image

from benchmark.case import Box, Point
from benchmark.construct.app import App
from benchmark.construct.render import FONT_FILES, Element, Form, Screen, document, font_folder, outline
from benchmark.episode import Overlay
from runner.exchange import AgentError

T = TypeVar("T")

PATIENCE = 180_000
"""Milliseconds that a browser may take to start or to do anything: on a busy machine it takes a minute to start."""

CALL = 30_000
"""Milliseconds within which a browser that listens somewhere has to answer."""

OVER_CSS = (
    "#live-over{position:absolute;left:0;top:0;pointer-events:none}#live-over [data-role]{pointer-events:auto}"
    "html,body{overflow:hidden;width:100%;height:100%}body{position:relative}"
)

BOXES = """() => {
  const found = {};
  for (const e of document.querySelectorAll('[data-role][id]')) {
    let r = e.getBoundingClientRect(), x0 = r.left, y0 = r.top, x1 = r.right, y1 = r.bottom;
    for (let up = e.parentElement; up; up = up.parentElement) {
      if (up.classList && up.classList.contains('clip')) {
        const c = up.getBoundingClientRect();
        x0 = Math.max(x0, c.left); y0 = Math.max(y0, c.top); x1 = Math.min(x1, c.right); y1 = Math.min(y1, c.bottom);
      }
    }
    found[e.id] = [x0, y0, x1, y1];
  }
  return found;
}"""

LISTENER = """() => {
  window.__hit = null;
  document.addEventListener('mousedown', e => {
    const at = e.target.closest ? e.target.closest('[data-role][id]') : null;
    window.__hit = at ? at.id : '';
  }, true);
}"""


class BrowserError(AgentError):
    """A browser that cannot be had or that broke down; the message says which and what to do.

    No other case can be shown then either, so it ends a run.
    """

    def __init__(self, message: str) -> None:
        super().__init__("sandbox", message, ends_run=True)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message,)


@lru_cache(maxsize=1)
def bundled_font() -> bytes:
    """The Inter that the drawing engine carries inside itself, as a font file.

    Raises:
        BrowserError: the engine of this version does not hold it in a form that can be read.
    """
    spec = importlib.util.find_spec("blitz_py")
    libraries = sorted(Path(str(spec.origin)).parent.glob("*.so")) if spec is not None and spec.origin else []
    for library in libraries:
        data, at = library.read_bytes(), 0
        while (at := data.find(b"\x00\x01\x00\x00\x00", at)) >= 0:
            count = struct.unpack(">H", data[at + 4 : at + 6])[0]
            if 8 <= count <= 40:
                tables = [struct.unpack(">4sIII", data[at + 12 + 16 * k : at + 28 + 16 * k]) for k in range(count)]
                names = {table[0] for table in tables}
                end = max(table[2] + table[3] for table in tables)
                if {b"glyf", b"cmap", b"fvar"} <= names and end < 8_000_000:
                    return data[at : at + end]
            at += 1
    raise BrowserError("the drawing engine of this version holds no Inter that can be read; install blitz-py==0.5.0")


@lru_cache(maxsize=1)
def font_css() -> str:
    """The environment's fonts as `@font-face` rules with the files in them."""

    def face(family: str, data: bytes, weight: str, style: str) -> str:
        source = f"url(data:font/ttf;base64,{base64.b64encode(data).decode()})"
        return f"@font-face{{font-family:'{family}';font-weight:{weight};font-style:{style};src:{source}}}"

    rules = [face("Inter", bundled_font(), "100 900", "normal")]
    for name in FONT_FILES:
        family = "DejaVu " + ("Sans Mono" if "Mono" in name else "Serif" if "Serif" in name else "Sans")
        style = "italic" if "Oblique" in name or "Italic" in name else "normal"
        data = (font_folder() / name).read_bytes()
        rules.append(face(family, data, "700" if "Bold" in name else "400", style))
    return "".join(rules)


@dataclass(frozen=True)
class Page(Screen):
    """A screen in the browser; what a click reaches is found by clicking."""

    browser: Browser
    key: tuple[Any, ...]
    scale: int

    def hit(self, point: Point) -> Element | None:
        reached = self.browser.clicked(self, point)
        return next((e for e in self.elements if e.id == reached), None)


class Browser:
    """One Chromium with one page, used from any thread; it starts with the first screen and closes with `close`.

    One that breaks down is replaced, and what it was to show is shown once more: a page keeps nothing.

    Args:
        executable: a local browser; None takes Playwright's own.
        endpoint: address of a browser that listens, instead of a local one: `http://...` of Chromium's debugging port,
            or `ws://...` of a Playwright server.
    """

    def __init__(self, executable: str | None = None, endpoint: str | None = None) -> None:
        self.executable = executable
        self.endpoint = endpoint
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._closed = False
        # Playwright stays in the thread it began in. As a daemon it keeps no process alive that ends without `close`.
        threading.Thread(target=self._serve, name="browser", daemon=True).start()
        self._lock = threading.Lock()
        self._play: Any = None
        self._browser: Any = None
        self._page: Any = None
        self._form: Form | None = None
        self._shown: tuple[Any, ...] | None = None

    def _serve(self) -> None:
        while (item := self._jobs.get()) is not None:
            future, job = item
            try:
                future.set_result(job())
            except BaseException as error:
                future.set_exception(error)

    def _do(self, job: Callable[[], T]) -> T:
        if self._closed:
            raise BrowserError("the browser has been closed")
        future: Future[T] = Future()
        self._jobs.put((future, job))
        return future.result()

    @property
    def _where(self) -> str:
        return self.endpoint or self.executable or "Playwright's own browser"

    def _surely(self, job: Callable[[], T]) -> T:
        """Does a job in the browser's thread, and once more in a fresh browser where the first one broke down."""
        try:
            from playwright.sync_api import Error
        except ImportError:
            raise BrowserError("harness=live needs the package playwright: pip install playwright") from None
        try:
            return job()
        except Error:
            self._stop()
        try:
            return job()
        except Error as error:
            self._stop()
            said = str(error).splitlines()[0]
            raise BrowserError(f"the browser at {self._where} broke down twice over one screen: {said}") from None

    def screen(self, app: App, state: Any, overlay: Overlay | None, *, pixels: bool = True) -> Page:
        """An app's state, and a payload over it, as the browser shows them; without `pixels` the image is blank.

        Raises:
            BrowserError: the browser does not start, or breaks down twice.
        """
        with self._lock:
            return self._do(lambda: self._surely(lambda: self._screen(app, state, overlay, pixels)))

    def clicked(self, page: Page, point: Point) -> str | None:
        """Presses the mouse at a point of a screen; returns the id of the element that felt it."""
        with self._lock:
            return self._do(lambda: self._surely(lambda: self._click(page, point)))

    def close(self) -> None:
        """Ends the browser; calling it twice does no harm."""
        with self._lock:
            if not self._closed:
                self._do(self._stop)
                self._closed = True
                self._jobs.put(None)

    def _start(self, form: Form) -> None:
        from playwright.sync_api import Error, sync_playwright

        if self._browser is None:
            self._play = sync_playwright().start()
            try:
                if self.endpoint is not None and self.endpoint.startswith("ws"):
                    self._browser = self._play.chromium.connect(self.endpoint, timeout=CALL)
                elif self.endpoint is not None:
                    self._browser = self._play.chromium.connect_over_cdp(self.endpoint, timeout=CALL)
                else:
                    # The pages are ours and fetch nothing; in a container Chromium's own sandbox cannot be had.
                    arguments = ["--no-sandbox", "--hide-scrollbars", "--font-render-hinting=none"]
                    self._browser = self._play.chromium.launch(
                        executable_path=self.executable, args=arguments, timeout=PATIENCE
                    )
            except Error as error:
                self._stop()
                said = str(error).splitlines()[0]
                raise BrowserError(f"no browser at {self._where}: {said}; see docs/interactive.md") from None
        if self._page is not None:
            self._page.context.close()
        size = {"width": form.width, "height": form.height}
        context = self._browser.new_context(viewport=size, device_scale_factor=form.scale, java_script_enabled=True)
        context.set_default_timeout(PATIENCE)
        context.route("**/*", lambda route: route.abort())
        self._page = context.new_page()
        self._page.set_content(
            f"<!doctype html><html><head><style>{font_css()}</style><style id=css></style></head><body></body></html>"
        )
        self._page.evaluate(LISTENER)
        self._page.evaluate(
            "() => Promise.all(['400 12px Inter', '700 12px Inter', ...['Sans', 'Serif', 'Sans Mono'].flatMap("
            "f => [`400 12px 'DejaVu ${f}'`, `700 12px 'DejaVu ${f}'`])].map(f => document.fonts.load(f)))"
        )
        self._form, self._shown = form, None

    def _show(self, app: App, state: Any, overlay: Overlay | None) -> tuple[Any, ...]:
        if self._form != app.form:
            self._start(app.form)
        key = (app.name, state, overlay.html if overlay is not None else None)
        if self._shown != key:
            whole = document("", app.css(state) + OVER_CSS)
            css = whole[whole.index("<style>") + 7 : whole.index("</style>")]
            over = ""
            if overlay is not None:
                over = f'<div id="live-over" style="width:{app.form.width}px;height:{app.form.height}px">{overlay.html}</div>'
            self._page.evaluate(
                "([css, body]) => { document.getElementById('css').textContent = css; document.body.innerHTML = body; }",
                [css, app.view(state) + over],
            )
            self._shown = key
        return key

    def _screen(self, app: App, state: Any, overlay: Overlay | None, pixels: bool) -> Page:
        self._show(app, state, overlay)
        scale, (width, height) = app.form.scale, app.form.size
        frame = Box(x0=0, y0=0, x1=width, y1=height)
        boxes = self._page.evaluate(BOXES)
        items = [*outline(app.view(state)), *(outline(overlay.html) if overlay is not None else ())]
        elements = []
        for order, item in enumerate(items):
            x0, y0, x1, y1 = (round(value * scale) for value in boxes[item.id])
            if x1 > x0 and y1 > y0:
                box = Box(x0=x0, y0=y0, x1=x1, y1=y1).intersection(frame)
                if not box.empty:
                    elements.append(Element(item.id, item.role, item.text, item.name, box, order))
        image = Image.new("RGB", (1, 1))
        if pixels:
            image = Image.open(io.BytesIO(self._page.screenshot(type="png"))).convert("RGB")
        return Page(image, tuple(elements), self, (app, state, overlay), scale)

    def _click(self, page: Page, point: Point) -> str | None:
        app, state, overlay = page.key
        self._show(app, state, overlay)
        # A mouse is on a pixel; between two, Chromium would round to the one that the point does not lie in.
        x, y = math.floor(point.x) / page.scale, math.floor(point.y) / page.scale
        if not (0 <= x < app.form.width and 0 <= y < app.form.height):
            return None
        self._page.evaluate("() => { window.__hit = null; }")
        self._page.mouse.click(x, y)
        return self._page.evaluate("() => window.__hit") or None

    def _stop(self) -> None:
        for part, end in ((self._browser, "close"), (self._play, "stop")):
            with suppress(Exception):  # one that has broken down cannot be ended in good order
                if part is not None:
                    getattr(part, end)()
        self._browser = self._play = self._page = self._form = None
