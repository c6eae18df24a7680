"""Bad input with the real daemon: named, never a traceback, no byte lost (contract [PATH-2], section 12)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fakes.notes import note, put
from fakes.process import eventually

AFTER = "alpha/memory/feedback_after_rule.md"
NO_OVERRIDE = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


def settle_with_a_note_after(daemon, vault):
    """What stands in the way of one file does not stand in the way of the next."""
    put(vault, AFTER, note("After"))
    daemon.wait_for("unit.indexed", path=AFTER)
    daemon.sync()
    assert not daemon.events("daemon.failed")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "frontmatter-missing"),
        (bytes(range(1, 256)) * 40, "not-utf8"),
        (b"\0" * 4096, "nul-byte"),
        (b"---\nname: [" + b"[" * 5000, "frontmatter-unclosed"),
        (b"---\nx: " + b"[" * 3000 + b"\n---\n", "yaml-too-complex"),
        (b"---\n- a\n---\n", "frontmatter-not-mapping"),
    ],
    ids=["empty", "binary", "nul", "unclosed", "deep", "list"],
)
def test_a_file_that_is_no_note_is_blocked_byte_for_byte(make_daemon, vault, data, code):
    daemon = make_daemon(vault).start()
    path = "alpha/memory/feedback_odd_file.md"
    put(vault, path, data)
    line = daemon.wait_for("unit.quarantined", path=path)
    assert code in {problem["code"] for problem in line["problems"]}
    assert (vault / "_quarantine" / line["incident"] / "feedback_odd_file.md").read_bytes() == data
    settle_with_a_note_after(daemon, vault)


def test_a_file_of_100_megabytes_is_blocked_without_being_read_into_memory(make_daemon, vault):
    daemon = make_daemon(vault).start()
    path = vault / "alpha/memory/feedback_huge_file.md"
    with path.open("wb") as file:
        file.write(b"---\n")
        file.truncate(100_000_000)
    line = daemon.wait_for("unit.quarantined", path="alpha/memory/feedback_huge_file.md")
    assert line["problems"][0]["code"] == "too-large"
    peak = Path(f"/proc/{daemon.process.pid}/status").read_text().partition("VmHWM:")[2].split()[0]
    assert int(peak) < 110_000, f"{peak} kB at the peak"
    settle_with_a_note_after(daemon, vault)


def test_what_is_no_regular_file_is_never_opened_and_left(make_daemon, vault, tmp_path):
    (tmp_path / "outside").mkdir()
    put(tmp_path, "outside/secret.md", note("Secret"))
    memory = vault / "alpha/memory"
    os.mkfifo(memory / "feedback_a_pipe.md")
    (memory / "feedback_a_folder.md").mkdir()
    (memory / "feedback_dangling_link.md").symlink_to("nowhere.md")
    (memory / "feedback_link_out.md").symlink_to(tmp_path / "outside/secret.md")
    (vault / "alpha/wiki").symlink_to(tmp_path / "outside")
    daemon = make_daemon(vault).start()
    settle_with_a_note_after(daemon, vault)
    odd = {line["path"]: line["reason"] for line in daemon.events("sweep.odd")}
    assert set(odd) >= {
        f"alpha/memory/feedback_{name}.md" for name in ("a_pipe", "a_folder", "dangling_link", "link_out")
    }
    assert (memory / "feedback_link_out.md").is_symlink()
    assert "Secret" not in (memory / "INDEX.md").read_text()
    assert list((tmp_path / "outside").iterdir()) == [tmp_path / "outside/secret.md"]
    assert not (vault / "_quarantine").exists()


def test_an_index_that_is_a_link_out_of_the_vault_is_not_followed(make_daemon, vault, tmp_path):
    put(tmp_path, "outside.md", "mine\n")
    (vault / "alpha/memory/INDEX.md").symlink_to(tmp_path / "outside.md")
    daemon = make_daemon(vault).start()
    put(vault, AFTER, note("After"))
    daemon.wait_for("index.notice", path="alpha/memory/INDEX.md")
    assert (tmp_path / "outside.md").read_text() == "mine\n"
    put(vault, "beta/memory/feedback_other_agent.md", note("Other"))
    daemon.wait_for("unit.indexed", path="beta/memory/feedback_other_agent.md")


@pytest.mark.skipif(
    os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root reads everything here"
)
def test_what_cannot_be_read_is_told_kept_and_taken_up_when_it_can(make_daemon, vault):
    wrap = NO_OVERRIDE if os.geteuid() == 0 else ()
    path = put(vault, "alpha/memory/feedback_some_rule.md", note("Some rule"))
    daemon = make_daemon(vault, wrap=wrap).start()
    path.chmod(0)
    told = daemon.wait_for("unit.unreadable", path="alpha/memory/feedback_some_rule.md")
    assert told["reason"].startswith("EACCES")
    settle_with_a_note_after(daemon, vault)
    assert "feedback_some_rule.md" in (vault / "alpha/memory/INDEX.md").read_text()
    status = json.loads(daemon.command("status", "--json").stdout)
    assert "feedback_some_rule.md" in " ".join(status["reasons"])
    path.chmod(0o644)
    put(vault, "alpha/memory/feedback_some_rule.md", note("Renamed rule"))
    daemon.wait_for("unit.indexed", path="alpha/memory/feedback_some_rule.md")
    assert "[Renamed rule]" in (vault / "alpha/memory/INDEX.md").read_text()


@pytest.mark.skipif(
    os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root reads everything here"
)
def test_a_folder_that_cannot_be_listed_is_not_an_empty_one(make_daemon, vault):
    wrap = NO_OVERRIDE if os.geteuid() == 0 else ()
    put(vault, "alpha/memory/sub/feedback_some_rule.md", note("Some rule"))
    daemon = make_daemon(vault, wrap=wrap).start()
    (vault / "alpha/memory/sub").chmod(0)
    try:
        daemon.sync()
        daemon.wait_for("sweep.odd", path="alpha/memory/sub")
        assert "sub/feedback_some_rule.md" in (vault / "alpha/memory/INDEX.md").read_text()
    finally:
        (vault / "alpha/memory/sub").chmod(0o755)


@pytest.mark.parametrize(
    ("prepare", "code", "said"),
    [
        (lambda vault, _: shutil.rmtree(vault), 66, "not there"),
        (
            lambda vault, _: (shutil.rmtree(vault), vault.write_text("")),
            66,
            "found a file, expected a folder",
        ),
        (
            lambda _, config: config.write_text("[settle]\nquiet_ms = 'x'\nnope = 1\n"),
            78,
            "settle.nope: unknown key",
        ),
        (lambda _, config: config.write_text("root = ["), 78, "no TOML"),
        (lambda _, config: config.unlink(), 78, "not there"),
    ],
    ids=["missing", "a-file", "wrong-keys", "no-toml", "no-config"],
)
def test_a_start_that_cannot_work_is_refused_with_its_exit_code_and_one_line(
    make_daemon, vault, prepare, code, said
):
    daemon = make_daemon(vault)
    prepare(vault, daemon.config)
    done = daemon.command("run", check=False)
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_wrong_usage_of_run_is_64_and_of_other_commands_2(make_daemon, vault):
    daemon = make_daemon(vault)
    assert daemon.command("run", "--nope", check=False).returncode == 64
    assert daemon.command("status", "--nope", check=False).returncode == 2


def test_a_state_folder_that_cannot_be_written_is_73(make_daemon, vault, tmp_path):
    daemon = make_daemon(vault)
    (tmp_path / "file").write_text("")
    daemon.env["ATOMICD_STATE_DIR"] = str(tmp_path / "file" / "state")
    done = daemon.command("run", check=False)
    assert (done.returncode, "state folder" in done.stderr) == (73, True)


def test_a_name_that_is_not_utf8_or_full_of_control_characters_is_told_escaped(make_daemon, vault):
    daemon = make_daemon(vault).start()
    for name in (b"feedback_caf\xe9_rule.md", b"feedback_\x1b[31m\nforged.md"):
        Path(os.fsdecode(os.fsencode(vault / "alpha/memory") + b"/" + name)).write_text(note())
    daemon.wait_for("unit.quarantined")
    daemon.wait_for("unit.quarantined")
    settle_with_a_note_after(daemon, vault)
    raw = (daemon.home / "log" / "atomicd.jsonl").read_bytes()
    raw.decode("utf-8")
    assert b"\x1b" not in raw
    shown = daemon.command("quarantine", "list").stdout
    assert "\x1b" not in shown and "forged" in shown
    json.loads(daemon.command("quarantine", "list", "--json").stdout)


def test_a_link_inside_the_vault_makes_one_unit(make_daemon, vault):
    put(vault, "alpha/memory/feedback_real_rule.md", note("Real"))
    (vault / "alpha/memory/feedback_alias_rule.md").symlink_to("feedback_real_rule.md")
    os.link(vault / "alpha/memory/feedback_real_rule.md", vault / "alpha/memory/feedback_twin_rule.md")
    (vault / "beta").mkdir()
    (vault / "beta/memory").symlink_to("../alpha/memory")
    daemon = make_daemon(vault).start()
    assert daemon.sync()["units"] == 1
    assert (vault / "alpha/memory/INDEX.md").read_text().count("](feedback_") == 1


def test_a_full_disk_is_told_loses_nothing_and_mends_itself():
    """On a small tmpfs in a mount namespace of its own."""
    script = Path(__file__).parent.parent / "fakes" / "full_disk.py"
    if shutil.which("unshare") is None or os.geteuid() != 0:
        pytest.skip("a file system of one's own needs root and unshare")
    done = subprocess.run(
        ["unshare", "-m", sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_layer_that_cannot_be_written_is_told_holds_up_no_other_and_is_taken_up_again(make_daemon, vault):
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("needs root to write where the daemon may not")
    daemon = make_daemon(vault, wrap=NO_OVERRIDE).start()
    memory = vault / "alpha/memory"
    memory.chmod(0o555)
    put(vault, AFTER, note("After"))
    failed = daemon.wait_for("index.failed", path="alpha/memory")
    assert failed["reason"].startswith("EACCES")
    put(vault, "beta/memory/feedback_other_agent.md", note("Other"))
    daemon.wait_for("unit.indexed", path="beta/memory/feedback_other_agent.md")
    daemon.sync()
    told = json.loads(daemon.command("status", "--json").stdout)
    assert (told["state"], "alpha/memory: EACCES" in " ".join(told["reasons"])) == ("degraded", True)
    memory.chmod(0o755)
    daemon.wait_for("unit.indexed", path=AFTER)
    eventually(lambda: "After" in (memory / "INDEX.md").read_text())
