"""A private systemd with a user of its own, on which the real commands run as they do on a desktop."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
UID = 4711
_INSIDE = Path(__file__).with_name("inside.py")
_NOT_UP = 125


class CannotRunError(Exception):
    """This machine cannot boot a private systemd."""


@dataclass(frozen=True)
class Said:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Machine:
    """Boots at once; `run` and `atomicd` act as the user, `root` as root.

    Args:
        tool: the program that boots a private systemd and runs a command in it.

    """

    def __init__(self, tool: Path) -> None:
        self._lock = open("/var/tmp/atomicd-systemd.lock", "w")  # noqa: PTH123, SIM115
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.folder = Path(tempfile.mkdtemp(prefix="atomicd-systemd-", dir="/var/tmp"))
        self.folder.chmod(0o755)
        self.home = self.folder / "home"
        (self.home / ".config" / "systemd" / "user").mkdir(parents=True)
        for folder in (self.home, *self.home.rglob("*")):
            shutil.chown(folder, UID, UID)
        self._errors = (self.folder / "errors").open("w+")
        self._process = subprocess.Popen(
            self._words(tool), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True
        )
        if not self._answer():
            reason = self._told()
            self.close()
            raise CannotRunError(reason)

    def _words(self, tool: Path) -> list[str]:
        """Return the command; the checkout is shown again in the fresh /tmp, if it lies there."""
        command = [str(tool), sys.executable, str(_INSIDE), str(self.home), sys.base_prefix]
        if not str(ROOT).startswith("/tmp/"):
            return command
        script = 'mount --make-rprivate / && mount --bind "$1" /mnt && cd / && shift && exec "$@"'
        inner = ["sh", "-c", 'mkdir -p "$1" && mount --bind /mnt "$1" && shift && exec "$@"', "sh", str(ROOT)]
        return ["unshare", "-m", "sh", "-c", script, "sh", str(ROOT), str(tool), *inner, *command[1:]]

    def run(self, *words: str, **env: str) -> Said:
        """Run a command as the user."""
        return self._do(words, env, user=True)

    def root(self, *words: str, **env: str) -> Said:
        """Run a command as root."""
        return self._do(words, env, user=False)

    def atomicd(self, *words: str, **env: str) -> Said:
        """Run an atomicd command as the user."""
        return self.run(sys.executable, "-P", "-m", "atomic_agents", *words, **env)

    def systemctl(self, *words: str) -> Said:
        """Ask the user's manager."""
        return self.run("systemctl", "--user", "--no-pager", *words)

    def fact(self, unit: str, name: str) -> str:
        """Return a property of a unit of the user."""
        return self.systemctl("show", unit, f"--property={name}", "--value").out.strip()

    def close(self) -> None:
        """Shut it down; nothing of it stays."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait(20)
        self._process.stdout.close()
        self._errors.close()
        shutil.rmtree(self.folder)
        self._lock.close()

    def _do(self, words: tuple[str, ...], env: dict[str, str], *, user: bool) -> Said:
        assert self._process.stdin is not None
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(self.home) if user else "/root",
            "LANG": "C.UTF-8",
            **env,
        }
        order = {"words": words, "user": user, "env": environment}
        self._process.stdin.write(f"{json.dumps(order)}\n")
        self._process.stdin.flush()
        answer = self._answer()
        assert answer, self._told()
        return Said(**answer)

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else {}

    def _told(self) -> str:
        self._errors.seek(0)
        return self._errors.read().strip() or "no word from the private systemd"


def can_boot() -> str:
    """Return why no private systemd can be booted here, "" if it can be tried."""
    if sys.platform != "linux":
        return "only Linux has systemd"
    if os.geteuid() != 0:
        return "a private systemd needs root"
    missing = [tool for tool in ("systemctl", "setpriv", "unshare", "nsenter") if shutil.which(tool) is None]
    return f"missing: {', '.join(missing)}" if missing else ""
