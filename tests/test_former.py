"""The classifier of before: kept for comparisons, so its examples must go on working."""

import doctest
import importlib
import pkgutil

import pytest
from benchmark import former

MODULES = [each.name for each in pkgutil.walk_packages(former.__path__, "benchmark.former.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_there_are_examples():
    """Of what is compared: the classifier, and the belief that it takes its parameters from."""
    tried = {name: doctest.testmod(importlib.import_module(name)).attempted for name in MODULES}
    assert tried["benchmark.former.guard"] > 0
    assert tried["benchmark.former.strength"] > 0
