"""LVBench: questions on long videos, a JSON line for each video, and the videos as `<key>.mp4`.

The file of questions is called `video_info.meta.jsonl` (or `lvbench_metadata_final.jsonl`); options stand within the
question as `(A) ...` lines. What the videos show is under a non-commercial licence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from benchmark.sources.records import Fields, Malformed, cleaned, json_lines, one_line, record
from benchmark.sources.safety import Unusable, contained, files, inside
from benchmark.sources.trajectory import Clip, Finding

LICENCE = "CC-BY-NC-SA-4.0"
VIDEOS = (".mp4", ".webm", ".mkv", ".avi", ".mov")
OPTION = re.compile(r"^\s*\(?([A-H])[).]\s*(.+?)\s*$")
NAME = re.compile(r"[\w-][\w .-]{0,150}")
TIMES = re.compile(r"^\s*(\d+):(\d{1,2})(?::(\d{1,2}))?\s*[-–]\s*(\d+):(\d{1,2})(?::(\d{1,2}))?\s*$")


def read(root: Path) -> Iterator[Clip | Finding]:
    """Every question of every list of questions below the root."""
    for path in files(root, ".jsonl"):
        shown = path.relative_to(root).as_posix()
        try:
            rows = list(json_lines(inside(root, shown)))
        except Unusable as error:
            yield Finding(shown, 1, str(error))
            continue
        for line, value in rows:
            yield from _video(root, path, shown, line, value)


def _video(root: Path, path: Path, shown: str, line: int, value: object) -> Iterator[Clip | Finding]:
    try:
        row = record(value)
        key = row.name("key")
        video = video_of(root, path.parent, key)
        kind = row.maybe("type")
        asked = row.items("qa")
    except Unusable as error:
        yield Finding(shown, line, str(error))
        return
    for item in asked:
        try:
            yield _question(Fields(item, "an item of 'qa'"), key, video, kind, shown, line)
        except Unusable as error:
            yield Finding(shown, line, str(error))


def video_of(root: Path, base: Path, key: str) -> Path:
    """The file of a video by its key: beside the list, or in a folder of videos next to it.

    Raises:
        Unusable: there is none, or the key leads out of the root.
    """
    if not NAME.fullmatch(key):
        raise Malformed(f"the key {key[:60]!r} is no name of a file")
    for folder in (".", "videos", "lvbench_video", "video", "all_videos"):
        for suffix in VIDEOS:
            if (base / folder / f"{key}{suffix}").is_file():
                return inside(root, f"{folder}/{key}{suffix}", base)
    found = [p for p in files(root, *VIDEOS) if p.stem == key]
    if len(found) != 1:
        raise Malformed(f"there is no video {key}.mp4" if not found else f"there are {len(found)} videos called {key}")
    return contained(root, found[0])


def _question(item: Fields, key: str, video: Path, kind: str, shown: str, line: int) -> Clip:
    asked, options = split(item.text("question"))
    answer = item.text("answer").strip().strip("()").upper()[:1]
    if len(options) < 2:
        raise Malformed("the question holds no options such as '(A) ...'")
    if answer not in options:
        raise Malformed(f"the answer {answer!r} is none of the options {', '.join(options)}")
    kinds = item.value.get("question_type")
    category = kinds[0] if isinstance(kinds, list) and kinds and isinstance(kinds[0], str) else kind
    return Clip(
        f"{key}/{item.name('uid')}", key, shown, line, video, asked, options, answer, one_line(category, 60),
        span_of(item.maybe("time_reference")),
    )  # fmt: skip


def split(text: str) -> tuple[str, dict[str, str]]:
    """A question and its options by letter."""
    asked: list[str] = []
    options: dict[str, str] = {}
    for row in cleaned(text).split("\n"):
        match = OPTION.match(row)
        if match is not None:
            options[match[1]] = one_line(match[2])
        elif not options:
            asked.append(row)
    return one_line(" ".join(asked)), options


def span_of(text: str) -> tuple[float, float] | None:
    """Seconds of a time reference `MM:SS-MM:SS`; reversed ones are turned round, others are None."""
    match = TIMES.match(text)
    if match is None:
        return None

    def seconds(first: str, second: str, third: str | None) -> float:
        if third is None:
            return int(first[:6]) * 60.0 + int(second)
        return int(first[:6]) * 3600.0 + int(second) * 60.0 + int(third)

    start, end = seconds(match[1], match[2], match[3]), seconds(match[4], match[5], match[6])
    return (start, end) if start <= end else (end, start)
