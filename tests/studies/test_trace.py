"""One purchase, traced: how many modules of ours it passes through, on the terminal and by the API.

Counted is every module one of whose functions runs between the body of the command and its answer,
generated ones included; opening the study, the framework's own work and the policy's mathematics
behind `choose` are not. Round robin decides, because its decision is in its own file.
"""

import asyncio
import sys
import threading
from collections import defaultdict

import pytest
from click.testing import CliRunner
from fastapi import APIRouter

from budgeted.cli.main import main
from budgeted.studies.commands import Ask
from budgeted.studies.study import Study
from budgeted.web.api.operations import add_route
from budgeted.web.worker import StudyWorker
from tests import sample_studies as studies

MOST = 22
"""For either; by the same count it was 32 on the terminal before commands were data."""


class Trace:
    """Which functions of which modules run while a certain one does."""

    def __init__(self, module, function):
        self._body = (module, function)
        self._on = False
        self.seen = defaultdict(set)

    def __call__(self, frame, event, _):
        if event not in ("call", "return"):
            return
        module, name = frame.f_globals.get("__name__", ""), frame.f_code.co_qualname
        if not module.startswith("budgeted"):
            return
        if (module, name) == self._body and (event == "call" or not frame.f_code.co_flags & 0x80):
            self._on = event == "call"
        if self._on and event == "call" and name != "<module>":
            self.seen[module].add(name)

    def run(self, function):
        before, others = sys.getprofile(), threading.getprofile()
        threading.setprofile(self)
        sys.setprofile(self)
        try:
            return function()
        finally:
            sys.setprofile(before)
            threading.setprofile(others)


@pytest.fixture
def database(tmp_path):
    found = str(tmp_path / "studies.db")
    problem = studies.make_problem(("1", "1", "1"), budget="100")
    studies.begin(found, "flu", problem=problem, policy="round-robin", seed=4).release()
    return found


def told(trace):
    return "\n".join(f"{name}: {', '.join(sorted(each))}" for name, each in trace.seen.items())


def check_path(trace):
    """The stations that must be there, or the trace saw nothing."""
    for module in ("commands.ask", "ledger", "projection", "events", "journal", "journal.rows"):
        assert f"budgeted.studies.{module}" in trace.seen, told(trace)
    for module, functions in trace.seen.items():  # no decision travels as a closure out and back
        if module.startswith(("budgeted.studies", "budgeted.policies")):
            assert not any("<lambda>" in each or "decide." in each for each in functions), module


def test_asking_on_the_terminal(database):
    trace = Trace("budgeted.cli.studies.operations", "command_of.<locals>.carry_out")
    done = trace.run(lambda: CliRunner().invoke(main, ["study", "ask", "--db", database]))
    assert done.exit_code == 0, done.output
    check_path(trace)
    assert len(trace.seen) <= MOST, told(trace)


def test_asking_by_the_api(database):
    router = APIRouter()
    add_route(router, Ask)
    (route,) = router.routes

    async def ask():
        worker = StudyWorker(Study.open(database, "flu"))
        answer = await route.endpoint(worker=worker, actor="anna", key="", given=None)
        await worker.release()
        return answer

    trace = Trace("budgeted.web.api.operations", "add_route.<locals>.carry_out")
    answer = trace.run(lambda: asyncio.run(ask()))
    trace.seen.pop("budgeted.web.background", None)  # only when the worker is let go of
    assert answer.status_code == 200
    check_path(trace)
    after = {"budgeted.studies.study"}  # the study is let go
    assert len(set(trace.seen) - after) <= MOST, told(trace)
