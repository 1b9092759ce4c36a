"""Records of other people's JSON: read with their lines, asked for fields by type, never trusted.

A file may be one object, a list, one object a line, or text that only looks like JSON; a field may be absent, null, of
another type or spelled in another case. `Fields` says which of these it met, and the caller turns that into a finding
with file and line. Texts are cleaned of what encodings have left in them.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmark.case import Box, Point
from benchmark.sources.safety import MAX_TEXT, Unusable

STRAY: Mapping[int, str] = {
    0x19: "'", 0x18: "'", 0x1C: '"', 0x1D: '"', 0x13: "-", 0x14: "-", 0x26: "&",
    0x91: "'", 0x92: "'", 0x93: '"', 0x94: '"', 0x96: "-", 0x97: "-",
}  # fmt: skip
"""Control characters that stand for punctuation: the low byte of U+2019 and its like, or that of Windows-1252."""

DECODER = json.JSONDecoder()
BLANK = re.compile(r"\s*")


class Malformed(Unusable):
    """A record that is not what its format says."""


def cleaned(text: str) -> str:
    """A text without stray control characters and half surrogates; line breaks and tabs stay."""
    made = "".join(
        STRAY.get(ord(c), "") if unicodedata.category(c) == "Cc" and c not in "\n\t" else c
        for c in text.replace("\r\n", "\n").replace("\r", "\n")
    )
    return unicodedata.normalize("NFC", made.encode("utf-8", "replace").decode("utf-8"))


def one_line(text: str, length: int = 0) -> str:
    """A cleaned text on one line, cut to a length where one is given."""
    flat = " ".join(cleaned(text).split())
    return flat if not length or len(flat) <= length else flat[: length - 1].rstrip() + "…"


def type_name(value: Any) -> str:
    return {
        type(None): "null", bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list",
        dict: "an object",
    }.get(type(value), type(value).__name__)  # fmt: skip


class Fields:
    """The fields of one record; each getter raises `Malformed` naming the field and what was met there."""

    def __init__(self, value: Any, what: str = "the record") -> None:
        if not isinstance(value, dict):
            raise Malformed(f"{what} should be an object, it is {type_name(value)}")
        self.value: dict[str, Any] = value
        self.what = what

    def has(self, name: str) -> bool:
        return self.value.get(name) is not None

    def any(self, name: str) -> Any:
        """The value of a field that must be there and not null."""
        if name not in self.value:
            other = next((k for k in self.value if k.casefold() == name.casefold()), None)
            if other is not None:
                raise Malformed(f"field {name!r} is spelled {other!r}")
            raise Malformed(f"field {name!r} is missing")
        if self.value[name] is None:
            raise Malformed(f"field {name!r} is null")
        return self.value[name]

    def _typed(self, name: str, wanted: str, value: Any, good: bool) -> Any:
        if not good:
            raise Malformed(f"field {name!r} should be {wanted}, it is {type_name(value)}")
        return value

    def text(self, name: str) -> str:
        """A text that says something."""
        value = self.any(name)
        said = cleaned(str(self._typed(name, "a text", value, isinstance(value, str))))
        if not said.strip():
            raise Malformed(f"field {name!r} is empty")
        return said

    def maybe(self, name: str) -> str:
        """A text, "" where it is absent or null."""
        value = self.value.get(name)
        return "" if value is None else cleaned(str(self._typed(name, "a text", value, isinstance(value, str))))

    def name(self, name: str) -> str:
        """An identifier: a text, or a whole number written as one."""
        value = self.any(name)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            return str(value)
        said = one_line(self.text(name))
        if len(said) > 200:
            raise Malformed(f"field {name!r} is {len(said)} characters long, longer than any id")
        return said

    def number(self, name: str) -> float:
        return finite(self.any(name), f"field {name!r}")

    def items(self, name: str) -> list[Any]:
        value = self.any(name)
        found: list[Any] = self._typed(name, "a list", value, isinstance(value, list))
        return found

    def object(self, name: str) -> Fields:
        value = self.any(name)
        return Fields(self._typed(name, "an object", value, isinstance(value, dict)), f"field {name!r}")


def finite(value: Any, what: str) -> float:
    """A finite number.

    Raises:
        Malformed: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Malformed(f"{what} should be a number, it is {type_name(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number) or abs(number) > 1e7:
        raise Malformed(f"{what} is no number of pixels or seconds that can be")
    return number


def numbers(value: Any, count: int, what: str) -> tuple[float, ...]:
    """A list of so many finite numbers."""
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != count:
        raise Malformed(f"{what} should be {count} numbers, it is {type_name(value)}")
    return tuple(finite(part, what) for part in value)


def point(x: float, y: float) -> Point:
    return Point(x=x, y=y)


def box_of(x0: float, y0: float, x1: float, y1: float, what: str) -> Box:
    """A half-open box of whole pixels that holds the corners.

    Raises:
        Malformed: it is empty or its corners are in the wrong order.
    """
    if x1 <= x0 or y1 <= y0:
        raise Malformed(f"{what} ({x0:g}, {y0:g}, {x1:g}, {y1:g}) is empty or has its corners in the wrong order")
    return Box(x0=math.floor(x0), y0=math.floor(y0), x1=math.ceil(x1), y1=math.ceil(y1))


def text_of(path: Path) -> str:
    """A file as text.

    Raises:
        Malformed: it cannot be read, is too large, or is not UTF-8.
    """
    try:
        if path.stat().st_size > MAX_TEXT:
            raise Malformed(f"the file has {path.stat().st_size} bytes, over the limit of {MAX_TEXT}")
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(f"the file is not UTF-8 at byte {error.start}") from None
    except OSError as error:
        raise Malformed(f"the file cannot be read: {error.strerror or error}") from None


def json_of(text: str) -> Any:
    """A text as JSON.

    Raises:
        Malformed: it is none.
    """
    if text.startswith("version https://git-lfs"):
        raise Malformed("the file is a Git LFS pointer; fetch the files with `git lfs pull`")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Malformed(f"no JSON at line {error.lineno}: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise Malformed(f"JSON that cannot be read: {type(error).__name__}") from None


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The records of a file of one JSON value a line, with their line numbers; `Malformed` in place of a broken one."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                yield number, json_of(line.decode("utf-8-sig"))
            except UnicodeDecodeError as error:
                yield number, Malformed(f"not UTF-8 at byte {error.start} of the line")
            except Malformed as error:
                yield number, error


def json_items(path: Path) -> Iterator[tuple[int, Any]]:
    """The items of a file that is a JSON list (or one object), with the line on which each begins.

    Items are decoded one after the other, so one that breaks off costs only what follows it.
    """
    text = text_of(path)
    at = BLANK.match(text, 0)
    position = at.end() if at else 0
    if text[position : position + 1] != "[":
        yield text.count("\n", 0, position) + 1, json_of(text)
        return
    line, counted = text.count("\n", 0, position) + 1, position
    position += 1
    while True:
        position = _past(text, position)
        line, counted = line + text.count("\n", counted, position), position
        if text[position : position + 1] == "]":
            return
        try:
            value, position = DECODER.raw_decode(text, position)
        except json.JSONDecodeError as error:
            yield line, Malformed(f"no JSON at line {error.lineno}: {error.msg}")
            return
        except (RecursionError, ValueError) as error:
            yield line, Malformed(f"JSON that cannot be read: {type(error).__name__}")
            return
        yield line, value
        position = _past(text, position)
        if text[position : position + 1] == ",":
            position += 1
        elif text[position : position + 1] != "]":
            yield text.count("\n", 0, position) + 1, Malformed("the list breaks off here")
            return


def _past(text: str, position: int) -> int:
    found = BLANK.match(text, position)
    return found.end() if found else position


def record(value: Any) -> Fields:
    """A value that `json_lines` or `json_items` gave, as fields.

    Raises:
        Malformed: the one that was met, or because it is no object.
    """
    if isinstance(value, Malformed):
        raise value
    return Fields(value)
