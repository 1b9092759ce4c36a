"""A Ray cluster on this machine, as `docker/ray.env` configures it: nodes as child processes that can be killed.

    with Cluster() as cluster:                  # a head
        node = cluster.add()                    # and one more
        ... executor=ray executor.address=cluster.address, with cluster.environment
        cluster.kill(node)

Every process of a node carries a mark in its environment, by which it is found and ended; others are never touched.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def settings() -> dict[str, str]:
    """What `docker/ray.env` sets."""
    lines = (ROOT / "docker" / "ray.env").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


def marked(mark: str) -> list[int]:
    """Processes whose environment holds a mark."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            continue
    return found


class Cluster:
    """A head and any number of nodes; use as a context manager."""

    def __init__(self, environment: Mapping[str, str] | None = None, host: str = "127.0.0.1") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mma-test-", dir="/tmp"))
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        self.environment = {
            **os.environ,
            **settings(),
            **token,
            "PYTHONPATH": str(ROOT),
            "RAY_TMPDIR": str(self.folder),
        }
        self.environment["MMA_SCRATCH"] = str(self.folder / "scratch")
        self._nodes = {**self.environment, **(environment or {})}
        self._host = host
        self._marks: list[str] = []
        self.address = ""

    def __enter__(self) -> Cluster:
        port = free_port()
        self.address = f"{self._host}:{port}"
        self._start(
            [
                "--head",
                f"--node-ip-address={self._host}",
                f"--port={port}",
                "--include-dashboard=false",
                "--num-cpus=2",
                f"--temp-dir={self.folder}",
            ],
            (),
        )
        return self

    def __exit__(self, *_: object) -> None:
        for mark in reversed(self._marks):
            self.kill(mark)
        shutil.rmtree(self.folder, ignore_errors=True)

    def add(self, host: str = "", prefix: tuple[str, ...] = ()) -> str:
        """Starts a node and returns its mark once it has joined; `prefix` is put before its command."""
        own = [f"--node-ip-address={host}"] if host else []
        return self._start([f"--address={self.address}", "--num-cpus=1", *own], prefix)

    def _start(
        self, arguments: list[str], prefix: tuple[str, ...], environment: Mapping[str, str] | None = None
    ) -> str:
        mark = f"MMA_TEST_NODE=node-{secrets.token_hex(6)}"
        self._marks.append(mark)
        name, value = mark.split("=")
        log = (self.folder / f"{value}.log").open("wb")
        command = [
            *prefix,
            sys.executable,
            "-m",
            "ray.scripts.scripts",
            "start",
            *arguments,
            "--object-store-memory=80000000",
        ]
        for last in (False, False, True):  # on a busy machine Ray gives a start up after half a minute
            process = subprocess.Popen(
                [*command, "--block"], env={**self._nodes, name: value}, stdout=log,
                stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            while b"Ray runtime started" not in (self.folder / f"{value}.log").read_bytes():
                if process.poll() is not None:
                    break
                time.sleep(0.1)
            else:
                return mark
            self.kill(mark)
            if last:
                raise TimeoutError((self.folder / f"{value}.log").read_text()[-2000:])
        raise AssertionError("the last try returns or raises")

    def kill(self, mark: str) -> None:
        """Ends a node as a power cut would."""
        deadline = time.monotonic() + 20
        while (processes := marked(mark)) and time.monotonic() < deadline:
            for process in processes:
                try:
                    os.kill(process, signal.SIGKILL)
                    os.waitpid(process, os.WNOHANG)
                except (ProcessLookupError, ChildProcessError):
                    continue
            time.sleep(0.05)

    def workers(self) -> list[int]:
        """The processes of our worker actors."""
        found = []
        for mark in self._marks:
            for process in marked(mark):
                try:
                    title = Path(f"/proc/{process}/cmdline").read_bytes()
                except OSError:
                    continue
                if title.startswith(b"ray::Worker"):
                    found.append(process)
        return found
