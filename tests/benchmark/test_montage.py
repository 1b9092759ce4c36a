"""The README's picture of one case per domain."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from benchmark.gallery import montage
from benchmark.suite import StoredSuite, SuiteError
from tests.small_suite import write_suite


def test_one_case_of_each_domain_with_its_marks_in_their_colours(tmp_path: Path) -> None:
    counts = {"web": 1, "gui": 1, "mobile": 1, "document": 1, "video": 1}
    suite = write_suite(tmp_path / "suite", counts)
    montage.main([str(suite), str(tmp_path / "out.png")])
    with Image.open(tmp_path / "out.png") as picture:
        shown = picture.convert("RGB")
    assert shown.width == montage.WIDTH
    colours = {colour for _, colour in shown.getcolors(1 << 24) or []}
    near = lambda wanted: any(max(abs(a - b) for a, b in zip(colour, wanted)) < 24 for colour in colours)  # noqa: E731
    assert near((209, 36, 47))
    assert near((26, 127, 55))


def test_a_suite_without_a_domain_is_refused_in_one_line(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 1, "gui": 1})
    with pytest.raises(SuiteError, match="no mobile case"):
        montage.montage(StoredSuite("small", str(suite)))


def test_the_picture_in_the_readme_is_small() -> None:
    assert (Path(__file__).parents[2] / "docs" / "cases.png").stat().st_size < 250_000
