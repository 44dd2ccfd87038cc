"""The process that makes one plan: ``python -m budgeted.web.planner``.

It says how many runs there are, keeps each as it ends, and leaves the plan in a file of its own
(`budgeted.web.children`). One that is started again goes on where the last one stopped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from budgeted.experiments import executors
from budgeted.files import write_atomically
from budgeted.studies.forecast import code
from budgeted.web.children import child
from budgeted.web.plan_files import PlanFile


def main(wanted: dict[str, Any], say: Callable[[int], None]) -> None:
    """Make a plan."""
    file, workers = PlanFile.read(Path(wanted["folder"])), wanted["workers"]
    # Runs of another version of the package are none of this plan.
    keep = file.folder / f"runs-{code()[:12]}.jsonl"
    with ExitStack() as stack:
        made = file.question.asked(wanted["most_cases"]).plan(
            file.at,
            pool=stack.enter_context(executors.processes(workers)) if workers > 1 else None,
            workers=workers,
            keep=keep,
            progress=lambda done, total: say(done),
        )
    write_atomically(file.made, json.dumps({"code": code(), "plan": made.to_plain()}).encode())


if __name__ == "__main__":
    child(main)
