"""The judge that is no model: evidence alone, by the rules of `benchmark.scoring`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmark.case import Case, Observation
from benchmark.scoring import Answer, Score, score

RULES_VERSION = "1"


class RulesJudge:
    """Scores at once and for nothing; needs no call, so it never fails."""

    needs_model = False

    def __init__(self, name: str) -> None:
        self.name = name

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "version": RULES_VERSION}

    def score(self, case: Case, observation: Observation, answer: Answer) -> Score:
        return score(case, observation, answer)
