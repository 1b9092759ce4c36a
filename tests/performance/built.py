"""Cases of a built suite for the scripts beside this file: all of them, or a sample that is the same every time."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from benchmark.case import Case
from benchmark.suite import StoredSuite, stratified


def arguments(
    about: str,
    *,
    domains: tuple[str, ...],
    more: Callable[[argparse.ArgumentParser], None] = lambda parser: None,
) -> argparse.Namespace:
    """The line of a script: the suite's folder, `--sample`, `--domain`, `--workers`, and what `more` adds."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path, help="folder of a built suite")
    parser.add_argument("--sample", type=int, metavar="N", help="only N cases, dealt over domains and intents")
    parser.add_argument("--domain", choices=domains, action="append", help="only this domain; may be repeated")
    parser.add_argument("--workers", type=int, default=2)
    more(parser)
    found = parser.parse_args()
    found.domain = tuple(found.domain or domains)
    return found


def chosen(suite: StoredSuite, domains: tuple[str, ...], sample: int | None, seed: int = 0) -> list[Case]:
    """The cases of `domains`, or the first `sample` of them in seeded, stratified order."""
    entries = [entry for entry in suite.entries() if entry.domain in domains]
    return [suite.case(entry.id) for entry in stratified(entries, seed)[:sample]]
