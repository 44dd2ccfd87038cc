"""The life of a request, batches, and what a study promises to people."""

import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Problem, Study, simulate
from budgeted.errors import BudgetedError, JournalError, PurchaseError, StudyError
from budgeted.hints import CorrectIt, RecordIt
from budgeted.policies import POLICIES, policy
from budgeted.simulation.worlds import TableWorld
from budgeted.state.cases import RULES
from budgeted.studies.events import Told
from budgeted.studies.journal import Journal
from budgeted.studies.log import purchases
from tests import sample_studies as studies
from tests.cases import pick_case
from tests.databases import new_postgres_database


@pytest.fixture
def study(tmp_path):
    with studies.begin(str(tmp_path / "studies.db")) as begun:
        yield begun
        studies.check_everything(begun)
        studies.check_folded(begun)
        studies.check_every_event(begun.history())


def money(study):
    return study.state.spent, study.state.reserved, study.state.free


def test_a_request_says_all_there_is_to_say(study):
    (request,) = study.ask()
    assert request.number == 1
    assert request.case.startswith("case")
    assert (request.fate, request.value, request.by) == ("pending", None, "me")
    assert request.at == "2026-01-02T03:04:05Z"
    assert "the best use of the next" in request.why
    assert request.asked.engine == ""
    assert request.asked.policy == "auto"
    assert request.asked.parameters == {}
    scores = [score for _, _, score in request.asked.scores]
    assert scores == sorted(scores)
    assert {each[:2] for each in request.asked.scores} == {
        (feature, label) for feature in ("f0", "f1") for label in ("label 0", "label 1")
    }
    spread = request.asked.compared
    assert (spread.number, spread.lowest, spread.highest) == (4, scores[0], scores[-1])
    assert spread.mean == pytest.approx(sum(scores) / 4)


def test_tells_come_in_any_order_and_twice_is_harmless(study):
    study.ask(3)
    assert money(study) == (0, 3, 9)
    study.tell(3, "yes")
    study.tell(1, "no")
    assert money(study) == (2, 1, 9)
    events = study.events
    study.tell(3, "yes")
    assert study.events == events
    with pytest.raises(StudyError, match="told 'yes' at a cost of 1 already") as refused:
        study.tell(3, "no")
    assert refused.value.hint == CorrectIt(3, "no")
    with pytest.raises(StudyError, match="told 'yes' at a cost of 1 already"):
        study.tell(3, "yes", cost="2")


def test_a_failure_has_its_kinds(study):
    asked = study.ask(4)
    kinds = ((True, True, 1), (True, False, 2), (False, True, 2), ("0.25", False, 2.25))
    for number, (charged, usable, spent) in enumerate(kinds, start=1):
        study.fail(number, charged=charged, usable=usable, why="tube broken")
        assert study.state.spent == Decimal(str(spent))
        cell = study._projection.cells[study._projection.cell(*_cell(asked[number - 1]))]
        assert cell == (0 if usable else 3)
        assert study.request(number).fate == "failed"
    assert study.state.reserved == 0
    with pytest.raises(StudyError, match="request 1 is failed") as caught:
        study.tell(1, "yes")
    assert caught.value.hint == RecordIt(asked[0].number, *_cell(asked[0]), "yes")
    study.record([(*_cell(asked[3]), "yes")])
    assert study.request(5).value == "yes"


def _cell(request):
    return request.case, request.feature


def test_cancelling_frees_money_and_case(study):
    (request,) = study.ask()
    before = study.state.cases_left.copy()
    study.cancel(1, "changed our mind")
    assert money(study) == (0, 0, 12)
    assert study.state.cases_left.sum() == before.sum() + 1
    with pytest.raises(StudyError, match="request 1 is cancelled, not pending; pending are: none"):
        study.cancel(1)
    with pytest.raises(StudyError, match="there is no request 9; the last one is 1"):
        study.cancel(9)
    assert request.fate == "pending", "what was handed out does not change"


def test_a_correction_keeps_both_values(study):
    study.ask(2)
    study.tell(1, "no")
    wrong = study.state.belief
    study.correct(1, "yes", why="mixed up")
    assert study.state.belief == wrong.retract(*_index(study, 1), "no").observe(
        *_index(study, 1), "yes"
    )
    entry = study.history()[-1]
    assert (entry.event.old_value, entry.event.value, entry.event.why) == ("no", "yes", "mixed up")
    study.tell(1, "yes")
    study.correct(1, None)
    assert study.state.belief.observed.sum() == 0
    study.correct(1, "yes", cost="5")
    assert money(study) == (5, 1, 6)
    with pytest.raises(PurchaseError, match="is more than the free"):
        study.correct(1, "yes", cost="12")
    with pytest.raises(StudyError, match="request 2 is pending, there is nothing to correct"):
        study.correct(2, "yes")
    with pytest.raises(BudgetedError, match="has no value 'maybe'; there are 'no', 'yes'"):
        study.correct(1, "maybe")
    assert money(study) == (5, 1, 6)


def _index(study, number):
    request = study.request(number)
    return request.feature, request.label


def test_a_withdrawn_case_is_never_asked_again(study):
    asked = study.ask(3)
    study.tell(1, "yes")
    case = asked[1].case
    study.withdraw(case, why="moved away")
    assert study.request(2).fate == "cancelled"
    assert study.withdrawn == {case}
    study.withdraw(asked[0].case, forget=True)
    assert study.request(1).value is None
    assert study.state.spent == 1
    assert study.state.belief.observed.sum() == 0
    with pytest.raises(StudyError, match="is withdrawn already"):
        study.withdraw(case)
    with pytest.raises(StudyError, match="there is no case 'nobody'"):
        study.withdraw("nobody")
    study.set_budget("100")
    later = study.ask(100)
    assert later
    assert not {case, asked[0].case} & {each.case for each in later}
    with pytest.raises(BudgetedError, match="is not for sale"):
        study.record([(case, "f0", "yes")])


def test_values_that_nobody_asked_for(study):
    asked = study.ask(1)[0]
    assert asked.case == "case 0"
    done = study.record(
        [("case 3", "f0", "yes"), ("case 11", "f1", "no"), (*_cell(asked), "yes")], charge=True
    )
    assert [each.fate for each in done] == ["recorded", "recorded", "told"]
    assert study.state.spent == 3
    assert study.record([("case 11", "f1", "no")]) == ()
    before = study.events
    with pytest.raises(BudgetedError) as caught:
        study.record([("case 1", "f1", "no"), ("case 11", "f1", "yes"), ("x", "f0", "no"),
                      ("case 2", "f9", "no"), ("case 2", "f0", "maybe")])  # fmt: skip
    said = str(caught.value)
    for words in ("is 'no' already", "no case 'x'", "no feature 'f9'", "no value 'maybe'"):
        assert words in said
    assert study.events == before
    study.record([("case 1", "f1", "no")])
    assert study.requests()[-1].cost == 0


def test_the_budget_may_change_but_not_below_what_is_gone(study):
    study.ask(3)
    study.tell(1, "no")
    before = study.events
    with pytest.raises(PurchaseError, match=r"2\.99 is less than the 3 that is gone already"):
        study.set_budget("2.99")
    with pytest.raises(StudyError, match="budget: must be 0 or more"):
        study.set_budget("-1")
    assert study.events == before
    study.set_budget("3")
    assert money(study) == (1, 2, 0)
    assert study.ask(5) == ()
    study.set_budget("5", why="a donation")
    assert len(study.ask(5)) == 2


def test_a_cost_above_the_free_money_is_refused(study):
    study.ask(1)
    with pytest.raises(PurchaseError, match=r"cost 12.01 is more than the free"):
        study.tell(1, "yes", cost="12.01")
    study.tell(1, "yes", cost="12")
    assert study.ask() == ()


def test_a_closed_study_takes_only_corrections(study):
    study.ask(2)
    study.tell(1, "no")
    with pytest.raises(StudyError, match="request 2 is pending; tell, fail or cancel it"):
        study.close()
    study.tell(2, "no")
    study.close("enough")
    assert study.closed
    study.tell(1, "no")
    study.correct(1, "yes")
    for act in (study.ask, lambda: study.record([("case 0", "f0", "no")]), study.close,
                lambda: study.set_budget("99")):  # fmt: skip
        with pytest.raises(StudyError, match="closed"):
            act()


@pytest.mark.parametrize("n", [0, -1, True, 2.5, 10_001])
def test_an_odd_number_of_requests_is_refused(study, n):
    with pytest.raises(StudyError, match="n: must be a whole number from 1"):
        study.ask(n)


def test_a_batch_is_not_copies_of_one_idea(tmp_path):
    """Every feature is asked for under every label before one is asked for again."""
    problem = studies.make_problem(("1", "1", "1"), budget="100")
    with studies.begin(str(tmp_path / "a.db"), problem=problem, per_label=50) as study:
        batch = study.ask(12)
        assert len({(each.case, each.feature) for each in batch}) == 12
        cells = {(each.feature, each.label) for each in batch}
        assert len(cells) == 6
        scores = {tuple(score for _, _, score in each.asked.scores) for each in batch}
        # A decision is good for a value of either label.
        assert len(scores) > 5, "later decisions of a batch see the earlier ones"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", POLICIES)
def test_a_study_buys_what_a_simulation_with_its_seed_buys(tmp_path, name, rule):
    """Where values are missing too: such a case is still fresh for other features, in both."""
    problem = studies.make_problem(("1", "2", "1"), budget="25")
    cases = studies.make_cases(problem, per_label=8)
    values = np.random.default_rng(3).integers(-1, 2, (len(cases), 3))
    labels = np.array([problem.labels.index(label) for _, label in cases])
    world = TableWorld(problem, values, labels, seed=11, case_rule=rule)
    rows = [(row.feature, row.case, row.value)
            for row in simulate(problem, policy(name), world, seed=11, loss=None)]  # fmt: skip
    assert None in {value for _, _, value in rows}
    names = [case for case, _ in cases]
    done = []
    with Study.create(str(tmp_path / "a.db"), "a", problem, cases, policy=name,
                      case_rule=rule, seed=11) as study:  # fmt: skip
        while asked := study.ask():
            feature, case = int(asked[0].feature[1:]), names.index(asked[0].case)
            value = int(values[case, feature])
            if value < 0:
                study.fail(asked[0].number, charged=True, usable=False)
            else:
                study.tell(asked[0].number, ("no", "yes")[value])
            done.append((feature, case, None if value < 0 else value))
    assert done == rows


@pytest.mark.parametrize("name", POLICIES)
@given(data=st.data())
@settings(max_examples=6)
@pytest.mark.slow
def test_interrupted_at_every_step_is_the_same_as_never(tmp_path_factory, name, data):
    """Batches, tells in any order, failures and corrections, reopened between all of them."""
    folder = tmp_path_factory.mktemp("resume")
    problem = studies.make_problem(("1", "1.5"), budget="9")
    steps = data.draw(st.lists(st.sampled_from(["ask", "ask", "ask 2", "tell", "fail", "cancel",
                                                "correct"]), min_size=3, max_size=14))  # fmt: skip
    picks = data.draw(st.lists(st.integers(0, 99), min_size=len(steps), max_size=len(steps)))
    logs = []
    for interrupted in (False, True):
        database = str(folder / f"{interrupted}.db")
        study = studies.begin(database, problem=problem, policy=name)
        for step, pick in zip(steps, picks, strict=True):
            if interrupted:
                study.release()
                study = Study.open(database, by="me", clock=studies.CLOCK)
            act(study, step, pick)
            studies.check_everything(study)
        # But for the keys, which are made up for each command.
        logs.append([replace(each, key="") for each in study.history()])
        study.release()
    assert logs[0] == logs[1]


def act(study, step, pick):
    """Do one thing to a study, if there is something to do it to."""
    pending, told = study.requests("pending"), study.requests("told")
    if step.startswith("ask"):
        study.ask(2 if "2" in step else 1)
    elif step == "correct" and told:
        chosen = told[pick % len(told)]
        study.correct(chosen.number, "no" if chosen.value == "yes" else "yes")
    elif step != "correct" and pending:
        request = pending[pick % len(pending)]
        if step == "tell":
            study.tell(request.number, studies.answer(request))
        elif step == "fail":
            study.fail(request.number, charged=pick % 3 == 0, usable=pick % 2 == 0)
        else:
            study.cancel(request.number)


@pytest.mark.parametrize(
    ("rule", "feature", "case"),
    [("fresh", 0, 2), ("fresh", 1, 3), ("overlap", 0, 1), ("overlap", 1, 0)],
)
def test_a_case_that_is_unusable_for_a_feature_is_still_fresh_for_others(rule, feature, case):
    """Case 0 has feature 0, case 1 has feature 1; case 2 can never give feature 1."""
    bought = np.array([[True, False], [False, True], [False, False], [False, False]])
    unusable = np.array([[False, False], [False, False], [False, True], [False, False]])
    assert pick_case(rule, np.arange(4), bought, feature, unusable) == case


def test_overlap_prefers_a_case_with_other_values_wherever_it_stands():
    bought = np.array([[False, False], [False, True]])
    assert pick_case("overlap", np.array([0, 1]), bought, 0) == 1


def test_a_password_is_never_shown(tmp_path, postgres):
    from sqlalchemy.engine import make_url

    url, drop = new_postgres_database(postgres)
    try:
        secret = make_url(url).set(password="hush").render_as_string(hide_password=False)
        studies.begin(secret, "one").release()
        studies.begin(secret, "two").release()
        with pytest.raises(StudyError, match="which study") as caught:
            Study.open(secret)
        assert "hush" not in str(caught.value)
    finally:
        drop()


def test_opening_calls_no_policy(tmp_path, monkeypatch):
    database = str(tmp_path / "a.db")
    with studies.begin(database) as study:
        study.ask(3)
        study.tell(2, "yes")
        expected = study.requests()
    for kind in POLICIES.values():
        monkeypatch.setattr(kind, "choose", None)
    with Study.open(database) as again:
        assert again.requests() == expected
        assert again.state.spent == 1


def test_two_people_get_different_requests(tmp_path):
    database = str(tmp_path / "a.db")
    with studies.begin(database) as one, Study.open(database, by="you") as two:
        asked = [*one.ask(2), *two.ask(2), *one.ask(1), *two.ask(1)]
        assert [each.number for each in asked] == [1, 2, 3, 4, 5, 6]
        assert len({(each.case, each.feature) for each in asked}) == 6
        two.tell(1, "yes")
        one.tell(4, "no")
        assert one.request(1).value == "yes"
        two.refresh()
        assert two.state.spent == one.state.spent == 2
        assert {each.by for each in one.history()} == {"me", "you"}


def test_names_of_studies(tmp_path):
    database = str(tmp_path / "a.db")
    studies.begin(database, "one").release()
    with pytest.raises(StudyError, match="there is a study 'one' already"):
        studies.begin(database, "one")
    studies.begin(database, "two").release()
    with pytest.raises(StudyError, match=r"which study\? There are: 'one', 'two'"):
        Study.open(database)
    with pytest.raises(StudyError, match="no study 'three'; there are: 'one', 'two'"):
        Study.open(database, "three")


def test_all_mistakes_of_a_new_study_are_reported_and_no_file_is_made(tmp_path):
    problem = studies.make_problem()
    cases = [("a", "label 0"), ("a", "label 1"), (" ", "label 7")]
    with pytest.raises(BudgetedError) as caught:
        Study.create(str(tmp_path / "a.db"), "", problem, cases, policy="slf", seed=-1)
    said = str(caught.value)
    for words in (
        "name:",
        "did you mean 'sfl'",
        "seed:",
        "cases[1]: 'a' appears twice",
        "cases[2]: the name of a case",
        "cases[2]: there is no label 'label 7'",
    ):
        assert words in said
    assert not (tmp_path / "a.db").exists()


def test_a_journal_that_does_not_fit_is_refused(tmp_path):
    database = str(tmp_path / "a.db")
    with studies.begin(database) as study:
        study.ask()
    with Journal(database, "study") as journal:
        journal.append([Told(7, "yes", Decimal(1))], expected=2, by="somebody")
    with pytest.raises(JournalError, match="event 3 does not fit what came before it: there is no"):
        Study.open(database)
    with Journal(database, "odd") as journal:
        journal.append([Told(1, "yes", Decimal(1))], expected=0, by="somebody")
    with pytest.raises(JournalError, match=r"event 1 does not fit.*begins with its creation"):
        Study.open(database, "odd")


def test_nothing_but_json_and_sql_is_read_back():
    """No module of the package can unpickle anything or evaluate text."""
    root = Path(__file__).resolve().parents[2] / "src" / "budgeted"
    for path in root.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for word in ("pickle", "marshal", "shelve", "eval(", "exec(", "yaml"):
            harmless = text.replace("connection.exec", "").replace("create_subprocess_exec", "")
            assert word not in harmless, (path, word)
    script = (
        "import sys\nfrom budgeted import Study\n"
        "assert not {'dill', 'cloudpickle', 'joblib'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(("charge", "spent"), [(False, 1), (True, 1), ("0.25", "0.25"), ("0", 0)])
def test_an_amount_counts_for_a_value_that_was_asked_for_too(study, charge, spent):
    """It was passed over in silence, and the price of the request charged instead."""
    (asked,) = study.ask()
    (told,) = study.record([(*_cell(asked), "yes")], charge=charge)
    assert (told.number, told.fate) == (asked.number, "told")
    assert (told.cost, study.state.spent, study.state.reserved) == (Decimal(spent),) * 2 + (0,)


def test_withdrawing_returns_what_it_cancelled(study):
    first, *_ = asked = study.ask(3)
    mine = [each.number for each in asked if each.case == first.case]
    assert [each.number for each in study.withdraw(first.case)] == mine


def test_an_export_says_why_a_request_failed(study):
    (asked,) = study.ask()
    study.fail(asked.number, why="the tube broke")
    (row,) = purchases(study.history(), study.requests())
    assert row["settled_why"] == "the tube broke"
    assert row["why"] == asked.why


def test_what_nobody_carries_out_is_taken_back_with_its_money(tmp_path):
    day = "2026-01-02"
    features = [Feature("fever", ("no", "yes"), "1.50")]
    problem = Problem(features, ("well", "ill"), (0.5, 0.5), 9)
    cases = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(8)]
    with Study.create(
        f"{tmp_path}/s.db", "s", problem, cases, clock=lambda: f"{day}T09:00:00Z"
    ) as study:
        study.ask(2)
        day = "2026-02-20"
        study.ask()
        day = "2026-03-01"
        gone = study.expire(30, "the laboratory lost the list")
        assert [(each.number, each.fate) for each in gone] == [(1, "cancelled"), (2, "cancelled")]
        assert study.state.reserved == Decimal("1.50")
        words = study.history()[-1].event.words()
        assert "nobody carried it out for 58 days: the laboratory lost the list" in words
        with pytest.raises(StudyError, match="days: must be a whole number from 1"):
            study.expire(0)
