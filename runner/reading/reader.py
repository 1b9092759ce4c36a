"""Reading screens in a few processes of our own, each image once.

A `Reader` hands images to worker processes, keeps what they read on disk under the hash of the pixels and of the
engine's settings, and lets everyone who asks for the same image at the same time wait for one reading. Workers are
separate programs that talk over pipes: nothing of the parent (no key, no open file, no main module) gets into them,
Ctrl-C does not reach them, and they end when their input does. What a screen says about a task is for others.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import queue
import subprocess
import sys
import tempfile
import threading
import weakref
from concurrent.futures import Future
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any

from benchmark.images import pixel_hash, read_rgb
from runner.reading.kept import Kept
from runner.reading.lines import Line, load
from runner.reading.settings import PackageNotFoundError, Settings, fingerprint

if TYPE_CHECKING:
    from PIL import Image

log = logging.getLogger(__name__)

Lines = tuple[Line, ...]

MAX_PROCESSES = 4
PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP", "PYTHONPATH")
"""Environment variables that workers get; all others, keys above all, stay behind."""


class ReadingError(RuntimeError):
    """Text could not be read: the engine is missing, broke down or was closed. A damaged image is an ImageError."""


class _Worker:
    """One reading process, started when it is first needed and again after it died, and the pipes to it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._noise: IO[bytes] | None = None
        self._retired = False

    def ask(self, image: Image.Image) -> list[Any]:
        """Has an RGB image read; a process that dies over it is replaced once.

        Raises:
            ReadingError: the engine does not start, failed, died twice, or was retired.
        """
        for attempt in (1, 2):
            try:
                process = self._process or self._start()
                assert process.stdin is not None
                process.stdin.write(json.dumps({"width": image.width, "height": image.height}).encode() + b"\n")
                process.stdin.write(image.tobytes())
                process.stdin.flush()
                reply = self._hear(process)
            except OSError:
                words = self._stop()
                if self._retired:
                    raise ReadingError("the reader was closed while it read this image") from None
                if attempt == 1:
                    continue
                raise ReadingError(f"the reading process died twice over one image ({words})") from None
            except BaseException:
                # Half a question may be in the pipe; the next one needs a fresh process.
                self._stop()
                raise
            if "error" in reply:
                raise ReadingError(f"the reading engine failed on an image: {reply['error']}")
            lines: list[Any] = reply["lines"]
            return lines
        raise AssertionError("the second attempt returns or raises")

    def retire(self) -> None:
        """Kills the process, from any thread, and allows no other; a worker holds nothing that could be lost."""
        with self._lock:
            self._retired = True
            if self._process is not None:
                self._process.kill()

    def clear(self) -> None:
        """Ends the process and releases what it held; only for the thread that asks."""
        self.retire()
        self._stop()

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        package = str(Path(__file__).parents[2])
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (package, environment.get("PYTHONPATH"))))
        environment["OMP_NUM_THREADS"] = "1"
        with self._lock:
            if self._retired:
                raise ReadingError("the reader is closed")
            self._noise = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
            process = self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "runner.reading.worker", json.dumps(asdict(self._settings))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._noise,
                env=environment,
                start_new_session=True,
            )
        try:
            problem = self._hear(process).get("error")
        except BrokenPipeError:
            problem = self._stop()
        if problem:
            self._stop()
            raise ReadingError("the reader was closed" if self._retired else f"the reading engine fails: {problem}")
        return process

    @staticmethod
    def _hear(process: subprocess.Popen[bytes]) -> dict[str, Any]:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            raise BrokenPipeError("the reading process ended")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _stop(self) -> str:
        """Ends the process if there is one; says how it ended, with the last line it wrote on standard error."""
        with self._lock:
            process, noise = self._process, self._noise
            self._process = self._noise = None
        if process is None or noise is None:
            return "not running"
        # Closing its input first lets a process that is dying of itself report its own exit code.
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        try:
            code = process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        with noise:
            noise.seek(0)
            lines = noise.read().decode(errors="replace").strip().splitlines()
        return f"exit code {code}" + (f", {lines[-1]}" if lines else "")


def _retire(workers: list[_Worker]) -> None:
    for worker in tuple(workers):
        worker.retire()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Reader:
    """Reads images; processes start with the first one that is not in the cache.

    Args:
        cache: folder of stored readings, made when needed; None keeps nothing.
        processes: how many images are read at the same time; by default one per usable core, at most four.
        settings: the engine's settings.

    Raises:
        ReadingError: the engine is not installed.
        ValueError: `processes` is below 1.

    Attributes:
        fingerprint: what readings depend on besides the pixels.
        read_count: images that a worker has read.
        cache_count: readings that came from the cache.
    """

    def __init__(
        self, cache: Path | None = None, processes: int | None = None, settings: Settings | None = None
    ) -> None:
        if processes is not None and processes < 1:
            raise ValueError(f"workers={processes}: give at least 1, or null for one per core")
        self._settings = settings or Settings()
        self._limit = processes or min(MAX_PROCESSES, _cores())
        try:
            self.fingerprint = fingerprint(self._settings)
        except PackageNotFoundError as error:
            raise ReadingError(
                f"reading screens needs the package {error.name}: install mma-safetybench with the extra 'reference'"
            ) from None
        self._cache = None if cache is None else Kept(cache, self.fingerprint, load)
        self._lock = threading.Lock()
        self._jobs: queue.SimpleQueue[tuple[Any, str | None, Future[Lines]] | None] = queue.SimpleQueue()
        self._asked: dict[Any, Future[Lines]] = {}
        self._running: dict[str, Future[Lines]] = {}
        self._threads: list[threading.Thread] = []
        self._workers: list[_Worker] = []
        self._closed = False
        self.read_count = 0
        self.cache_count = 0
        weakref.finalize(self, _retire, self._workers)

    async def read(self, image: Path | str | Image.Image, pixels: str | None = None) -> Lines:
        """Reads an image without blocking the event loop; any loop and any number of tasks may ask.

        Args:
            image: a file, or an image in memory.
            pixels: the image's pixel hash where it is known already; spares decoding what is in the cache.

        Returns:
            The lines in reading order, boxes in pixels of the image.

        Raises:
            ImageError: the file is missing or damaged.
            ReadingError: the engine broke down, `pixels` is not the image's hash, or the reader is closed.
        """
        if pixels is not None:
            stored = await asyncio.to_thread(self._look_up, pixels)
            if stored is not None:
                return stored
        future = self._ask(image, pixels)
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not waiter.done():
                waiter.set_result(None)

        def done(_: Future[Lines]) -> None:
            try:
                loop.call_soon_threadsafe(wake)
            except RuntimeError:
                # The loop is closed: whoever waited is gone, and others may still wait for the same image.
                return

        future.add_done_callback(done)
        await waiter
        return future.result()

    def read_now(self, image: Path | str | Image.Image, pixels: str | None = None) -> Lines:
        """Reads an image and waits for it; otherwise like `read`."""
        stored = self._look_up(pixels) if pixels is not None else None
        return stored if stored is not None else self._ask(image, pixels).result()

    def close(self) -> None:
        """Ends the processes at once; who still waits gets a `ReadingError`. May be called more than once."""
        with self._lock:
            self._closed = True
            threads, self._threads = self._threads, []
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is not None:
                job[2].set_exception(ReadingError("the reader was closed before it came to this image"))
        for _ in threads:
            self._jobs.put(None)
        _retire(self._workers)
        for thread in threads:
            thread.join(timeout=10)

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> Reader:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)

    def _look_up(self, pixels: str) -> Lines | None:
        stored = self._cache.get(pixels) if self._cache is not None else None
        if stored is not None:
            with self._lock:
                self.cache_count += 1
        return stored

    def _ask(self, image: Path | str | Image.Image, pixels: str | None) -> Future[Lines]:
        """The future of a reading: that of an equal question still open, else a new one in the queue."""
        source = Path(image) if isinstance(image, (str, Path)) else image
        key = pixels or (str(source.absolute()) if isinstance(source, Path) else id(source))
        with self._lock:
            if self._closed:
                raise ReadingError("the reader is closed")
            future = self._asked.get(key)
            if future is not None:
                return future
            future = self._asked[key] = Future()
            self._jobs.put((source, pixels, future))
            if len(self._threads) < min(self._limit, len(self._asked)):
                worker = _Worker(self._settings)
                self._workers.append(worker)
                thread = threading.Thread(target=self._serve, args=(worker,), daemon=True)
                self._threads.append(thread)
                thread.start()
        future.add_done_callback(lambda _: self._forget(key))
        return future

    def _forget(self, key: Any) -> None:
        with self._lock:
            self._asked.pop(key, None)

    def _serve(self, worker: _Worker) -> None:
        """One thread per process: takes a job, decodes the image, asks its process."""
        try:
            while (job := self._jobs.get()) is not None:
                source, pixels, future = job
                try:
                    lines = self._answer(source, pixels, worker)
                except Exception as error:
                    future.set_exception(error)
                else:
                    future.set_result(lines)
        finally:
            worker.clear()

    def _answer(self, source: Path | Image.Image, pixels: str | None, worker: _Worker) -> Lines:
        rgb = read_rgb(source) if isinstance(source, Path) else source.convert("RGB")
        found = pixel_hash(rgb)
        if pixels is not None and pixels != found:
            name = source.name if isinstance(source, Path) else "the image"
            raise ReadingError(f"{name} does not hold the pixels {pixels[:12]} that it was asked for under")
        mine: Future[Lines] = Future()
        with self._lock:
            running = self._running.setdefault(found, mine)
        if running is not mine:
            # The same pixels under another name: another thread is at them right now.
            return running.result()
        try:
            lines = self._look_up(found)
            if lines is None:
                reply = worker.ask(rgb)
                lines = load(reply)
                if self._cache is not None:
                    self._cache.put(found, reply)
                with self._lock:
                    self.read_count += 1
            mine.set_result(lines)
            return lines
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._running[found]
