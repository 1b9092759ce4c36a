"""Fits a stored image to what an endpoint accepts, and encodes it.

The size is decided by `fitted_size` alone; when the encoded file is still over the byte limit, quality falls first and
size last, and what was really sent is recorded, so that a point can always be mapped back.
"""

from __future__ import annotations

import base64
import io
from functools import lru_cache
from pathlib import Path

from PIL import Image as Pillow

from benchmark.images import ImageError, read_rgb
from runner.exchange import Image, ImagePolicy, SentImage, fitted_size

MEDIA_TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
QUALITIES = (90, 80, 70, 60, 50)

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


@lru_cache(maxsize=64)
def _fitted(path: Path, stamp: tuple[int, int], image: Image, policy: ImagePolicy) -> tuple[bytes, SentImage]:
    ref = image.ref
    size = fitted_size(policy, ref.width, ref.height)
    data = path.read_bytes()
    media_type = sniffed(data)
    wanted = {"keep": media_type, "png": "image/png", "jpeg": "image/jpeg", "webp": "image/webp"}[policy.format]
    fits = policy.max_bytes is None or len(data) <= policy.max_bytes
    if size == (ref.width, ref.height) and wanted == media_type and fits:
        return data, SentImage(ref.hash, ref.width, ref.height, *size, media_type, len(data))
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
        if min(size) <= 64:
            raise ImageError(f"image {ref.hash[:12]} cannot be brought under {policy.max_bytes} bytes")
        size = (size[0] * 4 // 5, size[1] * 4 // 5)


def prepared(image: Image, policy: ImagePolicy) -> tuple[str, SentImage]:
    """The data URL of an image under a policy, and how it was sent.

    Raises:
        ImageError: the file is missing, no image, or cannot be brought under the byte limit.
    """
    try:
        status = image.path.stat()
    except OSError:
        raise ImageError(f"image {image.path.name} is missing from {image.path.parent}") from None
    data, sent = _fitted(image.path, (status.st_mtime_ns, status.st_size), image, policy)
    return f"data:{sent.media_type};base64,{base64.b64encode(data).decode('ascii')}", sent
