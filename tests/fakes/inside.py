"""Runs inside a private systemd: prepares a user of its own, then does what it is told, line by line.

Everything happens in the mount namespace of that systemd; nothing of it is seen outside.
"""

from __future__ import annotations

import grp
import json
import os
import subprocess
import sys
from pathlib import Path

USER, UID = "tester", 4711
JOURNAL = grp.getgrnam("systemd-journal").gr_gid
"""Its members read the journal, as the first user of a desktop does."""


def sh(*words: str) -> None:
    subprocess.run(words, check=True, stdout=sys.stderr)


def bring_back(source: str, folders: list[str]) -> None:
    """Show folders again that the fresh /tmp hides."""
    for folder in folders:
        if folder.startswith("/tmp/"):
            Path(folder).mkdir(parents=True, exist_ok=True)
            sh("mount", "--bind", source, folder)


def open_the_way(path: Path) -> None:
    """Let other users reach the interpreter, which may lie below a closed home folder."""
    closed = [folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001]
    if not closed:
        return
    wall, door = closed[0], Path("/run/door")
    inner = path.relative_to(wall)
    door.mkdir()
    sh("mount", "--bind", str(path), str(door))
    sh("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", str(wall))
    (wall / inner).mkdir(parents=True)
    sh("mount", "--bind", str(door), str(wall / inner))


def add_user(home: str) -> None:
    lines = {
        "passwd": f"{USER}:x:{UID}:{UID}::{home}:/bin/sh\n",
        "group": f"{USER}:x:{UID}:\n",
        "shadow": f"{USER}:*:19000:0:99999:7:::\n",
    }
    for name, line in lines.items():
        copy = Path(f"/run/etc-{name}")
        copy.write_text(Path(f"/etc/{name}").read_text() + line)
        copy.chmod(0o600 if name == "shadow" else 0o644)
        sh("mount", "--bind", str(copy), f"/etc/{name}")


def own_folders() -> None:
    """Give the machine's own folders for units, state and logs a private copy."""
    for folder in ("/etc/systemd/system", "/var/lib", "/var/log"):
        sh("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder)
    Path("/var/lib/systemd/linger").mkdir(parents=True)


def answer(order: dict) -> dict:
    words = order["words"]
    environment = order["env"]
    if order["user"]:
        words = ["setpriv", f"--reuid={UID}", f"--regid={UID}", f"--groups={JOURNAL}", *words]
        environment = {"XDG_RUNTIME_DIR": f"/run/user/{UID}", **environment}
    done = subprocess.run(
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd="/",
        timeout=100,
        check=False,
    )
    return {"status": done.returncode, "out": done.stdout, "err": done.stderr}


def say(values: dict) -> None:
    sys.stdout.write(f"{json.dumps(values)}\n")
    sys.stdout.flush()


def main() -> None:
    home, interpreter = sys.argv[1], Path(sys.argv[2])
    open_the_way(interpreter)
    add_user(home)
    own_folders()
    sh("chgrp", "-R", "systemd-journal", "/run/log/journal")
    sh("chmod", "-R", "g+rXs", "/run/log/journal")
    sh("systemctl", "daemon-reload")
    sh("systemctl", "restart", "systemd-logind")
    sh("systemctl", "start", f"user@{UID}.service")
    say({"ready": os.getpid()})
    for line in sys.stdin:
        say(answer(json.loads(line)))


main()
