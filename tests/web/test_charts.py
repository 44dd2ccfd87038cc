"""Charts of the study page: valid Vega-Lite that says what the study says."""

import math

import altair
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgeted import Belief, Feature, Model, Problem
from budgeted.learners import of_belief
from budgeted.studies.projection import fold
from budgeted.studies.validation import ValidationFile
from budgeted.web import charts, curve
from budgeted.web.curve import Curve
from tests.sample_studies import answer, begin, make_problem


@pytest.fixture
def study(tmp_path):
    with begin(str(tmp_path / "a.db"), problem=make_problem(("2.50", "1"), "20")) as study:
        for request in study.ask(4):
            study.tell(request.number, answer(request))
        study.fail(study.ask(1)[0].number, charged=True)
        first = study.request(1)
        study.correct(1, "no" if first.value == "yes" else "yes")
        study.ask(1)
        yield study


def valid(chart):
    """Altair knows the schema of Vega-Lite."""
    altair.Chart.from_dict(chart)
    return chart


def all_charts(study):
    status = study.status()
    track = Curve(study.created)
    track.advance(study.state)
    return {
        "error": charts.error_against_money(track.points, float(study.state.problem.budget)),
        "worth": charts.worth(status.cells),
        "purchases": charts.purchases(status.cells),
        "belief": charts.belief_of(study.predictor(), "f0"),
    }


def test_every_chart_is_valid_and_brings_its_data(study):
    for chart in all_charts(study).values():
        assert valid(chart)["data"]["values"]
        assert chart["width"] == "container"
        assert chart["description"]


def test_a_forecast_is_a_fan_to_the_end_of_the_budget(study):
    track = Curve(study.created)
    track.advance(study.state)
    last = track.points[-1]
    fan = [
        {"money": last["spent"], "error": 0.3, "low": 0.2, "high": 0.4},
        {"money": 20.0, "error": 0.2, "low": 0.1, "high": 0.3},
    ]
    past = charts.error_against_money(track.points, 20.0)
    chart = valid(charts.error_against_money(track.points, 20.0, fan))
    assert len(chart["layer"]) == len(past["layer"]) + 2
    assert "20.0% expected at the end of the budget" in chart["description"]
    assert all(each["data"]["values"] == fan for each in chart["layer"][-2:])


def test_purchases_are_counted_by_feature_and_label(study):
    rows = all_charts(study)["purchases"]["data"]["values"]
    assert sum(row["bought"] for row in rows) == 4
    assert sum(row["pending"] for row in rows) == 1
    assert sum(row["failed"] for row in rows) == 1


def test_worth_is_compared_with_the_best(study):
    rows = all_charts(study)["worth"]["data"]["values"]
    assert [row["worth"] for row in rows] == [cell.worth for cell in study.status().cells]
    assert max(row["worth"] for row in rows) == 1


def test_beliefs_are_shares_inside_their_intervals(study):
    rows = all_charts(study)["belief"]["data"]["values"]
    for label in study.state.problem.labels:
        assert math.isclose(sum(row["share"] for row in rows if row["label"] == label), 1)
    assert all(0 <= row["low"] < row["share"] < row["high"] <= 1 for row in rows)


def test_an_interval_of_the_belief_holds_what_a_beta_distribution_says():
    """Shares with counts 3 and 2: the quantiles of Beta(3, 2), from its distribution function."""
    problem = Problem([Feature("f", ("a", "b"), 1)], ("x", "y"), (0.5, 0.5), 9)
    belief = Belief.prior(problem).observe(0, 0, 0, times=2).observe(0, 0, 1)
    row = charts.belief_of(of_belief(belief), "f")["data"]["values"][0]

    def below(x):  # P(Beta(3, 2) < x)
        return 4 * x**3 - 3 * x**4

    assert row["share"] == 3 / 5
    assert below(row["low"]) == pytest.approx(0.05, abs=0.02)
    assert below(row["high"]) == pytest.approx(0.95, abs=0.02)


def steps(entries):
    """Money, and the classifier after each event that bought something, by the fold alone."""
    projection, found = None, {}
    for entry in entries:
        projection = fold(projection, [entry], "test")
        if entry.seq == 1 or entry.event.kind in ("told", "failed"):
            found[float(projection.state.spent)] = projection.predictor()
    return found


def check_errors(rows, predictors):
    """Each point has the outlook of its classifier."""
    assert [row["spent"] for row in rows] == list(predictors)
    for row, predictor in zip(rows, predictors.values(), strict=True):
        now = predictor.outlook()
        assert (row["error"], row["low"], row["high"]) == (now.error, now.low, now.high)


@pytest.mark.slow
def test_the_curve_tells_the_error_of_each_classifier_on_the_way(long_history, at_once):
    _, entries = long_history
    check_errors(at_once.points, steps(entries))
    assert len(at_once.points) == 31
    assert all(row["low"] < row["error"] < row["high"] for row in at_once.points)


SLIPS = st.lists(st.sampled_from(["undo", "value", "cost"]), min_size=5, max_size=5)


@settings(max_examples=12)
@given(slips=SLIPS, whole=st.booleans())
@pytest.mark.slow
def test_the_curve_of_a_study_with_slips_is_that_of_one_without(tmp_path_factory, slips, whole):
    """What was undone, or corrected, leaves no trace on the way of the money."""
    folder = tmp_path_factory.mktemp("slips")
    with (
        begin(str(folder / "a.db"), "slips", policy="round-robin") as clumsy,
        begin(str(folder / "a.db"), "none", policy="round-robin") as careful,
    ):
        track = Curve(clumsy.created)
        for slip in slips:
            request, same = clumsy.ask(1)[0], careful.ask(1)[0]
            assert (request.case, request.feature) == (same.case, same.feature)
            right = answer(request)
            wrong = "no" if right == "yes" else "yes"
            clumsy.tell(request.number, right if slip == "cost" else wrong, cost="1.25")
            if not whole:
                track.advance(clumsy.state)
            if slip == "undo":
                clumsy.undo(request.number)
                clumsy.tell(request.number, right, cost="0.75")
            else:
                clumsy.correct(request.number, right, cost="0.75")
            careful.tell(same.number, right, cost="0.75")
        track.advance(clumsy.state)
        shown = track.points
        check_errors(shown, steps(careful.history()))
        # The last one is undone, and not told again: the curve ends before it.
        clumsy.undo(request.number)
        track.advance(clumsy.state)
        assert [row["spent"] for row in track.points] == [row["spent"] for row in shown[:-1]]
        assert track.points[-1]["spent"] == float(clumsy.state.spent)


@settings(max_examples=6)
@given(cuts=st.lists(st.integers(1, 60), max_size=4))
@pytest.mark.slow
def test_the_curve_is_the_same_however_the_events_come(long_history, at_once, cuts):
    created, entries = long_history
    pieces = Curve(created)
    for end in [*sorted(cuts), len(entries)]:
        pieces.advance(fold(None, entries[:end], "").state)
    assert at_once.points == pieces.points


@pytest.fixture(scope="module")
def at_once(long_history):
    """The curve of all events together."""
    created, entries = long_history
    track = Curve(created)
    track.advance(fold(None, entries, "").state)
    return track


@pytest.fixture(scope="module")
def long_history(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    with begin(str(folder / "a.db"), problem=make_problem(budget="40"), per_label=12) as study:
        for request in study.ask(30):
            study.tell(request.number, answer(request))
        return study.created, study.history()


@pytest.mark.slow
def test_a_long_study_has_few_points_and_ends_with_the_last(long_history, monkeypatch):
    monkeypatch.setattr(curve, "MOST_POINTS", 7)
    created, entries = long_history
    track = Curve(created)
    track.advance(fold(None, entries, "").state)
    assert len(track.points) <= 9
    assert track.points[-1]["spent"] == 30
    one_by_one = Curve(created)
    for end in range(len(entries)):
        one_by_one.advance(fold(None, entries[: end + 1], "").state)
    assert len(one_by_one.points) <= 2 * 7
    assert one_by_one.points[0]["spent"] == 0
    assert one_by_one.points[-1]["spent"] == 30


@pytest.mark.slow
def test_the_measured_error_counts_wrong_answers(long_history):
    created, entries = long_history
    projection = fold(None, entries, "test")
    cells = [(0, 0, 0), (1, 1, 1), (1, 0, 0), (0, 1, 1)]
    names, labels = ("no", "yes"), projection.state.problem.labels
    lines = [f"{names[one]},{names[two]},{labels[label]}" for one, two, label in cells]
    track = Curve(created, ValidationFile("\n".join(["f0,f1,label", *lines]).encode()))
    track.advance(fold(None, entries, "").state)
    model, wrong = Model.of(projection.predictor()), 0.0
    for first, second, label in cells:
        said = model.predict({"f0": ("no", "yes")[first], "f1": ("no", "yes")[second]})
        chances = list(said.values())
        best = [at for at, chance in enumerate(chances) if chance >= max(chances) - 1e-12]
        wrong += 1 - (label in best) / len(best)
    assert track.points[-1]["measured"] == pytest.approx(wrong / len(cells))
    shown = valid(charts.error_against_money(track.points, 40.0))["data"]["values"]
    assert {row["which"] for row in shown} == {"expected", "measured"}
