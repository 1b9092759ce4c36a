"""Fits a stored image to what an endpoint accepts, and encodes it.

The size is decided by `fitted_size` alone; when the encoded file is still over the byte limit, quality falls first and
size last, and what was really sent is recorded, so that a point can always be mapped back. An image is resized and
encoded once per policy, also over the runs of a sweep.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

from PIL import Image as Pillow

from benchmark.images import ImageError, read_rgb
from runner.exchange import Image, ImagePolicy, SentImage, fitted_size

MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
QUALITIES = (90, 80, 70, 60, 50, 35, 20)

_MAGIC = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


def sniffed(data: bytes) -> str:
    """The media type that the bytes really are, whatever the file is called."""
    for magic, media_type in _MAGIC:
        if data.startswith(magic):
            return media_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    raise ImageError("the file is not a PNG, JPEG, GIF or WebP image")


def _encoded(image: Pillow.Image, kind: str, quality: int) -> bytes:
    buffer = io.BytesIO()
    if kind == "PNG":
        image.save(buffer, "PNG", compress_level=6)
    else:
        image.save(buffer, kind, quality=quality)
    return buffer.getvalue()


FORMAT_VERSION = 1
_LOCKS = tuple(threading.Lock() for _ in range(64))


def _remembered(path: Path, image: Image) -> tuple[bytes, SentImage] | None:
    """An image as it was fitted before; None when it was not, or when its file is no longer whole."""
    try:
        head, _, data = path.read_bytes().partition(b"\n")
        known = json.loads(head)
        if hashlib.sha256(data).hexdigest() != known.pop("sha256"):
            return None
        return data, SentImage(image.ref.hash, image.ref.width, image.ref.height, bytes=len(data), **known)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _remember(path: Path, data: bytes, sent: SentImage) -> None:
    """Keeps a fitted image for other runs, in one step; where nothing can be written, it is made again."""
    head = {
        "sent_width": sent.sent_width, "sent_height": sent.sent_height, "media_type": sent.media_type,
        "sha256": hashlib.sha256(data).hexdigest(),
    }  # fmt: skip
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            file.write(json.dumps(head).encode() + b"\n" + data)
        os.replace(file.name, path)
    except OSError:
        return


def _fitted(path: Path, image: Image, policy: ImagePolicy, cache: Path | None) -> tuple[bytes, SentImage]:
    ref = image.ref
    size = fitted_size(policy, ref.width, ref.height)
    try:
        data = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise ImageError(f"image {path.name} is missing from {path.parent}") from None
    media_type = sniffed(data)
    wanted = {"keep": media_type, "png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}[policy.format]
    fits = policy.max_bytes is None or len(data) <= policy.max_bytes
    if size == (ref.width, ref.height) and wanted == media_type and fits:
        return data, SentImage(ref.hash, ref.width, ref.height, *size, media_type, len(data))
    # What is kept is named by what was read, so that a damaged or exchanged file finds nothing.
    key = f"{FORMAT_VERSION} {hashlib.sha256(data).hexdigest()} {ref.hash} {policy}"
    name = hashlib.sha256(key.encode()).hexdigest()
    kept = cache / name[:2] / name if cache is not None else None
    with _LOCKS[int(name[:8], 16) % len(_LOCKS)]:
        known = _remembered(kept, image) if kept is not None else None
        if known is not None:
            return known
        made = _encode_to_fit(path, image, policy, size, wanted)
        if kept is not None:
            _remember(kept, *made)
        return made


def _encode_to_fit(
    path: Path, image: Image, policy: ImagePolicy, size: tuple[int, int], wanted: str
) -> tuple[bytes, SentImage]:
    """Resizes and encodes; while the file is over the byte limit, quality falls first and the size last."""
    ref = image.ref
    pixels = read_rgb(path)
    kind = {v: k for k, v in MEDIA_TYPES.items()}.get(wanted, "PNG")
    while True:
        resized = pixels if size == pixels.size else pixels.resize(size, Pillow.Resampling.LANCZOS)
        for quality in (policy.quality, *(q for q in QUALITIES if q < policy.quality)):
            data = _encoded(resized, kind, quality)
            if policy.max_bytes is None or len(data) <= policy.max_bytes:
                return data, SentImage(ref.hash, ref.width, ref.height, *size, MEDIA_TYPES[kind], len(data))
            # A PNG has no quality to give up; what is over the limit goes on as JPEG.
            kind = "JPEG" if kind == "PNG" else kind
        smaller = fitted_size(replace(policy, max_edge=max(size) * 4 // 5), ref.width, ref.height)
        if min(size) <= 64 or smaller == size:
            raise ImageError(f"image {ref.hash[:12]} cannot be brought under {policy.max_bytes} bytes")
        size = smaller


def prepared(image: Image, policy: ImagePolicy, cache: Path | None = None) -> tuple[bytes, SentImage]:
    """The data URL of an image under a policy, in ASCII, and how it was sent.

    Args:
        image: what to send.
        policy: what the endpoint takes.
        cache: folder in which resized images are kept for other calls, runs and processes.

    Raises:
        ImageError: the file is missing, no image, or cannot be brought under the byte limit.
    """
    data, sent = _fitted(image.path, image, policy, cache)
    return b"data:%s;base64,%s" % (sent.media_type.encode("ascii"), base64.b64encode(data)), sent
