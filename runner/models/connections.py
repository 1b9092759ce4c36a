"""Many connections to one endpoint, in pools of a few.

The HTTP library looks through all connections of a pool whenever a request begins or ends, and asks the system about
each idle one; with 64 of them that was a fifth of a run's time under a profiler. Each request goes to the least busy of
several pools, so that there are about eight to look through. How many are in flight is the limiter's business.
"""

from __future__ import annotations

import math

import httpx2

EACH = 8


class Spread(httpx2.AsyncBaseTransport):
    """A transport over several pools. `most` is how many requests are in flight at once at most.

    A pool takes as many as it is given, so that none ever waits for a connection while another pool is free.
    """

    def __init__(self, most: int, keepalive_s: float) -> None:
        trusted = httpx2.create_ssl_context()
        limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most, keepalive_expiry=keepalive_s)
        self._pools = [
            httpx2.AsyncHTTPTransport(verify=trusted, limits=limits) for _ in range(max(1, math.ceil(most / EACH)))
        ]
        self._busy = [0] * len(self._pools)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        number = min(range(len(self._pools)), key=self._busy.__getitem__)
        self._busy[number] += 1
        try:
            return await self._pools[number].handle_async_request(request)
        finally:
            self._busy[number] -= 1

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.aclose()
