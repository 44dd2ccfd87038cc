"""The files of deploy/ are what their own linters accept, and call the server by its options."""

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml

from budgeted.cli.main import main

DEPLOY = Path(__file__).resolve().parents[1] / "deploy"
BIN = Path(sys.executable).parent
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))


def lint(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_dockerfile_is_as_hadolint_wants_it():
    lint(BIN / "hadolint", DEPLOY / "Dockerfile")


def test_the_compose_file_keeps_to_its_specification():
    lint(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec",
         DEPLOY / "compose.yaml")  # fmt: skip


def unit():
    """What stands in the unit of systemd."""
    found = configparser.ConfigParser(interpolation=None, strict=False)
    found.optionxform = str
    found.read(DEPLOY / "budgeted.service", "utf-8")
    return found


def dockerfile_command():
    text = (DEPLOY / "Dockerfile").read_text("utf-8")
    return json.loads(
        re.search(r"^CMD (\[.*\])", text, re.DOTALL | re.MULTILINE)[1].replace("\\", "")
    )


@pytest.mark.parametrize(
    "command",
    [dockerfile_command(), COMPOSE["services"]["server"]["command"],
     shlex.split(unit()["Service"]["ExecStart"])],
    ids=["Dockerfile", "compose", "systemd"],
)  # fmt: skip
def test_the_server_is_called_by_options_that_it_has(command, tmp_path):
    program, serve, *options = command
    assert (Path(program).name, serve) == ("budgeted", "serve")
    passwords = tmp_path / "passwords"
    passwords.write_text("")
    options = [str(passwords) if each.endswith("passwords") else each for each in options]
    given = (
        main.get_command(None, "serve")
        .make_context("serve", options, click.Context(main, **main.context_settings))
        .params
    )
    assert given["host"] == "127.0.0.1" or given["password_file"]
    assert given["port"] == 8000


def test_only_nginx_is_open_to_others():
    assert [name for name, each in COMPOSE["services"].items() if "ports" in each] == ["nginx"]


def test_systemd_accepts_the_unit(tmp_path):
    """Where systemd is; what stands in the unit is read in any case."""
    assert unit()["Service"]["User"] == "budgeted"
    if program := shutil.which("systemd-analyze"):
        text = (DEPLOY / "budgeted.service").read_text("utf-8")
        there = text.replace("/opt/budgeted/bin/budgeted", sys.executable)
        (tmp_path / "budgeted.service").write_text(there.replace("User=budgeted\n", ""))
        lint(program, "verify", "--man=no", tmp_path / "budgeted.service")
