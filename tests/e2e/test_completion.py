"""Completion in real shells."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from atomic_agents.cli.app import COMMANDS

BIN = Path(sys.executable).parent


def shell(name, script, *words):
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed here")
    env = os.environ | {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "ATOMICD_CONFIG": os.devnull}
    done = subprocess.run(
        [name, *words, "-c", script], capture_output=True, text=True, env=env, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def bash(*typed):
    words = " ".join(f"'{word}'" for word in typed)
    script = (
        'eval "$(atomicd completion bash)"\n'
        f"COMP_WORDS=(atomicd {words}); COMP_CWORD={len(typed)}\n"
        'compopt() { local IFS=" "; echo "compopt $*"; }\n'
        "_atomicd_completion atomicd\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    return shell("bash", script, "--norc").split("\n")[:-1]


def test_bash_completes_commands_options_choices_and_codes():
    assert bash("") == list(COMMANDS)
    assert bash("qu") == ["quarantine"]
    assert bash("quarantine", "res") == ["restore"]
    assert bash("lint", "--sev") == ["--severity"]
    assert bash("lint", "--severity", "") == ["error", "warning"]
    assert bash("explain", "yaml-s") == ["yaml-syntax"]


def test_bash_completes_paths_by_itself():
    assert bash("check", "al") == ["compopt -o default", ""]
    assert bash("explain", "") == ["compopt -o default", ""]


def test_fish_completes_with_the_words_of_the_help_up_to_a_comma():
    script = 'source (atomicd completion fish | psub); complete -C "atomicd {}"'
    found = dict(line.split("\t") for line in shell("fish", script.format(""), "--no-config").splitlines())
    assert found == {name: line.partition(",")[0] for name, (_, line) in COMMANDS.items()}
    assert shell("fish", script.format("history --di"), "--no-config").startswith("--diff")


def test_zsh_takes_the_script_and_gets_its_answers():
    script = (
        "autoload -Uz compinit && compinit -u -D\n"
        'eval "$(atomicd completion zsh)"\n'
        "print ${_comps[atomicd]}\n"
        "COMP_WORDS='atomicd qu' COMP_CWORD=1 _ATOMICD_COMPLETE=zsh_complete atomicd\n"
    )
    assert shell("zsh", script, "-f").split("\n") == [
        "_atomicd_completion",
        "plain",
        "quarantine",
        COMMANDS["quarantine"][1],
        "",
    ]


def test_completing_a_command_imports_none():
    code = (
        "import sys\n"
        "from atomic_agents.cli import app\n"
        "import click\n"
        "ctx = click.Context(app.atomicd)\n"
        "assert [item.value for item in app.atomicd.shell_complete(ctx, 'li')] == ['lint']\n"
        "print(sorted(name for name in sys.modules if name.startswith('atomic_agents.cli.')))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['atomic_agents.cli.app', 'atomic_agents.cli.options']"


def test_another_shell_is_wrong_usage():
    done = subprocess.run([BIN / "atomicd", "completion", "ksh"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "ksh" in done.stderr
