"""`mma rerun RUN`: runs again what a run directory's manifest describes, into a directory of its own or on in place."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from runner.config import ConfigError


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mma rerun", description=__doc__)
    parser.add_argument("run", type=Path, help="a run directory")
    parser.add_argument("--into", type=Path, help="where to run it anew; without it the run goes on in place")
    options = parser.parse_args(arguments)
    path = options.run / "manifest.json"
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{options.run} holds no manifest.json, so it is no run directory") from None
    except ValueError:
        raise ConfigError(f"{path} is damaged and cannot be read") from None
    experiment = manifest["experiment"]
    experiment["run"] = {**experiment["run"], "dir": str(options.into or options.run)}
    from runner.manifest import fingerprint
    from runner.run import make_suite

    now = fingerprint(experiment, make_suite(experiment))
    if now != manifest["fingerprint"]:
        print(
            f"mma rerun: the code or the suite has changed since (was {manifest['fingerprint'][:8]}, is {now[:8]}); "
            f"it was made at commit {manifest['git']['commit']} with version {manifest['versions'].get('mma-safetybench')}",
            file=sys.stderr,
        )
        if options.into is None:
            return 2
    from runner.commands.run import run_one

    return run_one(experiment, None).exit_code
