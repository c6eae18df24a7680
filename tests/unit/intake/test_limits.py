"""What is said when the kernel has no more watches or instances."""

from pathlib import Path

import pytest

from atomic_agents.intake import limits


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "max_user_watches").write_text("8192\n")
    (tmp_path / "max_user_instances").write_text("128\n")
    monkeypatch.setattr(limits, "_SETTINGS", tmp_path)
    return tmp_path


def test_a_watch_limit_names_what_is_needed_and_the_setting() -> None:
    text = limits.watch_limit(watched=10, needed=20_000)
    assert "10 of 20000 folders" in text
    assert "fs.inotify.max_user_watches = 8192" in text
    (raised,) = [
        int(word.split("=")[1].strip("`;"))
        for word in text.split()
        if word.startswith("fs.inotify.max_user_watches=")
    ]
    assert raised >= 8192 + 20_000 - 10


def test_an_instance_limit_names_the_setting() -> None:
    text = limits.instance_limit(OSError(24, "inotify instance limit reached"))
    assert "inotify instance limit reached" in text
    assert "sysctl fs.inotify.max_user_instances=256" in text


def test_another_refusal_names_its_reason_and_no_setting() -> None:
    text = limits.instance_limit(OSError(12, "Cannot allocate memory"))
    assert text == "inotify cannot be used: Cannot allocate memory; the vault is polled"


def test_a_system_that_does_not_tell_its_limits_is_no_failure(settings: Path) -> None:
    (settings / "max_user_watches").write_text("?")
    (settings / "max_user_instances").unlink()
    assert "max_user_watches = 0" in limits.watch_limit(watched=1, needed=2)
    assert "max_user_instances=128" in limits.instance_limit(OSError(24, "x"))
