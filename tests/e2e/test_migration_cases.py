"""The cases that people reported elsewhere, as far as migrations go, driven as their steps say."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from atomic_agents.migration.recovery import DIED, recover
from atomic_agents.vault.lock import LOCK_FILE, VaultLock
from fakes.migrating import BUMP, adopt_schema, events, tree, write

BODY = "    meta = unit.read_frontmatter()\n"
COUNT = "import itertools\ncount = itertools.count(1)\n"


def variant(before_change: str = "", head: str = "") -> str:
    return head + BUMP.format(1, 2).replace(
        BODY, BODY + "".join(f"    {line}\n" for line in before_change.splitlines())
    )


SCRIPTS: dict[str, str] = {
    "bump": BUMP.format(1, 2),
    "bump_keep_snapshot": BUMP.format(1, 2),
    "bump_and_add_provenance": BUMP.format(1, 2).replace('"step_2"', '"provenance"'),
    "kill_after_10": variant("if not unit.dry_run and next(count) > 10:\n    import os; os._exit(9)", COUNT),
    "raise_on_last": variant("if unit.unit_id.endswith('seed_rule.md'):\n    raise ValueError('last')"),
    "raise_on_3": variant("if next(count) == 3:\n    raise ValueError('third')", COUNT),
    "no_bump": BUMP.format(1, 2).replace('meta["schema_version"] = TO_VERSION', "pass"),
    "falsy_after_write": BUMP.format(1, 2).replace("return {", "return None and {"),
    "sys_exit": variant("import sys; sys.exit(4)"),
    "old_signature": "from pathlib import Path\nFROM_VERSION = 1\nTO_VERSION = 2\n"
    "def applies_to(path: Path): return True\ndef migrate(path: Path, dry_run: bool): return {}\n",
    "syntax_error": "def applies_to(:\n",
    "slow": variant(
        "import pathlib, time\ngo = pathlib.Path(unit.unit_id).parents[3] / 'go'\n"
        "while not (unit.dry_run or go.exists()):\n    time.sleep(0.01)"
    ),
    "applies_to_first_only": BUMP.format(1, 2).replace(
        "return unit", "return unit.unit_id.endswith('one_rule.md') and unit"
    ),
    "summary_with_set": BUMP.format(1, 2).replace('["bump"]', "{1, 2}"),
}


class Harness:
    """Carries out the steps of a case that are no file operations."""

    def __init__(self, root: Path, scratch: Path, *, adopts: bool) -> None:
        self.root = root
        self.results: list[subprocess.CompletedProcess[str]] = []
        self.running: list[subprocess.Popen[str]] = []
        self.before: dict[str, Any] = {}
        self.cleanups: list[Callable[[], object]] = []
        self._scratch = scratch
        self._adopts = adopts

    def __call__(self, step: dict[str, Any], _root: str, _out: str) -> None:
        getattr(self, f"do_{step['op']}")(step)

    def do_migrate(self, step: dict[str, Any]) -> None:
        for path in (self.root / "_migrations").glob("v*.py"):
            path.unlink()
        if step["script"] != "gap":
            write(self.root / "_migrations/v1_to_v2.py", SCRIPTS[step["script"]])
        if self._adopts and not (self.root / "_migrations/schemas").exists():
            adopt_schema(self.root, 2)
        self.before = self.before or self.seen()
        words = [sys.executable, "-m", "atomic_agents.migrate", "--agents-root", str(self.root), "--to", "v2"]
        if step["script"] == "slow":
            process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            assert process.stdout is not None
            process.stdout.readline()
            self.running.append(process)
        else:
            self.results.append(
                subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
            )

    def do_rollback(self, step: dict[str, Any]) -> None:
        self.before = self.before or self.seen()
        name = self.printed() if step["ref"] == "printed" else step["ref"]
        words = [
            sys.executable,
            "-m",
            "atomic_agents.migrate",
            "--agents-root",
            str(self.root),
            "--rollback",
            name,
        ]
        self.results.append(subprocess.run(words, capture_output=True, text=True, check=False, timeout=60))

    def do_daemon(self, step: dict[str, Any]) -> None:
        """What matters here of a daemon is that its start recovers."""
        if step["do"] == "start":
            recover(self.root)

    def do_make_tar(self, step: dict[str, Any]) -> None:
        import io
        import tarfile

        path = self.root / "_migrations/snapshots" / step["name"]
        path.parent.mkdir(parents=True)
        with tarfile.open(path, "w:gz") as archive:
            for name, kind, link in step["members"]:
                member = tarfile.TarInfo(name)
                member.type = tarfile.SYMTYPE if kind == "symlink" else tarfile.REGTYPE
                member.linkname, member.size = link, 0 if link else 4
                archive.addfile(member, io.BytesIO(b"evil"))

    def do_lock(self, step: dict[str, Any]) -> None:
        lock = VaultLock(self.root)
        if step["do"] == "hold":
            held = lock.hold()
            held.__enter__()
            self.cleanups.append(lambda: held.__exit__(None, None, None))
        else:
            with lock.hold(), lock.hold():
                pass

    def do_truncate_tail(self, step: dict[str, Any]) -> None:
        path = self.root / step["path"]
        os.truncate(path, path.stat().st_size - step["bytes"])

    def do_env(self, step: dict[str, Any]) -> None:
        """Let the vault lie on a file system of so many kilobytes."""
        size = step["tmpfs_kb"]
        adopt_schema(self.root, 2)
        write(self.root / "_migrations/v1_to_v2.py", SCRIPTS["bump"])
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(self._scratch)],
            check=True,
            timeout=10,
        )
        self.cleanups.append(
            lambda: subprocess.run(["umount", "-l", str(self._scratch)], check=True, timeout=10)
        )
        shutil.copytree(self.root, self._scratch / "vault", symlinks=True)
        self.root = self._scratch / "vault"
        filler = self.root / ".filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while file.write(bytes(512)):
                continue

    def printed(self) -> str:
        texts = [result.stdout for result in self.results]
        lines = [line for text in texts for line in text.splitlines() if line.startswith("If this migration")]
        return lines[-1].rpartition(" ")[2]

    def seen(self) -> dict[str, Any]:
        """Return the vault's state, scripts apart, which the cases exchange."""
        skipped = (LOCK_FILE, "_migrations", ".filler")
        return {path: value for path, value in tree(self.root).items() if not path.startswith(skipped)}

    def finish(self) -> None:
        (self.root.parent / "go").touch()
        for process in self.running:
            out, err = process.communicate(timeout=60)
            self.results.append(subprocess.CompletedProcess([], process.returncode, out, err))

    def close(self) -> None:
        for cleanup in reversed(self.cleanups):
            cleanup()


@pytest.fixture
def cases(shared: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("apply_case", shared / "cases/apply_case.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Case:
    def __init__(self, harness: Harness, root: Path, out: Path) -> None:
        self.harness = harness
        self.root = root
        self.out = out

    @property
    def codes(self) -> list[int]:
        return [result.returncode for result in self.harness.results]

    @property
    def audit(self) -> list[dict[str, Any]]:
        return events(self.harness.root)[1:]

    def is_as_before(self) -> bool:
        return self.harness.seen() == self.harness.before


@pytest.fixture
def play(
    cases: ModuleType,
    shared: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Callable[..., Case]:
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("ATOMICD_CONFIG", str(write(tmp_path / "config.toml", "")))
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    def run(name: str, *, adopts: bool = True) -> Case:
        root, out = tmp_path / "vault", tmp_path / "out"
        shutil.copytree(shared / "cases/_base", root, copy_function=shutil.copyfile)
        for folder in [root, *(path for path in root.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)
        harness = Harness(root, scratch, adopts=adopts)
        request.addfinalizer(harness.close)
        case = json.loads((shared / "cases" / name / "case.json").read_text())
        kept = cases.apply(case, str(root), str(out), hook=harness, scale=0.0)
        request.addfinalizer(lambda: [each.close() for each in kept])
        harness.finish()
        return Case(harness, root, out)

    return run


def test_mg01_killed_in_the_middle_of_apply(play: Callable[..., Case]) -> None:
    case = play("MG01")
    assert case.is_as_before()
    assert case.codes == [9, 0]
    assert [event["error"] for event in case.audit] == [DIED, ""]


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small file system needs root")
def test_mg02_disk_full_while_taking_the_snapshot(play: Callable[..., Case]) -> None:
    case = play("MG02")
    assert case.is_as_before()
    assert case.codes == [1]
    folder = case.harness.root / "_migrations/snapshots"
    assert not folder.exists() or list(folder.iterdir()) == []
    assert "No space left on device" in case.harness.results[0].stderr


def test_mg03_hostile_or_foreign_snapshot_on_rollback(play: Callable[..., Case]) -> None:
    case = play("MG03")
    assert case.is_as_before()
    assert case.codes == [1]
    assert not (case.root.parent / "escape.md").exists()
    assert not Path("/abs/x.md").exists()
    assert not (case.root / "alpha/link").is_symlink()
    (event,) = case.audit
    assert (event["rolled_back"], event["error"] != "") == (False, True)


def test_mg04_a_vault_that_holds_links_out_and_fifos(play: Callable[..., Case]) -> None:
    case = play("MG04")
    assert case.is_as_before()
    assert case.codes == [1]
    (event,) = case.audit
    assert "last" in event["error"]


def test_mg07_two_runners_at_once(play: Callable[..., Case]) -> None:
    case = play("MG07")
    assert sorted(case.codes) == [0, 75]
    assert [event["from_version"] for event in case.audit] == [1, 1]
    assert "Another migration is already running" in case.harness.results[0].stderr


@pytest.mark.parametrize("adopts", [True, False])
def test_mg08_bad_scripts(adopts: bool, play: Callable[..., Case]) -> None:
    case = play("MG08", adopts=adopts)
    assert case.is_as_before()
    assert set(case.codes) == {1}
    assert len(case.audit) == 7
    assert [event["from_version"] for event in case.audit] == [1, 1, 1, 1, -1, -1, -1]
    named = [event["error"] for event in case.audit[:6]]
    assert all("v1_to_v2.py" in error for error in named if "do not pass" not in error)
    assert all("feedback_" in error for error in named[:4])


def test_mg09_a_script_that_skips_a_unit(play: Callable[..., Case]) -> None:
    case = play("MG09")
    assert case.is_as_before()
    assert case.codes == [1]
    assert case.audit[-1]["rolled_back"] is True


def test_mg10_content_that_came_after_the_snapshot_is_kept(play: Callable[..., Case], shared: Path) -> None:
    case = play("MG10")
    assert case.codes == [0, 0]
    assert case.is_as_before()
    wanted = json.loads((shared / "cases/MG10/case.json").read_text())["expect"]["bytes_anywhere"]
    (aside,) = (case.root / "_migrations/displaced").rglob("feedback_after_rule.md")
    assert aside.read_text() == wanted
    assert case.audit[-1]["rolled_back"] is True


def test_mg14_a_memory_folder_behind_a_link(play: Callable[..., Case]) -> None:
    case = play("MG14")
    assert case.codes == [0]
    assert case.audit[-1]["units_touched"] == 2
    assert (case.root / "beta/memory").is_symlink()


def test_mg16_audit_under_failure(play: Callable[..., Case]) -> None:
    case = play("MG16")
    assert len(case.audit) == 2
    assert case.codes[0] == 0


def test_mg18_a_rollback_gives_a_valid_vault_back(play: Callable[..., Case]) -> None:
    case = play("MG18")
    assert case.codes == [0, 0]
    assert case.is_as_before()


def test_rt01_comments_order_and_quoting_survive(play: Callable[..., Case]) -> None:
    case = play("RT01")
    old = case.harness.before["alpha/memory/feedback_sample_rule.md"][1].decode().splitlines()
    new = (case.root / "alpha/memory/feedback_sample_rule.md").read_text().splitlines()
    changed = [line for line in old if line not in new] + [line for line in new if line not in old]
    assert changed == ["schema_version: 1   # v", "schema_version: 2   # v", "provenance: done"]


def test_rt02_body_whitespace_and_final_newlines_survive(play: Callable[..., Case]) -> None:
    case = play("RT02")
    old = case.harness.before["alpha/memory/feedback_sample_rule.md"][1].decode()
    new = (case.root / "alpha/memory/feedback_sample_rule.md").read_text()
    assert new.split("---\n", 2)[2] == old.split("---\n", 2)[2]
    assert case.codes == [0]


def test_rt05_bom_line_ends_and_mode_survive(play: Callable[..., Case]) -> None:
    case = play("RT05")
    path = case.root / "alpha/memory/feedback_sample_rule.md"
    assert case.codes == [0]
    assert path.stat().st_mode & 0o777 == 416
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf---\r\nschema_version: 2\r\n")
    assert data.count(b"\n") == data.count(b"\r\n")


def test_rt06_nothing_is_written_to_a_file_whose_block_cannot_be_read(play: Callable[..., Case]) -> None:
    case = play("RT06")
    assert case.codes == [1]
    assert case.is_as_before()
    assert "feedback_sample_rule.md: yaml-syntax" in case.harness.results[0].stderr
    (event,) = case.audit
    assert event["from_version"] == 1


def test_lk01_a_lock_file_that_is_removed_while_it_is_held(play: Callable[..., Case]) -> None:
    case = play("LK01")
    assert case.codes == [75]
    assert case.is_as_before()


@pytest.mark.parametrize("name", ["LK02", "LK04"])
def test_locks_that_look_held_and_locks_that_nest_stop_nothing(name: str, play: Callable[..., Case]) -> None:
    assert set(play(name).codes) <= {0}
