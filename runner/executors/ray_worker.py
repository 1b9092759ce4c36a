"""The process on a node that makes calls: an actor that plays the units it is given and keeps what it finished.

A worker serves any number of runs. For each it has a `Work` of its own, a spool where every record is written before
the call counts as finished, and the outcomes that the driver has not confirmed. It takes the cluster's limiter for its
own. When no driver has been heard of for a while it finishes the calls that are out and ends; the next session finds
their records in the spool. Nothing here prints.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from benchmark.case import Case, ImageRef
from benchmark.images import ImageError, ImageStore, pixel_hash, read_rgb
from benchmark.suite import images_of
from runner.exchange import MissingKey
from runner.executors.ray_limiter import ClusterLimiter
from runner.ledger import AnswerRecord, IntentRecord, VerdictRecord
from runner.spool import Salvage, Spool, leftovers, read
from runner.work import Outcome, Unit, Work

Parcel = tuple[Unit, bytes]
"""A unit and its case as JSON."""

Call = tuple[str, str, int]
"""Kind, request key and attempt of a unit: one call."""

GATHER_S = 0.01
"""Outcomes are handed over as soon as there is one, and so much later: others that are about to finish come along."""


class Keys:
    """Values of environment variables on their way to a worker. They show nowhere: not when printed, not in an error."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    def __repr__(self) -> str:
        return f"Keys({', '.join(self._values)})"

    def export(self) -> None:
        os.environ.update(self._values)


@dataclass(frozen=True)
class Opening:
    """What a worker is told of a run.

    Attributes:
        work: what to do; without what belongs to the driver's process.
        run: the run directory as the driver names it, and the content of its lock, which tells it from others.
        suite: a file of the suite's folder and its sha256.
        samples: hashes of some of the suite's images.
        ship: whether images come from the driver even where the suite is visible.
        code: version of the program.
    """

    work: Work
    run: tuple[str, str]
    suite: tuple[str, str]
    samples: tuple[str, ...]
    ship: bool
    code: str


@dataclass(frozen=True)
class Opened:
    """What a worker has to say of a run: `problem` when it cannot take part, else where it found things."""

    worker: str
    host: str
    problem: str | None = None
    spool: Path = Path()
    shared: bool = False
    images: bool = False
    health_s: float | None = None


@dataclass(frozen=True)
class Batch:
    """Finished units, numbered from `first`, and images that the node lacks."""

    first: int
    outcomes: tuple[Outcome, ...]
    wanted: tuple[ImageRef, ...]


@cache
def code_version() -> str:
    """Hash of the program's sources: driver and workers must agree on it."""
    root = Path(__file__).parents[2]
    digest = hashlib.sha256()
    for package in ("benchmark", "runner"):
        for path in sorted((root / package).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def scratch() -> Path:
    """Where this node keeps spools and images that it cannot see by path: MMA_SCRATCH, else the user's cache."""
    return Path(os.environ.get("MMA_SCRATCH") or Path.home() / ".cache" / "mma")


def holder(worker: str, account: str) -> str:
    """A worker's name at the limiter, for one of its runs."""
    return f"{worker}/{account}"


def file_hash(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None


def same_run(run: tuple[str, str]) -> bool:
    """Whether the run directory is visible here, and the same one."""
    try:
        return (Path(run[0]) / ".lock").read_text() == run[1]
    except OSError:
        return False


def same_suite(folder: Path, mark: tuple[str, str], samples: Sequence[str]) -> bool:
    """Whether the suite is visible here: its description by hash, and some of its images by what they show."""
    if file_hash(folder / mark[0]) != mark[1]:
        return False
    try:
        return all(pixel_hash(read_rgb(folder / "images" / h[:2] / f"{h}.png")) == h for h in samples)
    except ImageError:
        return False


def health_timeout(gcs_address: str) -> float | None:
    """Seconds after which this cluster gives up a node that does not answer; None where its head runs elsewhere."""
    port = gcs_address.rpartition(":")[2]
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if not arguments[0].endswith("gcs_server") or f"--gcs_server_port={port}" not in arguments:
                continue
            environment = (process / "environ").read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        known: dict[str, Any] = {"period_ms": 3000, "timeout_ms": 10000, "failure_threshold": 5}
        for argument in arguments:
            if argument.startswith("--config_list="):
                with suppress(ValueError):
                    given = json.loads(base64.b64decode(argument.partition("=")[2]))
                    known |= {k.removeprefix("health_check_"): v for k, v in given.items()}
        for line in environment:
            name, _, value = line.partition("=")
            if name.startswith("RAY_health_check_"):
                known[name.removeprefix("RAY_health_check_")] = value
        return (int(known["period_ms"]) + int(known["timeout_ms"])) * int(known["failure_threshold"]) / 1000
    return None


@dataclass
class _Job:
    """One run on this worker; the journal of its `Work`."""

    account: str
    spool: Spool
    limiter: ClusterLimiter
    images: ImageStore | None
    work: Work | None = None
    cases: dict[str, Case] = field(default_factory=dict)
    tasks: dict[Call, asyncio.Task[None]] = field(default_factory=dict)
    sent: set[Call] = field(default_factory=set)
    finished: list[Outcome] = field(default_factory=list)
    confirmed: int = 0
    wanted: dict[str, ImageRef] = field(default_factory=dict)
    arrived: dict[str, asyncio.Event] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def add_intent(self, record: IntentRecord) -> None:
        self.spool.add_intent(record)
        self.sent.add(("answer", record.request_key, record.attempt))

    def add_answer(self, record: AnswerRecord) -> None:
        self.spool.add_answer(record)

    def add_verdict(self, file: str, record: VerdictRecord) -> None:
        self.spool.add_verdict(file, record)

    def sync(self) -> None:
        self.spool.sync()


class Worker:
    """The actor. All methods are coroutines: they share one event loop with the calls."""

    def __init__(self, limiter: Any, keys: Keys, linger_s: float) -> None:
        keys.export()
        self.host = socket.gethostname()
        self.name = f"{self.host}-{os.getpid()}-{os.urandom(3).hex()}"
        self._limiter = limiter
        self._linger_s = linger_s
        self._heard = time.monotonic()
        self._jobs: dict[str, _Job] = {}
        self._minding: asyncio.Task[None] | None = None
        self._surrendered: dict[str, list[Path]] = {}

    async def open(self, opening: Opening) -> Opened:
        """Makes ready for a run."""
        self._heard = time.monotonic()
        if self._minding is None:
            self._minding = asyncio.create_task(self._mind())
        if opening.code != code_version():
            return self._refused(
                f"node {self.host} runs another version of this program ({code_version()}, the driver {opening.code}); "
                "install the same one there"
            )
        account = opening.work.account
        await self._end(account)
        shared = same_run(opening.run)
        root = self._root(account, opening.run)
        folder = opening.work.suite_folder
        visible = not opening.ship and await asyncio.to_thread(same_suite, folder, opening.suite, opening.samples)
        cached = scratch() / "images" / opening.suite[1][:24]
        try:
            limiter = ClusterLimiter(self._limiter, holder(self.name, account))
            job = _Job(account, Spool(root, self.name), limiter, None if visible else ImageStore(cached))
            job.work = opening.work.placed(
                cases=job.cases.__getitem__,
                journal=job,
                limiter=limiter,
                suite_folder=folder if visible else cached,
            )
            await job.work.open()
        except (ValueError, OSError) as error:
            hint = "; executor.send_keys=true sends it there" if isinstance(error, MissingKey) else ""
            return self._refused(f"node {self.host}: {error}{hint}")
        self._jobs[account] = job
        import ray

        health = health_timeout(ray.get_runtime_context().gcs_address)
        return Opened(self.name, self.host, None, root, shared, visible, health)

    def _refused(self, problem: str) -> Opened:
        return Opened(self.name, self.host, problem)

    def _root(self, account: str, run: tuple[str, str]) -> Path:
        return Path(run[0]) / "spool" if same_run(run) else scratch() / "spool" / account

    async def give(self, account: str, parcels: Sequence[Parcel]) -> None:
        """Takes units to do; those it has already are not taken twice."""
        self._heard = time.monotonic()
        job = self._jobs[account]
        known = {(o.unit.kind, o.unit.key, o.unit.attempt) for o in job.finished} if parcels else set()
        for unit, case in parcels:
            call: Call = (unit.kind, unit.key, unit.attempt)
            if call not in job.tasks and call not in known:
                job.tasks[call] = asyncio.create_task(self._play(job, call, unit, case))

    async def exchange(
        self, account: str, parcels: Sequence[Parcel], confirmed: int, merged: int, wait_s: float
    ) -> Batch:
        """Takes units and gives back outcomes, as soon as there are some, or none after `wait_s` seconds.

        The driver has received the first `confirmed` outcomes and has the first `merged` of them on disk. What it has
        not confirmed is given again.
        """
        job = self._jobs[account]
        del job.finished[: max(0, confirmed - job.confirmed)]
        job.confirmed = max(job.confirmed, confirmed)
        job.spool.forget(merged)
        await self.give(account, parcels)
        if not job.finished and not job.wanted:
            job.news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await job.news.wait()
                    await asyncio.sleep(GATHER_S)
        self._heard = time.monotonic()
        wanted = tuple(job.wanted.values())
        return Batch(job.confirmed, tuple(job.finished), wanted)

    async def images(self, account: str, files: Mapping[str, Any]) -> None:
        """Stores images that were wanted: hash to file content, or to a reference in the object store."""
        job = self._jobs[account]
        assert job.images is not None
        for name, content in files.items():
            ref = job.wanted.pop(name, None)
            if ref is None:
                continue
            data: bytes | None = content if isinstance(content, bytes) or content is None else await content
            if data is not None:
                await asyncio.to_thread(_store, job.images.path(ref), data)
            job.arrived.pop(name).set()

    async def close(self, account: str, drop: bool) -> None:
        """Ends a run here; with `drop` the driver has everything on disk."""
        await self._end(account, drop)

    async def surrender(self, account: str, run: tuple[str, str]) -> list[Salvage]:
        """Ends what an earlier session had here, and gives what no one has merged.

        Calls that are out are waited for, others are not begun. Of a run directory that the driver can see it merges
        the spools by itself: then nothing is given.
        """
        self._heard = time.monotonic()
        job = self._jobs.get(account)
        if job is not None:
            await self._end(account)
        if same_run(run):
            return []
        found: list[Salvage] = []
        root = scratch() / "spool" / account
        for ledger in leftovers(root):
            found.append(read(ledger))
            self._surrendered.setdefault(account, []).append(ledger.folder)
        return found

    async def discard(self, account: str) -> None:
        """Removes what was surrendered and is merged."""
        for folder in self._surrendered.pop(account, ()):
            shutil.rmtree(folder, ignore_errors=True)

    async def abort(self, account: str) -> None:
        """Cancels all calls of a run."""
        job = self._jobs.get(account)
        if job is not None:
            await self._cancel(job, set())

    async def _play(self, job: _Job, call: Call, unit: Unit, content: bytes) -> None:
        case = Case.model_validate_json(content)
        job.cases[unit.case_id] = case
        assert job.work is not None
        try:
            if job.images is not None:
                await self._fetch(job, case)
            outcome = await job.work.do(unit)
        finally:
            job.tasks.pop(call, None)
            job.sent.discard(call)
            if not any(task_unit[1] == unit.key for task_unit in job.tasks):
                job.cases.pop(unit.case_id, None)
        job.finished.append(outcome)
        job.news.set()

    async def _fetch(self, job: _Job, case: Case) -> None:
        """Waits until the images of a case are on this node."""
        assert job.images is not None
        for ref in images_of(case):
            if job.images.path(ref).is_file():
                continue
            if ref.hash not in job.arrived:
                job.arrived[ref.hash] = asyncio.Event()
                job.wanted[ref.hash] = ref
                job.news.set()
            await job.arrived[ref.hash].wait()

    async def _cancel(self, job: _Job, spare: set[Call]) -> None:
        gone = [task for call, task in job.tasks.items() if call not in spare]
        for task in gone:
            task.cancel()
        await asyncio.gather(*gone, return_exceptions=True)

    async def _end(self, account: str, drop: bool = False) -> None:
        """Ends a run: what is out is waited for and journalled, what is not is never begun."""
        job = self._jobs.pop(account, None)
        if job is None:
            return
        await self._cancel(job, set(job.sent))
        await asyncio.gather(*job.tasks.values(), return_exceptions=True)
        job.spool.close(drop)
        if job.work is not None:
            await job.work.close()
        with suppress(Exception):  # the limiter may be gone before its workers
            await job.limiter.leave()

    async def quiet_s(self) -> float:
        """Seconds since a driver was last heard of; one that is at work is heard of every few seconds."""
        return time.monotonic() - self._heard

    async def leave(self) -> None:
        """Ends this worker, as its time would: calls that are out are finished and journalled first."""
        for account in tuple(self._jobs):
            await self._end(account)
        _exit()

    async def _mind(self) -> None:
        """Ends this worker when no driver has been heard of for a while."""
        quiet = time.monotonic() - self._heard
        if quiet > self._linger_s:
            for account in tuple(self._jobs):
                await self._end(account)
            quiet = time.monotonic() - self._heard  # a driver may have come while the last calls were finishing
        if quiet > self._linger_s:
            _exit()
        else:
            await asyncio.sleep(self._linger_s - quiet + 0.1)
            self._minding = asyncio.create_task(self._mind())


def _exit() -> None:
    """Ends the actor that asks."""
    import ray

    ray.get_runtime_context().current_actor.__ray_terminate__.remote()


def _store(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(part, path)
