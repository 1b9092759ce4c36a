"""Images as they are sent: fitted, under every limit, and made once."""

from __future__ import annotations

import base64
import io
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as Pillow

from benchmark.images import ImageError, ImageStore
from runner.exchange import Image, ImagePolicy, fitted_size
from runner.models.images import prepared


def noisy(folder: Path, size: tuple[int, int] = (900, 700)) -> Image:
    rng = random.Random(1)
    picture = Pillow.frombytes("RGB", size, rng.randbytes(size[0] * size[1] * 3))
    ref = ImageStore(folder).put(picture)
    return Image(ref, folder / ref.relative_path)


def decoded(url: bytes) -> Pillow.Image:
    return Pillow.open(io.BytesIO(base64.b64decode(url.split(b",", 1)[1])))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"max_edge": 0}, "image.max_edge=0"), ({"short_edge": -5}, "image.short_edge=-5"),
        ({"multiple": 0}, "image.multiple=0"), ({"max_pixels": 0}, "image.max_pixels=0"),
        ({"max_bytes": -1}, "image.max_bytes=-1"), ({"max_count": 0}, "image.max_count=0"),
        ({"quality": 0}, "image.quality=0"), ({"quality": 101}, "image.quality=101"), ({"format": "gif"}, "'gif'"),
    ],
)  # fmt: skip
def test_a_policy_that_no_image_can_meet_is_refused_by_the_key_to_change(bad: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ImagePolicy(**bad)


@pytest.mark.parametrize("limit", [400_000, 60_000, 8_000])
def test_an_image_over_the_byte_limit_is_brought_under_it_and_recorded(tmp_path: Path, limit: int) -> None:
    image = noisy(tmp_path)
    assert image.path.stat().st_size > limit
    url, sent = prepared(image, ImagePolicy(max_bytes=limit))
    assert sent.bytes <= limit
    assert len(base64.b64decode(url.split(b",", 1)[1])) == sent.bytes
    assert decoded(url).size == (sent.sent_width, sent.sent_height)
    assert (sent.width, sent.height) == (900, 700)
    assert url.startswith(f"data:{sent.media_type};base64,".encode())


def test_a_limit_that_nothing_can_meet_is_an_error_that_names_the_image(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="cannot be brought under 100 bytes"):
        prepared(noisy(tmp_path), ImagePolicy(max_bytes=100, multiple=128))


def test_a_resized_image_is_made_once_also_for_another_process(tmp_path: Path) -> None:
    image, policy, cache = noisy(tmp_path / "s"), ImagePolicy(max_edge=450, format="jpeg"), tmp_path / "cache"
    first = prepared(image, policy, cache)
    (kept,) = [p for p in cache.rglob("*") if p.is_file()]
    stamp = kept.stat().st_mtime_ns
    time.sleep(0.01)
    assert prepared(image, policy, cache) == first
    assert kept.stat().st_mtime_ns == stamp
    prepared(image, ImagePolicy(max_edge=300), cache)
    assert len([p for p in cache.rglob("*") if p.is_file()]) == 2
    kept.write_bytes(kept.read_bytes()[:-9])
    assert prepared(image, policy, cache) == first, "a torn file is made again"


def test_what_needs_no_change_is_sent_as_it_lies_and_kept_nowhere(tmp_path: Path) -> None:
    image = noisy(tmp_path / "s")
    url, sent = prepared(image, ImagePolicy(), tmp_path / "cache")
    assert base64.b64decode(url.split(b",", 1)[1]) == image.path.read_bytes()
    assert (sent.sent_width, sent.media_type) == (900, "image/png")
    assert not (tmp_path / "cache").exists()


def test_the_media_type_is_that_of_the_bytes_not_of_the_name(tmp_path: Path) -> None:
    image = noisy(tmp_path)
    Pillow.new("RGB", (900, 700), (1, 2, 3)).save(image.path, "JPEG")
    url, sent = prepared(image, ImagePolicy())
    assert sent.media_type == "image/jpeg"
    assert url.startswith(b"data:image/jpeg;base64,")


@settings(max_examples=200, deadline=None)
@given(
    st.integers(1, 4000), st.integers(1, 4000), st.none() | st.integers(28, 3000), st.none() | st.integers(28, 3000),
    st.none() | st.integers(10_000, 4_000_000), st.sampled_from([None, 28, 32]),
)  # fmt: skip
def test_a_fitted_size_keeps_every_bound_and_the_shape(
    width: int, height: int, edge: int | None, short: int | None, pixels: int | None, multiple: int | None
) -> None:
    policy = ImagePolicy(max_edge=edge, short_edge=short, max_pixels=pixels, multiple=multiple)
    w, h = fitted_size(policy, width, height)
    floor = multiple or 1
    assert w <= max(width, floor)
    assert h <= max(height, floor)
    assert edge is None or max(w, h) <= max(edge, floor)
    assert short is None or min(w, h) <= max(short, floor)
    assert pixels is None or w * h <= max(pixels, floor * max(w, h))
    assert multiple is None or w % multiple == h % multiple == 0
    if multiple is None and min(w, h) > 50:
        assert abs(w / h - width / height) <= 0.05 * width / height
