"""All units from one event loop of this process.

Lanes take units from a lazy source, one each; what a finished unit asks for next (a judge call on its answer) goes to
lanes of its own kind, so that victims and judges stream side by side, each at its own limit. How many calls are really
in flight is the limiter's business; lanes only bound what is in hand.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence

from runner.ledger import Ledger
from runner.limits import Limiter, process_limiter
from runner.work import KINDS, Kind, Outcome, Unit, Work

Follow = Callable[[Outcome], Iterable[Unit]]


CLOSED = None


class Feed:
    """Units by kind: those of the source as they are asked for, those that follow from outcomes as they come.

    It is exhausted when the source is, nothing is waiting, and no unit is under way that others could follow from.
    """

    def __init__(self, source: Iterator[Unit], stop: asyncio.Event) -> None:
        self._source = source
        self._stop = stop
        self._waiting: dict[Kind, deque[Unit]] = {kind: deque() for kind in KINDS}
        self._under_way = 0
        self._dry = False
        self._changed = asyncio.Condition()

    async def next(self, kind: Kind) -> Unit | None:
        """The next unit of a kind, or None when there will be no more."""
        async with self._changed:
            while not self._stop.is_set():
                if self._waiting[kind]:
                    self._under_way += 1
                    return self._waiting[kind].popleft()
                if kind == "answer" and not self._dry:  # judges take none, or they would drain the source
                    unit = next(self._source, None)
                    if unit is None:
                        self._dry = True
                    elif unit.kind == kind:
                        self._under_way += 1
                        return unit
                    else:
                        self._waiting[unit.kind].append(unit)
                    self._changed.notify_all()
                elif self._dry and not self._under_way:
                    break
                else:
                    await self._changed.wait()
            self._changed.notify_all()
            return None

    async def finished(self, following: Iterable[Unit]) -> None:
        """Books the end of a unit, and what follows from it."""
        async with self._changed:
            self._under_way -= 1
            for unit in following:
                self._waiting[unit.kind].append(unit)
            self._changed.notify_all()


async def streaming(
    lanes: Sequence[Kind],
    do: Callable[[Unit], Awaitable[Outcome]],
    units: Iterator[Unit],
    stop: asyncio.Event,
    follow: Follow,
) -> AsyncGenerator[Outcome, None]:
    """Outcomes of units as they finish, one unit at a time in each lane; closing it early cancels the lanes."""
    results: asyncio.Queue[Outcome | BaseException | None] = asyncio.Queue()
    feed = Feed(units, stop)
    running = len(lanes)

    async def lane(kind: Kind) -> None:
        nonlocal running
        try:
            while (unit := await feed.next(kind)) is not None:
                await results.put(await do(unit))
        except BaseException as error:  # the consumer re-raises it; a lane must not die unheard
            await results.put(error)
            if isinstance(error, asyncio.CancelledError):
                raise
        finally:
            running -= 1
            if running == 0:
                await results.put(CLOSED)

    tasks = [asyncio.create_task(lane(kind)) for kind in lanes]
    try:
        while (result := await results.get()) is not CLOSED:
            if isinstance(result, BaseException):
                raise result
            yield result
            await feed.finished(follow(result))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class LocalExecutor:
    """Runs a `Work` here. `window` units of each kind are in hand at once; null follows the model's limit."""

    def __init__(self, name: str, window: int | None) -> None:
        if window is not None and window < 1:
            raise ValueError("executor.window is a number of units, at least 1, or null")
        self.name = name
        self.window = window

    def limiter(self) -> Limiter:
        return process_limiter()

    def rejoin(self, work: Work, into: Ledger, say: Callable[[str], None]) -> None:
        """Nothing: what ran in a process that is gone has left all it finished in the ledger."""

    def notices(self) -> list[str]:
        return []

    async def outcomes(
        self, work: Work, units: Iterator[Unit], stop: asyncio.Event, follow: Follow
    ) -> AsyncIterator[Outcome]:
        """Yields the outcome of each unit as it finishes; takes no new unit once `stop` is set.

        `follow` names the units that an outcome asks for; it is called after the outcome was taken. Closing the
        iterator early cancels what is in flight.
        """
        await work.open()
        kinds = [kind for kind in KINDS for _ in range(self.window or work.window(kind))]
        streamed = streaming(kinds, work.do, units, stop, follow)
        try:
            async for outcome in streamed:
                yield outcome
        finally:
            await streamed.aclose()
            await work.close()
