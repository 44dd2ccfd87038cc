"""Names of studies and cases in addresses, as routes are given them: any text, as it was."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path

from budgeted.addresses import name_of, segment

__all__ = ["CaseName", "StudyName", "name_of", "segment"]


async def _named(name: Annotated[str, Path(description="Name of the study.")]) -> str:
    return name_of(name)


async def _of_case(case: Annotated[str, Path(description="Name of the case.")]) -> str:
    return name_of(case)


StudyName = Annotated[str, Depends(_named)]
"""The name of a study in an address, for routes with ``{name}``."""

CaseName = Annotated[str, Depends(_of_case)]
"""The name of a case in an address, for routes with ``{case}``."""
