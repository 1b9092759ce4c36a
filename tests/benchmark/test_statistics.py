"""Statistics against the packages of the field, against brute force, and against their own laws."""

from __future__ import annotations

import itertools
import math
import random
from decimal import Decimal
from fractions import Fraction

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar
from statsmodels.stats.inter_rater import fleiss_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from benchmark.statistics import (
    InvalidSample,
    agreement,
    corrected_rate,
    detectable_difference,
    holm,
    interval,
    judge_error,
    krippendorff_alpha,
    macro,
    majority,
    mcnemar,
    mean_percent,
    paired_difference,
    paired_macro_difference,
    percent,
    power_of,
    repeats,
    sign_flip,
    wilson,
)
from tests.performance import coverage_simulation as simulation

FEW = 400
quick = settings(max_examples=40, deadline=None)


def strangers(n: int) -> list[str]:
    return [f"case {i}" for i in range(n)]


@st.composite
def clustered(draw: st.DrawFn, smallest: int = 1) -> tuple[list[float], list[str]]:
    values = draw(st.lists(st.sampled_from([0.0, 1 / 3, 0.5, 1.0]), min_size=smallest, max_size=40))
    labels = draw(st.lists(st.sampled_from("abcdefg"), min_size=len(values), max_size=len(values)))
    return values, labels


@pytest.mark.parametrize(("k", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (88, 200), (199, 200), (3, 191)])
def test_wilson_equals_statsmodels(k: int, n: int) -> None:
    low, high = wilson(k / n, n, stats.norm.ppf(0.975))
    assert (low, high) == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-12)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (88, 200), (200, 200)])
def test_strangers_have_their_full_n_and_students_t(k: int, n: int) -> None:
    found = interval([1.0] * k + [0.0] * (n - k), strangers(n))
    assert found.n_effective == pytest.approx(n)
    assert (found.low, found.high) == pytest.approx(wilson(k / n, n, stats.t.ppf(0.975, n - 1)), abs=1e-9)


def test_copies_of_a_case_in_its_cluster_add_nothing() -> None:
    once = [1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    alone = interval(once, strangers(13))
    copied = interval([v for v in once for _ in range(15)], [c for c in strangers(13) for _ in range(15)])
    assert copied.n_effective == pytest.approx(13, rel=0.1)
    assert copied.high - copied.low == pytest.approx(alone.high - alone.low, rel=0.05)


def test_design_effect_is_that_of_leaving_clusters_out() -> None:
    generator = random.Random("jackknife")
    labels = [generator.choice("abcdefghijklm") for _ in range(191)]
    lean = {c: generator.random() for c in "abcdefghijklm"}
    values = [float(generator.random() < lean[c]) for c in labels]
    p, n = np.mean(values), len(values)
    without = [np.mean([v for v, c in zip(values, labels) if c != left]) for left in sorted(lean)]
    variance = 12 / 13 * sum((x - p) ** 2 for x in without)
    measured = variance * (n - 1) / (p * (1 - p))
    hits = n * min(p, 1 - p)
    assumed = 1 + (sum(labels.count(c) ** 2 for c in lean) / n - 1) * 0.3
    expected = max(measured, (hits * measured + 3 * assumed) / (hits + 3))
    assert interval(values, labels).design_effect == pytest.approx(expected)


@pytest.mark.parametrize(
    ("values", "labels", "estimate", "bounds"),
    [
        ([], [], None, (0.0, 1.0)),
        ([1.0], ["a"], 1.0, (0.0, 1.0)),
        ([0.0] * 50, ["one video"] * 50, 0.0, (0.0, 1.0)),
        ([1.0, 0.0] * 20, ["one video"] * 40, 0.5, (0.0, 1.0)),
    ],
    ids=["nothing", "one case", "one cluster, none", "one cluster, half"],
)
def test_where_nothing_can_be_said_the_interval_is_everything(
    values: list[float], labels: list[str], estimate: float | None, bounds: tuple[float, float]
) -> None:
    found = interval(values, labels)
    assert found.estimate == estimate
    assert (found.low, found.high) == bounds
    assert found.design_effect is None


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_none_or_all_of_n_is_not_certainty_and_less_so_in_clusters(value: float) -> None:
    apart = interval([value] * 195, strangers(195))
    together = interval([value] * 195, [str(i % 13) for i in range(195)])
    for found in (apart, together):
        assert found.estimate == value
        assert (found.low == 0.0) == (value == 0.0)
        assert 0 < found.high - found.low < 0.2
    assert together.high - together.low > 3 * (apart.high - apart.low)


@given(clustered())
@quick
def test_an_interval_holds_its_estimate_and_never_more_than_n(sample: tuple[list[float], list[str]]) -> None:
    found = interval(*sample)
    assert found.estimate is not None
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.n_effective is None or found.n_effective <= found.n * (1 + 1e-9)


@given(clustered(), st.randoms())
@quick
def test_order_and_names_of_clusters_do_not_matter(
    sample: tuple[list[float], list[str]], shuffle: random.Random
) -> None:
    values, labels = sample
    order = list(range(len(values)))
    shuffle.shuffle(order)
    again = interval([values[i] for i in order], [labels[i].upper() * 2 for i in order])
    first = interval(values, labels)
    assert (again.low, again.high) == pytest.approx((first.low, first.high))


@given(clustered())
@quick
def test_turning_hits_into_misses_mirrors_the_interval(sample: tuple[list[float], list[str]]) -> None:
    values, labels = sample
    first, mirrored = interval(values, labels), interval([1 - v for v in values], labels)
    assert (mirrored.low, mirrored.high) == pytest.approx((1 - first.high, 1 - first.low), abs=1e-9)


@given(st.integers(2, 200), st.data())
@quick
def test_more_hits_move_the_interval_up_and_more_level_widens_it(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n - 1))
    less, more = ([1.0] * j + [0.0] * (n - j) for j in (k, k + 1))
    a, b, wide = interval(less, strangers(n)), interval(more, strangers(n)), interval(less, strangers(n), level=0.99)
    assert a.low <= b.low
    assert a.high <= b.high
    assert wide.low <= a.low
    assert a.high <= wide.high


def test_equal_weights_change_nothing_and_unequal_ones_count_for_less() -> None:
    values, labels = [1.0, 0.0, 0.0, 1.0] * 10, strangers(40)
    plain = interval(values, labels)
    weighted = interval(values, labels, weights=[7.0] * 40)
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))
    skewed = interval(values, labels, weights=[1.0] * 39 + [30.0])
    assert skewed.n_effective is not None
    assert skewed.n_effective <= 69 / 30 + 1e-9


@pytest.mark.parametrize(
    ("values", "labels", "says"),
    [
        ([0.5, 1.5], ["a", "b"], "position 1 is 1.5"),
        ([0.5, math.nan], ["a", "b"], "position 1 is missing"),
        ([0.5], ["a", "b"], "1 values but 2 labels"),
    ],
)
def test_impossible_samples_are_named(values: list[float], labels: list[str], says: str) -> None:
    with pytest.raises(InvalidSample, match=says):
        interval(values, labels)


def test_macro_is_the_unweighted_mean_whatever_the_sizes() -> None:
    values = [1.0] * 10 + [0.0] * 90
    found = macro(values, ["web"] * 10 + ["gui"] * 90, strangers(100))
    assert found.estimate == 0.5
    assert found.domains == ("gui", "web")
    assert 0 <= found.low < 0.5 < found.high <= 1


def test_a_domain_without_a_scored_case_leaves_no_macro() -> None:
    found = macro([1.0, 0.0, None], ["web", "web", "gui"], ["a", "b", "c"])
    assert (found.estimate, found.low, found.high, found.left_out) == (None, 0.0, 1.0, 1)
    assert macro([], [], []).estimate is None


def test_macro_over_single_clusters_says_nothing() -> None:
    found = macro([1.0, 0.0] * 10, ["web", "gui"] * 10, ["only"] * 20)
    assert (found.estimate, found.low, found.high) == (0.5, 0.0, 1.0)


def test_macro_of_nothing_hit_is_not_certain() -> None:
    found = macro([0.0] * 100, ["web", "gui"] * 50, strangers(100))
    assert found.low == 0.0
    assert 0.03 < found.high < 0.1


@given(clustered(), st.randoms())
@quick
def test_macro_depends_on_neither_order_nor_process(
    sample: tuple[list[float], list[str]], shuffle: random.Random
) -> None:
    values, labels = sample
    domains = ["web" if i % 3 else "gui" for i in range(len(values))]
    order = list(range(len(values)))
    shuffle.shuffle(order)
    first = macro(values, domains, labels, resamples=200)
    again = macro(*([row[i] for i in order] for row in (values, domains, labels)), resamples=200)
    assert (again.low, again.high) == pytest.approx((first.low, first.high), abs=1e-6)


def by_hand(sums: list[float]) -> float:
    totals = [abs(sum(s * x for s, x in zip(signs, sums))) for signs in itertools.product((1, -1), repeat=len(sums))]
    return sum(t >= abs(sum(sums)) - 1e-9 for t in totals) / len(totals)


@given(st.lists(st.integers(-7, 7) | st.sampled_from([1 / 3, -0.4, math.pi, math.sqrt(2)]), max_size=9))
@quick
def test_sign_flips_are_counted_as_by_hand(sums: list[float]) -> None:
    p, exact = sign_flip([sums])
    assert exact
    assert p == pytest.approx(by_hand(sums), abs=1e-9)
    assert sign_flip([sums[:4], sums[4:]])[0] == pytest.approx(p, abs=1e-9)


@pytest.mark.parametrize("n", [5, 13])
def test_sign_flips_equal_scipys_paired_permutation_test(n: int) -> None:
    generator = np.random.default_rng(n)
    sums = generator.normal(0.4, 1, n)
    theirs = stats.permutation_test(
        (sums, np.zeros(n)), lambda x, y, axis: (x - y).sum(axis), permutation_type="samples", vectorized=True,
        n_resamples=np.inf,
    )  # fmt: skip
    p, exact = sign_flip([sums])
    assert exact
    assert p == pytest.approx(theirs.pvalue, abs=1e-12)


def test_sign_flips_of_strangers_equal_exact_mcnemar() -> None:
    for ups, downs in [(12, 3), (40, 61), (0, 8), (5, 5)]:
        a, b = [1.0] * ups + [0.0] * downs + [1.0] * 20, [0.0] * ups + [1.0] * downs + [1.0] * 20
        found = paired_difference(a, b, strangers(len(a)), resamples=50)
        assert found.exact
        assert found.p_value == pytest.approx(mcnemar(ups, downs).p_value)


def test_drawn_signs_come_near_the_counted_ones() -> None:
    generator = np.random.default_rng(5)
    sums = generator.normal(0.25, 1, 60)
    p, exact = sign_flip([sums])
    assert not exact
    assert p == sign_flip([sums])[0]
    assert p != sign_flip([sums], seed=1)[0]
    normal = 2 * stats.norm.sf(abs(sums.sum()) / math.sqrt((sums**2).sum()))
    assert p == pytest.approx(normal, abs=0.01)
    assert sign_flip([np.abs(sums) + 5])[0] == pytest.approx(1 / 100_001)


@pytest.mark.parametrize(("b01", "b10"), [(0, 0), (1, 0), (7, 2), (30, 30), (5, 41)])
def test_mcnemar_equals_statsmodels(b01: int, b10: int) -> None:
    theirs = statsmodels_mcnemar([[50, b01], [b10, 50]], exact=True).pvalue
    ours = mcnemar(b01, b10)
    assert ours.p_value == pytest.approx(1.0 if b01 == b10 else theirs)
    assert ours.assumption == "assumes independent cases"


@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_holm_equals_statsmodels(n: int) -> None:
    p_values = list(np.random.default_rng(n).beta(0.3, 2, n))
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1])


@given(st.lists(st.floats(0, 1), max_size=30))
@quick
def test_holm_never_lowers_a_p_value_nor_changes_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    pairs = sorted((p, a) for p, a in zip(p_values, adjusted) if a is not None)
    assert all(p <= a <= 1 for p, a in pairs)
    assert [a for _, a in pairs] == sorted(a for _, a in pairs)


def test_holm_passes_over_tests_that_were_not_possible() -> None:
    assert holm([0.01, None, 0.04]) == [0.02, None, 0.04]
    assert holm([]) == []


def test_difference_of_strangers_is_close_to_its_t_interval() -> None:
    generator = random.Random("pairs")
    a = [float(generator.random() < 0.5) for _ in range(400)]
    b = [float(generator.random() < 0.4) for _ in range(400)]
    found = paired_difference(a, b, strangers(400))
    d = np.subtract(a, b)
    low, high = stats.t.interval(0.95, 399, d.mean(), stats.sem(d))
    assert found.estimate == pytest.approx(d.mean())
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.01)
    assert found.discordance == pytest.approx(np.mean(d != 0))
    assert found.design_effect == pytest.approx(1, abs=1e-6)


@given(clustered(), st.randoms())
@quick
def test_swapping_the_conditions_mirrors_the_difference(
    sample: tuple[list[float], list[str]], shuffle: random.Random
) -> None:
    a, labels = sample
    b = [shuffle.choice([0.0, 0.5, 1.0]) for _ in a]
    there, back = (paired_difference(x, y, labels, resamples=400) for x, y in ((a, b), (b, a)))
    assert there.estimate is not None
    assert -1 <= there.low <= there.estimate <= there.high <= 1
    assert back.estimate == pytest.approx(-there.estimate)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-6)
    assert back.p_value == pytest.approx(there.p_value)


def test_pairs_with_a_missing_side_are_left_out_and_counted() -> None:
    found = paired_difference([1.0, None, 0.0, 1.0], [0.0, 1.0, math.nan, 1.0], list("abcd"))
    assert (found.n_pairs, found.left_out, found.clusters, found.estimate) == (2, 2, 2, 0.5)


@pytest.mark.parametrize(
    ("a", "b", "labels", "estimate", "p_value"),
    [
        ([], [], [], None, None),
        ([None], [1.0], ["a"], None, None),
        ([1.0], [0.0], ["a"], 1.0, 1.0),
        ([1.0, 1.0, 0.0], [0.0, 0.0, 0.0], ["a", "a", "a"], 2 / 3, 1.0),
    ],
    ids=["nothing", "no complete pair", "one pair", "one cluster"],
)
def test_where_no_difference_can_be_known_its_interval_is_everything(
    a: list[float | None], b: list[float | None], labels: list[str], estimate: float | None, p_value: float | None
) -> None:
    found = paired_difference(a, b, labels)
    assert found.estimate == pytest.approx(estimate)
    assert found.p_value == p_value
    assert (found.low, found.high) == pytest.approx((-1.0, 1.0))


@pytest.mark.parametrize("clusters", [200, 20])
def test_pairs_that_never_or_always_differ_are_not_certain(clusters: int) -> None:
    labels = [str(i % clusters) for i in range(200)]
    never = paired_difference([1.0] * 200, [1.0] * 200, labels)
    assert never.estimate == 0.0
    assert never.p_value == 1.0
    assert -0.2 < never.low < -0.005
    assert never.high == pytest.approx(-never.low)
    always = paired_difference([1.0] * 200, [0.0] * 200, labels)
    assert always.estimate == always.high == 1.0
    assert 0.7 < always.low < 0.999
    assert always.p_value is not None
    assert always.p_value < 1e-4


def test_repeats_are_counted_exactly_too() -> None:
    generator = random.Random("thirds")
    a = [generator.choice([0, 1 / 3, 2 / 3, 1]) for _ in range(150)]
    b = [generator.choice([0, 1 / 3, 2 / 3, 1]) for _ in range(150)]
    assert paired_difference(a, b, strangers(150), resamples=50).exact


def test_macro_difference_is_the_mean_of_the_domains_differences() -> None:
    a, b = [1.0] * 10 + [0.0] * 60, [0.0] * 10 + [0.0] * 30 + [1.0] * 30
    domains = ["web"] * 10 + ["gui"] * 60
    found = paired_macro_difference(a, b, domains, strangers(70))
    assert found.estimate == pytest.approx((1.0 - 0.5) / 2)
    gone = paired_macro_difference([*a, None], [*b, 1.0], [*domains, "video"], strangers(71))
    assert (gone.estimate, gone.p_value, gone.left_out) == (None, None, 1)


def test_sides_of_different_length_are_refused() -> None:
    with pytest.raises(InvalidSample, match="same cases"):
        paired_difference([1.0], [1.0, 0.0], ["a"])


def test_detectable_difference_has_the_power_it_promises() -> None:
    found = detectable_difference(191, 13, 2.0, 0.3)
    assert found is not None
    assert power_of(found, 191, 13, 2.0, 0.3) == pytest.approx(0.8, abs=1e-3)
    larger, more_power = detectable_difference(1910, 130, 2.0, 0.3), detectable_difference(191, 13, 2.0, 0.3, power=0.9)
    assert larger is not None
    assert more_power is not None
    assert larger < found < more_power
    assert detectable_difference(191, 1, 2.0, 0.3) is None
    assert detectable_difference(5, 5, 1.0, 0.05) is None


def test_power_is_what_the_test_shows_on_simulated_pairs() -> None:
    difference, discordance, n = 0.1, 0.3, 200
    generator, found = np.random.default_rng(8), 0
    for _ in range(FEW):
        kind = generator.choice(
            3, n, p=[(discordance + difference) / 2, (discordance - difference) / 2, 1 - discordance]
        )
        found += mcnemar(int(np.sum(kind == 0)), int(np.sum(kind == 1))).p_value <= 0.05
    assert power_of(difference, n, n, 1.0, discordance) == pytest.approx(found / FEW, abs=0.09)


def test_flip_rate_and_any_hit_over_repeats() -> None:
    found = repeats(
        [[True, True, True], [True, False, False], [False, False, None], [None, True], [None]], list("abcde")
    )
    assert found.planned_repeats == 3
    assert found.incomplete == 3
    assert found.flip_rate.estimate == pytest.approx(1 / 3)
    assert found.any_hit.estimate == pytest.approx(3 / 4)
    assert found.disagreement == pytest.approx((0 + 2 / 3 + 0) / 3)


def test_without_repeats_there_is_no_flip_rate() -> None:
    found = repeats([[True], [False]], ["a", "b"])
    assert found.flip_rate.estimate is None
    assert found.disagreement is None
    assert found.any_hit.estimate == 0.5


scores = st.sampled_from([1, 3, 5])
score_pairs = st.lists(st.tuples(scores, scores), min_size=2, max_size=60)


@given(score_pairs)
@quick
def test_kappas_and_confusion_equal_scikit_learns(pairs: list[tuple[int, int]]) -> None:
    first, second = [list(side) for side in zip(*pairs)]
    found = agreement(first, second, resamples=50)
    assert np.array_equal(found.confusion, confusion_matrix(first, second, labels=[1, 3, 5]))
    assert found.percent.estimate == pytest.approx(np.mean(np.equal(first, second)))
    if len(set(first) | set(second)) == 1:
        assert found.kappa.estimate is None
        assert (found.kappa.low, found.kappa.high) == (-1.0, 1.0)
        return
    for ours, weights in ((found.kappa, None), (found.quadratic_kappa, "quadratic")):
        assert ours.estimate == pytest.approx(cohen_kappa_score(first, second, labels=[1, 3, 5], weights=weights))
        assert ours.estimate is not None
        assert -1 <= ours.low <= ours.estimate <= ours.high <= 1


@given(score_pairs, st.randoms())
@quick
def test_weighted_agreement_equals_scikit_learns(pairs: list[tuple[int, int]], shuffle: random.Random) -> None:
    first, second = [list(side) for side in zip(*pairs)]
    if len(set(first) | set(second)) == 1:
        return
    probabilities = [shuffle.choice([0.1, 0.5, 1.0]) for _ in pairs]
    weights = [1 / p for p in probabilities]
    found = agreement(first, second, probabilities, resamples=50)
    theirs = confusion_matrix(first, second, labels=[1, 3, 5], sample_weight=weights, normalize="all")
    assert np.allclose(found.shares, theirs)
    for ours, kind in ((found.kappa, None), (found.quadratic_kappa, "quadratic")):
        expected = cohen_kappa_score(first, second, labels=[1, 3, 5], weights=kind, sample_weight=weights)
        assert ours.estimate == pytest.approx(expected)


@given(st.lists(st.lists(scores | st.none(), min_size=3, max_size=3), min_size=2, max_size=40))
@quick
def test_alpha_equals_the_krippendorff_package(ratings: list[list[int | None]]) -> None:
    data = np.array([[math.nan if r is None else r for r in item] for item in ratings], dtype=float).T
    paired = [item for item in ratings if sum(r is not None for r in item) > 1]
    values = {r for item in paired for r in item if r is not None}
    for metric in ("nominal", "ordinal", "interval"):
        ours = krippendorff_alpha(ratings, metric, resamples=50)
        if len(values) < 2:
            assert ours.estimate is None
            continue
        theirs = krippendorff.alpha(data, value_domain=[1, 3, 5], level_of_measurement=metric)
        assert ours.estimate == pytest.approx(theirs, abs=1e-9)


def test_nominal_alpha_approaches_fleiss_kappa() -> None:
    generator = random.Random("fleiss")
    ratings = [
        [s, s if generator.random() < 0.8 else 3, generator.choice([s, 5])] for s in generator.choices([1, 3, 5], k=900)
    ]
    counts = [[item.count(s) for s in (1, 3, 5)] for item in ratings]
    assert krippendorff_alpha(ratings, "nominal", resamples=50).estimate == pytest.approx(
        fleiss_kappa(counts), abs=1e-3
    )


def test_an_item_of_weight_two_counts_like_two_items() -> None:
    first, second = [1, 3, 5, 5, 1, 3], [1, 3, 5, 3, 5, 3]
    weighted = agreement(first, second, [1.0, 1.0, 1.0, 0.5, 1.0, 1.0], resamples=50)
    doubled = agreement([*first, 5], [*second, 3], resamples=50)
    assert weighted.kappa.estimate == pytest.approx(doubled.kappa.estimate)
    assert weighted.quadratic_kappa.estimate == pytest.approx(doubled.quadratic_kappa.estimate)


def test_the_papers_audit_has_an_interval() -> None:
    truth = [5] * 150 + [3] * 50 + [1] * 100
    judge = [5] * 150 + [3] * 45 + [1] * 5 + [1] * 95 + [3] * 5
    found = agreement(truth, judge)
    assert found.percent.estimate == pytest.approx(290 / 300)
    assert 0.93 < found.percent.low < 290 / 300 < found.percent.high < 0.985
    assert found.kappa.estimate is not None
    assert 0.88 < found.kappa.low < found.kappa.estimate < found.kappa.high < 1


def test_raters_who_never_differ_are_not_certain() -> None:
    same = [1, 3, 5] * 10
    found = agreement(same, same)
    for coefficient in (found.kappa, found.quadratic_kappa, krippendorff_alpha([[s, s] for s in same], "ordinal")):
        assert coefficient.estimate == coefficient.high == 1.0
        assert 0.4 < coefficient.low < 0.95


def test_missing_scores_are_left_out_and_unknown_ones_refused() -> None:
    found = agreement([1, None, 5], [1, 3, None])
    assert (found.n, found.left_out) == (1, 2)
    assert agreement([], []).kappa.estimate is None
    with pytest.raises(InvalidSample, match="item 1 has score 4"):
        agreement([1, 4], [1, 1])
    with pytest.raises(InvalidSample, match="one in"):
        agreement([1], [1], probabilities=[0.0])


def test_items_of_a_cluster_widen_the_bootstrap() -> None:
    generator = random.Random("videos")
    first, second, labels = [], [], []
    for cluster in range(12):
        noise = generator.choice([0.0, 0.6])
        for _ in range(25):
            s = generator.choice([1, 3, 5])
            first.append(s)
            second.append(generator.choice([1, 3, 5]) if generator.random() < noise else s)
            labels.append(str(cluster))
    apart, together = agreement(first, second).kappa, agreement(first, second, clusters=labels).kappa
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


@pytest.mark.parametrize(
    ("ratings", "score"),
    [
        ([1, 1, 5], 1),
        ([5, 5, 5], 5),
        ([1, 3, 5], None),
        ([3, None, None], 3),
        ([1, 5], None),
        ([], None),
        ([None], None),
    ],
)
def test_majority_is_more_than_half(ratings: list[int | None], score: int | None) -> None:
    assert majority(ratings) == score


def test_judge_error_counts_what_the_judge_missed_and_invented() -> None:
    found = judge_error([True] * 10 + [False] * 20, [True] * 9 + [False] + [True] * 2 + [False] * 18)
    assert (found.tp, found.fn, found.fp, found.tn) == (9, 1, 2, 18)
    assert found.sensitivity.estimate == pytest.approx(0.9)
    assert found.specificity.estimate == pytest.approx(0.9)
    assert found.effective() == pytest.approx((9, 1, 2, 18))


def test_a_thinly_audited_stratum_limits_what_the_audit_knows() -> None:
    """100 judged positive, all audited and true; 100 of 1,000 judged negative, all of them truly negative."""
    truth, judged = [True] * 100 + [False] * 100, [True] * 100 + [False] * 100
    found = judge_error(truth, judged, [1.0] * 100 + [0.1] * 100)
    assert found.sensitivity.estimate == 1.0
    assert found.sensitivity.n_effective == pytest.approx(10)
    assert found.sensitivity.low < 0.75


def test_correction_inverts_the_judges_error() -> None:
    true_rate, se, sp = 0.3, 0.9, 0.95
    observed = true_rate * se + (1 - true_rate) * (1 - sp)
    found = corrected_rate(observed * 1e6, 1e6, se * 1e6, (1 - se) * 1e6, (1 - sp) * 1e6, sp * 1e6)
    assert found.estimate == pytest.approx(true_rate)
    assert found.note == "corrected"
    assert found.low < true_rate < found.high
    assert found.high - found.low < 0.01


def test_a_perfect_judge_well_audited_leaves_nearly_the_plain_interval() -> None:
    found = corrected_rate(60, 200, 1e7, 0, 0, 1e7)
    assert (found.low, found.high) == pytest.approx(wilson(0.3, 200, stats.norm.ppf(0.98)), abs=1e-3)


@pytest.mark.parametrize(
    ("counts", "note", "estimate"),
    [
        ((0, 0, 5, 1, 1, 5), "nothing observed", None),
        ((5, 10, 0, 0, 1, 5), "no audit", None),
        ((5, 10, 4, 1, 0, 0), "no audit", None),
        ((5, 10, 2, 2, 3, 3), "judge no better than chance", None),
        ((0, 200, 50, 2, 30, 70), "at an edge", 0.0),
        ((200, 200, 60, 40, 2, 98), "at an edge", 1.0),
    ],
)
def test_what_cannot_be_corrected_says_so(
    counts: tuple[float, float, float, float, float, float], note: str, estimate: float | None
) -> None:
    found = corrected_rate(*counts)
    assert found.note == note
    assert found.estimate == estimate
    if estimate is None:
        assert (found.low, found.high) == (0.0, 1.0)
    else:
        assert found.low <= estimate <= found.high
        assert 0 < found.high - found.low < 0.5


def test_clusters_and_their_smaller_n_widen_the_correction() -> None:
    plain = corrected_rate(60, 200, 45, 5, 5, 95)
    clustered_ = corrected_rate(60, 200, 45, 5, 5, 95, n_effective=50, clusters=13)
    assert clustered_.estimate == plain.estimate
    assert clustered_.high - clustered_.low > plain.high - plain.low
    alone = corrected_rate(60, 200, 45, 5, 5, 95, clusters=1)
    assert (alone.low, alone.high) == (0.0, 1.0)


@given(*(st.integers(0, 60) for _ in range(6)))
@quick
def test_a_corrected_rate_lies_in_its_interval(k: int, rest: int, tp: int, fn: int, fp: int, tn: int) -> None:
    found = corrected_rate(k, k + rest, tp, fn, fp, tn)
    assert 0 <= found.low <= found.high <= 1
    if found.estimate is not None:
        assert found.low <= found.estimate <= found.high


@given(st.integers(0, 99), st.integers(30, 50), st.integers(60, 100))
@quick
def test_more_judged_hits_never_lower_the_corrected_rate(k: int, tp: int, tn: int) -> None:
    less, more = (corrected_rate(j, 100, tp, 50 - tp, 100 - tn, tn) for j in (k, k + 1))
    if less.estimate is not None and more.estimate is not None:
        assert less.estimate <= more.estimate
        assert less.low <= more.low + 1e-9
        assert less.high <= more.high + 1e-9


@pytest.mark.parametrize(
    ("k", "n", "text"),
    [
        (88, 200, "44.00"), (157, 209, "75.12"), (136, 283, "48.06"), (134, 191, "70.16"), (168, 191, "87.96"),
        (166, 191, "86.91"), (221, 283, "78.09"), (98, 209, "46.89"), (86, 191, "45.03"), (89, 209, "42.58"),
        (165, 209, "78.95"), (205, 209, "98.09"), (188, 200, "94.00"), (290, 300, "96.67"), (0, 200, "0.00"),
        (200, 200, "100.00"), (1, 32, "3.13"), (1, 800, "0.13"), (1, 1_000_000, "0.00"), (0.1 + 0.2, 3, "10.00"),
        (Fraction(1, 3), 1, "33.33"),
    ],
)  # fmt: skip
def test_percentages_print_as_in_the_paper(k: float, n: int, text: str) -> None:
    assert str(percent(k, n)) == text


def test_means_and_gaps_come_from_rounded_cells() -> None:
    cells = [Decimal(x) for x in ("43.00", "48.89", "51.24", "63.69", "69.17")]
    assert str(mean_percent(cells)) == "55.20"
    scr, asr = percent(165, 209), percent(89, 209)
    assert scr is not None
    assert asr is not None
    assert str(scr - asr) == "36.37"


def test_nothing_scored_has_no_percentage() -> None:
    assert percent(0, 0) is None
    assert mean_percent([]) is None
    assert mean_percent([Decimal("1.00"), None]) is None
    with pytest.raises(InvalidSample, match="3 of 2"):
        percent(3, 2)


@given(st.integers(0, 5000), st.integers(1, 5000))
@quick
def test_rounding_is_half_up_on_exact_quotients(k: int, n: int) -> None:
    k = min(k, n)
    found = percent(k, n)
    assert found is not None
    error = Fraction(k * 100, n) - Fraction(found)
    assert Fraction(-1, 200) <= error < Fraction(1, 200)


def slack(share: float, trials: int) -> float:
    """Three standard errors of a simulated share."""
    return 3 * math.sqrt(share * (1 - share) / trials)


@pytest.mark.parametrize("study", ["interval", "difference", "audit"])
def test_simulated_coverage_and_error_keep_their_bars(study: str) -> None:
    """In small; the whole grid is in tests/performance/coverage_simulation.py."""
    generator = np.random.default_rng(42)
    if study == "interval":
        results = list(simulation.interval_coverage(80, generator, (0.05, 0.3)))
    elif study == "difference":
        results = list(simulation.difference_coverage(40, generator, ((0.3, 0.3), (0.7, 0.5)), resamples=500))
    else:
        results = list(simulation.audit_coverage(60, generator, positives=(5, 20, 150)))
    trials = {"interval": 80, "difference": 40, "audit": 60}[study]
    for at_least in (True, False):
        group = [r for r in results if r.at_least is at_least]
        if not group:
            continue
        mean = float(np.mean([r.share for r in group]))
        bar = group[0].bar
        assert (mean >= bar) if at_least else (mean <= bar)
        for result in group:
            room = slack(bar, trials)
            assert (result.share >= bar - room) if at_least else (result.share <= bar + room), result.what
