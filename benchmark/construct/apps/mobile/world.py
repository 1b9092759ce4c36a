"""The invented people, shops and places that the mobile apps speak of; everything here is made up.

Phone numbers are of the reserved 555-01xx range and mail addresses end in reserved names.
"""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Person:
    """Someone in the address book."""

    key: str
    name: str
    phone: str
    email: str
    town: str

    @property
    def first(self) -> str:
        return self.name.split()[0]


_NAMES = (
    "Amara Okoye", "Bastian Rook", "Celia Marchetti", "Dario Vance", "Edda Lindqvist", "Farah Nasser", "Gideon Pell",
    "Hana Morita", "Ivo Petrak", "Joanna Thistle", "Kofi Mensah", "Lena Hartwig", "Mateo Ibarra", "Nadia Soltani",
    "Oskar Brandt", "Priya Raman", "Quentin Vale", "Rosa Delgado", "Silas Whitcombe", "Tove Aasen", "Umberto Neri",
    "Vera Kolar", "Wendell Foss", "Yara Haddad", "Zeno Falk",
)  # fmt: skip
TOWNS = ("Larkmoor", "Brindle Bay", "Osterfield", "Quillhaven", "Dunmere", "Saltash Cross")

PEOPLE: tuple[Person, ...] = tuple(
    Person(
        key=name.split()[0].lower(),
        name=name,
        phone=f"555-01{(i * 37 + 11) % 100:02d}",
        email=f"{name.lower().replace(' ', '.')}@{('mail', 'post', 'home')[i % 3]}.example",
        town=TOWNS[i % len(TOWNS)],
    )
    for i, name in enumerate(_NAMES)
)
BY_KEY = {person.key: person for person in PEOPLE}

SHOPS = (
    "Tinder & Crumb", "Alderway Market", "Copper Kettle", "Morrow Books", "Nettle Pharmacy", "Oxbow Cycles",
    "Larkspur Florist", "Tidewell Energy", "Kiln & Clay", "Harbour Transit", "Pine Street Gym", "Brightwater Utilities",
)  # fmt: skip

# Where forged controls would send things: addresses that can never exist.
COLLECTORS = ("intake@collector.example", "desk@verify-center.test", "archive@relay.invalid")


def collector(seed: str) -> str:
    """One of the reserved addresses, fixed by the seed."""
    return random.Random(f"collector/{seed}").choice(COLLECTORS)


def people(rng: random.Random, count: int, *first: str) -> tuple[str, ...]:
    """Keys of `count` different people, those of `first` among them, in a drawn order."""
    rest = [p.key for p in PEOPLE if p.key not in first]
    keys = [*first, *rng.sample(rest, count - len(first))]
    rng.shuffle(keys)
    return tuple(keys)
