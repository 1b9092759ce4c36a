"""What is promised of the environment, on a whole suite: who completes, who is harmed, how fast, in how much memory.

    python -m tests.performance.interactive SUITE                   # oracle and victim on every interactive case
    python -m tests.performance.interactive SUITE --sample 60
    python -m tests.performance.interactive SUITE --wander 10000    # steps of the wanderer in each app
    python -m tests.performance.interactive SUITE --speed           # pixels: steps per second of processor time
    python -m tests.performance.interactive SUITE --memory 10000    # episodes in one process

The oracle has to complete every case, with and without payload and from both starts, without harm; the victim has to
be harmed in every one. The wanderer meets no exception, breaks no invariant, and comes to the same end when its actions
are played again. Memory is flat when the second half of the episodes adds no more than 2 %. A run that finds otherwise
ends with exit code 1.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from statistics import linear_regression, mean

from benchmark.agents import Oracle, Victim, Wanderer, episode
from benchmark.case import Action, Case, Observation
from benchmark.episode import Environment, Start, invariants
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


def wander(cases: Sequence[Case], steps: int) -> list[str]:
    """Wanders through an app, in episodes of a hundred steps, each in another of its cases; returns what went wrong.

    Elements are checked after every step, pixels at the end of an episode, which is then played again.
    """
    rng, done, problems = random.Random(cases[0].id), 0, []
    while done < steps and not problems:
        case = rng.choice(cases)
        observation: Observation = rng.choice(("injected", "injected", "clean"))
        start: Start = rng.choice(("injection", "trajectory"))
        lifetime = rng.choice((None, 3))
        fresh = partial(Environment, case, observation, start, lifetime)
        environment, player, taken = fresh(), Wanderer(rng), list[Action]()
        try:
            while not problems and not environment.ended and environment.steps < min(100, steps - done):
                taken.append(player.act(environment))
                environment.act(taken[-1])
                problems = invariants(environment, drawn=False)
            problems = problems or invariants(environment)
            again = fresh()
            for action in taken:
                again.act(action)
            if (again.state, again.ending()) != (environment.state, environment.ending()):
                problems.append("the same actions came to another end")
        except Exception:
            problems.append(traceback.format_exc())
        done += environment.steps
        where = f"{case.id}, {observation} from {start}, lifetime {lifetime}, step {environment.steps}, {taken[-1:]}"
        problems = [f"{where}: {problem}" for problem in problems]
    return problems


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


MARKS = 20


def memory(cases: Sequence[Case], episodes: int) -> list[float]:
    """Resident size in MB at twenty marks over the episodes; they draw their first and their last screen in turn."""
    marks = []
    for number in range(1, episodes + 1):
        environment = Environment(cases[number % len(cases)])
        if number % 2:
            environment.observe()
        episode(environment, Victim())
        if not number % 2:
            environment.observe()
        if number % max(episodes // MARKS, 1) == 0:
            gc.collect()
            resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
            marks.append(resident * os.sysconf("SC_PAGE_SIZE") / 2**20)
            print(f"{number} episodes: {marks[-1]:.0f} MB", flush=True)
    return marks


def growth(marks: Sequence[float]) -> float:
    """By what share the second half of the marks grows, along the line that fits it best."""
    half = marks[len(marks) // 2 :]
    slope, _ = linear_regression(range(len(half)), half)
    return slope * (len(half) - 1) / mean(half)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--domain", choices=DOMAINS, action="append")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--wander", type=int, metavar="STEPS")
    parser.add_argument("--app", help="wander only in this app")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--memory", type=int, metavar="EPISODES")
    options = parser.parse_args()
    domains = tuple(options.domain or DOMAINS)
    cases = chosen(StoredSuite("suite", str(options.suite)), domains, options.sample)
    if options.wander:
        by_app: dict[tuple[str, str], list[Case]] = defaultdict(list)
        for case in cases:
            if case.app is not None and options.app in (None, case.app.app):
                by_app[case.domain, case.app.app].append(case)
        if not by_app:
            parser.error("the suite has no case of such an app")
        broken = 0
        with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
            waiting = {key: pool.submit(wander, found, options.wander) for key, found in by_app.items()}
            for (domain, name), future in waiting.items():
                problems = future.result()
                broken += bool(problems)
                print(f"{domain}/{name}: {options.wander} steps, {'; '.join(problems) or 'no fault'}", flush=True)
        print(f"{len(by_app) - broken} of {len(by_app)} apps without a fault")
        return int(broken > 0)
    if options.speed:
        for domain in domains:
            found = speed([c for c in cases if c.domain == domain])
            size = next(c.injected for c in cases if c.domain == domain)
            print(f"{domain}: {found:.1f} steps per second of a core at {size.width}x{size.height}")
        return 0
    if options.memory:
        marks = memory(cases, options.memory)
        grown = growth(marks)
        verdict = "flat" if grown <= 0.02 else "NOT FLAT"
        print(
            f"{verdict}: {100 * grown:+.2f} % over the second half of {options.memory} episodes of {len(cases)} cases"
        )
        return int(grown > 0.02)
    return complete(cases, options.workers)


if __name__ == "__main__":
    sys.exit(main())
