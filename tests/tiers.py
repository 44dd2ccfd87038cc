"""Which tests need what, in what order they run, and what is said of those that did not.

Marks that follow from the fixtures of a test are given here, so nobody can forget them: `browser`
where there is a page, `postgres` where there is a PostgreSQL server, `numeric` where what is
asserted could depend on how a processor rounds. That is every test unless its file is listed in
WITHOUT_NUMBERS: a new file is numeric until somebody says that it is not. `slow` is given by hand,
to tests that take more than a second or two, and `thorough` to those that only `make thorough`
runs (thorough.py). conftest.py brings these hooks to pytest.
"""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from tests import thorough

ORDER = "BUDGETED_TEST_ORDER"
"""Environment variable: the seed of a random order of the tests."""

WITHOUT_NUMBERS = {
    "test_browser_reach",
    "test_cli_datasets", "test_worker", "test_docs_experiments", "test_events", "test_journal",
    "test_own_policies", "test_pages", "test_runner_stops",
    "test_crashes",
    "test_system_packages", "test_tiers", "test_version",
}  # fmt: skip
"""Files of tests that compare words, files, journals and processes, and no floating-point number.

Besides these, all that begin with `test_web_`.
"""


def pytest_report_header():
    if seed := os.environ.get(ORDER):
        return f"a random order of the tests; to have it again: make random SEED={seed}"
    return None


def pytest_collection_modifyitems(config, items):
    if not thorough.wanted():
        long = [item for item in items if item.get_closest_marker("thorough")]
        items[:] = [item for item in items if item not in long]
        config.hook.pytest_deselected(items=long)
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
    elif "postgres" in fixtures or chosen == "postgres":
        yield "postgres"
    elif has_numbers(item.path.stem):
        yield "numeric"


def has_numbers(file):
    """Whether what the tests of a file assert could depend on rounding.

    >>> has_numbers("test_policies"), has_numbers("test_web_api")
    (True, False)
    """
    return file not in WITHOUT_NUMBERS and not file.startswith("test_web_")


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    """Close with a plain line on what did not run, and why."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput") or config.option.collectonly:
        return
    for line in closing_lines(reporter.stats.get("skipped", ()), config.option.markexpr):
        reporter.write_line(line)
    if not thorough.wanted():
        reporter.write_line("Some tests ran in small: make thorough runs their long versions.")


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
