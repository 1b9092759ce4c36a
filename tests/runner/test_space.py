"""A victim that points says in which coordinate space; who does not point need not say it, and nothing is guessed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from runner.calibration import Answered, fit, targets
from runner.commands import check as check_command
from runner.commands import run as run_command
from runner.commands.calibrate import main as calibrate
from runner.commands.compose import experiment_of
from runner.commands.rerun import main as rerun
from runner.config import ConfigError
from runner.exchange import Profile, SentImage, Space
from runner.harness.brief import coordinate_sentence
from runner.harness.parse import to_stored
from runner.run import check
from runner.work import make_judge, make_model
from tests.runner.test_calibration import pointing
from tests.servers.loopback import Loopback, Plan
from tests.small_suite import TARGET, click, write_suite

HERE = ("model.base_url=http://127.0.0.1:9/v1", "model.name=stub", "model.api_key_env=null", "tracker=none")
UNDECLARED = r"declares no coordinate space.*model\.space\.name=pixel, norm_1, norm_999 or norm_1000.*mma calibrate"


@pytest.mark.parametrize("template", ["openai_compatible", "vllm_local"])
@pytest.mark.parametrize("domains", ["web", "gui", "mobile", "[document,mobile]", "all"])
def test_a_victim_without_a_space_is_refused_where_it_points(template: str, domains: str) -> None:
    line = (f"model={template}", f"domain={domains}", *HERE)
    with pytest.raises(ConfigError, match=UNDECLARED):
        check(experiment_of([*line]))
    check(experiment_of([*line, "model.space.name=norm_1"]))


@pytest.mark.parametrize("line", [
    ("model=vllm_local", "domain=[document,video]"),
    ("judge=rubric", "model@judge.model=openai_compatible", "judge.model.base_url=x", "judge.model.name=judge"),
    ("model=reference", "domain=all"),
])  # fmt: skip
def test_documents_video_judges_and_the_reference_need_none(line: tuple[str, ...]) -> None:
    check(experiment_of([*line, *(HERE if "model=vllm_local" in line else ())]))


def test_every_packaged_profile_but_the_templates_declares_one() -> None:
    folder = Path(__file__).resolve().parents[2] / "conf" / "model"
    chat = {p.stem: OmegaConf.load(p) for p in folder.glob("*.yaml") if not p.stem.startswith("reference")}
    assert len(chat) > 10
    silent = {name for name, profile in chat.items() if OmegaConf.select(profile, "space.name") is None}
    assert silent == {"openai_compatible", "vllm_local"}


def test_run_dry_run_sweep_and_check_say_so_in_one_line_and_send_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 1, "document": 1})
    monkeypatch.chdir(tmp_path)
    with Loopback(Plan(reply='{"answer": "B"}')) as server:
        line = [
            "suite=stored", f"suite.path={suite}", "tracker=none", "model=openai_compatible", "model.api_key_env=null",
            f"model.base_url={server.url}", "model.name=stub", "model.cache=null",
        ]  # fmt: skip
        for more in (["domain=web"], ["domain=web", "dry_run=true"]):
            assert run_command.main([*line, *more]) == 2
            (said,) = capsys.readouterr().err.splitlines()
            assert "mma run: the model declares no coordinate space" in said
        with pytest.raises(ConfigError, match=UNDECLARED):
            check_command.main([*line, "domain=web"])
        assert server.records == []
        assert not (tmp_path / "runs").exists()
        assert run_command.main(["-m", *line, "domain=web,document"]) == 1
        assert "domain=web" in capsys.readouterr().err
        assert len(server.records) == 1, "the point of documents was run"
    (manifest,) = (tmp_path / "runs").glob("*/manifest.json")
    assert json.loads(manifest.read_text())["experiment"]["model"]["space"]["name"] is None


def test_a_run_whose_manifest_says_pixel_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = write_suite(tmp_path / "suite", {"web": 2})
    monkeypatch.chdir(tmp_path)
    with Loopback(Plan(reply=click(TARGET.center))) as server:
        line = [
            "suite=stored", f"suite.path={suite}", "tracker=none", "model=vllm_local", "domain=web", "run.dir=one",
            f"model.base_url={server.url}", "model.name=stub", "model.cache=null", "model.space.name=pixel",
        ]  # fmt: skip
        assert run_command.main(line) == 0
        assert rerun(["one"]) == 0
        assert len(server.records) == 2


def test_a_judges_verdicts_are_the_same_ones_whether_it_declares_pixels_or_nothing(tmp_path: Path) -> None:
    line = ["judge=rubric", "model@judge.model=vllm_local", "judge.model.name=judge"]
    bare, pixel, grid = (
        make_judge(experiment_of([*line, *more])["judge"], tmp_path).identity()
        for more in ((), ("judge.model.space.name=pixel",), ("judge.model.space.name=norm_1",))
    )
    assert bare == pixel
    assert bare != grid


@pytest.mark.parametrize("word", ["space.name=percent", "space.order=xyz"])
def test_a_space_that_does_not_exist_is_named(word: str) -> None:
    experiment = experiment_of(["model=vllm_local", *HERE, f"model.{word}"])
    with pytest.raises(
        ValueError, match=f"{word.split('=')[0]}='{word.split('=')[1]}' of a model is not known; choose"
    ):
        make_model(experiment["model"])


def test_without_a_space_no_point_is_read_and_no_sentence_made() -> None:
    sent = SentImage("h", 800, 600, 800, 600, "image/png", 0)
    with pytest.raises(ValueError, match=UNDECLARED):
        to_stored((1, 1), Space(None), sent)
    policy = make_model(experiment_of(["model=vllm_local", *HERE])["model"]).profile.policy
    with pytest.raises(ValueError, match=UNDECLARED):
        coordinate_sentence(Profile("m", Space(None), policy), 800, 600)


@pytest.mark.parametrize(("space", "order"), [("norm_1000", "xy"), ("norm_1", "yx"), ("pixel", "xy")])
def test_calibrate_finds_a_space_that_nobody_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], space: str, order: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    with pointing(space, order) as server:
        line = ["model=vllm_local", f"model.base_url={server.url}", "model.name=stub", "targets=6"]
        assert calibrate(line) == 0
        bodies = [record.body or "" for record in server.records]
    said = capsys.readouterr().out
    assert f"set model.space.name={space} model.space.order={order}, and prove it" in " ".join(said.split()), said
    assert "the declared space" not in said
    assert not any("Coordinates are" in body for body in bodies), "a space that is not declared is not asked for"
    folder = tmp_path / "runs" / "calibrations" / "stub"
    data = json.loads((folder / "calibration.json").read_text())
    assert not any(f["declared"] for f in data["fits"])
    assert data["contradicted"] is False
    assert (folder / "calibration.png").stat().st_size > 10_000


def test_calibrate_recommends_no_space_for_points_that_none_explains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    with Loopback(Plan(reply='{"action": "click", "coordinate": [3, 3]}')) as server:
        assert calibrate(["model=vllm_local", f"model.base_url={server.url}", "model.name=stub", "targets=6"]) == 0
    said = capsys.readouterr().out
    assert "none explains the answers" in said
    assert "set model.space.name" not in said


def test_a_calibration_without_a_declared_space_contradicts_nothing() -> None:
    answers = [Answered(t, (5.0, 5.0), SentImage("h", *t.size, *t.size, "image/png", 0), "") for t in targets(6)]
    found = fit(answers, Space(None))
    assert found.declared is None
    assert not found.contradicted
