"""The operator's program: real processes, a clock moved by hand (contract [Q-3], section 9 `[notify]`)."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from atomic_agents.pipeline.notifying import MOST_WAITING
from atomic_agents.pipeline.program import Program
from fakes.notes import bad_note, note
from fakes.process import eventually
from fakes.stage import Stage

RULE = "alpha/memory/feedback_first_rule.md"


@pytest.fixture
def script(tmp_path):
    """Return a maker of small programs."""

    def make(text):
        path = tmp_path / "told" / "program"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!{sys.executable}\n{text}\n")
        path.chmod(0o755)
        return str(path)

    return make


KEEP = """
import os, sys
folder = os.path.dirname(sys.argv[0])
name = os.path.join(folder, f"{len(os.listdir(folder)):03}.json")
open(name + ".part", "wb").write(sys.stdin.buffer.read())
os.rename(name + ".part", name)
"""


def messages(tmp_path):
    return [json.loads(path.read_text()) for path in sorted((tmp_path / "told").glob("*.json"))]


@pytest.fixture
def make(tmp_path):
    made = []

    def build(command, **settings):
        stage = Stage(
            tmp_path / "vault",
            tmp_path / "state",
            quarantine={"grace_seconds": 0.0, "breaker": settings.pop("breaker", 1000)},
            notify={"command": tuple(command), **settings},
        )
        made.append(stage)
        return stage

    yield build
    for stage in made:
        stage.close()


def tend(stage):
    """Let the program run to its end."""

    def is_done():
        stage.pipeline.tend()
        return stage.pipeline.tend_due() is None

    eventually(is_done)


def test_an_incident_is_told_as_json_on_standard_input(make, script, tmp_path):
    stage = make([script(KEEP)])
    stage.write(RULE, bad_note())
    assert messages(tmp_path) == []
    tend(stage)
    (message,) = messages(tmp_path)
    (incident,) = stage.bench.incidents.all()
    assert message == {
        "kind": "quarantined",
        "time": message["time"],
        "vault": str(stage.root),
        "incident": incident.as_json(),
        "suppressed": 0,
    }
    assert len(stage.log.of("notify.sent")) == 1


def test_the_same_bytes_again_are_not_told_again_but_a_loop_is(make, script, tmp_path):
    stage = make([script(KEEP)])
    stage.write(RULE, note())
    for _ in range(7):
        stage.write(RULE, bad_note())
        tend(stage)
    assert [message["kind"] for message in messages(tmp_path)] == ["quarantined", "looping"]
    assert messages(tmp_path)[1]["path"] == RULE


def test_an_opened_breaker_is_one_message(make, script, tmp_path):
    stage = make([script(KEEP)], breaker=3)
    for number in range(8):
        stage.clock.advance(1)
        (stage.root / f"alpha/memory/feedback_rule_{number}.md").write_text(bad_note())
    stage.settle(*[f"alpha/memory/feedback_rule_{number}.md" for number in range(8)])
    tend(stage)
    stage.sweep()
    tend(stage)
    (message,) = messages(tmp_path)
    assert (message["kind"], message["waiting"], len(message["paths"])) == ("breaker", 8, 8)


def test_without_a_command_nothing_is_run(make):
    stage = make([])
    stage.write(RULE, bad_note())
    assert stage.pipeline.tend_due() is None


def test_it_gets_no_secrets_no_shell_and_a_neutral_folder(make, script, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "hush")
    text = """
import json, os, sys
out = {"env": dict(os.environ), "cwd": os.getcwd(), "argv": sys.argv[1:], "session": os.getsid(0) == os.getpid()}
open(os.path.dirname(sys.argv[0]) + "/a.json", "w").write(json.dumps(out))
"""
    stage = make([script(text), "$(touch pwned)", "a b"])
    stage.write(RULE, bad_note())
    tend(stage)
    (seen,) = messages(tmp_path)
    assert "SECRET_TOKEN" not in seen["env"]
    assert not {name for name in seen["env"] if name.startswith(("ATOMIC", "PYTEST"))}
    assert seen["env"]["PATH"] == os.environ["PATH"]
    assert (seen["cwd"], seen["argv"], seen["session"]) == ("/", ["$(touch pwned)", "a b"], True)


def test_a_tilde_is_the_home_folder(make, script, tmp_path, monkeypatch):
    script(KEEP)
    monkeypatch.setenv("HOME", str(tmp_path / "told"))
    stage = make(["~/program"])
    stage.write(RULE, bad_note())
    tend(stage)
    assert len(messages(tmp_path)) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import sys; print('no such host', file=sys.stderr); sys.exit(3)", "exit status 3: no such host"),
        ("import sys; sys.exit(3)", "exit status 3"),
        ("import os; os.kill(os.getpid(), 9)", "signal 9"),
        ("import sys; sys.stderr.write('x' * 5000000); sys.exit(1)", "exit status 1: " + "x" * 300),
    ],
)
def test_a_failure_is_logged_with_what_the_program_said(make, script, text, reason):
    stage = make([script(text)])
    stage.write(RULE, bad_note())
    tend(stage)
    assert [line["reason"] for line in stage.log.of("notify.failed")] == [reason]


def test_a_program_that_is_not_there_is_logged(make):
    stage = make(["/nowhere/program"])
    stage.write(RULE, bad_note())
    tend(stage)
    assert "No such file" in stage.log.of("notify.failed")[0]["reason"]


def test_a_program_that_hangs_is_ended_with_its_children_and_the_next_one_runs(make, script, tmp_path):
    pids = tmp_path / "pids"
    text = f"""
import os, subprocess, time
child = subprocess.Popen(["sleep", "1000"])
open({str(pids)!r} + ".part", "w").write(f"{{os.getpid()}} {{child.pid}}")
os.rename({str(pids)!r} + ".part", {str(pids)!r})
time.sleep(1000)
"""
    stage = make([script(text)], timeout_seconds=5.0)
    stage.write(RULE, bad_note())
    stage.pipeline.tend()
    eventually(pids.exists)
    stage.pipeline.tend()
    assert stage.log.of("notify.failed") == []
    assert stage.pipeline.tend_due() == stage.clock.monotonic() + 0.1
    stage.clock.advance(5.0)
    stage.pipeline.tend()
    assert "ended after 5 s" in stage.log.of("notify.failed")[0]["reason"]
    for pid in pids.read_text().split():
        eventually(lambda pid=pid: not _runs(int(pid)))
    assert stage.pipeline.tend_due() is None


def _runs(pid):
    try:
        with Path(f"/proc/{pid}/stat").open() as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_only_one_runs_at_a_time(make, script, tmp_path):
    gate = tmp_path / "gate"
    wait = f"import time\nwhile not os.path.exists({str(gate)!r}): time.sleep(0.02)\n"
    stage = make([script(KEEP + wait)])
    stage.write(RULE, bad_note())
    stage.pipeline.tend()
    stage.write("alpha/memory/feedback_other_rule.md", bad_note())
    eventually(lambda: len(messages(tmp_path)) == 1)
    for _ in range(5):
        stage.pipeline.tend()
    assert len(messages(tmp_path)) == 1
    gate.touch()
    tend(stage)
    assert len(messages(tmp_path)) == 2


def test_no_more_are_run_in_an_hour_than_configured_and_the_next_one_says_what_was_left_out(
    make, script, tmp_path
):
    stage = make([script(KEEP)], per_hour=2)
    for number in range(5):
        stage.write(f"alpha/memory/feedback_rule_{number}.md", bad_note())
        tend(stage)
    assert len(messages(tmp_path)) == 2
    assert [line["reason"] for line in stage.log.of("notify.failed")] == ["not sent: 2 an hour is the limit"]
    stage.clock.advance(3601)
    stage.write("alpha/memory/feedback_rule_9.md", bad_note())
    tend(stage)
    assert [message["suppressed"] for message in messages(tmp_path)] == [0, 0, 3]


def test_a_limit_of_zero_runs_nothing(make, script, tmp_path):
    stage = make([script(KEEP)], per_hour=0)
    stage.write(RULE, bad_note())
    tend(stage)
    assert messages(tmp_path) == []


def test_the_queue_has_an_end(make, script):
    stage = make([script("pass")], per_hour=1000)
    for number in range(MOST_WAITING + 3):
        stage.pipeline.notifying.tell("quarantined", number=number)
    assert len(stage.pipeline.notifying._waiting) == MOST_WAITING


def test_a_stop_ends_what_still_runs(make, script, tmp_path):
    pids = tmp_path / "pids"
    stage = make(
        [script(f"import os, time; open({str(pids)!r}, 'w').write(str(os.getpid())); time.sleep(1000)")]
    )
    stage.write(RULE, bad_note())
    stage.pipeline.tend()
    eventually(lambda: pids.exists() and pids.read_text())
    stage.pipeline.close()
    eventually(lambda: not _runs(int(pids.read_text())))


def test_a_program_that_does_not_read_never_blocks(script):
    program = Program([script("pass")], {"x": "y" * 1_000_000}, now=0.0, timeout=10.0)
    assert eventually(lambda: program.poll(0.0) == "")


def test_a_one_shot_run_gives_the_program_its_time(make, script, tmp_path):
    stage = make([script("import time; time.sleep(0.3)\n" + KEEP)])
    stage.clock.monotonic = time.monotonic
    stage.write(RULE, bad_note())
    stage.pipeline.finish_tending()
    assert len(messages(tmp_path)) == 1


def test_the_input_file_is_nobodys_to_read(script):
    text = "import os, sys; sys.exit(os.fstat(0).st_mode & 0o077)"
    program = Program([script(text)], {}, now=0.0, timeout=10.0)
    assert eventually(lambda: program.poll(0.0) == "")
