"""launchd, as `launchctl` documents it: domains, loaded services, the disabled list, exit statuses.

Kept: `print` of a domain or service (113 and 112 if there is none), `bootstrap` (5 for a property list
that cannot be read and for a label that is loaded, 37 while it is on its way out, 119 if it is disabled,
125 without such a domain, 134 for another kind of session), `bootout` (3 if it is not loaded, 36 while
it still ends), `kickstart` (113 if it is not loaded), `enable`, `disable`, `print-disabled`.
"""

from __future__ import annotations

import plistlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.parsers.expat import ExpatError

from atomic_agents.lifecycle.rim import Done

_SESSIONS = {"gui": "Aqua", "user": "Background"}


@dataclass
class Job:
    plist: dict[str, Any]
    pid: int | None = None
    runs: int = 0
    last_exit: int | None = None
    leaving: int = 0
    """How many more looks it takes until a job that was booted out is gone."""


class Launchctl:
    """Called with the words of a command line.

    Args:
        uid: of the user.
        logged_in: whether the user has a session at the screen.
        slow_exit: how many looks a job needs to go away.
        start: told of each start with the property list; returns an exit status, or None to live.

    """

    def __init__(
        self,
        *,
        uid: int = 501,
        logged_in: bool = True,
        slow_exit: int = 0,
        start: Callable[[dict[str, Any]], int | None] = lambda _plist: None,
    ) -> None:
        self.domains: dict[str, dict[str, Job]] = {f"user/{uid}": {}, "system": {}}
        if logged_in:
            self.domains[f"gui/{uid}"] = {}
        self.disabled: dict[str, set[str]] = {domain: set() for domain in self.domains}
        self.calls: list[tuple[str, ...]] = []
        self._slow_exit = slow_exit
        self._start = start
        self._pid = 1000

    def __call__(self, words: tuple[str, ...]) -> Done:
        assert words[0] == "launchctl", words
        self.calls.append(words[1:])
        return getattr(self, f"_{words[1].replace('-', '_')}")(*words[2:])

    def changes(self) -> list[tuple[str, ...]]:
        """Return the calls that were not mere questions."""
        return [call for call in self.calls if not call[0].startswith("print")]

    def job(self, label: str) -> Job | None:
        return next((jobs[label] for jobs in self.domains.values() if label in jobs), None)

    def crash(self, label: str, status: int) -> None:
        job = self.job(label)
        assert job is not None
        job.pid, job.last_exit = None, status

    def _print(self, target: str) -> Done:
        domain, label = self._split(target)
        if domain not in self.domains:
            return Done(112, err=f"Bad request.\nCould not find domain for {domain}")
        if not label:
            return Done(0, out=f"{domain} = {{}}")
        job = self._look(domain, label)
        if job is None:
            return Done(113, err=f'Bad request.\nCould not find service "{label}" in domain for {domain}')
        return Done(0, out=_shown(label, job))

    def _print_disabled(self, domain: str) -> Done:
        lines = "".join(f'\t"{label}" => disabled\n' for label in sorted(self.disabled.get(domain, ())))
        return Done(0, out=f"disabled services = {{\n{lines}}}")

    def _enable(self, target: str) -> Done:
        domain, label = self._split(target)
        self.disabled[domain].discard(label)
        return Done(0)

    def _disable(self, target: str) -> Done:
        domain, label = self._split(target)
        self.disabled[domain].add(label)
        return Done(0)

    def _bootstrap(self, domain: str, path: str) -> Done:
        if domain not in self.domains:
            return Done(125, err="Bootstrap failed: 125: Domain does not support specified action")
        try:
            plist = plistlib.loads(Path(path).read_bytes())
        except (OSError, ExpatError, plistlib.InvalidFileException):
            return Done(5, err="Bootstrap failed: 5: Input/output error")
        return self._load(domain, plist)

    def _load(self, domain: str, plist: dict[str, Any]) -> Done:
        label = plist["Label"]
        session = _SESSIONS.get(domain.split("/", maxsplit=1)[0])
        allowed = plist.get("LimitLoadToSessionType", "Aqua")
        if session is not None and session not in ([allowed] if isinstance(allowed, str) else allowed):
            return Done(134, err="Bootstrap failed: 134: Service cannot load in requested session")
        if label in self.disabled[domain]:
            return Done(119, err="Bootstrap failed: 119: Service is disabled")
        job = self._look(domain, label)
        if job is not None:
            if job.leaving:
                return Done(37, err="Bootstrap failed: 37: Operation already in progress")
            return Done(5, err="Bootstrap failed: 5: Input/output error")
        self.domains[domain][label] = Job(plist)
        if plist.get("RunAtLoad"):
            self._run(self.domains[domain][label])
        return Done(0)

    def _bootout(self, target: str) -> Done:
        domain, label = self._split(target)
        job = self.domains.get(domain, {}).get(label)
        if job is None:
            return Done(3, err="Boot-out failed: 3: No such process")
        if self._slow_exit:
            job.leaving = self._slow_exit
            return Done(36, err="Boot-out failed: 36: Operation now in progress")
        del self.domains[domain][label]
        return Done(0)

    def _kickstart(self, *words: str) -> Done:
        domain, label = self._split(words[-1])
        job = self._look(domain, label)
        if job is None:
            return Done(113, err=f'Could not find service "{label}" in domain for {domain}')
        if job.pid is None or "-k" in words:
            self._run(job)
        return Done(0)

    def _run(self, job: Job) -> None:
        status = self._start(job.plist)
        job.runs += 1
        self._pid += 1
        job.pid, job.last_exit = (self._pid, None) if status is None else (None, status)

    def _look(self, domain: str, label: str) -> Job | None:
        job = self.domains[domain].get(label)
        if job is not None and job.leaving:
            job.leaving -= 1
            if not job.leaving:
                del self.domains[domain][label]
        return job

    def _split(self, target: str) -> tuple[str, str]:
        parts = target.split("/")
        depth = 1 if parts[0] == "system" else 2
        return "/".join(parts[:depth]), "/".join(parts[depth:])


def _shown(label: str, job: Job) -> str:
    state = "running" if job.pid else "not running"
    pid = f"\tpid = {job.pid}\n" if job.pid else ""
    last = "(never exited)" if job.last_exit is None else job.last_exit
    return f"{label} = {{\n\tstate = {state}\n{pid}\truns = {job.runs}\n\tlast exit code = {last}\n}}"
