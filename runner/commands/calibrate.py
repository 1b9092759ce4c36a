"""`mma calibrate model=X`: proves the coordinate space that a profile declares, on drawn targets, or finds it out.

Takes the model's overrides as `mma run` does, and `targets=N` (24 calls by default). Prints the error in pixels of
every space, writes a picture of targets and answers, and exits 1 only if another space is better beyond doubt. Where
none is declared, the model is told none, and the one that explains its answers best is named.
"""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from runner.commands.compose import experiment_of

CONTRADICTED = 1

EXPLAINED = 0.5
"""The share of answers on their target from which on a space that nobody declared is recommended."""


def main(arguments: list[str]) -> int:
    if {"-h", "--help"} & set(arguments):
        print("usage: mma calibrate model=NAME [model.KEY=VALUE ...] [targets=N] [out=FOLDER]\n\n" + str(__doc__))
        return 0
    own = dict(a.split("=", 1) for a in arguments if a.split("=", 1)[0] in {"targets", "out"} and "=" in a)
    experiment = experiment_of([a for a in arguments if a.split("=", 1)[0] not in own])
    if not own.get("targets", "24").isdigit() or int(own.get("targets", "24")) < 3:
        raise ValueError(f"targets={own['targets']}: give a whole number, 3 or more")
    return calibrate(experiment, int(own.get("targets", "24")), Path(own["out"]) if "out" in own else None)


def calibrate(experiment: dict[str, Any], count: int, out: Path | None) -> int:
    from runner import calibration
    from runner.ledger import write_whole
    from runner.limits import CallError
    from runner.manifest import slug
    from runner.work import make_model

    config = experiment["model"]
    folder = out or Path(experiment["run"]["root"]) / "calibrations" / slug(config["label"])
    model = make_model(config)
    checking = getattr(model, "check", None)
    if checking is not None:
        checking()
    console = Console(highlight=False)
    console.print(f"asking {config['label']} for {count} points", markup=False)

    async def asked() -> tuple[calibration.Answered, ...]:
        try:
            return await calibration.ask(model, calibration.targets(count, experiment["seed"]), folder)
        finally:
            await model.close()

    try:
        answers = asyncio.run(asked())
    except CallError as error:
        raise ValueError(f"{config['label']} cannot be calibrated: {error}") from None
    found = calibration.fit(answers, model.profile.space)
    table = Table(title=f"{config['label']}: which space explains its answers", title_justify="left")
    for name, side in (("space", "left"), ("median error", "right"), ("on target", "right"), ("", "left")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    for fit in found.fits:
        table.add_row(
            fit.reading.name, f"{fit.median_px:.1f} px", f"{fit.on_target:.0%}", "declared" if fit.declared else ""
        )
    console.print(table)
    costs = [a.cost_usd for a in answers]
    cost = "unknown" if any(c is None for c in costs) else f"{sum(c or 0.0 for c in costs):.4f} USD"
    console.print(f"{found.answered} of {count} answers hold a point; cost {cost}", markup=False)
    if len(found.alike) > 1:
        names = "; ".join(f.reading.name for f in found.alike)
        console.print(f"cannot be told apart by these answers: {names}", markup=False)
    picture = folder / "calibration.png"
    folder.mkdir(parents=True, exist_ok=True)
    claimed, best = found.declared, found.best
    calibration.sheet(answers, claimed.reading if claimed else None, best.reading).save(picture)
    data = {"date": datetime.now(UTC).strftime("%Y-%m-%d"), **calibration.as_data(found, config)}
    write_whole(folder / "calibration.json", json.dumps(data, indent=2) + "\n")
    console.print(f"picture: {picture}", markup=False)
    if claimed is None:
        fits = f"{best.median_px:.1f} px off at the median, {best.on_target:.0%} on target"
        if best.on_target < EXPLAINED:
            console.print(
                f"no space is declared, and none explains the answers: the best is {best.reading.name}, {fits}; try more "
                f"targets=, and look at the picture",
                markup=False,
            )
        else:
            console.print(
                f"no space is declared; {best.reading.name} explains the answers best, {fits}: set "
                f"{best.reading.overrides}, and prove it by calibrating once more with that",
                markup=False,
            )
        return 0
    if found.contradicted:
        console.print(
            f"the declared space is contradicted: {claimed.median_px:.1f} px against "
            f"{best.median_px:.1f} px; use {best.reading.overrides}",
            markup=False,
        )
        return CONTRADICTED
    console.print(
        f"the declared space holds, {claimed.median_px:.1f} px off at the median; on the real endpoint, note it "
        f"in the profile: verified: {data['date']}",
        markup=False,
    )
    return 0
