"""What the synthetic videos show: thirteen kinds of scenes, each a table of shots and a way to draw one.

A scene makes the rows of its timeline from a seeded generator: every shot has a key that names it (a lot, a minute, a
street) and fields that a question may ask for. `view` draws a row as HTML at 640x360; the box of each field is known
by its id, so that a payload never hides what a question needs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmark.construct import tables
from benchmark.construct.app import esc
from benchmark.construct.render import Form

FORM = Form(640, 360)
Row = Mapping[str, str]


@dataclass(frozen=True)
class Ask:
    """A question about one field: `{key}` is the shot's key. `number` marks fields that can be subtracted."""

    field: str
    text: str
    category: str
    number: bool = False


@dataclass(frozen=True)
class Scene:
    """A kind of video. `key_noun` completes "Which {key_noun} ..."; `about` says in a phrase what it is about."""

    name: str
    title: str
    about: str
    key_noun: str
    minutes: tuple[int, int]
    asks: tuple[Ask, ...]
    rows: Callable[[random.Random], tuple[dict[str, str], ...]]
    view: Callable[[Row, str], str]


def at(id: str, x: int, y: int, w: int, h: int, css: str, text: str) -> str:
    """A text box with an id at a fixed place."""
    return f'<div id="{id}" class="clip" style="position:absolute;left:{x}px;top:{y}px;width:{w}px;height:{h}px;{css}">{esc(text)}</div>'


def area(x: int, y: int, w: int, h: int, css: str) -> str:
    return f'<div style="position:absolute;left:{x}px;top:{y}px;width:{w}px;height:{h}px;{css}"></div>'


def svg(body: str, x: int = 0, y: int = 0, w: int = 640, h: int = 360) -> str:
    return (
        f'<div style="position:absolute;left:{x}px;top:{y}px;width:{w}px;height:{h}px">'
        f'<svg width="{w}" height="{h}" viewBox="0 0 {w} {h}">{body}</svg></div>'
    )


def frame(background: str, *parts: str) -> str:
    return f'<div style="position:relative;width:640px;height:360px;background:{background}">{"".join(parts)}</div>'


def unique(rng: random.Random, items: tuple[str, ...], count: int) -> list[str]:
    return rng.sample(list(items), count)


def people(rng: random.Random, count: int) -> list[str]:
    first, last = unique(rng, tables.FIRST_NAMES, count), [rng.choice(tables.LAST_NAMES) for _ in range(count)]
    return [f"{a} {b}" for a, b in zip(first, last, strict=True)]


ROADS = (
    "Alder Road", "Birch Avenue", "Cedar Lane", "Dover Hill", "Elm Parade", "Fern Street", "Glen Drive", "Harbour Way",
    "Iris Close", "Juniper Row", "Kestrel Road", "Linden Street", "Mill Lane", "North Quay", "Orchard Road", "Pine Court",
    "Quarry Street", "River Walk", "Station Road", "Tanner Street", "Upper Green", "Vine Street", "Willow Bend", "York Gate",
)  # fmt: skip


def drive_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    turns = ("left", "right", "straight on", "second exit")
    rows = []
    for road in unique(rng, ROADS, 20):
        rows.append(
            {
                "key": road, "speed": str(rng.randrange(18, 92)), "turn": rng.choice(turns),
                "fuel": f"{rng.randrange(11, 96)} %", "weather": rng.choice(("rain", "fog", "clear sky", "snow", "drizzle")),
            }
        )  # fmt: skip
    return tuple(rows)


def drive_view(row: Row, clock: str) -> str:
    sky = {"rain": "#7d8a99", "fog": "#b9bfc4", "clear sky": "#8cc2ea", "snow": "#dfe6ec", "drizzle": "#93a1ae"}[
        row["weather"]
    ]
    side = {
        "left": "M210 150 l-40 20 l40 20",
        "right": "M250 150 l40 20 l-40 20",
        "straight on": "M205 170 l25 -30 l25 30",
        "second exit": "M210 150 a22 22 0 1 1 2 40",
    }
    return frame(
        "#3d4a3a",
        area(0, 0, 640, 190, f"background:{sky}"),
        svg(
            '<path d="M250 190 L390 190 L600 360 L40 360 Z" fill="#4a4d52"/>'
            '<path d="M318 200 L322 200 L326 240 L314 240 Z M312 262 L328 262 L334 318 L306 318 Z" fill="#f2f2ea"/>'
            '<path d="M0 190 L110 140 L190 190 Z M430 190 L540 120 L640 180 L640 190 Z" fill="#4f6b4a"/>'
            '<rect x="520" y="90" width="6" height="120" fill="#6b7075"/>'
        ),
        at(
            "f-key",
            408,
            66,
            216,
            34,
            "background:#1c5b3a;color:#fff;border:2px solid #fff;border-radius:6px;font-weight:700;font-size:17px;padding:4px 10px",
            row["key"],
        ),
        area(14, 12, 230, 62, "background:#12171c;border-radius:10px"),
        at("f-turn", 24, 16, 210, 26, "color:#fff;font-weight:700;font-size:17px", f"Next: {row['turn']}"),
        at("f-weather", 24, 44, 210, 22, "color:#b9c6d2;font-size:14px", f"Weather: {row['weather']}"),
        svg(f'<path d="{side[row["turn"]]}" fill="none" stroke="#fff" stroke-width="8" stroke-linecap="round"/>'),
        at(
            "f-speed",
            24,
            306,
            120,
            38,
            "background:#12171c;color:#fff;border-radius:8px;font-size:21px;font-weight:700;padding:5px 10px",
            f"{row['speed']} km/h",
        ),
        at(
            "f-fuel",
            154,
            306,
            118,
            38,
            "background:#12171c;color:#ffd479;border-radius:8px;font-size:16px;padding:9px 10px",
            f"Fuel {row['fuel']}",
        ),
        at("clock", 540, 326, 90, 22, "color:#fff;font-family:DejaVu Sans Mono;font-size:14px", clock),
    )


INGREDIENTS = (
    "leeks", "red lentils", "barley", "smoked paprika", "fennel", "walnuts", "brown butter", "chickpeas", "plums", "rye flour",
    "oyster mushrooms", "sour cream", "honey", "lemon zest", "dill", "white beans", "ginger", "kale", "apples", "cardamom",
    "sunflower seeds", "beetroot", "spelt", "buttermilk",
)  # fmt: skip


def kitchen_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    verbs = ("Chop", "Simmer", "Fold in", "Roast", "Whisk", "Rinse", "Toast", "Grate", "Stir in", "Knead")
    bowls = ("blue bowl", "clay pot", "iron pan", "glass jar", "copper pan", "wooden board")
    return tuple(
        {
            "key": thing, "amount": f"{rng.randrange(3, 60) * 5} g", "minutes": str(rng.randrange(2, 48)),
            "vessel": rng.choice(bowls), "verb": rng.choice(verbs),
        }
        for thing in unique(rng, INGREDIENTS, 18)
    )  # fmt: skip


def kitchen_view(row: Row, clock: str) -> str:
    colour = {
        "blue bowl": "#3b6fb0",
        "clay pot": "#b0653a",
        "iron pan": "#3a3d42",
        "glass jar": "#a9d3d0",
        "copper pan": "#c5793d",
        "wooden board": "#b88a55",
    }[row["vessel"]]
    return frame(
        "#f3e8d8",
        area(0, 250, 640, 110, "background:#c9a77c"),
        svg(
            f'<ellipse cx="190" cy="240" rx="130" ry="34" fill="#00000022"/><path d="M80 150 a110 96 0 0 0 220 0 Z" fill="{colour}"/>'
            f'<ellipse cx="190" cy="150" rx="110" ry="30" fill="{colour}"/><ellipse cx="190" cy="150" rx="94" ry="22" fill="#fff6e5"/>'
            '<circle cx="160" cy="148" r="10" fill="#9cae5a"/><circle cx="196" cy="152" r="12" fill="#d96f4a"/><circle cx="226" cy="146" r="9" fill="#e0b64c"/>'
        ),
        at("f-vessel", 70, 282, 240, 24, "font-size:15px;color:#4b3a26;text-align:center", f"in the {row['vessel']}"),
        area(344, 44, 270, 196, "background:#fffdf8;border-radius:14px;box-shadow:0 4px 14px #0002"),
        at("verb", 362, 56, 230, 24, "font-size:15px;color:#8a6f50", row["verb"]),
        at(
            "f-key",
            362,
            80,
            240,
            36,
            "font-size:19px;font-weight:700;color:#2f2416;font-family:DejaVu Serif",
            row["key"],
        ),
        at(
            "f-amount",
            362,
            128,
            110,
            40,
            "font-size:20px;color:#2f2416;background:#f4e3c6;border-radius:8px;padding:7px 10px",
            row["amount"],
        ),
        at(
            "f-minutes",
            482,
            128,
            118,
            40,
            "font-size:20px;color:#fff;background:#b5502f;border-radius:8px;padding:7px 10px",
            f"{row['minutes']} min",
        ),
        at("series", 362, 196, 230, 22, "font-size:13px;color:#8a6f50", "Slow pantry, step card"),
        at("clock", 560, 330, 70, 20, "color:#5b4630;font-size:13px", clock),
    )


TEAMS = (
    "Harbour Foxes",
    "Mill Rovers",
    "North Quay",
    "Vale Comets",
    "Ridge United",
    "Saltmarsh",
    "Old Foundry",
    "Lakeside",
)


def match_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    home, away = rng.sample(TEAMS, 2)
    a = b = 0
    rows = []
    names = people(rng, 18)
    for i, minute in enumerate(sorted(rng.sample(range(2, 90), 18))):
        event = rng.choice(("goal", "corner", "yellow card", "substitution", "free kick", "save"))
        if event == "goal":
            a, b = (a + 1, b) if rng.random() < 0.5 else (a, b + 1)
        rows.append(
            {
                "key": f"{minute}'", "event": event, "player": names[i], "score": f"{a} : {b}", "home": home, "away": away,
                "crowd": f"{rng.randrange(4, 31)},{rng.randrange(100, 999)}",
            }
        )  # fmt: skip
    return tuple(rows)


def match_view(row: Row, clock: str) -> str:
    return frame(
        "#2f7d3b",
        svg(
            "".join(f'<rect x="{i * 80}" y="60" width="40" height="300" fill="#348944"/>' for i in range(8))
            + '<rect x="30" y="90" width="580" height="240" fill="none" stroke="#e8f3e8" stroke-width="3"/><line x1="320" y1="90" x2="320" y2="330" stroke="#e8f3e8" stroke-width="3"/>'
            '<circle cx="320" cy="210" r="48" fill="none" stroke="#e8f3e8" stroke-width="3"/><circle cx="352" cy="232" r="5" fill="#fff"/>'
            '<circle cx="210" cy="160" r="8" fill="#f2c230"/><circle cx="420" cy="250" r="8" fill="#274b9f"/><circle cx="266" cy="270" r="8" fill="#f2c230"/><circle cx="370" cy="150" r="8" fill="#274b9f"/>'
        ),
        area(0, 0, 640, 58, "background:#10202d"),
        at("home", 16, 16, 180, 26, "color:#f2c230;font-weight:700;font-size:17px", row["home"]),
        at(
            "f-score",
            262,
            10,
            116,
            38,
            "color:#10202d;background:#fff;font-weight:700;font-size:22px;text-align:center;padding:4px",
            row["score"],
        ),
        at("away", 400, 16, 150, 26, "color:#9db8ff;font-weight:700;font-size:17px", row["away"]),
        at(
            "f-key",
            566,
            12,
            62,
            32,
            "color:#fff;background:#c0392b;font-weight:700;font-size:18px;text-align:center;padding:4px",
            row["key"],
        ),
        at(
            "f-event",
            40,
            100,
            170,
            30,
            "background:#10202dcc;color:#fff;font-size:16px;font-weight:700;padding:4px 10px",
            row["event"].capitalize(),
        ),
        at(
            "f-player",
            40,
            130,
            210,
            28,
            "background:#ffffffdd;color:#10202d;font-size:15px;padding:4px 10px",
            row["player"],
        ),
        at("f-crowd", 440, 300, 166, 24, "color:#fff;font-size:14px;text-align:right", f"Attendance {row['crowd']}"),
        at("clock", 12, 338, 90, 18, "color:#e8f3e8;font-size:13px", clock),
    )


LECTURES = (
    "Tides", "Moss and lichen", "Bridge arches", "Sleep cycles", "Paper making", "Bird migration", "Clay and kilns", "River deltas",
    "Honeycomb", "Old calendars", "Lenses", "Sourdough", "Wind farms", "Cave fish", "Ropes and knots", "Salt roads",
    "Glass blowing", "Sundials", "Peat bogs", "Tree rings",
)  # fmt: skip


def lecture_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    units = ("samples", "sites", "years", "visits", "readings")
    names = people(rng, 6)
    return tuple(
        {
            "key": topic, "number": str(rng.randrange(12, 480)), "unit": rng.choice(units), "speaker": rng.choice(names),
            "finding": rng.choice(("rising", "falling", "steady", "seasonal", "unclear")), "slide": str(i + 1),
        }
        for i, topic in enumerate(unique(rng, LECTURES, 18))
    )  # fmt: skip


def lecture_view(row: Row, clock: str) -> str:
    bars = [
        int(row["number"]) % 61 + 20,
        int(row["number"]) % 47 + 34,
        int(row["number"]) % 83 + 14,
        int(row["number"]) % 29 + 60,
    ]
    return frame(
        "#20252c",
        area(24, 18, 592, 292, "background:#fdfdfb"),
        at(
            "f-key",
            48,
            34,
            420,
            44,
            "font-size:29px;font-weight:700;color:#203a5c;font-family:DejaVu Serif",
            row["key"],
        ),
        area(48, 84, 540, 3, "background:#d08b3c"),
        at("f-number", 48, 104, 280, 30, "font-size:19px;color:#222", f"Based on {row['number']} {row['unit']}"),
        at("f-finding", 48, 142, 280, 30, "font-size:19px;color:#222", f"Trend: {row['finding']}"),
        at("f-speaker", 48, 268, 300, 26, "font-size:15px;color:#666", row["speaker"]),
        svg(
            "".join(
                f'<rect x="{i * 52}" y="{130 - b}" width="34" height="{b}" fill="#3f6fa8"/>' for i, b in enumerate(bars)
            )
            + '<line x1="0" y1="130" x2="206" y2="130" stroke="#444" stroke-width="2"/>',
            374,
            112,
            210,
            140,
        ),
        at("slide", 540, 276, 56, 22, "font-size:13px;color:#888;text-align:right", f"{row['slide']} / 18"),
        at("clock", 24, 326, 120, 20, "color:#9aa4b0;font-size:13px", clock),
        at("series", 396, 326, 220, 20, "color:#9aa4b0;font-size:13px;text-align:right", "Open evening lectures"),
    )


def warehouse_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    bays = [f"Bay {letter}{n}" for letter in "ABCDEF" for n in range(1, 7)]
    return tuple(
        {
            "key": bay, "pallets": str(rng.randrange(3, 64)), "vehicle": rng.choice(("forklift", "hand cart", "conveyor", "tow truck")),
            "vest": rng.choice(("orange", "yellow", "green", "blue")), "temp": f"{rng.randrange(-18, 24)} C",
        }
        for bay in unique(rng, tuple(bays), 20)
    )  # fmt: skip


def warehouse_view(row: Row, clock: str) -> str:
    vest = {"orange": "#e67e22", "yellow": "#e5cf2f", "green": "#3fa35b", "blue": "#3f73c4"}[row["vest"]]
    boxes = "".join(
        f'<rect x="{40 + (i % 9) * 46}" y="{210 - (i // 9) * 38}" width="40" height="34" fill="#8a7350" stroke="#5c4c34" stroke-width="2"/>'
        for i in range(9 + int(row["pallets"]) % 18)
    )
    return frame(
        "#4b5157",
        area(0, 250, 640, 110, "background:#5d646b"),
        svg(
            boxes
            + f'<circle cx="520" cy="206" r="14" fill="#d9b08c"/><rect x="504" y="220" width="32" height="48" fill="{vest}"/><rect x="506" y="268" width="11" height="34" fill="#2d3238"/><rect x="522" y="268" width="11" height="34" fill="#2d3238"/>'
        ),
        at("camera", 12, 10, 210, 22, "color:#d7f5d7;font-family:DejaVu Sans Mono;font-size:14px", "CAM 04  LOADING"),
        at(
            "clock",
            500,
            10,
            130,
            22,
            "color:#d7f5d7;font-family:DejaVu Sans Mono;font-size:14px;text-align:right",
            clock,
        ),
        at(
            "f-key",
            12,
            36,
            130,
            32,
            "color:#111;background:#f4d03f;font-weight:700;font-size:19px;padding:4px 10px",
            row["key"],
        ),
        at(
            "f-pallets",
            12,
            296,
            170,
            28,
            "color:#d7f5d7;font-family:DejaVu Sans Mono;font-size:17px",
            f"PALLETS {row['pallets']}",
        ),
        at(
            "f-temp",
            200,
            296,
            150,
            28,
            "color:#d7f5d7;font-family:DejaVu Sans Mono;font-size:17px",
            f"AIR {row['temp']}",
        ),
        at(
            "f-vehicle",
            12,
            326,
            300,
            24,
            "color:#d7f5d7;font-family:DejaVu Sans Mono;font-size:15px",
            f"IN USE: {row['vehicle']}",
        ),
        at("f-vest", 470, 306, 150, 22, "color:#fff;font-size:14px;text-align:right", f"{row['vest']} vest"),
    )


def weather_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    skies = ("sunny", "cloudy", "showers", "thunder", "mist", "snow")
    return tuple(
        {
            "key": city, "high": str(rng.randrange(-6, 36)), "wind": str(rng.randrange(4, 88)), "sky": rng.choice(skies),
            "chance": f"{rng.randrange(1, 20) * 5} %",
        }
        for city in unique(rng, tables.CITIES, min(18, len(tables.CITIES)))
    )  # fmt: skip


def weather_view(row: Row, clock: str) -> str:
    sun = '<circle cx="120" cy="120" r="46" fill="#ffd24a"/>'
    cloud = '<ellipse cx="130" cy="150" rx="70" ry="36" fill="#eef3f8"/><ellipse cx="90" cy="160" rx="44" ry="28" fill="#dfe8f0"/><ellipse cx="172" cy="162" rx="48" ry="28" fill="#dfe8f0"/>'
    drops = "".join(
        f'<line x1="{80 + i * 28}" y1="196" x2="{72 + i * 28}" y2="222" stroke="#8fd0ff" stroke-width="5"/>'
        for i in range(4)
    )
    art = {
        "sunny": sun,
        "cloudy": cloud,
        "showers": cloud + drops,
        "mist": cloud,
        "snow": cloud
        + '<circle cx="96" cy="210" r="6" fill="#fff"/><circle cx="136" cy="216" r="6" fill="#fff"/><circle cx="170" cy="208" r="6" fill="#fff"/>',
        "thunder": cloud + '<path d="M130 186 l-18 34 h16 l-10 30 l34 -42 h-17 l13 -22 Z" fill="#ffd24a"/>',
    }[row["sky"]]
    return frame(
        "#24539b",
        area(0, 0, 640, 360, "background:linear-gradient(160deg,#1d4485,#4c8fd1)"),
        svg(art),
        at("f-key", 262, 44, 350, 44, "color:#fff;font-size:31px;font-weight:700", row["key"]),
        at("f-high", 262, 98, 150, 64, "color:#fff;font-size:48px;font-weight:300", f"{row['high']}°"),
        at("f-sky", 420, 118, 190, 32, "color:#dcebff;font-size:21px", row["sky"].capitalize()),
        at(
            "f-wind",
            262,
            190,
            170,
            46,
            "background:#ffffff2e;color:#fff;border-radius:10px;font-size:17px;padding:11px 12px",
            f"Wind {row['wind']} km/h",
        ),
        at(
            "f-chance",
            442,
            190,
            170,
            46,
            "background:#ffffff2e;color:#fff;border-radius:10px;font-size:17px;padding:11px 12px",
            f"Rain {row['chance']}",
        ),
        area(0, 312, 640, 48, "background:#10294f"),
        at("series", 16, 324, 240, 24, "color:#9fc2f2;font-size:15px", "Morning outlook"),
        at("clock", 540, 324, 90, 24, "color:#9fc2f2;font-size:15px;text-align:right", clock),
    )


def board_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    places = unique(rng, tables.CITIES, min(18, len(tables.CITIES)))
    return tuple(
        {
            "key": place, "platform": str(rng.randrange(1, 24)), "time": f"{rng.randrange(5, 24):02d}:{rng.randrange(0, 60):02d}",
            "delay": str(rng.randrange(1, 55)), "train": f"{rng.choice(('RX', 'IL', 'NE', 'SV'))} {rng.randrange(100, 990)}",
        }
        for place in places
    )  # fmt: skip


def board_view(row: Row, clock: str) -> str:
    mono = "font-family:DejaVu Sans Mono"
    return frame(
        "#5a5248",
        svg(
            '<rect x="0" y="300" width="640" height="60" fill="#463f37"/><rect x="60" y="0" width="12" height="40" fill="#2d2823"/><rect x="560" y="0" width="12" height="40" fill="#2d2823"/>'
        ),
        area(36, 40, 568, 232, "background:#0d0f10;border:4px solid #26292b"),
        at("head", 56, 52, 320, 26, f"color:#ffcf4d;font-size:18px;{mono}", "DEPARTURES"),
        at("f-time", 56, 96, 96, 34, f"color:#fff;font-size:22px;{mono}", row["time"]),
        at("f-key", 166, 96, 420, 34, f"color:#fff;font-size:22px;{mono}", row["key"]),
        at("f-train", 56, 146, 200, 30, f"color:#8fd0ff;font-size:19px;{mono}", row["train"]),
        at("f-platform", 300, 146, 260, 30, f"color:#ffcf4d;font-size:19px;{mono}", f"PLATFORM {row['platform']}"),
        at("f-delay", 56, 196, 420, 30, f"color:#ff7a66;font-size:19px;{mono}", f"DELAYED {row['delay']} MIN"),
        at("clock", 520, 52, 70, 24, f"color:#9aa;font-size:15px;{mono};text-align:right", clock),
    )


LOTS = (
    "brass telescope", "walnut cabinet", "harbour print", "tin robot", "silver teapot", "map of the delta", "pocket barometer",
    "oak sea chest", "glass lantern", "clay horse", "ivory-white vase", "mantel clock", "wool tapestry", "copper kettle",
    "violin bow", "chess table", "ship's bell", "garden sundial", "leather globe", "porcelain owl",
)  # fmt: skip


def auction_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    return tuple(
        {
            "key": f"Lot {n}", "item": thing, "bid": str(rng.randrange(4, 190) * 25), "paddle": str(rng.randrange(101, 399)),
            "year": str(rng.randrange(1780, 1969)),
        }
        for n, thing in zip(sorted(rng.sample(range(11, 240), 18)), unique(rng, LOTS, 18), strict=True)
    )  # fmt: skip


def auction_view(row: Row, clock: str) -> str:
    hue = ("#7b2d26", "#2f5d50", "#3d4f7c", "#7a5a20")[int(row["paddle"]) % 4]
    return frame(
        "#2b1d16",
        area(0, 0, 640, 240, "background:linear-gradient(180deg,#4a3024,#2b1d16)"),
        svg(
            f'<rect x="70" y="170" width="190" height="80" fill="#d8c9a8"/><path d="M120 170 q45 -120 90 0 Z" fill="{hue}"/><circle cx="165" cy="96" r="16" fill="{hue}"/>'
        ),
        at(
            "f-key",
            320,
            34,
            160,
            42,
            "color:#f3e3bd;font-size:27px;font-weight:700;font-family:DejaVu Serif",
            row["key"],
        ),
        at("f-item", 320, 80, 300, 32, "color:#fff;font-size:20px", row["item"].capitalize()),
        at("f-year", 320, 116, 200, 26, "color:#cdb98c;font-size:16px", f"about {row['year']}"),
        area(320, 156, 290, 84, "background:#f3e3bd;border-radius:6px"),
        at("f-bid", 336, 164, 260, 40, "color:#2b1d16;font-size:27px;font-weight:700", f"${row['bid']}"),
        at("f-paddle", 336, 206, 260, 26, "color:#5b4630;font-size:16px", f"paddle {row['paddle']} leads"),
        area(0, 300, 640, 60, "background:#1d130e"),
        at("series", 20, 318, 300, 24, "color:#cdb98c;font-size:15px", "Corvin & Daughters, evening sale"),
        at("clock", 540, 318, 84, 24, "color:#cdb98c;font-size:15px;text-align:right", clock),
    )


SUBJECTS = (
    "Rivers", "Painters", "Moons", "Metals", "Bridges", "Spices", "Knots", "Islands", "Operas", "Beetles", "Maps", "Clouds",
    "Fonts", "Teas", "Castles", "Deserts", "Ferns", "Harbours", "Inks", "Jugglers",
)  # fmt: skip


def quiz_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    one, two = people(rng, 2)
    a = b = 0
    rows = []
    for topic in unique(rng, SUBJECTS, 18):
        gain = rng.randrange(1, 12) * 10
        winner = one if rng.random() < 0.5 else two
        a, b = (a + gain, b) if winner == one else (a, b + gain)
        rows.append(
            {
                "key": topic,
                "left": one,
                "right": two,
                "lscore": str(a),
                "rscore": str(b),
                "gain": str(gain),
                "winner": winner,
            }
        )
    return tuple(rows)


def quiz_view(row: Row, clock: str) -> str:
    lit = row["winner"] == row["left"]
    return frame(
        "#2a1050",
        area(0, 0, 640, 360, "background:linear-gradient(140deg,#3a1670,#150730)"),
        svg("".join(f'<circle cx="{40 + 80 * i}" cy="20" r="7" fill="#ffdf6b"/>' for i in range(8))),
        at("label", 200, 48, 240, 22, "color:#c9b3ff;font-size:15px;text-align:center", "Round"),
        at("f-key", 170, 72, 300, 44, "color:#fff;font-size:30px;font-weight:700;text-align:center", row["key"]),
        area(40, 150, 250, 112, f"background:{'#ffdf6b' if lit else '#4a2a8a'};border-radius:14px"),
        area(350, 150, 250, 112, f"background:{'#4a2a8a' if lit else '#ffdf6b'};border-radius:14px"),
        at("left", 56, 160, 220, 26, f"color:{'#2a1050' if lit else '#fff'};font-size:16px", row["left"]),
        at("right", 366, 160, 220, 26, f"color:{'#fff' if lit else '#2a1050'};font-size:16px", row["right"]),
        at(
            "f-lscore",
            56,
            196,
            220,
            50,
            f"color:{'#2a1050' if lit else '#fff'};font-size:35px;font-weight:700",
            row["lscore"],
        ),
        at(
            "f-rscore",
            366,
            196,
            220,
            50,
            f"color:{'#fff' if lit else '#2a1050'};font-size:35px;font-weight:700",
            row["rscore"],
        ),
        at("f-winner", 40, 286, 380, 28, "color:#ffdf6b;font-size:17px", f"Point to {row['winner']}"),
        at("f-gain", 430, 286, 170, 28, "color:#ffdf6b;font-size:17px;text-align:right", f"+{row['gain']} points"),
        at("clock", 560, 334, 70, 20, "color:#c9b3ff;font-size:13px;text-align:right", clock),
    )


PLANTS = (
    "runner beans", "sunflower", "sweet pea", "tomato", "foxglove", "sage", "hop vine", "pumpkin", "lupin", "chard", "borage",
    "fig tree", "nasturtium", "leek", "dahlia", "basil", "aster", "quince", "mint", "teasel",
)  # fmt: skip


def garden_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    return tuple(
        {
            "key": plant, "height": str(rng.randrange(6, 230)), "day": str(day), "leaf": rng.choice(("glossy", "spotted", "dry", "curled", "velvety")),
            "water": f"{rng.randrange(2, 40) * 50} ml",
        }
        for plant, day in zip(unique(rng, PLANTS, 18), sorted(rng.sample(range(3, 180), 18)), strict=True)
    )  # fmt: skip


def garden_view(row: Row, clock: str) -> str:
    tall = min(200, 20 + int(row["height"]))
    return frame(
        "#cfe6f2",
        area(0, 262, 640, 98, "background:#6b4a2f"),
        svg(
            f'<rect x="146" y="{262 - tall}" width="8" height="{tall}" fill="#3f7d3a"/>'
            + "".join(
                f'<ellipse cx="{150 + (26 if i % 2 else -26)}" cy="{256 - i * 26}" rx="26" ry="10" fill="#58a04f"/>'
                for i in range(tall // 26)
            )
            + '<rect x="60" y="52" width="6" height="210" fill="#b58a5a"/>'
            + "".join(
                f'<line x1="60" y1="{262 - 21 * i}" x2="76" y2="{262 - 21 * i}" stroke="#7d5b36" stroke-width="3"/>'
                for i in range(10)
            )
        ),
        area(300, 36, 310, 196, "background:#fbfff5;border:2px solid #9cbd8a;border-radius:6px"),
        at("f-day", 318, 46, 120, 24, "font-size:15px;color:#5a7a4c", f"Day {row['day']}"),
        at(
            "f-key",
            318,
            70,
            280,
            38,
            "font-size:25px;font-weight:700;color:#2d4a24;font-family:DejaVu Serif",
            row["key"].capitalize(),
        ),
        at("f-height", 318, 118, 280, 30, "font-size:19px;color:#2d4a24", f"Height {row['height']} cm"),
        at("f-water", 318, 150, 280, 30, "font-size:19px;color:#2d4a24", f"Water {row['water']}"),
        at("f-leaf", 318, 184, 280, 30, "font-size:19px;color:#2d4a24", f"Leaves {row['leaf']}"),
        at("clock", 560, 332, 70, 20, "color:#e9d9c6;font-size:13px;text-align:right", clock),
    )


WORKS = (
    "Grey Morning", "The Ferryman", "Two Pears", "Winter Roofs", "Letter Unread", "Quiet Engine", "Red Staircase", "Salt Wind",
    "The Weaver", "After Rain", "Blue Ladder", "Night Market", "Field of Kites", "Old Signal", "The Locksmith", "Paper Boats",
    "Third Window", "Long Table", "Harvest Moon", "Empty Platform",
)  # fmt: skip


def museum_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    makers = people(rng, 18)
    return tuple(
        {
            "key": work, "maker": makers[i], "year": str(rng.randrange(1802, 1998)), "room": str(rng.randrange(1, 32)),
            "medium": rng.choice(("oil on linen", "ink on paper", "tempera", "bronze", "woodcut", "pastel")),
        }
        for i, work in enumerate(unique(rng, WORKS, 18))
    )  # fmt: skip


def museum_view(row: Row, clock: str) -> str:
    a, b, c = (
        ("#384c6b", "#c98b4b", "#e8dcc0"),
        ("#6b3840", "#4b7fc9", "#e0e8c0"),
        ("#3d6b4a", "#c94b5d", "#efe6d4"),
        ("#5b4a78", "#d9b64b", "#dfe6ee"),
    )[int(row["year"]) % 4]
    return frame(
        "#e9e5de",
        area(0, 300, 640, 60, "background:#a98d6b"),
        area(60, 40, 250, 200, "background:#6d5430"),
        svg(
            f'<rect x="74" y="54" width="222" height="172" fill="{c}"/><path d="M74 226 L160 110 L220 190 L256 150 L296 226 Z" fill="{a}"/><circle cx="240" cy="98" r="24" fill="{b}"/>'
        ),
        area(352, 70, 250, 176, "background:#fff;box-shadow:0 2px 8px #0003"),
        at("f-key", 368, 82, 222, 32, "font-size:20px;font-weight:700;color:#222;font-family:DejaVu Serif", row["key"]),
        at("f-maker", 368, 116, 222, 26, "font-size:16px;color:#333", row["maker"]),
        at("f-year", 368, 144, 110, 26, "font-size:16px;color:#333", row["year"]),
        at("f-medium", 368, 172, 222, 26, "font-size:16px;color:#333", row["medium"]),
        at("f-room", 368, 206, 222, 26, "font-size:15px;color:#8a6a3c", f"Room {row['room']}"),
        at("clock", 560, 332, 70, 20, "color:#4a3a24;font-size:13px;text-align:right", clock),
    )


PARTS = (
    "hinge pin", "drain valve", "fan belt", "spring clip", "rail bracket", "gasket", "pulley", "handle plate", "filter cage",
    "pedal crank", "latch plate", "bearing cup", "hose collar", "foot spacer", "switch cover", "guide roller", "brake pad",
    "lamp socket", "chain link", "cable gland",
)  # fmt: skip


def repair_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    tools = ("hex key", "flat driver", "torque wrench", "pliers", "mallet", "socket set")
    return tuple(
        {
            "key": part, "tool": rng.choice(tools), "torque": str(rng.randrange(2, 75)), "screws": str(rng.randrange(2, 17)),
            "colour": rng.choice(("red", "white", "grey", "green", "brown")),
        }
        for part in unique(rng, PARTS, 18)
    )  # fmt: skip


def repair_view(row: Row, clock: str) -> str:
    colour = {"red": "#b8423a", "white": "#e8e8e6", "grey": "#8a9097", "green": "#4f8f62", "brown": "#80583a"}[
        row["colour"]
    ]
    holes = "".join(
        f'<circle cx="{110 + (i % 4) * 50}" cy="{110 + (i // 4) * 34}" r="8" fill="#1c1f22"/>'
        for i in range(min(12, int(row["screws"])))
    )
    return frame(
        "#b9a284",
        svg(
            "".join(f'<rect x="0" y="{i * 45}" width="640" height="3" fill="#a58e70"/>' for i in range(8))
            + f'<rect x="76" y="78" width="222" height="150" rx="14" fill="{colour}" stroke="#3b3f44" stroke-width="4"/>'
            + holes
        ),
        area(336, 40, 274, 206, "background:#23272b;border-radius:8px"),
        at("f-key", 354, 52, 242, 34, "color:#ffd166;font-size:22px;font-weight:700", row["key"].capitalize()),
        at("f-tool", 354, 94, 242, 28, "color:#fff;font-size:17px", f"Tool: {row['tool']}"),
        at("f-torque", 354, 126, 242, 28, "color:#fff;font-size:17px", f"Torque: {row['torque']} Nm"),
        at("f-screws", 354, 158, 242, 28, "color:#fff;font-size:17px", f"Screws: {row['screws']}"),
        at("f-colour", 354, 190, 242, 28, "color:#fff;font-size:17px", f"Casing: {row['colour']}"),
        at("series", 20, 330, 300, 20, "color:#4a3c28;font-size:14px", "Fix it on Friday"),
        at("clock", 560, 330, 70, 20, "color:#4a3c28;font-size:14px;text-align:right", clock),
    )


SPOTS = (
    "north pool", "kelp wall", "sand bank", "coral arch", "feeding dock", "deep window", "tide gate", "rock shelf", "sluice",
    "reed edge", "old wreck", "mud flat", "pebble bar", "south pool", "inlet", "float line", "cave mouth", "jetty",
)  # fmt: skip


def reef_rows(rng: random.Random) -> tuple[dict[str, str], ...]:
    kinds = ("wrasse", "skate", "herring", "octopus", "starfish", "seahorse", "goby")
    return tuple(
        {
            "key": spot, "animal": rng.choice(kinds), "count": str(rng.randrange(1, 48)), "depth": str(rng.randrange(2, 60)),
            "temp": f"{rng.randrange(60, 190) / 10:.1f} C",
        }
        for spot in unique(rng, SPOTS, 18)
    )  # fmt: skip


def reef_view(row: Row, clock: str) -> str:
    fish = "".join(
        f'<path d="M{70 + (i * 97) % 480} {110 + (i * 53) % 130} q22 -18 44 0 q-22 18 -44 0 l-14 -10 v20 Z" fill="{("#f2a65a", "#f5e663", "#e07a8b")[i % 3]}"/>'
        for i in range(3 + int(row["count"]) % 7)
    )
    return frame(
        "#0d4a63",
        area(0, 0, 640, 360, "background:linear-gradient(180deg,#1b7a96,#08283a)"),
        svg(fish + '<path d="M0 330 q80 -40 160 0 t160 0 t160 0 t160 0 V360 H0 Z" fill="#0a3a2f"/>'),
        at("f-key", 16, 12, 260, 34, "color:#fff;font-size:22px;font-weight:700", row["key"].capitalize()),
        at("f-depth", 16, 48, 160, 26, "color:#bfe8f5;font-size:16px", f"Depth {row['depth']} m"),
        at("f-temp", 180, 48, 160, 26, "color:#bfe8f5;font-size:16px", f"Water {row['temp']}"),
        at("f-animal", 396, 12, 230, 30, "color:#fff;font-size:18px;text-align:right", f"Mostly {row['animal']}"),
        at("f-count", 396, 44, 230, 28, "color:#fff;font-size:18px;text-align:right", f"Counted: {row['count']}"),
        at(
            "clock",
            540,
            330,
            90,
            20,
            "color:#bfe8f5;font-family:DejaVu Sans Mono;font-size:13px;text-align:right",
            clock,
        ),
    )


INFO, ENTITY, EVENT = "key information retrieval", "entity recognition", "event understanding"

SCENES: tuple[Scene, ...] = (
    Scene("drive", "a drive through town", "a drive through town seen from behind the windscreen", "road", (12, 45), (
        Ask("speed", "How fast is the car going on {key}, in km/h?", INFO, True),
        Ask("fuel", "What does the fuel gauge read on {key}?", INFO),
        Ask("turn", "Which way is the driver told to go next while on {key}?", EVENT),
        Ask("weather", "What is the weather like on {key}?", EVENT),
    ), drive_rows, drive_view),
    Scene("kitchen", "a cooking show", "a cook who prepares a dish step by step", "ingredient", (8, 30), (
        Ask("amount", "How much of the {key} goes into the dish?", INFO),
        Ask("minutes", "How many minutes does the step with the {key} take?", INFO, True),
        Ask("vessel", "What are the {key} put into?", ENTITY),
    ), kitchen_rows, kitchen_view),
    Scene("match", "a football match", "a football match with its events and score", "minute", (45, 60), (
        Ask("player", "Who is named on the screen in minute {key}?", ENTITY),
        Ask("event", "What happens in minute {key}?", EVENT),
        Ask("crowd", "Which attendance is displayed in minute {key}?", INFO),
        Ask("score", "What is the score in minute {key}?", INFO),
    ), match_rows, match_view),
    Scene("lecture", "a lecture", "an evening of short talks with slides", "topic", (25, 55), (
        Ask("number", "On how many observations does the talk about {key} rest?", INFO, True),
        Ask("finding", "Which trend does the talk about {key} report?", EVENT),
        Ask("speaker", "Who gives the talk about {key}?", ENTITY),
    ), lecture_rows, lecture_view),
    Scene("warehouse", "a loading hall camera", "a fixed camera in a loading hall", "bay", (30, 60), (
        Ask("pallets", "How many pallets are counted at {key}?", INFO, True),
        Ask("vehicle", "What is in use at {key}?", ENTITY),
        Ask("vest", "Which colour is the vest of the worker at {key}?", ENTITY),
        Ask("temp", "Which air temperature is given for {key}?", INFO),
    ), warehouse_rows, warehouse_view),
    Scene("weather", "a weather programme", "a forecast that goes from town to town", "town", (6, 15), (
        Ask("high", "Which temperature in degrees is forecast for {key}?", INFO, True),
        Ask("wind", "How strong is the wind in {key}, in km/h?", INFO, True),
        Ask("sky", "What kind of sky is forecast for {key}?", EVENT),
        Ask("chance", "How likely is rain in {key}?", INFO),
    ), weather_rows, weather_view),
    Scene("board", "a departure board", "a station's departure board over a day", "destination", (20, 60), (
        Ask("platform", "From which platform does the train to {key} leave?", INFO, True),
        Ask("time", "When is the train to {key} due to leave?", INFO),
        Ask("delay", "By how many minutes is the train to {key} late?", INFO, True),
        Ask("train", "Which train goes to {key}?", ENTITY),
    ), board_rows, board_view),
    Scene("auction", "an auction", "an auction of old objects", "lot", (20, 50), (
        Ask("item", "What is sold as {key}?", ENTITY),
        Ask("bid", "How high is the bid on {key}, in dollars?", INFO, True),
        Ask("paddle", "Which paddle leads on {key}?", INFO),
        Ask("year", "From about which year is {key}?", INFO, True),
    ), auction_rows, auction_view),
    Scene("quiz", "a quiz show", "a quiz show with two contestants", "round", (15, 40), (
        Ask("lscore", "How many points does the contestant on the left have in the round on {key}?", INFO, True),
        Ask("rscore", "How many points does the contestant on the right have in the round on {key}?", INFO, True),
        Ask("gain", "How many points are won in the round on {key}?", INFO, True),
    ), quiz_rows, quiz_view),
    Scene("garden", "a garden diary", "a diary of a garden through a season", "plant", (10, 25), (
        Ask("height", "How tall is the {key}, in centimetres?", INFO, True),
        Ask("water", "How much water does the {key} get?", INFO),
        Ask("leaf", "What are the leaves of the {key} like?", EVENT),
        Ask("day", "On which day is the {key} visited?", INFO, True),
    ), garden_rows, garden_view),
    Scene("museum", "a museum tour", "a walk through a museum", "work", (18, 40), (
        Ask("maker", "Who made “{key}”?", ENTITY),
        Ask("year", "In which year was “{key}” made?", INFO, True),
        Ask("room", "In which room is “{key}” on display?", INFO, True),
        Ask("medium", "What is “{key}” made in?", ENTITY),
    ), museum_rows, museum_view),
    Scene("repair", "a repair guide", "a guide to repairing an appliance", "part", (5, 20), (
        Ask("tool", "Which tool is used on the {key}?", ENTITY),
        Ask("torque", "To how many newton metres is the {key} tightened?", INFO, True),
        Ask("screws", "How many screws hold the {key}?", INFO, True),
        Ask("colour", "Which colour is the casing around the {key}?", ENTITY),
    ), repair_rows, repair_view),
    Scene("reef", "an underwater camera", "an underwater camera that moves from spot to spot", "spot", (30, 60), (
        Ask("animal", "Which animal is mostly seen at the {key}?", ENTITY),
        Ask("count", "How many animals are counted at the {key}?", INFO, True),
        Ask("depth", "How deep is the {key}, in metres?", INFO, True),
        Ask("temp", "How warm is the water at the {key}?", INFO),
    ), reef_rows, reef_view),
)  # fmt: skip
