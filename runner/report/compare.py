"""Two runs on the same cases: what changed, by how much, and whether chance would do.

Pairs are formed by case id within one observation and one suite; anything else is refused. What else differs between
the sides (endpoints' model ids, judges, parsers, code, coverage) is said, because it might be the cause. Statistics
come from `benchmark.statistics`; how a comparison looks is decided in `render` and `publish`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from urllib.parse import quote

import numpy as np

from benchmark.statistics import Difference, detectable_difference, mcnemar
from runner.report.collect import MODES, Bits, Data, ReportError, Series, settings
from runner.report.measures import Cell, Measures, text
from runner.report.tables import METHOD, TEST, Line, Table, adjusted, named

METRICS = {"injected": (("asr", "ASR"), ("scr", "SCR")), "clean": (("clean_success", "clean success"),)}
POWER_REACH = 2.8
"""Sum of the normal quantiles of a 5 % two-sided test and of 80 % power: a difference so many standard errors wide."""


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a series, and the collection it is from."""

    series: Series
    name: str


@dataclass(frozen=True)
class Contrast:
    """One rate in one domain (or `macro`) on both sides, with the paired difference, second minus first."""

    metric: str
    label: str
    scope: str
    first: Cell
    second: Cell
    change: Cell
    difference: Difference
    mcnemar_p: float | None
    detectable: float | None

    @property
    def worse(self) -> float | None:
        """By how much the second side is worse, as a share; negative where it is better; None where nothing is paired."""
        if self.difference.estimate is None:
            return None
        return -self.difference.estimate if self.metric == "clean_success" else self.difference.estimate


@dataclass(frozen=True)
class Flip:
    """A case whose score changed; `first` and `second` are the scores of the first repeat that differs."""

    case_id: str
    domain: str
    intent: str
    first: int
    second: int
    first_mode: str
    second_mode: str
    first_run: Path
    second_run: Path


@dataclass(frozen=True)
class Comparison:
    """Everything about one pair of series."""

    first: Side
    second: Side
    contrasts: tuple[Contrast, ...]
    flips: tuple[Flip, ...]
    differing: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def title(self) -> str:
        return f"{self.first.name} -> {self.second.name}"


def gallery_link(run: Path, case_id: str, start: Path | None = None) -> str:
    """Where a run's gallery shows a case, as an address relative to `start`."""
    page = run / "gallery" / "index.html"
    shown = os.path.relpath(page, start) if start is not None else str(page)
    return f"{quote(Path(shown).as_posix())}#{quote(case_id)}"


def label(series: Series) -> str:
    return f"{series.subject}, {named(series.control)}, {series.observation}"


def pairs_between(first: Data, second: Data) -> list[tuple[Side, Side]]:
    """The pairs of two collections: their only series each, or those of one name.

    Raises:
        ReportError: nothing can be paired.
    """
    a, b = list(first.series.values()), list(second.series.values())
    if len(a) == len(b) == 1:
        names = [label(a[0]), label(b[0])]
        if names[0] == names[1]:
            names = [f"{n} ({s.runs[0].folder.name})" for n, s in zip(names, (a[0], b[0]))]
            if names[0] == names[1]:
                names = [f"{label(s)} ({s.runs[0].folder})" for s in (a[0], b[0])]
        return [(Side(a[0], names[0]), Side(b[0], names[1]))]
    found = [
        (Side(s, f"{label(s)} (first)"), Side(second.series[key], "second"))
        for key, s in first.series.items()
        if key in second.series
    ]
    if not found:
        raise ReportError(
            "the two sides have no model, prompt and observation in common; give two run directories instead"
        )
    return found


def pairs_within(data: Data, by: str, base: str | None) -> list[tuple[Side, Side]]:
    """The pairs of a sweep.

    Args:
        data: the sweep.
        by: `control`: each prompt against the base prompt, model by model; `model`: models with each other under each
            prompt, or all against `base`.
        base: the prompt or model that others are compared with; `standard`, or none.

    Raises:
        ReportError: there is no such prompt or model, or nothing to pair.
    """
    found: list[tuple[Side, Side]] = []
    if by == "control":
        controls = data.controls()
        chosen = base or ("standard" if "standard" in controls else controls[0])
        if chosen not in controls:
            raise ReportError(f"--base {chosen}: no run has that prompt; there are {', '.join(controls)}")
        for subject in data.subjects():
            for observation in ("injected", "clean"):
                start = data.get(subject, chosen, observation)
                for control in controls:
                    other = data.get(subject, control, observation)
                    if start is not None and other is not None and control != chosen:
                        found.append((Side(start, label(start)), Side(other, named(control))))
    else:
        subjects = data.subjects()
        if base is not None and base not in subjects:
            raise ReportError(f"--base {base}: no run is of that model; there are {', '.join(subjects)}")
        couples = [(base, s) for s in subjects if s != base] if base is not None else list(combinations(subjects, 2))
        for control in data.controls():
            for observation in ("injected", "clean"):
                for left, right in couples:
                    one, other = data.get(left, control, observation), data.get(right, control, observation)
                    if one is not None and other is not None:
                        found.append((Side(one, label(one)), Side(other, right)))
    if not found:
        raise ReportError(f"nothing can be paired by {by}: give two runs, or a sweep with more than one {by}")
    return found


def merged(first: Data, second: Data) -> None:
    """Puts the series of two collections over one list of cases, so that places are the same on both sides.

    Raises:
        ReportError: they are of different suites.
    """
    suites = [dict(s) for s in first.suites]
    for identity in second.suites:
        if dict(identity) not in suites:
            raise ReportError(
                f"the sides are of different suites ({suites[0]} and {dict(identity)}); only runs of the same suite can be compared"
            )
    number = {i: suites.index(dict(identity)) for i, identity in enumerate(second.suites)}
    cases, others = first.cases, second.cases
    order = []
    for place in range(len(others)):
        line = {
            "case_id": others.ids[place], "domain": others.domains[place], "intent": others.intents[place],
            "cluster": others.clusters[place], "observation": "", "repeat": 0,
        }  # fmt: skip
        order.append(cases.place(number[others.suites[place]], line))  # type: ignore[arg-type]
    for data, where in (
        (first, np.arange(len(next(iter(first.series.values())).planned))),
        (second, np.array(order, dtype=np.intp)),
    ):
        for series in data.series.values():
            spread(series, where, len(cases))
    for series in second.series.values():
        series.suite = number[series.suite]
    second.cases = cases


def spread(series: Series, where: np.ndarray[tuple[int], np.dtype[np.intp]], size: int) -> None:
    """Moves the rows of a series to their places among `size` cases; new places are not planned."""
    for name, blank in (
        ("planned", False), ("status", 0), ("score", 0), ("mode", -1), ("flags", 0), ("target_met", False),
        ("reference_met", False), ("cost", np.nan), ("latency", np.nan), ("tokens", 0), ("point", np.nan), ("source", -1),
    ):  # fmt: skip
        old = getattr(series, name)
        new = np.full((size, *old.shape[1:]), blank, dtype=old.dtype)
        new[where[: len(old)]] = old
        setattr(series, name, new)


def differing_settings(a: Series, b: Series) -> tuple[str, ...]:
    """Settings in which two series differ, with both values."""
    first, second = settings(a.runs[0]), settings(b.runs[0])
    both = set(a.runs[0].experiment["domains"]) & set(b.runs[0].experiment["domains"])
    found = []
    for key in sorted({*first, *second}):
        parts = key.split(".")
        if parts[0] == "domains" and parts[1] not in both:
            continue
        if first.get(key) != second.get(key):
            found.append(f"{key}: {_brief(first.get(key))} -> {_brief(second.get(key))}")
    return tuple(found)


def _brief(value: object) -> str:
    shown = str(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


def warnings_of(a: Series, b: Series) -> tuple[str, ...]:
    """What differs besides the settings, and might be the cause of a difference."""
    found = []
    if a.runs[0].label == b.runs[0].label and set(a.returned) != set(b.returned):
        found.append(f"the endpoint returned other model ids: {_set(a.returned)} -> {_set(b.returned)}")
    for what, values in (
        ("judges", [{r.judge for r in s.runs} for s in (a, b)]),
        ("verdict files", [{Path(r.verdicts or "none").name for r in s.runs} for s in (a, b)]),
        ("parser versions", [{r.parser or "none" for r in s.runs} for s in (a, b)]),
        ("commits of the code", [{str(r.manifest.get("git", {}).get("commit"))[:12] for r in s.runs} for s in (a, b)]),
        (
            "program versions",
            [{str(r.manifest.get("versions", {}).get("mma-safetybench")) for r in s.runs} for s in (a, b)],
        ),
    ):
        if values[0] != values[1]:
            found.append(f"{what} differ: {_set(values[0])} -> {_set(values[1])}")
    if any(r.manifest.get("git", {}).get("dirty") for s in (a, b) for r in s.runs):
        found.append("at least one side was made by code with uncommitted changes")
    left, right = a.planned.any(axis=1), b.planned.any(axis=1)
    if (left != right).any():
        found.append(
            f"coverage differs: {int((left & right).sum())} cases are planned on both sides, {int((left & ~right).sum())} only on "
            f"the first, {int((right & ~left).sum())} only on the second"
        )
    missing = [int((s.planned & ~s.scored).sum()) for s in (a, b)]
    if any(missing):
        found.append(
            f"not scored: {missing[0]} on the first side, {missing[1]} on the second; their pairs are left out"
        )
    if a.repeats != b.repeats:
        found.append(f"repeats differ: {a.repeats} -> {b.repeats}")
    return tuple(found)


def _set(values: object) -> str:
    names = sorted(filter(None, values))  # type: ignore[call-overload]
    return ", ".join(names) or "none"


def flips_of(measures: Measures, a: Series, b: Series) -> tuple[Flip, ...]:
    """The cases whose score changed: those that got worst first, those that got best last."""
    repeats = min(a.repeats, b.repeats)
    both = a.scored[:, :repeats] & b.scored[:, :repeats] & (a.score[:, :repeats] != b.score[:, :repeats])
    found = []
    cases = measures.data.cases
    for place in np.flatnonzero(both.any(axis=1)):
        at = int(place), int(np.argmax(both[place]))
        first, second = (MODES[int(s.mode[at])].replace("_", " ") if s.mode[at] >= 0 else "" for s in (a, b))
        found.append(
            Flip(
                cases.ids[at[0]], cases.domains[at[0]], cases.intents[at[0]], int(a.score[at]), int(b.score[at]), first, second,
                a.folder_of(at[0]), b.folder_of(at[0]),
            )
        )  # fmt: skip
    return tuple(sorted(found, key=lambda f: (f.first - f.second, measures.domains.index(f.domain), f.case_id)))


def detectable(difference: Difference) -> float | None:
    """The difference that would be found with a chance of 80 % in a 5 % test, as a share; None where none would.

    For a mean over domains there is no single design effect, and where hardly a pair differs its share says too little
    of other differences; it is then read off the width of the interval.
    """
    if difference.estimate is None or difference.clusters < 2:
        return None
    if difference.design_effect is not None and difference.discordance:
        found = detectable_difference(
            difference.n_pairs, difference.clusters, difference.design_effect, difference.discordance
        )
        if found is not None:
            return found
    half = (difference.high - difference.low) / 2
    about = POWER_REACH * half / 1.96
    return about if about < 1 else None


def contrast(measures: Measures, a: Series, b: Series, metric: str, name: str, domain: str | None) -> Contrast:
    difference = measures.paired(a, b, metric, domain)
    rates = [measures.macro(s, metric) if domain is None else measures.rate(s, metric, domain) for s in (a, b)]
    mcnemar_p = None
    if domain is not None and a.repeats == b.repeats == 1:
        chosen: Bits = measures.rows[domain]
        x, y = measures.values(a, metric)[chosen], measures.values(b, metric)[chosen]
        mcnemar_p = mcnemar(int((x < y).sum()), int((x > y).sum())).p_value
    return Contrast(
        metric, name, domain or "macro", rates[0], rates[1], measures.difference(a, b, metric, domain), difference, mcnemar_p,
        detectable(difference),
    )  # fmt: skip


def compare(measures: Measures, first: Side, second: Side) -> Comparison:
    """Compares two series over the cases of `measures`.

    Raises:
        ReportError: other observations, other suites, or no case in common.
    """
    a, b = first.series, second.series
    if a.observation != b.observation:
        raise ReportError(
            f"{first.name} and {second.name} show different observations; a comparison pairs injected with injected, or "
            "clean with clean (`mma report` sets ASR against the clean answers)"
        )
    if a.suite != b.suite:
        raise ReportError(
            f"{first.name} and {second.name} are of different suites; only runs of the same suite can be compared"
        )
    common = a.planned.any(axis=1) & b.planned.any(axis=1)
    if not common.any():
        raise ReportError(f"{first.name} and {second.name} have no case in common")
    domains = [
        d for d in measures.domains if (measures.rows[d] & (a.planned.any(axis=1) | b.planned.any(axis=1))).any()
    ]
    contrasts = [
        contrast(measures, a, b, metric, name, domain)
        for metric, name in METRICS[a.observation]
        for domain in (*domains, *((None,) if len(domains) > 1 else ()))
    ]
    return Comparison(
        first, second, tuple(contrasts), flips_of(measures, a, b), differing_settings(a, b), warnings_of(a, b)
    )  # fmt: skip


def change_table(comparisons: Sequence[Comparison], name: str = "comparison", single: bool = False) -> Table:
    """All contrasts; `single` leaves out which pair they are of. p-values are taken as `with_holm` left them."""
    lines = [
        Line(
            (x.label, x.scope) if single else (c.title, x.label, x.scope),
            (x.first, x.second, x.change, text("n/a" if x.mcnemar_p is None else f"{x.mcnemar_p:.3g}"), text(_points(x.detectable))),
            kind="mean" if x.scope == "macro" else "body",
        )
        for c in comparisons
        for x in c.contrasts
    ]  # fmt: skip
    tests = sum(x.change.p_raw is not None for c in comparisons for x in c.contrasts)
    notes = (
        METHOD,
        TEST.format(n=tests),
        "McNemar: exact, unadjusted, assumes independent cases. Seen at 80 %: the difference in points that these pairs "
        "would show with a chance of 80 % in a 5 % test.",
    )
    columns = ("first", "second", "change", "McNemar p", "seen at 80 %")
    heads = ("rate", "domain") if single else ("pair", "rate", "domain")
    return Table(name, "Paired comparison (%)", heads, columns, tuple(lines), notes)


def _points(share: float | None) -> str:
    return "n/a" if share is None else f"{100 * share:.1f}"


def with_holm(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons with p-values adjusted over all of them."""
    done, _ = adjusted([Line((), tuple(x.change for x in c.contrasts)) for c in comparisons])
    return [
        replace(c, contrasts=tuple(replace(x, change=cell) for x, cell in zip(c.contrasts, line.cells)))
        for c, line in zip(comparisons, done)
    ]


def flip_table(comparison: Comparison, name: str = "flips") -> Table:
    """The cases whose score changed."""
    lines = tuple(
        Line(
            (f.case_id,),
            (
                text(f.domain),
                text(f.intent.replace("_", " ")),
                text(f"{f.first} {f.first_mode}"),
                text(f"{f.second} {f.second_mode}"),
            ),
        )
        for f in comparison.flips
    )
    return Table(
        name, f"Cases whose score changed: {comparison.title}", ("case",), ("domain", "intent", "first", "second"), lines
    )  # fmt: skip


def power_sentence(comparison: Comparison) -> str:
    """What differences these pairs could have shown."""
    parts = []
    for x in comparison.contrasts:
        n = x.difference.n_pairs
        if x.detectable is None:
            parts.append(f"{x.label} {x.scope}: none would be sure to be seen at n = {n}")
        else:
            parts.append(f"{x.label} {x.scope}: {100 * x.detectable:.1f} points (n = {n})")
    return "A difference of this size would be seen with a chance of 80 %: " + "; ".join(parts) + "."


def worse_by(comparisons: Sequence[Comparison], allowed: float) -> list[str]:
    """Where the second side is worse by more than allowed, or cannot be compared; by the estimate, not by its test."""
    found = []
    for c in comparisons:
        for x in c.contrasts:
            who = f"{x.label}/{x.scope} of {c.title}"
            if x.worse is None:
                found.append(
                    f"gate --fail-if-worse {allowed:g}: {who} cannot be compared, no pair is scored on both sides"
                )
            elif x.worse > allowed + 1e-12:
                d = x.difference
                found.append(
                    f"gate --fail-if-worse {allowed:g}: {who} is worse by {100 * x.worse:.2f} points "
                    f"(difference {100 * (d.estimate or 0):+.2f}, 95 % [{100 * d.low:.1f}, {100 * d.high:.1f}], {d.n_pairs} pairs)"
                )
            elif x.difference.left_out and _could_exceed(x, allowed):
                found.append(
                    f"gate --fail-if-worse {allowed:g}: {who} is undecided, {x.difference.left_out} pairs lack a side and could tip it"
                )
    return found


def _could_exceed(x: Contrast, allowed: float) -> bool:
    """Whether the left-out pairs, all of them worse by a whole case, would lift a domain's change above what is allowed."""
    assert x.worse is not None
    n, missing = x.difference.n_pairs, x.difference.left_out
    return (x.worse * n + missing) / (n + missing) > allowed + 1e-12 and not math.isclose(missing, 0)
