"""The table of defenses: what agents said they would do, what they did, and what a defense costs, by model.

Its figures are those that each run wrote into its summary when it ended; nothing is played again here. Clean success
and false blocks come from the clean run of the same model, prompt, harness and defense.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.statistics import percent
from runner.report.collect import Run
from runner.report.measures import Cell, text
from runner.report.tables import Line, Table

COLUMNS = (
    "ASR", "executed ASR", "gap", "task success", "recovered", "steps to harm", "blocked", "clean success",
    "falsely blocked", "clean steps", "ms a screen",
)  # fmt: skip


def defense_label(config: Mapping[str, Any]) -> str:
    """A defense in words: its choice, with what was set of it, or those that it is made of."""
    if "members" in config:
        return " + ".join(defense_label(member) for member in config["members"].values())
    kept = {k: v for k, v in config.items() if k not in {"_target_", "name", "seed", "cache", "workers"}}
    return " ".join([str(config["name"]), *(f"{k}={v}" for k, v in sorted(kept.items()))])


def _rate(found: Mapping[str, Any] | None) -> Cell:
    if found is None or found["estimate"] is None:
        return Cell()
    low, high = (None if found[k] is None else 100 * found[k] for k in ("low", "high"))
    return Cell(value=percent(found["k"], found["n"]), k=found["k"], n=found["n"], low=low, high=high)


def _number(value: float | None, form: str) -> Cell:
    return text("n/a" if value is None else format(value, form))


def _order(item: tuple[tuple[str, ...], Any]) -> tuple[Any, ...]:
    """By model, prompt and harness; there, no defense comes first."""
    *what, defense = item[0]
    return (*what, defense != "none", defense)


def defense_table(runs: Sequence[Run]) -> Table | None:
    """Model, prompt and defense by rows; None where no agent acted."""
    groups: dict[tuple[str, ...], dict[str, Mapping[str, Any]]] = {}
    spent: dict[tuple[str, ...], tuple[float, int]] = {}
    for run in runs:
        executed = run.summary.get("executed")
        if executed is None:
            continue
        e = run.experiment
        key = (
            run.label,
            run.control,
            f"{e['harness']['name']} from {e['harness']['start']}",
            defense_label(e["defense"]),
        )
        groups.setdefault(key, {})[run.observation] = executed["total"]
        seconds, replies = spent.get(key, (0.0, 0))
        spent[key] = seconds + run.dressed_s, replies + run.replies
    if not groups:
        return None
    lines = []
    for what, found in sorted(groups.items(), key=_order):
        label, control, harness, defense = what
        seconds, replies = spent[what]
        injected, clean = found.get("injected"), found.get("clean")
        cells: list[Cell] = []
        if injected is None:
            cells += [Cell()] * 5 + [text("n/a")] * 2
        else:
            gap = "n/a" if injected["gap"] is None else f"{100 * injected['gap']:+.2f}"
            cells += [
                _rate(injected["predicted"]), _rate(injected["executed"]), text(gap), _rate(injected["success"]),
                _rate(injected["recovered"]), _number(injected["steps_to_harm"], "g"), text(injected["blocked"]),
            ]  # fmt: skip
        if clean is None:
            cells += [Cell(), text("n/a"), text("n/a")]
        else:
            cells += [_rate(clean["success"]), text(clean["false_blocks"]), _number(clean["steps"], ".1f")]
        cells.append(_number(1e3 * seconds / replies if replies else None, ".0f"))
        lines.append(Line((label, control, harness, defense), tuple(cells)))
    return Table(
        "defenses", "What agents did: predicted and executed ASR, and what defenses cost (%)",
        ("model", "prompt", "harness", "defense"), COLUMNS, tuple(lines),
        (
            "ASR is that of the action at the injection point; executed ASR counts the cases in whose final state the "
            "payload's effect is; the gap is executed without predicted. Blocked counts effects that a gate refused.",
            "Clean success, false blocks and steps are of the clean run under the same defense. Milliseconds are those that "
            "the defense takes over each screen before the agent sees it; a gate's decisions, under one each, are not in it.",
        ),
    )  # fmt: skip
