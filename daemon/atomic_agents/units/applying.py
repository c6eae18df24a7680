"""Which rules are applied to which kind of file, and what has to be known before one can be judged."""

from __future__ import annotations

from typing import Final, Literal

from atomic_agents.model import Kind
from atomic_agents.units.codes import CODES

Need = Literal["bytes", "fields", "neighbours", "history"]
"""What a rule looks at: the bytes, readable frontmatter, other files besides, or the version before."""

_ANY: Final = frozenset({"not-utf8", "nul-byte", "too-large", "conflict-markers"})
_BYTES: Final = _ANY | {
    "control-characters",
    "sync-conflict",
    "frontmatter-missing",
    "frontmatter-unclosed",
    "frontmatter-not-mapping",
    "yaml-syntax",
    "yaml-duplicate-key",
    "yaml-too-complex",
    "filename-pattern",
    "bom",
    "double-frontmatter",
    "possible-secret",
    "topic-words",
}
_NEIGHBOURS: Final = frozenset(
    {
        "wiki-source",
        "link-missing",
        "supersede-mismatch",
        "supersede-cycle",
        "duplicate-name",
        "similar-name",
        "not-indexed",
        "pinned-budget",
    }
)
_NOTES: Final = frozenset({"filename-type", "dated-evergreen", "undated-bounded", "source-form"})
_PAGES: Final = frozenset({"provenance-invalid", "provenance-missing", "wiki-source"})
_INDEXES: Final = _ANY | {"index-long", "double-frontmatter"}


def rules_of(kind: Kind) -> tuple[str, ...]:
    """Return the codes of the rules that a kind of file is judged by, errors first.

    Args:
        kind: what the file is.

    """
    if kind is Kind.INDEX:
        return tuple(code for code in CODES if code in _INDEXES)
    if not kind.is_unit:
        return ()
    others = _PAGES if kind is Kind.NOTE else _NOTES
    return tuple(code for code in CODES if code not in others and code != "index-long")


def need_of(code: str) -> Need:
    """Return what a rule has to know.

    Args:
        code: the rule's.

    """
    if code in _BYTES:
        return "bytes"
    if code == "shrunk":
        return "history"
    return "neighbours" if code in _NEIGHBOURS else "fields"
