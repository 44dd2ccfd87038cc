"""The example of docs/experiments.md is a file that runs."""

import re
import tomllib
from pathlib import Path

from budgeted.experiment import parse

PAGE = Path(__file__).resolve().parent.parent / "docs" / "experiments.md"


def test_the_example_is_an_experiment():
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    experiment = parse(tomllib.loads(example), "cars")
    assert [each.budget for each in experiment.contenders] == ["60", "60", "30"]
    assert experiment.with_runs(1).play(experiment.contenders[2], 0).spent[-1] <= 30
