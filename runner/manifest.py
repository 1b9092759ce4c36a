"""What a run is, in writing: its fingerprint, its directory, and the manifest that lies there.

Two runs are of one experiment when their fingerprints are equal. The manifest holds all that is needed to run it again,
and no secret. What happens in a run is decided in `runner.run`.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmark.suite import Suite
from runner.config import ConfigError
from runner.ledger import LedgerError, key_of, write_whole
from runner.work import defense_identity

NOT_THE_EXPERIMENT = (
    "limit", "ids", "domains", "executor", "tracker", "run", "budget", "dry_run", "judge", "sandbox", "seed",
    "cache",
)  # fmt: skip
"""What does not decide an answer: selection, means of transport, money, and who judges afterwards."""

NOT_THE_MODEL = ("limits", "price", "verified", "paper", "notes", "workers", "cache")
"""What of a model's profile does not decide an answer."""


def packaged_domains() -> dict[str, Any]:
    """The domain texts as they are packaged, for the domains that an experiment leaves out."""
    from omegaconf import OmegaConf

    folder = Path(str(import_module("conf").__file__)).parent / "domain"
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("*.yaml")):
        plain: Any = OmegaConf.to_container(OmegaConf.load(path))
        if path.stem not in {"all", "interactive"}:
            found[path.stem] = {k: v for k, v in plain.items() if k != "defaults"}
    return found


def fingerprint(experiment: Mapping[str, Any], suite: Suite) -> str:
    """Hash of the experiment without its selection, concurrency, executor, tracker and judge.

    Which domains are selected does not matter, what their texts say does: those left out count as packaged. A defense
    counts as what it says of itself, so that another version of it makes another experiment.
    """
    kept = {k: v for k, v in experiment.items() if k not in NOT_THE_EXPERIMENT and k != "suite"}
    model = {k: v for k, v in kept["model"].items() if k not in NOT_THE_MODEL}
    domains = {**packaged_domains(), **experiment["domains"]}
    defense = dict(defense_identity(kept["defense"]))
    return key_of({**kept, "model": model, "defense": defense, "suite": dict(suite.identity()), "domains": domains})


def slug(text: str, length: int = 40) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")[:length] or "run"


def run_folder(experiment: Mapping[str, Any], print_: str) -> Path:
    run = experiment["run"]
    if run["dir"]:
        return Path(run["dir"])
    name = "-".join(
        slug(str(part))
        for part in (experiment["model"]["label"], experiment["prompt"]["name"], experiment["observation"])
    )
    return Path(run["root"]) / f"{name}-{print_[:8]}"


def git_state() -> dict[str, Any]:
    """Commit and dirty flag of the code, where it runs from a checkout."""
    here = Path(__file__).resolve().parent.parent
    try:
        commit = subprocess.run(
            ["git", "-C", str(here), "rev-parse", "HEAD"], capture_output=True, text=True, timeout=10, check=True
        ).stdout.strip()
        dirty = subprocess.run(
            ["git", "-C", str(here), "status", "--porcelain", "-uno"],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return {"commit": None, "dirty": None}
    return {"commit": commit, "dirty": bool(dirty)}


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in (
        "mma-safetybench",
        "openai",
        "pillow",
        "blitz-py",
        "pydantic",
        "hydra-core",
        "rapidocr",
        "wandb",
        "ray",
    ):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def text_hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def differences(old: Any, new: Any, path: str = "") -> list[str]:
    """Keys in which two experiments differ, as `key: old -> new`."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        found = []
        for key in sorted({*old, *new}):
            found += differences(old.get(key), new.get(key), f"{path}.{key}" if path else str(key))
        return found
    return [] if old == new else [f"{path}: {str(old)[:60]!r} -> {str(new)[:60]!r}"]


def verdict_file(judge: str, fingerprint: str) -> str:
    """Where a judge's verdicts lie within a run directory."""
    return f"verdicts/{slug(judge)}-{fingerprint[:8]}.jsonl"


def write_manifest(folder: Path, experiment: Mapping[str, Any], suite: Suite, print_: str, domains: list[str]) -> None:
    """Writes `manifest.json`, or checks that the one there is of the same experiment.

    Raises:
        ConfigError: the directory holds another experiment; names what differs.
    """
    path = folder / "manifest.json"
    known: dict[str, Any] = {}
    if path.exists():
        try:
            known = json.loads(path.read_text())
        except ValueError:
            raise LedgerError(f"{path} is damaged; move it away to start anew") from None
        if known.get("fingerprint") != print_:
            differing = differences(known.get("experiment", {}), json.loads(json.dumps(experiment)))
            shown = "; ".join(d for d in differing if d.split(".")[0].split(":")[0] not in NOT_THE_EXPERIMENT)
            raise ConfigError(
                f"{folder} holds another experiment ({shown or 'its code or suite differs'}); give another run.dir"
            )
    manifest = {
        "schema_version": 1,
        "fingerprint": print_,
        "experiment": experiment,
        "defense": dict(defense_identity(experiment["defense"])),
        "suite": dict(suite.identity()),
        "suite_folder": str(suite.folder),
        "suite_lock": dict(suite.standing()),
        "prompt_hashes": {
            "control": text_hash(experiment["prompt"]),
            **{f"domain/{d}": text_hash(v) for d, v in sorted(experiment["domains"].items())},
        },
        "domains": sorted({*known.get("domains", ()), *domains}),
        "git": git_state(),
        "versions": versions(),
        "verified": experiment["model"].get("verified"),
        "sessions": known.get("sessions", 0) + 1,
    }
    write_whole(path, json.dumps(manifest, indent=2, ensure_ascii=False) + "\n")


def amend_manifest(folder: Path, more: Mapping[str, Any]) -> None:
    """Adds to a manifest what is only known once the cases are read."""
    path = folder / "manifest.json"
    write_whole(path, json.dumps({**json.loads(path.read_text()), **more}, indent=2, ensure_ascii=False) + "\n")
