from itertools import product
from pathlib import Path

import numpy as np
import pytest

from budgeted.errors import BudgetedError, ExperimentError
from budgeted.experiments.spec import parse, read
from budgeted.learners import of_belief
from budgeted.learners.belief import Belief
from research.paper.readings import plan

ROOT = Path(__file__).resolve().parents[2]
SMALL = {
    "title": "Small",
    "budget": 6,
    "runs": 3,
    "seed": 5,
    "problem": {"synthetic": "figure-3b", "features": 4},
    "policy": [
        {"name": "round-robin"},
        {"label": "short", "name": "sfl", "max_depth": 2, "budget": "4.5"},
    ],
}


PLANNED = plan(ROOT / "research" / "paper" / "experiments", 50)


@pytest.mark.parametrize("planned", PLANNED, ids=lambda planned: planned.experiment.name)
def test_every_experiment_of_the_project_can_be_run(planned):
    experiment = planned.experiment
    assert experiment.runs == 50
    assert experiment.seed == 2003
    assert all(each.build() for each in experiment.contenders)


def test_the_figures_and_tables_of_the_paper_have_a_file_each():
    names = {each.stem for each in (ROOT / "research" / "paper" / "experiments").glob("*.toml")}
    wanted = {"figure-3a", "figure-3b", "mushroom", "nursery", "votes"}
    wanted |= {"car", "diabetes", "chess", "breast-wisconsin", "breast-ljubljana"}
    assert wanted <= names


def test_a_policy_can_have_a_budget_of_its_own():
    experiment = parse(SMALL, "small")
    robin, short = experiment.contenders
    assert (robin.label, robin.budget, short.label, short.budget) == (
        "round-robin", "6", "short", "4.5",
    )  # fmt: skip
    assert len(experiment.play(robin, 0).feature) == 6
    assert len(experiment.play(short, 0).feature) == 4


def test_all_policies_meet_the_same_world_in_the_same_run():
    experiment = parse(SMALL, "small")
    worlds = [experiment.rehearsal(2, each.budget).world for each in experiment.contenders]
    assert (worlds[0].values == worlds[1].values).all()
    assert (worlds[0].values != experiment.rehearsal(1, "6").world.values).any()


def test_values_of_a_table_can_share_a_total_of_prior_counts():
    given = {**SMALL, "problem": {"table": "mushroom", "prior_counts": "2/r"}}
    features = parse(given, "small").rehearsal(0, "6").world.problem.features
    assert {len(each.values) for each in features} > {2, 9}
    assert all(each.prior_counts * len(each.values) == pytest.approx(2) for each in features)


def test_a_synthetic_problem_can_be_judged_by_the_truth():
    """The same purchases; the error is that of the model, computed here by the definition."""
    drawn = parse(SMALL, "small")
    judged = parse({**SMALL, "problem": {**SMALL["problem"], "judge": "truth"}}, "small")
    one, other = (each.play(each.contenders[0], 0) for each in (drawn, judged))
    assert (one.feature == other.feature).all()
    assert (one.value == other.value).all()
    assert (one.error != other.error).any()

    world = drawn.rehearsal(0, "6")
    belief = Belief.prior(world.problem)
    for feature, label, value in zip(other.feature, other.label, other.value, strict=True):
        belief = belief.observe(int(feature), int(label), int(value))
    right = 0.0
    for case in product(range(2), repeat=4):
        mass = world.truth.masses[(world.truth.values == case).all(axis=1)][0]
        scores = [
            np.prod([belief.mean(at)[label][value] for at, value in enumerate(case)])
            for label in range(2)
        ]
        right += mass[np.isclose(scores, max(scores), rtol=1e-9)].mean()
    assert other.error[-1] == pytest.approx(1 - right)
    assert other.complete == pytest.approx(
        world.truth.error(of_belief(world.world.complete_belief()))
    )


def test_what_results_depend_on_is_in_the_digest():
    digest = parse(SMALL, "small").digest()
    assert parse({**SMALL, "runs": 9, "title": "Other"}, "small").digest() == digest
    for change in ({"seed": 6}, {"budget": 7}, {"policy": SMALL["policy"][:1]}):
        assert parse({**SMALL, **change}, "small").digest() != digest


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"polcy": []}, "polcy: unknown"),
        ({"policy": []}, "policy: at least one is needed"),
        ({"policy": [{"name": "slf"}]}, r"policy\[0\]: there is no policy 'slf'; did you mean"),
        ({"policy": [{"label": "x"}]}, r"policy\[0\]: name: is missing"),
        ({"policy": [{"name": "sfl", "depth": 3}]}, r"policy\[0\]: policy 'sfl' has no parameter"),
        ({"policy": [{"name": "sfl"}, {"name": "sfl"}]}, "policy: two are labelled 'sfl'"),
        ({"problem": {}}, "problem: needs 'synthetic', 'table' or 'file'"),
        ({"problem": {"synthetic": "figure-9"}}, "problem.synthetic: must be one of figure-3a"),
        ({"problem": {"synthetic": "figure-3b", "x": 1}}, "problem.x: unknown"),
        ({"problem": {"synthetic": "figure-3b", "strength": 7}}, "problem: strength: must be from"),
        ({"problem": {"synthetic": "figure-3b", "judge": "me"}}, "problem.judge: must be one of"),
        (
            {"problem": {"synthetic": "figure-3b", "features": 15, "judge": "truth"}},
            "problem: judge: the true error is not known here",
        ),
        ({"problem": {"table": "car", "judge": "truth"}}, "problem.judge: unknown"),
        ({"problem": {"table": "mushrooms"}}, "problem: there is no table 'mushrooms'"),
        ({"problem": {"table": "car", "missing": "maybe"}}, "problem: missing: must be"),
        ({"problem": {"table": "car", "costs": {"doors": 1}}}, "problem: costs: no price for"),
        ({"budget": "lots"}, "budget: must be an amount of money"),
        ({"runs": 0}, "runs: must be a whole number from 1"),
        ({"runs": True}, "runs: must be a whole number from 1"),
        ({"seed": -1}, "seed: must be a whole number from 0"),
    ],
)
def test_mistakes_name_their_key(change, says):
    with pytest.raises(ExperimentError, match=says):
        parse({**SMALL, **change}, "small")


def test_all_mistakes_come_at_once():
    with pytest.raises(ExperimentError) as caught:
        parse({"runs": 0, "seed": -1, "problem": {"tabel": 1}}, "small")
    assert len(caught.value.mistakes) == 6


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"budget = ", "is not TOML"), (b"\xff\xfe", "is not UTF-8 text"), (None, "cannot be read")],
)
def test_files_that_cannot_be_read_are_named(tmp_path, content, says):
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BudgetedError, match=says) as caught:
        read(path)
    assert "mine.toml" in str(caught.value)


def numeric(tmp_path, **features):
    rows = "".join(f"{150 + 3 * at},{'well' if at < 20 else 'ill'}\n" for at in range(40))
    (tmp_path / "old.csv").write_text(f"chol,state\n{rows}")
    problem = {"file": "old.csv", "label": "state", "features": features}
    return parse(SMALL | {"problem": problem}, "old", folder=tmp_path)


def test_features_can_have_the_cuts_of_a_study(tmp_path):
    chol = {"kind": "number", "cuts": [200, 240], "unit": "mg/dl"}
    experiment = numeric(tmp_path, chol=chol)
    rehearsal = experiment.rehearsal(0, "6")
    assert rehearsal.problem.features[0].values == ("< 200", "200 to < 240", "≥ 240")
    robin = experiment.contenders[0]
    assert len(experiment.play(robin, 0).feature) == 6


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"kind": "number"}, "problem.features.chol: feature kind 'number' needs 'cuts'"),
        ({"kind": "number", "cuts": [2, 1]}, "problem.features.chol: cuts: must be strictly"),
        ({"kind": "number", "cuts": "terciles of a.csv"}, "cuts: must be a list of numbers"),
        ({"kind": "nmber"}, "did you mean 'number'"),
        (7, "problem.features.chol: must be a table with a kind"),
    ],
)
def test_mistakes_of_kinds_have_their_place(tmp_path, table, says):
    with pytest.raises(ExperimentError, match=says):
        numeric(tmp_path, chol=table)
