"""Figures of an audit against scikit-learn and krippendorff, and what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from benchmark.statistics import majority
from runner.audit.agree import agree, plain, read_key, read_labels
from runner.audit.sample import AuditError
from runner.report.audit import read_audit

DOMAINS = ("web", "gui", "mobile", "document", "video")


def key_of(items: int, seed: int, probabilities: tuple[float, ...] = (0.3,)) -> dict[str, Any]:
    generator = random.Random(seed)
    return {
        "schema_version": 1, "audit": "a", "population": 1000, "stratified": len(probabilities) > 1,
        "items": {
            f"i{n:03d}": {
                "domain": DOMAINS[n % 5], "cluster": f"c{n}", "judge": "verdicts/rubric-12345678.jsonl",
                "score": generator.choice([1, 3, 5]), "probability": generator.choice(probabilities),
            }
            for n in range(items)
        },
    }  # fmt: skip


def labelled(path: Path, key: dict[str, Any], annotator: str, seed: int, gaps: float = 0.0, csv: bool = False) -> Path:
    generator = random.Random(seed)
    scores = {
        item: entry["score"] if generator.random() < 0.6 else generator.choice([1, 3, 5])
        for item, entry in key["items"].items()
        if generator.random() >= gaps
    }
    if csv:
        lines = [
            "audit,annotator,item,score,failure_mode,note",
            *(f'"a","{annotator}","{i}","{s}","","x, ""y"""' for i, s in scores.items()),
        ]
        path.write_text("\ufeff" + "\r\n".join(lines) + "\r\n")
    else:
        labels = {i: {"score": s, "failure_mode": "", "note": ""} for i, s in scores.items()}
        path.write_text(json.dumps({"schema_version": 1, "audit": "a", "annotator": annotator, "labels": labels}))
    return path


@pytest.mark.parametrize("seed", range(4))
def test_figures_equal_those_of_the_usual_packages(seed: int, tmp_path: Path) -> None:
    key = key_of(120, seed, (0.1, 0.5, 1.0) if seed % 2 else (0.3,))
    paths = [
        labelled(tmp_path / f"{name}.x", key, name, 10 * seed + n, gaps=0.1 * (n > 0), csv=n == 1)
        for n, name in enumerate("bca")
    ]
    labels = [read_labels(p) for p in paths]
    found = agree(labels, key, resamples=60)
    order = sorted(key["items"])
    entries = [key["items"][i] for i in order]
    weights = [1 / e["probability"] for e in entries]
    ratings = [[one.scores.get(i) for one in labels] for i in order]
    human = [majority(r) for r in ratings]
    rows = [i for i, h in enumerate(human) if h is not None]
    said, truth, w = [entries[i]["score"] for i in rows], [human[i] for i in rows], [weights[i] for i in rows]
    one = found.judges["verdicts/rubric-12345678.jsonl"]
    assert one.n == len(rows)
    assert one.kappa.estimate == pytest.approx(cohen_kappa_score(truth, said, sample_weight=w))
    quadratic = cohen_kappa_score(truth, said, weights="quadratic", sample_weight=w)
    assert one.quadratic_kappa.estimate == pytest.approx(quadratic)
    assert np.array_equal(one.confusion, confusion_matrix(truth, said, labels=[1, 3, 5]))
    assert one.percent.estimate == pytest.approx(np.average([t == s for t, s in zip(truth, said)], weights=w))
    first, second = labels[0].annotator, labels[1].annotator
    both = [(r[0], r[1], w) for r, w in zip(ratings, weights) if None not in r[:2]]
    expected = cohen_kappa_score([b[0] for b in both], [b[1] for b in both], sample_weight=[b[2] for b in both])
    assert found.pairs[first, second].kappa.estimate == pytest.approx(expected)
    if seed % 2 == 0:  # the package knows no weights
        data = np.array([[np.nan if s is None else s for s in r] for r in ratings], dtype=float).T
        theirs = krippendorff.alpha(data, value_domain=[1, 3, 5], level_of_measurement="ordinal")
        assert found.alpha is not None
        assert found.alpha.estimate == pytest.approx(theirs)


def test_the_judges_error_is_by_domain_and_never_of_box_hits(tmp_path: Path) -> None:
    key = key_of(200, 1)
    found = agree([read_labels(labelled(tmp_path / "l.json", key, "a", 3))], key, resamples=50)
    path = tmp_path / "audit.json"
    path.write_text(json.dumps(plain(found)))
    assert set(json.loads(path.read_text())["domain"]) == {"document", "video"}
    read = read_audit(path)
    for domain in ("document", "video"):
        rows = [
            (e["score"] == 5, read_labels(tmp_path / "l.json").scores[i] == 5)
            for i, e in key["items"].items()
            if e["domain"] == domain
        ]
        counts = read.counts(domain, {"rubric"}, "asr")
        assert counts is not None
        # Every item is its own cluster and as likely as any other, so the effective counts are the counts.
        assert counts == pytest.approx(
            [
                sum(s and t for s, t in rows),
                sum(t and not s for s, t in rows),
                sum(s and not t for s, t in rows),
                sum(not s and not t for s, t in rows),
            ]
        )
    assert read.counts("web", {"rubric"}, "asr") is None


def test_what_does_not_belong_together_is_refused(tmp_path: Path) -> None:
    key = key_of(10, 2)
    labels = read_labels(labelled(tmp_path / "a.json", key, "a", 1))
    with pytest.raises(AuditError, match="two files"):
        agree([labels, labels], key)
    with pytest.raises(AuditError, match="does not know"):
        agree([labels], {**key, "items": {}})
    with pytest.raises(AuditError, match="of audit a, not b"):
        agree([labels], {**key, "audit": "b"})
    with pytest.raises(AuditError, match="no key of audit a"):
        read_key([tmp_path / "a.json"], "a", None)
    (tmp_path / "x.key.json").write_text(json.dumps(key))
    assert read_key([tmp_path / "a.json"], "a", None) == key
    for text, said in (
        ("nonsense", "columns"), ("{}", "no export"), ('{"audit": "a", "labels": {}}', "no label"),
        ('{"audit": "a", "labels": {"i": {"score": 2}}}', "1, 3 or 5"),
        ("audit,annotator,item,score\na,x,i,1\na,y,j,1\n", "several annotators"),
        ("audit,annotator,item,score\na,x,i,1\na,x,i,3\n", "twice"),
    ):  # fmt: skip
        (tmp_path / "bad").write_text(text)
        with pytest.raises(AuditError, match=said):
            read_labels(tmp_path / "bad")
