"""The API does what its document says: every operation, with values that somebody made up."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import one_of
from schemathesis import GenerationMode

from budgeted.web.app import create_app
from budgeted.web.settings import Limits, Settings
from tests.thorough import sized
from tests.webs import make_study, running

EXAMPLES = sized(12, 30)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schema")
    with make_study(folder / "studies.db") as study:
        study.ask(3)
        study.tell(1, "yes")
    limits = Limits(waiting=2, runs=4)
    chosen = Settings(str(folder / "studies.db"), port=0, limits=limits)
    with running(create_app(chosen), chosen) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def schema(address):
    """The document as the server gives it, read once."""
    return schemathesis.openapi.from_url(f"{address}/api/openapi.json")


def operations():
    """Method and path of every operation in the document."""
    document = create_app(Settings("none.db")).openapi()
    return sorted(
        (method.upper(), path) for path, methods in document["paths"].items() for method in methods
    )


def test_every_operation_says_how_it_refuses():
    document = create_app(Settings("none.db")).openapi()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            statuses = set(operation["responses"])
            assert {"400", "401", "503"} <= statuses, path
            assert operation["summary"], path
            assert operation["description"], path
            if "{" in path:
                assert {"404", "422"} <= statuses, path
            if method == "post":
                assert {"403", "413"} <= statuses, path


@pytest.mark.parametrize(("method", "path"), operations(), ids=str)
@pytest.mark.slow
def test_the_api_does_what_its_document_says(address, schema, method, path):
    """No 5xx, no status and no answer that is not documented; on studies that are there or not."""
    operation = schema[path][method]
    checks = [
        schemathesis.checks.not_a_server_error,
        schemathesis.checks.status_code_conformance,
        schemathesis.checks.content_type_conformance,
        schemathesis.checks.response_schema_conformance,
    ]
    existing = {"name": "flu", "number": 1}

    @schemathesis_case(operation)
    def check(case):
        if len(case.as_curl_command()) > 50_000:
            return  # the head of a request has a size, and whoever sends more sees a closed door
        case.call_and_validate(base_url=address, checks=checks, timeout=30)
        if case.path_parameters and "name" in case.path_parameters:
            # Hardly any name that is made up is that of a study.
            case.path_parameters |= {
                key: value for key, value in existing.items() if key in case.path_parameters
            }
            case.call_and_validate(base_url=address, checks=checks, timeout=30)

    check()


def schemathesis_case(operation):
    """Run a function on cases of an operation; the same ones every time."""

    def decorate(function):
        modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
        cases = [operation.as_strategy(generation_mode=mode) for mode in modes]
        checked = given(case=one_of(cases))(function)
        return settings(
            max_examples=EXAMPLES,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )(checked)

    return decorate
