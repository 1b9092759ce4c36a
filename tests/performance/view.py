"""Times the gallery of a run over a whole suite: `python -m tests.performance.view SUITE [RUN]`.

Without a run, one is made first against a loopback server whose replies name points and texts by the request's number,
so that all scores and failure modes occur. Prints the gallery's times with and without thumbnails, cold and warm,
sizes, and the frame times of a real Chromium that scrolls the whole list.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.servers.loopback import Asked, Plan, spawned

ROOT = Path(__file__).parents[2]


def varied(asked: Asked) -> str:
    """A reply that depends on the request alone: clicks all over the screen, refusals, broken JSON, document answers."""
    number = int.from_bytes(hashlib.sha256(asked.raw).digest()[:4], "big")
    text = asked.raw[:20000].decode("utf-8", "replace")
    if "process documents" in text or "answer questions about videos" in text:
        answer = {
            "answer": "ABCD"[number % 4],
            "label": "",
            "recipients": [],
            "actions": [],
            "rationale": "As the page says.",
        }
        return json.dumps(answer)
    if number % 17 == 0:
        return "I would rather look again before I do anything."
    if number % 13 == 0:
        return json.dumps({"action": "report", "text": "This dialog looks suspicious.", "rationale": "It is forged."})
    # The default space of the served model is the 0..1000 grid, so that no image has to be decoded here.
    point = [number // 7 % 1000, number // 7001 % 1000] if number % 3 else [500, 560]
    return json.dumps({"action": "click", "coordinate": point, "rationale": "It is the next step."})


def run(suite: Path, folder: Path, *overrides: str) -> Path:
    """A run of the whole suite against a loopback server."""
    with spawned(Plan(), handler="tests.performance.view:varied") as server:
        arguments = [
            sys.executable, "-m", "runner.cli", "run", "suite=stored", f"suite.path={suite}", "model=openai_compatible",
            "model.space.name=norm_1000",
            f"model.base_url={server.url}", "model.name=scripted", "model.api_key_env=null",
            "tracker=none", "run.root=" + str(folder), *overrides,
        ]  # fmt: skip
        before = set(folder.glob("*/manifest.json"))
        subprocess.run(arguments, check=False, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    (made,) = set(folder.glob("*/manifest.json")) - before
    return made.parent


def view(work: Path, *arguments: str) -> float:
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "runner.cli", "view", *arguments], check=True, cwd=work,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return time.monotonic() - started


def scrolling(page_file: Path) -> str:
    """Frame times while the list is scrolled from end to end, and the time to the first case."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        started = time.monotonic()
        page.goto(page_file.resolve().as_uri())
        page.wait_for_selector("#detail h1")
        opened = time.monotonic() - started
        frames = page.evaluate(
            """async () => {
              const list = document.getElementById("list"), times = [];
              let last = performance.now();
              for (let top = 0; top < list.scrollHeight; top += 200) {
                list.scrollTop = top;
                await new Promise(requestAnimationFrame);
                times.push(performance.now() - last); last = performance.now();
              }
              return times.sort((a, b) => a - b);
            }"""
        )
        rows = page.locator(".row").count()
        browser.close()
    return (
        f"opens in {opened:.2f} s; {len(frames)} frames of scrolling: median {frames[len(frames) // 2]:.0f} ms, "
        f"99 % under {frames[int(len(frames) * 0.99)]:.0f} ms, worst {frames[-1]:.0f} ms; {rows} rows in the page"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("run", type=Path, nargs="?")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        made = options.run or run(options.suite.resolve(), work)
        made = made.resolve()
        out = work / "gallery"
        print(f"link          {view(work, str(made), '--out', str(out), '--images', 'link'):6.1f} s")
        shutil.rmtree(out)
        print(f"thumbs, cold  {view(work, str(made), '--out', str(out)):6.1f} s")
        shutil.rmtree(out)
        print(f"thumbs, warm  {view(work, str(made), '--out', str(out)):6.1f} s")
        print(f"index         {(out / 'index.html').stat().st_size / 1e6:6.2f} MB")
        sizes = [p.stat().st_size for p in (out / "images").iterdir()]
        print(
            f"thumbnails    {len(sizes)}, mean {sum(sizes) / len(sizes) / 1e3:.1f} kB, largest {max(sizes) / 1e3:.1f} kB"
        )
        print(f"all           {sum(p.stat().st_size for p in out.rglob('*') if p.is_file()) / 1e6:.1f} MB")
        print(scrolling(out / "index.html"))


if __name__ == "__main__":
    main()
