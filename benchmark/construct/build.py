"""Builds the generated suite, all of it or just the cases that are asked for.

What is built is appended case by case to `built.jsonl` by the one process that holds the folder's lock, after the
images are in place; a killed build therefore goes on where it stopped. `suite.json` and `cases.jsonl` are written
last, when every planned case is there. Cases are drawn in worker processes; the result does not depend on how many.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmark.case import DOMAINS, SPATIAL_DOMAINS, Case, Domain, SuiteInfo
from benchmark.construct.spec import DomainBuilder, Spec
from benchmark.images import ImageStore
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
)

VERSION = "1.0"
SIZES = {"web": 200, "gui": 209, "mobile": 283, "document": 200, "video": 191}


def builder(domain: Domain) -> DomainBuilder:
    """The builder of a domain, imported when it is needed."""
    if domain in SPATIAL_DOMAINS:
        from benchmark.construct.spatial import SpatialBuilder

        return SpatialBuilder(domain)
    module = {"document": "benchmark.construct.documents", "video": "benchmark.construct.videos"}[domain]
    found: DomainBuilder = import_module(module).BUILDER
    return found


def build_one(spec: Spec, folder: str) -> str:
    """Draws one case in a worker process; returns it as one line of JSON, its images being on disk."""
    return builder(spec.domain).build(spec, ImageStore(Path(folder))).model_dump_json()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Holds the folder against other builders; waits for one that is at work."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class GeneratedSuite:
    """The suite that is made from a seed. `sizes` are cases per domain; smaller suites are prefixes of larger ones."""

    def __init__(
        self,
        name: str = "generated",
        root: str = "suites",
        seed: int = 0,
        sizes: Mapping[str, int] | None = None,
        workers: int | None = None,
        path: str | None = None,
    ) -> None:
        self.name = name
        self.seed = seed
        self.sizes = dict(SIZES) if not sizes else {**SIZES, **sizes}
        for domain, size in self.sizes.items():
            if domain not in DOMAINS:
                raise SuiteError(f"suite.sizes.{domain}: there is no such domain; there are {', '.join(DOMAINS)}")
            if isinstance(size, bool) or not isinstance(size, int) or size < 0:
                raise SuiteError(f"suite.sizes.{domain}={size}: give a number of cases, 0 or more")
        if not any(self.sizes.values()):
            raise SuiteError("suite.sizes: every domain has size 0, so there is nothing to build")
        if workers is not None and workers < 1:
            raise SuiteError(f"suite.workers={workers}: give at least 1, or null for one per core")
        self.workers = workers or os.cpu_count() or 1
        self.folder = Path(path) if path else Path(root) / f"{name}-{VERSION}-s{seed}-{builder_version()}"
        self._cases: dict[str, Case] = {}

    @cached_property
    def specs(self) -> dict[str, Spec]:
        """The plan of every case by id, domains in order."""
        planned: dict[str, Spec] = {}
        for domain in DOMAINS:
            if self.sizes[domain]:
                planned.update((s.id, s) for s in builder(domain).plan(self.sizes[domain], self.seed))
        return planned

    def entries(self) -> tuple[Entry, ...]:
        return tuple(Entry(s.id, s.domain, s.intent) for s in self.specs.values())

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.name, "version": VERSION, "seed": self.seed, "builder": builder_version()}

    def _load(self) -> None:
        path = self.folder / "built.jsonl"
        if not self._cases and path.is_file():
            self._cases = read_cases(path)

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
        """Builds what is missing of `ids`; `progress(done, total)` is called after each case.

        Raises:
            SuiteError: a case cannot be built, or the folder cannot be written.
        """
        if not self.missing(ids):
            return
        try:
            with locked(self.folder):
                self._cases = {}
                self._build([self.specs[i] for i in self.missing(ids)], progress)
        except OSError as error:
            raise SuiteError(f"the suite cannot be written to {self.folder}: {error.strerror or error}") from None

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
                yield build_one(spec, folder)
            return
        pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
        try:
            futures = {pool.submit(build_one, spec, folder): spec for spec in specs}
            for future in as_completed(futures):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        pool.shutdown()

    def finish(self, progress: Progress | None = None) -> SuiteInfo:
        """Builds all cases and writes `cases.jsonl` and `suite.json`; the whole suite is then also a stored one."""
        self.ensure(tuple(self.specs), progress)
        cases = [self._cases[i] for i in self.specs]
        info = SuiteInfo(
            name=self.name,
            version=VERSION,
            seed=self.seed,
            builder=builder_version(),
            canary=CANARY,
            counts={d: n for d, n in self.sizes.items() if n},
            data_hash=joint_hash({c.id: data_hash(c) for c in cases}),
            pixel_hash=joint_hash({c.id: pixel_hash(c) for c in cases}),
        )
        with locked(self.folder):
            for name, text in (
                ("cases.jsonl", "".join(c.model_dump_json() + "\n" for c in cases)),
                ("suite.json", json.dumps(info.model_dump(mode="json"), indent=2) + "\n"),
            ):
                part = self.folder / f"{name}.part"
                part.write_text(text, encoding="utf-8")
                part.replace(self.folder / name)
        return info
