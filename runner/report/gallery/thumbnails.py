"""Small copies of a suite's images for the gallery, made in parallel and kept for the next gallery.

Decoding, shrinking and encoding cost about 40 ms an image and core, a minute or more for a whole suite on two cores,
whatever else is done. So every image is decoded once, whatever cases show it, and what was made is kept beside the
suite: `mma build` makes all of them, and so does the first gallery of a suite that was not built here; every other
gallery only links files. Pillow lets go of the interpreter while it decodes and encodes, so threads are enough.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from benchmark.case import Case
from benchmark.images import ImageError, read_rgb

MAX_BYTES = 40_000
"""No thumbnail is larger; what would be is encoded again, coarser and then smaller."""

QUALITIES = (62, 45, 30)

LARGE_EDGE, STRIP_EDGE = 960, 360
"""Longer side in pixels of the current observation, and of the screens before it."""


@dataclass(frozen=True)
class Wanted:
    """One image to make: from which file, how long its longer side may be, and where it goes; None: only kept."""

    hash: str
    source: Path
    edge: int
    target: Path | None


def listed(large: Iterable[str], strip: Iterable[str], suite: Path, out: Path | None) -> list[Wanted]:
    """The images of a gallery by their hashes, those of current observations first; no `out`: they are only kept."""
    return [
        Wanted(
            h, suite / "images" / h[:2] / f"{h}.png", edge, out / f"{h[:24]}{ending}.webp" if out is not None else None
        )
        for hashes, edge, ending in ((large, LARGE_EDGE, ""), (strip, STRIP_EDGE, "-s"))
        for h in hashes
    ]


def cache_of(suite: Path) -> Path:
    """Where the thumbnails of a suite are kept: beside it, or where that cannot be written, beside suites built here."""
    beside = suite.parent
    return (beside if os.access(beside, os.W_OK) else Path("suites")) / ".thumbnails"


def keep(cases: Iterable[Case], suite: Path, progress: Callable[[int, int], None] | None = None) -> list[str]:
    """Makes all thumbnails of a suite that are not kept yet; returns one line for each image that cannot be read."""
    large: dict[str, None] = {}
    strip: dict[str, None] = {}
    for case in cases:
        large |= {ref.hash: None for ref in (case.injected, case.clean) if ref is not None}
        strip |= {step.image.hash: None for step in case.history if step.image is not None}
    return make(listed(large, strip, suite, None), cache_of(suite), progress)


def encoded(image: Image.Image, edge: int) -> bytes:
    """An image as WebP with no side longer than `edge` and no more than `MAX_BYTES`."""
    while True:
        small = image
        scale = edge / max(image.size)
        if scale < 1:
            size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
            small = image.resize(size, Image.Resampling.BILINEAR, reducing_gap=2.0)
        for quality in QUALITIES:
            file = io.BytesIO()
            small.save(file, "WEBP", quality=quality, method=1)
            if file.tell() <= MAX_BYTES:
                return file.getvalue()
        edge = min(edge, max(image.size)) * 3 // 4


def place(source: Path, target: Path) -> None:
    """Puts a file into the gallery: as a second name where the file system allows it, else as a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    part.unlink(missing_ok=True)
    try:
        os.link(source, part)
    except OSError:
        shutil.copyfile(source, part)
    part.replace(target)


def _kept(cache: Path | None, wanted: Wanted) -> Path | None:
    return cache / wanted.hash[:2] / f"{wanted.hash}-{wanted.edge}.webp" if cache is not None else None


def _make(group: tuple[Wanted, ...], cache: Path | None) -> str | None:
    """Makes all sizes of one image from one decoding; returns what went wrong, if anything."""
    try:
        image = read_rgb(group[0].source)
    except ImageError as error:
        return str(error)
    for wanted in group:
        data = encoded(image, wanted.edge)
        kept = _kept(cache, wanted)
        if kept is not None:
            # The cache is a convenience: one that cannot be written costs time, never the gallery.
            with suppress(OSError):
                kept.parent.mkdir(parents=True, exist_ok=True)
                part = kept.with_name(f".{kept.name}.{os.getpid()}.part")
                part.write_bytes(data)
                part.replace(kept)
        if wanted.target is not None:
            wanted.target.parent.mkdir(parents=True, exist_ok=True)
            wanted.target.write_bytes(data)
    return None


def make(
    wanted: Iterable[Wanted],
    cache: Path | None,
    progress: Callable[[int, int], None] | None = None,
    workers: int | None = None,
) -> list[str]:
    """Makes what is not there yet, in the order given; returns one line for each image that cannot be shown.

    Args:
        wanted: images to make; several sizes of one image are made from one decoding.
        cache: folder of thumbnails made before, by image hash; None keeps none.
        progress: called with the number of images done and their total.
        workers: threads; one per core if None.
    """
    groups: dict[str, list[Wanted]] = {}
    for one in wanted:
        if one.target is not None and one.target.is_file():
            continue
        kept = _kept(cache, one)
        if kept is not None and kept.is_file():
            if one.target is not None:
                place(kept, one.target)
            continue
        groups.setdefault(one.hash, []).append(one)
    problems: list[str] = []
    if not groups:
        return problems
    with ThreadPoolExecutor(workers or os.cpu_count() or 1, thread_name_prefix="thumbnail") as pool:
        futures = [pool.submit(_make, tuple(group), cache) for group in groups.values()]
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                if (problem := future.result()) is not None:
                    problems.append(problem)
                if progress is not None:
                    progress(done, len(futures))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return sorted(problems)
