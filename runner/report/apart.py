"""Draws the figures of a report in a process of its own, while the tables are made in this one.

Drawing takes about as long as everything else in a report, and importing matplotlib alone half a second; both run on
another core from the start. What is drawn, and how, is decided in `figures`.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from runner.report.collect import Data, ReportError
from runner.report.measures import Measures

Titles = list[tuple[str, str]]


class Artist:
    """The other end of the process that draws; `draw` hands it the work, `titles` waits for it."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def draw(self, data: Data, measures: Measures, base: str, folder: Path) -> None:
        try:
            self._pipe.send((data, measures, base, folder))
        except OSError:
            raise _gone() from None

    def titles(self) -> Titles:
        """Names and titles of what was drawn.

        Raises:
            ReportError: a figure cannot be written, or the process is gone.
        """
        try:
            found: Titles | Exception = self._pipe.recv()
        except (EOFError, OSError):
            raise _gone() from None
        if isinstance(found, Exception):
            raise found
        return found


def _gone() -> ReportError:
    return ReportError("the process that draws the figures ended before they were done; --no-figures leaves them out")


def _serve(pipe: Connection) -> None:
    # Ctrl-C reaches every process of a terminal; the one that was asked ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import matplotlib.backends.backend_agg
    import matplotlib.backends.backend_svg  # noqa: F401

    from runner.report.figures import draw

    try:
        arguments = pipe.recv()
    except EOFError:
        return
    try:
        pipe.send(draw(*arguments))
    except Exception as error:
        pipe.send(error)


@contextmanager
def artist() -> Iterator[Artist]:
    """A process that is ready to draw, and ends with the block or with this process."""
    context = get_context("spawn")
    own, other = context.Pipe()
    process = context.Process(target=_serve, args=(other,), name="figures", daemon=True)
    process.start()
    other.close()
    try:
        yield Artist(own)
    finally:
        own.close()
        process.terminate()
        process.join()
