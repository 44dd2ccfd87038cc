"""Everything that may end badly for a study, again and again, and what is left of it then.

    make crashes     # or: python -m tests.crashes [STORY …] [--times N] [--full] [--database URL]

Processes that are killed while they work, a PostgreSQL that is killed under them, connections that
drop before the answer to a COMMIT, older copies that are put back, files that are cut off or lose
a bit. Each story is a file with a `play`, which the tests in tests/studies/ call with less.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from budgeted import Study
from tests import sample_studies


@dataclass
class Tally:
    """What a story came to; the last four must be nothing.

    Attributes
    ----------
    story, times
        Which one, and how often it struck.
    acknowledged
        Operations that were said to be done.
    lost, doubled, half_done, crossed
        Of them, those that are not there; operations that were carried out twice, or in part; and
        how often more money was committed than there is.
    said
        What else is worth knowing.
    """

    story: str
    times: int
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    half_done: int = 0
    crossed: int = 0
    said: Counter[str] = field(default_factory=Counter)

    @property
    def clean(self):
        return not (self.lost or self.doubled or self.half_done or self.crossed)

    def row(self):
        numbers = (self.times, self.acknowledged, self.lost, self.doubled, self.half_done,
                   self.crossed)  # fmt: skip
        rest = ", ".join(f"{number} {what}" for what, number in self.said.items())
        return f"{self.story:<22}" + "".join(f"{each:>13}" for each in numbers) + f"  {rest}"

    def judge(self, database, name, sizes, done):
        """Look whether all that was done is there, once and whole; return the key of each event.

        Parameters
        ----------
        database, name
            Of the study, which is opened anew.
        sizes
            Of each operation that was begun, by its key: how many events it gives.
        done
            The keys of those that are said to be done, which gave events.
        """
        with Study.open(database, name) as study:
            sample_studies.check_everything(study)
            state, entries = study.state, study.history()
        assert [entry.seq for entry in entries] == list(range(1, len(entries) + 1))
        found = Counter(entry.key for entry in entries)
        self.lost += sum(not found[key] for key in done)
        self.doubled += sum(found[key] > size for key, size in sizes.items())
        self.half_done += sum(0 < found[key] < size for key, size in sizes.items())
        self.crossed += state.spent + state.reserved > state.problem.budget
        return found


HEAD = f"{'story':<22}" + "".join(
    f"{each:>13}" for each in ("times", "acknowledged", "lost", "doubled", "half-done", "crossed")
)
