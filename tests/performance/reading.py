"""How fast screens are read, and how well, on screens drawn for the purpose and on a folder of your own.

    python -m tests.performance.reading                   # drawn screens: texts read exactly, seconds a screen
    python -m tests.performance.reading FOLDER...         # every .png in the folders as well
    python -m tests.performance.reading --pool FOLDER...  # all of them fifty times over, through the process pool

CPU seconds are given because wall time on a busy machine says little; with one thread per process they are the wall
time of an idle core.
"""

from __future__ import annotations

import asyncio
import random
import resource
import sys
import time
from pathlib import Path

import numpy as np
from PIL import Image

from benchmark.construct.render import FORMS, Form, Screen, screen
from benchmark.images import read_rgb
from runner.reading import Line, Reader, Settings

WORDS = ("account", "transfer", "payment", "update", "system", "security", "permission", "delete", "remove", "confirm", "cancel", "settings", "storage", "network", "backup", "invoice", "receipt", "customer", "schedule", "message", "folder", "document", "archive", "report", "project", "review", "meeting", "calendar")  # fmt: skip


def page(form: Form, dark: bool) -> Screen:
    """A dense screen: a tool bar, a row of buttons, and lines of text from 11 to 16 px."""
    rng = random.Random(f"{form} {dark}")
    ink, ground, card = ("#e6e6ea", "#17181d", "#24262d") if dark else ("#1c1c22", "#f4f5f7", "#ffffff")
    narrow = form.width < 500
    count = 0

    def text(words: int, size: int, style: str = "") -> str:
        nonlocal count
        count += 1
        said = " ".join(rng.choice(WORDS) for _ in range(words)).capitalize()
        return f'<div id=t{count} data-role=text style="font-size:{size}px;white-space:nowrap;{style}">{said}</div>'

    bar = "".join(text(1, 13, "margin-right:14px") for _ in range(4 if narrow else 8))
    buttons = "".join(
        f'<div style="border:1px solid #9aa0aa;padding:7px 12px;margin-right:8px">{text(1, 13)}</div>'
        for _ in range(3 if narrow else 6)
    )
    height = 26 if narrow else 22
    columns = "".join(
        f'<div style="flex:1;background:{card};padding:14px;margin-right:16px">'
        + "".join(
            text(rng.randint(2, 3 if narrow else 6), rng.choice([11, 12, 13, 14, 15, 16]), f"height:{height}px")
            for _ in range((form.height - 140) // height)
        )
        + "</div>"
        for _ in range(1 if narrow else 2)
    )
    row = "display:flex;margin-bottom:10px"
    return screen(
        f'<div style="width:{form.width}px;height:{form.height}px;background:{ground};color:{ink};padding:12px">'
        f'<div style="{row}">{bar}</div><div style="{row}">{buttons}</div><div style="display:flex">{columns}</div></div>',
        form,
    )


def exact(drawn: Screen, lines: list[Line]) -> tuple[int, int]:
    """How many of the drawn texts were read to the letter, and how many there are."""
    right = 0
    for element in drawn.elements:
        found = " ".join(line.text for line in lines if element.box.contains(line.box.center))
        right += found == element.text
    return right, len(drawn.elements)


def one_by_one(paths: list[Path]) -> None:
    from runner.reading.engine import Engine

    start = time.process_time()
    engine = Engine(Settings())
    print(f"engine loaded in {time.process_time() - start:.1f} s of CPU")
    jobs: list[tuple[str, Image.Image, Screen | None]] = []
    for name, form in FORMS.items():
        for dark in (False, True):
            drawn = page(form, dark)
            jobs.append((f"drawn {name} {'dark' if dark else 'light'}", drawn.image, drawn))
    jobs += [(path.name, read_rgb(path), None) for path in paths]
    for title, image, truth in jobs:
        pixels = np.asarray(image)
        start = time.process_time()
        lines = engine.read(pixels)
        seconds = time.process_time() - start
        note = "" if truth is None else "  {} of {} texts exact".format(*exact(truth, lines))
        print(f"{title:<44} {image.width}x{image.height}  {seconds:5.2f} s  {len(lines):4d} lines{note}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


async def pooled(paths: list[Path], times: int) -> None:
    jobs = [paths[i % len(paths)] for i in range(times)]
    start = time.perf_counter()
    async with Reader() as reader:
        # One level apart, so that every image is another one to the reader.
        images = [read_rgb(path).point(lambda v, n=i: min(255, v + n // len(paths))) for i, path in enumerate(jobs)]
        await asyncio.gather(*(reader.read(image) for image in images))
        reads = reader.read_count
    wall = time.perf_counter() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{reads} screens in {wall:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of CPU in the workers")
    print(f"peak memory of one worker {used.ru_maxrss / 1024:.0f} MB")


def main(arguments: list[str]) -> None:
    folders = [Path(argument) for argument in arguments if not argument.startswith("--")]
    paths = [path for folder in folders for path in sorted(folder.glob("*.png"))]
    if "--pool" in arguments:
        asyncio.run(pooled(paths, 50))
    else:
        one_by_one(paths)


if __name__ == "__main__":
    main(sys.argv[1:])
