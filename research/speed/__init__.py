"""What decisions, studies and pages cost: beside an earlier revision, and with a crowd."""
