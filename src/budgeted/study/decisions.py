"""Which events an operation on a study gives rise to.

Functions of a `Standing` and of what the caller wants; they write nothing. Each raises an error
that says what to do instead when the operation makes no sense now.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal, cast

from budgeted import __version__, events, money
from budgeted.errors import BudgetedError, StudyError, StudyFileError
from budgeted.events import Asked, Created, Event
from budgeted.hints import CorrectIt, Hint, RecordIt, TellIt
from budgeted.learners import LEARNERS, parameters_of
from budgeted.learners import learner as learner_named
from budgeted.listing import shortened
from budgeted.loss import named as loss_named
from budgeted.money import MoneyLike
from budgeted.names import as_name, spelled
from budgeted.policies import (
    POLICIES,
    Choice,
    Policy,
    parameter_names,
    policy,
    settings,
)
from budgeted.policies.base import Chooser
from budgeted.problem import Problem
from budgeted.streams import POLICY, stream
from budgeted.study.standing import (
    BOUGHT,
    PENDING,
    RECORDED,
    REQUESTED,
    TOLD,
    Requested,
    Standing,
)

KEPT_SCORES = 12
"""Of the scores of a decision."""


def accompanying(chooser: Policy | None, **given: str | None) -> dict[str, str]:
    """Return learner and case rule: as given, else as the policy likes them."""
    plain = {"learner": "naive-bayes", "cases": "fresh"}
    own = {} if chooser is None else settings(chooser)
    return plain | own | {key: value for key, value in given.items() if value is not None}


def creation(
    name: str,
    problem: Problem,
    cases: Sequence[tuple[str, str]],
    chooser: str,
    parameters: Mapping[str, Any],
    case_rule: str | None,
    seed: int,
    loss: str,
    learner: str | None = None,
) -> Created:
    """Return the first event of a study, or an error that lists all that is wrong."""
    mistakes = [] if isinstance(name, str) and name.strip() == name != "" else [
        f"name: must be text without blanks around it, and not empty, got {name!r}"
    ]  # fmt: skip
    given = dict(parameters)
    if chooser in POLICIES and "loss" in parameter_names(POLICIES[chooser]):
        given = {"loss": loss} | given
    made = None
    try:
        made = policy(chooser, **given)
    except (BudgetedError, TypeError) as error:
        mistakes.append(f"policy: {error}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        mistakes.append(f"seed: must be a whole number from 0, got {seed!r}")
    cases = [_case(each, problem.labels) for each in cases]
    mistakes += case_mistakes(cases, problem.labels)
    chosen = accompanying(made, learner=learner, cases=case_rule)
    created = Created(
        features=tuple(
            events.ForSale(each.name, each.values, each.cost, each.prior_counts)
            for each in problem.features
        ),
        labels=problem.labels,
        prior=problem.prior,
        budget=problem.budget,
        policy=chooser,
        parameters=given,
        case_rule=chosen["cases"],
        seed=seed,
        loss=loss,
        cases=tuple((case, label) for case, label in cases),
        package=__version__,
        learner=chosen["learner"],
        learner_parameters=_learner_parameters(chosen["learner"]),
    )
    if not mistakes:
        try:
            learner_named(created.learner, **created.learner_parameters)
            loss_named(created.loss)
            Standing(created)
        except BudgetedError as error:
            mistakes.append(str(error))
    if mistakes:
        raise StudyFileError("the study cannot begin", mistakes)
    return created


def _learner_parameters(name: str) -> dict[str, Any]:
    """Return the usual parameters of a learner; a name that is none is a mistake for later."""
    known = isinstance(name, str) and name in LEARNERS
    return parameters_of(learner_named(name)) if known else {}


def _case(given: Any, labels: Sequence[str]) -> tuple[Any, Any]:
    """Return the name and the label of a case, which may be given as numbers."""
    try:
        case, label = given
    except (TypeError, ValueError):
        return "", given
    return as_name(case), spelled(label, labels) or label


def case_mistakes(
    cases: Sequence[tuple[str, str]],
    labels: Sequence[str],
    places: Callable[[int], str] = "cases[{}]".format,
) -> list[str]:
    """Return what is wrong with a list of cases, in words; `places` says where each one stands."""
    if not cases:
        return ["cases: at least one is needed"]
    known, names = set(labels), {case for case, _ in cases}
    as_many = len(names) == len(cases) and known.issuperset({label for _, label in cases})
    if as_many and all(isinstance(name, str) and name.strip() for name in names):
        return []  # a million of them, looked at as a whole
    mistakes = []
    seen: set[str] = set()
    for position, (case, label) in enumerate(cases):
        where = places(position)
        if not isinstance(case, str) or not case.strip():
            mistakes.append(f"{where}: the name of a case must not be blank, got {case!r}")
        elif case in seen:
            mistakes.append(f"{where}: {case!r} appears twice; give each case its own name")
        seen.add(case)
        if label not in known:
            listed = ", ".join(map(repr, labels))
            mistakes.append(f"{where}: there is no label {label!r}; there are {listed}")
    return shortened(mistakes)


def choices(draft: Standing, chooser: Chooser, n: int) -> list[Event]:
    """Return the next n requests; every decision sees those before it as under way."""
    if draft.closed:
        raise StudyError("the study is closed; nothing is asked any more")
    chosen: list[Event] = []
    for _ in range(n):
        number = draft.state.next_number
        # Steps are counted from 0 in a simulation, whose draws these are.
        rng = stream(draft.created.seed, POLICY, number - 1)
        choice = chooser.choose(draft.state, rng)
        if choice is None:
            break
        asked = _asked(draft, number, choice)
        draft.attempt(asked)
        chosen.append(asked)
    return chosen


def _asked(draft: Standing, number: int, choice: Choice) -> Asked:
    problem, action = draft.state.problem, choice.action
    case = draft.pick(action)
    if case is None:
        raise StudyError(f"no case is left to buy {problem.features[action.feature].name!r} from")
    scores, compared = _worth_keeping(problem, choice)
    return Asked(
        number=number,
        case=case,
        feature=problem.features[action.feature].name,
        label=problem.labels[action.label],
        cost=problem.features[action.feature].cost,
        scores=scores,
        compared=compared,
        reason=choice.reason,
        engine=choice.engine,
        policy=draft.created.policy,
        parameters=draft.created.parameters,
        package=__version__,
    )


def _worth_keeping(
    problem: Problem, choice: Choice
) -> tuple[tuple[tuple[str, str, float], ...], events.Spread | None]:
    """Return the best of the scores with the chosen one, and what all of them were like.

    With a thousand features all of them would be forty kilobytes for each request.
    """
    if not choice.scores:
        return (), None
    ranked = sorted((float(score), tuple(cell)) for cell, score in choice.scores.items())
    kept = ranked[:KEPT_SCORES]
    chosen = (float(choice.scores[choice.action]), tuple(choice.action))
    if chosen not in kept:
        kept = sorted([*kept[:-1], chosen])
    spread = events.Spread(
        len(ranked),
        ranked[0][0],
        math.fsum(score for score, _ in ranked) / len(ranked),
        ranked[-1][0],
    )
    return tuple(
        (problem.features[feature].name, problem.labels[label], score)
        for score, (feature, label) in kept
    ), spread


def answer(draft: Standing, number: int, value: str, cost: MoneyLike | None) -> list[Event]:
    """Return what telling a value gives: nothing if the same was told before."""
    request = draft.request(number)
    number, value = request.number, draft.value(request.feature, value)
    paid = request.cost if cost is None else amount("cost", cost)
    if request.fate == PENDING:
        return [events.Told(number, value, paid)]
    if request.fate in (TOLD, RECORDED):
        if request.value == value and request.cost == paid:
            return []
        raise StudyError(
            f"request {number} was told {_quoted(request.value)} at a cost of {request.cost} "
            "already",
            hint=CorrectIt(number, value),
        )
    raise StudyError(
        f"request {number} is {request.fate}",
        hint=RecordIt(number, request.case, request.feature, value),
    )


def failure(
    draft: Standing, number: int, charged: MoneyLike | bool, usable: bool, why: str
) -> list[Event]:
    """Return what a request without a value gives."""
    request = _pending(draft, number)
    if isinstance(charged, bool):
        cost = request.cost if charged else Decimal(0)
    else:
        cost = amount("charged", charged)
    return [events.Failed(request.number, cost, usable, why)]


def cancellation(draft: Standing, number: int, why: str) -> list[Event]:
    """Return what taking back a request gives."""
    return [events.Cancelled(_pending(draft, number).number, why)]


def correction(
    draft: Standing, number: int, value: str | None, cost: MoneyLike | None, why: str
) -> list[Event]:
    """Return what replacing a value gives."""
    old = draft.request(number)
    number = old.number
    if value is not None:
        value = draft.value(old.feature, value)
        if old.case in draft.forgotten:
            raise StudyError(f"the values of case {old.case!r} are forgotten; it takes no others")
    if old.fate not in (TOLD, RECORDED):
        raise StudyError(
            f"request {number} is {old.fate}, there is nothing to correct",
            hint=TellIt(number, value) if old.fate == PENDING
            else RecordIt(number, old.case, old.feature, value),
        )  # fmt: skip
    paid = old.cost if cost is None else amount("cost", cost)
    if (value, paid) == (old.value, old.cost):
        raise StudyError(
            f"number {number} is {_quoted(value)} at a cost of {paid} already, so there is "
            "nothing to correct"
        )
    return [events.Corrected(number, old.value, value, old.cost, paid, why)]


def undoing(draft: Standing, number: int, why: str) -> list[Event]:
    """Return what taking back a told value, a failure or a cancellation gives."""
    old = draft.request(number)
    number = old.number
    if draft.closed:
        raise StudyError("the study is closed; only corrections are possible")
    if old.fate == PENDING:
        raise StudyError(f"request {number} is pending: there is nothing to undo")
    if old.asked is None:
        raise StudyError(
            f"number {number} was recorded without a request, so it cannot be pending again",
            hint=CorrectIt(number, None),
        )
    if old.case in draft.withdrawn:
        raise StudyError(
            f"case {old.case!r} is withdrawn, so request {number} cannot be pending again"
        )
    held = draft.cells[draft.cell(old.case, old.feature)]
    if held in (REQUESTED, BOUGHT) and old.fate != TOLD:
        again = max(each.number for each in draft.requests.values()
                    if (each.case, each.feature) == (old.case, old.feature))  # fmt: skip
        raise StudyError(
            f"{old.feature!r} of case {old.case!r} was asked for or recorded again, as number "
            f"{again}, so request {number} cannot be pending again"
        )
    cost = old.asked.cost
    free = money.add(draft.state.free, old.cost)
    if cost > free:
        raise StudyError(
            f"request {number} cannot be pending again: it would reserve {cost}, and only {free} "
            f"would be free"
        )
    fate = cast(Literal["told", "failed", "cancelled"], old.fate)
    return [events.Undone(number, fate, old.value, old.cost, cost, why)]


def withdrawal(draft: Standing, case: str, forget: bool, why: str) -> list[Event]:
    """Return what taking out a case gives: its requests are cancelled, its values may go."""
    case = draft.case(case)
    if case in draft.withdrawn and (not forget or case in draft.forgotten):
        gone = " and forgotten" if case in draft.forgotten else ""
        raise StudyError(f"case {case!r} is withdrawn{gone} already")
    mine = [each for each in draft.requests.values() if each.case == case]
    done: list[Event] = [
        events.Cancelled(each.number, "case withdrawn") for each in mine if each.fate == PENDING
    ]
    if forget:
        for each in mine:
            if each.fate in (TOLD, RECORDED) and each.value is not None:
                done += correction(draft, each.number, None, None, "case withdrawn")
    return [*done, events.Withdrawn(case, why, forget)]


def records(
    draft: Standing, values: Sequence[tuple[str, str, str]], charge: bool | MoneyLike
) -> list[Event]:
    """Return what values that nobody asked for give; an error lists all that do not fit."""
    known = {(each.case, each.feature): each for each in draft.requests.values()
             if each.fate in (PENDING, TOLD, RECORDED)}  # fmt: skip
    fixed = None if isinstance(charge, bool) else amount("charge", charge)
    done: list[Event] = []
    mistakes: list[str] = []
    hints: list[Hint | None] = []
    for given in values:
        try:
            wanted = _names(draft, given)
            event = _record(draft, known, wanted, charge is True, fixed)
            if event is not None:
                draft.attempt(event)
                done.append(event)
                known[wanted[:2]] = draft.request(event.number)
        except BudgetedError as error:
            mistakes.append(f"{_where(given)}: {error}")
            hints.append(error.hint)
    if mistakes:
        raise StudyFileError("the values cannot be recorded", shortened(mistakes), hints)
    return done


def _names(draft: Standing, given: Any) -> tuple[str, str, str]:
    """Return the names of a case, a feature and its value, which may be given as numbers."""
    if not isinstance(given, Sequence) or isinstance(given, str) or len(given) != 3:
        raise StudyError("must be a case, a feature and its value")
    feature = draft.feature(given[1])
    return draft.case(given[0]), feature, draft.value(feature, given[2])


def _where(given: Any) -> str:
    try:
        return f"case {given[0]!r}, {given[1]!r}"
    except (TypeError, IndexError, KeyError):
        return repr(given)


def _record(
    draft: Standing,
    known: Mapping[tuple[str, str], Requested],
    wanted: tuple[str, str, str],
    charge: bool,
    fixed: Decimal | None,
) -> events.Told | events.Recorded | None:
    case, feature, value = wanted
    row, column = draft.cell(case, feature)
    held = known.get((case, feature))
    if held is not None and draft.cells[row, column] in (REQUESTED, BOUGHT):
        if held.fate == PENDING:
            return events.Told(held.number, value, held.cost if fixed is None else fixed)
        if held.value == value:
            return None
        raise StudyError(f"is {_quoted(held.value)} already", hint=CorrectIt(held.number, value))
    price = draft.state.problem.features[column].cost if charge else Decimal(0)
    return events.Recorded(
        draft.state.next_number,
        case,
        draft.state.problem.features[column].name,
        draft.label_of(case),
        value,
        price if fixed is None else fixed,
    )


def another_budget(draft: Standing, budget: MoneyLike, why: str) -> list[Event]:
    """Return what more money, or less, gives."""
    new = amount("budget", budget)
    if new == draft.state.problem.budget:
        raise StudyError(f"the budget is {new} already")
    return [events.BudgetChanged(draft.state.problem.budget, new, why)]


def ending(draft: Standing, why: str) -> list[Event]:
    """Return what closing a study gives."""
    pending = [str(each.number) for each in draft.state.pending]
    if pending:
        what, them = "request %s is", "it"
        if len(pending) > 1:
            what, them = "requests %s are", "them"
        raise StudyError(
            f"{what % ', '.join(pending)} pending; tell, fail or cancel {them} before closing"
        )
    return [events.Closed(why)]


def _quoted(value: str | None) -> str:
    return "no value" if value is None else repr(value)


def _pending(draft: Standing, number: int) -> Requested:
    request = draft.request(number)
    if request.fate != PENDING:
        listed = ", ".join(str(each.number) for each in draft.state.pending) or "none"
        raise StudyError(f"request {number} is {request.fate}, not pending; pending are: {listed}")
    return request


def amount(field: str, given: MoneyLike) -> Decimal:
    """Return an amount of money, or an error that names the field."""
    try:
        return money.parse(given)
    except ValueError as error:
        raise StudyError(f"{field}: {error}") from None
