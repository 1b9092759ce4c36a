"""Figures over odd shapes of data: what is missing is drawn as missing, and nothing is drawn of nothing."""

from __future__ import annotations

import multiprocessing
import warnings
from pathlib import Path

import pytest
from PIL import Image

from runner.report.apart import artist
from runner.report.collect import ReportError, collect
from runner.report.figures import FIGURES, asr_against_scr, bars, click_scatter, draw, dumbbell, heat_map
from runner.report.measures import Measures
from tests.run_directories import Synthetic, case_id, counted
from tests.small_suite import TARGET, write_suite


def measures(folder: Path) -> Measures:
    return Measures(collect([folder], points=True))


def texts(figure: object) -> list[str]:
    return [t.get_text() for axis in figure.axes for t in axis.texts]  # type: ignore[attr-defined]


@pytest.fixture
def uneven(tmp_path: Path) -> Measures:
    """Two models, one of which lacks a domain and a control."""
    for control in ("standard", "neutral"):
        Synthetic("a", {"web": counted(12, 6, 9), "gui": counted(8, 2, 3)}, control).write(tmp_path / f"a{control}")
    Synthetic("b", {"web": [None] * 12, "gui": counted(8, 0)}).write(tmp_path / "b")
    return measures(tmp_path)


def test_a_missing_cell_is_never_drawn_as_0(uneven: Measures) -> None:
    shown = heat_map(uneven.data, uneven, "standard")
    assert sorted(texts(shown)) == sorted(["50.0", "25.0", "37.5", "n/a", "0.0", "n/a"])
    drawn = bars(uneven.data, uneven, "standard")
    assert texts(drawn).count("n/a") == 4  # ASR and SCR, of web and of the macro mean
    assert [len(axis.patches) for axis in drawn.axes] == [2, 4, 2]


def test_controls_are_only_joined_where_there_are_several(uneven: Measures, tmp_path: Path) -> None:
    assert [t.get_text() for t in dumbbell(uneven.data, uneven, "standard").axes[0].get_yticklabels()] == ["a"]
    Synthetic("m", {"web": counted(4, 2)}).write(tmp_path / "alone" / "m")
    alone = measures(tmp_path / "alone")
    assert dumbbell(alone.data, alone, "standard") is None
    assert click_scatter(alone.data, alone, "standard") is None


def test_models_are_numbered_also_where_there_is_one_domain(tmp_path: Path) -> None:
    for label in "xyz":
        Synthetic(label, {"web": counted(10, 3, 5)}).write(tmp_path / label)
    only = measures(tmp_path)
    assert {"1", "2", "3"} <= set(texts(asr_against_scr(only.data, only, "standard")))


def test_all_figures_are_written_in_both_forms_without_a_complaint(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 6})
    config = {"suite": {"_target_": "benchmark.suite.StoredSuite", "name": "stored", "path": str(suite)}}
    points = {case_id("web", i): (TARGET.x0 + 3.0, TARGET.y0 + 3.0) for i in range(3)} | {
        case_id("web", 4): (-5.0, 9e9)
    }
    for control in ("standard", "safety_priority"):
        name = "a label that is far too long for any figure \u4e2d"
        run = Synthetic(name, {"web": [5, 5, 5, 3, 3, 1]}, control, experiment=config, points=points)
        run.write(tmp_path / "runs" / control)
    found = measures(tmp_path / "runs")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # a letter that the font lacks is drawn as a box
        done = draw(found.data, found, "standard", tmp_path / "figures")
    assert [name for name, _ in done] == list(FIGURES)
    for name, _ in done:
        assert (tmp_path / "figures" / f"{name}.svg").read_text().startswith("<?xml")
        with Image.open(tmp_path / "figures" / f"{name}.png") as image:
            assert len(image.convert("RGB").getcolors(1 << 24) or ()) > 5
    again = draw(found.data, found, "standard", tmp_path / "again")
    assert again == done
    for name, _ in done:
        for form in ("svg", "png"):
            first, second = (tmp_path / folder / f"{name}.{form}" for folder in ("figures", "again"))
            assert first.read_bytes() == second.read_bytes()


def drawn_apart(found: Measures, folder: Path, killed: bool = False) -> list[tuple[str, str]]:
    with artist() as drawing:
        if killed:
            next(p for p in multiprocessing.active_children() if p.name == "figures").kill()
        drawing.draw(found.data, found, "standard", folder)
        return drawing.titles()


def test_a_process_of_its_own_draws_the_same_and_says_what_went_wrong(tmp_path: Path) -> None:
    Synthetic("a", {"web": counted(12, 6, 9)}).write(tmp_path / "a")
    found = measures(tmp_path)
    assert drawn_apart(found, tmp_path / "apart") == draw(found.data, found, "standard", tmp_path / "here")
    files = sorted(p.name for p in (tmp_path / "here").iterdir())
    assert files
    assert all((tmp_path / "apart" / f).read_bytes() == (tmp_path / "here" / f).read_bytes() for f in files)
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match=r"cannot be written to .*file/figures"):
        drawn_apart(found, tmp_path / "file" / "figures")
    with pytest.raises(ReportError, match="--no-figures leaves them out"):
        drawn_apart(found, tmp_path / "never", killed=True)
    assert not [p for p in multiprocessing.active_children() if p.name == "figures"]
