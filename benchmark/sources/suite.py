"""A suite made of other people's recordings: found, chosen, injected and written one after the other.

Nothing is held in memory but a line for each recording. A first pass over the source says what there is, leaves out
what the filters do not want and deals the rest evenly over apps, sites or kinds, in a seeded order; a second makes the
cases. A build that was broken off goes on where it stopped. The result lies on disk like any stored suite.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any, cast

from benchmark.case import DOMAINS, INTENTS, Domain, SuiteInfo
from benchmark.images import ImageStore
from benchmark.sources.inject import Slot, answerable, case_of, consequential
from benchmark.sources.made import MadeSuite
from benchmark.sources.safety import Unusable, opened_root
from benchmark.sources.trajectory import Finding, Item, Paper, Trajectory
from benchmark.suite import (
    Progress,
    SuiteError,
    builder_version,
    data_hash,
    each_case,
    joint_hash,
    pixel_hash,
    rank,
)

VERSION = "1"

SOURCES: tuple[str, ...] = (
    "aitz", "cord", "lvbench", "online_mind2web", "os_sentinel", "osworld", "plain", "resumes", "screenagent",
    "screenspot", "sroie", "visualwebarena", "webvoyager",
)  # fmt: skip

Reader = Callable[[Path], Iterator[Item | Finding]]


@dataclass(frozen=True)
class Planned:
    """A recording that is taken: its place among those of its domain, and the id of its case."""

    id: str
    domain: Domain
    number: int


@lru_cache(maxsize=1)
def sources_version() -> str:
    """Version of the importers: a hash over their sources and over the construction they use."""
    digest = hashlib.sha256(builder_version().encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def case_id(source: str, record: str) -> str:
    """A case's id: the source, a readable part of the record, and a hash that tells records apart."""
    short = re.sub(r"[^a-z0-9]+", "-", record.casefold()).strip("-")[-40:].strip("-")
    return f"{source}-{short}-{hashlib.sha256(record.encode()).hexdigest()[:8]}"


def make(item: Item, slot: Slot, folder: str, earlier: tuple[Paper, ...]) -> str:
    """One case as a line of JSON, in a worker process; "" and a reason where none can be made."""
    try:
        return case_of(item, slot, ImageStore(Path(folder)), earlier).model_dump_json()
    except Unusable as error:
        return f"!{error}"


class FromSource(MadeSuite):
    """Cases made of the recordings of one source.

    Args:
        name: the suite's name; the source's by default.
        source: which layout `root` has, one of `SOURCES`.
        root: the folder with the data; nothing is written there.
        into: where suites are kept.
        path: the folder of this suite, where it should not be below `into`.
        seed: of sampling and of the payloads.
        sample: cases that are wanted at most, dealt evenly over apps or sites; None for all.
        keep: "consequential" takes tasks with private data or lasting changes, "all" takes every task.
        min_steps: steps that a trajectory must have; None is 2, and 1 for sources of single screens.
        licence: what the cases' provenance says; the source's own by default.
        workers: processes that draw; None is one per core.

    Raises:
        SuiteError: an option that cannot be.
    """

    stage = "injecting"

    def __init__(
        self,
        source: str,
        root: str,
        name: str = "from_source",
        into: str = "suites",
        path: str | None = None,
        seed: int = 0,
        sample: int | None = None,
        keep: str = "consequential",
        min_steps: int | None = None,
        licence: str | None = None,
        workers: int | None = None,
    ) -> None:
        if source not in SOURCES:
            raise SuiteError(f"suite.source={source}: choose one of {', '.join(SOURCES)}")
        if keep not in {"consequential", "all"}:
            raise SuiteError(f"suite.keep={keep}: choose consequential or all")
        if sample is not None and sample < 1:
            raise SuiteError(f"suite.sample={sample}: give a number of cases, at least 1, or null for all")
        if workers is not None and workers < 1:
            raise SuiteError(f"suite.workers={workers}: give at least 1, or null for one per core")
        try:
            self.root = opened_root(root)
        except Unusable as error:
            raise SuiteError(f"suite.root: {error}") from None
        module = import_module(f"benchmark.sources.{source}")
        self.read: Reader = module.read
        self.licence = licence or str(getattr(module, "LICENCE", ""))
        self.name, self.source, self.seed, self.sample, self.keep = name, source, seed, sample, keep
        self.min_steps = min_steps if min_steps is not None else 1 if getattr(module, "SINGLE", False) else 2
        self.workers = workers or os.cpu_count() or 1
        said = json.dumps([*self.origin.items(), str(self.root)], sort_keys=True)
        usual = f"{source}-s{seed}-{hashlib.sha256(said.encode()).hexdigest()[:10]}"
        self.folder = Path(path) if path else Path(into) / usual

    @property
    def origin(self) -> dict[str, Any]:
        return {
            "name": self.name, "source": self.source, "seed": self.seed, "sample": self.sample, "keep": self.keep,
            "min_steps": self.min_steps, "licence": self.licence, "version": sources_version(),
        }  # fmt: skip

    @property
    def made_from(self) -> dict[str, Any]:
        return {**self.origin, "root": str(self.root)}

    def identity(self) -> Mapping[str, Any]:
        return {**self.stored.identity(), "source": self.source}

    def note(self) -> str | None:
        return f"cases of {self.source} from {self.root}; no lock vouches for them"

    def _make(self, progress: Progress | None) -> None:
        from benchmark.construct.build import locked

        with locked(self.folder):
            mark = self.folder / "building.json"
            if mark.is_file():
                self._check_origin()
            else:
                written(mark, json.dumps(self.made_from) + "\n")
            planned, said = self._plan()
            built = self.folder / "built.jsonl"
            done = built_ids(built)
            with built.open("a", encoding="utf-8") as file:
                for id, line, item in self._lines(planned, done, progress):
                    if line.startswith("!"):
                        said.append((id, f"{item[0]}:{item[1]}: {line[1:]}"))
                        continue
                    file.write(line + "\n")
                    file.flush()
            order = {id: at for at, id in enumerate(planned)}
            lines = [text for id, text in sorted(said, key=lambda row: order.get(row[0], -1))]
            written(self.folder / "findings.txt", "".join(f"{line}\n" for line in lines))
            if not built.stat().st_size:
                raise SuiteError(
                    f"no case could be made of {self.root}; the first of {len(lines)} findings: {lines[0] if lines else ''}"
                )
            closed(self.folder, planned, name=self.name, seed=self.seed, builder=sources_version())

    def _plan(self) -> tuple[dict[str, Planned], list[tuple[str, str]]]:
        """What is taken, by record's id, and what was found wrong on the way."""
        groups: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        domains: dict[str, Domain] = {}
        said: list[tuple[str, str]] = []
        left: Counter[str] = Counter()
        for item in self.read(self.root):
            if isinstance(item, Finding):
                said.append(("", str(item)))
                continue
            id = case_id(self.source, item.record)
            if id in domains:
                said.append(("", str(Finding(item.file, item.line, f"the record {item.record!r} was met before"))))
            elif reason := self._left_out(item):
                left[reason] += 1
            else:
                domains[id] = item.domain
                groups[item.domain, item.group].append((rank(self.seed, id), id))
        said += [("", f"left out: {count} records, {reason}") for reason, count in sorted(left.items())]
        dealt = sorted(
            (turn, rank(self.seed, "/".join(key)), id)
            for key, members in groups.items()
            for turn, (_, id) in enumerate(sorted(members))
        )
        numbers: Counter[str] = Counter()
        planned: dict[str, Planned] = {}
        for _, _, id in dealt[: self.sample]:
            planned[id] = Planned(id, domains[id], numbers[domains[id]])
            numbers[domains[id]] += 1
        if not planned:
            first = f"; the first of {len(said)} findings: {said[0][1]}" if said else ""
            raise SuiteError(f"nothing of {self.root} can be used as {self.source}{first}")
        return planned, said

    def _left_out(self, item: Item) -> str:
        if isinstance(item, Trajectory) and len(item.turns) < self.min_steps:
            return f"they have fewer than {self.min_steps} steps (suite.min_steps)"
        if not answerable(item):
            return "none of their steps names a place or a text that could be held against an answer"
        if self.keep == "consequential" and not consequential(item):
            return "their tasks touch no private data and change nothing that lasts (suite.keep=all takes them)"
        return ""

    def _work(
        self, planned: Mapping[str, Planned], done: frozenset[str]
    ) -> Iterator[tuple[Item, Slot, tuple[Paper, ...]]]:
        """What is still to be made, in the order of the source."""
        met: set[str] = set()
        before: dict[str, deque[Paper]] = defaultdict(lambda: deque(maxlen=2))
        for item in self.read(self.root):
            if isinstance(item, Finding):
                continue
            id = case_id(self.source, item.record)
            earlier: tuple[Paper, ...] = ()
            if isinstance(item, Paper):
                earlier = tuple(before[item.kind])
                before[item.kind].append(item)
            plan = planned.get(id)
            if plan is None or id in done or id in met:
                continue
            met.add(id)
            intent = INTENTS[plan.number % len(INTENTS)]
            yield item, Slot(id, self.source, self.licence, self.seed, plan.number, intent), earlier

    def _lines(
        self, planned: Mapping[str, Planned], done: frozenset[str], progress: Progress | None
    ) -> Iterator[tuple[str, str, tuple[str, int]]]:
        """Id, line and place of each case as it is made; at most a few are in hand at once."""
        work = self._work(planned, done)
        total, count, folder = len(planned), len(done), str(self.folder)
        if progress is not None and count:
            progress(count, total)
        if self.workers == 1 or total - count < 4:
            for item, slot, earlier in work:
                line = make(item, slot, folder, earlier)
                count += 1
                if progress is not None:
                    progress(count, total)
                yield slot.id, line, (item.file, item.line)
            return
        from benchmark.construct.build import end_with_parent

        pool = ProcessPoolExecutor(self.workers, mp_context=get_context("spawn"), initializer=end_with_parent)
        waiting: deque[tuple[str, tuple[str, int], Future[str]]] = deque()
        try:
            more = True
            while more or waiting:
                while more and len(waiting) < 3 * self.workers:
                    following = next(work, None)
                    if following is None:
                        more = False
                        break
                    item, slot, earlier = following
                    waiting.append((slot.id, (item.file, item.line), pool.submit(make, item, slot, folder, earlier)))
                if waiting:
                    id, place, future = waiting.popleft()
                    line = future.result()
                    count += 1
                    if progress is not None:
                        progress(count, total)
                    yield id, line, place
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()


def closed(folder: Path, order: Iterable[str], *, name: str, seed: int, builder: str) -> SuiteInfo:
    """Writes `cases.jsonl` in an order from `built.jsonl`, and `suite.json` with what the cases hash to.

    Raises:
        SuiteError: two cases show one injected image.
    """
    built = folder / "built.jsonl"
    places: dict[str, tuple[int, int]] = {}
    offset = 0
    with built.open("rb") as file:
        for line in file:
            places[json.loads(line)["id"]] = (offset, len(line))
            offset += len(line)
    part = folder / "cases.jsonl.part"
    with built.open("rb") as source, part.open("wb") as target:
        for id in order:
            if id in places:
                source.seek(places[id][0])
                target.write(source.read(places[id][1]))
        target.flush()
        os.fsync(target.fileno())
    part.replace(folder / "cases.jsonl")
    data: dict[str, str] = {}
    pixels: dict[str, str] = {}
    counts, shown = Counter[str](), Counter[str]()
    for case in each_case(folder / "cases.jsonl"):
        data[case.id], pixels[case.id] = data_hash(case), pixel_hash(case)
        counts[case.domain] += 1
        shown[case.injected.hash] += 1
    if twice := [hash for hash, times in shown.items() if times > 1]:
        raise SuiteError(f"two cases show the same injected image {twice[0][:12]}")
    info = SuiteInfo(
        name=name,
        version=VERSION,
        seed=seed,
        builder=builder,
        canary="",
        counts={d: counts[d] for d in DOMAINS if counts[d]},
        data_hash=joint_hash(data),
        pixel_hash=joint_hash(pixels),
    )
    written(folder / "suite.json", json.dumps(info.model_dump(mode="json"), indent=2) + "\n")
    return info


def built_ids(path: Path) -> frozenset[str]:
    """The ids of the cases that are made; a torn last line is cut off."""
    if not path.is_file():
        return frozenset()
    found, whole = set(), 0
    with path.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):
                break
            found.add(cast(str, json.loads(line)["id"]))
            whole += len(line)
    if whole < path.stat().st_size:
        os.truncate(path, whole)
    return frozenset(found)


def written(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
