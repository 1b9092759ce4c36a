"""Pages on the engine's kept documents: the same as on a document of their own, whatever came before, and no leak."""

from __future__ import annotations

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from benchmark.construct import render
from benchmark.construct.apps import apps
from benchmark.construct.render import FORMS, Form, boxes, document, engine, layout, rgba, screen

SMALL = Form(300, 200)


def page(number: int) -> tuple[str, str]:
    rows = "".join(
        f'<div id="row-{i}" data-role="item" class="row">Row {number + i}</div>' for i in range(number % 7 + 1)
    )
    return (
        f'<div id="list" class="clip">{rows}</div>',
        f".row{{padding:{number % 5 + 1}px;background:rgb({number},90,40)}}",
    )


@pytest.mark.parametrize("domain", ["web", "gui", "mobile"])
def test_a_page_looks_the_same_after_any_other_as_on_a_document_of_its_own(domain: str) -> None:
    form = FORMS[domain]
    shown = []
    for app in apps(domain):
        template = app.goals[0]
        start = template.make(template.sample(random.Random(app.name))).start
        shown.append((app.view(start), app.css(start)))
    random.Random(domain).shuffle(shown)
    for body, css in shown[:5] + shown[:2]:
        own = engine().Template(
            document(body, css), width=form.width, height=form.height, scale=float(form.scale), background=None
        )
        width, height, pixels = own.render_rgba()
        image, found = rgba(body, form, css)
        assert image.size == (width, height)
        assert image.tobytes() == pixels
        s = form.scale
        assert {k: (b.x0, b.y0, b.x1, b.y1) for k, b in found.items()} == {
            k: (round(x * s), round(y * s), round((x + w) * s), round((y + h) * s))
            for k, (x, y, w, h) in own.boxes().items()
        }


def test_pages_drawn_from_several_threads_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render, "PAGES", 7)  # one document takes another's place again and again
    expected = {n: (layout(*with_form(n)), screen(*with_form(n)).image.tobytes()) for n in range(12)}
    order = random.Random(1).choices(range(12), k=120)
    with ThreadPoolExecutor(8) as pool:
        for number, drawn in zip(order, pool.map(lambda n: screen(*with_form(n)), order), strict=True):
            assert (drawn.elements, drawn.image.tobytes()) == expected[number]


def with_form(number: int) -> tuple[str, Form, str]:
    body, css = page(number)
    return body, SMALL, css


def laid_out_in_a_child(number: int) -> dict[str, tuple[int, int]]:
    return {k: (b.x0, b.y1) for k, b in boxes(*with_form(number)).items()}


def test_a_forked_process_draws_too() -> None:
    here = laid_out_in_a_child(3)
    with get_context("fork").Pool(1) as pool:
        assert pool.apply_async(laid_out_in_a_child, (3,)).get(30) == here


def test_a_process_forked_while_threads_draw_does_not_wait_for_them() -> None:
    laid_out_in_a_child(3)  # the engine is loaded; a fork in the middle of an import is nobody's to mend
    drawing = True

    def draw() -> None:
        number = 0
        while drawing:
            boxes(*with_form(number := (number + 1) % 12))

    with ThreadPoolExecutor(3) as pool:
        threads = [pool.submit(draw) for _ in range(3)]
        try:
            for _ in range(6):
                child = get_context("fork").Process(target=laid_out_in_a_child, args=(3,))
                child.start()
                child.join(20)
                assert child.exitcode == 0
        finally:
            drawing = False
        for thread in threads:
            thread.result()


GROWING = """
import os, pathlib
from benchmark.construct import render
from tests.benchmark.construct.test_render import with_form

def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024

marks = []
for turn in range(3):
    for number in range(2 * render.PAGES):
        render.boxes(*with_form(number % 200))
    marks.append(resident())
print(marks[2] - marks[0])
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="says how large a process is on Linux only")
def test_thousands_of_pages_leave_nothing_behind() -> None:
    """In a process of its own, whose size nothing else changes: from one to three thousand pages."""
    root = Path(__file__).parents[3]
    told = subprocess.run([sys.executable, "-c", GROWING], cwd=root, capture_output=True, text=True, timeout=120)
    assert told.returncode == 0, told.stderr
    assert float(told.stdout) < 8_000  # a document for each page would keep 30 MB of them
