"""The gallery in a real Chromium, opened from disk: what a reader finds, and that nothing a model says can act."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.servers.loopback import Answer, Asked, Loopback, Plan
from tests.small_suite import PLANNED, TARGET, click, write_suite

ROOT = Path(__file__).parents[3]
CHROMIUM = "/usr/bin/chromium"

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script><!--",
    "<img src=x onerror=alert(3)><svg onload=alert(4)><iframe srcdoc='<script>alert(5)</script>'>",
    "\x1b[31mred\x1b[0m \x1b]8;;http://host.example\x07link\x1b]8;;\x07",
    "invoice\u202egnp.exe \u2066hidden\u2069 zero\u200bwidth",
    "broken \ud800 half and \x00 nothing",
    "javascript:alert(6) {{title}} ${alert(7)} `",
    "long " + "A" * 300_000,
)


def hostile(asked: Asked) -> Answer:
    """One of the hostile texts in turn, as the reply, its rationale, its reasoning, its model name and a tool call."""
    text = HOSTILE[asked.number % len(HOSTILE)]
    body = {"action": "click", "coordinate": [580, 320], "rationale": text, "text": text}
    return Answer(text=text + "\n" + json.dumps(body), reasoning=text, model=text[:100])


def run_mma(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "runner.cli", *arguments], cwd=folder, capture_output=True, text=True, timeout=180,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_of(folder: Path, suite: Path, server: Loopback, name: str, *overrides: str) -> Path:
    run_mma(
        folder, "run", "suite=stored", f"suite.path={suite}", "model=openai_compatible",
        "model.space.name=pixel", f"model.base_url={server.url}",
        "model.name=stub", "model.label='<b>stub</b>'", "tracker=none", f"run.dir={folder / name}", *overrides,
    )  # fmt: skip
    return folder / name


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs of one small suite: `hostile`, `hit` (all targets met) and `kept` (under another control)."""
    folder = tmp_path_factory.mktemp("gallery")
    suite = write_suite(folder / "suite", {"web": 18, "document": 6})
    with Loopback(Plan(), handler=hostile) as server:
        run_of(folder, suite, server, "hostile")
    with Loopback(Plan(reply=click(TARGET.center))) as server:
        run_of(folder, suite, server, "hit")
        server.plan = Plan(reply=click(PLANNED.center))
        run_of(folder, suite, server, "kept", "prompt=neutral", "domain=web")
    run_mma(folder, "view", "hostile", "--zip")
    run_mma(folder, "view", "hit", "kept", "--out", "both")
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails the test when a dialog opens, a script fails, or something is asked from a network."""
    page = browser.new_page(viewport={"width": 1300, "height": 800})
    accidents: list[str] = []
    page.on("dialog", lambda dialog: (accidents.append(f"dialog {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: accidents.append(f"error {error}"))
    page.on("request", lambda request: request.url.startswith("file:") or accidents.append(request.url))
    yield page
    page.close()
    assert accidents == []


def opened(page: Page, index: Path, anchor: str = "") -> None:
    page.goto(index.as_uri() + anchor)
    page.wait_for_selector("#detail h1")


def until(page: Page, expression: str) -> None:
    """Waits for an expression to hold; asked from outside, because the page's policy forbids `eval`."""
    deadline = time.monotonic() + 30
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(20)


LOADED = "[...document.querySelectorAll('{} img')].every(i => i.complete && i.naturalWidth > 0)"


def every_detail(page: Page) -> Iterator[str]:
    """Walks through all cases with the keyboard and yields the text of each."""
    count = page.evaluate("index.cases.length")
    page.keyboard.press("Home")
    for number in range(count):
        id = page.evaluate(f"state.rows[{number}].id")
        until(page, f"document.querySelector('#detail h1').textContent === '{id}'")
        yield page.inner_text("#detail")
        page.keyboard.press("j")


def test_hostile_replies_are_shown_literally_and_nothing_in_them_acts(runs: Path, page: Page) -> None:
    opened(page, runs / "hostile" / "gallery" / "index.html")
    page.keyboard.press("m")
    seen = "\n".join(every_detail(page))
    for text in (
        "<script>alert(1)</script>",
        "</script><script>alert(2)</script><!--",
        "<img src=x onerror=alert(3)>",
        "{{title}} ${alert(7)} `",
    ):
        assert text in seen
    for number in ("U+001B", "U+202E", "U+2066", "U+200B", "U+0000", "U+0007"):
        assert number in seen
    assert "show 56,000 more characters" in seen  # the long one is cut, with a way to see the rest
    assert "more characters are in answers.jsonl" in seen
    assert page.locator("#detail script, #detail iframe, #detail img[src=x], #detail svg[onload]").count() == 0
    assert "<b>stub</b>" in page.inner_text("#runs")


def test_the_policy_would_stop_a_script_even_if_markup_got_in(runs: Path, page: Page) -> None:
    opened(page, runs / "hostile" / "gallery" / "index.html")
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<img src=\"file:///nowhere\" onerror=\"window.acted = 1\">')"
    )
    page.wait_for_timeout(300)
    assert page.evaluate("window.acted") is None


def test_a_case_shows_its_screens_its_messages_and_why_it_was_scored(runs: Path, page: Page) -> None:
    opened(page, runs / "both" / "index.html", "#web-0003")
    assert page.inner_text("#detail h1") == "web-0003"
    until(page, LOADED.format(".screens"))
    assert page.locator(".screens img").count() == 2
    page.locator(".strip").scroll_into_view_if_needed()
    until(page, LOADED.format(".strip"))
    text = page.inner_text("#detail")
    for said in (
        "target matched",
        "attentional bypass",
        "click at (580, 320)",
        "Archive the second entry",
        "Erase archive now",
        "I open the list.",
    ):
        assert said in text
    # The ring of run A lies in the drawn target: both are in pixels of the stored image.
    target = page.locator(".injected .overlay .target").first
    ring = page.locator(".injected .overlay .ring.run-A")
    assert (float(target.get_attribute("x")), float(target.get_attribute("width"))) == (TARGET.x0, TARGET.width)
    assert TARGET.x0 < float(ring.get_attribute("cx")) < TARGET.x1
    page.keyboard.press("m")
    messages = page.inner_text(".messages >> nth=0")
    assert "Decide the single next action" in messages
    assert "[image: current observation, injected, 800x600]" in messages
    assert "another key" not in messages
    assert "evidence for the task" in page.inner_text(".messages >> nth=1")


def test_filters_search_and_keys_lead_to_the_same_cases(runs: Path, page: Page) -> None:
    opened(page, runs / "both" / "index.html")
    assert page.inner_text("#count") == "24 cases"
    page.select_option("select[aria-label=domain]", "web")
    assert page.inner_text("#count") == "18 of 24 cases"
    page.select_option("select[aria-label=change]", "target met only in A")
    assert page.inner_text("#count") == "18 of 24 cases"
    page.select_option("select[aria-label=control]", "1")
    page.select_option("select[aria-label=score]", "5")
    assert page.inner_text("#count") == "0 of 24 cases"
    page.click("#clear")
    page.select_option("select[aria-label=intent]", "data_leakage")
    assert page.inner_text("#count") == "8 of 24 cases"
    page.click("#clear")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("web-0007 erase")
    until(page, "document.getElementById('count').textContent.startsWith('1 of')")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#detail h1').textContent === 'web-0007'")
    assert page.evaluate("location.hash") == "#web-0007"
    page.keyboard.press("b")
    assert not page.locator(".screens svg").first.is_visible()


def test_a_narrow_screen_shows_the_list_then_the_case(runs: Path, page: Page) -> None:
    page.set_viewport_size({"width": 380, "height": 700})
    page.goto((runs / "both" / "index.html").as_uri())
    page.click("#row-web-0001")
    page.wait_for_selector("#detail h1")
    assert page.locator("#detail").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    page.click(".back")
    assert page.locator("#list").is_visible()
    assert not page.locator("#detail").is_visible()


def test_the_packed_gallery_opens_where_nothing_else_is(runs: Path, page: Page, tmp_path: Path) -> None:
    with zipfile.ZipFile(runs / "hostile" / "gallery.zip") as archive:
        archive.extractall(tmp_path)
    opened(page, tmp_path / "gallery" / "index.html", "#document-0002")
    until(page, LOADED.format(".screens"))
    assert str(runs) not in (tmp_path / "gallery" / "index.html").read_text()
    images = list((tmp_path / "gallery" / "images").iterdir())
    assert max(p.stat().st_size for p in images) <= 40_000


def test_links_and_full_images_show_the_stored_pixels(runs: Path, page: Page) -> None:
    for mode in ("link", "full"):
        run_mma(runs, "view", "hit", "--images", mode, "--out", mode)
        opened(page, runs / mode / "index.html", "#web-0001")
        until(page, "[...document.querySelectorAll('.screens img')].every(i => i.complete && i.naturalWidth === 800)")
    assert not (runs / "link" / "images").exists()


def test_what_is_missing_is_said_in_one_line(runs: Path, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    for arguments, said in (
        (["view", "run"], "no manifest.json"),
        (["view", str(runs / "hit"), "--suite", "run"], "no cases"),
        (["view", str(runs / "hit"), "--zip", "--images", "link"], "--zip"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "runner.cli", *arguments], cwd=tmp_path, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_thumbnails_of_noise_stay_below_their_limit_too() -> None:
    from PIL import Image

    from runner.report.gallery.thumbnails import MAX_BYTES, encoded

    noise = Image.frombytes("RGB", (1200, 900), os.urandom(1200 * 900 * 3))
    data = encoded(noise, 960)
    assert len(data) <= MAX_BYTES, base64.b64encode(data[:8])


def test_thumbnails_made_with_the_suite_are_all_that_its_galleries_need(tmp_path: Path) -> None:
    from benchmark.suite import StoredSuite
    from runner.report.gallery.thumbnails import MAX_BYTES, cache_of, keep, listed, make

    suite = write_suite(tmp_path / "suites" / "small", {"web": 3, "document": 2})
    stored = StoredSuite("small", str(suite))
    cases = [stored.case(entry.id) for entry in stored.entries()]
    steps: list[tuple[int, int]] = []
    assert keep(cases, suite, lambda done, total: steps.append((done, total))) == []
    assert steps[-1][0] == steps[-1][1] > 0
    for image in (suite / "images").rglob("*.png"):
        image.unlink()
    large = {ref.hash for case in cases for ref in (case.injected, case.clean) if ref is not None}
    strip = {step.image.hash for case in cases for step in case.history if step.image is not None}
    assert strip
    wanted = listed(large, strip, suite, tmp_path / "gallery")
    assert make(wanted, cache_of(suite)) == []
    sizes = [one.target.stat().st_size for one in wanted if one.target is not None]
    assert len(sizes) == len(large) + len(strip)
    assert 0 < max(sizes) <= MAX_BYTES
    assert keep(cases, suite) == []  # also with nothing left to read
