"""`mma run`: hands its line to Hydra and runs each point it composes.

A point that fails is said at once, with its cause, and does not stop the others; a multirun ends with a table of its
points. Hydra's own launcher stays the basic one: fan-out is over cases, not over points.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from runner.config import ConfigError, first_folder, plain, register

if TYPE_CHECKING:
    from runner.report.gates import Gate

GATE_FAILED = 3


@dataclass
class Point:
    """What became of one point of a (multi)run."""

    overrides: str
    exit_code: int
    folder: str = ""
    line: str = ""
    measured: tuple[Gate, ...] = ()
    tokens: int = 0
    cost_usd: float | None = 0.0


def one_line(error: BaseException) -> str:
    """An error as one line with the valid choices, in place of Hydra's several."""
    text = str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if "Could not override" in text:
        key = text.split("'")[1]
        return f"there is no config key {key!r}; `mma run --help` lists the groups, `mma run --cfg job` all keys{_close(key)}"
    if "Could not find" in text and "Available options" in text:
        start = next(i for i, line in enumerate(lines) if line.startswith("Available options"))
        end = next((i for i, line in enumerate(lines) if line.startswith("Config search path")), len(lines))
        options = [o for o in lines[start + 1 : end] if not o.startswith("base_")]
        missing = lines[0].split("Could not find")[-1].strip().strip("'")
        group, _, choice = missing.partition("/")
        return f"there is no {group} {choice!r}; choose one of {', '.join(options)}"
    if "ConfigKeyError" in text or "not in '" in text:
        for line in lines:
            if line.startswith("Key '"):
                key = line.split("'")[1]
                where = next((x.split(":", 1)[1].strip() for x in lines if x.startswith("full_key")), key)
                return f"there is no config key {where!r}; `mma run --cfg job` prints all keys that exist"
    full = next((x.split(":", 1)[1].strip() for x in lines if x.startswith("full_key")), None)
    head = lines[0] if lines else type(error).__name__
    return f"{full}: {head}" if full and full not in head else head


def _close(key: str) -> str:
    from difflib import get_close_matches

    from runner.config import SCHEMAS, Experiment

    names = [*(g for g, _, _ in SCHEMAS if g), *Experiment.__dataclass_fields__]
    close = get_close_matches(key.split(".")[0], names, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def main(arguments: list[str]) -> int:
    """Runs `mma run ARGUMENTS`; returns the exit code of the worst point.

    `--fail-if GATE` is ours and is taken out before Hydra reads the line.
    """
    import hydra
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    from runner.report.gates import split_gates

    arguments, gates = split_gates(arguments)
    register()
    folder, line = first_folder(arguments)
    points: list[Point] = []
    verbose = os.environ.get("HYDRA_FULL_ERROR") == "1"

    def task(cfg: Any) -> None:
        points.append(point(cfg, sweep_group(arguments), verbose, gates))

    entry = hydra.main(version_base="1.3", config_path=str(folder), config_name="config")(task)
    # Hydra's parser stops taking overrides at a flag that stands among them, so flags without a value go first.
    flags = [a for a in line if a in {"-m", "--multirun"}]
    before, sys.argv = sys.argv, ["mma run", *flags, *(a for a in line if a not in flags)]
    os.environ["HYDRA_FULL_ERROR"] = "1"  # errors come to us as exceptions and leave as one line
    try:
        entry()
    except (HydraException, OmegaConfBaseException, ConfigError) as error:
        if verbose:
            raise
        print(f"mma run: {one_line(error)}", file=sys.stderr)
        return 2
    except SystemExit as leaving:
        # argparse (--help, a bad flag) ends this way; what it says is on the screen already.
        return leaving.code if isinstance(leaving.code, int) else 0
    finally:
        sys.argv = before
        if not verbose:
            del os.environ["HYDRA_FULL_ERROR"]
    if len(points) > 1:
        from runner.report.table import show_points

        show_points(points)
    codes = [p.exit_code for p in points]
    if 130 not in codes and any(p.folder for p in points):
        for gate in gates:
            if not any(gate in p.measured for p in points):
                print(f"mma run: gate {gate.text!r}: nothing that was run measures it", file=sys.stderr)
                codes.append(GATE_FAILED)
    if len(codes) > 1:
        return next((code for code in (130, GATE_FAILED) if code in codes), 1 if any(codes) else 0)
    return codes[0] if codes else 0


def sweep_group(arguments: list[str]) -> str | None:
    """A stable name for the points of one sweep; None for a single run. A ready sweep is one without a flag."""
    from hydra.core.hydra_config import HydraConfig
    from hydra.types import RunMode

    if not HydraConfig.initialized() or HydraConfig.get().mode != RunMode.MULTIRUN:
        return None
    from runner.ledger import key_of

    return f"sweep-{key_of(sorted(set(arguments) - {'-m', '--multirun'}))[:8]}"


def point(cfg: Any, group: str | None, verbose: bool, gates: Sequence[Gate] = ()) -> Point:
    """Runs one composed experiment; whatever goes wrong in it stays with it."""
    from hydra.core.hydra_config import HydraConfig

    overrides = " ".join(HydraConfig.get().overrides.task) if HydraConfig.initialized() else ""
    try:
        experiment = plain(cfg)
        return replace(run_one(experiment, group, gates), overrides=overrides)
    except KeyboardInterrupt:
        return Point(overrides, 130, line="interrupted")
    except (ValueError, OSError) as error:
        if verbose:
            traceback.print_exc()
        line = " ".join(str(error).split())
        print(f"mma run: {overrides + ': ' if group is not None else ''}{line}", file=sys.stderr)
        return Point(overrides, 2, line=line)
    except Exception as error:  # a fault of ours: the other points go on, and the trace is on the screen
        traceback.print_exc()
        return Point(overrides, 1, line=f"{type(error).__name__}: {error}")


def run_one(experiment: dict[str, Any], group: str | None, gates: Sequence[Gate] = ()) -> Point:
    """Runs an experiment; the point holds its headline, the gates that it says something about, and what it cost."""
    from runner.display import TerminalDisplay

    if experiment["dry_run"]:
        from runner.dry_run import preview

        forecast = preview(experiment)
        return Point("", 0, line="dry run", tokens=forecast.tokens, cost_usd=forecast.cost_usd)
    from runner.report.gates import failures_of_summary, measured
    from runner.run import INTERRUPTED, execute

    with TerminalDisplay() as display:
        result = execute(experiment, display, group)
    from runner.report.table import headline, show_result  # by now the run has loaded most of it

    show_result(result)
    if result.executed is not None:
        from rich.console import Console

        from runner.report.executed import executed_table

        Console(highlight=False).print(executed_table(result.executed, experiment["defense"]["name"]))
    control = str(experiment["prompt"]["name"])
    about = tuple(gate for gate in gates if measured(gate, result.summary, control))
    failed = failures_of_summary(gates, result.summary, control, result.folder.name)
    for line in failed:
        print(f"mma run: {line}", file=sys.stderr)
    code = GATE_FAILED if failed and result.exit_code != INTERRUPTED else result.exit_code
    costs = (result.cost_usd, result.judge_cost_usd)
    return Point(
        "", code, str(result.folder), headline(result), about, result.tokens + result.judge_tokens,
        None if None in costs else sum(c or 0.0 for c in costs),
    )  # fmt: skip
