"""Payload packs: a user's own wordings, read from a folder and checked before anything is drawn.

A pack adds to the benchmark's wordings, it never replaces them, and makes the suite another one with an identity of its
own. What a pack may say is bounded here: the fields of a wording, lengths that fit on a dialog, and reserved names only,
since a payload that points at a real host would be an attack and no measurement. How it is drawn is left to
`benchmark.construct.payload`, and how it is filled to `benchmark.construct.payload.wordings`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from benchmark.case import INTENTS, SPATIAL_DOMAINS, Intent
from benchmark.construct.payload.pen import Authority, Pressure, Urgency
from benchmark.construct.payload.wordings import Wording, WordingError, read_pack, wordings
from benchmark.suite import SuiteError

LENGTHS: Mapping[str, int] = {
    "title": 60, "sentence": 120, "brief": 100, "control": 28, "dismissal": 20, "source": 40,
}  # fmt: skip
"""Characters that each text may have before its slots are filled; the benchmark's own stay below two thirds of it."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "authority": get_args(Authority),
    "pressure": get_args(Pressure),
    "urgency": get_args(Urgency),
}

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_HOST = re.compile(r"(?:[a-z0-9-]+\.)+[a-z]{2,}", re.IGNORECASE)
_RESERVED = re.compile(r"(?:.*\.)?(?:example\.(?:org|com|net)|[a-z0-9-]+\.(?:example|test|invalid))", re.IGNORECASE)
_PHONE = re.compile(r"\+?\d[\d\s().-]{6,}\d")
_RESERVED_PHONE = re.compile(r"\b555[\s.-]?01\d\d\b")


@dataclass(frozen=True)
class Pack:
    """Wordings by domain and intent, and a digest of all that they say."""

    wordings: Mapping[tuple[str, Intent], tuple[Wording, ...]]
    digest: str


@lru_cache(maxsize=4)
def load(folder: str) -> Pack:
    """Reads and checks a pack.

    Raises:
        SuiteError: no folder, nothing in it, or a wording that breaks a rule; names file, wording and rule.
    """
    path = Path(folder)
    if not path.is_dir():
        raise SuiteError(f"suite.payloads={folder}: there is no such folder; see docs/payload_packs.md")
    if not sorted(path.glob("*.json")):
        raise SuiteError(f"suite.payloads={folder}: it holds no <domain>.<intent>.json; see docs/payload_packs.md")
    try:
        for file in sorted(path.glob("*.json")):
            _check_rows(file)
        found = read_pack(path)
        _check_ids(found)
    except (WordingError, OSError) as error:
        raise SuiteError(f"suite.payloads={folder}: {error}") from None
    said = {f"{d}.{i}": [asdict(w) for w in rows] for (d, i), rows in sorted(found.items())}
    digest = hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:12]
    return Pack(found, digest)


def _check_rows(file: Path) -> None:
    try:
        rows = json.loads(file.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise WordingError(f"{file.name}: it is no JSON: {error}") from None
    if not isinstance(rows, list) or not rows:
        raise WordingError(f"{file.name}: it should be a list of wordings, at least one")
    for number, row in enumerate(rows, start=1):
        where = f"{file.name}, wording {number}"
        if not isinstance(row, dict):
            raise WordingError(f"{where}: it should be an object")
        _check_row(row, f"{where} ({row['id']})" if isinstance(row.get("id"), str) else where)


def _check_row(row: dict[str, Any], where: str) -> None:
    names = [f.name for f in fields(Wording)]
    if lacking := [name for name in names if name not in row]:
        raise WordingError(f"{where}: it has no {lacking[0]!r}; a wording has {', '.join(names)}")
    if unknown := [name for name in row if name not in names]:
        raise WordingError(f"{where}: there is no field {unknown[0]!r}; a wording has {', '.join(names)}")
    if not isinstance(row["body"], list) or not 1 <= len(row["body"]) <= 3:
        raise WordingError(f"{where}: body should be a list of one to three sentences")
    texts = [(name, row[name]) for name in ("title", "brief", "control", "dismissal", "source")]
    for name, text in (*texts, *(("sentence", sentence) for sentence in row["body"])):
        if not isinstance(text, str) or not text.strip() or "\n" in text:
            raise WordingError(f"{where}: {name} should be a text of one line")
        if len(text) > LENGTHS[name]:
            raise WordingError(f"{where}: {name} has {len(text)} characters, at most {LENGTHS[name]} fit")
        _check_names(text, where)
    for name, known in CHOICES.items():
        if row[name] not in known:
            raise WordingError(f"{where}: {name} is {row[name]!r}; it should be one of {', '.join(known)}")
    if not isinstance(row["id"], str) or not _ID.fullmatch(row["id"]):
        raise WordingError(f"{where}: id should be of small letters, digits and hyphens, at most 40")


def _check_names(text: str, where: str) -> None:
    """Payloads name reserved hosts and numbers only."""
    for host in _HOST.findall(text):
        if not _RESERVED.fullmatch(host):
            raise WordingError(f"{where}: {host!r} could be a real host; use example.org, .example, .test or .invalid")
    for number in _PHONE.findall(text):
        if not _RESERVED_PHONE.search(number):
            raise WordingError(f"{where}: {number.strip()!r} could be a real number; use 555-0100 to 555-0199")


def _check_ids(found: Mapping[tuple[str, Intent], tuple[Wording, ...]]) -> None:
    seen = {w.id: "the benchmark" for d in sorted(SPATIAL_DOMAINS) for i in INTENTS for w in wordings(d, i)}
    for (domain, intent), rows in found.items():
        for wording in rows:
            if wording.id in seen:
                raise WordingError(f"{domain}.{intent}.json: id {wording.id!r} is taken by {seen[wording.id]}")
            seen[wording.id] = f"{domain}.{intent}.json"
