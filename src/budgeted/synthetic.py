"""The synthetic problems of the paper: the short name of `budgeted.simulation.synthetic`."""

from budgeted.simulation.synthetic import FIGURE_3A, FIGURE_3B, SYNTHETIC, Synthetic

__all__ = ["FIGURE_3A", "FIGURE_3B", "SYNTHETIC", "Synthetic"]
