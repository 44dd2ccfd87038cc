"""Which tests need what, in what order they run, and what is said of those that did not.

Marks that follow from the fixtures of a test are given here, so nobody can forget them: `browser`
where there is a page, `postgres` where there is a PostgreSQL server. `slow` is given by hand, to
tests of more than a few seconds. conftest.py brings these hooks to pytest.
"""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

ORDER = "BUDGETED_TEST_ORDER"
"""Environment variable: the seed of a random order of the tests."""


def pytest_report_header():
    if seed := os.environ.get(ORDER):
        return f"a random order of the tests; to have it again: make random SEED={seed}"
    return None


def pytest_collection_modifyitems(items):
    for item in items:
        for name in _needs(item):
            item.add_marker(name)
    if seed := os.environ.get(ORDER):
        items.sort(key=lambda item: item.nodeid)  # the same order from the same seed, everywhere
        random.Random(seed).shuffle(items)


def _needs(item):
    fixtures = getattr(item, "fixturenames", ())
    chosen = item.callspec.params.get("database") if hasattr(item, "callspec") else None
    if "browser" in fixtures:
        yield "browser"
    if "postgres" in fixtures or chosen == "postgres":
        yield "postgres"


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """Close with a plain line on what did not run, and why."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput") or config.option.collectonly:
        return
    for line in closing_lines(reporter.stats.get("skipped", ()), config.option.markexpr):
        reporter.write_line(line)


def closing_lines(skipped, chosen=""):
    """Say what was skipped and why, and what was not even tried.

    >>> closing_lines((), "not slow")
    ["Left out: all but -m 'not slow'; make test runs everything.", 'Nothing else was skipped.']
    >>> closing_lines(())
    ['Nothing was skipped.']
    """
    lines = [f"Left out: all but -m {chosen!r}; make test runs everything."] if chosen else []
    reasons = Counter(_reason(report) for report in skipped)
    lines += [
        f"Skipped: {number} test{'s' * (number > 1)}, because {reason}"
        for reason, number in reasons.most_common()
    ]
    if not reasons:
        lines.append("Nothing else was skipped." if chosen else "Nothing was skipped.")
    return lines


def _reason(report):
    said = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return said.removeprefix("Skipped: ")
