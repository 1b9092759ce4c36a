"""How much memory this process and all that it started use together, at most.

Workers share pages with each other, so their sizes must not simply be added: the proportional set size of the kernel
counts a shared page once over all. Where the system does not tell it (only Linux does), the largest single process is
all that can be said, and is said as such.
"""

from __future__ import annotations

import os
import resource
import sys
import threading
from pathlib import Path
from types import TracebackType

INTERVAL_SECONDS = 0.5


def together(root: int | None = None, proc: Path = Path("/proc")) -> int | None:
    """Bytes used by a process (this one) and its descendants; None where the system does not tell."""
    parents: dict[int, int] = {}
    try:
        for entry in proc.iterdir():
            if entry.name.isdigit():
                try:
                    # The name in parentheses may hold anything; the parent is the second field after it.
                    parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                except (OSError, IndexError, ValueError):
                    continue
    except OSError:
        return None
    family = {root or os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    sizes = [size for size in (_proportional(proc / str(pid)) for pid in family) if size is not None]
    return sum(sizes) if sizes else None


def _proportional(process: Path) -> int | None:
    try:
        for line in (process / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


class PeakMemory:
    """Watches the memory of this process and its descendants while it is entered."""

    def __init__(self) -> None:
        self._peak: int | None = None
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._look()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(INTERVAL_SECONDS):
            self._look()

    def _look(self) -> None:
        now = together()
        if now is not None:
            self._peak = max(self._peak or 0, now)

    def __str__(self) -> str:
        if self._peak is not None:
            return f"{self._peak / 1e6:.0f} MB peak over all processes"
        unit = 1 if sys.platform == "darwin" else 1024
        largest = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return f"{largest * unit / 1e6:.0f} MB peak in the largest process"
