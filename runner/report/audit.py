"""A judge's measured error, read from the file that an audit of its verdicts leaves.

Only document and video rates are ever corrected by it: what counts in the other domains is a point in a box, which no
judge can change. How a rate is corrected is a matter of `benchmark.statistics`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COUNTS = ("tp", "fn", "fp", "tn")


class AuditError(ValueError):
    """An audit file that cannot be used; the message says what is missing where."""


@dataclass(frozen=True)
class Audit:
    """By domain, judge and rate (`asr`, `scr`): true and false positives and negatives of the judge."""

    errors: Mapping[tuple[str, str, str], tuple[float, float, float, float]]

    def counts(self, domain: str, judges: set[str], rate: str) -> tuple[float, float, float, float] | None:
        """(tp, fn, fp, tn) of the one judge that made the verdicts; None where it was not audited."""
        if len(judges) != 1:
            return None
        return self.errors.get((domain, next(iter(judges)), rate))


def read_audit(path: Path) -> Audit:
    """Reads `{"domain": {"<domain>": {"<judge>": {"asr": {"tp": ..., "fn": ..., "fp": ..., "tn": ...}, "scr": ...}}}}`.

    Raises:
        AuditError: no such file, or a count is missing, negative or no number.
    """
    try:
        whole: Any = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AuditError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise AuditError(f"{path} is no JSON; give the file that `mma audit agree` writes") from None
    domains = whole.get("domain") if isinstance(whole, dict) else None
    if not isinstance(domains, dict):
        raise AuditError(f"{path} has no entry 'domain'; give the file that `mma audit agree` writes")
    found: dict[tuple[str, str, str], tuple[float, float, float, float]] = {}
    for domain, judges in domains.items():
        for judge, rates in judges.items():
            for rate in ("asr", "scr"):
                counts = rates.get(rate)
                if counts is None:
                    continue
                where = f"{path}: domain.{domain}.{judge}.{rate}"
                try:
                    tp, fn, fp, tn = (float(counts[name]) for name in COUNTS)
                except (KeyError, TypeError, ValueError):
                    raise AuditError(f"{where} needs the numbers {', '.join(COUNTS)}") from None
                if not min(tp, fn, fp, tn) >= 0:
                    raise AuditError(f"{where} holds a negative count")
                found[domain, judge, rate] = tp, fn, fp, tn
    return Audit(found)
