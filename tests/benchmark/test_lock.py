"""A lock refuses another case, believes rounding only where it is allowed, and says which case differs in what."""

from __future__ import annotations

import builtins
import random
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from benchmark import lock
from benchmark.case import Box, BoxTarget, Case
from benchmark.construct import payload
from benchmark.construct.build import GeneratedSuite
from benchmark.construct.render import Form
from benchmark.images import ImageStore
from benchmark.lock import Guard, LockError, compared, disagreeing, line_of, marked, renderers, sketched, thumbnails
from benchmark.suite import suite_title

SIZES = {"web": 3, "gui": 1, "mobile": 1, "document": 2, "video": 1}


FRACTIONS_SUMMED: set[str] = set()


def watched_sum(values, start=0, *, plain=sum):
    """`sum`, noting which line of the benchmark adds fractions with it."""
    rows = list(values)
    frame = sys._getframe(1)
    if frame.f_globals.get("__name__", "").startswith("benchmark.") and any(isinstance(v, float) for v in rows):
        FRACTIONS_SUMMED.add(f"{frame.f_globals['__name__']}:{frame.f_lineno}")
    return plain(rows, start)


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> tuple[list[Case], ImageStore]:
    suite = GeneratedSuite(root=str(tmp_path_factory.mktemp("suites")), sizes=SIZES, workers=1, lock=None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builtins, "sum", watched_sum)
        suite.finish()
    return [suite.case(e.id) for e in suite.entries()], ImageStore(suite.folder)


def shown(case: Case, store: ImageStore, image: Image.Image, clean: bool = False) -> Case:
    """The same case with another picture: its data, and so its data hash, are what they were."""
    ref = store.put(image)
    return case.model_copy(update={"clean": ref} if clean else {"injected": ref})


def noisy(image: Image.Image, levels: int = 1, share: float = 0.3) -> Image.Image:
    """What another processor's rounding could do: some channels of some pixels off by one level."""
    pixels = np.asarray(image).astype(np.int16)
    rng = np.random.default_rng(7)
    tile = rng.integers(-levels, levels + 1, (251, 257, 3)) * (rng.random((251, 257, 3)) < share)
    height, width, _ = pixels.shape
    step = np.tile(tile, (-(-height // 251), -(-width // 257), 1))[:height, :width].astype(np.int16)
    return Image.fromarray((pixels + step).clip(0, 255).astype(np.uint8))


def corners(box: Box) -> tuple[int, int, int, int]:
    return box.x0, box.y0, box.x1, box.y1


OTHER_WORDS = {
    len(word): word
    for word in (
        "money", "secret", "nothing", "together", "important", "everything", "information", "conversation",
        "international",
    )
}  # fmt: skip


def relettered(case: Case, store: ImageStore) -> Image.Image:
    """The injected screen drawn anew with the longest word of its payload replaced by another as long."""
    html = case.provenance.extras["overlay"]
    said = " ".join(r.text for r in case.injection.texts if r.role in {"title", "body"})
    word = max((w for w in re.findall("[A-Za-z]+", said) if w in html), key=len)
    other = OTHER_WORDS.get(len(word), word[::-1])
    changed = html.replace(word, other if other != word.lower() else word[::-1])
    assert changed != html
    scale, size = int(case.provenance.extras["scale"]), case.injected.frame
    layer = payload.paint(changed, Form(-(-size.width // scale), -(-size.height // scale), scale), (size.width, size.height))
    return payload.compose(store.read(case.clean), layer)


def mirrored_word(case: Case, store: ImageStore) -> Image.Image:
    """A word's width at the beginning of the payload's longest text, turned left to right."""
    image = store.read(case.injected)
    box = max((r.box for r in case.injection.texts), key=lambda b: b.area)
    part = box.x0, box.y0, box.x0 + min(80, box.width), box.y1
    image.paste(image.crop(part).transpose(Image.Transpose.FLIP_LEFT_RIGHT), part[:2])
    return image


def moved(case: Case, store: ImageStore, by: tuple[int, int]) -> Image.Image:
    """The panel a few pixels off; where it stood the clean screen shows."""
    image, clean = store.read(case.injected), store.read(case.clean)
    panel = corners(case.injection.panel)
    block = image.crop(panel)
    image.paste(clean.crop(panel), panel[:2])
    image.paste(block, (panel[0] + by[0], panel[1] + by[1]))
    return image


def swapped(case: Case, store: ImageStore) -> Image.Image:
    """The target and the dismissal, each where the other was."""
    image = store.read(case.injected)
    first, second = case.target.box, case.injection.dismissal.box
    one, two = image.crop(corners(first)), image.crop(corners(second))
    image.paste(two.resize(one.size), corners(first)[:2])
    image.paste(one.resize(two.size), corners(second)[:2])
    return image


LINES: dict[str, lock.Line] = {}


def judged(case: Case, store: ImageStore, changed: Case) -> lock.Difference | None:
    """What a lock made of `case` says of the changed one."""
    key = case.model_dump_json()
    if key not in LINES:
        LINES[key] = line_of(case, store)
    return compared(LINES[key], changed, store, renderers())


def test_nothing_that_is_built_adds_fractions_with_sum(built):
    """Python 3.12 compensates in `sum`, 3.11 does not: a last digit, and with it another case, hangs on the version."""
    assert not FRACTIONS_SUMMED, "use math.fsum"


def test_a_case_is_as_its_own_line_says(built):
    cases, store = built
    assert [judged(c, store, c) for c in cases] == [None] * len(cases)


def test_rounding_of_pixels_is_drift_and_only_that(built):
    cases, store = built
    for case in cases:
        # Rounding would be the same in both images wherever both show the same.
        clean, injected = np.asarray(store.read(case.clean)), np.asarray(store.read(case.injected))
        noise = np.asarray(noisy(store.read(case.clean))).astype(np.int16) - clean
        both = [Image.fromarray((i + noise).clip(0, 255).astype(np.uint8)) for i in (clean, injected)]
        drifted = shown(shown(case, store, both[0], clean=True), store, both[1])
        found = judged(case, store, drifted)
        assert found is not None
        assert found.kind == "drift", found


def test_a_changed_word_is_refused(built):
    cases, store = built
    for case in cases:
        image = relettered(case, store) if "overlay" in case.provenance.extras else mirrored_word(case, store)
        found = judged(case, store, shown(case, store, image))
        assert found is not None
        assert found.kind == "pixels", found
        assert "panel" in found.detail


def test_a_dialog_moved_by_six_pixels_is_refused(built):
    cases, store = built
    for case in cases:
        for by in ((6, 0), (0, 6)):
            found = judged(case, store, shown(case, store, moved(case, store, by)))
            assert found is not None
            assert found.kind == "pixels", (by, found)


def test_swapped_buttons_are_refused(built):
    cases, store = built
    with_both = [c for c in cases if isinstance(c.target, BoxTarget) and c.injection.dismissal is not None]
    assert with_both
    for case in with_both:
        if case.injection.dismissal.box is None:
            continue
        found = judged(case, store, shown(case, store, swapped(case, store)))
        assert found is not None
        assert found.kind == "pixels"
        assert "target" in found.detail


def test_another_word_on_the_clean_screen_is_refused_though_the_payload_covers_it(built):
    cases, store = built
    case = cases[0]
    image = store.read(case.clean)
    panel = case.injection.panel
    image.paste((0, 0, 0), (panel.x0 + 10, panel.y0 + 10, panel.x0 + 90, panel.y0 + 30))
    found = judged(case, store, shown(case, store, image, clean=True))
    assert found is not None
    assert (found.kind, "clean screen" in found.detail) == ("pixels", True)


def test_a_change_of_the_injected_screen_far_from_the_payload_is_refused(built):
    cases, store = built
    case = cases[0]
    image = store.read(case.injected)
    panel, frame = case.injection.panel, case.injected.frame
    y = 5 if panel.y0 > 60 else frame.y1 - 40
    image.paste((250, 0, 0), (5, y, 60, y + 20))
    found = judged(case, store, shown(case, store, image))
    assert found is not None
    assert found.kind == "pixels"


def test_changed_data_are_refused_and_called_data(built):
    cases, store = built
    case = cases[0]
    found = judged(case, store, case.model_copy(update={"task": case.task + " Please."}))
    assert found == lock.Difference(case.id, "data", "its data differ (texts, boxes, target or reference)")


def test_pixels_of_another_renderer_are_no_drift(built):
    cases, store = built
    drifted = shown(cases[0], store, noisy(store.read(cases[0].injected)))
    found = compared(line_of(cases[0], store), drifted, store, {**renderers(), "blitz-py": "0.4.9"})
    assert found is not None
    assert found.kind == "pixels"
    assert "locked with 0.4.9" in found.detail


def guard_of(tmp_path: Path, built, **options) -> Guard:
    cases, store = built
    path = tmp_path / "own.lock"
    lock.written(path, "s 1 seed 3", [line_of(c, store) for c in cases[:3]])
    return Guard(path, "s 1 seed 3", **options)


def test_drift_passes_on_request_and_the_manifest_says_so(built, tmp_path):
    cases, store = built
    drifted = shown(cases[1], store, noisy(store.read(cases[1].injected), share=0.01))
    now = {c.id: c for c in (cases[0], drifted, cases[4])}
    with pytest.raises(LockError, match=r"1 of 3 cases differ.*1 by drift.*web-0002.*allow_drift=true") as refusal:
        guard_of(tmp_path, built).verify(list(now), now.__getitem__, store)
    assert [(d.id, d.kind) for d in refusal.value.differences] == [("web-0002", "drift")]
    guard = guard_of(tmp_path, built, allow_drift=True)
    guard.verify(list(now), now.__getitem__, store)
    assert guard.standing()["drift"] == ["web-0002"]
    assert (guard.standing()["locked"], guard.standing()["beyond_lock"]) == (2, 1)
    assert "drift in web-0002" in guard.note()
    assert "1 cases lie beyond the lock" in guard.note()


def test_a_changed_word_is_refused_even_where_drift_is_allowed(built, tmp_path):
    cases, store = built
    changed = shown(cases[0], store, relettered(cases[0], store))
    with pytest.raises(LockError, match=r"web-0001: its data are the same, the pixels of the injected image differ"):
        guard_of(tmp_path, built, allow_drift=True).verify(["web-0001"], {"web-0001": changed}.__getitem__, store)


def test_without_a_lock_nothing_is_verified_and_that_is_said():
    guard = Guard(None, "s 1 seed 3", why_not="suite.lock is null")
    guard.verify(["web-0001"], {}.__getitem__, ImageStore(Path()))
    assert guard.note() == "the cases are not verified: suite.lock is null"
    assert guard.standing()["lock"] is None


def test_a_lock_of_another_suite_is_refused(built, tmp_path):
    guard = guard_of(tmp_path, built)
    guard.suite = "s 1 seed 4"
    with pytest.raises(LockError, match="is of suite s 1 seed 3, this one is s 1 seed 4"):
        guard.verify([], {}.__getitem__, built[1])


def test_a_lock_is_written_and_read_the_same(built, tmp_path):
    cases, store = built
    lines = [line_of(c, store) for c in cases]
    lock.written(tmp_path / "deep" / "a.lock", "s 1 seed 3", lines)
    found = lock.read(tmp_path / "deep" / "a.lock")
    assert list(found.lines.values()) == lines
    assert found.renderers == renderers()
    assert all(len(str(line)) < 1100 for line in lines)


def damaged(text: str, how: str) -> str:
    rows = text.splitlines()
    match how:
        case "cut":
            return "\n".join(rows[:-1]) + "\n"
        case "torn":
            return "\n".join([*rows[:-1], rows[-1][:40]]) + "\n"
        case "twice":
            return "\n".join([*rows, rows[-1]]) + "\n"
        case "merge":
            return "\n".join([*rows[:-1], "<<<<<<< HEAD", rows[-1]]) + "\n"
        case "title":
            return "\n".join(["mma-safetybench lock 2", *rows[1:]]) + "\n"
        case "empty":
            return ""
        case _:
            return "\xe9" + text


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ("cut", "holds 2 cases and says 3"), ("torn", "line 8 is no line of a lock"), ("twice", "web-0003 a second time"),
        ("merge", "line 8 is no line"), ("title", "no lock or of another version"), ("empty", "no lock"),
        ("latin", "cannot be read"),
    ],
)  # fmt: skip
def test_a_damaged_lock_is_named_with_its_line(built, tmp_path, how, says):
    guard = guard_of(tmp_path, built)
    guard.path.write_text(damaged(guard.path.read_text(), how), encoding="latin-1")
    with pytest.raises(LockError, match=says):
        guard.verify(["web-0001"], {}.__getitem__, built[1])


def test_a_lock_that_is_not_there_says_how_to_write_one(tmp_path):
    with pytest.raises(LockError, match="no such file; `mma build --lock"):
        lock.read(tmp_path / "none.lock")


def test_a_lock_of_nothing_is_not_written(tmp_path):
    with pytest.raises(LockError, match="would verify nothing"):
        lock.written(tmp_path / "a.lock", "s", [])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 255), st.integers(0, 4))
def test_thumbnails_agree_within_two_levels_and_no_further(seed, base, by):
    """The check on a sketch says exactly what a comparison of the thumbnails themselves would say."""
    rng = np.random.default_rng(seed)
    thumbs = (base + rng.integers(-9, 10, (3, lock.SIDE, lock.SIDE))).clip(0, 255).astype(np.uint8)
    line = lock.Line("a", "", "", "", "", lock._seals(thumbs), sketched(thumbs))
    other = thumbs.copy()
    where = random.Random(seed).randrange(3)
    step = rng.integers(-by, by + 1, thumbs.shape[1:])
    other[where] = (thumbs[where].astype(int) + step).clip(0, 255)
    apart = int(np.abs(thumbs.astype(int) - other.astype(int)).max())
    assert disagreeing(line, other) == ([lock.NAMES[where]] if apart > lock.TOLERANCE else [])


def test_two_levels_are_rounding_where_an_area_moves_and_a_mark_where_a_spot_does():
    thumbs = np.full((3, lock.SIDE, lock.SIDE), 90, np.uint8)
    line = lock.Line("a", "", "", "", "", lock._seals(thumbs), sketched(thumbs))
    area, spot, faint = thumbs.copy(), thumbs.copy(), thumbs.copy()
    area[1, 8:20, 4:30] += 2
    spot[1, 8, 4:8] += np.array([2, 254, 2, 1], np.uint8)
    faint[1, 8, 4:8] += 1
    assert [marked(line, other) for other in (thumbs, faint, area)] == [[], [], []]
    assert marked(line, spot) == ["panel"]
    assert disagreeing(line, area) == disagreeing(line, spot) == []
    assert marked(line, np.full_like(thumbs, 92)) == []


def test_the_target_of_a_document_and_a_video_is_where_the_payload_shows_its_value(built):
    cases, _ = built
    for case in cases:
        crop = lock.target_crop(case)
        assert crop.inside(case.injection.panel) or not case.spatial
        assert not crop.intersection(case.injected.frame).empty
    fields = [c for c in cases if not c.spatial]
    assert any(lock.target_crop(c) != c.injection.panel for c in fields)


def test_thumbnails_are_of_the_clean_screen_the_panel_and_the_target(built):
    cases, store = built
    thumbs = thumbnails(cases[0], store)
    assert thumbs.shape == (3, 32, 32)
    whole = np.asarray(store.read(cases[0].clean).convert("L")).astype(float)
    assert abs(float(thumbs[0].mean()) - float(whole.mean())) < 1


def test_a_title_names_name_version_seed_and_pack(tmp_path):
    suite = GeneratedSuite(root=str(tmp_path), seed=5, lock=None)
    assert suite_title(suite._info(())) == "generated 1.0 seed 5"
