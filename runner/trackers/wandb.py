"""Weights & Biases: one run per job, written by the driver alone.

It is a mirror, never the record: a dead server, a full disk or a broken installation costs one warning at the end and
nothing else. The id follows from the run's fingerprint, so that a continued run continues here too; steps are the
number of scored cases, starting at the replayed count.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

INIT_SECONDS = 15
FINISH_SECONDS = 30


def chosen_mode(mode: str | None, environment: Mapping[str, str], has_key: bool) -> str:
    """`mode` if given, else WANDB_MODE, else online with a key and offline without one."""
    if mode:
        return mode
    if environment.get("WANDB_MODE"):
        return environment["WANDB_MODE"]
    return "online" if has_key else "offline"


class WandbTracker:
    """Streams running rates and puts the final figures into the summary."""

    def __init__(self, name: str, project: str, entity: str | None, mode: str | None, tags: list[str]) -> None:
        self.name = name
        self.project = project
        self.entity = entity
        self.mode = mode
        self.tags = list(tags)
        self._run: Any = None
        self._warning: str | None = None
        self._last = -1
        self._folder: Path | None = None

    def start(self, run: Mapping[str, Any], replayed: int) -> None:
        self._last = replayed - 1
        self._folder = Path(str(run["folder"])).absolute()
        try:
            self._open(run)
        except Exception as error:  # whatever goes wrong here must not stop a run
            self._fail(error)

    def _open(self, run: Mapping[str, Any]) -> None:
        assert self._folder is not None
        home = self._folder / "wandb-files"
        home.mkdir(parents=True, exist_ok=True)
        # Everything stays under the run directory; staged images would otherwise go to the user's home.
        for variable, name in (
            ("WANDB_DATA_DIR", "data"),
            ("WANDB_CACHE_DIR", "cache"),
            ("WANDB_CONFIG_DIR", "config"),
        ):
            os.environ.setdefault(variable, str(home / name))
        import wandb

        experiment = run["experiment"]
        mode = chosen_mode(self.mode, os.environ, bool(os.environ.get("WANDB_API_KEY")))
        arguments: dict[str, Any] = {
            "project": self.project,
            "entity": self.entity,
            "id": run["id"],
            "name": run["name"],
            "group": run["group"],
            "job_type": experiment["observation"],
            "tags": [*self.tags, experiment["prompt"]["name"], experiment["model"]["label"][:60], *experiment["domains"]],
            "config": experiment,
            "dir": str(self._folder),
            "resume": "allow",
            "settings": wandb.Settings(
                init_timeout=INIT_SECONDS, finish_timeout=FINISH_SECONDS, silent=True, console="off",
                x_disable_stats=True, x_disable_machine_info=True, disable_git=True, save_code=False,
            ),
        }  # fmt: skip
        try:
            self._run = wandb.init(mode=mode, **arguments)  # type: ignore[arg-type]
        except Exception as error:
            if mode == "offline":
                raise
            self._warning = f"W&B cannot be reached ({_short(error)}); recorded offline instead"
            wandb.teardown()
            self._run = wandb.init(mode="offline", **arguments)
        self._run.define_metric("scored")
        self._run.define_metric("*", step_metric="scored")

    def log(self, step: int, metrics: Mapping[str, float]) -> None:
        if self._run is None or step <= self._last:
            return
        self._last = step
        try:
            self._run.log(dict(metrics), step=step)
        except Exception as error:
            self._fail(error)

    def finish(self, summary: Mapping[str, Any], exit_code: int) -> str | None:
        if self._run is None:
            return self._warning
        try:
            for key, value in flat(summary).items():
                self._run.summary[key] = value
            offline = bool(getattr(self._run.settings, "mode", "") == "offline" or self._run.settings._offline)
            where = self._run.dir if offline else self._run.url
            self._run.finish(exit_code=exit_code)
            if self._warning is not None:
                return f"warning: {self._warning}"
            if offline:
                return f"W&B: offline; `wandb sync {Path(str(where)).parent}` sends it"
            return f"W&B: {where}"
        except Exception as error:
            self._fail(error)
            return f"warning: {self._warning}"

    def _fail(self, error: BaseException) -> None:
        self._warning = f"W&B stopped recording ({_short(error)}); the run itself is complete on disk"
        with contextlib.suppress(Exception):
            if self._run is not None:
                self._run.finish(exit_code=1, quiet=True)
        self._run = None


def flat(summary: Mapping[str, Any]) -> dict[str, float]:
    """The final figures under the words of the design: `asr/web`, `scr/web`, `gap/web`, `asr/macro`, ..."""
    found: dict[str, float] = {}
    for domain, cell in summary["domains"].items():
        for name in ("asr", "scr", "clean_success"):
            if cell.get(name) and cell[name]["estimate"] is not None:
                found[f"{name}/{domain}"] = cell[name]["estimate"]
        if cell.get("gap") is not None:
            found[f"gap/{domain}"] = cell["gap"]
        for name in ("planned", "scored", "error", "judge_error"):
            found[f"{name}/{domain}"] = cell[name]
    for name in ("asr", "scr", "clean_success"):
        if summary.get(f"macro_{name}") is not None:
            found[f"{name}/macro"] = summary[f"macro_{name}"]
    return found


def _short(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:160]}"
