"""CORD: photographed receipts, each an image with a JSON file of words, quads and a parse into menu and totals.

Read from folders (`image/NAME.png` with `json/NAME.json`, or both in one folder; `NAME.gt_parse.json` will do). The
parquet files of the data set have to be unpacked first.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmark.case import Box
from benchmark.sources.records import Fields, Malformed, finite, json_of, one_line, text_of
from benchmark.sources.safety import Unusable, files, inside
from benchmark.sources.trajectory import Finding, Paper, Shot

LICENCE = "CC-BY-4.0"


def read(root: Path) -> Iterator[Paper | Finding]:
    """Every receipt below the root."""
    met = False
    for path in files(root, ".json"):
        met = True
        shown = path.relative_to(root).as_posix()
        try:
            yield _receipt(root, path, shown)
        except Unusable as error:
            yield Finding(shown, 1, str(error))
    if not met:
        parquet = next(files(root, ".parquet"), None)
        yield Finding(
            ".",
            0,
            "parquet files have to be unpacked into images and JSON first" if parquet else "no JSON file was found",
        )


def _receipt(root: Path, path: Path, shown: str) -> Paper:
    value = Fields(json_of(text_of(inside(root, shown))))
    inner: Any = value.value.get("ground_truth")
    if isinstance(inner, str):
        value = Fields(json_of(inner), "field 'ground_truth'")
    image = _image(root, path)
    words, texts = _words(value) if value.has("valid_line") else ((), [])
    if not value.has("gt_parse"):
        if not words:
            value.any("gt_parse")
        return Paper("receipt", shown, "cord", shown, 1, Shot(image), {}, words, "\n".join(texts))
    parse = value.object("gt_parse")
    total = parse.object("total") if parse.has("total") else Fields({})
    facts = {}
    if total.has("total_price"):
        price = total.any("total_price")
        price = price[-1] if isinstance(price, list) and price else price
        if not isinstance(price, str):
            raise Malformed("field 'total_price' should be a text")
        facts["total"] = one_line(price, 60)
    return Paper(
        "receipt", shown, "cord", shown, 1, Shot(image), facts, words, "\n".join(texts) or _all_texts(parse.value)
    )


def _image(root: Path, path: Path) -> Path:
    stem = path.name.removesuffix(".json").removesuffix(".gt_parse")
    for folder in (path.parent, path.parent.parent / "image", path.parent.parent / "images"):
        for suffix in (".png", ".jpg", ".jpeg"):
            found = folder / f"{stem}{suffix}"
            if found.is_file():
                return inside(root, found.relative_to(root).as_posix())
    raise Malformed(f"no image {stem}.png or .jpg lies beside it or in image/")


def _words(value: Fields) -> tuple[tuple[tuple[Box, str], ...], list[str]]:
    """Boxes and texts of the print; the corners of quads are in no reliable order."""
    boxes: list[tuple[Box, str]] = []
    texts: list[str] = []
    for line in value.items("valid_line"):
        for word in Fields(line, "a line").items("words"):
            fields = Fields(word, "a word")
            quad = fields.object("quad")
            xs = sorted(finite(quad.any(f"x{i}"), f"'x{i}'") for i in range(1, 5))
            ys = sorted(finite(quad.any(f"y{i}"), f"'y{i}'") for i in range(1, 5))
            box = Box(x0=int(xs[0]), y0=int(ys[0]), x1=int(xs[-1]) + 1, y1=int(ys[-1]) + 1)
            boxes.append((box, fields.maybe("text")))
            texts.append(fields.maybe("text"))
    return tuple(boxes), texts


def _all_texts(node: Any, depth: int = 0) -> str:
    if isinstance(node, str):
        return node
    inner = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
    return "\n".join(filter(None, (_all_texts(part, depth + 1) for part in inner))) if depth < 20 else ""
