"""Resumes: any folder of page images, each with an optional JSON file of the same name that holds its fields."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmark.sources.records import Fields, Malformed, json_of, one_line, text_of
from benchmark.sources.safety import Unusable, files, inside, measured
from benchmark.sources.trajectory import Finding, Paper, Shot

FACTS = ("name", "title", "email", "phone")


def read(root: Path) -> Iterator[Paper | Finding]:
    """Every page below the root."""
    for path in files(root, ".png", ".jpg", ".jpeg", ".webp"):
        shown = path.relative_to(root).as_posix()
        where, line = shown, 0
        try:
            measured(inside(root, shown))
            facts: dict[str, str] = {}
            text = ""
            beside = path.with_suffix(".json")
            if beside.is_file():
                where, line = beside.relative_to(root).as_posix(), 1
                value = Fields(json_of(text_of(inside(root, where))))
                for name in FACTS:
                    value.maybe(name)
                    if any(k.casefold() == name and k != name for k in value.value):
                        raise Malformed(f"field {name!r} is spelled in another case")
                facts = {name: one_line(value.maybe(name), 120) for name in FACTS if value.maybe(name).strip()}
                text = _texts(value.value)
        except Unusable as error:
            yield Finding(where, line, str(error))
            continue
        yield Paper("resume", shown, path.parent.name or "resumes", shown, 0, Shot(path), facts, (), text)


def _texts(node: Any, depth: int = 0) -> str:
    if isinstance(node, str):
        return node
    inner = list(node.values()) if isinstance(node, dict) else node if isinstance(node, list) else []
    return "\n".join(filter(None, (_texts(part, depth + 1) for part in inner))) if depth < 20 else ""
