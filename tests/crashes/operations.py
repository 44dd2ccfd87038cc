"""Every operation of a study, drawn by chance, with how many events it gives."""

from __future__ import annotations

import uuid

from budgeted import Feature, Number, Problem
from budgeted.studies import commands

MOST_FEATURES = 6


def problem(budget):
    features = [Feature("f0", ("no", "yes"), "0.1"), Feature("f1", ("no", "yes"), "0.3"),
                Feature("chol", kind=Number([200, 240]), cost="0.2")]  # fmt: skip
    return Problem(features, ("label 0", "label 1"), (0.5, 0.5), budget)


def drawn(study, rng):
    """Something to do now, with its key, and with how many events it gives if it is not refused."""
    size, name, args, options = rng.choice(_ways(study, rng))
    key = uuid.UUID(int=rng.getrandbits(128)).hex
    return {"key": key, "do": name, "args": args, "with": options, "events": size}


def carry_out(study, operation):
    """Do it; return how many events that gave."""
    name, args, key = operation["do"], operation["args"], operation["key"]
    before = study.events
    if name == "set_cuts":
        study.do(commands.SetCuts(*args), key=key)
    elif name == "add_feature":
        study.add_feature(Feature(*args), key=key)
    else:
        getattr(study, name)(*args, **operation["with"], key=key)
    return study.events - before


def _ways(study, rng):
    """What makes sense now, some of it several times: events, name, arguments, options."""
    if study.closed:
        return [(1, "reopen", ["more money"], {})]
    if study.snapshot().stop is not None:
        return [(1, "set_stop_rules", [], {"none": True})]
    requests, pending = study.requests(), study.requests("pending")
    features = study.state.problem.features
    touched = {(each.case, each.feature) for each in requests} | study.ruled_out().keys()
    there = [case for case in study.cases if case not in study.withdrawn]
    untouched = (
        (case, feature) for case in rng.sample(there, 9) for feature in features
        if (case, feature.name) not in touched
    )  # fmt: skip
    fresh = [[case, feature.name, _value(feature, rng)] for case, feature in untouched][:2]
    new = f"new {rng.getrandbits(32)}"
    ways = [(n, "ask", [n], {}) for n in (1, 2, 3)]
    ways += [
        (1, "note", ["looked odd"], {}),
        (1, "set_budget", [str(study.state.problem.budget + 1)], {}),
        (2, "add_cases", [[(new, "label 0"), (f"{new} too", "label 1")]],
         {"known": [[new, "f0", "no"]]}),
        (1, "set_cuts", ["chol", str(rng.randint(150, 250))], {}),
    ]  # fmt: skip
    if len(fresh) == 2:
        ways += [
            (2, "record", [fresh], {"charge": rng.random() < 0.5}),
            (2, "enter", [fresh], {}),
            (1, "rule_out", fresh[0][:2], {}),
        ]
    if pending:
        each = rng.choice(pending)
        value = _value(study.state.problem.by_name[each.feature], rng)
        ways += 4 * [(1, "tell", [each.number, value], rng.choice([{}, {"cost": "0.05"}]))]
        ways += [
            (1, "cancel", [each.number], {}),
            (1, "fail", [each.number], {"charged": rng.random() < 0.5}),
        ]
    told = [each for each in requests[-50:] if each.fate == "told"]
    if told:
        each = rng.choice(told)
        ways += [
            (1, "undo", [each.number], {}),
            (1, "correct", [each.number, _value(study.state.problem.by_name[each.feature], rng)],
             {}),
        ]  # fmt: skip
    batch = study.history(max(0, study.events - 30))
    entered = [entry.key for entry in batch if entry.command == "enter"]
    ways += [(2, "undo_batch", [key], {}) for key in entered[-1:]]
    ways += [(1, "allow", list(cell), {}) for cell in list(study.ruled_out())[-1:]]
    if rng.random() < 0.1:  # what there should not be too much of
        ways += [
            (1, "set_stop_rules", [], {"target_error": 0.01}),
            (1, "add_value", ["f1", f"value {rng.getrandbits(16)}"], {}),
        ]
        busy = {each.case for each in pending}
        forget = rng.random() < 0.5  # each value that is forgotten is an event
        for case in there[-1:]:
            values = sum(each.case == case and each.value is not None for each in requests)
            if case not in busy:
                ways += [(1 + forget * values, "withdraw", [case], {"forget": forget})]
        ways += [] if pending else [(1, "close", ["enough"], {})]
        if len(features) < MOST_FEATURES:
            ways += [(1, "add_feature", [new, ["no", "yes"], "0.2"], {})]
    return ways


def _value(feature, rng):
    return rng.choice(feature.choices or ("150", "199.9", "233", "240"))
