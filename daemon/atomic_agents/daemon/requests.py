"""How commands ask the running daemon: a file each in the state folder, answered beside it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from atomic_agents._io import atomic_write, make_folder
from atomic_agents.exceptions import TemporaryError

FOLDER: Final = "requests"
CANARY: Final = "canary"
"""A folder of the state folder that the watcher listens to: opening it wakes the worker."""

_ASKED: Final = ".request.json"
_ANSWERED: Final = ".answer.json"
_POLL_SECONDS: Final = 0.02


@dataclass(frozen=True, slots=True)
class Request:
    """What a command asks for: `kind` is `sync`, `arguments` are its own."""

    name: str
    kind: str
    arguments: dict[str, Any]


class Requests:
    """The daemon's side.

    Args:
        folder: the vault's state folder.

    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER

    def prepare(self) -> None:
        """Create the folder and forget what was asked of a former daemon."""
        make_folder(self.folder)
        for file in self.folder.iterdir():
            if file.name.endswith((_ASKED, _ANSWERED)):
                file.unlink(missing_ok=True)

    def take(self) -> list[Request]:
        """Return the new requests and take them off the folder; one that cannot be read is answered so."""
        found = []
        for file in sorted(self.folder.glob(f"*{_ASKED}")):
            name = file.name.removesuffix(_ASKED)
            try:
                values = json.loads(file.read_text("utf-8"))
                found.append(Request(name, str(values["kind"]), dict(values["arguments"])))
            except (ValueError, KeyError, TypeError) as error:
                self.answer(name, {"error": f"unreadable request: {error!r}"})
            file.unlink(missing_ok=True)
        return found

    def answer(self, name: str, values: dict[str, Any]) -> None:
        """Answer a request.

        Args:
            name: the request's.
            values: what the command gets.

        """
        atomic_write(self.folder / f"{name}{_ANSWERED}", json.dumps(values))


def ask(
    folder: Path,
    kind: str,
    arguments: dict[str, Any],
    *,
    is_alive: Callable[[], bool],
    timeout: float,
) -> dict[str, Any]:
    """Ask the running daemon and wait for its answer.

    Args:
        folder: the vault's state folder.
        kind: what for.
        arguments: of the request.
        is_alive: whether the daemon still runs.
        timeout: seconds to wait.

    Raises:
        TemporaryError: it ended, or did not answer in time.

    """
    requests = folder / FOLDER
    make_folder(requests)
    name = secrets.token_hex(8)
    answer = requests / f"{name}{_ANSWERED}"
    atomic_write(requests / f"{name}{_ASKED}", json.dumps({"kind": kind, "arguments": arguments}))
    _ring(folder / CANARY)
    until = time.monotonic() + timeout
    checked = time.monotonic()
    while not answer.exists():
        now = time.monotonic()
        if now > until or (now - checked > 1 and not is_alive()):
            (requests / f"{name}{_ASKED}").unlink(missing_ok=True)
            raise TemporaryError("the daemon did not answer", hint="see `atomicd status` and `atomicd logs`")
        checked = now if now - checked > 1 else checked
        _pause()
    values: dict[str, Any] = json.loads(answer.read_text("utf-8"))
    answer.unlink(missing_ok=True)
    return values


def _ring(canary: Path) -> None:
    """Open the folder that the daemon listens to, which wakes it; without it, it looks up by itself."""
    with contextlib.suppress(OSError):
        os.close(os.open(canary, os.O_RDONLY | os.O_DIRECTORY))


def _pause() -> None:
    time.sleep(_POLL_SECONDS)  # noqa: TID251 (a command that waits for another process's file)
