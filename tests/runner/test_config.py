"""What the groups compose to."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.commands import run as run_command
from runner.commands.compose import experiment_of
from runner.config import PACKAGED, ConfigError, first_folder, secrets_in


def test_an_experiment_has_the_last_word_over_the_defaults_and_the_command_line_over_it() -> None:
    assert experiment_of([])["limit"] is None
    quickstart = experiment_of(["experiment=quickstart"])
    assert (quickstart["limit"], quickstart["harness"]["history"], quickstart["model"]["history"]) == (50, 0, False)
    assert experiment_of(["experiment=quickstart", "limit=3"])["limit"] == 3


def test_all_domains_compose_five_nodes_and_a_list_composes_its_own() -> None:
    assert set(experiment_of([])["domains"]) == {"web", "gui", "mobile", "document", "video"}
    assert set(experiment_of(["domain=[web,gui]"])["domains"]) == {"web", "gui"}


def test_a_key_with_a_plus_that_no_schema_knows_is_refused() -> None:
    with pytest.raises(ConfigError, match="temprature"):
        experiment_of(["+model.temprature=1"])


def test_a_secret_in_a_value_is_found() -> None:
    assert secrets_in({"a": {"b": "sk-12345678"}}, {"SOME_API_KEY": "sk-12345678"}) == ["a.b"]


def test_a_judge_takes_any_model_and_a_panel_any_judges() -> None:
    gpt, claude, kimi = "gpt-5", "claude-sonnet-4.5", "kimi-k2.5"
    judge = experiment_of(["judge=rubric"])["judge"]
    assert judge["model"]["label"] == gpt
    judge = experiment_of(["judge=rubric", "model@judge.model=claude_sonnet_4_5", "judge.model.params.max_tokens=9"])[
        "judge"
    ]
    assert (judge["model"]["label"], judge["model"]["params"]["max_tokens"]) == (claude, 9)
    more = ["+judge@judge.members.third=rubric", "model@judge.members.third.model=kimi_k2_5"]
    members = experiment_of(["judge=panel", *more])["judge"]["members"]
    assert {name: m.get("model", {}).get("label") for name, m in members.items()} == {
        "rules": None, "first": gpt, "second": claude, "third": kimi,
    }  # fmt: skip
    with pytest.raises(ConfigError, match="temprature"):
        experiment_of(["judge=rubric", "+judge.model.temprature=1"])


def own_folder(root: Path) -> Path:
    """A folder with a model of its own name and a domain of a packaged one's."""
    for group, name, old, new in (
        ("model", "mine", "label: ${model.name}", "label: ours"),
        ("domain", "web", "You operate", "Thou operatest"),
    ):
        (root / group).mkdir(parents=True)
        text = (PACKAGED / "conf" / group / {"mine": "vllm_local"}.get(name, name)).with_suffix(".yaml").read_text()
        assert old in text
        (root / group / f"{name}.yaml").write_text(text.replace(old, new))
    return root


@pytest.mark.parametrize("flag", ["--config-dir my", "--config-dir=my", "-cd my"])
def test_a_file_of_the_users_folder_is_taken_before_a_packaged_one_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    own_folder(tmp_path / "my")
    monkeypatch.chdir(tmp_path)
    line = ["model=mine", "domain=[web,gui]", *flag.split(), "model.name=x"]
    experiment = experiment_of(line)
    assert experiment["model"]["label"] == "ours"
    assert experiment["domains"]["web"]["instruction"].startswith("Thou operatest")
    assert experiment["domains"]["gui"]["instruction"] == experiment_of(["domain=gui"])["domains"]["gui"]["instruction"]
    assert experiment_of(["domain=web"])["domains"]["web"]["instruction"].startswith("You operate")
    assert run_command.main(["--cfg", "job", *line]) == 0
    said = capsys.readouterr().out
    assert "label: ours" in said
    assert "Thou operatest" in said


def test_flags_of_hydra_are_left_to_it_and_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    line = ["-m", "-c", "job", "-cp", "x", "a=--config-dir", "--config-name", "y"]
    assert first_folder(line) == (PACKAGED / "conf", line)
    for wrong in (["--config-dir", str(tmp_path / "nowhere")], ["a=1", "-cd"], ["--config-dir="]):
        with pytest.raises(ConfigError, match="there is no such folder"):
            first_folder(wrong)
