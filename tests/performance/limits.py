"""What the limiter costs and what it gets out of a server that refuses, measured on real sockets.

    python -m tests.performance.limits            # all of it, about two minutes
    python -m tests.performance.limits overhead   # one part: bucket, scattered, overhead, lanes

Prints, against a loopback server in a process of its own:

- bucket: a token bucket of R requests a second with Retry-After and 2 % 500s: share of R that is served, requests
  lost and doubled;
- scattered: 5 % load-independent 429s: the least number in flight after the warm-up;
- overhead: CPU and wall time of 1,083 calls of 200 KB at 64 in flight and 200 ms, beside a bare loop of the same calls;
- lanes: 4,000 calls of 50 ms from 256 lanes, beside a bare loop.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import httpx2

from runner.limits import (
    CallError,
    Claim,
    InProcessLimiter,
    LimitSpec,
    RetrySpec,
    Waiting,
    call_with_retry,
    from_response,
)
from tests.servers.loopback import Fault, Plan, Remote, spawned


@dataclass(frozen=True)
class Measured:
    wall_s: float
    cpu_s: float
    served: int
    failed: int


def request(number: int, size: int) -> bytes:
    """A request body of about `size` bytes, no two alike."""
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": f"{number} " + "x" * size}]}).encode()


async def ask(http: httpx2.AsyncClient, url: str, body: bytes) -> None:
    """Makes one request; raises CallError unless it is answered with a reply."""
    try:
        answer = await http.post(f"{url}/chat/completions", content=body, headers={"Content-Type": "application/json"})
    except httpx2.TimeoutException:
        raise CallError("timeout", "no answer in time") from None
    except httpx2.TransportError as error:
        raise CallError("connection", type(error).__name__) from None
    if answer.status_code != 200:
        raise from_response(answer.status_code, answer.text[:200], headers=answer.headers)
    if not answer.json().get("choices"):
        raise CallError("empty", "no choices")


async def lanes(count: int, calls: int, make: Callable[[int], Awaitable[None]]) -> Measured:
    """Makes `calls` calls from `count` lanes over one queue."""
    numbers = iter(range(calls))
    served = failed = 0

    async def lane() -> None:
        nonlocal served, failed
        for number in numbers:
            try:
                await make(number)
                served += 1
            except CallError:
                failed += 1

    wall, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(lane() for _ in range(count)))
    return Measured(time.perf_counter() - wall, time.process_time() - cpu, served, failed)


async def client(most: int) -> httpx2.AsyncClient:
    limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most, keepalive_expiry=2)
    return httpx2.AsyncClient(timeout=30, trust_env=False, limits=limits)


async def bare(url: str, count: int, calls: int, size: int) -> Measured:
    async with await client(count) as http:
        return await lanes(count, calls, lambda number: ask(http, url, request(number, size)))


async def limited(
    url: str, count: int, calls: int, size: int, spec: LimitSpec, watch: Callable[[Waiting], None] | None = None
) -> Measured:
    limiter = InProcessLimiter()
    await limiter.open("loopback", spec, "loopback")

    async def watcher() -> None:
        while watch is not None:
            watch((await limiter.waiting())[0])
            await asyncio.sleep(0.05)

    async with await client(count) as http:

        async def make(number: int) -> None:
            await call_with_retry(
                limiter, Claim("loopback"), lambda _: ask(http, url, request(number, size)), RetrySpec(), timeout_s=60
            )

        watching = asyncio.create_task(watcher())
        result = await lanes(count, calls, make)
        watching.cancel()
        return result


def account_for(server: Remote, calls: int) -> str:
    """How many of the calls were lost or doubled, by the server's records."""
    stats = server.stats()
    good = {r.body_hash for r in server.records() if r.outcome == "ok"}
    return f"{calls - len(good)} lost, {stats['doubled']} doubled, {stats['outcomes']}"


def bucket(seconds: float = 20, rates: tuple[float, ...] = (20, 50, 150)) -> None:
    for rate in rates:
        for burst in (rate, rate / 2, rate / 10):
            plan = Plan(latency_s=0.2, rate=rate, burst=burst, faults=(Fault("server_error", share=0.02),))
            with spawned(plan) as server:
                calls = int(rate * seconds)
                got = asyncio.run(limited(server.url, 96, calls, 1000, LimitSpec()))
                print(
                    f"bucket     R={rate:g}/s burst={burst:g}: {got.served / got.wall_s / rate:4.0%} of R over "
                    f"{got.wall_s:.1f} s; {got.failed} failed, {account_for(server, calls)}",
                    flush=True,
                )


def scattered(calls: int = 3000) -> None:
    plan = Plan(latency_s=0.2, spread=0.2, faults=(Fault("rate_limit", share=0.05),))
    seen: list[tuple[int, int]] = []
    with spawned(plan) as server:
        got = asyncio.run(
            limited(server.url, 80, calls, 1000, LimitSpec(), lambda w: seen.append((w.in_flight, w.limit)))
        )
        # After 1.5 s slow start is over; the last second and a half is the tail, in which too few calls are left.
        steady = seen[30:-30]
        print(
            f"scattered  5 % 429: in flight >= {min(s[0] for s in steady)}, limit >= {min(s[1] for s in steady)} after "
            f"the warm-up, {got.served / got.wall_s:.0f}/s; {got.failed} failed, {account_for(server, calls)}",
            flush=True,
        )


def alone(calls: int = 5000) -> float:
    """CPU of a call through the limiter beyond that of the call itself, in us, where a call is nothing but a wait."""

    async def measure(through: bool) -> float:
        limiter = InProcessLimiter()
        await limiter.open("nowhere", LimitSpec(start_in_flight=64))

        async def wait(_: int) -> None:
            await asyncio.sleep(0.02)

        async def make(number: int) -> None:
            if through:
                await call_with_retry(limiter, Claim("nowhere"), wait, RetrySpec(), timeout_s=60)
            else:
                await wait(number)

        return (await lanes(64, calls, make)).cpu_s

    return min(asyncio.run(measure(True)) - asyncio.run(measure(False)) for _ in range(5)) / calls * 1e6


def overhead(calls: int = 1083, size: int = 200_000, times: int = 6) -> None:
    pairs: list[tuple[Measured, Measured]] = []
    at_once = LimitSpec(start_in_flight=64)
    with spawned(Plan(latency_s=0.2)) as server:
        asyncio.run(bare(server.url, 64, 64, size))
        for turn in range(times):
            # In turns, so that neither side always runs after the other: what else the machine does weighs on both.
            if turn % 2:
                two = asyncio.run(limited(server.url, 64, calls, size, at_once))
                pairs.append((asyncio.run(bare(server.url, 64, calls, size)), two))
            else:
                one = asyncio.run(bare(server.url, 64, calls, size))
                pairs.append((one, asyncio.run(limited(server.url, 64, calls, size, at_once))))
        slow = asyncio.run(limited(server.url, 64, calls, size, LimitSpec()))
        most = server.stats()["max_in_flight"]
    ratios = [two.cpu_s / one.cpu_s for one, two in pairs]
    error = statistics.stdev(ratios) / len(ratios) ** 0.5
    least = min(one.cpu_s for one, _ in pairs) / calls * 1e6
    own = alone()
    print(
        f"overhead   {calls} calls of {size // 1000} KB, {most} in flight: CPU {statistics.mean(ratios):.3f} "
        f"+- {error:.3f} x bare, least {least:.0f} -> {min(two.cpu_s for _, two in pairs) / calls * 1e6:.0f} us a call; "
        f"the limiter alone {own:.0f} us ({own / least:.1%}); wall {min(one.wall_s for one, _ in pairs):.2f} -> "
        f"{min(two.wall_s for _, two in pairs):.2f} s, by slow start from 8 in flight {slow.wall_s:.2f} s",
        flush=True,
    )


def many_lanes(calls: int = 4000) -> None:
    with spawned(Plan(latency_s=0.05)) as server:
        one = asyncio.run(bare(server.url, 256, calls, 100))
        two = asyncio.run(limited(server.url, 256, calls, 100, LimitSpec(max_in_flight=256)))
    print(
        f"lanes      {calls} calls of 50 ms, 256 lanes: {calls / two.wall_s:.0f}/s, bare {calls / one.wall_s:.0f}/s "
        f"({one.wall_s / two.wall_s:.0%}); {two.failed} failed",
        flush=True,
    )


PARTS: dict[str, Callable[[], None]] = {
    "overhead": overhead,
    "lanes": many_lanes,
    "scattered": scattered,
    "bucket": bucket,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
