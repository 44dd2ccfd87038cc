"""Many results at once: told or recorded, all or none, exact money, taken back as a whole."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Feature, Number, Problem, Study
from budgeted.errors import StudyError, StudyFileError, UnknownError
from budgeted.studies.commands import Enter, UndoBatch
from budgeted.studies.commands.slips import outcome_digest
from tests import sample_studies as studies
from tests.thorough import sized


def studies_of(folder):
    crp = Feature("crp", kind=Number(unit="mg/l", cuts=[5], least=0, most=500), cost="4.10")
    problem = Problem(
        [Feature("fever", ("no", "yes"), "1.50"), crp], ("well", "ill"), (0.5, 0.5), "40"
    )
    cases = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(8)]
    return Study.create(
        str(folder / "studies.db"), "flu", problem, cases, seed=1, by="me", policy="round-robin",
        clock=studies.CLOCK,
    )  # fmt: skip


@pytest.fixture
def study(tmp_path):
    with studies_of(tmp_path) as found:
        yield found


def value_of(request):
    return "no" if request.feature == "fever" else "3.5"


def money(study):
    return study.state.spent, study.state.reserved, study.state.free


def test_what_was_asked_for_is_told_and_the_rest_recorded(study):
    asked = study.ask(3)
    other = next(name for name in study.cases if name not in {each.case for each in asked})
    results = [(each.case, each.feature, value_of(each)) for each in asked]
    results += [(other, "fever", "yes", "1.25", "by phone"), (other, "crp", 7.5)]
    before = study.events
    done = study.enter(results, key="batch")
    assert [each.fate for each in done] == ["told"] * 3 + ["recorded"] * 2
    assert [each.cost for each in done[3:]] == [Decimal("1.25"), 0]
    assert study.state.spent == sum(each.cost for each in done)
    assert study.state.reserved == 0
    assert [each.text for each in study.notes(other)] == ["by phone"]
    assert study.enter(results, key="batch") == done
    assert study.events == before + 6
    assert {entry.key for entry in study.history(before)} == {"batch"}
    studies.check_everything(study)
    studies.check_folded(study)


def test_all_of_them_or_none_and_every_mistake_at_once(study):
    study.record([("P7", "fever", "no")])
    study.withdraw("P6")
    good = [(each.case, each.feature, value_of(each)) for each in study.ask(1, case="P0")]
    wrong = [
        ("P7", "fever", "yes"), ("P99", "fever", "no"), ("P6", "fever", "no"), ("P5", "crp", "501"),
        ("P4", "fevre", "no"), ("P4", "fever", "perhaps"), ("P3", "crp", "2", "-1"),
    ]  # fmt: skip
    before = money(study), study.events
    with pytest.raises(StudyFileError) as caught:
        study.enter([*good, *wrong])
    assert (money(study), study.events) == before
    said = caught.value.mistakes
    assert len(said) == len(wrong)
    for words, line in zip(
        ("is 'no' already", "no case 'P99'", "withdrawn", "outside", "did you mean 'fever'",
         "no value 'perhaps'", "cost"), said, strict=True,
    ):  # fmt: skip
        assert words in line
    assert study.enter([("P5", "crp", "501", "", "", True)])[0].value == "501"


def test_a_table_that_contradicts_itself_is_refused_on_both_sides(study):
    with pytest.raises(StudyFileError) as caught:
        study.enter([("P1", "fever", "no"), ("P2", "fever", "no"), ("P1", "fever", "yes")])
    assert [each[:9] for each in caught.value.mistakes] == ["case 'P1'"] * 2
    assert study.enter([("P1", "crp", "3"), ("P1", "crp", "3.0")])[0].value == "3"
    with pytest.raises(StudyFileError, match="at a cost of 0, not 9"):
        study.enter([("P1", "crp", "3", "9")])


CELLS = st.sampled_from([(f"P{at}", feature) for at in range(9) for feature in ("fever", "crp")])
RESULTS = st.lists(
    st.tuples(
        CELLS,
        st.sampled_from(["no", "yes", "3", "3.0", "4.5", "900", "x"]),
        st.sampled_from(["", "0", "0.75", "30"]),
        st.booleans(),
    ).map(lambda each: (*each[0], each[1], each[2], "", each[3])),
    max_size=12,
)


@settings(max_examples=sized(30, 60), deadline=None)
@given(RESULTS, st.booleans(), st.integers(0, 6))
def test_a_preview_says_what_is_written_then(tmp_path_factory, results, charge, asked):
    folder = tmp_path_factory.mktemp("preview")
    with studies_of(folder) as study:
        study.ask(asked) if asked else None
        before, events = money(study), study.events
        seen = study.preview(results, charge=charge)
        assert (money(study), study.events) == (before, events)
        assert seen.before == before
        right = [each for each in seen.outcomes if each.fate not in ("refused", "doubtful")]
        assert len(right) == len(seen.fitting)
        done = study.enter(seen.fitting, charge=charge, key="k")
        assert money(study) == seen.after
        assert seen.charged == seen.after[0] - before[0]
        new = [each for each in right if each.fate in ("told", "recorded")]
        assert [(each.fate, each.number, each.cost) for each in new] == [
            (each.fate, each.number, each.cost) for each in done
        ]
        studies.check_everything(study)
        if done:
            study.undo_batch("k")
            assert money(study) == before
            studies.check_everything(study)
            studies.check_folded(study)
            assert study.preview(results, charge=charge).outcomes[0].fate == seen.outcomes[0].fate


def test_a_batch_is_undone_as_a_whole_or_not_at_all(study):
    asked = study.ask(2)
    batch = [(each.case, each.feature, value_of(each)) for each in asked]
    batch += [("P7", "crp", "8")] if ("P7", "crp") not in {each[:2] for each in batch} else []
    done = study.enter(batch, key="batch")
    seen = [f"{each.number}:{outcome_digest(each)}" for each in done]
    study.correct(done[0].number, "yes" if done[0].feature == "fever" else "77")
    before = study.events
    with pytest.raises(StudyFileError, match="was changed since") as caught:
        study.do(UndoBatch("batch", shown=seen))
    assert len(caught.value.mistakes) == 1
    assert study.events == before
    study.undo_batch("batch", "of another patient")
    assert {each.fate for each in study.requests()} == {"pending", "cancelled"}
    with pytest.raises(StudyFileError, match="is pending by now"):
        study.undo_batch("batch")
    assert study.enter(batch, key="again")[0].fate == "told"
    with pytest.raises(UnknownError):
        study.undo_batch("never used")


def test_what_could_not_be_had_does_not_come_up_for_sale_by_an_undo(study):
    study.rule_out("P1", "crp", "no blood")
    study.enter([("P1", "crp", "3")], key="batch")
    with pytest.raises(StudyFileError, match="could not be had before"):
        study.undo_batch("batch")


def test_a_closed_study_takes_no_results_but_notes(study):
    study.enter([("P1", "fever", "no")], key="batch")
    study.close()
    for attempt in (
        lambda: study.enter([("P2", "fever", "no")]),
        lambda: study.preview([("P2", "fever", "no")]),
        lambda: study.undo_batch("batch"),
    ):
        with pytest.raises(StudyError, match="closed"):
            attempt()
    study.note("archived")
    assert [each.text for each in study.notes()] == ["archived"]


def test_notes_are_kept_with_who_and_when_and_forgotten_with_their_case(study):
    study.enter([("P1", "fever", "no", "", "shivering")], key="a")
    study.note("moved to Bern", case="P1")
    study.note("by phone", number=1)
    study.note("a holiday")
    shown = study.snapshot()
    assert [each.text for each in shown.notes_on("P1")] == [
        "shivering",
        "moved to Bern",
        "by phone",
    ]
    assert [(each.text, each.by) for each in shown.notes_on(number=1)] == [
        ("shivering", "me"), ("by phone", "me"),
    ]  # fmt: skip
    assert [each.text for each in shown.notes_on()] == ["a holiday"]
    assert study.history()[-3].event.words() == "note on case P1: moved to Bern"
    study.withdraw("P1", forget=True)
    assert study.notes("P1") == study.snapshot().notes_on("P1") == ()
    told = "".join(each.event.words() for each in (*study.history(), *study.snapshot().entries))
    assert "shivering" not in told
    assert "Bern" not in told
    assert "a holiday" in told
    for attempt in ({"case": "P77"}, {"number": 55}, {"number": 1, "case": "P1"}):
        with pytest.raises(StudyError):
            study.note("x", **attempt)
    with pytest.raises(StudyError, match="from 1 to"):
        study.note("  ")


def test_a_result_that_is_no_result_is_refused_in_words(study):
    with pytest.raises(StudyFileError, match="must be a case, a feature and its value"):
        study.do(Enter([("P1", "fever"), "P1", 3]))
