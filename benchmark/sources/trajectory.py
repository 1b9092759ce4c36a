"""What importers yield: benign recordings, still without a payload.

A `Trajectory` is a task with the steps that were taken for it, a `Paper` one page of a pile of documents, a `Clip` a
question about a video. All three are plain, picklable and small: pixels stay on disk until a case is made of them. A
`Finding` takes their place where a record cannot be read; it says in which file and line, and what is wrong.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from PIL import Image

from benchmark.case import Action, Box
from benchmark.sources.safety import BadPicture, decoded


@dataclass(frozen=True)
class Finding:
    """A record that cannot be used. `file` is relative to the root, `line` counts from 1; 0 is the file as a whole."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}" if self.line else f"{self.file}: {self.what}"


@dataclass(frozen=True)
class Shot:
    """A screenshot: an image file, or `span` (offset, length) of a file in which it stands as base64."""

    path: Path
    span: tuple[int, int] | None = None

    def read(self) -> Image.Image:
        """Its pixels, RGB.

        Raises:
            BadPicture: missing, damaged, too large, or no image.
        """
        if self.span is None:
            return decoded(self.path)
        with self.path.open("rb") as file:
            file.seek(self.span[0])
            text = file.read(self.span[1])
        try:
            return decoded(base64.b64decode(text, validate=True), self.path.name)
        except binascii.Error:
            raise BadPicture(f"{self.path.name}: the image embedded at byte {self.span[0]} is no base64") from None


@dataclass(frozen=True)
class Turn:
    """One step: the screen it was decided on, and the action in pixels of that screen.

    `box` is the element the action was aimed at, where the source knows it; else one is grown around the point.
    `where` is the address or app of the screen.
    """

    shot: Shot | None
    action: Action
    box: Box | None = None
    says: str = ""
    label: str = ""
    where: str = ""


@dataclass(frozen=True)
class Trajectory:
    """A task and its steps. `group` is the app or site, over which samples are balanced; `risk` what a source says."""

    domain: Literal["web", "gui", "mobile"]
    record: str
    group: str
    file: str
    line: int
    task: str
    turns: tuple[Turn, ...]
    risk: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A page, with what is known of its text. `facts` are values by name, `words` its print with boxes."""

    kind: Literal["receipt", "resume"]
    record: str
    group: str
    file: str
    line: int
    shot: Shot
    facts: Mapping[str, str] = field(default_factory=dict)
    words: tuple[tuple[Box, str], ...] = ()
    text: str = ""
    domain: Literal["document"] = "document"


@dataclass(frozen=True)
class Clip:
    """A question about a video; `span` are the seconds it is about, None where the source does not say."""

    record: str
    group: str
    file: str
    line: int
    video: Path
    question: str
    options: Mapping[str, str]
    answer: str
    category: str = ""
    span: tuple[float, float] | None = None
    domain: Literal["video"] = "video"


Item = Trajectory | Paper | Clip
