"""How a study begins: its first event, or all that is wrong with what was given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from budgeted import __version__
from budgeted.errors import BudgetedError, StudyFileError
from budgeted.learners import learner_from, parameters_of
from budgeted.listing import shortened
from budgeted.policies import POLICIES, accompanying, parameter_names, policy, unfit
from budgeted.problem import Problem, prices
from budgeted.problem.names import as_name, spelled
from budgeted.studies.beginning import as_written, price_list_mistakes
from budgeted.studies.commands.record import Record, RecordedValue
from budgeted.studies.created import Created
from budgeted.studies.drafts import Draft
from budgeted.studies.events import Event
from budgeted.studies.projection import Projection
from budgeted.studies.stop_rules import StopRules
from budgeted.value.loss import named as loss_named


def creation(
    name: str,
    problem: Problem,
    cases: Sequence[tuple[str, str]],
    chooser: str,
    parameters: Mapping[str, Any],
    case_rule: str | None,
    seed: int,
    loss: str,
    learner: str | Mapping[str, Any] | None = None,
    groups: Mapping[str, str] | None = None,
    stop: StopRules | None = None,
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
        mistakes += [f"policy: {each}" for each in unfit(made, problem)]
    except (BudgetedError, TypeError) as error:
        mistakes.append(f"policy: {error}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        mistakes.append(f"seed: must be a whole number from 0, got {seed!r}")
    cases = [_case(each, problem.labels) for each in cases]
    mistakes += case_mistakes(cases, problem.labels)
    grouped = {as_name(case): group for case, group in (groups or {}).items()}
    mistakes += _group_mistakes(grouped, cases)
    mistakes += price_list_mistakes(problem.prices)
    mistakes += [] if stop is None else stop.unfit(problem)
    chosen = accompanying(made, learner=learner, case_rule=case_rule)
    learner_name, learner_parameters = _learner(chosen["learner"], mistakes)
    created = Created(
        features=tuple(map(as_written, problem.features)),
        labels=problem.labels,
        prior=problem.prior,
        budget=problem.budget,
        policy=chooser,
        parameters=given,
        case_rule=chosen["case_rule"],
        seed=seed,
        loss=loss,
        cases=tuple((case, label) for case, label in cases),
        package=__version__,
        learner=learner_name,
        learner_parameters=learner_parameters,
        price_list=problem.prices.name,
        price_parameters=prices.parameters_of(problem.prices),
        groups=grouped,  # type: ignore[arg-type]  # names, or there are mistakes
    )
    if not mistakes:
        try:
            loss_named(created.loss)
            Projection(created)
        except BudgetedError as error:
            mistakes.append(str(error))
    if mistakes:
        raise StudyFileError("the study cannot begin", mistakes)
    return created


def begun(
    created: Created, known: Sequence[tuple[str, str, str]], agreed: Sequence[Event] = ()
) -> Draft:
    """Return a study that begins, with what is known of its cases."""
    draft = Draft.of(Projection(created))
    draft.tried.append(created)
    for event in agreed:
        draft.attempt(event)
    Record(cast(Sequence[RecordedValue], known)).decide(draft)
    return draft


def _group_mistakes(groups: Mapping[Any, Any], cases: Sequence[tuple[Any, Any]]) -> list[str]:
    named = {case for case, _ in cases}
    wrong = [f"groups: there is no case {case!r}" for case in groups if case not in named]
    wrong += [f"groups: that of case {case!r} must be text, got {group!r}"
              for case, group in groups.items() if not isinstance(group, str)]  # fmt: skip
    return shortened(wrong)


def _learner(given: Any, mistakes: list[str]) -> tuple[str, dict[str, Any]]:
    """Return name and parameters of a learner; what is wrong with it joins the mistakes."""
    try:
        made = learner_from(given)
    except (BudgetedError, TypeError) as error:
        mistakes.append(f"learner: {error}")
        return "", {}
    return made.name, parameters_of(made)


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
