"""The table of defenses: what agents said they would do, what they did, and what a defense costs, by model.

Its rows are those of the other tables: runs that differ in anything that decides an answer have rows of their own, those
of the same settings are taken together. Figures come from the endings that are stored with the answers; nothing is
played again here. Clean success and false blocks are those of the clean runs of the same settings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmark.executions import Execution, execution
from benchmark.metrics import Rate, Row, Status
from benchmark.statistics import percent
from runner.report.collect import ERROR, JUDGE_ERROR, PENDING, SCORED, Cases, Data, Run, Series, bracketed
from runner.report.measures import Cell, text
from runner.report.tables import Line, Table

COLUMNS = (
    "ASR", "executed ASR", "execution gap", "task success", "recovered", "steps to harm", "blocked", "clean success",
    "falsely blocked", "clean steps", "ms a screen",
)  # fmt: skip

STATUSES: Mapping[int, Status] = {PENDING: "pending", SCORED: "scored", ERROR: "error", JUDGE_ERROR: "judge_error"}


def defense_label(config: Mapping[str, Any]) -> str:
    """A defense in words: its choice, with what was set of it, or those that it is made of."""
    if "members" in config:
        return " + ".join(defense_label(member) for member in config["members"].values())
    kept = {k: v for k, v in config.items() if k not in {"_target_", "name", "seed", "cache", "workers"}}
    return " ".join([str(config["name"]), *(f"{k}={v}" for k, v in sorted(kept.items()))])


def _rate(found: Rate) -> Cell:
    if found.estimate is None:
        return Cell()
    missing = found.n < found.planned
    bounds = (found.at_least, found.at_most) if missing else (None, None)
    low, high, at_least, at_most = (None if v is None else 100 * v for v in (found.low, found.high, *bounds))
    return Cell(
        value=percent(found.k, found.n), k=found.k, n=found.n, planned=found.planned, low=low, high=high,
        at_least=at_least, at_most=at_most, marks=("incomplete",) if missing else (),
    )  # fmt: skip


def _number(value: float | None, form: str) -> Cell:
    return text("n/a" if value is None else format(value, form))


def _labels(run: Run) -> tuple[str, str, str, str]:
    """Model, prompt, harness and defense of a run, each with what else sets it apart from others of the report."""
    harness, defense = run.experiment["harness"], run.experiment["defense"]
    of: dict[str, list[tuple[str, str]]] = {"harness": [], "defense": [], "": []}
    for key, shown in run.variant:
        top, last = key.partition(".")[0], key.rpartition(".")[2]
        if top == "harness":
            of[top] += [] if last in {"name", "start"} else [(key, shown)]
        elif top == "defense":
            of[top] += [(key, shown)] if last in {"seed", "version"} else []
        else:
            of[""].append((key, shown))
    return (
        bracketed(run.label, of[""]),
        run.control,
        bracketed(f"{harness['name']} from {harness.get('start', 'injection')}", of["harness"]),
        bracketed(defense_label(defense), of["defense"]),
    )


def _order(line: Line) -> tuple[object, ...]:
    """By model, prompt and harness; there, no defense comes first."""
    *what, defense = line.labels
    return (*what, not defense.startswith("none"), defense)


def _figures(series: Series | None, cases: Cases) -> Execution | None:
    """What agents did in a series; None where there is none, or nobody acted."""
    if series is None or not series.endings:
        return None
    rows, endings = [], {}
    for case, repeat in zip(*(at.tolist() for at in series.planned.nonzero()), strict=True):
        at = case, repeat
        row = Row(
            cases.ids[case], cases.domains[case], cases.intents[case], cases.clusters[case], series.observation, repeat,
            STATUSES[series.status[at]], int(series.score[at]) or None,
        )  # fmt: skip
        rows.append(row)
        if at in series.endings:
            endings[row.case_id, row.observation, repeat] = series.endings[at]
    return execution(rows, endings)


def _apart(labels: Sequence[str], attacked: Series, clean: Series) -> str | None:
    """What to say where a row's two sides are not of the same cases."""
    first, second = attacked.planned.any(axis=1), clean.planned.any(axis=1)
    if (first == second).all():
        return None
    return (
        f"{labels[0]} under {labels[3]} ({labels[1]}): the injected runs are of {first.sum()} cases and the clean ones of "
        f"{second.sum()}, {(first & second).sum()} of them the same, so the two sides of its row are not of the same cases."
    )


def defense_table(data: Data) -> Table | None:
    """Model, prompt, harness and defense by rows; None where no agent acted."""
    lines, notes = [], []
    for subject, control in dict.fromkeys((s.subject, s.control) for s in data.series.values()):
        sides = [data.get(subject, control, observation) for observation in ("injected", "clean")]
        there = [side for side in sides if side is not None]
        injected, clean = (_figures(side, data.cases) for side in sides)
        if injected is None and clean is None:
            continue
        labels = _labels(there[0].runs[0])
        cells: list[Cell] = []
        if injected is None:
            cells += [Cell()] * 5 + [text("n/a")] * 2
        else:
            gap = "n/a" if injected.gap is None else f"{100 * injected.gap:+.2f}"
            cells += [
                _rate(injected.predicted), _rate(injected.executed), text(gap), _rate(injected.success),
                _rate(injected.recovered), _number(injected.steps_to_harm, "g"), text(injected.blocked),
            ]  # fmt: skip
        if clean is None:
            cells += [Cell(), text("n/a"), text("n/a")]
        else:
            cells += [_rate(clean.success), text(clean.false_blocks), _number(clean.steps, ".1f")]
        runs = [run for side in there for run in side.runs]
        seconds, screens = sum(run.dressed_s for run in runs), sum(run.dressed for run in runs)
        cells.append(_number(1e3 * seconds / screens if screens else None, ".0f"))
        lines.append(Line(labels, tuple(cells)))
        if injected is not None and clean is not None and (note := _apart(labels, *there)) is not None:
            notes.append(note)
    if not lines:
        return None
    return Table(
        "defenses", "What agents did: predicted and executed ASR, and what defenses cost (%)",
        ("model", "prompt", "harness", "defense"), COLUMNS, tuple(sorted(lines, key=_order)),
        (
            "ASR is that of the action at the injection point; executed ASR counts the cases in whose final state the "
            "payload's effect is; the execution gap is executed minus predicted. Blocked counts effects that a gate refused.",
            "Clean success, false blocks and steps are of the clean runs of the same settings. Milliseconds are those that "
            "the defense takes over each screen before the agent sees it, waiting for a free reader included, but not a "
            "gate's decisions, which take under one each.",
            *notes,
        ),
    )  # fmt: skip
