"""The limiter: queues and a clock around the gates, and the accounts that pay.

One class serves a process and, as an actor behind `ActorLimiter`, a cluster.
"""

from __future__ import annotations

import asyncio
import functools
import heapq
import itertools
import math
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from runner.limits.failures import FailureKind, LimitSpecError
from runner.limits.gate import Gate, LimitSpec, Outcome, strictest
from runner.limits.protocol import NOTHING, Budget, Claim, Refused, Spent, Ticket, Waiting


@dataclass
class _Waiter:
    claim: Claim
    not_before: float
    granted: asyncio.Future[Ticket | Refused]


@dataclass
class _Held:
    claim: Claim
    at: float
    tokens: float
    usd: float


@dataclass
class _Account:
    budget: Budget = field(default_factory=Budget)
    spent: Spent = field(default_factory=Spent)
    reserved_tokens: float = 0.0
    reserved_usd: float = 0.0
    refused: Refused | None = None
    blocked: deque[_Waiter] = field(default_factory=deque)

    def over(self, tokens: float, usd: float, reserved: bool) -> str:
        """Names the bound that a call of this size would break; empty when it fits.

        With `reserved`, what calls at work are expected to use counts as used.
        """
        held_tokens, held_usd = (self.reserved_tokens, self.reserved_usd) if reserved else (0.0, 0.0)
        bound, used = self.budget.tokens, self.spent.tokens
        if bound is not None and (used >= bound or used + held_tokens + tokens > bound):
            return f"budget.tokens={bound} is reached: {used} used, the next call is expected to take {tokens:.0f}"
        limit, cost = self.budget.usd, self.spent.usd
        # Sums of cents are not exact in binary; a bound is not broken by the last bit.
        if limit is not None and (cost >= limit or cost + held_usd + usd > limit * (1 + 1e-9)):
            return f"budget.usd={limit:g} is reached: {cost:.4f} spent, the next call is expected to cost {usd:.4f}"
        return ""


class _Endpoint:
    """A gate with its queue: claims in order of asking, claims in back-off by the end of it, and calls at work."""

    def __init__(self, spec: LimitSpec, label: str, jitter: Callable[[], float]) -> None:
        self.gate = Gate(spec, jitter)
        self.label = label
        self.specs: dict[str, LimitSpec] = {}
        self.fresh: deque[_Waiter] = deque()
        self.delayed: list[tuple[float, int, _Waiter]] = []
        self.held: dict[str, _Held] = {}
        self.dead: Refused | None = None
        self.mean_tokens = 0.0
        self.mean_usd = 0.0
        self.quiet_since: float | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.timer_at = math.inf
        self.timer_loop: asyncio.AbstractEventLoop | None = None

    def queued(self) -> int:
        return len(self.fresh) + len(self.delayed)

    def everyone(self) -> list[_Waiter]:
        return [*self.fresh, *(d[2] for d in self.delayed)]

    def head(self, now: float) -> _Waiter | None:
        """Whose turn it is: a claim back from its back-off before those that have not been tried."""
        if self.delayed and self.delayed[0][0] <= now:
            return self.delayed[0][2]
        return self.fresh[0] if self.fresh else None

    def pop(self, now: float) -> None:
        if self.delayed and self.delayed[0][0] <= now:
            heapq.heappop(self.delayed)
        else:
            self.fresh.popleft()

    def next_event(self, now: float) -> float:
        """When the queue is to be looked at again if nothing is reported before."""
        if self.head(now) is None:
            return self.delayed[0][0] if self.delayed else math.inf
        if self.gate.full() and self.held:
            return next(iter(self.held.values())).at + self.gate.spec.lease_s
        return self.gate.opens_at()

    def expected(self, claim: Claim) -> tuple[float, float]:
        """Tokens and USD that a call is expected to use."""
        return float(claim.tokens) or self.mean_tokens, claim.usd or self.mean_usd

    def snapshot(self, now: float) -> Waiting:
        backing_off = sum(1 for d in self.delayed if d[0] > now)
        count = self.queued() if self.gate.throttled(now) else backing_off
        return Waiting(
            label=self.label,
            count=count,
            seconds=max(0.0, now - self.quiet_since) if self.quiet_since is not None else 0.0,
            in_flight=self.gate.in_flight,
            limit=int(self.gate.limit),
            pace=self.gate.pace,
            queued=self.queued(),
        )


class InProcessLimiter:
    """The limiter of one process, or, as a Ray actor, of a cluster.

    Calls start in the order in which they asked; one that comes back from its back-off goes first. It belongs to the
    event loop that is running, one at a time: a later loop (the next point of a sweep) finds what the earlier learned.
    As an actor it needs a `max_concurrency` above the number of calls that may wait at once.

    Args:
        clock: seconds, monotonic.
        jitter: numbers in [0, 1).
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, jitter: Callable[[], float] | None = None) -> None:
        self._clock = clock
        self._jitter = jitter if jitter is not None else random.Random().random
        self._endpoints: dict[str, _Endpoint] = {}
        self._accounts: dict[str, _Account] = {}
        self._order = itertools.count()

    async def open(self, endpoint: str, spec: LimitSpec, label: str = "", holder: str = "") -> None:
        known = self._endpoints.get(endpoint)
        if known is None:
            known = self._endpoints[endpoint] = _Endpoint(spec, label or endpoint, self._jitter)
        known.dead = None
        known.label = label or known.label
        known.specs[holder] = spec
        known.gate.adopt(strictest(known.specs.values()))
        self._pump(endpoint)

    async def fund(self, account: str, budget: Budget, spent: Spent = NOTHING) -> None:
        known = self._accounts.get(account)
        if known is None:
            known = self._accounts[account] = _Account(spent=spent)
        known.budget = budget
        known.refused = None
        self._unblock(known)

    async def acquire(self, claim: Claim) -> Ticket | Refused:
        endpoint = self._endpoints.get(claim.endpoint)
        if endpoint is None:
            raise LimitSpecError(f"no limits are known for endpoint {claim.endpoint!r}: open it before the first call")
        if not claim.id:
            claim = claim.tried(claim.attempt, claim.delay)
        now = self._clock()
        idle = not endpoint.queued() and not endpoint.held
        if endpoint.quiet_since is None or (idle and claim.attempt == 1):
            endpoint.quiet_since = now
        waiter = _Waiter(claim, now + claim.delay, asyncio.get_running_loop().create_future())
        if claim.delay > 0:
            heapq.heappush(endpoint.delayed, (waiter.not_before, next(self._order), waiter))
        else:
            endpoint.fresh.append(waiter)
        self._pump(claim.endpoint)
        if waiter.granted.done():
            return waiter.granted.result()
        try:
            return await waiter.granted
        except asyncio.CancelledError:
            await self.abandon(claim.id)
            raise

    async def report(self, ticket: Ticket, outcome: Outcome) -> None:
        endpoint = self._endpoints[ticket.endpoint]
        account = self._accounts.get(ticket.account)
        held = endpoint.held.pop(ticket.id, None)
        now = self._clock()
        if held is not None:
            # Otherwise its lease has run out: the slot is gone, but what was used was used.
            endpoint.gate.settle(now, held.at, outcome, held.tokens)
            self._unreserve(held)
        if account is not None:
            account.spent = _book(account.spent, outcome)
            self._unblock(account)
        if outcome.kind == "ok":
            endpoint.quiet_since = now if endpoint.queued() else None
            endpoint.mean_tokens = _mean(endpoint.mean_tokens, float(outcome.tokens))
            endpoint.mean_usd = _mean(endpoint.mean_usd, outcome.usd or 0.0)
        elif outcome.kind in {"unauthorized", "not_found", "quota"}:
            endpoint.dead = Refused(outcome.kind, outcome.message or endpoint.label)
        if endpoint.fresh or endpoint.delayed:
            self._pump(ticket.endpoint)

    async def abandon(self, claim_id: str) -> None:
        self._drop(lambda waiter: waiter.claim.id == claim_id)
        for endpoint in self._endpoints.values():
            held = endpoint.held.pop(claim_id, None)
            if held is not None:
                self._free(held)

    async def halt(self, account: str, kind: FailureKind, message: str) -> None:
        known = self._accounts.setdefault(account, _Account())
        known.refused = Refused(kind, message)
        self._drop(lambda waiter: waiter.claim.account == account, known.refused)

    async def close(self, holder: str) -> None:
        self._drop(lambda waiter: waiter.claim.holder == holder, Refused("stopped", "its run or worker has ended"))
        for endpoint in self._endpoints.values():
            for held in [h for h in endpoint.held.values() if h.claim.holder == holder]:
                del endpoint.held[held.claim.id]
                self._free(held)
            # The gate keeps what it has learned for whoever opens the endpoint next.
            if endpoint.specs.pop(holder, None) is not None and endpoint.specs:
                endpoint.gate.adopt(strictest(endpoint.specs.values()))

    async def spent(self, account: str) -> Spent:
        known = self._accounts.get(account)
        return known.spent if known is not None else Spent()

    async def waiting(self) -> tuple[Waiting, ...]:
        now = self._clock()
        return tuple(endpoint.snapshot(now) for endpoint in self._endpoints.values())

    def _pump(self, name: str) -> None:
        """Starts every call that may start now and sets the timer for the next one."""
        endpoint = self._endpoints[name]
        now = self._clock()
        self._reclaim(endpoint, now)
        while (waiter := endpoint.head(now)) is not None:
            claim = waiter.claim
            refused = None if waiter.granted.done() else endpoint.dead or self._refusal(claim)
            if waiter.granted.done() or refused is not None:
                endpoint.pop(now)
                if refused is not None:
                    waiter.granted.set_result(refused)
                continue
            if endpoint.gate.opens_at() > now:
                break
            endpoint.pop(now)
            held = _Held(claim, now, *endpoint.expected(claim))
            account = self._accounts.get(claim.account)
            if account is not None:
                if account.over(held.tokens, held.usd, reserved=True):
                    # Calls at work may turn out cheaper than expected: their reports decide.
                    account.blocked.append(waiter)
                    continue
                account.reserved_tokens += held.tokens
                account.reserved_usd += held.usd
            endpoint.held[claim.id] = held
            endpoint.gate.grant(now, held.tokens)
            waiter.granted.set_result(Ticket(claim.id, name, claim.account))
        self._set_timer(name, endpoint, now)

    def _refusal(self, claim: Claim) -> Refused | None:
        account = self._accounts.get(claim.account)
        if account is None or account.refused is not None:
            return account.refused if account is not None else None
        reached = account.over(*self._endpoints[claim.endpoint].expected(claim), reserved=False)
        return Refused("budget", f"{reached}; raise it and repeat the command to go on") if reached else None

    def _set_timer(self, name: str, endpoint: _Endpoint, now: float) -> None:
        loop = asyncio.get_running_loop()
        at = endpoint.next_event(now)
        if endpoint.timer is not None and endpoint.timer_loop is loop and endpoint.timer_at <= at:
            # A wake-up that comes too early sets the next one; that is cheaper than moving it at every call.
            return
        if endpoint.timer is not None:
            endpoint.timer.cancel()
            endpoint.timer = None
        if at < math.inf:
            endpoint.timer_at, endpoint.timer_loop = at, loop
            endpoint.timer = loop.call_later(max(0.0, at - now), self._wake, name)

    def _wake(self, name: str) -> None:
        self._endpoints[name].timer = None
        self._pump(name)

    def _reclaim(self, endpoint: _Endpoint, now: float) -> None:
        """Takes back slots of which nothing was heard for a whole lease; calls at work are in order of their start."""
        while endpoint.held:
            held = next(iter(endpoint.held.values()))
            if now - held.at < endpoint.gate.spec.lease_s:
                break
            del endpoint.held[held.claim.id]
            self._free(held)

    def _free(self, held: _Held) -> None:
        """Ends a call of which nothing will be heard."""
        endpoint = self._endpoints[held.claim.endpoint]
        endpoint.gate.settle(self._clock(), held.at, Outcome("cancelled"), held.tokens)
        self._unreserve(held)
        account = self._accounts.get(held.claim.account)
        if account is not None:
            self._unblock(account)
        if endpoint.queued():
            asyncio.get_running_loop().call_soon(self._pump, held.claim.endpoint)

    def _unreserve(self, held: _Held) -> None:
        account = self._accounts.get(held.claim.account)
        if account is not None:
            account.reserved_tokens = max(0.0, account.reserved_tokens - held.tokens)
            account.reserved_usd = max(0.0, account.reserved_usd - held.usd)

    def _unblock(self, account: _Account) -> None:
        """Lets claims that waited for the budget ask again, in their order and before newer ones."""
        if not account.blocked:
            return
        waiters, account.blocked = account.blocked, deque()
        for waiter in reversed(waiters):
            self._endpoints[waiter.claim.endpoint].fresh.appendleft(waiter)
        loop = asyncio.get_running_loop()
        for name in sorted({w.claim.endpoint for w in waiters}):
            loop.call_soon(self._pump, name)

    def _drop(self, which: Callable[[_Waiter], bool], answer: Refused | None = None) -> None:
        """Takes waiting claims out of every queue and gives them `answer`; without one they no longer listen."""
        gone: list[_Waiter] = []
        for account in self._accounts.values():
            gone += [w for w in account.blocked if which(w)]
            account.blocked = deque(w for w in account.blocked if not which(w))
        for endpoint in self._endpoints.values():
            gone += [w for w in endpoint.everyone() if which(w)]
            endpoint.fresh = deque(w for w in endpoint.fresh if not which(w))
            endpoint.delayed = [d for d in endpoint.delayed if not which(d[2])]
            heapq.heapify(endpoint.delayed)
        for waiter in gone:
            if not waiter.granted.done():
                if answer is None:
                    waiter.granted.cancel()
                else:
                    waiter.granted.set_result(answer)


def _mean(before: float, value: float) -> float:
    return value if before == 0 else 0.9 * before + 0.1 * value


def _book(spent: Spent, outcome: Outcome) -> Spent:
    if outcome.kind == "cancelled" and not (outcome.doubtful or outcome.tokens or outcome.usd):
        return spent
    return Spent(
        requests=spent.requests + 1,
        tokens=spent.tokens + outcome.tokens,
        usd=spent.usd + (outcome.usd or 0.0),
        doubtful=spent.doubtful + int(outcome.doubtful and not outcome.tokens),
        unpriced=spent.unpriced + int(outcome.usd is None),
    )


_limiter = functools.cache(InProcessLimiter)


def process_limiter() -> InProcessLimiter:
    """The one limiter that all runs of this process share, so that the points of a sweep add up to one client."""
    return _limiter()


class ActorLimiter:
    """A limiter that lives in an actor: the same protocol over a handle whose methods have `.remote(...)`.

    The handle is that of an async actor made of `InProcessLimiter`. A claim whose caller is cancelled is withdrawn
    there; reports are sent without waiting for them.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    async def open(self, endpoint: str, spec: LimitSpec, label: str = "", holder: str = "") -> None:
        await self._handle.open.remote(endpoint, spec, label, holder)

    async def fund(self, account: str, budget: Budget, spent: Spent = NOTHING) -> None:
        await self._handle.fund.remote(account, budget, spent)

    async def acquire(self, claim: Claim) -> Ticket | Refused:
        if not claim.id:
            claim = claim.tried(claim.attempt, claim.delay)
        try:
            answer: Ticket | Refused = await self._handle.acquire.remote(claim)
        except asyncio.CancelledError:
            self._handle.abandon.remote(claim.id)
            raise
        return answer

    async def report(self, ticket: Ticket, outcome: Outcome) -> None:
        self._handle.report.remote(ticket, outcome)

    async def abandon(self, claim_id: str) -> None:
        await self._handle.abandon.remote(claim_id)

    async def halt(self, account: str, kind: FailureKind, message: str) -> None:
        await self._handle.halt.remote(account, kind, message)

    async def close(self, holder: str) -> None:
        await self._handle.close.remote(holder)

    async def spent(self, account: str) -> Spent:
        spent: Spent = await self._handle.spent.remote(account)
        return spent

    async def waiting(self) -> tuple[Waiting, ...]:
        snapshot: tuple[Waiting, ...] = await self._handle.waiting.remote()
        return snapshot
