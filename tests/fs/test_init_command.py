"""`atomicd init`: a configuration and a small valid vault, and nothing overwritten."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib

import pytest

import atomic_agents
from atomic_agents import config as configuration
from atomic_agents.cli import app
from atomic_agents.cli import init as command
from atomic_agents.model import Kind
from atomic_agents.vault.walk import Survey, read_layout, walk
from conftest import ROOT


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("ATOMICD_CONFIG", str(tmp_path / "etc" / "config.toml"))
    monkeypatch.delenv("ATOMIC_AGENTS_ROOT", raising=False)
    return tmp_path


def test_an_empty_folder_becomes_a_vault_with_every_kind_of_file(home, capsys):
    assert app._run(["init", str(home / "deep" / "vault")]) == 0
    assert "Made " in " ".join(capsys.readouterr().out.split())
    root = home / "deep" / "vault"
    kinds = {found.place.kind for found in walk(root, read_layout(root), Survey())}
    assert kinds == set(Kind) - {Kind.SCRIPT, Kind.OTHER}


def test_the_new_vault_has_nothing_that_lint_would_say(home, capsys):
    assert app._run(["init", str(home / "vault")]) == 0
    assert app._run(["lint", "--fail-on", "warning"]) == 0
    assert "all is well" in capsys.readouterr().out


def test_the_configuration_names_the_vault_and_can_be_read(home):
    vault = home / 'quo"te \\ and ümlaut'
    assert app._run(["init", str(vault)]) == 0
    file = home / "etc" / "config.toml"
    assert configuration.load(file).root == vault
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_second_time_nothing_changes(home, capsys):
    assert app._run(["init", str(home / "vault")]) == 0
    note = home / "vault/fern/memory/user_sunday_gardener.md"
    note.write_text("mine")
    (home / "etc/config.toml").write_text("# mine\n")
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file()}
    assert app._run(["init", str(home / "vault")]) == 0
    assert "they stay as they are" in capsys.readouterr().out
    assert {path: path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file()} == before


def test_a_folder_with_files_of_its_own_gets_a_configuration_only(home):
    (home / "vault" / "mine").mkdir(parents=True)
    assert app._run(["init", str(home / "vault")]) == 0
    assert [path.name for path in (home / "vault").iterdir()] == ["mine"]
    assert tomllib.loads((home / "etc/config.toml").read_text()) == {"vault": {"root": str(home / "vault")}}


def test_without_a_configuration_none_is_written(home):
    assert app._run(["init", str(home / "vault"), "--no-config"]) == 0
    assert not (home / "etc").exists()


def test_a_file_where_the_vault_should_be_is_an_error(home, capsys):
    (home / "vault").write_text("x")
    assert app._run(["init", str(home / "vault")]) == 1
    assert "expected a folder" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_an_error_in_one_line(home, capsys):
    (home / "file").write_text("x")
    assert app._run(["init", str(home / "file" / "vault")]) == 73
    assert capsys.readouterr().err.startswith("atomicd: ")


def test_nothing_is_asked_without_a_terminal(home):
    done = subprocess.run(
        [sys.executable, "-m", "atomic_agents", "init", str(home / "vault")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_example_is_part_of_what_is_installed():
    included = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    assert included["force-include"]["examples/vault"] == "atomic_agents/examples/vault"


def test_the_installed_example_is_taken_first(home, monkeypatch):
    package = home / "site" / "atomic_agents"
    shutil.copytree(ROOT / "examples" / "vault", package / "examples" / "vault")
    monkeypatch.setattr(atomic_agents, "__file__", str(package / "__init__.py"))
    assert command._example() == package / "examples" / "vault"
    shutil.rmtree(package)
    assert app._run(["init", str(home / "vault")]) == 1
    assert not (home / "vault").exists()
