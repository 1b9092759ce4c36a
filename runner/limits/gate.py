"""The limits of one endpoint as a machine without I/O.

How many calls may be in flight, when the next one may start, and what an answer changes about both. Queues, accounts
and real clocks are the limiter's.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from runner.limits.failures import TRANSIENT, LimitSpecError, OutcomeKind


@dataclass(frozen=True)
class LimitSpec:
    """The limits of one endpoint and key.

    Attributes:
        max_in_flight: most calls at one time.
        start_in_flight: where slow start begins.
        requests_per_minute: no window of 60 s holds more calls; None for no such limit.
        tokens_per_minute: likewise for tokens, to within one call; None for no such limit.
        pause_s: pause after a cut whose refusals named no delay; it doubles while nothing gets through.
        probe_s: longest such pause: how soon after an outage its end is noticed.
        pause_cap_s: longest pause, whatever a Retry-After says.
        lease_s: a call that reports nothing for so long has lost its slot (its process has died).
    """

    max_in_flight: int = 64
    start_in_flight: int = 8
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    pause_s: float = 0.5
    probe_s: float = 30.0
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
            probe_s=max(first.probe_s, other.probe_s),
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


_REPLIED: frozenset[str] = frozenset({"ok", "bad_request", "filtered", "truncated", "malformed", "empty"})

# Chosen by simulation over token buckets of 5-200 calls a second, bursts of 1 call to 3 s, latencies of 50 ms to 2 s.
_RECENT = 64  # answers that say whether refusals are scattered
_CUT = 0.7  # of the calls in flight, what a cut leaves
_BACK_OFF = 0.9  # of the rate last admitted, what the pace starts from again
_BURST_S = 2.5  # a run between two refusals no longer than this tells little about the rate
_HEADROOM = 1.25  # over the calls in flight that a pace needs at the mean latency
_MILD = 0.25  # of the calls of the last second: refusals up to this share mean a pace a little too high
_TRIM = 0.95  # of the pace, what one mild refusal leaves
_DOUBLE_S = 1.0  # seconds in which an untested pace doubles
_DOUBLINGS = 4
_PROBE_S = 5.0  # seconds that a trimmed pace takes to rise by a tenth


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
    cut by one per round trip; only calls during which all slots were taken count. A cut comes from a 429 with
    Retry-After, from 429s that are more than scattered, or from a server of which most calls fail; once per epoch, that
    is, only a call that was started after the last cut can cause the next. It pauses the endpoint for as long as the
    provider asked. Two cuts without a success between them leave one probe at a time until something gets through.

    A refusal is seldom about concurrency: providers count requests and tokens over time. So a cut by 429s also learns
    a pace, calls per second, from what was admitted since the cut before. A pace that was never refused is only a lower
    bound and doubles each second; after that it is probed ever more slowly: the longer the last pace lasted, and the
    longer the pause that a wrong guess costs, the longer it stays below. At a learned pace a few refusals among many
    admitted calls say no more than that it is a little too high: each trims it, and the refused call alone waits for as
    long as the provider asked. More than that is a cut again.

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
        self._full_at = -math.inf
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
        self._hunting = False
        self._trimmed_at = -math.inf
        self._refusals: deque[float] = deque(maxlen=_RECENT)
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
        if self.full():
            self._full_at = now
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
        self.in_flight = max(0, self.in_flight - 1)
        if self._tokens is not None:
            actual = 0.0 if outcome.kind == "rate_limit" else float(outcome.tokens or tokens)
            self._tokens.correct(actual - tokens)
        mild = outcome.kind == "rate_limit" and self._mild(now)
        if granted_at > self._cut_at:
            self._note(now, granted_at, outcome, mild)
        elif outcome.kind == "rate_limit" and self._past is not None:
            self._past.refused += 1
        if outcome.kind in TRANSIENT and outcome.retry_after and not mild:
            self._pause(now, outcome.retry_after)

    def _mild(self, now: float) -> bool:
        """Whether a refusal only shows that a learned pace is a little too high; counts it."""
        self._refusals.append(now)
        if self._pace is None or self._dry or self._past is not None:
            return False
        refused = sum(1 for t in self._refusals if t > now - 1.0)
        granted = sum(1 for _ in itertools.takewhile(lambda t: t > now - 1.0, reversed(self._granted)))
        return refused <= max(2.0, _MILD * granted)

    def _trim(self, now: float, granted_at: float) -> None:
        """Lowers the pace once for the calls that were started at it."""
        if self._pace is None or granted_at <= self._trimmed_at:
            return
        self._pace_base = _TRIM * self._pace.rate
        self._pace.rate = self._pace_base
        self._pace_held = 0.0
        self._pace_period = _PROBE_S
        self._hunting = False
        self._trimmed_at = now

    def _note(self, now: float, granted_at: float, outcome: Outcome, mild: bool) -> None:
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
            many = crowded(self._recent.count("refused"), len(self._recent))
            if mild and not probing:
                if outcome.retry_after or many:
                    self._trim(now, granted_at)
                    self._recent.clear()
            elif outcome.retry_after or probing or many:
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
            if self._full_at >= granted_at:
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
            self._pause(now, min(self.spec.probe_s, self.spec.pause_s * 2.0 ** min(self._dry, 30)))
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
        self._hunting = self._pace is None and active < 1.0
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
        if self._hunting and self._pace_held < _DOUBLINGS * _DOUBLE_S:
            pace.rate = self._pace_base * 2.0 ** (self._pace_held / _DOUBLE_S)
        elif self._hunting:
            # So far above what was admitted, the refusal was not about a rate; from here on with care.
            self._hunting, self._pace_base, self._pace_held = False, pace.rate, 0.0
        else:
            pace.rate = self._pace_base * (1 + 0.1 * (self._pace_held / self._pace_period) ** 3)
