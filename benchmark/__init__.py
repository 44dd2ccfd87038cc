"""The default against all other policies on problems it was not tuned on, from ``make benchmark``."""
