"""`mma doctor`: checks a suite against every invariant. Takes the suite's overrides, and `limit`, `domain`, `ids`.

mma doctor                                     the generated suite
mma doctor suite=stored suite.path=FOLDER      one that lies built
mma doctor suite=official suite.root=FOLDER    the official release: found against official counts, what is missing,
                                               ambiguous or corrupt, and what each part can be scored by
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table

from benchmark.suite import SuiteError, images_of
from runner.commands.build import say
from runner.commands.compose import experiment_of

if TYPE_CHECKING:
    from benchmark.sources.official import OfficialSuite


def main(arguments: list[str]) -> int:
    if {"-h", "--help"} & set(arguments):
        print("usage: mma doctor [suite=...] [suite.path=...] [domain=...] [limit=N]\n\n" + str(__doc__))
        return 0
    from benchmark.figures import floor_problems
    from benchmark.images import ImageStore
    from benchmark.invariants import problems, suite_problems
    from benchmark.sources.official import OfficialSuite
    from benchmark.sources.suite import FromSource
    from runner.display import TerminalDisplay
    from runner.run import make_suite, selection

    experiment = experiment_of(arguments)
    suite = make_suite(experiment)
    skips: tuple[str, ...] = ()
    unused: list[str] = []
    console = Console(highlight=False)
    imported = isinstance(suite, OfficialSuite | FromSource)
    if isinstance(suite, OfficialSuite | FromSource):
        with TerminalDisplay() as display:
            suite.finish(display.stage(suite.stage))
        unused = list(suite.findings())
        if isinstance(suite, OfficialSuite):
            skips = suite.skips
            console.print(_parts(suite))
    entries = selection(experiment, suite)
    store = ImageStore(suite.folder)
    found: list[str] = []
    cases = []
    with TerminalDisplay() as display:
        suite.ensure([e.id for e in entries], display.stage(suite.stage))
        for number, entry in enumerate(entries, start=1):
            try:
                case = suite.case(entry.id)
            except SuiteError as error:
                found.append(str(error))
                continue
            cases.append(case)
            found += [
                line if line.startswith(case.id) else f"{case.id}: {line}" for line in problems(case, store, skip=skips)
            ]
            display.progress(number, len(entries), f"{len(found)} findings" if found else "")
    found += suite_problems(cases, quotas=not imported, constants=not imported) + (
        [] if imported else floor_problems(cases)
    )
    for line in unused:
        say(console, f"unused: {line}")
    for line in found:
        console.print(line, markup=False)
    counts = Counter(c.domain for c in cases)
    images = len({ref.hash for c in cases for ref in images_of(c)})
    console.print(
        f"{suite.folder}: {len(cases)} cases ({', '.join(f'{d} {n}' for d, n in counts.items())}), {images} images",
        markup=False,
    )
    used = (
        f"; {len(unused)} {'line says' if len(unused) == 1 else 'lines say'} what could not be used" if unused else ""
    )
    console.print((f"{len(found)} findings" if found else "every invariant holds") + used)
    return 1 if found or (unused and isinstance(suite, OfficialSuite)) else 0


def _parts(suite: OfficialSuite) -> Table:
    """Found against official counts by part, and what the cases can be scored by."""
    from benchmark.sources.official import OFFICIAL

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("part", "official", "records", "cases", "scored by"):
        table.add_column(name, justify="right" if name in {"official", "records", "cases"} else "left")
    for tally in suite.tallies():
        by = ", ".join(f"{name} {count}" for name, count in sorted(tally.scored.items())) or "not found"
        table.add_row(tally.part, str(OFFICIAL[tally.part]), str(tally.records), str(tally.cases), by)
    return table
