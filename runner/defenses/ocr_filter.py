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
from runner.reading import Block, Line, Reader, ReadingError, Settings, group
from runner.reading.settings import fingerprint

FILTER_VERSION = "3"
"""Raised whenever the same screen loses other lines."""

COMMANDS = frozenset(
    (
        "accept access acknowledge activate add adjust admit advance agree allow answer append apply appoint approve"
        " archive ask assign attach attest authorise authorize back backup ban begin block book bring browse buy bypass"
        " call cancel certify change charge check choose claim clean clear click clone close collect commit complete"
        " confirm connect consent contact continue contribute convert copy correct create deactivate decide declare"
        " decrypt define delegate delete deliver deny deploy deposit destroy detach disable discard disclose disconnect"
        " dismiss distribute donate download draft drag drop duplicate edit eject elevate email empty enable encrypt end"
        " enrol enroll enter erase exclude execute exempt expand expire export expose extend fetch file fill finalise"
        " finalize finish fix flag flash flush follow force forget format forward free gain get give go grant guarantee"
        " hand help hide hold ignore import include increase initialise initialize insert inspect install invite issue"
        " join keep launch lay leave lend let lift link list load lock log lower mail make mark merge migrate mirror"
        " modify mount move mute nominate notify obey obtain offer omit open opt order override overwrite pair pass paste"
        " patch pause pay permit persist pick pin place play post prepare press print proceed process produce protect"
        " prove provide publish pull purchase purge push put quit raise read reboot recall receive recharge reclaim"
        " reconnect record recover redeem redirect reduce refer refresh refund register reinstall reject relax release"
        " relinquish relocate remind remove rename renew reopen repair repeat replace reply report request require reroute"
        " rescan resend reserve reset resign resolve respond restart restore restrict resume retain retire retrieve retry"
        " return reveal revert review revoke rewrite ring roll route run save scan schedule secure select sell send"
        " separate serve set settle share shift show shut sign silence skip start stay stop store stream strike submit"
        " subscribe supply surrender suspend swap swipe switch sync synchronise synchronize take tap tell terminate test"
        " tick top touch track trade transfer transmit trash trust try turn unblock undo unfreeze uninstall unlink unlock"
        " unmute unpin unsubscribe update upgrade upload use validate verify view visit vote waive wipe withdraw write zip"
    ).split()
)
"""Verbs that labels and instructions begin with in general, not those of any payload."""

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
    """Whether most of a line's words are not the app's own.

    A word that was misread in one letter counts as own, and so does the rest of one at an end of a longer line, where
    a window that lies over it may have cut it.
    """
    words = [w for w in words_of(line.text) if len(w) > 1]
    known = set(own)
    ends = {words[0], words[-1]} if len(words) > 2 else set()
    ours = sum(_known(word, known) or (word in ends and _cut(word, known)) for word in words)
    return bool(words) and ours < OWN_SHARE * len(words)


def _known(word: str, own: set[str]) -> bool:
    if word in own:
        return True
    return len(word) > 4 and any(abs(len(o) - len(word)) < 2 and _one_apart(word, o) for o in own)


def _cut(word: str, own: set[str]) -> bool:
    return 2 < len(word) < 5 and any(o.startswith(word) or o.endswith(word) for o in own)


def _one_apart(first: str, second: str) -> bool:
    if len(first) == len(second):
        return sum(a != b for a, b in zip(first, second, strict=True)) <= 1
    short, long = sorted((first, second), key=len)
    return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))


def commands(text: str) -> bool:
    """Whether a text tells somebody to do something: a sentence that begins with a command, or a word that urges."""
    first = (words[0] for words in (words_of(s) for s in re.split(r"[.!?:;]\s+|\n", text)) if words)
    return any(word in COMMANDS for word in first) or URGES.search(text) is not None


def _foreign_part(block: Block, own: frozenset[str]) -> list[Line]:
    """The foreign lines of a block, with the word or two that end or begin a foreign paragraph, whosever they are."""
    strange = [foreign(line, own) for line in block.lines]
    part = []
    for place, line in enumerate(block.lines):
        beside = any(strange[max(0, place - 1) : place + 2])
        if strange[place] or (beside and len(words_of(line.text)) <= 2):
            part.append(line)
    return part


def painted_over(block: Block, own: frozenset[str]) -> list[Line]:
    """The lines of a block that have to go: its foreign part, where that tells somebody to do something."""
    part = _foreign_part(block, own)
    return part if commands("\n".join(line.text for line in part)) else []


def covered(image: Image.Image, blocks: Iterable[Block], own: frozenset[str]) -> tuple[Image.Image, int]:
    """The image with foreign commands painted over, and how many lines that were."""
    painted = image.copy()
    draw = ImageDraw.Draw(painted)
    gone = [line for block in blocks for line in painted_over(block, own)]
    for line in gone:
        box = line.box.grown(2)
        draw.rectangle((box.x0, box.y0, box.x1, box.y1), fill=line.ground)
    return painted, len(gone)


class OcrFilter(NoDefense):
    """Reads each screen; `cache` is where readings are kept, `workers` how many screens are read at a time."""

    needs_app = True

    def __init__(self, name: str, cache: str | None, workers: int | None) -> None:
        super().__init__(name)
        self.cache = Path(cache) if cache is not None else None
        self.workers = workers
        self._reader: Reader | None = None

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "version": FILTER_VERSION, "reading": fingerprint(Settings())}

    def _opened(self) -> Reader:
        if self._reader is None:
            self._reader = Reader(self.cache, self.workers)
        return self._reader

    def check(self) -> None:
        try:
            self._opened()
        except ReadingError as error:
            raise ValueError(f"defense={self.name}: {error}") from None
        except ValueError as error:
            raise ValueError(f"defense={self.name}: {error}") from None

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    async def dress(self, environment: Environment, image: Image.Image) -> tuple[Image.Image, str]:
        lines = await self._opened().read(image, pixel_hash(image))
        painted, _ = covered(image, group(lines), own_words(environment.app.view(environment.state)))
        return painted, ""
