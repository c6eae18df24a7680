"""Runs a reported case: its steps on a small vault beside the real daemon, then what is expected of it."""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from fakes.process import Daemon, eventually

SCALE = 0.25


class Case:
    """One case in its own vault.

    Args:
        folder: the shared folder of cases.
        name: the case's id.
        place: an empty folder to work in.

    """

    def __init__(self, folder: Path, name: str, place: Path) -> None:
        self.spec: dict[str, Any] = json.loads((folder / name / "case.json").read_text())
        self.steps = _steps_module(folder)
        self.root = place / "vault"
        self.out = place / "out"
        subprocess.run(["cp", "-r", str(folder / "_base"), str(self.root)], check=True)
        env = {
            key: value for step in self.spec["steps"] if step["op"] == "env" for key, value in step.items()
        }
        self.daemon = Daemon(
            self.root,
            place / "home",
            grace=0.5,
            quiet_ms=80,
            interval=2.0 if env.get("observer") == "null" else 300.0,
            config='[watch]\nmode = "poll"\npoll_seconds = 1\n' if env.get("observer") == "null" else "",
            wrap=_wrap(env),
            extra_env={"PYTHONWARNINGS": env["PYTHONWARNINGS"]} if "PYTHONWARNINGS" in env else {},
        )
        self.keep: list[Any] = []
        self.index = self.root / "alpha/memory/INDEX.md"
        self.full_log = env.get("log_target") == "/dev/full"

    def run(self) -> None:
        """Do all steps and let everything settle."""
        if self.full_log:
            (self.daemon.home / "log").mkdir()
            (self.daemon.home / "log" / "atomicd.jsonl").symlink_to("/dev/full")
        names = {step.get("do") for step in self.spec["steps"] if step["op"] == "daemon"}
        if "start_on_symlink" in names:
            (self.root.parent / "link").symlink_to(self.root)
            self.daemon.env["ATOMIC_AGENTS_ROOT"] = str(self.root.parent / "link")
        if "start_missing_root" not in names:
            self.daemon.start()
        self.before = self.index.read_bytes()
        for step in self.spec["steps"]:
            self._step(step)
        self.settle()

    def end(self) -> None:
        """End the daemon and give back what the steps hold."""
        self.daemon.end()
        for held in self.keep:
            held.close()

    def settle(self) -> None:
        """Return when nothing is pending."""
        eventually(lambda: self.daemon.command("sync", "--json", check=False).returncode == 0)

    def _step(self, step: dict[str, Any]) -> None:
        op = step["op"]
        if op in {"index_edit", "index_move"}:
            self.settle()
        own = getattr(self, f"_do_{op}", None)
        if own is not None:
            own(step)
            return
        self.keep += self.steps.apply({"steps": [step]}, str(self.root), str(self.out), scale=SCALE)
        if op == "write" and step.get("path", "").endswith("INDEX.md"):
            self.before = self.index.read_bytes()

    def _do_sleep(self, step: dict[str, Any]) -> None:
        running = self.daemon.process is not None and self.daemon.process.poll() is None
        if self.spec["id"] in {"WT19", "WT05", "LC08", "LC09", "WT03", "LC01"} or not running:
            time.sleep(step["s"] * SCALE)
        else:
            self.settle()

    def _do_env(self, _step: dict[str, Any]) -> None:
        """Taken into account at the start."""

    def _do_daemon(self, step: dict[str, Any]) -> None:
        do = step["do"]
        if do in {"stop", "wait_exit", "restart"} and self.daemon.process.poll() is None:
            assert self.daemon.stop() == 0
        if do in {"start", "restart"}:
            if self.daemon.process.poll() is None:
                assert self.daemon.wait() == 0
            self.daemon.start()
        if do == "start_second":
            done = self.daemon.command("run", check=False)
            assert done.returncode == 69
            assert str(self.daemon.process.pid) in done.stderr
        if do == "start_missing_root":
            subprocess.run(["mv", str(self.root), str(self.root.parent / "aside")], check=True)
            self.daemon.start(ready=False)
            assert self.daemon.wait() == 66
            assert not self.root.exists()

    def _do_mkdir(self, step: dict[str, Any]) -> None:
        self.steps.apply({"steps": [step]}, str(self.root), str(self.out))
        if self.spec["id"] == "LC09":
            self.daemon.start()

    def _do_signal(self, step: dict[str, Any]) -> None:
        self.daemon.send(getattr(signal, f"SIG{step['sig']}"))
        if step["sig"] == "STOP":
            eventually(lambda: "T" in Path(f"/proc/{self.daemon.process.pid}/stat").read_text().split()[2])

    def _do_config(self, step: dict[str, Any]) -> None:
        self.daemon.config.write_text(step["text"])
        self.daemon.send(signal.SIGHUP)
        self.daemon.wait_for("config.refused")
        self.good = self.daemon.env.pop("ATOMICD_CONFIG")

    def _do_clock_jump(self, _step: dict[str, Any]) -> None:
        """The machine's clock is not ours to set; the jump itself is tested with a fake clock."""

    def _do_log(self, step: dict[str, Any]) -> None:
        log = self.daemon.home / "log" / "atomicd.jsonl"
        if step["do"] == "rename_current":
            log.rename(log.with_name("rotated"))
        else:
            data = log.read_bytes()
            log.with_name("copy").write_bytes(data)
            os.truncate(log, 0)

    def _do_restore_from_quarantine(self, step: dict[str, Any]) -> None:
        (self.root / "alpha/memory" / step["file"]).write_text(step["text"])

    def _do_cli(self, step: dict[str, Any]) -> None:
        (incident,) = json.loads(self.daemon.command("quarantine", "list", "--json").stdout)
        done = self.daemon.command("quarantine", step["do"], incident["id"], check=False)
        assert done.returncode == 1
        assert "something is there" in done.stderr

    def _do_fill(self, step: dict[str, Any]) -> None:
        raise NotImplementedError(step)

    def files(self, suffix: str = "") -> list[Path]:
        """Return every file of the vault and beside it whose name ends so."""
        found = [*self.root.rglob("*"), *self.out.rglob("*")]
        return [path for path in found if path.is_file() and path.name.endswith(suffix)]

    def quarantined(self) -> set[str]:
        """Return the names of the files in quarantine."""
        names = {path.name for path in (self.root / "_quarantine").glob("*/*")}
        return names - {"report.json"}

    def entries(self, agent: str = "alpha") -> list[str]:
        """Return the targets of an agent's entries, in INDEX.md and its sub-indexes, fences aside."""
        found: list[str] = []
        for index in sorted((self.root / agent / "memory").glob("INDEX*.md")):
            text = re.sub(r"```.*?(```|\Z)|~~~.*?(~~~|\Z)|<!--.*?-->", "", _text(index), flags=re.DOTALL)
            found += re.findall(r"\]\(<?([^()<>]*?)>?\)", text)
            found += [f"{name}.md" for name in re.findall(r"\[\[([^\]|]+)", text)]
        return found


def check(case: Case) -> None:
    """Assert all that the case expects."""
    for key, value in case.spec["expect"].items():
        globals()[f"expect_{key}"](case, value)


def expect_indexed(case: Case, names: list[str]) -> None:
    entries = [*case.entries(), *case.entries("gamma"), *case.entries("late")]
    assert all(entries.count(name) == 1 for name in names), (names, entries)


def expect_not_indexed(case: Case, names: list[str]) -> None:
    assert not set(names) & set(case.entries())


def expect_quarantined(case: Case, names: list[str]) -> None:
    assert case.quarantined() - set(case.spec["expect"].get("backup_of", ())) == set(names)


def expect_bytes_identical(case: Case, _value: bool) -> None:
    """Every content that the steps wrote is still somewhere, byte for byte."""
    contents = {path.read_bytes() for path in case.files()}
    for step in case.spec["steps"]:
        if step["op"] == "write" and not step["path"].endswith("INDEX.md"):
            assert _content(step) in contents, step["path"]


def expect_index_contains(case: Case, texts: list[str]) -> None:
    assert all(text in _text(case.index) for text in texts), _text(case.index)


def expect_index_not_contains(case: Case, texts: list[str]) -> None:
    assert not any(text in _text(case.index) for text in texts), _text(case.index)


def expect_indexed_count_min(case: Case, number: int) -> None:
    assert len(set(case.entries())) >= number


def expect_entries_per_file(case: Case, number: int) -> None:
    entries = [name for name in case.entries() if name.startswith("feedback_")]
    assert all(entries.count(name) == number for name in entries), entries


def expect_entries_outside_fence(case: Case, number: int) -> None:
    assert case.entries().count("feedback_sample_rule.md") == number


def expect_index_writes_max(case: Case, number: int) -> None:
    assert len(case.daemon.events("index.written")) <= number


def expect_index_diff_added(case: Case, number: int) -> None:
    before, after = case.before.split(b"\n"), case.index.read_bytes().split(b"\n")
    assert len(after) - len(before) == number or (
        before[-1] != b"" and len(after) - len(before) == number + 1
    )
    kept = iter(after)
    assert all(line in kept for line in before), "a line changed or moved"


def expect_index_diff_removed(case: Case, number: int) -> None:
    assert number == 0
    after = case.index.read_bytes().split(b"\n")
    assert all(line in after for line in case.before.split(b"\n"))


def expect_index_eol(case: Case, eol: str) -> None:
    data = case.index.read_bytes()
    assert data.count(b"\n") == data.count(eol.encode())


def expect_index_unchanged(case: Case, _value: bool) -> None:
    assert case.index.read_bytes() == case.before


def expect_index_headings_unchanged(case: Case, _value: bool) -> None:
    heads = [line for line in case.before.split(b"\n") if line.startswith(b"#")]
    assert [line for line in case.index.read_bytes().split(b"\n") if line.startswith(b"#")] == heads


def expect_index_line_count_delta(case: Case, number: int) -> None:
    assert len(_text(case.index).splitlines()) - len(case.before.decode().splitlines()) == number


def expect_index_line_max_new_lines(case: Case, number: int) -> None:
    assert len(_text(case.index).splitlines()) - len(case.before.decode().splitlines()) <= number


def expect_agents_indexed(case: Case, number: int) -> None:
    found = [index for index in case.root.glob("*/memory/INDEX.md") if index.parent.parent.name != "alpha"]
    assert len(found) == number
    assert all("](feedback_" in _text(index) for index in found)


def expect_absent(case: Case, names: list[str]) -> None:
    assert not any((case.root / name).exists() for name in names)


def expect_backup_of(case: Case, names: list[str]) -> None:
    assert set(names) <= case.quarantined()


def expect_bytes_anywhere(case: Case, text: str) -> None:
    expect_bytes_anywhere_all(case, [text])


def expect_bytes_anywhere_all(case: Case, texts: list[str]) -> None:
    contents = {path.read_bytes() for path in case.files()}
    assert all(text.encode() in contents for text in texts)


def expect_bytes_anywhere_b64(case: Case, text: str) -> None:
    wanted = base64.b64decode(text)
    assert any(wanted in path.read_bytes() for path in case.files())


def expect_section_of(case: Case, sections: dict[str, str]) -> None:
    for name, heading in sections.items():
        part = _text(case.index).split(f"{heading}\n")[1].split("\n## ")[0]
        assert f"({name})" in part


def expect_operator_lines(case: Case, number: int) -> None:
    assert len(re.findall(r"^operator line \d+$", _text(case.index), re.MULTILINE)) == number


def expect_no_temp(case: Case, _value: bool) -> None:
    assert not case.files(".tmp")


def expect_exit_within_s(_case: Case, number: float) -> None:
    """Asserted by `Daemon.wait`, whose patience is this long."""
    assert number == 10


def expect_daemons(case: Case, number: int) -> None:
    assert number == 1
    assert case.daemon.process.poll() is None


def expect_log_no_nul(case: Case, _value: bool) -> None:
    assert not any(b"\0" in path.read_bytes() for path in (case.daemon.home / "log").iterdir())


def expect_log_growth_idle_max(case: Case, number: int) -> None:
    before = len(case.daemon.drain())
    time.sleep(2)
    assert len(case.daemon.drain()) - before <= number


def expect_start_within_s(_case: Case, number: float) -> None:
    """Asserted by the wait for `daemon.ready`, which is no longer than the tests' patience."""
    assert number == 10


def _content(step: dict[str, Any]) -> bytes:
    return base64.b64decode(step["b64"]) if "b64" in step else step["text"].encode("utf-8", "surrogatepass")


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "surrogateescape")


def _wrap(env: dict[str, Any]) -> tuple[str, ...]:
    limits = {
        "unshare_max_inotify_watches": "max_inotify_watches",
        "unshare_max_inotify_instances": "max_inotify_instances",
    }
    for key, name in limits.items():
        if key in env:
            script = f'echo {env[key]} > /proc/sys/user/{name} && exec "$@"'
            return ("unshare", "-Ur", "sh", "-c", script, "sh")
    return ()


def _steps_module(folder: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("apply_case", folder / "apply_case.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault("apply_case", module)
    spec.loader.exec_module(module)
    return module
