"""An asyncio event loop whose clock jumps to the next timer, so that hours of waiting pass in no time, and alike.

Only for code that waits on timers and futures of its own loop; real sockets and threads would be waited for in vain.

    def test_backs_off() -> None:
        async def scene() -> float:
            await asyncio.sleep(3600)
            return asyncio.get_running_loop().time()

        assert run(scene()) == 3600
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stuck(RuntimeError):
    """Everything waits and no timer is set: in real time this would hang for ever."""


class _Jump(selectors.SelectSelector):
    """A selector that never sleeps: it moves the clock by the time it was asked to."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise Stuck("all tasks wait and no timer is set")
        if timeout > 0:
            self.now += timeout
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time, starting at 0 s."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self) -> float:
        return self._jump.now


def run(main: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end in virtual time.

    Raises:
        Stuck: the coroutine waits for something that never comes.
    """
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)


def now() -> float:
    """The running loop's time, as a clock."""
    return asyncio.get_running_loop().time()
