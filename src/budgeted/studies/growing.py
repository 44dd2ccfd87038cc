"""What people do to a study besides buying: it grows, goes on, is deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from budgeted.errors import StudyError
from budgeted.problem import Feature
from budgeted.studies import commands
from budgeted.studies.beginning import as_written
from budgeted.studies.commands import NewCase, RecordedValue
from budgeted.studies.drafts import fresh_key
from budgeted.studies.growth import CasesAdded
from budgeted.studies.journal import Head
from budgeted.studies.ledger import Ledger
from budgeted.studies.projection import Requested


@dataclass(frozen=True)
class Arrived:
    """What became of cases that were added."""

    new: tuple[str, ...]  # names of those that are new
    there: int  # how many were there already
    known: tuple[Requested, ...]  # values that came with them, and were not known before


class Growing(Ledger):
    """A study whose cases, features and values may become more."""

    def add_cases(
        self,
        cases: Sequence[tuple[str, str]],
        *,
        known: Sequence[tuple[str, str, str]] = (),
        groups: Mapping[str, str] | None = None,
        key: str = "",
    ) -> Arrived:
        """Take in cases that arrive later, all of them or none."""
        mine = dict(groups or {})
        given = [NewCase(*each, *_group(each, mine)) for each in cases]
        if mine:
            raise StudyError(f"groups: there is no case {next(iter(mine))!r} among those added")
        mark = key or fresh_key()
        done = self.do(commands.AddCases(given, cast(Sequence[RecordedValue], known)), key=mark)
        written = done.events
        if done.repeated:
            written = tuple(entry.event for entry in self._entries if entry.key == mark)
        new = tuple(
            name for event in written if isinstance(event, CasesAdded) for name, _ in event.cases
        )
        return Arrived(new, len(given) - len(new), done.requests)

    def add_feature(self, feature: Feature, *, key: str = "") -> None:
        """Put a new test up for sale, of all cases that are not withdrawn."""
        written = as_written(feature)
        table = {
            "name": written.name, "kind": written.kind, **written.parameters,
            "cost": written.cost, "prior_counts": written.prior_counts,
        }  # fmt: skip
        self.do(commands.AddFeature(table), key=key)

    def add_value(
        self, feature: str, value: str, prior_count: float | None = None, *, key: str = ""
    ) -> None:
        """Add a value to a feature whose values are names; it stands behind the others."""
        self.do(commands.AddValue(feature, value, prior_count), key=key)

    def rule_out(self, case: str, feature: str, why: str = "", *, key: str = "") -> None:
        """Say that a feature cannot be had of a case, before it is asked of it."""
        self.do(commands.RuleOut(case, feature, why), key=key)

    def allow(self, case: str, feature: str, why: str = "", *, key: str = "") -> None:
        """Let a feature be asked of a case again that was ruled out, or failed as unusable."""
        self.do(commands.Allow(case, feature, why), key=key)

    def ruled_out(self) -> dict[tuple[str, str], str]:
        """Return which feature of which case is ruled out, by case and feature, and why."""
        every = self._projection.ruled_out.items()
        return {cell: why for cell, why in every if why is not None}

    def reopen(self, why: str, *, key: str = "") -> None:
        """Go on with a study that was closed, for a reason that the log keeps."""
        self.do(commands.Reopen(why), key=key)

    def delete(self) -> Head:
        """Take the study out of the database for good, with all its events.

        Only one that is closed can be deleted. Return number and digest of its
        last event: whoever kept a copy can show by the digest that it is the one. Backups of the
        database still hold it.
        """
        self.refresh()
        if not self.closed:
            raise StudyError(f"study {self.name!r} is not closed; close it first")
        return self._journal.delete()


def _group(case: Sequence[str], groups: dict[Any, str]) -> tuple[str, ...]:
    """Take the group of a case out of all; nothing if it has none, or brings it along."""
    if isinstance(case, str) or len(case) != 2 or case[0] not in groups:
        return ()
    return (groups.pop(case[0]),)
