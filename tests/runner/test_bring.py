"""`mma import`: the short form, whole cases, and the worked example of the documentation."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.images import ImageStore
from benchmark.suite import StoredSuite
from runner.cli import main
from tests import recordings

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(["import", *arguments])
    return int(end.value.code or 0)


def test_the_short_form_becomes_a_suite_that_says_how_to_go_on(tmp_path, capsys):
    recordings.plain(tmp_path / "own")
    assert run(str(tmp_path / "own"), "--into", str(tmp_path / "suite")) == 0
    said = capsys.readouterr().out
    assert "2 cases (web 1, gui 1)" in said
    assert f"mma run suite=stored suite.path={tmp_path / 'suite'}" in said
    assert len(StoredSuite("x", str(tmp_path / "suite")).entries()) == 2


def test_whole_cases_are_taken_with_images_by_path(tmp_path, capsys):
    recordings.plain(tmp_path / "own")
    run(str(tmp_path / "own"), "--into", str(tmp_path / "first"))
    first = StoredSuite("x", str(tmp_path / "first"))
    (tmp_path / "mine").mkdir()
    store, rows = ImageStore(first.folder), []
    for number, entry in enumerate(first.entries()):
        row = json.loads(first.case(entry.id).model_dump_json())
        for name in ("clean", "injected"):
            image = store.read(first.case(entry.id).image("injected" if name == "injected" else "clean"))
            image.save(tmp_path / "mine" / f"{number}-{name}.png")
            row[name] = f"{number}-{name}.png"
        for step in row["steps"]:
            if step["image"] is not None and step["index"] == row["injection"]["step"]:
                step["image"] = row["clean"]
            elif step["image"] is not None:
                store.read(first.case(entry.id).steps[0].image).save(tmp_path / "mine" / f"{number}-0.png")
                step["image"] = f"{number}-0.png"
        rows.append(row)
    broken = {**rows[0], "id": "other", "task": " "}
    recordings.lines(tmp_path / "mine" / "cases.jsonl", [*rows, broken, rows[0]])
    capsys.readouterr()
    assert run(str(tmp_path / "mine"), "--into", str(tmp_path / "second")) == 1
    said = capsys.readouterr().out
    assert "cases.jsonl:3: task: Value error, the task is empty" in said
    assert "cases.jsonl:4: the id" in said
    second = StoredSuite("x", str(tmp_path / "second"))
    assert second.info.data_hash == first.info.data_hash


@pytest.mark.parametrize(
    ("arguments", "why"),
    [((), "name the folder"), (("a", "b"), "takes one folder"), (("--fast", "a"), "has no option --fast"), (("nowhere",), "there is no folder"), (("a", "--seed", "x"), "give a whole number"), (("a", "--into"), "needs a value")],
)  # fmt: skip
def test_what_cannot_be_followed_is_one_line(arguments, why, capsys):
    assert run(*arguments) == 2
    said = capsys.readouterr().err
    assert why in said
    assert said.count("\n") == 1


def test_the_worked_example_of_the_documentation_works(tmp_path):
    text = (ROOT / "docs" / "bring_your_own.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"<!-- example -->\n```bash\n(.*?)```\n<!-- end -->", text, re.DOTALL)
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "mma").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m runner.cli "$@"\n')
    (tools / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "1 cases (web 1)" in done.stdout
    assert "every invariant holds" in done.stdout
