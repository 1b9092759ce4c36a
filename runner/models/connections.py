"""Many connections to one endpoint, each in a pool of its own.

The HTTP library looks through all connections of a pool whenever a request begins or ends, and asks the system about
each idle one; with 64 of them in one pool that was a fifth of a run's time under a profiler. Each request goes to the
first pool that is idle, so that there is one connection to look at. How many are in flight is the limiter's business.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import httpx2


class _Counted(httpx2.AsyncByteStream):
    """The body of a response, which says when it is closed: until then its connection is taken."""

    def __init__(self, body: httpx2.AsyncByteStream, closed: Callable[[], None]) -> None:
        self._body = body
        self._closed = closed

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._body.__aiter__()

    async def aclose(self) -> None:
        try:
            await self._body.aclose()
        finally:
            self._closed()


class Spread(httpx2.AsyncBaseTransport):
    """A transport over as many pools as requests may be in flight at once (`most`).

    A pool takes as many requests as it is given, so that none ever waits for a connection.
    """

    def __init__(self, most: int, keepalive_s: float) -> None:
        trusted = httpx2.create_ssl_context()
        limits = httpx2.Limits(max_connections=most, max_keepalive_connections=most, keepalive_expiry=keepalive_s)
        self._pools = [httpx2.AsyncHTTPTransport(verify=trusted, limits=limits) for _ in range(most)]
        self._busy = [0] * most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        number = self._busy.index(min(self._busy))
        self._busy[number] += 1
        left = [number]

        def free() -> None:
            if left:
                self._busy[left.pop()] -= 1

        try:
            response = await self._pools[number].handle_async_request(request)
        except BaseException:
            free()
            raise
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Counted(response.stream, free)
        return response

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.aclose()
