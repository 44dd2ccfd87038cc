"""What a case cannot give is ruled out and allowed again; and a closed study goes on."""

import pytest

from budgeted import Feature
from budgeted.cli.studies.hints import words as on_a_terminal
from budgeted.errors import StudyError
from budgeted.web.hints import words as on_the_page
from tests import sample_studies as studies


@pytest.fixture
def study(tmp_path):
    with studies.begin(str(tmp_path / "studies.db"), policy="round-robin") as begun:
        yield begun


def test_a_test_is_ruled_out_and_allowed_again(study):
    left = study.state.cases_left
    study.rule_out("case 2", "f1", "pacemaker")
    events = study.events
    study.rule_out("case 2", "f1", "said twice")
    assert study.events == events
    assert study.ruled_out() == {("case 2", "f1"): "pacemaker"}
    assert (left - study.state.cases_left).tolist() == [[0, 0], [1, 0]]
    assert ("case 2", "f1") not in {(each.case, each.feature) for each in study.ask(12)}
    studies.check_everything(study)
    study.allow("case 2", "f1", "it was taken out")
    study.allow("case 2", "f1")
    assert study.events == events + 13
    assert study.ruled_out() == {}
    assert study.history()[-1].event.words() == "f1 of case 2 may be asked again (it was taken out)"
    studies.check_everything(study)
    studies.check_folded(study)


def test_what_is_asked_known_or_withdrawn_cannot_be_ruled_out(study):
    (request,) = study.ask()
    with pytest.raises(StudyError, match="request 1 is pending") as caught:
        study.rule_out(request.case, request.feature)
    assert "fail it instead: budgeted study fail 1 --unusable" in on_a_terminal(caught.value)
    assert '"It failed" on the card of request 1' in on_the_page(caught.value)[0]
    with pytest.raises(StudyError, match="is asked for already"):
        study.allow(request.case, request.feature)
    study.tell(1, "yes")
    with pytest.raises(StudyError, match="is known already"):
        study.rule_out(request.case, request.feature)
    study.withdraw("case 3")
    with pytest.raises(StudyError, match="case 'case 3' is withdrawn"):
        study.rule_out("case 3", "f0")
    with pytest.raises(StudyError, match="there is no case 'case 77'"):
        study.rule_out("case 77", "f0")


def test_a_slip_is_not_undone_into_what_was_ruled_out_since(study):
    (request,) = study.ask()
    study.cancel(1)
    study.rule_out(request.case, request.feature)
    with pytest.raises(StudyError, match=r"was ruled out since.*allow it first"):
        study.undo(1)
    study.allow(request.case, request.feature)
    assert study.undo(1).fate == "pending"
    studies.check_folded(study)


def test_a_value_of_what_was_ruled_out_may_be_recorded_after_all(study):
    study.rule_out("case 2", "f1")
    study.record([("case 2", "f1", "yes")])
    assert study.ruled_out() == {}
    studies.check_everything(study)
    studies.check_folded(study)


def test_a_closed_study_is_reopened_for_a_reason(study):
    with pytest.raises(StudyError, match="the study is not closed"):
        study.reopen("why not")
    study.close()
    for attempt in (
        lambda: study.add_cases([("new", "label 0")]),
        lambda: study.add_feature(Feature("scan", ("a", "b"), 1)),
        lambda: study.add_value("f0", "maybe"),
        lambda: study.rule_out("case 1", "f0"),
    ):
        with pytest.raises(StudyError, match="is closed"):
            attempt()
    with pytest.raises(StudyError, match="why: say for what reason"):
        study.reopen(" ")
    study.reopen("a second wave")
    assert study.history()[-1].event.words() == "reopened (a second wave)"
    assert study.ask()
    studies.check_folded(study)
