"""How sharp the lock is over a whole suite: each case with its payload changed, and each with its pixels rounded.

    python -m tests.performance.lock SUITE [CASES_PER_DOMAIN]

Draws every chosen case of a built suite (a folder) with a word replaced, a dialog moved by six pixels and its
buttons swapped, and asks the lock about each: all must be refused. Then with the rounding of another processor, which
must pass as drift. Takes two seconds a case.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
from PIL import Image

from benchmark.case import DOMAINS, BoxTarget, Case
from benchmark.images import ImageStore
from benchmark.lock import compared, line_of, renderers
from benchmark.suite import StoredSuite
from tests.benchmark.test_lock import mirrored_word, moved, noisy, relettered, shown, swapped


class Overlaid(ImageStore):
    """The images of a suite, with new ones put elsewhere."""

    def __init__(self, root: Path, scratch: Path) -> None:
        super().__init__(root)
        self.scratch = ImageStore(scratch)

    def put(self, image):
        return self.scratch.put(image)

    def path(self, ref):
        own = super().path(ref)
        return own if own.exists() else self.scratch.path(ref)


def changes(case: Case, store: ImageStore):
    if "overlay" in case.provenance.extras:
        yield "word", relettered(case, store)
    else:
        yield "word", mirrored_word(case, store)
    yield "moved", moved(case, store, (6, 0))
    if isinstance(case.target, BoxTarget) and case.injection.dismissal and case.injection.dismissal.box:
        yield "swapped", swapped(case, store)


def rounded(case: Case, store: ImageStore) -> Case:
    clean, injected = np.asarray(store.read(case.clean)), np.asarray(store.read(case.injected))
    noise = np.asarray(noisy(store.read(case.clean))).astype(np.int16) - clean
    both = [Image.fromarray((i + noise).clip(0, 255).astype(np.uint8)) for i in (clean, injected)]
    return shown(shown(case, store, both[0], clean=True), store, both[1])


def main(folder: str, most: int) -> int:
    suite = StoredSuite("stored", folder)
    tally: Counter[tuple[str, str, str]] = Counter()
    wrong = []
    chosen: Counter[str] = Counter()
    for entry in suite.entries():
        chosen[entry.domain] += 1
        if chosen[entry.domain] > most:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            case, store = suite.case(entry.id), Overlaid(suite.folder, Path(scratch))
            line = line_of(case, store)
            asked = [(name, shown(case, store, image), "pixels") for name, image in changes(case, store)]
            for name, changed, wanted in [*asked, ("rounded", rounded(case, store), "drift")]:
                found = compared(line, changed, store, renderers())
                kind = found.kind if found is not None else "equal"
                tally[entry.domain, name, kind] += 1
                if kind != wanted:
                    wrong.append(f"{entry.id} {name}: {found}")
    for domain in DOMAINS:
        print(domain, ", ".join(f"{name} {kind} {n}" for (d, name, kind), n in sorted(tally.items()) if d == domain))
    print("\n".join(wrong) or "every change was refused, and all rounding passed as drift")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000))
