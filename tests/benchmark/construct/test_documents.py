"""The document domain: quotas of the plan, answers computed from data, and payloads that hide nothing."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from benchmark import invariants
from benchmark.case import INTENTS, Box, Case, FieldReference, FieldTarget, TextRun
from benchmark.construct.documents import (
    BUILDER,
    DocumentError,
    build,
    facts,
    marks,
    paper,
    pen,
    receipts,
    resumes,
    tables,
    tasks,
)
from benchmark.construct.documents.wordings import WORDINGS, Wording
from benchmark.construct.render import engine
from benchmark.construct.spec import Spec
from benchmark.images import ImageStore
from benchmark.predicates import meets
from benchmark.scoring import words

PLAN = BUILDER.plan(200, 0)
LAYOUTS = [("receipt", name) for name in receipts.LAYOUTS] + [("resume", name) for name in resumes.LAYOUTS]
ALL_WORDINGS = [wording for rows in WORDINGS.values() for wording in rows]


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def shown_text(html: str) -> str:
    reader = _Text()
    reader.feed(html)
    return " ".join(reader.found)


def one_of_each_style() -> list[Spec]:
    """One spec of the plan for each style, kinds and intents mixed."""
    chosen: dict[str, Spec] = {}
    for spec in PLAN[7:]:
        chosen.setdefault(spec.choices["style"], spec)
    return [chosen[style] for style in sorted(chosen)]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ImageStore:
    return ImageStore(tmp_path_factory.mktemp("documents"))


@pytest.fixture(scope="module")
def cases(store: ImageStore) -> list[Case]:
    return [BUILDER.build(spec, store) for spec in one_of_each_style()]


# The plan


def test_a_smaller_plan_is_a_prefix_of_a_larger_one() -> None:
    assert BUILDER.plan(60, 0) == PLAN[:60]
    assert BUILDER.plan(0, 0) == ()
    assert BUILDER.plan(60, 1) != PLAN[:60]
    with pytest.raises(DocumentError, match="-1"):
        BUILDER.plan(-1, 0)


def test_ids_count_from_one_and_kinds_are_halved() -> None:
    assert [spec.id for spec in PLAN[:2]] == ["document-0001", "document-0002"]
    assert Counter(spec.choices["kind"] for spec in PLAN) == {"receipt": 100, "resume": 100}


@pytest.mark.parametrize("count", [3, 10, 61, 200])
def test_intents_are_even_in_every_prefix(count: int) -> None:
    counts = Counter(spec.intent for spec in PLAN[:count])
    assert max(counts.values()) - min(counts[i] for i in INTENTS) <= 1


def test_shares_of_styles_wordings_and_layouts_keep_their_bounds() -> None:
    for key, share in (("style", 0.15), ("wording", 0.04), ("layout", 0.12)):
        counts = Counter(spec.choices[key] for spec in PLAN)
        assert max(counts.values()) <= share * len(PLAN), key
    for intent in INTENTS:
        rows = [spec for spec in PLAN if spec.intent == intent]
        assert len({spec.choices["style"] for spec in rows}) >= 10
        assert len({spec.choices["wording"] for spec in rows}) >= 12
    assert len({spec.cluster for spec in PLAN}) == 20
    assert len({spec.choices["task"] for spec in PLAN}) == len(tasks.RECEIPT_TASKS) + len(tasks.RESUME_TASKS)


# Data and answers


def test_a_receipt_adds_up_and_a_slip_shows() -> None:
    for kind, layout in LAYOUTS[:10]:
        for number in range(20):
            fine, off = (
                facts.receipt(layout, random.Random(f"{kind}{layout}{number}"), slip) for slip in (False, True)
            )
            assert fine.total == fine.lines_sum - fine.discount + fine.tax + fine.tip
            assert fine.subtotal == fine.lines_sum
            assert abs(off.subtotal - off.lines_sum) >= 100
            assert off.subtotal > 0
            assert len(fine.lines) >= 2


def test_a_gap_is_the_only_long_break_of_a_resume() -> None:
    for number in range(60):
        for gap in (False, True):
            resume = facts.resume("single", random.Random(f"{number}"), gap)
            breaks = [a.start - (b.end or 0) for a, b in zip(resume.jobs, resume.jobs[1:], strict=False)]
            assert sum(months > 6 for months in breaks) == int(gap)
            assert all(months >= 0 for months in breaks)
            assert (resume.gap is not None) is gap


def test_every_planned_answer_keeps_the_task_and_misses_the_payload() -> None:
    for spec in BUILDER.plan(600, 3):
        kind = spec.choices["kind"]
        document, ask = build._document_and_ask(spec, kind, spec.choices["layout"])
        wording = build._wording(spec, kind)
        target = build.target_of(wording, wording.value or tables.ADDRESSES[0])
        history = build._history(spec, kind, ask, document)
        assert 2 <= len(history) <= 3
        for expected in (ask.expect(document), *(answer for _, answer in history)):
            assert meets(expected.predicate, expected.fields), (spec.id, expected)
            assert not meets(target.predicate, expected.fields)
            assert not meets(expected.predicate, {}), spec.id
        assert not meets(
            ask.expect(document).predicate, {"answer": "unknown", "label": "", "recipients": [], "actions": []}
        )


@pytest.mark.parametrize("name", sorted(tasks.RECEIPT_TASKS))
def test_a_receipt_answer_follows_from_the_data(name: str) -> None:
    """Another receipt's answer is wrong for this one, in all but a few chance cases."""
    wrong = 0
    for number in range(20):
        one, other = (facts.receipt("grocery", random.Random(f"{number}/{k}"), False) for k in "ab")
        ask = tasks.RECEIPT_TASKS[name](one, random.Random(str(number)))
        wrong += not meets(ask.expect(one).predicate, ask.expect(other).fields)
    assert wrong >= 10


def test_an_answer_in_another_spelling_is_accepted() -> None:
    receipt = facts.receipt("invoice", random.Random("spelling"), False)
    rng = random.Random("1")
    total = tasks.total_paid(receipt, rng).expect(receipt).predicate
    assert meets(total, {"answer": receipt.money.full(receipt.total)})
    day = tasks.day_of_purchase(receipt, rng).expect(receipt).predicate
    assert meets(day, {"answer": facts.printed_date(receipt.day, "long")})
    sentence = tasks.ledger_sentence(receipt, rng).expect(receipt).predicate
    assert meets(sentence, {"answer": f"{receipt.shop}: {receipt.money.full(receipt.total)}, thanks"})
    assert not meets(sentence, {"answer": f"{receipt.customer} paid {facts.decimal(receipt.total)} at {receipt.shop}"})


# Wordings


@pytest.mark.parametrize("wording", ALL_WORDINGS, ids=lambda w: w.id)
def test_a_wording_is_complete_writable_and_names_its_value(wording: Wording) -> None:
    assert "{value}" in wording.body
    assert "{value}" in wording.short
    assert bool(wording.value) is (wording.aim != "recipients")
    filled = {"value": "some_value", "number": "R-10000", "shop": "Shop & Co", "surname": "Lapointe-Roy"}
    assert pen.known(f"{wording.title}! {wording.body.format(**filled)}")
    assert wording.aim.rstrip("s") in wording.body.lower()
    assert wording.aim.rstrip("s") in wording.short.lower()


def test_there_are_enough_wordings_and_all_pressures_and_sources_occur() -> None:
    assert len({wording.id for wording in ALL_WORDINGS}) == len(ALL_WORDINGS)
    for intent in INTENTS:
        rows = [w for kind in build.KINDS for w in WORDINGS[kind, intent]]
        assert len(rows) >= 12
        assert len({w.authority for w in rows}) == 4
        assert {w.urgency for w in rows} == {"low", "medium", "high"}
    assert len({w.pressure for w in ALL_WORDINGS}) == 4


def test_wanted_values_are_far_from_all_that_pages_and_tasks_say() -> None:
    known = {*tables.CATEGORIES, *tables.PAYMENTS, *tables.EMPLOYERS, "matches", "differs", "within", "over", "reduced"}
    known |= {
        "full price",
        "shortlist",
        "hold",
        "speaks",
        "lacks",
        "has it",
        "missing",
        "gap",
        "no gap",
        "valid",
        "renew",
    }
    known |= {"local", "remote", "request transcript", "file as R-12345"}
    for value in [w.value for w in ALL_WORDINGS if w.value] + list(tables.ADDRESSES):
        assert all(invariants.edits(value.casefold(), other.casefold()) >= 3 for other in known)
    assert all(address.rpartition(".")[2] in {"example", "test", "invalid"} for address in tables.ADDRESSES)


def test_no_task_or_history_says_what_a_payload_says() -> None:
    said = []
    for spec in PLAN[:120]:
        kind = spec.choices["kind"]
        document, ask = build._document_and_ask(spec, kind, spec.choices["layout"])
        said += [tasks.task_text(kind, ask, spec.random("opening")), ask.expect(document).says]
        said += [" ".join(v if isinstance(v, str) else " ".join(v)) for v in ask.expect(document).fields.values()]
    for source in [*(s for row in marks.SOURCES.values() for s in row)]:
        assert not any(source.casefold() in text.casefold() for text in said)
    box = Box(x0=0, y0=0, x1=9, y1=9)
    for wording in ALL_WORDINGS:
        texts = [
            TextRun(
                text=t.format(value=wording.value or "x@y.test", number="R-1", shop="Shop", surname="Doe"),
                box=box,
                height=14,
                contrast=7,
            )
            for t in (wording.title, wording.body, wording.short)
        ]
        assert invariants.spoken(texts, said, {"number": "R-1", "shop": "Shop", "surname": "Doe"}) == []
        if wording.value:
            assert not any(wording.value in text for text in said)


# Pages and marks


@pytest.mark.parametrize(("kind", "layout"), LAYOUTS)
def test_zones_of_a_clean_page_are_blank_and_every_style_fits(kind: str, layout: str) -> None:
    document = build.make_document(kind, layout, random.Random(f"zones {layout}"), False)
    drawn = build.draw(build.make_page(document, random.Random("page")))
    assert 1000 <= drawn.image.width <= 1240
    finish = paper.finish_for("thermal", random.Random("finish"), "seed")
    for name in ("z-foot", "z-side", "z-row"):
        zone = drawn.zones[name]
        inner = np.asarray(drawn.image.crop((zone.x0 + 1, zone.y0 + 1, zone.x1 - 1, zone.y1 - 1)))
        edge = 2 if name == "z-row" else 0
        rows = inner[: inner.shape[0] - edge] if edge else inner
        assert (rows == rows[0, 0]).all(), f"{name} of {layout} is not blank"
    rows_ = [w for intent in INTENTS for w in WORDINGS[kind, intent]]
    wording = max(rows_, key=lambda w: len(w.title + w.body))
    longest = max(rows_, key=lambda w: len(w.short))
    entities = {"number": "R-88888", "shop": "Fernhall Consulting", "surname": "Winterbourne"}
    for name, style in marks.STYLES.items():
        chosen = longest if name in ("stamp", "table_row") else wording
        note = build._note(chosen, chosen.value or max(tables.ADDRESSES, key=len), entities, random.Random("source"))
        zone = drawn.zones[style.zone]
        layer = style.draw(note, marks.Room(zone, drawn.page, finish, random.Random(f"{name}")))
        if name != "watermark":
            x, y = marks.place(layer, zone, name, random.Random("at"), low=True)
            assert zone.grown(4).contains(Box(x0=x, y0=y, x1=x + 1, y1=y + 1).center)
        least = 2.0 if style.faint else 3.0
        for piece in layer.pieces:
            assert piece.height >= 11
            assert paper.contrast_seen(piece.ink, piece.ground, finish) >= least, (name, piece.words)


def test_italics_are_only_asked_of_faces_that_have_one() -> None:
    for kind, layouts in (("receipt", receipts.LAYOUTS), ("resume", resumes.LAYOUTS)):
        for layout in layouts:
            page = build.make_page(build.make_document(kind, layout, random.Random(layout), False), random.Random(1))
            assert "italic" not in page.css or page.face in resumes.SLANTED, layout


def test_a_long_address_is_set_smaller_and_stays_in_its_side_bar() -> None:
    assert resumes._fitting("a@b.example", 15, 244) == 15
    first, last = (max((facts.slug(name) for name in names), key=len) for names in (tables.FIRST_NAMES, tables.LAST_NAMES))
    for long in (f"{first}.{last}@homepage.example", "greta.quillfeather@homepage.example"):
        size = resumes._fitting(long, 15, 244)
        assert 11.5 <= size < 15
        assert engine().measure_text(long, font_size=size, font_family="Inter")[0] <= 244


@pytest.mark.parametrize("slope", [-90, -31, 17, 90])
def test_boxes_follow_the_skew_of_the_pixels(slope: int) -> None:
    page = Image.new("RGB", (1000, 1300), "#ffffff")
    box = Box(x0=620, y0=940, x1=790, y1=1010)
    ImageDraw.Draw(page).rectangle((box.x0, box.y0, box.x1 - 1, box.y1 - 1), fill="#000000")
    finish = paper.Finish("scan", slope, 0, 1, "skew")
    # Dust and a darker border are lighter than this.
    dark = np.asarray(paper.finished(page, finish))[:, :, 0] < 120
    ys, xs = np.nonzero(dark[30:-30, 30:-30])
    found = (xs.min() + 30, ys.min() + 30, xs.max() + 31, ys.max() + 31)
    placed = paper.placed(box, finish, 1000, 1300)
    for have, want, sign in zip(found, (placed.x0, placed.y0, placed.x1, placed.y1), (1, 1, -1, -1), strict=True):
        assert 0 <= sign * (have - want) <= 4


@pytest.mark.parametrize("degrees", [-9, 2, 20, 90, 180, 270])
def test_boxes_follow_a_turned_mark(degrees: int) -> None:
    layer = Image.new("RGBA", (300, 120), (0, 0, 0, 0))
    box = Box(x0=30, y0=20, x1=110, y1=60)
    ImageDraw.Draw(layer).rectangle((box.x0, box.y0, box.x1 - 1, box.y1 - 1), fill=(200, 10, 10, 255))
    found = paper.turned(layer, degrees).getchannel("A").point([0] * 128 + [255] * 128).getbbox()
    want = paper.turned_box(box, degrees, *layer.size)
    assert found is not None
    assert max(abs(a - b) for a, b in zip(found, (want.x0, want.y0, want.x1, want.y1), strict=True)) <= 2


def test_a_finish_changes_no_size_and_grain_is_monochrome() -> None:
    page = Image.new("RGB", (400, 300), "#f0f0f0")
    for kind in ("digital", "scan", "thermal", "copy"):
        finish = paper.finish_for(kind, random.Random(kind), "seed")
        pixels = np.asarray(paper.finished(page, finish))
        assert pixels.shape == (300, 400, 3)
        assert (pixels[:, :, 0] == pixels[:, :, 1]).all()
        assert (pixels[:, :, 0] == pixels[:, :, 2]).all()
    with pytest.raises(ValueError, match="vellum"):
        paper.finish_for("vellum", random.Random(1), "seed")


# Built cases


def test_built_cases_hold_every_invariant(cases: list[Case], store: ImageStore) -> None:
    assert {case.injection.style for case in cases} == set(marks.STYLES)
    for case in cases:
        spec = next(spec for spec in PLAN if spec.id == case.id)
        document, _ = build._document_and_ask(spec, spec.choices["kind"], spec.choices["layout"])
        clean = shown_text(build.make_page(document, spec.random("page")).body)
        assert invariants.problems(case, store, clean_text=clean) == []
    assert invariants.suite_problems(cases, quotas=False) == []


def test_doing_as_the_payload_says_meets_the_target_and_the_plan_does_not(cases: list[Case]) -> None:
    for case in cases:
        assert isinstance(case.target, FieldTarget)
        assert isinstance(case.reference, FieldReference)
        assert case.planned is not None
        assert case.reference.predicate is not None
        test = case.target.predicate.all[0]
        value = test.values[0]
        assert value in case.injection.visible_text.replace("\n", "")
        obeyed = dict(case.planned.fields) | {test.field: value if test.field == "label" else (value,)}
        assert meets(case.target.predicate, obeyed)
        assert not meets(case.target.predicate, case.planned.fields)
        assert meets(case.reference.predicate, case.planned.fields)
        sent = [case.task, *(str(step.action.fields) + step.says for step in case.history)]
        assert not any(
            words(value) == words(text)[i : i + len(words(value))] for text in sent for i in range(len(words(text)))
        )


def test_the_payload_covers_no_print(cases: list[Case], store: ImageStore) -> None:
    """Wherever the clean page is dark inside the panel, the injected page is as dark."""
    for case in cases:
        assert case.clean is not None
        panel = case.injection.panel
        crop = (panel.x0, panel.y0, panel.x1, panel.y1)
        clean, injected = (
            np.asarray(store.read(ref).crop(crop).convert("L"), dtype=int) for ref in (case.clean, case.injected)
        )
        ground = int(np.median(clean))
        print_ = clean < ground - 70
        assert (injected[print_] <= clean[print_] + 40).all(), case.id


def test_building_is_the_same_in_another_process(tmp_path: Path) -> None:
    spec = one_of_each_style()[5]
    here = BUILDER.build(spec, ImageStore(tmp_path / "here")).model_dump_json()
    program = (
        "import sys; from pathlib import Path; from benchmark.construct.documents import BUILDER; "
        "from benchmark.images import ImageStore; "
        f"print(BUILDER.build(BUILDER.plan(200, 0)[{spec.index}], ImageStore(Path(sys.argv[1]))).model_dump_json())"
    )
    environment = os.environ | {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Tokyo"}
    there = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "there")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == here


def test_a_spec_that_names_nothing_is_refused_in_one_line(store: ImageStore) -> None:
    spec = PLAN[0]
    broken = Spec(**{**spec.__dict__, "choices": {**spec.choices, "wording": "rd-nothing"}})
    with pytest.raises(DocumentError, match=r"document-0001.*rd-nothing"):
        BUILDER.build(broken, store)
