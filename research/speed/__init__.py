"""What decisions, engines, studies and pages cost, from ``make speed``: ratios of one run."""
