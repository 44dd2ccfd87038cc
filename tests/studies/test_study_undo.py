"""A slip is taken back: the request is pending again as if nothing had been said, and the log says
both."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Problem, Study
from budgeted.errors import BudgetedError, StudyError, UnknownError
from budgeted.hints import CorrectIt
from budgeted.studies.log import purchases

PROBLEM = Problem(
    [Feature("f", ("no", "yes"), "1.50"), Feature("g", ("a", "b", "c"), "1")],
    ("well", "ill"), (0.5, 0.5), "12",
)  # fmt: skip
CASES = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(6)]
SETTLEMENTS = {
    "told": lambda study, each: study.tell(each.number, PROBLEM.features[0].values[0]
                                           if each.feature == "f" else "b"),
    "told dearer": lambda study, each: study.tell(each.number, "yes" if each.feature == "f"
                                                  else "c", cost="2.25"),
    "told for nothing": lambda study, each: study.tell(each.number, "no" if each.feature == "f"
                                                       else "a", cost="0"),
    "failed": lambda study, each: study.fail(each.number),
    "failed for good": lambda study, each: study.fail(each.number, usable=False),
    "failed, charged": lambda study, each: study.fail(each.number, charged=True),
    "failed, charged, for good": lambda study, each: study.fail(
        each.number, charged="0.25", usable=False
    ),
    "cancelled": lambda study, each: study.cancel(each.number),
}  # fmt: skip


def begun(folder, name="s", **options):
    return Study.create(
        str(folder / "s.db"), name, PROBLEM, CASES, by="me", policy="round-robin", **options
    )


def look(study):
    """All that money, belief and supply are, and what became of every number."""
    state, projection = study.state, study._projection
    return (
        state.spent, state.reserved, state.free, state.belief, state.cases_left.tolist(),
        {each.number: each for each in state.pending}, tuple(state.history),
        projection.cells.tolist(), projection.taken.tolist(),
        [(each.number, each.fate, each.value, each.cost) for each in study.requests()],
    )  # fmt: skip


@pytest.mark.parametrize("how", SETTLEMENTS)
def test_what_is_undone_leaves_everything_as_it_was_and_the_log_says_both(tmp_path, how):
    with begun(tmp_path) as study:
        study.ask(4)
        before, request = look(study), study.request(2)
        SETTLEMENTS[how](study, request)
        assert look(study) != before
        undone = study.undo(2, "a slip")
        assert look(study) == before
        assert (undone.fate, undone.value, undone.cost) == ("pending", None, request.cost)
        last = study.history()[-1].event.words()
        assert last.startswith(f"request 2 pending again, {request.cost} reserved: that it was")
        assert "(a slip)" in last
        row = purchases(study.history(), study.requests())[1]
        assert (row["fate"], row["settled_at"]) == ("pending", "")
        assert "undone by me" in row["corrections"]
        seen = look(study)
    with Study.open(str(tmp_path / "s.db")) as again:
        assert look(again) == seen


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["ask", "settle", "slip", "slip later"]),
            st.sampled_from(list(SETTLEMENTS)),
            st.integers(0, 5),
        ),
        max_size=14,
    )
)
@settings(max_examples=25)
@pytest.mark.slow
def test_a_study_with_slips_is_the_study_without_them(tmp_path_factory, steps):
    """The same steps in two studies, one of them with slips that are taken back in between."""
    folder = tmp_path_factory.mktemp("undo")
    with begun(folder, "slips") as slips, begun(folder, "plain") as plain:
        late = None
        for what, how, at in steps:
            pending = plain.requests("pending")
            if what == "ask":
                if late is not None:  # a policy would see the slip, and rightly so
                    slips.undo(late)
                    late = None
                assert [each.number for each in slips.ask(1)] == [
                    each.number for each in plain.ask(1)
                ]
                continue
            pending = [each for each in pending if each.number != late]
            if not pending:
                continue
            request = pending[at % len(pending)]
            if what == "settle":
                try:
                    SETTLEMENTS[how](plain, request)
                except BudgetedError as error:
                    if late is None:
                        with pytest.raises(type(error)):
                            SETTLEMENTS[how](slips, request)
                    continue
                if late is not None and how == "told dearer":
                    slips.undo(late)
                    late = None
                SETTLEMENTS[how](slips, request)
            elif late is None:
                try:
                    SETTLEMENTS[how](slips, request)
                except BudgetedError:
                    continue
                late = request.number
                if what == "slip":
                    slips.undo(late)
                    late = None
            spent, reserved, free = (slips.state.spent, slips.state.reserved, slips.state.free)
            assert spent + reserved + free == slips.state.problem.budget
        if late is not None:
            slips.undo(late)
        mine, theirs = look(slips), look(plain)
        assert sorted(mine[6], key=lambda each: each.number) == sorted(
            theirs[6], key=lambda each: each.number
        )
        assert mine[:6] + mine[7:] == theirs[:6] + theirs[7:]


def test_what_cannot_be_undone_is_refused_in_words(tmp_path):
    with begun(tmp_path) as study:
        first, second, third = study.ask(3)
        with pytest.raises(StudyError, match="request 1 is pending: there is nothing to undo"):
            study.undo(1)
        with pytest.raises(UnknownError, match="there is no request 9"):
            study.undo(9)
        study.record([("P5", "g", "a")])
        with pytest.raises(StudyError, match="recorded without a request") as refused:
            study.undo(4)
        assert refused.value.hint == CorrectIt(4, None)
        study.cancel(first.number)
        study.record([(first.case, first.feature, PROBLEM.features[
            PROBLEM.feature_index(first.feature)].values[0])])  # fmt: skip
        with pytest.raises(StudyError, match="recorded again, as number 5"):
            study.undo(first.number)
        study.fail(second.number)
        study.withdraw(second.case)
        with pytest.raises(StudyError, match="is withdrawn, so request 2"):
            study.undo(second.number)
        study.cancel(third.number)
        study.set_budget(study.state.spent)
        with pytest.raises(StudyError, match=r"would reserve .* and only 0"):
            study.undo(third.number)
        study.close()
        with pytest.raises(StudyError, match="closed"):
            study.undo(third.number)
        events = study.events
    with Study.open(str(tmp_path / "s.db")) as study:
        assert study.events == events


def test_a_correction_that_changes_nothing_is_refused(tmp_path):
    """Back and Correct once more must not log "no instead of no"."""
    with begun(tmp_path) as study:
        study.record([("P0", "f", "no")])
        events = study.events
        with pytest.raises(StudyError, match="is 'no' at a cost of 0 already"):
            study.correct(1, "no")
        assert study.events == events
        study.correct(1, "no", cost="1")
        study.correct(1, None)
        with pytest.raises(StudyError, match=r"is no value at a cost of 1\.00 already"):
            study.correct(1, None, cost="1.00")
        assert np.asarray(study.state.belief.observed).sum() == 0
