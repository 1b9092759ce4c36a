"""What is decided about a case before anything is drawn.

Each domain has a module with two functions: `plan(count, seed)`, which is cheap and decides ids, intents, apps, goals,
parameters, styles and wordings for the whole domain at once (so that quotas hold and a smaller suite is a prefix of a
larger one), and `build(spec, store)`, which is expensive, pure, and makes one case; builds run in any order, in
any number of processes, and a run builds only the cases it selected.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from benchmark.case import Case, Domain, Intent
from benchmark.images import ImageStore

T = TypeVar("T")


def dealt(deck: str, number: int, cards: Sequence[T]) -> T:
    """Card `number` of an endless deal: every round shuffles the whole deck anew, so that shares stay even.

    `deck` seeds the shuffles; equal names deal alike.
    """
    turn, place = divmod(number, len(cards))
    order = list(range(len(cards)))
    random.Random(f"{deck}/{turn}").shuffle(order)
    return cards[order[place]]


@dataclass(frozen=True)
class Spec:
    """The plan of one case. `choices` holds what its domain decided, as plain strings (app, goal, style, ...)."""

    id: str
    domain: Domain
    index: int
    seed: int
    intent: Intent
    cluster: str
    choices: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, str] = field(default_factory=dict)

    def random(self, purpose: str) -> random.Random:
        """A generator of its own for each purpose, so that adding one draw does not move the others."""
        return random.Random(f"{self.seed}/{self.id}/{purpose}")


class DomainBuilder(Protocol):
    """What a domain module offers to the suite builder."""

    def plan(self, count: int, seed: int) -> tuple[Spec, ...]:
        """The first `count` specs of the domain; `plan(n, s)[:k] == plan(k, s)`."""
        ...

    def build(self, spec: Spec, store: ImageStore) -> Case:
        """Draws and stores the images of one case and returns it."""
        ...
