"""Runs of agents that act: what tells two of them apart, what they are said to cost, and what of them is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import runner.run as run_module
import runner.work as work_module
from benchmark.case import BoxTarget
from benchmark.suite import StoredSuite
from runner.commands.compose import experiment_of
from runner.config import ConfigError
from runner.defenses import NoDefense, confirmation, ocr_filter, permissions, provenance
from runner.display import TerminalDisplay
from runner.dry_run import preview
from runner.ledger import Ledger
from runner.manifest import fingerprint
from runner.report.collect import Run, collect, settings
from runner.run import Result, execute, rejudge
from runner.work import Work, defense_identity
from tests.run_directories import Synthetic
from tests.servers.loopback import Asked, Loopback, Plan
from tests.small_suite import click, write_acting_suite

WAIT = json.dumps({"action": "wait", "coordinate": None, "rationale": "It is still loading."})


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> StoredSuite:
    return StoredSuite("stored", str(write_acting_suite(tmp_path_factory.mktemp("acting"), 4)))


@pytest.fixture
def server() -> Iterator[Loopback]:
    with Loopback(Plan(reply=WAIT)) as running:
        yield running


def composed(suite: StoredSuite, *overrides: str) -> dict[str, Any]:
    return experiment_of(
        [
            "suite=stored", f"suite.path={suite.folder}", "model=openai_compatible", "model.base_url=http://here",
            "model.name=stub", "model.space.name=pixel", "model.api_key_env=null", "model.cache=null", "harness=interactive",
            "domain=interactive", "judge=rules", "tracker=none", *overrides,
        ]
    )  # fmt: skip


def run(suite: StoredSuite, server: Loopback, root: Path, *overrides: str) -> Result:
    experiment = composed(suite, f"run.root={root}", *overrides)
    experiment["model"]["base_url"] = server.url
    with TerminalDisplay() as display:
        return execute(experiment, display)


def prints(suite: StoredSuite, experiment: Mapping[str, Any]) -> tuple[str, str]:
    """Fingerprint and request key of the first case."""
    work = Work(experiment, suite.folder, suite.case, "", None)  # type: ignore[arg-type]
    case = suite.case(suite.entries()[0].id)
    return fingerprint(experiment, suite), work.request_key(case, "injected", 0)


@pytest.mark.parametrize(
    ("choice", "module", "version"),
    [
        ("provenance", provenance, "MARK_VERSION"),
        ("ocr_filter", ocr_filter, "FILTER_VERSION"),
        ("permission_gate", permissions, "PERMISSION_VERSION"),
        ("confirmation_gate", confirmation, "CONFIRMATION_VERSION"),
        ("stack", permissions, "PERMISSION_VERSION"),
        ("stack", confirmation, "CONFIRMATION_VERSION"),
    ],
)
def test_another_version_of_a_defense_is_another_experiment(
    suite: StoredSuite, monkeypatch: pytest.MonkeyPatch, choice: str, module: Any, version: str
) -> None:
    experiment = composed(suite, f"defense={choice}")
    before = prints(suite, experiment)
    assert prints(suite, experiment) == before
    monkeypatch.setattr(module, version, "next")
    after = prints(suite, experiment)
    assert after[0] != before[0]
    assert after[1] != before[1]


def test_what_a_defense_draws_and_refuses_by_decides_and_where_it_reads_does_not(suite: StoredSuite) -> None:
    experiment = composed(suite, "defense=stack", "+defense@defense.members.reads=ocr_filter")
    stack = experiment["defense"]
    gate, user, reads = (stack["members"][name] for name in ("permission", "confirmation", "reads"))

    def of(defense: Mapping[str, Any]) -> tuple[str, str]:
        return prints(suite, {**experiment, "defense": defense})

    elsewhere = {**reads, "workers": 2, "cache": "/x"}
    assert of(elsewhere) == of(reads)
    assert of({**stack, "members": {**stack["members"], "reads": elsewhere}}) == of(stack)
    choices = (
        stack, gate, {**gate, "form": "coarse"}, user, {**user, "blind": 0.1}, {**user, "seed": 1}, reads,
        {**stack, "members": {"permission": gate}},
    )  # fmt: skip
    found = [of(choice) for choice in choices]
    assert len({f for f, _ in found}) == len({k for _, k in found}) == len(choices)


def test_a_new_version_of_a_gate_is_asked_anew_in_a_run_of_its_own_and_an_old_run_is_not_judged_with_it(
    suite: StoredSuite, server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("defense=permission_gate", "harness.steps=2", "limit=2")
    first = run(suite, server, tmp_path, *options)
    assert run(suite, server, tmp_path, *options).calls == 0
    judging = composed(suite)
    again = rejudge(first.folder, judging, TerminalDisplay())
    assert again.executed is not None
    assert again.executed.total.executed.n == 2
    monkeypatch.setattr(permissions, "PERMISSION_VERSION", "next")
    second = run(suite, server, tmp_path, *options)
    assert second.folder != first.folder
    assert (second.calls, second.reused) == (4, 0)
    # What is read as it was needs no gate; played again, the old episodes would meet another one.
    assert rejudge(first.folder, judging, TerminalDisplay()).executed == again.executed
    with monkeypatch.context() as later:
        later.setattr(run_module, "PARSER_VERSION", "next")
        later.setattr(work_module, "PARSER_VERSION", "next")
        with pytest.raises(ConfigError, match="defense=permission_gate has changed since"):
            rejudge(first.folder, judging, TerminalDisplay())
    assert collect([tmp_path]).subjects() == ["stub [version=1]", "stub [version=next]"]


class Levelled(NoDefense):
    """A defense of somebody's own that says nothing of what it is set to."""

    def __init__(self, name: str, level: int) -> None:
        super().__init__(name)
        self.level = level


class AlsoLevelled(Levelled):
    """Another class with the same words for itself."""


def test_an_own_defense_decides_by_all_that_it_is_set_to_whether_it_says_so_or_not() -> None:
    def own(kind: type, level: int, **more: Any) -> dict[str, Any]:
        return {"_target_": f"{__name__}.{kind.__name__}", "name": "own", "level": level, **more}

    def stacked(member: Mapping[str, Any]) -> dict[str, Any]:
        return {"_target_": "runner.defenses.stack.Stack", "name": "stack", "members": {"one": member}}

    told = [own(Levelled, 1), own(Levelled, 9), own(AlsoLevelled, 1)]
    told += [stacked(member) for member in told]
    assert len({json.dumps(defense_identity(config), sort_keys=True) for config in told}) == len(told)


def test_a_run_of_before_versions_is_told_from_one_of_now() -> None:
    experiment = {
        "model": {"label": "m"}, "prompt": {"name": "standard"}, "observation": "injected", "domains": {},
        "defense": {"_target_": "x", "name": "permission_gate", "form": "fine"}, "harness": {"name": "interactive"},
    }  # fmt: skip
    now, before = ({"experiment": experiment, "defense": {"version": "1"}}, {"experiment": experiment})
    found = [settings(Run(Path(), manifest, {}, None)) for manifest in (now, before)]
    assert found[0].pop("defense.version") != found[1].pop("defense.version")
    assert found[0] == found[1]


def test_a_dry_run_with_a_judge_needs_no_key_either(
    suite: StoredSuite, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    preview(composed(suite, "judge=rubric", "model@judge.model=gpt_5"))
    assert "judge: environment variable OPENAI_API_KEY is not set" in " ".join(capsys.readouterr().out.split())


def test_where_a_defense_keeps_its_readings_makes_no_variant_in_a_report(tmp_path: Path) -> None:
    reads = {"_target_": "x", "name": "ocr_filter", "cache": "here", "workers": 1}
    for n, defense in enumerate((reads, reads | {"cache": "there", "workers": 2})):
        for kind, chosen in (("alone", defense), ("stacked", {"name": "stack", "members": {"a": defense}})):
            folder = tmp_path / kind / str(n)
            Synthetic("stub", {"web": [5]}, control=f"p{n}", experiment={"defense": chosen}).write(folder)
    assert [collect([tmp_path / kind]).subjects() for kind in ("alone", "stacked")] == [["stub"], ["stub"]]


def test_calls_are_replies_in_a_run_and_in_its_resume(suite: StoredSuite, server: Loopback, tmp_path: Path) -> None:
    def counted(result: Result) -> int:
        return int(json.loads((result.folder / "summary.json").read_text())["calls"])

    first = run(suite, server, tmp_path, "harness.steps=3")
    assert (first.calls, counted(first), len(server.records)) == (12, 12, 12)
    resumed = run(suite, server, tmp_path, "harness.steps=3")
    assert (resumed.calls, resumed.reused, counted(resumed)) == (0, 4, 12)


def test_a_user_who_approves_blindly_does_so_at_other_times_in_each_repeat(suite: StoredSuite, tmp_path: Path) -> None:
    """What is on record of an episode is what its replies come to again, in every repeat."""
    experiment = composed(suite, "defense=confirmation_gate", "defense.blind=0.5", "repeats=12", "harness.steps=2")
    experiment["run"]["dir"] = str(tmp_path / "run")
    folder = Path(experiment["run"]["dir"])

    def obey(asked: Asked) -> str:
        return press

    cases = [suite.case(e.id) for e in suite.entries()]
    case = next(c for c in cases if c.injection.effect is not None)
    assert isinstance(case.target, BoxTarget)
    press = click(case.target.box.center)
    experiment["ids"] = [case.id]
    with Loopback(handler=obey) as obeying, TerminalDisplay() as display:
        experiment["model"]["base_url"] = obeying.url
        execute(experiment, display)
    work = Work(experiment, suite.folder, suite.case, "", None)  # type: ignore[arg-type]
    with Ledger(folder) as ledger:
        records = sorted(ledger.answers(), key=lambda r: r.repeat)
    refused = [r.extra["ending"]["blocked"] for r in records]
    assert len(refused) == 12
    assert set(refused) == {0, 1}
    for record in records:
        stale = record.model_copy(update={"extra": {**record.extra, "parser": "0"}})
        assert work.episode(stale, case).extra["ending"] == record.extra["ending"]


@pytest.mark.parametrize("history", ["2", "null"])
def test_a_dry_run_names_what_episodes_cost_at_most(
    suite: StoredSuite, tmp_path: Path, capsys: pytest.CaptureFixture[str], history: str
) -> None:
    """What goes out in episodes that take all their steps stays under it, and is not far below."""
    options = ("limit=2", "harness.steps=6", f"harness.history={history}", "repeats=2")
    priced = ("model.price.prompt=1000", "model.price.completion=1000")
    forecast = preview(composed(suite, *options, *priced))
    shown = " ".join(capsys.readouterr().out.split())
    assert "4 episodes, at most 24 requests" in shown
    assert "tokens at most about" in shown
    assert forecast.cost_usd == pytest.approx(forecast.tokens / 1000)
    assert f"cost at most about {forecast.cost_usd:.2f} USD" in shown
    assert "later turns show" in shown
    with Loopback(Plan(reply=WAIT, keep_bodies=True)) as server:
        run(suite, server, tmp_path, *options)
        images = sum((record.body or "").count("data:image") for record in server.records)
    assert len(server.records) == forecast.requests == 24
    assert f"with {images} images" in shown


def test_an_episode_that_is_played_again_by_a_later_parser_leaves_its_ending_with_the_reading(
    suite: StoredSuite, server: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(suite, server, tmp_path, "harness.steps=2", "limit=2")
    for module in (work_module, run_module):
        monkeypatch.setattr(module, "PARSER_VERSION", "next")
    again = run(suite, server, tmp_path, "harness.steps=2", "limit=2")
    assert (again.folder, again.calls) == (first.folder, 0)
    (known,) = (p.read_text().splitlines() for p in (first.folder / "parsed").glob("*.jsonl") if p.stem != "next")
    anew = (first.folder / "parsed" / "next.jsonl").read_text().splitlines()
    assert [json.loads(line)["ending"] for line in known] == [None, None]
    assert [json.loads(line)["ending"]["steps"] for line in anew] == [2, 2]
