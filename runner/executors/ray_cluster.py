"""The one Ray of this process: started here or joined, with the actors that are kept in it.

Points of a multirun share it. A Ray of our own listens behind a random token, prints nothing, and goes with this
process, its folder included; one that was joined by its address keeps our actors, so that calls that are out are
finished when a driver is killed; they end a minute after the last driver. Which settings must stand in the environment
before Ray is imported, and why, is said where they are set.
"""

from __future__ import annotations

import atexit
import hashlib
import hmac
import logging
import os
import secrets
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from runner.executors.ray_limiter import ClusterLimiter, LimiterActor
from runner.executors.ray_worker import Keys, Worker, code_version

NAMESPACE = "mma-safetybench"
TEMPORARY = "mma-ray-"
LINGER_S = 60.0
"""How long actors of a joined cluster outlive their last driver."""

QUIET_S = 10.0
"""A worker that has not heard of a driver for so long has none: one that is at work asks every five seconds."""

ASKED_S = 3.0
"""A limiter that nobody has asked for so long is used by no driver: they ask every second."""

CONCURRENCY = 1000

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Without it, warnings of the node's daemon come on stdout, whatever the logging settings.
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".*",
    # Under `uv run`, Ray would pack and ship the working directory.
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    # Workers are the run itself: behind everything else on the machine they would make it late.
    "RAY_worker_niceness": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


STARTS = 3
"""How often Ray is started before it is given up: it takes half a minute as too long, and a busy machine may need it."""


class ClusterError(ValueError):
    """A Ray that cannot be started or joined, or nodes that cannot take part; one line with the way out."""


def _in_short(error: Exception) -> str:
    return " ".join(str(error).split())[:160]


@dataclass(frozen=True)
class Node:
    id: str
    host: str


class Cluster:
    """Ray, started or joined, and its actors. `Cluster.of` gives the one of this process."""

    _here: ClassVar[Cluster | None] = None

    def __init__(self, address: str | None, auth: str | None) -> None:
        self.address = address
        self._auth = auth
        self._keys: dict[str, str] = {}
        self._group = ""
        self._handles: dict[str, Any] = {}
        self._temporary: Path | None = None
        self._started = False

    @classmethod
    def of(cls, address: str | None, auth: str | None, root: Path, keys: Mapping[str, str]) -> Cluster:
        """The Ray of this process, with workers for runs under `root` that know `keys`.

        Raises:
            ClusterError: it is another one already.
        """
        known = cls._here
        if known is None:
            known = cls._here = Cluster(address, auth)
        elif known.address != address:
            raise ClusterError(
                f"executor.address={address}: this process uses the Ray at {known.address or 'its own address'} "
                "already; sweep over addresses in separate commands"
            )
        # Same user, place, program and keys: the same workers. The keys enter by a keyed hash of which 48 bits stay.
        who = f"{socket.gethostname()}\0{os.getuid()}\0{root.resolve()}\0{code_version()}"
        secret = hmac.new(who.encode(), repr(sorted(keys.items())).encode(), hashlib.sha256).hexdigest()
        known._group = hashlib.sha256(f"{who}\0{secret}".encode()).hexdigest()[:12]
        known._keys = dict(keys)
        return known

    @property
    def joined(self) -> bool:
        return self.address is not None

    def start(self) -> None:
        """Starts or joins Ray; a second call does nothing.

        Raises:
            ClusterError: there is no Ray at the address, or it asks for another token.
        """
        if self._started:
            return
        os.environ.update({k: v for k, v in QUIET.items() if k not in os.environ})
        if self.joined:
            self._join()
        else:
            self._start_own()
        self._started = True

    def _start_own(self) -> None:
        # A Ray that is started here listens on all interfaces; without the token it is nobody else's.
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
        atexit.register(self._remove)
        for left in range(STARTS - 1, -1, -1):
            self._temporary = Path(tempfile.mkdtemp(prefix=TEMPORARY, dir="/tmp"))  # longer paths break Ray's sockets
            (self._temporary / "pid").write_text(f"{os.getpid()}\n")
            try:
                self._init(address="local", _temp_dir=str(self._temporary), object_store_memory=100_000_000)
            except ClusterError:
                raise
            except Exception as error:  # Ray's reasons for not starting are of many types
                self._remove()
                if not left:
                    raise ClusterError(
                        f"Ray does not start on this machine ({_in_short(error)}); where it is only very busy, the "
                        "same command may do later, and executor=local does without it"
                    ) from None
            else:
                return

    def _remove(self) -> None:
        import ray

        with suppress(Exception):
            ray.shutdown()
        if self._temporary is not None:
            shutil.rmtree(self._temporary, ignore_errors=True)

    def _join(self) -> None:
        token = any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
        token = token or (Path.home() / ".ray" / "auth_token").is_file()
        mode = self._auth or os.environ.get("RAY_AUTH_MODE") or ("token" if token else "disabled")
        os.environ["RAY_AUTH_MODE"] = mode
        try:
            self._init(address=self.address)
        except Exception as error:  # Ray's reasons for not joining are of many types
            raise ClusterError(
                f"executor.address={self.address}: no Ray could be joined ({_in_short(error)}); "
                f"is it running there, and is its RAY_AUTH_MODE {mode} with the same RAY_AUTH_TOKEN?"
            ) from None

    def _init(self, **arguments: Any) -> None:
        if "ray" in sys.modules and sys.modules["ray"].is_initialized():
            raise ClusterError("Ray runs in this process already; executor=ray starts or joins its own")
        import ray

        level = logging.getLogger().level
        if not self.joined:
            arguments["include_dashboard"] = False
        ray.init(namespace=NAMESPACE, logging_level=logging.ERROR, log_to_driver=False, **arguments)
        logging.getLogger().setLevel(level)

    def nodes(self) -> list[Node]:
        """The nodes that are alive."""
        import ray

        listed: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
        return [Node(n["NodeID"], n["NodeManagerHostname"]) for n in listed if n["Alive"]]

    def limiter(self) -> ClusterLimiter:
        """The driver's door to the one limiter, which is made when it is first asked for."""
        return ClusterLimiter(self._limiter_handle(), f"driver-{socket.gethostname()}-{os.getpid()}")

    def _limiter_handle(self) -> Any:
        if "limiter" not in self._handles:
            import ray

            remote: Any = ray.remote(LimiterActor)
            self._handles["limiter"] = remote.options(
                name=f"limiter-{code_version()}", namespace=NAMESPACE, get_if_exists=True, num_cpus=0,
                max_restarts=-1, max_task_retries=0, max_concurrency=CONCURRENCY, **self._lifetime(),
            ).remote(LINGER_S)  # fmt: skip
        return self._handles["limiter"]

    def _lifetime(self) -> dict[str, Any]:
        return {"lifetime": "detached"} if self.joined else {}

    def worker(self, node: Node, slot: int) -> Any:
        """The actor of a slot of a node; made if it is not there."""
        name = self._name(node, slot)
        if name not in self._handles:
            import ray
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            remote: Any = ray.remote(Worker)
            # No retries of Ray's: whether a call is made again is the ledger's decision.
            self._handles[name] = remote.options(
                name=name, namespace=NAMESPACE, get_if_exists=True, num_cpus=0, max_restarts=0, max_task_retries=0,
                max_concurrency=CONCURRENCY,
                scheduling_strategy=NodeAffinitySchedulingStrategy(node.id, soft=False), **self._lifetime(),
            ).remote(self._limiter_handle(), Keys(self._keys), LINGER_S)  # fmt: skip
        return self._handles[name]

    def forget(self, node: Node, slot: int) -> None:
        """Says that a worker is dead; the next one of this slot is another."""
        handle = self._handles.pop(self._name(node, slot), None)
        if handle is not None:
            import ray

            with suppress(Exception):
                ray.kill(handle)  # frees its name where Ray has not noticed yet

    def _name(self, node: Node, slot: int) -> str:
        return f"worker-{self._group}-{node.id[:16]}-{slot}"


@dataclass(frozen=True)
class Kept:
    """An actor of ours in a cluster that no driver uses: its name, and how it goes. `end` raises OSError if it stays."""

    name: str
    end: Callable[[], None]


def kept(address: str) -> list[Kept]:
    """The actors in the cluster at an address that have outlived their last driver; workers first.

    Those of another version of this program are left alone: they end by themselves within a minute.

    Raises:
        ClusterError: no Ray could be joined there.
    """
    import ray
    from ray.exceptions import RayError

    Cluster.of(address, None, Path(), {}).start()
    listed: list[dict[str, str]] = ray.util.list_named_actors(all_namespaces=True)
    names = sorted((a["name"] for a in listed if a["namespace"] == NAMESPACE), reverse=True)

    def asked(name: str) -> tuple[Any, float]:
        handle: Any = ray.get_actor(name, namespace=NAMESPACE)
        quiet: float = ray.get(handle.quiet_s.remote(), timeout=QUIET_S)
        return handle, quiet

    def end_worker(name: str) -> None:
        try:
            handle, quiet = asked(name)
            if quiet < QUIET_S:
                raise OSError("a driver uses it by now")
            ray.get(handle.leave.remote(), timeout=LINGER_S)
        except TimeoutError:
            raise OSError("calls that are out are not finished yet; it ends when they are") from None
        except (ValueError, RayError):
            return  # it has ended by itself

    def end_limiter(name: str) -> None:
        time.sleep(ASKED_S)
        try:
            handle, quiet = asked(name)
            if quiet < ASKED_S - 0.5:
                raise OSError("a run uses it by now")
            ray.kill(handle)
        except (ValueError, RayError):
            return

    found, used = [], False
    for name in names:
        try:
            if name.startswith("worker-"):
                if asked(name)[1] >= QUIET_S:
                    found.append(Kept(name, partial(end_worker, name)))
                else:
                    used = True
            elif not used:  # its workers, which are listed first, are what it still hears
                asked(name)
                found.append(Kept(name, partial(end_limiter, name)))
        except (ValueError, AttributeError, RayError, TimeoutError):  # it has ended, or is another version's
            continue
    return found


def left_behind() -> list[Path]:
    """Folders of Rays that were started here and whose process is gone."""
    found = []
    for folder in Path("/tmp").glob(f"{TEMPORARY}*"):
        try:
            pid = int((folder / "pid").read_text())
            os.kill(pid, 0)
        except (OSError, ValueError) as error:
            old = time.time() - folder.stat().st_mtime > 60
            if isinstance(error, ProcessLookupError) or (old and not isinstance(error, PermissionError)):
                found.append(folder)
    return sorted(found)
