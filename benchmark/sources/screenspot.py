"""ScreenSpot, versions 1 and 2: one instruction on one screenshot, with the box of the element it means.

Lists named `screenspot_*.json` (any list of such records will do) beside a folder of images. Each record is a trajectory
of one step; what is mobile, desktop or web is told by the list's name or the record's source.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from benchmark.case import Action
from benchmark.sources.records import Fields, box_of, json_items, numbers, one_line, record
from benchmark.sources.safety import Unusable, files, inside
from benchmark.sources.trajectory import Finding, Shot, Trajectory, Turn

LICENCE = "Apache-2.0"
SINGLE = True
FOLDERS = ("", "images", "screenspot_imgs", "screenspotv2_image", "screenspot_v2_imgs")
MOBILE = ("mobile", "ios", "android")
DESKTOP = ("desktop", "pc", "windows", "macos", "linux")


def read(root: Path) -> Iterator[Trajectory | Finding]:
    """Every record of every list below the root."""
    for path in files(root, ".json"):
        shown = path.relative_to(root).as_posix()
        try:
            for line, value in json_items(inside(root, shown)):
                try:
                    yield _step(root, path, shown, line, record(value))
                except Unusable as error:
                    yield Finding(shown, line, str(error))
        except Unusable as error:
            yield Finding(shown, 1, str(error))


def _step(root: Path, path: Path, shown: str, line: int, value: Fields) -> Trajectory:
    name = value.text("img_filename")
    image = _image(root, path.parent, name)
    x, y, width, height = numbers(value.any("bbox"), 4, "field 'bbox'")
    box = box_of(x, y, x + width, y + height, "field 'bbox'")
    domain = _domain(path.stem, value.maybe("data_source"))
    source = value.maybe("data_source") or domain
    turn = Turn(Shot(image), Action(type="click", point=box.center), box)
    return Trajectory(domain, f"{path.stem}/{line}", source, shown, line, one_line(value.text("instruction")), (turn,))


def _image(root: Path, base: Path, name: str) -> Path:
    for folder in FOLDERS[:-1]:
        try:
            return inside(root, f"{folder}/{name}" if folder else name, base)
        except Unusable as error:
            if not str(error).startswith("there is no file"):
                raise
    return inside(root, f"{FOLDERS[-1]}/{name}", base)


def _domain(stem: str, source: str) -> Literal["web", "gui", "mobile"]:
    for text in (stem.casefold(), source.casefold()):
        if any(word in text for word in MOBILE):
            return "mobile"
        if any(word in text for word in DESKTOP):
            return "gui"
    return "web"
