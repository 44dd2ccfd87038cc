"""Decisions, numbers and whole studies are as recorded in tests/golden; only ties fall freely."""

import pytest

from tests.golden import decisions, histories, named, numbers, read, same

DECISIONS, HISTORIES = named("decisions"), named("history")


@pytest.mark.parametrize("name", DECISIONS)
def test_the_same_is_bought(name):
    table, runs = read(name).values()
    wrong = [
        f"{run['policy']} {run['parameters']}, {each}"
        for run in runs
        for each in decisions.differences(table, *run.values())
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", DECISIONS)
def test_losses_and_outlooks_are_the_same(name):
    table = read(name)["problem"]
    for now, then in zip(numbers.losses(table), read("losses")[name], strict=True):
        assert same(now, then, numbers.WITHIN[then[0]]), (now, then)
    recorded = read("outlooks")[name]
    for learner, (outlook, probabilities) in numbers.outlooks(table).items():
        assert same(outlook, recorded[learner][0], numbers.DRAWN), learner
        assert same(probabilities, recorded[learner][1]), learner


def test_optima_and_what_policies_come_to_are_the_same():
    for name, recorded in read("optima").items():
        now = numbers.optimum(name)
        assert now.keys() == recorded.keys()
        assert same([*now.values()], [*recorded.values()]), (name, now)


@pytest.mark.parametrize("name", HISTORIES)
def test_a_history_folds_to_the_same_book(name):
    wrong = list(histories.differences(read(name)))
    assert not wrong, "\n".join(wrong)
