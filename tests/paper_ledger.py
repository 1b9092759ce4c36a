"""A sweep of 36 synthetic runs whose counts give the paper's published cells; all other counts are free, and ours.

Nine models under three prompts, and clean. Fixed are the cells that the paper prints and its domain means; the rest is
chosen so that these, the counts of lower and higher pairs, and the macro means come out. It tests the arithmetic of a
report, and says nothing of any model beyond the cells that were published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.run_directories import SIZES, Synthetic, counted

MODELS = (
    "GPT-5", "GLM-4.6V", "Qwen3-VL-32B", "Claude 4.5 Sonnet", "Model E", "Model F", "Model G", "Model H", "Model I",
)  # fmt: skip
STANDARD = {
    "web": {"GPT-5": 88},
    "gui": {"GPT-5": 157, "Claude 4.5 Sonnet": 89},
    "mobile": {"GPT-5": 136, "GLM-4.6V": 221},
    "document": {},
    "video": {"GPT-5": 134, "GLM-4.6V": 168, "Qwen3-VL-32B": 166},
}
SAFETY = {"gui": {"GLM-4.6V": 98}, "video": {"GLM-4.6V": 86}}
CLEAN = {"web": {"Model E": 188}, "mobile": {"Model F": 176}}
SCR = {("Claude 4.5 Sonnet", "gui"): 165, ("Model E", "gui"): 205}
MEANS = {"web": 43.00, "gui": 63.69, "mobile": 51.24, "document": 48.89, "video": 69.17}
SAFETY_MEANS = {"web": 12.0, "gui": 27.0, "mobile": 17.0, "document": 14.0, "video": 27.7}
CLEAN_MEANS = {"web": 86.0, "gui": 84.0, "mobile": 80.15, "document": 86.0, "video": 84.0}
MACRO = {"standard": 55.20, "neutral": 50.60, "safety_priority": 19.54, "clean": 84.03}
HIGHER_UNDER_NEUTRAL = frozenset(
    {("GPT-5", "web"), ("GPT-5", "video"), ("Model E", "web"), ("Model F", "document"), ("Model G", "gui")}
)
CLUSTERED_HITS = 7
"""Hits start at another case for each model, so that models do not all agree on which cases are hard."""

Counts = dict[str, dict[str, int]]


def printed_mean(counts: Mapping[str, int], n: int) -> int:
    """Mean of percentages rounded to two decimals, rounded again, in hundredths of a percent."""
    cells = [(20_000 * k + n) // (2 * n) for k in counts.values()]
    return (2 * sum(cells) + len(cells)) // (2 * len(cells))


def candidates(n: int, mean: float, fixed: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Counts of `n` for all models, the fixed ones kept, with a mean near this one, the nearest first."""
    free = [m for m in MODELS if m not in fixed]
    for step in range(41):
        change = (step + 1) // 2 * (1 if step % 2 else -1)
        rest = round(mean * n * len(MODELS) / 100) + change - sum(fixed.values())
        share = [rest // len(free) + (i < rest % len(free)) for i in range(len(free))]
        for i in range(len(free) // 2):
            push = min(3 * (i + 1), share[2 * i] - 1, n - 1 - share[2 * i + 1])
            share[2 * i], share[2 * i + 1] = share[2 * i] - push, share[2 * i + 1] + push
        found = {**fixed, **dict(zip(free, share))}
        yield {m: found[m] for m in MODELS}


def macro(found: Counts) -> int:
    """The mean of printed domain means, in hundredths of a percent."""
    means = [printed_mean(found[d], SIZES[d]) for d in found]
    return (2 * sum(means) + len(means)) // (2 * len(means))


def filled(means: Mapping[str, float], fixed: Mapping[str, Mapping[str, int]], wanted: float) -> Counts:
    """Counts near these domain means whose macro mean prints as wanted; the last domain gives way."""
    found = {d: next(candidates(SIZES[d], means[d], fixed.get(d, {}))) for d in means}
    for last in candidates(SIZES["video"], means["video"], fixed.get("video", {})):
        found["video"] = last
        if macro(found) == round(100 * wanted):
            return found
    raise AssertionError(f"no counts have the macro mean {wanted}")


def lowered(domain: str, counts: Mapping[str, int], by: float) -> dict[str, int]:
    """Counts whose printed mean is `by` points lower: a few models two higher, all others at least one lower."""
    n = SIZES[domain]
    up = {m for m in MODELS if (m, domain) in HIGHER_UNDER_NEUTRAL}
    goal = printed_mean(counts, n) - round(by * 100)
    down = [m for m in MODELS if m not in up]
    for drop in range(len(down), n * len(down)):
        found = {m: counts[m] + 2 for m in up} | {
            m: counts[m] - drop // len(down) - (i < drop % len(down)) for i, m in enumerate(down)
        }
        if printed_mean(found, n) <= goal:
            return found
    raise AssertionError(domain)


def counts() -> dict[str, Counts]:
    """By condition and domain the counts of all models."""
    standard = {
        d: next(
            c for c in candidates(SIZES[d], MEANS[d], STANDARD[d]) if printed_mean(c, SIZES[d]) == round(100 * MEANS[d])
        )
        for d in SIZES
    }
    return {
        "standard": standard,
        "neutral": {d: lowered(d, standard[d], 4.5 if d == "video" else 4.6) for d in SIZES},
        "safety_priority": filled(SAFETY_MEANS, SAFETY, MACRO["safety_priority"]),
        "clean": filled(CLEAN_MEANS, CLEAN, MACRO["clean"]),
    }


def runs(padding: int = 400) -> Iterator[tuple[str, Synthetic]]:
    """The 36 runs, with the names of their directories."""
    for condition, by_domain in counts().items():
        for number, model in enumerate(MODELS):
            scores = {}
            for domain, found in by_domain.items():
                n, k, shift = SIZES[domain], found[model], CLUSTERED_HITS * number
                if condition == "clean":
                    scores[domain] = [1 if s == 5 else 3 for s in counted(n, k, shift=shift)]
                else:
                    wide = (
                        SCR.get((model, domain), min(n, k + n // 20))
                        if condition == "standard"
                        else min(n, k + n // 25)
                    )
                    scores[domain] = counted(n, k, max(k, wide), shift)
            control = "standard" if condition == "clean" else condition
            observation = "clean" if condition == "clean" else "injected"
            name = f"{model.replace(' ', '-').lower()}-{condition}"
            yield name, Synthetic(model, scores, control, observation, padding=padding)


def write(root: Path, padding: int = 400) -> Path:
    for name, run in runs(padding):
        run.write(root / name)
    return root
