"""Whether the suite is the same under every Python that is supported, and whatever fonts the machine has.

    python -m tests.performance.across_pythons [CASES]

Builds sixty cases, twelve of each domain, on this Python and holds them to the public lock where there is one. Then
builds half of them on each other supported Python found on this machine (on the path, or below `~/.pyenv`), in a new
virtual environment with the versions of `constraints.txt`, and some again on this one under a font configuration that
names other fonts for ours; on the other Pythons one build sees no fonts and one sees those. Data hashes and
pixel hashes of all images must be equal. A Python that is not installed is named, not passed over in silence; exit
code 1 if anything differs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[2]
SUPPORTED = ("3.11", "3.12", "3.13")
NEEDED = ("pydantic", "blitz-py", "pillow", "jinja2", "numpy", "scipy", "matplotlib", "av")
"""What building needs; the runner's packages are no part of it."""

FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>{folders}
<match target="pattern"><edit name="family" mode="assign" binding="strong"><string>{family}</string></edit></match>
</fontconfig>
"""


def digests(count: int, step: int, workers: int, lock: str | None) -> dict[str, list[str]]:
    """Builds every `step`-th of `count` cases, evenly over the domains; their hashes by id."""
    from benchmark.case import DOMAINS
    from benchmark.construct.build import GeneratedSuite
    from benchmark.suite import data_hash, images_of

    sizes = {domain: -(-count // len(DOMAINS)) for domain in DOMAINS}
    with tempfile.TemporaryDirectory() as folder:
        suite = GeneratedSuite(path=folder, sizes=sizes, workers=workers, lock=lock)
        ids = [entry.id for entry in suite.entries()][::step]
        suite.ensure(ids)
        if lock and (note := suite.note()):
            print(f"note: {note}", file=sys.stderr)
        return {i: [data_hash(suite.case(i)), *(ref.hash for ref in images_of(suite.case(i)))] for i in ids}


def pythons() -> dict[str, Path]:
    """Supported Pythons other than this one's version, by version."""
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    found: dict[str, Path] = {}
    for version in SUPPORTED:
        named = [
            shutil.which(f"python{version}"),
            *sorted(map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))),
        ]
        for path in filter(None, named):
            said = subprocess.run(
                [path, "-c", "import sys, venv; print(*sys.version_info[:2], sep='.')"], capture_output=True, text=True
            )
            if version != here and said.stdout.strip() == version:
                found.setdefault(version, Path(path))
    return found


def environment(python: Path, folder: Path) -> Path:
    """A new virtual environment with what building needs."""
    subprocess.run([python, "-m", "venv", folder], check=True, capture_output=True)
    made = folder / "bin" / "python"
    pip = [made, "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", ROOT / "constraints.txt", *NEEDED]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{python}: pip could not install what building needs: {done.stderr.strip()[-400:]}")
    return made


def elsewhere(python: Path, count: int, step: int, fonts: Path) -> dict[str, list[str]]:
    """The same hashes from another interpreter under a font configuration."""
    command = [python, "-m", "tests.performance.across_pythons", "--digests", str(count), str(step)]
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "FONTCONFIG_FILE": str(fonts),
        "PYTHONHASHSEED": "17",
        "TZ": "Asia/Tokyo",
    }
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{python} could not build: {done.stderr.strip()[-400:]}")
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def compared(name: str, ours: dict[str, list[str]], theirs: dict[str, list[str]]) -> bool:
    other = [
        f"{id} in its {'data' if ours[id][0] != hashes[0] else 'pixels'}"
        for id, hashes in theirs.items()
        if ours[id] != hashes
    ]
    images = sum(len(hashes) - 1 for hashes in theirs.values())
    verdict = f"{len(other)} differ: {'; '.join(other[:5])}" if other else f"equal, {images} pixel hashes"
    print(f"{name}: {len(theirs)} cases, {verdict}", flush=True)
    return not other


def main(count: int) -> int:
    started = time.monotonic()
    here = ".".join(map(str, sys.version_info[:3]))
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor() as pool:
        work = Path(scratch)
        none, others = work / "none.conf", work / "others.conf"
        none.write_text('<?xml version="1.0"?><fontconfig></fontconfig>')
        import matplotlib

        ttf = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
        folders = f"<dir>{ttf}</dir><dir>/usr/share/fonts</dir>"
        others.write_text(FONTS.format(folders=folders, family="DejaVu Serif Display"))
        found = pythons()
        made = {v: pool.submit(environment, path, work / v) for v, path in found.items()}
        ours = digests(count, 1, os.cpu_count() or 1, "auto")
        print(f"Python {here}: built {len(ours)} cases in {time.monotonic() - started:.0f} s", flush=True)
        runs = {f"Python {here} with other fonts": pool.submit(elsewhere, Path(sys.executable), count, 4, others)}
        for number, version in enumerate(made):
            fonts, said = ((none, "without fonts"), (others, "with other fonts"))[number % 2]
            runs[f"Python {version} {said}"] = pool.submit(elsewhere, made[version].result(), count, 2, fonts)
        equal = [compared(name, ours, run.result()) for name, run in runs.items()]
    for version in SUPPORTED:
        if version not in found and not here.startswith(f"{version}."):
            print(f"Python {version}: not installed here, NOT compared")
    print(f"took {time.monotonic() - started:.0f} s")
    return 0 if all(equal) else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--digests"]:
        print(json.dumps(digests(int(sys.argv[2]), int(sys.argv[3]), 1, None)))
    else:
        raise SystemExit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 60))
