"""`mma clean`: removes what runs left behind; first it lists everything, and it removes only what it listed.

What counts as left behind is decided by finders, one function each: another kind of leftover is one more function in
`FINDERS`. Whole run directories are taken only when a filter asks for them, and never one that is at work.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from runner.commands.runs import add_filters, fits, states
from runner.ledger import at_work


@dataclass(frozen=True)
class Leftover:
    """One thing that can go: what it is, where, how large, and how it goes. `remove` raises OSError if it cannot."""

    kind: str
    what: str
    bytes: int
    remove: Callable[[], None]


@dataclass(frozen=True)
class Scope:
    """Where to look, and which runs are asked for; `options` are the parsed filters."""

    runs: Path
    suites: Path
    chosen: bool
    options: argparse.Namespace


Finder = Callable[[Scope], Iterator[Leftover]]


def size_of(path: Path) -> int:
    """Bytes of a file, or of all files below a directory; links count for nothing."""
    if path.is_symlink():
        return 0
    if path.is_file():
        return path.stat().st_size
    return sum(p.stat().st_size for p in path.rglob("*") if p.is_file() and not p.is_symlink())


def _gone(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _idle(folder: Path, path: Path) -> Callable[[], None]:
    """Removes a path of a run directory, unless a process has begun to work there since it was listed."""

    def remove() -> None:
        if at_work(folder):
            raise OSError(f"{folder} is at work")
        _gone(path)

    return remove


def chosen_runs(scope: Scope) -> Iterator[Leftover]:
    """Run directories that the filters name; none without a filter."""
    if not scope.chosen:
        return
    for entry in states(scope.runs):
        folder = Path(entry["run"])
        if entry["state"] != "running" and not at_work(folder) and fits(entry, scope.options):
            yield Leftover(f"run, {entry['state']}", str(folder), size_of(folder), _idle(folder, folder))


def stale_locks(scope: Scope) -> Iterator[Leftover]:
    """Locks whose holder is gone without having let go: the file still names it, and nobody holds it."""
    for path in sorted(scope.runs.glob("*/.lock")):
        try:
            named = bool(path.read_text(encoding="utf-8", errors="replace").strip())
        except OSError:
            continue
        if named and not at_work(path.parent):
            yield Leftover("lock of a process that is gone", str(path), size_of(path), _idle(path.parent, path))


def sweep_leftovers(scope: Scope) -> Iterator[Leftover]:
    """What Hydra writes of a sweep; every run has its experiment in its own manifest."""
    path = scope.runs / ".sweep"
    if path.is_dir():
        yield Leftover("composed sweep", str(path), size_of(path), lambda: _gone(path))


def half_files(scope: Scope) -> Iterator[Leftover]:
    """Files that a killed process was about to put in place."""
    for path in sorted(scope.runs.glob("*/**/.*.part")):
        folder = scope.runs / path.relative_to(scope.runs).parts[0]
        if path.is_file() and not at_work(folder):
            yield Leftover("half-written file", str(path), size_of(path), _idle(folder, path))


def orphaned_thumbnails(scope: Scope) -> Iterator[Leftover]:
    """Thumbnails of images that no suite here holds any more."""
    cache = scope.suites / ".thumbnails"
    if not cache.is_dir():
        return
    held = {path.stem for path in scope.suites.glob("*/images/*/*.png")}
    orphans = [p for p in cache.glob("*/*") if p.is_file() and p.name[:64] not in held]
    if orphans:

        def remove() -> None:
            for path in orphans:
                _gone(path)

        size = sum(size_of(p) for p in orphans)
        yield Leftover(f"{len(orphans)} thumbnails of no suite here", str(cache), size, remove)


def orphaned_caches(scope: Scope) -> Iterator[Leftover]:
    """Caches beside suites where there is no suite left that could use them; all of them can be made again."""
    if any(scope.suites.glob("*/images")):
        return
    for path in sorted(scope.suites.glob(".*")):
        if path.is_dir() and re.fullmatch(r"\.[a-z]+", path.name) and path.name != ".thumbnails":
            yield Leftover("cache of no suite here", str(path), size_of(path), lambda path=path: _gone(path))  # type: ignore[misc]


def orphaned_containers(scope: Scope) -> Iterator[Leftover]:
    """Containers of workers that are dead, at the engine that the environment names; none where no engine answers."""
    from runner.sandbox import SandboxError
    from runner.sandbox.docker import connect
    from runner.sandbox.leftovers import find, remove

    try:
        client = connect()
    except SandboxError:
        return
    for container in find(client):
        yield Leftover("container of a dead worker", container[:12], 0, partial(remove, client, container))


def orphaned_rays(scope: Scope) -> Iterator[Leftover]:
    """Folders of Rays that were started for a run whose process is gone."""
    from runner.executors.ray_cluster import left_behind

    for folder in left_behind():
        yield Leftover("Ray of a process that is gone", str(folder), size_of(folder), partial(_gone, folder))


def kept_actors(scope: Scope) -> Iterator[Leftover]:
    """Actors in the cluster that `--address` names which no driver uses any more; they would end in a minute."""
    if scope.options.address is None:
        return
    from runner.executors.ray_cluster import kept

    for actor in kept(scope.options.address):
        yield Leftover("actor without a driver", actor.name, 0, actor.end)


FINDERS: tuple[Finder, ...] = (
    chosen_runs, stale_locks, sweep_leftovers, half_files, orphaned_thumbnails, orphaned_caches, orphaned_containers,
    orphaned_rays, kept_actors,
)  # fmt: skip


def human(size: int) -> str:
    value, unit = float(size), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} {unit}" if unit in {"B", "kB"} else f"{value:.1f} {unit}"


def shown(found: list[Leftover]) -> Table:
    table = Table(title="to be removed", title_justify="left", header_style="bold")
    table.add_column("what", overflow="fold")
    table.add_column("where", overflow="fold")
    table.add_column("size", justify="right", no_wrap=True)
    for leftover in found:
        table.add_row(Text(leftover.kind), Text(leftover.what), human(leftover.bytes))
    return table


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mma clean", description=__doc__)
    add_filters(parser)
    parser.add_argument("--suites", type=Path, default=Path("suites"), help="where suites lie (default: suites)")
    parser.add_argument("--all-runs", action="store_true", help="all run directories, where no filter names some")
    parser.add_argument("--address", help="a Ray cluster, as in executor.address: its actors that no run uses go too")
    parser.add_argument("--yes", action="store_true", help="remove without asking")
    parser.add_argument("--json", action="store_true", help="print the list as JSON; removes nothing without --yes")
    options = parser.parse_args(arguments)
    filters = (options.model, options.control, options.observation, options.domain, options.state)
    scope = Scope(options.root, options.suites, options.all_runs or any(filters), options)
    found: list[Leftover] = []
    for finder in FINDERS:
        # What lies in a run directory that goes as a whole is not listed a second time.
        taken = [Path(f.what) for f in found]
        found += [f for f in finder(scope) if not any(Path(f.what).is_relative_to(t) for t in taken)]
    console = Console(highlight=False)
    if options.json:
        print(json.dumps([{"kind": f.kind, "what": f.what, "bytes": f.bytes} for f in found], indent=2))
    elif not found:
        console.print("nothing to remove")
    else:
        console.print(shown(found))
    if not found:
        return 0
    if not options.yes:
        if options.json or not sys.stdin.isatty():
            if not options.json:
                console.print(f"nothing was removed; --yes removes these {len(found)}")
            return 0
        total = human(sum(f.bytes for f in found))
        if input(f"remove these {len(found)} ({total})? [y/N] ").strip().casefold() not in {"y", "yes"}:
            console.print("nothing was removed")
            return 0
    return removed(found, console if not options.json else None)


def removed(found: list[Leftover], console: Console | None) -> int:
    """Removes what was listed; what cannot be removed is named and the rest goes on."""
    freed, kept = 0, 0
    for leftover in found:
        try:
            leftover.remove()
            freed += leftover.bytes
        except OSError as error:
            kept += 1
            print(f"mma clean: {leftover.what} stays: {error.strerror or error}", file=sys.stderr)
    if console is not None:
        console.print(f"removed {len(found) - kept} of {len(found)}, {human(freed)}")
    return 1 if kept else 0
