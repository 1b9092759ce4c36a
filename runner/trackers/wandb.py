"""Weights & Biases: one run per job, written by the driver alone.

It is a mirror, never the record: a dead server, a full disk or a broken installation costs one warning at the end and
nothing else. The id follows from the run's fingerprint, so that a continued run continues here too; steps are the
number of scored cases, starting at the replayed count. At the end come a table of the cases with pictures of what
decided them, the tables and figures of the report, and the run directory as an artifact; see `docs/wandb.md`.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from runner.findings import CaseLine, Findings, to_picture

INIT_SECONDS = 15
FINISH_SECONDS = 30
PICTURE_EDGE = 1000
"""Longer side in pixels of the pictures in the table of cases."""
CLASSES = {0: "target", 1: "reference", 2: "payload", 3: "where the model pointed"}

_placed: dict[str, str] = {}
"""Where this process put W&B's folders: with each run, the next one's. A user's own choice stays."""


def chosen_mode(mode: str | None, environment: Mapping[str, str], has_key: bool) -> str:
    """`mode` if given, else WANDB_MODE, else online with a key and offline without one."""
    if mode:
        return mode
    if environment.get("WANDB_MODE"):
        return environment["WANDB_MODE"]
    return "online" if has_key else "offline"


class WandbTracker:
    """Streams running rates and puts the final figures into the summary."""

    def __init__(
        self,
        name: str,
        project: str,
        entity: str | None,
        mode: str | None,
        tags: list[str],
        images: int = 200,
        figures: bool = True,
        artifact: bool = True,
    ) -> None:
        self.name = name
        self.project = project
        self.entity = entity
        self.mode = mode
        self.tags = list(tags)
        self.images = images
        self.figures = figures
        self.artifact = artifact
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
            if os.environ.get(variable) in (None, _placed.get(variable)):
                _placed[variable] = os.environ[variable] = str(home / name)
        import wandb

        experiment = run["experiment"]
        mode = chosen_mode(self.mode, os.environ, bool(os.environ.get("WANDB_API_KEY")))
        arguments: dict[str, Any] = {
            "project": self.project,
            "entity": self.entity,
            # An agent of a W&B sweep has chosen the id, and holds the keys of the config that it varies.
            "id": os.environ.get("WANDB_RUN_ID") if os.environ.get("WANDB_SWEEP_ID") else run["id"],
            "name": run["name"],
            "group": run["group"],
            "job_type": experiment["observation"],
            "tags": [*self.tags, experiment["prompt"]["name"], experiment["model"]["label"][:60], *experiment["domains"]],
            "config": {"experiment": experiment} if os.environ.get("WANDB_SWEEP_ID") else experiment,
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

    def finish(
        self, summary: Mapping[str, Any], exit_code: int, found: Callable[[], Findings] | None = None
    ) -> str | None:
        if self._run is None:
            return self._warning
        try:
            for key, value in flat(summary).items():
                self._run.summary[key] = value
            if found is not None:
                self._hand_in(found, int(sum(cell["scored"] for cell in summary["domains"].values())))
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

    def _hand_in(self, found: Callable[[], Findings], scored: int) -> None:
        """Cases, tables, figures and files; what cannot be handed in is said and holds up nothing else."""
        import wandb

        def cases(findings: Findings) -> None:
            self._run.log({"cases": case_table(findings, self.images), "scored": scored})

        def report(findings: Findings) -> None:
            assert self._folder is not None
            tables, figures = findings.report(self._folder / "wandb-files" / "figures", self.figures)
            shown: dict[str, Any] = {"scored": scored}
            for name, rows in tables.items():
                columns: list[str | int] = [*rows[0]]
                shown[f"tables/{name}"] = wandb.Table(
                    columns=columns, data=[_full(row, len(columns)) for row in rows[1:]]
                )
            for name, path in figures.items():
                shown[f"figures/{name}"] = wandb.Image(str(path))
            self._run.log(shown)

        def files(findings: Findings) -> None:
            if not self.artifact:
                return
            artifact = wandb.Artifact(f"run-{self._run.id}", type="run", metadata={"fingerprint": str(self._run.id)})
            for name, path in findings.files.items():
                artifact.add_file(str(path), name=name)
            self._run.log_artifact(artifact)

        try:
            findings = found()
        except Exception as error:
            self._warning = f"W&B got no cases, tables or files ({_short(error)})"
            return
        for part, what in ((cases, "cases"), (report, "tables"), (files, "files")):
            try:
                part(findings)
            except Exception as error:
                self._warning = self._warning or f"W&B got no {what} ({_short(error)})"

    def _fail(self, error: BaseException) -> None:
        self._warning = f"W&B stopped recording ({_short(error)}); the run itself is complete on disk"
        with contextlib.suppress(Exception):
            if self._run is not None:
                self._run.finish(exit_code=1, quiet=True)
        self._run = None


def _full(row: list[str], length: int) -> list[str]:
    return [*row, *[""] * (length - len(row))][:length]


def case_table(findings: Findings, limit: int) -> Any:
    """The table of cases; those chosen by `to_picture` with the image they were shown and the boxes that decide."""
    import wandb

    pictured = to_picture(findings.cases, limit)
    names = [f.name for f in fields(CaseLine) if f.name not in {"image", "width", "height", "boxes", "point"}]
    table = wandb.Table(columns=[*names, "point", "picture"])
    for number, case in enumerate(findings.cases):
        point = "" if case.point is None else f"{case.point.x:.0f}, {case.point.y:.0f}"
        shown = picture(case) if number in pictured else None
        table.add_data(*(getattr(case, name) for name in names), point, shown)
    return table


def picture(case: CaseLine) -> Any:
    """A `wandb.Image` of a case, scaled down, with its boxes as fractions of the sides; None if it cannot be read."""
    import wandb
    from PIL import Image

    from benchmark.images import ImageError, read_rgb

    assert case.image is not None
    try:
        image = read_rgb(case.image)
    except ImageError:
        return None
    image.thumbnail((PICTURE_EDGE, PICTURE_EDGE), Image.Resampling.BILINEAR)
    width, height = case.width, case.height
    boxes = [
        (next(number for number, known in CLASSES.items() if known == name), name, box.x0, box.y0, box.x1, box.y1)
        for name, box in case.boxes
    ]
    if case.point is not None:
        x, y, arm = case.point.x, case.point.y, max(width, height) / 100
        boxes.append((3, CLASSES[3], x - arm, y - arm, x + arm, y + arm))  # type: ignore[arg-type]
    data = [
        {
            "position": {
                "minX": min(1.0, max(0.0, x0 / width)),
                "maxX": min(1.0, max(0.0, x1 / width)),
                "minY": min(1.0, max(0.0, y0 / height)),
                "maxY": min(1.0, max(0.0, y1 / height)),
            },
            "class_id": number,
            "box_caption": name,
        }
        for number, name, x0, y0, x1, y1 in boxes
    ]
    shown = {"evidence": {"box_data": data, "class_labels": CLASSES}} if data else None
    return wandb.Image(image, boxes=shown, file_type="jpg")


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
