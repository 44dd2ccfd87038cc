"""Run the command line as ``python -m budgeted``."""

from budgeted.cli.main import main

main()
