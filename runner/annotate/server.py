"""Serves the page to this machine alone, and keeps what is drawn in one JSON file, whole after every box.

The address holds a random token and only the loopback names are answered, so no other page in the browser can reach it.
What comes in is checked as a user's file of boxes is: four numbers within the image, of a case that is shown.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any

from benchmark.case import Case
from benchmark.images import ImageStore
from benchmark.sources.official import Marked, read_boxes
from benchmark.sources.records import Fields, Malformed, box_of, json_of, numbers

LARGEST = 100_000
"""Bytes of a request."""

ROLES = ("target", "reference", "dismissal")


class Boxes:
    """The file of boxes: read when there is one, written whole after each change."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = Lock()
        self.held: dict[str, dict[str, Any]] = {}
        if path.is_file():
            self.held = {id: plain(marked) for id, marked in read_boxes(path).items()}

    def put(self, id: str, boxes: dict[str, Any]) -> None:
        """Takes the boxes of a case; without a target they are of no use, and the case is left out."""
        with self.lock:
            if boxes.get("target"):
                self.held[id] = boxes
            else:
                self.held.pop(id, None)
            part = self.path.with_name(f"{self.path.name}.part")
            part.write_text(json.dumps(self.held, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            os.replace(part, self.path)


def plain(marked: Marked) -> dict[str, Any]:
    """Boxes of a case as the file has them."""
    found: dict[str, Any] = {"target": _listed(marked.target)}
    if marked.reference:
        found["reference"] = [_listed(box) for box in marked.reference]
    if marked.dismissal is not None:
        found["dismissal"] = _listed(marked.dismissal)
    return found


def _listed(box: Any) -> list[int]:
    return [box.x0, box.y0, box.x1, box.y1]


def checked(value: Any, case: Case) -> dict[str, Any]:
    """What the page sent for a case, as the file has it.

    Raises:
        Malformed: something is no box within the case's image.
    """
    fields = Fields(value, "what was sent")

    def box(entry: Any, what: str) -> list[int]:
        x0, y0, x1, y1 = numbers(entry, 4, what)
        made = box_of(x0, y0, x1, y1, what)
        if not made.inside(case.injected.frame):
            raise Malformed(f"{what} lies outside the image of {case.injected.width}x{case.injected.height}")
        return _listed(made)

    found: dict[str, Any] = {}
    for role in ("target", "dismissal"):
        if fields.has(role):
            found[role] = box(fields.any(role), role)
    if fields.has("reference") and fields.items("reference"):
        found["reference"] = [box(entry, "reference") for entry in fields.items("reference")]
    return found


def described(cases: Sequence[Case], boxes: Boxes) -> list[dict[str, Any]]:
    """What the page shows of each case."""
    return [
        {
            "id": case.id, "domain": case.domain, "task": case.task, "wanted": case.target.description,
            "image": case.injected.hash, "width": case.injected.width, "height": case.injected.height,
            "boxes": boxes.held.get(case.id, {}),
        }
        for case in cases
    ]  # fmt: skip


def server(cases: Sequence[Case], store: ImageStore, boxes: Boxes, port: int = 0) -> tuple[ThreadingHTTPServer, str]:
    """A server on the loopback address, not yet running, and the address of its page."""
    token = secrets.token_urlsafe(12)
    by_id = {case.id: case for case in cases}
    images = {case.injected.hash: store.path(case.injected) for case in cases}
    page = files("runner.annotate").joinpath("page.html").read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            """Says nothing: the terminal is the user's."""

        def answer(self, body: bytes, kind: str, status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def path_asked(self) -> str | None:
            """The path below the token; None for anyone who does not know it or comes by another name."""
            host = self.headers.get("Host", "").partition(":")[0]
            prefix = f"/{token}/"
            if host not in {"127.0.0.1", "localhost"} or not self.path.startswith(prefix):
                self.answer(b"not found", "text/plain", 404)
                return None
            return self.path[len(prefix) :]

        def do_GET(self) -> None:
            path = self.path_asked()
            if path is None:
                return
            if path == "":
                self.answer(page, "text/html; charset=utf-8")
            elif path == "cases":
                self.answer(json.dumps(described(cases, boxes)).encode(), "application/json")
            elif path.removeprefix("image/") in images:
                self.answer(images[path.removeprefix("image/")].read_bytes(), "image/png")
            else:
                self.answer(b"not found", "text/plain", 404)

        def do_POST(self) -> None:
            path = self.path_asked()
            if path is None:
                return
            case = by_id.get(path.removeprefix("boxes/"))
            length = self.headers.get("Content-Length", "")
            if case is None or not length.isdigit() or int(length) > LARGEST:
                self.answer(b"no such case, or too much", "text/plain", 400)
                return
            try:
                boxes.put(case.id, checked(json_of(self.rfile.read(int(length)).decode("utf-8", "replace")), case))
            except (Malformed, OSError) as error:
                self.answer(str(error).encode(), "text/plain; charset=utf-8", 400)
                return
            self.answer(b"{}", "application/json")

    made = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    return made, f"http://127.0.0.1:{made.server_address[1]}/{token}/"
