"""Studies that grow: cases, features and values that come later."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from budgeted import Feature, Number, Problem, Study
from budgeted.errors import (
    BudgetedError,
    PriceListError,
    ProblemError,
    StudyError,
    StudyFileError,
)
from budgeted.studies.commands import AddFeature
from budgeted.studies.created import ForSale
from budgeted.studies.events import Entry
from budgeted.studies.growth import CasesAdded, FeatureAdded, appended
from tests import price_lists
from tests import sample_studies as studies
from tests.thorough import sized


@pytest.fixture
def study(tmp_path):
    with studies.begin(str(tmp_path / "studies.db"), policy="round-robin") as begun:
        yield begun


def test_cases_arrive_with_labels_groups_and_known_values(study):
    before = study.state
    arrived = study.add_cases(
        [("new 1", "label 1"), ("case 3", "label 0"), ("new 2", "label 0")],
        known=[("new 1", "f0", "yes"), ("case 3", "f1", "no")],
        groups={"new 2": "north"},
    )
    assert (arrived.new, arrived.there) == (("new 1", "new 2"), 1)
    known = [(each.case, each.feature, each.value, each.cost) for each in arrived.known]
    assert known == [("new 1", "f0", "yes", 0), ("case 3", "f1", "no", 0)]
    assert {each.fate for each in arrived.known} == {"recorded"}
    assert study.cases[-2:] == ("new 1", "new 2")
    assert study.groups == {"new 2": "north"}
    assert study.state.spent == before.spent == 0
    assert study.state.problem.prior == before.problem.prior
    more = np.array([[1, 0], [0, 1]])  # f0 of one label, f1 of the other; the rest is known
    assert (study.state.cases_left - before.cases_left).tolist() == more.tolist()
    assert len(study.history()) == 4
    assert study.history()[1].event.words() == "2 cases added: new 1, new 2"
    studies.check_everything(study)
    studies.check_folded(study)


def test_they_are_asked_once_the_others_are_used_up(tmp_path):
    problem = studies.make_problem(("1",), "40")
    with studies.begin(str(tmp_path / "a.db"), problem=problem, per_label=2) as study:
        first = {each.case for each in study.ask(4)}
        assert not study.ask()
        study.add_cases([("new 1", "label 0"), ("new 2", "label 1"), ("new 3", "label 1")])
        then = [each.case for each in study.ask(9)]
        assert sorted(then) == ["new 1", "new 2", "new 3"]
        assert not first & set(then)
        studies.check_everything(study)


def test_all_or_none_and_every_mistake_is_named(study):
    events = study.events
    with pytest.raises(StudyFileError) as caught:
        study.add_cases([("case 0", "label 1"), ("new", "label 9"), (" ", "label 0"),
                         ("twice", "label 0"), ("twice", "label 0")])  # fmt: skip
    assert str(caught.value).splitlines() == [
        "the cases cannot be added:",
        "  cases[1]: there is no label 'label 9'; there are 'label 0', 'label 1'",
        "  cases[2]: the name of a case must not be blank, got ' '",
        "  cases[4]: 'twice' appears twice; give each case its own name",
        "  case 'case 0' is there already, with the label 'label 0', not 'label 1'",
    ]
    with pytest.raises(StudyFileError, match="case 'new', 'f0': feature 'f0' has no value 'maybe'"):
        study.add_cases([("new", "label 0")], known=[("new", "f0", "maybe")])
    with pytest.raises(StudyError, match="there is no case 'elsewhere' among those added"):
        study.add_cases([("new", "label 0")], groups={"elsewhere": "north"})
    study.add_cases([("here", "label 0")], groups={"here": "north"})
    with pytest.raises(StudyFileError, match="already, in the group 'north', not in 'south'"):
        study.add_cases([("here", "label 0")], groups={"here": "south"})
    with pytest.raises(StudyFileError, match="already, in no group, not in 'south'"):
        study.add_cases([("case 1", "label 0", "south")])
    assert study.events == events + 1
    studies.check_folded(study)


def test_cases_that_are_all_there_change_nothing(study):
    events = study.events
    arrived = study.add_cases([("case 0", "label 0")])
    assert (arrived.new, arrived.there, arrived.known) == ((), 1, ())
    assert study.events == events


def test_a_known_value_answers_a_request_that_is_pending_at_its_price(study):
    (request,) = study.ask()
    study.add_cases([(request.case, request.label)], known=[(request.case, request.feature, "no")])
    assert (study.request(1).fate, study.request(1).value) == ("told", "no")
    assert study.state.spent == request.cost


def test_what_is_known_when_a_study_begins_is_in_the_same_write(tmp_path):
    problem = studies.make_problem()
    known = [("case 0", "f0", "yes"), ("case 7", "f1", "no")]
    database = str(tmp_path / "a.db")
    with studies.begin(database, problem=problem, known=known, groups={"case 0": "x"}) as study:
        assert [each.fate for each in study.requests()] == ["recorded"] * 2
        assert len({entry.at for entry in study.history()}) == 1
        assert study.groups == {"case 0": "x"}
        assert study.verify().events == 3
        studies.check_everything(study)
        studies.check_folded(study)
    for wrong, said in ((("case 99", "f0", "yes"), "no case 'case 99'"), (("case 1",), "feature")):
        with pytest.raises(StudyFileError, match=said):
            studies.begin(str(tmp_path / "b.db"), known=[wrong])
        assert not (tmp_path / "b.db").exists()
    with pytest.raises(StudyFileError, match="groups: there is no case 'nobody'"):
        studies.begin(str(tmp_path / "b.db"), groups={"nobody": "x"})


@dataclass(frozen=True)
class Fixed:
    """Knows what two features cost, and no other."""

    name: ClassVar[str] = "fixed"
    summary: ClassVar[str] = "knows two features"
    features: tuple[Feature, ...] = field(default=(), repr=False, compare=False)

    def quote(self, order, case):
        if any(each.name not in ("f0", "f1") for each in order.of(self.features)):
            raise PriceListError("nobody knows what that costs")
        return Decimal(len(order.features))


@pytest.mark.parametrize("prices", [Fixed(), price_lists.Visit("5"), price_lists.Setup("2", 3)])
def test_the_price_list_charges_for_a_new_feature_or_refuses_it(tmp_path, prices):
    plain = studies.make_problem(budget="40")
    with price_lists.registered(type(prices)):
        problem = Problem(plain.features, plain.labels, plain.prior, plain.budget, prices)
        new = Feature("scan", ("-", "+"), "2.50")
        with studies.begin(str(tmp_path / "a.db"), problem=problem) as study:
            if isinstance(prices, Fixed):
                with pytest.raises(ProblemError, match="nobody knows what that costs"):
                    study.add_feature(new)
                assert study.events == 1
                return
            study.add_feature(new)
            (request,) = study.record([("case 1", "scan", "+")], charge=True)
            whole = Problem((*plain.features, new), plain.labels, plain.prior, "40", prices)
            assert request.cost == whole.fresh_prices[2][0] > new.cost
            studies.check_folded(study)


def test_a_price_list_that_cannot_have_a_feature_any_more_does_not_lock_the_study(tmp_path):
    """As where its package changed since: all but asking goes on."""
    plain = studies.make_problem()
    with price_lists.registered(Fixed):
        problem = Problem(plain.features, plain.labels, plain.prior, plain.budget, Fixed())
        with studies.begin(str(tmp_path / "a.db"), problem=problem) as study:
            written = FeatureAdded(ForSale("x", "categorical", {"values": ("a", "b")}, Decimal(1)))
            study._projection.apply(Entry(2, "", "", written))
            assert not study.state.problem.has_prices
            assert "nobody knows what that costs" in study.state.problem.prices.words
            study.record([("case 1", "x", "a")])
            with pytest.raises(PriceListError, match="nobody knows"):
                study.ask()


def test_a_feature_that_makes_no_sense_is_refused(study):
    with pytest.raises(StudyError, match="there is a feature 'f0' already; give another name"):
        study.add_feature(Feature("f0", ("a", "b"), 1))
    with pytest.raises(ProblemError, match="2 labels; give one row per label"):
        study.add_feature(Feature("scan", ("a", "b"), 1, prior_counts=[[1, 1]] * 3))
    with pytest.raises(StudyFileError) as caught:
        study.do(AddFeature({"name": "scan", "value": ["a"], "cost": "a lot"}))
    assert "feature.value: there is no such key; did you mean 'values'?" in str(caught.value)
    assert "feature.cost: must be" in str(caught.value)
    assert study.events == 1


def test_a_value_is_added_behind_the_others(study):
    study.record([("case 1", "f0", "yes")])
    with pytest.raises(StudyFileError, match="feature 'f0' has no value 'maybe'"):
        study.record([("case 2", "f0", "maybe")])
    study.add_value("f0", "maybe")
    study.record([("case 2", "f0", "maybe")])
    assert study.state.problem.features[0].values == ("no", "yes", "maybe")
    assert [each.value for each in study.state.history] == [1, 2]
    studies.check_everything(study)
    studies.check_folded(study)
    with pytest.raises(StudyError, match="feature 'f0' has the value 'maybe' already"):
        study.add_value("f0", "maybe")
    with pytest.raises(BudgetedError, match="there is no feature 'f7'"):
        study.add_value("f7", "maybe")
    with pytest.raises(ProblemError, match="values"):
        study.add_value("f0", " ")


@pytest.mark.parametrize(
    ("counts", "given", "then"),
    [
        (2.0, None, 2.0),
        (2.0, 2.0, 2.0),
        (2.0, 3.0, (2.0, 2.0, 3.0)),
        ((1.0, 2.0), 3.0, (1.0, 2.0, 3.0)),
        (((1.0, 2.0), (3.0, 4.0)), 5.0, ((1.0, 2.0, 5.0), (3.0, 4.0, 5.0))),
    ],
)
def test_the_prior_counts_of_a_new_value(tmp_path, counts, given, then):
    problem = Problem([Feature("f", ("a", "b"), 1, counts)], ("x", "y"), (0.5, 0.5), 9)
    with Study.create(str(tmp_path / "a.db"), "s", problem, [("c", "x")]) as study:
        study.add_value("f", "new", given)
        assert study.state.problem.features[0].prior_counts == then
        studies.check_folded(study)
        if not isinstance(then, float):
            with pytest.raises(StudyError, match="prior_count: the values of feature 'f' have"):
                study.add_value("f", "newer")


POLICIES = ("auto", "round-robin", "sfl")


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=5)
@given(data=some.data())
def test_features_and_values_that_come_before_anything_is_asked_make_no_difference(
    tmp_path_factory, policy, data
):
    """Whatever is bought, from whom, and what is believed: the same as had they been there."""
    folder = tmp_path_factory.mktemp("grown")
    late = data.draw(some.integers(1, 3), "how many features come late")
    sizes = data.draw(some.lists(some.integers(2, 4), min_size=4, max_size=4), "values of each")
    features = [
        Feature(f"f{at}", [f"v{n}" for n in range(size)], f"{at + 1}.50")
        for at, size in enumerate(sizes)
    ]
    cut = [Feature(each.name, each.values[:2], each.cost) for each in features]
    whole = Problem(features, ("x", "y"), (0.5, 0.5), 60)
    first = Problem(cut[: 4 - late], ("x", "y"), (0.5, 0.5), 60)
    cases = [(f"c{at}", "xy"[at % 2]) for at in range(16)]
    options = {"policy": policy, "seed": 5, "by": "me", "clock": studies.CLOCK}
    with (
        Study.create(str(folder / "a.db"), "s", whole, cases, **options) as one,
        Study.create(str(folder / "b.db"), "s", first, cases, **options) as other,
    ):
        for each in cut[4 - late :]:
            other.add_feature(each)
        for each in features:
            for value in each.values[2:]:
                other.add_value(each.name, value)
        for _ in range(3):
            asked = one.ask(4)
            assert [vars(each) | {"asked": 0} for each in asked] == [
                vars(each) | {"asked": 0} for each in other.ask(4)
            ]
            for each in asked:
                said = f"v{len(each.case) * each.number % 2}"
                one.tell(each.number, said)
                other.tell(each.number, said)
        assert one.state.belief == other.state.belief
        assert one.model().to_json() == other.model().to_json().replace(
            f'"events": {other.events}', f'"events": {one.events}'
        )


@pytest.mark.parametrize("policy", POLICIES)
def test_cases_that_come_before_anything_is_asked_change_only_who_is_asked(tmp_path, policy):
    """The order among those that arrive is drawn when they do, so the cases may be others."""
    problem = studies.make_problem(("1", "2"), "60")
    cases = studies.make_cases(problem)
    options = {"policy": policy, "seed": 5}
    with (
        Study.create(str(tmp_path / "a.db"), "s", problem, cases, **options) as one,
        Study.create(str(tmp_path / "b.db"), "s", problem, cases[3:9], **options) as other,
    ):
        other.add_cases(cases[:3])
        other.add_cases(cases[9:])
        assert (one.state.cases_left == other.state.cases_left).all()
        assert [(each.feature, each.label, each.cost, each.why) for each in one.ask(10)] == [
            (each.feature, each.label, each.cost, each.why) for each in other.ask(10)
        ]


def test_the_order_of_arrivals_is_drawn_from_the_seed(tmp_path):
    def order(seed, name):
        with studies.begin(str(tmp_path / name), seed=seed) as study:
            study.add_cases([(f"new {at}", "label 0") for at in range(40)])
            study.add_cases([(f"newer {at}", "label 0") for at in range(40)])
            return [each.tolist() for each in study._projection.order]

    one, same, other = order(1, "a.db"), order(1, "b.db"), order(2, "c.db")
    assert one == same != other
    assert one[0][6:46] != sorted(one[0][6:46])
    assert sorted(one[0][6:46]) == list(range(12, 52))  # those that came first are used first
    drawn = [at - 12 for at in one[0][6:46]], [at - 52 for at in one[0][46:]]
    assert drawn[0] != drawn[1]


NUMBER = sized(20_000, 100_000)


def test_very_many_cases_arrive_at_once(tmp_path):
    with studies.begin(str(tmp_path / "many.db")) as study:
        study.add_cases([(f"new {at}", f"label {at % 2}") for at in range(NUMBER)])
        assert len(study.cases) == NUMBER + 12
        assert len(study.ask(3)) == 3
        studies.check_everything(study)


def test_cases_that_arrive_one_by_one_are_not_copied_each_time(study):
    """Of n arrivals about log n copy what is there, so that all together cost n, not n²."""
    projection, copies = study._projection, 0
    held, found = (None,) * 5, projection.names.rows
    for at in range(3_000):
        projection.apply(_arrival(at))
        arrays = (projection.cells, projection.taken, projection.case_labels, *projection.order)
        now = tuple(each.base for each in arrays)
        copies += sum(one is not other for one, other in zip(held, now, strict=True))
        held = now
    assert copies <= 5 * 12
    assert projection.names.rows is found
    assert len(projection.cases) == 3_012


def _arrival(at):
    return Entry(0, "", "", CasesAdded(((f"new {at}", f"label {at % 2}"),)))


@given(some.lists(some.integers(0, 5), max_size=8))
def test_arrays_grow_without_changing_what_others_hold(sizes):
    held, wanted, kept = np.zeros((0, 2), dtype=np.int8), [], []
    for at, size in enumerate(sizes):
        rows = np.full((size, 2), at, dtype=np.int8)
        appended(held, rows + 1)  # a draft that was given up
        held = appended(held, rows)
        wanted += rows.tolist()
        kept.append((held, list(wanted)))
    for array, rows in kept:
        assert array.tolist() == rows


def test_a_new_number_is_written_as_the_others_are(tmp_path):
    comma = Number(cuts=[2.5], decimal="comma")
    problem = Problem([Feature("crp", kind=comma, cost=1)], ("well", "ill"), (0.5, 0.5), 9)
    with Study.create(str(tmp_path / "s.db"), "s", problem, [("Ann", "ill")]) as study:
        study.do(AddFeature({"name": "weight", "kind": "number", "cuts": [70], "cost": 1}))
        study.record([("Ann", "weight", "72,5")])
        assert study.state.problem.features[1].kind.decimal == "comma"
