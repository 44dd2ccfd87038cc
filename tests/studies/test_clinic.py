"""The paper's own example is a study that runs: a visit fee, a soft budget, numbers and a panel."""

from __future__ import annotations

import random
from decimal import Decimal
from pathlib import Path

import pytest

from budgeted import Study
from budgeted.errors import StudyFileError
from budgeted.studies.case_lists import CaseList
from budgeted.studies.files import parse_toml, read_study, study_of
from tests.sample_studies import check_folded

CLINIC = Path(__file__).resolve().parents[2] / "examples" / "clinic"


@pytest.fixture
def given():
    return read_study(CLINIC / "study.toml", CLINIC / "cases.csv")


def begin(given, folder):
    return Study.create(
        str(folder / "clinic.db"), given.name, given.problem, given.cases, seed=given.seed,
        known=given.known, by="Ann",
    )  # fmt: skip


def answer(request, draw):
    """Subtype B has high cholesterol and a raised CRP more often; the rest is chance."""
    ill = request.label == "subtype B"
    if request.feature == "cholesterol":
        return str(draw.randrange(190, 300) if ill else draw.randrange(140, 250))
    if request.feature == "crp":
        return draw.choice(["raised", "high", "high"] if ill else ["normal", "normal", "raised"])
    return {"pulse": "fast", "pressure": "high", "ecg": "normal"}[request.feature]


def test_it_runs_until_nothing_is_worth_its_price(given, tmp_path):
    draw = random.Random(5)
    with begin(given, tmp_path) as study:
        assert len(study.requests("recorded")) == len(given.known) > 0
        visits = 0
        while asked := study.ask(visits=3):
            visits += len({each.case for each in asked})
            for each in asked:
                study.tell(each.number, answer(each, draw))
        state = study.state
        assert state.spent + state.reserved + state.free == state.problem.budget == 2_000
        assert state.spent >= 1_000 - 60  # below the amount nothing is weighed
        bought = study.requests("told")
        # Every patient pays the fee once, each test ten, the treadmill thirty.
        seen = {each.case for each in bought}
        run = {each.case for each in bought if each.feature == "pulse"}
        single = sum(each.feature in ("crp", "cholesterol") for each in bought)
        assert state.spent == 50 * len(seen) + 10 * single + 30 * len(run)
        assert len(bought) >= 3 * visits
        beyond = max(Decimal(0), state.spent - 1_000)
        rates = min(beyond, 500) * Decimal("0.20") + max(Decimal(0), beyond - 500) * Decimal("0.50")
        assert study.status().surcharge == rates
        told = study.model().predict({"cholesterol": "280", "crp": "high"})
        assert max(told, key=told.get) == "subtype B"
        check_folded(study)


def test_a_step_beyond_the_limit_is_refused(given):
    plain = parse_toml((CLINIC / "study.toml").read_bytes(), "study.toml")
    plain["budget"]["steps"] = [{"beyond": 0, "rate": 0.2}, {"beyond": 1000, "rate": 0.5}]
    with pytest.raises(StudyFileError, match=r"steps\[1\].beyond: counts from the amount 1000"):
        study_of(plain, CaseList(given.cases), "study.toml")
