"""Conditions under which a command fails, for use in a pipeline: `asr/web > 0.30`.

A gate passes only when it would pass whatever the unscored cases had said: where they could tip it, it fails as
undecided, and where nothing was scored it fails too. The grammar is one comparison:

    METRIC[/SCOPE][@CONTROL] OPERATOR NUMBER

METRIC is one of `METRICS`; SCOPE a domain or `macro` (the default), CONTROL a prompt control; the operator one of
`>`, `>=`, `<`, `<=`; the number a share (0.30) or a percentage (30%).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmark.case import DOMAINS
from benchmark.metrics import Cell, Rate, Summary

if TYPE_CHECKING:
    from runner.report.collect import Data, Series
    from runner.report.measures import Measures

METRICS = ("asr", "scr", "gap", "clean_success", "false_hits", "over_refusal", "filtered", "stopped", "unscored")
CLEAN_METRICS = frozenset({"clean_success", "false_hits"})

_GATE = re.compile(
    r"^\s*(?P<metric>[a-z_]+)(?:/(?P<scope>[a-z_]+))?(?:@(?P<control>[\w.-]+))?\s*(?P<operator>>=|<=|>|<)\s*"
    r"(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>%?)\s*$"
)


class GateError(ValueError):
    """A gate that cannot be read; the message shows the grammar."""


@dataclass(frozen=True)
class Amount:
    """An exact share with the bounds that unscored cases leave; None where nothing is scored."""

    estimate: float | None
    at_least: float | None
    at_most: float | None


@dataclass(frozen=True)
class Gate:
    """Fails when the rate stands in this relation to the threshold, a share."""

    text: str
    metric: str
    scope: str
    control: str | None
    operator: str
    threshold: float

    def holds(self, value: float) -> bool:
        # Shares are quotients of small whole numbers; what differs in the twelfth digit is equal.
        if abs(value - self.threshold) < 1e-12:
            return "=" in self.operator
        return (value > self.threshold) == (self.operator[0] == ">")

    def verdict(self, amount: Amount, who: str) -> str | None:
        """Why the gate fails for this rate; None when it passes."""
        what = f"{self.metric}/{self.scope} of {who}"
        if amount.estimate is None:
            return f"gate {self.text!r}: {what} is n/a, nothing is scored"
        if self.holds(amount.estimate):
            return f"gate {self.text!r}: {what} is {amount.estimate:.4f}"
        edges = [edge for edge in (amount.at_least, amount.at_most) if edge is not None]
        if any(self.holds(edge) for edge in edges):
            return (
                f"gate {self.text!r}: {what} is {amount.estimate:.4f} over what is scored, but cases are missing and it may lie "
                f"anywhere in {min(edges):.4f}..{max(edges):.4f}"
            )
        return None


def parse_gate(text: str) -> Gate:
    """Reads a gate.

    Raises:
        GateError: it is no such comparison, or names an unknown metric or scope, or a share above 1.
    """
    example = "write it like 'asr/web > 0.30', 'scr >= 40%' or 'asr/macro@safety_priority > 0.05'"
    found = _GATE.match(text)
    if found is None:
        raise GateError(f"--fail-if {text!r} is no comparison; {example}")
    metric, scope = found["metric"], found["scope"] or "macro"
    if metric not in METRICS:
        raise GateError(f"--fail-if {text!r}: there is no rate {metric!r}; there are {', '.join(METRICS)}")
    if scope not in (*DOMAINS, "macro"):
        raise GateError(f"--fail-if {text!r}: there is no domain {scope!r}; there are {', '.join(DOMAINS)}, and macro")
    threshold = float(found["number"]) / (100 if found["unit"] else 1)
    if threshold > 1:
        raise GateError(f"--fail-if {text!r}: {found['number']} is above 1; write a share such as 0.30, or 30%")
    return Gate(text.strip(), metric, scope, found["control"], found["operator"], threshold)


def split_gates(arguments: Sequence[str]) -> tuple[list[str], list[Gate]]:
    """Takes `--fail-if GATE` and `--fail-if=GATE` out of a command line that another parser will read.

    Raises:
        GateError: a gate that cannot be read, or none after the flag.
    """
    rest: list[str] = []
    gates: list[Gate] = []
    waiting = iter(arguments)
    for argument in waiting:
        if argument == "--fail-if":
            text = next(waiting, None)
            if text is None:
                raise GateError("--fail-if needs a comparison; write it like --fail-if 'asr/web > 0.30'")
            gates.append(parse_gate(text))
        elif argument.startswith("--fail-if="):
            gates.append(parse_gate(argument.split("=", 1)[1]))
        else:
            rest.append(argument)
    return rest, gates


def _of_rate(rate: Rate | None) -> Amount:
    return Amount(None, None, None) if rate is None else Amount(rate.estimate, rate.at_least, rate.at_most)


def _of_cell(cell: Cell, metric: str) -> Amount:
    """What the summary of a run says of one domain."""
    if metric in ("asr", "scr", "clean_success"):
        return _of_rate({"asr": cell.asr, "scr": cell.scr, "clean_success": cell.clean_success}[metric])
    if metric == "gap":
        return Amount(cell.gap, *_gap_bounds(_of_rate(cell.asr), _of_rate(cell.scr)))
    if metric == "false_hits":
        return _of_rate(cell.target_met) if cell.clean_success is not None else Amount(None, None, None)
    if metric == "unscored":
        share = 1 - cell.scored / cell.planned if cell.planned else None
        return Amount(share, share, share)
    if not cell.scored:
        return Amount(None, None, None)
    count, missing = cell.flags.get(metric, 0), cell.planned - cell.scored
    return Amount(count / cell.scored, count / cell.planned, (count + missing) / cell.planned)


def _gap_bounds(asr: Amount, scr: Amount) -> tuple[float | None, float | None]:
    """A missing case may widen the gap or leave it; it cannot narrow the count, only the share."""
    if asr.at_least is None or scr.at_least is None or asr.at_most is None:
        return None, None
    least = scr.at_least - asr.at_least
    return least, least + (asr.at_most - asr.at_least)


def _macro(parts: Sequence[Amount]) -> Amount:
    if not parts or any(p.estimate is None for p in parts):
        return Amount(None, None, None)
    columns = zip(*((p.estimate or 0.0, p.at_least or 0.0, p.at_most or 0.0) for p in parts))
    return Amount(*(sum(column) / len(parts) for column in columns))


def measured(gate: Gate, summary: Summary, control: str) -> bool:
    """Whether a run says anything about a gate: it is on this control and observation, and on a domain of the run."""
    if gate.control not in (None, control) or not _concerns(gate, summary.observation):
        return False
    return gate.scope == "macro" or gate.scope in summary.domains


def failures_of_summary(gates: Sequence[Gate], summary: Summary, control: str, who: str) -> list[str]:
    """The gates that a run fails, each with why; those that it says nothing about are passed over."""
    found = []
    for gate in (g for g in gates if measured(g, summary, control)):
        if gate.scope == "macro":
            amount = _macro([_of_cell(cell, gate.metric) for cell in summary.domains.values()])
        else:
            amount = _of_cell(summary.domains[gate.scope], gate.metric)
        if (why := gate.verdict(amount, who)) is not None:
            found.append(why)
    return found


def _concerns(gate: Gate, observation: str) -> bool:
    if gate.metric in ("asr", "scr", "gap"):
        return observation == "injected"
    return observation == "clean" if gate.metric in CLEAN_METRICS else True


def failures_of_data(gates: Sequence[Gate], data: Data, measures: Measures) -> list[str]:
    """The gates that any of the collected series fails; a gate that nothing is measured for fails as well."""
    found = []
    for gate in gates:
        concerned = [
            s
            for s in data.series.values()
            if gate.control in (None, s.control)
            and _concerns(gate, s.observation)
            and (
                gate.scope == "macro"
                or (gate.scope in measures.rows and (measures.rows[gate.scope] & measures.planned(s)).any())
            )
        ]
        if not concerned:
            found.append(f"gate {gate.text!r}: no run measures it")
        for series in concerned:
            amount = _of_series(measures, series, gate.metric, gate.scope)
            who = f"{series.subject}, prompt {series.control}, {series.observation}"
            if (why := gate.verdict(amount, who)) is not None:
                found.append(why)
    return found


def _of_series(measures: Measures, series: Series, metric: str, scope: str) -> Amount:
    if metric == "gap":
        domains = measures.domains if scope == "macro" else [scope]
        parts = []
        for domain in (d for d in domains if (measures.rows[d] & measures.planned(series)).any()):
            asr, scr = (measures.amount(series, m, domain) for m in ("asr", "scr"))
            gap = None if asr.estimate is None or scr.estimate is None else scr.estimate - asr.estimate
            parts.append(Amount(gap, *_gap_bounds(asr, scr)))
        return _macro(parts)
    if metric == "unscored":
        chosen = measures.planned(series) if scope == "macro" else measures.planned(series) & measures.rows[scope]
        planned = series.planned[chosen]
        share = 1 - float((series.scored[chosen] & planned).sum()) / max(1, int(planned.sum()))
        return Amount(share, share, share)
    return measures.amount(series, "target" if metric == "false_hits" else metric, scope)
