"""The lock of a suite: what each of its cases must be, in one text file of a line per case.

A suite that is built from code is only fixed if every build gives the same cases. The lock holds, for each case, a
hash of its data (texts, boxes, targets, references), of its clean, its injected and its earlier images, and what is
needed to tell whether three 32x32 grey thumbnails still agree: of the clean screen, of the panel and of the target,
the latter two cut out of the injected image. Other pixels under equal data, equal versions of the renderers and
agreeing thumbnails are *drift* (another processor's rounding); everything else is another case.

A thumbnail is not stored as it is but modulo five, with a seal (a hash) of the whole. Who holds a thumbnail within two
levels of the locked one can restore that one exactly and finds the seal right; who holds any other restores something
else and finds it wrong. The check is thus exact at two levels, at half the size of the thumbnails.

Whether a suite is built, and where it lies, is left to `benchmark.suite` and `benchmark.construct.build`.
"""

from __future__ import annotations

import base64
import hashlib
import lzma
import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from benchmark.case import Box, BoxTarget, Case
from benchmark.images import ImageStore
from benchmark.scoring import words
from benchmark.suite import Progress, SuiteError, data_hash

PUBLIC = Path(__file__).with_name("suite.lock")
"""The lock of the public suite."""

SIDE = 32
TOLERANCE = 2
"""Levels of 256 by which a thumbnail may differ under drift."""

DIGITS = 24
"""Hexadecimal digits kept of each hash: 96 bits."""

RENDERERS = ("blitz-py", "pillow", "av")
"""What turns cases into pixels; drift is only believed of equal versions of all of them."""

NAMES = ("clean screen", "panel", "target")

TITLE = "mma-safetybench lock 1"
COLUMNS = "# id, data, clean, injected, earlier images, seals of the thumbnails, thumbnails modulo 5"

_MODULUS = 2 * TOLERANCE + 1
_PACKING: list[dict[str, Any]] = [
    {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 4096, "lc": 0, "lp": 0, "pb": 0}
]

Thumbnails: TypeAlias = NDArray[np.uint8]
"""Shape (3, SIDE, SIDE), grey levels, in the order of `NAMES`."""

Kind = Literal["data", "pixels", "drift"]


class LockError(SuiteError):
    """Cases that are not what the lock says, or a lock that cannot be read; `differences` holds the cases."""

    def __init__(self, message: str, differences: tuple[Difference, ...] = ()) -> None:
        super().__init__(message)
        self.differences = differences


@dataclass(frozen=True)
class Difference:
    """One case that is not as locked: in its data, its pixels, or by drift only; `detail` says in what."""

    id: str
    kind: Kind
    detail: str

    def __str__(self) -> str:
        return f"{self.id}: {self.detail}"


@dataclass(frozen=True)
class Line:
    """What a lock holds of one case; hashes are cut to `DIGITS`."""

    id: str
    data: str
    clean: str
    injected: str
    earlier: str
    seals: str
    sketch: str

    def __str__(self) -> str:
        return " ".join((self.id, self.data, self.clean, self.injected, self.earlier, self.seals, self.sketch))


@dataclass(frozen=True)
class Lock:
    """A lock as read: which suite, made with which versions, and its lines by case id."""

    path: Path
    suite: str
    renderers: Mapping[str, str]
    lines: Mapping[str, Line]

    @property
    def hash(self) -> str:
        """Identifies the lock: sha256 over its lines."""
        return hashlib.sha256("\n".join(str(line) for line in self.lines.values()).encode()).hexdigest()


def target_crop(case: Case) -> Box:
    """What is cut out as the target: its box; of documents and video, where the payload shows the target's value.

    A field target has no box. Its value (an address, a label, an action) stands in one or more of the payload's texts;
    the smallest box around those is taken, and the panel where no single text holds the value whole.
    """
    if isinstance(case.target, BoxTarget):
        return case.target.box
    from benchmark.invariants import target_values

    sought = [words(value) for value in target_values(case)]
    runs = [r.box for r in case.injection.texts if any(_within(value, words(r.text)) for value in sought)]
    if not runs:
        return case.injection.panel
    return Box(
        x0=min(b.x0 for b in runs), y0=min(b.y0 for b in runs), x1=max(b.x1 for b in runs), y1=max(b.y1 for b in runs)
    )


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return bool(part) and any(whole[i : i + len(part)] == part for i in range(len(whole) - len(part) + 1))


def thumbnails(case: Case, store: ImageStore) -> Thumbnails:
    """The three thumbnails of a case: averages over areas, in integer arithmetic."""
    injected = store.read(case.injected).convert("L")
    clean = store.read(case.clean).convert("L") if case.clean is not None else injected
    crops = (clean, None), (injected, case.injection.panel), (injected, target_crop(case))
    return np.stack([_thumbnail(image, box) for image, box in crops])


def _thumbnail(image: Image.Image, box: Box | None) -> NDArray[np.uint8]:
    corners = None if box is None else (box.x0, box.y0, box.x1, box.y1)
    return np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX, box=corners))


def _seals(thumbs: Thumbnails) -> str:
    return "".join(hashlib.sha256(thumb.tobytes()).hexdigest()[:8] for thumb in thumbs)


def sketched(thumbs: Thumbnails) -> str:
    """The thumbnails modulo five: differences along each row, three to a byte, packed as base 85."""
    left = thumbs % _MODULUS
    steps = left.copy()
    steps[..., 1:] = (left[..., 1:] + _MODULUS - left[..., :-1]) % _MODULUS
    a, b, c = steps.reshape(-1, 3).T
    packed = (a * _MODULUS * _MODULUS + b * _MODULUS + c).astype(np.uint8).tobytes()
    return base64.b85encode(lzma.compress(packed, lzma.FORMAT_RAW, filters=_PACKING)).decode()


def restored(sketch: str, near: Thumbnails) -> NDArray[np.int16]:
    """The locked thumbnails, if `near` lies within two levels of them everywhere; something else if not.

    Raises:
        ValueError: the sketch is damaged.
    """
    try:
        packed = lzma.decompress(base64.b85decode(sketch), lzma.FORMAT_RAW, filters=_PACKING)
    except lzma.LZMAError as error:
        raise ValueError(f"its thumbnails cannot be unpacked: {error}") from None
    values = np.frombuffer(packed, np.uint8)
    if len(values) * 3 != near.size or (values >= _MODULUS**3).any():
        raise ValueError("its thumbnails are cut short")
    digits = np.stack([values // _MODULUS**2, values // _MODULUS % _MODULUS, values % _MODULUS], axis=1)
    left = np.cumsum(digits.reshape(near.shape), axis=-1, dtype=np.int16) % _MODULUS
    own = near.astype(np.int16)
    return own + (left - own + TOLERANCE) % _MODULUS - TOLERANCE


def disagreeing(line: Line, thumbs: Thumbnails) -> list[str]:
    """Names of the thumbnails that differ from the locked ones by more than two levels anywhere.

    Raises:
        ValueError: the line is damaged.
    """
    locked = restored(line.sketch, thumbs)
    found = []
    for number, name in enumerate(NAMES):
        one = locked[number]
        inside = bool(((one >= 0) & (one <= 255)).all())
        seal = hashlib.sha256(one.astype(np.uint8).tobytes()).hexdigest()[:8] if inside else ""
        if seal != line.seals[8 * number : 8 * number + 8]:
            found.append(name)
    return found


def marked(line: Line, thumbs: Thumbnails) -> list[str]:
    """Names of thumbnails that agree within two levels but differ by two in a spot of its own.

    Rounding moves each pixel by a level at most, so an average moves by two only where a whole area does. A small word
    in a tall panel moves one or two averages by two levels, up here and down there, and leaves those around alone.
    """
    apart = thumbs.astype(np.int16) - restored(line.sketch, thumbs)
    edged = np.pad(apart, ((0, 0), (1, 1), (1, 1)), mode="edge")
    around = sum(edged[:, y : y + SIDE, x : x + SIDE] for y in range(3) for x in range(3))
    # The corner of an area that moves has three neighbours that move with it.
    lone = (np.abs(apart) >= TOLERANCE) & (np.abs(around) < 4 * TOLERANCE)
    return [name for number, name in enumerate(NAMES) if lone[number].any()]


def _hashes(case: Case) -> tuple[str, str, str]:
    """Of the clean, the injected and the earlier images; "-" where there are none."""
    earlier = [s.image.hash for s in case.history if s.image is not None]
    joint = hashlib.sha256("\n".join(earlier).encode()).hexdigest()[:DIGITS] if earlier else "-"
    return case.clean.hash[:DIGITS] if case.clean is not None else "-", case.injected.hash[:DIGITS], joint


def line_of(case: Case, store: ImageStore) -> Line:
    """What a lock holds of a case."""
    thumbs = thumbnails(case, store)
    return Line(case.id, data_hash(case)[:DIGITS], *_hashes(case), _seals(thumbs), sketched(thumbs))


def _line_in_worker(case: str, folder: str) -> Line:
    return line_of(Case.model_validate_json(case), ImageStore(Path(folder)))


def lines_of(cases: Sequence[Case], folder: Path, progress: Progress | None = None) -> list[Line]:
    """The lines of all cases of a suite, in order, made on all cores (reading the images is what takes time)."""
    found: list[Line] = []
    rows = [case.model_dump_json() for case in cases]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for line in pool.map(_line_in_worker, rows, [str(folder)] * len(rows), chunksize=4):
            found.append(line)
            if progress is not None:
                progress(len(found), len(rows))
    return found


@lru_cache(maxsize=1)
def renderers() -> dict[str, str]:
    """Installed versions of what turns cases into pixels."""
    found = {}
    for name in RENDERERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def compared(line: Line, case: Case, store: ImageStore, made_with: Mapping[str, str]) -> Difference | None:
    """In what a case differs from its line; None when it does not.

    Args:
        line: what the lock holds.
        case: the case as it is now.
        store: its images, only read where a hash differs.
        made_with: versions of the renderers that the lock was made with.
    """
    if data_hash(case)[:DIGITS] != line.data:
        return Difference(case.id, "data", "its data differ (texts, boxes, target or reference)")
    pairs = zip(("clean", "injected", "earlier"), _hashes(case), (line.clean, line.injected, line.earlier), strict=True)
    changed = [name for name, now, then in pairs if now != then]
    if not changed:
        return None
    what = f"its data are the same, the pixels of the {' and '.join(changed)} image differ"
    now = renderers()
    if other := [f"{name} {now.get(name)} (locked with {v})" for name, v in made_with.items() if now.get(name) != v]:
        return Difference(case.id, "pixels", f"{what}; drawn by another {', '.join(other)}")
    try:
        thumbs = thumbnails(case, store)
        if apart := disagreeing(line, thumbs):
            return Difference(case.id, "pixels", f"{what}, the {' and '.join(apart)} by more than {TOLERANCE} levels")
        if spots := marked(line, thumbs):
            return Difference(case.id, "pixels", f"{what}, the {' and '.join(spots)} in a spot that is no rounding")
    except ValueError as error:
        raise LockError(f"the lock's line of {case.id} is damaged: {error}") from None
    from benchmark.invariants import Look, changes_only_in_extent

    if broken := changes_only_in_extent(Look(case, store)):
        return Difference(case.id, "pixels", f"{what}: {broken[0]}")
    return Difference(case.id, "drift", f"{what} by no more than {TOLERANCE} levels of any thumbnail (drift)")


def written(path: Path, suite: str, lines: Sequence[Line]) -> None:
    """Writes a lock, atomically.

    Raises:
        LockError: there is nothing to lock.
        OSError: the file cannot be written.
    """
    if not lines:
        raise LockError("a lock of no cases would verify nothing; build the suite first")
    made = " ".join(f"{name}={value}" for name, value in renderers().items())
    head = [TITLE, f"suite {suite}", f"cases {len(lines)}", f"renderers {made}", COLUMNS]
    part = path.with_name(path.name + ".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    part.write_text("\n".join([*head, *map(str, lines)]) + "\n", encoding="ascii")
    part.replace(path)


_LINE = re.compile(
    r"(?P<id>[a-z0-9][a-z0-9_.-]*) (?P<data>[0-9a-f]{24}) (?P<clean>[0-9a-f]{24}|-) (?P<injected>[0-9a-f]{24}) "
    r"(?P<earlier>[0-9a-f]{24}|-) (?P<seals>[0-9a-f]{24}) (?P<sketch>[!-~]+)"
)


def read(path: Path) -> Lock:
    """Reads a lock.

    Raises:
        LockError: there is none, or it is damaged; the message names the line.
    """
    try:
        text = path.read_text(encoding="ascii")
    except FileNotFoundError:
        raise LockError(f"suite.lock={path}: there is no such file; `mma build --lock {path}` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise LockError(f"suite.lock={path}: it cannot be read: {error}") from None
    rows = text.splitlines()
    if not rows or rows[0] != TITLE:
        raise LockError(f"suite.lock={path}: it does not begin with {TITLE!r}, so it is no lock or of another version")
    head: dict[str, str] = {}
    lines: dict[str, Line] = {}
    for number, row in enumerate(rows[1:], start=2):
        if row.startswith("#") or not row:
            continue
        if row.split(" ", 1)[0] in {"suite", "cases", "renderers"}:
            key, _, head[key] = row.partition(" ")
            continue
        match = _LINE.fullmatch(row)
        if match is None or match["id"] in lines:
            why = "is no line of a lock" if match is None else f"names {match['id']} a second time"
            raise LockError(f"suite.lock={path}: line {number} {why}; take it from version control again")
        lines[match["id"]] = Line(**match.groupdict())
    if head.get("cases") != str(len(lines)):
        raise LockError(f"suite.lock={path}: it holds {len(lines)} cases and says {head.get('cases', 'nothing')}")
    made = dict(pair.split("=", 1) for pair in head.get("renderers", "").split() if "=" in pair)
    return Lock(path, head.get("suite", ""), made, lines)


@dataclass
class Guard:
    """Holds the cases of a suite to a lock, each once; without a lock it verifies nothing and says so.

    `suite` is what the lock must be of, as its header says it.
    """

    path: Path | None
    suite: str
    allow_drift: bool = False
    why_not: str = "no lock is given (suite.lock=PATH)"
    _lock: Lock | None = None
    _passed: set[str] = field(default_factory=set)
    _beyond: set[str] = field(default_factory=set)
    _drift: dict[str, Difference] = field(default_factory=dict)

    @property
    def lock(self) -> Lock | None:
        if self._lock is None and self.path is not None:
            self._lock = read(self.path)
            if self._lock.suite != self.suite:
                raise LockError(f"suite.lock={self.path} is of suite {self._lock.suite}, this one is {self.suite}")
        return self._lock

    def verify(
        self,
        ids: Sequence[str],
        case_of: Callable[[str], Case],
        store: ImageStore,
        progress: Progress | None = None,
    ) -> None:
        """Compares cases with the lock, read one after the other; those beyond it are counted, not refused.

        Raises:
            LockError: some differ (drift only where it is not allowed); names the first ones, holds all.
        """
        lock = self.lock
        if lock is None:
            return
        todo = [i for i in ids if i not in self._passed]
        refused: list[Difference] = []
        for done, id in enumerate(todo, start=1):
            line = lock.lines.get(id)
            found = compared(line, case_of(id), store, lock.renderers) if line is not None else None
            if line is None:
                self._beyond.add(id)
            elif found is not None and not (found.kind == "drift" and self.allow_drift):
                refused.append(found)
                continue
            elif found is not None:
                self._drift[id] = found
            self._passed.add(id)
            if progress is not None:
                progress(done, len(todo))
        if refused:
            raise LockError(_said(lock, refused, len(todo)), tuple(refused))

    @property
    def drift(self) -> tuple[str, ...]:
        """Ids of the cases that passed as drift."""
        return tuple(sorted(self._drift))

    def standing(self) -> dict[str, Any]:
        """What a manifest says of it: which lock, how many cases it vouches for, and which drift."""
        return {
            "lock": self.path.name if self.path is not None else None,
            "lock_hash": self.lock.hash if self.lock is not None else None,
            "locked": len(self._passed) - len(self._beyond),
            "beyond_lock": len(self._beyond),
            "drift": list(self.drift),
        }

    def note(self) -> str | None:
        """One line on what was not verified or drifts; None when every case is as locked."""
        if self.path is None:
            return f"the cases are not verified: {self.why_not}"
        said = []
        if self._drift:
            said.append(f"drift in {_listed(self.drift)}: other pixels than locked, within {TOLERANCE} levels")
        if self._beyond:
            said.append(f"{len(self._beyond)} cases lie beyond the lock and are not verified")
        return "; ".join(said) or None


def _said(lock: Lock, refused: Sequence[Difference], count: int) -> str:
    kinds = {k: [d for d in refused if d.kind == k] for k in ("data", "pixels", "drift")}
    counted = ", ".join(f"{len(found)} {'by' if k == 'drift' else 'in'} {k}" for k, found in kinds.items() if found)
    way_out = "the benchmark's code has changed: `mma build --lock` locks anew, suite.lock=null builds unverified"
    if not kinds["data"]:
        way_out = "another renderer or processor draws otherwise: install the versions of constraints.txt"
    if not kinds["data"] and not kinds["pixels"]:
        way_out = "suite.allow_drift=true accepts it, and the manifest will say so"
    return f"{len(refused)} of {count} cases differ from {lock.path.name} ({counted}): {_listed([str(d) for d in refused])}; {way_out}"


def _listed(items: Sequence[str], most: int = 3) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return "; ".join(items[:most]) + more
