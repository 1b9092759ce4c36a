"""What stands on a document, as data: receipts and resumes, filled from seeded tables.

Everything a task may ask is kept here in exact form (cents, dates, months), and the layouts print from it; so an
accepted answer is computed and never copied from a page. A receipt may carry a slip: its printed subtotal differs from
the sum of its lines, which is what consistency tasks look for.
"""

from __future__ import annotations

import datetime
import random
from dataclasses import dataclass
from typing import Literal

from benchmark.construct.documents import tables
from benchmark.predicates import folded

Dating = Literal["us", "uk", "de", "iso", "long"]


@dataclass(frozen=True)
class Money:
    """How amounts are printed: the mark, where it stands, and the separators."""

    code: str
    mark: str
    before: bool
    thousands: str
    decimal: str
    dating: Dating
    tax_name: str

    def bare(self, cents: int) -> str:
        whole, rest = divmod(abs(cents), 100)
        digits = f"{whole:,}".replace(",", self.thousands)
        return f"{'-' if cents < 0 else ''}{digits}{self.decimal}{rest:02d}"

    def full(self, cents: int) -> str:
        text = self.bare(abs(cents))
        joined = f"{self.mark}{text}" if self.before else f"{text}{self.mark}"
        return f"-{joined}" if cents < 0 else joined


MONEYS = (
    Money("USD", "$", True, ",", ".", "us", "Sales tax"),
    Money("GBP", "£", True, ",", ".", "uk", "VAT"),
    Money("EUR", " €", False, ".", ",", "de", "VAT"),
    Money("EUR", "€ ", True, ",", ".", "long", "VAT"),
    Money("CHF", "CHF ", True, "'", ".", "de", "VAT"),
    Money("SEK", " kr", False, " ", ",", "iso", "Moms"),
)

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def printed_date(day: datetime.date, dating: Dating) -> str:
    match dating:
        case "us":
            return f"{day.month:02d}/{day.day:02d}/{day.year}"
        case "uk":
            return f"{day.day:02d}/{day.month:02d}/{day.year}"
        case "de":
            return f"{day.day:02d}.{day.month:02d}.{day.year}"
        case "iso":
            return day.isoformat()
        case "long":
            return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def decimal(cents: int) -> str:
    """An amount as tasks ask for it and predicates compare it: two decimals, a point, nothing else."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


@dataclass(frozen=True)
class Line:
    name: str
    quantity: int
    unit: int

    @property
    def amount(self) -> int:
        return self.quantity * self.unit


@dataclass(frozen=True)
class Receipt:
    """A receipt; all amounts in cents. `subtotal` is as printed and differs from the lines' sum by `slip`."""

    layout: str
    shop: str
    tagline: str
    street: str
    town: str
    phone: str
    site: str
    tax_id: str
    number: str
    day: datetime.date
    time: str
    money: Money
    lines: tuple[Line, ...]
    slip: int
    discount: int
    tax_rate: int
    tip: int
    payment: str
    card: str
    clerk: str
    customer: str
    customer_street: str
    extra: dict[str, str]

    @property
    def lines_sum(self) -> int:
        return sum(line.amount for line in self.lines)

    @property
    def subtotal(self) -> int:
        return self.lines_sum + self.slip

    @property
    def taxed(self) -> int:
        return self.subtotal - self.discount

    @property
    def tax(self) -> int:
        return (self.taxed * self.tax_rate + 500) // 1000

    @property
    def total(self) -> int:
        return self.taxed + self.tax + self.tip

    @property
    def category(self) -> str:
        return tables.TRADES[self.layout].category

    @property
    def printed_day(self) -> str:
        return printed_date(self.day, self.money.dating)

    @property
    def rate(self) -> str:
        whole, rest = divmod(self.tax_rate, 10)
        return f"{whole}{self.money.decimal}{rest} %" if rest else f"{whole} %"


MAIN_GOODS = {"hotel": 1, "fuel": 2, "parking": 1, "parcel": 1, "garage": 2}
"""Trades of which every receipt has one of the first so many goods: a folio has a room, a fuel slip has fuel."""


def phone(rng: random.Random) -> str:
    return f"555-01{rng.randrange(100):02d}"


def person(rng: random.Random) -> str:
    return f"{rng.choice(tables.FIRST_NAMES)} {rng.choice(tables.LAST_NAMES)}"


def slug(name: str) -> str:
    return "".join(c for c in folded(name) if c.isalnum())


def receipt(layout: str, rng: random.Random, slip: bool) -> Receipt:
    """A receipt of a trade; with `slip`, its printed subtotal is off by 5 to 30 %, at least 1.50."""
    trade = tables.TRADES[layout]
    money = rng.choice(MONEYS)
    shop = rng.choice(trade.names)
    few = layout in ("parking", "fuel")
    main = MAIN_GOODS.get(layout, 0)
    count = rng.randint(2, 4) if few else rng.randint(3, 8)
    goods = [rng.choice(trade.goods[:main])] if main else []
    goods += rng.sample(trade.goods[main:], count - len(goods))
    nights = rng.randint(1, 5)
    lines: list[Line] = []
    for name, low, high in goods:
        quantity = rng.choice((1, 1, 1, 1, 2, 2, 3)) if not few else 1
        if layout == "hotel" and not lines:
            quantity = nights
        unit = rng.randint(low, high)
        if layout in ("grocery", "pharmacy", "fuel"):
            unit = unit // 10 * 10 + 9 if rng.random() < 0.5 else unit
        elif layout not in ("parcel", "parking"):
            unit = unit // 10 * 10
        lines.append(Line(name, quantity, unit))
    base = sum(line.amount for line in lines)
    error = 0
    if slip:
        error = max(150, base * rng.randint(5, 30) // 100) // 10 * 10 * rng.choice((1, 1, -1))
        error = error if base + error > base // 2 else -error
    discount = base * rng.choice((5, 10, 15)) // 100 if rng.random() < 0.3 else 0
    tip = base * rng.choice((8, 10, 12, 15)) // 100 // 10 * 10 if layout == "bistro" and rng.random() < 0.7 else 0
    numeric = money.dating in ("us", "uk", "de")
    day = datetime.date(
        rng.choice((2025, 2026)), rng.randint(1, 12), rng.randint(13, 28) if numeric else rng.randint(1, 28)
    )
    payment = (
        rng.choice(("bank transfer", "account"))
        if layout in ("invoice", "garage")
        else rng.choice(("card", "card", "cash"))
    )
    extra = {
        "room": str(rng.randint(101, 512)),
        "nights": str(nights),
        "arrival": printed_date(day - datetime.timedelta(days=nights), money.dating),
        "pump": str(rng.randint(1, 12)),
        "litres": f"{rng.randint(18, 58)}{money.decimal}{rng.randrange(100):02d}",
        "plate": f"{rng.choice('ABCDEFGHKLM')}{rng.choice('NPRSTVWX')} {rng.randint(1000, 9999)}",
        "table": str(rng.randint(1, 32)),
        "covers": str(rng.randint(1, 6)),
        "weight": f"{rng.randint(1, 9)}{money.decimal}{rng.randrange(10)} kg",
        "order": f"{rng.randint(10000, 99999)}",
        "odometer": f"{rng.randint(21, 188)} {rng.randint(100, 999)} km",
        "entry": f"{rng.randint(6, 11):02d}:{rng.randrange(60):02d}",
        "due": printed_date(day + datetime.timedelta(days=rng.choice((14, 21, 30))), money.dating),
    }
    return Receipt(
        layout=layout,
        shop=shop,
        tagline=rng.choice(trade.taglines),
        street=f"{rng.randint(1, 148)} {rng.choice(tables.STREETS)}",
        town=rng.choice(tables.TOWNS),
        phone=phone(rng),
        site=f"www.{slug(shop)}.example",
        tax_id=f"{money.code[:2]}{rng.randint(10**8, 10**9 - 1)}",
        number=f"{rng.choice(('R', 'B', 'T', 'F', 'K'))}-{rng.randint(10000, 99999)}",
        day=day,
        time=f"{rng.randint(8, 21):02d}:{rng.randrange(60):02d}",
        money=money,
        lines=tuple(lines),
        slip=error,
        discount=discount,
        tax_rate=rng.choice((50, 70, 80, 100, 190, 200, 250)),
        tip=tip,
        payment=payment,
        card=f"{rng.randint(1000, 9999)}",
        clerk=rng.choice(tables.FIRST_NAMES),
        customer=person(rng),
        customer_street=f"{rng.randint(1, 148)} {rng.choice(tables.STREETS)}",
        extra=extra,
    )


@dataclass(frozen=True)
class Job:
    """A post held; `start` and `end` are months counted from year 0 (`year * 12 + month - 1`), `end` null for now."""

    title: str
    employer: str
    town: str
    start: int
    end: int | None
    deeds: tuple[str, ...]

    def months(self, now: int) -> int:
        return (self.end if self.end is not None else now) - self.start


@dataclass(frozen=True)
class Study:
    degree: str
    school: str
    year: int


@dataclass(frozen=True)
class Resume:
    """A resume; jobs and studies latest first. `gap` says that two jobs lie more than eight months apart."""

    layout: str
    field: str
    first: str
    last: str
    email: str
    phone: str
    street: str
    town: str
    site: str
    number: str
    summary: str
    jobs: tuple[Job, ...]
    studies: tuple[Study, ...]
    skills: tuple[str, ...]
    languages: tuple[tuple[str, str], ...]
    certificate: tuple[str, int]
    hobby: str
    gap: int | None

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def title(self) -> str:
        return self.jobs[0].title


NOW = 2026 * 12 + 2
"""The month in which applications are read, March 2026: what "present" means."""


def month_text(month: int | None) -> str:
    return "present" if month is None else f"{MONTHS[month % 12]} {month // 12}"


def span(job: Job) -> str:
    return f"{month_text(job.start)} – {month_text(job.end)}"


def resume(layout: str, rng: random.Random, gap: bool) -> Resume:
    """A resume of a layout; with `gap`, one break of 10 to 20 months between two jobs, otherwise at most two months."""
    name = rng.choice(sorted(tables.FIELDS))
    field = tables.FIELDS[name]
    first, last = rng.choice(tables.FIRST_NAMES), rng.choice(tables.LAST_NAMES)
    count = rng.randint(2, 4)
    level = rng.randint(count - 1, len(field.titles) - 1)
    titles = [field.titles[level - i] for i in range(count)]
    employers = rng.sample(tables.EMPLOYERS, count)
    deeds = list(field.deeds)
    rng.shuffle(deeds)
    broken = rng.randrange(count - 1) if gap else None
    jobs: list[Job] = []
    end: int | None = None
    edge = NOW
    when: int | None = None
    for i in range(count):
        length = rng.randint(14, 58)
        start = edge - length
        mine = [deeds[(2 * i + k) % len(deeds)] for k in range(3 if i == 0 else 2)]
        texts = tuple(d.format(n=rng.randint(3, 28), p=rng.randint(8, 45)) for d in mine)
        jobs.append(Job(titles[i], employers[i], rng.choice(tables.TOWNS), start, end, texts))
        pause = rng.randint(10, 20) if broken == i else rng.randint(0, 2)
        edge = start - pause
        end = edge
        if broken == i:
            when = edge
    graduated = jobs[-1].start // 12 - rng.randint(0, 1)
    studies = [Study(rng.choice(field.degrees), rng.choice(tables.SCHOOLS), graduated)]
    if rng.random() < 0.5:
        others = [d for d in field.degrees if d != studies[0].degree]
        schools = [s for s in tables.SCHOOLS if s != studies[0].school]
        studies.append(Study(rng.choice(others), rng.choice(schools), graduated - rng.randint(2, 4)))
    languages = [("English", "native" if rng.random() < 0.5 else "fluent")]
    languages += [(lang, rng.choice(tables.LEVELS[:3])) for lang in rng.sample(tables.LANGUAGES, rng.randint(1, 3))]
    slugged = f"{slug(first)}.{slug(last)}"
    return Resume(
        layout=layout,
        field=name,
        first=first,
        last=last,
        email=f"{slugged}@{rng.choice(('mailbox', 'postkorb', 'letterbox', 'homepage'))}.example",
        phone=phone(rng),
        street=f"{rng.randint(1, 148)} {rng.choice(tables.STREETS)}",
        town=rng.choice(tables.TOWNS),
        site=f"{slug(last)}.example",
        number=f"A-{rng.randint(10000, 99999)}",
        summary=rng.choice(field.summaries),
        jobs=tuple(jobs),
        studies=tuple(studies),
        skills=tuple(rng.sample(field.skills, rng.randint(4, 6))),
        languages=tuple(languages),
        certificate=(rng.choice(field.certificates), rng.randint(2015, 2025)),
        hobby=rng.choice(tables.HOBBIES),
        gap=when,
    )
