"""One call carried through the limiter and its retries."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from runner.limits.failures import CallError, Retry, RetrySpec, decide
from runner.limits.gate import Outcome
from runner.limits.protocol import Claim, Limiter, Refused, Ticket

T = TypeVar("T")


class Deadline:
    """The working time that a case may use over all its calls. Waiting for limits is not working."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.used = 0.0

    def left(self) -> float | None:
        """Seconds left, at least 0; None when there is no bound."""
        return None if self.seconds is None else max(0.0, self.seconds - self.used)

    def charge(self, seconds: float) -> None:
        self.used += seconds


@dataclass(frozen=True)
class Bill:
    """What a reply used; `usd` is None when its price is not known."""

    tokens: int = 0
    usd: float | None = 0.0


@dataclass(frozen=True)
class Called(Generic[T]):
    """A call that succeeded: its value, every request it took, the time waited and the time of the last request."""

    value: T
    attempts: tuple[Mapping[str, Any], ...]
    waited_s: float
    seconds: float


def _no_bill(_: object) -> Bill:
    return Bill()


async def call_with_retry(
    limiter: Limiter,
    claim: Claim,
    send: Callable[[int], Awaitable[T]],
    retry: RetrySpec,
    *,
    bill: Callable[[T], Bill] = _no_bill,
    timeout_s: float | None = None,
    deadline: Deadline | None = None,
    clock: Callable[[], float] = time.monotonic,
    jitter: Callable[[], float] = random.random,
) -> Called[T]:
    """Makes one call through the limiter and repeats it while that can help.

    Args:
        limiter: decides when each request may start; back-off is served there too, so that all waiting is visible.
        claim: what the call asks for; its delay, attempt and id are filled in here.
        send: makes one request, given the number of the attempt; raises `CallError` for every failure.
        retry: how often and how soon.
        bill: reads from a value what it used.
        timeout_s: bound on one request.
        deadline: bound on the working time of the case; a 429's time is waiting, not working.
        clock: seconds, monotonic.
        jitter: numbers in [0, 1).

    Raises:
        CallError: it failed for good, with its attempts; `ends_run` says whether the run can go on.
    """
    deadline = deadline if deadline is not None else Deadline(None)
    attempts: list[Mapping[str, Any]] = []
    waited, delay, doubtful = 0.0, 0.0, 0
    for number in itertools.count(1):
        asked = clock()
        ticket = await limiter.acquire(claim.tried(number, delay))
        started = clock()
        waited += started - asked
        if isinstance(ticket, Refused):
            raise CallError(ticket.kind, ticket.message, attempts=tuple(attempts), waited_s=waited)
        bounds = [b for b in (timeout_s, deadline.left()) if b is not None]
        answer = await _once(limiter, ticket, send, number, min(bounds, default=None), bill)
        seconds = clock() - started
        attempt: dict[str, Any] = {"kind": "ok", "seconds": round(seconds, 4), "waited": round(started - asked, 4)}
        attempts.append(attempt)
        if not isinstance(answer, _Failed):
            deadline.charge(seconds)
            return Called(answer, tuple(attempts), waited, seconds)
        error = answer.error
        attempt.update(kind=error.kind, status=error.status, doubtful=error.doubtful)
        error.attempts, error.waited_s = tuple(attempts), waited
        if error.kind != "rate_limit":
            deadline.charge(seconds)
        decision = decide(error, number, retry, doubtful, jitter())
        if not isinstance(decision, Retry) or deadline.left() == 0:
            raise error
        delay = decision.after
        doubtful += int(error.doubtful)
    raise AssertionError("the attempts of a call have no end of their own")


@dataclass(frozen=True)
class _Failed:
    """A failure as a value, so that a reply which is itself an exception stays a reply."""

    error: CallError


async def _once(
    limiter: Limiter,
    ticket: Ticket,
    send: Callable[[int], Awaitable[T]],
    number: int,
    bound: float | None,
    bill: Callable[[T], Bill],
) -> T | _Failed:
    """Makes one request and reports it exactly once, whatever becomes of it."""
    outcome = Outcome("cancelled", doubtful=True)
    try:
        try:
            async with asyncio.timeout(bound):
                value = await send(number)
        except TimeoutError:
            raise CallError("timeout", f"no complete reply within {bound:g} s" if bound else "timed out") from None
        used = bill(value)
        outcome = Outcome("ok", tokens=used.tokens, usd=used.usd)
        return value
    except CallError as error:
        outcome = Outcome(
            error.kind, error.retry_after, error.tokens, error.usd, doubtful=error.doubtful, message=error.message
        )
        return _Failed(error)
    finally:
        await limiter.report(ticket, outcome)
