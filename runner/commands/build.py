"""`mma build`: makes the whole suite, holds it to its lock, and says what it is. Takes the suite's overrides as
`mma run` does.

  mma build                            the public suite, verified against benchmark/suite.lock
  mma build suite.seed=7               a private suite; suite.lock=FILE verifies it
  mma build --lock [FILE]              writes the lock instead of verifying (maintainers; owners of private suites)
  mma build --pack [FILE.tar]          also writes the suite as one archive, for suite.path=FILE.tar elsewhere
  mma build suite=stored suite.path=FOLDER --pack    packs (or locks) a suite that lies built
  mma build suite=from_source suite.source=osworld suite.root=FOLDER    lays payloads into recordings of your own
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from runner.commands.compose import experiment_of

if TYPE_CHECKING:
    from benchmark.case import Case, SuiteInfo
    from benchmark.construct.build import GeneratedSuite
    from benchmark.suite import StoredSuite
    from runner.display import TerminalDisplay


FINDINGS = 20
"""Findings of an import that are shown on screen; all of them are in the suite's folder."""


class BuildUsageError(ValueError):
    """A command line that `mma build` cannot follow, in one line with the way out."""


@dataclass
class Wishes:
    """What is asked for besides building; an empty string stands for the usual file."""

    lock: str | None = None
    pack: str | None = None


def wishes_of(arguments: list[str]) -> tuple[Wishes, list[str]]:
    """Splits `--lock` and `--pack`, each with an optional file, from the overrides.

    Raises:
        BuildUsageError: a flag that does not exist.
    """
    wishes, overrides = Wishes(), []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        flag, given, value = word.partition("=")
        if flag not in {"--lock", "--pack"}:
            if word.startswith("-"):
                raise BuildUsageError(f"mma build has no option {word}; there are --lock [FILE] and --pack [FILE.tar]")
            overrides.append(word)
            continue
        if not given and rest and "=" not in rest[0] and not rest[0].startswith(("-", "~", "+")):
            value = rest.pop(0)
        setattr(wishes, flag[2:], value)
    if wishes.pack and not wishes.pack.endswith(".tar"):
        raise BuildUsageError(f"--pack {wishes.pack}: an archive is named .tar, so that suite.path= knows it")
    return wishes, overrides


def main(arguments: list[str]) -> int:
    if {"-h", "--help"} & set(arguments):
        print("usage: mma build [--lock [FILE]] [--pack [FILE.tar]] [suite=...] [suite.seed=N] ...\n\n" + str(__doc__))
        return 0
    wishes, overrides = wishes_of(arguments)
    from benchmark import gallery
    from benchmark.construct.build import GeneratedSuite
    from benchmark.lock import LockError
    from benchmark.sources.official import OfficialSuite
    from benchmark.sources.suite import FromSource
    from benchmark.suite import StoredSuite
    from runner.display import TerminalDisplay
    from runner.memory import PeakMemory
    from runner.report.gallery.thumbnails import keep
    from runner.run import make_suite

    started = time.monotonic()
    experiment = experiment_of(overrides)
    asked_lock = experiment["suite"].get("lock")
    if wishes.lock is not None:
        experiment = {**experiment, "suite": {**experiment["suite"], "lock": None}}
    suite = make_suite(experiment)
    console = Console(highlight=False)
    unused: tuple[str, ...] = ()
    if isinstance(suite, FromSource | OfficialSuite):
        with TerminalDisplay() as display:
            suite.finish(display.stage("building"))
        unused, suite = suite.findings(), suite.stored
    elif isinstance(suite, StoredSuite) and wishes == Wishes():
        raise BuildUsageError("mma build makes a generated suite; of suite=stored it can write a --lock or a --pack")
    assert isinstance(suite, GeneratedSuite | StoredSuite)
    lock_file = _lock_file(wishes, asked_lock, suite)
    with TerminalDisplay() as display, PeakMemory() as memory:
        try:
            info = _whole(suite, display)
        except LockError as error:
            for difference in error.differences:
                console.print(f"{difference.kind:<8} {difference}", markup=False, soft_wrap=True)
            raise
        written = _extras(wishes, lock_file, suite, info, display)
        written.append(
            f"gallery    {gallery.write(suite.folder, info, suite.entries(), suite.case, display.stage('gallery'))}"
        )
        # A suite's images are read and shrunk once, here, where minutes are spent anyway, and no `mma view` waits for it.
        keep((suite.case(entry.id) for entry in suite.entries()), Path(suite.folder), display.stage("pictures"))
    _describe(console, suite, info, locking=lock_file is not None)
    for line in written:
        console.print(line, markup=False, soft_wrap=True)
    size = sum(p.stat().st_size for p in Path(suite.folder).rglob("*") if p.is_file())
    for line in unused[:FINDINGS]:
        say(console, f"finding    {line}")
    if len(unused) > FINDINGS:
        say(console, f"{len(unused)} findings in all, see {Path(suite.folder) / 'findings.txt'}")
    console.print(f"took       {time.monotonic() - started:.0f} s, {size / 1e6:.0f} MB on disk, {memory}")
    return 0


def _whole(suite: GeneratedSuite | StoredSuite, display: TerminalDisplay) -> SuiteInfo:
    from benchmark.construct.build import GeneratedSuite

    if isinstance(suite, GeneratedSuite):
        return suite.finish(display.stage(suite.stage))
    suite.ensure([entry.id for entry in suite.entries()], display.stage("verifying"))
    return suite.info


def _lock_file(wishes: Wishes, asked: str | None, suite: GeneratedSuite | StoredSuite) -> Path | None:
    """Where the lock goes: as said, else `suite.lock`, else (for the public suite) the benchmark's own."""
    from benchmark.lock import PUBLIC
    from benchmark.suite import CANARY, StoredSuite

    if wishes.lock is None:
        return None
    if wishes.lock or (asked is not None and asked != "auto"):
        return Path(wishes.lock or str(asked))
    public = suite.info.canary == CANARY if isinstance(suite, StoredSuite) else suite.public and suite.whole
    if not public:
        raise BuildUsageError("--lock: only the whole public suite has a usual lock; name a file: --lock FILE")
    return PUBLIC


def _extras(
    wishes: Wishes,
    lock_file: Path | None,
    suite: GeneratedSuite | StoredSuite,
    info: SuiteInfo,
    display: TerminalDisplay,
) -> list[str]:
    from benchmark import archive, lock
    from benchmark.suite import suite_title

    lines = []
    if lock_file is not None:
        cases: list[Case] = [suite.case(entry.id) for entry in suite.entries()]
        found = lock.lines_of(cases, suite.folder, display.stage("locking"))
        lock.written(lock_file, suite_title(info), found)
        lines.append(f"lock       {lock_file}, {len(found)} cases, {lock_file.stat().st_size / 1e3:.0f} kB")
    if wishes.pack is not None:
        file = Path(wishes.pack) if wishes.pack else Path(f"{suite.folder}.tar")
        size = archive.pack(suite.folder, file, display.stage("packing"))
        lines.append(f"archive    {file}, {size / 1e6:.0f} MB; use it with suite.path={file}")
    return lines


def say(console: Console, line: str) -> None:
    """A line whose text may come from anyone's files: no markup, nothing cut."""
    console.print(
        "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line), markup=False, soft_wrap=True
    )


def _describe(console: Console, suite: GeneratedSuite | StoredSuite, info: SuiteInfo, locking: bool) -> None:
    say(console, f"suite      {suite.folder}")
    if info.figures:
        console.print(_variety(info))
    say(console, f"data       {info.data_hash}")
    say(console, f"pixels     {info.pixel_hash}")
    standing = suite.standing()
    if standing["lock"] is not None:
        say(
            console,
            f"verified   {standing['locked']} of {sum(info.counts.values())} cases are as {standing['lock']} says",
        )
    if not locking and (note := suite.note()):
        say(console, f"note       {note}")


def _variety(info: SuiteInfo) -> Table:
    """The figures of `suite.json` by domain; shares are the largest that one app, style or wording has."""
    table = Table(
        box=None, pad_edge=False, padding=(0, 1, 0, 0), caption_justify="left", caption=
        "%: largest share of one app, style, wording; planned elements apart from the task in words, icons only",
    )  # fmt: skip
    counted = ("cases", "apps", "goals", "styles", "wordings", "placements")
    shares = ("largest_app", "largest_style", "largest_wording", "elements_apart", "elements_icon_only")
    for name in ("domain", "cases", "apps", "goals", "styles", "words", "places"):
        table.add_column(name, justify="left" if name == "domain" else "right")
    for name in ("app", "style", "word", "apart", "icons"):
        table.add_column(name, justify="right")
    for domain in info.counts:
        row = {k.partition(".")[2]: v for k, v in info.figures.items() if k.startswith(f"{domain}.")}
        parts = [f"{100 * float(row[name]):.1f}" if name in row else "" for name in shares]
        table.add_row(domain, *(str(row.get(name, "")) for name in counted), *parts)
    return table
