"""Run the command line as ``python -m budgeted``."""

from budgeted.cli import main

main()
