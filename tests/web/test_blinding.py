"""Who enters values never learns the label of a case: all that the server answers is looked at.

The labels of a study are words that nothing else is called. Every route that there is, those that
are added later among them, is asked for as somebody who enters values, also with the labels in its
parameters; no answer may hold one of the words, nor tell by anything else that they are right.
"""

import itertools
import json
import re

import pytest

from budgeted import Feature, Number, Problem, Study
from budgeted.studies.blinding import HIDDEN
from tests.web.test_roles import bearer, open_to_all_roles
from tests.webs import every_endpoint

LABELS = ("Qzwxvarnish", "Jkpydoormat")
NONSENSE = "Vbnmgherkin"
CASES = [f"P{at}" for at in range(14)]
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
_RANDOM = re.compile(r"[0-9a-f]{16,}")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("blind")
    play(folder / "studies.db")
    with open_to_all_roles(folder) as found:
        csv = f"fever,crp,label\nno,4,{LABELS[0]}\nyes,60,{LABELS[1]}\n"
        given = found.post("/api/studies/flu/validation", headers=bearer("max"), json={"csv": csv})
        assert given.status_code == 200, given.text
        yield found


def play(database):
    """Do all that can be done to a study whose labels are known by nothing else."""
    features = [Feature("fever", ("no", "yes"), "1.50"), Feature("crp", Number(cuts=(10,)), "2")]
    problem = Problem(features, LABELS, (0.6, 0.4), "60")
    cases = [(name, LABELS[at % 3 == 0]) for at, name in enumerate(CASES)]
    with Study.create(str(database), "flu", problem, cases, by="max", seed=3) as study:
        study.ask(8)
        values = {"fever": "yes", "crp": "12"}
        for number in (1, 2, 3):
            study.tell(number, values[study.request(number).feature])
        study.fail(4, why="tube broken")
        study.cancel(5)
        study.undo(5)
        study.correct(1, {"fever": "no", "crp": "7"}[study.request(1).feature], why="misread")
        free = next(each for each in CASES if all(r.case != each for r in study.requests()))
        study.record([(free, "fever", "no")])
        study.add_cases([("Q1", LABELS[0]), ("Q2", LABELS[1])], known=[("Q1", "fever", "yes")])
        study.rule_out("Q2", "crp", "no vein")
        study.withdraw(next(each.case for each in study.requests("pending")))
        study.ask(2)


def addresses(server):
    """Every address that can be looked at, with the parameters it takes."""
    for method, path, route in every_endpoint(server.app, whole=True):
        if method != "GET" or path.startswith("/static"):
            continue
        parts = re.findall(r"{(\w+)(?::\w+)?}", path)
        every = sorted(set(itertools.chain(*PLACES.values())))
        for chosen in itertools.product(*(PLACES.get(part, every) for part in parts)):
            address = path
            for part, value in zip(parts, chosen, strict=True):
                address = re.sub(rf"{{{part}(?::\w+)?}}", value, address)
            dependant = getattr(route, "dependant", None)
            yield (
                address,
                [] if dependant is None else [each.name for each in dependant.query_params],
            )


def answer(server, address, who, query=None):
    """What is said to somebody, his own name and what is drawn anew left out."""
    if address.endswith("/live"):
        return stream(server, address, who)
    response = server.get(address, headers=bearer(who), params=query, follow_redirects=False)
    assert response.status_code < 500, (address, response.text)
    return f"{response.status_code} {response.headers} {response.text}"


def stream(server, address, who):
    """All that a stream has to tell of what happened so far."""
    said = []
    url = f"{address}?after=0"
    with server.stream("GET", url, headers=bearer(who)) as response:
        if response.status_code != 200:
            return ""
        events = server.get("/api/studies/flu", headers=bearer("max")).json()["seq"]
        for line in response.iter_lines():
            said.append(line)
            if sum(each.startswith("data:") for each in said) >= events:
                break
    return "\n".join(said)


def words_in(text):
    return [word for word in (*LABELS, HIDDEN) if word.lower() in text.lower()]


def test_no_address_says_a_label_to_who_enters_values(server):
    told = {address: words_in(answer(server, address, "eva")) for address, _ in addresses(server)}
    assert not {address: words for address, words in told.items() if words}
    assert len(told) > 40
    # The same look finds the words where they may be seen.
    seen = {address for address in told if words_in(answer(server, address, "lou"))}
    assert {"/studies/flu", "/api/studies/flu", "/studies/flu/history", "/studies/flu/worklist.csv",
            "/studies/flu/live", "/api/studies"} <= seen  # fmt: skip


def test_no_parameter_finds_out_whether_a_label_is_right(server):
    """A search for a label answers like a search for a word that nothing is called."""
    asked = 0
    for address, query in addresses(server):
        if address.endswith("/live"):
            continue
        for name in query:
            answers = [
                like_each_other(answer(server, address, "eva", {name: word}), word)
                for word in (*LABELS, NONSENSE)
            ]
            assert answers[0] == answers[1] == answers[2], (address, name)
            asked += 1
    assert asked > 10


def like_each_other(text, word):
    text = re.sub(re.escape(word), "…", text, flags=re.IGNORECASE)
    text = re.sub(r"'(content-length|date|x-request-id|set-cookie)': '[^']*'", "", text)
    return _RANDOM.sub("", text)


def test_no_answer_to_a_form_or_a_program_says_a_label(server):
    """Whatever is sent, to every route that takes something: as it should be, and all wrong."""
    api, mine = "/api/studies/flu", bearer("eva")
    pending = [each["number"] for each in
               server.get(f"{api}/worklist", headers=mine).json()["requests"]]  # fmt: skip
    request = server.get(f"{api}/requests/{pending[0]}", headers=mine).json()
    value = "yes" if request["feature"] == "fever" else "31"
    sent = [
        (f"requests/{pending[0]}/tell", {"value": value}),
        (f"requests/{pending[0]}/tell", {"value": LABELS[0]}),
        (f"requests/{pending[0]}/undo", {}),
        (f"requests/{pending[0]}/fail", {"why": "no"}),
        (f"requests/{pending[0]}/undo", {}),
        (f"requests/{pending[0]}/tell", {"value": value}),
        (f"requests/{pending[0]}/correct", {"value": None}),
        ("record", {"values": [{"case": "P3", "feature": "crp", "value": "5"}]}),
        ("record", {"values": [{"case": "P3", "feature": "nothing", "value": "5"}]}),
    ]
    for path, body in sent:
        response = server.post(f"{api}/{path}", headers=mine, json=body)
        assert response.status_code < 500
        assert not set(words_in(response.text)) - set(words_in(json.dumps(body))), path
    for method, path, _ in every_endpoint(server.app):
        if method in ("GET", "HEAD"):
            continue
        address = re.sub(r"{(\w+)(?::\w+)?}", lambda at: PLACES.get(at[1], ["P1"])[0], path)
        if not address.startswith("/api/"):
            continue
        for body in ({}, {"case": "P1", "feature": "crp", "value": "x", "n": 3, "why": "because"}):
            response = server.post(address, headers=mine, json=body)
            assert not words_in(response.text), address


def test_the_forms_of_a_page_say_no_label(server):
    """Settled cards, the question before a correction, and what is said aloud."""
    from tests.web.test_web_access import log_in

    log_in(server, "eva")
    try:
        headers = {"hx-request": "true"}
        number = re.search(r'id="card-(\d+)"', server.get("/studies/flu").text)[1]
        base = f"/studies/flu/requests/{number}"
        page = server.get(f"/studies/flu/cards?shown={number}").text
        value = re.search(r'name="value" value="(\w+)"', page)
        given = {"value": value[1] if value else "31"}
        for address, data in (
            (f"{base}/tell", given),
            (f"{base}/tell", {"value": "other"}),
            (f"{base}/undo", {}),
            (f"{base}/fail", {"why": "spilt"}),
            (f"{base}/undo", {}),
            ("/studies/flu/record", {"case": "P9", "what": "0=no"}),
            (f"{base}/cancel", {}),
        ):
            response = server.post(address, data=data, headers=headers)
            assert not words_in(f"{response.headers} {response.text}"), address
            assert response.status_code == (403 if address.endswith("cancel") else 200) or (
                data == {"value": "other"}
            ), (address, response.text)
        shown = server.get(f"/studies/flu/cards?shown={number}")
        assert not words_in(shown.text)
    finally:
        server.cookies.clear()


def test_what_is_counted_for_each_label_is_not_shown(server):
    """Else who enters a value would see at which label the count grows."""
    mine = bearer("eva")
    study = server.get("/api/studies/flu", headers=mine).json()
    assert study["cells"] == []
    assert study["study"]["labels"] == []
    assert all(each["compared"] == [] and each["label"] == "" for each in study["pending"])
    assert (study["outlook"], study["measured"]) == (None, None)
    for path in ("charts/worth", "charts/belief", "charts/purchases", "charts/error", "model",
                 "model.json", "classifier", "forecast"):  # fmt: skip
        refused = server.get(f"/api/studies/flu/{path}", headers=mine)
        assert refused.status_code == 403
        assert "not shown to who enters values" in refused.json()["error"]
    predicted = server.post("/api/studies/flu/predict", headers=mine, json={"case": {}})
    assert predicted.status_code == 403
    assert server.post("/api/studies/flu/diagnose", headers=mine, json={}).status_code == 403
    assert server.get("/studies/flu/diagnose", headers=mine).status_code == 403
    for page in ("model", "diagnose"):
        assert server.get(f"/studies/flu/{page}", headers=bearer("lou")).status_code == 200


def test_one_sees_labels_and_another_does_not_at_the_same_time(server):
    """What was computed for one is not shown to the other."""
    for _ in range(2):
        seen, hidden = (
            server.get("/api/studies/flu/worklist", headers=bearer(who)).json()["requests"]
            for who in ("lou", "eva")
        )
        assert {each["label"] for each in seen} <= set(LABELS)
        assert {each["label"] for each in hidden} == {""}
        assert [each["number"] for each in seen] == [each["number"] for each in hidden]
