"""The default against all others on worlds that chose nothing, from ``make benchmark``."""
