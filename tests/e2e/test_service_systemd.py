"""The service on a real systemd, with a real user's manager: install to uninstall, and what goes wrong between."""

from __future__ import annotations

import re
import shutil
import signal
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from fakes.machine import UID, CannotRunError, Machine, Said, can_boot
from fakes.notes import note
from fakes.pages import blocks
from fakes.process import eventually

pytestmark = [pytest.mark.systemd, pytest.mark.timeout(400)]
"""Longer than usual: of several workers, one boots a systemd at a time, and the others wait for it."""

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "vault"
FAST = "[Service]\nRestartSec=100ms\nWatchdogSec=2\n"
_numbers = count(1)


@pytest.fixture(scope="module")
def machine(shared: Path) -> Iterator[Machine]:
    reason = can_boot()
    if reason:
        pytest.skip(reason)
    try:
        booted = Machine(shared / "tools" / "with-systemd")
    except CannotRunError as error:
        pytest.skip(f"no private systemd: {error}")
    yield booted
    booted.close()


class Service:
    """A vault of its own with a service of its own."""

    def __init__(self, machine: Machine, *, folder: str = "vault") -> None:
        self.machine = machine
        self.name = f"t{next(_numbers)}"
        self.unit = f"atomicd-{self.name}.service"
        self.base = machine.home / self.name
        self.vault = self.base / folder
        self.base.mkdir()
        shutil.copytree(EXAMPLE, self.vault)
        self.config = self.base / "config.toml"
        self.config.write_text("[settle]\nquiet_ms = 50\n")
        self.file = machine.home / ".config/systemd/user" / self.unit
        self.own()

    def own(self) -> None:
        for path in (self.base, *self.base.rglob("*")):
            shutil.chown(path, UID, UID)

    def install(self, *words: str, status: int | None = 0, env: dict[str, str] | None = None):
        done = self.machine.atomicd(
            "--vault",
            str(self.vault),
            "--config",
            str(self.config),
            "service",
            "install",
            "--name",
            self.name,
            "--json",
            *words,
            **(env or {}),
        )
        assert status is None or done.status == status, done
        return done

    def do(self, action: str, *words: str):
        return self.machine.atomicd("service", action, "--name", self.name, *words)

    def drop_in(self, text: str = FAST) -> None:
        folder = self.file.with_name(f"{self.unit}.d")
        folder.mkdir(parents=True)
        (folder / "test.conf").write_text(text)

    def status(self) -> dict:
        return self.machine.atomicd("status", "--name", self.name, "--json").json

    def fact(self, name: str) -> str:
        return self.machine.fact(self.unit, name)

    def pid(self) -> int:
        return int(self.fact("MainPID"))

    def signal(self, number: signal.Signals) -> None:
        self.machine.run("kill", f"-{number.name.removeprefix('SIG')}", str(self.pid()))

    def put(self, path: str, text: str) -> Path:
        target = self.vault / path
        target.write_text(text)
        shutil.chown(target, UID, UID)
        return target

    def index(self) -> str:
        return (self.vault / "fern/memory/INDEX.md").read_text()

    def vanish(self) -> None:
        """Take the service away without a word of ours."""
        script = (
            'systemctl --user disable --now --quiet "$1"; rm -rf "$2" "$2.d"; systemctl --user daemon-reload'
        )
        self.machine.run("sh", "-c", script, "sh", self.unit, str(self.file))

    def log(self) -> str:
        return self.machine.atomicd("logs", "--name", self.name, "--json", "-n", "1000").out

    def journal(self) -> str:
        return self.machine.root(
            "journalctl",
            "--no-pager",
            "--output=short-iso",
            f"_SYSTEMD_USER_UNIT={self.unit}",
            "+",
            f"USER_UNIT={self.unit}",
        ).out


def exposure(said: Said) -> float:
    """Return the figure of `systemd-analyze security`: 0 is closed, 10 is open."""
    return float(re.search(r"Overall exposure level.*: ([\d.]+)", said.out)[1])


def tell(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with capsys.disabled():
        sys.stdout.write(f"\n{text}\n")


@pytest.fixture
def service(machine: Machine) -> Iterator[Service]:
    made = Service(machine)
    yield made
    made.vanish()


def test_an_installed_service_is_active_ready_and_indexes_a_note(service: Service) -> None:
    result = service.install().json
    assert result["change"] == "new"
    assert result["canary"]["ok"]
    assert (service.fact("ActiveState"), service.fact("SubState")) == ("active", "running")
    assert service.fact("StatusText") == "running: 7 units, 0 quarantined, 0 held, 0 waiting"
    service.put("fern/memory/feedback_sharp_tools_first.md", note("Sharp tools first"))
    eventually(lambda: "feedback_sharp_tools_first.md" in service.index())


def test_the_canary_leaves_nothing_in_the_vault(service: Service) -> None:
    before = sorted(path.name for path in service.vault.rglob("*"))
    service.install()
    left = sorted(path.name for path in service.vault.rglob("*"))
    assert set(left) - set(before) <= {"INDEX.md", ".migration.lock"}
    assert not [name for name in left if "canary" in name]


def test_active_comes_only_after_the_first_sweep(service: Service) -> None:
    for number in range(200):
        service.put(f"fern/memory/feedback_rule_number_{number}.md", note(f"Rule {number}"))
    service.install("--no-verify")
    order = re.findall(r"(looked over start|ready  |Started atomicd)", service.journal())
    assert order == ["looked over start", "ready  ", "Started atomicd"]
    assert service.fact("StatusText").startswith("running: 207 units")


def test_a_second_installation_changes_nothing_and_keeps_the_process(service: Service) -> None:
    service.install("--no-verify")
    pid = service.pid()
    assert service.install("--no-verify").json["change"] == "none"
    assert service.pid() == pid


def test_an_upgrade_writes_the_new_unit_and_keeps_the_former(service: Service) -> None:
    service.install("--no-verify")
    old = service.file.read_text() + "# of an older version\n"
    service.file.write_text(old)
    pid = service.pid()
    drift = service.do("status", "--json").json["drift"]
    assert {one["code"] for one in drift} >= {"unit-differs"}
    assert service.install("--no-verify").json["change"] == "updated"
    assert service.file.with_name(f"{service.unit}.former").read_text() == old
    assert "older version" not in service.file.read_text()
    assert service.pid() != pid
    assert service.do("status", "--json").json["drift"] == []


def test_a_reload_takes_a_new_configuration_and_refuses_a_bad_one(service: Service) -> None:
    service.install("--no-verify")
    pid = service.pid()
    service.config.write_text("[settle]\nquiet_ms = 60\n")
    assert service.machine.systemctl("reload", service.unit).status == 0
    eventually(lambda: "config.reloaded" in service.log())
    service.config.write_text("[settle]\nquiet = 60\n")
    service.machine.systemctl("reload", service.unit)
    eventually(lambda: service.status()["state"] == "degraded")
    assert "settle.quiet: unknown key" in service.status()["reasons"][0]
    assert "configuration refused" in service.fact("StatusText")
    assert (service.fact("ActiveState"), service.pid()) == ("active", pid)
    service.put("fern/memory/feedback_still_at_work.md", note("Still at work"))
    eventually(lambda: "feedback_still_at_work.md" in service.index())
    service.config.write_text("")
    service.machine.systemctl("reload", service.unit)
    eventually(lambda: service.status()["state"] == "running")


def test_a_killed_daemon_is_started_again(service: Service) -> None:
    service.drop_in()
    service.install("--no-verify")
    pid = service.pid()
    service.signal(signal.SIGKILL)
    eventually(lambda: service.pid() not in {0, pid} and service.fact("ActiveState") == "active")
    assert service.status()["state"] == "running"


def test_a_worker_that_hangs_trips_the_watchdog_and_is_started_again(service: Service) -> None:
    service.drop_in()
    service.install("--no-verify")
    pid = service.pid()
    service.signal(signal.SIGSTOP)
    eventually(lambda: service.pid() not in {0, pid} and service.fact("ActiveState") == "active")
    assert service.fact("NRestarts") == "1"
    assert "Fatal Python error: Aborted" in service.journal()


def test_a_daemon_at_work_feeds_the_watchdog(service: Service) -> None:
    service.drop_in()
    service.install("--no-verify")
    pid = service.pid()
    first = service.fact("WatchdogTimestampMonotonic")
    eventually(lambda: int(service.fact("WatchdogTimestampMonotonic")) - int(first) > 3_000_000)
    assert service.pid() == pid


def test_a_wrong_configuration_does_not_loop(service: Service) -> None:
    service.drop_in()
    service.install("--no-verify")
    service.config.write_text("root = [")
    done = service.do("restart")
    assert done.status == 75
    eventually(lambda: service.fact("ActiveState") == "failed")
    assert (service.fact("ExecMainStatus"), service.fact("NRestarts")) == ("78", "0")
    told = service.status()
    assert told["state"] == "crashed"
    assert "no TOML" in told["last_error"]
    assert service.machine.atomicd("status", "--name", service.name, "--check").status == 2


def test_a_stopped_service_ends_cleanly_and_stays_stopped(service: Service) -> None:
    service.drop_in()
    service.install("--no-verify")
    assert service.do("stop").status == 0
    assert (service.fact("ActiveState"), service.fact("Result")) == ("inactive", "success")
    assert service.fact("ExecMainStatus") == "0"
    told = service.status()
    assert (told["state"], told["pid"]) == ("stopped", None)
    assert "service start" in told["reasons"][0]
    assert service.do("start").status == 0
    assert service.status()["state"] == "running"


def test_an_installation_with_a_wrong_configuration_is_refused_before_anything_is_written(
    service: Service,
) -> None:
    service.config.write_text("[settle]\nquiet = 1\n")
    done = service.install(status=78)
    assert "settle.quiet: unknown key" in done.err
    assert not service.file.exists()


def test_a_unit_that_does_not_come_up_gives_way_to_the_former_one(service: Service) -> None:
    service.install("--no-verify")
    former, pid = service.file.read_bytes(), service.pid()
    closed = service.machine.folder / f"closed-{service.name}"
    closed.mkdir(mode=0o755)
    done = service.install("--no-verify", status=75, env={"ATOMICD_STATE_DIR": str(closed)})
    assert "did not come up" in done.err
    assert "the former service is back" in done.err
    assert service.file.read_bytes() == former
    assert service.fact("ActiveState") == "active"
    assert service.pid() not in {0, pid}


def test_a_first_installation_that_does_not_come_up_leaves_nothing(service: Service) -> None:
    service.drop_in("[Service]\nExecStartPre=/bin/false\n")
    done = service.install("--no-verify", status=75)
    assert "nothing was left installed" in done.err
    assert not service.file.exists()
    assert service.fact("LoadState") == "not-found"


def test_a_second_service_for_one_vault_is_refused(service: Service) -> None:
    service.install("--no-verify")
    done = service.machine.atomicd("--vault", str(service.vault), "service", "install", "--name", "other")
    assert done.status == 1
    assert service.unit in done.err


def test_an_uninstalled_service_leaves_state_and_log_and_says_where(service: Service) -> None:
    service.install("--no-verify")
    done = service.do("uninstall", "--json").json
    assert done["removed"]
    assert not service.file.exists()
    state = service.machine.home / ".local/state/atomicd"
    assert any(str(state) in kept for kept in done["kept"])
    assert list(state.glob("vault-*/state.sqlite3"))
    assert service.fact("LoadState") == "not-found"
    again = service.do("uninstall")
    assert (again.status, "not installed" in again.out) == (0, True)


def test_two_vaults_have_services_side_by_side(machine: Machine, service: Service) -> None:
    other = Service(machine, folder='odd % "vault" ü')
    service.install()
    assert other.install().json["canary"]["ok"]
    assert service.pid() != other.pid()
    other.put("fern/memory/feedback_only_over_there.md", note("Only over there"))
    eventually(lambda: "feedback_only_over_there.md" in other.index())
    assert "feedback_only_over_there.md" not in service.index()
    assert other.status()["vault"] == str(other.vault)
    other.vanish()
    assert service.fact("ActiveState") == "active"


def test_the_units_have_no_fault_that_systemd_knows(machine: Machine, service: Service) -> None:
    other = Service(machine, folder="with blank, % and ü $HOME")
    other.install("--no-verify")
    done = machine.run("systemd-analyze", "--user", "verify", str(other.file))
    assert (done.status, done.out, done.err) == (0, "", "")
    other.vanish()


def test_the_user_unit_exposes_little(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    service.install("--no-verify")
    done = service.machine.run("systemd-analyze", "--user", "--no-pager", "security", service.unit)
    level = exposure(done)
    tell(capsys, f"systemd-analyze --user security: {level}")
    assert level <= 1.5


def test_a_user_service_can_write_to_the_vault_and_nowhere_else(service: Service) -> None:
    service.install("--no-verify", "--sandbox")
    pid = service.pid()
    view = service.machine.run(
        "nsenter",
        "-t",
        str(pid),
        "-m",
        "-U",
        "--preserve-credentials",
        "sh",
        "-c",
        f"touch {service.vault}/t && echo vault; touch {service.base}/t 2>/dev/null && echo beside; true",
    )
    assert view.out.split() == ["vault"]


def test_without_namespaces_the_service_runs_too(service: Service) -> None:
    assert service.install("--no-sandbox").json["canary"]["ok"]
    assert "PrivateUsers" not in service.file.read_text()


def test_the_journal_shows_readable_lines_with_one_time_and_their_priority(service: Service) -> None:
    service.install("--no-verify")
    service.put("fern/memory/feedback_wrong_confidence.md", note(confidence="certain"))
    eventually(lambda: "feedback_wrong_confidence" in service.journal())
    line = next(line for line in service.journal().splitlines() if "feedback_wrong_confidence" in line)
    assert re.match(r"\S+ \S+ atomicd-t\d+\[\d+\]: \S", line)
    assert len(re.findall(r"\d\d:\d\d:\d\d", line)) == 1
    assert "{" not in line
    own = f"_SYSTEMD_USER_UNIT={service.unit}"
    notable = service.machine.root("journalctl", "--no-pager", "--output=cat", "--priority=warning", own).out
    assert "feedback_wrong_confidence" in notable
    assert "ready  " not in notable


def test_an_interpreter_that_is_gone_is_noticed(service: Service) -> None:
    service.install("--no-verify")
    service.file.write_text(
        service.file.read_text().replace(sys.executable, "/opt/python-that-was/bin/python")
    )
    found = service.do("status", "--json")
    codes = {one["code"]: one["fix"] for one in found.json["drift"]}
    assert found.status == 1
    assert codes["interpreter-missing"] == f"atomicd service install --name {service.name}"


def test_a_service_that_was_disabled_is_noticed(service: Service) -> None:
    service.install("--no-verify")
    service.machine.systemctl("disable", service.unit)
    assert "not-enabled" in {one["code"] for one in service.do("status", "--json").json["drift"]}


def test_the_command_that_keeps_it_alive_after_the_logout_is_told(service: Service) -> None:
    (hint,) = service.install("--no-verify").json["hints"]
    assert hint.endswith("loginctl enable-linger tester")
    assert service.machine.root("loginctl", "enable-linger", "tester").status == 0
    assert service.do("status", "--json").json["hints"] == []


def test_a_vault_that_is_mounted_later_is_waited_for(service: Service) -> None:
    service.install("--no-verify")
    service.do("stop")
    aside = service.base / "unmounted"
    service.vault.rename(aside)
    service.machine.systemctl("start", "--no-block", service.unit)
    eventually(lambda: service.status()["state"] == "paused")
    assert "not there; waiting for it" in service.status()["reasons"][0]
    assert service.machine.atomicd("status", "--name", service.name, "--check").status == 1
    assert service.fact("ActiveState") == "activating"
    assert not service.vault.exists()
    aside.rename(service.vault)
    eventually(lambda: service.fact("ActiveState") == "active")


def test_the_doctor_finds_nothing_that_fails(service: Service) -> None:
    service.install("--no-verify")
    done = service.machine.atomicd("doctor", "--name", service.name, "--json")
    checks = {check["name"]: check["grade"] for check in done.json["checks"]}
    assert done.status == 0, done
    assert checks["daemon"] == checks["state store"] == checks["locks"] == "pass"


def test_the_system_service_runs_as_another_user_without_network(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    vault = machine.folder / "srv"
    shutil.copytree(EXAMPLE, vault)
    for path in (vault, *vault.rglob("*")):
        shutil.chown(path, UID, UID)
    words = (sys.executable, "-P", "-m", "atomic_agents")
    done = machine.root(
        *words, "--vault", str(vault), "service", "install", "--system", "--json", HOME="/root"
    )
    assert done.status == 0, done
    assert done.json["canary"]["ok"]
    file = "/etc/systemd/system/atomicd.service"
    verified = machine.root("systemd-analyze", "verify", file)
    assert (verified.status, verified.out, verified.err) == (0, "", "")
    pid = machine.root("systemctl", "show", "atomicd.service", "--property=MainPID", "--value").out.strip()
    assert machine.root("stat", "-c", "%u", f"/proc/{pid}").out.strip() == str(UID)
    links = machine.root("nsenter", "-t", pid, "-n", "ip", "-o", "link") if shutil.which("ip") else None
    assert links is None or len(links.out.splitlines()) == 1
    nets = [machine.root("readlink", f"/proc/{one}/ns/net").out for one in (pid, "self")]
    assert nets[0] != nets[1]
    view = machine.root(
        "nsenter",
        "-t",
        pid,
        "-m",
        "sh",
        "-c",
        f"touch {vault}/t && echo vault; touch /usr/t 2>/dev/null && echo usr; touch {machine.folder}/t 2>/dev/null && echo beside; true",
    )
    assert view.out.split() == ["vault"]
    told = machine.root(*words, "status", "--system", "--json")
    assert told.json["state"] == "running"
    level = exposure(machine.root("systemd-analyze", "--no-pager", "security", "atomicd.service"))
    tell(capsys, f"systemd-analyze security: {level}")
    assert level <= 1.5
    gone = machine.root(*words, "service", "uninstall", "--system", "--json")
    assert gone.json["removed"]
    assert "the state in /var/lib/atomicd" in gone.json["kept"]


def test_the_commands_of_the_linux_page_work_in_their_order(machine: Machine, tmp_path: Path) -> None:
    folder = machine.folder / "bin"
    folder.mkdir()
    (folder / "atomicd").write_text(f'#!/bin/sh\nexec {sys.executable} -P -m atomic_agents "$@"\n')
    (folder / "loginctl").write_text('#!/bin/sh\ntest "$1" != enable-linger || test "$2" = tester\n')
    for program in folder.iterdir():
        program.chmod(0o755)
    path = f"{folder}:/usr/bin:/bin:/usr/sbin:/sbin"
    for vault in (machine.home / "docs/agents", machine.folder / "agents"):
        shutil.copytree(EXAMPLE, vault)
    for name in ("docs", "../agents"):
        machine.root("chown", "-R", f"{UID}:{UID}", str(machine.home / name))
    for block in blocks("service-linux.md"):
        done = machine.run("sh", "-euc", block, PATH=path)
        assert done.status == 0, (block, done)
    for block in blocks("service-linux.md", root=True):
        done = machine.root(
            "sh", "-euc", block.replace("/srv/agents", str(machine.folder / "agents")), PATH=path
        )
        assert done.status == 0, (block, done)
