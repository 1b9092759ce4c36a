"""`mma runs`: lists run directories and their state, from their manifests and ledgers alone.

A run that is at work is read beside its writer; its counts are those of its ledger, because its summary is of the
session before. `--watch` shows the same table again and again until Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from runner.ledger import Ledger, LedgerError, at_work, read_whole

STATES = ("running", "complete", "incomplete", "started", "damaged")


def _latest_verdicts(folder: Path) -> str | None:
    files = sorted((folder / "verdicts").glob("*.jsonl"), key=lambda p: (p.stat().st_mtime, p.name))
    return f"verdicts/{files[-1].name}" if files else None


def counted(folder: Path) -> dict[str, Any]:
    """Planned, scored, error, judge_error and cost of a run as its ledger has them now."""
    ledger = Ledger.open(folder)
    answered: dict[tuple[str, str, int], str] = {}
    failed: set[tuple[str, str, int]] = set()
    cost: float | None = 0.0
    for stored in ledger.stored():
        if stored.failed:
            failed.add(stored.unit)
        else:
            answered[stored.unit] = stored.answer_id
        cost = None if cost is None or stored.cost_usd is None else cost + stored.cost_usd
    file = _latest_verdicts(folder)
    status = {v.answer_id: v.status for v in ledger.verdicts(file)} if file is not None else {}
    given = [status.get(id) for id in answered.values()]
    return {
        "planned": len(ledger.plan()),
        "scored": given.count("scored"),
        "error": len(failed - answered.keys()),
        "judge_error": given.count("judge_error"),
        "cost_usd": cost,
    }


def state_of(folder: Path) -> dict[str, Any]:
    """One run directory: what it is a run of, its state, its counts; one that cannot be read is `damaged`."""
    entry: dict[str, Any] = {"run": str(folder)}
    try:
        manifest = read_whole(folder / "manifest.json")
        experiment = manifest["experiment"]
        entry |= {
            "model": experiment["model"]["label"],
            "prompt": experiment["prompt"]["name"],
            "observation": experiment["observation"],
            "domains": manifest["domains"],
            "fingerprint": manifest["fingerprint"],
            "sessions": manifest["sessions"],
            "state": "started",
        }
        summary = read_whole(folder / "summary.json") if (folder / "summary.json").exists() else None
        running = at_work(folder)
        if running or summary is None:
            entry |= counted(folder)
            entry["state"] = "running" if running else "incomplete" if entry["scored"] else "started"
        else:
            cells = summary["domains"].values()
            entry |= {k: sum(c[k] for c in cells) for k in ("planned", "scored", "error", "judge_error")}
            # The summary is of the last selection; a directory may have planned more than that.
            entry["planned"] = max(entry["planned"], summary.get("planned_in_directory", 0))
            entry["cost_usd"] = summary["cost_usd"]
            done = sum(c["planned"] for c in cells) == entry["scored"]
            entry["state"] = "complete" if done else "incomplete"
    except (LedgerError, KeyError, TypeError, AttributeError) as error:
        return {"run": str(folder), "state": "damaged", "why": " ".join(str(error).split())}
    return entry


def fits(entry: Mapping[str, Any], options: argparse.Namespace) -> bool:
    """Whether a run passes the filters: parts of the model's label, whole names otherwise."""
    if options.model and options.model.casefold() not in str(entry.get("model", "")).casefold():
        return False
    if options.control and entry.get("prompt") != options.control:
        return False
    if options.observation and entry.get("observation") != options.observation:
        return False
    if options.domain and options.domain not in entry.get("domains", ()):
        return False
    return not options.state or entry["state"] == options.state


def states(root: Path) -> Iterator[dict[str, Any]]:
    """One entry per run directory below `root`, by name."""
    for path in sorted(root.glob("*/manifest.json")):
        yield state_of(path.parent)


def add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("root", type=Path, nargs="?", default=Path("runs"), help="where runs lie (default: runs)")
    parser.add_argument("--model", help="only runs whose model label holds this text")
    parser.add_argument("--control", help="only runs under this prompt control")
    parser.add_argument("--observation", choices=("injected", "clean"), help="only runs of this observation")
    parser.add_argument("--domain", help="only runs that took in this domain")
    parser.add_argument("--state", choices=STATES, help="only runs in this state")


LOOKS = {"running": "cyan", "complete": "green", "incomplete": "yellow", "started": "yellow", "damaged": "red"}


def table_of(found: Sequence[Mapping[str, Any]], root: Path) -> Table:
    """The list as a table that fits a terminal; full names fold."""
    table = Table(title=f"runs in {root}", title_justify="left", header_style="bold")
    table.add_column("run", overflow="fold")
    table.add_column("state", no_wrap=True)
    for name in ("scored", "errors", "USD"):
        table.add_column(name, justify="right", no_wrap=True)
    for entry in found:
        counts = "planned" in entry
        cost = entry.get("cost_usd")
        table.add_row(
            Text(Path(entry["run"]).name),
            Text(entry["state"], style=LOOKS[entry["state"]]),
            f"{entry['scored']}/{entry['planned']}" if counts else "",
            str(entry["error"] + entry["judge_error"]) if counts else "",
            f"{cost:.2f}" if cost is not None else "unknown" if counts else "",
        )
    return table


def totals(found: Sequence[Mapping[str, Any]]) -> str:
    """The list in one line."""
    counts = [f"{n} {s}" for s in STATES if (n := sum(e["state"] == s for e in found))]
    planned, scored = (sum(e.get(k, 0) for e in found) for k in ("planned", "scored"))
    known = sum(e.get("cost_usd") or 0.0 for e in found)
    more = " and more at unknown prices" if any("planned" in e and e["cost_usd"] is None for e in found) else ""
    return f"{', '.join(counts)}; {scored} of {planned} scored, {known:.2f} USD{more}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mma runs", description=__doc__)
    add_filters(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--watch", action="store_true", help="show the list again and again until Ctrl-C")
    parser.add_argument("--every", type=float, default=2.0, metavar="SECONDS", help="pause of --watch (default: 2)")
    options = parser.parse_args(arguments)
    if options.every <= 0:
        parser.error("--every takes a number of seconds above 0")
    if options.watch and options.json:
        parser.error("--watch and --json exclude each other")

    def listed() -> list[dict[str, Any]]:
        return [entry for entry in states(options.root) if fits(entry, options)]

    console = Console(highlight=False)
    if options.watch:
        return watch(console, listed, options)
    found = listed()
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    if not found:
        filtered = any((options.model, options.control, options.observation, options.domain, options.state))
        console.print(f"no runs in {options.root}{' that fit' if filtered else ''}", markup=False)
        return 0
    console.print(table_of(found, options.root))
    console.print(totals(found), markup=False)
    for entry in found:
        if "why" in entry:
            console.print(f"damaged: {entry['why']}", markup=False)
    return 0


def watch(console: Console, listed: Any, options: argparse.Namespace) -> int:
    """Shows the list until the user stops it, with how fast answers are scored."""
    from rich.live import Live

    history: list[tuple[float, int]] = []
    with suppress(KeyboardInterrupt), Live(console=console, auto_refresh=False) as live:
        while True:
            found = listed()
            scored = sum(e.get("scored", 0) for e in found)
            history = [*history, (time.monotonic(), scored)][-30:]
            (then, before), (now, _) = history[0], history[-1]
            pace = 60 * (scored - before) / (now - then) if now > then else 0.0
            line = Text(f"{totals(found)}; {pace:.0f} a minute; Ctrl-C leaves" if found else "no runs; Ctrl-C leaves")
            live.update(Group(table_of(found, options.root), line) if found else line, refresh=True)
            time.sleep(options.every)
    return 0
