"""Cases that a user made: whole lines of our Case schema, with images named by path, become a stored suite.

Wherever the schema wants an image's address, a line may give the path of a file in the folder instead. Each case is held
to the invariants of the benchmark; one that breaks a rule is a finding and stays out. Lines in the short form are no
cases yet: `benchmark.sources.plain` reads them as recordings, into which payloads are laid.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from benchmark.case import Case, SuiteInfo
from benchmark.images import ImageStore
from benchmark.invariants import problems
from benchmark.sources.records import json_lines, record
from benchmark.sources.safety import Unusable, decoded, files, inside
from benchmark.sources.suite import closed, sources_version, written
from benchmark.sources.trajectory import Finding
from benchmark.suite import Progress, SuiteError

IMAGES = frozenset({"image", "clean", "injected"})


def holds_cases(root: Path) -> bool:
    """Whether the first record of the folder is a whole case rather than the short form.

    Raises:
        SuiteError: there is no record.
    """
    for path in files(root, ".jsonl"):
        for _, value in json_lines(path) if path.resolve().is_relative_to(root.resolve()) else ():
            return isinstance(value, dict) and "injection" in value
    raise SuiteError(f"{root} holds no .jsonl file with records; docs/bring_your_own.md shows the layout")


def make(root: Path, folder: Path, name: str, progress: Progress | None = None) -> tuple[SuiteInfo, tuple[str, ...]]:
    """Writes a suite of the whole cases below `root` into `folder`; returns it with what could not be used.

    Raises:
        SuiteError: the folder holds something already, or no line is a case.
    """
    if folder.exists() and any(folder.iterdir()):
        raise SuiteError(f"{folder} holds something already; give another --into, or move it away")
    folder.mkdir(parents=True, exist_ok=True)
    store, said, order = ImageStore(folder), [], dict[str, None]()
    with (folder / "built.jsonl").open("w", encoding="utf-8") as file:
        for path in files(root, ".jsonl"):
            shown = path.relative_to(root).as_posix()
            try:
                total = sum(1 for _ in json_lines(inside(root, shown)))
            except Unusable as error:
                said.append(str(Finding(shown, 1, str(error))))
                continue
            for count, (line, value) in enumerate(json_lines(path), start=1):
                try:
                    case = _case(record(value).value, root, path.parent, store)
                    if case.id in order:
                        raise Unusable(f"the id {case.id} was met before")
                    broken = problems(case, store)
                except Unusable as error:
                    said.append(str(Finding(shown, line, str(error))))
                    continue
                said += [str(Finding(shown, line, text)) for text in broken]
                if not broken:
                    order[case.id] = None
                    file.write(case.model_dump_json() + "\n")
                if progress is not None:
                    progress(count, total)
    written(folder / "findings.txt", "".join(f"{line}\n" for line in said))
    if not order:
        raise SuiteError(f"no line of {root} is a case" + (f"; the first finding: {said[0]}" if said else ""))
    return closed(folder, order, name=name, seed=0, builder=sources_version()), tuple(said)


def _case(value: dict[str, Any], root: Path, base: Path, store: ImageStore) -> Case:
    """A line as a case, its images stored.

    Raises:
        Unusable: an image cannot be read, or the line does not follow the schema.
    """
    try:
        return Case.model_validate(_stored(value, root, base, store))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(p) for p in first["loc"])
        raise Unusable(f"{where or 'the case'}: {first['msg']}") from None


def _stored(node: Any, root: Path, base: Path, store: ImageStore, depth: int = 0) -> Any:
    if depth > 30:
        raise Unusable("the record is nested deeper than any case")
    if isinstance(node, list):
        return [_stored(part, root, base, store, depth + 1) for part in node]
    if not isinstance(node, dict):
        return node
    return {
        key: store.put(decoded(inside(root, part, base))).model_dump()
        if key in IMAGES and isinstance(part, str)
        else _stored(part, root, base, store, depth + 1)
        for key, part in node.items()
    }
