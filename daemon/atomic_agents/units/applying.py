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
    "body-link",
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
        "near-duplicate",
        "overlapping-sources",
        "source-newer",
    }
)
_NOTES: Final = frozenset({"filename-type", "dated-evergreen", "undated-bounded", "source-form"})
_PAGES: Final = frozenset({"provenance-invalid", "provenance-missing", "wiki-source", "source-newer"})
_INDEXES: Final = _ANY | {"index-long", "double-frontmatter"}
_TEXTS: Final = frozenset({"text-encoding", "possible-secret"})
_OUTLINES: Final = _TEXTS | {"title-line", "sections-missing", "body-link"}
_OTHERS: Final = {
    Kind.PERSONA: _OUTLINES | {"persona-name"},
    Kind.TOOLS: _OUTLINES,
    Kind.MODEL: _OUTLINES | {"budget-number"},
    Kind.JOURNAL: _TEXTS | {"title-line", "body-link", "day-file", "journal-capture"},
    Kind.LOG: _TEXTS | {"day-file", "log-line"},
}
_FILES: Final = frozenset().union(*_OTHERS.values()) - {"possible-secret", "body-link"} | {"index-long"}
"""Codes that no unit can have."""


def rules_of(kind: Kind) -> tuple[str, ...]:
    """Return the codes of the rules that a kind of file is judged by, errors first.

    Args:
        kind: what the file is.

    """
    if not kind.is_unit:
        wanted = _INDEXES if kind is Kind.INDEX else _OTHERS.get(kind, frozenset())
        return tuple(code for code in CODES if code in wanted)
    others = _FILES | (_PAGES if kind is Kind.NOTE else _NOTES)
    return tuple(code for code in CODES if code not in others)


def need_of(code: str) -> Need:
    """Return what a rule has to know.

    Args:
        code: the rule's.

    """
    if code in _BYTES or code in _FILES:
        return "bytes"
    if code == "shrunk":
        return "history"
    return "neighbours" if code in _NEIGHBOURS else "fields"
