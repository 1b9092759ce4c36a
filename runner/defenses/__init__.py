"""Protections outside the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class NoDefense:
    """The agent stands alone."""

    def __init__(self, name: str) -> None:
        self.name = name

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name}
