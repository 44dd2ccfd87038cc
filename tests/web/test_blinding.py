"""Who enters values never learns the label of a case: all that the server answers is looked at.

Two servers have the same study, with the same requests and values, but the labels of their cases
exchanged; the labels are words that nothing else is called. Whatever somebody who enters values
asks or sends, a label among it or not, both answer the same, and neither says a label. Routes are
found among those of the application, so that those that are added later are looked at as well.
"""

import itertools
import json
import re
from contextlib import ExitStack

import pytest

from budgeted import Feature, Number, Problem, Study
from budgeted.studies.blinding import HIDDEN
from tests.sample_studies import CLOCK
from tests.web.test_roles import bearer, open_to_all_roles
from tests.web.test_web_access import log_in
from tests.webs import every_endpoint

LABELS = ("Qzwxvarnish", "Jkpydoormat")
ASKED = [("P1", "fever"), ("P2", "crp"), ("P4", "fever"), ("P9", "crp"), ("P7", "fever"),
         ("P5", "fever"), ("P6", "crp"), ("P8", "fever")]  # fmt: skip
PLACES = {
    "name": ["flu"],
    "number": [str(number) for number in range(1, 9)],
    "id": ["0"],
    "case": ["P0", "P1", "P9"],
    "feature": ["fever", "crp"],
    "which": ["error", "worth", "belief", "purchases"],
    "path": ["style.css"],
}
"""What parts of addresses may be; of one that is not here, all of these are tried."""
_DRAWN = re.compile(
    r"budgeted-[0-9a-f]{10}|(?<![.0-9])[0-9a-f]{16,}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\dZ?"
    r"|'(date|x-request-id|content-length|set-cookie)': '[^']*'"
)


def play(database, exchanged):
    """Do all that can be done to a study, by name, so that nothing done depends on labels."""
    features = [Feature("fever", ("no", "yes"), "1.50"), Feature("crp", Number(cuts=(10,)), "2")]
    problem = Problem(features, LABELS, (0.6, 0.4), "60")
    cases = [(f"P{at}", LABELS[(at % 3 == 0) != exchanged]) for at in range(14)]
    new = [("Q1", LABELS[exchanged]), ("Q2", LABELS[not exchanged])]
    options = {"by": "max", "seed": 3, "clock": CLOCK}
    with Study.create(str(database), "flu", problem, cases, **options) as study:
        for case, feature in ASKED:
            study.ask(1, case=case, only=[feature])
        for number, value in ((1, "yes"), (2, "12"), (3, "no")):
            study.tell(number, value)
        study.fail(4, why="tube broken")
        study.cancel(5)
        study.undo(5)
        study.correct(1, "no", why="misread")
        study.record([(f"P{at}", "crp", str(3 + 2 * at)) for at in (5, 8, 10)])
        study.add_cases(new, known=[("Q1", "fever", "yes")])
        study.rule_out("Q2", "crp", "no vein")
        study.withdraw("P7")


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    csv = f"fever,crp,label\nno,4,{LABELS[0]}\nyes,60,{LABELS[1]}\nyes,30,{LABELS[1]}\n"
    with ExitStack() as stack:
        servers = []
        for exchanged in (False, True):
            folder = tmp_path_factory.mktemp("blind")
            play(folder / "studies.db", exchanged)
            found = stack.enter_context(open_to_all_roles(folder))
            body, path = {"csv": csv}, "/api/studies/flu/validation"
            assert found.post(path, headers=bearer("max"), json=body).status_code == 200
            servers.append(found)
        yield servers


def addresses(server):
    """Every address that can be looked at, with the parameters it takes."""
    for method, path, route in every_endpoint(server.app, whole=True):
        if method != "GET" or path.startswith(("/static", "/metrics")):
            continue
        parts = re.findall(r"{(\w+)(?::\w+)?}", path)
        every = sorted(set(itertools.chain(*PLACES.values())))
        for chosen in itertools.product(*(PLACES.get(part, every) for part in parts)):
            address = path
            for part, value in zip(parts, chosen, strict=True):
                address = re.sub(rf"{{{part}(?::\w+)?}}", value, address)
            dependant = getattr(route, "dependant", None)
            yield address, [each.name for each in getattr(dependant, "query_params", ())]


def look(server, address, who, query=None):
    """What somebody is shown at an address."""
    if address.endswith("/live"):
        return stream(server, address, who)
    return said(
        server.get(address, headers=bearer(who), params=query, follow_redirects=False), server
    )


def said(response, server):
    """What an answer says, what is drawn anew left out."""
    assert response.status_code < 500, response.text
    text = f"{response.status_code} {response.headers} {response.text}"
    return _DRAWN.sub("", text.replace(str(server.base_url), ""))


def stream(server, address, who):
    """All that a stream has to tell of what happened so far."""
    told = []
    with server.stream("GET", f"{address}?after=0", headers=bearer(who)) as response:
        if response.status_code != 200:
            return ""
        events = server.get("/api/studies/flu", headers=bearer("max")).json()["seq"]
        for line in response.iter_lines():
            told.append(line)
            if sum(each.startswith("data:") for each in told) >= events:
                break
    return _DRAWN.sub("", "\n".join(told))


def words_in(text):
    return [word for word in (*LABELS, HIDDEN) if word.lower() in text.lower()]


def difference(first, second):
    """What stands around the place where two texts part."""
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), 0)
    return [each[max(0, at - 60) : at + 60] for each in (first, second)]


def test_no_address_says_or_depends_on_a_label(both):
    """Nor does what it makes of a label in one of its parameters tell whether that is right."""
    shown, asked = 0, 0
    for address, query in addresses(both[0]):
        first, second = (look(server, address, "eva") for server in both)
        assert first == second, (address, difference(first, second))
        assert not words_in(first), address
        shown += first.startswith("200")
        for name in () if address.endswith("/live") else query:
            first, second = (look(each, address, "eva", {name: LABELS[1]}) for each in both)
            assert first == second, (address, name, difference(first, second))
            asked += 1
    assert shown > 25
    assert asked > 10


def test_the_same_look_finds_labels_where_they_may_be_seen(both):
    for address in ("/api/studies/flu", "/studies/flu/cases", "/studies/flu/worklist.csv",
                    "/studies/flu/live"):  # fmt: skip
        first, second = (look(server, address, "lou") for server in both)
        assert first != second, address
        assert words_in(first), address


def test_no_answer_to_a_program_says_or_depends_on_a_label(both):
    """Whatever is sent, to every route that takes something: as it should be, and all wrong."""
    sent = [
        ("requests/6/tell", {"value": "yes"}), ("requests/6/tell", {"value": LABELS[0]}),
        ("requests/6/undo", {}), ("requests/6/fail", {"why": "no"}), ("requests/6/undo", {}),
        ("requests/6/tell", {"value": "yes"}), ("requests/6/correct", {"value": None}),
        ("record", {"values": [{"case": "P3", "feature": "crp", "value": "5"}]}),
        ("record", {"values": [{"case": "P3", "feature": "nothing", "value": "5"}]}),
    ]  # fmt: skip
    wrong = {"case": "P1", "feature": "crp", "value": "x", "n": 3, "why": "because"}
    every = [
        (re.sub(r"{(\w+)(?::\w+)?}", lambda at: PLACES.get(at[1], ["P1"])[0], path), body)
        for method, path, _ in every_endpoint(both[0].app)
        if method not in ("GET", "HEAD") and path.startswith("/api/")
        for body in ({}, wrong)
    ]
    for path, body in [(f"/api/studies/flu/{path}", body) for path, body in sent] + every:
        first, second = (
            said(server.post(path, headers=bearer("eva"), json=body), server) for server in both
        )
        assert first == second, (path, difference(first, second))
        assert not set(words_in(first)) - set(words_in(json.dumps(body))), path


def test_no_answer_to_a_form_says_or_depends_on_a_label(both):
    """Settled cards, the question before a correction, and what is said aloud."""
    base, htmx = "/studies/flu/requests/8", {"hx-request": "true"}
    for server in both:
        log_in(server, "eva")
    for address, data, status in (
        (f"{base}/tell", {"value": "other"}, 422), (f"{base}/tell", {"value": "yes"}, 200),
        (f"{base}/undo", {}, 200), (f"{base}/fail", {"why": "spilt"}, 200),
        (f"{base}/undo", {}, 200), (f"{base}/cancel", {}, 403),
        ("/studies/flu/record", {"case": "P9", "what": "0=no"}, 200),
    ):  # fmt: skip
        answers = [server.post(address, data=data, headers=htmx) for server in both]
        first, second = map(said, answers, both)
        assert first == second, (address, difference(first, second))
        assert not words_in(first), address
        assert answers[0].status_code == status, answers[0].text
    for server in both:
        assert not words_in(server.get("/studies/flu/cards?shown=8").text)
        server.cookies.clear()


def test_one_sees_labels_and_another_does_not_at_the_same_time(both):
    """What was computed for one is not shown to the other."""
    for _ in range(2):
        seen, hidden = (
            both[0].get("/api/studies/flu/worklist", headers=bearer(who)).json()["requests"]
            for who in ("lou", "eva")
        )
        assert {each["label"] for each in seen} <= set(LABELS)
        assert {each["label"] for each in hidden} == {""}
        assert [each["number"] for each in seen] == [each["number"] for each in hidden]
