"""A sample from a real run, its page in a real browser, and its labels on their way back."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page, sync_playwright

from runner.audit.sample import Candidate, draw, shares
from runner.commands.audit import main as audit
from runner.ledger import Stored
from tests.runner.test_run import command, mma, run_of
from tests.servers.loopback import Plan, spawned
from tests.small_suite import TARGET, write_suite

NASTY = '</script><script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">&amp;\u2028'


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of a hostile victim and an audit drawn from it."""
    folder = tmp_path_factory.mktemp("audit")
    suite = write_suite(folder / "suite", {"web": 8, "document": 4})
    body = {"action": "click", "coordinate": [TARGET.center.x, TARGET.center.y], "answer": NASTY, "rationale": NASTY}
    with spawned(Plan(reply=json.dumps(body))) as server:
        assert mma(folder, *command(suite, server.url, "model.label=secret-model", "prompt=neutral")).returncode == 0
    assert audit(["sample", str(run_of(folder)), "n=10", "seed=4", f"out={folder}/audit"]) == 0
    return folder


@pytest.fixture(scope="module")
def browser() -> Browser:  # type: ignore[misc]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser  # type: ignore[misc]
        browser.close()


def opened(browser: Browser, folder: Path) -> tuple[Page, list[str]]:
    page, troubles = browser.new_context(accept_downloads=True).new_page(), []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    page.on(
        "request",
        lambda request: None if request.url.startswith(("file:", "data:", "blob:")) else troubles.append(request.url),
    )
    page.goto((folder / "audit.html").as_uri())
    return page, troubles


def test_the_page_is_blind_and_the_key_is_not(sampled: Path) -> None:
    text = (sampled / "audit.html").read_text()
    for word in ("secret-model", "neutral", "rules", run_of(sampled).name, "web-000", "destructive_induction"):
        assert word not in text, word
    key = json.loads((sampled / "audit.key.json").read_text())
    assert {e["model"] for e in key["items"].values()} == {"secret-model"}
    assert {e["probability"] for e in key["items"].values()} == {10 / 12}
    assert audit(["sample", str(run_of(sampled)), "n=10", "seed=4", f"out={sampled}/b.html"]) == 0
    assert (sampled / "b.html").read_text() == text


def test_labels_are_given_by_keyboard_kept_and_exported(
    sampled: Path, browser: Browser, capsys: pytest.CaptureFixture[str]
) -> None:
    page, troubles = opened(browser, sampled)
    assert page.title() == "Audit of answers"
    assert "</script>" in (page.text_content("#reply") or "") + (page.text_content("#action") or "")
    page.fill("#who", "Ann O.")
    page.keyboard.press("Escape")
    for key in ("5", "ArrowRight", "3", "w", "Enter", "1", "e", "q", "n"):
        page.keyboard.press(key)
    page.keyboard.type('unsure, 5? "maybe"')
    page.keyboard.press("Escape")
    assert page.text_content("#count") == "3 of 10 labelled"
    # What was given is there after the page was closed and opened again.
    page.reload()
    assert page.text_content("#count") == "3 of 10 labelled"
    assert page.input_value("#who") == "Ann O."
    assert page.input_value("#note") == 'unsure, 5? "maybe"'
    page.keyboard.press("o")
    assert "4 of 10" in (page.text_content("#where") or "")
    paths = []
    for button, suffix in (("#csv", "csv"), ("#json", "json")):
        with page.expect_download() as download:
            page.click(button)
        paths.append(sampled / download.value.suggested_filename)
        download.value.save_as(paths[-1])
        assert paths[-1].suffix == f".{suffix}"
    labels = json.loads(paths[1].read_text())["labels"]
    assert sorted((v["score"], v["failure_mode"], v.get("note")) for v in labels.values()) == [
        (1, "explicit_rejection", 'unsure, 5? "maybe"'), (3, "schema_breakdown", None), (5, "target_matched", None),
    ]  # fmt: skip
    for path in paths:
        capsys.readouterr()
        assert audit(["agree", str(path)]) == 0
        assert "3 labelled by 1" in capsys.readouterr().out
    assert troubles == []
    page.context.close()


def test_layers_show_the_boxes_and_the_point_where_they_are(sampled: Path, browser: Browser) -> None:
    page, troubles = opened(browser, sampled)
    for _ in range(10):
        if page.evaluate("item().targetBox !== null"):
            break
        page.keyboard.press("ArrowRight")
    assert page.locator("#stage circle").count() == 3
    assert page.locator("#stage rect").count() == 0
    page.keyboard.press("t")
    rect = page.locator("#stage rect").first
    assert [float(rect.get_attribute(a) or 0) for a in ("x", "y", "width", "height")] == [520, 300, 120, 40]
    page.keyboard.press("r")
    assert page.locator("#stage rect").count() == 3
    page.keyboard.press("p")
    assert page.locator("#stage circle").count() == 0
    assert page.evaluate(
        "(async () => { const i = new Image(); i.src = item().image; await i.decode(); return [i.naturalWidth, i.naturalHeight]; })()"
    ) == [800, 600]
    assert troubles == []
    page.context.close()


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 40), min_size=1, max_size=12), st.integers(1, 200))
def test_shares_are_as_even_as_sizes_allow(sizes: dict[str, int], n: int) -> None:
    found = shares(sizes, n)
    assert sum(found.values()) == min(n, sum(sizes.values()))
    assert all(0 <= found[s] <= sizes[s] for s in sizes)
    short = [s for s in sizes if found[s] < sizes[s]]
    assert not short or max(found.values()) - min(found[s] for s in short) <= max(1, 0) or all(
        found[s] >= min(found[o] for o in short) - 1 for s in short
    )  # fmt: skip


def candidate(number: int) -> Candidate:
    answer = Stored("k", f"{number:024x}", 1, (f"c{number}", "injected", 0), False, 1, 0, None, Path(), 0, 0, 0)
    score = 5 if number % 50 == 0 else 1
    return Candidate(Path("r"), answer, "web", "data_leakage", f"c{number % 9}", "m", "standard", "v", score, "")


def test_a_stratified_draw_keeps_its_probabilities_and_an_even_one_is_fair() -> None:
    everyone = [candidate(n) for n in range(1000)]
    drawn = draw(everyone, 60, 0, stratify=True)
    assert Counter(d.candidate.score for d in drawn) == {5: 20, 1: 40}
    assert {d.candidate.score: d.probability for d in drawn} == {5: 1.0, 1: 40 / 980}
    assert sum(1 / d.probability for d in drawn) == pytest.approx(1000)
    assert draw(list(reversed(everyone)), 60, 0, stratify=True) == drawn
    hits = sum(sum(d.candidate.score == 5 for d in draw(everyone, 200, seed, stratify=False)) for seed in range(40))
    assert 40 * 4 * 0.7 < hits < 40 * 4 * 1.3
