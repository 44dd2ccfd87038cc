"""Rehearsals: computed in processes of their own, kept, cancelled, continued."""

import json
import random
import time

import pytest

from budgeted import provenance
from tests.webs import client


def table(rows=80):
    draw = random.Random(1)
    lines = ["fever,age,label"]
    for _ in range(rows):
        ill = draw.random() < 0.5
        fever = "yes" if (draw.random() < 0.85) == ill else "no"
        lines.append(f"{fever},{draw.choice('abc')},{'ill' if ill else 'well'}")
    return "\n".join(lines) + "\n"


def new(**changes):
    given = {"title": "old cases", "csv": table(), "label": "label", "runs": 2,
             "policies": ["round-robin", "random-shopper"], "budgets": ["10", "20"]}  # fmt: skip
    return given | changes


def wait_for(server, id, *states):
    for _ in range(1200):
        found = server.get(f"/api/rehearsals/{id}").json()
        if found["rehearsal"]["state"] in states:
            return found
        time.sleep(0.05)
    raise AssertionError(found["rehearsal"])


@pytest.mark.slow
def test_a_rehearsal_runs_and_is_there_after_a_restart(tmp_path, monkeypatch):
    with client(tmp_path) as server:
        made = server.post("/api/rehearsals", json=new())
        assert made.status_code == 201, made.text
        id = made.json()["id"]
        done = wait_for(server, id, "done", "failed")
        assert done["rehearsal"]["state"] == "done", done["rehearsal"]["message"]
        assert done["rehearsal"]["done"] == done["rehearsal"]["total"] == 8
        assert {(row["policy"], row["budget"]) for row in done["results"]} == {
            (policy, budget) for policy in ("round-robin", "random-shopper")
            for budget in ("10", "20")
        }  # fmt: skip
        assert all(0 <= row["error"] <= 1 and row["runs"] == 2 for row in done["results"])
        for which in ("error", "purchases"):
            assert "$schema" in server.get(f"/api/rehearsals/{id}/charts/{which}").json()
        assert server.post(f"/api/rehearsals/{id}/cancel").status_code == 409
        assert server.get(f"/rehearsals/{id}").status_code == 200
    with client(tmp_path) as server:
        assert server.get(f"/api/rehearsals/{id}").json()["results"] == done["results"]
    monkeypatch.setattr(provenance, "parts", lambda: {"budgeted.policies.greedy": "newer"})
    with client(tmp_path) as server:  # what older code computed is shown when it was all there was
        assert server.get(f"/api/rehearsals/{id}").json()["results"] == done["results"]


@pytest.mark.parametrize("base", ["/api/rehearsals", "/rehearsals"])
@pytest.mark.slow
def test_whoever_watches_a_rehearsal_sees_it_fill_in(tmp_path, base):
    """Numbers only rise, none of them is beyond the last, and the end is told."""
    with client(tmp_path) as server:
        given = new(runs=10, policies=["sfl"], budgets=["20"])
        id = server.post("/api/rehearsals", json=given).json()["id"]
        seen = []
        with server.stream("GET", f"{base}/{id}/live") as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            for line in response.iter_lines():
                if line.startswith("data:"):
                    seen.append(json.loads(line.removeprefix("data:")))
                    if seen[-1]["state"] in ("done", "failed"):
                        break
        assert seen[-1]["state"] == "done"
        assert (seen[-1]["done"], seen[-1]["total"]) == (10, 10)
        done = [each["done"] for each in seen]
        assert done == sorted(done)
        assert len(seen) > 1, "it filled in step by step"
        assert server.get(f"/api/rehearsals/{'x' * 8}/live").status_code == 404


@pytest.mark.slow
def test_a_rehearsal_that_was_cut_off_goes_on(tmp_path):
    with client(tmp_path) as server:
        given = new(runs=30, policies=["sfl"], budgets=["40"])
        id = server.post("/api/rehearsals", json=given).json()["id"]
        for _ in range(1200):
            if server.get(f"/api/rehearsals/{id}").json()["rehearsal"]["done"] >= 1:
                break
            time.sleep(0.02)
    kept = len(list((tmp_path / "web" / "rehearsals" / id).rglob("00-*.parquet")))
    assert kept >= 1
    with client(tmp_path) as server:
        done = wait_for(server, id, "done", "failed")
        assert done["rehearsal"]["state"] == "done", done["rehearsal"]["message"]
        assert done["rehearsal"]["done"] == 30


@pytest.mark.slow
def test_rehearsals_are_cancelled_waiting_or_running(tmp_path):
    with client(tmp_path) as server:
        long = new(runs=200, policies=["sfl"], budgets=["40"])
        first = server.post("/api/rehearsals", json=long).json()["id"]
        second = server.post("/api/rehearsals", json=long).json()["id"]
        wait_for(server, first, "running")
        assert server.post(f"/api/rehearsals/{second}/cancel").json()["state"] == "cancelled"
        assert server.post(f"/api/rehearsals/{first}/cancel").json()["state"] == "cancelled"
        third = server.post("/api/rehearsals", json=new(runs=1)).json()["id"]
        assert wait_for(server, third, "done", "failed")["rehearsal"]["state"] == "done"
        assert server.get(f"/api/rehearsals/{first}").json()["rehearsal"]["state"] == "cancelled"


@pytest.mark.parametrize(("changes", "words"), [
    ({"label": "nix"}, "no column 'nix'"),
    ({"policies": ["best"]}, "no policy 'best'"),
    ({"budgets": ["ten"]}, "amount of money"),
    ({"budgets": ["5", "5"]}, "none twice"),
    ({"runs": 9_999}, "must be from 1 to 2000"),
    ({"csv": "a,label\n1\n"}, "line 2 has 1 cells"),
    ({"costs": {"fever": "1"}}, "no price for 'age'"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused_and_leaves_nothing(tmp_path, changes, words):
    with client(tmp_path) as server:
        response = server.post("/api/rehearsals", json=new(**changes))
        assert response.status_code == 422
        assert words in response.json()["error"]
        assert str(tmp_path) not in response.text
        assert server.get("/api/rehearsals").json()["rehearsals"] == []
    assert not list((tmp_path / "web" / "rehearsals").glob("*"))
