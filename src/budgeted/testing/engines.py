"""What every engine must do, whatever it supports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from budgeted.errors import EngineError
from budgeted.learners.belief import DIRICHLET
from budgeted.learners.layout import Floats
from budgeted.testing.answers import Answer, Asked, answered
from budgeted.testing.trials import (
    OWN,
    WITHIN,
    Believed,
    Trial,
    Unheard,
    every_belief,
    sample_belief,
)
from budgeted.testing.words import in_words
from budgeted.value import brute_force
from budgeted.value.base import (
    CELLS,
    EXPECTED,
    FEATURES,
    GAINS,
    QUESTIONS,
    Engine,
    Known,
    Sampling,
    check_engine_kind,
)
from budgeted.value.loss import LOSSES, Loss


def check_engine(engine: Engine, believed: Believed | None = None) -> None:
    """Raise an error in words unless an engine keeps the contract of all engines.

    What it supports it computes: within the bounds or the standard errors that it states, it
    agrees with a sum over all outcomes and all cases. (What a learner believes is compared with two
    labels, and by what each feature brings while the others are held.) Estimates name it, and
    say how far they can be trusted. The same question has the same answer from the same generator,
    in whatever order the features are listed; purchases never make the loss rise. What it does not
    support or answer it refuses in words.

    Parameters
    ----------
    engine
        Such as one of `budgeted.value.ENGINES`.
    believed
        Returns what it computes with, of a plain `Belief`; unless given, that is a belief itself,
        or what one of the registered learners believes.

    Examples
    --------
    >>> from budgeted.value import ENGINES
    >>> check_engine(ENGINES["enumeration"])
    """
    assert not isinstance(engine, type), f"give an object, such as {engine!r}(), not its class"
    with in_words("the engine"):
        check_engine_kind(engine)
        assert isinstance(engine.name, str), f"its name must be text, got {engine.name!r}"
        assert isinstance(engine.draws, bool), f"draws must be true or false, got {engine.draws!r}"
        unknown = set(engine.answers) - set(QUESTIONS)
        assert engine.answers, f"it must answer some of {', '.join(QUESTIONS)}"
        assert not unknown, f"there is no question {', '.join(map(str, unknown))}"
        trials = list(_trials(engine, [believed] if believed else list(every_belief())))
    assert trials, "it supports nothing of what it was tried with; give what it computes with"
    for trial in trials:
        for question in QUESTIONS:
            what = f"{question}, of {trial.loss.name} with {trial.labels} labels,"
            with in_words(what):
                try:
                    _check_question(trial, question)
                except AssertionError as error:
                    raise AssertionError(f"{what} is wrong: {error}") from error


def _trials(engine: Engine, beliefs: list[Believed]) -> Iterator[Trial]:
    """Yield what it supports; what it does not, it must refuse in words."""
    for labels in (2, 3):
        for loss in (*LOSSES.values(), OWN, WITHIN):
            nobody = Unheard(sample_belief(labels).problem)
            assert not engine.supports(nobody, loss, labels), f"it supports {nobody.form}"
            assert _refusal(engine, nobody, loss, labels), "no word of why it does not support that"
            for believed in beliefs:
                known = believed(sample_belief(labels))
                says = _refusal(engine, known, loss, labels)
                what = f"{loss.name} of {known.form} with {labels} labels"
                if engine.supports(known, loss, labels):
                    assert not says, f"it supports {what}, and refuses it: {says!r}"
                    yield Trial(engine, believed, loss, labels)
                else:
                    assert says.strip(), f"it does not support {what}, and does not say why"


def _refusal(engine: Engine, known: Known, loss: Loss, labels: int) -> str:
    says = engine.refusal(known, loss, labels)
    assert isinstance(says, str), f"a refusal must be text, got {says!r}"
    return says


def _check_question(trial: Trial, question: str) -> None:
    if question not in trial.engine.answers:
        _check_no_answer(trial, question)
        return
    for given in (False, True) if question in (CELLS, FEATURES) else (False,):
        asked = trial.asked(given=given)
        quick = trial.engine.feasible(asked.known, question, asked.depths, asked.given)
        assert isinstance(quick, bool), f"feasible must be true or false, got {quick!r}"
        found = answered(asked, question)
        _check_truth(trial, question, asked, found)
        _check_same(asked, question, found)
        turned = answered(trial.asked(turned=True, given=given), question)
        if question != EXPECTED:
            turned = Answer(turned.values[::-1], turned.error[::-1])
        apart = np.abs(turned.values - found.values) > turned.error + found.error
        assert not apart.any(), "the order of the features must not matter"
    if question == EXPECTED:
        nothing = replace(asked, depths=np.zeros_like(asked.depths))
        now = answered(nothing, question)
        _check_truth(trial, question, nothing, now)
        rise = found.values - now.values > found.error + now.error
        assert not rise.any(), "purchases make the expected loss rise"
    if question == GAINS:
        assert (found.values >= -found.error).all(), f"a gain is below 0: {found.values}"


def _check_no_answer(trial: Trial, question: str) -> None:
    asked, rest = trial.asked(), (trial.loss, Sampling())
    method = getattr(trial.engine, question, None)
    assert callable(method), f"it must refuse {question} in words; budgeted.value.base.Partial does"
    between = {EXPECTED: (asked.depths,), GAINS: ()}.get(question, (asked.depths, asked.given))
    try:
        method(asked.known, *between, *rest)
    except EngineError:
        return
    raise AssertionError("it does not answer this by its own words, and does all the same")


def _check_truth(trial: Trial, question: str, asked: Asked, found: Answer) -> None:
    if asked.known.form == DIRICHLET:
        truth = _truth(trial, question, asked)
    elif question == GAINS and trial.labels == 2 and hasattr(asked.known, "expected"):
        belief = sample_belief(trial.labels)
        truth = np.array([brute_force.gain_alone(trial.believed, belief, *each, trial.loss)
                          for each in enumerate(asked.depths)])  # fmt: skip
    else:
        return
    off = np.abs(found.values - truth) > found.error
    assert not off.any(), (
        f"it is {found.values[off][0]:.13f} ± {found.error[off][0]:.2g}, and the sum over all "
        f"outcomes and all cases {truth[off][0]:.13f}"
    )


def _truth(trial: Trial, question: str, asked: Asked) -> Floats:
    belief, depths, given = sample_belief(trial.labels), asked.depths, asked.given
    if question == EXPECTED:
        return np.array([brute_force.expected_loss(belief, depths, trial.loss)])
    now = brute_force.expected_loss(belief, np.zeros_like(depths), trial.loss)
    truth = np.full(depths.shape if question == CELLS else len(depths), np.nan)
    for at in np.ndindex(truth.shape):
        bought = given.copy()
        bought[at] += depths[at]
        if depths[at].any():
            truth[at] = brute_force.expected_loss(belief, bought, trial.loss)
    return np.nan_to_num(now - truth) if question == GAINS else truth


def _check_same(asked: Asked, question: str, found: Answer) -> None:
    again = answered(asked, question)
    assert np.array_equal(found.values, again.values, equal_nan=True), (
        "the same question and the same seed, and another answer"
    )
    one, two = (answered(asked, question, np.random.default_rng(3)).values for _ in range(2))
    assert np.array_equal(one, two, equal_nan=True), (
        "the same question and the same generator, and another answer"
    )
    drawn = not np.array_equal(one, found.values, equal_nan=True)
    assert drawn <= asked.engine.draws, "it says that it draws nothing, and the generator matters"
