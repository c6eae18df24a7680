"""How each event is told to people, and what `docs/logs.md` says of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from atomic_agents.log.events import Event


class Saying(NamedTuple):
    """What is told of one event.

    Args:
        word: what happened, in at most twelve letters.
        meaning: one sentence for the documentation.
        facts: the keys of its lines besides `ts`, `level`, `event` and `vault`.
        texts: templates over the facts; the first whose facts are all there is told.

    """

    word: str
    meaning: str
    facts: tuple[str, ...] = ()
    texts: tuple[str, ...] = ("{reason}",)


_WHERE: Final = ("agent", "layer", "path")
_JUDGED: Final = (*_WHERE, "problems")

_DAEMON: Final = {
    Event.DAEMON_STARTED: Saying(
        "watching",
        "The daemon has begun with a vault; `log` names this file.",
        ("root", "version", "state_folder", "log"),
        ("{root}\nlog: {log}", "{root}"),
    ),
    Event.DAEMON_READY: Saying(
        "ready",
        "The first sweep is worked off; from now on writes are followed as they come.",
        ("units", "mode", "watches"),
        ("{units} notes and pages",),
    ),
    Event.DAEMON_STOPPING: Saying(
        "stopping",
        "A signal asked it to end; so many changes are left for the next start.",
        ("queue",),
        ("{queue} changes are left for the next start",),
    ),
    Event.DAEMON_STOPPED: Saying("stopped", "It ended as asked; all is written."),
    Event.DAEMON_FAILED: Saying(
        "failed", "It ends because of a fault of its own, or cannot say how it is.", ("reason", "exception")
    ),
    Event.DAEMON_PAUSED: Saying(
        "paused",
        "Nothing can be done for now: a migration runs, the vault is not there, the disk is full.",
        ("reason",),
    ),
    Event.DAEMON_RESUMED: Saying("resumed", "What it had to wait for is over.", ("reason",)),
    Event.DAEMON_LIBRARY: Saying(
        "library", "A library that atomicd uses warned.", ("library", "message"), ("{library}: {message}",)
    ),
}

_UNITS: Final = {
    Event.UNIT_INDEXED: Saying(
        "indexed",
        "A valid note or page is in INDEX.md; `change` is `new` or `changed`, `problems` are its warnings.",
        (*_JUDGED, "change"),
        (),
    ),
    Event.UNIT_UNCHANGED: Saying("unchanged", "It was written, with the same bytes.", ("path",), ()),
    Event.UNIT_REMOVED: Saying("removed", "It is gone, and so is its entry.", ("path", "state", "reason")),
    Event.UNIT_RENAMED: Saying(
        "renamed", "It has another name now; its entry has the new one.", ("path", "to"), ("→ {to}",)
    ),
    Event.UNIT_HELD: Saying(
        "waiting",
        "An invalid write is in its grace time, a mass disappearance waits for a second look, or a move"
        " to quarantine is tried again.",
        (*_JUDGED, "seconds", "reason"),
        ("{reason}", "invalid; moved to quarantine in {seconds} s unless it is mended"),
    ),
    Event.UNIT_RELEASED: Saying("mended", "A held file became valid in time.", ("path", "reason"), ()),
    Event.UNIT_ADOPTED: Saying(
        "adopted",
        "It was invalid before atomicd came, or you said so; it stays until it is written again.",
        (*_JUDGED, "reason"),
        ("{reason}", "invalid from before; it stays until it is written again"),
    ),
    Event.UNIT_LEFT: Saying(
        "left",
        "A newer writer made it; it stays where it is.",
        _JUDGED,
        ("made by a newer version; it stays",),
    ),
    Event.UNIT_UNREADABLE: Saying(
        "unreadable",
        "The system does not let it be read now; it is tried again and nothing is changed.",
        (*_WHERE, "reason", "seconds"),
        ("{reason}; tried again in {seconds} s", "{reason}"),
    ),
    Event.UNIT_QUARANTINED: Saying(
        "blocked",
        "An invalid write was moved to quarantine, byte for byte; `incident` names it.",
        (*_JUDGED, "incident", "occurrences", "reason"),
        ("kept: atomicd quarantine show {short}",),
    ),
    Event.UNIT_RESTORED: Saying(
        "put back",
        "The last valid version stands in place of a blocked write.",
        (*_WHERE, "sha256"),
        ("its last valid version",),
    ),
    Event.UNIT_SOLVED: Saying(
        "solved", "A blocked note was written again and is valid now.", ("path", "incident"), ()
    ),
    Event.UNIT_LOOPING: Saying(
        "looping",
        "The same invalid write came again and again; it is left in place for now.",
        (*_JUDGED, "reason"),
    ),
    Event.UNIT_SHRUNK: Saying(
        "shrunk",
        "One write took away most of the text; the former version is kept in the history.",
        (*_WHERE, "body_bytes", "former_body_bytes", "hint"),
        ("{former_body_bytes} bytes became {body_bytes}\nback with: {hint}",),
    ),
    Event.UNIT_MIGRATED: Saying(
        "migrated",
        "A note with an old `schema_version` was brought up to date.",
        ("path", "from_version", "to_version"),
        ("schema {from_version} → {to_version}",),
    ),
}

_INDEX: Final = {
    Event.INDEX_WRITTEN: Saying("wrote", "An INDEX file was written.", (*_WHERE, "bytes"), ()),
    Event.INDEX_SPLIT: Saying("split", "A long INDEX.md was split into sub-indexes.", (*_WHERE, "reason")),
    Event.INDEX_REBUILT: Saying(
        "rebuilt",
        "A lost or broken INDEX.md was made anew; the broken bytes are in quarantine.",
        ("path", "reason", "incident"),
    ),
    Event.INDEX_HOOK_DIFFERS: Saying(
        "differs",
        "A line that was edited by hand says something else than the note; the line stays.",
        ("path", "what", "stands", "unit"),
        ("by hand “{stands}”, the note says “{unit}”; the line stays",),
    ),
    Event.INDEX_NOTICE: Saying(
        "look here",
        "Something in an INDEX file that you may want to mend; it is left alone.",
        ("path", "what", "reason"),
        ("{what}: {reason}",),
    ),
    Event.INDEX_FAILED: Saying(
        "not written", "An INDEX file could not be written; tried again.", ("path", "reason")
    ),
}

_WATCHING: Final = {
    Event.SWEEP_FINISHED: Saying(
        "looked over",
        "The whole vault was compared, and what was found is worked off.",
        ("duration_ms", "reason", "changed", "vanished", "unknown"),
        ("{reason}: {changed} changed, {vanished} gone",),
    ),
    Event.SWEEP_ODD: Saying(
        "odd", "Something that is no regular file; it is left alone.", ("path", "reason")
    ),
    Event.SWEEP_LEFTOVER: Saying(
        "cleaned", "A temporary file that a killed atomicd left was removed.", ("path", "reason")
    ),
    Event.VAULT_ADOPTED: Saying(
        "new vault",
        "A vault that was new is known now; `adopted` files were invalid and stay where they are.",
        ("units", "adopted", "hint"),
        (
            "{adopted} of {units} notes and pages are invalid; they stay where they are\n{hint}",
            "all notes and pages are valid",
        ),
    ),
    Event.WATCH_LOST: Saying("watch lost", "Changes are no longer heard; it is tried anew.", ("reason",)),
    Event.WATCH_REARMED: Saying("rearmed", "Changes are heard again; a sweep follows.", ("reason",)),
    Event.WATCH_OVERFLOW: Saying("overflow", "The system dropped events; a sweep follows.", ("reason",)),
    Event.WATCH_DEGRADED: Saying("degraded", "Some folders are polled instead of watched.", ("reason",)),
}

_REST: Final = {
    Event.BREAKER_OPENED: Saying(
        "breaker",
        "So many files turned invalid at once that nothing more is moved until you decide.",
        ("waiting", "reason", "hint"),
        ("{waiting} files wait: {reason}\n{hint}",),
    ),
    Event.BREAKER_CLOSED: Saying(
        "breaker", "The breaker is closed again.", ("reason",), ("closed: {reason}",)
    ),
    Event.BREAKER_DECIDED: Saying(
        "breaker",
        "You decided what becomes of files that wait.",
        ("decision", "files", "waiting"),
        ("{decision}: {files} files; {waiting} wait",),
    ),
    Event.NOTICE_WRITTEN: Saying(
        "told", "QUARANTINED.md tells an agent what was blocked.", ("agent", "path", "open"), ("{open} open",)
    ),
    Event.NOTICE_REMOVED: Saying(
        "told", "QUARANTINED.md is gone: nothing is open.", ("agent", "path"), ("nothing is open",)
    ),
    Event.NOTICE_FAILED: Saying(
        "not told", "QUARANTINED.md could not be written.", ("agent", "path", "reason")
    ),
    Event.HISTORY_THINNED: Saying(
        "thinned",
        "Old versions were dropped, as the retention says.",
        ("versions", "bytes"),
        ("{versions} old versions were dropped",),
    ),
    Event.MIGRATION_STARTED: Saying("migration", "A migration has begun.", ("reason",)),
    Event.MIGRATION_FINISHED: Saying("migrated", "A migration that had died is complete.", ("reason",)),
    Event.MIGRATION_ROLLED_BACK: Saying("rolled back", "A migration that had died was undone.", ("reason",)),
    Event.MIGRATION_UNKNOWN: Saying(
        "unknown",
        "A migration script that you have not run on this vault; it is not run by itself.",
        ("path", "reason"),
    ),
    Event.MIGRATION_REFUSED: Saying(
        "refused", "A migration, or the upgrade of one note, did not begin.", ("path", "reason")
    ),
    Event.NOTIFY_SENT: Saying("notified", "The program of `[notify]` was run.", ("command",), ()),
    Event.NOTIFY_FAILED: Saying(
        "not notified", "The program of `[notify]` failed, or ran too often.", ("command", "kind", "reason")
    ),
    Event.CONFIG_RELOADED: Saying(
        "config", "The configuration was read again.", ("sections",), ("read again; changed: {sections}",)
    ),
    Event.CONFIG_REFUSED: Saying("config", "The configuration is wrong; the former one stays.", ("reason",)),
    Event.STORE_SET_ASIDE: Saying(
        "new state", "The state store was broken or newer and was made anew.", ("reason",)
    ),
    Event.LINT_FINISHED: Saying(
        "lint",
        "The daily look at the whole vault is done; `atomicd lint` lists what it counted.",
        ("files", "errors", "warnings", "codes"),
        ("{files} files: {errors} errors, {warnings} warnings",),
    ),
    Event.LINT_FAILED: Saying("lint", "The daily look at the whole vault failed.", ("reason",)),
}

_PARTS: Final = (_DAEMON, _UNITS, _INDEX, _WATCHING, _REST)

SAYINGS: Final[Mapping[str, Saying]] = MappingProxyType(
    {event.value: saying for part in _PARTS for event, saying in part.items()}
)
"""Every event's words."""
