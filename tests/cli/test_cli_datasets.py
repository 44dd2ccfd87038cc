import json

import pytest
from click.testing import CliRunner

from budgeted.cli.main import main


def run(*arguments):
    return CliRunner().invoke(main, ["datasets", *arguments])


def test_the_list_of_tables():
    result = run()
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert lines[1].split()[:6] == ["mushroom", "8124", "22", "2", "2480", "CC"]
    assert "but read once you have it: diabetes" in lines[-1]


def test_the_list_as_json():
    listed = json.loads(run("--json").output)
    assert listed[0]["name"] == "mushroom"
    assert {"rows", "features", "classes", "licence", "source", "doi"} <= set(listed[0])


def test_one_table():
    result = run("show", "mushroom")
    assert result.exit_code == 0
    assert "e 4208, p 3916" in result.output
    assert "a 400, c 192, f 2160, l 400, m 36, n 3528, p 256, s 576, y 576" in result.output


def test_one_table_as_json():
    shown = json.loads(run("show", "car", "--json").output)
    assert shown["labels"] == {"acc": 384, "good": 69, "unacc": 1210, "vgood": 65}
    assert shown["columns"][2] == {
        "name": "doors",
        "missing": 0,
        "values": {"2": 432, "3": 432, "4": 432, "5more": 432},
    }


@pytest.mark.parametrize("name", ["mushrom", ""])
def test_an_unknown_table_ends_in_one_line(name):
    result = run("show", name)
    assert result.exit_code == 1
    assert result.output.startswith("Error: there is no table")
