"""`mma runs`: lists run directories and their state, from their manifests and ledgers alone."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


def states(root: Path) -> list[dict[str, Any]]:
    """One entry per run directory below `root`, by name; damaged ones are listed as such."""
    found = []
    for path in sorted(root.glob("*/manifest.json")):
        folder = path.parent
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
            summary = (
                json.loads((folder / "summary.json").read_text(encoding="utf-8"))
                if (folder / "summary.json").exists()
                else None
            )
        except ValueError:
            found.append({"run": str(folder), "state": "damaged"})
            continue
        experiment = manifest["experiment"]
        entry: dict[str, Any] = {
            "run": str(folder),
            "model": experiment["model"]["label"],
            "prompt": experiment["prompt"]["name"],
            "observation": experiment["observation"],
            "state": "started",
        }
        if summary is not None:
            cells = summary["domains"].values()
            entry |= {k: sum(c[k] for c in cells) for k in ("planned", "scored", "error", "judge_error")}
            entry["cost_usd"] = summary["cost_usd"]
            entry["state"] = "complete" if entry["planned"] == entry["scored"] else "incomplete"
        found.append(entry)
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mma runs", description=__doc__)
    parser.add_argument("root", type=Path, nargs="?", default=Path("runs"))
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    found = states(options.root)
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    console = Console(highlight=False)
    if not found:
        console.print(f"no runs in {options.root}", markup=False)
        return 0
    table = Table(title=f"runs in {options.root}", title_justify="left", header_style="bold")
    table.add_column("run", overflow="fold")
    table.add_column("state", no_wrap=True)
    for name in ("scored", "errors", "USD"):
        table.add_column(name, justify="right", no_wrap=True)
    for entry in found:
        cost = entry.get("cost_usd")
        table.add_row(
            Path(entry["run"]).name,
            entry["state"],
            f"{entry['scored']}/{entry['planned']}" if "planned" in entry else "",
            str(entry["error"] + entry["judge_error"]) if "planned" in entry else "",
            "" if cost is None else f"{cost:.2f}",
        )
    console.print(table, markup=False)
    return 0
