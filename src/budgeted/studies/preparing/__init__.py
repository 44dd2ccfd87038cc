r"""A study that is being prepared: a spreadsheet and some answers become a study file.

What people answer step by step is kept in the form of a study file: the same keys, and texts as
they were typed where these make no sense yet. So `budgeted.studies.files` checks both alike, and
`to_toml` of a preparation gives the file that the command line takes.

>>> table = read_table(b"patient;diagnosis;crp\nAnn;ill;12,5\nBob;well;3,1\n", "list.csv")
>>> made = Preparation({"name": "flu"}).with_table(table)
>>> made.uses
{'patient': 'case', 'diagnosis': 'label', 'crp': 'test'}
>>> made.plain["features"][0]["cuts"], made.plain["decimal"]
([12.5], 'comma')
"""

from __future__ import annotations

from budgeted.studies.preparing.columns import USES, guessed_uses
from budgeted.studies.preparing.preparation import Preparation
from budgeted.studies.preparing.tables import Table, read_table
from budgeted.studies.preparing.toml_text import to_toml

__all__ = ["USES", "Preparation", "Table", "guessed_uses", "read_table", "to_toml"]
