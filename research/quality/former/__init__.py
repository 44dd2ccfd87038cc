"""The classifier that the default delivered before `budgeted.learners`: for comparisons only."""
