"""`mma view RUN [RUN2]`: makes a gallery of static pages that open from disk.

Reads run directories and the suite they ran on; calls no model. The messages of a case are rebuilt by the run's own
harness, and the page says so where they no longer give the request key of the stored answer.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmark.case import Case
from benchmark.suite import SuiteError, read_cases
from runner.config import ConfigError
from runner.ledger import Ledger
from runner.report.gallery.records import Asked, Pages, Rebuild, Shown, pages, read_run
from runner.report.gallery.thumbnails import cache_of, listed, make, place
from runner.work import Work


def rebuilder(run: Shown, suite: Path, cases: Mapping[str, Case]) -> Rebuild:
    """How the messages of a run are rebuilt, from its manifest; nothing is rebuilt where its parts are not known."""
    work = Work(run.experiment, suite, cases.__getitem__, "", journal=Ledger.open(run.folder))
    broken = False

    def rebuild(case: Case, observation: Any, repeat: int, key: str | None) -> Asked | None:
        nonlocal broken
        if broken:
            return None
        try:
            prompt = work.harness.prompt(case, observation, work.model.profile)
            same = key is None or work.request_key(case, observation, repeat) == key
        except (ValueError, TypeError, KeyError, AttributeError):
            # A model or harness of another version: the gallery shows what was said all the same.
            broken = True
            return None
        return Asked(prompt, same)

    return rebuild


def holds_cases(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("cases.jsonl", "built.jsonl"))


def suite_of(run: Shown, given: Path | None) -> Path | None:
    """The folder of the suite that a run used, from here or from where the run lies; None when it is not there.

    Raises:
        ConfigError: a folder given by hand holds no suite.
    """
    if given is not None:
        if not holds_cases(given):
            raise ConfigError(f"{given} holds no cases; give the folder of a suite as --suite")
        return given
    known = run.manifest.get("suite_folder") or run.experiment["suite"].get("path")
    if known is None:
        return None
    starts = (Path(), *list(run.folder.resolve().parents)[:3])
    return next((start / known for start in starts if holds_cases(start / known)), None)


def cases_in(folder: Path) -> dict[str, Case]:
    """The cases of a suite, finished or partly built."""
    path = folder / "cases.jsonl"
    return read_cases(path if path.is_file() else folder / "built.jsonl")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="mma view", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", type=Path, help="a run directory")
    parser.add_argument("second", type=Path, nargs="?", help="another one, to be shown beside it")
    parser.add_argument(
        "--images",
        choices=("thumbs", "full", "link"),
        default="thumbs",
        help="small copies of at most 40 kB (default), the stored images, or links to the suite on this machine",
    )
    parser.add_argument("--out", type=Path, help="where the gallery goes (default: RUN/gallery)")
    parser.add_argument("--zip", action="store_true", help="also pack it into OUT.zip")
    parser.add_argument("--suite", type=Path, help="the suite's folder, if it has moved since the run")
    options = parser.parse_args(arguments)
    if options.zip and options.images == "link":
        raise ConfigError("--zip with --images link would pack links to this machine; leave out one of the two")
    started = time.monotonic()
    folders = [options.run] + ([options.second] if options.second is not None else [])
    read = [read_run(folder) for folder in folders]
    suites = [suite_of(run, options.suite) for run in read]
    if len(read) == 2 and read[0].manifest["suite"] != read[1].manifest["suite"]:
        raise ConfigError(
            f"{folders[0].name} and {folders[1].name} ran on different suites, so their cases are not the same; "
            "make a gallery of each"
        )
    suite = next((s for s in suites if s is not None), None)
    if suite is None:
        known = read[0].manifest.get("suite_folder") or "its suite"
        raise SuiteError(f"{known} is not here; give the suite's folder as --suite, or run `mma build`")
    cases = cases_in(suite)
    runs = [replace(run, rebuild=rebuilder(run, suite, cases)) for run in read]
    title = " | ".join(folder.resolve().name for folder in folders)
    found = pages(runs, cases, title)
    out: Path = options.out if options.out is not None else options.run / "gallery"
    return written(found, out, suite, options, started)


def written(found: Pages, out: Path, suite: Path, options: argparse.Namespace, started: float) -> int:
    """Writes the pages first, so that they can be opened while the images are still being made."""
    from rich.console import Console

    from runner.display import TerminalDisplay
    from runner.report.gallery.write import write_pages, write_zip

    out.mkdir(parents=True, exist_ok=True)
    link = os.path.relpath(suite.resolve(), out.resolve()) if not options.zip else None
    size = write_pages(found, out, {"mode": options.images, "link": link})
    console = Console(highlight=False, soft_wrap=True)
    cases = len(found.index["cases"])
    console.print(
        f"gallery    {out / 'index.html'}: {cases} cases, index of {size / 1e6:.2f} MB, "
        f"in {time.monotonic() - started:.1f} s",
        markup=False,
    )
    source = {h: suite / "images" / h[:2] / f"{h}.png" for h in (*found.large, *found.strip)}
    problems: list[str] = []
    if options.images == "full":
        for hash, path in source.items():
            target = out / "images" / f"{hash[:24]}.png"
            if not target.is_file():
                try:
                    place(path, target)
                except FileNotFoundError:
                    problems.append(f"image {path.name} is missing from {path.parent}")
    elif options.images == "thumbs":
        wanted = listed(found.large, found.strip, suite, out / "images")
        with TerminalDisplay() as display:
            problems = make(wanted, cache_of(suite), display.stage("pictures"))
    if options.images != "link":
        files = [p.stat().st_size for p in (out / "images").glob("*")]
        console.print(
            f"images     {len(files)}, {sum(files) / 1e6:.1f} MB, the largest {max(files, default=0) / 1e3:.0f} kB, "
            f"after {time.monotonic() - started:.1f} s",
            markup=False,
        )
    for line in problems[:5]:
        console.print(f"not shown  {line}", markup=False)
    if len(problems) > 5:
        console.print(f"not shown  and {len(problems) - 5} images more")
    if options.zip:
        packed = write_zip(out)
        console.print(f"packed     {packed}, {packed.stat().st_size / 1e6:.1f} MB", markup=False)
    return 0
