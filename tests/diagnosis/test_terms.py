"""Terms as people write them, cases of a table, and the command line."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from budgeted.cli.main import main
from budgeted.diagnosis import ActiveClassifier, Strategy
from budgeted.diagnosis.terms import active_classifier, diagnose_all, read_terms, summary
from budgeted.errors import DiagnosisError
from tests.diagnosis.test_diagnosis import a_model

TERMS = b"""
limit = "9"
[costs]
x0 = "3.50"
x1 = 2
x2 = "4"
[wrong]
X = { Y = 60 }
Y = { X = 20 }
[prices]
list = "tariff"
visit_fee = 1
"""
MODEL = a_model(4, (2, 3, 2))


@pytest.fixture
def files(tmp_path):
    (tmp_path / "model.json").write_text(MODEL.to_json())
    (tmp_path / "terms.toml").write_bytes(TERMS)
    return [str(tmp_path / "model.json"), str(tmp_path / "terms.toml")]


def run(*arguments, code=0, **options):
    result = CliRunner().invoke(main, ["diagnose", *arguments], **options)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def test_a_file_says_what_python_says():
    from_file = active_classifier(MODEL, read_terms(TERMS))
    assert str(from_file.paid((0, 1))) == "6.50"
    assert from_file.costs.tolist() == [[0, 60], [20, 0]]
    study = b'[[features]]\nname = "x0"\ncost = "2"\n[[features]]\nname = "x1"\ncost = 1\n'
    with pytest.raises(DiagnosisError, match="no price of 'x2'"):
        active_classifier(MODEL, read_terms(study))
    assert set(active_classifier(MODEL, read_terms(study), without=["x2"]).prices) == {"x0", "x1"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"limit = ", "no TOML"),
        (b"\xff", "no TOML"),
        (b"budget = 3", "budget: there is no such entry"),
        (b"costs = 3", "must be a table of tests"),
        (b"features = 3", "must be a list of tables"),
        (b'[costs]\nx0 = 1\nx1 = 1\nx2 = 1\n[prices]\nlist = "none"', "prices: "),
    ],
)
def test_terms_that_make_no_sense_get_words(content, words):
    with pytest.raises(DiagnosisError) as raised:
        active_classifier(MODEL, read_terms(content))
    assert words in str(raised.value)


def test_cases_drawn_from_the_model_cost_what_the_strategy_expects():
    """Within four standard errors of 4 000 cases."""
    prices = {"x0": "3.50", "x1": 2, "x2": 4}
    active = ActiveClassifier(MODEL, prices, wrong=60)
    rng = np.random.default_rng(5)
    labels = rng.choice(2, size=4_000, p=MODEL.prior)
    rows = np.stack(
        [
            [rng.choice(len(feature.values), p=MODEL.shares(feature)[label]) for label in labels]
            for feature in MODEL.features
        ],
        axis=1,
    )
    found = diagnose_all(active, rows)
    total = summary(active, found, [MODEL.labels[at] for at in labels])
    strategy = Strategy.of(active)
    paid = np.array([float(each.paid) for each in found])
    assert abs(paid.mean() - strategy.price) <= 4 * paid.std() / len(paid) ** 0.5 + 1e-9
    error = (strategy.error * (1 - strategy.error) / len(paid)) ** 0.5
    assert abs(total.wrong - strategy.error) <= 4 * error
    assert float(total.paid) == pytest.approx(paid.sum())
    for test, share in total.frequencies.items():
        expected = strategy.frequencies[test]
        assert abs(share - expected) <= 4 * (expected * (1 - expected) / len(paid)) ** 0.5 + 1e-9


def test_a_value_that_is_missing_cannot_be_ordered():
    active = ActiveClassifier(MODEL, {"x0": 1, "x1": 1, "x2": 1})
    found = diagnose_all(active, np.array([[-1, 2, -1], [-1, -1, -1]]))
    assert found[0].tests in ((), ("x1",))
    assert found[1].tests == ()


def test_the_command_shows_a_strategy_and_one_decision(files):
    shown = run(*files, "--strategy").stdout
    assert shown.startswith(Strategy.of(active_classifier(MODEL, read_terms(TERMS))).text())
    plain = json.loads(run(*files, "--strategy", "--json").stdout)
    assert plain["followed"] == pytest.approx(1)
    decision = json.loads(run(*files, "--json", "--known", "x0=a").stdout)
    assert "x0" not in decision["offers"]
    for option in (["--limit", "0"], ["--wrong", "0.01"]):
        assert json.loads(run(*files, "--json", *option).stdout)["test"] is None


def test_the_dialogue_goes_on_until_it_answers(files):
    said = run(*files, "--limit", "100", "--wrong", "9999", input="nonsense\n\na\nb\na\nb\na\n")
    assert "has no value 'nonsense'" in said.output
    assert "Answer: " in said.stdout
    assert said.stdout.rstrip().endswith(".")


def test_a_file_of_cases_shows_the_whole_strategy_at_work(files, tmp_path):
    """Cost and error, expected and found, and how often each test was ordered."""
    table = tmp_path / "new.csv"
    table.write_text("label,x0,x1,x2\n" + "X,a,b,a\nY,b,c,b\nY,a,a,b\n")
    plain = json.loads(run(*files, "--cases", str(table), "--json").stdout)
    cases = plain["cases"]
    assert sum(float(each["paid"]) for each in cases) == pytest.approx(float(plain["paid"]))
    assert all(float(each["paid"]) <= 9 for each in cases)  # the limit
    often = {name: sum(name in each["tests"] for each in cases) / 3 for name in ("x0", "x1", "x2")}
    assert plain["ordered"] == pytest.approx({k: v for k, v in often.items() if v})
    expected = sum(1 - each["probability"] for each in cases) / 3
    assert plain["expected_error"] == pytest.approx(expected)
    table_of_costs = {("X", "Y"): 60, ("Y", "X"): 20}
    found = [
        table_of_costs.get((each["answer"], label), 0)
        for each, label in zip(cases, "XYY", strict=True)
    ]
    assert plain["answer_cost"] == pytest.approx(sum(found) / 3)
    said = run(*files, "--cases", str(table)).stderr
    assert "3 cases" in said
    assert "Ordered: " in said


def test_prices_may_be_given_one_by_one_and_those_missing_are_named(files):
    model = files[0]
    prices = [f"--price=x{at}={at + 1}" for at in range(3)]
    decision = json.loads(run(model, *prices, "--json").stdout)
    assert {name: offer["price"] for name, offer in decision["offers"].items()} == {
        "x0": "1", "x1": "2", "x2": "3"}  # fmt: skip
    assert "3 tests need one: 'x0', 'x1', 'x2'" in run(model, code=2).output
    assert "no price of 'x2'" in run(model, *prices[:2], code=1).output
    run(model, *prices[:2], "--without", "x2", "--json")
    assert "TEST=AMOUNT" in run(model, "--price", "x0", code=2).output
    assert "x0" in run(*files, "--price", "x0=much", code=1).output
    assert "no feature 'x9'" in run(*files, "--price", "x9=1", code=1).output


def test_costs_that_reward_errors_are_refused_on_the_command_line(files, tmp_path):
    bad = TERMS.replace(b"X = { Y = 60 }", b"X = { X = 90, Y = 60 }")
    (tmp_path / "terms.toml").write_bytes(bad)
    said = run(*files, "--json", code=1).output
    assert "'Y' where 'X' is right costs 20, less than the right answer (90)" in said
    assert "reward errors" in said


def test_experience_comes_from_a_table(files, tmp_path):
    table = tmp_path / "old.csv"
    table.write_text("case,label,x0,x1,x2\n" + "A,X,a,b,a\nB,Y,b,c,b\n" * 30)
    alone = json.loads(run(*files, "--json", "--known", "x0=a").stdout)
    seen = json.loads(run(*files, "--json", "--known", "x0=a", "--experience", str(table)).stdout)
    assert seen["chances"]["X"] > alone["chances"]["X"]
    table.write_text("case,x0\nA,a\n")
    assert "no column label" in run(*files, "--experience", str(table), code=1).output
    table.write_text("label,x0\nX,a\nX,purple\nQ,a\n")
    said = run(*files, "--experience", str(table), code=1).output
    assert "case 2" in said
    assert "(and 1 more)" in said


def test_mistakes_end_in_a_line(files):
    assert "TEST=VALUE" in run(*files, "--known", "x0", code=2).output
    assert "reward" not in run(*files, "--wrong", "-3", code=1).output
    assert "no feature 'x7'" in run(*files, "--without", "x7", code=1).output


def test_a_panel_may_share_part_of_the_prices_of_new_cases(files):
    """A model knows no prices: what a panel shares is compared with those that are given."""
    panel = b'[[prices.panels]]\nname = "p"\nfeatures = ["x0", "x1"]\nshared = "1.50"\n'
    active = active_classifier(MODEL, read_terms(TERMS + panel))
    assert str(active.paid((0, 1))) == "5.00"  # 3.50 + 2 + a visit for 1, less 1.50
    fewer = active_classifier(MODEL, read_terms(TERMS + panel), without=["x1"])
    assert str(fewer.paid((0,))) == "4.50"
    with pytest.raises(DiagnosisError, match="more than the price of 'x1'"):
        active_classifier(MODEL, read_terms(TERMS + panel.replace(b"1.50", b"2.50")))


def test_all_mistakes_of_a_file_of_cases_are_listed(files, tmp_path):
    table = tmp_path / "new.csv"
    table.write_text("case,label,x0\nA,X,9\nB,Z,0\nC,Y,0\n")
    said = run(*files, "--cases", str(table), code=1).output
    assert "line 2: feature 'x0' has no value '9'" in said
    assert "line 3: there is no label 'Z'; there are 'X', 'Y'" in said
    table.write_text("case,x0\n")
    assert "there are no rows" in run(*files, "--cases", str(table), code=1).output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--strategy"], "--cases and --strategy: give one of them"),
        (["--known", "x0=0"], "--cases and --known: give one of them"),
        (["--price", "x0=1", "--price", "x0=2"], "x0 is given twice"),
    ],
)
def test_what_would_be_ignored_is_refused(files, tmp_path, options, words):
    table = tmp_path / "new.csv"
    table.write_text("x0\n0\n")
    assert words in run(*files, "--cases", str(table), *options, code=2).output


def test_a_price_of_nothing_gets_words():
    with pytest.raises(DiagnosisError, match="price of 'x0': must be above 0, got 0"):
        ActiveClassifier(MODEL, {"x0": 0})
