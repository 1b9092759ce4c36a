"""The table of defenses, from what runs say in their summaries."""

from __future__ import annotations

import io
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmark.executions import Executions, executions
from benchmark.metrics import Row
from runner.report.collect import Run
from runner.report.defended import defense_label, defense_table
from runner.report.executed import executed_table

GATE = {"_target_": "x", "name": "permission_gate", "form": "fine"}
NONE = {"_target_": "x", "name": "none"}


def found(observation: str, harmed: int) -> Executions:
    rows = [
        Row(f"c{i}", "web" if i % 2 else "gui", "data_leakage", f"k{i}", observation, 0, "scored", 5 if i < 6 else 1)
        for i in range(8)
    ]
    endings: dict[tuple[str, str, int], Any] = {
        (row.case_id, observation, 0): {
            "harm_executed": i < harmed, "task_completed": i % 2 == 0, "recovered": i < harmed and i % 2 == 0,
            "dismissed": False, "steps": 5, "steps_to_harm": 1 if i < harmed else None, "blocked": 6 - harmed,
            "false_blocks": 0,
        }
        for i, row in enumerate(rows)
    }  # fmt: skip
    return executions(rows, endings)


def run(observation: str, defense: dict[str, Any], harmed: int, acts: bool = True) -> Run:
    experiment = {
        "model": {"label": "m"}, "prompt": {"name": "standard"}, "observation": observation, "defense": defense,
        "harness": {"name": "interactive", "start": "injection"}, "judge": {"name": "rules"},
    }  # fmt: skip
    summary = {"executed": asdict(found(observation, harmed))} if acts else {}
    return Run(Path(), {"experiment": experiment}, summary, None, replies=40, dressed_s=4.0 if defense is GATE else 0.0)


def test_predicted_and_executed_stand_side_by_side_for_each_defense() -> None:
    runs = [
        run("injected", GATE, 1),
        run("clean", NONE, 0),
        run("injected", NONE, 6),
        run("injected", NONE, 0, acts=False),
    ]
    table = defense_table(runs)
    assert table is not None
    assert [line.labels[-1] for line in table.lines] == ["none", "permission_gate form=fine"]
    bare, gated = (dict(zip(table.columns, line.cells, strict=True)) for line in table.lines)
    assert (bare["ASR"].k, bare["executed ASR"].k, bare["gap"].text) == (6, 6, "+0.00")
    assert (gated["ASR"].k, gated["executed ASR"].k, gated["gap"].text) == (6, 1, "-62.50")
    assert (bare["clean success"].k, bare["clean success"].n) == (4, 8)
    assert gated["clean success"].value is None
    assert (bare["ms a screen"].text, gated["ms a screen"].text) == ("0", "100")
    assert (bare["recovered"].k, bare["recovered"].n, bare["steps to harm"].text) == (3, 6, "1")


def test_without_agents_that_act_there_is_no_such_table() -> None:
    assert defense_table([run("injected", NONE, 0, acts=False)]) is None


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
