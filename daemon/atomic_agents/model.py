"""The frozen values that travel from stage to stage.

Paths are `str` as `os.fsdecode` gives them (names that are not UTF-8 carry surrogates), POSIX
separators, relative to the vault's root unless a name says otherwise.
"""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Severity = Literal["error", "warning"]


class Kind(enum.StrEnum):
    """What a path in the vault is to atomicd (contract section 2)."""

    NOTE = "note"
    WIKI = "wiki"
    INDEX = "index"
    PERSONA = "persona"
    TOOLS = "tools"
    MODEL = "model"
    JOURNAL = "journal"
    LOG = "log"
    RAW = "raw"
    SCRIPT = "script"
    OTHER = "other"

    @property
    def is_unit(self) -> bool:
        """Whether it is a note or a wiki page (contract section 1, *unit*)."""
        return self in {Kind.NOTE, Kind.WIKI}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path lies: `alpha/memory/sub/x.md` has agent `alpha`, layer `memory`, inner `sub/x.md`.

    `agent` and `layer` are None where they do not apply; an agent that is the vault itself is "".
    """

    path: str
    kind: Kind
    agent: str | None = None
    layer: Literal["memory", "wiki"] | None = None
    inner: str = ""

    @property
    def layer_dir(self) -> str:
        """The layer's folder, relative to the vault: `alpha/memory`."""
        assert self.layer is not None
        return f"{self.agent}/{self.layer}" if self.agent else self.layer


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of one file (contract [READ-1] and section 8, *Shapes of --json*).

    `line` counts from 1. `found` is already safe to print: short, one line, no secret.
    """

    path: str
    code: str
    severity: Severity
    found: str
    expected: str
    fix: str
    field: str | None = None
    line: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the stable shape of a problem, in the contract's key order."""
        return {
            "path": self.path,
            "code": self.code,
            "severity": self.severity,
            "field": self.field,
            "line": self.line,
            "found": self.found,
            "expected": self.expected,
            "fix": self.fix,
        }


@dataclass(frozen=True, slots=True)
class Unit:
    """What a unit says: its frontmatter as read and the facts that INDEX.md and lint need.

    Missing optional fields read as their defaults (contract section 3, Fields). Dates are ISO
    strings; `meta` holds Python values as python-frontmatter gives them.
    """

    path: str
    schema_version: int
    name: str
    description: str
    type: str
    captured: str
    last_seen: str
    sources: tuple[str, ...] = ()
    confidence: str = ""
    pinned: bool = False
    expires_at: str | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    body_bytes: int = 0
    meta: Mapping[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What validation says of one unit's bytes.

    `unit` is set when no problem is an error. `left_in_place` marks an error for which the file must
    never be moved (`schema-version-unsupported`, contract section 3).
    """

    place: Place
    sha256: str
    problems: tuple[Problem, ...] = ()
    unit: Unit | None = None
    left_in_place: bool = False

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that block."""
        return tuple(problem for problem in self.problems if problem.severity == "error")

    @property
    def is_valid(self) -> bool:
        """Whether nothing blocks."""
        return self.unit is not None


class FileState(enum.StrEnum):
    """What the store remembers of a path's last reading."""

    VALID = "valid"
    HELD = "held"
    ADOPTED = "adopted"
    LEFT = "left"
    UNREADABLE = "unreadable"
    INDEX = "index"


@dataclass(frozen=True, slots=True)
class Stamp:
    """How a file looks from outside: enough to see that it changed without reading it.

    Times are nanoseconds since the epoch.
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    device: int


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One path as it was last read. `read_at` is wall time in seconds since the epoch."""

    path: str
    kind: Kind
    state: FileState
    stamp: Stamp
    sha256: str
    read_at: float
    unit: Unit | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one path, as it is logged: an event name of `atomic_agents.log` and its facts."""

    event: str
    path: str
    level: Literal["debug", "info", "warning", "error"] = "info"
    facts: Mapping[str, Any] = field(default_factory=dict)


def iso(moment: float) -> str:
    """Return a wall time (seconds since the epoch) as ISO 8601 in UTC with milliseconds."""
    return dt.datetime.fromtimestamp(moment, dt.UTC).isoformat(timespec="milliseconds")


def printable(text: str) -> str:
    r"""Return a name or path that is safe in a log line and on a terminal.

    Undecodable bytes become `\xNN`, control, bidi and zero-width characters become `\uNNNN`.
    """
    shown = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(char if _is_shown(char) else _escape(char) for char in shown)


def _is_shown(char: str) -> bool:
    return char.isprintable() or char in {"\u00a0", "\u3000"}


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
