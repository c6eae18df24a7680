"""Scripts: found by name, executed from the bytes that were hashed, every fault named."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest

from atomic_agents.exceptions import MigrationInterruptedError, MigrationScriptError
from atomic_agents.migration.scripts import ScriptFile, find_scripts, load_script
from fakes.migrating import BUMP, SEED_EXAMPLE, add_script, adopt_schema, backend_of, events, make_vault, tree

OLD = """\
from pathlib import Path
FROM_VERSION = 1
TO_VERSION = 2
def applies_to(path: Path) -> bool:
    return True
def migrate(path: Path, dry_run: bool) -> dict:
    path.write_text("gone")
    return {"changes": ["x"]}
"""


def load(folder: Path, text: str, name: str = "v1_to_v2.py") -> Any:
    path = folder / name
    path.write_text(text)
    (script,) = find_scripts(folder)
    return load_script(script)


def failing(root: Path, text: str) -> Any:
    """Return the result of a real run, and check that nothing stays of it."""
    make_vault(root)
    adopt_schema(root, 2)
    add_script(root, text)
    before = tree(root)
    result = backend_of(root).run_migration(2, dry_run=False)
    assert tree(root) == before
    (event,) = events(root)
    assert event["error"] == result.error
    return result


def test_scripts_are_found_by_name_in_the_order_of_their_versions(tmp_path: Path) -> None:
    for name in ("v10_to_v11.py", "v2_to_v3.py", "v1_to_v2.py", "README.md", "v1_to_v2.py.bak", "helper.py"):
        (tmp_path / name).touch()
    assert [script.path.name for script in find_scripts(tmp_path)] == [
        "v1_to_v2.py",
        "v2_to_v3.py",
        "v10_to_v11.py",
    ]


def test_a_missing_folder_has_no_scripts(tmp_path: Path) -> None:
    assert find_scripts(tmp_path / "none") == []


def test_a_loaded_script_tells_the_hash_of_what_was_executed(tmp_path: Path) -> None:
    loaded = load(tmp_path, BUMP.format(1, 2))
    assert loaded.sha256 == hashlib.sha256(BUMP.format(1, 2).encode()).hexdigest()
    assert (loaded.name, loaded.from_version, loaded.to_version) == ("v1_to_v2.py", 1, 2)


def test_loading_leaves_no_bytecode_behind(tmp_path: Path) -> None:
    load(tmp_path, BUMP.format(1, 2))
    assert [path.name for path in tmp_path.iterdir()] == ["v1_to_v2.py"]


def test_a_script_may_define_dataclasses(tmp_path: Path) -> None:
    head = "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass X:\n    a: int\n"
    assert load(tmp_path, head + BUMP.format(1, 2)).module.X(1).a == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def applies_to(:\n", "SyntaxError"),
        ("raise ValueError('at import')\n", "ValueError: at import"),
        ("import sys\nsys.exit(3)\n", r"it called sys.exit\(3\)"),
        ("import not_there_at_all\n", "ModuleNotFoundError"),
        ("FROM_VERSION = 1\nTO_VERSION = 3\n", "TO_VERSION is 3, its file name says 2"),
        ("FROM_VERSION = True\nTO_VERSION = 2\n", "FROM_VERSION is True, its file name says 1"),
        ("TO_VERSION = 2\n", "FROM_VERSION is None, its file name says 1"),
        ("FROM_VERSION = 1\nTO_VERSION = 2\n", r"no function applies_to\(unit\)"),
        ("FROM_VERSION = 1\nTO_VERSION = 2\napplies_to = bool\n", r"no function migrate\(unit\)"),
        ("FROM_VERSION = 1\nTO_VERSION = 2\ndef applies_to(a, b): ...\n", "cannot be called with one unit"),
        ("\0", "ValueError|SyntaxError"),
    ],
)
def test_what_is_wrong_with_a_script_is_named_with_the_script(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(MigrationScriptError, match=told) as caught:
        load(tmp_path, text)
    assert "v1_to_v2.py" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        OLD,
        OLD.replace(": Path", ""),
        OLD.replace("path", "unit")
        .replace(": Path, dry_run: bool", ", dry_run=False")
        .replace("unitlib", "pathlib"),
        OLD.replace(", dry_run: bool", ""),
        "from __future__ import annotations\n" + OLD.replace("path:", "p:"),
    ],
)
def test_the_old_path_shaped_contract_is_recognised(text: str, tmp_path: Path) -> None:
    with pytest.raises(MigrationScriptError, match="takes a path or dry_run") as caught:
        load(tmp_path, text)
    assert "MigratableUnit" in caught.value.hint


@pytest.mark.parametrize("make", ["symlink", "folder", "fifo"])
def test_a_script_that_is_no_regular_file_is_refused(make: str, tmp_path: Path) -> None:
    import os

    path = tmp_path / "v1_to_v2.py"
    if make == "symlink":
        (tmp_path / "real.txt").write_text(BUMP.format(1, 2))
        path.symlink_to("real.txt")
    elif make == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with pytest.raises(MigrationScriptError, match="cannot be read"):
        load_script(ScriptFile(path, 1, 2))


def test_a_script_whose_bytes_are_not_trusted_is_not_executed(tmp_path: Path) -> None:
    path = tmp_path / "v1_to_v2.py"
    path.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    with pytest.raises(MigrationScriptError, match="changed since the operator ran it"):
        load_script(ScriptFile(path, 1, 2), only={"0" * 64})
    assert not (tmp_path / "ran").exists()


def test_the_seeds_example_runs_as_it_stands(tmp_path: Path) -> None:
    make_vault(tmp_path)
    add_script(tmp_path, SEED_EXAMPLE)
    adopt_schema(tmp_path, 2, required=("provenance", "evidence"), dropped="sources")
    backend = backend_of(tmp_path)
    assert len(backend.run_migration(2).units_touched) == 4
    result = backend.run_migration(2, dry_run=False)
    assert (result.error, result.validation_passed) == ("", True)
    assert result.units_touched[0]["changes"][1] == "renamed sources → evidence"
    meta = backend.enumerate_units()[0].read_frontmatter()
    assert meta["evidence"] == ["observation", "journal/2026-05-06.md"]
    assert meta["provenance"] == "v1_migrated"
    assert "sources" not in meta
    text = (tmp_path / "alpha/memory/feedback_rule_0.md").read_text()
    assert (
        "# the first rule\nschema_version: 2   # v\nname: \"Sample rule\"\ndescription: 'it works'\n" in text
    )


RAISES = BUMP.format(1, 2).replace("    meta = unit", "    raise ValueError('boom')\n    meta = unit", 1)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise ValueError('boom')", "ValueError: boom"),
        ("import sys; sys.exit('bye')", r"it called sys.exit\('bye'\)"),
        ("raise SystemExit", r"it called sys.exit\(None\)"),
        ("1 / 0", "ZeroDivisionError"),
        ("def f(): f()\n    f()", "RecursionError"),
        ("return {'changes': ['lie']}", "schema_version is 1 after migrate, expected 2"),
        ("return ['no mapping']", "migrate returned list, expected a mapping"),
        ("unit.write_frontmatter(None)", "write_frontmatter got NoneType, expected a mapping"),
        ("unit.write_frontmatter({1: 2})", "expected a mapping with string keys"),
        ("unit.write_frontmatter({'x': object()})", "SpliceError"),
        ("unit.write_frontmatter({})", "SpliceError"),
        (
            "meta = unit.read_frontmatter(); meta['schema_version'] = 2; unit.write_frontmatter(meta)",
            "returned nothing",
        ),
    ],
)
def test_a_script_that_fails_on_a_unit_is_rolled_back_and_named_with_the_unit(
    body: str, told: str, tmp_path: Path
) -> None:
    text = f"FROM_VERSION = 1\nTO_VERSION = 2\ndef applies_to(unit): return True\ndef migrate(unit):\n    {body}\n"
    result = failing(tmp_path, text)
    import re

    assert re.search(told, result.error)
    assert "v1_to_v2.py" in result.error
    assert str(tmp_path / "alpha/memory/feedback_rule_0.md") in result.error
    assert result.rolled_back


def test_a_script_that_fails_on_a_later_unit_undoes_the_earlier_ones(tmp_path: Path) -> None:
    text = BUMP.format(1, 2).replace(
        "    meta[", "    if 'rule_2' in unit.unit_id:\n        raise ValueError('third')\n    meta[", 1
    )
    result = failing(tmp_path, text)
    assert len(result.units_touched) == 2
    assert "third" in result.error


def test_an_interrupted_script_rolls_back_and_tells(tmp_path: Path) -> None:
    make_vault(tmp_path)
    add_script(tmp_path, BUMP.format(1, 2).replace("    meta[", "    raise KeyboardInterrupt\n    meta[", 1))
    before = tree(tmp_path)
    with pytest.raises(MigrationInterruptedError, match=r"v1_to_v2\.py"):
        backend_of(tmp_path).run_migration(2, dry_run=False)
    assert tree(tmp_path) == before
    (event,) = events(tmp_path)
    assert event["rolled_back"] is True


def test_what_a_script_prints_goes_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_vault(tmp_path)
    adopt_schema(tmp_path, 2)
    add_script(
        tmp_path,
        "print('at import')\n" + BUMP.format(1, 2).replace("    meta[", "    print('hello')\n    meta[", 1),
    )
    assert backend_of(tmp_path).run_migration(2, dry_run=False).validation_passed
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "at import" in printed.err
    assert "hello" in printed.err


def test_a_script_may_write_twice_and_reads_what_it_wrote(tmp_path: Path) -> None:
    make_vault(tmp_path)
    adopt_schema(tmp_path, 2)
    text = BUMP.format(1, 2).replace(
        "    unit.write_frontmatter(meta)",
        "    unit.write_frontmatter(meta)\n    again = unit.read_frontmatter()\n    again['second'] = again['step_2']\n"
        "    unit.write_frontmatter(again)",
    )
    add_script(tmp_path, text)
    backend = backend_of(tmp_path)
    assert backend.run_migration(2, dry_run=False).validation_passed
    assert backend.enumerate_units()[0].read_frontmatter()["second"] == "done"


def test_fields_called_content_and_handler_reach_a_script(tmp_path: Path) -> None:
    make_vault(tmp_path, notes=0)
    note = tmp_path / "alpha/memory/feedback_x.md"
    head = "schema_version: 1\ncontent: here\nhandler: there\nself: x\ncaptured: 2026-05-06"
    note.parent.mkdir(parents=True, exist_ok=True)
    note.write_text(f"---\n{head}\n---\n")
    meta = backend_of(tmp_path).enumerate_units()[0].read_frontmatter()
    import datetime as dt

    assert meta == {
        "schema_version": 1, "content": "here", "handler": "there", "self": "x", "captured": dt.date(2026, 5, 6),
    }  # fmt: skip


def test_a_summary_that_is_no_json_does_not_hurt_the_audit(tmp_path: Path) -> None:
    make_vault(tmp_path)
    adopt_schema(tmp_path, 2)
    add_script(tmp_path, BUMP.format(1, 2).replace('["bump"]', "{1, 2}"))
    assert backend_of(tmp_path).run_migration(2, dry_run=False).validation_passed
    (event,) = events(tmp_path)
    assert event["error"] == ""


def test_executed_scripts_do_not_pile_up_under_one_module_name(tmp_path: Path) -> None:
    first = load(tmp_path, BUMP.format(1, 2))
    second = load(tmp_path, BUMP.format(1, 2) + "\nX = 1\n")
    assert sys.modules[first.module.__name__] is first.module
    assert first.module.__name__ != second.module.__name__
