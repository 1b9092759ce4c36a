"""`dry_run=true`: what a run would send and cost, without sending anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from benchmark.case import Action
from benchmark.scoring import Answer
from benchmark.suite import Suite
from runner.doubts import LEGIBLE_PX, legibility
from runner.exchange import ImagePolicy, MissingKey, Prompt, Subject, fitted_size
from runner.report.table import marks

CHARACTERS_PER_TOKEN = 4.0
PIXELS_PER_TOKEN = 750.0
REPLY_TOKENS = 150
REPLY_CHARACTERS = 600
STEP_TOKENS = 30
"""What one more step of an episode adds to the text of the turns after it."""


@dataclass(frozen=True)
class Forecast:
    """What a run is expected to send and cost, at most where agents act; None when its price is not known."""

    requests: int
    tokens: int
    cost_usd: float | None


@dataclass(frozen=True)
class Sent:
    """What goes out for one case: requests, images, and tokens of text and images."""

    requests: int = 0
    images: int = 0
    tokens: float = 0.0

    def __add__(self, other: Sent) -> Sent:
        return Sent(self.requests + other.requests, self.images + other.images, self.tokens + other.tokens)


def sent_for(prompt: Prompt, policy: ImagePolicy, steps: int = 1, history: int | None = 0) -> Sent:
    """What goes out for one case, of which this is the first prompt, if it takes `steps` turns.

    Each turn tells one step more than the last and shows one screen more, up to `history` earlier ones.
    """
    sizes = [fitted_size(policy, i.ref.width, i.ref.height) for i in prompt.images]
    weights = [width * height / PIXELS_PER_TOKEN for width, height in sizes]
    found = Sent()
    for turn in range(steps):
        room = turn if history is None else max(0, min(turn, history + 1 - len(weights)))
        text = len(prompt.text) / CHARACTERS_PER_TOKEN + turn * STEP_TOKENS
        more = room * weights[-1] if weights else 0.0
        found += Sent(1, len(weights) + room, text + sum(weights) + more)
    return found


def preview(experiment: Mapping[str, Any]) -> Forecast:
    """Checks the experiment, builds its cases, and prints requests, tokens and cost."""
    from runner.display import TerminalDisplay
    from runner.manifest import fingerprint, run_folder
    from runner.run import check, check_judge, make_suite, selection
    from runner.work import acts, make_harness, make_model, pinned

    check(experiment)
    experiment = pinned(experiment)
    model = make_model(experiment["model"])
    missing = []
    for checking in (getattr(model, "check", lambda: None), lambda: check_judge(experiment)):
        try:
            checking()
        except MissingKey as error:  # a forecast needs no key
            missing.append(f"{error}, before you run it")
    suite = make_suite(experiment)
    entries = selection(experiment, suite)
    with TerminalDisplay() as display:
        suite.ensure([e.id for e in entries], display.stage(suite.stage))
    harness = make_harness(experiment, suite.folder)
    policy: ImagePolicy = model.profile.policy
    acting = acts(experiment)
    turns = {"steps": experiment["harness"]["steps"], "history": experiment["harness"]["history"]} if acting else {}
    sent, skipped = Sent(), 0
    for entry in entries:
        case = suite.case(entry.id)
        if case.image(experiment["observation"]) is None:
            skipped += 1
            continue
        prompt = harness.prompt(case, experiment["observation"], model.profile)
        sent += sent_for(prompt, policy, **turns)
    repeats = experiment["repeats"]
    requests = sent.requests * repeats
    prompt_tokens = round(sent.tokens * repeats)
    completion = requests * REPLY_TOKENS
    bound = "at most " if acting else ""
    price = experiment["model"]["price"]
    cost, usd = "unknown (model.price has no figures)", None
    if price["prompt"] is not None and price["completion"] is not None:
        usd = (prompt_tokens * price["prompt"] + completion * price["completion"]) / 1e6
        cost = f"{bound}about {usd:.2f} USD"
    console = Console(highlight=False)
    console.print(f"cases      {len(entries)} ({', '.join(_counts(entries))})", markup=False)
    if skipped:
        console.print(f"skipped    {skipped} have no {experiment['observation']} image")
    calls = f"{(len(entries) - skipped) * repeats} episodes, at most {requests} requests" if acting else f"{requests}"
    console.print(f"requests   {calls} with {sent.images * repeats} images")
    console.print(f"tokens     {bound}about {prompt_tokens} in, {completion} out (4 characters or 750 pixels a token)")
    console.print(f"cost       {cost}", markup=False)
    if acting:
        shown = "all" if turns["history"] is None else f"up to {turns['history']}"
        console.print(f"           if all take {turns['steps']} steps; later turns show {shown} earlier screens")
    judging = judge_forecast(experiment, suite, [e.id for e in entries])
    if judging.requests:
        paid = "unknown cost" if judging.cost_usd is None else f"about {judging.cost_usd:.2f} USD"
        console.print(f"judge      {judging.requests} requests, about {judging.tokens} tokens, {paid}", markup=False)
    small = legibility((suite.case(e.id) for e in entries), policy)
    texts = ", ".join(f"{d} {px:.1f} px" for d, px in small.smallest_px.items())
    console.print(f"smallest   {texts} (payload text as it is sent)", markup=False)
    if small.cases:
        under = ", ".join(f"{d} {n}" for d, n in small.illegible.items() if n)
        console.print(f"illegible  {len(small.cases)} cases under {LEGIBLE_PX:g} px: {under}", markup=False)
    for line in [*marks(experiment["model"]), *missing]:
        console.print(f"note       {line}", markup=False)
    console.print(f"run        {run_folder(experiment, fingerprint(experiment, suite))}", markup=False)
    console.print("nothing was sent; leave out dry_run=true to run it")
    both = None if usd is None or judging.cost_usd is None else usd + judging.cost_usd
    return Forecast(requests + judging.requests, prompt_tokens + completion + judging.tokens, both)


def judge_forecast(experiment: Mapping[str, Any], suite: Suite, ids: Sequence[str]) -> Forecast:
    """What the judge's calls are expected to come to, for replies of usual length that nothing but a judge can settle."""
    from runner.work import judge_models, make_judge

    config = experiment["judge"]
    members = [config, *config.get("members", {}).values()]
    requests, tokens, usd = 0, 0.0, 0.0
    priced = True
    for member in (m for m in members if judge_models({k: v for k, v in m.items() if k != "members"})):
        judge: Any = make_judge(member, suite.folder)
        policy, price = judge.model.profile.policy, member["model"]["price"]
        per_reply = REPLY_TOKENS * member["repeat"] * experiment["repeats"]
        for id in ids:
            case = suite.case(id)
            subject = Subject(
                "", experiment["observation"], Answer(actions=(Action(type="wait"),)), "." * REPLY_CHARACTERS
            )
            if case.image(experiment["observation"]) is None or judge.at_once(case, subject) is not None:
                continue
            prompt = judge.prompt(case, subject)
            sizes = [fitted_size(policy, i.ref.width, i.ref.height) for i in prompt.images]
            once = len(prompt.text) / CHARACTERS_PER_TOKEN + sum(w * h for w, h in sizes) / PIXELS_PER_TOKEN
            asked = once * member["repeat"] * experiment["repeats"]
            requests += member["repeat"] * experiment["repeats"]
            tokens += asked + per_reply
            if price["prompt"] is None or price["completion"] is None:
                priced = False
            else:
                usd += (asked * price["prompt"] + per_reply * price["completion"]) / 1e6
    return Forecast(requests, round(tokens), usd if priced else None)


def _counts(entries: Any) -> list[str]:
    from collections import Counter

    return [f"{domain} {n}" for domain, n in Counter(e.domain for e in entries).items()]
