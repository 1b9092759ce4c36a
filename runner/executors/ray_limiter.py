"""The cluster's one limiter: the actor that holds it, and how workers and drivers reach it.

Ten nodes must not become ten rate limits, nor the jobs of a sweep several, so all calls of a cluster ask one actor. Its
rules are those of `runner.limits`; here is only what a cluster adds: asks and reports of one worker travel together,
the actor ends when nobody asks any more, and one that was restarted is told again what it has to know.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from runner.limits import (
    ActorLimiter,
    Budget,
    Claim,
    InProcessLimiter,
    LimitSpec,
    LimitSpecError,
    Outcome,
    Refused,
    Spent,
    Ticket,
    Waiting,
)
from runner.limits.protocol import NOTHING

BEAT_S = 10.0
SILENT_S = 60.0
"""A holder that says nothing for so long is gone, and its slots are free. Drivers that see one die say so at once."""

PATIENCE_S = 30.0
"""How long a limiter that was lost is waited for; Ray restarts it in a second or two."""

Report = tuple[Ticket, Outcome]
Granted = tuple[str, Ticket | Refused | str]
"""A claim's id and its answer; a text says that the limiter does not know the endpoint."""


class LimiterActor(InProcessLimiter):
    """The limiter as an actor. Answers to claims that must wait are fetched by their holder, many at a time."""

    def __init__(self, linger_s: float) -> None:
        super().__init__()
        self._linger_s = linger_s
        self._heard = time.monotonic()
        self._minding: asyncio.Task[None] | None = None
        self._ready: dict[str, list[Granted]] = {}
        self._news: dict[str, asyncio.Event] = {}
        self._asking: set[asyncio.Task[None]] = set()
        self._holders: dict[str, float] = {}
        self._sweeping: asyncio.Task[None] | None = None

    async def serve(self, holder: str, claims: Sequence[Claim], reports: Sequence[Report]) -> list[Granted]:
        """Books reports, takes claims, and gives what is decided for this holder by now."""
        self._touch(holder)
        for ticket, outcome in reports:
            if ticket.endpoint in self._endpoints:  # else it was given out by a limiter that is gone
                await self.report(ticket, outcome)
        for claim in claims:
            task = asyncio.create_task(self._ask(holder, claim))
            self._asking.add(task)
            task.add_done_callback(self._asking.discard)
        await asyncio.sleep(0)
        return self._ready.pop(holder, [])

    async def granted(self, holder: str, wait_s: float) -> list[Granted]:
        """Waits for answers to claims of this holder; none after `wait_s` seconds."""
        self._touch(holder)
        news = self._news.setdefault(holder, asyncio.Event())
        if not self._ready.get(holder):
            news.clear()
            try:
                async with asyncio.timeout(wait_s):
                    await news.wait()
            except TimeoutError:
                return []
        return self._ready.pop(holder, [])

    async def _ask(self, holder: str, claim: Claim) -> None:
        try:
            answer: Ticket | Refused | str = await self.acquire(claim)
        except LimitSpecError as error:
            answer = str(error)
        self._ready.setdefault(holder, []).append((claim.id, answer))
        if holder in self._news:
            self._news[holder].set()

    async def snapshot(self, accounts: Sequence[str]) -> tuple[tuple[Waiting, ...], dict[str, Spent | None]]:
        """What waits, and what the accounts have used; None for one that is not known here."""
        self._touch()
        known = {a: self._accounts[a].spent if a in self._accounts else None for a in accounts}
        return await self.waiting(), known

    async def close(self, holder: str) -> None:
        self._holders.pop(holder, None)
        self._ready.pop(holder, None)
        self._news.pop(holder, None)
        await super().close(holder)

    def _touch(self, holder: str = "") -> None:
        self._heard = time.monotonic()
        if holder:
            self._holders[holder] = self._heard
        if self._minding is None:
            self._minding = asyncio.create_task(self._mind())
            self._sweeping = asyncio.create_task(self._sweep())

    async def _sweep(self) -> None:
        """Takes back what holders have that died unseen."""
        while True:
            await asyncio.sleep(BEAT_S)
            for holder in [h for h, at in self._holders.items() if time.monotonic() - at > SILENT_S]:
                await self.close(holder)

    async def quiet_s(self) -> float:
        """Seconds since anybody asked; holders say every few seconds that they live."""
        return time.monotonic() - self._heard

    async def _mind(self) -> None:
        quiet = time.monotonic() - self._heard
        if quiet > self._linger_s:
            import ray

            ray.get_runtime_context().current_actor.__ray_terminate__.remote()
        else:
            await asyncio.sleep(self._linger_s - quiet + 0.1)
            self._minding = asyncio.create_task(self._mind())


@dataclass
class _Waiter:
    claim: Claim
    answer: asyncio.Future[Ticket | Refused]


class ClusterLimiter(ActorLimiter):
    """The limiter as one worker or driver sees it. Belongs to one event loop at a time."""

    def __init__(self, handle: Any, holder: str) -> None:
        super().__init__(handle)
        self._holder = holder
        self._opened: dict[str, tuple[LimitSpec, str]] = {}
        self._funded: dict[str, tuple[Budget, Spent]] = {}
        self._reports: list[Report] = []
        self._waiters: dict[str, _Waiter] = {}
        self._unsent: set[str] = set()
        self._sender: asyncio.Task[None] | None = None
        self._fetcher: asyncio.Task[None] | None = None
        self._beater: asyncio.Task[None] | None = None

    async def open(self, endpoint: str, spec: LimitSpec, label: str = "", holder: str = "") -> None:
        self._opened[endpoint] = spec, label
        if self._beater is None:
            self._beater = asyncio.create_task(self._beat())
        await self._handle.open.remote(endpoint, spec, label, self._holder)

    async def fund(self, account: str, budget: Budget, spent: Spent = NOTHING) -> None:
        self._funded[account] = budget, spent
        await self._handle.fund.remote(account, budget, spent)

    async def acquire(self, claim: Claim) -> Ticket | Refused:
        if not claim.id:
            claim = claim.tried(claim.attempt, claim.delay)
        waiter = _Waiter(replace(claim, holder=self._holder), asyncio.get_running_loop().create_future())
        self._queue(waiter)
        self._wake()
        try:
            return await waiter.answer
        except asyncio.CancelledError:
            if waiter.claim.id not in self._unsent:
                self._handle.abandon.remote(waiter.claim.id)
            raise
        finally:
            self._unsent.discard(waiter.claim.id)
            del self._waiters[waiter.claim.id]

    def _queue(self, waiter: _Waiter) -> None:
        self._waiters[waiter.claim.id] = waiter
        self._unsent.add(waiter.claim.id)

    async def report(self, ticket: Ticket, outcome: Outcome) -> None:
        self._reports.append((ticket, outcome))
        self._wake()

    async def waiting(self) -> tuple[Waiting, ...]:
        """What waits, cluster-wide; a limiter that was restarted gets its accounts back here."""
        from ray.exceptions import RayError

        try:
            snapshot, spent = await self._handle.snapshot.remote(tuple(self._funded))
            for account, used in spent.items():
                budget, before = self._funded[account]
                if used is None:
                    await self.fund(account, budget, before)
                else:
                    self._funded[account] = budget, used
        except RayError:
            return ()
        found: tuple[Waiting, ...] = snapshot
        return found

    def _wake(self) -> None:
        if self._sender is None or self._sender.done():
            self._sender = asyncio.create_task(self._send())
        if self._waiters and (self._fetcher is None or self._fetcher.done()):
            self._fetcher = asyncio.create_task(self._fetch())

    async def leave(self) -> None:
        """Gives everything back: this holder asks no more."""
        if self._beater is not None:
            self._beater.cancel()
            self._beater = None
        await self._handle.close.remote(self._holder)

    async def _beat(self) -> None:
        """Says that this holder lives, also while its calls are out and it asks for nothing."""
        while True:
            await asyncio.sleep(BEAT_S)
            await self._asked(lambda: self._handle.serve.remote(self._holder, (), ()))

    async def _send(self) -> None:
        """Sends what has gathered, until nothing has."""
        await asyncio.sleep(0)
        while self._unsent or self._reports:
            claims = [w.claim for id, w in self._waiters.items() if id in self._unsent]  # in the order of asking
            reports, self._reports = self._reports, []
            self._unsent.clear()
            await self._asked(lambda c=claims, r=reports: self._handle.serve.remote(self._holder, c, r))

    async def _fetch(self) -> None:
        while self._waiters:
            await self._asked(lambda: self._handle.granted.remote(self._holder, 5.0))

    async def _asked(self, ask: Any) -> None:
        """One exchange with the actor; its answers reach those who wait for them."""
        from ray.exceptions import RayError

        try:
            answers: list[Granted] = await ask()
        except RayError as error:
            await self._again(error)
            return
        for name, answer in answers:
            waiter = self._waiters.get(name)
            if waiter is None or waiter.answer.done():
                if isinstance(answer, Ticket):
                    self._handle.abandon.remote(name)
            elif isinstance(answer, str):
                await self._again(LimitSpecError(answer))
            else:
                waiter.answer.set_result(answer)

    async def _again(self, error: Exception) -> None:
        """Tells a limiter that lost its memory what it has to know, and repeats what waits."""
        from ray.exceptions import RayError

        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                for endpoint, (spec, label) in self._opened.items():
                    await self._handle.open.remote(endpoint, spec, label, self._holder)
                break
            except RayError:
                if time.monotonic() > until:
                    for waiter in self._waiters.values():
                        if not waiter.answer.done():
                            waiter.answer.set_result(Refused("stopped", f"the cluster's limiter is lost ({error})"))
                    return
                await asyncio.sleep(0.5)
        for waiter in [w for id, w in self._waiters.items() if id not in self._unsent and not w.answer.done()]:
            # Under a new name: a ticket that the old one still brings is given back.
            del self._waiters[waiter.claim.id]
            waiter.claim = replace(waiter.claim.tried(waiter.claim.attempt, waiter.claim.delay), holder=self._holder)
            self._queue(waiter)
        self._wake()
