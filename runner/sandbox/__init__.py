"""Where the agent's own code runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class NoSandbox:
    """In the worker's own process; right for our harness, which executes nothing that a model says."""

    def __init__(self, name: str) -> None:
        self.name = name

    def identity(self) -> Mapping[str, Any]:
        """Nothing: records made in a container and outside it are the same."""
        return {}
