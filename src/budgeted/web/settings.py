"""What a server is told when it starts."""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from budgeted.errors import AccessError
from budgeted.journal import parse_url


@dataclass(frozen=True)
class Limits:
    """How much of everything one server takes on; what is more is refused in words.

    Attributes
    ----------
    body, upload
        Bytes of a request, and of one that brings files.
    rows, cells
        Of an uploaded table.
    ask
        Requests of one `ask`.
    streams
        Browsers and programs that watch at the same time.
    studies
        Studies that are kept open; others are opened again when somebody looks at them.
    memory
        Bytes that open studies may take together, about; those that nobody uses go first.
    runs, waiting
        Runs of one rehearsal, and rehearsals that wait their turn.
    workers
        Processes of the rehearsal that is under way.
    """

    body: int = 1_000_000
    upload: int = 20_000_000
    rows: int = 200_000
    cells: int = 5_000_000
    ask: int = 200
    streams: int = 200
    studies: int = 64
    memory: int = 256_000_000
    runs: int = 2_000
    waiting: int = 20
    workers: int = 1


@dataclass(frozen=True)
class Settings:
    """Where the studies are, who may come in, and how much is too much.

    Attributes
    ----------
    database
        Path of a SQLite file, or the URL of a PostgreSQL database.
    host, port
        Where to listen.
    folder
        Where validation files and rehearsals are kept; unless given, beside a SQLite file, or in
        `budgeted-web` for a server's database.
    password_file, token_file
        Who may come in; see `budgeted.web.credentials`. On any host but loopback one is needed.
    poll
        Seconds between looks at what others, such as the command line, wrote.
    limits
        How much is too much.

    Examples
    --------
    >>> Settings("studies.db").data_folder.name
    'studies.db-web'
    >>> Settings("studies.db", host="0.0.0.0")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    budgeted.errors.AccessError: --host 0.0.0.0: others can reach this address, so people must \
log in; ...
    """

    database: str
    host: str = "127.0.0.1"
    port: int = 8000
    folder: Path | None = None
    password_file: Path | None = None
    token_file: Path | None = None
    poll: float = 1.0
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if not self.credentials_needed and not is_loopback(self.host):
            raise AccessError(
                f"--host {self.host}: others can reach this address, so people must log in; give "
                f"--password-file or --token-file ('budgeted serve-password' writes one), or "
                f"leave --host away"
            )

    @property
    def credentials_needed(self) -> bool:
        """Whether people must say who they are and prove it."""
        return self.password_file is not None or self.token_file is not None

    @property
    def data_folder(self) -> Path:
        """Where validation files and rehearsals are kept."""
        if self.folder is not None:
            return self.folder
        url = parse_url(self.database)
        if url.get_backend_name() == "sqlite":
            return Path(f"{url.database}-web")
        # Another database may have studies of the same names.
        where = url.render_as_string(hide_password=True)
        return Path("budgeted-web") / hashlib.sha256(where.encode()).hexdigest()[:12]


@lru_cache(maxsize=64)
def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.9", "::1", "0.0.0.0", "lab", "")]
    [True, True, True, False, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
