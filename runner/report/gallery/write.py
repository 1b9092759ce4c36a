"""Writes the gallery: one page with the index in it, details in chunks that a script tag loads, images beside them.

Pages opened from disk may not fetch, so chunks are scripts that call one function with JSON. A content security policy
allows the page's own script, by its hash, and what that script loads, and nothing else: should a text ever become
markup, it still could not run. Nothing that a model said is part of the HTML.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import zipfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from runner.report.gallery.records import Pages


def embedded(value: Any) -> str:
    """JSON for use inside a script: ASCII only, and no character that could end the element."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def page(index: dict[str, Any]) -> str:
    """The gallery's `index.html`."""
    folder = files("runner.report.gallery")
    script = folder.joinpath("page.js").read_text(encoding="utf-8")
    style = folder.joinpath("page.css").read_text(encoding="utf-8")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}' 'strict-dynamic'; style-src '{_hash(style)}'; "
        "img-src 'self' file: data:; base-uri 'none'; form-action 'none'"
    )
    slots = {
        "policy": html.escape(policy, quote=True),
        "title": html.escape(index["title"], quote=True),
        "style": style,
        "index": embedded(index),
        "script": script,
    }
    text = folder.joinpath("page.html").read_text(encoding="utf-8")
    found = []
    for number, piece in enumerate(text.split("{{")):
        if number == 0:
            found.append(piece)
            continue
        name, _, rest = piece.partition("}}")
        found.append(slots[name] + rest)
    return "".join(found)


def write_pages(pages: Pages, out: Path, images: dict[str, Any]) -> int:
    """Writes index and chunks and returns the size of the index in bytes.

    Args:
        images: how the page finds images: `mode`, and `link`, the suite's folder as seen from the page, or null.
    """
    data = out / "data"
    data.mkdir(parents=True, exist_ok=True)
    for old in data.glob("*.js"):
        old.unlink()
    for number, chunk in enumerate(pages.chunks):
        (data / f"{number}.js").write_text(f"mmaChunk({number},{embedded(chunk)});\n", encoding="ascii")
    text = page({**pages.index, "images": images})
    (out / "index.html").write_text(text, encoding="utf-8")
    return len(text.encode())


def write_zip(out: Path) -> Path:
    """Packs a gallery into one file beside it; images are stored as they are, texts are packed."""
    target = out.with_name(f"{out.name}.zip")
    part = target.with_name(f".{target.name}.part")
    with zipfile.ZipFile(part, "w") as archive:
        for path in sorted(p for p in out.rglob("*") if p.is_file()):
            packed = path.suffix in {".html", ".js"}
            name = f"{out.name}/{path.relative_to(out).as_posix()}"
            archive.write(path, name, zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED)
    part.replace(target)
    return target
