"""One resident container: how it is shut in, its two streams, its end.

The streams are those of Docker's attach, opened before the container starts so that nothing is missed; a thread reads
them. Whatever comes out is taken for hostile: lines, messages and the queues they go to are bounded, and a container
that breaks the form is broken for good, which every case that is in it is told.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import struct
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from runner.sandbox import SandboxError
from runner.sandbox.leftovers import remove

LINE_LIMIT = 24 << 20
"""Bytes of one message that come out: room for a request with a dozen screens."""
STDERR_LIMIT = 16 << 20
STRAY_LIMIT = 100
"""Messages for cases that are not there, before a container counts as broken."""
PENDING = 16
"""Messages read and not yet taken, before reading waits."""
FIRST_OWN_USER, OWN_USERS = 20_000, 40_000


class Broken(Exception):
    """The container died or broke the form; nothing more can be had from it."""


@dataclass(frozen=True)
class Image:
    """A pinned image: its id at the engine, what it holds, and what it would run."""

    name: str
    id: str
    digest: str
    command: tuple[str, ...]
    directory: str


@dataclass(frozen=True)
class Limits:
    """What a container may use; sizes in MB."""

    memory_mb: int
    cpus: float
    processes: int
    disk_mb: int
    start_s: float


def confinement(limits: Limits) -> dict[str, Any]:
    """How every container is shut in: no network, no capability, nothing to write to but a bounded folder in memory."""
    from docker.types import LogConfig, Ulimit

    user = FIRST_OWN_USER + random.randrange(OWN_USERS)  # its own: limits by user must not be shared with neighbours
    return {
        "network_mode": "none",
        "read_only": True,
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges"],
        "user": f"{user}:{user}",
        "init": True,
        "hostname": "agent",
        "ipc_mode": "private",
        "shm_size": f"{limits.disk_mb}m",
        "tmpfs": {"/tmp": f"rw,size={limits.disk_mb}m,mode=1777,nosuid,nodev"},
        "mem_limit": f"{limits.memory_mb}m",
        "memswap_limit": f"{limits.memory_mb}m",
        "nano_cpus": int(limits.cpus * 1e9),
        "pids_limit": limits.processes,
        "ulimits": [  # podman starts nothing without the first two
            Ulimit(name=name, soft=most, hard=most)
            for name, most in (("nofile", 1024), ("nproc", max(1024, limits.processes)), ("core", 0))
        ],
        "log_config": LogConfig(type="none"),
        "stdin_open": True,  # attached once: it reads the end of its input when its worker dies, and leaves
        "auto_remove": True,
    }


class Container:
    """A container with the shim in it. Made and started in a thread; everything else from one event loop."""

    def __init__(
        self, client: Any, image: Image, told: Mapping[str, Any], limits: Limits, labels: Mapping[str, str]
    ) -> None:
        self._client = client
        self._image = image
        self._told = told
        self._limits = limits
        self._labels = dict(labels)
        self._loop = asyncio.get_running_loop()
        self._ready: asyncio.Future[None] = self._loop.create_future()
        self._room = threading.Semaphore(PENDING)
        self._cases: dict[int, asyncio.Queue[Mapping[str, Any] | Broken]] = {}
        self._stray = 0
        self._stderr = bytearray()
        self._stderr_bytes = 0
        self._socket: socket.socket | None = None
        self._held: Any = None
        self._id: str | None = None
        self._killed = False
        self.sending = asyncio.Lock()
        self.served = 0
        self.claimed = 0
        self.doomed = False
        self.broken: str | None = None

    def claim(self) -> None:
        """Books a place for a case; it is given back by lowering `claimed`."""
        self.claimed += 1
        self.served += 1

    def start(self) -> None:
        """Creates, attaches, starts; blocking.

        Raises:
            SandboxError: the engine refuses.
        """
        from docker.errors import DockerException

        shim = files("runner.sandbox").joinpath("shim.py").read_text(encoding="utf-8")
        try:
            made = self._client.containers.create(
                self._image.id,
                entrypoint=["python3", "-I", "-u", "-c", shim],
                command=[],
                working_dir="/",
                labels=self._labels,
                **confinement(self._limits),
            )
            self._id = made.id
            flags = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
            self._held = self._client.api.attach_socket(made.id, params=flags)
            self._socket = getattr(self._held, "_sock", self._held)
            self._socket.settimeout(None)
            # Read from the first byte on: an engine may not come back from starting what floods an unread stream.
            reader = threading.Thread(target=self._read, args=(self._socket,), name="container", daemon=True)
            reader.start()
            self._client.api.start(made.id)
        except (DockerException, OSError) as error:
            self.kill()
            said = " ".join(str(getattr(error, "explanation", None) or error).split())[:300]
            if "python3" in said:
                said = f"it has no python3, which the sandbox needs (3.8 or later): {said}"
            raise SandboxError(f"no container of image {self._image.name!r} can be started: {said}") from None
        self.write({"open": self._told})

    async def ready(self) -> None:
        """Waits for the shim's first word.

        Raises:
            Broken: it said something else or nothing.
        """
        try:
            await asyncio.wait_for(asyncio.shield(self._ready), self._limits.start_s)
        except TimeoutError:
            raise Broken(f"it was not ready within {self._limits.start_s:g} s") from None

    def enter(self, number: int) -> asyncio.Queue[Mapping[str, Any] | Broken]:
        """Takes a case in; its messages will be in the queue."""
        queue: asyncio.Queue[Mapping[str, Any] | Broken] = asyncio.Queue()
        self._cases[number] = queue
        if self.broken is not None:
            queue.put_nowait(Broken(self.broken))
        return queue

    def leave(self, number: int) -> None:
        self._cases.pop(number, None)

    def write(self, message: Mapping[str, Any]) -> None:
        """Sends one message; blocking, from a thread, one at a time (`sending` sees to that).

        Raises:
            Broken: it takes nothing any more.
        """
        if self._socket is None:
            raise Broken(self.broken or "it is closed")
        try:
            self._socket.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        except OSError as error:
            raise Broken(self.broken or f"its input is closed ({type(error).__name__})") from None

    def kill(self) -> None:
        """Ends and removes the container, whatever it does; blocking, and harmless when repeated.

        Where the engine itself does not answer, the container stays and is reaped later by its labels.
        """
        from docker.errors import DockerException

        if self._killed:
            return
        self._killed = True
        self._hang_up()
        if self._id is not None:
            with suppress(DockerException, OSError):
                remove(self._client, self._id)
        if self._held is not None:
            with suppress(OSError):
                self._held.close()

    def _hang_up(self) -> None:
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    # What follows runs in the reading thread, until the event loop is handed something.

    def _read(self, source: socket.socket) -> None:
        try:
            self._frames(source)
            reason = "it ended"
        except Broken as error:
            reason = str(error)
        except (OSError, ValueError, RecursionError) as error:
            reason = f"its output cannot be read ({type(error).__name__})"
        self._hang_up()  # what is not read any more must not hold the engine up
        tail = " ".join(bytes(self._stderr[-300:]).decode("utf-8", "replace").split())
        with suppress(RuntimeError):  # the loop is closed: nobody is left to tell
            self._loop.call_soon_threadsafe(self._break, f"{reason}: {tail}" if tail else reason)

    def _frames(self, source: socket.socket) -> None:
        """Takes Docker's frames apart: eight bytes of head (stream, length), then that many bytes."""
        raw, line = bytearray(), bytearray()
        while data := source.recv(1 << 18):
            raw += data
            at = 0
            while len(raw) - at >= 8:
                stream, length = raw[at], struct.unpack_from(">I", raw, at + 4)[0]
                if length > LINE_LIMIT:
                    raise Broken("it sent a frame that is too large")
                if len(raw) - at - 8 < length:
                    break
                body = raw[at + 8 : at + 8 + length]
                at += 8 + length
                if stream == 1:
                    line = self._lines(line, body)
                else:
                    self._stderr_bytes += length
                    self._stderr = (self._stderr + body)[-2000:]
                    if self._stderr_bytes > STDERR_LIMIT:
                        raise Broken("it flooded its standard error")
            del raw[:at]

    def _lines(self, line: bytearray, body: bytearray) -> bytearray:
        *complete, rest = body.split(b"\n")
        for piece in complete:
            line += piece
            self._message(line)
            line = bytearray()
        line += rest
        if len(line) > LINE_LIMIT:
            raise Broken("it sent a line that is too long")
        return line

    def _message(self, line: bytearray) -> None:
        message = json.loads(line.decode())
        if not isinstance(message, dict):
            raise Broken("it sent what is no message")
        while not self._room.acquire(timeout=1.0):
            if self._killed:
                raise Broken("it was killed")
        self._loop.call_soon_threadsafe(self._deliver, message)

    # And this in the event loop.

    def _deliver(self, message: Mapping[str, Any]) -> None:
        self._room.release()
        if "ready" in message and not self._ready.done():
            self._ready.set_result(None)
            return
        number = message.get("case")
        queue = self._cases.get(number) if isinstance(number, int) else None
        if queue is None or queue.qsize() >= PENDING:
            self._stray += 1
            if self._stray > STRAY_LIMIT:
                self._break("it talks without being asked")
            return
        queue.put_nowait(message)

    def _break(self, reason: str) -> None:
        if self.broken is not None:
            return
        self.broken, self.doomed = reason, True
        if not self._ready.done():
            self._ready.set_exception(Broken(reason))
            self._ready.exception()  # seen, also where nobody waits
        for queue in self._cases.values():
            queue.put_nowait(Broken(reason))
