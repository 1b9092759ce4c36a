"""`mma annotate`: its server, and the page in a real browser."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmark.images import ImageStore
from benchmark.sources.official import OfficialSuite, read_boxes
from runner.annotate.server import Boxes, server
from runner.commands.annotate import AnnotateUsageError, wishes_of
from tests import official_release as release

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="module")
def suite(tmp_path_factory) -> OfficialSuite:
    root = tmp_path_factory.mktemp("release")
    release.web(root)
    release.mobile(root)
    made = OfficialSuite(str(root), path=str(tmp_path_factory.mktemp("suite")))
    made.finish()
    return made


@contextmanager
def served(suite, out):
    cases = [suite.case(e.id) for e in suite.entries()]
    made, address = server(cases, ImageStore(suite.folder), Boxes(out))
    thread = threading.Thread(target=made.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield address, cases
    finally:
        made.shutdown()
        made.server_close()
        thread.join()


def status(address: str, body: bytes | None = None, host: str = "") -> int:
    request = urllib.request.Request(address, data=body, headers={"Host": host} if host else {})
    try:
        with urllib.request.urlopen(request, timeout=10) as reply:
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return int(error.code)


def test_boxes_are_checked_saved_and_read_again(suite, tmp_path):
    out = tmp_path / "boxes.json"
    with served(suite, out) as (address, cases):
        id = cases[0].id
        good = {"target": [490, 340, 610, 375], "reference": [[20, 100, 200, 130]]}
        assert status(f"{address}boxes/{id}", json.dumps(good).encode()) == 200
        for bad in (
            {"target": [1, 2, 3]},
            {"target": [5, 5, 5, 9]},
            {"target": [0, 0, 9999, 9]},
            {"target": "all"},
            [1],
        ):
            assert status(f"{address}boxes/{id}", json.dumps(bad).encode()) == 400
        assert status(f"{address}boxes/nobody", b"{}") == 400
        assert status(f"{address}boxes/{id}", b"{broken") == 400
    assert read_boxes(out)[id].target.x0 == 490
    assert Boxes(out).held[id] == good


def test_a_case_without_a_target_is_not_kept(suite, tmp_path):
    out = tmp_path / "boxes.json"
    with served(suite, out) as (address, cases):
        status(f"{address}boxes/{cases[0].id}", json.dumps({"target": [1, 1, 9, 9]}).encode())
        status(f"{address}boxes/{cases[0].id}", json.dumps({"dismissal": [1, 1, 9, 9]}).encode())
    assert json.loads(out.read_text()) == {}


def test_nobody_gets_in_without_the_token_or_by_another_name(suite, tmp_path):
    with served(suite, tmp_path / "b.json") as (address, cases):
        base = address.rsplit("/", 2)[0]
        assert status(f"{address}cases") == 200
        assert status(f"{address}image/{cases[0].injected.hash}") == 200
        assert status(f"{base}/cases") == 404
        assert status(f"{base}/wrong/cases") == 404
        assert status(f"{address}cases", host="evil.example") == 404
        assert status(f"{address}image/../suite.json") == 404


def test_what_cannot_be_followed_is_named():
    assert wishes_of(["suite.root=x", "--out=b.json", "--no-browser"]) == (
        Path("b.json"),
        False,
        ["suite=official", "suite.root=x"],
    )
    with pytest.raises(AnnotateUsageError, match="--fast"):
        wishes_of(["--fast"])
    with pytest.raises(AnnotateUsageError, match="needs a file"):
        wishes_of(["--out"])


@pytest.mark.skipif(not CHROMIUM.is_file(), reason="there is no Chromium on this machine")
def test_a_box_drawn_in_the_browser_is_in_the_file_in_pixels_of_the_image(suite, tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    out = tmp_path / "boxes.json"
    with served(suite, out) as (address, cases), playwright.sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 700})
        page.goto(address)
        page.wait_for_function("document.body.dataset.shown")
        frame = page.locator("#sheet").bounding_box()
        scale = frame["width"] / cases[0].injected.width
        at = [(frame["x"] + x * scale, frame["y"] + y * scale) for x, y in ((490, 340), (610, 375))]
        page.mouse.move(*at[0])
        page.mouse.down()
        page.mouse.move(*at[1], steps=4)
        page.mouse.up()
        page.wait_for_function("document.getElementById('said').textContent === 'saved'")
        page.screenshot(path=str(tmp_path / "page.png"))
        page.keyboard.press("Enter")
        page.wait_for_function(f"document.body.dataset.shown === {json.dumps(cases[1].id)}")
        browser.close()
    box = read_boxes(out)[cases[0].id].target
    assert all(
        abs(found - wanted) <= 2 for found, wanted in zip((box.x0, box.y0, box.x1, box.y1), (490, 340, 610, 375))
    )
