"""The limiter as an actor of a real Ray: the same protocol, one set of limits for all who hold the handle."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator

import pytest

from runner.limits import (
    ActorLimiter,
    Bill,
    Budget,
    Called,
    CallError,
    Claim,
    InProcessLimiter,
    LimitSpec,
    Outcome,
    RetrySpec,
    Spent,
    Ticket,
    call_with_retry,
    waiting_line,
)

QUIET = {"RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS_SKIP_REGEX": ".*"}


@pytest.fixture(scope="module")
def limiter() -> Iterator[ActorLimiter]:
    os.environ.update(QUIET)
    import ray

    ray.init(num_cpus=1, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    try:
        actor = ray.remote(InProcessLimiter).options(num_cpus=0, max_concurrency=256, max_restarts=0)
        yield ActorLimiter(actor.remote())
    finally:
        ray.shutdown()


def test_holders_share_one_limit_and_retries_pass_through(limiter: ActorLimiter) -> None:
    in_flight, most, requests = 0, 0, 0

    async def send(attempt: int) -> str:
        nonlocal in_flight, most, requests
        requests += 1
        in_flight += 1
        most = max(most, in_flight)
        await asyncio.sleep(0.05)
        in_flight -= 1
        if attempt == 1 and requests % 5 == 0:
            raise CallError("server_error", "500", status=500)
        return "reply"

    async def scene() -> list[Called[str]]:
        await limiter.open("shared", LimitSpec(4, 4), "gpt-5")
        await limiter.fund("run", Budget(tokens=10_000))
        retry = RetrySpec(base_s=0.05)
        calls = [
            call_with_retry(limiter, Claim("shared", "run", f"worker {i % 2}"), send, retry, bill=lambda _: Bill(10))
            for i in range(24)
        ]
        return await asyncio.gather(*calls)

    called = asyncio.run(scene())
    assert [c.value for c in called] == ["reply"] * 24
    assert most <= 4
    spent = asyncio.run(settled(limiter, "run", 24 * 10))
    assert (spent.requests, spent.tokens) == (requests, 240)


async def settled(limiter: ActorLimiter, account: str, tokens: int) -> Spent:
    """Reports are not waited for; gives the account once they have arrived."""
    for _ in range(100):
        spent = await limiter.spent(account)
        if spent.tokens >= tokens:
            break
        await asyncio.sleep(0.02)
    return spent


def test_budget_and_bad_key_arrive_as_errors_that_end_the_run(limiter: ActorLimiter) -> None:
    async def bad_key(_: int) -> str:
        raise CallError("unauthorized", "HTTP 401", status=401)

    async def scene() -> list[CallError]:
        await limiter.open("closed", LimitSpec(1, 1), "gpt-5")
        await limiter.fund("poor", Budget(usd=0.5), Spent(usd=0.6))
        errors = []
        for claim in (Claim("closed", "poor"), Claim("closed"), Claim("closed")):
            with pytest.raises(CallError) as caught:
                await call_with_retry(limiter, claim, bad_key, RetrySpec())
            errors.append(caught.value)
        return errors

    errors = asyncio.run(scene())
    assert [(e.kind, e.ends_run, len(e.attempts)) for e in errors[:2]] == [
        ("budget", True, 0),
        ("unauthorized", True, 1),
    ]
    assert errors[2].kind == "unauthorized"


def test_cancelled_waiter_and_dead_worker_leave_no_slot_behind(limiter: ActorLimiter) -> None:
    async def scene() -> tuple[str, int, int]:
        await limiter.open("narrow", LimitSpec(1, 1), "narrow")
        held = await limiter.acquire(Claim("narrow", holder="dies"))
        assert isinstance(held, Ticket)
        waiting = asyncio.create_task(limiter.acquire(Claim("narrow", holder="impatient")))
        await asyncio.sleep(0.3)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        await limiter.close("dies")
        last = await asyncio.wait_for(limiter.acquire(Claim("narrow", holder="alive")), 10)
        assert isinstance(last, Ticket)
        await limiter.report(last, Outcome("ok"))
        await asyncio.sleep(0.3)
        state = next(w for w in await limiter.waiting() if w.label == "narrow")
        return waiting_line(await limiter.waiting()), state.in_flight, state.queued

    assert asyncio.run(scene()) == ("", 0, 0)
