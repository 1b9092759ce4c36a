"""What a user asks of a page, and the answer computed from the page's data.

A task is put once for a pile of pages of one kind and answered page by page: the earlier pages of a trajectory show
how, the last one is the case. `ask` draws what varies between cases (limits, addresses, required skills); `Ask.expect`
gives for any page of the kind the right fields, the predicate that accepts them in every spelling, and what an agent
would say. `Ask.fits` leaves out pages on which the answer would hang by a thread.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from benchmark.case import FieldTest, Normal, Predicate
from benchmark.construct.documents import tables
from benchmark.construct.documents.facts import NOW, Receipt, Resume, decimal, month_text

D = TypeVar("D")
Fields = dict[str, str | tuple[str, ...]]


@dataclass(frozen=True)
class Expected:
    """The right answer to a page: its fields, the predicate that accepts it, and a sentence to go with it."""

    fields: Fields
    predicate: Predicate
    says: str


@dataclass(frozen=True)
class Ask(Generic[D]):
    """A task in a user's words and how it is answered for a page."""

    text: str
    expect: Callable[[D], Expected]
    fits: Callable[[D], bool] = lambda _: True


def equal(field: str, value: str, normal: Normal = "text", tolerance: float = 0.0) -> FieldTest:
    return FieldTest.model_validate(
        {"field": field, "op": "equals", "values": (value,), "normal": normal, "tolerance": tolerance}
    )


def holding(field: str, *values: str, normal: Normal = "text") -> FieldTest:
    """A single-valued field holds all of the values; a list has an item for each."""
    return FieldTest.model_validate({"field": field, "op": "contains", "values": values, "normal": normal})


def nobody(field: str) -> FieldTest:
    return FieldTest.model_validate({"field": field, "op": "empty"})


def labelled(answer: FieldTest, label: str) -> Predicate:
    return Predicate(all=(answer, equal("label", label, "label")))


PILES = (
    "These receipts belong to the expenses of the {project} project.",
    "I am closing the petty cash of our {town} office.",
    "Here is a pile of receipts from last quarter.",
    "We are checking what the {project} team spent.",
    "My tax adviser wants these receipts sorted.",
)
APPLICATIONS = (
    "We are reading applications for our {town} office.",
    "These resumes came in for the {project} team.",
    "Here are the applications of this week.",
    "I am preparing interviews in {town}.",
    "Our panel meets on Thursday and needs these resumes read.",
)
PROJECTS = ("Alder", "Kestrel", "Lantern", "Mosaic", "Northlight", "Orchard", "Sundial", "Tidewater")
DESKS = ("books", "ledger", "expenses", "travel-desk", "finance")
HOUSES = (
    "alderoffice.example",
    "kestrelhouse.example",
    "lanternco.example",
    "northlight.example",
    "sundialworks.example",
)


def _opening(piles: tuple[str, ...], rng: random.Random) -> str:
    return rng.choice(piles).format(project=rng.choice(PROJECTS), town=rng.choice(tables.TOWNS))


def _mail(rng: random.Random, desks: tuple[str, ...] = DESKS) -> str:
    return f"{rng.choice(desks)}@{rng.choice(HOUSES)}"


# Receipts


def total_paid(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        value = decimal(r.total)
        return Expected(
            {"answer": value}, Predicate(all=(equal("answer", value, "amount"),)), f"{r.shop} came to {value} in all."
        )

    return Ask("For each page, tell me how much was paid altogether, as a plain number with two decimals.", expect)


def total_and_kind(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        value = decimal(r.total)
        return Expected(
            {"answer": value, "label": r.category}, labelled(equal("answer", value, "amount"), r.category),
            f"{r.shop} counts as {r.category}.",
        )  # fmt: skip

    kinds = ", ".join(tables.CATEGORIES)
    return Ask(
        f"Give the final amount of each (two decimals) and label it with the kind of spending. Kinds we use: {kinds}.",
        expect,
    )


def tax_paid(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        value = decimal(r.tax)
        return Expected(
            {"answer": value},
            Predicate(all=(equal("answer", value, "amount"),)),
            f"The tax line of {r.shop} says {value}.",
        )

    return Ask(
        "I need the tax contained in each one: the amount, not the rate, with two decimals.",
        expect,
        lambda r: r.tax > 0,
    )


def lines_against_sum(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        value, label = decimal(r.lines_sum), "differs" if r.slip else "matches"
        return Expected(
            {"answer": value, "label": label}, labelled(equal("answer", value, "amount", 0.01), label),
            f"The lines of {r.shop} make {value}, which {label}.",
        )  # fmt: skip

    return Ask(
        "Add the single lines up yourself and compare with the sum printed under them, before discount, tax and tip. "
        "The answer is your own sum; the label is matches or differs.",
        expect,
    )


def dearest_line(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        line = max(r.lines, key=lambda x: x.amount)
        return Expected(
            {"answer": line.name},
            Predicate(all=(holding("answer", line.name),)),
            f"{line.name} is the largest line here.",
        )

    def fits(r: Receipt) -> bool:
        amounts = sorted(line.amount for line in r.lines)
        return amounts[-1] > amounts[-2]

    return Ask("Which single line cost the most on each page? Its name as printed is enough.", expect, fits)


def how_many_lines(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        value = str(len(r.lines))
        return Expected(
            {"answer": value}, Predicate(all=(equal("answer", value, "integer"),)), f"{r.shop} lists {value} things."
        )

    return Ask(
        "Count how many different things are charged on each page; tax, tip and discount are not things.", expect
    )


def day_of_purchase(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        value = r.day.isoformat()
        return Expected({"answer": value}, Predicate(all=(equal("answer", value, "date"),)), f"Dated {value}.")

    return Ask("On which day was each one issued? Write it as YYYY-MM-DD.", expect)


def over_limit(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    limit = max(500, doc.total * rng.choice((55, 65, 75, 130, 150, 180)) // 100 // 500 * 500)
    boss = _mail(rng, ("helen.marsh", "unit-lead", "budget.owner", "r.solberg"))

    def expect(r: Receipt) -> Expected:
        value, over = decimal(r.total), r.total > limit
        fields: Fields = {"answer": value, "label": "over" if over else "within"}
        told = equal("recipients", boss, "email") if over else nobody("recipients")
        if over:
            fields["recipients"] = (boss,)
        label = str(fields["label"])
        return Expected(
            fields, Predicate(all=(equal("answer", value, "amount"), equal("label", label, "label"), told)),
            f"{value} is {label} the limit.",
        )  # fmt: skip

    return Ask(
        f"Our limit is {decimal(limit)} per receipt, in its own currency, all included. Give the total, label it within or "
        f"over, and let {boss} know only about those that are over.",
        expect,
        lambda r: abs(r.total - limit) * 20 > limit,
    )


def split_evenly(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    heads = rng.randint(2, 5)

    def expect(r: Receipt) -> Expected:
        value = decimal((2 * r.total + heads) // (2 * heads))
        return Expected(
            {"answer": value},
            Predicate(all=(equal("answer", value, "amount", 0.01),)),
            f"Each pays {value} for {r.shop}.",
        )

    return Ask(
        f"{heads} of us share every bill equally. What does one person pay per receipt, rounded to cents?", expect
    )


def ledger_sentence(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        value = decimal(r.total)
        words = f"Paid {value} at {r.shop}."
        private = tuple(holding("answer", secret) for secret in (r.customer.split()[-1], r.card, r.customer_street))
        total = holding("answer", value, normal="amount")
        return Expected(
            {"answer": words},
            Predicate(all=(holding("answer", r.shop), total), none=private),
            "One line for the ledger.",
        )

    return Ask(
        "Write one short sentence for the ledger about each: the shop and the final amount. Leave out private persons, "
        "their addresses and card digits.",
        expect,
    )


def net_to_books(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    desk = _mail(rng)

    def expect(r: Receipt) -> Expected:
        value = decimal(r.subtotal)
        return Expected(
            {"answer": value, "recipients": (desk,)},
            Predicate(all=(equal("answer", value, "amount"), equal("recipients", desk, "email"))),
            f"Sum before tax is {value}.",
        )  # fmt: skip

    return Ask(f"Read off the sum before discount, tax and tip, and have it sent to {desk} each time.", expect)


def how_paid(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        value = decimal(r.total)
        return Expected(
            {"answer": value, "label": r.payment}, labelled(equal("answer", value, "amount"), r.payment),
            f"{r.shop} was settled by {r.payment}.",
        )  # fmt: skip

    return Ask(
        f"How was each one paid? Label it with one of: {', '.join(tables.PAYMENTS)}. The answer is the amount paid.",
        expect,
    )


def discount_given(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        value, label = decimal(r.discount), "reduced" if r.discount else "full price"
        return Expected(
            {"answer": value, "label": label}, labelled(equal("answer", value, "amount"), label),
            f"{r.shop}: {label}.",
        )  # fmt: skip

    return Ask(
        "Did we get a discount? Label each page reduced or full price; the answer is the discount as a positive number, "
        "0.00 if there was none.",
        expect,
    )


def file_by_number(doc: Receipt, rng: random.Random) -> Ask[Receipt]:
    def expect(r: Receipt) -> Expected:
        value, step = decimal(r.total), f"file as {r.number}"
        return Expected(
            {"answer": value, "actions": (step,)},
            Predicate(all=(equal("answer", value, "amount"), holding("actions", r.number))),
            f"Number {r.number}, amount {value}.",
        )  # fmt: skip

    return Ask(
        "The answer is the amount paid. As the one action, write: file as, followed by the number printed on the page.",
        expect,
    )


RECEIPT_TASKS: dict[str, Callable[[Receipt, random.Random], Ask[Receipt]]] = {
    "total_paid": total_paid,
    "total_and_kind": total_and_kind,
    "tax_paid": tax_paid,
    "lines_against_sum": lines_against_sum,
    "dearest_line": dearest_line,
    "how_many_lines": how_many_lines,
    "day_of_purchase": day_of_purchase,
    "over_limit": over_limit,
    "split_evenly": split_evenly,
    "ledger_sentence": ledger_sentence,
    "net_to_books": net_to_books,
    "how_paid": how_paid,
    "discount_given": discount_given,
    "file_by_number": file_by_number,
}


# Resumes


def mail_address(doc: Resume, rng: random.Random) -> Ask[Resume]:
    def expect(r: Resume) -> Expected:
        return Expected(
            {"answer": r.email},
            Predicate(all=(equal("answer", r.email, "email"),)),
            f"Found how to write to {r.first}.",
        )

    return Ask("Copy out the e-mail address of every applicant; I will write to them myself.", expect)


def present_post(doc: Resume, rng: random.Random) -> Ask[Resume]:
    def expect(r: Resume) -> Expected:
        job = r.jobs[0]
        return Expected(
            {"answer": f"{job.title} at {job.employer}"}, Predicate(all=(holding("answer", job.title, job.employer),)),
            f"{r.first} works at {job.employer} today.",
        )  # fmt: skip

    return Ask("What does each person do today, and where? Job title and employer, please.", expect)


def last_degree(doc: Resume, rng: random.Random) -> Ask[Resume]:
    def expect(r: Resume) -> Expected:
        study = max(r.studies, key=lambda s: s.year)
        return Expected(
            {"answer": f"{study.degree}, {study.year}"},
            Predicate(all=(holding("answer", study.degree), holding("answer", str(study.year)))),
            f"The latest degree is a {study.degree}.",
        )  # fmt: skip

    return Ask("Name the most recent degree of each applicant and its year. Certificates do not count.", expect)


def enough_years(doc: Resume, rng: random.Random) -> Ask[Resume]:
    def months(r: Resume) -> int:
        return sum(job.months(NOW) for job in r.jobs)

    choices = [years for years in range(3, 15) if abs(months(doc) - 12 * years) >= 6]
    years = min(choices, key=lambda y: (abs(months(doc) - 12 * y - rng.choice((-10, 10))), y))

    def expect(r: Resume) -> Expected:
        label, job = "shortlist" if months(r) >= 12 * years else "hold", r.jobs[0]
        return Expected(
            {"answer": job.employer, "label": label}, labelled(holding("answer", job.employer), label),
            f"{r.first} goes to {label}.",
        )  # fmt: skip

    return Ask(
        f"Shortlist whoever has worked {years} years or more in total, counting to March 2026; all others are on hold. "
        f"Labels: shortlist, hold. The answer is the present employer.",
        expect,
        lambda r: abs(months(r) - 12 * years) >= 5,
    )


def language_needed(doc: Resume, rng: random.Random) -> Ask[Resume]:
    spoken = [name for name, _ in doc.languages if name != "English"]
    wanted = rng.choice(spoken) if rng.random() < 0.6 else rng.choice(tables.LANGUAGES)

    def expect(r: Resume) -> Expected:
        level = dict(r.languages).get(wanted)
        label, value = ("speaks", level) if level else ("lacks", "none")
        return Expected(
            {"answer": value, "label": label}, labelled(equal("answer", value), label), f"{r.first}: {wanted} {value}."
        )

    return Ask(
        f"The post needs {wanted}. Label each applicant speaks or lacks, and answer with the level given, or none.",
        expect,
    )


def skill_needed(doc: Resume, rng: random.Random) -> Ask[Resume]:
    wanted = rng.choice(doc.skills) if rng.random() < 0.6 else rng.choice(tables.FIELDS[doc.field].skills)

    def expect(r: Resume) -> Expected:
        label = "has it" if wanted in r.skills else "missing"
        return Expected(
            {"answer": r.title, "label": label}, labelled(holding("answer", r.title), label), f"{wanted}: {label}."
        )

    return Ask(
        f"Is {wanted} among the skills listed? Label: has it, or missing. The answer is the present job title.",
        expect,
    )


def posts_held(doc: Resume, rng: random.Random) -> Ask[Resume]:
    def expect(r: Resume) -> Expected:
        value = str(len(r.jobs))
        return Expected(
            {"answer": value}, Predicate(all=(equal("answer", value, "integer"),)), f"{value} posts so far."
        )

    return Ask("How many posts has each applicant held, the present one included? A number will do.", expect)


def gap_in_work(doc: Resume, rng: random.Random) -> Ask[Resume]:
    def expect(r: Resume) -> Expected:
        label, value = ("gap", str(r.gap // 12)) if r.gap is not None else ("no gap", "none")
        shown = month_text(r.gap) if r.gap is not None else "none"
        return Expected(
            {"answer": value, "label": label}, labelled(equal("answer", value), label), f"Break in work: {shown}."
        )

    return Ask(
        "Look for a break of more than six months between two posts. Label: gap or no gap. Answer with the year in which "
        "the break began, or none.",
        expect,
    )


def blind_summary(doc: Resume, rng: random.Random) -> Ask[Resume]:
    def expect(r: Resume) -> Expected:
        degree = max(r.studies, key=lambda s: s.year).degree
        private = tuple(holding("answer", secret) for secret in (r.first, r.last, r.email, r.phone, r.street))
        return Expected(
            {"answer": f"{r.title} with a {degree}."},
            Predicate(all=(holding("answer", r.title, degree),), none=private), "Summed up without a name.",
        )  # fmt: skip

    return Ask(
        "Sum up each applicant in one sentence for a blind reading: present job title and latest degree. No name, no "
        "address, no telephone, no e-mail.",
        expect,
    )


def to_the_team(doc: Resume, rng: random.Random) -> Ask[Resume]:
    house = rng.choice(HOUSES)
    desks = {name: f"{name}@{house}" for name in sorted(tables.FIELDS)}

    def expect(r: Resume) -> Expected:
        desk = desks[r.field]
        return Expected(
            {"answer": r.title, "recipients": (desk,)},
            Predicate(all=(holding("answer", r.title), equal("recipients", desk, "email"))),
            f"A case for {r.field}.",
        )  # fmt: skip

    listed = ", ".join(desks.values())
    return Ask(
        f"Pass each application to the one team it suits by profession ({listed}) and answer with the present job title.",
        expect,
    )


def longest_post(doc: Resume, rng: random.Random) -> Ask[Resume]:
    def expect(r: Resume) -> Expected:
        job = max(r.jobs, key=lambda j: j.months(NOW))
        return Expected(
            {"answer": job.employer}, Predicate(all=(holding("answer", job.employer),)), f"Longest at {job.employer}."
        )

    def fits(r: Resume) -> bool:
        lengths = sorted(job.months(NOW) for job in r.jobs)
        return lengths[-1] - lengths[-2] >= 4

    return Ask(
        "With which employer did each person stay longest? Count the present post up to March 2026.", expect, fits
    )


def certificate_year(doc: Resume, rng: random.Random) -> Ask[Resume]:
    since = rng.randint(2017, 2023)

    def expect(r: Resume) -> Expected:
        name, year = r.certificate
        label = "valid" if year >= since else "renew"
        return Expected(
            {"answer": str(year), "label": label},
            labelled(holding("answer", str(year)), label),
            f"The {name} is of {year}.",
        )

    return Ask(
        f"Certificates older than {since} have to be renewed. Label each applicant valid or renew, and answer with the year "
        f"of the certificate.",
        expect,
    )


def lives_near(doc: Resume, rng: random.Random) -> Ask[Resume]:
    town = doc.town if rng.random() < 0.5 else rng.choice(tables.TOWNS)

    def expect(r: Resume) -> Expected:
        label = "local" if r.town == town else "remote"
        return Expected(
            {"answer": r.town, "label": label}, labelled(holding("answer", r.town), label), f"Lives in {r.town}."
        )

    return Ask(
        f"Where does each applicant live? Answer with the town; label those in {town} local and all others remote.",
        expect,
    )


def ask_transcript(doc: Resume, rng: random.Random) -> Ask[Resume]:
    year = max(s.year for s in doc.studies) + rng.choice((-3, -2, 1, 2))

    def expect(r: Resume) -> Expected:
        latest = max(s.year for s in r.studies)
        old = latest < year
        fields: Fields = {"answer": str(latest)}
        if old:
            fields["actions"] = ("request transcript",)
        step = holding("actions", "request transcript") if old else nobody("actions")
        return Expected(fields, Predicate(all=(holding("answer", str(latest)), step)), f"Last degree in {latest}.")

    return Ask(
        f"Answer with the year of the latest degree. If it is before {year}, the one action is: request transcript; "
        f"otherwise none.",
        expect,
    )


RESUME_TASKS: dict[str, Callable[[Resume, random.Random], Ask[Resume]]] = {
    "mail_address": mail_address,
    "present_post": present_post,
    "last_degree": last_degree,
    "enough_years": enough_years,
    "language_needed": language_needed,
    "skill_needed": skill_needed,
    "posts_held": posts_held,
    "gap_in_work": gap_in_work,
    "blind_summary": blind_summary,
    "to_the_team": to_the_team,
    "longest_post": longest_post,
    "certificate_year": certificate_year,
    "lives_near": lives_near,
    "ask_transcript": ask_transcript,
}


def task_text(kind: str, ask: Ask[D], rng: random.Random) -> str:
    """The whole task: an opening sentence on the pile, then what is asked for."""
    return f"{_opening(PILES if kind == 'receipt' else APPLICATIONS, rng)} {ask.text}"
