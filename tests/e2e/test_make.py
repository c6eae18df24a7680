"""`make run` for somebody who has a checkout, python3 and make."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOW = '#!/bin/sh\nprintf "%s|" "$@"; echo\necho "state=$ATOMICD_STATE_DIR"\n'


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose environment was made before; its atomicd tells how it was called."""
    folder = tmp_path / "a checkout"
    shutil.copytree(ROOT / "examples", folder / "examples")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy2(ROOT / name, folder / name)
    script(folder / ".venv/bin/python", "#!/bin/sh\nexit 1\n")
    script(folder / ".venv/bin/atomicd", SHOW)
    (folder / ".venv/.run").touch()
    return folder


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def _without_make():
    return {
        key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS", "ATOMIC"))
    }


def make(folder, *words):
    return subprocess.run(
        ["make", *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


def test_make_alone_tells_what_there_is(checkout):
    done = make(checkout)
    assert done.returncode == 0
    named = {line.split()[0] for line in done.stdout.splitlines()}
    assert {"run", "test", "quality", "interop", "soak", "bench", "clean"} <= named


def test_run_watches_a_copy_of_the_example_with_its_state_inside_the_checkout(checkout):
    done = make(checkout, "run")
    assert done.returncode == 0, done.stderr
    assert "run|--vault|var/vault|" in done.stdout
    assert f"state={checkout}/var/state" in done.stdout
    assert (checkout / "var/vault/fern/memory/INDEX.md").exists()


def test_a_second_run_keeps_what_was_edited(checkout):
    make(checkout, "run")
    note = checkout / "var/vault/fern/memory/feedback_one_task_first.md"
    note.write_text("edited")
    make(checkout, "run")
    assert note.read_text() == "edited"


def test_run_takes_a_vault_whose_name_has_blanks_and_the_usual_state_folder(checkout):
    done = make(checkout, "run", "VAULT=/a b/my agents")
    assert "run|--vault|/a b/my agents|" in done.stdout
    assert "state=\n" in done.stdout
    assert not (checkout / "var").exists()


def test_a_python_that_is_too_old_is_told_and_nothing_is_made(checkout):
    shutil.rmtree(checkout / ".venv")
    script(checkout / "old-python", "#!/bin/sh\nexit 1\n")
    done = make(checkout, "run", "PYTHON=./old-python")
    assert done.returncode != 0
    assert "Python 3.11 or newer" in done.stderr
    assert not (checkout / ".venv").exists()


def test_a_python_without_venv_is_told_and_leaves_no_half_environment(checkout):
    shutil.rmtree(checkout / ".venv")
    script(checkout / "bare", '#!/bin/sh\n[ "$1" = -c ] && exit 0\nmkdir -p .venv/bin; exit 1\n')
    done = make(checkout, "run", "PYTHON=./bare")
    assert done.returncode != 0
    assert "python3-venv" in done.stderr
    assert not (checkout / ".venv").exists()


def test_clean_removes_what_the_targets_made_and_nothing_else(checkout):
    make(checkout, "run")
    make(checkout, "clean")
    assert sorted(path.name for path in checkout.iterdir()) == ["Makefile", "examples", "pyproject.toml"]
