"""A rollback takes back the trust in the scripts that it undid (contract [D-8])."""

from __future__ import annotations

from atomic_agents.migration import trust


def test_after_a_rollback_no_script_is_trusted_but_what_was_tried_is_known(tmp_path, monkeypatch):
    monkeypatch.setenv("ATOMICD_STATE_DIR", str(tmp_path / "state"))
    trust.trust(tmp_path, ["a" * 64])
    trust.remember_try(tmp_path, 2, ["a" * 64])
    trust.distrust(tmp_path)
    assert trust.recall(tmp_path).trusted == frozenset()
    assert trust.was_tried(tmp_path, 2, ["a" * 64])
