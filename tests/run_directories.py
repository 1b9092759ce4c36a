"""Synthetic run directories with given scores: what a report reads, without a run having been made.

The files are those of `runner.ledger`, written through its records once and then line by line, so that a sweep of tens of
thousands of answers is there in seconds. The scores are whatever a test says; nothing here resembles a measurement.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmark.case import INTENTS
from benchmark.scoring import Answer
from runner.exchange import Reply, Usage
from runner.ledger import AnswerRecord, ParsedRecord, PlanUnit, VerdictRecord, key_of

SIZES = {"web": 200, "gui": 209, "mobile": 283, "document": 200, "video": 191}
CLUSTERS = {"web": 40, "gui": 30, "mobile": 31, "document": 8, "video": 13}
PARSER = "p1"
SUITE = {"name": "synthetic", "version": "1", "data": "0" * 64}
MODES = {5: "target_matched", 3: "task_disruption", 1: "attentional_bypass"}

Scores = Mapping[str, Sequence[int | str | None]]
"""By domain the score of each case; None for an error, `pending`, or `judge_error`."""


def counted(n: int, asr: int, scr: int | None = None, shift: int = 0) -> list[int]:
    """`n` scores with `asr` fives and `scr` of at least three; the cases that count start at `shift`."""
    scr = asr if scr is None else scr
    ordered = [5] * asr + [3] * (scr - asr) + [1] * (n - scr)
    return ordered[n - shift % n :] + ordered[: n - shift % n] if n else []


def case_id(domain: str, number: int) -> str:
    return f"{domain}-{number:04d}"


@dataclass
class Synthetic:
    """One run directory to be written."""

    label: str
    scores: Scores
    control: str = "standard"
    observation: str = "injected"
    judge: str = "rules"
    suite: Mapping[str, Any] = field(default_factory=lambda: SUITE)
    verified: str = "2026-01-01"
    returned: str = "model-1"
    model: Mapping[str, Any] = field(default_factory=dict)
    experiment: Mapping[str, Any] = field(default_factory=dict)
    flags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    target_met: frozenset[str] = frozenset()
    points: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    cost: float | None = 0.001
    padding: int = 400
    repeat: int = 0
    repeats: Sequence[Scores] = ()
    ending: Callable[[str, int], Mapping[str, Any]] | None = None
    dressed_s: float = 0.0

    def config(self) -> dict[str, Any]:
        return {
            "suite": {"_target_": "benchmark.suite.StoredSuite", "name": "stored", "path": "nowhere"},
            "model": {
                "_target_": "runner.models.openai_chat.OpenAIChat", "label": self.label, "name": self.label.lower(),
                "family": "", "space": {"name": "pixel", "order": "xy"}, "image": {"max_edge": 1568}, "params": {"temperature": 0},
                "enforce_schema": False, "verified": self.verified, **self.model,
            },
            "harness": {"_target_": "runner.harness.next_action.NextAction", "name": "next_action", "history": 3},
            "domains": {d: {"name": d, "instruction": f"Act on {d}. {{stance}}"} for d in self.scores},
            "prompt": {"name": self.control, "prefix": "", "stance": {"default": f"{self.control}."}},
            "judge": {"name": self.judge}, "defense": {"name": "none"}, "observation": self.observation, "repeats": 1,
            "limit": None, "ids": [], "seed": 0, **self.experiment,
        }  # fmt: skip

    def write(self, folder: Path, verdicts: str = "", summary: bool = True) -> Path:
        """Writes the run into `folder` and returns it."""
        (folder / "verdicts").mkdir(parents=True, exist_ok=True)
        (folder / "parsed").mkdir(exist_ok=True)
        config = self.config()
        print_ = key_of({k: v for k, v in config.items() if k not in {"judge"}})
        (folder / "manifest.json").write_text(
            json.dumps(
                {
                    "schema_version": 1, "fingerprint": print_, "experiment": config, "suite": dict(self.suite),
                    "prompt_hashes": {}, "domains": sorted(self.scores), "git": {"commit": "c0ffee", "dirty": False},
                    "versions": {"mma-safetybench": "0.1.0"}, "verified": self.verified, "sessions": 1,
                }
            )
        )  # fmt: skip
        file = verdicts or f"verdicts/{self.judge}-{key_of(self.judge)[:8]}.jsonl"
        if summary:
            (folder / "summary.json").write_text(json.dumps({"schema_version": 1, "verdicts": file, "parser": PARSER}))
        plan, answers, judged, parsed = [], [], [], []
        rounds = self.repeats or (self.scores,)
        for repeat, scores in enumerate(rounds):
            for domain, row in scores.items():
                for number, score in enumerate(row):
                    unit = case_id(domain, number)
                    plan.append(self._plan(domain, number, repeat))
                    if score == "pending":
                        continue
                    answers.append(self._answer(unit, repeat, score))
                    if score is None:
                        continue
                    name = f"{unit}/{self.observation}/{repeat}"
                    judged.append(self._verdict(unit, name, score))
                    point = self.points.get(unit)
                    action = {"type": "click", "point": None if point is None else {"x": point[0], "y": point[1]}}
                    parsed.append(self._parsed(name, action))
        for path, lines in (
            (folder / "plan.jsonl", plan), (folder / "answers.jsonl", answers), (folder / file, judged),
            (folder / "parsed" / f"{PARSER}.jsonl", parsed),
        ):  # fmt: skip
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return folder

    def _plan(self, domain: str, number: int, repeat: int) -> dict[str, Any]:
        return {
            **_template("plan"), "case_id": case_id(domain, number), "domain": domain, "intent": INTENTS[number % 3],
            "cluster": f"{domain}-c{number % CLUSTERS[domain]}", "observation": self.observation, "repeat": repeat,
        }  # fmt: skip

    def _answer(self, unit: str, repeat: int, score: int | str | None) -> dict[str, Any]:
        found = dict(_template("answer"))
        found |= {
            "answer_id": f"{unit}/{self.observation}/{repeat}", "request_key": f"{unit}/{repeat}", "case_id": unit,
            "observation": self.observation, "repeat": repeat,
        }  # fmt: skip
        if score is None:
            return {**found, "error": {"schema_version": 1, "kind": "timeout", "message": "no reply"}, "replies": []}
        reply = {**found["replies"][0], "model": self.returned, "cost_usd": self.cost, "text": "x" * self.padding}
        extra = {}
        if self.ending is not None:
            reply["dressed_s"] = self.dressed_s
            extra = {"extra": {"answer": 0, "ending": dict(self.ending(unit, repeat)), "parser": PARSER}}
        return {**found, "replies": [reply], **extra}

    def _verdict(self, unit: str, name: str, score: int | str) -> dict[str, Any]:
        found = {
            **_template("verdict"),
            "answer_id": name,
            "judge": self.judge,
            "flags": list(self.flags.get(unit, ())),
        }
        if score == "judge_error":
            return {**found, "status": "judge_error", "score": None, "failure_mode": None}
        assert isinstance(score, int)
        met = score == 5 if self.observation == "injected" else unit in self.target_met
        return {**found, "score": score, "failure_mode": MODES[score], "target_met": met, "reference_met": score == 1}

    def _parsed(self, name: str, action: Mapping[str, Any]) -> dict[str, Any]:
        found = _template("parsed")
        return {**found, "answer_id": name, "answer": {**found["answer"], "actions": [action]}}


_TEMPLATES: dict[str, dict[str, Any]] = {}


def _template(kind: str) -> dict[str, Any]:
    """A record of each kind as the ledger writes it, made once."""
    if not _TEMPLATES:
        reply = Reply(text="", model="model-1", usage=Usage(prompt=1500, completion=80), cost_usd=0.001, latency_s=1.5)
        records = {
            "plan": PlanUnit(case_id="c", domain="web", intent=INTENTS[0], cluster="k", observation="injected"),
            "answer": AnswerRecord.of(
                answer_id="a", request_key="k", attempt=1, case_id="c", observation="injected", repeat=0, replies=(reply,),
                failure=None, attempts=(),
            ),
            "verdict": VerdictRecord(
                answer_id="a", parser=PARSER, judge="rules", score=1, failure_mode="attentional_bypass",
                rationale="It is the next step of the task.", evidence={"point": [1, 2]},
            ),
            "parsed": ParsedRecord(answer_id="a", parser=PARSER, answer=Answer()),
        }  # fmt: skip
        _TEMPLATES.update({name: record.model_dump(mode="json") for name, record in records.items()})
    return _TEMPLATES[kind]
