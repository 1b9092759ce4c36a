"""Protections outside the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from PIL import Image

    from benchmark.case import Case
    from benchmark.episode import Environment, Gate


class NoDefense:
    """The agent stands alone."""

    needs_app = False

    def __init__(self, name: str) -> None:
        self.name = name

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name}

    def told(self, domain: str) -> str:
        return ""

    def gate(self, case: Case, repeat: int = 0) -> Gate | None:
        return None

    async def dress(self, environment: Environment, image: Image.Image) -> tuple[Image.Image, str]:
        return image, ""

    def check(self) -> None:
        return None

    def close(self) -> None:
        return None
