"""The gallery of a suite in a real Chromium, opened from disk: what it shows, what its filters do, and that it is inert."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmark import gallery
from benchmark.case import Case
from benchmark.suite import StoredSuite
from tests.small_suite import TARGET, write_suite

HOSTILE = (
    "</script><script>document.title='taken'</script>",
    "<img src=x onerror=\"document.title='taken'\"><svg onload=\"document.title='taken'\">",
    '" autofocus onfocus="document.title=1" data-x="',
    "{{ 7 * 7 }} {% raw %} ${7*7}",
)


def hostile(case: Case, number: int) -> Case:
    text = HOSTILE[number % len(HOSTILE)]
    runs = tuple(run.model_copy(update={"text": f"{text} {run.text}"}) for run in case.injection.texts)
    steps = tuple(step.model_copy(update={"says": text, "label": text}) for step in case.steps)
    attributes = case.injection.attributes.model_copy(update={"wording": text, "style": text if number == 1 else "modal"})
    return case.model_copy(
        update={
            "task": f"{text} number {number}",
            "steps": steps,
            "injection": case.injection.model_copy(update={"texts": runs, "attributes": attributes}),
            "provenance": case.provenance.model_copy(update={"notes": (text,), "extras": {text[:8]: text}}),
        }
    )


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_suite(
        tmp_path_factory.mktemp("gallery") / "a suite & <b>",
        {"web": 9, "gui": 2, "mobile": 3, "document": 3, "video": 2},
    )
    suite = StoredSuite("small", str(folder))
    cases = {e.id: hostile(suite.case(e.id), n) for n, e in enumerate(suite.entries())}
    (folder / "gallery-web-2.html").write_text("left over")
    done: list[tuple[int, int]] = []
    found = gallery.write(folder, suite.info, suite.entries(), cases.__getitem__, lambda *at: done.append(at))
    assert done == [(n, 5) for n in range(1, 6)]
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 1400, "height": 900})
    troubles: list[str] = []
    opened.on("console", lambda message: troubles.append(message.text))
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("requestfailed", lambda request: troubles.append(request.url))
    opened.on("request", lambda request: troubles.append(request.url) if not request.url.startswith("file:") else None)
    yield opened
    assert opened.title() not in {"taken", "1"}
    opened.close()
    assert troubles == []


def test_the_index_leads_to_every_domain_and_shows_cases_of_each(index: Path, page: Page) -> None:
    page.goto(index.as_uri())
    assert page.locator("section h2 a").all_inner_texts() == [
        "web, 9 cases", "gui, 2 cases", "mobile, 3 cases", "document, 3 cases", "video, 2 cases"
    ]  # fmt: skip
    assert page.locator("section.web .samples img").count() == 3
    page.locator("section.mobile h2 a").click()
    assert page.locator("article.case").count() == 3
    assert not (index.parent / "gallery-web-2.html").exists()


def test_a_case_shows_both_pictures_with_its_boxes_in_their_places(index: Path, page: Page) -> None:
    page.goto((index.parent / "gallery-web.html").as_uri())
    case = page.locator("#web-0000")
    case.scroll_into_view_if_needed()
    pictures = case.locator(".pair img")
    assert pictures.count() == 2
    for picture in pictures.all():
        picture.scroll_into_view_if_needed()
        page.wait_for_function("one => one.complete && one.naturalWidth === 800", arg=picture.element_handle())
    shown = pictures.nth(1).bounding_box()
    mark = case.locator(".picture.injected rect.target").bounding_box()
    assert shown is not None and mark is not None  # noqa: PT018
    scale = shown["width"] / 800
    assert mark["x"] == pytest.approx(shown["x"] + TARGET.x0 * scale, abs=3)
    assert mark["width"] == pytest.approx(TARGET.width * scale, abs=6)
    assert case.locator(".picture.injected rect.dismissal").count() == 1
    assert case.locator(".picture.clean rect.dismissal").count() == 0
    page.keyboard.press("b")
    assert not case.locator(".picture.injected svg").is_visible()


def test_every_text_of_a_case_is_shown_as_text(index: Path, page: Page) -> None:
    for domain in ("web", "document", "video"):
        page.goto((index.parent / gallery.page_name(domain)).as_uri())
        for number, article in enumerate(page.locator("article.case").all()):
            text = article.text_content() or ""
            assert "number" in text
            assert any(part in text for part in HOSTILE), number
        assert page.locator("article script, article [onerror], article [onfocus]").count() == 0


def test_filters_and_search_leave_what_fits_and_count_it(index: Path, page: Page) -> None:
    page.goto((index.parent / "gallery-web.html").as_uri())
    assert page.locator("output").inner_text() == "9 of 9"
    page.select_option("select[name=intent]", "data_leakage")
    assert page.locator("article.case:visible").count() == 3
    page.fill("input[type=search]", "NUMBER 2")
    expect(page.locator("output")).to_have_text("1 of 9")
    assert page.locator("article.case:visible").get_attribute("id") == "web-0002"
    page.fill("input[type=search]", "nothing like it")
    expect(page.locator("output")).to_have_text("0 of 9")


def test_pictures_out_of_sight_are_not_fetched_and_the_trajectory_opens(index: Path, page: Page) -> None:
    page.set_viewport_size({"width": 900, "height": 400})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((index.parent / "gallery-web.html").as_uri())
    last = page.locator("article.case").last
    far = last.locator(".strip img")
    assert not any(url.endswith(str(far.first.get_attribute("src"))) for url in asked)
    last.locator("summary").first.click()
    far.first.scroll_into_view_if_needed()
    page.wait_for_function("one => one.complete && one.naturalWidth > 0", arg=far.first.element_handle())


def test_a_large_domain_gets_several_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gallery, "PAGE_CASES", 4)
    folder = write_suite(tmp_path / "s", {"web": 9})
    suite = StoredSuite("small", str(folder))
    index = gallery.write(folder, suite.info, suite.entries(), suite.case)
    pages = [folder / gallery.page_name("web", number) for number in range(3)]
    assert [p.read_text().count("<article") for p in pages] == [4, 4, 1]
    assert "gallery-web-3.html" in pages[0].read_text()
    assert "gallery-web-2.html#web-0006" in index.read_text()


def test_pages_name_nothing_outside_the_suite(index: Path) -> None:
    for path in index.parent.glob("gallery*.html"):
        text = path.read_text()
        assert "http://" not in text.replace("http://www.w3.org", "") and "https://" not in text  # noqa: PT018
        assert "<link" not in text
    assert json.loads((index.parent / "suite.json").read_text())["name"] == "small"
