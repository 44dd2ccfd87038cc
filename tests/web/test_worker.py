"""One study on the server: who decides when several people ask."""

import asyncio
import threading

import pytest

from budgeted.errors import JournalError, PolicyError, UnwritableError
from budgeted.policies.auto import Auto
from budgeted.policies.single_feature_lookahead import SingleFeatureLookahead
from budgeted.studies.commands import Ask, Cancel, Tell
from budgeted.studies.drafts import Sent
from budgeted.studies.study import Study
from budgeted.web.curve import Curve
from budgeted.web.worker import StudyWorker
from tests import sample_studies as studies
from tests.web.test_web_restores import restore


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
        worker = StudyWorker(Study.open(database, "served"))
        found = [(await worker.do(Ask(1), by="anna")).requests[0] for _ in range(times)]
        await worker.release()
        return found

    with Study.open(begin(tmp_path, "alone"), "alone") as study:
        expected = [study.ask(1)[0] for _ in range(6)]
    served = begin(tmp_path, "served")
    found = [*asyncio.run(one_by_one(served, 3)), *asyncio.run(one_by_one(served, 3))]
    assert cells(found) == cells(expected)


@pytest.mark.parametrize(
    ("policy", "kind", "people", "most"),
    [("auto", Auto, 12, 7), ("sfl", SingleFeatureLookahead, 50, 14)],
)
def test_who_asks_at_the_same_moment_shares_decisions(
    tmp_path, monkeypatch, policy, kind, people, most
):
    """People who ask at once wait for some decisions, not for as many; each has its reason."""
    times = []
    choose = kind.choose

    def counted(self, state, rng):
        times.append(1)
        return choose(self, state, rng)

    monkeypatch.setattr(kind, "choose", counted)
    database = str(tmp_path / "crowd.db")
    problem = studies.make_problem(("1",) * 12, budget="100")
    given = {"problem": problem, "per_label": 30, "policy": policy, "seed": 4}
    studies.begin(database, "crowd", **given).release()

    async def crowd():
        worker = StudyWorker(Study.open(database, "crowd"))
        several = [worker.do(Ask(1), by=f"person {at}") for at in range(people)]
        done = await asyncio.gather(*several)
        await worker.release()
        return [each.requests[0] for each in done]

    found = asyncio.run(crowd())
    assert len({(each.case, each.feature) for each in found}) == people
    assert {each.by for each in found} == {f"person {at}" for at in range(people)}
    assert sum(times) <= most  # each decision is good for a value of either label
    if policy == "sfl":  # it ranks, and who gets the second best is told why
        shared = [each for each in found if "at the same moment" in each.asked.reason]
        assert len(shared) == people - sum(times)


def test_a_study_of_an_unknown_policy_can_still_be_seen(tmp_path, monkeypatch):
    database = begin(tmp_path, "future")

    def unknown(name, **parameters):
        raise PolicyError(f"there is no policy {name!r}")

    monkeypatch.setattr("budgeted.studies.beginning.policy", unknown)
    study = Study.open(database, "future")
    study.record([("case 1", "f0", "no")])
    with pytest.raises(PolicyError, match="there is no policy 'auto'"):
        study.ask()

    async def look():
        worker = StudyWorker(study)
        seen = await worker.look()
        await worker.release()
        return seen

    assert asyncio.run(look()).name == "future"


@pytest.mark.parametrize("bad", [("cy", "\ud800"), ("\ud800", ""), ("c\0y", "")])
def test_a_bad_text_does_not_split_what_is_written_together(tmp_path, monkeypatch, bad):
    """The defect: the others went in one by one, and when one failed all were told of nothing."""
    with studies.begin(str(tmp_path / "studies.db")) as study:
        study.ask(3)
        by, why = bad
        sent = [
            Sent(Tell(1, "yes"), "anna"),
            Sent(Cancel(2, why), by),
            Sent(Tell(3, "yes"), "di"),
        ]
        before, append = study.events, study._journal.append
        written = []

        def fails_without_the_first(events, **options):
            written.append(options["by"])
            if events[0].number == 3:
                raise JournalError("has no room left; nothing was changed")
            return append(events, **options)

        monkeypatch.setattr(study._journal, "append", fails_without_the_first)
        first, refused, last = study.carry_out(sent)
        assert isinstance(refused, UnwritableError)
        assert (first.requests[0].fate, last.requests[0].fate) == ("told", "told")
        assert written == [("anna", "di")]
        assert study.events == before + 2
        studies.check_everything(study)


@pytest.mark.parametrize("what", ["view", "slow", "curve"])
def test_what_was_made_of_a_history_that_is_gone_is_not_kept(tmp_path, monkeypatch, what):
    """A restore while something is computed, and then as many events as before."""
    database = str(tmp_path / "s.db")
    studies.begin(database, "s").release()
    begun, go_on = threading.Event(), threading.Event()
    advance = Curve.advance

    def slowly(*given, **more):
        begun.set()
        assert go_on.wait(20)
        return advance(*given, **more) if what == "curve" else events_of(given[0])

    def events_of(snapshot):
        return [entry.event for entry in snapshot.entries]

    def tell(value):
        with Study.open(database, "s", by="me") as study:
            study.ask(1)
            study.tell(1, value, cost="0.5" if value == "yes" else "1")

    def look(worker, function):
        return worker.curve() if what == "curve" else getattr(worker, what)("events", function)

    async def story():
        worker = StudyWorker(Study.open(database, "s"))
        if what == "curve":
            monkeypatch.setattr(Curve, "advance", slowly)
        under_way = asyncio.create_task(look(worker, slowly))
        await asyncio.to_thread(begun.wait, 20)
        second = asyncio.create_task(look(worker, slowly))  # a curve waits for the first
        await worker.look()
        await asyncio.sleep(0.01)
        restore(database, to=1)
        tell("no")
        await worker.look()
        assert worker.reopened == 1
        go_on.set()
        before, _ = await asyncio.gather(under_way, second)
        now = await look(worker, events_of)
        await worker.release()
        return before, now

    tell("yes")
    before, now = asyncio.run(story())
    monkeypatch.setattr(Curve, "advance", advance)

    async def anew():
        worker = StudyWorker(Study.open(database, "s"))
        found = await look(worker, events_of)
        await worker.release()
        return found

    assert now == asyncio.run(anew())
    if what == "view":  # what takes long is computed anew for those who waited
        assert before != now
