"""Whole runs of a policy, one or many: the short name of `budgeted.experiments.runs`."""

from budgeted.experiments.runs import Run, Runs, play, repeat, run_seed

__all__ = ["Run", "Runs", "play", "repeat", "run_seed"]
