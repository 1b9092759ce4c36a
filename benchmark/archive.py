"""A built suite as one archive, to move it between machines.

An archive is a plain tar: `suite.json` first, then `cases.jsonl`, the images that the cases name, and the videos. Packing
the same suite twice gives the same bytes. An archive from elsewhere is not trusted: only members with the names of a
suite are taken, no links, nothing larger than such a file can be, and hashes of all cases must be those of `suite.json`.
Images are checked against their names when they are first used (`benchmark.suite.Stamps`).
"""

from __future__ import annotations

import fcntl
import io
import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from benchmark.case import SuiteInfo
from benchmark.suite import Progress, SuiteError, check_hashes, each_case, images_of, suite_info

MAX_MEMBERS = 5_000_000
LIMITS: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(r"suite\.json"), 4 << 20),
    (re.compile(r"cases\.jsonl"), 16 << 30),
    (re.compile(r"images/[0-9a-f]{2}/[0-9a-f]{64}\.png"), 256 << 20),
    (re.compile(r"videos/[A-Za-z0-9_][A-Za-z0-9_.-]*\.mp4"), 2 << 30),
)
"""Which members an archive may have, and how many bytes each."""

FOLDERS = re.compile(r"\.?|(\./)?(images(/[0-9a-f]{2})?|videos)/?")


class ArchiveError(SuiteError):
    """An archive that is damaged or holds what no suite holds; the message names the member."""


def pack(folder: Path, file: Path, progress: Progress | None = None) -> int:
    """Writes the built suite in `folder` as one archive; returns its size in bytes.

    Raises:
        SuiteError: the folder holds no whole suite, or one whose cases are not those of its `suite.json`.
        ArchiveError: a file is missing, or the archive cannot be written.
    """
    info = suite_info(folder)
    check_hashes(folder, info, each_case(folder / "cases.jsonl"))
    images = sorted(_images(folder))
    videos = sorted(f"videos/{p.name}" for p in (folder / "videos").glob("[!.]*.mp4"))
    names = ["suite.json", "cases.jsonl", *images, *videos]
    part = file.with_name(file.name + ".part")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(part, "w", format=tarfile.PAX_FORMAT) as archive:
            for done, name in enumerate(names, start=1):
                _add(archive, folder / name, name)
                if progress is not None:
                    progress(done, len(names))
        part.replace(file)
    except OSError as error:
        part.unlink(missing_ok=True)
        where = error.filename if error.filename not in {None, str(part)} else file
        raise ArchiveError(f"the suite cannot be packed to {file}: {where}: {error.strerror or error}") from None
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return file.stat().st_size


def _images(folder: Path) -> set[str]:
    """Paths of all images that the cases of a suite name."""
    return {ref.relative_path for case in each_case(folder / "cases.jsonl") for ref in images_of(case)}


def _add(archive: tarfile.TarFile, path: Path, name: str) -> None:
    """Adds a file without what differs from machine to machine: owner, mode and time."""
    member = tarfile.TarInfo(name)
    with path.open("rb") as file:
        member.size = os.fstat(file.fileno()).st_size
        member.mode = 0o644
        archive.addfile(member, file)


def unpacked(file: Path, root: Path) -> Path:
    """The folder of an archived suite below `root`, unpacked unless it is there already.

    Raises:
        ArchiveError: not an archive of a suite, or one with a member that is refused.
        SuiteError: its cases are not those of its `suite.json`.
    """
    try:
        with tarfile.open(file, "r:") as archive:
            head = _head(archive, file)
            folder = root / _folder_name(head)
            root.mkdir(parents=True, exist_ok=True)
            with (root / ".unpacking.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not _same(folder, head):
                    _unpack(archive, file, folder)
        return folder
    except tarfile.TarError as error:
        raise ArchiveError(
            f"{file} is no archive of a suite (a plain .tar, as `mma build --pack` writes): {error}"
        ) from None
    except FileNotFoundError as error:
        raise ArchiveError(f"{error.filename or file}: there is no such file") from None
    except OSError as error:
        raise ArchiveError(f"{file} cannot be unpacked to {root}: {error.strerror or error}") from None


def head_of(file: Path) -> SuiteInfo:
    """The `suite.json` of an archive.

    Raises:
        ArchiveError: it is no archive of a suite.
    """
    try:
        with tarfile.open(file, "r:") as archive:
            return _info(_head(archive, file), file)
    except (tarfile.TarError, OSError) as error:
        raise ArchiveError(f"{file} is no archive of a suite: {error}") from None


def _head(archive: tarfile.TarFile, file: Path) -> bytes:
    """The bytes of `suite.json`, wherever it stands; in our own archives it is the first member."""
    for member in _members(archive, file):
        if _name(member) == "suite.json":
            found = archive.extractfile(member)
            return found.read() if found is not None else b""
    raise ArchiveError(f"{file} holds no suite.json, so it is no archive of a suite")


def _info(head: bytes, file: Path) -> SuiteInfo:
    try:
        return SuiteInfo.model_validate_json(head)
    except ValidationError as error:
        raise ArchiveError(
            f"suite.json in {file} is of another version or damaged: {error.errors()[0]['msg']}"
        ) from None


def _folder_name(head: bytes) -> str:
    info = _info(head, Path("the archive"))
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{info.name}-{info.version}-s{info.seed}").strip(".-") or "suite"
    return f"{plain}-{info.data_hash[:8]}{info.pixel_hash[:8]}"


def _same(folder: Path, head: bytes) -> bool:
    try:
        return (folder / "suite.json").read_bytes() == head
    except OSError:
        return False


def _name(member: tarfile.TarInfo) -> str:
    return member.name.removeprefix("./")


def _members(archive: tarfile.TarFile, file: Path) -> Iterator[tarfile.TarInfo]:
    """The files of an archive, each once it has passed; folders are passed over.

    Raises:
        ArchiveError: naming the member that no suite holds.
    """
    seen: set[str] = set()
    for count, member in enumerate(archive, start=1):
        shown = repr(member.name)[:120]
        if count > MAX_MEMBERS:
            raise ArchiveError(f"{file} holds more than {MAX_MEMBERS} members")
        if member.isdir() and FOLDERS.fullmatch(member.name):
            continue
        if not member.isreg() or member.issparse():
            raise ArchiveError(f"{file}: member {shown} is a link, a device or a sparse file; a suite holds none")
        limit = next((most for pattern, most in LIMITS if pattern.fullmatch(_name(member))), None)
        if limit is None:
            raise ArchiveError(f"{file}: member {shown} is not the name of a suite's file; nothing was unpacked")
        if member.size > limit:
            raise ArchiveError(f"{file}: member {shown} has {member.size} bytes, more than the {limit} allowed")
        if _name(member) in seen:
            raise ArchiveError(f"{file}: member {shown} occurs twice")
        seen.add(_name(member))
        yield member


def _unpack(archive: tarfile.TarFile, file: Path, folder: Path) -> None:
    """Unpacks beside the folder and moves it into place when all is there and the hashes agree."""
    members = list(_members(archive, file))
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        for member in members:
            path = part / _name(member)
            path.parent.mkdir(parents=True, exist_ok=True)
            source = archive.extractfile(member)
            with path.open("wb") as out:
                shutil.copyfileobj(source or io.BytesIO(), out, 1 << 20)
            if path.stat().st_size != member.size:
                raise ArchiveError(f"{file} ends within {member.name!r}; copy it again")
        _check(part, file, {_name(m) for m in members})
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _check(part: Path, file: Path, names: set[str]) -> None:
    if "cases.jsonl" not in names:
        raise ArchiveError(f"{file} holds no cases.jsonl")
    check_hashes(file, suite_info(part), each_case(part / "cases.jsonl"))
    wanted = _images(part)
    if lacking := sorted(wanted - names):
        raise ArchiveError(f"{file} lacks {len(lacking)} images, the first is {lacking[0]}")
    if extra := sorted(n for n in names - wanted if n.startswith("images/")):
        raise ArchiveError(f"{file}: member {extra[0]} belongs to no case")
