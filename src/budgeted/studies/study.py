"""Real studies: ask what to buy, tell what came back, over weeks, alone or as a team."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from budgeted.errors import ConflictError, StudyError, UnknownError
from budgeted.learners import Predictor
from budgeted.learners.model import Model
from budgeted.problem import Problem
from budgeted.problem.money import MoneyLike
from budgeted.studies import commands
from budgeted.studies.budget_terms import first_terms
from budgeted.studies.commands import Command, RecordedValue, Value
from budgeted.studies.creation import begun, creation
from budgeted.studies.entering import Entering
from budgeted.studies.entries import Entries
from budgeted.studies.erasure import without_values
from budgeted.studies.events import CANCELLED, Entry, day_of
from budgeted.studies.journal import Journal, now, parse_url, studies, user
from budgeted.studies.ledger import Summary
from budgeted.studies.projection import Requested
from budgeted.studies.snapshot import Snapshot
from budgeted.studies.stop_events import first_rules
from budgeted.studies.stop_rules import from_table

if TYPE_CHECKING:
    from budgeted.studies.status import Status
    from budgeted.studies.verify import Verified
    from budgeted.studies.weighing import StopStatus

__all__ = ["Requested", "Study", "studies"]


class Study(Entering):
    """A purchase of feature values that lasts: every decision and every answer is in a journal.

    The only class of the package that changes. What it knows is folded from the events of the
    journal; opening a study calls no policy, and asking stores the decision with all its scores.
    Several people, or programs, can have the same study open: each operation first reads what the
    others wrote, and is tried again when somebody was faster.

    Use `Study.create` and `Study.open`, best in a ``with`` block.

    Examples
    --------
    >>> import tempfile
    >>> from budgeted import Feature, Problem, Study
    >>> problem = Problem([Feature("fever", ("no", "yes"), cost="1.50")], ("well", "ill"),
    ...                   prior=(0.7, 0.3), budget="4.50")
    >>> cases = [("Ann", "ill"), ("Bob", "well"), ("Cy", "ill"), ("Di", "well")]
    >>> folder = tempfile.TemporaryDirectory()
    >>> with Study.create(f"{folder.name}/my.db", "flu", problem, cases, seed=1, by="me") as study:
    ...     for request in study.ask(2):
    ...         print(request.number, request.case, request.feature, request.label, request.cost)
    ...     _ = study.tell(2, "yes")
    ...     print(study.state.spent, study.state.reserved, study.state.free)
    1 Ann fever ill 1.50
    2 Di fever well 1.50
    1.50 1.50 1.50
    >>> with Study.open(f"{folder.name}/my.db", "flu") as study:
    ...     print([(each.number, each.fate, each.value) for each in study.requests()])
    [(1, 'pending', None), (2, 'told', 'yes')]
    >>> folder.cleanup()
    """

    def __init__(
        self,
        journal: Journal,
        entries: Sequence[Entry],
        *,
        by: str | None = None,
        clock: Callable[[], str] = now,
    ) -> None:
        super().__init__(journal, entries, clock, user() if by is None else by)
        self._looked_at = Entries()

    @classmethod
    def create(
        cls,
        database: str,
        name: str,
        problem: Problem,
        cases: Sequence[tuple[str, str]],
        *,
        policy: str = "auto",
        parameters: Mapping[str, Any] | None = None,
        case_rule: str | None = None,
        seed: int = 0,
        loss: str = "gini",
        learner: str | Mapping[str, Any] | None = None,
        known: Sequence[tuple[str, str, str]] = (),
        groups: Mapping[str, str] | None = None,
        stop: Mapping[str, Any] | None = None,
        by: str | None = None,
        clock: Callable[[], str] = now,
    ) -> Study:
        """Begin a study; all is checked before the database is touched.

        Parameters
        ----------
        database
            Path of a SQLite file, or the URL of a PostgreSQL database.
        name, problem
            Unique within the database; what is for sale, the labels, and the budget.
        cases
            Name and label of each case.
        policy, parameters
            Who chooses; see ``budgeted policies``.
        case_rule
            Which case of a label is asked: ``fresh``, ``overlap`` or ``settle``; see
            `budgeted.state.cases`.
        seed
            Of the order of cases and of the policy's draws.
        loss
            Steers policies that look ahead by a loss, unless their parameters name one; the
            default, ``auto``, does not.
        learner
            Makes the classifier, ``hierarchical`` or ``naive-bayes``; see `budgeted.learners`. Its
            parameters of today are recorded, so that no later version of the package changes what
            the study says. This and the case rule are as the policy likes them unless given.
        known
            Case, feature and value of what is known from the start; it costs nothing.
        groups
            The group of each case that belongs to one, where prices differ between groups.
        stop
            Rules that say when it has bought enough, such as ``{"least_gain": 0.01}``; see
            `budgeted.studies.stop_rules`.
        by, clock
            Who begins it, and what tells the time.
        """
        rules = from_table(stop or {})
        created = creation(
            name, problem, cases, policy, parameters or {}, case_rule, seed, loss, learner, groups,
            rules,
        )  # fmt: skip
        who, at = user() if by is None else by, clock()
        agreed = [*first_terms(problem.terms), *first_rules(rules)]
        draft = begun(created, known, agreed)
        journal = Journal(database, name, create=True)
        try:
            last = Entry(len(draft.tried), at, who, draft.tried[-1])
            summary = Summary.of(draft, Entry(1, at, who, created), last).to_text()
            entries = journal.append(draft.tried, expected=0, by=who, at=at, summary=summary)
            return cls(journal, entries, by=who, clock=clock)
        except ConflictError:
            journal.release()
            raise StudyError(
                f"{journal.where}: there is a study {name!r} already; give another name"
            ) from None
        except BaseException:
            journal.release()
            raise

    @classmethod
    def open(
        cls,
        database: str,
        name: str | None = None,
        *,
        by: str | None = None,
        clock: Callable[[], str] = now,
    ) -> Study:
        """Open a study; the name may be left out where the database holds only one."""
        if name is None:
            found = studies(database)
            if len(found) != 1:
                listed = ", ".join(map(repr, found)) or "none"
                where = parse_url(database).render_as_string(hide_password=True)
                raise StudyError(f"{where}: which study? There are: {listed}")
            name = found[0]
        journal = Journal(database, name)
        try:
            entries = journal.read()
            if not entries:
                listed = ", ".join(map(repr, studies(database))) or "none"
                raise UnknownError(f"there is no study {name!r}; there are: {listed}")
            return cls(journal, entries, by=by, clock=clock)
        except BaseException:
            journal.release()
            raise

    @classmethod
    def accept_restore(
        cls, database: str, name: str, because: str, *, by: str | None = None
    ) -> Study:
        """Go on with an older copy that was put in place of a newer one on purpose.

        What the copy lacks is lost; the log keeps, as a note, who accepted that and why.
        """
        if not because.strip():
            raise StudyError("because: say why the older copy is the right one")
        journal = Journal(database, name)
        try:
            entries, kept = journal.read_restored()
            if not entries:
                raise UnknownError(f"there is no study {name!r}")
            found = cls(journal, entries, by=by)
            missing = kept.seq - len(entries)
            if missing <= 0:
                raise StudyError(f"study {name!r} holds all that was written; nothing is missing")
            found.note(
                f"an older copy was accepted: of {kept.seq} events that were written, {missing} "
                f"are missing, the last with the digest {kept.digest[:12]} ({because.strip()})"
            )
            journal.accept()
            return found
        except BaseException:
            journal.release()
            raise

    def __enter__(self) -> Study:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def verify(self, expect: str | None = None) -> Verified:
        """Check all from the database's own file to the money; see `budgeted.studies.verify`.

        Parameters
        ----------
        expect
            A digest that was noted down; the history must contain it.
        """
        from budgeted.studies.verify import verify  # noqa: PLC0415 - few need it

        with Journal(self._journal.database, self.name) as journal:
            return verify(journal, expect)

    def snapshot(self) -> Snapshot:
        """Return the study as it is now, for another thread to look at."""
        state = self._projection.state
        self._looked_at = self._looked_at.then(self._entries)
        found = Snapshot.of(self.name, self._projection, self._looked_at, self.head.digest)
        if state.problem.separable:
            return found
        return replace(found, state=state.changed(today=day_of(self._clock())))

    def to_dataframe(
        self, which: str = "wide", *, backend: str = "pandas", labels: bool = True
    ) -> Any:
        """Return the study as a dataframe; amounts are exact decimals, times are in UTC.

        Parameters
        ----------
        which
            ``wide``: a row for each case, with its values; ``long``: a row for each request or
            recorded value, with money, times, and who; ``events``: the whole log.
        backend
            ``pandas``, ``polars`` or ``pyarrow``.
        labels
            Whether to say the labels of cases.
        """
        from budgeted.studies.frames import frame_of  # noqa: PLC0415 - few have dataframes

        self.refresh()
        return frame_of(self.snapshot(), which, backend, labels)

    def requests(self, fate: str | None = None) -> tuple[Requested, ...]:
        """Return all requests and recorded values, or those of one fate, by number."""
        numbered = self._projection.requests
        return tuple(
            numbered[number] for number in sorted(numbered)
            if fate in (None, numbered[number].fate)
        )  # fmt: skip

    def request(self, number: int) -> Requested:
        """Return the request or recorded value of that number."""
        return self._projection.request(number)

    def history(self, after: int = 0) -> tuple[Entry, ...]:
        """Return the events behind number `after`, from the journal, without forgotten values."""
        entries = self._journal.read(after)
        self.refresh()  # who forgot something while this was read is known now
        gone = self._projection.forgotten
        return without_values(entries, self._projection.forgotten_numbers(), gone)

    def predictor(self) -> Predictor:
        """Return the classifier that the values bought so far give, as the policy's judge has it.

        It predicts many cases at once, and says how wrong it expects to be; `model` is the same to
        be written down.
        """
        return self._projection.predictor()

    def model(self, prior: Sequence[float] | None = None) -> Model:
        """Return the classifier that the values bought so far give.

        Parameters
        ----------
        prior
            Shares of the labels in the population where it will be used; the study's unless given.
        """
        made = Model.of(self.predictor(), study=self.name, events=self.events)
        return made if prior is None else made.with_prior(prior)

    def status(self, recent: int = 5) -> Status:
        """Return how the study is doing, with so many of the last events."""
        from budgeted.studies.status import status_of  # noqa: PLC0415 - few need the outlook

        self.refresh()
        return status_of(self.snapshot(), recent)

    def ask(
        self,
        n: int = 1,
        *,
        visits: int | None = None,
        case: str | None = None,
        only: Sequence[str] = (),
        without: Sequence[str] = (),
        at_most: MoneyLike | None = None,
        anyway: bool = False,
        key: str = "",
    ) -> tuple[Requested, ...]:
        """Return the requests of the next n orders, worth having together; fewer without money.

        Requests under way, those of this batch included, count as bought in expectation. A policy
        that plans several purchases at a time is asked anew when its plan is used up. An order is
        one or more features of one case; with a price for each feature, it is one.

        Parameters
        ----------
        n, visits
            How many orders; or instead, all that is worth asking of so many cases.
        case, only, without
            Wishes: the case that is here now, the features that may be ordered, and those that may
            not.
        at_most
            What all of it together may cost.
        anyway
            Whether to ask though a rule of the study says to stop (`set_stop_rules`).
        key
            Made up by the caller, like that of every operation: what is sent again with the same
            key is not carried out again, and answered with what became of it. See
            `budgeted.studies.drafts`.
        """
        wanted = commands.Ask(n, visits, case, only, without, at_most, anyway)
        return self.do(wanted, key=key).requests

    def tell(
        self,
        number: int,
        value: Value,
        cost: MoneyLike | None = None,
        *,
        force: bool = False,
        key: str = "",
    ) -> Requested:
        """Write down the value of a request.

        Telling the same again is harmless; telling something else is an error.

        Parameters
        ----------
        number
            Of the request.
        value
            What came back.
        cost
            What was charged; the price of the feature unless given.
        force, key
            Whether to take a value outside the range of its feature; and see `ask`.
        """
        return self._about(commands.Tell(number, value, cost, force), key)

    def fail(
        self,
        number: int,
        *,
        charged: MoneyLike | bool = False,
        usable: bool = True,
        why: str = "",
        key: str = "",
    ) -> Requested:
        """Write down that a request brought no value.

        Parameters
        ----------
        number
            Of the request.
        charged
            True if its cost was charged all the same, or how much was; False gives it back.
        usable
            Whether the feature may be asked of this case again.
        why, key
            For the log; and see `ask`.
        """
        return self._about(commands.Fail(number, charged, usable, why), key)

    def cancel(self, number: int, why: str = "", *, key: str = "") -> Requested:
        """Take back a request: its money and its case are free again."""
        return self._about(commands.Cancel(number, why), key)

    def expire(self, days: int, why: str = "", *, key: str = "") -> tuple[Requested, ...]:
        """Take back requests that nobody carried out for so many days; return them."""
        return self.do(commands.Expire(days, why), key=key).requests

    def correct(
        self,
        number: int,
        value: Value | None,
        *,
        cost: MoneyLike | None = None,
        why: str = "",
        force: bool = False,
        key: str = "",
    ) -> Requested:
        """Replace a value that was told or recorded; the log keeps both.

        Parameters
        ----------
        number
            Of the request or recorded value.
        value
            The right value; None if there is none after all.
        cost
            What was really charged; as before unless given.
        why, force, key
            For the log; and see `tell`.
        """
        return self._about(commands.Correct(number, value, cost, why, force), key)

    def undo(self, number: int, why: str = "", *, key: str = "") -> Requested:
        """Take back that a request was told, failed or cancelled: it is pending again.

        For slips. What it was charged is free again and its price is reserved as before; the log
        keeps both. A value that is wrong is better corrected: that needs no second measurement.
        """
        return self._about(commands.Undo(number, why), key)

    def withdraw(
        self, case: str, *, forget: bool = False, why: str = "", key: str = ""
    ) -> tuple[Requested, ...]:
        """Take a case out for good; return its requests that were pending, now cancelled.

        Parameters
        ----------
        case
            Its name.
        forget
            Also take its values out of the belief, and show them nowhere any more; what they cost
            stays spent. The database still holds them: see `budgeted.studies.erasure`. A case
            that was withdrawn before can be forgotten later.
        why, key
            For the log; and see `ask`.
        """
        about = self.do(commands.Withdraw(case, forget, why), key=key).requests
        return tuple(each for each in about if each.fate == CANCELLED)

    def record(
        self,
        values: Sequence[tuple[str, str, Value]],
        *,
        charge: bool | MoneyLike = False,
        force: bool = False,
        key: str = "",
    ) -> tuple[Requested, ...]:
        """Write down values that nobody asked for, all of them or none.

        A value that is there already is passed over if it is the same. One that answers a pending
        request tells it, at the price that was reserved unless `charge` is an amount.

        Parameters
        ----------
        values
            Case, feature and value of each.
        charge
            Whether each costs what its feature costs, or how much each costs; nothing by default.
        force, key
            See `tell`.
        """
        given = cast(Sequence[RecordedValue], values)
        return self.do(commands.Record(given, charge, force), key=key).requests

    def set_budget(self, budget: MoneyLike, why: str = "", *, key: str = "", **terms: Any) -> None:
        """Change the budget; it must cover what is spent and reserved.

        Parameters
        ----------
        budget
            All the money; of a soft budget the amount that is not soft.
        why, key
            For the log; and see `ask`.
        terms
            Those of `budgeted.studies.commands.SetBudget` that change, such as ``point_worth``.
        """
        self.do(commands.SetBudget(budget, why, **terms), key=key)

    def set_stop_rules(self, *, key: str = "", **rules: Any) -> StopStatus | None:
        """Say when the study has bought enough; return what the rules say now.

        Parameters
        ----------
        key
            See `ask`.
        rules
            Those of `budgeted.studies.commands.SetStopRules`, such as ``least_gain=0.01``,
            ``binding=True``, or ``none=True`` to drop all.
        """
        from budgeted.studies.weighing import stop_status  # noqa: PLC0415 - few need it

        self.do(commands.SetStopRules(**rules), key=key)
        return stop_status(self.snapshot())

    def close(self, why: str = "", *, key: str = "") -> None:
        """End the study; only corrections remain possible."""
        self.do(commands.Close(why), key=key)

    def _about(self, command: Command, key: str) -> Requested:
        """Do something to one request; return what became of it."""
        self.do(command, key=key)
        return self._projection.request(command.number)  # type: ignore[attr-defined]
