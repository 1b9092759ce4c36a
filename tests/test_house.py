"""The house: who may import whom, what is no package, and how large a file in the repository may be."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LEAVES = ("models", "harness", "judges", "defenses", "sandbox", "executors", "trackers", "report")
FOREIGN_TO_BENCHMARK = {"runner", "hydra", "omegaconf", "ray", "openai", "httpx2", "wandb", "docker"}
HEAVY = {"ray", "wandb", "docker", "openai", "matplotlib", "rapidocr", "onnxruntime"}


def imported(path: Path, top_only: bool = False) -> Iterator[str]:
    """The modules that a file imports by their full names; with `top_only` just those imported when it is loaded."""
    tree = ast.parse(path.read_text())
    nodes = tree.body if top_only else list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def sources(folder: str) -> list[Path]:
    found = sorted((ROOT / folder).rglob("*.py"))
    assert found
    return found


@pytest.mark.parametrize("leaf", LEAVES)
def test_leaf_packages_do_not_import_each_other(leaf):
    others = {f"runner.{name}" for name in LEAVES if name != leaf}
    for path in sources(f"runner/{leaf}"):
        for module in imported(path):
            assert ".".join(module.split(".")[:2]) not in others, f"{path.relative_to(ROOT)} imports {module}"


def test_benchmark_knows_no_runner_and_nothing_of_what_runs_it():
    for path in sources("benchmark"):
        tops = {module.split(".")[0] for module in imported(path)}
        assert not tops & FOREIGN_TO_BENCHMARK, f"{path.relative_to(ROOT)} imports {tops & FOREIGN_TO_BENCHMARK}"


def test_heavy_libraries_are_imported_where_they_are_used():
    """Only a module that is itself imported late, being one choice of a group, may bring one with it."""
    late = {"runner/models/connections.py"}
    for path in [*sources("runner"), *sources("benchmark")]:
        name = path.relative_to(ROOT).as_posix()
        tops = {module.split(".")[0] for module in imported(path, top_only=True)}
        assert name in late or not tops & HEAVY, f"{name} imports {tops & HEAVY} when it is loaded"


def test_no_package_shadows_the_docker_library():
    assert not (ROOT / "docker" / "__init__.py").exists()
    assert not (ROOT / "sweeps" / "__init__.py").exists()


def test_the_help_needs_nothing_heavy():
    import subprocess

    code = (
        "import sys, runner.cli\n"
        "try: runner.cli.main(['--help'])\n"
        "except SystemExit: pass\n"
        f"print(sorted(set(sys.modules) & {HEAVY | {'hydra', 'pydantic', 'scipy', 'numpy'}!r}), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
