"""What asking would cost, before it is asked: what it then costs, and nothing changes."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from budgeted import Feature, Problem, Study
from budgeted.errors import StudyError
from budgeted.problem.prices import Tariff
from budgeted.studies.commands import Ask
from budgeted.studies.foresight import foresee
from tests.sample_studies import CLOCK, make_cases


def begin(tmp_path, budget="60", prices=None, policy="auto", name="study"):
    features = [Feature("ferritin", ("low", "high"), "18.00"), Feature("mcv", ("low", "high"), "4")]
    problem = Problem(features, ("well", "ill"), (0.5, 0.5), budget, prices)
    cases = make_cases(problem, 8)
    return Study.create(
        str(tmp_path / "my.db"), name, problem, cases, seed=3, by="me", clock=CLOCK, policy=policy
    )


@settings(max_examples=25, deadline=None)
@given(
    n=some.integers(1, 12),
    visits=some.booleans(),
    budget=some.sampled_from(["9", "60", "500"]),
    fee=some.sampled_from([None, "5"]),
    policy=some.sampled_from(["auto", "round-robin", "random-shopper"]),
    only=some.sampled_from([(), ("mcv",)]),
    at_most=some.sampled_from([None, "20"]),
)
def test_what_is_foreseen_is_what_asking_then_costs(
    tmp_path_factory, n, visits, budget, fee, policy, only, at_most
):
    prices = None if fee is None else Tariff(visit_fee=fee)
    wanted = {"visits": n} if visits else {"n": n}
    command = Ask(**wanted, only=only, at_most=at_most)
    with begin(tmp_path_factory.mktemp("foresight"), budget, prices, policy) as study:
        before, head = study.state, study.head
        try:
            found = study.foresee(command)
        except StudyError as error:
            with pytest.raises(StudyError, match=str(error)[:20].replace("(", ".")):
                study.do(command)
            return
        assert study.state is before
        assert study.head == head
        done = study.do(command)
        assert found.cost == sum((each.cost for each in done.requests), start=Decimal(0))
        assert found.requests == len(done.requests)
        assert found.free == before.free
        unit = {each.case for each in done.requests} if visits else {e.order for e in done.requests}
        assert found.placed == len(unit)
        assert found.words()


def test_what_does_not_fit_is_said_with_the_price_of_all(tmp_path):
    with begin(tmp_path, "45", policy="round-robin") as study:
        found = study.foresee(Ask(6))
        assert found.placed == len(study.ask(6)) < 6
    with begin(tmp_path, "500", policy="round-robin", name="rich") as study:
        assert found.whole == sum(each.cost for each in study.ask(6))
    assert found.words() == (
        f"6 would cost {found.whole} if there were the money; {found.placed} fit in the 45 that "
        f"are free, for {found.cost}."
    )


def test_time_that_runs_out_is_said(tmp_path):
    with begin(tmp_path, "500") as study:
        ticks = iter(range(100))
        found = foresee(study.draft(), Ask(9), "study", 2, lambda: next(ticks))
    assert not found.known
    assert 1 <= found.placed < 9
    assert found.words().startswith(f"The first {found.placed} would cost")


def test_a_wish_for_nobody_is_refused_as_asking_would_be(tmp_path):
    with begin(tmp_path) as study, pytest.raises(StudyError, match="there is no case 'nobody'"):
        study.foresee(Ask(case="nobody"))


def test_a_draft_stays_as_it_is_while_the_study_goes_on(tmp_path):
    with begin(tmp_path, "500") as study:
        draft = study.draft()
        first = foresee(draft, Ask(3), "study")
        for request in study.ask(3):
            study.tell(request.number, "low")
        assert foresee(draft, Ask(3), "study") == first
