"""How far people agree with each other and with the judge, and how often the judge errs.

Labels are the exports of the page, one file per annotator, JSON or CSV. The human label of an item is what more than
half of its annotators gave; items without one are counted and left out. All figures weigh items by the inverse of
their sampling probability and resample clusters. The judge's error is measured by domain, for the two rates that a
report may correct, and for document and video alone: where a point in a box decides, there is nothing to correct.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmark.case import DOMAINS, SPATIAL_DOMAINS
from benchmark.statistics import (
    Agreement,
    Estimate,
    JudgeError,
    agreement,
    judge_error,
    krippendorff_alpha,
    majority,
)
from runner.audit.sample import AuditError

SCORES = (1, 3, 5)
RATES = {"asr": 5, "scr": 3}
"""The rates by the lowest score that counts for them."""


@dataclass(frozen=True)
class Labels:
    """One annotator's scores by item."""

    annotator: str
    audit: str
    scores: Mapping[str, int]


@dataclass(frozen=True)
class Agreed:
    """All figures of an audit.

    `pairs` holds two annotators each; `alpha` is ordinal, over all annotators; `judges` and `errors` are by verdict
    file, errors further by domain and rate.
    """

    audit: str
    annotators: tuple[str, ...]
    items: int
    labelled: int
    undecided: int
    pairs: Mapping[tuple[str, str], Agreement]
    alpha: Estimate | None
    judges: Mapping[str, Agreement]
    judge_alphas: Mapping[str, Estimate]
    errors: Mapping[str, Mapping[str, Mapping[str, JudgeError]]]


def read_labels(path: Path) -> Labels:
    """An annotator's export.

    Raises:
        AuditError: it is none, mixes annotators or audits, or holds a score other than 1, 3, 5.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise AuditError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    rows = _from_json(path, text) if text.lstrip().startswith("{") else _from_csv(path, text)
    names = {(row["audit"], row["annotator"]) for row in rows}
    if len(names) > 1:
        raise AuditError(f"{path} holds labels of several annotators or audits; give one file for each")
    if not rows:
        raise AuditError(f"{path} holds no label")
    scores: dict[str, int] = {}
    for row in rows:
        if row["score"] not in {"1", "3", "5"}:
            raise AuditError(f"{path}: item {row['item']} has score {row['score']!r}; it is 1, 3 or 5")
        if row["item"] in scores:
            raise AuditError(f"{path}: item {row['item']} stands in it twice")
        scores[row["item"]] = int(row["score"])
    audit, annotator = names.pop()
    return Labels(annotator.strip() or path.stem, audit, scores)


def _from_json(path: Path, text: str) -> list[dict[str, str]]:
    try:
        whole = json.loads(text)
        audit, annotator, labels = str(whole["audit"]), str(whole.get("annotator") or ""), whole["labels"]
        return [
            {"audit": audit, "annotator": annotator, "item": str(item), "score": str(label["score"])}
            for item, label in labels.items()
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise AuditError(f"{path} is no export of the audit page") from None


def _from_csv(path: Path, text: str) -> list[dict[str, str]]:
    reader = csv.DictReader(text.splitlines())
    needed = ("audit", "annotator", "item", "score")
    if not set(needed) <= set(reader.fieldnames or ()):
        raise AuditError(f"{path} is no export of the audit page: it needs the columns {', '.join(needed)}")
    return [{name: str(row[name] or "").strip() for name in needed} for row in reader]


def read_key(labels: Sequence[Path], audit: str, given: Path | None) -> dict[str, Any]:
    """The key of an audit: the file given, else one beside the labels or in the working directory.

    Raises:
        AuditError: there is none, or it is another audit's.
    """
    folders = dict.fromkeys([*(p.parent for p in labels), Path()])
    paths = [given] if given is not None else [p for f in folders for p in sorted(f.glob("*.key.json"))]
    for path in paths:
        try:
            key = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            if given is not None:
                raise AuditError(f"{path} cannot be read as the key of an audit: {error}") from None
            continue
        if isinstance(key, dict) and key.get("audit") == audit and isinstance(key.get("items"), dict):
            return key
        if given is not None:
            raise AuditError(f"{path} is the key of another audit than {audit}")
    raise AuditError(f"there is no key of audit {audit} beside the labels; give key=FILE that `mma audit sample` wrote")


def agree(labels: Sequence[Labels], key: Mapping[str, Any], resamples: int = 2_000) -> Agreed:
    """All figures of an audit.

    Args:
        labels: one entry per annotator.
        key: what `mma audit sample` wrote for it.
        resamples: of the bootstrap.

    Raises:
        AuditError: two files of one annotator, another audit's labels, or an item that the key does not know.
    """
    names = [one.annotator for one in labels]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise AuditError(f"two files hold labels of {twice!r}; each annotator needs a name of their own")
    if strange := [one for one in labels if one.audit != key["audit"]]:
        raise AuditError(f"the labels of {strange[0].annotator!r} are of audit {strange[0].audit}, not {key['audit']}")
    for one in labels:
        if unknown := [item for item in one.scores if item not in key["items"]]:
            raise AuditError(f"the labels of {one.annotator!r} name item {unknown[0]}, which the key does not know")
    order = sorted(key["items"])
    entries = [key["items"][item] for item in order]
    given = {one.annotator: [one.scores.get(item) for item in order] for one in labels}
    weights = [float(e["probability"]) for e in entries]
    clusters = [f"{e['domain']}/{e['cluster']}" for e in entries]
    ratings = [[given[name][i] for name in names] for i in range(len(order))]
    human = [majority(row) for row in ratings]
    pairs = {
        (a, b): agreement(given[a], given[b], weights, clusters, seed="audit", resamples=resamples)
        for a, b in combinations(names, 2)
    }
    alpha = (
        krippendorff_alpha(ratings, "ordinal", weights, clusters, seed="audit", resamples=resamples)
        if len(names) > 1
        else None
    )
    judges: dict[str, Agreement] = {}
    alphas: dict[str, Estimate] = {}
    errors: dict[str, dict[str, dict[str, JudgeError]]] = {}
    for judge in sorted({str(e["judge"]) for e in entries}):
        rows = [i for i, e in enumerate(entries) if e["judge"] == judge]
        truth = [human[i] for i in rows]
        said: list[int | None] = [int(entries[i]["score"]) for i in rows]
        w, c = [weights[i] for i in rows], [clusters[i] for i in rows]
        judges[judge] = agreement(truth, said, w, c, seed="audit", resamples=resamples)
        alphas[judge] = krippendorff_alpha(
            [[t, s] for t, s in zip(truth, said)], "ordinal", w, c, seed="audit", resamples=resamples
        )
        errors[judge] = {}
        for domain in DOMAINS:
            decided = [i for i in rows if entries[i]["domain"] == domain and human[i] is not None]
            if domain in SPATIAL_DOMAINS or not decided:
                continue
            errors[judge][domain] = {
                rate: judge_error(
                    [(human[i] or 0) >= least for i in decided],
                    [int(entries[i]["score"]) >= least for i in decided],
                    [weights[i] for i in decided],
                    [clusters[i] for i in decided],
                )
                for rate, least in RATES.items()
            }
    labelled = [row for row in ratings if any(s is not None for s in row)]
    return Agreed(
        audit=str(key["audit"]), annotators=tuple(names), items=len(order), labelled=len(labelled),
        undecided=sum(majority(row) is None for row in labelled), pairs=pairs, alpha=alpha, judges=judges,
        judge_alphas=alphas, errors=errors,
    )  # fmt: skip


def judge_of(file: str) -> str:
    """`verdicts/rubric-1a2b3c4d.jsonl` is by `rubric`."""
    return Path(file).stem.rpartition("-")[0] or Path(file).stem


def plain(found: Agreed) -> dict[str, Any]:
    """The figures as they are stored; `domain` is what reports correct rates by.

    The counts there are effective ones: what an unweighted audit of independent items would have to show to say as
    much.
    """
    domains: dict[str, dict[str, Any]] = {}
    for file, by_domain in found.errors.items():
        for domain, rates in by_domain.items():
            domains.setdefault(domain, {})[judge_of(file)] = {
                rate: {**dict(zip(("tp", "fn", "fp", "tn"), error.effective())), "measured": asdict(error)}
                for rate, error in rates.items()
            }
    return {
        "schema_version": 1,
        "audit": found.audit,
        "annotators": list(found.annotators),
        "items": found.items,
        "labelled": found.labelled,
        "undecided": found.undecided,
        "between_annotators": {
            "alpha_ordinal": asdict(found.alpha) if found.alpha is not None else None,
            "pairs": [{"first": a, "second": b, **asdict(one)} for (a, b), one in found.pairs.items()],
        },
        "judge": {
            file: {"alpha_ordinal": asdict(found.judge_alphas[file]), **asdict(one)}
            for file, one in found.judges.items()
        },
        "domain": domains,
    }
