"""Studies that are being prepared, kept in a folder of the server until they begin.

They are kept there and not in the browser: a file that was chosen cannot be put into a form again,
so only so can people go back and forth, close the window, or come back after a restart. Everybody
has one at a time, as large as an upload may be, and what nobody touched for a month goes.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from budgeted.errors import BusyError, UnknownError
from budgeted.files import write_atomically
from budgeted.studies.journal import now
from budgeted.studies.preparing import Preparation, Table
from budgeted.web.settings import Settings

_MOST_BYTES = 500_000_000
_AGE = 30 * 24 * 3600
"""Seconds after which one that nobody touched goes."""
_ID = re.compile(r"[0-9a-f]{24}")
_CACHED = 4
_MOST_NAMES = 1_000


@dataclass(frozen=True)
class Draft:
    """A study that is being prepared, and whose it is."""

    id: str
    by: str
    at: str
    made: Preparation = field(default_factory=Preparation)  # all that was said so far
    validation: Table | None = None  # cases known in full, to measure the error on
    begun: str = ""  # the name of the study, once it has begun

    @property
    def name(self) -> str:
        """The name of the study so far."""
        return str(self.made.plain.get("name", ""))


class Preparations:
    """All studies that are being prepared on a server."""

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.data_folder / "preparations"
        self._guarded = settings.credentials_needed
        self._lock = asyncio.Lock()
        self._currencies: dict[str, str] = {}
        self._tables: dict[tuple[Path, int], Table] = {}

    async def of(self, by: str) -> Draft | None:
        """Return that of somebody, without its tables; None if there is none, or it has begun."""
        every = await asyncio.to_thread(self._every)
        mine = [each for each in every if self._may(each, by) and not each.begun]
        return max(mine, key=lambda each: each.at, default=None)

    async def create(self, by: str, made: Preparation) -> Draft:
        """Keep a new one; what the same person prepared before goes."""
        async with self._lock:
            return await asyncio.to_thread(self._created, by, made)

    async def find(self, id: str, by: str) -> Draft:
        """Return one, for whose it is."""
        return await asyncio.to_thread(self._found, id, by)

    @asynccontextmanager
    async def changing(self, id: str, by: str) -> AsyncIterator[list[Draft]]:
        """Give one to be changed, in a list; what is in the list afterwards is kept."""
        async with self._lock:
            before = await asyncio.to_thread(self._found, id, by)
            held = [before]
            yield held
            if held[0] is not before:
                await asyncio.to_thread(self._keep, replace(held[0], at=now()), before)

    async def name_currency(self, study: str, currency: str) -> None:
        """Remember in which currency the amounts of a study are; the library knows of none."""
        file = self._currency_file(study)
        self._currencies[study] = currency
        if currency:
            file.parent.mkdir(parents=True, exist_ok=True)
            await asyncio.to_thread(write_atomically, file, currency.encode())
        else:
            await asyncio.to_thread(file.unlink, True)

    def currency_of(self, study: str) -> str:
        """Return the currency of a study; empty if nobody said it."""
        if study not in self._currencies:
            if len(self._currencies) >= _MOST_NAMES:
                self._currencies.clear()
            try:
                found = self._currency_file(study).read_text(encoding="utf-8")
            except (OSError, ValueError):
                found = ""
            self._currencies[study] = found
        return self._currencies[study]

    def _currency_file(self, study: str) -> Path:
        """Where it is kept; a digest, because a name may hold anything."""
        digest = hashlib.sha256(study.encode(errors="replace")).hexdigest()
        return self._folder.parent / "currencies" / f"{digest}.txt"

    def _created(self, by: str, made: Preparation) -> Draft:
        self._tidy()
        before = [each.id for each in self._every() if each.by == by]
        draft = Draft(secrets.token_hex(12), by, now(), made)
        try:
            self._keep(draft, None)
        except BaseException:
            shutil.rmtree(self._folder / draft.id, ignore_errors=True)
            raise
        for each in before:
            shutil.rmtree(self._folder / each, ignore_errors=True)
        return draft

    def _found(self, id: str, by: str) -> Draft:
        if _ID.fullmatch(id):
            with suppress(OSError, ValueError, KeyError, TypeError):
                found = self._read(self._folder / id, tables=True)
                if self._may(found, by):
                    return found
        raise UnknownError("there is no such study in preparation; begin a new one")

    def _may(self, draft: Draft, by: str) -> bool:
        return not self._guarded or draft.by == by

    def _every(self) -> list[Draft]:
        found = []
        for each in self._folder.glob("*/draft.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):  # a damaged one hides no other
                found.append(self._read(each.parent, tables=False))
        return found

    def _read(self, folder: Path, *, tables: bool) -> Draft:
        plain = json.loads((folder / "draft.json").read_text(encoding="utf-8"))
        held: dict[str, Table | None] = {"table": None, "validation": None}
        for key in held:
            file = folder / f"{key}.json"
            if tables and file.exists():
                held[key] = self._table(file)
        made = Preparation(**plain.pop("made"), table=held["table"])
        return Draft(made=made, validation=held["validation"], **plain)

    def _table(self, file: Path) -> Table:
        place = (file, file.stat().st_mtime_ns)
        if place not in self._tables:
            made = Table.from_json(json.loads(file.read_text(encoding="utf-8")))
            while len(self._tables) >= _CACHED:
                self._tables.pop(next(iter(self._tables)), None)
            self._tables[place] = made
        return self._tables[place]

    def _keep(self, draft: Draft, before: Draft | None) -> None:
        folder = self._folder / draft.id
        folder.mkdir(parents=True, exist_ok=True)
        tables = {"table": draft.made.table, "validation": draft.validation}
        were = {"table": before.made.table, "validation": before.validation} if before else {}
        for key, table in tables.items():
            file = folder / f"{key}.json"
            if table is None:
                file.unlink(missing_ok=True)
            elif table is not were.get(key):
                content = json.dumps(table.to_json(), ensure_ascii=False).encode()
                if self._bytes() + len(content) > _MOST_BYTES:
                    raise BusyError(
                        "the studies in preparation on this server take all the room there is for "
                        "them. Nothing was kept"
                    )
                write_atomically(file, content)
        made = draft.made
        plain: dict[str, Any] = {
            "id": draft.id, "by": draft.by, "at": draft.at, "begun": draft.begun,
            "made": {"plain": made.plain, "uses": made.uses, "currency": made.currency,
                     "filled": made.filled},
        }  # fmt: skip
        write_atomically(folder / "draft.json", json.dumps(plain, ensure_ascii=False).encode())

    def _bytes(self) -> int:
        return sum(each.stat().st_size for each in self._folder.glob("*/*.json"))

    def _tidy(self) -> None:
        for each in self._folder.glob("*"):
            with suppress(OSError):
                if time.time() - (each / "draft.json").stat().st_mtime > _AGE:
                    shutil.rmtree(each, ignore_errors=True)
