"""All units from one event loop of this process.

Lanes take units from a lazy source, one each; what a finished unit asks for next (a judge call on its answer) goes to
lanes of its own, so that victims and judges stream side by side, each at its own limit. How many calls are really in
flight is the limiter's business; lanes only bound what is in hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

from runner.work import Outcome, Unit, Work

CLOSED = None


class LocalExecutor:
    """Runs a `Work` here. `window` units of each kind are in hand at once; null follows the model's limit."""

    def __init__(self, name: str, window: int | None) -> None:
        if window is not None and window < 1:
            raise ValueError("executor.window is a number of units, at least 1, or null")
        self.name = name
        self.window = window

    async def outcomes(self, work: Work, units: Iterator[Unit], stop: asyncio.Event) -> AsyncIterator[Outcome]:
        """Yields the outcome of each unit as it finishes; takes no new unit once `stop` is set.

        Closing the iterator early cancels what is in flight.
        """
        await work.open()
        results: asyncio.Queue[Outcome | BaseException | None] = asyncio.Queue()
        window = self.window or work.window
        running = 0

        async def lane() -> None:
            nonlocal running
            try:
                while not stop.is_set():
                    unit = next(units, None)
                    if unit is None:
                        break
                    await results.put(await work.do(unit))
            except BaseException as error:  # the consumer re-raises it; a lane must not die unheard
                await results.put(error)
                if isinstance(error, asyncio.CancelledError):
                    raise
            finally:
                running -= 1
                if running == 0:
                    await results.put(CLOSED)

        running = window
        lanes = [asyncio.create_task(lane()) for _ in range(window)]
        try:
            while (result := await results.get()) is not CLOSED:
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            for task in lanes:
                task.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)
            await work.close()
