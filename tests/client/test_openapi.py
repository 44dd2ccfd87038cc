"""The client speaks the language of the server's OpenAPI document: paths, bodies and answers."""

import inspect
import itertools
import json
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from decimal import Decimal
from types import NoneType
from typing import get_args, get_origin
from urllib.parse import unquote, urlsplit

import httpx
import jsonschema
import pytest

from budgeted.addresses import segment
from budgeted.client import Client, RemoteStudy
from budgeted.client.endpoint import OPERATIONS, path_of
from budgeted.client.reading import hints_of
from budgeted.web.app import create_app
from budgeted.web.settings import Settings

MADE_OF_ANOTHER = {("Done", "key")}
"""Fields that are no part of the answer: the client knows them."""


@pytest.fixture(scope="module")
def document():
    return create_app(Settings("none.db")).openapi()


def resolved(document, schema):
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    return schema


def differences(document, kind, schema, place):
    """What does not fit between the fields of a dataclass and a schema."""
    schema = resolved(document, schema)
    said, needed = schema["properties"], set(schema.get("required", ()))
    for each in fields(kind):
        where = f"{place}.{each.name}"
        if (kind.__name__, each.name) in MADE_OF_ANOTHER:
            continue
        if each.name not in said:
            yield f"{where}: the server does not say it"
            continue
        if each.default is MISSING and each.name not in needed:
            yield f"{where}: is needed here, and may be missing there"
        yield from unfit(document, hints_of(kind)[each.name], said[each.name], where)


def unfit(document, hint, schema, place):
    """What does not fit between a type and a schema."""
    schema = resolved(document, schema)
    several = [resolved(document, each) for each in schema.get("anyOf", [schema])]
    types = {each.get("type") for each in several}
    hints = [each for each in get_args(hint) if each is not NoneType]
    if get_origin(hint) is tuple:
        if types != {"array"}:
            yield f"{place}: is no list, but {types}"
        else:
            yield from unfit(document, get_args(hint)[0], schema["items"], f"{place}[]")
        return
    if NoneType in get_args(hint):
        others = [each for each in several if each.get("type") != "null"]
        if len(others) == len(several) and hints != [Decimal]:  # an empty amount is none
            yield f"{place}: is never null"
        for each in others:
            yield from unfit(document, hints[0], each, place)
        return
    if is_dataclass(hint):
        yield from differences(document, hint, schema, place)
        return
    expected = {str: "string", int: "integer", float: "number", bool: "boolean",
                Decimal: "string", datetime: "string"}[hint]  # fmt: skip
    if types != {expected}:
        yield f"{place}: is {types}, here {expected}"


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_is_in_the_document_with_its_answer(document, name):
    operation = OPERATIONS[name]
    said = document["paths"][operation.path][operation.method.lower()]
    keys = {each["name"] for each in said.get("parameters", ())}
    assert operation.keyed == ("idempotency-key" in keys)
    assert operation.again or not operation.keyed
    if operation.answer is not None:
        content = said["responses"]["201" if name == "create" else "200"]["content"]
        schema = content["application/json"]["schema"]
        assert list(differences(document, operation.answer, schema, name)) == []


def test_what_differs_is_found(document):
    """The comparison sees what another server would say otherwise."""
    changed = json.loads(json.dumps(document))
    money = changed["components"]["schemas"]["Money"]
    money["properties"]["free"] = {"type": "number"}
    del money["properties"]["spent"]
    money["required"].remove("reserved")
    schema = {"$ref": "#/components/schemas/Changed"}
    found = list(differences(changed, OPERATIONS["tell"].answer, schema, "tell"))
    assert len(found) == 3


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


def test_tables_are_those_of_the_document(document):
    said = document["paths"][OPERATIONS["table"].path]["get"]["parameters"]
    which = next(each["schema"] for each in said if each["name"] == "which")
    which = resolved(document, which)
    assert "long" in which.get("enum", ["long"])


def test_names_come_back_from_addresses():
    for name in map("".join, itertools.product("a/%.\\é ", repeat=3)):
        path = path_of(OPERATIONS["status"], name=name)
        assert path == f"/api/studies/{segment(name)}"
        assert "/" not in unquote(path.removeprefix("/api/studies/"))
