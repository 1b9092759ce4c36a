"""The windows that stand behind the one in use: other applications at work, seen in part, never acted on.

Each kind is a function from a generator and the desk's colours to a title, an icon and HTML without ids. They are
small on purpose, since they are part of every screen that a search over states looks at.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from benchmark.construct import tables
from benchmark.construct.icons import icon


@dataclass(frozen=True)
class Ink:
    """Colours, corner radius and font of window chrome: title bar, line, words, faint words, page."""

    bar: str
    line: str
    text: str
    muted: str
    page: str
    radius: int
    font: str


Inside = tuple[str, str, str]
CHATS = (
    "Did the courier come for the samples?", "Yes, just after ten. Signed by the front desk.",
    "Great. I moved the review to half past three.", "Works for me, I bring the printed plans.",
    "The lift is out again, take the side stairs.", "Can you bring the spare adapter as well?",
    "It is in the blue crate under my desk.", "Lunch at the noodle place?", "Only if we leave before noon.",
    "The client liked the second version best.", "Then we drop the first one and polish the rest.",
    "I will be ten minutes late, train is slow.", "No rush, we start with the minutes.",
)  # fmt: skip
NOTES = (
    "Return library books", "Ask about the boiler warranty", "Order toner for the second floor", "Renew bus pass",
    "Water the ferns on Friday", "Book a table for six", "Compare the two phone contracts", "Fix squeaky door",
    "Send thank-you card", "Measure the shelf (about 84 cm)", "Check tyre pressure", "Collect parcel before six",
    "Draft agenda for Thursday", "Back up the camera card", "Paint samples: sage, chalk, rust",
)  # fmt: skip
HEADLINES = (
    ("Harbour bridge reopens after nine months of repairs", "Cyclists get a lane of their own, and the old lamps stay."),
    ("Small bakeries find a second life in station kiosks", "Commuters buy rye at seven and rolls at five."),
    ("Why the night train is full again", "Berths sell out three weeks ahead on the northern line."),
    ("A library that lends tools instead of books", "Drills and ladders are gone by Saturday noon."),
    ("How a village kept its only cinema open", "Two screens, forty volunteers and a very old projector."),
)  # fmt: skip
PARAGRAPHS = (
    "The first visitors came before the ropes were down. Some carried folding chairs, others only a thermos, and most "
    "had a story about the day the old one closed.",
    "Costs stayed below the estimate, the council says, because most of the stone could be used again. What could not "
    "be saved now lines the path along the water.",
    "Whether it pays is another question. Rents have doubled in a decade, and the ovens need more power than the "
    "platform can give before the new cable is laid in spring.",
    "For now the queue is the best argument. On a wet Tuesday it reached the ticket hall, and nobody in it seemed to "
    "mind the wait.",
)
TRACKS = (
    "Slow Tide", "Lanterns", "Paper Boats", "Northbound", "Glasshouse", "Half a Mile", "Winter Orchard", "Tin Roof Rain",
    "Salt Road", "Evening Bus", "Low Clouds", "Second Kitchen",
)  # fmt: skip
EVENTS = ("Stand-up", "Dentist", "Rent due", "Choir", "Review", "Swim", "Visit Alma", "Invoices", "Team lunch", "Class")
PROCESSES = ("compositor", "indexer", "mailsync", "soundd", "netwatch", "thumbnailer", "printd", "clockd", "sessiond")
CODE = (
    ("def", " route(parcel, depots):"), ("", '    """The nearest depot that is still open."""'),
    ("    return", " min(depots, key=parcel.distance)"), ("", ""), ("class", " Depot:"),
    ("    def", " __init__(self, name, hours):"), ("", "        self.name = name"), ("", "        self.hours = hours"),
    ("", ""), ("    def", " is_open(self, when):"), ("        return", " self.hours.holds(when)"), ("", ""),
    ("for", " parcel in queue.waiting():"), ("", "    depot = route(parcel, DEPOTS)"),
    ("    if", " depot.is_open(parcel.due):"), ("", "        depot.accept(parcel)"), ("    else", ":"),
    ("", "        parcel.hold(until=depot.hours.start)"),
)  # fmt: skip


def _notes(rng: random.Random, ink: Ink) -> Inside:
    rows = "".join(
        f'<div style="display:flex;gap:10px;padding:7px 0;border-bottom:1px solid {ink.line}"><div style="width:16px;'
        f'height:16px;border:2px solid {ink.muted};margin-top:2px"></div><div>{note}</div></div>'
        for note in tables.pick(rng, NOTES, 13)
    )
    return "Notes: this week", "list", f'<div style="padding:18px 24px;font-size:15px">{rows}</div>'


def _chat(rng: random.Random, ink: Ink) -> Inside:
    who = tables.people(rng, 9)
    names = "".join(
        f'<div style="padding:9px 14px;display:flex;gap:10px;align-items:center"><div style="width:30px;height:30px;'
        f"border-radius:15px;background:{rng.choice(('#a8574b', '#4b7ba8', '#5b8a5a', '#8a6bb0', '#b08a3c'))};"
        f'color:#ffffff;font-size:13px;padding-top:6px;text-align:center">{tables.initials(name)}</div>'
        f"<div>{name}</div></div>"
        for name in who
    )
    start = rng.randrange(len(CHATS))
    bubbles = "".join(
        f'<div style="display:flex;justify-content:{"flex-end" if i % 2 else "flex-start"};margin-bottom:12px">'
        f'<div style="max-width:340px;padding:9px 14px;border-radius:12px;background:{"#3d6fa5" if i % 2 else ink.bar};'
        f'color:{"#ffffff" if i % 2 else ink.text}">{CHATS[(start + i) % len(CHATS)]}</div></div>'
        for i in range(9)
    )
    return (
        f"{who[0]} - Parley", "message",
        f'<div style="display:flex;height:620px"><div style="width:230px;background:{ink.bar};padding-top:8px">{names}'
        f'</div><div style="flex:1;padding:20px">{bubbles}</div></div>',
    )  # fmt: skip


def _monitor(rng: random.Random, ink: Ink) -> Inside:
    def curve(colour: str) -> str:
        points = " ".join(f"{i * 16},{110 - rng.randrange(10, 95)}" for i in range(41))
        return (
            f'<svg width="640" height="112" viewBox="0 0 640 112"><rect width="640" height="112" fill="{ink.bar}"/>'
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/></svg>'
        )

    rows = "".join(
        f'<div style="display:flex;padding:5px 0;border-bottom:1px solid {ink.line}"><div style="width:300px">{name}'
        f'</div><div style="width:120px;text-align:right">{rng.randrange(1, 90) / 10} %</div>'
        f'<div style="width:160px;text-align:right">{rng.randrange(12, 900)} MB</div></div>'
        for name in tables.pick(rng, PROCESSES, 8)
    )
    return (
        "System load", "chart",
        f'<div style="padding:18px 24px"><div style="margin-bottom:6px">Processor</div>{curve("#d0743c")}'
        f'<div style="margin:12px 0 6px">Network</div>{curve("#3f8fb0")}<div style="margin-top:14px">{rows}</div></div>',
    )  # fmt: skip


def _browser(rng: random.Random, ink: Ink) -> Inside:
    (headline, lead), host = rng.choice(HEADLINES), rng.choice(("daily-ledger.example", "townpost.example"))
    texts = "".join(f'<div style="margin-top:14px">{text}</div>' for text in tables.pick(rng, PARAGRAPHS, 4))
    return (
        headline, "globe",
        f'<div style="display:flex;gap:12px;padding:8px 14px;background:{ink.bar};align-items:center"><div>'
        f"{icon('arrow_left', 17, ink.muted)}</div><div>{icon('refresh', 16, ink.muted)}</div>"
        f'<div style="flex:1;background:{ink.page};padding:6px 14px;border-radius:14px;color:{ink.muted}">'
        f"https://{host}/local</div></div>"
        f"<div style=\"padding:24px 40px;font-family:'DejaVu Serif';font-size:15px;line-height:1.5\">"
        f'<div style="font-size:27px;font-weight:700;line-height:1.25">{headline}</div>'
        f'<div style="color:{ink.muted};margin:10px 0 16px">{lead}</div><svg width="620" height="180" '
        f'viewBox="0 0 620 180"><rect width="620" height="180" fill="#7d94a3"/><path d="M0 130 L140 70 L260 120 L400 '
        f'50 '
        f'L620 140 V180 H0z" fill="#4a5f6e"/><circle cx="{rng.randrange(60, 560)}" cy="46" r="24" fill="#e8d9a8"/>'
        f'</svg>'
        f"{texts}</div>",
    )  # fmt: skip


def _calendar(rng: random.Random, ink: Ink) -> Inside:
    first, month = rng.randrange(7), rng.choice(tables.MONTHS)
    cells = ""
    for i in range(35):
        day = i - first + 1
        event = ""
        if 0 < day <= 30 and rng.random() < 0.4:
            colour = rng.choice(("#b45a4a", "#4a7fb4", "#5b9460", "#98752f"))
            event = (
                f'<div style="background:{colour};color:#ffffff;font-size:13px;padding:1px 6px;margin-top:4px;'
                f'border-radius:3px;white-space:nowrap;height:20px">{rng.choice(EVENTS)}</div>'
            )
        number = day if 0 < day <= 30 else ""
        cells += f'<div style="height:94px;border:1px solid {ink.line};padding:6px"><div>{number}</div>{event}</div>'
    return (
        f"Calendar - {month}", "calendar",
        f'<div style="padding:14px 18px"><div style="font-size:22px;font-weight:600;margin-bottom:10px">{month}</div>'
        f'<div style="display:grid;grid-template-columns:repeat(7,1fr)">{cells}</div></div>',
    )  # fmt: skip


def _player(rng: random.Random, ink: Ink) -> Inside:
    horizon = rng.randrange(50, 90)
    artist = rng.choice(("The Copper Kettles", "Ada & the Tides", "Northlight Quartet", "Sable Choir"))
    rows = "".join(
        f'<div style="display:flex;padding:8px 0;border-bottom:1px solid {ink.line}"><div style="width:40px;'
        f'color:{ink.muted}">{i + 1}</div><div style="flex:1">{track}</div><div style="color:{ink.muted}">'
        f"{rng.randrange(2, 6)}:{rng.randrange(60):02d}</div></div>"
        for i, track in enumerate(tables.pick(rng, TRACKS, 11))
    )
    return (
        f"{artist} - Phonolog", "music",
        f'<div style="padding:20px 26px"><div style="display:flex;gap:20px;align-items:center;height:146px">'
        f'<svg width="130" height="130" viewBox="0 0 130 130"><rect width="130" height="130" fill="#9c4f5f"/><circle '
        f'cx="65" cy="65" r="46" fill="#e2b36b"/><rect y="{horizon}" width="130" height="{130 - horizon}" '
        f'fill="#3d3355"/></svg><div><div style="font-size:24px;font-weight:700">{rng.choice(TRACKS)}</div>'
        f'<div style="color:{ink.muted};margin-top:4px">{artist}</div></div></div>{rows}</div>',
    )  # fmt: skip


def _code(rng: random.Random, ink: Ink) -> Inside:
    start = rng.randrange(1, 180)
    lines = "".join(
        f'<div style="display:flex;white-space:pre"><div style="width:54px;color:{ink.muted}">{start + i}</div>'
        f'<div style="color:#b5648f">{word}</div><div>{rest}</div></div>'
        for i, (word, rest) in enumerate(CODE + CODE[:8])
    )
    return (
        "depots.py - parcel-routing", "code",
        f"<div style=\"padding:14px 20px;font-family:'DejaVu Sans Mono';font-size:14px;line-height:1.6\">{lines}</div>",
    )  # fmt: skip


def _writer(rng: random.Random, ink: Ink) -> Inside:
    who, firm = tables.person(rng), rng.choice(tables.COMPANIES)
    texts = "".join(f'<div style="margin-top:14px">{text}</div>' for text in tables.pick(rng, PARAGRAPHS, 3))
    return (
        f"Letter to {firm}", "file_text",
        f'<div style="background:{ink.line};padding:22px 60px 0;height:700px"><div style="background:#ffffff;'
        f"color:#22252a;height:680px;padding:46px 54px;font-family:'DejaVu Serif';font-size:14px;line-height:1.6\">"
        f'<div>{firm}<br/>{tables.address(rng)}<br/>{rng.choice(tables.CITIES)}</div>'
        f'<div style="margin-top:22px">Dear {who},</div>{texts}</div></div>',
    )  # fmt: skip


KINDS: tuple[tuple[str, Callable[[random.Random, Ink], Inside]], ...] = (
    ("notes", _notes), ("chat", _chat), ("monitor", _monitor), ("browser", _browser), ("calendar", _calendar),
    ("music", _player), ("editor", _code), ("writer", _writer),
)  # fmt: skip


def windows_behind(
    rng: random.Random, area: tuple[int, int, int, int], ink: Ink, own: str
) -> Iterator[tuple[int, int, int, int, str, str, str]]:
    """Three windows in the corners of `area` (left, top, width, height), as (x, y, w, h, title, icon, html)."""
    left, top, width, height = area
    corners = rng.sample([(0, 0), (1, 0), (0, 1), (1, 1)], 3)
    for (right, low), (_, kind) in zip(corners, rng.sample([k for k in KINDS if k[0] != own], 3), strict=True):
        w, h = rng.randrange(700, 860), rng.randrange(500, 660)
        dx, dy = rng.randrange(0, 60), rng.randrange(0, 40)
        x = left + (width - w - dx if right else dx)
        y = top + (height - h - dy if low else dy)
        yield (x, y, w, h, *kind(rng, ink))
