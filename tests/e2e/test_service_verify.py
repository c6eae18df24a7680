"""`verify`, `doctor` and `logs` beside a real daemon (contract section 8)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakes.notes import note, put
from fakes.process import Daemon, eventually


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    root = tmp_path / "vault"
    put(root, "alpha/memory/feedback_a_rule.md", note("A rule"))
    made = Daemon(root, tmp_path / "home")
    made.env.pop("COLUMNS", None)
    yield made
    made.end()


def files(daemon: Daemon) -> set[str]:
    return {str(path.relative_to(daemon.vault)) for path in daemon.vault.rglob("*")}


@pytest.mark.parametrize("style", ["link", "wikilink", "code"])
def test_a_canary_flies_through_the_daemon_and_leaves_nothing(daemon: Daemon, style: str) -> None:
    daemon.config.write_text(f'{daemon.config.read_text()}\n[index]\nentry_style = "{style}"\n')
    daemon.start()
    before = files(daemon)
    index = (daemon.vault / "alpha/memory/INDEX.md").read_bytes()
    flight = json.loads(daemon.command("verify", "--json").stdout)
    assert flight["ok"]
    assert 0 < flight["indexed_ms"] < 20_000
    assert 0 < flight["removed_ms"] < 20_000
    assert files(daemon) == before
    assert (daemon.vault / "alpha/memory/INDEX.md").read_bytes() == index
    answer = daemon.sync()
    assert (answer["units"], answer["trouble"]) == (1, {})
    assert files(daemon) == before


def test_a_canary_can_fly_again_and_again(daemon: Daemon) -> None:
    daemon.start()
    for _ in range(3):
        assert "nothing is left of it" in daemon.command("verify").stdout
    assert daemon.events("index.failed") + daemon.events("daemon.paused") == []


def test_without_a_daemon_there_is_nothing_to_verify(daemon: Daemon) -> None:
    done = daemon.command("verify", "--json", check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"].startswith("the daemon is not-installed")
    daemon.start().stop()
    done = daemon.command("verify", check=False)
    assert (done.returncode, "the daemon is stopped" in done.stderr) == (1, True)


def test_a_daemon_that_does_not_work_fails_the_canary_which_is_removed(daemon: Daemon) -> None:
    daemon.start()
    before = files(daemon)
    daemon.send(signal.SIGSTOP)
    done = daemon.command("verify", "--timeout", "1", check=False)
    assert done.returncode == 1
    assert "not indexed within 1 s" in done.stderr
    assert files(daemon) == before
    daemon.send(signal.SIGCONT)
    assert daemon.sync()["units"] == 1


def grades(daemon: Daemon) -> dict[str, tuple[str, str]]:
    done = daemon.command("doctor", "--json", check=False)
    checks = json.loads(done.stdout)["checks"]
    assert done.returncode == any(check["grade"] == "fail" for check in checks)
    return {check["name"]: (check["grade"], check["mend"]) for check in checks}


def test_the_doctor_finds_a_running_daemon_well(daemon: Daemon) -> None:
    daemon.start()
    found = grades(daemon)
    assert {name for name, (grade, _) in found.items() if grade == "fail"} <= {"packages"}
    for name in (
        "python",
        "configuration",
        "vault",
        "file system",
        "daemon",
        "locks",
        "state store",
        "clock",
        "last errors",
    ):
        assert found[name][0] == "pass", name


def test_the_doctor_names_what_mends_a_broken_store_and_a_killed_daemon(daemon: Daemon) -> None:
    daemon.start().kill()
    (store,) = (daemon.home / "state").glob("vault-*/state.sqlite3")
    for path in store.parent.glob("state.sqlite3*"):
        path.unlink()
    store.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)
    found = grades(daemon)
    assert found["daemon"][0] == "fail"
    assert found["state store"][0] == "fail"
    assert found["state store"][1].startswith(f"mv {store} ")


def test_the_doctor_names_the_faults_of_a_configuration(daemon: Daemon) -> None:
    daemon.config.write_text("[settle]\nquiet = 1\n")
    done = daemon.command("doctor", check=False)
    assert done.returncode == 1
    assert "settle.quiet: unknown key" in done.stdout


def test_the_doctor_shows_the_last_errors_of_this_vault(daemon: Daemon) -> None:
    daemon.start().stop()
    log = daemon.home / "log" / "atomicd.jsonl"
    for vault in ("vault", "other"):
        with log.open("a") as lines:
            lines.write(
                json.dumps(
                    {
                        "ts": "T",
                        "level": "error",
                        "event": "daemon.failed",
                        "vault": vault,
                        "reason": f"in {vault}",
                    }
                )
                + "\n"
            )
    done = daemon.command("doctor", check=False)
    assert "in vault" in done.stdout
    assert "in other" not in done.stdout


class Follower:
    """`atomicd logs -f --json`, or `tail -F`, as a process."""

    def __init__(self, words: list[str], env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            words, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def wait_for(self, part: str) -> list[str]:
        lines: list[str] = []
        while not lines or part not in lines[-1]:
            line = self.process.stdout.readline()
            assert line, f"ended before {part}: {lines}"
            lines.append(line)
        return lines

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()


@pytest.fixture(params=["logs", "tail"])
def follower(request: pytest.FixtureRequest, daemon: Daemon) -> Iterator[Follower]:
    daemon.config.write_text(daemon.config.read_text() + "max_bytes = 65536\nkeep = 3\n")
    daemon.start()
    log = daemon.home / "log" / "atomicd.jsonl"
    own = [sys.executable, "-m", "atomic_agents", "logs", "-f", "-n", "100", "--json"]
    made = Follower(own if request.param == "logs" else ["tail", "-n", "+1", "-F", str(log)], daemon.env)
    made.wait_for("daemon.ready")
    yield made
    made.end()


def write_notes(daemon: Daemon, batch: str, number: int) -> set[str]:
    wanted = {f"alpha/memory/feedback_{batch}_rule_{one}.md" for one in range(number)}
    for path in sorted(wanted):
        put(daemon.vault, path, note(path))
    daemon.sync(wait=False)
    return wanted


def indexed(lines: list[str]) -> set[str]:
    told = [json.loads(line) for line in lines if line.startswith("{")]
    return {line["path"] for line in told if line["event"] == "unit.indexed"}


def rotated(daemon: Daemon) -> int:
    return len(list((daemon.home / "log").glob("atomicd.jsonl.*")))


def test_who_follows_the_log_goes_on_after_a_rotation(daemon: Daemon, follower: Follower) -> None:
    seen: set[str] = set()
    for batch in "abcd":
        wanted = write_notes(daemon, batch, 70)
        while not wanted <= seen:
            seen |= indexed(follower.wait_for("unit.indexed"))
    assert rotated(daemon) >= 1


@pytest.mark.parametrize("follower", ["logs"], indirect=True)
def test_our_own_follower_loses_no_line_when_the_log_is_rotated_twice_at_once(
    daemon: Daemon, follower: Follower
) -> None:
    wanted = write_notes(daemon, "a", 600)
    put(daemon.vault, "alpha/memory/feedback_last_of_all.md", note("Last"))
    assert wanted <= indexed(follower.wait_for("feedback_last_of_all.md"))
    assert rotated(daemon) >= 2


def test_a_log_that_was_moved_away_is_opened_anew_and_followed(daemon: Daemon, follower: Follower) -> None:
    log = daemon.home / "log" / "atomicd.jsonl"
    log.rename(log.with_name("archived"))
    daemon.send(signal.SIGHUP)
    daemon.wait_for("config.reloaded")
    eventually(log.exists)
    assert "config.reloaded" in log.read_text()
    follower.wait_for("config.reloaded")
    assert "config.reloaded" not in log.with_name("archived").read_text()


def test_a_log_that_was_truncated_goes_on_without_a_gap(daemon: Daemon, follower: Follower) -> None:
    log = daemon.home / "log" / "atomicd.jsonl"
    os.truncate(log, 0)
    put(daemon.vault, "alpha/memory/feedback_after_it.md", note("After it"))
    follower.wait_for("feedback_after_it.md")
    assert "\0" not in log.read_text()
