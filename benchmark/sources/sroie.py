"""SROIE: scanned receipts (`img/NNN.jpg`), the boxes of their lines (`box/NNN.csv`) and four values (`key/NNN.json`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmark.case import Box
from benchmark.sources.records import Fields, Malformed, cleaned, finite, json_of, one_line, text_of
from benchmark.sources.safety import Unusable, files, inside
from benchmark.sources.trajectory import Finding, Paper, Shot

LICENCE = "CC-BY-4.0"
FACTS = ("company", "date", "total")


def read(root: Path) -> Iterator[Paper | Finding]:
    """Every receipt below the root."""
    for path in files(root, ".jpg", ".jpeg", ".png"):
        if path.parent.name not in {"img", "images"}:
            continue
        shown = path.relative_to(root).as_posix()
        where, line = shown, 0
        try:
            inside(root, shown)
            base = path.parent.parent
            key, box = base / "key" / f"{path.stem}.json", base / "box" / f"{path.stem}.csv"
            facts: dict[str, str] = {}
            if key.is_file():
                where, line = key.relative_to(root).as_posix(), 1
                value = Fields(json_of(text_of(inside(root, where))))
                facts = {
                    name: one_line(value.text(name), 120) for name in FACTS if name in value.value or name == "total"
                }
            words: tuple[tuple[Box, str], ...] = ()
            text = ""
            if box.is_file():
                where, line = box.relative_to(root).as_posix(), 1
                words, text = _lines(root, where)
        except Unusable as error:
            yield Finding(where, line, str(error))
            continue
        yield Paper("receipt", shown, "sroie", shown, 0, Shot(path), facts, words, text)


def _lines(root: Path, name: str) -> tuple[tuple[tuple[Box, str], ...], str]:
    """Boxes and text of the lines. A text may hold commas; a coordinate may not be anything but a number."""
    boxes: list[tuple[Box, str]] = []
    texts: list[str] = []
    raw = inside(root, name).read_bytes().decode("utf-8", "replace")
    for number, row in enumerate(raw.splitlines(), start=1):
        if not row.strip():
            continue
        parts = row.split(",", 8)
        if len(parts) < 9:
            raise Malformed(f"line {number} has {len(parts)} values, 8 coordinates and a text are wanted")
        corners = [finite(_number(p, number), f"a coordinate of line {number}") for p in parts[:8]]
        xs, ys = sorted(corners[0::2]), sorted(corners[1::2])
        box = Box(x0=int(xs[0]), y0=int(ys[0]), x1=int(xs[-1]) + 1, y1=int(ys[-1]) + 1)
        boxes.append((box, cleaned(parts[8])))
        texts.append(cleaned(parts[8]))
    return tuple(boxes), "\n".join(texts)


def _number(text: str, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise Malformed(f"a coordinate of line {line} is no number: {text[:20]!r}") from None
