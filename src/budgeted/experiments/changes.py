"""What has changed in an experiment since its runs were computed, for messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from budgeted.experiments.spec import Experiment


def changes(told: Mapping[str, Any], experiment: Experiment) -> list[str]:
    """Return the names of what was another when a run was computed.

    Parameters
    ----------
    told
        What the file of the run says of itself.
    experiment
        As it is now.

    Examples
    --------
    >>> from budgeted.experiments.spec import parse
    >>> document = {"budget": 5, "seed": 1, "problem": {"synthetic": "figure-3b"},
    ...             "policy": [{"name": "greedy"}]}
    >>> told = {"experiment": parse(document, name="ten").document(), "table": None}
    >>> changes(told, parse({**document, "budget": 6, "seed": 2}, name="ten"))
    ['budget', 'seed']
    """
    before = told["experiment"]
    now = json.loads(json.dumps(experiment.document(), default=str))
    keys = ("budget", "seed", "measures", "moments", "wrong")
    found = [key for key in keys if before.get(key) != now.get(key)]
    one, other = dict(before["problem"]), dict(now["problem"])
    if experiment.table is not None and told["table"] is not None:
        one.pop("file"), other.pop("file")  # it counts by what is in it
        if experiment.table.sha256 != told["table"]:
            found.append(experiment.table.name)
    found += [f"problem.{key}" for key in {**one, **other} if one.get(key) != other.get(key)]
    return found + _changed_policies(_policies(before), _policies(now)) or ["the experiment"]


def _policies(document: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the policies by label, without the budget that all have unless they have their own."""
    common = document["budget"]
    return {
        each["label"]: {
            key: value for key, value in each.items() if key != "budget" or value != common
        }
        for each in document["policy"]
    }


def _changed_policies(
    before: Mapping[str, dict[str, Any]], now: Mapping[str, dict[str, Any]]
) -> list[str]:
    found = [
        f"policy {label!r}" for label in {**before, **now} if before.get(label) != now.get(label)
    ]
    moved = not found and list(before) != list(now)
    return ["the order of the policies"] if moved else found
