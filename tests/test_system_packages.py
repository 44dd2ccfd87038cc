"""Tests install nothing; where a program is missing they say so, and in CI they fail."""

import subprocess

import pytest

from tests import browsers, system_packages
from tests.system_packages import CHROMIUM, NGINX, PROGRAMS


@pytest.fixture
def commands(monkeypatch):
    """A machine without the programs; what it is told to run is written down, not done."""
    ran = []
    monkeypatch.setattr(system_packages, "find", lambda program: None)
    monkeypatch.setattr(subprocess, "run", lambda command, **_: ran.append(command))
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: ran.append(command))
    monkeypatch.setattr(system_packages.shutil, "which", lambda name, path=None: f"/bin/{name}")
    return ran


@pytest.mark.parametrize(
    ("environment", "outcome"),
    [({}, pytest.skip.Exception), ({"CI": "1"}, pytest.fail.Exception)],
    ids=["at home", "in CI"],
)
@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_missing_program_is_a_failure_in_ci_and_a_skip_elsewhere(
    monkeypatch, commands, program, environment, outcome
):
    monkeypatch.delenv("CI", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(outcome, match=f"make {program.target} as root, or apt-get install"):
        system_packages.require(program)
    assert commands == []


def test_the_browser_tests_install_nothing(monkeypatch, commands):
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(system_packages.os, "geteuid", lambda: 0)
    with pytest.raises(pytest.skip.Exception, match="there is no chromium"), browsers.chromium():
        pass
    assert commands == []


def test_on_request_they_are_installed_by_the_system(monkeypatch, commands, capsys):
    monkeypatch.setattr(system_packages.os, "geteuid", lambda: 0)
    assert system_packages.main([]) == 1
    assert commands[:2] == [
        ("apt-get", "update"),
        ("apt-get", "install", "--yes", "--no-install-recommends", *PROGRAMS),
    ]
    assert commands[2][1:] == ("-m", "playwright", "install", "chromium")
    said = capsys.readouterr().out
    assert "$ apt-get update" in said
    assert CHROMIUM.how in said
    assert NGINX.how in said


def test_without_the_rights_only_playwright_is_asked(monkeypatch, commands):
    monkeypatch.setattr(system_packages.os, "geteuid", lambda: 1000)
    assert system_packages.main(["nginx"]) == 1
    assert commands == []
    system_packages.main(["chromium"])
    assert [command[1:] for command in commands] == [("-m", "playwright", "install", "chromium")]


def test_what_is_there_is_left_alone(monkeypatch, commands, capsys):
    monkeypatch.setattr(system_packages, "find", lambda program: f"/opt/{program.package}")
    assert system_packages.main([]) == 0
    assert commands == []
    assert "nginx: /opt/nginx" in capsys.readouterr().out
    assert system_packages.main(["firefox"]) == 2
    assert "'firefox'; there are: chromium, nginx, nodejs" in capsys.readouterr().err
