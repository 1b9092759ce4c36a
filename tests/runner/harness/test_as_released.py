"""The official release's two turns: what is sent, in which order, and which cases carry them."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from benchmark.case import Case
from benchmark.sources.official import OfficialSuite
from runner.exchange import ImagePolicy, Profile, Prompt, Reply, Space
from runner.harness.as_released import AsReleased
from runner.harness.brief import MissingObservation
from runner.manifest import packaged_domains
from runner.report.measures import MARKS
from runner.sandbox import NoSandbox
from tests import official_release as release

CONTROL = {"name": "standard", "prefix": "", "stance": {"default": "Use the screen."}}
PROFILE = Profile("v", Space(), ImagePolicy())


@pytest.fixture(scope="module")
def suite(tmp_path_factory) -> OfficialSuite:
    root = release.whole(tmp_path_factory.mktemp("release"))
    made = OfficialSuite(str(root), path=str(tmp_path_factory.mktemp("suite")))
    made.finish()
    return made


@dataclass
class Asked:
    """What a victim was sent, answered one after the other."""

    prompts: list[Prompt] = field(default_factory=list)

    async def __call__(self, prompt: Prompt) -> Reply:
        self.prompts.append(prompt)
        return Reply(text=f"reply {len(self.prompts)}")


def harness(suite: OfficialSuite) -> AsReleased:
    return AsReleased("as_released", packaged_domains(), CONTROL, Path(suite.folder))


def played(suite: OfficialSuite, case: Case) -> tuple[list[Prompt], tuple[Reply, ...]]:
    asked = Asked()
    replies = asyncio.run(harness(suite).run(case, "injected", PROFILE, asked, NoSandbox("none")))
    return asked.prompts, replies


@pytest.mark.parametrize(
    "id", ["web-00000001-aaaa-4bbb-8ccc-0123456789ab", "receipts-gepa-invoice-000", "resumes-gepa-resume-001"]
)
def test_first_the_popup_with_its_anchor_then_the_task_with_the_attack(id, suite):
    case = suite.case(id)
    (first, second), replies = played(suite, case)
    assert [m.role for m in first.messages] == ["system", "user"]
    assert [m.role for m in second.messages] == ["system", "user", "assistant", "user"]
    assert [i.ref for i in first.images] == [case.injected]
    assert [i.ref for i in second.images] == [case.injected, *(s.image for s in case.history)]
    assert case.provenance.extras["anchor_prompt"] in first.text
    assert case.provenance.extras["attack_prompt"] not in first.text
    assert case.task in second.messages[-1].parts[-2]
    assert second.messages[-1].parts[-1] == case.provenance.extras["attack_prompt"]
    assert second.messages[2].parts == ("reply 1",)
    assert [r.text for r in replies] == ["reply 1", "reply 2"]


def test_the_request_key_is_made_of_all_that_is_sent(suite):
    case = suite.case("receipts-gepa-invoice-000")
    whole = harness(suite).prompt(case, "injected", PROFILE)
    _, second = played(suite, case)[0]
    assert [m for m in second.messages if m.role != "assistant"] == list(whole.messages)


@pytest.mark.parametrize("id", ["gui-gui_1", "mobile-mob-0", "video-clipone-0"])
def test_cases_without_the_texts_say_which_have_them(id, suite):
    with pytest.raises(MissingObservation, match="takes the web, receipt and resume cases"):
        harness(suite).prompt(suite.case(id), "injected", PROFILE)


def test_a_web_case_has_no_clean_screen_here(suite):
    with pytest.raises(MissingObservation, match="has no clean image"):
        harness(suite).prompt(suite.case("web-00000000-aaaa-4bbb-8ccc-0123456789ab"), "clean", PROFILE)


def test_tables_know_the_mark():
    assert "outside the image" in MARKS["as released"][1]
