"""Files of every format that there was open, are upcast, or are refused in words."""

import json
import lzma
import sqlite3
from pathlib import Path

import pytest

from budgeted import Study
from budgeted.errors import JournalError
from budgeted.studies.events import Cancelled
from budgeted.studies.journal import Journal, parse_url, rows, tables
from budgeted.studies.journal.connections import make_engine
from budgeted.studies.journal.rows import from_json, to_json
from tools import freeze_formats

FROZEN = Path(__file__).parent / "frozen"
JOURNALS = sorted(FROZEN.glob("journal-*.sql"))


def unpacked(sample, target):
    """The SQLite file of a sample, at its place."""
    target.write_bytes(lzma.decompress(sample.with_suffix(".db.xz").read_bytes()))
    return target


@pytest.fixture(params=JOURNALS, ids=lambda path: path.stem)
def frozen(request, tmp_path):
    """A copy of a SQLite journal, and what must be found in it."""
    path = unpacked(request.param, tmp_path / "studies.db")
    return str(path), json.loads(request.param.with_suffix(".json").read_text(encoding="utf-8"))


def test_every_format_has_its_sample():
    """If this fails: raise numbers on purpose only, then run tools/freeze_formats.py."""
    for name in freeze_formats.FORMATS:
        assert list(FROZEN.glob(f"{name}.*")), name


def shape(plain):
    """What a JSON value is made of, whatever it says."""
    if isinstance(plain, dict):
        return {key: shape(value) for key, value in plain.items()}
    if isinstance(plain, list):
        return [shape(each) for each in plain[:1]]
    return type(plain).__name__


def shapes(database):
    """What each event of a journal is made of."""
    connection = sqlite3.connect(database)
    bodies = connection.execute("SELECT body FROM budgeted_events ORDER BY seq").fetchall()
    tables = connection.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()
    connection.close()
    return tables, [shape(json.loads(body)) for (body,) in bodies]


def test_what_is_written_today_has_the_shape_of_what_was_frozen(tmp_path):
    """Else the number must be raised; what is said may differ, such as the version."""
    (name,) = [each for each in freeze_formats.FORMATS if each.startswith("journal")]
    freeze_formats.freeze_journal(tmp_path, tmp_path / name)
    today, frozen = (unpacked(folder / name, tmp_path / f"{at}.db")
                     for at, folder in enumerate((tmp_path, FROZEN)))  # fmt: skip
    assert shapes(today) == shapes(frozen)


def test_a_frozen_sqlite_journal_opens(frozen):
    database, facts = frozen
    with Study.open(database) as study:
        assert freeze_formats.facts_of(study) == facts
        assert study.verify(facts["digest"]).events == facts["events"]
        assert study.correct(2, "yes", key="new").value == "yes"


@pytest.mark.postgres
@pytest.mark.parametrize("path", JOURNALS, ids=lambda path: path.stem)
def test_a_frozen_postgres_dump_opens(path, postgres):
    from tests.databases import new_postgres_database

    url, drop = new_postgres_database(postgres)
    engine = make_engine(parse_url(url))
    with engine.begin() as connection:
        for statement in path.with_suffix(".sql").read_text(encoding="utf-8").split(";\n"):
            if statement.strip():
                connection.exec_driver_sql(statement.replace("%", "%%"))
    engine.dispose()
    facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    with Study.open(url) as study:
        assert freeze_formats.facts_of(study) == facts
        assert study.verify(facts["digest"]).events == facts["events"]
        assert study.correct(2, "yes", key="new").value == "yes"
    drop()


def test_older_events_are_upcast(frozen, monkeypatch):
    """Suppose that the next says of every cancellation by which law; the digests still hold."""
    database, facts = frozen

    def by_law(event):
        lawful = {"why": f"{event['why']} (§ 1)"} if event["kind"] == "cancelled" else {}
        return event | lawful

    monkeypatch.setattr(rows.FORMAT, "version", rows.FORMAT.version + 1)
    monkeypatch.setitem(rows.FORMAT.upcasts, rows.FORMAT.version - 1, by_law)
    with Study.open(database) as study:
        assert study.head.digest == facts["digest"]
        reasons = [each.event.why for each in study.history() if isinstance(each.event, Cancelled)]
        assert reasons
        assert all(why.endswith("(§ 1)") for why in reasons)
        study.correct(2, "yes", why="as the next version")
    with Study.open(database) as study:
        assert study.history()[-1].event.why == "as the next version"
    connection = sqlite3.connect(database)
    versions = [
        json.loads(body)["version"]
        for (body,) in connection.execute("SELECT body FROM budgeted_events ORDER BY seq")
    ]
    connection.close()
    (old,) = set(versions[:-1])
    assert old < rows.FORMAT.version
    assert versions == [old] * facts["events"] + [rows.FORMAT.version]


def test_upcasts_are_a_chain(monkeypatch):
    now = rows.FORMAT.version
    monkeypatch.setattr(rows.FORMAT, "version", now + 2)
    monkeypatch.setitem(rows.FORMAT.upcasts, now, lambda event: event | {"why": event["because"]})
    monkeypatch.setitem(
        rows.FORMAT.upcasts,
        now + 1,
        lambda event: {k: v for k, v in event.items() if k != "because"},
    )
    old = '{"number":3,"because":"holidays","kind":"cancelled","version":' + f"{now}}}"
    assert from_json(old) == Cancelled(3, "holidays")
    assert from_json(to_json(Cancelled(3, "x"))) == Cancelled(3, "x")


def test_newer_events_are_refused_in_words(frozen):
    now = rows.FORMAT.version
    said = (
        f"an event in format {now + 1}, written by a newer budgeted; this one knows format {now}: "
        f"update the package"
    )
    with pytest.raises(JournalError, match=said):
        from_json(to_json(Cancelled(3)).replace(f'"version":{now}', f'"version":{now + 1}'))
    for text in ("[]", "{", '{"number":3,"kind":"cancelled"}', '{"version":"1"}', "null"):
        with pytest.raises(JournalError):
            from_json(text)


def older_tables(database):
    """Make the tables of a database those that format 2 might have had."""
    connection = sqlite3.connect(database)
    connection.execute("ALTER TABLE budgeted_heads RENAME COLUMN summary TO glance")
    connection.execute("UPDATE budgeted_format SET version = 2")
    connection.commit()
    connection.close()


def rename(connection):
    connection.exec_driver_sql("ALTER TABLE budgeted_heads RENAME COLUMN glance TO summary")


def version_of(database):
    connection = sqlite3.connect(database)
    (found,) = connection.execute("SELECT version FROM budgeted_format").fetchone()
    connection.close()
    return found


def test_older_tables_are_upcast_when_they_are_opened(frozen, monkeypatch):
    database, facts = frozen
    older_tables(database)
    with pytest.raises(JournalError, match="a journal in format 2; this budgeted knows format 3"):
        Study.open(database)
    assert version_of(database) == 2
    monkeypatch.setitem(tables.FORMAT.upcasts, 2, rename)
    for _ in range(2):
        with Study.open(database) as study:
            assert freeze_formats.facts_of(study) == facts
    assert version_of(database) == tables.FORMAT.version


def test_an_upcast_that_fails_changes_nothing(frozen, monkeypatch):
    database, facts = frozen
    older_tables(database)

    def stumble(connection):
        rename(connection)
        connection.exec_driver_sql("SELECT * FROM nowhere")

    monkeypatch.setitem(tables.FORMAT.upcasts, 2, stumble)
    with pytest.raises(JournalError):
        Study.open(database)
    assert version_of(database) == 2
    monkeypatch.setitem(tables.FORMAT.upcasts, 2, rename)
    with Study.open(database) as study:
        assert freeze_formats.facts_of(study) == facts


def test_newer_tables_are_refused_in_words(frozen):
    database, _ = frozen
    connection = sqlite3.connect(database)
    connection.execute("UPDATE budgeted_format SET version = 4")
    connection.commit()
    connection.close()
    said = "a journal in format 4, written by a newer budgeted; this one knows format 3: update the"
    for create in (False, True):
        with pytest.raises(JournalError, match=said):
            Journal(database, "a", create=create)
