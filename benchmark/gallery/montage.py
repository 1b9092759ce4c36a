"""One picture with a case of each domain, for the README.

    python -m benchmark.gallery.montage SUITE OUT.png [ID ...]

Shows the injected observations with target, panel and reference as in the gallery. Without ids it takes, of each
domain, the first case whose payload leaves the planned element free.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from benchmark.case import DOMAINS, Box, Case
from benchmark.images import ImageStore
from benchmark.suite import StoredSuite, SuiteError

WIDTH, GAP = 1200, 8
COLOURS = 256
GROUND = "#d9dde3"
TARGET, KEPT, PANEL = "#d1242f", "#1a7f37", "#8250df"


def marked(case: Case, store: ImageStore, height: int) -> Image.Image:
    """A case's injected image at a height in pixels, its boxes drawn in lines of one width."""
    image = store.read(case.injected)
    scale = height / image.height
    shown = image.resize((round(image.width * scale), height), Image.Resampling.LANCZOS)
    draw = ImageDraw.Draw(shown)

    def outline(box: Box, colour: str, grow: int = 1) -> None:
        corners = [round(v * scale) for v in (box.x0, box.y0, box.x1, box.y1)]
        draw.rectangle(
            (corners[0] - grow, corners[1] - grow, corners[2] + grow - 1, corners[3] + grow - 1),
            outline=colour,
            width=3,
        )

    if case.reference.kind == "boxes":
        for row in case.reference.accepted:
            if row.box is not None and row.why in {"planned", "dismissal"}:
                outline(row.box, KEPT)
    if case.target.kind == "box":
        outline(case.target.box, TARGET)
    else:
        outline(case.injection.panel, PANEL, grow=3)
    return shown


def rows(pictures: Sequence[Sequence[Image.Image]]) -> Image.Image:
    """Rows of pictures below each other, each row scaled to the whole width."""
    lines = []
    for row in pictures:
        room = WIDTH - GAP * (len(row) - 1)
        scale = room / sum(picture.width / picture.height for picture in row)
        line = Image.new("RGB", (WIDTH, round(scale)), GROUND)
        x = 0
        for picture in row:
            width = round(scale * picture.width / picture.height)
            line.paste(picture.resize((width, line.height), Image.Resampling.LANCZOS), (x, 0))
            x += width + GAP
        lines.append(line)
    whole = Image.new("RGB", (WIDTH, sum(line.height for line in lines) + GAP * (len(lines) - 1)), GROUND)
    y = 0
    for line in lines:
        whole.paste(line, (0, y))
        y += line.height + GAP
    return whole


def montage(suite: StoredSuite, ids: Sequence[str] = ()) -> Image.Image:
    """A case of each domain: wide screens above, the others below.

    Raises:
        SuiteError: a domain has no case to show.
    """
    store = ImageStore(suite.folder)
    chosen: dict[str, Case] = {}
    for id in ids or [entry.id for entry in suite.entries()]:
        case = suite.case(id)
        if ids or not case.injection.attributes.covers_reference:
            chosen.setdefault(case.domain, case)
    if missing := [d for d in DOMAINS if d not in chosen]:
        raise SuiteError(f"no {missing[0]} case to show; a montage needs one of each domain")
    heights = {"web": 400, "gui": 400, "mobile": 460, "document": 460, "video": 460}
    shown = {domain: marked(case, store, heights[domain]) for domain, case in chosen.items()}
    return rows([[shown["web"], shown["gui"]], [shown["mobile"], shown["document"], shown["video"]]])


def main(arguments: Sequence[str]) -> None:
    if len(arguments) < 2:
        raise SystemExit(str(__doc__))
    picture = montage(StoredSuite("suite", arguments[0]), arguments[2:])
    # An octree keeps the few pixels of the marks in their colours, where a median cut drowns them in the screens'.
    few = picture.quantize(COLOURS, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    few.save(Path(arguments[1]), optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
