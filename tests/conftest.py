"""Settings for all tests."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # before SciPy: scikit-learn's checks want it

import pytest
from hypothesis import HealthCheck, settings

from tests import browsers, databases
from tests.tiers import (  # noqa: F401  (hooks of pytest)
    pytest_collection_modifyitems,
    pytest_report_header,
    pytest_unconfigure,
)

# The examples are the same on every machine: a red test is red everywhere.
settings.register_profile(
    "budgeted",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("budgeted")


@pytest.fixture(scope="session")
def postgres():
    with databases.postgres_server() as url:
        yield url


@pytest.fixture(params=databases.KINDS)
def database(request, tmp_path):
    """An empty place for studies, on each kind of database."""
    if request.param == "sqlite":
        yield str(tmp_path / "studies.db")
        return
    url, drop = databases.new_postgres_database(request.getfixturevalue("postgres"))
    yield url
    drop()


@pytest.fixture(scope="module")
def browser():
    """A real browser; not for the whole session, as Playwright keeps an event loop running."""
    with browsers.chromium() as running:
        yield running


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """A `budgeted serve` with an empty database."""
    quick = ("--forecast-seconds", "2")
    with browsers.Server(tmp_path_factory.mktemp("server"), *quick).running() as running:
        yield running
