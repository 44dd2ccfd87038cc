"""The paper reproduced: every figure and every claim, from ``make reproduce``."""
