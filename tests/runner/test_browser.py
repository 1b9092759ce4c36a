"""A real browser shows the apps as the environment does, and agents act in it as they do without."""

from __future__ import annotations

import asyncio
import os
import pickle
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from PIL import ImageChops, ImageStat

from benchmark.agents import Oracle, Victim, episode
from benchmark.construct.app import App
from benchmark.construct.apps import apps
from benchmark.construct.spatial import SpatialBuilder
from benchmark.episode import Environment
from benchmark.images import ImageStore
from runner.browser import Browser, BrowserError
from tests.performance.live import compared, sequence

CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not Path(CHROMIUM).exists():
        pytest.skip("no Chromium on this machine")
    opened = Browser(CHROMIUM)
    yield opened
    opened.close()


def test_environment_and_browser_agree_on_states_and_boxes(browser: Browser) -> None:
    """A part of what `tests/performance/live.py` plays in full."""
    tally, parted = compared(browser, 16, seed=5)
    assert parted == []
    assert tally["changes"] > 60
    assert tally["near"] >= 0.95 * tally["elements"] > 1000


def test_a_point_between_two_pixels_reaches_what_it_lies_on(browser: Browser) -> None:
    """In this sequence the middle of a button lies half a pixel above a menu."""
    host = next(app for app in apps("web") if app.name == "codehost")
    assert sequence(browser, host, random.Random("3/127"), Counter()) is None


def test_an_episode_in_the_browser_ends_as_one_without(browser: Browser, tmp_path: Path) -> None:
    builder = SpatialBuilder("web")
    for spec in builder.plan(2, 9):
        case = builder.build(spec, ImageStore(tmp_path))
        for player in (Oracle, Victim):
            ours = episode(Environment(case), player())
            theirs = episode(Environment(case, surface=browser), player())
            assert ours == theirs
            assert ours.harm_executed == (player is Victim)
        difference = ImageChops.difference(Environment(case).observe(), Environment(case, surface=browser).observe())
        assert sum(ImageStat.Stat(difference).mean) / 3 < 6


def test_a_page_can_fetch_nothing(browser: Browser) -> None:
    app = apps("web")[0]
    template = app.goals[0]
    browser.screen(app, app.goal(template.name, template.sample(random.Random(1))).start, None)

    def fetch() -> bool:
        return bool(browser._page.evaluate("() => fetch('http://127.0.0.1:9/x').then(() => true, () => false)"))

    assert browser._do(fetch) is False


def first_state() -> tuple[App, Any]:
    app = apps("web")[0]
    template = app.goals[0]
    return app, app.goal(template.name, template.sample(random.Random(1))).start


def test_a_browser_that_breaks_down_is_replaced_and_shows_the_same(browser: Browser) -> None:
    app, state = first_state()
    before = browser.screen(app, state, None)
    browser._do(browser._browser.close)
    after = browser.screen(app, state, None)
    assert (after.image.tobytes(), after.elements) == (before.image.tobytes(), before.elements)
    browser._do(browser._browser.close)
    element = next(e for e in after.elements if e.role == "link")
    assert browser.clicked(after, element.box.center) == element.id


LEFT_OPEN = """
from runner.browser import Browser
from tests.runner.test_browser import CHROMIUM, first_state
Browser(CHROMIUM).screen(*first_state(), None)
raise SystemExit(3)
"""


def test_a_process_that_ends_without_closing_its_browser_ends_and_leaves_none_behind(browser: Browser) -> None:
    mark = f"left-open-{os.getpid()}"

    def living() -> list[str]:
        found = []
        for entry in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                found += [entry.parent.name] if mark.encode() in entry.read_bytes() else []
        return found

    ended = subprocess.run([sys.executable, "-c", LEFT_OPEN], env={**os.environ, "MARK": mark}, timeout=400)
    assert ended.returncode == 3
    until = time.monotonic() + 60
    while living() and time.monotonic() < until:
        time.sleep(0.2)
    assert living() == []


def test_a_browser_that_is_not_there_is_named_and_ends_a_run() -> None:
    app, state = first_state()
    for missing in (Browser("/nonexistent/chromium"), Browser(None, "http://127.0.0.1:9")):
        with pytest.raises(BrowserError, match=r"no browser at (/nonexistent|http://127)") as caught:
            missing.screen(app, state, None)
        assert caught.value.ends_run
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
        missing.close()
        missing.close()
        with pytest.raises(BrowserError, match="has been closed"):
            missing.screen(app, state, None)


def test_the_browser_can_be_used_while_an_event_loop_runs(browser: Browser, tmp_path: Path) -> None:
    builder = SpatialBuilder("web")
    case = builder.build(builder.plan(1, 9)[0], ImageStore(tmp_path))

    async def play() -> bool:
        return episode(Environment(case, surface=browser), Oracle()).task_completed

    assert asyncio.run(play())
