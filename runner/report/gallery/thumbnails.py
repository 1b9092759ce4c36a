"""Small copies of a suite's images for the gallery, made in parallel and kept for the next gallery.

Decoding the stored PNGs is nearly all of the cost (about 12 ms a megapixel and core), so every image is decoded once,
whatever cases show it, and what was made is kept beside the suites: the gallery of a second run of the same suite only
links files. Pillow lets go of the interpreter while it decodes and encodes, so threads are enough.
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

from benchmark.images import ImageError, read_rgb

MAX_BYTES = 40_000
"""No thumbnail is larger; what would be is encoded again, coarser and then smaller."""

QUALITIES = (62, 45, 30)


@dataclass(frozen=True)
class Wanted:
    """One image to make: from which file, how long its longer side may be, and where it goes."""

    hash: str
    source: Path
    edge: int
    target: Path


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
        wanted.target.parent.mkdir(parents=True, exist_ok=True)
        kept = _kept(cache, wanted)
        if kept is not None:
            # The cache is a convenience: one that cannot be written costs time, never the gallery.
            with suppress(OSError):
                kept.parent.mkdir(parents=True, exist_ok=True)
                part = kept.with_name(f".{kept.name}.{os.getpid()}.part")
                part.write_bytes(data)
                part.replace(kept)
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
        if one.target.is_file():
            continue
        kept = _kept(cache, one)
        if kept is not None and kept.is_file():
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
