"""Connections to PostgreSQL that drop at any byte, and before the answer to a COMMIT."""

from __future__ import annotations

import random
from unittest import mock

import psycopg

from budgeted.errors import BudgetedError, JournalError, UnknownFateError
from budgeted.studies.journal import fate
from tests import sample_studies as studies
from tests.crashes import Tally, operations
from tests.crashes.relay import TO_CLIENT, TO_SERVER, Relay

UNCHANGED = "nothing was changed"


def rows(url):
    """Key and kind of every event, without the package."""
    with psycopg.connect(url) as connection:
        query = "SELECT seq, key, body::json->>'kind' FROM budgeted_events ORDER BY seq"
        return connection.execute(query).fetchall()


def commit_answer(relay, study):
    """How many bytes come back for an ask before the answer to its COMMIT."""
    before = relay.passed[TO_CLIENT]
    study.ask()
    # CommandComplete "COMMIT" and ReadyForQuery: 1 + 4 + 7, and 1 + 4 + 1 bytes.
    return relay.passed[TO_CLIENT] - before - 18


def attempt(study, operation):
    """What is said of something that is done over a connection that drops."""
    try:
        operations.carry_out(study, operation)
    except UnknownFateError as error:
        return "unknown" if operation["key"] in error.reason else "without its key"
    except JournalError as error:
        return UNCHANGED if UNCHANGED in str(error) else "other"
    except BudgetedError:
        return "refused"
    return "done"


def play(database, times, seed=14):
    """Drop so many connections, every fourth of them within the answer to a COMMIT."""
    rng, tally, sizes, done = random.Random(seed), Tally("connection dropped", times), {}, set()
    options = {"problem": operations.problem("100000"), "policy": "round-robin"}
    with (
        mock.patch.object(fate, "PATIENCE", 0.5),
        Relay(database) as relay,
        studies.begin(relay.url, "study", per_label=8 * times + 50, **options) as study,
    ):
        study.ask(3)
        before = dict(relay.passed)
        study.ask(2)
        usual = {each: relay.passed[each] - before[each] for each in before}
        for drop in range(times):
            aimed = drop % 4 == 0
            commit = commit_answer(relay, study) if aimed else 0
            operation = operations.drawn(study, rng) if not aimed else _ask(rng)
            direction = TO_CLIENT if aimed else rng.choice((TO_SERVER, TO_CLIENT))
            # Not its first bytes: with one more digit in a number the answer begins later.
            at = commit + rng.randrange(4, 18) if aimed else rng.randrange(usual[direction])
            dropped, events = relay.dropped, len(rows(database))
            relay.drop(direction, at, refusing=drop % 8 == 4 if aimed else rng.random() < 0.3)
            outcome = attempt(study, operation)
            relay.mend()
            now, size = len(rows(database)) - events, operation["events"]
            # Where an amount became a digit longer, the answer began a little later.
            hit = aimed and relay.dropped > dropped and now == size
            tally.said[f"COMMIT {outcome}" if hit else outcome] += 1
            if outcome == UNCHANGED:  # whoever believes that does it again
                tally.doubled += now > 0
                operation["key"] = f"{operation['key']}-again"
            tally.lost += outcome == "done" and now == 0
            tally.half_done += now not in (0, size)
            if outcome in (UNCHANGED, "unknown", "other"):
                attempt_again = attempt(study, operation)
                assert attempt_again in ("done", "refused"), attempt_again
                assert outcome != "unknown" or attempt_again == "done" or now == 0
                outcome = attempt_again
            if outcome == "done":
                done.add(operation["key"])
                sizes[operation["key"]] = size
                tally.acknowledged += 1
            studies.check_everything(study)
        assert relay.dropped >= times // 2
        tally.judge(database, "study", sizes, done)
    said = tally.said
    assert said["COMMIT done"] >= 1, "what was written is found out"
    assert said["COMMIT unknown"] >= 1, "or is said not to be known"
    assert said[f"COMMIT {UNCHANGED}"] + said["COMMIT other"] + said["without its key"] == 0
    assert said[UNCHANGED] >= 1
    return tally


def _ask(rng):
    """What every COMMIT is dropped of; its answer is as long as that to the one before."""
    operation = {"key": f"{rng.getrandbits(64):016x}", "do": "ask", "args": [1], "with": {}}
    return operation | {"events": 1}
