"""`dry_run=true`: what a run would send and cost, without sending anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from runner.doubts import LEGIBLE_PX, legibility
from runner.exchange import ImagePolicy, fitted_size
from runner.report.table import marks

CHARACTERS_PER_TOKEN = 4.0
PIXELS_PER_TOKEN = 750.0
REPLY_TOKENS = 150


@dataclass(frozen=True)
class Forecast:
    """What a run is expected to send and cost; None when its price is not known."""

    requests: int
    tokens: int
    cost_usd: float | None


def preview(experiment: Mapping[str, Any]) -> Forecast:
    """Checks the experiment, builds its cases, and prints requests, tokens and cost."""
    from runner.display import TerminalDisplay
    from runner.run import check, fingerprint, make_suite, run_folder, selection
    from runner.work import make_harness, make_model, pinned

    check(experiment)
    experiment = pinned(experiment)
    model = make_model(experiment["model"])
    checking = getattr(model, "check", None)
    if checking is not None:
        checking()
    suite = make_suite(experiment)
    entries = selection(experiment, suite)
    with TerminalDisplay() as display:
        suite.ensure([e.id for e in entries], display.building)
    harness = make_harness(experiment, suite.folder)
    policy: ImagePolicy = model.profile.policy
    text_tokens, image_tokens, images, skipped = 0.0, 0.0, 0, 0
    for entry in entries:
        case = suite.case(entry.id)
        if case.image(experiment["observation"]) is None:
            skipped += 1
            continue
        prompt = harness.prompt(case, experiment["observation"], model.profile)
        text_tokens += len(prompt.text) / CHARACTERS_PER_TOKEN
        for image in prompt.images:
            width, height = fitted_size(policy, image.ref.width, image.ref.height)
            image_tokens += width * height / PIXELS_PER_TOKEN
            images += 1
    repeats = experiment["repeats"]
    requests = (len(entries) - skipped) * repeats
    prompt_tokens = round((text_tokens + image_tokens) * repeats)
    completion = requests * REPLY_TOKENS
    price = experiment["model"]["price"]
    cost, usd = "unknown (model.price has no figures)", None
    if price["prompt"] is not None and price["completion"] is not None:
        usd = (prompt_tokens * price["prompt"] + completion * price["completion"]) / 1e6
        cost = f"about {usd:.2f} USD"
    console = Console(highlight=False)
    console.print(f"cases      {len(entries)} ({', '.join(_counts(entries))})", markup=False)
    if skipped:
        console.print(f"skipped    {skipped} have no {experiment['observation']} image")
    console.print(f"requests   {requests} with {images * repeats} images")
    console.print(f"tokens     about {prompt_tokens} in, {completion} out (4 characters or 750 pixels a token)")
    console.print(f"cost       {cost}", markup=False)
    small = legibility((suite.case(e.id) for e in entries), policy)
    texts = ", ".join(f"{d} {px:.1f} px" for d, px in small.smallest_px.items())
    console.print(f"smallest   {texts} (payload text as it is sent)", markup=False)
    if small.cases:
        under = ", ".join(f"{d} {n}" for d, n in small.illegible.items() if n)
        console.print(f"illegible  {len(small.cases)} cases under {LEGIBLE_PX:g} px: {under}", markup=False)
    for line in marks(experiment["model"]):
        console.print(f"note       {line}", markup=False)
    console.print(f"run        {run_folder(experiment, fingerprint(experiment, suite))}", markup=False)
    console.print("nothing was sent; leave out dry_run=true to run it")
    return Forecast(requests, prompt_tokens + completion, usd)


def _counts(entries: Any) -> list[str]:
    from collections import Counter

    return [f"{domain} {n}" for domain, n in Counter(e.domain for e in entries).items()]
