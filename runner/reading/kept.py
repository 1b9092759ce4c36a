"""What was found on images, kept on disk, so that no image is looked at twice.

One file per image and settings, written whole or not at all. What is damaged, or of other settings, is as good as not
there; what cannot be written is found again next time.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

log = logging.getLogger(__name__)

Found = TypeVar("Found")


class Kept(Generic[Found]):
    """Findings by the hash of an image's pixels.

    Args:
        root: the folder, made when needed.
        settings: all that a finding depends on besides the pixels.
        load: makes a finding of what was stored; ValueError, KeyError or TypeError where that is damaged.
    """

    def __init__(self, root: Path, settings: str, load: Callable[[Any], Found]) -> None:
        self._root = root
        self._settings = settings
        self._load = load
        self._complained = False

    def path(self, pixels: str) -> Path:
        """Where the finding of the image with this pixel hash lies, once it is there."""
        key = hashlib.sha256(f"{self._settings}\n{pixels}".encode()).hexdigest()
        return self._root / key[:2] / f"{key}.json"

    def get(self, pixels: str) -> Found | None:
        """The stored finding; None when there is none that can be used."""
        try:
            entry = json.loads(self.path(pixels).read_bytes())
            if entry["settings"] != self._settings or entry["pixels"] != pixels:
                return None
            return self._load(entry["found"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, pixels: str, found: Any) -> None:
        """Stores a finding as JSON; where that fails, says so once and goes on, since it can be found again."""
        path = self.path(pixels)
        entry = {"settings": self._settings, "pixels": pixels, "found": found}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(json.dumps(entry, separators=(",", ":")).encode())
                os.replace(temporary, path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            if not self._complained:
                log.warning("readings are not kept: %s cannot be written (%s)", self._root, error.strerror or error)
                self._complained = True
