"""The page and the API of a study that states when to stop."""

from budgeted.studies import weighing
from tests.forms import forms_in
from tests.webs import client, make_study


def fields_of(page, action):
    """What a form of a page sends if nobody changes it."""
    return next(fields for where, fields in forms_in(page) if where == action)


def test_the_api_states_rules_follows_them_and_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(weighing, "RUNS", 2)
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as found:
        made = found.post("/api/studies/flu/stop-rules", json={"least_gain": 0.9})
        assert made.status_code == 200, made.text
        found.post("/api/studies/flu/ask", json={"n": 4})
        said = found.get("/api/studies/flu").json()["stop"]
        assert (said["stops"], said["binding"]) == (True, False)
        assert said["words"].startswith("Advice: stop: nothing left is expected")
        found.post("/api/studies/flu/stop-rules", json={"binding": True})
        asked = found.post("/api/studies/flu/ask", json={"n": 1}).json()
        assert asked["requests"] == []
        for _ in range(2):  # the second time nothing is new to the log
            assert asked["stopped"].startswith("a rule of the study says to stop: nothing")
            asked = found.post("/api/studies/flu/ask", json={"n": 1}).json()
        anyway = found.post("/api/studies/flu/ask", json={"n": 1, "anyway": True}).json()
        assert len(anyway["requests"]) == 1
        wrong = found.post("/api/studies/flu/stop-rules", json={"least_gain": -0.01})
        assert wrong.status_code in (409, 422)
        assert "least_gain: must be a number above 0 and below 1, got -0.01" in wrong.text


def test_the_page_states_rules_and_says_whether_to_stop_and_why(tmp_path, monkeypatch):
    monkeypatch.setattr(weighing, "RUNS", 4)
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as found:
        manage = found.get("/studies/flu/manage").text
        assert "Nothing says when to stop." in manage
        fields = fields_of(manage, "/studies/flu/stop-rules")
        sent = fields | {"least_gain": "0,5", "binding": "yes"}
        htmx = {"HX-Request": "true"}
        answer = found.post("/studies/flu/stop-rules", data=sent, headers=htmx)
        assert answer.status_code == 200, answer.text
        assert "Rules for stopping: stop when nothing left is expected" in answer.text
        manage = found.get("/studies/flu/manage").text
        assert "lower the error by more than 50 points: a rule that asking follows." in manage
        assert (
            'name="least_gain" inputmode="decimal" maxlength="20" autocomplete="off" value="0.5"'
            in manage
        )
        page = found.get("/studies/flu/classifier").text
        assert "A rule of the study says to stop: nothing left is expected to lower" in page
        assert "for the remaining 20" in page
        assert "Looked ahead when 0 were spent" in page
        study = found.get("/studies/flu").text
        assert "Ask though a rule of the study says to stop" in study
        asked = found.post(
            "/studies/flu/ask", data=fields_of(study, "/studies/flu/ask") | {"n": "1"}, headers=htmx
        )
        assert "Nothing new: a rule of the study says to stop" in asked.headers["HX-Trigger"]
        again = fields_of(study, "/studies/flu/ask") | {"n": "1", "anyway": "yes", "key": "k2"}
        answer = found.post("/studies/flu/ask", data=again, headers=htmx)
        assert "1 new request" in answer.headers["HX-Trigger"]
        for page in (manage, study, str(asked.headers)):
            assert "least-gain" not in page
            assert "budgeted study" not in page


def test_bad_rules_get_words_on_the_page(tmp_path):
    make_study(tmp_path / "studies.db").release()
    with client(tmp_path) as found:
        fields = fields_of(found.get("/studies/flu/manage").text, "/studies/flu/stop-rules")

        def told(**given):
            answer = found.post(
                "/studies/flu/stop-rules", data=fields | given, headers={"HX-Request": "true"}
            )
            assert answer.status_code != 200
            return answer.text

        assert "Least gain: must be a number, got" in told(least_gain="little")
        assert "Least gain: must be a number above 0 and below 1" in told(least_gain="-1")
        assert "Probability: belongs to Target error" in told(probability="0.9")
        assert "Target error: always saying" in told(target_error="0.6")
        assert "no rules that could be binding" in told(binding="yes")
