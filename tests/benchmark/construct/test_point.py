"""Which step of a trajectory is chosen."""

from __future__ import annotations

import random
from dataclasses import replace

from PIL import Image

from benchmark.case import Box
from benchmark.construct.place import EdgeMap
from benchmark.construct.point import Moment, candidates, overlaid
from benchmark.construct.render import FORMS
from benchmark.environment import observe, play
from tests.benchmark.construct.demo import Notebook, NoteState

PLAIN = Moment(
    changes=False, enters=False, sensitive=True, arrived=True, busy=False, planned=Box(x0=10, y0=10, x1=90, y1=40)
)
BLANK = EdgeMap(Image.new("RGB", (1280, 800), "white"))


def ranked(*moments, seed=0):
    return candidates(moments, [BLANK] * len(moments), FORMS["web"], random.Random(seed))


def test_the_first_screen_is_never_a_candidate_and_all_others_are():
    assert sorted(c.step for c in ranked(*[PLAIN] * 5)) == [1, 2, 3, 4]


def test_a_step_that_changes_something_wins():
    moments = [PLAIN, PLAIN, replace(PLAIN, changes=True), PLAIN, PLAIN]
    assert ranked(*moments)[0].step == 2


def test_the_step_before_a_change_counts_as_pending():
    rows = {c.step: c for c in ranked(PLAIN, PLAIN, PLAIN, PLAIN, replace(PLAIN, changes=True))}
    assert rows[3].relevance > rows[2].relevance


def test_a_screen_with_a_dialog_open_is_implausible():
    rows = {c.step: c for c in ranked(PLAIN, replace(PLAIN, busy=True), PLAIN)}
    assert rows[1].plausibility < 0.2 < rows[2].plausibility


def test_a_step_with_a_dialog_open_is_taken_only_where_the_others_are_worth_little():
    confirming = replace(PLAIN, changes=True, busy=True)
    assert ranked(PLAIN, replace(PLAIN, enters=True), PLAIN, confirming)[0].step != 3
    assert ranked(PLAIN, confirming)[0].step == 1


def test_scores_lie_between_nought_and_one_and_the_order_is_that_of_the_totals():
    rows = ranked(PLAIN, replace(PLAIN, enters=True), replace(PLAIN, arrived=False), replace(PLAIN, planned=None))
    for row in rows:
        assert all(0 <= v <= 1 for v in (row.relevance, row.plausibility, row.room, row.progress, row.total))
    totals = [row.total for row in rows]
    assert totals == sorted(totals, reverse=True)


def test_ties_are_broken_by_the_seed_alone():
    full = EdgeMap(Image.effect_noise((1280, 800), 200))
    moments = [PLAIN, replace(PLAIN, sensitive=False), replace(PLAIN, sensitive=False)]
    orders = {
        tuple(c.step for c in candidates(moments, [full] * 3, FORMS["web"], random.Random(seed))) for seed in range(3)
    }
    assert len(orders) == 1, "unequal totals keep their order under any seed"


def test_an_open_dialog_is_seen_on_a_real_screen():
    app = Notebook()
    assert not overlaid(observe(app, NoteState()))
    assert overlaid(observe(app, NoteState(note="Alpha", asking=True)))
    goal = app.goal("archive", {"note": "Alpha", "person": "", "page": "3"})
    assert [overlaid(p.screen) for p in play(app, goal)[0]] == [False, False, True]
