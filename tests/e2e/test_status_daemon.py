"""`status`, exit codes and the service manager's messages, of a real daemon (contract section 8, [D-6]; LC01, LC09)."""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from atomic_agents.daemon.status import Now, read_status
from fakes.notes import note, put
from fakes.process import Daemon, eventually


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    put(root, "alpha/memory/feedback_a_rule.md", note("A rule"))
    return root


@pytest.fixture
def daemon(vault: Path, tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(vault, tmp_path / "home")
    made.env.pop("COLUMNS", None)
    yield made
    made.end()


def status(daemon: Daemon) -> dict:
    return json.loads(daemon.command("status", "--json").stdout)


def check(daemon: Daemon) -> int:
    return daemon.command("status", "--check", check=False).returncode


def folder(daemon: Daemon) -> Path:
    (found,) = (daemon.home / "state").glob("vault-*")
    return found


def test_a_vault_goes_from_not_installed_over_running_to_stopped(daemon: Daemon) -> None:
    assert (status(daemon)["state"], check(daemon)) == ("not-installed", 3)
    daemon.start()
    told = status(daemon)
    assert (told["state"], told["units"], told["pid"]) == ("running", 1, daemon.process.pid)
    assert told["locks"]["instance"] == daemon.process.pid
    assert told["uptime_seconds"] < 60
    assert check(daemon) == 0
    assert daemon.stop() == 0
    assert (status(daemon)["state"], check(daemon)) == ("stopped", 2)


def test_a_killed_daemon_has_crashed_and_one_that_starts_again_runs(daemon: Daemon) -> None:
    daemon.start().kill()
    assert (status(daemon)["state"], check(daemon)) == ("crashed", 2)
    daemon.start()
    assert status(daemon)["state"] == "running"


def test_a_stopped_process_cannot_fake_a_heartbeat(daemon: Daemon) -> None:
    daemon.start()
    daemon.send(signal.SIGSTOP)
    later = Now(time.time() + 40, time.monotonic() + 40)
    told = read_status(folder(daemon), daemon.vault, later)
    assert told.state == "stale"
    daemon.send(signal.SIGCONT)
    eventually(lambda: read_status(folder(daemon), daemon.vault, later).beat_monotonic > told.beat_monotonic)


def test_a_migration_that_holds_the_lock_is_named_with_its_process(daemon: Daemon) -> None:
    daemon.start()
    script = "import fcntl, sys; f = open(sys.argv[1], 'r+'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
    lock = daemon.vault / ".migration.lock"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        put(daemon.vault, "alpha/memory/feedback_b_rule.md", note("B rule"))
        daemon.wait_for("daemon.paused")
        told = eventually(lambda: (found := status(daemon))["state"] == "paused" and found)
        assert told["locks"]["vault"] == holder.pid
        assert "lock" in told["reasons"][0]
        assert check(daemon) == 1
        holder.communicate()
    daemon.wait_for("daemon.resumed")


def test_a_refused_configuration_degrades_until_it_is_mended(daemon: Daemon) -> None:
    daemon.start()
    good = daemon.config.read_text()
    daemon.config.write_text("root = [")
    daemon.send(signal.SIGHUP)
    daemon.wait_for("config.refused")
    eventually(lambda: read_status(folder(daemon), daemon.vault, Now.read()).state == "degraded")
    daemon.config.write_text(good)
    daemon.send(signal.SIGHUP)
    daemon.wait_for("config.reloaded")
    eventually(lambda: status(daemon)["state"] == "running")


def test_status_tells_of_a_vault_that_is_gone_and_of_a_broken_configuration(daemon: Daemon) -> None:
    daemon.start().stop()
    daemon.config.write_text("root = [")
    daemon.vault.rename(daemon.vault.with_name("unmounted"))
    assert status(daemon)["state"] == "stopped"


@pytest.mark.parametrize(
    ("prepare", "code", "said"),
    [
        (lambda daemon: daemon.config.write_text("[settle]\nquiet = 1\n"), 78, "settle.quiet"),
        (lambda daemon: daemon.vault.rename(daemon.vault.with_name("elsewhere")), 66, "not there"),
    ],
)
def test_a_start_that_fails_tells_why_by_code_words_and_status(
    daemon: Daemon, prepare, code: int, said: str
) -> None:
    daemon.start().stop()
    prepare(daemon)
    daemon.start(ready=False)
    assert daemon.wait() == code
    assert said in daemon.errors
    told = status(daemon)
    assert told["state"] == "crashed"
    assert said in told["last_error"]


def test_a_second_daemon_ends_with_69_and_names_the_first(daemon: Daemon) -> None:
    daemon.start()
    done = daemon.command("run", check=False)
    assert done.returncode == 69
    assert str(daemon.process.pid) in done.stderr
    assert status(daemon)["state"] == "running"


def test_a_state_folder_that_refuses_ends_it_with_73(daemon: Daemon, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    daemon.env["ATOMICD_STATE_DIR"] = str(tmp_path / "file" / "below")
    daemon.start(ready=False)
    assert daemon.wait() == 73


def test_wrong_words_end_it_with_64(daemon: Daemon) -> None:
    assert daemon.command("run", "--never", check=False).returncode == 64


@pytest.mark.parametrize("code", [66, 78])
def test_under_launchd_an_end_that_no_restart_can_mend_is_a_clean_one(daemon: Daemon, code: int) -> None:
    daemon.start().stop()
    if code == 78:
        daemon.config.write_text("root = [")
    else:
        daemon.vault.rename(daemon.vault.with_name("elsewhere"))
    done = daemon.command("run", "--launchd", check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr
    assert status(daemon)["state"] == "crashed"


def test_a_daemon_that_waits_for_its_vault_indexes_it_when_it_comes(daemon: Daemon) -> None:
    aside = daemon.vault.with_name("aside")
    daemon.vault.rename(aside)
    with subprocess.Popen(
        [sys.executable, "-m", "atomic_agents", "run", "--wait", "--quiet"], env=daemon.env
    ) as waiting:
        eventually(lambda: status(daemon)["state"] == "paused")
        assert check(daemon) == 1
        assert not daemon.vault.exists()
        aside.rename(daemon.vault)
        eventually(lambda: "feedback_a_rule.md" in index(daemon))
        waiting.send_signal(signal.SIGTERM)
        assert waiting.wait(10) == 0
    assert status(daemon)["state"] == "stopped"


def test_a_daemon_that_waits_for_its_vault_ends_as_asked(daemon: Daemon) -> None:
    daemon.vault.rename(daemon.vault.with_name("aside"))
    daemon.start(ready=False)
    assert daemon.wait() == 66
    with subprocess.Popen(
        [sys.executable, "-m", "atomic_agents", "run", "--wait", "--quiet"], env=daemon.env
    ) as waiting:
        eventually(lambda: status(daemon)["state"] == "paused")
        waiting.send_signal(signal.SIGTERM)
        assert waiting.wait(10) == 0


def index(daemon: Daemon) -> str:
    path = daemon.vault / "alpha/memory/INDEX.md"
    return path.read_text() if path.exists() else ""


class Manager:
    """A service manager that only listens."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(f"\0{address[1:]}" if address.startswith("@") else address)
        self.messages: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while (message := self._socket.recv(65536).decode()) != "end":
            self.messages.put(message)

    def wait_for(self, part: str) -> list[str]:
        """Return everything up to a message with this in it."""
        seen: list[str] = []
        while not seen or part not in seen[-1]:
            seen.append(self.messages.get(timeout=30))
        return seen

    def close(self) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
            end.sendto(b"end", self._socket.getsockname())
        self._thread.join()
        self._socket.close()


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, daemon: Daemon, tmp_path: Path) -> Iterator[Manager]:
    address = str(tmp_path / "notify") if request.param == "path" else f"@atomicd-e2e-{os.getpid()}"
    made = Manager(address)
    daemon.env |= {"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "2000000"}
    yield made
    made.close()


def test_a_service_manager_is_told_the_whole_life_of_a_daemon(daemon: Daemon, manager: Manager) -> None:
    daemon.start()
    begun = manager.wait_for("READY=1")
    assert begun[0].startswith(("EXTEND_TIMEOUT_USEC", "STATUS=starting"))
    assert "STATUS=running: 1 units" in begun[-1]
    assert not any("WATCHDOG=1" in message for message in begun)
    manager.wait_for("WATCHDOG=1")
    daemon.send(signal.SIGHUP)
    assert "MONOTONIC_USEC=" in manager.wait_for("RELOADING=1")[-1]
    manager.wait_for("READY=1")
    assert daemon.stop() == 0
    assert "STATUS=stopped" in manager.wait_for("STOPPING=1")[-1]


NO_RIGHTS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all")


@pytest.fixture
def bound(vault: Path, tmp_path: Path) -> Iterator[Daemon]:
    """A daemon that file modes hold for, also where the tests are run by root."""
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root without setpriv reads everything")
    made = Daemon(vault, tmp_path / "home", wrap=NO_RIGHTS if os.geteuid() == 0 else ())
    yield made
    vault.chmod(0o755)
    made.end()


def test_a_vault_that_may_no_longer_be_read_pauses_the_daemon_until_it_may(bound: Daemon) -> None:
    bound.start()
    bound.vault.chmod(0)
    told = eventually(lambda: (found := status(bound))["state"] == "paused" and found)
    assert told["reasons"] == [f"vault {bound.vault}: not there, or not to be read"]
    bound.vault.chmod(0o755)
    eventually(lambda: status(bound)["state"] == "running")
    assert bound.stop() == 0


def test_a_vault_that_may_not_be_read_at_the_start_is_told(bound: Daemon) -> None:
    bound.vault.chmod(0)
    bound.start(ready=False)
    assert bound.wait() == 66
    assert "cannot be read: Permission denied" in bound.errors
    assert "cannot be read: Permission denied" in status(bound)["last_error"]


def test_a_reload_changes_what_is_logged(daemon: Daemon) -> None:
    daemon.start()
    daemon.config.write_text(daemon.config.read_text().replace('level = "debug"', 'level = "warning"'))
    daemon.send(signal.SIGHUP)
    daemon.sync()
    assert daemon.events("config.reloaded") == []
    daemon.config.write_text(daemon.config.read_text().replace('level = "warning"', 'level = "info"'))
    daemon.send(signal.SIGHUP)
    assert daemon.wait_for("config.reloaded")["sections"] == ["log"]
