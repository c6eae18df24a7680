"""What is looked at in the vault after a client wrote beside the daemon."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, NamedTuple

_NOTE = re.compile(r"[^/]+/memory/[a-z]+_[a-z0-9_]+\.md")
_CLIENTS_OWN = re.compile(r"(.*/)?(\.versions/.*|\.lock|\.journal\.lock|[^/]*\.md\.lock)")
_OURS = re.compile(r"\.migration\.lock|(.*/)?INDEX[^/]*\.md")


class Finding(NamedTuple):
    """One row of the table; `ok` is None where there is nothing to fail."""

    what: str
    expected: str
    found: str
    ok: bool | None


def last_written(reports: list[dict[str, Any]]) -> dict[str, str]:
    """Return the hash that each note had after the client's last call on it."""
    return {report["file"]: report["sha256"] for report in reports if report["ok"]}


def look_at_calls(reports: list[dict[str, Any]]) -> Finding:
    refused = [report.get("error", "") for report in reports if not report["ok"]]
    return Finding("calls of the client that it refused itself", "0", _listed(refused), not refused)


def look_at_entries(memory: Path, notes: dict[str, str]) -> Finding:
    text = "\n".join(file.read_text("utf-8") for file in sorted(memory.glob("INDEX*.md")))
    wrong = [f"{name}: {text.count(f']({name})')}" for name in notes if text.count(f"]({name})") != 1]
    return Finding("notes that are in the index other than once", "0", _listed(wrong), not wrong)


def look_at_bytes(memory: Path, notes: dict[str, str]) -> Finding:
    wrong = [name for name, sha256 in notes.items() if _hash(memory / name) != sha256]
    return Finding("notes that are other than the client left them", "0", _listed(wrong), not wrong)


def look_at_quarantine(answer: dict[str, Any], vault: Path) -> Finding:
    folders = sorted(path.name for path in (vault / "_quarantine").glob("2*"))
    held = [hold["path"] for hold in answer["held"]]
    return Finding("writes that were blocked or held", "0", _listed([*folders, *held]), not folders + held)


def look_at_leftovers(before: set[str], vault: Path) -> Finding:
    new = files(vault) - before
    odd = sorted(
        name for name in new if not any(kind.fullmatch(name) for kind in (_NOTE, _CLIENTS_OWN, _OURS))
    )
    return Finding("files that nobody should have left", "0", _listed(odd), not odd)


def files(vault: Path) -> set[str]:
    return {str(path.relative_to(vault)) for path in vault.rglob("*") if path.is_file()}


def _listed(values: list[str]) -> str:
    more = f" and {len(values) - 3} more" if len(values) > 3 else ""
    return f"{len(values)}: {', '.join(values[:3])}{more}" if values else "0"


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else ""
