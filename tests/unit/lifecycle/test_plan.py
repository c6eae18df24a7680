"""What a service may be called and run."""

from __future__ import annotations

import pytest

from atomic_agents.exceptions import UsageError
from atomic_agents.lifecycle.plan import check_name, check_paths, command, options
from fakes.plans import plan


@pytest.mark.parametrize("name", ["", "work", "a", "vault-2", "x" * 32])
def test_a_short_lower_case_name_is_taken(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", ["Work", "a b", "-a", "a-", "x" * 33, "a/b", "a@b", "ä", "a\n"])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        check_name(name)


@pytest.mark.parametrize("vault", ["/a\nb", "/a\tb", "/a\u202eb", "/a\udcff"])
def test_a_path_that_no_unit_can_hold_is_refused(vault: str) -> None:
    with pytest.raises(UsageError):
        check_paths(plan(vault=vault))


def test_blanks_and_letters_of_any_script_are_taken() -> None:
    check_paths(plan(vault="/Users/ada/Mes carnets/日本\u00a0語"))


def test_what_a_command_runs_is_read_back_from_it() -> None:
    made = plan(config="/c.toml")
    assert options(command(made, "--wait")) == (made.interpreter, made.vault, made.config)


def test_a_foreign_command_has_no_options() -> None:
    with pytest.raises(ValueError):
        options(["/bin/true"])
