"""The sections of the configuration: every key, its default and one line of meaning (contract section 9)."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_type_hints

DEFAULT_VAULT: Final = "~/docs/agents"


def _key(
    default: Any,
    meaning: str,
    *,
    least: float | None = None,
    choices: tuple[str, ...] = (),
    unit: str = "",
) -> Any:
    facts = MappingProxyType({"meaning": meaning, "least": least, "choices": choices, "unit": unit})
    if isinstance(default, tuple):
        return field(default_factory=lambda: default, metadata=facts)
    return field(default=default, metadata=facts)


@dataclass(frozen=True, slots=True)
class Vault:
    """`[vault]`."""

    root: str = _key(DEFAULT_VAULT, "the folder that holds the agents; ~ is your home folder")
    ignore: tuple[str, ...] = _key((), "paths that are never content, in gitignore syntax")


@dataclass(frozen=True, slots=True)
class Settle:
    """`[settle]`."""

    quiet_ms: int = _key(500, "a path is read when no event came for it in this time", least=0, unit="ms")
    max_wait_ms: int = _key(
        5000, "a path that is written all the time is read this often", least=1, unit="ms"
    )
    max_paths: int = _key(5000, "more pending paths than this become one sweep", least=1)


@dataclass(frozen=True, slots=True)
class Sweep:
    """`[sweep]`."""

    interval_seconds: float = _key(300.0, "how often the whole vault is compared", least=1, unit="s")


@dataclass(frozen=True, slots=True)
class Watch:
    """`[watch]`."""

    mode: str = _key("auto", "auto picks poll on network mounts", choices=("auto", "native", "poll"))
    poll_seconds: float = _key(30.0, "how often a polled vault is compared", least=0.1, unit="s")


@dataclass(frozen=True, slots=True)
class Quarantine:
    """`[quarantine]`."""

    grace_seconds: float = _key(
        10.0, "an invalid file is moved when unchanged for this long", least=0, unit="s"
    )
    breaker: int = _key(
        20, "more moves than this (or a tenth of the vault) in ten minutes stop all moves", least=0
    )
    max_note_bytes: int = _key(1_048_576, "a larger note is invalid", least=1, unit="bytes")


@dataclass(frozen=True, slots=True)
class Index:
    """`[index]`."""

    entry_style: str = _key(
        "link", "form of the first entry of an INDEX without entries", choices=("link", "wikilink", "code")
    )
    max_lines: int = _key(150, "a longer INDEX.md is split, or warned about", least=10)
    max_hook: int = _key(200, "a longer generated hook is cut at a word", least=20, unit="characters")
    split: str = _key("auto", "whether a long INDEX.md is split", choices=("auto", "never"))


@dataclass(frozen=True, slots=True)
class History:
    """`[history]`."""

    max_bytes: int = _key(
        1_073_741_824, "former versions kept in all, compressed", least=1_048_576, unit="bytes"
    )
    all_days: float = _key(1.0, "every version is kept for this long", least=0, unit="days")
    daily_days: float = _key(30.0, "then the last one of each day, then of each month", least=0, unit="days")


@dataclass(frozen=True, slots=True)
class Lint:
    """`[lint]`."""

    stale_days: int = _key(90, "a note not seen for longer is stale", least=1, unit="days")
    disable: tuple[str, ...] = _key((), "warning codes that are not reported")


@dataclass(frozen=True, slots=True)
class Migration:
    """`[migration]`."""

    auto_recover: bool = _key(default=True, meaning="roll back a migration that died, at the next start")


@dataclass(frozen=True, slots=True)
class Notify:
    """`[notify]`."""

    command: tuple[str, ...] = _key(
        (), "program and arguments run for each incident, JSON on its standard input"
    )
    timeout_seconds: float = _key(10.0, "the program is ended after this long", least=0.1, unit="s")
    per_hour: int = _key(12, "most runs in an hour", least=0)


@dataclass(frozen=True, slots=True)
class Log:
    """`[log]`."""

    level: str = _key("info", "least level that is written", choices=("debug", "info", "warning", "error"))
    max_bytes: int = _key(10_485_760, "the log is rotated at this size", least=65_536, unit="bytes")
    keep: int = _key(5, "rotated logs kept", least=0)


@dataclass(frozen=True, slots=True)
class Config:
    """The whole configuration; each section is a table of the file."""

    vault: Vault = field(default_factory=Vault)
    settle: Settle = field(default_factory=Settle)
    sweep: Sweep = field(default_factory=Sweep)
    watch: Watch = field(default_factory=Watch)
    quarantine: Quarantine = field(default_factory=Quarantine)
    index: Index = field(default_factory=Index)
    history: History = field(default_factory=History)
    lint: Lint = field(default_factory=Lint)
    migration: Migration = field(default_factory=Migration)
    notify: Notify = field(default_factory=Notify)
    log: Log = field(default_factory=Log)

    @property
    def root(self) -> Path:
        """The vault's folder as configured, `~` resolved."""
        return Path(self.vault.root).expanduser()


def section_type(name: str) -> type[Any]:
    """Return the class of a section by its name."""
    kind = get_type_hints(Config)[name]
    assert isinstance(kind, type)
    return kind


@dataclass(frozen=True, slots=True)
class Key:
    """One documented key: for `config.example.toml`, the reference page and their test."""

    section: str
    name: str
    default: Any
    meaning: str
    unit: str
    choices: tuple[str, ...]


def keys() -> tuple[Key, ...]:
    """Return every key with its default and meaning, in order."""
    found = []
    for section in dataclasses.fields(Config):
        defaults = section_type(section.name)()
        for spec in dataclasses.fields(defaults):
            facts = spec.metadata
            found.append(
                Key(
                    section.name,
                    spec.name,
                    getattr(defaults, spec.name),
                    facts["meaning"],
                    facts["unit"],
                    facts["choices"],
                )
            )
    return tuple(found)
