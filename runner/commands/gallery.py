"""`mma gallery`: writes the pages to look at a suite with, into its folder. `mma build` does so by itself.

mma gallery suite=stored suite.path=FOLDER     of a suite that lies built
mma gallery domain=web limit=20                of some cases, which are built if they are missing
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runner.commands.compose import experiment_of

if TYPE_CHECKING:
    from benchmark.case import SuiteInfo
    from benchmark.suite import Entry, Suite


def main(arguments: list[str]) -> int:
    if {"-h", "--help"} & set(arguments):
        print("usage: mma gallery [suite=...] [suite.path=...] [domain=...] [ids=...] [limit=N]\n\n" + str(__doc__))
        return 0
    from benchmark import gallery
    from runner.display import TerminalDisplay
    from runner.run import make_suite, selection

    experiment = experiment_of(arguments)
    suite = make_suite(experiment)
    entries = sorted(selection(experiment, suite), key=lambda entry: entry.id)
    with TerminalDisplay() as display:
        suite.ensure([entry.id for entry in entries], display.stage(suite.stage))
        index = gallery.write(suite.folder, _info(suite, entries), entries, suite.case, display.stage("gallery"))
    print(index)
    return 0


def _info(suite: Suite, entries: list[Entry]) -> SuiteInfo:
    """What a built suite says of itself; of one that is built in part, what is known of it."""
    from collections import Counter

    from benchmark.case import SuiteInfo
    from benchmark.suite import CANARY, builder_version, suite_info

    if (suite.folder / "suite.json").is_file():
        return suite_info(suite.folder)
    known = suite.identity()
    return SuiteInfo(
        name=suite.name,
        version=str(known.get("version", "")),
        seed=int(known.get("seed", 0)),
        builder=builder_version(),
        canary=CANARY,
        counts=dict(Counter(entry.domain for entry in entries)),
        data_hash="built in part",
        pixel_hash="built in part",
    )
