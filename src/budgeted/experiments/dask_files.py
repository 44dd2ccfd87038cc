"""Files of the user on the workers of a Dask cluster, also on those that join later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from distributed import WorkerPlugin

from budgeted.experiments import sources


class HandOver(WorkerPlugin):  # type: ignore[misc]
    """Keeps contents, by their hashes, in the memory of every worker while an experiment runs."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self.contents = dict(contents)

    def setup(self, worker: Any) -> None:
        """Begin; Dask calls it on each worker, and on each one that joins."""
        sources.hand_over(self.contents)

    def teardown(self, worker: Any) -> None:
        """End."""
        sources.forget(self.contents)
