"""All units over the nodes of a Ray cluster; one node, started here, unless an address is given.

Fan-out is over cases. Each node has worker actors that make the calls; this process, the driver, deals units to the
least busy of them, at most a window of them at a time, merges what they journalled into the run's ledger, and alone
talks to the terminal and the tracker. Ray repeats nothing: a unit whose worker was lost goes to another one as its
next attempt, unless the worker's spool shows that it was finished or never sent. What a cluster adds to limits is in
`ray_limiter`, its life in `ray_cluster`, what happens on a node in `ray_worker`.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmark.case import ImageRef
from benchmark.images import ImageStore
from runner.executors.local import Follow, streaming
from runner.executors.ray_cluster import Cluster, ClusterError, Node
from runner.executors.ray_worker import Batch, Call, Opened, Opening, Parcel, code_version, file_hash, holder
from runner.ledger import AnswerRecord, CallFailure, Ledger, VerdictRecord
from runner.limits import Limiter
from runner.spool import Merging, leftovers, read
from runner.work import KINDS, Kind, Outcome, Unit, Work, intent

POLL_S = 5.0
WATCH_S = 2.0
SYNC_S = 2.0
UNREACHABLE_S = 90.0
"""How long a worker that Ray calls unavailable, and not dead, is asked again."""

NOTICED_S = 15.0
"""A node that is cut off should be given up within this time."""

LOST_MOST = 3
"""A unit whose worker was lost this often is an error: it may be what kills them."""

INLINE_BYTES = 100_000
SAMPLES = 8


@dataclass
class Lost:
    """A unit came back without an outcome; `sent` is False where it is known that no call was made."""

    sent: bool = True


class Hand:
    """The driver's side of one worker in one run."""

    def __init__(self, pool: Pool, node: Node, slot: int, handle: Any, opened: Opened) -> None:
        self._pool = pool
        self.node = node
        self.slot = slot
        self.handle = handle
        self.opened = opened
        self.in_hand: dict[Call, tuple[Unit, bytes, asyncio.Future[Outcome | Lost]]] = {}
        self.received = 0
        self.merged = 0
        self.alive = True
        self._outbox: list[Parcel] = []
        self._polling = False
        self._giving: asyncio.Task[None] | None = None
        self._fetching: asyncio.Task[None] | None = None
        self._pump_task = asyncio.create_task(self._pump())

    async def do(self, unit: Unit, case: bytes) -> Outcome | Lost:
        call: Call = (unit.kind, unit.key, unit.attempt)
        done: asyncio.Future[Outcome | Lost] = asyncio.get_running_loop().create_future()
        self.in_hand[call] = unit, case, done
        self._outbox.append((unit, case))
        if self._polling and (self._giving is None or self._giving.done()):
            self._giving = asyncio.create_task(self._give())
        try:
            return await done
        finally:
            self.in_hand.pop(call, None)

    async def _give(self) -> None:
        """Hands units over while the worker is being listened to."""
        from ray.exceptions import RayError

        await asyncio.sleep(0.005)
        while self._polling and self._outbox:
            parcels, self._outbox = self._outbox, []
            try:
                await self.handle.give.remote(self._pool.account, parcels)
            except RayError:
                self._outbox = parcels + self._outbox  # the pump finds out what is wrong; twice given is taken once
                return

    async def _pump(self) -> None:
        from ray.exceptions import ActorUnavailableError, RayActorError, RayError

        unreachable: float | None = None
        parcels: list[Parcel] = []
        while True:
            parcels, self._outbox = parcels + self._outbox, []
            self._polling = True
            try:
                batch: Batch = await self.handle.exchange.remote(
                    self._pool.account, parcels, self.received, self.merged, POLL_S
                )
            except ActorUnavailableError:
                now = time.monotonic()
                unreachable = unreachable if unreachable is not None else now
                if now - unreachable > UNREACHABLE_S:
                    break
                await asyncio.sleep(0.5)
                continue
            except RayActorError:
                break
            except RayError as error:  # a fault of ours in the worker: it is of no more use to this run
                self._pool.say(f"worker on {self.opened.host}: {_first_line(error)}")
                break
            finally:
                self._polling = False
            parcels, unreachable = [], None
            for outcome in batch.outcomes[max(0, self.received - batch.first) :]:
                self._take(outcome)
            self.received = batch.first + len(batch.outcomes)
            if batch.wanted and (self._fetching is None or self._fetching.done()):
                self._fetching = asyncio.create_task(self._pool.send_images(self, batch.wanted))
            # Lanes that got an outcome put their next unit into the outbox now.
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        self.alive = False
        await self._pool.lost(self)

    def _take(self, outcome: Outcome) -> None:
        call: Call = (outcome.unit.kind, outcome.unit.key, outcome.unit.attempt)
        found = self.in_hand.pop(call, None)
        if found is not None and not found[2].done():
            self._pool.book(outcome)
            found[2].set_result(outcome)

    def resolve(self, call: Call, result: Outcome | Lost) -> None:
        found = self.in_hand.pop(call, None)
        if found is not None and not found[2].done():
            if isinstance(result, Outcome):
                self._pool.book(result)
            found[2].set_result(result)

    def stop(self) -> None:
        for task in (self._pump_task, self._giving, self._fetching):
            if task is not None:
                task.cancel()


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:300] if lines else type(error).__name__


class Pool:
    """The workers of one run, on all nodes there are, and what happens when some come or go."""

    def __init__(self, cluster: Cluster, work: Work, folder: Path, slots: int, stall_s: float, ship: bool) -> None:
        self.account = work.account
        self._cluster = cluster
        self._work = work
        self._folder = folder
        self._slots = slots
        self._stall_s = stall_s
        self._hands: dict[tuple[str, int], Hand] = {}
        self._making: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._refused: dict[str, str] = {}
        self._changed = asyncio.Event()
        self._progress = time.monotonic()
        self._said: list[str] = []
        self._warned = False
        self._first_nodes: set[str] | None = None
        self._sent_images: OrderedDict[str, Any] = OrderedDict()
        self._images = ImageStore(work.suite_folder)
        self._watching: asyncio.Task[None] | None = None
        self._syncing: asyncio.Task[None] | None = None
        self._opening = opening(work, folder, ship)

    def say(self, line: str) -> None:
        self._said.append(line)

    def notices(self) -> list[str]:
        said, self._said = self._said, []
        return said

    async def start(self) -> None:
        """Opens the run on the nodes there are, and returns when one is ready.

        Raises:
            ClusterError: no node can take part.
        """
        await self._look()
        self._watching = asyncio.create_task(self._watch())
        self._syncing = asyncio.create_task(self._sync())
        while not self._hands:
            if self._refused and not self._making:
                raise ClusterError(next(iter(self._refused.values())))
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await self._changed.wait()

    async def carry(self, unit: Unit) -> Outcome:
        """Has a unit done, by as many workers as it takes."""
        content = self._work.cases(unit.case_id).model_dump_json().encode()
        for losses in range(1, LOST_MOST + 1):
            hand = await self._least_busy()
            result = await hand.do(unit, content)
            self._progress = time.monotonic()
            if isinstance(result, Outcome):
                return result
            if not result.sent:
                continue
            if unit.kind == "answer":
                self._work.journal.add_intent(intent(unit))
            if losses < LOST_MOST:
                unit = replace(unit, attempt=unit.attempt + 1)
        return self._work.settled(
            unit, failure=CallFailure(kind="worker_lost", message=f"{LOST_MOST} workers were lost while they had it")
        )

    async def _least_busy(self) -> Hand:
        while True:
            ready = [h for h in self._hands.values() if h.alive]
            if ready:
                return min(ready, key=lambda h: len(h.in_hand))
            self._changed.clear()
            await self._changed.wait()

    def book(self, outcome: Outcome) -> None:
        self._work.book(outcome)

    async def lost(self, hand: Hand) -> None:
        """Sends the units of a dead worker to others, but for those that it had finished."""
        from ray.exceptions import RayError

        self._hands.pop((hand.node.id, hand.slot), None)
        self._cluster.forget(hand.node, hand.slot)
        with suppress(RayError):  # its slots are free at once, not only when the limiter misses it
            await self._cluster.limiter().close(holder(hand.opened.worker, self.account))
        in_hand = {call: unit for call, (unit, _, _) in hand.in_hand.items()}
        if in_hand:
            cases = ", ".join(unit.case_id for unit in list(in_hand.values())[:3])
            more = f" and {len(in_hand) - 3} more" if len(in_hand) > 3 else ""
            self.say(f"a worker on {hand.opened.host} is lost; what it had goes to others: {cases}{more}")
        left: Left | None = None
        if hand.opened.shared:
            with suppress(ValueError, OSError):
                left = await asyncio.to_thread(left_by, hand.opened.spool, hand.opened.worker)
        for call, unit in in_hand.items():
            record = left.record(unit) if left is not None else None
            if record is not None:
                hand.resolve(call, Outcome(unit, record))
            else:
                hand.resolve(call, Lost(left is None or left.sent(unit)))
        await self._look()

    async def send_images(self, hand: Hand, wanted: Sequence[ImageRef]) -> None:
        """Gives a node images that it lacks. Each enters the object store once, however many nodes take it."""
        import ray

        files: dict[str, Any] = {}
        for ref in wanted:
            content = self._sent_images.get(ref.hash)
            if content is None:
                data = await asyncio.to_thread(_content, self._images.path(ref))
                content = ray.put(data) if data is not None and len(data) > INLINE_BYTES else data
                self._sent_images[ref.hash] = content
                if len(self._sent_images) > 256:
                    self._sent_images.popitem(last=False)
            files[ref.hash] = content
        with suppress(ray.exceptions.RayError):
            await hand.handle.images.remote(self.account, files)

    async def _look(self) -> None:
        """Makes workers where there are none yet: on nodes that are new, and where one was lost."""
        try:
            nodes = await asyncio.to_thread(self._cluster.nodes)
        except Exception as error:  # Ray's own failures here are of many types; the next look may succeed
            self.say(f"the cluster does not answer: {_first_line(error)}")
            return
        if self._first_nodes is None:
            self._first_nodes = {n.id for n in nodes}
        for node in nodes:
            if node.id in self._refused:
                continue
            for slot in range(self._slots):
                place = (node.id, slot)
                if place not in self._hands and place not in self._making:
                    self._making[place] = asyncio.create_task(self._make(node, slot))

    async def _make(self, node: Node, slot: int) -> None:
        from ray.exceptions import RayError

        place = (node.id, slot)
        try:
            handle = self._cluster.worker(node, slot)
            async with asyncio.timeout(60.0):
                opened: Opened = await handle.open.remote(self._opening)
        except (RayError, TimeoutError, ValueError):
            # It may have been placed on a node that was dying; the next look tries again.
            self._cluster.forget(node, slot)
            return
        finally:
            self._making.pop(place, None)
            self._changed.set()
        if opened.problem is not None:
            if node.id not in self._refused:
                self._refused[node.id] = opened.problem
                self.say(opened.problem)
            return
        if self._first_nodes is not None and node.id not in self._first_nodes and slot == 0:
            self.say(f"node {opened.host} has joined")
        if opened.health_s is not None and opened.health_s > NOTICED_S and not self._warned and self._cluster.joined:
            self._warned = True
            self.say(
                f"this cluster gives up a node that is cut off after {opened.health_s:.0f} s only; "
                "docker/ray.env has settings for its head that make it 9 s"
            )
        self._hands[place] = Hand(self, node, slot, handle, opened)
        self._changed.set()

    async def _watch(self) -> None:
        """Looks for nodes, and names what does not move."""
        while True:
            await asyncio.sleep(WATCH_S)
            await self._look()
            quiet = time.monotonic() - self._progress
            busy = [h for h in self._hands.values() if h.in_hand]
            if quiet < self._stall_s:
                continue
            self._progress = time.monotonic()
            for hand in busy:
                cases = [unit.case_id for unit, _, _ in hand.in_hand.values()]
                more = f" and {len(cases) - 5} more" if len(cases) > 5 else ""
                self.say(f"nothing from {hand.opened.host} for {quiet:.0f} s: {', '.join(cases[:5])}{more}")
            if not self._hands:
                self.say(f"no node has been there for {quiet:.0f} s; the run goes on when one is")

    async def _sync(self) -> None:
        while True:
            await asyncio.sleep(SYNC_S)
            await self.sync()

    async def sync(self) -> None:
        """Puts the ledger on disk, and lets the workers drop what it holds."""
        received = [(hand, hand.received) for hand in self._hands.values()]
        await asyncio.to_thread(self._work.journal.sync)
        for hand, count in received:
            hand.merged = count

    async def end(self, whole: bool) -> None:
        """Ends the run on all workers: `whole` when nothing is in flight, else calls are cut off."""
        from ray.exceptions import RayError

        tasks = [t for t in (self._watching, self._syncing, *self._making.values()) if t is not None]
        for task in tasks:
            task.cancel()
        hands = [h for h in self._hands.values() if h.alive]
        for hand in hands:
            hand.stop()
        await asyncio.gather(*tasks, *(h._pump_task for h in hands), return_exceptions=True)
        if whole:
            await self.sync()

        async def close(hand: Hand) -> None:
            with suppress(RayError, TimeoutError):
                async with asyncio.timeout(15.0):
                    if not whole:
                        await hand.handle.abort.remote(self.account)
                    await hand.handle.close.remote(self.account, whole)

        await asyncio.gather(*(close(h) for h in hands))


@dataclass
class Left:
    """What a dead worker's spool says of the units it had: records by what they answer, and the calls that went out."""

    answers: dict[tuple[str, int], AnswerRecord]
    verdicts: dict[tuple[str, int], VerdictRecord]
    intents: set[tuple[str, int]]

    def record(self, unit: Unit) -> AnswerRecord | VerdictRecord | None:
        if unit.kind == "answer":
            return self.answers.get((unit.key, unit.attempt))
        return self.verdicts.get((unit.subject.answer_id, unit.attempt)) if unit.subject is not None else None

    def sent(self, unit: Unit) -> bool:
        """Whether its call may have gone out; a judge's calls leave no intents."""
        return unit.kind != "answer" or (unit.key, unit.attempt) in self.intents


def left_by(worker_root: Path, worker: str) -> Left:
    """Reads the spool of a dead worker.

    Raises:
        ValueError: it lives, only out of reach, and what it does is not known.
    """
    left = Left({}, {}, set())
    folders = {p.name for p in worker_root.glob(f"{worker}-*")}
    for ledger in leftovers(worker_root, patience_s=1.0, only=f"{worker}-"):
        folders.discard(ledger.folder.name)
        salvage = read(ledger)
        left.answers.update({(a.request_key, a.attempt): a for a in salvage.answers})
        left.verdicts.update({(v.answer_id, v.attempt): v for _, v in salvage.verdicts})
        left.intents.update((i.request_key, i.attempt) for i in salvage.intents)
    if folders:
        raise ValueError(f"the spool of {worker} is still held")
    return left


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def opening(work: Work, folder: Path, ship: bool) -> Opening:
    """What workers are told of a run."""
    suite = work.suite_folder
    name = "suite.json" if (suite / "suite.json").is_file() else "built.jsonl"
    folders = sorted(p for p in (suite / "images").glob("??") if p.is_dir())
    step = max(1, len(folders) // SAMPLES)
    first = (next(iter(sorted(f.glob("*.png"))), None) for f in folders[::step][:SAMPLES])
    return Opening(
        work=replace(work, suite_folder=suite.resolve()),
        run=(str(folder.resolve()), (folder / ".lock").read_text()),
        suite=(name, file_hash(suite / name) or ""),
        samples=tuple(p.stem for p in first if p is not None),
        ship=ship,
        code=code_version(),
    )


def key_names(node: Any) -> set[str]:
    """The environment variables that a configuration names for its keys."""
    if isinstance(node, Mapping):
        own = {v for k, v in node.items() if str(k).endswith("_key_env") and isinstance(v, str)}
        return own.union(*(key_names(v) for v in node.values()))
    return set().union(*(key_names(v) for v in node)) if isinstance(node, list | tuple) else set()


class RayExecutor:
    """Runs a `Work` on a Ray cluster.

    Args:
        address: of a Ray to join; null starts one on this machine.
        auth: token or disabled, for a joined one; null takes RAY_AUTH_MODE, else token where there is one.
        slots: workers per node.
        window: units of each kind in hand at once; null follows the model's limit, with a quarter to spare.
        stall_s: seconds without any outcome after which node and cases are named.
        images: auto uses the suite by path on nodes that see it, ship sends images to every node that lacks them.
        send_keys: whether keys go to the workers from here; else each node has them in its environment.
    """

    def __init__(
        self,
        name: str,
        address: str | None,
        auth: str | None,
        slots: int,
        window: int | None,
        stall_s: float,
        images: str,
        send_keys: bool,
    ) -> None:
        if slots < 1:
            raise ValueError(f"executor.slots={slots}: give a number of workers per node, at least 1")
        if window is not None and window < 1:
            raise ValueError(f"executor.window={window}: give a number of units, at least 1, or null")
        if stall_s <= 0:
            raise ValueError(f"executor.stall_s={stall_s}: give a number of seconds above 0")
        if auth not in (None, "token", "disabled"):
            raise ValueError(f"executor.auth={auth}: choose token or disabled, or null")
        if images not in ("auto", "ship"):
            raise ValueError(f"executor.images={images}: choose auto or ship")
        self.name = name
        self.images = images
        self.address = address
        self.auth = auth
        self.slots = slots
        self.window = window
        self.stall_s = stall_s
        self.send_keys = send_keys
        self._cluster: Cluster | None = None
        self._pool: Pool | None = None
        self._work: Work | None = None

    def rejoin(self, work: Work, into: Ledger, say: Callable[[str], None]) -> None:
        """Takes home what workers still hold that outlived an earlier driver; they finish what is out first."""
        self._work = work
        self._folder = into.folder
        if self.address is None:
            return
        import ray
        from ray.exceptions import RayError

        cluster = self._started()
        run = (str(into.folder.resolve()), (into.folder / ".lock").read_text())
        handles = [cluster.worker(node, slot) for node in cluster.nodes() for slot in range(self.slots)]
        asked = {handle.surrender.remote(work.account, run): handle for handle in handles}
        waiting, merging = list(asked), Merging(into)
        said = time.monotonic() + 10.0
        while waiting:
            ready, waiting = ray.wait(waiting, timeout=1.0)
            for ref in ready:
                with suppress(RayError):
                    for salvage in ray.get(ref):
                        merging.take(salvage)
                    ray.get(asked[ref].discard.remote(work.account), timeout=30)
            if waiting and said is not None and time.monotonic() > said:
                say(f"waiting for {len(waiting)} workers: they finish what an earlier session has out")
                said = time.monotonic() + 60.0

    def limiter(self) -> Limiter:
        return self._started().limiter()

    def notices(self) -> list[str]:
        return self._pool.notices() if self._pool is not None else []

    def _started(self) -> Cluster:
        if self._cluster is None:
            assert self._work is not None
            names = sorted(key_names(self._work.experiment))
            keys = {n: os.environ[n] for n in names if os.environ.get(n)} if self.send_keys else {}
            self._cluster = Cluster.of(self.address, self.auth, self._folder.parent, keys)
            self._cluster.start()
        return self._cluster

    async def outcomes(
        self, work: Work, units: Iterator[Unit], stop: asyncio.Event, follow: Follow
    ) -> AsyncIterator[Outcome]:
        """Yields the outcome of each unit as it finishes; takes no new unit once `stop` is set."""
        self._pool = pool = Pool(self._started(), work, self._folder, self.slots, self.stall_s, self.images == "ship")
        kinds: list[Kind] = []
        for kind in KINDS:
            width = self.window or work.window(kind)
            kinds += [kind] * (width if self.window else width + width // 4)
        streamed = streaming(kinds, pool.carry, units, stop, follow)
        whole = False
        try:
            await pool.start()
            async for outcome in streamed:
                yield outcome
            whole = True
        finally:
            await streamed.aclose()
            await pool.end(whole)
