"""Builds the generated suite, all of it or just the cases that are asked for.

What is built is appended case by case to `built.jsonl` by the one process that holds the folder's lock, after the
images are in place; a killed build therefore goes on where it stopped. `suite.json` and `cases.jsonl` are written
last, when every planned case is there and is what the lock says. Cases are drawn in worker processes, which end with
the process that started them; the result does not depend on how many there are.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from typing import Any

from benchmark.case import DOMAINS, SPATIAL_DOMAINS, Case, Domain, SuiteInfo
from benchmark.construct.packs import Pack, load
from benchmark.construct.spec import DomainBuilder, Spec
from benchmark.figures import figures, floor_problems
from benchmark.images import ImageStore
from benchmark.invariants import suite_problems
from benchmark.lock import PUBLIC, Guard
from benchmark.suite import (
    CANARY,
    Entry,
    Progress,
    SuiteError,
    builder_version,
    data_hash,
    images_of,
    joint_hash,
    pixel_hash,
    read_cases,
    suite_info,
    suite_title,
)

VERSION = "1.0"
SIZES = {"web": 200, "gui": 209, "mobile": 283, "document": 200, "video": 191}


PUBLIC_SEED = 0
"""The seed of the public suite. Suites of other seeds, or with a user's payloads, are private: no canary, own lock."""


def builder(domain: Domain, pack: Pack | None = None) -> DomainBuilder:
    """The builder of a domain, imported when it is needed; `pack` adds wordings to the interactive ones."""
    if domain in SPATIAL_DOMAINS:
        from benchmark.construct.spatial import SpatialBuilder

        return SpatialBuilder(domain, pack=pack.wordings if pack is not None else {})
    module = {"document": "benchmark.construct.documents", "video": "benchmark.construct.videos"}[domain]
    found: DomainBuilder = import_module(module).BUILDER
    return found


def build_one(spec: Spec, folder: str, payloads: str | None = None) -> str:
    """Draws one case in a worker process; returns it as one line of JSON, its images being on disk."""
    made = builder(spec.domain, load(payloads) if payloads else None)
    return made.build(spec, ImageStore(Path(folder))).model_dump_json()


def end_with_parent() -> None:
    """Ends this worker when the process that started it is gone; a killed build leaves nobody behind.

    A worker that waits for work holds both ends of the queue that it waits on, so it would wait for ever.
    """
    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the folder against other builders; waits for one that is at work."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class GeneratedSuite:
    """The suite that is made from a seed. `sizes` are cases per domain; smaller suites are prefixes of larger ones.

    `lock` is "auto" (the benchmark's own lock for the public suite, none for others), a path, or null; cases that are
    not what it says are refused, drift in pixels being allowed with `allow_drift`. `payloads` is a folder with a pack
    of further wordings. `path` is where the suite is built or lies built, or an archive of it.
    """

    stage = "building"

    def __init__(
        self,
        name: str = "generated",
        root: str = "suites",
        seed: int = 0,
        sizes: Mapping[str, int] | None = None,
        workers: int | None = None,
        path: str | None = None,
        lock: str | None = "auto",
        allow_drift: bool = False,
        payloads: str | None = None,
    ) -> None:
        self.name = name
        self.seed = seed
        self.sizes = dict(SIZES) if not sizes else {**SIZES, **sizes}
        for domain, size in self.sizes.items():
            if domain not in DOMAINS:
                raise SuiteError(f"suite.sizes.{domain}: there is no such domain; there are {', '.join(DOMAINS)}")
            if isinstance(size, bool) or not isinstance(size, int) or size < 0:
                raise SuiteError(f"suite.sizes.{domain}={size}: give a number of cases, 0 leaves the domain out")
        if not any(self.sizes.values()):
            raise SuiteError("suite.sizes: every domain has size 0, so there is nothing to build")
        if workers is not None and workers < 1:
            raise SuiteError(f"suite.workers={workers}: give at least 1, or null for one per core")
        self.workers = workers or os.cpu_count() or 1
        self.payloads = payloads
        self.pack = load(payloads) if payloads else None
        self.guard = self._guard(lock, allow_drift)
        usual = f"{name}-{VERSION}-s{seed}-{builder_version()}" + (f"-p{self.pack.digest}" if self.pack else "")
        self.folder = self._opened(Path(path), Path(root)) if path else Path(root) / usual
        self._cases: dict[str, Case] = {}

    @property
    def public(self) -> bool:
        return self.seed == PUBLIC_SEED and self.pack is None

    @property
    def origin(self) -> dict[str, Any]:
        """What must be equal for cases to be of this suite."""
        made: dict[str, Any] = {"name": self.name, "version": VERSION, "seed": self.seed, "builder": builder_version()}
        return {**made, "payloads": self.pack.digest} if self.pack is not None else made

    def _guard(self, lock: str | None, allow_drift: bool) -> Guard:
        title = suite_title(self._info(()))
        if lock != "auto":
            why = "suite.lock is null" if lock is None else ""
            return Guard(Path(lock) if lock else None, title, allow_drift, why)
        if not self.public:
            why = "the suite is private (its own seed or payloads) and suite.lock names no lock of it"
            return Guard(None, title, allow_drift, why)
        return Guard(PUBLIC if PUBLIC.is_file() else None, title, allow_drift, f"there is no {PUBLIC.name}")

    def _opened(self, path: Path, root: Path) -> Path:
        """The folder that `path` stands for; an archive is unpacked.

        Raises:
            SuiteError: it holds a suite that this tree, seed or pack would not make.
        """
        folder = path
        if path.suffix == ".tar":
            from benchmark.archive import head_of, unpacked

            self._check_origin(_origin_of(head_of(path)), path)
            folder = unpacked(path, root)
        elif path.exists() and not path.is_dir():
            raise SuiteError(f"suite.path={path} is neither a folder nor an archive named .tar")
        if (folder / "suite.json").is_file():
            self._check_origin(_origin_of(suite_info(folder)), folder)
        elif (folder / "building.json").is_file():
            self._check_origin(_begun_as(folder), folder)
        return folder

    def _check_origin(self, found: Mapping[str, Any], where: Path) -> None:
        if differing := [k for k in {**self.origin, **found} if self.origin.get(k) != found.get(k)]:
            said = ", ".join(f"{k} {found.get(k)} and not {self.origin.get(k)}" for k in differing)
            raise SuiteError(
                f"{where} holds another suite ({said}); use it as it is with suite=stored suite.path={where}"
            )

    @cached_property
    def specs(self) -> dict[str, Spec]:
        """The plan of every case by id, domains in order."""
        planned: dict[str, Spec] = {}
        for domain in DOMAINS:
            if self.sizes[domain]:
                planned.update((s.id, s) for s in builder(domain, self.pack).plan(self.sizes[domain], self.seed))
        return planned

    def entries(self) -> tuple[Entry, ...]:
        return tuple(Entry(s.id, s.domain, s.intent) for s in self.specs.values())

    def identity(self) -> Mapping[str, Any]:
        return self.origin

    def standing(self) -> Mapping[str, Any]:
        return self.guard.standing()

    def note(self) -> str | None:
        return self.guard.note()

    def _load(self) -> None:
        if self._cases:
            return
        built = self.folder / "built.jsonl"
        if built.is_file():
            self._cases = read_cases(built)
        elif (self.folder / "suite.json").is_file():
            self._cases = read_cases(self.folder / "cases.jsonl")

    def case(self, id: str) -> Case:
        self._load()
        try:
            return self._cases[id]
        except KeyError:
            raise SuiteError(f"case {id} is not built; `mma build` makes the whole suite") from None

    def missing(self, ids: Sequence[str]) -> list[str]:
        """Those of `ids` that are not built, or of whose images a file is gone."""
        self._load()
        store = ImageStore(self.folder)
        return [
            i
            for i in ids
            if i not in self._cases or not all(store.path(r).is_file() for r in images_of(self._cases[i]))
        ]

    def ensure(self, ids: Sequence[str], progress: Progress | None = None) -> None:
        """Builds what is missing of `ids` and holds all of them to the lock; `progress(done, total)` after each case.

        Raises:
            LockError: cases that are not what the lock says.
            SuiteError: a case cannot be built, or the folder cannot be written.
        """
        self._make(ids, progress)
        self.guard.verify(ids, self.case, ImageStore(self.folder))

    def _make(self, ids: Sequence[str], progress: Progress | None) -> None:
        if unknown := [i for i in ids if i not in self.specs]:
            raise SuiteError(f"case {unknown[0]} is not in this suite; its sizes are {self.sizes}")
        if not self.missing(ids):
            return
        try:
            with locked(self.folder):
                self._begin()
                self._cases = {}
                self._build([self.specs[i] for i in self.missing(ids)], progress)
        except OSError as error:
            kept = f"; {len(self._cases)} cases are kept, the same command goes on from there" if self._cases else ""
            raise SuiteError(f"the suite cannot be written to {self.folder}: {error.strerror or error}{kept}") from None

    def _begin(self) -> None:
        """Says in the folder which suite is built there, and takes over the cases of one that came as an archive."""
        mark, built = self.folder / "building.json", self.folder / "built.jsonl"
        if mark.is_file():
            self._check_origin(_begun_as(self.folder), self.folder)
        else:
            _write(mark, json.dumps(self.origin) + "\n")
        if not built.is_file() and (self.folder / "suite.json").is_file():
            part = built.with_suffix(".part")
            shutil.copyfile(self.folder / "cases.jsonl", part)
            part.replace(built)

    def _build(self, specs: Sequence[Spec], progress: Progress | None) -> None:
        path = self.folder / "built.jsonl"
        torn = path.is_file() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
        with path.open("a", encoding="utf-8") as file:
            if torn:
                file.truncate(path.read_bytes().rfind(b"\n") + 1)
            for done, line in enumerate(self._lines(specs), start=1):
                case = Case.model_validate_json(line)
                file.write(line + "\n")
                file.flush()
                self._cases[case.id] = case
                if progress is not None:
                    progress(done, len(specs))
            os.fsync(file.fileno())

    def _lines(self, specs: Sequence[Spec]) -> Iterator[str]:
        folder = str(self.folder)
        workers = min(self.workers, len(specs))
        if workers <= 1:
            for spec in specs:
                yield build_one(spec, folder, self.payloads)
            return
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=end_with_parent)
        try:
            futures = {pool.submit(build_one, spec, folder, self.payloads): spec for spec in specs}
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()

    def _info(self, cases: Sequence[Case]) -> SuiteInfo:
        return SuiteInfo(
            name=self.name,
            version=VERSION,
            seed=self.seed,
            builder=builder_version(),
            canary=CANARY if self.public else "",
            counts={d: n for d, n in self.sizes.items() if n},
            data_hash=joint_hash({c.id: data_hash(c) for c in cases}),
            pixel_hash=joint_hash({c.id: pixel_hash(c) for c in cases}),
            figures=figures(cases),
            drift=self.guard.drift if cases else (),
            payloads=self.pack.digest if self.pack is not None else "",
        )

    @property
    def whole(self) -> bool:
        """Whether it has at least the public suite's size in each of its domains, so that limits on shares hold."""
        return all(size >= SIZES[domain] for domain, size in self.sizes.items() if size)

    def finish(self, progress: Progress | None = None) -> SuiteInfo:
        """Builds all cases and writes `cases.jsonl` and `suite.json`; the whole suite is then also a stored one.

        Raises:
            LockError: cases that are not what the lock says.
            SuiteError: the cases as a set break a rule (two show one image; in the full public suite, a share), or
                the folder cannot be written.
        """
        self.ensure(tuple(self.specs), progress)
        cases = [self._cases[i] for i in self.specs]
        limits = self.public and self.whole
        found = suite_problems(cases, quotas=limits, constants=limits)
        if limits:
            found += floor_problems(cases)
        if found:
            more = f" and {len(found) - 3} more findings" if len(found) > 3 else ""
            raise SuiteError(f"the built cases make no suite: {'; '.join(found[:3])}{more}")
        info = self._info(cases)
        try:
            with locked(self.folder):
                _write(self.folder / "cases.jsonl", "".join(c.model_dump_json() + "\n" for c in cases))
                _write(self.folder / "suite.json", json.dumps(info.model_dump(mode="json"), indent=2) + "\n")
        except OSError as error:
            raise SuiteError(f"the suite cannot be written to {self.folder}: {error.strerror or error}") from None
        return info


def _write(path: Path, text: str) -> None:
    """Writes a file whole or not at all, and onto the disk before the next one is begun."""
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _origin_of(info: SuiteInfo) -> dict[str, Any]:
    made: dict[str, Any] = {"name": info.name, "version": info.version, "seed": info.seed, "builder": info.builder}
    return {**made, "payloads": info.payloads} if info.payloads else made


def _begun_as(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / "building.json").read_bytes())
    except ValueError:
        raise SuiteError(f"{folder}/building.json is damaged; move the folder away and build anew") from None
    return found
