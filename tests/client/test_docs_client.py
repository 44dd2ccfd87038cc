"""The page about the client runs from top to bottom, against a real server on loopback."""

import doctest
import json
from pathlib import Path

from budgeted.client import Client
from budgeted.studies.example import cases, write_example
from tests.client.servers import TOKEN, answering, guarded

PAGE = Path(__file__).resolve().parents[2] / "docs" / "client.md"


def test_the_page_about_the_client_runs(tmp_path):
    study, listed, *_ = write_example(tmp_path / "example")
    with guarded(tmp_path) as url, answering(lambda *_: (200, {}, b"")) as (hook, heard):
        with Client(url, token=TOKEN) as client:
            client.create_study(study.read_text(), listed.read_text())
        given = {"url": url, "token": TOKEN, "hook": hook}
        failed, tried = doctest.testfile(str(PAGE), module_relative=False, globs=given)
    assert tried > 15
    assert failed == 0
    told = [json.loads(body) for _, _, _, body in heard]
    assert [each["seq"] for each in told][:3] == [1, 2, 3]
    assert f"{len(cases())} cases" in told[0]["words"]
