"""Services of launchd, by `launchctl` (contract section 11).

`enable`, `bootstrap`, `bootout` and `kickstart`, never `load`: `load` reports success for what it did
not do. A service is known by its domain: `gui/UID` while the user is logged in at the screen,
`user/UID` else (SSH, a Mac without a login), `system` for all.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from atomic_agents.exceptions import TemporaryError
from atomic_agents.lifecycle.manager import DidNotComeUpError, Loaded, NoManagerError
from atomic_agents.lifecycle.plan import Plan, Scope
from atomic_agents.lifecycle.property_list import label, parse_plist, render_plist
from atomic_agents.lifecycle.rim import Rim

SYSTEM_FOLDER: Final = Path("/Library/LaunchDaemons")

_NO_PROCESS: Final = 3
_IO_ERROR: Final = 5
_IN_PROGRESS: Final = 36
_LOADED_ALREADY: Final = 37
_NOT_FOUND: Final = 113
_GONE: Final = frozenset({0, _NO_PROCESS, _IN_PROGRESS, _NOT_FOUND})
_AGAIN: Final = frozenset({_IO_ERROR, _LOADED_ALREADY})
"""While a service is still on its way out, `bootstrap` answers with one of these."""
_NO_PROGRAM: Final = 127

_TRIES: Final = 5
_PAUSE_SECONDS: Final = 1.0
_LEAVE_SECONDS: Final = 30.0
"""More than `ExitTimeOut`."""

_PID: Final = re.compile(r"(?m)^\s*pid = (\d+)")
_STATE: Final = re.compile(r"(?m)^\s*state = (.+)$")
_LAST_EXIT: Final = re.compile(r"(?m)^\s*last exit code = (.+)$")
_RUNS: Final = re.compile(r"(?m)^\s*runs = (\d+)")
_DISABLED: Final = re.compile(r'"(?P<label>[^"]+)" => (?:disabled|true)')


@dataclass(frozen=True)
class Launchd:
    """launchd, for a user or for the whole system.

    Args:
        rim: runs `launchctl`.
        scope: which of the two.
        folder: where its property lists lie; None is the usual place.
        uid: of the user.

    """

    rim: Rim
    scope: Scope
    folder: Path | None = None
    uid: int | None = None

    @property
    def kind(self) -> str:
        """How it is called."""
        return f"launchd {self.scope}"

    def file(self, name: str) -> Path:
        """Return where the property list of a service lies."""
        usual = SYSTEM_FOLDER if self.scope == "system" else Path("~/Library/LaunchAgents").expanduser()
        return (self.folder or usual) / f"{label(name)}.plist"

    def render(self, plan: Plan) -> bytes:
        """Return the property list of a plan."""
        return render_plist(plan)

    def parse(self, data: bytes, name: str) -> Plan:
        """Return the plan of a property list."""
        return parse_plist(data, name)

    def domain(self) -> str:
        """Return the domain that services of this user live in now.

        Raises:
            NoManagerError: there is no `launchctl`.

        """
        if self.scope == "system":
            return "system"
        uid = os.getuid() if self.uid is None else self.uid
        done = self.rim.ask("launchctl", "print", f"gui/{uid}")
        if done.status == _NO_PROGRAM:
            raise NoManagerError(done.said, hint="run `atomicd run` in the foreground")
        return f"user/{uid}" if done.status else f"gui/{uid}"

    def look(self, name: str) -> Loaded:
        """Ask how a service is."""
        domain = self.domain()
        done = self.rim.ask("launchctl", "print", f"{domain}/{label(name)}")
        disabled = {
            found["label"]
            for found in _DISABLED.finditer(self.rim.ask("launchctl", "print-disabled", domain).out)
        }
        is_enabled = label(name) not in disabled and self.file(name).exists()
        if done.status:
            return Loaded(is_enabled=is_enabled, said="not loaded")
        return _loaded(done.out, is_enabled=is_enabled)

    def adopt(self, name: str) -> None:
        """Let the service start by itself; a new file is read by `restart`."""
        done = self.rim.act("launchctl", "enable", f"{self.domain()}/{label(name)}")
        if done.status:
            raise DidNotComeUpError(f"launchctl enable: {done.status}: {done.said}")

    def start(self, name: str) -> None:
        """Load a service, which starts it; one that is loaded is started."""
        domain = self.domain()
        if self._is_there(domain, name):
            self._kick(domain, name)
        else:
            self._bootstrap(domain, name)

    def restart(self, name: str) -> None:
        """Unload a service and load it again, with its file as it is now."""
        domain = self.domain()
        self._leave(domain, name)
        self._bootstrap(domain, name)

    def stop(self, name: str) -> None:
        """Unload a service: a mere signal would only end this run."""
        self._leave(self.domain(), name)

    def forget(self, name: str) -> None:
        """Unload a service."""
        self._leave(self.domain(), name)

    def forgotten(self, name: str) -> None:
        """Do nothing: launchd keeps no mind of a file that is gone."""

    def words(self, name: str) -> str:
        """Return nothing: what the process printed lies in its file."""
        del name
        return ""

    def _kick(self, domain: str, name: str) -> None:
        done = self.rim.act("launchctl", "kickstart", f"{domain}/{label(name)}")
        if done.status:
            raise DidNotComeUpError(f"launchctl kickstart: {done.status}: {done.said}")

    def _bootstrap(self, domain: str, name: str) -> None:
        for attempt in range(_TRIES):
            done = self.rim.act("launchctl", "bootstrap", domain, str(self.file(name)))
            if not done.status:
                return
            if done.status not in _AGAIN:
                break
            if self._is_there(domain, name):
                return
            if attempt + 1 < _TRIES:
                self.rim.pause(_PAUSE_SECONDS)
        raise DidNotComeUpError(f"launchctl bootstrap {domain}: {done.status}: {done.said}")

    def _leave(self, domain: str, name: str) -> None:
        """Unload a service and wait until it is gone: `bootout` may return before that."""
        if not self._is_there(domain, name):
            return
        done = self.rim.act("launchctl", "bootout", f"{domain}/{label(name)}")
        if done.status not in _GONE:
            raise TemporaryError(f"launchctl bootout: {done.status}: {done.said}")
        until = self.rim.monotonic() + _LEAVE_SECONDS
        while self._is_there(domain, name) and self.rim.monotonic() < until:
            self.rim.pause(_PAUSE_SECONDS / 4)

    def _is_there(self, domain: str, name: str) -> bool:
        return self.rim.ask("launchctl", "print", f"{domain}/{label(name)}").status == 0


def _loaded(text: str, *, is_enabled: bool) -> Loaded:
    state, pid = _STATE.search(text), _PID.search(text)
    last, runs = _LAST_EXIT.search(text), _RUNS.search(text)
    said = state[1].strip() if state else "loaded"
    if last is not None and not pid:
        said = f"{said}, last exit code {last[1].strip()}"
    return Loaded(
        is_loaded=True,
        is_enabled=is_enabled,
        is_active=pid is not None,
        is_failed=pid is None and last is not None and last[1].strip() not in {"0", "(never exited)"},
        pid=int(pid[1]) if pid else None,
        restarts=max(int(runs[1]) - 1, 0) if runs else 0,
        said=said,
    )
