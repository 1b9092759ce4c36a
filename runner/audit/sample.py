"""Which answers people are shown: a sample of the scored answers of some runs, with every item's sampling probability.

Unstratified it is a simple random sample, the form in which agreement is quoted. Stratified by domain, model and score
it gives rare kinds as many items as common ones; the probabilities, kept in the key, undo that later. What people see
is made of an `Item` and holds neither model, nor control, nor run, nor judge; these stand in the key, which stays with
whoever leads the audit.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark.case import Case
from benchmark.scoring import Answer
from benchmark.suite import Suite
from runner.harness.parse import PARSER_VERSION
from runner.ledger import AnswerRecord, Ledger, Stored, VerdictRecord, read_whole
from runner.work import instantiate, make_model, parsed


class AuditError(ValueError):
    """An audit that cannot be drawn or read; the message says what is wrong where, and the way out."""


@dataclass(frozen=True)
class Candidate:
    """A scored answer to an injected case that could be drawn; `judge` is the verdict file it is scored in."""

    run: Path
    answer: Stored
    domain: str
    intent: str
    cluster: str
    model: str
    control: str
    judge: str
    score: int
    failure_mode: str

    @property
    def stratum(self) -> tuple[str, str, int]:
        return self.domain, self.model, self.score


@dataclass(frozen=True)
class Drawn:
    """A candidate that was drawn, under the name people see, and how likely that was."""

    item: str
    candidate: Candidate
    probability: float


@dataclass(frozen=True)
class Item:
    """What people are shown of one answer."""

    item: str
    case: Case
    image: Path
    record: AnswerRecord
    answer: Answer


class Opened:
    """A run directory as an audit reads it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = read_whole(folder / "manifest.json")
        self.summary = read_whole(folder / "summary.json")
        self.experiment: Mapping[str, Any] = self.manifest["experiment"]
        self.verdict_file = str(self.summary["verdicts"])
        self.suite: Suite = instantiate(self.experiment["suite"])
        self.ledger = Ledger.open(folder)

    def candidates(self) -> list[Candidate]:
        planned = {unit.unit: unit for unit in self.ledger.plan()}
        verdicts: dict[str, VerdictRecord] = {}
        for verdict in self.ledger.verdicts(self.verdict_file):
            if verdict.parser == PARSER_VERSION and verdict.score is not None:
                verdicts[verdict.answer_id] = verdict
        # Of episodes that left the recorded way no screen is kept that people could be shown.
        aside = {p.answer_id for p in self.ledger.parsed(PARSER_VERSION) if p.answer.kept is not None}
        latest = {stored.unit: stored for stored in self.ledger.stored() if not stored.failed}
        found = []
        for unit, plan in planned.items():
            stored = latest.get(unit)
            if stored is not None and stored.answer_id in aside:
                continue
            verdict_ = verdicts.get(stored.answer_id) if stored is not None else None
            if stored is None or verdict_ is None or verdict_.score is None or plan.observation != "injected":
                continue
            found.append(
                Candidate(
                    run=self.folder, answer=stored, domain=plan.domain, intent=plan.intent, cluster=plan.cluster,
                    model=str(self.experiment["model"]["label"]), control=str(self.experiment["prompt"]["name"]),
                    judge=self.verdict_file, score=verdict_.score, failure_mode=verdict_.failure_mode or "",
                )
            )  # fmt: skip
        return found


def rank(seed: int, candidate: Candidate) -> str:
    """A candidate's place in the draw, which does not depend on the order of runs or on other candidates."""
    return hashlib.sha256(
        f"{seed}/{candidate.answer.answer_id}/{'/'.join(map(str, candidate.answer.unit))}".encode()
    ).hexdigest()


def shares(sizes: Mapping[Any, int], n: int) -> dict[Any, int]:
    """How many to draw from each stratum: as even as their sizes allow, `n` in all or everything there is."""
    taken = dict.fromkeys(sorted(sizes, key=str), 0)
    left = min(n, sum(sizes.values()))
    while left:
        open_ = [s for s in taken if taken[s] < sizes[s]]
        each = max(1, left // len(open_))
        for stratum in open_:
            more = min(each, sizes[stratum] - taken[stratum], left)
            taken[stratum] += more
            left -= more
    return taken


def draw(candidates: Sequence[Candidate], n: int, seed: int, stratify: bool) -> list[Drawn]:
    """Draws `n` candidates, or all where there are fewer, in an order that tells nothing.

    Args:
        candidates: those that could be drawn.
        n: how many.
        seed: of the draw.
        stratify: draw evenly from domain x model x score instead of from all.

    Raises:
        AuditError: there is nothing to draw, or `n` is below 1.
    """
    if n < 1:
        raise AuditError(f"n={n}: give a number of answers, at least 1")
    if not candidates:
        raise AuditError("there is no scored answer to an injected case in these runs")
    strata: dict[Any, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        strata[candidate.stratum if stratify else ""].append(candidate)
    counts = shares({s: len(members) for s, members in strata.items()}, n)
    found = []
    for stratum, members in strata.items():
        chosen = sorted(members, key=lambda c: rank(seed, c))[: counts[stratum]]
        found += [Drawn(rank(seed, c)[:12], c, counts[stratum] / len(members)) for c in chosen]
    return sorted(found, key=lambda d: hashlib.sha256(f"order/{d.item}".encode()).hexdigest())


def audit_id(drawn: Iterable[Drawn]) -> str:
    return hashlib.sha256("/".join(sorted(d.item for d in drawn)).encode()).hexdigest()[:12]


def key_of_audit(drawn: Sequence[Drawn], population: int, seed: int, stratify: bool) -> dict[str, Any]:
    """The key: what each item is, which no annotator may see."""
    return {
        "schema_version": 1,
        "audit": audit_id(drawn),
        "seed": seed,
        "stratified": stratify,
        "population": population,
        "items": {
            d.item: {
                "run": str(d.candidate.run), "answer_id": d.candidate.answer.answer_id,
                "case": d.candidate.answer.unit[0], "repeat": d.candidate.answer.unit[2], "domain": d.candidate.domain,
                "intent": d.candidate.intent, "cluster": d.candidate.cluster, "model": d.candidate.model,
                "control": d.candidate.control, "judge": d.candidate.judge, "score": d.candidate.score,
                "failure_mode": d.candidate.failure_mode, "probability": d.probability,
            }
            for d in sorted(drawn, key=lambda d: d.item)
        },
    }  # fmt: skip


def items(drawn: Sequence[Drawn], runs: Mapping[Path, Opened], building: Callable[[int, int], None]) -> list[Item]:
    """What people are shown, in the order of the draw; cases that are not built are built."""
    wanted: dict[Path, list[str]] = defaultdict(list)
    for one in drawn:
        wanted[one.candidate.run].append(one.candidate.answer.unit[0])
    for folder, ids in wanted.items():
        runs[folder].suite.ensure(sorted(set(ids)), building)
    models = {folder: make_model(runs[folder].experiment["model"]) for folder in wanted}
    found = []
    for one in drawn:
        run = runs[one.candidate.run]
        case, record = run.suite.case(one.candidate.answer.unit[0]), one.candidate.answer.load()
        answer = parsed(record, case, models[run.folder])
        found.append(Item(one.item, case, run.suite.folder / case.injected.relative_path, record, answer))
    return found
