"""The kernel's limits: said with the setting that raises them, and the rest is polled."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("inotify limits are for Linux", allow_module_level=True)

SCRIPT = """
import json, shutil, sys
from pathlib import Path
from atomic_agents.intake.events import Touched
from atomic_agents.intake.inotify import InotifyWatcher
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey

root, limit, setting = Path(sys.argv[1], "vault"), sys.argv[2], Path("/proc/sys/user", sys.argv[3])
for number in range(20):
    (root / f"agent{number}/memory").mkdir(parents=True)
setting.write_text(limit)
watcher = InotifyWatcher(root, Path(sys.argv[1], "canary"), mode="native")
watcher.arm(Layout())
list(watcher.walk(Survey()))
before = watcher.health(0.0)
for number in range(20):
    (root / f"agent{number}/memory/x.md").write_text("x")
found = len(list(watcher.walk(Survey())))
heard = len([event for event in watcher.take(1) if isinstance(event, Touched)])
gone = []
for number in range(20):
    if not watcher._arming or not watcher._arming.watches.is_watched(f"agent{number}"):
        shutil.move(root / f"agent{number}", Path(sys.argv[1], f"agent{number}"))
    elif not watcher._arming.watches.is_watched(f"agent{number}/memory"):
        shutil.move(root / f"agent{number}/memory", Path(sys.argv[1], f"memory{number}"))
        gone.append(number)
watcher.take(0.2)
list(watcher.walk(Survey()))
without = watcher.health(0.5)
for number in range(20):
    if Path(sys.argv[1], f"agent{number}").exists():
        shutil.move(Path(sys.argv[1], f"agent{number}"), root / f"agent{number}")
for number in gone:
    shutil.move(Path(sys.argv[1], f"memory{number}"), root / f"agent{number}/memory")
setting.write_text("100000")
if sys.argv[3] == "max_inotify_instances":
    watcher.arm(Layout())
list(watcher.walk(Survey()))
after = watcher.health(1.0)
watcher.stop()
print(json.dumps({
    "condition": before.condition, "mode": before.mode, "watches": before.watches, "reason": before.reason,
    "polls": before.polls, "found": found, "heard": heard,
    "condition without": without.condition,
    "condition after": after.condition, "mode after": after.mode, "watches after": after.watches,
}))
"""


def run(tmp_path: Path, limit: int, setting: str) -> dict[str, object]:
    unshare = shutil.which("unshare")
    if (
        unshare is None
        or subprocess.run([unshare, "-Ur", "true"], check=False, capture_output=True).returncode
    ):
        pytest.skip("no user namespace to be had here")
    command = [
        unshare,
        "-Ur",
        sys.executable,
        "-W",
        "error",
        "-c",
        SCRIPT,
        str(tmp_path),
        str(limit),
        setting,
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert result.stderr == ""
    return json.loads(result.stdout)


def test_a_watch_limit_leaves_the_rest_to_polling_and_is_left_when_it_is_raised(tmp_path: Path) -> None:
    told = run(tmp_path, 10, "max_inotify_watches")
    assert told["condition"] == "limited"
    assert (told["mode"], told["polls"]) == ("mixed", True)
    assert told["watches"] == 9, "one watch is the canary's"
    assert "9 of 41 folders" in told["reason"]
    assert "sysctl fs.inotify.max_user_watches=" in told["reason"]
    assert told["found"] == 20
    assert 0 < told["heard"] < 20
    assert told["condition without"] == "good", "what is gone needs no watch"
    assert (told["condition after"], told["mode after"], told["watches after"]) == ("good", "native", 41)


def test_without_a_single_watch_everything_is_polled(tmp_path: Path) -> None:
    told = run(tmp_path, 0, "max_inotify_watches")
    assert (told["condition"], told["mode"], told["watches"]) == ("limited", "poll", 0)
    assert (told["found"], told["heard"]) == (20, 0)
    assert (told["condition after"], told["watches after"]) == ("good", 41)


def test_an_instance_limit_leaves_everything_to_polling(tmp_path: Path) -> None:
    told = run(tmp_path, 0, "max_inotify_instances")
    assert (told["condition"], told["mode"], told["watches"]) == ("limited", "poll", 0)
    assert "sysctl fs.inotify.max_user_instances=" in told["reason"]
    assert (told["found"], told["heard"]) == (20, 0)
    assert (told["condition after"], told["mode after"], told["watches after"]) == ("good", "native", 41)
