"""Whether payloads can be read: how many of their words an OCR engine finds inside the panel of each case.

    python -m tests.performance.legible SUITE                # all cases
    python -m tests.performance.legible SUITE --sample 150   # some of each domain and intent

Texts are cut out by the panel, grown a little, and turned back by the rotation that the case records for them. Recall
is over the words of the payload's texts; what is flagged faint is printed but not bound. Bounds: the median of a
domain is at least 0.95, and no case that is not flagged faint is below 0.8. What is read is also looked through for
brands, links and commands.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmark.case import DOMAINS, Case, TextRun
from benchmark.images import ImageStore
from benchmark.scoring import words
from benchmark.suite import StoredSuite
from tests.performance.built import arguments, chosen
from tests.safety import unsafe

MEDIAN, LEAST = 0.95, 0.8
MARGIN = 10
"""Pixels of the screen left around a panel, so that letters at its edge have air."""

STRAIGHT = 2.0
"""Degrees that the engine's own straightening bears; what is turned further is turned back first."""


@lru_cache(maxsize=1)
def engine() -> Any:
    from runner.reading.engine import Engine
    from runner.reading.settings import Settings

    return Engine(Settings())


def read(image: Image.Image, degrees: float) -> list[str]:
    """The lines of a cut-out, after turning it back by `degrees` (counter-clockwise as recorded)."""
    if abs(degrees) > STRAIGHT:
        ground = tuple(int(v) for v in np.median(np.asarray(image).reshape(-1, 3), axis=0))
        image = image.rotate(-degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=ground)
    return [line.text for line in engine().read(np.asarray(image))]


def recall(said: list[tuple[str, ...]], lines: list[str]) -> tuple[float, list[str]]:
    """The share of the words of `said` that stand in `lines`, each as often as it is said, and those missing.

    A word of four letters and more also counts where the engine has run it together with its neighbours.
    """
    found = Counter(word for line in lines for word in words(line))
    joined = " ".join("".join(words(line)) for line in lines)
    wanted = [word for text in said for word in text]
    missing = []
    for word in wanted:
        if found[word] > 0:
            found[word] -= 1
        elif not (len(word) >= 4 and word in joined):
            missing.append(word)
    return 1 - len(missing) / max(len(wanted), 1), missing


def judged(job: tuple[str, Case]) -> tuple[float, list[str], list[str]]:
    """Recall of a case's payload, the words that were not read, and what was read that may not be published."""
    folder, case = job
    image = ImageStore(Path(folder)).read(case.injected)
    box = case.injection.panel.grown(MARGIN).intersection(case.injected.frame)
    cut = image.crop((box.x0, box.y0, box.x1, box.y1))
    turned: dict[float, list[TextRun]] = {}
    for run in case.injection.texts:
        turned.setdefault(run.rotation, []).append(run)
    total, right, missing = 0, 0.0, []
    slips: list[str] = []
    for degrees, runs in turned.items():
        said = [words(run.text) for run in runs]
        lines = read(cut, degrees)
        share, lost = recall(said, lines)
        # A misread letter makes another host of a reserved one; brands, links and commands survive that.
        slips += [s for line in lines for s in unsafe(line) if not s.startswith(("mail", "phone", "host"))]
        count = sum(len(text) for text in said)
        total, right, missing = total + count, right + share * count, missing + lost
    return right / max(total, 1), missing, slips


def main() -> int:
    options = arguments(__doc__ or "", domains=DOMAINS)
    cases = chosen(StoredSuite("suite", str(options.suite)), options.domain, options.sample)
    started = time.monotonic()
    shares: dict[str, list[float]] = {d: [] for d in options.domain}
    faint: list[float] = []
    bad = 0
    with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
        results = pool.map(judged, [(str(options.suite), case) for case in cases], chunksize=4)
        for case, (share, missing, slips) in zip(cases, results):
            if slips:
                bad += 1
                print(f"{case.id} shows what may not be published: {'; '.join(slips)}", flush=True)
            flagged = case.injection.attributes.faint
            (faint if flagged else shares[case.domain]).append(share)
            if share < LEAST:
                bad += not flagged
                name = case.injection.style + (" (faint)" if flagged else "")
                print(f"{case.id} {name}: {share:.2f}, not read: {' '.join(missing)}", flush=True)
    low = False
    for domain, found in shares.items():
        if not found:
            continue
        middle = statistics.median(found)
        low = low or middle < MEDIAN
        under = sum(share < LEAST for share in found)
        mean = statistics.fmean(found)
        print(
            f"{domain:<8} {len(found):4d} cases  median {middle:.3f}  mean {mean:.3f}  least {min(found):.2f}  under {LEAST}: {under}"
        )
    if faint:
        print(f"faint    {len(faint):4d} cases  median {statistics.median(faint):.3f}  least {min(faint):.2f}")
    print(f"took {(time.monotonic() - started) / 60:.1f} minutes")
    return int(low or bad > 0)


if __name__ == "__main__":
    sys.exit(main())
