"""Who may call an endpoint now, and what happens after a call failed: concurrency, 429s, rates, money.

This is the one place where those are decided. `failures` names what can go wrong and says what is repeated; `gate`
holds the rules of one endpoint; `protocol` is what callers and limiter exchange; `limiter` puts queues, a clock and
accounts around the gates, in this process or in an actor; `calls` carries one call through all of it.
"""

from runner.limits.calls import Bill, Called, Deadline, call_with_retry
from runner.limits.failures import (
    ENDS_RUN,
    TRANSIENT,
    CallError,
    FailureKind,
    GiveUp,
    LimitSpecError,
    Retry,
    RetryDecision,
    RetrySpec,
    Stop,
    decide,
    from_response,
    retry_after_seconds,
)
from runner.limits.gate import Gate, LimitSpec, Meter, Outcome, broken, crowded, strictest
from runner.limits.limiter import ActorLimiter, InProcessLimiter, process_limiter
from runner.limits.protocol import (
    Budget,
    Claim,
    Limiter,
    Refused,
    Spent,
    Ticket,
    Waiting,
    endpoint_id,
    waiting_line,
)

__all__ = [
    "ENDS_RUN",
    "TRANSIENT",
    "ActorLimiter",
    "Bill",
    "Budget",
    "CallError",
    "Called",
    "Claim",
    "Deadline",
    "FailureKind",
    "Gate",
    "GiveUp",
    "InProcessLimiter",
    "LimitSpec",
    "LimitSpecError",
    "Limiter",
    "Meter",
    "Outcome",
    "Refused",
    "Retry",
    "RetryDecision",
    "RetrySpec",
    "Spent",
    "Stop",
    "Ticket",
    "Waiting",
    "broken",
    "call_with_retry",
    "crowded",
    "decide",
    "endpoint_id",
    "from_response",
    "process_limiter",
    "retry_after_seconds",
    "strictest",
    "waiting_line",
]
