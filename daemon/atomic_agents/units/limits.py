"""What the operator can set about units (contract section 9, `[quarantine]`, `[index]` and `[lint]`)."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """Where the rules draw their lines.

    Args:
        max_note_bytes: most bytes of a unit.
        stale_days: days after `last_seen` from which a unit is stale.
        disabled: codes of warnings that are not given; errors cannot be silenced.
        max_index_lines: most lines of an INDEX file.
        max_pinned: most pinned units of one layer.

    """

    max_note_bytes: int = 1 << 20
    stale_days: int = 90
    disabled: frozenset[str] = field(default_factory=frozenset)
    max_index_lines: int = 150
    max_pinned: int = 10
