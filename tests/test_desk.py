"""One study on the server: who decides when several people ask."""

import asyncio
import threading

import pytest

from budgeted.errors import JournalError, UnwritableError
from budgeted.policies.auto import Auto
from budgeted.policies.single_feature_lookahead import SingleFeatureLookahead
from budgeted.study import Study, decisions
from budgeted.study.together import Wish
from budgeted.web import desk as desks
from budgeted.web.desk import Desk
from tests import studies
from tests.test_web_restores import restore


def begin(folder, name):
    database = str(folder / f"{name}.db")
    problem = studies.make_problem(("1", "1", "1"), budget="100")
    studies.begin(database, name, problem=problem, per_label=30, policy="auto", seed=4).release()
    return database


def cells(requests):
    return [(each.feature, each.label) for each in requests]


def test_asking_one_by_one_gives_what_a_study_gives(tmp_path):
    """Also when the server is started again in between: nothing is remembered."""

    async def one_by_one(database, times):
        desk = Desk(Study.open(database, "served"))
        found = [(await desk.ask(1, by="anna")).requests[0] for _ in range(times)]
        await desk.release()
        return found

    with Study.open(begin(tmp_path, "alone"), "alone") as study:
        expected = [study.ask(1)[0] for _ in range(6)]
    served = begin(tmp_path, "served")
    found = [*asyncio.run(one_by_one(served, 3)), *asyncio.run(one_by_one(served, 3))]
    assert cells(found) == cells(expected)


def test_who_asks_at_the_same_moment_shares_decisions(tmp_path, monkeypatch):
    times = []
    choose = Auto.choose

    def counted(self, state, rng):
        times.append(1)
        return choose(self, state, rng)

    monkeypatch.setattr(Auto, "choose", counted)

    async def crowd(database):
        desk = Desk(Study.open(database, "crowd"))
        done = await asyncio.gather(*(desk.ask(1, by=f"person {at}") for at in range(12)))
        await desk.release()
        return [each.requests[0] for each in done]

    found = asyncio.run(crowd(begin(tmp_path, "crowd")))
    assert len({(each.case, each.feature) for each in found}) == 12
    assert sum(times) <= 7  # each decision is good for a value of either label


def test_a_crowd_shares_decisions_of_policies_that_rank(tmp_path, monkeypatch):
    """Fifty people who ask at once wait for some decisions, not for fifty; each has its reason."""
    times = []
    choose = SingleFeatureLookahead.choose

    def counted(self, state, rng):
        times.append(1)
        return choose(self, state, rng)

    monkeypatch.setattr(SingleFeatureLookahead, "choose", counted)
    database = str(tmp_path / "crowd.db")
    problem = studies.make_problem(("1",) * 12, budget="100")
    studies.begin(database, "crowd", problem=problem, per_label=30, policy="sfl", seed=4).release()

    async def crowd():
        desk = Desk(Study.open(database, "crowd"))
        done = await asyncio.gather(*(desk.ask(1, by=f"person {at}") for at in range(50)))
        await desk.release()
        return [each.requests[0] for each in done]

    found = asyncio.run(crowd())
    assert len({(each.case, each.feature) for each in found}) == 50
    assert {each.by for each in found} == {f"person {at}" for at in range(50)}
    assert sum(times) <= 14
    shared = [each for each in found if "at the same moment" in each.asked.reason]
    assert len(shared) == 50 - sum(times)


def test_a_study_of_an_unknown_policy_can_still_be_seen(tmp_path, monkeypatch):
    database = begin(tmp_path, "future")
    study = Study.open(database, "future")

    def unknown(*_given, **_parameters):
        raise AssertionError("looking must not need the policy")

    monkeypatch.setattr("budgeted.study.make_policy", unknown)

    async def look():
        desk = Desk(study)
        seen = await desk.look()
        await desk.release()
        return seen

    assert asyncio.run(look()).name == "future"


@pytest.mark.parametrize("bad", [("cy", "\ud800"), ("\ud800", ""), ("c\0y", "")])
def test_a_bad_text_does_not_split_what_is_written_together(tmp_path, monkeypatch, bad):
    """The defect: the others went in one by one, and when one failed all were told of nothing."""
    with studies.begin(str(tmp_path / "studies.db")) as study:
        study.ask(3)
        by, why = bad
        wishes = [
            Wish("anna", lambda draft: decisions.answer(draft, 1, "yes", None)),
            Wish(by, lambda draft: decisions.cancellation(draft, 2, why)),
            Wish("di", lambda draft: decisions.answer(draft, 3, "yes", None)),
        ]
        before, append = study.events, study._ledger.journal.append
        written = []

        def fails_without_the_first(events, **options):
            written.append(options["by"])
            if events[0].number == 3:
                raise JournalError("has no room left; nothing was changed")
            return append(events, **options)

        monkeypatch.setattr(study._ledger.journal, "append", fails_without_the_first)
        first, refused, last = study.carry_out(wishes)
        assert isinstance(refused, UnwritableError)
        assert (first.requests[0].fate, last.requests[0].fate) == ("told", "told")
        assert written == [("anna", "di")]
        assert study.events == before + 2
        studies.check_everything(study)


@pytest.mark.parametrize("what", ["view", "curve"])
def test_what_was_made_of_a_history_that_is_gone_is_not_kept(tmp_path, monkeypatch, what):
    """A restore while something is computed, and then as many events as before."""
    database = str(tmp_path / "s.db")
    studies.begin(database, "s").release()
    begun, go_on = threading.Event(), threading.Event()
    grown = desks._grown

    def slowly(*given):
        begun.set()
        assert go_on.wait(20)
        return grown(*given) if what == "curve" else events_of(given[0])

    def events_of(snapshot):
        return [entry.event for entry in snapshot.entries]

    def tell(value):
        with Study.open(database, "s", by="me") as study:
            study.ask(1)
            study.tell(1, value, cost="0.5" if value == "yes" else "1")

    def look(desk, function):
        return desk.curve() if what == "curve" else desk.view("events", function)

    async def story():
        desk = Desk(Study.open(database, "s"))
        monkeypatch.setattr(desks, "_grown", slowly)
        under_way = asyncio.create_task(look(desk, slowly))
        await asyncio.to_thread(begun.wait, 20)
        second = asyncio.create_task(look(desk, slowly))  # a curve waits for the first
        await desk.look()
        await asyncio.sleep(0.01)
        restore(database, to=1)
        tell("no")
        await desk.look()
        assert desk.reopened == 1
        go_on.set()
        before, _ = await asyncio.gather(under_way, second)
        now = await look(desk, events_of)
        await desk.release()
        return before, now

    tell("yes")
    before, now = asyncio.run(story())
    monkeypatch.setattr(desks, "_grown", grown)

    async def anew():
        desk = Desk(Study.open(database, "s"))
        found = await look(desk, events_of)
        await desk.release()
        return found

    assert now == asyncio.run(anew()) != before
