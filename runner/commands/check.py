"""`mma check model=X`: one cheap call per domain, before anyone spends.

Takes the overrides of `mma run`. Prints for each domain what came back, how it was read, where it points, and what it
cost; exits 1 if a call failed or its reply holds no action.
"""

from __future__ import annotations

import asyncio
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from runner.commands.compose import experiment_of


def main(arguments: list[str]) -> int:
    if {"-h", "--help"} & set(arguments):
        print("usage: mma check model=NAME [model.KEY=VALUE ...] [domain=...] [suite=...]\n\n" + str(__doc__))
        return 0
    experiment = experiment_of(arguments)
    from runner.run import check

    check(experiment)
    return ask_each_domain(experiment)


def ask_each_domain(experiment: dict[str, Any]) -> int:
    from benchmark.case import Observation
    from benchmark.images import ImageError
    from benchmark.suite import select
    from runner.display import TerminalDisplay
    from runner.harness.parse import parse
    from runner.limits import CallError
    from runner.run import make_suite
    from runner.work import as_stored, make_harness, make_model

    model = make_model(experiment["model"])
    checking = getattr(model, "check", None)
    if checking is not None:
        checking()
    suite = make_suite(experiment)
    picked = [
        entry
        for domain in experiment["domains"]
        for entry in select(suite.entries(), domains={domain: experiment["domains"][domain]}, ids=experiment["ids"],
                            limit=1, seed=experiment["seed"])
    ]  # fmt: skip
    with TerminalDisplay() as display:
        suite.ensure([e.id for e in picked], display.stage(suite.stage))
    harness = make_harness(experiment, suite.folder)
    console = Console(highlight=False)
    rows: list[tuple[str, ...]] = []
    costs: list[float | None] = []
    failed = 0

    async def one(case_id: str) -> None:
        nonlocal failed
        case = suite.case(case_id)
        observation: Observation = experiment["observation"]
        if case.image(observation) is None:
            observation = "injected"
        try:
            reply = await model.ask(harness.prompt(case, observation, model.profile), f"check:{case.id}")
        except (CallError, ImageError) as error:
            failed += 1
            rows.append((case.domain, escape(str(error)[:160]), "no reply", "", "", ""))
            return
        current = case.image(observation)
        assert current is not None
        sent = next((i for i in reply.images if i.hash == current.hash), as_stored(current))
        answer = parse(
            reply.text, reply.tool_calls, spatial=case.spatial, space=model.profile.space, sent=sent,
            filtered=reply.filtered,
        )  # fmt: skip
        costs.append(reply.cost_usd)
        action = answer.actions[0] if answer.actions else None
        failed += action is None and not answer.filtered
        where = ""
        if action is not None and action.point is not None:
            inside = 0 <= action.point.x < sent.width and 0 <= action.point.y < sent.height
            where = f"{action.point.x:.0f}, {action.point.y:.0f} of {sent.width} x {sent.height}"
            where += "" if inside else " OUTSIDE"
        elif action is not None and action.fields:
            where = "; ".join(f"{k}: {v}" for k, v in action.fields.items() if v)[:80]
        text = " ".join((reply.text or str(list(reply.tool_calls))).split())
        rows.append(
            (
                case.domain,
                escape(text[:160] + ("..." if len(text) > 160 else "")),
                action.type if action is not None else (answer.problem or "nothing"),
                escape(where),
                f"{reply.usage.prompt} + {reply.usage.completion}",
                "unknown" if reply.cost_usd is None else f"{reply.cost_usd:.5f}",
            )
        )
        if "negotiated" in reply.sent:
            changed = ", ".join(f"{n['parameter']} -> {n['now']}" for n in reply.sent["negotiated"])
            console.print(f"negotiated: {changed}", markup=False)

    async def all_of_them() -> None:
        try:
            for entry in picked:
                await one(entry.id)
        finally:
            await model.close()

    asyncio.run(all_of_them())
    table = Table(title=f"{experiment['model']['label']}: one call per domain", title_justify="left", show_lines=True)
    for name in ("domain", "reply", "read as", "point or fields", "tokens", "USD"):
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    total = "unknown" if any(c is None for c in costs) else f"{sum(c or 0.0 for c in costs):.5f} USD"
    console.print(f"cost of this check: {total}", markup=False)
    console.print(f"{failed} of {len(rows)} failed" if failed else "every domain answered with an action", markup=False)
    return 1 if failed else 0
