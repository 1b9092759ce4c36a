"""Connections are spread over pools: each is used again, and none is shared or waited for."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx2

from runner.models.connections import Spread


@asynccontextmanager
async def counting(seen: Counter[object], body: bytes = b"yes", late_s: float = 0.0) -> AsyncIterator[str]:
    """A server that counts requests by connection; the second half of its body comes `late_s` after the first."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readuntil(b"\r\n\r\n"):
            seen[writer.get_extra_info("peername")] += 1
            await asyncio.sleep(0.02)
            half = len(body) // 2
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body[:half])
            await writer.drain()
            await asyncio.sleep(late_s)
            writer.write(body[half:])

    async def until_gone(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(until_gone, "127.0.0.1", 0, family=socket.AF_INET)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()


def test_requests_one_after_the_other_use_one_connection_and_those_at_once_one_each() -> None:
    async def scene() -> tuple[Counter[object], Counter[object]]:
        first: Counter[object] = Counter()
        second: Counter[object] = Counter()
        async with counting(first) as url, httpx2.AsyncClient(transport=Spread(4, keepalive_s=2)) as client:
            for _ in range(5):
                await client.get(url)
        async with counting(second) as url, httpx2.AsyncClient(transport=Spread(4, keepalive_s=2)) as client:
            for _ in range(3):
                await asyncio.gather(*(client.get(url) for _ in range(4)))
        return first, second

    first, second = asyncio.run(scene())
    assert list(first.values()) == [5]
    assert list(second.values()) == [3, 3, 3, 3]


def test_a_connection_is_taken_until_the_body_is_there() -> None:
    async def scene() -> Counter[object]:
        seen: Counter[object] = Counter()
        async with (
            counting(seen, body=b"x" * 1000, late_s=0.2) as url,
            httpx2.AsyncClient(transport=Spread(2, keepalive_s=2)) as client,
        ):
            slow = asyncio.create_task(client.get(url))
            await asyncio.sleep(0.1)  # its headers are here by now, its body is not
            await asyncio.gather(slow, client.get(url))
            for _ in range(4):
                await asyncio.gather(client.get(url), client.get(url))
        return seen

    assert list(asyncio.run(scene()).values()) == [5, 5]
