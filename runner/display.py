"""The terminal while a run goes on: one bar that always says what it waits for.

On a terminal the bar is live; elsewhere (a log file, CI) a line is printed when a tenth more is done, and at least
every half minute, so that nothing ever looks stuck. Results go to stdout, progress to stderr.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

QUIET_SECONDS, SHORT_SECONDS = 30.0, 2.0


class TerminalDisplay:
    """Shows building and running; use as a context manager."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        self.live = self.console.is_terminal
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(elapsed_when_finished=False),
            TextColumn("{task.fields[note]}", markup=False),
            console=self.console,
        )
        self._tasks: dict[str, TaskID] = {}
        self._said: dict[str, tuple[int, float]] = {}
        self._began: dict[str, float] = {}

    def __enter__(self) -> TerminalDisplay:
        if self.live:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live:
            self._progress.stop()

    def stage(self, name: str) -> Callable[[int, int], None]:
        """A bar of its own for a stage before or after the run; where nothing is live, a short stage says nothing."""
        return lambda done, total: self._show(name, done, total, "")

    def progress(self, done: int, total: int, note: str) -> None:
        self._show("running", done, total, note)

    def say(self, line: str) -> None:
        self.console.print(escape(line), highlight=False)

    def _show(self, name: str, done: int, total: int, note: str) -> None:
        if self.live:
            if name not in self._tasks:
                self._tasks[name] = self._progress.add_task(f"{name:<8}", total=total, note=note)
            self._progress.update(self._tasks[name], completed=done, total=total, note=note)
            return
        now = time.monotonic()
        began = self._began.setdefault(name, now)
        if name != "running" and now - began < SHORT_SECONDS:
            return
        last, when = self._said.get(name, (-1, 0.0))
        step = max(1, total // 10)
        if last < 0 or done // step > last // step or done == total > last or now - when >= QUIET_SECONDS:
            if last == done and now - when < QUIET_SECONDS:
                return
            self._said[name] = (done, now)
            self.console.print(f"{name} {done}/{total}  {note}".rstrip(), highlight=False, markup=False)
