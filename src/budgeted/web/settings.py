"""What a server is told when it starts."""

from __future__ import annotations

import hashlib
import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path

from budgeted.addresses import is_loopback
from budgeted.errors import AccessError
from budgeted.studies.journal import parse_url

_HEADER = re.compile(r"[A-Za-z0-9-]*")
_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)+")


@dataclass(frozen=True)
class Limits:
    """How much of everything one server takes on; what is more is refused in words."""

    body: int = 1_000_000
    upload: int = 20_000_000
    connections: int = 2_000  # at the same time; fewer where the system allows fewer open files
    rows: int = 200_000
    columns: int = 5_000
    cells: int = 5_000_000
    unpacked: int = 100_000_000  # bytes of an uploaded workbook once it is unpacked
    ask: int = 200  # requests of one `ask`
    streams: int = 200  # browsers and programs that watch at the same time
    studies: int = 64
    runs: int = 2_000
    waiting: int = 20
    played: int = 5_000_000
    workers: int = 1  # processes of the plan that is under way
    forecast: float = 20.0  # seconds of a forecast that somebody wants from the page


@dataclass(frozen=True)
class Settings:
    """Where the studies are, who may come in, and how much is too much.

    >>> Settings("studies.db").data_folder.name
    'studies.db-web'
    >>> Settings("studies.db", host="0.0.0.0")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    budgeted.errors.AccessError: --host 0.0.0.0: others can reach this address, so people must \
log in; ...
    """

    database: str  # path of a SQLite file, or the URL of a PostgreSQL database
    host: str = "127.0.0.1"
    port: int = 8000
    folder: Path | None = None
    password_file: Path | None = None
    token_file: Path | None = None
    trusted_proxies: tuple[str, ...] = ()
    auth_header: str = ""
    root_path: str = ""
    allowed_hosts: tuple[str, ...] = ()
    log: str = ""
    log_format: str = "json"
    public_metrics: bool = False  # whether ``/metrics`` is answered without credentials
    poll: float = 1.0  # seconds between looks at what others, such as the command line, wrote
    limits: Limits = Limits()  # how much is too much

    def __post_init__(self) -> None:
        if not self.credentials_needed and not is_loopback(self.host):
            raise AccessError(
                f"--host {self.host}: others can reach this address, so people must log in; give "
                f"--password-file or --token-file ('budgeted serve-password' writes one), or "
                f"leave out --host"
            )
        if self.trusted_proxies and not self.credentials_needed:
            raise AccessError(
                "--trusted-proxy: through a proxy others can reach this server, so people must log "
                "in; give --password-file or --token-file ('budgeted serve-password' writes one)"
            )
        if self.auth_header and not self.trusted_proxies:
            raise AccessError(
                "--auth-header: anybody could write this header, so say whose is believed; give "
                "--trusted-proxy with the address of the proxy that logs people in"
            )
        if not _HEADER.fullmatch(self.auth_header):
            raise AccessError(
                f"--auth-header {self.auth_header}: must be the name of a header, such as "
                f"X-Remote-User"
            )
        if self.root_path and not _PREFIX.fullmatch(self.root_path):
            raise AccessError(
                f"--root-path {self.root_path}: must be a path such as /budgeted, made of letters, "
                f"digits and - . _ ~"
            )
        _ = self.proxy_networks

    @property
    def credentials_needed(self) -> bool:
        """Whether people must say who they are and prove it."""
        return self.password_file is not None or self.token_file is not None

    @property
    def proxy_networks(self) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
        """The addresses of trusted proxies."""
        try:
            return tuple(ipaddress.ip_network(each, strict=False) for each in self.trusted_proxies)
        except ValueError as error:
            raise AccessError(
                f"--trusted-proxy: {error}; give an address such as 10.0.0.5 or a network such "
                f"as 10.0.0.0/8"
            ) from None

    @property
    def most_connections(self) -> int:
        """How many there can be: half of the files that the system lets the server open at most."""
        try:
            import resource  # noqa: PLC0415 - there is none on Windows
        except ImportError:
            return self.limits.connections
        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        unlimited = allowed == resource.RLIM_INFINITY
        return self.limits.connections if unlimited else min(self.limits.connections, allowed // 2)

    @property
    def realm(self) -> str:
        """What tells servers on the same folder apart: who may come in, and where they are."""
        files = (self.password_file, self.token_file)
        return "|".join([*("" if each is None else str(each.resolve()) for each in files),
                         self.root_path])  # fmt: skip

    @property
    def data_folder(self) -> Path:
        """Where validation files, forecasts and plans are kept."""
        if self.folder is not None:
            return self.folder
        url = parse_url(self.database)
        if url.get_backend_name() == "sqlite":
            return Path(f"{url.database}-web")
        # Another database may have studies of the same names.
        where = url.render_as_string(hide_password=True)
        return Path("budgeted-web") / hashlib.sha256(where.encode()).hexdigest()[:12]
