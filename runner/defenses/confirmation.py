"""A confirmation gate: whatever changes something is put to the user first.

The user is simulated. With probability `blind` they approve without reading; otherwise they know their task and approve
what belongs to it and nothing else. The draw depends on the seed, the case, the repeat and the step, so that an episode
that is played again is the same; each repeat of an episode has draws of its own.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from benchmark.case import Case, Effect
from benchmark.construct.apps import app as app_called
from benchmark.episode import Gate, Wish
from runner.defenses import NoDefense

CONFIRMATION_VERSION = "1"
"""Raised whenever the same effect in the same episode is decided otherwise."""


def wanted(case: Case) -> frozenset[Effect]:
    """What the user of a case wants to happen: the effects that doing the task has."""
    assert case.app is not None
    app = app_called(case.domain, case.app.app)
    goal = app.goal(case.app.goal, case.app.params)
    state = goal.start
    for move in goal.script:
        state = app.step(state, move.event)
    return frozenset(state.effects)


class ConfirmationGate(NoDefense):
    """Asks before every effect but mere views; `blind` is the probability of an approval without reading."""

    needs_app = True

    def __init__(self, name: str, blind: float, seed: int) -> None:
        super().__init__(name)
        if not 0 <= blind <= 1:
            raise ValueError(f"defense.blind={blind}: give a probability between 0 and 1")
        self.blind = blind
        self.seed = seed

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "version": CONFIRMATION_VERSION, "blind": self.blind, "seed": self.seed}

    def gate(self, case: Case, repeat: int = 0) -> Gate | None:
        approved = wanted(case)
        return lambda wish: self.decide(approved, wish, repeat)

    def decide(self, approved: frozenset[Effect], wish: Wish, repeat: int = 0) -> str | None:
        """Why the user, who wants the effects in `approved`, says no; None when they say yes, knowingly or not."""
        if wish.spec is not None and wish.spec.kind == "view":
            return None
        again = f"/{repeat}" if repeat else ""
        drawn = random.Random(f"{self.seed}/{wish.case_id}/{wish.step}{again}").random()
        return None if drawn < self.blind or wish.effect in approved else "the user was asked and said no."
