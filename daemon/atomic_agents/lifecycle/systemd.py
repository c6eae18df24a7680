"""Services of systemd, by `systemctl` (contract section 11)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from atomic_agents.exceptions import TemporaryError
from atomic_agents.lifecycle.manager import DidNotComeUpError, Loaded, NoManagerError
from atomic_agents.lifecycle.plan import Plan, Scope, stem
from atomic_agents.lifecycle.rim import Done, Rim
from atomic_agents.lifecycle.unit_file import parse_unit, render_unit, unit_name

SYSTEM_FOLDER: Final = Path("/etc/systemd/system")

_FACTS: Final = (
    "LoadState,ActiveState,SubState,Result,ExecMainStatus,MainPID,UnitFileState,NeedDaemonReload,NRestarts"
)


@dataclass(frozen=True)
class Systemd:
    """The system's manager, or that of a user.

    Args:
        rim: runs `systemctl`.
        scope: which of the two.
        folder: where its units lie; None is the usual place.

    """

    rim: Rim
    scope: Scope
    folder: Path | None = None

    @property
    def kind(self) -> str:
        """How it is called."""
        return f"systemd {self.scope}"

    def file(self, name: str) -> Path:
        """Return where the unit of a service lies."""
        return (self.folder or _folder(self.scope)) / unit_name(name)

    def render(self, plan: Plan) -> bytes:
        """Return the unit of a plan."""
        return render_unit(plan)

    def parse(self, data: bytes, name: str) -> Plan:
        """Return the plan of a unit."""
        return parse_unit(data, name)

    def look(self, name: str) -> Loaded:
        """Ask how a service is."""
        done = self.rim.ask(*self._systemctl("show", unit_name(name), f"--property={_FACTS}"))
        if done.status:
            raise self._nobody(done)
        facts = dict(line.split("=", 1) for line in done.out.splitlines() if "=" in line)
        return _loaded(facts)

    def adopt(self, name: str) -> None:
        """Let the manager read a new unit, and start the service at each login or boot."""
        self._act("daemon-reload")
        self._act("enable", unit_name(name))

    def start(self, name: str) -> None:
        """Start a service and wait until it is ready."""
        self._clear(name)
        self._act("start", unit_name(name))

    def restart(self, name: str) -> None:
        """Start a service anew and wait until it is ready."""
        self._clear(name)
        self._act("restart", unit_name(name))

    def stop(self, name: str) -> None:
        """Stop a service and wait for its end."""
        done = self.rim.act(*self._systemctl("stop", unit_name(name)))
        if done.status:
            raise TemporaryError(f"{unit_name(name)}: {done.said}", hint="see `atomicd service status`")

    def forget(self, name: str) -> None:
        """Stop a service and start it no more by itself."""
        self.rim.act(*self._systemctl("disable", "--now", unit_name(name)))

    def forgotten(self, name: str) -> None:
        """Let the manager notice that the unit was removed, and that it had failed."""
        self._act("daemon-reload")
        self._clear(name)

    def words(self, name: str) -> str:
        """Return the last line that the process of a service put into the journal."""
        scope = "--user-unit" if self.scope == "user" else "--unit"
        done = self.rim.ask(
            "journalctl", "--no-pager", "--quiet", "--output=cat", "--lines=1",
            f"--identifier={stem(name)}", scope, unit_name(name),
        )  # fmt: skip
        return done.out.strip()

    def can_sandbox(self) -> bool:
        """Whether the manager of this user may open namespaces: asked by doing it."""
        if self.scope == "system":
            return False
        done = self.rim.ask(
            "systemd-run", "--user", "--quiet", "--wait", "--collect",
            "--property=PrivateUsers=yes", "--property=ProtectSystem=strict",
            "--property=PrivateDevices=yes", "--property=PrivateNetwork=yes", "true",
        )  # fmt: skip
        return done.status == 0

    def _act(self, *words: str) -> None:
        done = self.rim.act(*self._systemctl(*words))
        if done.status:
            raise DidNotComeUpError(f"systemctl {' '.join(words)}: {done.said}")

    def _clear(self, name: str) -> None:
        """Forget former failures, which would count against the start limit; there may be none."""
        self.rim.act(*self._systemctl("reset-failed", unit_name(name)))

    def _systemctl(self, *words: str) -> tuple[str, ...]:
        return ("systemctl", f"--{self.scope}", "--no-pager", "--no-ask-password", *words)

    def _nobody(self, done: Done) -> NoManagerError:
        hint = "run `atomicd run` in the foreground, e.g. in a container"
        if self.scope == "user":
            hint = f"log in as this user (not with su or sudo), use --system, or {hint}"
        return NoManagerError(f"systemd ({self.scope}): {done.said or 'no answer'}", hint=hint)


def _folder(scope: Scope) -> Path:
    if scope == "system":
        return SYSTEM_FOLDER
    base = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "systemd" / "user"


def _loaded(facts: dict[str, str]) -> Loaded:
    state, pid = facts.get("ActiveState", ""), facts.get("MainPID", "0")
    result = facts.get("Result", "")
    said = f"{state} ({facts.get('SubState', '')})"
    if result not in {"", "success"}:
        said = f"{said}, {result}, exit status {facts.get('ExecMainStatus')}"
    return Loaded(
        is_loaded=facts.get("LoadState") == "loaded",
        is_enabled=facts.get("UnitFileState") == "enabled",
        is_active=state in {"active", "activating", "reloading"},
        is_failed=state == "failed",
        pid=int(pid) or None if pid.isdecimal() else None,
        needs_reload=facts.get("NeedDaemonReload") == "yes",
        restarts=int(facts.get("NRestarts", "0") or 0),
        said=said,
    )
