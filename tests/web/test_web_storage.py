"""A full disk, names that nobody knows, files that come while somebody looks."""

import errno
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from budgeted.simulation.judge import Validation
from tests.webs import CASES, STUDY, VALIDATION, client, make_study


class Disk:
    """Whether files can be put in their places under a folder."""

    def __init__(self, folder, monkeypatch):
        self.full = False
        replace = os.replace

        def replace_if_there_is_room(source, target, **options):
            if self.full and Path(target).is_relative_to(folder):
                raise OSError(errno.ENOSPC, "No space left on device", str(target))
            replace(source, target, **options)

        monkeypatch.setattr(os, "replace", replace_if_there_is_room)


@pytest.fixture
def disk(tmp_path, monkeypatch):
    return Disk(tmp_path / "web", monkeypatch)


def left_over(folder):
    """All files but the table of sessions, which every server has."""
    files = (each for each in folder.rglob("*") if each.is_file())
    return sorted(each for each in files if each.name != "sessions.db")


def study(**changes):
    return {"study": STUDY, "cases": CASES, "validation": VALIDATION} | changes


def test_a_study_begins_with_its_validation_cases_or_not_at_all(tmp_path, disk):
    with client(tmp_path) as server:
        disk.full = True
        answer = server.post("/api/studies", json=study())
        assert answer.status_code == 503
        assert "the disk of the server is full" in answer.json()["error"]
        assert str(tmp_path) not in answer.text
        assert server.get("/api/studies").json()["total"] == 0
        assert left_over(tmp_path / "web") == []
        disk.full = False
        assert server.post("/api/studies", json=study()).status_code == 201
        assert server.get("/api/studies/flu").json()["validated"] is True


def test_a_study_that_is_there_keeps_its_validation_cases(tmp_path):
    """Whoever tries to begin one of the same name changes nothing."""
    with client(tmp_path) as server:
        assert server.post("/api/studies", json=study()).status_code == 201
        kept = left_over(tmp_path / "web")
        contents = [each.read_bytes() for each in kept]
        for given in (study(validation=None), study(validation=VALIDATION + "no,yes,well\n")):
            answer = server.post("/api/studies", json=given)
            assert answer.status_code == 409
            assert "already" in answer.json()["error"]
        assert left_over(tmp_path / "web") == kept
        assert [each.read_bytes() for each in kept] == contents


def test_a_failed_upload_leaves_the_cases_that_there_were(tmp_path, disk):
    with client(tmp_path) as server:
        server.post("/api/studies", json=study())
        before = server.get("/api/studies/flu").json()
        disk.full = True
        other = {"csv": "fever,cough,label\nyes,yes,well\n"}
        assert server.post("/api/studies/flu/validation", json=other).status_code == 503
        assert server.get("/api/studies/flu").json() == before


@pytest.mark.slow
def test_names_that_nobody_knows_leave_nothing(tmp_path):
    def things(workers):
        return sum(len(each) for each in vars(workers).values() if hasattr(each, "__len__"))

    with client(tmp_path) as server:
        make_study(tmp_path / "studies.db").release()
        assert server.get("/api/studies/flu").status_code == 200
        workers = server.app.state.workers
        before = things(workers)
        for at in range(150):
            assert server.get(f"/api/studies/nobody-{at}").status_code == 404
            assert server.get(f"/studies/{at}{'x' * 4000}").status_code == 404
        assert things(workers) == before


def test_cases_that_come_while_a_page_is_made_are_seen_by_the_next(tmp_path, monkeypatch):
    begun, go_on, error = threading.Event(), threading.Event(), Validation.error
    with client(tmp_path) as server, ThreadPoolExecutor(1) as pool:
        server.post("/api/studies", json=study())
        rows = [{"case": f"P{at}", "feature": "fever", "value": ("no", "yes")[at % 2]}
                for at in range(8)]  # fmt: skip
        assert server.post("/api/studies/flu/record", json={"values": rows}).status_code == 200

        def slow(self, *given):
            begun.set()
            assert go_on.wait(20)
            return error(self, *given)

        monkeypatch.setattr(Validation, "error", slow)
        early = pool.submit(server.get, "/api/studies/flu")
        assert begun.wait(20)
        other = {"csv": "fever,cough,label\n" + "yes,yes,well\n" * 9 + "no,no,ill\n"}
        assert server.post("/api/studies/flu/validation", json=other).status_code == 200
        go_on.set()
        assert early.result().json()["measured"]["error"] == 0, "or this example says nothing"
        monkeypatch.undo()
        found = server.get("/api/studies/flu").json()
        assert found["measured"]["error"] == 1
    with client(tmp_path) as server:
        assert server.get("/api/studies/flu").json() == found
