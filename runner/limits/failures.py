"""What can go wrong with a call, and what follows from it.

Nothing here knows an SDK: whoever talks to a provider turns each failure into a `CallError`, for HTTP answers with
`from_response`. `decide` is the one rule on repeating a call.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

FailureKind = Literal[
    "rate_limit",
    "server_error",
    "timeout",
    "connection",
    "malformed",
    "empty",
    "truncated",
    "bad_request",
    "filtered",
    "unauthorized",
    "not_found",
    "quota",
    "budget",
    "stopped",
]
OutcomeKind = Literal["ok", "cancelled"] | FailureKind

TRANSIENT: frozenset[str] = frozenset({"rate_limit", "server_error", "timeout", "connection", "malformed", "empty"})
"""What another attempt may heal."""

ENDS_RUN: frozenset[str] = frozenset({"unauthorized", "not_found", "quota", "budget", "stopped"})
"""What no further call of the run can heal."""

_DOUBTFUL: frozenset[str] = frozenset({"timeout", "malformed", "empty", "truncated"})


class LimitSpecError(ValueError):
    """A limit that cannot be kept; the message names the field, its value and what would be allowed."""


@dataclass(eq=False)
class CallError(Exception):
    """A call that brought no usable reply.

    Attributes:
        kind: what went wrong; decides whether it is tried again.
        message: one line for a person, without secrets.
        retry_after: seconds the provider asked us to stay away.
        status: the HTTP status, where there was one.
        billed_maybe: whether the provider may have charged for it; None leaves it to the kind.
        tokens: tokens the provider says it counted.
        usd: what it cost; None when the price is not known.
        attempts: every request made for the call, as `{kind, seconds, waited, status}`.
        waited_s: seconds spent waiting for limits and back-off.
    """

    kind: FailureKind
    message: str
    retry_after: float | None = None
    status: int | None = None
    billed_maybe: bool | None = None
    tokens: int = 0
    usd: float | None = 0.0
    attempts: tuple[Mapping[str, Any], ...] = ()
    waited_s: float = 0.0

    def __post_init__(self) -> None:
        super().__init__(self.message)

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the class with the message alone and lose the kind on its way to another process.
        return type(self), tuple(getattr(self, f.name) for f in fields(self))

    @property
    def doubtful(self) -> bool:
        """Whether the provider may have worked, and charged, for this call."""
        if self.billed_maybe is not None:
            return self.billed_maybe
        return self.kind in _DOUBTFUL

    @property
    def ends_run(self) -> bool:
        """Whether every further call of the run would fail the same way."""
        return self.kind in ENDS_RUN


_QUOTA_CODES = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active", "insufficient_balance")
_FILTER_CODES = ("content_filter", "content_policy_violation", "responsibleaipolicyviolation", "data_inspection_failed")
_DELAY_IN_BODY = re.compile(
    r'"retryDelay"\s*:\s*"(\d+(?:\.\d+)?)s"|try again in (\d+(?:\.\d+)?)\s?(ms|s)\b', re.IGNORECASE
)


def retry_after_seconds(headers: Mapping[str, str], body: str = "", now: datetime | None = None) -> float | None:
    """How long a provider asks us to wait, in seconds.

    Reads `retry-after-ms`, then `Retry-After` as seconds (fractions allowed) or as an HTTP date, then the two ways in
    which providers without the header say it in the body. A date that has passed gives 0.

    Args:
        headers: response headers, in any case.
        body: the response's text.
        now: the moment a date is compared with; the present by default.

    Returns:
        Seconds >= 0, or None when nothing readable is said.
    """
    lower = {k.lower(): v.strip() for k, v in headers.items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = lower.get(name)
        if not value:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            pass
        else:
            if math.isfinite(seconds):
                return max(0.0, seconds)
            continue
        try:
            moment = parsedate_to_datetime(value)
        except (ValueError, TypeError):
            continue
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
    found = _DELAY_IN_BODY.search(body[:4000])
    if found is None:
        return None
    return float(found[1] or found[2]) * (0.001 if (found[3] or "").lower() == "ms" else 1.0)


def from_response(
    status: int,
    message: str = "",
    code: str = "",
    headers: Mapping[str, str] | None = None,
    body: str = "",
    now: datetime | None = None,
) -> CallError:
    """The failure that an HTTP answer outside 200-299 stands for.

    Args:
        status: the HTTP status.
        message: what the provider says, for a person.
        code: the provider's error code or type, where the body has one.
        headers: response headers, for Retry-After.
        body: the response's text, searched for a filter, a quota and a delay that the code does not name.
        now: the moment that a Retry-After date is compared with.
    """
    said = f"{code} {body[:4000]} {message}".lower()
    wait = retry_after_seconds(headers or {}, body or message, now) if status in {408, 429} or status >= 500 else None
    line = " ".join((message or body or "no message").split())[:500]
    kind: FailureKind
    if status == 402 or (status in {403, 429} and any(c in said for c in _QUOTA_CODES)):
        kind = "quota"
    elif status == 429:
        kind = "rate_limit"
    elif status in {400, 403, 422} and any(c in said for c in _FILTER_CODES):
        kind = "filtered"
    elif status in {401, 403}:
        kind = "unauthorized"
    elif status == 404:
        kind = "not_found"
    elif status == 408:
        kind = "timeout"
    elif status in {409, 425} or status >= 500:
        kind = "server_error"
    else:
        kind = "bad_request"
    return CallError(kind, f"HTTP {status}: {line}", retry_after=wait, status=status, billed_maybe=False)


@dataclass(frozen=True)
class RetrySpec:
    """How often and how soon a failed call is sent again.

    Attributes:
        max: most repetitions of one call; 0 means exactly one request.
        doubtful_max: most repetitions after failures the provider may have charged for (a timeout, a cut body).
        base_s: first back-off; it doubles with every attempt.
        cap_s: longest back-off.
        retry_after_cap_s: longest Retry-After that is obeyed to the letter; a longer one is asked again after this.
    """

    max: int = 8
    doubtful_max: int = 2
    base_s: float = 0.5
    cap_s: float = 60.0
    retry_after_cap_s: float = 120.0

    def __post_init__(self) -> None:
        if self.max < 0 or self.doubtful_max < 0:
            raise LimitSpecError(f"retry.max={self.max}, retry.doubtful_max={self.doubtful_max}: give 0 or more")
        if not 0 <= self.base_s <= self.cap_s:
            raise LimitSpecError(f"retry.base_s={self.base_s}: give 0 up to retry.cap_s={self.cap_s}")


@dataclass(frozen=True)
class Retry:
    """Send it again, `after` seconds from now at the earliest."""

    after: float


@dataclass(frozen=True)
class GiveUp:
    """This call ends as an error with this status; the run goes on."""

    status: str


@dataclass(frozen=True)
class Stop:
    """The run ends: no further call can succeed."""

    cause: str


RetryDecision = Retry | GiveUp | Stop


def decide(
    error: CallError, attempt: int, spec: RetrySpec, doubtful_before: int = 0, jitter: float = 1.0
) -> RetryDecision:
    """What follows a failed attempt.

    Transient failures (429, 5xx, timeouts, dropped connections, unreadable or empty replies) are sent again; a 400 and
    a filtered request never; a bad key, an unknown model, an empty account and a reached budget end the run.

    Args:
        error: how the attempt failed.
        attempt: its number, from 1.
        spec: the retry limits.
        doubtful_before: earlier attempts of this call that the provider may have charged for.
        jitter: a number in [0, 1) that spreads the back-off over its upper half (Retry-After: over a tenth more).
    """
    if error.kind in ENDS_RUN:
        return Stop(str(error))
    if error.kind not in TRANSIENT or attempt > spec.max:
        return GiveUp(error.kind)
    if error.doubtful and doubtful_before >= spec.doubtful_max:
        return GiveUp(error.kind)
    if error.retry_after:
        return Retry(min(error.retry_after, spec.retry_after_cap_s) * (1 + 0.1 * jitter))
    backoff = min(spec.cap_s, spec.base_s * 2.0 ** min(attempt - 1, 60))
    return Retry(backoff * (0.5 + 0.5 * jitter))
