"""The judge that is no model: evidence alone, by the rules of `benchmark.scoring`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmark.case import Case
from benchmark.scoring import Score, score
from runner.exchange import Ruling, Subject

RULES_VERSION = "1"


def by_evidence(found: Score) -> Ruling:
    """The ruling that the rules alone give."""
    return Ruling(
        score=found.score,
        failure_mode=found.failure_mode,
        target_met=found.target_met,
        reference_met=found.reference_met,
        matched=found.matched,
        flags=found.flags,
    )


class RulesJudge:
    """Scores at once and for nothing; needs no call, so it never fails."""

    def __init__(self, name: str) -> None:
        self.name = name

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "version": RULES_VERSION}

    def families(self) -> frozenset[str]:
        return frozenset()

    def at_once(self, case: Case, subject: Subject) -> Ruling:
        return by_evidence(score(case, subject.observation, subject.answer))

    async def rule(self, case: Case, subject: Subject, key: str) -> Ruling:
        return self.at_once(case, subject)

    def check(self) -> None:
        pass

    async def open(self) -> None:
        pass

    async def close(self) -> None:
        pass
