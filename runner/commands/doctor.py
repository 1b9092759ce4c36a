"""`mma doctor`: checks a suite against every invariant. Takes the suite's overrides, and `limit`, `domain`, `ids`."""

from __future__ import annotations

from collections import Counter

from rich.console import Console

from benchmark.suite import SuiteError, images_of
from runner.commands.compose import experiment_of


def main(arguments: list[str]) -> int:
    if {"-h", "--help"} & set(arguments):
        print("usage: mma doctor [suite=...] [suite.path=...] [domain=...] [limit=N]\n\n" + str(__doc__))
        return 0
    from benchmark.figures import floor_problems
    from benchmark.images import ImageStore
    from benchmark.invariants import problems, suite_problems
    from runner.display import TerminalDisplay
    from runner.run import make_suite, selection

    experiment = experiment_of(arguments)
    suite = make_suite(experiment)
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
            found += [line if line.startswith(case.id) else f"{case.id}: {line}" for line in problems(case, store)]
            display.progress(number, len(entries), f"{len(found)} findings" if found else "")
    found += suite_problems(cases) + floor_problems(cases)
    console = Console(highlight=False)
    for line in found:
        console.print(line, markup=False)
    counts = Counter(c.domain for c in cases)
    images = len({ref.hash for c in cases for ref in images_of(c)})
    console.print(
        f"{suite.folder}: {len(cases)} cases ({', '.join(f'{d} {n}' for d, n in counts.items())}), {images} images",
        markup=False,
    )
    console.print(f"{len(found)} findings" if found else "every invariant holds")
    return 1 if found else 0
