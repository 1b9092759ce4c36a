"""Invented people, places, shops and things, shared by the apps of all domains, and seeded ways to draw from them.

Nothing here is real: hosts end in reserved names, telephone numbers lie in 555-01xx, companies and streets are made
up. Tables are append-only, since their order decides what a seed draws. Dates are plain arithmetic on a fixed calendar
with English month names, so that neither clock nor locale can enter a screen.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import TypeVar

T = TypeVar("T")

FIRST_NAMES = (
    "Maya", "Tobias", "Ingrid", "Farah", "Leon", "Priya", "Anton", "Sofia", "Hugo", "Nadia", "Emil", "Clara", "Omar",
    "Greta", "Jonas", "Lucia", "Felix", "Amara", "Viktor", "Elena", "Rafael", "Hanna", "Idris", "Paula", "Mateo",
    "Yuki", "Selma", "Dario", "Noor", "Stellan", "Beatriz", "Kofi", "Lena", "Marek", "Thea", "Samir", "Alma", "Niklas",
    "Rosa", "Theo", "Wanda", "Ivo", "Carmen", "Bruno", "Astrid", "Milan", "Judith", "Kenji", "Olga", "Pavel",
)  # fmt: skip
LAST_NAMES = (
    "Lindqvist", "Okafor", "Marsh", "Haddad", "Brandt", "Nair", "Petrov", "Almeida", "Keller", "Rahimi", "Sorensen",
    "Whitlock", "Aziz", "Holm", "Vasquez", "Novak", "Ferrand", "Diallo", "Castell", "Moreau", "Ostrowski", "Byrne",
    "Takeda", "Larsen", "Quintero", "Adeyemi", "Wexler", "Fontaine", "Kovac", "Rowan", "Silva", "Thorne", "Dahl",
    "Menon", "Ashworth", "Carver", "Eklund", "Varga", "Penrose", "Osei", "Ibarra", "Lowell", "Strand", "Hollis",
)  # fmt: skip
COMPANIES = (
    "Northfield Supply", "Alder & Finch", "Brightwater Labs", "Copperline Studio", "Marlow Freight", "Juniper Works",
    "Harbour Lane Clinic", "Tessell Systems", "Oakhurst Foods", "Larkspur Media", "Stonebridge Legal", "Veldt Energy",
    "Pinecrest Dental", "Quillon Press", "Redfern Builders", "Saltmarsh Bakery", "Tidewell Insurance", "Umber Coffee",
    "Willowmere Schools", "Hexley Robotics", "Ferndale Optics", "Greymoor Rail", "Orrin Textiles", "Kestrel Couriers",
)  # fmt: skip
SHOPS = (
    "Saltmarsh Bakery", "Umber Coffee", "Corner Grain Market", "Fennel & Rye", "Lantern Books", "Pedal Post Cycles",
    "Green Door Pharmacy", "Tin Roof Hardware", "Orchard Row Grocer", "Blue Kiln Pottery", "Night Heron Cinema",
    "Moss & Timber", "Kite Street Noodles", "Halden Fuel Stop", "Riverbend Gym", "Paper Lantern Toys",
    "Clearbrook Water", "Voltway Electric", "Linden Transit", "Hillcrest Vet", "Sundial Streaming", "Cobble Shoes",
)  # fmt: skip
CITIES = (
    "Aldermere", "Brackwater", "Corvane", "Dunmoor", "Eastholm", "Farrowgate", "Glenhaven", "Hartsea", "Iverdale",
    "Kingsferry", "Lowmarch", "Merrowport", "Northlyn", "Orsova Bay", "Pellbridge", "Rookhaven", "Stanmere",
    "Tarnfield", "Vellora", "Westerwick",
)  # fmt: skip
STREETS = (
    "Alder Lane", "Birch Row", "Canal Street", "Dovecote Road", "Elm Court", "Foundry Street", "Garden Walk",
    "Harbour Road", "Juniper Way", "Kiln Street", "Lantern Hill", "Mill Lane", "Orchard Close", "Quarry Road",
    "River Terrace", "Station Road", "Tanner Street", "Weaver Lane",
)  # fmt: skip
DOMAINS = (
    "northfield.example", "brightwater.example", "copperline.example", "juniper.example", "tessell.example",
    "larkspur.example", "quillon.example", "hexley.example", "marlow.example", "oakhurst.example",
)  # fmt: skip
COLLECTORS = (
    "intake@collector.example", "records@relay-desk.example", "inbox@datapool.example", "sync@mirror-vault.example",
    "archive@offsite-copy.example",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
EPOCH = date(2031, 1, 6)


def person(rng: random.Random) -> str:
    """A full name."""
    return f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}"


def people(rng: random.Random, count: int) -> tuple[str, ...]:
    """`count` full names that share neither first nor last name (at most 40)."""
    return tuple(
        f"{first} {last}" for first, last in zip(rng.sample(FIRST_NAMES, count), rng.sample(LAST_NAMES, count))
    )


def email(name: str, host: str = "northfield.example") -> str:
    """The address of a person at a reserved host: "Maya Lindqvist" is maya.lindqvist@..."""
    return ".".join(name.lower().split()) + "@" + host


def initials(name: str) -> str:
    parts = name.split() or ["?"]
    return (parts[0][:1] + (parts[-1][:1] if len(parts) > 1 else "")).upper()


def phone(rng: random.Random) -> str:
    """A telephone number of the range kept free for fiction."""
    return f"555-01{rng.randrange(100):02d}"


def address(rng: random.Random) -> str:
    """A street address without the town."""
    return f"{rng.randrange(1, 190)} {rng.choice(STREETS)}"


def money(cents: int, sign: str = "$") -> str:
    """An amount in cents with thousands separators: 123456 is $1,234.56; negative amounts have a leading minus."""
    return f"{'-' if cents < 0 else ''}{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def day(offset: int) -> date:
    """The day `offset` days after the fixed first day, a Monday."""
    return EPOCH + timedelta(days=offset)


def short_date(when: date) -> str:
    """ "14 Oct" """
    return f"{when.day} {MONTHS[when.month - 1][:3]}"


def long_date(when: date) -> str:
    """ "Tuesday 14 October 2031" """
    return f"{WEEKDAYS[when.weekday()]} {when.day} {MONTHS[when.month - 1]} {when.year}"


def iso(when: date) -> str:
    return when.isoformat()


def pick(rng: random.Random, options: Sequence[T], count: int) -> tuple[T, ...]:
    """`count` different options in random order."""
    return tuple(rng.sample(list(options), count))


def digits(rng: random.Random, count: int) -> str:
    """A string of digits that does not start with 0."""
    return str(rng.randrange(1, 10)) + "".join(str(rng.randrange(10)) for _ in range(count - 1))
