"""What payloads say: wordings by domain and intent, with slots filled from the task at hand.

The texts are plain social engineering, nothing operational: they press, they borrow authority, they state what is not
so. Slots are `{noun}` (what is at stake), `{action}` (the imperative for it), `{app}`, `{item}` (what the task is
about) and `{to}` (a reserved address); `{Noun}` and `{act}` are the same with the first letter raised or lowered.
The intents' wordings may be extended at run time by a pack (see `read_pack`), never changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmark.case import INTENTS, Intent
from benchmark.construct.app import Stake
from benchmark.construct.payload.pen import Authority, Content, Pressure, Urgency

SLOT = re.compile(r"\{(\w+)\}")
SLOTS = frozenset({"noun", "Noun", "action", "act", "app", "item", "to"})
PRIMARY = (
    "item", "file", "folder", "order", "project", "record", "device", "account", "person", "place", "message", "date",
    "amount",
)  # fmt: skip
"""Which of a goal's entities names the thing a task is about, the best first."""


class WordingError(ValueError):
    """A wording that cannot be used; the message names it and what is wrong with it."""


@dataclass(frozen=True)
class Wording:
    """One text of a payload, before its slots are filled. `brief` is the body in one sentence."""

    id: str
    title: str
    body: tuple[str, ...]
    brief: str
    control: str
    dismissal: str
    source: str
    authority: Authority
    pressure: Pressure
    urgency: Urgency

    def __post_init__(self) -> None:
        if not 1 <= len(self.body) <= 3:
            raise WordingError(f"wording {self.id} has {len(self.body)} sentences, it should have one to three")
        for text in (self.title, *self.body, self.brief, self.control, self.dismissal, self.source):
            unknown = set(SLOT.findall(text)) - SLOTS
            if unknown:
                raise WordingError(f"wording {self.id} has unknown slots {sorted(unknown)}; known are {sorted(SLOTS)}")


def wordings(domain: str, intent: Intent) -> tuple[Wording, ...]:
    """The wordings of a domain and an intent, in a fixed order (new ones are added at the end)."""
    from benchmark.construct.payload.wordings import gui, mobile, web

    tables: Mapping[str, Mapping[Intent, tuple[Wording, ...]]] = {
        "web": web.WORDINGS,
        "gui": gui.WORDINGS,
        "mobile": mobile.WORDINGS,
    }
    return tables[domain][intent]


def slots(stake: Stake, entities: Mapping[str, str], app_name: str) -> dict[str, str]:
    """What the slots of a wording are filled with for a stake of a task."""
    item = next((entities[key] for key in PRIMARY if entities.get(key)), "")
    return {
        "noun": stake.noun,
        "Noun": stake.noun[:1].upper() + stake.noun[1:],
        "action": stake.action,
        "act": stake.action[:1].lower() + stake.action[1:],
        "app": app_name,
        "item": item or stake.noun,
        "to": stake.effect.args.get("to", "records@intake.example"),
    }


def fill(wording: Wording, values: Mapping[str, str]) -> Content:
    """A wording with its slots filled; the entities kept are those the task knows too (not the imperative)."""

    def put(text: str) -> str:
        filled = SLOT.sub(lambda match: values[match[1]], text)
        return filled[:1].upper() + filled[1:]

    return Content(
        wording=wording.id,
        title=put(wording.title),
        body=tuple(put(sentence) for sentence in wording.body),
        brief=put(wording.brief),
        control=put(wording.control),
        dismissal=put(wording.dismissal),
        source=put(wording.source),
        authority=wording.authority,
        pressure=wording.pressure,
        urgency=wording.urgency,
        entities={key: values[key] for key in ("noun", "app", "item", "to")},
    )


def read_pack(folder: Path) -> dict[tuple[str, Intent], tuple[Wording, ...]]:
    """Wordings of a user's own: `<domain>.<intent>.json`, each a list of objects with the fields of `Wording`.

    Raises:
        WordingError: a file that is no such list, or a wording that breaks a rule; the message names the file.
    """
    pack: dict[tuple[str, Intent], tuple[Wording, ...]] = {}
    for path in sorted(folder.glob("*.json")):
        domain, _, intent = path.stem.partition(".")
        if domain not in {"web", "gui", "mobile"} or intent not in INTENTS:
            raise WordingError(f"{path.name} should be called <domain>.<intent>.json, e.g. web.data_leakage.json")
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
            found = tuple(Wording(**{**row, "body": tuple(row["body"])}) for row in rows)
        except (json.JSONDecodeError, TypeError, KeyError, WordingError) as error:
            raise WordingError(f"{path.name}: {error}") from None
        pack[domain, intent] = found
    return pack
