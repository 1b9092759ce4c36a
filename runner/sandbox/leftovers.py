"""Whose a container is, and which are left over from workers that are dead.

Everything that is started carries labels that name the process that owns it, well enough to tell it from another
process of the same number. Only containers with these labels are ever looked at, and only those whose owner would be
visible from here and is not there any more are removed: one that belongs to another machine, another boot or another
process space is left alone.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

MARK = "mma-safetybench"
"""The label that all our containers have; the others start with it."""


def started(pid: int) -> str | None:
    """When a process of this number started, in a form that only compares; None when there is none."""
    try:
        # The command's name, in parentheses, may hold anything; the fields that count follow the last one.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        if Path("/proc/self/stat").exists():
            return None
    else:
        return None if fields[0] in "ZX" else fields[19]
    shown = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return " ".join(shown.stdout.split()) or None


@cache
def space() -> str:
    """The process space that process numbers of this machine belong to: boot and namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return os.uname().nodename


def labels(account: str) -> dict[str, str]:
    """The labels of a container that this process starts for a run."""
    pid = os.getpid()
    return {
        MARK: "agent",
        f"{MARK}.run": account,
        f"{MARK}.pid": str(pid),
        f"{MARK}.started": started(pid) or "",
        f"{MARK}.space": space(),
    }


def left_over(found: Mapping[str, str]) -> bool:
    """Whether the owner that labels name is dead, as far as can be told from here."""
    if found.get(MARK) != "agent" or found.get(f"{MARK}.space") != space():
        return False
    pid = found.get(f"{MARK}.pid", "")
    return pid.isdigit() and started(int(pid)) != found.get(f"{MARK}.started")


def find(client: Any) -> list[str]:
    """The ids of all containers of ours, running or not, whose owner is dead."""
    listed = client.api.containers(all=True, filters={"label": [f"{MARK}=agent"]})
    return [entry["Id"] for entry in listed if left_over(entry.get("Labels") or {})]


def remove(client: Any, container: str) -> None:
    """Removes a container whatever it does; one that is gone or going already is fine."""
    from docker.errors import APIError, NotFound

    with suppress(NotFound):
        try:
            client.api.remove_container(container, force=True, v=True)
        except APIError as error:
            if error.status_code not in {404, 409}:
                raise


def reap(client: Any) -> int:
    """Removes what dead workers left over; returns how many containers that were."""
    found = find(client)
    for container in found:
        remove(client, container)
    return len(found)
