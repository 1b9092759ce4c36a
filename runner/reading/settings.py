"""What decides a reading besides the pixels: the engine's version and its settings.

Apart from the engine, because whoever only looks a reading up in the cache needs the name of the settings and none of
the libraries behind them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

ENGINE_VERSION = 1
"""Raised whenever the engine reads the same pixels differently; stored readings of other versions are void."""


@dataclass(frozen=True)
class Settings:
    """Lengths are pixels of the image that is searched, which may be smaller than the stored one.

    `landscape_edge` and `portrait_edge` limit the longer side for the search (small text on a phone screen is three
    times as high as on a desktop, so phones bear more shrinking); images under `small_edge` are enlarged to it, at
    most twice. `blank_gap` is how many empty rows or columns part two regions, `margin` what is kept around one,
    `quiet` the difference in levels that still counts as empty. `split_gap`, in letter heights, is the gap at which
    a line is cut in two. `min_confidence` in [0, 1]; `batch` is how many lines are read at once.
    """

    landscape_edge: int = 1600
    portrait_edge: int = 1280
    small_edge: int = 960
    blank_gap: int = 32
    margin: int = 14
    quiet: int = 12
    split_gap: float = 0.9
    min_confidence: float = 0.5
    batch: int = 6


def fingerprint(settings: Settings) -> str:
    """Names engine, versions and settings: part of every cache key.

    Raises:
        PackageNotFoundError: rapidocr or onnxruntime is not installed.
    """
    libraries = [f"{name}-{version(name)}" for name in ("rapidocr", "onnxruntime")]
    return ";".join(
        [f"reading-{ENGINE_VERSION}", *libraries, *(f"{k}={v}" for k, v in sorted(asdict(settings).items()))]
    )


__all__ = ["ENGINE_VERSION", "PackageNotFoundError", "Settings", "fingerprint"]
