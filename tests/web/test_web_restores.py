"""An older copy is put in place of a database while a server has it open."""

from __future__ import annotations

import sqlite3

from budgeted.studies.journal.sidecar import forget_beside
from tests import webs


def restore(path, to):
    """Leave only the first events, as a copy of that day would."""
    connection = sqlite3.connect(path)
    connection.execute("DELETE FROM budgeted_events WHERE seq > ?", [to])
    connection.execute(
        "UPDATE budgeted_heads SET seq = ?, digest = (SELECT digest FROM budgeted_events "
        "WHERE seq = ?)", [to, to],
    )  # fmt: skip
    connection.commit()
    connection.close()
    forget_beside(str(path))


def test_who_wants_something_is_told_and_then_the_server_goes_on(tmp_path):
    path = tmp_path / "studies.db"
    webs.make_study(path).release()
    with webs.client(tmp_path) as client:
        client.post("/api/studies/flu/ask", json={"n": 3})
        assert len(client.get("/api/studies/flu").json()["pending"]) == 3
        restore(path, to=2)
        refused = client.post("/api/studies/flu/requests/3/tell", json={"value": "yes"})
        assert refused.status_code == 409
        assert "was restored from an older copy" in refused.json()["error"]
        assert str(tmp_path) not in refused.text
        pending = client.get("/api/studies/flu").json()["pending"]
        assert [each["number"] for each in pending] == [1]
        asked = client.post("/api/studies/flu/ask").json()["requests"]
        assert [each["number"] for each in asked] == [2]


def test_who_only_looks_sees_what_is_there_now(tmp_path):
    path = tmp_path / "studies.db"
    webs.make_study(path).release()
    with webs.client(tmp_path) as client:
        client.post("/api/studies/flu/ask", json={"n": 3})
        assert len(client.get("/api/studies/flu").json()["pending"]) == 3
        restore(path, to=3)
        assert len(client.get("/api/studies/flu").json()["pending"]) == 2


def test_an_end_that_is_missing_is_said_and_mended_by_a_backup(tmp_path):
    path = tmp_path / "studies.db"
    webs.make_study(path).release()
    with webs.client(tmp_path) as client:
        client.post("/api/studies/flu/ask", json={"n": 3})
        connection = sqlite3.connect(path)
        (row,) = connection.execute("SELECT * FROM budgeted_events WHERE seq = 4").fetchall()
        connection.execute("DELETE FROM budgeted_events WHERE seq = 4")
        connection.commit()
        for _ in range(2):
            refused = client.post("/api/studies/flu/ask")
            assert refused.status_code == 503
            assert "restore the database from a backup" in refused.json()["error"]
        marks = ", ".join("?" * len(row))
        connection.execute(f"INSERT INTO budgeted_events VALUES ({marks})", row)
        connection.commit()
        connection.close()
        assert client.post("/api/studies/flu/ask").status_code == 200
