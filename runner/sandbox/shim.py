"""What stands between an agent and the outside of its container: one file, standard library only, Python 3.8 or later.

The worker starts it by its source (`python3 -I -c`), so nothing of it has to be in an image, and both ends are always
of one version. It speaks JSON lines over the container's standard streams and plays cases in one of two ways. A
program of ours is a generator, many of which run side by side. The command of an image runs as a process of its own,
one at a time: it finds its request and images in `/tmp/case`, an OpenAI endpoint at `OPENAI_BASE_URL`, and prints its
action. After it every other process is killed and everything it could write is wiped. Whatever this file does can be
undone by a hostile image; the worker relies on none of it but for telling cases apart.

Lines in:  {"open": {...}}, {"case": n, "request": ..., "images": ...}, {"case": n, "reply": ..., "ask": k},
           {"case": n, "drop": true}
Lines out: {"ready": 1}, {"case": n, "ask": body, "number": k}, {"case": n, "done": {...}}
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from typing import Any

Json = Any
"""A JSON object. Subscripted types stand in annotations only, which Python 3.8 does not evaluate."""

PORT = 18080
CASE = "/tmp/case"
HOME = "/tmp/home"
WRITABLE = ("/tmp", "/dev/shm", "/dev/mqueue", "/var/tmp", "/run")
FIRST_OWN_USER = 20000
BODY_LIMIT = 64 << 20
HEAD_LIMIT = 64 << 10
TAIL = 2000
CHUNK = 1 << 16


def dumpable(value: int) -> None:
    """Whether other processes of the same user may look into this one and at its open files."""
    try:
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(4, value, 0, 0, 0)
    except Exception:  # no ctypes or no prctl: one guard less, the container still holds
        pass


def before_exec() -> None:
    """In the child: when memory runs out, the agent goes and not the shim."""
    dumpable(1)
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass


def contained() -> bool:
    """Whether killing every process of this user ends the agent and nothing else."""
    marked = os.path.exists("/.dockerenv") or os.path.exists("/run/.containerenv")
    return marked and os.getuid() >= FIRST_OWN_USER and os.getpid() != 1


def kill_others() -> None:
    if contained():
        with suppress(OSError):
            os.kill(-1, signal.SIGKILL)  # everything but this process and the container's init


def wipe() -> None:
    """Empties what an agent can write to; what belongs to others or is busy stays. Outside a container, nothing."""
    for folder in WRITABLE if contained() else ():
        try:
            entries = list(os.scandir(folder))
        except OSError:
            continue
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    os.chmod(entry.path, 0o700)
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    os.unlink(entry.path)
            except OSError:
                pass


class Stream:
    """The two ends of the worker's line: JSON objects, one a line."""

    def __init__(self) -> None:
        # Kept away from whoever prints: the agent gets pipes of its own, and a stray print goes to standard error.
        self.source, self.sink = os.dup(0), os.dup(1)
        quiet = os.open(os.devnull, os.O_RDONLY)
        os.dup2(quiet, 0)
        os.dup2(2, 1)
        os.close(quiet)
        os.set_blocking(self.source, False)
        self.buffer = bytearray()

    def send(self, message: Json) -> None:
        data = memoryview((json.dumps(message, separators=(",", ":")) + "\n").encode())
        while data:
            data = data[os.write(self.sink, data) :]

    def lines(self) -> list[Json]:
        """The complete lines that have come; raises EOFError when the worker is gone."""
        found: list[Json] = []
        try:
            data = os.read(self.source, 1 << 20)
        except BlockingIOError:
            return found
        if not data:
            raise EOFError
        start = len(self.buffer)
        self.buffer += data
        begin = 0
        while True:
            end = self.buffer.find(b"\n", max(start, begin))
            if end < 0:
                break
            found.append(json.loads(self.buffer[begin:end].decode()))
            begin = end + 1
        del self.buffer[:begin]
        return found


class Programs:
    """Cases played by a generator of ours: any number at once, each at its own `yield`."""

    def __init__(self, send: Callable[[Json], None], source: str) -> None:
        self.send = send
        self.playing: dict[int, tuple[Generator[Json, Json, str], list[Json]]] = {}
        namespace: dict[str, Any] = {"__name__": "agent"}
        exec(compile(source, "agent", "exec"), namespace)
        self.play = namespace["play"]

    def start(self, number: int, message: Json) -> None:
        generator = self.play(message["request"])
        self.playing[number] = (generator, [])
        self.step(number, None)

    def reply(self, number: int, message: Json) -> None:
        if number in self.playing:
            self.step(number, message["reply"])

    def step(self, number: int, value: Json | None) -> None:
        generator, asked = self.playing[number]
        try:
            body = generator.send(value)
        except StopIteration as stop:
            self.playing.pop(number, None)
            self.send({"case": number, "done": {"text": str(stop.value or ""), "exit": 0}})
        except Exception as error:
            self.playing.pop(number, None)
            said = f"{type(error).__name__}: {error}"
            self.send({"case": number, "done": {"text": "", "exit": 1, "stderr": said[-TAIL:]}})
        else:
            asked.append(body)
            self.send({"case": number, "ask": body, "number": len(asked)})

    def drop(self, number: int) -> None:
        self.playing.pop(number, None)


class Command:
    """Cases played by the image's own command: one at a time, as a process with an endpoint to talk to."""

    def __init__(self, send: Callable[[Json], None], command: list[str], directory: str, limit: int) -> None:
        self.send = send
        self.command = command
        self.directory = directory
        self.limit = limit
        self.number: int | None = None
        self.asked = 0
        self.waiting: dict[int, asyncio.Future[Json]] = {}
        self.process: subprocess.Popen[bytes] | None = None
        self.task: asyncio.Future[None] | None = None

    def start(self, number: int, message: Json) -> None:
        self.number, self.asked, self.waiting = number, 0, {}
        os.makedirs(CASE, mode=0o700)
        os.makedirs(HOME, mode=0o700)
        for name, data in message["images"].items():
            with open(os.path.join(CASE, os.path.basename(name)), "wb") as file:
                file.write(base64.b64decode(data))
        with open(os.path.join(CASE, "request.json"), "w", encoding="utf-8") as file:
            json.dump(message["request"], file, ensure_ascii=False, indent=1)
        self.task = asyncio.ensure_future(self.run(number))

    def reply(self, number: int, message: Json) -> None:
        future = self.waiting.pop(message["ask"], None) if number == self.number else None
        if future is not None and not future.done():
            future.set_result(message["reply"])

    def drop(self, number: int) -> None:
        if number == self.number and self.process is not None:
            self.process.kill()

    async def ask(self, body: Json) -> Json:
        self.asked += 1
        number = self.asked
        future: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self.waiting[number] = future
        self.send({"case": self.number, "ask": body, "number": number})
        return await future

    def environment(self) -> dict[str, str]:
        base = f"http://127.0.0.1:{PORT}/v1"
        return dict(
            os.environ,
            OPENAI_BASE_URL=base,
            OPENAI_API_BASE=base,
            OPENAI_API_KEY="unused",
            OPENAI_MODEL="default",
            HOME=HOME,
            TMPDIR="/tmp",
            USER="agent",
            LOGNAME="agent",
        )

    async def run(self, number: int) -> None:
        try:
            done = await self.played()
        except Exception as error:
            done = {"text": "", "exit": 126, "stderr": f"{type(error).__name__}: {error}"}
        finally:
            self.number, self.process = None, None
            kill_others()
            wipe()
        self.send({"case": number, "done": done})

    async def played(self) -> Json:
        loop = asyncio.get_running_loop()
        process = subprocess.Popen(  # noqa: ASYNC220 - asyncio's own needs a thread before Python 3.12
            self.command,
            cwd=self.directory or "/",
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=before_exec,
        )
        self.process = process
        said, problem = bytearray(), bytearray()
        flooded: list[bool] = []

        def read(pipe: Any, into: bytearray, keep_tail: bool) -> None:
            try:
                data = os.read(pipe.fileno(), CHUNK)
            except BlockingIOError:
                return
            if not data:
                loop.remove_reader(pipe.fileno())
            into += data
            if keep_tail:
                del into[:-TAIL]
            elif len(into) > self.limit and not flooded:
                flooded.append(True)
                process.kill()
            if flooded:
                del into[self.limit :]

        pipes: tuple[tuple[Any, bytearray, bool], ...] = (
            (process.stdout, said, False),
            (process.stderr, problem, True),
        )
        for pipe, into, tail in pipes:
            os.set_blocking(pipe.fileno(), False)
            loop.add_reader(pipe.fileno(), read, pipe, into, tail)
        wait = 0.001
        while process.poll() is None:
            await asyncio.sleep(wait)
            wait = min(0.02, wait * 1.5)
        kill_others()
        for pipe, into, tail in pipes:
            for _ in range(self.limit // CHUNK + 8):  # what was written before the end is in the pipe
                before = len(into)
                read(pipe, into, tail)
                if len(into) == before:
                    break
            loop.remove_reader(pipe.fileno())
            pipe.close()
        return {
            "text": "" if flooded else bytes(said).decode("utf-8", "replace"),
            "exit": process.returncode,
            "stderr": bytes(problem).decode("utf-8", "replace"),
            "flooded": bool(flooded),
        }


class Refused(Exception):
    """An HTTP request that gets an error."""

    def __init__(self, status: int, message: str, code: str = "invalid_value") -> None:
        super().__init__(message)
        self.status, self.code = status, code


async def read_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[str, str, bytes, bool] | None:
    """Method, path and body of the next request; None at the end of the connection."""
    line = await reader.readline()
    if not line.strip():
        return None
    words = line.decode("latin-1").split()
    if len(words) != 3:
        raise Refused(400, "no HTTP request")
    headers: dict[str, str] = {}
    size = 0
    while True:
        field = await reader.readline()
        size += len(field)
        if size > HEAD_LIMIT:
            raise Refused(431, "the headers are too large")
        if field in (b"\r\n", b"\n", b""):
            break
        name, _, value = field.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = bytearray()
    if "chunked" in headers.get("transfer-encoding", "").lower():
        while True:
            length = int((await reader.readline()).split(b";")[0], 16)
            if len(body) + length > BODY_LIMIT:
                raise Refused(413, "the request is too large")
            body += await reader.readexactly(length)
            await reader.readline()
            if length == 0:
                break
    else:
        length = int(headers.get("content-length", "0") or "0")
        if not 0 <= length <= BODY_LIMIT:
            raise Refused(413, "the request is too large")
        body += await reader.readexactly(length)
    keep = headers.get("connection", "").lower() != "close" and words[2] != "HTTP/1.0"
    return words[0], words[1].split("?")[0].rstrip("/"), bytes(body), keep


def streamed(completion: Json, usage_wanted: bool) -> Iterator[bytes]:
    """A completion as server-sent events: one piece that holds it all, then the end."""

    def event(choices: list[Json], **more: Any) -> bytes:
        head = {k: completion[k] for k in ("id", "created", "model")}
        chunk = dict(head, object="chat.completion.chunk", choices=choices, **more)
        return b"data: " + json.dumps(chunk).encode() + b"\n\n"

    choice = completion["choices"][0]
    delta = dict(choice["message"])
    if delta.get("tool_calls"):
        delta["tool_calls"] = [dict(call, index=i) for i, call in enumerate(delta["tool_calls"])]
    yield event([{"index": 0, "delta": delta, "finish_reason": None}])
    yield event([{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}])
    if usage_wanted:
        yield event([], usage=completion["usage"])
    yield b"data: [DONE]\n\n"


class Endpoint:
    """An OpenAI endpoint on the container's loopback; what is asked goes out over the worker's line."""

    def __init__(self, command: Command) -> None:
        self.command = command

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                try:
                    request = await read_request(reader, writer)
                    if request is None:
                        break
                    method, path, body, keep = request
                    status, content_type, content = await self.answer(method, path, body)
                except Refused as error:
                    keep = False
                    status, content_type = error.status, "application/json"
                    said = {"message": str(error), "type": "invalid_request_error", "param": None, "code": error.code}
                    content = json.dumps({"error": said}).encode()
                head = (
                    f"HTTP/1.1 {status} {'OK' if status == 200 else 'Error'}",
                    f"Content-Type: {content_type}",
                    f"Content-Length: {len(content)}",
                    f"Connection: {'keep-alive' if keep else 'close'}",
                    "x-should-retry: false",
                )
                writer.write("\r\n".join(head).encode() + b"\r\n\r\n" + content)
                await writer.drain()
                if not keep:
                    break
        except (OSError, ValueError, EOFError, asyncio.CancelledError):
            pass  # the agent closed the connection, or sent what is no HTTP
        finally:
            writer.close()

    async def answer(self, method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        path = path[3:] if path.startswith("/v1") else path
        if method == "GET" and path == "/models":
            return 200, "application/json", json.dumps({"object": "list", "data": [self.model()]}).encode()
        if method == "GET" and path.startswith("/models/"):
            return 200, "application/json", json.dumps(self.model()).encode()
        if method != "POST" or path != "/chat/completions":
            raise Refused(404, "this endpoint has POST /v1/chat/completions and GET /v1/models", "not_found")
        try:
            asked = json.loads(body.decode())
        except (ValueError, RecursionError):
            raise Refused(400, "the request is no JSON") from None
        if not isinstance(asked, dict):
            raise Refused(400, "the request is no JSON object")
        reply = await self.command.ask(asked)
        if "error" in reply:
            error = reply["error"]
            raise Refused(error["status"], error["message"], error["code"])
        if asked.get("stream"):
            usage = bool((asked.get("stream_options") or {}).get("include_usage"))
            return 200, "text/event-stream", b"".join(streamed(reply, usage))
        return 200, "application/json", json.dumps(reply).encode()

    def model(self) -> Json:
        return {"id": "default", "object": "model", "created": 0, "owned_by": "default"}


async def main() -> None:
    stream = Stream()
    dumpable(0)
    gone = asyncio.Event()
    players: list[Programs | Command] = []

    def heard() -> None:
        try:
            for message in stream.lines():
                if "open" in message:
                    opened.set_result(message["open"])
                else:
                    take(message)
        except EOFError:
            asyncio.get_running_loop().remove_reader(stream.source)
            gone.set()

    def take(message: Json) -> None:
        number, player = message["case"], players[0]
        if "request" in message:
            player.start(number, message)
        elif "reply" in message:
            player.reply(number, message)
        else:
            player.drop(number)

    loop = asyncio.get_running_loop()
    opened: asyncio.Future[Json] = loop.create_future()
    loop.add_reader(stream.source, heard)
    leaving = asyncio.ensure_future(gone.wait())
    await asyncio.wait({opened, leaving}, return_when=asyncio.FIRST_COMPLETED)
    if not opened.done():
        return
    told = opened.result()
    if told.get("program"):
        players.append(Programs(stream.send, told["program"]))
    else:
        player = Command(stream.send, told["command"], told.get("directory"), told["limit"])
        players.append(player)
        wipe()
        await asyncio.start_server(Endpoint(player).serve, "127.0.0.1", PORT, limit=HEAD_LIMIT)
    stream.send({"ready": 1, "python": sys.version.split()[0]})
    await leaving
    kill_others()


if __name__ == "__main__":
    with suppress(BrokenPipeError):  # the worker is gone
        asyncio.run(main())
    os._exit(0)
