"""Images of a suite on disk, addressed by what they show.

The address is the sha256 of the size and the decoded RGB pixels, not of the file, so that the same screen has one
address however it was encoded. Writing is atomic: a killed build leaves no half image under a good name.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from benchmark.case import ImageRef

MAX_PIXELS = 64_000_000
"""Larger images are refused as bombs: nine times a 1080x2400 screen at three-fold scale."""


class ImageError(ValueError):
    """An image that is missing, damaged, too large or not what its name says."""


def pixel_hash(image: Image.Image) -> str:
    """The address of an image: sha256 over `<width>x<height>:` and its RGB bytes, row by row."""
    rgb = image if image.mode == "RGB" else image.convert("RGB")
    digest = hashlib.sha256(f"{rgb.width}x{rgb.height}:".encode())
    digest.update(rgb.tobytes())
    return digest.hexdigest()


def read_rgb(path: Path) -> Image.Image:
    """Decodes an image file to RGB.

    Raises:
        ImageError: missing, unreadable, cut short, or over `MAX_PIXELS`.
    """
    try:
        with Image.open(path) as image:
            if image.width * image.height > MAX_PIXELS:
                raise ImageError(f"{path.name} is {image.width}x{image.height}, over the limit of {MAX_PIXELS} pixels")
            return image.convert("RGB")
    except FileNotFoundError:
        raise ImageError(f"image {path.name} is missing from {path.parent}") from None
    except Image.DecompressionBombError:  # the library's own limit, met before ours when the header alone is absurd
        raise ImageError(f"image {path.name} is over the limit of {MAX_PIXELS} pixels") from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        if isinstance(error, ImageError):
            raise
        raise ImageError(f"image {path.name} cannot be decoded: {error}") from None


class ImageStore:
    """The image folder of a suite: `put` stores once, `path` and `read` find again."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def path(self, ref: ImageRef) -> Path:
        return self.root / ref.relative_path

    def put(self, image: Image.Image) -> ImageRef:
        """Stores an image unless it is there already; returns its reference."""
        rgb = image if image.mode == "RGB" else image.convert("RGB")
        ref = ImageRef(hash=pixel_hash(rgb), width=rgb.width, height=rgb.height)
        path = self.path(ref)
        if path.exists():
            return ref
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                rgb.save(file, format="PNG", compress_level=1)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return ref

    def read(self, ref: ImageRef, verify: bool = False) -> Image.Image:
        """Decodes an image; with `verify`, also checks size and pixels against the reference.

        Raises:
            ImageError: missing, damaged, or (verified) not the image that the reference names.
        """
        image = read_rgb(self.path(ref))
        if verify and ((image.width, image.height) != (ref.width, ref.height) or pixel_hash(image) != ref.hash):
            raise ImageError(f"image {ref.hash[:12]} does not hold the pixels of its name; rebuild the suite")
        return image
