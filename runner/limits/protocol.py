"""What passes between those who call and the limiter: plain data, and the protocol itself."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from runner.limits.failures import FailureKind
from runner.limits.gate import LimitSpec, Outcome


@dataclass(frozen=True)
class Budget:
    """What an account may spend; None for no bound."""

    usd: float | None = None
    tokens: int | None = None


@dataclass(frozen=True)
class Spent:
    """What an account has used.

    `requests` counts every request that was answered or cut, retries included; `doubtful` those the provider may have
    charged for without saying so, `unpriced` those charged at a price that is not known: while either is above 0,
    `usd` is a lower bound.
    """

    requests: int = 0
    tokens: int = 0
    usd: float = 0.0
    doubtful: int = 0
    unpriced: int = 0


NOTHING = Spent()


@dataclass(frozen=True)
class Claim:
    """The wish to make one call.

    Attributes:
        endpoint: id of the endpoint and key, see `endpoint_id`.
        account: whose budget pays; "" for none.
        holder: the process or worker that asks; its slots are freed by `close(holder)` when it dies.
        tokens: expected tokens of request and reply; 0 takes the mean of the endpoint's earlier calls.
        usd: expected cost; 0 likewise.
        delay: seconds of back-off to serve first.
        attempt: number of the attempt, from 1.
        id: unique name, for `abandon`.
    """

    endpoint: str
    account: str = ""
    holder: str = ""
    tokens: int = 0
    usd: float = 0.0
    delay: float = 0.0
    attempt: int = 1
    id: str = ""

    def tried(self, attempt: int, delay: float) -> Claim:
        """The same claim for its next attempt, under a name of its own."""
        return Claim(
            self.endpoint, self.account, self.holder, self.tokens, self.usd, delay, attempt, os.urandom(12).hex()
        )


@dataclass(frozen=True)
class Ticket:
    """The right to make one call now; it is given back by `report`."""

    id: str
    endpoint: str
    account: str = ""


@dataclass(frozen=True)
class Refused:
    """No call may be made, now or later: the budget is reached, the run is stopped, or the endpoint is of no use."""

    kind: FailureKind
    message: str


@dataclass(frozen=True)
class Waiting:
    """One endpoint as the progress line shows it.

    Attributes:
        label: the model's name.
        count: calls that are held back by a pause, a back-off or a rate, not merely by a full house.
        seconds: how long nothing has come back while calls were held.
        in_flight: calls at work.
        limit: how many may be, at present.
        pace: calls per second learned from refusals, or None.
        queued: all calls that have asked and not started.
    """

    label: str
    count: int
    seconds: float
    in_flight: int
    limit: int
    pace: float | None
    queued: int


def waiting_line(snapshot: Sequence[Waiting], after_s: float = 1.0) -> str:
    """`waiting on gpt-5: 12 for 8 s`, endpoints separated by `; `; empty when none has waited for `after_s`."""
    held = [w for w in snapshot if w.count and w.seconds >= after_s]
    return "; ".join(f"waiting on {w.label}: {w.count} for {w.seconds:.0f} s" for w in held)


def endpoint_id(base_url: str, model: str, key_name: str) -> str:
    """The name under which calls share their limits: where they go, to which model, and the *name* of their key."""
    return f"{base_url.rstrip('/')}|{model}|{key_name}"


class Limiter(Protocol):
    """Decides who may call now. All arguments and results are plain data and can cross processes."""

    async def open(self, endpoint: str, spec: LimitSpec, label: str = "", holder: str = "") -> None:
        """Announces an endpoint; holders that announce different limits share the strictest of them.

        An endpoint that was found to be of no use (bad key, unknown model) is given another chance.
        """
        ...

    async def fund(self, account: str, budget: Budget, spent: Spent = NOTHING) -> None:
        """Opens an account, `spent` being what earlier sessions of it have used; later calls only change the budget."""
        ...

    async def acquire(self, claim: Claim) -> Ticket | Refused:
        """Waits until the call may start."""
        ...

    async def report(self, ticket: Ticket, outcome: Outcome) -> None:
        """Gives the slot back, books what was used, and learns from how it went."""
        ...

    async def abandon(self, claim_id: str) -> None:
        """Withdraws a claim, whether it still waits or its ticket was never received."""
        ...

    async def halt(self, account: str, kind: FailureKind, message: str) -> None:
        """Refuses whatever the account still waits for, and all it will ask."""
        ...

    async def close(self, holder: str) -> None:
        """Forgets a holder: its limits, its waiting claims, the slots it has not given back."""
        ...

    async def spent(self, account: str) -> Spent: ...

    async def waiting(self) -> tuple[Waiting, ...]: ...
