"""Suites: what they hold, how they lie on disk, and which part of one a run takes.

A suite is a folder with `suite.json`, `cases.jsonl` and content-addressed images. `StoredSuite` reads such a folder; the
generated suite, in `benchmark.construct.build`, makes one. A folder without `suite.json` never passes for a whole suite.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from benchmark.case import DOMAINS, Case, ImageRef, SuiteInfo
from benchmark.images import ImageError, ImageStore

if TYPE_CHECKING:
    from benchmark.lock import Guard

Progress = Callable[[int, int], None]

CANARY = "mma-safetybench canary 6d0a41f2-95c7-4b0e-9d7b-2f8f5a3c71e4: benchmark data, keep out of training corpora"


RECENT = 1200
"""Cases that are kept once they were read: all of the standard suite, a part of larger ones."""


class SuiteError(ValueError):
    """A suite that cannot be used as it is; the message says where and what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a case before it is read or built."""

    id: str
    domain: str
    intent: str


class Suite(Protocol):
    """A set of cases with their images. `stage` says what `ensure` does, for a progress bar."""

    folder: Path
    name: str
    stage: str

    def entries(self) -> tuple[Entry, ...]:
        """All cases of the suite, in a fixed order; cheap."""
        ...

    def ensure(self, ids: Sequence[str], progress: Progress | None = None) -> None:
        """Makes sure that these cases and their images are there."""
        ...

    def case(self, id: str) -> Case:
        """One case; raises SuiteError when it is not there."""
        ...

    def identity(self) -> Mapping[str, Any]:
        """What a fingerprint needs: everything that decides what the cases are."""
        ...

    def standing(self) -> Mapping[str, Any]:
        """What a manifest says beside the identity: which lock vouches for the cases, and which of them drift."""
        ...

    def note(self) -> str | None:
        """One line for the terminal when cases were not verified or drift; None when there is nothing to say."""
        ...


def rank(seed: int, id: str) -> str:
    """A case's place within its stratum: a hash, so that it does not depend on which other cases there are."""
    return hashlib.sha256(f"{seed}/{id}".encode()).hexdigest()


def stratified(entries: Iterable[Entry], seed: int) -> tuple[Entry, ...]:
    """Entries in seeded order, dealt in turn over domains and, within them, intents.

    Any prefix is as balanced as it can be, and the first n of a selection stay the first n when the limit grows.
    """
    strata: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        strata[entry.domain, entry.intent].append(entry)
    for members in strata.values():
        members.sort(key=lambda e: rank(seed, e.id))
    keyed = []
    domains = sorted({d for d, _ in strata}, key=lambda d: DOMAINS.index(d) if d in DOMAINS else len(DOMAINS))
    for domain in domains:
        intents = sorted(i for d, i in strata if d == domain)
        for turn, intent in enumerate(intents):
            for position, entry in enumerate(strata[domain, intent]):
                keyed.append((position * len(intents) + turn, domains.index(domain), entry))
    keyed.sort(key=lambda k: (k[0], k[1], k[2].id))
    return tuple(entry for _, _, entry in keyed)


def select(
    entries: Sequence[Entry],
    *,
    domains: Iterable[str],
    ids: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
) -> tuple[Entry, ...]:
    """The part of a suite that a run takes, in the order it is run.

    Raises:
        SuiteError: an id that is not in the suite, a limit below 1, or nothing left.
    """
    if limit is not None and limit < 1:
        raise SuiteError(f"limit={limit}: give a number of cases, at least 1, or null for all")
    wanted = set(domains)
    known = {e.id for e in entries}
    if unknown := [i for i in ids if i not in known]:
        raise SuiteError(f"ids: {unknown[0]!r} is not in the suite; `mma doctor` lists what is")
    chosen = [e for e in entries if e.domain in wanted and (not ids or e.id in set(ids))]
    if not chosen:
        raise SuiteError(f"nothing is left of the suite for domain {', '.join(sorted(wanted))}")
    return stratified(chosen, seed)[:limit]


def _without_pixels(node: Any) -> Any:
    if isinstance(node, dict):
        return {k: _without_pixels(v) for k, v in node.items() if not (k == "hash" and "width" in node)}
    if isinstance(node, list):
        return [_without_pixels(v) for v in node]
    return node


def data_hash(case: Case) -> str:
    """sha256 of all that a case says but its pixels: texts, boxes in whole pixels, targets, references."""
    plain = _without_pixels(case.model_dump(mode="json"))
    return hashlib.sha256(json.dumps(plain, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def pixel_hash(case: Case) -> str:
    """sha256 over the pixels of the clean and the injected image."""
    clean = case.clean.hash if case.clean is not None else ""
    return hashlib.sha256(f"{clean}/{case.injected.hash}".encode()).hexdigest()


def joint_hash(parts: Mapping[str, str]) -> str:
    return hashlib.sha256("\n".join(f"{k} {v}" for k, v in sorted(parts.items())).encode()).hexdigest()


def images_of(case: Case) -> tuple[ImageRef, ...]:
    """Every image a case needs, each once, in order."""
    refs = [s.image for s in case.steps if s.image is not None] + [case.clean, case.injected]
    return tuple(dict.fromkeys(r for r in refs if r is not None))


def read_cases(path: Path) -> dict[str, Case]:
    """The cases of a JSONL file by id.

    Raises:
        SuiteError: naming file and line of what cannot be read; a torn last line without newline is passed over.
    """
    return {case.id: case for case in each_case(path)}


def each_case(path: Path) -> Iterator[Case]:
    """The same, one after the other."""
    for number, _, line in _whole_lines(path):
        yield _case(line, path, number)


def _whole_lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Lines with number and offset; a torn last one is passed over."""
    with path.open("rb") as file:
        offset = 0
        for number, line in enumerate(file, start=1):
            if line.strip() and line.endswith(b"\n"):
                yield number, offset, line
            offset += len(line)


def _case(line: bytes, path: Path, number: int) -> Case:
    try:
        return Case.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(p) for p in first["loc"])
        raise SuiteError(f"{path.name} line {number}: {where or 'case'}: {first['msg']}") from None


class _Head(TypedDict):
    id: str
    domain: str
    intent: str


@cache
def _heads() -> TypeAdapter[_Head]:
    return TypeAdapter(_Head)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a case lies in its file."""

    entry: Entry
    number: int
    offset: int
    length: int


def suite_info(folder: Path) -> SuiteInfo:
    """The `suite.json` of a built suite.

    Raises:
        SuiteError: there is none, or it is of another version.
    """
    try:
        return SuiteInfo.model_validate_json((folder / "suite.json").read_bytes())
    except FileNotFoundError:
        begun = " (a build of it was begun; the same `mma build` finishes it)" if _begun(folder) else ""
        raise SuiteError(f"{folder} holds no suite.json, so it is no whole suite{begun}") from None
    except NotADirectoryError:
        raise SuiteError(f"{folder} is neither the folder of a built suite nor an archive named .tar") from None
    except ValidationError as error:
        raise SuiteError(f"{folder}/suite.json is of another version or damaged: {error.errors()[0]['msg']}") from None


def _begun(folder: Path) -> bool:
    return (folder / "built.jsonl").is_file() or (folder / "building.json").is_file()


def check_hashes(where: Path, info: SuiteInfo, cases: Iterable[Case], progress: Progress | None = None) -> None:
    """Compares cases, read one after the other, with what their `suite.json` says of them.

    Raises:
        SuiteError: their number, their data or the names of their images are others.
    """
    data: dict[str, str] = {}
    pixels: dict[str, str] = {}
    count = sum(info.counts.values())
    for case in cases:
        data[case.id], pixels[case.id] = data_hash(case), pixel_hash(case)
        if progress is not None:
            progress(len(data), count)
    if len(data) != count:
        raise SuiteError(f"{where}: cases.jsonl holds {len(data)} cases, suite.json says {count}")
    for name, wanted, found in (("data", info.data_hash, data), ("pixel", info.pixel_hash, pixels)):
        if joint_hash(found) != wanted:
            raise SuiteError(f"{where}: cases.jsonl has another {name} hash than suite.json says; one was changed")


def _stamp(file: Path | os.stat_result) -> list[int]:
    status = file.stat() if isinstance(file, Path) else file
    return [status.st_size, status.st_mtime_ns]


class Stamps:
    """Which images were verified, at which size and time; an image that has not changed since is not hashed again."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "images" / "stamps.json"
        self.store = ImageStore(folder)
        try:
            self.known: dict[str, list[int]] = json.loads(self.path.read_text())
        except (OSError, ValueError):
            self.known = {}

    def problems(self, case: Case) -> list[str]:
        """What is wrong with the images of a case: missing, damaged, or not the pixels of their names."""
        found = []
        for ref in images_of(case):
            path = self.store.path(ref)
            try:
                status = path.stat()
            except OSError:
                found.append(f"{case.id}: image {ref.hash[:12]} is missing")
                continue
            stamp = _stamp(status)
            if self.known.get(ref.hash) == stamp:
                continue
            try:
                self.store.read(ref, verify=True)
            except ImageError as error:
                found.append(f"{case.id}: {error}")
                continue
            self.known[ref.hash] = stamp
        return found

    def unchanged(self, path: Path) -> bool:
        """Whether a file is as it was when `keep` was last called for it."""
        return self.known.get(path.name) == _stamp(path)

    def keep(self, path: Path) -> None:
        """Remembers a file of the suite, other than an image, as verified."""
        self.known[path.name] = _stamp(path)

    def save(self) -> None:
        """Keeps what was verified; a folder that cannot be written only costs the next run its time."""
        part = self.path.with_suffix(f".{os.getpid()}.part")
        try:
            part.write_text(json.dumps(self.known, sort_keys=True))
            part.replace(self.path)
        except OSError:
            part.unlink(missing_ok=True)


class StoredSuite:
    """A suite that lies built in a folder, or packed as one archive, which is unpacked below `root`.

    Cases and images are held to the hashes of `suite.json`, and to a lock where one is given.
    """

    stage = "checking"

    def __init__(
        self, name: str, path: str, root: str = "suites", lock: str | None = None, allow_drift: bool = False
    ) -> None:
        if path.endswith(".tar"):
            from benchmark.archive import unpacked

            self.folder = unpacked(Path(path), Path(root))
        else:
            self.folder = Path(path)
        self.info = suite_info(self.folder)
        self.name = self.info.name
        self._path = self.folder / "cases.jsonl"
        self._recent = lru_cache(maxsize=RECENT)(self._read)
        self.guard = self._guard(lock, allow_drift)

    def _guard(self, lock: str | None, allow_drift: bool) -> Guard:
        from benchmark.lock import Guard

        return Guard(Path(lock) if lock else None, suite_title(self.info), allow_drift)

    @cached_property
    def _places(self) -> dict[str, _Place]:
        """Where each case lies. Cases themselves are read when they are asked for: there may be a hundred thousand."""
        places = {}
        for number, offset, line in _whole_lines(self._path):
            try:
                head = _heads().validate_json(line)
            except ValidationError:
                _case(line, self._path, number)  # the whole case knows best what is wrong with its line
                raise SuiteError(f"{self._path.name} line {number} cannot be read") from None
            places[head["id"]] = _Place(
                Entry(head["id"], sys.intern(head["domain"]), sys.intern(head["intent"])), number, offset, len(line)
            )
        if len(places) != sum(self.info.counts.values()):
            raise SuiteError(
                f"{self._path} holds {len(places)} cases, suite.json says {sum(self.info.counts.values())}"
            )
        return places

    @cached_property
    def _open(self) -> int:
        """The cases' file, open for as long as this suite is used."""
        descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, descriptor)
        return descriptor

    def _read(self, id: str) -> Case:
        place = self._places[id]
        return _case(os.pread(self._open, place.length, place.offset), self._path, place.number)

    def entries(self) -> tuple[Entry, ...]:
        return tuple(place.entry for place in self._places.values())

    def ensure(self, ids: Sequence[str], progress: Progress | None = None) -> None:
        missing = [i for i in ids if i not in self._places]
        if missing:
            raise SuiteError(f"case {missing[0]} is not in {self.folder}")
        self._check_files(progress)
        self.guard.verify(ids, self.case, ImageStore(self.folder), progress)

    def _check_files(self, progress: Progress | None) -> None:
        """Holds all cases to the hashes of `suite.json`, unless neither file has changed since that was last done."""
        stamps, files = Stamps(self.folder), (self._path, self.folder / "suite.json")
        if not all(stamps.unchanged(file) for file in files):
            check_hashes(self.folder, self.info, (self._read(id) for id in self._places), progress)
            for file in files:
                stamps.keep(file)
            stamps.save()

    def case(self, id: str) -> Case:
        try:
            return self._recent(id)
        except KeyError:
            raise SuiteError(f"case {id} is not in {self.folder}") from None

    def identity(self) -> Mapping[str, Any]:
        return {"name": self.info.name, "version": self.info.version, "data": self.info.data_hash}

    def standing(self) -> Mapping[str, Any]:
        return {**self.guard.standing(), "pixels": self.info.pixel_hash, "built_with_drift": list(self.info.drift)}

    def note(self) -> str | None:
        if self.guard.path is not None:
            return self.guard.note()
        return f"the suite was built with drift in {len(self.info.drift)} cases" if self.info.drift else None


def suite_title(info: SuiteInfo) -> str:
    """How a lock calls a suite: name, version, seed and, where it has one, its payload pack."""
    return f"{info.name} {info.version} seed {info.seed}" + (f" payloads {info.payloads}" if info.payloads else "")


@lru_cache(maxsize=1)
def builder_version() -> str:
    """Version of the construction: a hash over its sources, so that changed code never meets old cases."""
    here = Path(__file__).parent
    digest = hashlib.sha256()
    sources = [
        p for p in here.rglob("*") if p.suffix in {".py", ".conf", ".html", ".css"} and "__pycache__" not in p.parts
    ]
    relevant = [
        p for p in sources if p.parts[len(here.parts)] in {"construct", "case.py", "environment.py", "images.py"}
    ]
    for path in sorted(relevant, key=lambda p: p.relative_to(here).as_posix()):
        digest.update(path.relative_to(here).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
