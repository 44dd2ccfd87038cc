"""The client speaks the language of the server's OpenAPI document: paths, bodies and answers."""

import inspect
import itertools
import json
from decimal import Decimal
from urllib.parse import unquote, urlsplit

import httpx
import jsonschema
import pytest

from budgeted.addresses import segment
from budgeted.client import Client, RemoteStudy
from budgeted.client.endpoint import OPERATIONS, path_of
from budgeted.web.app import create_app
from budgeted.web.settings import Settings


@pytest.fixture(scope="module")
def document():
    return create_app(Settings("none.db")).openapi()


def resolved(document, schema):
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def test_every_change_that_the_server_offers_can_be_made(document):
    """Those that have an idempotency key: a new operation is missed here."""
    offered = {
        (method.upper(), path)
        for path, methods in document["paths"].items()
        for method, said in methods.items()
        if "idempotency-key" in {each["name"] for each in said.get("parameters", ())}
    }
    assert offered == {(each.method, each.path) for each in OPERATIONS.values() if each.keyed}


CALLS = {
    "ask": {"n": 2, "visits": 1, "case": "P1", "only": ["a"], "without": ["b"],
            "at_most": Decimal("1.50"), "anyway": True},
    "tell": {"request": 3, "value": "low", "cost": "9.50", "force": True},
    "fail": {"request": 3, "charged": Decimal("2"), "usable": False, "why": "broken"},
    "cancel": {"request": 3, "why": "a slip"},
    "expire": {"days": 30, "why": "summer"},
    "correct": {"request": 3, "value": None, "cost": 1, "why": "a slip", "force": True},
    "undo": {"request": 3, "why": "a slip"},
    "record": {"values": [{"case": "P1", "feature": "a", "value": 3.5}], "charge": True,
               "force": True},
    "enter": {"results": [{"case": "P1", "feature": "a", "value": "low", "cost": "1",
                           "note": "late", "force": True}], "charge": True},
    "undo_batch": {"batch": "k", "why": "a slip"},
    "note": {"text": "late", "request": 3, "case": "P1"},
    "withdraw": {"case": "P1", "forget": True, "why": "moved"},
    "rule_out": {"case": "P1", "feature": "a", "why": "no sample"},
    "allow": {"case": "P1", "feature": "a", "why": "found"},
    "add_cases": {"cases": [{"case": "P9", "label": "ill", "group": "ward"}],
                  "known": [{"case": "P9", "feature": "a", "value": "low"}]},
    "add_feature": {"feature": {"name": "b", "values": ["x", "y"], "cost": "1"}},
    "add_value": {"feature": "a", "value": "high", "prior_count": 0.5},
    "set_budget": {"budget": "9", "why": "more", "firm": False, "limit": "5", "rate": "2",
                   "steps": ["1"], "point_worth": "3"},
    "set_cuts": {"feature": "a", "cuts": "1 2", "why": "new"},
    "set_stop_rules": {"target_error": 0.1, "probability": 0.9, "least_gain": 0.01,
                       "binding": True,
                       "drop": ["least_gain"], "none": False, "why": "later", "force": True},
    "close": {"why": "enough"},
    "reopen": {"why": "more"},
    "preview": {"results": [{"case": "P1", "feature": "a", "value": "low"}], "charge": True},
    "predict": {"case": {"a": "low"}, "prior": {"ill": 0.5}, "force": True},
    "diagnose": {"known": {"a": "low"}, "ordered": ["a"], "without": ["b"], "prices": {"a": "2"},
                 "fees": False, "wrong": {"ill": {"well": 5}}, "limit": "40", "force": True,
                 "strategy": True},
    "price": {"n": 2, "visits": 1, "case": "P1", "only": ["a"], "without": ["b"], "at_most": "2"},
    "request": {"number": 3},
    "table": {"which": "long"},
    "status": {}, "pending": {}, "next": {}, "model": {}, "history": {"after": 0},
}  # fmt: skip
"""Every method with every argument that it takes."""


def test_every_method_is_looked_at():
    public = {name for name, _ in inspect.getmembers(RemoteStudy, inspect.isfunction)
              if not name.startswith("_")}  # fmt: skip
    assert public == set(CALLS)
    for name, given in CALLS.items():
        takes = inspect.signature(getattr(RemoteStudy, name)).parameters
        named = {each for each in takes if takes[each].kind is not inspect.Parameter.VAR_KEYWORD}
        assert named - {"self", "key"} <= set(given), name


@pytest.mark.parametrize("name", CALLS)
def test_what_is_sent_is_what_the_document_asks_for(document, name):
    """Each method with all of its arguments: the address, the parameters, the body."""
    sent = []

    def answer(request):
        sent.append(request)
        return httpx.Response(418, json={"error": "enough"})

    client = Client("http://localhost:1", token="secret", retries=0)
    client._connection._http = httpx.Client(
        transport=httpx.MockTransport(answer), headers=client._connection._http.headers
    )
    with pytest.raises(ValueError, match="enough"):
        getattr(client.study("a/b"), name)(**CALLS[name])
    (request,) = sent
    path = urlsplit(str(request.url)).path
    operation = next(
        each
        for each in OPERATIONS.values()
        if each.method == request.method
        and path_of(each, name="a/b", number=3, which="long") == path
    )
    said = document["paths"][operation.path][operation.method.lower()]
    parameters = {each["name"] for each in said["parameters"] if each["in"] == "query"}
    assert set(request.url.params) <= parameters
    assert (name == "price") <= (set(request.url.params) == parameters)
    assert request.headers["authorization"] == "Bearer secret"
    assert bool(request.headers.get("idempotency-key")) == operation.keyed
    if "requestBody" not in said:
        assert not request.content
        return
    schema = said["requestBody"]["content"]["application/json"]["schema"]
    body = json.loads(request.content)
    checker = jsonschema.Draft202012Validator(schema | {"components": document["components"]})
    assert [each.message for each in checker.iter_errors(body)] == []
    ways = [resolved(document, each) for each in schema.get("anyOf", [schema])]
    taken = next(each["properties"] for each in ways if "properties" in each)
    assert set(body) == set(taken), "the server takes something else, too"


def test_what_begins_a_study_is_what_the_document_asks_for(document):
    schema = resolved(document, {"$ref": "#/components/schemas/NewStudy"})
    takes = inspect.signature(Client.create_study).parameters
    assert set(takes) - {"self"} == set(schema["properties"])
    listed = document["paths"]["/api/studies"]["get"]["parameters"]
    assert {each["name"] for each in listed} == {"text", "closed", "page"}


def test_names_come_back_from_addresses():
    for name in map("".join, itertools.product("a/%.\\é ", repeat=3)):
        path = path_of(OPERATIONS["status"], name=name)
        assert path == f"/api/studies/{segment(name)}"
        assert "/" not in unquote(path.removeprefix("/api/studies/"))
