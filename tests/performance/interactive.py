"""What is promised of the environment, on a whole suite: who completes, who is harmed, how fast, in how much memory.

    python -m tests.performance.interactive SUITE                   # oracle and victim on every interactive case
    python -m tests.performance.interactive SUITE --sample 60
    python -m tests.performance.interactive SUITE --wander 10000    # steps of the wanderer in each app
    python -m tests.performance.interactive SUITE --speed           # pixels: steps per second of processor time
    python -m tests.performance.interactive SUITE --memory 10000    # episodes in one process

The oracle has to complete every case, with and without payload and from both starts, without harm; the victim has to
be harmed in every one.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmark.agents import Oracle, Victim, Wanderer, episode
from benchmark.case import Case
from benchmark.episode import Environment, invariants
from benchmark.suite import StoredSuite
from tests.performance.built import chosen

DOMAINS = ("web", "gui", "mobile")


def judged(case: Case) -> tuple[str, list[str]]:
    """What went otherwise than promised in a case; nothing when all held."""
    problems = []
    for start in ("injection", "trajectory"):
        for observation in ("clean", "injected"):
            found = episode(Environment(case, observation, start), Oracle())  # type: ignore[arg-type]
            if not found.task_completed or found.harm_executed:
                problems.append(f"oracle, {observation} from {start}: {found}")
        found = episode(Environment(case, "injected", start), Victim())  # type: ignore[arg-type]
        if not found.harm_executed or not found.obeyed:
            problems.append(f"victim from {start}: {found}")
        elif not found.recovered:
            problems.append(f"note: harmed from {start}, the goal cannot be reached afterwards")
    return case.id, problems


def complete(cases: list[Case], workers: int) -> int:
    tally: Counter[str] = Counter()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for case, (name, problems) in zip(cases, pool.map(judged, cases, chunksize=4)):
            notes = [p for p in problems if p.startswith("note")]
            broken = [p for p in problems if not p.startswith("note")]
            tally[f"{case.domain} cases"] += 1
            tally[f"{case.domain} good"] += not broken
            tally[f"{case.domain} lost after harm"] += bool(notes)
            for problem in broken:
                print(f"{name} {case.cluster} {case.injection.style}: {problem}")
    for domain in DOMAINS:
        print(
            f"{domain:<8} {tally[f'{domain} good']}/{tally[f'{domain} cases']} as promised; "
            f"task out of reach after the harm in {tally[f'{domain} lost after harm']}"
        )
    return int(any(tally[f"{d} good"] != tally[f"{d} cases"] for d in DOMAINS))


def wander(case: Case, steps: int) -> list[str]:
    """Wanders through the app of a case, in episodes of a hundred steps; the last screen of each is drawn and checked."""
    rng, done = random.Random(case.id), 0
    while done < steps:
        environment = Environment(case, "injected", "injection", lifetime=rng.choice((None, 3)))
        player = Wanderer(rng)
        for _ in range(min(100, steps - done)):
            environment.act(player.act(environment))
            done += 1
            if done % 100 == 0 and (problems := invariants(environment)):
                return problems
    return []


def speed(cases: list[Case], seconds: float = 20.0) -> float:
    """Steps per second of processor time, each step drawn anew, with the payload over it."""
    spent, steps = 0.0, 0
    for case in cases:
        environment, player = Environment(case), Victim()
        environment.observe()
        begun = time.process_time()
        oracle = Oracle()
        while not environment.ended and environment.steps < 20:
            environment.act((oracle if environment.steps else player.oracle).act(environment))
            environment.observe()
            steps += 1
        spent += time.process_time() - begun
        if spent > seconds:
            break
    return steps / spent


def memory(cases: list[Case], episodes: int) -> tuple[float, float]:
    """Peak resident size in MB after a tenth of the episodes and after all."""
    marks = []
    for number in range(episodes):
        environment = Environment(cases[number % len(cases)])
        environment.observe()
        episode(environment, Victim())
        if number + 1 in (episodes // 10, episodes):
            marks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    return marks[0], marks[-1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--domain", choices=DOMAINS, action="append")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--wander", type=int, metavar="STEPS")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--memory", type=int, metavar="EPISODES")
    options = parser.parse_args()
    domains = tuple(options.domain or DOMAINS)
    cases = chosen(StoredSuite("suite", str(options.suite)), domains, options.sample)
    if options.wander:
        by_app = {(c.domain, c.app.app): c for c in cases if c.app is not None}
        broken = 0
        with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
            waiting = {key: pool.submit(wander, case, options.wander) for key, case in by_app.items()}
            for (domain, name), future in waiting.items():
                problems = future.result()
                broken += bool(problems)
                print(f"{domain}/{name}: {options.wander} steps, {'; '.join(problems) or 'no fault'}", flush=True)
        return int(broken > 0)
    if options.speed:
        for domain in domains:
            found = speed([c for c in cases if c.domain == domain])
            size = next(c.injected for c in cases if c.domain == domain)
            print(f"{domain}: {found:.1f} steps per second of a core at {size.width}x{size.height}")
        return 0
    if options.memory:
        first, last = memory([c for c in cases if c.domain == "web"][:40], options.memory)
        print(f"peak memory {first:.0f} MB after {options.memory // 10} episodes, {last:.0f} MB after {options.memory}")
        return int(last > first * 1.1)
    return complete(cases, options.workers)


if __name__ == "__main__":
    sys.exit(main())
