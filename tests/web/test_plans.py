"""Plans on the server: asked for in words, made in the background, kept, stopped, gone on with."""

import json
import time

import pytest

from budgeted.studies.planning import ask
from budgeted.web import children
from budgeted.web.settings import Limits
from tests.web.makers import Maker
from tests.webs import client

STUDY = """
name = "flu"
budget = "8"
labels = ["well", "ill"]
prior = [0.6, 0.4]
[policy]
name = "round-robin"
[[features]]
name = "fever"
values = ["no", "yes"]
cost = "1.50"
[[features]]
name = "cough"
values = ["no", "yes"]
cost = "1"
"""
CASES = "case,label\n" + "".join(f"P{at},{('well', 'ill')[at % 2]}\n" for at in range(12))
TABLE = "label,fever,cough\n" + "well,no,no\nwell,no,yes\nill,yes,yes\nill,yes,?\n" * 4
SHOWN = "/api/plans/{}".format
computed = children.computed


@pytest.fixture(autouse=True)
def maker(monkeypatch):
    made = Maker()
    monkeypatch.setattr(children, "computed", made)
    return made


def new(**changes):
    return {"study": STUDY, "cases": 12, "runs": 5, "seed": 3} | changes


def wait_for(server, id, *states):
    for _ in range(2400):
        found = server.get(SHOWN(id))
        if found.json()["state"] in states:
            return found
        time.sleep(0.05)
    raise AssertionError(found.text)


def made(server, given):
    begun = server.post("/api/plans", json=given)
    assert begun.status_code == 202, begun.text
    done = wait_for(server, begun.json()["id"], "done", "failed", "stopped").json()
    assert done["state"] == "done", done
    return done


@pytest.mark.slow
def test_it_says_what_python_says_and_is_there_at_once_the_second_time(tmp_path):
    given = new(cases=CASES, table=TABLE, target=0.3, probability=0.7, up_to="10",
                what_ifs=[{"name": "lean", "without": ["cough"]}])  # fmt: skip
    with client(tmp_path) as server:
        begun = server.post("/api/plans", json=given)
        assert begun.status_code == 202, begun.text
        assert begun.json()["state"] in ("waiting", "running")
        assert (begun.json()["plan"], begun.json()["total"]) == (None, 15)
        id = begun.json()["id"]
        assert server.post("/api/plans", json=given).json()["id"] == id, "one is under way"
        assert server.get(f"{SHOWN(id)}/chart").status_code in (200, 404)
        done = wait_for(server, id, "done", "failed").json()
        assert done["state"] == "done", done["message"]
        assert (done["done"], done["progress"], done["title"]) == (15, 1, "flu")
        again = server.post("/api/plans", json=given)
        assert (again.status_code, again.json()) == (200, done)
        chart = server.get(f"{SHOWN(id)}/chart").json()
        assert [each["error"] for each in chart["data"]["values"]] == [
            point["error"] for curve in done["plan"]["curves"] for point in curve["points"]
        ]
        assert server.post(f"{SHOWN(id)}/cancel").status_code == 409
    lean = STUDY + '\n[[plan.what_if]]\nname = "lean"\nwithout = ["cough"]\n'
    here = ask(
        lean.encode(), cases=CASES.encode(), table=TABLE.encode(), target=0.3, probability=0.7,
        up_to=10, runs=5, seed=3,
    ).plan(done["at"]).to_plain()  # fmt: skip
    assert done["plan"] == json.loads(json.dumps(here))
    assert done["plan"]["words"].startswith("For 8")
    with client(tmp_path) as server:  # after a restart, too
        assert server.get(SHOWN(id)).json() == done
        other = server.post("/api/plans", json=given | {"seed": 4}).json()
        assert other["id"] != id


@pytest.mark.slow
def test_a_plan_that_was_stopped_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(children, "computed", computed)
    given = new(runs=300)
    with client(tmp_path) as server:
        id = server.post("/api/plans", json=given).json()["id"]
        waiting = server.post("/api/plans", json=new(seed=4)).json()
        assert waiting["state"] == "waiting", "one at a time"
        assert server.post(f"{SHOWN(waiting['id'])}/cancel").json()["state"] == "stopped"
        for _ in range(2400):
            if server.get(SHOWN(id)).json()["done"] >= 5:
                break
            time.sleep(0.02)
        stopped = server.post(f"{SHOWN(id)}/cancel")
        assert stopped.status_code == 200, stopped.text
        assert stopped.json()["state"] == "stopped"
        assert 5 <= stopped.json()["done"] < stopped.json()["total"] == 600
        assert server.get(SHOWN(id)).json() == stopped.json()
        (kept,) = (tmp_path / "web" / "plans" / id).glob("runs-*.jsonl")
        before = kept.read_bytes()
        on = server.post("/api/plans", json=given).json()
        assert on["id"] == id
        assert on["done"] >= stopped.json()["done"]
        for _ in range(2400):
            if server.get(SHOWN(id)).json()["done"] > stopped.json()["done"]:
                break
            time.sleep(0.02)
    assert kept.read_bytes().startswith(before[: before.rfind(b"\n") + 1])
    assert kept.read_bytes().count(b"\n") > before.count(b"\n")
    with client(tmp_path) as server:  # the server ended in the middle
        found = server.get(SHOWN(id))
        assert (found.status_code, found.json()["state"]) == (200, "stopped")
        assert found.json()["done"] >= stopped.json()["done"]


@pytest.mark.slow
def test_what_turns_out_to_be_impossible_is_said_in_words(tmp_path):
    """Whether table and assumptions contradict each other is known when models are drawn."""
    table = "label,fever,cough\n" + "well,no,no\nill,yes,no\nwell,no,yes\nill,yes,yes\n" * 100
    with client(tmp_path) as server:
        id = server.post("/api/plans", json=new(table=table, best_alone=0.65)).json()["id"]
        failed = wait_for(server, id, "done", "failed").json()
        assert failed["state"] == "failed"
        assert "contradict each other" in failed["message"]


@pytest.mark.parametrize(("changes", "words"), [
    ({"study": "budget ="}, "is no TOML"),
    ({"study": {"budget": 3}}, "'labels' and their shares"),
    ({"study": STUDY + "\n[plan]\ncases = '/etc/passwd'\n"}, "plan.cases: must be a whole number"),
    ({"study": STUDY + "\n[plan]\nmattr = 3\n"}, "plan.mattr: there is no such key"),
    ({"study": {"name": "\ud800", "budget": 3}}, "half a character"),
    ({"cases": "case,label\nAnn\n"}, "line 2 has 1 cells"),
    ({"cases": 10**9}, "must be a number from 2 to 200000"),
    ({"table": "label,age\nwell,3\n"}, "no column is called like a test"),
    ({"matter": 9}, "there are 2 tests"),
    ({"best_alone": 0.2}, "gets 60% right"),
    ({"target": 20}, "target_error: must be a share"),
    ({"probability": 0.9}, "is about an error to be reached"),
    ({"up_to": "0"}, "up_to"),
    ({"what_ifs": [{"name": "x", "prices": {"panels": [3]}}]}, "must be a table with the name"),
    ({"what_ifs": [{"name": "x", "cases": 1000}], "cases": 9_000}, "can be planned with"),
    ({"runs": 1_000, "cases": 90_000}, "5000000"),
    ({"runs": 4}, "greater than or equal to 5"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_in_words_and_leaves_nothing(tmp_path, changes, words):
    with client(tmp_path) as server:
        content = json.dumps(new(**changes)).encode()
        response = server.post(
            "/api/plans", content=content, headers={"content-type": "application/json"}
        )
        assert response.status_code == 422, response.text
        assert words in response.json()["error"]
        assert str(tmp_path) not in response.text
    assert not list((tmp_path / "web" / "plans").glob("*"))


@pytest.mark.parametrize("id", ["0" * 24, "..", "nothing"])
def test_there_is_no_other_plan(tmp_path, id):
    with client(tmp_path) as server:
        assert server.get(SHOWN(id)).status_code == 404
        assert server.get(f"{SHOWN(id)}/chart").status_code == 404
        assert server.post(f"{SHOWN(id)}/cancel").status_code == 404


@pytest.mark.slow
def test_no_more_wait_than_the_server_takes_on(tmp_path, maker):
    maker.shut = True
    with client(tmp_path, limits=Limits(waiting=1)) as server:
        assert server.post("/api/plans", json=new(runs=300)).status_code == 202
        refused = server.post("/api/plans", json=new(runs=300, seed=9))
        assert refused.status_code == 429
        assert "wait already" in refused.json()["error"]


@pytest.mark.slow
def test_a_process_that_breaks_is_said_and_can_be_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(children, "computed", computed)
    with client(tmp_path) as server:
        monkeypatch.setattr("sys.executable", "/bin/false")
        id = server.post("/api/plans", json=new()).json()["id"]
        failed = wait_for(server, id, "failed").json()
        assert "try again" in failed["message"]
        monkeypatch.undo()
        assert made(server, new())["plan"]["runs"] == 5


def send(server, files, **fields):
    """Send the form as a browser does."""
    return server.post("/plans", data=fields, files=files, headers={"HX-Request": "true"})


@pytest.mark.slow
def test_the_page_asks_what_the_api_asks(tmp_path):
    files = {"study_file": ("s.toml", STUDY.encode()), "table": ("old.csv", TABLE.encode())}
    fields = {"number": "12", "runs": "5", "target": "30", "probability": "70 %", "up_to": "9,50"}
    with client(tmp_path) as server:
        assert 'href="/plans"' in server.get("/studies/new").text
        sent = send(server, files, **fields)
        assert sent.status_code == 200, sent.text
        where = sent.headers["HX-Redirect"]
        same = new(table=TABLE, target=0.3, probability=0.7, up_to="9.50", seed=0)
        id = server.post("/api/plans", json=same).json()["id"]
        assert where == f"/plans/{id}", "the page asks what the API asks"
        changed = send(
            server, files, **fields, without="fever; cough", costs="cough = 0,50", times="2"
        )
        assert changed.status_code == 200, changed.text
        beside = server.get(f"/api{changed.headers['HX-Redirect']}").json()
        assert beside["total"] == 5 * (2 + 4), "four designs more"
        server.post(f"{changed.headers['HX-Redirect']}/cancel")
        typed = fields | {"probability": "0,7"}
        assert send(server, files, **typed).headers["HX-Redirect"] == where, "as a share, too"
        first = server.get(where).text
        assert "every 1s" in first or "What to expect" in first
        done = wait_for(server, id, "done", "failed").json()
        page = server.get(where).text
        assert done["plan"]["words"] in page
        for curve in done["plan"]["curves"]:
            money, best = curve["needed"]["money"], curve["needed"]["best"]
            reached = "not reached" if money is None else f"about {money}"
            row = f'{curve["name"]}</th><td class="number">{reached}</td>'
            assert f'{row}<td class="number">{100 * best:.1f} %</td>' in page
        for point in done["plan"]["curves"][0]["points"]:
            assert f"{100 * point['low']:.1f} % to {100 * point['high']:.1f} %" in page
        assert page.count(">budget</span>") == 1
        assert f'data-chart="/api/plans/{id}/chart"' in page
        assert "every 1s" not in page, "it is done"


@pytest.mark.slow
def test_the_page_refreshes_itself_and_can_stop_and_go_on(tmp_path, maker):
    maker.shut = True
    files = {"study_file": ("s.toml", STUDY.encode())}
    with client(tmp_path) as server:
        where = send(server, files, number="12", runs="300").headers["HX-Redirect"]
        page = server.get(where).text
        assert "every 1s" in page
        part = server.get(f"{where}/said?have=other", headers={"HX-Request": "true"})
        assert (part.status_code, "<html" in part.text) == (200, False)
        server.post(f"{where}/cancel")
        stopped = server.get(where).text
        assert "It was stopped" in stopped
        assert "every 1s" not in stopped
        version = server.get(f"/api{where}").json()
        have = f"{version['state']}-{version['done']}"
        same = server.get(f"{where}/said?have={have}", headers={"HX-Request": "true"})
        assert same.status_code == 204
        server.post(f"{where}/go-on")
        assert "every 1s" in server.get(where).text


@pytest.mark.parametrize(("fields", "words"), [
    ({"matter": "three"}, "Tests that matter: must be a number"),
    ({"best_alone": "20"}, "The best test alone: who always says"),
    ({"up_to": "0"}, "Largest budget: must be above 0"),
    ({"target": "40"}, "Error to be reached: always saying &#39;well&#39; is wrong in 40.0 %"),
    ({"target": "0,06"}, "Error to be reached: 0,06 could be a share or a percentage; write 6 %"),
    ({"times": "0"}, "Times as many cases: must be a number of times above 0"),
    ({"costs": "cough"}, "Another price: must be like crp = 5"),
    ({"without": "lab"}, "there is no test &#39;lab&#39;"),
])  # fmt: skip
def test_the_page_says_what_is_wrong_by_the_names_of_its_fields(tmp_path, fields, words):
    with client(tmp_path) as server:
        sent = send(server, {"study_file": ("s.toml", STUDY.encode())}, **fields)
        assert sent.status_code == 422
        assert words in sent.text
        nothing = send(server, {}, number="12")
        assert nothing.status_code == 422
        assert "Study file: choose" in nothing.text
        study = ("s.toml", STUDY.encode())
        empty = send(server, {"study_file": study, "table": ("old.csv", b"\n")}, number="12")
        assert empty.status_code == 422
        assert "Table of old cases: the file is empty" in empty.text
