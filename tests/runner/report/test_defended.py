"""The table of defenses, from what runs keep of their episodes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmark.executions import Executions, executions
from benchmark.metrics import Row
from runner.report.collect import collect
from runner.report.defended import defense_label, defense_table
from runner.report.executed import executed_table
from runner.report.measures import Cell
from runner.report.tables import Table
from tests.run_directories import SUITE, Synthetic

GATE = {"_target_": "x", "name": "permission_gate", "form": "fine"}
NONE = {"_target_": "x", "name": "none"}
USER = {"_target_": "y", "name": "confirmation_gate", "blind": 0.1, "seed": 0}


def found(observation: str, harmed: int) -> Executions:
    rows = [
        Row(f"c{i}", "web" if i % 2 else "gui", "data_leakage", f"k{i}", observation, 0, "scored", 5 if i < 6 else 1)
        for i in range(8)
    ]
    endings: dict[tuple[str, str, int], Any] = {
        (r.case_id, observation, 0): ended(i, harmed) for i, r in enumerate(rows)
    }
    return executions(rows, endings)


def ended(number: int, harmed: int) -> dict[str, Any]:
    return {
        "harm_executed": number < harmed, "task_completed": number % 2 == 0,
        "recovered": number < harmed and number % 2 == 0, "dismissed": False, "steps": 5,
        "steps_to_harm": 1 if number < harmed else None, "blocked": 6 - harmed, "false_blocks": 0,
    }  # fmt: skip


class Write:
    """Writes runs of eight web cases, six of which their first action is caught in, into directories of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0

    def __call__(
        self, observation: str, defense: dict[str, Any], harmed: int, acts: bool = True, cases: int = 8, **more: Any
    ) -> Path:
        self.count += 1
        harness = {"_target_": "h", "name": "interactive", "start": "injection", "steps": 5, "lifetime": None}
        seconds = 0.0 if defense["name"] == "none" else 0.1
        return Synthetic(
            "m", {"web": [5 if i < 6 else 1 for i in range(cases)]}, observation=observation, dressed_s=seconds,
            ending=(lambda unit, repeat: ended(int(unit[-4:]), harmed)) if acts else None, suite=more.pop("suite", SUITE),
            experiment={"defense": defense, "harness": harness | more},
        ).write(self.folder / str(self.count))  # fmt: skip

    def table(self) -> Table | None:
        return defense_table(collect([self.folder]))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    return Write(tmp_path)


def lines(table: Table | None) -> dict[tuple[str, ...], dict[str, Cell]]:
    assert table is not None
    return {line.labels: dict(zip(table.columns, line.cells, strict=True)) for line in table.lines}


def test_predicted_and_executed_stand_side_by_side_for_each_defense(write: Write) -> None:
    write("injected", GATE, 1)
    write("clean", NONE, 0)
    write("injected", NONE, 6)
    found = lines(write.table())
    assert [labels[-1] for labels in found] == ["none", "permission_gate form=fine"]
    assert {labels[:-1] for labels in found} == {("m", "standard", "interactive from injection")}
    bare, gated = found.values()
    assert (bare["ASR"].k, bare["executed ASR"].k, bare["execution gap"].text) == (6, 6, "+0.00")
    assert (gated["ASR"].k, gated["executed ASR"].k, gated["execution gap"].text) == (6, 1, "-62.50")
    assert (bare["clean success"].k, bare["clean success"].n) == (4, 8)
    assert gated["clean success"].value is None
    assert (bare["ms a screen"].text, gated["ms a screen"].text) == ("0", "100")
    assert (bare["recovered"].k, bare["recovered"].n, bare["steps to harm"].text) == (3, 6, "1")


def test_without_agents_that_act_there_is_no_such_table(write: Write) -> None:
    write("injected", NONE, 0, acts=False)
    assert write.table() is None


def test_runs_that_differ_in_anything_have_rows_of_their_own_with_the_clean_run_of_the_same(write: Write) -> None:
    for steps, harmed in ((5, 2), (20, 4)):
        for observation in ("injected", "clean"):
            write(observation, NONE, harmed if observation == "injected" else 0, steps=steps)
    write("injected", NONE, 3, steps=5, lifetime=2)
    write("injected", NONE, 1, steps=5, suite=SUITE | {"version": "2"})
    for seed in (0, 1):
        write("injected", USER | {"seed": seed}, seed, steps=5)
    found = lines(write.table())
    assert {(*labels[2:], cells["executed ASR"].k, cells["clean success"].k) for labels, cells in found.items()} == {
        ("interactive from injection [lifetime=null, steps=5]", "none", 2, 4),
        ("interactive from injection [lifetime=null, steps=20]", "none", 4, 4),
        ("interactive from injection [lifetime=2, steps=5]", "none", 3, None),
        ("interactive from injection [lifetime=null, steps=5]", "none", 1, None),
        ("interactive from injection [lifetime=null, steps=5]", "confirmation_gate blind=0.1 [seed=0]", 0, None),
        ("interactive from injection [lifetime=null, steps=5]", "confirmation_gate blind=0.1 [seed=1]", 1, None),
    }
    assert len({labels[0] for labels in found}) == 2  # the other suite is named beside the model


def test_runs_of_the_same_settings_are_one_row_and_two_sides_of_other_cases_are_named(write: Write) -> None:
    def part(folder: Path, first: int, last: int) -> None:
        for file in ("plan.jsonl", "answers.jsonl"):
            kept = (folder / file).read_text().splitlines(keepends=True)[first:last]
            (folder / file).write_text("".join(kept))

    part(write("injected", NONE, 6), 0, 5)
    part(write("injected", NONE, 6), 5, 8)
    write("clean", NONE, 0, cases=3)
    table = write.table()
    (cells,) = lines(table).values()
    assert (cells["executed ASR"].k, cells["executed ASR"].n, cells["clean success"].n) == (6, 8, 3)
    assert table is not None
    assert "the injected runs are of 8 cases and the clean ones of 3, 3 of them the same" in table.notes[-1]


def test_what_a_summary_says_of_its_last_selection_is_not_taken_for_the_whole(write: Write) -> None:
    folder = write("injected", NONE, 6)
    summary = json.loads((folder / "summary.json").read_text())
    rows = [Row(f"web-{i:04d}", "web", "data_leakage", "k", "injected", 0, "scored", 1) for i in range(3)]
    summary["executed"] = executions(rows, {}).plain()
    (folder / "summary.json").write_text(json.dumps(summary))
    (cells,) = lines(write.table()).values()
    assert (cells["executed ASR"].k, cells["executed ASR"].n) == (6, 8)


def test_an_ending_that_was_read_anew_by_a_later_parser_is_the_one_that_counts(write: Write) -> None:
    folder = write("injected", NONE, 6)
    answers = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    (folder / "answers.jsonl").write_text(
        "".join(json.dumps(a | {"extra": a["extra"] | {"parser": "p0"}}) + "\n" for a in answers)
    )
    parsed = [json.loads(line) for line in (folder / "parsed" / "p1.jsonl").read_text().splitlines()]
    (folder / "parsed" / "p1.jsonl").write_text(
        "".join(json.dumps(p | {"ending": ended(n, 2)}) + "\n" for n, p in enumerate(parsed))
    )
    (cells,) = lines(write.table()).values()
    assert (cells["executed ASR"].k, cells["executed ASR"].n) == (2, 8)


def test_a_stack_is_named_by_its_members() -> None:
    stack = {
        "_target_": "x",
        "name": "stack",
        "members": {"a": GATE, "b": {"name": "confirmation_gate", "blind": 0.1, "seed": 4}},
    }
    assert defense_label(stack) == "permission_gate form=fine + confirmation_gate blind=0.1"


def test_the_table_of_a_run_fits_a_terminal() -> None:
    for observation in ("injected", "clean"):
        console = Console(width=80, record=True, file=io.StringIO())
        console.print(executed_table(found(observation, 2), "none"))
        text = console.export_text()
        assert "…" not in text
        assert ("executed ASR %" in text) == (observation == "injected")
