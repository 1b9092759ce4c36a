"""Who may call an endpoint now, and what happens after a call failed: concurrency, 429s, rates, money.

This is the one place where those are decided. `Gate` holds the rules of one endpoint as a machine without I/O: how
many calls may be in flight, when the next one may start, what a refusal teaches. `InProcessLimiter` puts a queue and a
clock around the gates and keeps the accounts; every method is awaitable and passes plain data, so the same class
serves as a Ray actor behind `ActorLimiter`. `decide` says whether a failed call is sent again, and `call_with_retry`
carries one call through all of it. Nothing here knows an SDK: whoever talks to a provider turns each failure into a
`CallError`, for HTTP answers with `from_response`.
"""

from __future__ import annotations

import asyncio
import functools
import heapq
import itertools
import math
import random
import re
import time
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Generic, Literal, Protocol, TypeVar

T = TypeVar("T")
Clock = Callable[[], float]

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
_REPLIED: frozenset[str] = frozenset({"ok", "bad_request", "filtered", "truncated", "malformed", "empty"})


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


@dataclass(frozen=True)
class LimitSpec:
    """The limits of one endpoint and key.

    Attributes:
        max_in_flight: most calls at one time.
        start_in_flight: where slow start begins.
        requests_per_minute: no window of 60 s holds more calls; None for no such limit.
        tokens_per_minute: likewise for tokens, to within one call; None for no such limit.
        pause_s: shortest pause after a cut whose refusals named no delay; doubles while nothing gets through.
        pause_cap_s: longest pause, whatever a Retry-After says.
        lease_s: a call that reports nothing for so long has lost its slot (its process has died).
    """

    max_in_flight: int = 64
    start_in_flight: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    pause_s: float = 0.5
    pause_cap_s: float = 120.0
    lease_s: float = 3600.0

    def __post_init__(self) -> None:
        if self.max_in_flight < 1 or self.start_in_flight < 1:
            raise LimitSpecError(
                f"limits.max_in_flight={self.max_in_flight}, start_in_flight={self.start_in_flight}: give 1 or more"
            )
        for name in ("requests_per_minute", "tokens_per_minute"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise LimitSpecError(f"limits.{name}={value}: give a number above 0, or null for no limit")


def strictest(specs: Iterable[LimitSpec]) -> LimitSpec:
    """The limits that keep all of `specs`: runs that share an endpoint share the lowest of their limits."""
    first, *rest = specs
    for other in rest:
        rpm = [v for v in (first.requests_per_minute, other.requests_per_minute) if v is not None]
        tpm = [v for v in (first.tokens_per_minute, other.tokens_per_minute) if v is not None]
        first = LimitSpec(
            max_in_flight=min(first.max_in_flight, other.max_in_flight),
            start_in_flight=min(first.start_in_flight, other.start_in_flight),
            requests_per_minute=min(rpm, default=None),
            tokens_per_minute=min(tpm, default=None),
            pause_s=max(first.pause_s, other.pause_s),
            pause_cap_s=max(first.pause_cap_s, other.pause_cap_s),
            lease_s=max(first.lease_s, other.lease_s),
        )
    return first


@dataclass(frozen=True)
class Outcome:
    """How a call went, as its limiter needs to know it: what came back, what it used, what it cost.

    `usd` is None when the call was charged at an unknown price; `doubtful` when the provider may have charged for it
    and did not say.
    """

    kind: OutcomeKind
    retry_after: float | None = None
    tokens: int = 0
    usd: float | None = 0.0
    doubtful: bool = False
    message: str = ""


class Meter:
    """A rate that may be run ahead of by `tolerance` seconds: a leaky bucket in units of time.

    What was taken is worked off at `rate` per second; the next may be taken as soon as no more than `tolerance`
    seconds of work are left. With `per_minute`, the rate is set so that no 60 s hold more than that, plus one call's
    amount in excess of one.
    """

    def __init__(self, rate: float, tolerance: float) -> None:
        self.rate = rate
        self.tolerance = tolerance
        self._clear_at = -math.inf

    @classmethod
    def per_minute(cls, amount: float) -> Meter:
        # The tolerance lets a late wake-up catch up; a proportionally lower rate pays for it.
        tolerance = 0.5 if amount > 60 else 0.0
        return cls(amount / (60 + tolerance), tolerance)

    def opens_at(self) -> float:
        """When the next may be taken."""
        return self._clear_at - self.tolerance

    def take(self, now: float, amount: float = 1.0) -> None:
        self._clear_at = max(self._clear_at, now) + amount / self.rate

    def correct(self, amount: float) -> None:
        """Adds what an estimate left out, or gives back what it took too much."""
        self._clear_at += amount / self.rate


# Chosen by simulation over token buckets of 5-200 calls a second, bursts of 1 call to 3 s, latencies of 50 ms to 2 s.
_RECENT = 64  # answers that say whether refusals are scattered
_CUT = 0.7  # of the calls in flight, what a cut leaves
_BACK_OFF = 0.9  # of the rate last admitted, what the pace starts from again
_BURST_S = 2.5  # a run between two refusals no longer than this tells little about the rate
_HEADROOM = 1.25  # over the calls in flight that a pace needs at the mean latency


def crowded(refused: int, of: int) -> bool:
    """Whether so many 429s among the recent answers are more than scattered ones.

    True when they are above 10 % by two standard errors and one more: 3 of 3, 4 of 8, 13 of 64. A provider that refuses
    5 % at random stays below; one that is really overrun refuses half and is recognised within a dozen.
    """
    return refused > 0.1 * of + 2 * math.sqrt(0.09 * of) + 1


def broken(failed: int, of: int) -> bool:
    """Whether a server that drops, times out or answers 5xx should be left alone: at least 4, and over half."""
    return failed >= 4 and 2 * failed > of


@dataclass
class _Epoch:
    """Between two cuts: calls started and refused, the first start, the start of the call whose refusal ended it."""

    calls: int
    refused: int
    started: float
    refused_at: float
    cut_before: float
    pause: float


class Gate:
    """The rules of one endpoint: calls in flight, the earliest start of the next, and what each answer changes.

    Concurrency starts at `start_in_flight` and grows by one per success (doubling each round trip), after the first
    cut by one per round trip; only while the limit is really used. A cut comes from a 429 with Retry-After, from 429s
    that are more than scattered, or from a server of which most calls fail; once per epoch, that is, only a call that
    was started after the last cut can cause the next. It pauses the endpoint for as long as the provider asked. Two
    cuts without a success between them leave one probe at a time until something gets through.

    A refusal is seldom about concurrency: providers count requests and tokens over time. So a cut by 429s also learns
    a pace, calls per second, from what was admitted since the cut before, and probes above it ever more slowly: the
    longer the last pace lasted, and the longer the pause that a wrong guess costs, the longer it stays below.

    All times are seconds of one clock, passed in; nothing here sleeps.
    """

    def __init__(self, spec: LimitSpec, jitter: Callable[[], float] = random.random) -> None:
        self._jitter = jitter
        self.in_flight = 0
        self.limit = float(min(spec.start_in_flight, spec.max_in_flight))
        self._threshold = math.inf
        self.paused_until = -math.inf
        self._cut_at = -math.inf
        self._peak = 0
        self._recent: deque[str] = deque(maxlen=_RECENT)
        self._succeeded = 0
        self._dry = 0
        self._latency = 0.0
        self._granted: deque[float] = deque(maxlen=4096)
        self._calls = 0
        self._refused = 0
        self._resumed_at: float | None = None
        self._past: _Epoch | None = None
        self._pace: Meter | None = None
        self._pace_base = 0.0
        self._pace_period = 1.0
        self._pace_held = 0.0
        self._requests: Meter | None = None
        self._tokens: Meter | None = None
        self.spec = spec
        self.adopt(spec, fresh=True)

    def adopt(self, spec: LimitSpec, fresh: bool = False) -> None:
        """Changes the limits and keeps what was learned."""
        if fresh or spec.requests_per_minute != self.spec.requests_per_minute:
            rpm = spec.requests_per_minute
            self._requests = Meter.per_minute(rpm) if rpm is not None else None
        if fresh or spec.tokens_per_minute != self.spec.tokens_per_minute:
            tpm = spec.tokens_per_minute
            self._tokens = Meter.per_minute(tpm) if tpm is not None else None
        self.spec = spec
        self.limit = min(self.limit, float(spec.max_in_flight))

    @property
    def pace(self) -> float | None:
        """Calls per second that refusals have taught; None before the first."""
        return self._pace.rate if self._pace is not None else None

    def throttled(self, now: float) -> bool:
        """Whether calls are held back by more than a full house: a pause, a probe, a rate."""
        return self._dry > 0 or now < self.paused_until or (not self.full() and self.opens_at() > now)

    def full(self) -> bool:
        return self.in_flight >= int(self.limit)

    def opens_at(self) -> float:
        """The earliest start of the next call; infinite while all slots are taken."""
        if self.full():
            return math.inf
        at = self.paused_until
        for meter in (self._pace, self._requests, self._tokens):
            if meter is not None:
                at = max(at, meter.opens_at())
        return at

    def grant(self, now: float, tokens: float = 0.0) -> None:
        """Starts a call that is expected to use `tokens`."""
        if self._resumed_at is None:
            self._resumed_at = now
        if self._past is not None:
            # Only now is it known how many of the calls at work at the time of the cut were refused as well.
            self._learn_pace(self._past)
            self._past = None
        self.in_flight += 1
        self._peak = max(self._peak, self.in_flight)
        self._calls += 1
        if self._pace is not None:
            self._grow_pace(self._pace, now)
            self._pace.take(now)
        self._granted.append(now)
        if self._requests is not None:
            self._requests.take(now)
        if self._tokens is not None:
            self._tokens.take(now, tokens)

    def settle(self, now: float, granted_at: float, outcome: Outcome, tokens: float = 0.0) -> None:
        """Ends a call that was granted at `granted_at` with an estimate of `tokens`."""
        used = self.full()
        self.in_flight = max(0, self.in_flight - 1)
        if self._tokens is not None:
            actual = 0.0 if outcome.kind == "rate_limit" else float(outcome.tokens or tokens)
            self._tokens.correct(actual - tokens)
        if granted_at > self._cut_at:
            self._note(now, granted_at, outcome, used)
        elif outcome.kind == "rate_limit" and self._past is not None:
            self._past.refused += 1
        if outcome.kind in TRANSIENT and outcome.retry_after:
            self._pause(now, outcome.retry_after)

    def _note(self, now: float, granted_at: float, outcome: Outcome, used: bool) -> None:
        """Takes the answer to a call of this epoch as evidence; answers to older calls say nothing new."""
        if outcome.kind == "rate_limit":
            self._refused += 1
            self._recent.append("refused")
            before = self._calls - sum(
                1 for _ in itertools.takewhile(lambda t: t >= granted_at, reversed(self._granted))
            )
            # More calls sent before this one than were refused by now: some were answered or are still at work.
            got_through = self._succeeded > 0 or before >= self._refused
            probing = self._dry > 0 and not got_through
            if outcome.retry_after or probing or crowded(self._recent.count("refused"), len(self._recent)):
                pause = max(outcome.retry_after or 0.0, self.spec.pause_s)
                started = self._resumed_at if self._resumed_at is not None else granted_at
                self._past = _Epoch(self._calls, self._refused, started, granted_at, self._cut_at, pause)
                self._cut(now, got_through, asked=bool(outcome.retry_after))
        elif outcome.kind in {"server_error", "timeout", "connection"}:
            self._recent.append("failed")
            probing = self._dry > 0 and self._succeeded == 0
            if outcome.retry_after or probing or broken(self._recent.count("failed"), len(self._recent)):
                self._cut(now, got_through=self._succeeded > 0, asked=bool(outcome.retry_after))
        elif outcome.kind in _REPLIED:
            self._recent.append("replied")
            self._succeeded += 1
            self._dry = 0
            seconds = now - granted_at
            self._latency = 0.9 * self._latency + 0.1 * seconds if self._latency else seconds
            if used:
                step = 1.0 if self.limit < max(self._threshold, self._needed()) else 1.0 / self.limit
                self.limit = min(float(self.spec.max_in_flight), self.limit + step)

    def _needed(self) -> float:
        """Calls in flight without which the learned pace could not be kept, with some headroom."""
        return _HEADROOM * self._pace.rate * self._latency if self._pace is not None else 0.0

    def _pause(self, now: float, seconds: float) -> None:
        # The jitter keeps processes that were refused together from coming back together.
        until = now + min(seconds, self.spec.pause_cap_s) * (1 + 0.1 * self._jitter())
        self.paused_until = max(self.paused_until, until)
        self._resumed_at = self.paused_until

    def _cut(self, now: float, got_through: bool, asked: bool) -> None:
        """Lowers the limit and starts a new epoch; `asked` when the provider named the pause itself."""
        first = self._cut_at == -math.inf
        self._dry = 0 if got_through or first else self._dry + 1
        if self._dry:
            self.limit = 1.0
        else:
            self.limit = min(self.limit, max(_CUT * min(self.limit, self._peak), self._needed(), 1.0))
            self._threshold = self.limit
        if self._dry or not asked:
            self._pause(now, self.spec.pause_s * 2.0 ** min(self._dry, 30))
        self._cut_at = now
        self._peak = self.in_flight
        self._recent.clear()
        self._succeeded = 0
        self._calls = 0
        self._refused = 0

    def _learn_pace(self, past: _Epoch) -> None:
        """Sets the pace from what was admitted in the epoch that ended with a refusal."""
        admitted = past.calls - past.refused
        if admitted <= 0:
            return
        active = max(past.refused_at - past.started, 0.25)
        rate = admitted / active
        if active > 1.0:
            rate = float(sum(1 for t in self._granted if past.refused_at - 1.0 <= t < past.refused_at))
        if self._pace is not None:
            rate = min(rate, self._pace.rate)
        # What came in between two refusals was refilled between them, the pause included: a sure lower bound.
        floor = admitted / max(past.refused_at - past.cut_before, active)
        if floor > 0 and active < _BURST_S:
            # So short a run was paid from what the pause had saved up: the truth lies between the two.
            base = math.sqrt(floor * rate)
        else:
            base = max(floor, _BACK_OFF * rate)
        if self._pace is not None:
            base = max(base, 0.5 * self._pace.rate)
        self._pace = Meter(base, 0.1 / base)
        self._pace_base = base
        self._pace_held = 0.0
        self._pace_period = max(1.0, min(3 * active, 15 * past.pause))

    def _grow_pace(self, pace: Meter, now: float) -> None:
        """Lets the pace rise with the time for which it was what held calls back."""
        opened = max(pace.opens_at(), self.paused_until)
        if not self._granted or opened == -math.inf or now - opened > 2 / pace.rate:
            return
        since = max(self._granted[-1], self.paused_until)
        self._pace_held += max(0.0, now - since)
        pace.rate = self._pace_base * (1 + 0.1 * (self._pace_held / self._pace_period) ** 3)


@dataclass(frozen=True)
class Budget:
    """What an account may spend; None for no bound."""

    usd: float | None = None
    tokens: int | None = None


@dataclass(frozen=True)
class Spent:
    """What an account has used.

    `requests` counts every request that was answered or cut, retries included; `doubtful` those the provider may have
    charged for without saying so, `unpriced` those charged at a price that is not known: while either is above 0,
    `usd` is a lower bound.
    """

    requests: int = 0
    tokens: int = 0
    usd: float = 0.0
    doubtful: int = 0
    unpriced: int = 0


@dataclass(frozen=True)
class Claim:
    """The wish to make one call.

    Attributes:
        endpoint: id of the endpoint and key, see `endpoint_id`.
        account: whose budget pays; "" for none.
        holder: the process or worker that asks; its slots are freed by `close(holder)` when it dies.
        tokens: expected tokens of request and reply; 0 takes the mean of the endpoint's earlier calls.
        usd: expected cost; 0 likewise.
        delay: seconds of back-off to serve first.
        attempt: number of the attempt, from 1.
        id: unique name, for `abandon`.
    """

    endpoint: str
    account: str = ""
    holder: str = ""
    tokens: int = 0
    usd: float = 0.0
    delay: float = 0.0
    attempt: int = 1
    id: str = ""


@dataclass(frozen=True)
class Ticket:
    """The right to make one call now; it is given back by `report`."""

    id: str
    endpoint: str
    account: str = ""


@dataclass(frozen=True)
class Refused:
    """No call may be made, now or later: the budget is reached, the run is stopped, or the endpoint is of no use."""

    kind: FailureKind
    message: str


@dataclass(frozen=True)
class Waiting:
    """One endpoint as the progress line shows it.

    Attributes:
        label: the model's name.
        count: calls that are held back by a pause, a back-off or a rate, not merely by a full house.
        seconds: how long nothing has come back while calls were held.
        in_flight: calls at work.
        limit: how many may be, at present.
        pace: calls per second learned from refusals, or None.
        queued: all calls that have asked and not started.
    """

    label: str
    count: int
    seconds: float
    in_flight: int
    limit: int
    pace: float | None
    queued: int


def waiting_line(snapshot: Sequence[Waiting], after_s: float = 1.0) -> str:
    """`waiting on gpt-5: 12 for 8 s`, endpoints separated by `; `; empty when none has waited for `after_s`."""
    held = [w for w in snapshot if w.count and w.seconds >= after_s]
    return "; ".join(f"waiting on {w.label}: {w.count} for {w.seconds:.0f} s" for w in held)


def endpoint_id(base_url: str, model: str, key_name: str) -> str:
    """The name under which calls share their limits: where they go, to which model, and the *name* of their key."""
    return f"{base_url.rstrip('/')}|{model}|{key_name}"


class Limiter(Protocol):
    """Decides who may call now. All arguments and results are plain data and can cross processes."""

    async def open(self, endpoint: str, spec: LimitSpec, label: str = "", holder: str = "") -> None:
        """Announces an endpoint; holders that announce different limits share the strictest of them.

        An endpoint that was found to be of no use (bad key, unknown model) is given another chance.
        """
        ...

    async def fund(self, account: str, budget: Budget, spent: Spent = Spent()) -> None:
        """Opens an account, `spent` being what earlier sessions of it have used; later calls only change the budget."""
        ...

    async def acquire(self, claim: Claim) -> Ticket | Refused:
        """Waits until the call may start."""
        ...

    async def report(self, ticket: Ticket, outcome: Outcome) -> None:
        """Gives the slot back, books what was used, and learns from how it went."""
        ...

    async def abandon(self, claim_id: str) -> None:
        """Withdraws a claim, whether it still waits or its ticket was never received."""
        ...

    async def halt(self, account: str, kind: FailureKind, message: str) -> None:
        """Refuses whatever the account still waits for, and all it will ask."""
        ...

    async def close(self, holder: str) -> None:
        """Forgets a holder: its limits, its waiting claims, the slots it has not given back."""
        ...

    async def spent(self, account: str) -> Spent: ...

    async def waiting(self) -> tuple[Waiting, ...]: ...


@dataclass
class _Waiter:
    claim: Claim
    not_before: float
    granted: asyncio.Future[Ticket | Refused]


@dataclass
class _Held:
    claim: Claim
    at: float
    tokens: float
    usd: float


@dataclass
class _Account:
    budget: Budget = field(default_factory=Budget)
    spent: Spent = field(default_factory=Spent)
    reserved_tokens: float = 0.0
    reserved_usd: float = 0.0
    refused: Refused | None = None
    blocked: deque[_Waiter] = field(default_factory=deque)

    def over(self, tokens: float, usd: float, reserved: bool) -> str:
        """Names the bound that a call of this size would break; empty when it fits.

        With `reserved`, what calls at work are expected to use counts as used.
        """
        held_tokens, held_usd = (self.reserved_tokens, self.reserved_usd) if reserved else (0.0, 0.0)
        bound, used = self.budget.tokens, self.spent.tokens
        if bound is not None and (used >= bound or used + held_tokens + tokens > bound):
            return f"budget.tokens={bound} is reached: {used} used, the next call is expected to take {tokens:.0f}"
        limit, cost = self.budget.usd, self.spent.usd
        if limit is not None and (cost >= limit or cost + held_usd + usd > limit):
            return f"budget.usd={limit:g} is reached: {cost:.4f} spent, the next call is expected to cost {usd:.4f}"
        return ""


class _Endpoint:
    """A gate with its queue: claims in order of asking, claims in back-off by the end of it, and calls at work."""

    def __init__(self, spec: LimitSpec, label: str, jitter: Callable[[], float]) -> None:
        self.gate = Gate(spec, jitter)
        self.label = label
        self.specs: dict[str, LimitSpec] = {}
        self.fresh: deque[_Waiter] = deque()
        self.delayed: list[tuple[float, int, _Waiter]] = []
        self.held: dict[str, _Held] = {}
        self.dead: Refused | None = None
        self.mean_tokens = 0.0
        self.mean_usd = 0.0
        self.quiet_since: float | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.timer_at = math.inf
        self.timer_loop: asyncio.AbstractEventLoop | None = None

    def queued(self) -> int:
        return len(self.fresh) + len(self.delayed)

    def everyone(self) -> list[_Waiter]:
        return [*self.fresh, *(d[2] for d in self.delayed)]

    def head(self, now: float) -> _Waiter | None:
        """Whose turn it is: a claim back from its back-off before those that have not been tried."""
        if self.delayed and self.delayed[0][0] <= now:
            return self.delayed[0][2]
        return self.fresh[0] if self.fresh else None

    def pop(self, now: float) -> None:
        if self.delayed and self.delayed[0][0] <= now:
            heapq.heappop(self.delayed)
        else:
            self.fresh.popleft()

    def next_event(self, now: float) -> float:
        """When the queue is to be looked at again if nothing is reported before."""
        if self.head(now) is None:
            return self.delayed[0][0] if self.delayed else math.inf
        if self.gate.full() and self.held:
            return next(iter(self.held.values())).at + self.gate.spec.lease_s
        return self.gate.opens_at()

    def expected(self, claim: Claim) -> tuple[float, float]:
        """Tokens and USD that a call is expected to use."""
        return float(claim.tokens) or self.mean_tokens, claim.usd or self.mean_usd

    def snapshot(self, now: float) -> Waiting:
        backing_off = sum(1 for d in self.delayed if d[0] > now)
        count = self.queued() if self.gate.throttled(now) else backing_off
        return Waiting(
            label=self.label,
            count=count,
            seconds=max(0.0, now - self.quiet_since) if self.quiet_since is not None else 0.0,
            in_flight=self.gate.in_flight,
            limit=int(self.gate.limit),
            pace=self.gate.pace,
            queued=self.queued(),
        )


class InProcessLimiter:
    """The limiter of one process, or, as a Ray actor, of a cluster.

    Calls start in the order in which they asked; one that comes back from its back-off goes first. It belongs to the
    event loop that is running, one at a time: a later loop (the next point of a sweep) finds what the earlier learned.
    As an actor it needs a `max_concurrency` above the number of calls that may wait at once.

    Args:
        clock: seconds, monotonic.
        jitter: numbers in [0, 1).
    """

    def __init__(self, clock: Clock = time.monotonic, jitter: Callable[[], float] | None = None) -> None:
        self._clock = clock
        self._jitter = jitter if jitter is not None else random.Random().random
        self._endpoints: dict[str, _Endpoint] = {}
        self._accounts: dict[str, _Account] = {}
        self._order = itertools.count()

    async def open(self, endpoint: str, spec: LimitSpec, label: str = "", holder: str = "") -> None:
        known = self._endpoints.get(endpoint)
        if known is None:
            known = self._endpoints[endpoint] = _Endpoint(spec, label or endpoint, self._jitter)
        known.dead = None
        known.label = label or known.label
        known.specs[holder] = spec
        known.gate.adopt(strictest(known.specs.values()))
        self._pump(endpoint)

    async def fund(self, account: str, budget: Budget, spent: Spent = Spent()) -> None:
        known = self._accounts.get(account)
        if known is None:
            known = self._accounts[account] = _Account(spent=spent)
        known.budget = budget
        known.refused = None
        self._unblock(known)

    async def acquire(self, claim: Claim) -> Ticket | Refused:
        endpoint = self._endpoints.get(claim.endpoint)
        if endpoint is None:
            raise LimitSpecError(f"no limits are known for endpoint {claim.endpoint!r}: open it before the first call")
        if not claim.id:
            claim = replace(claim, id=uuid.uuid4().hex)
        now = self._clock()
        idle = not endpoint.queued() and not endpoint.held
        if endpoint.quiet_since is None or (idle and claim.attempt == 1):
            endpoint.quiet_since = now
        waiter = _Waiter(claim, now + claim.delay, asyncio.get_running_loop().create_future())
        if claim.delay > 0:
            heapq.heappush(endpoint.delayed, (waiter.not_before, next(self._order), waiter))
        else:
            endpoint.fresh.append(waiter)
        self._pump(claim.endpoint)
        if waiter.granted.done():
            return waiter.granted.result()
        try:
            return await waiter.granted
        except asyncio.CancelledError:
            await self.abandon(claim.id)
            raise

    async def report(self, ticket: Ticket, outcome: Outcome) -> None:
        endpoint = self._endpoints[ticket.endpoint]
        account = self._accounts.get(ticket.account)
        held = endpoint.held.pop(ticket.id, None)
        now = self._clock()
        if held is not None:
            # Otherwise its lease has run out: the slot is gone, but what was used was used.
            endpoint.gate.settle(now, held.at, outcome, held.tokens)
            self._unreserve(held)
        if account is not None:
            account.spent = _book(account.spent, outcome)
            self._unblock(account)
        if outcome.kind == "ok":
            endpoint.quiet_since = now if endpoint.queued() else None
            endpoint.mean_tokens = _mean(endpoint.mean_tokens, float(outcome.tokens))
            endpoint.mean_usd = _mean(endpoint.mean_usd, outcome.usd or 0.0)
        elif outcome.kind in {"unauthorized", "not_found", "quota"}:
            endpoint.dead = Refused(outcome.kind, outcome.message or endpoint.label)
        self._pump(ticket.endpoint)

    async def abandon(self, claim_id: str) -> None:
        self._drop(lambda waiter: waiter.claim.id == claim_id)
        for endpoint in self._endpoints.values():
            held = endpoint.held.pop(claim_id, None)
            if held is not None:
                self._free(held)

    async def halt(self, account: str, kind: FailureKind, message: str) -> None:
        known = self._accounts.setdefault(account, _Account())
        known.refused = Refused(kind, message)
        self._drop(lambda waiter: waiter.claim.account == account, known.refused)

    async def close(self, holder: str) -> None:
        self._drop(lambda waiter: waiter.claim.holder == holder, Refused("stopped", "its run or worker has ended"))
        for endpoint in self._endpoints.values():
            for held in [h for h in endpoint.held.values() if h.claim.holder == holder]:
                del endpoint.held[held.claim.id]
                self._free(held)
            # The gate keeps what it has learned for whoever opens the endpoint next.
            if endpoint.specs.pop(holder, None) is not None and endpoint.specs:
                endpoint.gate.adopt(strictest(endpoint.specs.values()))

    async def spent(self, account: str) -> Spent:
        known = self._accounts.get(account)
        return known.spent if known is not None else Spent()

    async def waiting(self) -> tuple[Waiting, ...]:
        now = self._clock()
        return tuple(endpoint.snapshot(now) for endpoint in self._endpoints.values())

    def _pump(self, name: str) -> None:
        """Starts every call that may start now and sets the timer for the next one."""
        endpoint = self._endpoints[name]
        now = self._clock()
        self._reclaim(endpoint, now)
        while (waiter := endpoint.head(now)) is not None:
            claim = waiter.claim
            refused = None if waiter.granted.done() else endpoint.dead or self._refusal(claim)
            if waiter.granted.done() or refused is not None:
                endpoint.pop(now)
                if refused is not None:
                    waiter.granted.set_result(refused)
                continue
            if endpoint.gate.opens_at() > now:
                break
            endpoint.pop(now)
            held = _Held(claim, now, *endpoint.expected(claim))
            account = self._accounts.get(claim.account)
            if account is not None:
                if account.over(held.tokens, held.usd, reserved=True):
                    # Calls at work may turn out cheaper than expected: their reports decide.
                    account.blocked.append(waiter)
                    continue
                account.reserved_tokens += held.tokens
                account.reserved_usd += held.usd
            endpoint.held[claim.id] = held
            endpoint.gate.grant(now, held.tokens)
            waiter.granted.set_result(Ticket(claim.id, name, claim.account))
        self._set_timer(name, endpoint, now)

    def _refusal(self, claim: Claim) -> Refused | None:
        account = self._accounts.get(claim.account)
        if account is None or account.refused is not None:
            return account.refused if account is not None else None
        reached = account.over(*self._endpoints[claim.endpoint].expected(claim), reserved=False)
        return Refused("budget", f"{reached}; raise it and repeat the command to go on") if reached else None

    def _set_timer(self, name: str, endpoint: _Endpoint, now: float) -> None:
        loop = asyncio.get_running_loop()
        at = endpoint.next_event(now)
        if endpoint.timer is not None:
            if endpoint.timer_loop is loop and endpoint.timer_at == at:
                return
            endpoint.timer.cancel()
            endpoint.timer = None
        if at < math.inf:
            endpoint.timer_at, endpoint.timer_loop = at, loop
            endpoint.timer = loop.call_later(max(0.0, at - now), self._wake, name)

    def _wake(self, name: str) -> None:
        self._endpoints[name].timer = None
        self._pump(name)

    def _reclaim(self, endpoint: _Endpoint, now: float) -> None:
        """Takes back slots of which nothing was heard for a whole lease; calls at work are in order of their start."""
        while endpoint.held:
            held = next(iter(endpoint.held.values()))
            if now - held.at < endpoint.gate.spec.lease_s:
                break
            del endpoint.held[held.claim.id]
            self._free(held)

    def _free(self, held: _Held) -> None:
        """Ends a call of which nothing will be heard."""
        endpoint = self._endpoints[held.claim.endpoint]
        endpoint.gate.settle(self._clock(), held.at, Outcome("cancelled"), held.tokens)
        self._unreserve(held)
        account = self._accounts.get(held.claim.account)
        if account is not None:
            self._unblock(account)
        if endpoint.queued():
            asyncio.get_running_loop().call_soon(self._pump, held.claim.endpoint)

    def _unreserve(self, held: _Held) -> None:
        account = self._accounts.get(held.claim.account)
        if account is not None:
            account.reserved_tokens = max(0.0, account.reserved_tokens - held.tokens)
            account.reserved_usd = max(0.0, account.reserved_usd - held.usd)

    def _unblock(self, account: _Account) -> None:
        """Lets claims that waited for the budget ask again, in their order and before newer ones."""
        if not account.blocked:
            return
        waiters, account.blocked = account.blocked, deque()
        for waiter in reversed(waiters):
            self._endpoints[waiter.claim.endpoint].fresh.appendleft(waiter)
        loop = asyncio.get_running_loop()
        for name in sorted({w.claim.endpoint for w in waiters}):
            loop.call_soon(self._pump, name)

    def _drop(self, which: Callable[[_Waiter], bool], answer: Refused | None = None) -> None:
        """Takes waiting claims out of every queue and gives them `answer`; without one they no longer listen."""
        gone: list[_Waiter] = []
        for account in self._accounts.values():
            gone += [w for w in account.blocked if which(w)]
            account.blocked = deque(w for w in account.blocked if not which(w))
        for endpoint in self._endpoints.values():
            gone += [w for w in endpoint.everyone() if which(w)]
            endpoint.fresh = deque(w for w in endpoint.fresh if not which(w))
            endpoint.delayed = [d for d in endpoint.delayed if not which(d[2])]
            heapq.heapify(endpoint.delayed)
        for waiter in gone:
            if not waiter.granted.done():
                if answer is None:
                    waiter.granted.cancel()
                else:
                    waiter.granted.set_result(answer)


def _mean(before: float, value: float) -> float:
    return value if before == 0 else 0.9 * before + 0.1 * value


def _book(spent: Spent, outcome: Outcome) -> Spent:
    if outcome.kind == "cancelled" and not (outcome.doubtful or outcome.tokens or outcome.usd):
        return spent
    return Spent(
        requests=spent.requests + 1,
        tokens=spent.tokens + outcome.tokens,
        usd=spent.usd + (outcome.usd or 0.0),
        doubtful=spent.doubtful + int(outcome.doubtful and not outcome.tokens),
        unpriced=spent.unpriced + int(outcome.usd is None),
    )


_limiter = functools.cache(InProcessLimiter)


def process_limiter() -> InProcessLimiter:
    """The one limiter that all runs of this process share, so that the points of a sweep add up to one client."""
    return _limiter()


class ActorLimiter:
    """A limiter that lives in an actor: the same protocol over a handle whose methods have `.remote(...)`.

    The handle is that of an async actor made of `InProcessLimiter`. A claim whose caller is cancelled is withdrawn
    there; reports are sent without waiting for them.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    async def open(self, endpoint: str, spec: LimitSpec, label: str = "", holder: str = "") -> None:
        await self._handle.open.remote(endpoint, spec, label, holder)

    async def fund(self, account: str, budget: Budget, spent: Spent = Spent()) -> None:
        await self._handle.fund.remote(account, budget, spent)

    async def acquire(self, claim: Claim) -> Ticket | Refused:
        if not claim.id:
            claim = replace(claim, id=uuid.uuid4().hex)
        try:
            answer: Ticket | Refused = await self._handle.acquire.remote(claim)
        except asyncio.CancelledError:
            self._handle.abandon.remote(claim.id)
            raise
        return answer

    async def report(self, ticket: Ticket, outcome: Outcome) -> None:
        self._handle.report.remote(ticket, outcome)

    async def abandon(self, claim_id: str) -> None:
        await self._handle.abandon.remote(claim_id)

    async def halt(self, account: str, kind: FailureKind, message: str) -> None:
        await self._handle.halt.remote(account, kind, message)

    async def close(self, holder: str) -> None:
        await self._handle.close.remote(holder)

    async def spent(self, account: str) -> Spent:
        spent: Spent = await self._handle.spent.remote(account)
        return spent

    async def waiting(self) -> tuple[Waiting, ...]:
        snapshot: tuple[Waiting, ...] = await self._handle.waiting.remote()
        return snapshot


class Deadline:
    """The working time that a case may use over all its calls. Waiting for limits is not working."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.used = 0.0

    def left(self) -> float | None:
        """Seconds left, at least 0; None when there is no bound."""
        return None if self.seconds is None else max(0.0, self.seconds - self.used)

    def charge(self, seconds: float) -> None:
        self.used += seconds


@dataclass(frozen=True)
class Bill:
    """What a reply used; `usd` is None when its price is not known."""

    tokens: int = 0
    usd: float | None = 0.0


@dataclass(frozen=True)
class Called(Generic[T]):
    """A call that succeeded: its value, every request it took, the time waited and the time of the last request."""

    value: T
    attempts: tuple[Mapping[str, Any], ...]
    waited_s: float
    seconds: float


def _no_bill(_: object) -> Bill:
    return Bill()


async def call_with_retry(
    limiter: Limiter,
    claim: Claim,
    send: Callable[[int], Awaitable[T]],
    retry: RetrySpec,
    *,
    bill: Callable[[T], Bill] = _no_bill,
    timeout_s: float | None = None,
    deadline: Deadline | None = None,
    clock: Clock = time.monotonic,
    jitter: Callable[[], float] = random.random,
) -> Called[T]:
    """Makes one call through the limiter and repeats it while that can help.

    Args:
        limiter: decides when each request may start; back-off is served there too, so that all waiting is visible.
        claim: what the call asks for; its delay, attempt and id are filled in here.
        send: makes one request, given the number of the attempt; raises `CallError` for every failure.
        retry: how often and how soon.
        bill: reads from a value what it used.
        timeout_s: bound on one request.
        deadline: bound on the working time of the case; a 429's time is waiting, not working.
        clock: seconds, monotonic.
        jitter: numbers in [0, 1).

    Raises:
        CallError: it failed for good, with its attempts; `ends_run` says whether the run can go on.
    """
    deadline = deadline if deadline is not None else Deadline(None)
    attempts: list[Mapping[str, Any]] = []
    waited, delay, doubtful = 0.0, 0.0, 0
    for number in itertools.count(1):
        asked = clock()
        ticket = await limiter.acquire(replace(claim, delay=delay, attempt=number, id=uuid.uuid4().hex))
        started = clock()
        waited += started - asked
        if isinstance(ticket, Refused):
            raise CallError(ticket.kind, ticket.message, attempts=tuple(attempts), waited_s=waited)
        bounds = [b for b in (timeout_s, deadline.left()) if b is not None]
        answer = await _once(limiter, ticket, send, number, min(bounds, default=None), bill)
        seconds = clock() - started
        attempt: dict[str, Any] = {"kind": "ok", "seconds": round(seconds, 4), "waited": round(started - asked, 4)}
        attempts.append(attempt)
        if not isinstance(answer, _Failed):
            deadline.charge(seconds)
            return Called(answer, tuple(attempts), waited, seconds)
        error = answer.error
        attempt.update(kind=error.kind, status=error.status, doubtful=error.doubtful)
        error.attempts, error.waited_s = tuple(attempts), waited
        if error.kind != "rate_limit":
            deadline.charge(seconds)
        decision = decide(error, number, retry, doubtful, jitter())
        if not isinstance(decision, Retry) or deadline.left() == 0:
            raise error
        delay = decision.after
        doubtful += int(error.doubtful)
    raise AssertionError("the attempts of a call have no end of their own")


@dataclass(frozen=True)
class _Failed:
    """A failure as a value, so that a reply which is itself an exception stays a reply."""

    error: CallError


async def _once(
    limiter: Limiter,
    ticket: Ticket,
    send: Callable[[int], Awaitable[T]],
    number: int,
    bound: float | None,
    bill: Callable[[T], Bill],
) -> T | _Failed:
    """Makes one request and reports it exactly once, whatever becomes of it."""
    outcome = Outcome("cancelled", doubtful=True)
    try:
        try:
            async with asyncio.timeout(bound):
                value = await send(number)
        except TimeoutError:
            raise CallError("timeout", f"no complete reply within {bound:g} s" if bound else "timed out") from None
        used = bill(value)
        outcome = Outcome("ok", tokens=used.tokens, usd=used.usd)
        return value
    except CallError as error:
        outcome = Outcome(
            error.kind, error.retry_after, error.tokens, error.usd, doubtful=error.doubtful, message=error.message
        )
        return _Failed(error)
    finally:
        await limiter.report(ticket, outcome)
