"""What a path is, told from the path alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomic_agents.model import Kind, Place
from atomic_agents.vault.ignore import Ignore
from atomic_agents.vault.kinds import Layout, nfc

LAYOUT = Layout()
ROOT_AGENT = Layout(root_is_agent=True)


@pytest.mark.parametrize(
    ("path", "kind", "agent", "layer", "inner"),
    [
        ("alpha/memory/feedback_x.md", Kind.NOTE, "alpha", "memory", "feedback_x.md"),
        ("alpha/memory/sub/deep/x.md", Kind.NOTE, "alpha", "memory", "sub/deep/x.md"),
        ("alpha/memory/X.MD", Kind.NOTE, "alpha", "memory", "X.MD"),
        ("team/alpha/wiki/x.md", Kind.WIKI, "team/alpha", "wiki", "x.md"),
        ("memory/x.md", Kind.NOTE, "", "memory", "x.md"),
        ("alpha/memory/wiki/x.md", Kind.NOTE, "alpha", "memory", "wiki/x.md"),
        ("alpha/memory/raw/x.md", Kind.NOTE, "alpha", "memory", "raw/x.md"),
        ("alpha/memory/INDEX.md", Kind.INDEX, "alpha", "memory", "INDEX.md"),
        ("alpha/wiki/INDEX_pages_a-f.md", Kind.INDEX, "alpha", "wiki", "INDEX_pages_a-f.md"),
        ("alpha/memory/INDEX_.md", Kind.NOTE, "alpha", "memory", "INDEX_.md"),
        ("alpha/memory/INDEX.md\n", Kind.OTHER, "alpha", "memory", "INDEX.md\n"),
        ("alpha/memory/x.txt", Kind.OTHER, "alpha", "memory", "x.txt"),
        ("alpha/persona/SOUL.md", Kind.PERSONA, "alpha", None, "SOUL.md"),
        ("alpha/persona/soul.txt", Kind.OTHER, "alpha", None, "soul.txt"),
        ("alpha/journal/2026-05/2026-05-06.md", Kind.JOURNAL, "alpha", None, "2026-05/2026-05-06.md"),
        ("alpha/log/2026-05/2026-05-06.jsonl", Kind.LOG, "alpha", None, "2026-05/2026-05-06.jsonl"),
        ("alpha/raw/tax.pdf", Kind.RAW, "alpha", None, "tax.pdf"),
        ("alpha/raw/memory/x.md", Kind.RAW, "alpha", None, "memory/x.md"),
        ("alpha/tools.md", Kind.TOOLS, "alpha", None, "tools.md"),
        ("model.md", Kind.MODEL, "", None, "model.md"),
        ("_migrations/v1_to_v2.py", Kind.SCRIPT, None, None, ""),
        ("_migrations/v1_to_v2.py\n", Kind.OTHER, None, None, ""),
        ("_migrations/v١_to_v٢.py", Kind.OTHER, None, None, ""),
        ("_migrations/old/v1_to_v2.py", Kind.OTHER, None, None, ""),
        ("_quarantine/x/memory/x.md", Kind.OTHER, None, None, ""),
        ("alpha/.versions/memory/x.md", Kind.OTHER, None, None, ""),
        ("alpha/memory/.hidden.md", Kind.OTHER, None, None, ""),
        ("alpha/memory/_drafts/x.md", Kind.OTHER, None, None, ""),
        ("alpha/x.md", Kind.OTHER, None, None, ""),
        ("raw/x.md", Kind.OTHER, None, None, ""),
        ("", Kind.OTHER, None, None, ""),
    ],
)  # fmt: skip
def test_a_path_tells_its_kind_agent_and_layer(path: str, kind: Kind, agent, layer, inner: str) -> None:
    assert LAYOUT.place(path) == Place(path, kind, agent, layer, inner)


def test_a_root_that_is_an_agent_has_its_inner_folders_at_the_top() -> None:
    assert ROOT_AGENT.place("raw/x.md").kind is Kind.RAW
    assert ROOT_AGENT.place("journal/2026-05/2026-05-06.md").agent == ""
    assert not ROOT_AGENT.watches("raw")


@pytest.mark.parametrize("name", ["INDEX_a.md", "INDEX_a\nb.md"])
def test_a_slice_of_the_index_may_have_any_name(name: str) -> None:
    assert LAYOUT.place(f"alpha/memory/{name}").kind is Kind.INDEX


@pytest.mark.parametrize(
    "folder", ["", "alpha", "alpha/memory", "alpha/memory/raw", "team/alpha", "raw", "x/wiki/deep"]
)
def test_folders_that_can_lead_to_a_unit_are_watched(folder: str) -> None:
    assert LAYOUT.watches(folder)


@pytest.mark.parametrize(
    "folder", ["alpha/raw", "alpha/journal/2026-05", "alpha/log", "alpha/persona", "a/b/raw/memory"]
)
def test_folders_of_an_agent_that_hold_no_units_are_not_watched(folder: str) -> None:
    assert not LAYOUT.watches(folder)


def test_ignored_and_tool_folders_are_not_entered() -> None:
    layout = Layout(Ignore(["drafts/"]))
    assert layout.enters("")
    assert layout.enters("alpha/memory")
    assert not layout.enters("alpha/drafts")
    assert not layout.enters("alpha/.git")
    assert not layout.enters("alpha/_old")


def test_an_ignored_note_is_no_content() -> None:
    layout = Layout(Ignore(["*.draft.md"]))
    assert layout.place("alpha/memory/x.draft.md").kind is Kind.OTHER
    assert layout.place("alpha/memory/x.md").kind is Kind.NOTE


@pytest.mark.parametrize("agent", ["", "alpha", "team/alpha"])
def test_the_layers_folder_is_told_from_the_place(agent: str) -> None:
    path = f"{agent}/memory/x.md".lstrip("/")
    assert LAYOUT.place(path).layer_dir == f"{agent}/memory".lstrip("/")


def test_names_compare_in_nfc() -> None:
    assert nfc("e\u0301.md") == nfc("\u00e9.md") == "\u00e9.md"


NAMES = st.sampled_from(
    ["memory", "wiki", "raw", "journal", "alpha", ".git", "_x", "x.md", "INDEX.md", "tools.md"]
)


@given(st.lists(NAMES, min_size=1, max_size=5), st.booleans())
def test_every_unit_and_index_lies_in_a_folder_that_is_entered_and_watched(
    parts: list[str], root: bool
) -> None:
    layout = Layout(root_is_agent=root)
    place = layout.place("/".join(parts))
    if place.kind.is_unit or place.kind is Kind.INDEX:
        folders = ["/".join(parts[:depth]) for depth in range(len(parts))]
        assert all(layout.enters(folder) and layout.watches(folder) for folder in folders)
        assert place.path == f"{place.layer_dir}/{place.inner}"
