"""Image files that must not pass: missing, damaged, not an image, or so large that decoding them would fill a machine."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from benchmark.images import ImageError, ImageStore, pixel_hash, read_rgb


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds no pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.filterwarnings("ignore::PIL.Image.DecompressionBombWarning")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "missing"),
        (b"", "cannot be decoded"),
        (b"not an image at all", "cannot be decoded"),
        (png_header(20_000, 4_000), "over the limit"),
        (png_header(40_000, 40_000), "over the limit"),
        (png_header(2**31 - 1, 2**31 - 1), "over the limit"),
        (png_header(40, 40), "cannot be decoded"),
    ],
)
def test_a_file_that_is_no_sound_image_is_refused_by_name(tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "shown.png"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ImageError, match=said) as refused:
        read_rgb(path)
    assert "shown.png" in str(refused.value)


def test_the_address_follows_what_is_shown_and_not_how_it_is_stored(tmp_path: Path) -> None:
    image = Image.new("RGB", (30, 20), (10, 200, 30))
    image.putpixel((3, 4), (255, 0, 0))
    store = ImageStore(tmp_path)
    ref = store.put(image)
    assert ref.hash == pixel_hash(image) == pixel_hash(image.convert("RGBA"))
    assert store.put(image.copy()) == ref
    assert store.read(ref).tobytes() == image.tobytes()
    assert pixel_hash(Image.new("RGB", (20, 30), (10, 200, 30))) != pixel_hash(
        Image.new("RGB", (30, 20), (10, 200, 30))
    )
