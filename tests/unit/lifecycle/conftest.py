"""A Mac that is played, and commands that run on it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from atomic_agents import __version__
from atomic_agents.cli import main
from atomic_agents.daemon.instance import Instance
from atomic_agents.daemon.status import Status, write_status
from atomic_agents.lifecycle import finding, rim
from atomic_agents.lifecycle.launchd import Launchd
from atomic_agents.store import state_folder
from fakes.launchctl import Launchctl
from fakes.notes import note, put

LABEL = "io.atomic-agents.atomicd"


class Mac:
    """A home folder, a vault, a launchd whose daemons say at once that they run."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.vault = folder / "vault"
        put(self.vault, "alpha/memory/feedback_a_rule.md", note())
        self.says: dict[str, Any] = {"state": "running"}
        self.launchctl = Launchctl(start=self._start)
        self.instances: dict[Path, Instance] = {}
        monkeypatch.setattr(rim, "run_program", lambda words, _env=None: self.launchctl(words))
        monkeypatch.setattr(
            finding,
            "this_manager",
            lambda real, scope: Launchd(real, scope, folder=folder / "agents", uid=501),
        )
        monkeypatch.setattr(rim.RealRim, "pause", lambda _self, _seconds: None)

    @property
    def file(self) -> Path:
        return self.folder / "agents" / f"{LABEL}.plist"

    def _start(self, plist: dict[str, Any]) -> None:
        root = Path(os.path.realpath(plist["ProgramArguments"][-1]))
        if self.says:
            folder = state_folder(root)
            if self.says["state"] == "running":
                self.hold(folder)
            values = {
                "vault": str(root),
                "pid": os.getpid(),
                "started": "2026-12-01T00:00:00.000+00:00",
                "version": __version__,
                "beat_monotonic": 1e12,
            }
            write_status(folder, Status(**(values | self.says)))

    def hold(self, folder: Path | None = None) -> None:
        """Be the one daemon of a vault."""
        folder = folder or state_folder(self.vault)
        if folder not in self.instances:
            self.instances[folder] = Instance(folder)
            self.instances[folder].acquire(version=__version__, now=0.0)

    def stop(self) -> None:
        for instance in self.instances.values():
            instance.release()
        self.instances.clear()


@pytest.fixture
def mac(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mac]:
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("ATOMICD_LOG_DIR", str(tmp_path / "log"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("ATOMICD_CONFIG", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("ATOMIC_AGENTS_ROOT", raising=False)
    made = Mac(tmp_path, monkeypatch)
    yield made
    made.stop()


class Said:
    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def run(mac: Mac, capsys: pytest.CaptureFixture[str]):
    def command(*words: str) -> Said:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main(["--vault", str(mac.vault), *words])
        said = capsys.readouterr()
        return Said(int(ended.value.code or 0), said.out, said.err)

    return command
