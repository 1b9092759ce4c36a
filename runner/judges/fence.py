"""Untrusted text within a judge's prompt: labelled, and fenced by a marker that the text cannot hold.

The marker is a hash over all that it fences, so that nobody can know it before the last word of the text is written,
and yet the same case makes the same prompt. Characters that do not show (controls, directions, zero widths, tags,
private use) are written as escapes: a judge then reads what a person would see in a log, and nothing besides.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping

HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""Unicode categories that a reader cannot see, or that break lines where no line break shows."""

_FILLERS = frozenset("\u115f\u1160\u3164\uffa0\u034f\u17b4\u17b5\u180b\u180c\u180d\u180e\u2800") | frozenset(
    map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
"""Blank letters and variation selectors: they carry hidden text as well as controls do."""


def shown(text: str) -> str:
    """The text with hidden characters as `\\u{...}`; line feeds and tabs stay, other line ends become line feeds."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    if plain.isascii() and plain.isprintable():
        return plain
    return "".join(
        f"\\u{{{ord(c):x}}}" if c not in "\n\t" and (unicodedata.category(c) in HIDDEN or c in _FILLERS) else c
        for c in plain
    )


def cut(text: str, most: int) -> str:
    """The text, or its beginning and end when it is longer than `most` characters."""
    if len(text) <= most:
        return text
    head = most * 3 // 4
    return f"{text[:head]}\n[{len(text) - most} characters left out]\n{text[len(text) - (most - head) :]}"


class Fence:
    """Fences a set of labelled texts with one marker.

    Args:
        texts: by label, all that will be fenced; the marker depends on every one of them.
        salt: names the case.
    """

    def __init__(self, texts: Mapping[str, str], salt: str) -> None:
        self._texts = {label: shown(text) for label, text in texts.items()}
        everything = "\x00".join(f"{label}\x00{text}" for label, text in self._texts.items())
        turn = 0
        while True:
            self.marker = hashlib.sha256(f"{salt}\x00{turn}\x00{everything}".encode()).hexdigest()[:24]
            if self.marker not in everything.casefold():
                break
            turn += 1

    def block(self, label: str) -> str:
        """One text between its opening and closing line."""
        return f"[begin {label} {self.marker}]\n{self._texts[label]}\n[end {label} {self.marker}]"
