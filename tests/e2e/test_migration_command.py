"""`python -m atomic_agents.migrate` as a process: what it prints, how it ends, what it leaves."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from atomic_agents import migrate
from atomic_agents.migration import trust
from atomic_agents.migration.recovery import DIED, find_unfinished
from fakes.migrating import BUMP, NOTE, add_script, adopt_schema, backend_of, events, make_vault, tree, write


def waiting(flag: Path) -> str:
    """Return a script that, once it has written its first unit, goes on only when a flag file is there."""
    wait = f"""
    import pathlib, time
    while not unit.dry_run and not pathlib.Path({str(flag)!r}).exists():
        time.sleep(0.01)
"""
    return BUMP.format(1, 2).replace(
        "    unit.write_frontmatter(meta)\n", "    unit.write_frontmatter(meta)\n" + wait
    )


@pytest.fixture(autouse=True)
def _environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path_factory.mktemp("home")
    for name in ("ATOMIC_AGENTS_ROOT", "ATOMICD_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(home / "state"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = make_vault(tmp_path / "vault")
    add_script(root)
    adopt_schema(root, 2)
    return root


def command(root: Path | None, *words: str, **options: Any) -> subprocess.CompletedProcess[str]:
    where = ["--agents-root", str(root)] if root is not None else []
    return subprocess.run(
        [sys.executable, "-m", "atomic_agents.migrate", *where, *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


def started(root: Path, *words: str) -> subprocess.Popen[str]:
    """Start a run and return once its snapshot is announced."""
    process = subprocess.Popen(
        [sys.executable, "-m", "atomic_agents.migrate", "--agents-root", str(root), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Snapshot created: ")
    assert process.stdout.readline().startswith("If this migration is interrupted, run: ")
    return process


def wait_for_write(root: Path) -> None:
    until = time.monotonic() + 20
    while not list(root.glob("alpha/memory/.*.atomicd.tmp")):
        assert time.monotonic() < until
        time.sleep(0.005)


def test_the_documented_way_works_from_dry_run_to_rollback(vault: Path) -> None:
    before = tree(vault)
    dry = command(vault, "--to", "v2", "--dry-run")
    assert (dry.returncode, dry.stderr) == (0, "")
    assert dry.stdout == "v1 → v2: 4 changes would be made, 0 skipped\n"
    assert tree(vault) == before
    real = command(vault, "--to", "v2")
    assert (real.returncode, real.stderr) == (0, "")
    first, second, *rest = real.stdout.splitlines()
    name = second.rpartition(" ")[2]
    assert first == f"Snapshot created: {vault}/_migrations/snapshots/{name}"
    assert (
        second == f"If this migration is interrupted, run: python -m atomic_agents.migrate --rollback {name}"
    )
    assert rest == ["v1 → v2: 4 changes were made, 0 skipped", "every unit is valid"]
    assert f"snapshot: {name}" in command(vault, "--list-snapshots").stdout
    back = command(vault, "--rollback", name)
    assert (back.returncode, back.stderr) == (0, "")
    assert tree(vault) == before
    assert [event["dry_run"] for event in events(vault)] == [True, False, False]


def test_a_successful_run_makes_its_scripts_trusted(vault: Path) -> None:
    assert "never run here" in command(vault, "--status").stdout
    assert command(vault, "--to", "v2").returncode == 0
    assert trust.unknown_scripts(vault) == []
    assert "never run here" not in command(vault, "--status").stdout


def test_a_failed_run_makes_nothing_trusted(vault: Path) -> None:
    write(
        vault / "alpha/memory/feedback_bad.md", NOTE.format(1).replace("confidence: high", "confidence: HIGH")
    )
    failed = command(vault, "--to", "v2")
    assert failed.returncode == 1
    assert "feedback_bad.md: confidence: field-enum" in failed.stdout
    assert "FAILED: 1 units do not pass the schema of v2" in failed.stdout
    assert "everything is as it was" in failed.stdout
    assert trust.recall(vault).trusted == frozenset()


def test_a_run_that_was_not_tried_is_tried_first_and_stops_when_that_fails(vault: Path) -> None:
    add_script(vault, BUMP.format(1, 2).replace("    meta[", "    raise ValueError('boom')\n    meta[", 1))
    before = tree(vault)
    failed = command(vault, "--to", "v2")
    assert failed.returncode == 1
    assert "boom" in failed.stdout
    assert "Snapshot created" not in failed.stdout
    assert tree(vault) == before
    (event,) = events(vault)
    assert event["dry_run"] is True


def test_a_rehearsal_prints_unified_diffs(vault: Path) -> None:
    done = command(vault, "--to", "v2", "--rehearse")
    assert done.returncode == 0
    assert "--- a/beta/wiki/debt_methods.md" in done.stdout
    assert "+schema_version: 2" in done.stdout
    assert done.stdout.endswith("4 changes; a real run would succeed; nothing was written\n")
    write(
        vault / "alpha/memory/feedback_bad.md", NOTE.format(1).replace("confidence: high", "confidence: HIGH")
    )
    assert command(vault, "--to", "v2", "--rehearse").returncode == 1


def test_status_is_what_vault_status_returns(vault: Path) -> None:
    told = json.loads(command(vault, "--status", "--json").stdout)
    assert told.pop("scripts_not_run_here") == ["v1_to_v2.py"]
    assert told == backend_of(vault).vault_status()
    plain = command(vault, "--status").stdout
    assert "version: v1, newest known: v2" in plain
    assert "run --to v2 --dry-run next" in plain


def test_every_action_prints_json_lines(vault: Path) -> None:
    def lines(*words: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in command(vault, *words, "--json").stdout.splitlines()]

    (dry,) = lines("--to", "v2", "--dry-run")
    assert (dry["dry_run"], dry["units_touched"], dry["error"]) == (True, 4, "")
    *diffs, verdict = lines("--to", "v2", "--rehearse")
    assert len(diffs) == 4
    assert verdict["would_succeed"] is True
    snapshot, real = lines("--to", "v2")
    assert (real["snapshot"], real["validation_passed"]) == (snapshot["snapshot"]["name"], True)
    (listed,) = lines("--list-snapshots")
    assert [item["name"] for item in listed["snapshots"]] == [real["snapshot"]]
    assert lines("--rollback", real["snapshot"]) == [{"rolled_back": True, "snapshot": real["snapshot"]}]
    assert lines("--recover") == [{"recovered": None, "rolled_back": False}]
    (missing,) = lines("--rollback", "nope.tar.gz")
    assert "nope.tar.gz" in missing["error"]
    (nothing,) = lines("--to", "v1")
    assert "nothing to migrate" in nothing["error"]
    (decisions,) = lines("--adopt-legacy", "--dry-run")[:1]
    assert decisions == {"adopted": [], "undecided": []}


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        ([], 2, "required"),
        (["--to"], 2, "expected one argument"),
        (["--to", "v2", "--status"], 2, "not allowed with"),
        (["--status", "--dry-run"], 2, "--dry-run and --rehearse go with"),
        (["--adopt-legacy", "--rehearse"], 2, "use --dry-run"),
        (["--to", "v2", "--rename"], 2, "--rename goes with --adopt-legacy"),
        (["--to", "v2", "--dry-run", "--rehearse"], 2, "not allowed with"),
        (["--to", "two"], 1, "expected one such as v2"),
        (["--to", "v0"], 1, "forward only"),
        (["--to", "v9"], 1, "no script leads on from v2"),
        (["--to", "v1"], 0, "nothing to migrate"),
        (["--rollback", "nope.tar.gz"], 1, "--list-snapshots names"),
    ],
)
def test_faults_are_told_on_stderr_with_an_exit_code_and_no_traceback(
    words: list[str], code: int, told: str, vault: Path
) -> None:
    done = command(vault, *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_help_shows_examples() -> None:
    done = command(None, "--help")
    assert done.returncode == 0
    assert "python -m atomic_agents.migrate --to v2 --dry-run" in done.stdout
    assert "exit codes:" in done.stdout


def test_the_vault_is_found_by_flag_environment_configuration_and_default(
    vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command(None, "--status").returncode == 66
    home = Path(os.environ["HOME"])
    (home / "docs").mkdir()
    (home / "docs/agents").symlink_to(vault)
    assert f"vault: {vault}" in command(None, "--status").stdout
    other = make_vault(tmp_path / "other")
    write(home / "config.toml", f'[vault]\nroot = "{other}"\n')
    monkeypatch.setenv("ATOMICD_CONFIG", str(home / "config.toml"))
    assert f"vault: {other}" in command(None, "--status").stdout
    monkeypatch.setenv("ATOMIC_AGENTS_ROOT", str(vault))
    assert f"vault: {vault}" in command(None, "--status").stdout
    assert f"vault: {other}" in command(other, "--status").stdout
    write(home / "config.toml", "[vault]\nnope = 1\n")
    assert command(None, "--status").returncode == 78


def test_ignored_paths_of_the_configuration_are_no_units(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(vault / "alpha/memory/drafts/feedback_bad.md", "no frontmatter")
    assert command(vault, "--to", "v2", "--dry-run").returncode == 1
    config = write(Path(os.environ["HOME"]) / "config.toml", '[vault]\nignore = ["drafts/"]\n')
    monkeypatch.setenv("ATOMICD_CONFIG", str(config))
    assert command(vault, "--to", "v2", "--dry-run").returncode == 0


def test_a_second_run_fails_at_once_while_the_first_one_finishes(vault: Path) -> None:
    add_script(vault, waiting(vault.parent / "go"))
    first = started(vault, "--to", "v2")
    wait_for_write(vault)
    second = command(vault, "--to", "v2")
    assert second.returncode == 75
    assert "Another migration is already running" in second.stderr
    assert json.loads(command(vault, "--status", "--json").stdout)["running"] is True
    (vault.parent / "go").touch()
    out, _err = first.communicate(timeout=30)
    assert (first.returncode, out.splitlines()[-1]) == (0, "every unit is valid")
    assert sorted(event["from_version"] for event in events(vault)) == [1, 1]
    assert sorted(event["error"] == "" for event in events(vault)) == [False, True]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_rolls_back_before_it_ends(number: signal.Signals, vault: Path) -> None:
    add_script(vault, waiting(vault.parent / "go"))
    before = tree(vault)
    process = started(vault, "--to", "v2")
    wait_for_write(vault)
    process.send_signal(number)
    _out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted" in err
    assert "Traceback" not in err
    assert tree(vault) == before
    (event,) = events(vault)
    assert event["rolled_back"] is True


def test_a_run_that_died_is_noticed_by_the_next_command_and_undone(vault: Path) -> None:
    add_script(vault, waiting(vault.parent / "go"))
    before = tree(vault)
    process = started(vault, "--to", "v2")
    wait_for_write(vault)
    process.kill()
    process.communicate(timeout=30)
    (vault.parent / "go").touch()
    status = command(vault, "--status")
    assert "unfinished: the run" in status.stdout
    assert find_unfinished(vault) is not None
    done = command(vault, "--to", "v2")
    assert done.returncode == 0
    assert "died" in done.stdout
    assert "the vault was brought back" in done.stdout
    assert [event["error"] for event in events(vault)] == [DIED, ""]
    announced = next(line for line in done.stdout.splitlines() if line.startswith("Snapshot created"))
    name = announced.rpartition("/")[2]
    assert command(vault, "--rollback", name).returncode == 0
    assert tree(vault) == before


def test_recovery_by_hand_when_the_configuration_asks_for_it(
    vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_script(vault, waiting(vault.parent / "go"))
    before = tree(vault)
    process = started(vault, "--to", "v2")
    wait_for_write(vault)
    process.kill()
    process.communicate(timeout=30)
    config = write(Path(os.environ["HOME"]) / "config.toml", "[migration]\nauto_recover = false\n")
    monkeypatch.setenv("ATOMICD_CONFIG", str(config))
    refused = command(vault, "--to", "v2")
    assert refused.returncode == 75
    assert "--recover" in refused.stderr
    done = command(vault, "--recover")
    assert "the vault was brought back" in done.stdout
    assert tree(vault) == before
    assert command(vault, "--recover").stdout == "nothing is unfinished\n"


def test_the_caller_is_told_of_a_vault_whose_units_changed(vault: Path) -> None:
    told: list[Path] = []
    where = ["--agents-root", str(vault)]
    assert migrate.main([*where, "--to", "v2", "--dry-run"], after_run=told.append) == 0
    assert told == []
    assert migrate.main([*where, "--to", "v2"], after_run=told.append) == 0
    (name,) = (path.name for path in backend_of(vault).list_snapshots())
    assert migrate.main([*where, "--rollback", name], after_run=told.append) == 0
    assert told == [vault, vault]


def test_adopting_tells_each_decision_and_gives_everything_back(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    write(root / "alpha/memory/feedback-x.md", "---\nname: N\ndescription: D\ntype: feedback\n---\nBody\n")
    write(root / "alpha/memory/odd.md", "no frontmatter\n")
    before = tree(root)
    dry = command(root, "--adopt-legacy", "--dry-run")
    assert dry.returncode == 0
    assert "adopt alpha/memory/feedback-x.md" in dry.stdout
    assert "    confidence: low   (nothing says how sure it is)" in dry.stdout
    assert "--rename makes it feedback_x.md" in dry.stdout
    assert "leave alpha/memory/odd.md: no type" in dry.stdout
    after = tree(root)
    assert {key: value for key, value in after.items() if not key.startswith("_")} == before
    real = command(root, "--adopt-legacy", "--rename")
    assert real.returncode == 0
    assert "renamed to feedback_x.md" in real.stdout
    assert (root / "alpha/memory/feedback_x.md").exists()
    (name,) = (path.name for path in backend_of(root).list_snapshots())
    assert command(root, "--rollback", name).returncode == 0
    after = tree(root)
    assert {key: value for key, value in after.items() if not key.startswith("_")} == before


def test_names_that_could_act_on_a_terminal_are_shown_escaped(vault: Path) -> None:
    write(vault / "alpha/memory/feedback_\x1b[2J\u202e.md", "no frontmatter")
    failed = command(vault, "--to", "v2")
    assert failed.returncode == 1
    assert "feedback_\\x1b[2J\\u202e.md" in failed.stderr
    assert "\x1b" not in failed.stdout + failed.stderr


def test_a_terminal_gets_a_progress_bar_and_a_clean_stdout(vault: Path) -> None:
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "atomic_agents.migrate", "--agents-root", str(vault), "--to", "v2"],
        stdout=subprocess.PIPE,
        stderr=slave,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(slave)
    out, _err = process.communicate(timeout=30)
    seen = os.read(master, 1 << 16)
    os.close(master)
    assert process.returncode == 0
    assert b"v1_to_v2.py" in seen
    assert out.decode().splitlines()[-1] == "every unit is valid"
    assert b"\x1b" not in out
