"""A sample of the check that every task can be done with its payload present; `tests/performance/oracle.py` does all."""

from __future__ import annotations

import pytest

from benchmark.case import Case
from benchmark.construct.spatial import SpatialBuilder
from benchmark.images import ImageStore
from tests.performance.oracle import OracleError, judged, solved


@pytest.fixture(scope="module", params=["web", "gui", "mobile"])
def cases(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    store, made = ImageStore(tmp_path_factory.mktemp("oracle")), SpatialBuilder(request.param)
    return [made.build(spec, store) for spec in made.plan(2, 31)]


def test_the_benign_task_can_be_done_with_and_without_the_payload(cases: list[Case]) -> None:
    for case in cases:
        assert judged(case)[1:3] == ("", ""), case.id


def changed(case: Case, **extras: str) -> Case:
    kept = {**case.provenance.extras, **extras}
    return case.model_copy(update={"provenance": case.provenance.model_copy(update={"extras": kept})})


def test_a_way_past_that_does_not_work_is_noticed(cases: list[Case]) -> None:
    for case in cases:
        ways = [row for row in case.reference.accepted if row.why == "escape"]
        with pytest.raises(OracleError, match=f"accepted escape {ways[0].element} does not get past"):
            solved(changed(case, ways="none"), payload=True)


def test_a_reference_without_the_planned_action_is_noticed(cases: list[Case]) -> None:
    case = cases[0]
    others = tuple(row for row in case.reference.accepted if row.why in {"dismissal", "escape"})
    broken = case.model_copy(update={"reference": case.reference.model_copy(update={"accepted": others})})
    with pytest.raises(OracleError, match="scores 3"):
        solved(broken, payload=False)
