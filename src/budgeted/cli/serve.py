"""The commands about the page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from budgeted.cli.studies.options import DATABASE

if TYPE_CHECKING:
    from budgeted.web.auth.roles import Role

_FILE = click.Path(dir_okay=False, path_type=Path)
_ROLE = click.option(
    "--role",
    type=click.Choice(["looks", "enters", "manages"]),
    help="What NAME may do: look; also enter values, without seeing labels; or manage.  [default: "
    "what it was, else manages]",
)


@click.command()
@click.option("--db", "database", metavar="URL", default=DATABASE, show_default=True,
              envvar="BUDGETED_DB",
              help="SQLite file, or postgresql://user@host/name (BUDGETED_DB).")  # fmt: skip
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Where to listen; others can reach anything but loopback.")  # fmt: skip
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535),
              help="0 takes a free one.")  # fmt: skip
@click.option("--password-file", type=_FILE, help="People who may log in; see serve-password.")
@click.option("--token-file", type=_FILE, help="Programs that may come in; see serve-token.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path),
              help="Where validation files and plans are kept.  [default: beside the "
              "database]")  # fmt: skip
@click.option("--tls-certificate", type=_FILE, help="Speak HTTPS with this certificate …")
@click.option("--tls-key", type=_FILE, help="… and this key.")
@click.option("--trusted-proxy", "trusted_proxies", metavar="ADDRESS", multiple=True,
              help="Address or network of a proxy whose X-Forwarded-For and -Proto are believed; "
              "again for several.")  # fmt: skip
@click.option("--auth-header", metavar="NAME", default="",
              help="Header, such as X-Remote-User, in which a trusted proxy names whom it logged "
              "in; what he may do stands in the file of passwords.")  # fmt: skip
@click.option("--root-path", metavar="PATH", default="",
              help="Path in front of everything, such as /budgeted, behind a proxy.")  # fmt: skip
@click.option("--allowed-host", "allowed_hosts", metavar="NAME", multiple=True,
              help="Name under which the page may be reached; again for several.  [default: any "
              "where people log in, else those of this machine]")  # fmt: skip
@click.option("--log", metavar="FILE", default="",
              help="Log every request, log-in and change there; - is standard error.  [default: "
              "only what is worth a look, to standard error]")  # fmt: skip
@click.option("--log-format", type=click.Choice(["json", "text"]), default="json",
              show_default=True, help="How lines of --log look.")  # fmt: skip
@click.option("--public-metrics", is_flag=True, help="Answer /metrics without credentials.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64),
              help="Processes of a plan.")  # fmt: skip
@click.option("--forecast-seconds", default=20.0, show_default=True, type=click.FloatRange(1, 60),
              help="How long a forecast takes that is wanted from the page.")  # fmt: skip
@click.option("--example", is_flag=True, help="Put a sample study in place if there is none.")
@click.option("--open", "show", is_flag=True, help="Open the page in the browser.")
def serve(
    database: str,
    host: str,
    port: int,
    password_file: Path | None,
    token_file: Path | None,
    folder: Path | None,
    tls_certificate: Path | None,
    tls_key: Path | None,
    trusted_proxies: tuple[str, ...],
    auth_header: str,
    root_path: str,
    allowed_hosts: tuple[str, ...],
    log: str,
    log_format: str,
    public_metrics: bool,
    workers: int,
    forecast_seconds: float,
    example: bool,
    show: bool,
) -> None:
    """Open studies in the browser, until Ctrl-C.

    On this machine (127.0.0.1) the page just opens. On any other host people must log in: give a
    file of passwords, of tokens, or both. Where strangers can reach it, put a proxy such as nginx
    in front, which keeps off who sends slowly.
    """
    try:
        from budgeted.web.server import run
        from budgeted.web.settings import Limits, Settings
    except ImportError as error:
        raise click.ClickException(
            f"the page needs the extra 'web': pip install 'budgeted[web]' ({error})"
        ) from None
    if (tls_certificate is None) != (tls_key is None):
        raise click.UsageError("--tls-certificate and --tls-key go together")
    settings = Settings(
        database,
        host,
        port,
        folder,
        password_file,
        token_file,
        trusted_proxies,
        auth_header,
        root_path.rstrip("/"),
        tuple(name.lower() for name in allowed_hosts),
        log,
        log_format,
        public_metrics,
        limits=Limits(workers=workers, forecast=forecast_seconds),
    )
    if example:
        from budgeted.web.sample import put_in_place

        put_in_place(database)
    tls = None if tls_certificate is None or tls_key is None else (tls_certificate, tls_key)
    run(settings, announce=click.echo, tls=tls, show=show)


@click.command("serve-password")
@click.argument("name")
@click.option("--file", "path", default="budgeted-passwords", show_default=True, type=_FILE,
              help="The file to write.")  # fmt: skip
@click.option("--password", help="Asked for unless given; or the first line of a pipe.")
@click.option("--no-password", is_flag=True, help="NAME is logged in by a proxy (--auth-header).")
@_ROLE
@click.option(
    "--keep", is_flag=True, help="Keep the password that NAME has: only the role changes."
)
@click.option("--remove", is_flag=True, help="Take NAME out of the file instead.")
def serve_password(
    name: str,
    path: Path,
    password: str | None,
    no_password: bool,
    role: str | None,
    keep: bool,
    remove: bool,
) -> None:
    """Let a person log in: write NAME and a hash of the password into a file.

    A server that runs notices: who has another password, or is taken out, is logged out at once;
    another role holds at once.
    """
    from budgeted.web.auth.credentials import (
        NO_PASSWORD,
        password_line,
        remove_line,
        write_line,
    )

    if remove:
        remove_line(path, name)
        click.echo(f"{name} is not in {path} any more")
        return
    if keep:
        _change_role(path, name, role)
        return
    if no_password:
        line = NO_PASSWORD
    elif password is not None:
        line = password_line(password)
    elif sys.stdin.isatty():
        line = password_line(click.prompt("Password", hide_input=True, confirmation_prompt=True))
    else:
        line = password_line(sys.stdin.readline().rstrip("\r\n"))
    given = write_line(path, name, line, _role(role))
    click.echo(
        f"{name} is in {path}, and {given.words}; start the server with --password-file {path}"
    )


@click.command("serve-token")
@click.argument("name")
@click.option("--file", "path", default="budgeted-tokens", show_default=True, type=_FILE,
              help="The file to write.")  # fmt: skip
@_ROLE
@click.option("--keep", is_flag=True, help="Keep the token that NAME has: only the role changes.")
@click.option("--remove", is_flag=True, help="Take NAME out of the file instead.")
def serve_token(name: str, path: Path, role: str | None, keep: bool, remove: bool) -> None:
    """Let a program in: print a new token for NAME, and write its sum into a file."""
    from budgeted.web.auth.credentials import new_token, remove_line, token_line, write_line

    if remove:
        remove_line(path, name)
        click.echo(f"{name} is not in {path} any more", err=True)
        return
    if keep:
        _change_role(path, name, role)
        return
    token = new_token()
    given = write_line(path, name, token_line(token), _role(role))
    click.echo(
        f"{name} is in {path}, and {given.words}; start the server with --token-file {path}",
        err=True,
    )
    click.echo("This is the token; it is not shown again:", err=True)
    click.echo(token)


def _role(text: str | None) -> Role | None:
    from budgeted.web.auth.roles import role_named

    return None if text is None else role_named(text)


def _change_role(path: Path, name: str, text: str | None) -> None:
    """Give a name another role; what proves it stays."""
    from budgeted.web.auth.credentials import change_role

    role = _role(text)
    if role is None:
        raise click.UsageError("--keep changes only the role: give --role as well")
    change_role(path, name, role)
    click.echo(f"{name} {role.words} now; a server that runs has noticed", err=True)
