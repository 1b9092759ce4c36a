"""No tracker: the numbers are in the run directory and on the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from runner.findings import Findings


class NoTracker:
    def __init__(self, name: str) -> None:
        self.name = name

    def start(self, run: Mapping[str, Any], replayed: int) -> None:
        pass

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        pass

    def finish(
        self, summary: Mapping[str, Any], exit_code: int, found: Callable[[], Findings] | None = None
    ) -> str | None:
        return None
