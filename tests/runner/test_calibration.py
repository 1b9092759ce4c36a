"""Calibration against a loopback model that points in a known space, at the place it is really asked for."""

from __future__ import annotations

import io
import json
import random
import re
from pathlib import Path

import pytest
from PIL import Image

from runner import calibration
from runner.calibration import Answered, Calibration, Fit, Reading, fit, sheet, targets
from runner.commands.calibrate import main
from runner.exchange import ImagePolicy, SentImage, Space, fitted_size
from tests.servers.loopback import Asked, Loopback


def as_seen(target: calibration.Target, policy: ImagePolicy = ImagePolicy()) -> SentImage:  # noqa: B008
    return SentImage("0" * 64, *target.size, *fitted_size(policy, *target.size), "image/png", 1)


def raw_for(target: calibration.Target, space: str, order: str, size: tuple[int, int]) -> tuple[float, float]:
    """What a model that answers in `space` says for a target; `size` is the image it sees."""
    x, y = target.box.center.x / target.size[0], target.box.center.y / target.size[1]
    across = {"pixel": size, "norm_1": (1, 1), "norm_999": (999, 999), "norm_1000": (1000, 1000)}[space]
    pair = (x * across[0], y * across[1])
    return pair if order == "xy" else pair[::-1]


def answers_in(space: str, order: str, own_edge: int | None = None, noise: float = 4.0) -> list[Answered]:
    rng = random.Random(f"{space}{order}{own_edge}")
    found = []
    for target in targets(24):
        seen = fitted_size(ImagePolicy(max_edge=own_edge), *target.size)
        first, second = raw_for(target, space, order, seen)
        unit = {"norm_1": 0.001}.get(space, 1.0)
        raw = (first + rng.gauss(0, noise) * unit, second + rng.gauss(0, noise) * unit)
        found.append(Answered(target, raw, as_seen(target), ""))
    return found


@pytest.mark.parametrize("order", ["xy", "yx"])
@pytest.mark.parametrize("space", ["pixel", "norm_1", "norm_999", "norm_1000"])
def test_the_space_that_a_model_answers_in_is_found_and_any_other_claim_is_contradicted(space: str, order: str) -> None:
    answers = answers_in(space, order)
    right = fit(answers, Space(space, order))  # type: ignore[arg-type]
    assert not right.contradicted
    assert right.declared.median_px < 15
    assert right.best.median_px >= 0.8 * right.declared.median_px
    wrong = fit(answers, Space("norm_1" if space != "norm_1" else "pixel", order))  # type: ignore[arg-type]
    assert wrong.contradicted
    assert right.declared.reading.space in {f.reading.space for f in wrong.alike}


def test_grids_of_999_and_1000_are_named_as_not_told_apart() -> None:
    found = fit(answers_in("norm_1000", "xy"), Space("norm_999", "xy"))
    assert not found.contradicted
    assert {"norm_999", "norm_1000"} <= {f.reading.name for f in found.alike}


def test_pixels_of_the_models_own_smaller_image_are_found_with_their_bound() -> None:
    found = fit(answers_in("pixel", "xy", own_edge=1344, noise=2.0), Space("pixel", "xy"))
    assert found.contradicted
    own = found.best.reading.own
    assert own is not None
    assert own.max_edge == pytest.approx(1344, abs=16)
    assert f"model.image.max_edge={own.max_edge}" in found.best.reading.overrides


@pytest.mark.parametrize(
    ("best", "declared", "contradicted"),
    [
        (10, 10, False),
        (10, 19, False),
        (10, 21, True),
        (1, 5.9, False),
        (1, 6.1, True),
        (0, 4.9, False),
        (40, 79, False),
    ],
)
def test_only_half_the_error_and_five_pixels_less_contradict(best: float, declared: float, contradicted: bool) -> None:
    one = Fit(Reading(Space("norm_1")), best, 1.0)
    two = Fit(Reading(Space("pixel")), declared, 1.0, declared=True)
    assert Calibration((one, two), 24, 24).contradicted is contradicted


def test_too_few_points_are_an_error_that_quotes_an_answer() -> None:
    answers = [Answered(t, None, as_seen(t), "I see a screen.") for t in targets(6)]
    with pytest.raises(ValueError, match=r"0 of 6 answers hold a point.*I see a screen"):
        fit(answers, Space())


def test_targets_are_inside_apart_and_tell_the_axes() -> None:
    for target in targets(48, seed=3):
        width, height = target.size
        assert 0 <= target.box.x0 < target.box.x1 <= width
        assert 0 <= target.box.y0 < target.box.y1 <= height
        share = target.box.center.x / width, target.box.center.y / height
        assert abs(share[0] - share[1]) > 0.15
        assert target.words.count('"') in (0, 2)
    assert targets(24) == targets(24)
    assert {t.size for t in targets(24)} == set(calibration.SIZES)


def test_the_picture_shows_every_target() -> None:
    answers = answers_in("norm_1000", "xy")[:6]
    found = fit(answers, Space("pixel", "xy"))
    picture = sheet(answers, found.declared.reading, found.best.reading)
    assert picture.width == 4 * 434 + 14
    colours = {c for _, c in picture.getcolors(1 << 24) or ()}
    assert {(20, 140, 60), (204, 32, 32), (24, 92, 204)} <= colours


def pointing(space: str, order: str) -> Loopback:
    """A server whose model finds what it is asked for (it knows the drawings by their size and words)."""
    known = {(t.size, t.words): t for t in targets(6)}

    def reply(asked: Asked) -> str:
        words = re.search(r"Where is (.+)\?", asked.text)
        assert words is not None
        size = Image.open(io.BytesIO(asked.images()[-1])).size
        target = next(t for (_, w), t in known.items() if w == words[1] and _alike(t.size, size))
        first, second = raw_for(target, space, order, size)
        return json.dumps({"action": "click", "coordinate": [round(first, 3), round(second, 3)]})

    return Loopback(handler=reply)


def _alike(stored: tuple[int, int], sent: tuple[int, int]) -> bool:
    return abs(stored[0] / stored[1] - sent[0] / sent[1]) < 0.02


@pytest.mark.parametrize(
    ("space", "declared", "code"),
    [("norm_1000", "norm_1000", 0), ("norm_1000", "pixel", 1)],
)
def test_the_command_exits_1_only_for_a_contradicted_space(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    space: str,
    declared: str,
    code: int,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    with pointing(space, "xy") as server:
        ended = main(
            ["model=vllm_local", f"model.base_url={server.url}", "model.name=stub", f"model.space.name={declared}",
             "model.image.max_edge=1568", "targets=6"]
        )  # fmt: skip
    said = capsys.readouterr().out
    assert ended == code, said
    assert ("model.space.name=norm_1000" in said) == (code == 1)
    assert "6 of 6 answers hold a point" in said
    assert "cost unknown" in said
    folder = tmp_path / "runs" / "calibrations" / "stub"
    assert json.loads((folder / "calibration.json").read_text())["contradicted"] is (code == 1)
    assert (folder / "calibration.png").stat().st_size > 10_000


def test_a_dead_endpoint_and_a_bad_number_are_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"targets=two: give a whole number, 3 or more"):
        main(["model=vllm_local", "model.name=stub", "targets=two"])
    with pytest.raises(ValueError, match="stub cannot be calibrated: connection"):
        main(["model=vllm_local", "model.name=stub", "model.base_url=http://127.0.0.1:9/v1", "model.limits.retry_max=0",
              "targets=3"])  # fmt: skip
