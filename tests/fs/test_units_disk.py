from __future__ import annotations

import os
from pathlib import Path

from atomic_agents._schema import SchemaSet
from atomic_agents.units import DiskNeighbours, Limits, name_key
from atomic_agents.vault.kinds import Layout
from unit.units.samples import note, page


def _vault(root: Path, files: dict[str, bytes]) -> DiskNeighbours:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    return DiskNeighbours(root, Layout(), SchemaSet.packaged(), Limits())


ONE = "alpha/memory/feedback_one_rule.md"
TWO = "alpha/memory/sub/feedback_two_rule.md"


def test_units_are_found_by_path_file_name_and_name(tmp_path: Path) -> None:
    neighbours = _vault(tmp_path, {ONE: note(name="One"), TWO: note(name="Two", confidence="High")})
    one = neighbours.unit(ONE)
    assert one is not None
    assert one.name == "One"
    assert neighbours.unit(TWO) is None
    assert neighbours.called("alpha", "feedback_two_rule.md") == [TWO]
    assert neighbours.called("alpha", "feedback_three_rule.md") == ()
    assert [each.path for each in neighbours.named("alpha/memory", name_key("ONE"))] == [ONE]
    assert neighbours.named("alpha/wiki", name_key("One")) == ()


def test_pinned_units_are_those_of_the_layer(tmp_path: Path) -> None:
    files = {ONE: note(pinned="true"), "alpha/wiki/x_y.md": page(pinned="true"), TWO: note()}
    neighbours = _vault(tmp_path, files)
    assert [each.path for each in neighbours.pinned("alpha/memory")] == [ONE]
    assert [each.path for each in neighbours.pinned("alpha/wiki")] == ["alpha/wiki/x_y.md"]
    assert neighbours.pinned("beta/memory") == ()


def test_a_unit_is_indexed_by_any_index_of_its_layer(tmp_path: Path) -> None:
    files = {
        ONE: note(name="One"),
        TWO: note(name="Two"),
        "alpha/memory/feedback_three_rule.md": note(name="Three"),
        "alpha/memory/INDEX.md": b"- `One` \xe2\x80\x94 hook\n",
        "alpha/memory/INDEX_feedback.md": b"- [x](sub/feedback_two_rule.md)\n\xff\n",
        "alpha/wiki/x_y.md": page(),
    }
    neighbours = _vault(tmp_path, files)
    layout = Layout()
    assert neighbours.is_indexed(layout.place(ONE))
    assert neighbours.is_indexed(layout.place(TWO))
    assert not neighbours.is_indexed(layout.place("alpha/memory/feedback_three_rule.md"))
    assert not neighbours.is_indexed(layout.place("alpha/wiki/x_y.md"))


def test_files_exist_only_as_regular_files(tmp_path: Path) -> None:
    neighbours = _vault(tmp_path, {ONE: note()})
    os.mkfifo(tmp_path / "alpha/memory/fifo.md")
    assert neighbours.exists(ONE)
    assert not neighbours.exists("alpha/memory")
    assert not neighbours.exists("alpha/memory/fifo.md")
    assert not neighbours.exists("alpha/memory/a\0b.md")


def test_an_agent_at_the_root_and_paths_outside_of_layers_are_answered(tmp_path: Path) -> None:
    neighbours = _vault(tmp_path, {"memory/feedback_one_rule.md": note(name="One")})
    assert neighbours.called("", "feedback_one_rule.md") == ["memory/feedback_one_rule.md"]
    assert [each.name for each in neighbours.named("memory", "one")] == ["One"]
    assert neighbours.unit("persona/USER.md") is None


def test_a_file_that_cannot_be_read_is_known_by_its_name_alone(tmp_path: Path) -> None:
    neighbours = _vault(tmp_path, {ONE: b"x" * (2 << 20)})
    assert neighbours.called("alpha", "feedback_one_rule.md") == [ONE]
    assert neighbours.unit(ONE) is None


def test_a_layer_is_read_once(tmp_path: Path) -> None:
    neighbours = _vault(tmp_path, {ONE: note()})
    assert neighbours.unit(ONE) is not None
    (tmp_path / ONE).unlink()
    assert neighbours.unit(ONE) is not None
    assert not neighbours.exists(ONE)
