"""One study on a server: what there is to see of it, and all that can be done to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from budgeted.client.answers import (
    Diagnosis,
    Done,
    Event,
    History,
    Next,
    Prediction,
    Preview,
    Price,
    Request,
    Status,
    Worklist,
)
from budgeted.client.connection import Connection
from budgeted.client.endpoint import Endpoint

Amount = Decimal | int | str | float
Value = str | int | float


class RemoteStudy:
    """A study on a server.

    What there is to see says in ``seq`` up to which event of the journal it holds. What changes the
    study returns a `Done`, is carried out once at most, and takes a `key` for those who want to
    choose the idempotency key themselves, say to go on after their program broke off.

    Parameters
    ----------
    connection
        To the server.
    name
        Of the study.
    """

    def __init__(self, connection: Connection, name: str) -> None:
        self.name = name
        self._at = Endpoint(connection, name)

    def __repr__(self) -> str:
        return f"RemoteStudy({self.name!r} at {self._at.connection.url})"

    def status(self) -> Status:
        """Return where it stands: money, outlook, what is worth buying, what is under way."""
        return self._at.look(Status, "status")

    def pending(self) -> tuple[Request, ...]:
        """Return the requests under way."""
        return self._at.look(Worklist, "worklist").requests

    def request(self, number: int | Request) -> Request:
        """Return a request, and what became of it."""
        return self._at.look(Request, "request", number=number)

    def price(
        self,
        n: int = 1,
        *,
        visits: int | None = None,
        case: str | None = None,
        only: Sequence[str] = (),
        without: Sequence[str] = (),
        at_most: Amount | None = None,
    ) -> Price:
        """Return what an `ask` with the same wishes would cost now; nothing is asked."""
        wishes = {"n": n, "visits": visits, "case": case, "only": list(only),
                  "without": list(without), "at_most": at_most}  # fmt: skip
        params = {name: each for name, each in wishes.items() if each not in (None, [])}
        return self._at.look(Price, "price", params=params)

    def next(self) -> Next:
        """Return what would be asked next, and why; nothing is asked."""
        return self._at.look(Next, "next")

    def predict(
        self,
        case: Mapping[str, Value],
        *,
        prior: Mapping[str, float] | None = None,
        force: bool = False,
    ) -> Prediction:
        """Return what the classifier says of a new case.

        Parameters
        ----------
        case
            Feature → value, of all that is known.
        prior
            Label → share, where it comes from a population with others than the study's.
        force
            Whether to take values outside the range of their feature.
        """
        body: dict[str, Any] = {"case": dict(case), "force": force}
        if prior is not None:
            body["prior"] = dict(prior)
        return self._at.look(Prediction, "predict", body=body)

    def diagnose(
        self,
        known: Mapping[str, Value] | None = None,
        *,
        ordered: Sequence[str] = (),
        without: Sequence[str] = (),
        prices: Mapping[str, Amount] | None = None,
        fees: bool = True,
        wrong: Amount | Mapping[str, Mapping[str, Amount]] | None = None,
        limit: Amount | None = None,
        force: bool = False,
        strategy: bool = False,
    ) -> Diagnosis:
        """Return which test a new case needs next and why, or what to answer; nothing is kept.

        Parameters
        ----------
        known
            Feature → value.
        ordered, without
            Which of them were ordered, in this order; and which cannot be.
        prices, fees
            Prices, where they are not the study's; whether its fees are due as well.
        wrong
            What a wrong answer costs: an amount, or amounts by answer and label.
        limit
            For the tests of the case.
        force
            Whether to take values outside the range of their feature.
        strategy
            Whether to work out the whole strategy, however long it takes.
        """
        body = {"known": dict(known or {}), "ordered": list(ordered), "without": list(without),
                "prices": dict(prices or {}), "fees": fees, "wrong": wrong, "limit": limit,
                "force": force, "strategy": strategy}  # fmt: skip
        return self._at.look(Diagnosis, "diagnose", body=body)

    def preview(self, results: Iterable[Mapping[str, Any]], *, charge: bool = False) -> Preview:
        """Return what `enter` would do with these results; nothing is written."""
        body = {"results": [dict(each) for each in results], "charge": charge}
        return self._at.look(Preview, "preview", body=body)

    def history(self, after: int = 0) -> tuple[Event, ...]:
        """Return the events of the journal behind a number, oldest first.

        Together with `Status.seq` it is all that polling needs: what was read is not read again.
        """
        found: dict[int, Event] = {}
        page = pages = 1
        while page <= pages:
            several = self._at.look(History, "history", params={"page": page})
            events = [each.event for each in several.lines]
            found |= {each.seq: each for each in events if each.seq > after}
            if not events or events[-1].seq <= after:
                break
            page, pages = page + 1, several.pages
        return tuple(found[seq] for seq in sorted(found))

    def table(self, which: str = "wide") -> str:
        """Return a table as CSV: ``wide`` (a row for each case), ``long`` or ``events``."""
        return self._at.file("table", which=which)

    def model(self) -> str:
        """Return the classifier as JSON; `budgeted.learners.model` reads it."""
        return self._at.file("model")

    def ask(
        self,
        n: int = 1,
        *,
        visits: int | None = None,
        case: str | None = None,
        only: Sequence[str] = (),
        without: Sequence[str] = (),
        at_most: Amount | None = None,
        anyway: bool = False,
        key: str = "",
    ) -> Done:
        """Ask for what is worth having next.

        Parameters
        ----------
        n
            So many requests.
        visits
            Of so many cases, all that is due of each, instead.
        case, only, without
            Of this case; only these features; none of these.
        at_most
            So much money.
        anyway
            Although a rule of the study says to stop.
        key
            See above.
        """
        body = {"n": n, "visits": visits, "case": case, "only": list(only),
                "without": list(without), "at_most": at_most, "anyway": anyway}  # fmt: skip
        return self._at.change("ask", body, key)

    def tell(
        self,
        request: int | Request,
        value: Value,
        *,
        cost: Amount | None = None,
        force: bool = False,
        key: str = "",
    ) -> Done:
        """Write down the value of a request, and what was charged if not the listed price."""
        body = {"value": value, "cost": cost, "force": force}
        return self._at.change("tell", body, key, request)

    def fail(
        self,
        request: int | Request,
        *,
        charged: bool | Amount = False,
        usable: bool = True,
        why: str = "",
        key: str = "",
    ) -> Done:
        """Say that a request brought no value; whether it was charged, and can be asked again."""
        body = {"charged": charged, "usable": usable, "why": why}
        return self._at.change("fail", body, key, request)

    def cancel(self, request: int | Request, *, why: str = "", key: str = "") -> Done:
        """Take a request back that costs nothing."""
        return self._at.change("cancel", {"why": why}, key, request)

    def expire(self, days: int, *, why: str = "", key: str = "") -> Done:
        """Take back requests that nobody carried out for so many days."""
        return self._at.change("expire", {"days": days, "why": why}, key)

    def correct(
        self,
        request: int | Request,
        value: Value | None,
        *,
        cost: Amount | None = None,
        why: str = "",
        force: bool = False,
        key: str = "",
    ) -> Done:
        """Replace a value; with None, there is none after all."""
        body = {"value": value, "cost": cost, "why": why, "force": force}
        return self._at.change("correct", body, key, request)

    def undo(self, request: int | Request, *, why: str = "", key: str = "") -> Done:
        """Take back a slip: what was told, failed or cancelled is pending again."""
        return self._at.change("undo", {"why": why}, key, request)

    def record(
        self,
        values: Iterable[Mapping[str, Value]],
        *,
        charge: bool | Amount = False,
        force: bool = False,
        key: str = "",
    ) -> Done:
        """Enter values that nobody asked for, each with ``case``, ``feature`` and ``value``."""
        body = {"values": [dict(each) for each in values], "charge": charge, "force": force}
        return self._at.change("record", body, key)

    def enter(
        self, results: Iterable[Mapping[str, Any]], *, charge: bool = False, key: str = ""
    ) -> Done:
        """Enter results, asked for or not, all or none.

        Each has ``case``, ``feature`` and ``value``, and may have ``cost``, ``note`` and ``force``.
        """
        body = {"results": [dict(each) for each in results], "charge": charge}
        return self._at.change("enter", body, key)

    def undo_batch(self, batch: str | Done, *, why: str = "", key: str = "") -> Done:
        """Take back all values that one operation wrote, by what it returned or by its key."""
        body = {"batch": batch.key if isinstance(batch, Done) else batch, "why": why}
        return self._at.change("undo-batch", body, key)

    def note(self, text: str, *, request: int | None = None, case: str = "", key: str = "") -> Done:
        """Write a note, about a request, a case or the study."""
        return self._at.change("note", {"text": text, "request": request, "case": case}, key)

    def withdraw(self, case: str, *, forget: bool = False, why: str = "", key: str = "") -> Done:
        """Take a case out for good; `forget` also takes out its values."""
        return self._at.change("withdraw", {"case": case, "forget": forget, "why": why}, key)

    def rule_out(self, case: str, feature: str, *, why: str = "", key: str = "") -> Done:
        """Say that a feature of a case cannot be had."""
        return self._at.change("rule-out", {"case": case, "feature": feature, "why": why}, key)

    def allow(self, case: str, feature: str, *, why: str = "", key: str = "") -> Done:
        """Say that it can be had again."""
        return self._at.change("allow", {"case": case, "feature": feature, "why": why}, key)

    def add_cases(
        self,
        cases: Iterable[Mapping[str, str]],
        *,
        known: Iterable[Mapping[str, Value]] = (),
        key: str = "",
    ) -> Done:
        """Take in cases, each with ``case`` and ``label``, and values that are known of them."""
        body = {"cases": [dict(each) for each in cases], "known": [dict(each) for each in known]}
        return self._at.change("add-cases", body, key)

    def add_feature(self, feature: Mapping[str, Any], *, key: str = "") -> Done:
        """Put a new feature up for sale; its table as in a study file."""
        return self._at.change("add-feature", {"feature": dict(feature)}, key)

    def add_value(
        self, feature: str, value: str, *, prior_count: float | None = None, key: str = ""
    ) -> Done:
        """Add a value to a feature whose values are names."""
        body = {"feature": feature, "value": value, "prior_count": prior_count}
        return self._at.change("add-value", body, key)

    def set_budget(self, budget: Amount, *, why: str = "", key: str = "", **terms: Any) -> Done:
        """Change the budget; `terms` are those of `budgeted.studies.commands.SetBudget`."""
        return self._at.change("budget", {"budget": budget, "why": why, **terms}, key)

    def set_cuts(self, feature: str, cuts: str, *, why: str = "", key: str = "") -> Done:
        """Change where a number is cut into categories: numbers, or a rule such as median."""
        return self._at.change("cuts", {"feature": feature, "cuts": cuts, "why": why}, key)

    def set_stop_rules(self, *, why: str = "", key: str = "", **rules: Any) -> Done:
        """Change when to stop; `rules` are those of `budgeted.studies.commands.SetStopRules`."""
        return self._at.change("stop-rules", {"why": why, **rules}, key)

    def close(self, *, why: str = "", key: str = "") -> Done:
        """Close the study: nothing is asked any more."""
        return self._at.change("close", {"why": why}, key)

    def reopen(self, why: str, *, key: str = "") -> Done:
        """Open it again, for a reason that the log keeps."""
        return self._at.change("reopen", {"why": why}, key)
