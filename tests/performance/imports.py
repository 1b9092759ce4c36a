"""Imports a large source: memory stays flat, progress is shown, and a build that was killed goes on.

A video of an hour is made and read too; its case may take no more than 300 MB.

  python -m tests.performance.imports [TRAJECTORIES] [CASES]

Writes TRAJECTORIES (5,000) recordings of three steps in the layout of OSWorld, with a few dozen screens between them, then
reads all of them twice and makes CASES of them (200), measuring peak memory of the process that reads. It fails when
memory grows with the number of recordings, or when a killed build does not end with the suite of an unbroken one.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import shutil
import sys
import tempfile
import time
from fractions import Fraction
from pathlib import Path

from PIL import Image

from benchmark.sources import osworld
from benchmark.sources.suite import FromSource
from tests import recordings

RATE = 1
"""Frames a second of the video."""

VIDEO_MB = 300
FLAT_MB = 60
"""What reading all trajectories may add to the process that did read a tenth of them."""


def write(root: Path, count: int) -> None:
    shots = [recordings.screen(root / "shots" / f"{n}.png", (1366, 768), f"screen {n}") for n in range(12)]
    for n in range(count):
        app = ("mail", "files", "editor", "browser")[n % 4]
        (root / "examples" / app).mkdir(parents=True, exist_ok=True)
        task = {"id": f"t{n}", "instruction": f"Rename the folder of month {n} and save it."}
        (root / "examples" / app / f"t{n}.json").write_text(json.dumps(task))
        run = root / "runs" / app / f"t{n}"
        run.mkdir(parents=True)
        rows: list[object] = []
        for step in range(4):
            os.link(shots[(n + step) % len(shots)], run / f"step_{step}_x.png")
            action = f"pyautogui.click({60 + n % 300}, {90 + 26 * (n % 9)})"
            rows.append({"step_num": step, "action": action, "screenshot_file": f"step_{step}_x.png"})
        recordings.lines(run / "traj.jsonl", rows)


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def build(root: str, folder: str, sample: int, stop_after: int | None) -> None:
    def progress(done: int, total: int) -> None:
        if stop_after is not None and done >= stop_after:
            os._exit(9)

    FromSource("osworld", root, path=folder, sample=sample, workers=2).finish(progress)


def hour(root: Path) -> None:
    """A video of an hour, 720 lines high, with a key frame every ten minutes, and one question about its end."""
    import av

    root.mkdir()
    with av.open(str(root / "hour.mp4"), "w") as container:
        stream = container.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        stream.options = {"preset": "ultrafast", "g": str(600 * RATE)}
        for number in range(3600 * RATE):
            if number % (10 * RATE) == 0:
                image = Image.new("RGB", (1280, 720), (number % 256, number // 7 % 256, 90))
                frame = av.VideoFrame.from_image(image).reformat(format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    asked = "What is shown?\n(A) A colour\n(B) A face"
    qa = [{"uid": "1", "question": asked, "answer": "A", "question_type": ["summary"], "time_reference": "58:10-59:50"}]
    recordings.lines(root / "video_info.meta.jsonl", [{"key": "hour", "type": "colours", "video_info": {}, "qa": qa}])


def film(root: str, folder: str) -> None:
    FromSource("lvbench", root, path=folder, workers=1).finish()
    most = peak()
    print(f"the case of an hour of video took {most:.0f} MB")
    raise SystemExit(0 if most < VIDEO_MB else 1)


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    base = Path(tempfile.mkdtemp(prefix="imports-"))
    try:
        root = base / "data"
        write(root, count)
        started = time.monotonic()
        reader, early = osworld.read(root.resolve()), 0.0
        for number, _ in enumerate(reader, start=1):
            if number == count // 10:
                early = peak()
        late, took = peak(), time.monotonic() - started
        print(f"read {count} trajectories in {took:.1f} s; {early:.0f} MB after a tenth, {late:.0f} MB at the end")
        failed = late - early > FLAT_MB
        spawn = multiprocessing.get_context("spawn")
        started = time.monotonic()
        for folder, stop in (("whole", None), ("broken", cases // 3), ("broken", None)):
            process = spawn.Process(target=build, args=(str(root), str(base / folder), cases, stop))
            process.start()
            process.join()
            print(f"{folder}: exit {process.exitcode} after {time.monotonic() - started:.0f} s")
            started = time.monotonic()
        same = (base / "whole" / "suite.json").read_bytes() == (base / "broken" / "suite.json").read_bytes()
        children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"the killed build ends with the same suite: {same}; largest process of the builds {children:.0f} MB")
        hour(base / "video")
        process = spawn.Process(target=film, args=(str(base / "video"), str(base / "film")))
        process.start()
        process.join()
        return 1 if failed or not same or process.exitcode else 0
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    raise SystemExit(main())
