"""Links, hard links and special files on the walk: inside only, each physical unit once, nothing endless."""

import contextlib
import os
import socket
from pathlib import Path

import pytest

from atomic_agents.model import Kind
from atomic_agents.vault.kinds import Layout
from atomic_agents.vault.walk import Survey, is_canonical, walk

LAYOUT = Layout()


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)


def units(root: Path, survey: Survey | None = None) -> list[str]:
    found = walk(root, LAYOUT, survey if survey is not None else Survey())
    return sorted(item.place.path for item in found if item.place.kind.is_unit)


def test_a_linked_note_whose_target_lies_inside_is_followed(tmp_path: Path) -> None:
    make(tmp_path, "_shared/x.md", "alpha/memory/y.md")
    (tmp_path / "alpha/memory/x.md").symlink_to("../../_shared/x.md")
    assert units(tmp_path) == ["alpha/memory/x.md", "alpha/memory/y.md"]
    assert is_canonical(tmp_path, LAYOUT, "alpha/memory/x.md")


def test_a_linked_note_that_the_walk_reaches_itself_is_one_unit(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md", "beta/memory/y.md")
    (tmp_path / "beta/memory/x.md").symlink_to("../../alpha/memory/x.md")
    assert units(tmp_path) == ["alpha/memory/x.md", "beta/memory/y.md"]
    assert not is_canonical(tmp_path, LAYOUT, "beta/memory/x.md")


def test_a_linked_folder_inside_is_entered(tmp_path: Path) -> None:
    make(tmp_path, "_shared/notes/x.md", "alpha/memory/y.md")
    (tmp_path / "alpha/memory/shared").symlink_to("../../_shared/notes")
    survey = Survey()
    assert units(tmp_path, survey) == ["alpha/memory/shared/x.md", "alpha/memory/y.md"]
    assert "alpha/memory/shared" in survey.folders


@pytest.mark.parametrize("target", ["/etc", "../../../outside", "../../../outside/x.md"])
def test_a_link_that_leads_out_is_not_followed_and_told(tmp_path: Path, target: str) -> None:
    make(tmp_path, "outside/x.md", "vault/alpha/memory/y.md")
    (tmp_path / "vault/alpha/memory/x.md").symlink_to(target)
    survey = Survey()
    assert units(tmp_path / "vault", survey) == ["alpha/memory/y.md"]
    assert survey.odd == {"alpha/memory/x.md": "link that leads out of the vault"}


def test_a_link_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/y.md")
    (tmp_path / "alpha/memory/x.md").symlink_to("gone.md")
    (tmp_path / "alpha/memory/loop.md").symlink_to("loop.md")
    survey = Survey()
    assert units(tmp_path, survey) == ["alpha/memory/y.md"]
    assert survey.odd["alpha/memory/x.md"] == "link that leads nowhere"
    assert survey.odd["alpha/memory/loop.md"] == "link that leads nowhere"
    assert survey.unreadable == {}


def test_an_emacs_lock_link_is_no_oddity(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md")
    (tmp_path / "alpha/memory/.#x.md").symlink_to("user@host.1234:1700000000")
    survey = Survey()
    assert units(tmp_path, survey) == ["alpha/memory/x.md"]
    assert survey.odd == {}


def test_a_link_that_leads_nowhere_outside_a_layer_is_no_oddity(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md")
    (tmp_path / "alpha/raw").mkdir()
    (tmp_path / "alpha/raw/gone").symlink_to("nowhere")
    survey = Survey()
    units(tmp_path, survey)
    assert survey.odd == {}


@pytest.mark.timeout(10)
def test_links_upwards_do_not_lead_in_circles(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md")
    for name in ("up1", "up2", "up3"):
        (tmp_path / "alpha" / name).symlink_to("..")
    assert units(tmp_path) == ["alpha/memory/x.md"]


@pytest.mark.timeout(10)
def test_links_in_circles_behind_a_link_do_not_lead_in_circles(tmp_path: Path) -> None:
    make(tmp_path, "_shared/x.md", "alpha/memory/y.md")
    (tmp_path / "alpha/memory/shared").symlink_to("../../_shared")
    for name in ("again1", "again2", "again3"):
        (tmp_path / "_shared" / name).symlink_to(".")
    survey = Survey()
    assert units(tmp_path, survey) == ["alpha/memory/shared/x.md", "alpha/memory/y.md"]
    assert len(survey.folders) < 10


def test_two_links_to_one_hidden_folder_give_its_units_once(tmp_path: Path) -> None:
    make(tmp_path, "_shared/sub/x.md")
    for agent in ("alpha", "beta"):
        (tmp_path / agent / "memory").mkdir(parents=True)
        (tmp_path / agent / "memory/shared").symlink_to("../../_shared")
    assert units(tmp_path) == ["alpha/memory/shared/sub/x.md"]


def test_two_links_to_one_hidden_note_give_it_once(tmp_path: Path) -> None:
    make(tmp_path, "_shared/x.md")
    (tmp_path / "alpha/memory").mkdir(parents=True)
    for name in ("a.md", "b.md"):
        (tmp_path / "alpha/memory" / name).symlink_to("../../_shared/x.md")
    assert units(tmp_path) == ["alpha/memory/a.md"]


@pytest.mark.parametrize("folder", ["_quarantine", "_migrations"])
def test_what_atomicd_keeps_in_the_vault_is_not_content_through_a_link_either(
    tmp_path: Path, folder: str
) -> None:
    make(tmp_path, f"{folder}/one/x.md", "alpha/memory/y.md")
    (tmp_path / "alpha/memory/held").symlink_to(f"../../{folder}")
    (tmp_path / "alpha/memory/x.md").symlink_to(f"../../{folder}/one/x.md")
    survey = Survey()
    assert units(tmp_path, survey) == ["alpha/memory/y.md"]
    assert survey.odd == {
        "alpha/memory/held": f"link into {folder}",
        "alpha/memory/x.md": f"link into {folder}",
    }


def test_two_hard_links_are_one_unit_under_the_first_name(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/b.md")
    os.link(tmp_path / "alpha/memory/b.md", tmp_path / "alpha/memory/a.md")
    assert units(tmp_path) == ["alpha/memory/a.md"]


@pytest.mark.parametrize(
    "other",
    [
        "alpha/memory/.x.md.0a1b2c3d.atomicd.tmp",
        "alpha/memory/a.bak",
        "alpha/raw/a.md",
        "alpha/memory/.a.md",
        "zeta/raw/x.md",
    ],
)
def test_a_second_name_that_is_no_unit_does_not_hide_the_unit(tmp_path: Path, other: str) -> None:
    make(tmp_path, "alpha/memory/x.md")
    (tmp_path / other).parent.mkdir(parents=True, exist_ok=True)
    os.link(tmp_path / "alpha/memory/x.md", tmp_path / other)
    assert units(tmp_path) == ["alpha/memory/x.md"]


def test_special_files_are_told_and_never_opened(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md", "alpha/memory/folder.md/inner.md")
    os.mkfifo(tmp_path / "alpha/memory/pipe.md")
    os.mkfifo(tmp_path / "alpha/memory/INDEX.md")
    os.mkfifo(tmp_path / "alpha/pipe")
    with socket.socket(socket.AF_UNIX) as listener, contextlib.chdir(tmp_path / "alpha/memory"):
        listener.bind("sock.md")
        survey = Survey()
        assert units(tmp_path, survey) == ["alpha/memory/folder.md/inner.md", "alpha/memory/x.md"]
    assert survey.odd == {
        "alpha/memory/pipe.md": "FIFO",
        "alpha/memory/INDEX.md": "FIFO",
        "alpha/memory/sock.md": "socket",
        "alpha/memory/folder.md": "folder",
    }


def test_a_linked_fifo_is_told_too(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md")
    (tmp_path / "_odd").mkdir()
    os.mkfifo(tmp_path / "_odd/pipe")
    (tmp_path / "alpha/memory/pipe.md").symlink_to("../../_odd/pipe")
    survey = Survey()
    assert units(tmp_path, survey) == ["alpha/memory/x.md"]
    assert survey.odd == {"alpha/memory/pipe.md": "FIFO"}


def test_the_canonical_path_of_an_ordinary_note_is_its_own(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md")
    assert is_canonical(tmp_path, LAYOUT, "alpha/memory/x.md")


def test_a_path_through_a_link_upwards_is_not_canonical(tmp_path: Path) -> None:
    make(tmp_path, "alpha/memory/x.md")
    (tmp_path / "alpha/up").symlink_to("..")
    assert not is_canonical(tmp_path, LAYOUT, "alpha/up/alpha/memory/x.md")


def test_a_path_that_leads_out_is_not_canonical(tmp_path: Path) -> None:
    make(tmp_path, "outside/x.md", "vault/alpha/memory/y.md")
    (tmp_path / "vault/alpha/memory/x.md").symlink_to("../../../outside/x.md")
    assert not is_canonical(tmp_path / "vault", LAYOUT, "alpha/memory/x.md")


def test_the_kind_of_a_linked_index_is_told_from_its_path(tmp_path: Path) -> None:
    make(tmp_path, "_shared/i.md")
    (tmp_path / "alpha/memory").mkdir(parents=True)
    (tmp_path / "alpha/memory/INDEX.md").symlink_to("../../_shared/i.md")
    assert [found.place.kind for found in walk(tmp_path, LAYOUT, Survey())] == [Kind.INDEX]
