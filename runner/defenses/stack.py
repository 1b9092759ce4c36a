"""Several defenses one behind the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from runner.exchange import Defense

if TYPE_CHECKING:
    from PIL import Image

    from benchmark.case import Case
    from benchmark.episode import Environment, Gate, Wish


class Stack:
    """All of its members: each dresses the screen in turn, and the first gate that refuses has refused."""

    def __init__(self, name: str, members: Sequence[Defense]) -> None:
        if not members:
            raise ValueError("defense=stack has no members; add +defense@defense.members.first=permission_gate")
        self.name = name
        self.members = tuple(members)

    @property
    def needs_app(self) -> bool:
        return any(member.needs_app for member in self.members)

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "members": [dict(member.identity()) for member in self.members]}

    def told(self, domain: str) -> str:
        return "\n".join(text for text in (member.told(domain) for member in self.members) if text)

    def gate(self, case: Case, repeat: int = 0) -> Gate | None:
        gates = [gate for gate in (member.gate(case, repeat) for member in self.members) if gate is not None]

        def first(wish: Wish) -> str | None:
            return next((why for why in (gate(wish) for gate in gates) if why is not None), None)

        return first if gates else None

    async def dress(self, environment: Environment, image: Image.Image) -> tuple[Image.Image, str]:
        lines = []
        for member in self.members:
            image, line = await member.dress(environment, image)
            lines += [line] if line else []
        return image, "\n".join(lines)

    def check(self) -> None:
        for member in self.members:
            member.check()

    def close(self) -> None:
        with ExitStack() as closing:
            for member in self.members:
                closing.callback(member.close)
