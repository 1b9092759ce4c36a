"""What is not believed of other people's files: where a path leads and how large an image is.

A path that a record names is used only if it stays inside the folder the user gave, also after links are followed;
an image is looked at before it is decoded. Refusals say which rule a file breaks.
"""

from __future__ import annotations

import io
import os
import re
import warnings
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from PIL import Image

from benchmark.images import MAX_PIXELS

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")
MAX_SIDE = 20_000
"""Pixels of the longer side over which an image is refused, whatever its area."""

MAX_TEXT = 256_000_000
"""Bytes of the largest file that is read as text."""

ARCHIVES = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".7z", ".rar", ".parquet")
SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.-]*:)?//|^(?:data|file|javascript):", re.IGNORECASE)


class Unusable(ValueError):
    """Something of a record that cannot be used; the message says what and why, the caller adds file and line."""


class UnsafePath(Unusable):
    """A path that leaves the root, or would."""


class BadPicture(Unusable):
    """An image that is missing, damaged, too large or of no known format."""


def opened_root(root: str | Path) -> Path:
    """The folder that a user names as the root of a source.

    Raises:
        Unusable: it is missing, a file, or an archive.
    """
    folder = Path(root).expanduser()
    if folder.is_file():
        if folder.name.lower().endswith(ARCHIVES):
            raise Unusable(f"{folder} is an archive: unpack it into a folder of its own and give that folder")
        raise Unusable(f"{folder} is a file; give the folder that holds the data")
    if not folder.is_dir():
        raise Unusable(f"there is no folder {folder}")
    return folder.resolve()


def inside(root: Path, name: str, base: Path | None = None) -> Path:
    """The file that a record names, relative to `base` (the root by default).

    Args:
        root: the resolved root of the source.
        name: the path as the record has it; both kinds of slashes are understood.
        base: a folder within the root.

    Raises:
        UnsafePath: a URL, a data URI, an absolute path, a `..`, or a link that leads out of the root.
        Unusable: there is no such file.
    """
    shown = repr(name[:120])
    if not name.strip():
        raise UnsafePath("the path is empty")
    if "\0" in name:
        raise UnsafePath(f"the path {shown} holds a zero byte")
    if SCHEME.match(name):
        raise UnsafePath(f"{shown} is an address; only files inside the root are read")
    plain = name.replace("\\", "/")
    if plain.startswith(("/", "~")) or re.match(r"^[A-Za-z]:", plain):
        raise UnsafePath(f"the path {shown} is absolute; only paths inside the root are read")
    parts = PurePosixPath(plain).parts
    if ".." in parts:
        raise UnsafePath(f"the path {shown} goes up with '..'; only paths inside the root are read")
    path = (base or root).joinpath(*parts)
    return contained(root, path, shown)


def contained(root: Path, path: Path, shown: str = "") -> Path:
    """A path that exists and stays in the root when links are followed.

    Raises:
        UnsafePath: it leads out.
        Unusable: there is no such file.
    """
    shown = shown or repr(path.name)
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError, ValueError):
        raise Unusable(f"there is no file {shown}") from None
    if not real.is_relative_to(root):
        raise UnsafePath(f"{shown} is a link that leads out of the root")
    if not real.is_file():
        raise Unusable(f"{shown} is not a file")
    return path


def files(root: Path, *suffixes: str, under: Path | None = None) -> Iterator[Path]:
    """All files below the root with one of the suffixes (lower case), in a fixed order; folders that are links are
    not entered."""
    for folder, names, found in os.walk(under or root, followlinks=False):
        names.sort()
        for name in sorted(found):
            if name.lower().endswith(suffixes) and not name.startswith("."):
                yield Path(folder) / name


def measured(source: Path | bytes, name: str = "") -> tuple[int, int]:
    """Width and height of an image, from its header alone.

    Raises:
        BadPicture: missing, of no known format, or over a limit.
    """
    with _image(source, name) as image:
        return image.size


def decoded(source: Path | bytes, name: str = "") -> Image.Image:
    """The pixels of an image, RGB; transparency is laid over white.

    Raises:
        BadPicture: missing, damaged, of no known format, or over a limit.
    """
    with _image(source, name) as image:
        called = name or (source.name if isinstance(source, Path) else "image")
        try:
            if image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info:
                sheet = Image.new("RGBA", image.size, "#ffffff")
                sheet.alpha_composite(image.convert("RGBA"))
                return sheet.convert("RGB")
            return image.convert("RGB")
        except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            raise BadPicture(f"image {called} cannot be decoded: {error}") from None


def _image(source: Path | bytes, name: str) -> Image.Image:
    called = name or (source.name if isinstance(source, Path) else "image")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(source if isinstance(source, Path) else io.BytesIO(source), formats=FORMATS)
    except FileNotFoundError:
        raise BadPicture(f"image {called} is missing") from None
    except Image.DecompressionBombError:
        raise BadPicture(f"image {called} is over the limit of {MAX_PIXELS} pixels") from None
    except (OSError, SyntaxError, ValueError) as error:
        raise BadPicture(f"image {called} cannot be read: {_reason(source, error)}") from None
    width, height = image.size
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
        image.close()
        raise BadPicture(
            f"image {called} is {width}x{height}, over the limit of {MAX_PIXELS} pixels or {MAX_SIDE} a side"
        )
    return image


def _reason(source: Path | bytes, error: Exception) -> str:
    head = source[:40] if isinstance(source, bytes) else b""
    if isinstance(source, Path):
        try:
            with source.open("rb") as file:
                head = file.read(40)
        except OSError:
            return str(error)
    if head.startswith(b"version https://git-lfs"):
        return "it is a Git LFS pointer; fetch the files with `git lfs pull`"
    return "no known image format" if isinstance(error, OSError) else str(error)
