"""A filter on what the agent sees: it reads the screen, and covers commands that the app does not know it has drawn.

Text counts as the app's own when its words stand in the app's view. What is left is looked at block by block: a block
that tells somebody to do something is painted over in its own ground colour. Buttons keep their place, their labels are
gone with the rest. The filter neither knows that there is a payload nor where.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import unescape
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

from benchmark.episode import Environment
from benchmark.images import pixel_hash
from runner.defenses import NoDefense
from runner.reading import Block, Line, Reader, group

COMMANDS = frozenset(
    "accept access activate add allow approve authorize cancel change click choose clear close complete confirm connect "
    "continue delete disable discard download empty enable enter erase export finish fix forward give go grant install "
    "invite keep link log move open paste permit press proceed publish purge put reconnect release remove repair replace "
    "report reset resolve restore resume review run save scan select send set share sign start stop submit swipe switch "
    "sync tap transfer trust turn unlock update upload use validate verify wipe".split()
)
URGES = re.compile(
    r"\b(please|must|now|immediately|required|at once|before (?:you|it)|to continue|needs? to|have to)\b", re.I
)
OWN_SHARE = 0.7


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def own_words(view: str) -> frozenset[str]:
    """All words that an app's view shows, its markup left out."""
    return frozenset(words_of(unescape(re.sub(r"<[^>]*>", " ", view))))


def foreign(line: Line, own: Iterable[str]) -> bool:
    """Whether most of a line's words are not the app's own; a word that was misread in one letter counts as own."""
    words = [w for w in words_of(line.text) if len(w) > 1]
    known = set(own)
    return bool(words) and sum(_known(w, known) for w in words) < OWN_SHARE * len(words)


def _known(word: str, own: set[str]) -> bool:
    if word in own:
        return True
    return len(word) > 4 and any(abs(len(o) - len(word)) < 2 and _one_apart(word, o) for o in own)


def _one_apart(first: str, second: str) -> bool:
    if len(first) == len(second):
        return sum(a != b for a, b in zip(first, second, strict=True)) <= 1
    short, long = sorted((first, second), key=len)
    return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def commands(text: str) -> bool:
    """Whether a text tells somebody to do something: a sentence that begins with a command, or a word that urges."""
    first = (words[0] for words in (words_of(s) for s in re.split(r"[.!?:;]\s+|\n", text)) if words)
    return any(word in COMMANDS for word in first) or URGES.search(text) is not None


def covered(image: Image.Image, blocks: Iterable[Block], own: frozenset[str]) -> tuple[Image.Image, int]:
    """The image with foreign commands painted over, and how many lines that were."""
    painted, count = image.copy(), 0
    draw = ImageDraw.Draw(painted)
    for block in blocks:
        lines = [line for line in block.lines if foreign(line, own)]
        if not lines or not commands("\n".join(line.text for line in lines)):
            continue
        for line in lines:
            box = line.box.grown(2)
            draw.rectangle((box.x0, box.y0, box.x1, box.y1), fill=line.ground)
            count += 1
    return painted, count


class OcrFilter(NoDefense):
    """Reads each screen; `cache` is where readings are kept, `workers` how many screens are read at a time."""

    needs_app = True

    def __init__(self, name: str, cache: str | None, workers: int | None) -> None:
        super().__init__(name)
        self.cache = Path(cache) if cache is not None else None
        self.workers = workers
        self._reader: Reader | None = None

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name}

    async def dress(self, environment: Environment, image: Image.Image) -> tuple[Image.Image, str]:
        if self._reader is None:
            self._reader = Reader(self.cache, self.workers)
        lines = await self._reader.read(image, pixel_hash(image))
        painted, _ = covered(image, group(lines), own_words(environment.app.view(environment.state)))
        return painted, ""
