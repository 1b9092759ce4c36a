"""Agents in containers: a pool of resident ones, through Docker's own library.

A container holds many cases of a program of ours at once, and one case at a time of somebody else's agent. It is
replaced after a number of cases, when a case runs out of time, and when it breaks; `fresh` gives every case its own.
Calls to the model are made by the worker, outside: no key, no network and no file of this machine is in a container.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import itertools
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from benchmark.images import ImageError
from runner.exchange import Agent, AgentError, Brief, Relay
from runner.sandbox import SandboxError
from runner.sandbox.container import Broken, Container, Image, Limits
from runner.sandbox.leftovers import labels, reap

T = TypeVar("T")

PROGRAMS_AT_ONCE = 16
"""Cases of a program that share a container; each waits for its model nearly all the time."""
TRIES = 3
"""Containers that a program's case is tried in when they break under it; what its model said is not asked again."""
OUTPUT_LIMIT = 1 << 20
"""Bytes that an agent may print."""
BUILD = "docker build -t mma-agent - < docker/agent.Dockerfile"


def connect() -> Any:
    """The engine that the environment names (`DOCKER_HOST`, else the local socket).

    Raises:
        SandboxError: none answers.
    """
    import docker

    if not hasattr(docker, "from_env"):
        raise SandboxError("the docker library is not installed; pip install docker")
    try:
        client = docker.from_env(timeout=60, max_pool_size=64)
        client.ping()
    except (docker.errors.DockerException, OSError) as error:
        said = " ".join(str(error).split())[:200]
        raise SandboxError(f"no container engine answers (start Docker, or set DOCKER_HOST): {said}") from None
    return client


def content_digest(attributes: Mapping[str, Any]) -> str:
    """What an image holds and runs, as one hash: the same at every engine that has it, however it stores images."""
    config = attributes.get("Config") or {}
    held = {
        "layers": (attributes.get("RootFS") or {}).get("Layers") or [],
        **{k: config.get(k) or None for k in ("Entrypoint", "Cmd", "Env", "WorkingDir")},
    }
    return "sha256:" + hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()


def find_image(client: Any, name: str, digest: str | None) -> Image:
    """A pinned image of the engine; never pulled.

    Raises:
        SandboxError: it is not there, holds something else than `digest`, or has nothing to run.
    """
    from docker.errors import APIError, ImageNotFound

    try:
        attributes = client.images.get(name).attrs
    except (ImageNotFound, APIError) as error:
        way = BUILD if name.split(":")[0] == "mma-agent" else f"docker pull {name}, or build it"
        raise SandboxError(f"this engine has no image {name!r}; {way} ({error.status_code})") from None
    found = content_digest(attributes)
    if digest is not None and found != digest:
        raise SandboxError(
            f"image {name!r} here holds {found}, and {digest} is wanted; load the same image, or give the digest anew"
        )
    config = attributes.get("Config") or {}
    command = (*(config.get("Entrypoint") or ()), *(config.get("Cmd") or ()))
    return Image(name, attributes["Id"], found, tuple(command), config.get("WorkingDir") or "/")


class DockerSandbox:
    """The pool of one worker. Safe to use from one event loop."""

    def __init__(
        self,
        name: str,
        image: str,
        digest: str | None,
        containers: int,
        fresh: bool,
        recycle_after: int,
        memory_mb: int,
        cpus: float,
        processes: int,
        disk_mb: int,
        timeout_s: float,
        start_s: float,
        account: str = "",
    ) -> None:
        least: tuple[tuple[str, float, float], ...] = (
            ("containers", containers, 1), ("recycle_after", recycle_after, 1), ("memory_mb", memory_mb, 32),
            ("cpus", cpus, 0.05), ("processes", processes, 8), ("disk_mb", disk_mb, 1), ("timeout_s", timeout_s, 0.1),
            ("start_s", start_s, 0.1),
        )  # fmt: skip
        for key, value, lowest in least:
            if value < lowest:
                raise SandboxError(f"sandbox.{key}={value:g}: give at least {lowest:g}")
        self.name = name
        self.image = image
        self.digest = digest
        self.containers = containers
        self.recycle_after = 1 if fresh else recycle_after
        self.fresh = fresh
        self.timeout_s = timeout_s
        self._limits = Limits(memory_mb, cpus, processes, disk_mb, start_s)
        self._account = account
        self._numbers = itertools.count(1)
        self._client: Any = None
        self._threads: ThreadPoolExecutor | None = None
        self._opening = asyncio.Lock()
        self._image: Image | None = None
        self._told: Mapping[str, Any] = {}
        self._at_once = 1
        self._pool: list[Container] = []
        self._starting = 0
        self._changed = asyncio.Condition()

    def pin(self, agent: Agent) -> str | None:
        """What the agent's image holds; looks at the engine unless that is given."""
        given = agent.digest if agent.image else self.digest
        if given is not None:
            return given if agent.image else None
        found = find_image(connect(), agent.image or self.image, None)
        check_command(agent, found)
        return found.digest if agent.image else None

    async def open(self, agent: Agent) -> None:
        """Connects, looks the image up and removes what dead workers left over.

        Raises:
            SandboxError: there is no engine, no image, or another image.
        """
        async with self._opening:
            if self._image is not None:
                return
            self._threads = ThreadPoolExecutor(2 * self.containers + 4, thread_name_prefix="sandbox")
            self._client = await self._in_thread(connect)
            name, digest = (agent.image, agent.digest) if agent.image else (self.image, self.digest)
            image: Image = await self._in_thread(find_image, self._client, name, digest)
            check_command(agent, image)
            await self._in_thread(reap, self._client)
            if agent.image:
                self._told = {"command": image.command, "directory": image.directory, "limit": OUTPUT_LIMIT}
            else:
                self._told = {"program": agent.program}
                self._at_once = 1 if self.fresh else PROGRAMS_AT_ONCE
            self._image = image

    async def close(self) -> None:
        """Removes every container of this worker, and what dead ones left over."""
        if self._threads is None:
            return
        pool, self._pool = self._pool, []
        await asyncio.gather(*(self._in_thread(c.kill) for c in pool), return_exceptions=True)
        if self._client is not None:
            with suppress(Exception):  # an engine that went away has nothing left to remove
                await self._in_thread(reap, self._client)
            self._client.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._threads, self._client, self._image = None, None, None

    async def play(self, agent: Agent, brief: Brief, relay: Relay) -> str:
        try:
            await self.open(agent)
            heard: list[Mapping[str, Any]] = []
            for attempt in range(1, TRIES + 1):
                container = await self._take()
                try:
                    return await self._played(container, agent, brief, relay, heard)
                except Broken as error:
                    container.doomed = True
                    # A program is a function of what it hears, so another container takes it to the same place.
                    if agent.image or attempt == TRIES:
                        raise AgentError("agent", f"the agent's container broke: {error}") from None
                finally:
                    await self._give(container)
        except SandboxError as error:
            raise AgentError("sandbox", str(error), ends_run=True) from None
        raise AssertionError("every try returns or raises")

    async def _played(
        self, container: Container, agent: Agent, brief: Brief, relay: Relay, heard: list[Mapping[str, Any]]
    ) -> str:
        loop = asyncio.get_running_loop()
        number = next(self._numbers)
        queue = container.enter(number)
        left, turn, finished = self.timeout_s, 0, False

        async def timed(work: Any) -> Any:
            """Something of the agent's own; time in which its model is asked does not count."""
            nonlocal left
            before = loop.time()
            try:
                return await asyncio.wait_for(work, left)
            except TimeoutError:
                container.doomed = True
                said = f"the agent did not finish within {self.timeout_s:g} s of its own time"
                raise AgentError("agent", said) from None
            finally:
                left = max(0.01, left - (loop.time() - before))

        async def tell(message: Mapping[str, Any]) -> None:
            async with container.sending:
                await self._in_thread(container.write, message)

        try:
            images = await self._in_thread(encoded, brief) if agent.image else {}
            await timed(tell({"case": number, "request": brief.request, "images": images}))
            while True:
                message = await timed(queue.get())
                if isinstance(message, Broken):
                    raise message
                if "done" in message:
                    said = outcome(message["done"])
                    finished = True
                    return said
                body = message.get("ask")
                if not isinstance(body, dict):
                    raise Broken("it sent a message of no known kind")
                if turn == len(heard):
                    heard.append(await relay(body))
                await timed(tell({"case": number, "reply": heard[turn], "ask": message.get("number")}))
                turn += 1
        finally:
            container.leave(number)
            if not finished:
                if agent.image:
                    container.doomed = True
                elif not container.doomed:
                    with suppress(Broken):
                        container.write({"case": number, "drop": True})

    async def _take(self) -> Container:
        """A container with room for one more case; starts one where there may be more."""
        async with self._changed:
            while True:
                for container in self._pool:
                    if self._open_to_more(container):
                        container.claim()
                        return container
                if len(self._pool) + self._starting < self.containers:
                    break
                await self._changed.wait()
            self._starting += 1
        try:
            started = await self._start()
        except BaseException:
            async with self._changed:
                self._starting -= 1
                self._changed.notify_all()
            raise
        async with self._changed:
            self._starting -= 1
            started.claim()
            self._pool.append(started)
            self._changed.notify_all()
            return started

    def _open_to_more(self, container: Container) -> bool:
        return not container.doomed and container.claimed < self._at_once and container.served < self.recycle_after

    async def _start(self) -> Container:
        assert self._image is not None
        container = Container(self._client, self._image, self._told, self._limits, labels(self._account))
        try:
            await self._in_thread(container.start)
            await container.ready()
        except Broken as error:
            await self._in_thread(container.kill)
            raise SandboxError(f"the container of image {self._image.name!r} does not come up: {error}") from None
        except BaseException:
            await asyncio.shield(self._in_thread(container.kill))
            raise
        return container

    async def _give(self, container: Container) -> None:
        """Takes a container back; one that is used up or doomed goes when its last case has left."""
        container.claimed -= 1
        worn = container.doomed or container.served >= self.recycle_after
        if worn and container.claimed == 0:
            if container in self._pool:
                self._pool.remove(container)
            if self._threads is not None:
                await asyncio.shield(self._in_thread(container.kill))
        async with self._changed:
            self._changed.notify_all()

    async def _in_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)


def check_command(agent: Agent, image: Image) -> None:
    if agent.image and not image.command:
        raise SandboxError(f"image {image.name!r} has no command to run; give it a CMD or ENTRYPOINT")


def encoded(brief: Brief) -> dict[str, str]:
    """The images of a case as they go in, by their neutral names.

    Raises:
        ImageError: one is missing.
    """
    found = {}
    for name, image in brief.images.items():
        try:
            found[name] = base64.b64encode(image.path.read_bytes()).decode("ascii")
        except OSError:
            raise ImageError(f"image {image.path.name} is missing from {image.path.parent}") from None
    return found


def outcome(done: Any) -> str:
    """What an agent said in the end.

    Raises:
        AgentError: it ended with an error or printed too much.
        Broken: the message is none.
    """
    if not isinstance(done, dict) or not isinstance(done.get("text"), str) or len(done["text"]) > OUTPUT_LIMIT:
        raise Broken("it sent an end of no known form")
    if done.get("flooded"):
        raise AgentError("agent", f"the agent printed more than {OUTPUT_LIMIT >> 20} MB")
    code = done.get("exit")
    if code != 0:
        lines = [line for line in str(done.get("stderr") or "").splitlines() if line.strip()]
        reason = "was killed, as when memory runs out" if code == -9 else f"ended with status {str(code)[:10]}"
        raise AgentError("agent", f"the agent {reason}" + (f": {lines[-1].strip()[:300]}" if lines else ""))
    return str(done["text"])
