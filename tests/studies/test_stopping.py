"""A study that states rules for stopping: advice is given and logged, a rule is followed."""

import json
from itertools import pairwise

import pytest
from click.testing import CliRunner

from budgeted import Feature, Problem, Study
from budgeted.cli.main import main
from budgeted.errors import BudgetedError, StopRuleError, StudyError
from budgeted.state.surcharges import committed
from budgeted.studies import weighing
from budgeted.studies.blinding import Blinder
from budgeted.studies.commands.ask import Ask, why_fewer
from budgeted.studies.stop_events import StopRulesSet, StopWeighed
from budgeted.studies.stop_rules import LeastGain, Verdict

NOW = "2026-01-05T09:30:00Z"


def a_study(folder, budget=20, stop=None, **options):
    problem = Problem(
        [Feature("fever", ("no", "yes"), 1), Feature("cough", ("no", "yes"), 1)],
        ("well", "ill"),
        (0.6, 0.4),
        budget,
    )
    cases = [(f"P{at}", ("well", "ill")[at % 2]) for at in range(40)]
    return Study.create(
        str(folder / "studies.db"), "flu", problem, cases, seed=1, stop=stop,
        clock=lambda: NOW, **options,
    )  # fmt: skip


@pytest.fixture(autouse=True)
def _few_runs(monkeypatch):
    monkeypatch.setattr(weighing, "RUNS", 4)


def answered(study, asked):
    """Tell all that was asked: fever tells the labels apart."""
    for each in asked:
        study.tell(each.number, "yes" if each.label == "ill" and each.feature == "fever" else "no")


@pytest.fixture
def enough_at_two(monkeypatch):
    """Nothing is gained any more once 2 are spent or reserved."""

    def weigh(self, situation):
        stops = committed(situation.state) >= 2
        return Verdict(self.name, stops, "2 are enough" if stops else "2 are wanted")

    monkeypatch.setattr(LeastGain, "weigh", weigh)


def weighed(study):
    return [each.event for each in study.history() if isinstance(each.event, StopWeighed)]


def test_a_study_begins_with_its_rules_in_the_log(tmp_path):
    with a_study(tmp_path, stop={"target_error": 0.1}) as study:
        rules = [each.event for each in study.history() if isinstance(each.event, StopRulesSet)]
        assert rules == [StopRulesSet({"target_error": 0.1}, {})]
        status = study.status().stop
        assert (status.rules, status.binding, status.stops) == ({"target_error": 0.1}, False, False)
        assert status.words.startswith("go on: an error of at most 10.0 %")
    with Study.open(str(tmp_path / "studies.db"), "flu") as again:
        assert again.status().stop == status


@pytest.mark.usefixtures("enough_at_two")
def test_advice_is_given_and_what_was_done_is_kept(tmp_path):
    with a_study(tmp_path, stop={"least_gain": 0.1}) as study:
        study.ask(2)
        (first,) = weighed(study)
        assert (first.stops, first.done, first.binding) == (False, "asked", False)
        assert len(study.ask(1)) == 1  # nobody has to follow it
        assert study.status().stop.words == "advice: stop: 2 are enough"
        last = weighed(study)[-1]
        assert (last.stops, last.done) == (True, "asked")
        assert last.words() == "advice to stop, and more was asked for: 2 are enough"
        study.ask(1)
        assert len(weighed(study)) == 2  # the same thing is not written twice


@pytest.mark.usefixtures("enough_at_two")
def test_a_rule_is_followed_and_the_log_says_so(tmp_path):
    with a_study(tmp_path, stop={"least_gain": 0.1, "binding": True}) as study:
        assert len(study.ask(10)) == 2  # it stops within a list as well
        assert weighed(study)[-1].done == "stopped"
        assert weighed(study)[-1].words() == "stopped by a rule of the study: 2 are enough"
        before = study.events
        assert study.ask(1) == ()
        assert study.events == before
        status = study.status().stop
        assert (status.stops, status.binding) == (True, True)
        assert status.words == "a rule of the study says to stop: 2 are enough"


@pytest.mark.usefixtures("enough_at_two")
def test_who_is_blind_is_told_that_a_rule_stopped_it(tmp_path):
    with a_study(tmp_path, stop={"least_gain": 0.1, "binding": True}) as study:
        wanted = Ask(10)
        done = Blinder().done(study.do(wanted))
        said = why_fewer(done.requests, wanted, done.state, done.stopped)
        assert "a rule of the study says to stop: 2 are enough" in said


@pytest.mark.usefixtures("enough_at_two")
def test_who_asks_anyway_gets_it_and_the_log_keeps_it(tmp_path):
    with a_study(tmp_path, stop={"least_gain": 0.1, "binding": True}) as study:
        study.ask(10)
        assert len(study.ask(1, anyway=True)) == 1
        last = weighed(study)[-1]
        assert (last.stops, last.done) == (True, "overruled")
        assert "was overruled" in last.words()


def test_a_rule_that_looks_ahead_is_weighed_when_enough_was_spent_since(tmp_path):
    with a_study(tmp_path, stop={"least_gain": 0.2}) as study:
        answered(study, study.ask(4))
        made = [each.ahead for each in weighed(study)]
        assert made == [True]
        assert study.status().stop.weighed_at == 0
        while study.snapshot().state.free > 0:
            answered(study, study.ask(1))
        looks = [each for each in weighed(study) if each.ahead]
        spent = [each.committed for each in looks]
        assert len(spent) > 1
        assert all(after - before >= 2 for before, after in pairwise(spent))
        assert looks[-1].stops  # with next to no money left nothing lowers the error by 0.2
        verdict = looks[-1].verdicts[0]
        assert verdict.figures["gain"] <= 0.2
        assert "for the remaining" in verdict.words


def test_rules_can_be_set_changed_and_dropped(tmp_path):
    with a_study(tmp_path) as study:
        assert study.status().stop is None
        found = study.set_stop_rules(target_error=0.3, probability=0.8, force=True)
        assert found.rules == {"target_error": 0.3, "probability": 0.8}
        assert weighed(study)[-1].done == "weighed"
        found = study.set_stop_rules(binding=True)
        assert found.rules == {"target_error": 0.3, "probability": 0.8, "binding": True}
        found = study.set_stop_rules(least_gain=0.1, drop=["target-error"])
        assert found.rules == {"least_gain": 0.1, "binding": True}
        assert study.set_stop_rules(none=True) is None
        last = study.history()[-1].event
        assert last == StopRulesSet({}, {"least_gain": 0.1, "binding": True})


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({}, "say which rules the study is to have, or which to drop"),
        ({"probability": 0.9}, "stop.probability: belongs to target_error, which is missing"),
        ({"target_error": 0.45}, "always saying 'well' is wrong in 40.0 % of cases"),
        ({"drop": ["least-gian"]}, "drop: the study has no rule 'least-gian'"),
        ({"binding": True}, "binding: there are no rules that could be binding"),
    ],
)
def test_bad_changes_get_words_and_change_nothing(tmp_path, rules, words):
    with a_study(tmp_path) as study:
        before = study.events
        with pytest.raises(BudgetedError) as refused:
            study.set_stop_rules(**rules)
        assert words in str(refused.value)
        assert study.events == before


def test_a_target_below_the_floor_is_refused_unless_it_is_meant(tmp_path):
    with a_study(tmp_path, budget=2) as study:
        with pytest.raises(StudyError) as refused:
            study.set_stop_rules(target_error=0.001)
        assert "0.1 % is below what all the money can be expected to bring: at best" in str(
            refused.value
        )
        found = study.set_stop_rules(target_error=0.001, force=True)
        assert not found.stops


def test_a_study_cannot_begin_with_a_target_that_needs_nothing(tmp_path):
    with pytest.raises(BudgetedError) as refused:
        a_study(tmp_path, stop={"target_error": 0.5})
    assert "stop.target_error: always saying 'well'" in str(refused.value)
    with pytest.raises(StopRuleError):
        a_study(tmp_path, stop={"target_errors": 0.5})


@pytest.mark.usefixtures("enough_at_two")
def test_the_command_line_states_rules_shows_them_and_follows_them(tmp_path):
    a_study(tmp_path).__exit__(None, None, None)
    database = ["--db", str(tmp_path / "studies.db")]

    def call(*words):
        found = CliRunner().invoke(main, ["study", words[0], *database, *words[1:]])
        assert found.exit_code == 0, found.output
        return found.output

    said = call("stop-rules", "--least-gain", "0.1", "--target-error", "0.3", "--force")
    assert said.startswith("Stop as soon as one of these holds (advice):\n")
    said = call("stop-rules", "--binding", "--drop", "target-error")
    assert said.startswith("Stop when nothing left is expected to lower the error by more than 10")
    assert "\nGo on: 2 are wanted" in said
    said = call("ask", "-n", "10")
    assert "No more was asked for: 10 were asked for; a rule of the study says to stop" in said
    asked = json.loads(call("ask", "--json"))
    assert asked["requests"] == []
    assert "a rule of the study says to stop" in asked["stopped"]
    assert "A rule of the study says to stop: 2 are enough" in " ".join(call("status").split())
    status = json.loads(call("status", "--json"))
    assert status["stop"]["stops"] is True
    assert status["stop"]["verdicts"][0]["rule"] == "least-gain"
    assert json.loads(call("ask", "--anyway", "--json"))["requests"]
