"""Several judges and one vote; each member's opinion is kept beside it.

A member that has to ask a model is asked; one that rules at once (`rules`, or any on an answer that says nothing) casts
that as its ballot. A member with several ballots of its own first agrees with itself. How a vote is counted, ties
included, is said in `runner.judges.voting`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchmark.case import Case
from benchmark.scoring import Score, score
from runner.exchange import Judge, Ruling, Subject
from runner.judges.reading import MODES
from runner.judges.rubric import RubricJudge
from runner.judges.rules import by_evidence
from runner.judges.voting import Ballot, member, ruling


class Panel:
    """A vote of its members, which are named in the configuration.

    Args:
        name: of the panel, in verdict files.
        members: judges by the name under which their ballots are kept; at least two.
    """

    def __init__(self, name: str, members: Mapping[str, Judge]) -> None:
        if len(members) < 2:
            raise ValueError("judge.members: a panel needs at least two judges")
        if any(isinstance(judge, Panel) for judge in members.values()):
            raise ValueError("judge.members: a panel cannot sit on a panel")
        self.name = name
        self.members = dict(sorted(members.items()))

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "members": {name: dict(judge.identity()) for name, judge in self.members.items()}}

    def families(self) -> frozenset[str]:
        return frozenset().union(*(judge.families() for judge in self.members.values()))

    def check(self) -> None:
        for judge in self.members.values():
            judge.check()

    async def open(self) -> None:
        for judge in self.members.values():
            await judge.open()

    async def close(self) -> None:
        for judge in self.members.values():
            await judge.close()

    def at_once(self, case: Case, subject: Subject) -> Ruling | None:
        if any(judge.at_once(case, subject) is None for judge in self.members.values()):
            return None
        # Whoever rules at once rules by the evidence, so there is nothing to vote on.
        return by_evidence(score(case, subject.observation, subject.answer))

    async def rule(self, case: Case, subject: Subject, key: str) -> Ruling:
        evidence = score(case, subject.observation, subject.answer)
        asked = (
            self._ballot(name, judge, case, subject, f"{key}:{name}", evidence) for name, judge in self.members.items()
        )
        ballots = await asyncio.gather(*asked)
        return ruling(case, subject.observation, subject.answer, subject.text, ballots, evidence)

    async def _ballot(self, name: str, judge: Judge, case: Case, subject: Subject, key: str, evidence: Score) -> Ballot:
        at_once = judge.at_once(case, subject)
        if at_once is not None or not isinstance(judge, RubricJudge):
            found = at_once if at_once is not None else await judge.rule(case, subject, key)
            assert found.score is None or found.failure_mode in MODES[found.score]
            return Ballot(judge=name, score=found.score, failure_mode=found.failure_mode, problem=found.problem)
        return replace(member(name, await judge.ballots(case, subject, key), evidence), judge=name)
