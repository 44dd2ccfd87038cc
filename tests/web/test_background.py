"""What takes long is computed once for a burst of events; pages get what was computed last."""

import asyncio
import json
import threading

import pytest

from budgeted.errors import BusyError, UnknownError
from budgeted.studies.commands import Ask, Tell
from budgeted.studies.study import Study
from budgeted.web import background
from budgeted.web.background import Partly
from budgeted.web.worker import StudyWorker
from tests import sample_studies as studies
from tests.webs import client, make_study


class Slow:
    """A computation that waits until it may go on, and counts."""

    def __init__(self):
        self.begun, self.may = threading.Event(), threading.Event()
        self.of = []

    def __call__(self, snapshot):
        self.begun.set()
        assert self.may.wait(60)
        self.of.append(snapshot.events)
        return snapshot.events


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Plays a story with the worker of a study; no pause is longer than a turn of the loop."""
    for name in ("_QUIET", "_MOST_QUIET", "_REST"):
        monkeypatch.setattr(background, name, 0.0)
    database = str(tmp_path / "s.db")
    problem = studies.make_problem(("1", "1"), budget="100")
    studies.begin(database, "s", problem=problem, policy="round-robin", per_label=30).release()

    def run(story):
        async def whole():
            worker = StudyWorker(Study.open(database, "s"))
            monkeypatch.setattr("budgeted.web.worker._PATIENCE", 0.0)
            try:
                return await asyncio.wait_for(story(worker), 120)
            finally:
                await worker.release()

        return asyncio.run(whole())

    return run


async def burst(worker, events):
    """So many people ask and tell, one after the other."""
    for _ in range(events // 2):
        (request,) = (await worker.do(Ask(1), by="anna")).requests
        await worker.do(Tell(request.number, "yes"), by="anna")


def test_a_burst_is_computed_once_and_tells_do_not_wait(play):
    slow = Slow()

    async def story(worker):
        first = await worker.latest("it", slow)
        assert (first.view, first.behind) == (None, "Being computed…")
        await asyncio.to_thread(slow.begun.wait, 60)
        for _ in range(5):  # while it is computed, people go on, and pages ask for more
            await burst(worker, 4)
            assert (await worker.latest("it", slow)).view is None
        assert not slow.of, "all that was told while nothing was computed"
        slow.may.set()
        now = await worker.slow("it", slow)
        found = await worker.latest("it", slow)
        return now, found

    now, found = play(story)
    assert slow.of == [1, 21], "once before, once for all that came meanwhile"
    assert now == 21
    assert (found.view, found.events, found.of, found.behind) == (21, 21, 21, "")


def test_what_comes_piece_by_piece_ends_while_others_write_without_pause(play):
    """It goes on with the events that it began with; who came later gets a later answer."""
    pieces = []

    async def story(worker):
        loop = asyncio.get_running_loop()

        def grow(snapshot):
            pieces.append(snapshot.events)
            asyncio.run_coroutine_threadsafe(burst(worker, 2), loop).result(60)
            return snapshot.events if pieces.count(snapshot.events) == 3 else Partly(None)

        first = asyncio.create_task(worker.slow("it", grow))
        while len(pieces) < 2:
            await asyncio.sleep(0)
        second = asyncio.create_task(worker.slow("it", grow))
        return await asyncio.gather(first, second)

    first, second = play(story)
    assert first == 1 < second
    assert pieces[:3] == [1, 1, 1]


def test_what_was_computed_last_says_how_old_it_is(play):
    quick, slow = Slow(), Slow()
    quick.may.set()

    async def story(worker):
        assert await worker.slow("it", quick) == 1
        await burst(worker, 2)
        quick.may.clear()
        found = await worker.latest("it", quick)
        computed = worker.computed
        quick.may.set()
        await worker.news(10_000, 0, computed)  # those who watch are told
        return found, await worker.latest("it", quick)

    before, after = play(story)
    assert (before.view, before.behind) == (1, "After 1 of 3 events; being computed…")
    assert (after.view, after.behind) == (3, "")
    assert not slow.of


def test_everybody_gets_one_computation(play):
    slow = Slow()

    async def story(worker):
        many = [asyncio.create_task(worker.slow("it", slow)) for _ in range(20)]
        await asyncio.to_thread(slow.begun.wait, 60)
        more = [asyncio.create_task(worker.slow("it", slow)) for _ in range(20)]
        for _ in range(50):
            await asyncio.sleep(0)
        many[0].cancel()  # who goes away stops it for nobody
        slow.may.set()
        found = await asyncio.gather(*many[1:], *more)
        again = await worker.slow("it", slow)
        return found, again

    found, again = play(story)
    assert set(found) == {1}
    assert again == 1
    assert len(slow.of) <= 2  # those who came before it was looked at share one


def test_what_comes_in_pieces_lets_others_have_their_turn(play):
    order = []

    def long(snapshot):
        order.append("piece")
        pieces = order.count("piece")
        return "all" if pieces == 3 else Partly(f"{pieces} of 3")

    def short(snapshot):
        order.append("short")
        return "short"

    async def story(worker):
        waits = asyncio.create_task(worker.slow("long", long))
        other = asyncio.create_task(worker.slow("short", short))
        return await asyncio.gather(waits, other)

    assert play(story) == ["all", "short"]
    assert order == ["piece", "short", "piece", "piece"]


def test_what_is_under_way_when_all_is_forgotten_is_computed_anew(play):
    slow = Slow()

    async def story(worker):
        wanted = asyncio.create_task(worker.slow("it", slow))
        await asyncio.to_thread(slow.begun.wait, 60)
        worker.judge_on(None)  # other cases to judge on: what was computed may be another now
        slow.may.set()
        return await wanted

    assert play(story) == 1
    assert slow.of == [1, 1]


def test_an_error_reaches_who_wanted_it_and_nobody_else(play):
    def wrong(snapshot):
        raise UnknownError("there is no such thing")

    async def story(worker):
        with pytest.raises(UnknownError):
            await worker.slow("wrong", wrong)
        return await worker.slow("right", lambda snapshot: snapshot.events)

    assert play(story) == 1


def test_what_waits_is_bounded(play, monkeypatch):
    monkeypatch.setattr(background, "_MOST_WANTED", 3)
    slow = Slow()

    async def story(worker):
        await worker.latest("first", slow)
        await asyncio.to_thread(slow.begun.wait, 60)
        for at in range(3):
            await worker.latest(f"{at}", slow)
        with pytest.raises(BusyError):
            await worker.latest("too much", slow)
        slow.may.set()

    play(story)


@pytest.mark.parametrize("which", ["error", "worth", "belief", "purchases"])
def test_a_chart_says_how_old_it_is(tmp_path, which, monkeypatch):
    make_study(tmp_path / "studies.db").release()
    monkeypatch.setattr("budgeted.web.worker._PATIENCE", 60)
    with client(tmp_path) as site:
        exact = site.get(f"/api/studies/flu/charts/{which}").json()
        latest = site.get(f"/api/studies/flu/charts/{which}?latest=true").json()
        events = site.get("/api/studies/flu").json()["seq"]
    about = latest.pop("usermeta")
    exact.pop("usermeta", None)
    assert latest == exact
    assert (about["events"], about["of"], about["behind"]) == (events, events, "")
    assert json.dumps(latest)
