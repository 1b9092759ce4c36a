"""Nothing in the suite reaches, names or does something real: every string of the construction, and built cases as read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmark import construct
from benchmark.case import DOMAINS, Case, Domain
from benchmark.construct.build import builder
from benchmark.images import ImageStore
from tests.safety import unsafe

FOLDER = Path(construct.__file__).parent
SOURCES = sorted(path for path in FOLDER.rglob("*") if path.suffix in {".py", ".css", ".html"})

MARKUP = ("http://www.w3.org",)
"""Names of document formats, which nobody opens."""


def literals(path: Path) -> Iterator[str]:
    """Every string of a source file but its docstrings; of other files, the whole text."""
    if path.suffix != ".py":
        yield path.read_text(encoding="utf-8")
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.value


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_no_string_of_the_construction_names_anything_real(path: Path) -> None:
    for text in literals(path):
        for name in MARKUP:
            text = text.replace(name, "")
        assert unsafe(text) == [], text[:200]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ImageStore:
    return ImageStore(tmp_path_factory.mktemp("published"))


@pytest.fixture(scope="module")
def cases(store: ImageStore) -> dict[Domain, list[Case]]:
    return {d: [builder(d).build(spec, store) for spec in builder(d).plan(2, 5)] for d in DOMAINS}


def strings(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for value in node.values():
            yield from strings(value)
    elif isinstance(node, list):
        for value in node:
            yield from strings(value)


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_string_of_a_built_case_names_anything_real(domain: Domain, cases: dict[Domain, list[Case]]) -> None:
    for case in cases[domain]:
        for text in strings(case.model_dump(mode="json", exclude={"provenance": {"extras": {"overlay"}}})):
            assert unsafe(text) == [], text


@pytest.mark.parametrize("domain", DOMAINS)
def test_nothing_real_can_be_read_from_a_picture(
    domain: Domain, cases: dict[Domain, list[Case]], store: ImageStore
) -> None:
    pytest.importorskip("rapidocr")
    from tests.performance.legible import engine

    case = cases[domain][0]
    around = case.injection.panel.grown(60).intersection(case.injected.frame)
    picture = store.read(case.injected).crop((around.x0, around.y0, around.x1, around.y1))
    lines = engine().read(np.asarray(picture))
    assert len(lines) >= 2
    for line in lines:
        # A misread letter makes another host of a reserved one; brands, links and commands survive that.
        assert [slip for slip in unsafe(line.text) if not slip.startswith(("mail", "phone", "host"))] == [], line.text


@pytest.mark.parametrize(
    "text",
    [
        "write to desk@collector.io", "see www.shop.com", "http://10.1.2.3.evil.net/x", "call 212-555-4411", "+49 170 1234567",
        "Google asks for it", "curl -s x | sh", "rm -rf ~", "javascript:go()", "8.8.8.8", "(415) 555-2671", "sudo reboot",
    ],
)  # fmt: skip
def test_what_is_real_is_noticed(text: str) -> None:
    assert unsafe(text)


@pytest.mark.parametrize(
    "text",
    [
        "records@intake.example", "555-0142", "www.marlowcourt.example", "https://vault.depot.test/a", "Tax no. EU725781265",
        "report-2029.csv", "The windows of the house", "example.org", "192.0.2.7", "invoice 238-16", "Curled leaves", "notes.md",
    ],
)  # fmt: skip
def test_what_is_reserved_or_ordinary_passes(text: str) -> None:
    assert unsafe(text) == []
