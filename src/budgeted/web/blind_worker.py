"""One study on the server, for who must not see labels: the same, without them.

Everything that is shown of a study comes from its worker. Who is blind to labels gets this one in
its place, so that no page can forget to leave them out.
"""

from __future__ import annotations

from budgeted.studies.blinding import BlindSnapshot
from budgeted.studies.commands import Command
from budgeted.studies.drafts import Done
from budgeted.studies.snapshot import Snapshot
from budgeted.web.worker import StudyWorker


class BlindWorker(StudyWorker):
    """The worker of a study that shows no labels.

    Parameters
    ----------
    worker
        Of the study; both are one, and differ only in what they show.
    """

    blind = True

    def __init__(self, worker: StudyWorker) -> None:
        self.__dict__ = worker.__dict__

    async def do(self, command: Command, *, by: str, key: str = "") -> Done:
        """Have something done to the study, and say so without labels."""
        return self.blinder.done(await super().do(command, by=by, key=key))

    def _shown(self, snapshot: Snapshot) -> Snapshot:
        if isinstance(snapshot, BlindSnapshot):
            return snapshot
        if self.blinded is None or self.blinded.seen is not snapshot:
            self.blinded = self.blinder.snapshot(snapshot)
        return self.blinded
