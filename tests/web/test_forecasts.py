"""Forecasts on the server: made in the background, kept for the events they were made of.

What the server does with them is tried with two or three runs, made here; a process of its own
makes one of them, as all of them are made otherwise.
"""

import os
import time

import httpx
import pytest

from budgeted.studies.forecast import LEAST, forecast, kept_forecast
from budgeted.studies.forecast.kept import read_head
from budgeted.studies.study import Study
from budgeted.web import children
from budgeted.web.settings import Limits
from tests.sample_studies import CLOCK
from tests.web.makers import Maker
from tests.webs import client, make_study, process

ADDRESS = "/api/studies/flu/forecast"
FEW = 2
computed = children.computed


@pytest.fixture(autouse=True)
def maker(monkeypatch):
    def few(path, entries, at, *, seconds, **given):
        given |= dict.fromkeys(("least", "most"), FEW + (seconds > 0))
        return kept_forecast(path, entries, at, seconds=seconds, **given)

    made = Maker()
    monkeypatch.setattr(children, "kept_forecast", few)
    monkeypatch.setattr(children, "computed", made)
    return made


@pytest.fixture
def server(tmp_path):
    with make_study(tmp_path / "studies.db") as study:
        study.ask(2)
        study.tell(1, "yes")
    with client(tmp_path, limits=Limits(forecast=1)) as found:
        yield found


def wait_for(server, *states, **options):
    for _ in range(1200):
        found = server.get(ADDRESS, **options)
        if found.json()["state"] in states:
            return found
        time.sleep(0.05)
    raise AssertionError(found.text)


def make(server, **given):
    begun = server.post(ADDRESS, json={"seconds": 0} | given)
    assert begun.status_code == 202, begun.text
    return wait_for(server, "done", "failed").json()


def files(tmp_path):
    return list((tmp_path / "web" / "forecasts").glob("*"))


def test_nobody_computes_one_before_somebody_wants_it(server, tmp_path):
    found = server.get(ADDRESS)
    assert found.status_code == 200
    assert (found.json()["state"], found.json()["forecast"]) == ("none", None)
    assert not (tmp_path / "web" / "forecasts").exists()


@pytest.mark.slow
def test_a_process_of_its_own_says_what_the_engine_says(server, tmp_path, monkeypatch):
    monkeypatch.setattr(children, "computed", computed)
    begun = server.post(ADDRESS, json={"seconds": 0})
    assert begun.status_code == 202
    assert begun.json()["state"] in ("waiting", "running")
    done = wait_for(server, "done", "failed").json()
    assert done["state"] == "done", done["message"]
    with Study.open(str(tmp_path / "studies.db"), "flu") as study:
        here = forecast(study.history(), CLOCK(), seconds=0)
    said = done["forecast"]
    assert said["runs"] == here.runs == LEAST
    assert said["words"] == here.words()
    assert [each["error"] for each in said["points"]] == [each.error for each in here.points]
    assert (said["less"]["money"], said["end"]["money"], said["more"]["money"]) == (
        "16.00", "20.00", "24.00",
    )  # fmt: skip
    assert [each["feature"] for each in said["features"]] == list(here.features)


def test_the_same_events_have_the_same_one_and_more_time_adds_runs(server, tmp_path):
    first = make(server)
    (file,) = files(tmp_path)
    before = file.read_text().splitlines()
    assert server.get(ADDRESS).json()["forecast"] == first["forecast"]
    assert files(tmp_path) == [file]
    better = make(server, seconds=1)
    assert (first["forecast"]["runs"], better["forecast"]["runs"]) == (FEW, FEW + 1)
    assert better["forecast"]["events"] == first["forecast"]["events"]
    after = file.read_text().splitlines()
    assert after[1 : FEW + 1] == before[1:]  # the runs that there were are still the first ones
    assert len(after) == better["forecast"]["runs"] + 1


def test_what_was_made_before_the_last_event_is_shown_with_its_age(server):
    first = make(server)
    assert first["current"]
    told = server.post("/api/studies/flu/requests/2/tell", json={"value": "no"})
    assert told.status_code == 200, told.text
    old = server.get(ADDRESS).json()
    assert not old["current"]
    assert (old["forecast"]["events"], old["seq"]) == (first["seq"], first["seq"] + 1)
    page = server.get("/studies/flu").text
    assert f"As of event {first['seq']} of {first['seq'] + 1}." in page
    assert "Forecast anew" in page
    new = make(server)
    assert new["current"]
    assert new["forecast"]["events"] == new["seq"]
    assert "More exact" in server.get("/studies/flu").text


def test_it_is_there_after_a_restart(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as server:
        made = make(server)
    with client(tmp_path) as server:
        assert server.get(ADDRESS).json()["forecast"] == made["forecast"]
        assert read_head(files(tmp_path)[0]).events == 1


def test_one_at_a_time_and_others_wait_their_turn(tmp_path, maker):
    make_study(tmp_path / "studies.db").release()
    make_study(tmp_path / "studies.db", "cold").release()
    maker.shut = True
    with client(tmp_path) as server:
        first = server.post(ADDRESS, json={"seconds": 0}).json()
        again = server.post(ADDRESS, json={"seconds": 60}).json()
        assert {first["state"], again["state"]} <= {"waiting", "running"}
        other = server.post("/api/studies/cold/forecast", json={"seconds": 0}).json()
        assert other["state"] == "waiting"
        asked = server.post("/api/studies/flu/ask", json={"n": 1})  # nothing is held up
        assert asked.status_code == 200
        maker.shut = False
        done = wait_for(server, "done", "failed").json()
        assert done["state"] == "done"
        assert done["forecast"]["runs"] == FEW, "the second wish came to nothing more"
        assert not done["current"]  # of the events that there were when somebody wanted it
    assert maker.most_at_once == 1


def test_a_closed_study_has_no_future(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as server:
        assert "forecast-button" in server.get("/studies/flu").text
        ended = server.post("/api/studies/flu/close")
        assert ended.status_code == 200, ended.text
        refused = server.post(ADDRESS)
        assert refused.status_code == 409
        assert "closed" in refused.json()["error"]
        assert "forecast-button" not in server.get("/studies/flu").text


def test_what_goes_wrong_is_said_in_words_and_can_be_tried_again(server, maker):
    maker.failed = "it ended before it was done; try again"
    server.post(ADDRESS, json={"seconds": 0})  # it may be over before this is answered
    failed = wait_for(server, "failed").json()
    assert "try again" in failed["message"]
    assert "There is no forecast" in server.get("/studies/flu/forecast").text
    maker.failed = ""
    assert make(server)["state"] == "done"


def test_the_chart_shows_what_is_to_come_beyond_the_budget(server):
    chart = server.get("/api/studies/flu/charts/error").json()
    made = make(server)
    after = server.get("/api/studies/flu/charts/error").json()
    assert len(after["layer"]) == len(chart["layer"]) + 3
    fan = after["layer"][-1]["data"]["values"]
    assert [each["money"] for each in fan] == [
        pytest.approx(float(each["money"]), abs=0.006) for each in made["forecast"]["points"]
    ]
    assert after["layer"][-1]["encoding"]["x"]["scale"]["domain"] == [0, 24]
    assert chart["layer"][0]["encoding"]["x"]["scale"]["domain"] == [0, 20]


def test_a_page_that_has_it_already_is_not_sent_it_again(server):
    make(server)
    page = server.get("/studies/flu/forecast").text
    have = page.split("forecast?have=")[1].split('"')[0]
    htmx = {"HX-Request": "true"}
    assert server.get(f"/studies/flu/forecast?have={have}", headers=htmx).status_code == 204
    assert server.get("/studies/flu/forecast?have=other", headers=htmx).status_code == 200


def test_the_button_leads_to_what_the_page_shows(server, maker):
    maker.shut = True
    sent = server.post("/studies/flu/forecast", headers={"HX-Request": "true"}).text
    assert "every 1s" in sent
    assert server.get(ADDRESS).json()["seconds"] == 1  # as the server was told
    maker.shut = False
    wait_for(server, "done")
    assert "When the money is spent" in server.get("/studies/flu/forecast").text


@pytest.mark.slow
def test_the_process_ends_with_the_server(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with process(tmp_path) as (address, running), httpx.Client(base_url=address) as found:
        found.post(ADDRESS, json={"seconds": 60})
        for _ in range(600):
            children = _children(running.pid)
            if children and found.get(ADDRESS).json()["runs"]:
                break
            time.sleep(0.05)
        assert children
    for _ in range(200):
        if not any(os.path.exists(f"/proc/{each}") for each in children):
            return
        time.sleep(0.05)
    raise AssertionError("it goes on without its server")


def _children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        direct = [int(each) for each in file.read().split()]
    return direct + [each for child in direct for each in _children(child)]
