"""Everything that can go wrong by what a caller asked for, each with one name.

All of them are `BudgetedError`, which is a `ValueError`; so ``except BudgetedError`` catches what
this package says, and nothing that Python or NumPy says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from budgeted.hints import Hint


class BudgetedError(ValueError):
    """Base of all errors that this package raises on purpose.

    Parameters
    ----------
    message
        What is wrong, in words that fit every surface.
    hint
        What to do about it; a terminal and a page say it differently, see `budgeted.hints`.
    """

    hint: Hint | None = None

    def __init__(self, *message: object, hint: Hint | None = None) -> None:
        self.hint = hint
        super().__init__(*message)


class PluginWarning(UserWarning):
    """A member of another package, or a file of this one, that is left out, and why."""


class _Mistakes(BudgetedError):
    """Several mistakes at once; ``mistakes`` lists them, each with its field."""

    def __init__(self, mistakes: Iterable[str]) -> None:
        self.mistakes = (mistakes,) if isinstance(mistakes, str) else tuple(mistakes)
        super().__init__("; ".join(self.mistakes))

    def __reduce__(self) -> tuple[type[_Mistakes], tuple[tuple[str, ...]]]:
        return type(self), (self.mistakes,)  # so that it arrives whole from another process


class ProblemError(_Mistakes):
    """A problem that makes no sense."""


class FeatureKindError(BudgetedError):
    """A kind of feature that is not there, or something that cannot be one."""


class ExperimentError(_Mistakes):
    """An experiment file that cannot be run."""


class RunnerError(BudgetedError):
    """Results that cannot be written or read, or a worker that died."""


class DamagedError(RunnerError):
    """A file of runs that does not hold what was written into it."""


class ObservationError(BudgetedError):
    """A feature, label or value that the problem does not have, or nothing left to retract."""


class AllocationError(BudgetedError):
    """An allocation with negative or fractional purchases, or of cells that do not exist."""


class PurchaseError(BudgetedError):
    """A purchase or request that the state cannot take: no money, no case, wrong number."""


class EngineError(BudgetedError):
    """An unknown loss or engine, or one that cannot do what was insisted on."""


class PolicyError(BudgetedError):
    """An unknown policy, or a parameter that it does not take."""


class DrawError(BudgetedError):
    """A policy that draws what cannot be enumerated, so that its odds are not known exactly."""


class OptimalError(BudgetedError):
    """A problem that is too large for the exact programme; says what would fit."""


class FigureError(BudgetedError):
    """A figure that cannot be written where or how it was asked for."""


class WorldError(BudgetedError):
    """A table of cases, a model or a setting from which nothing can be bought."""


class TableError(BudgetedError):
    """A CSV file or dataframe that is not a table of labelled cases; names the line or column."""


class DatasetError(BudgetedError):
    """A table that is not in the catalogue, or that cannot be rebuilt here and now."""


class StudyError(BudgetedError):
    """Something that a study cannot do now: an unknown number or case, a value told twice."""


class UnknownError(StudyError):
    """A study, request or case that is not there."""


class StudyFileError(BudgetedError):
    """A study file, list of cases or CSV with mistakes; ``mistakes`` lists all of them.

    ``hints`` says what to do about each, where there is something to say.
    """

    def __init__(
        self, source: str, mistakes: Iterable[str], hints: Sequence[Hint | None] = ()
    ) -> None:
        self.mistakes, self.hints = tuple(mistakes), tuple(hints)
        listed = "".join(f"\n  {mistake}" for mistake in self.mistakes)
        super().__init__(f"{source}:{listed}")


class JournalError(BudgetedError):
    """A database that cannot be read or written: foreign, damaged, newer, read-only, full.

    >>> error = JournalError("is read-only", "postgresql://anna@lab/studies")
    >>> str(error), error.reason
    ('postgresql://anna@lab/studies: is read-only', 'is read-only')
    """

    def __init__(self, reason: str, where: str = "", *, hint: Hint | None = None) -> None:
        self.reason = reason
        self.where = where
        super().__init__(f"{where}: {reason}" if where else reason, hint=hint)


class UnknownFateError(JournalError):
    """The connection was lost while writing, and nobody knows whether it was written.

    What was wanted may be there or not. Repeating it with the same key is safe: it is carried out
    once at most.
    """

    def __init__(self, reason: str, where: str = "", key: str = "") -> None:
        self.key = key
        again = f"; repeated with the key {key} it is carried out once at most" if key else ""
        super().__init__(f"{reason}{again}", where)


class ForeignHistoryError(JournalError):
    """The database holds another history than the one that was read: open the study again.

    Somebody restored an older copy, or put another database in its place.
    """


class ConflictError(JournalError):
    """Somebody else wrote to the journal first; read on and try again."""


class UnwritableError(JournalError):
    """A text or number that a journal cannot hold, such as half a character."""


class LearnerError(BudgetedError):
    """A learner that does not exist, or a parameter that it does not have."""


class PriceListError(_Mistakes):
    """A price list that is not there, or whose parameters or quotes make no sense."""


class StopRuleError(_Mistakes):
    """Rules for stopping that make no sense, or one that is not there."""


class ModelError(BudgetedError):
    """A model that is not in the documented format, or a case or prior that it cannot take."""


class DiagnosisError(_Mistakes):
    """An active classifier that makes no sense: prices, costs of wrong answers, or a case."""


class PlanError(_Mistakes):
    """A plan that cannot be made: assumptions, a pilot table, a target or what-ifs."""


class AccessError(BudgetedError):
    """Somebody who may not come in, or a file of passwords or tokens that cannot be used."""


class BusyError(BudgetedError):
    """The server has enough to do; try again later."""


class ServerError(_Mistakes):
    """A server that cannot be reached, or says something unexpected, or that a request is wrong."""
