"""Notes and pages for tests."""

from __future__ import annotations

from pathlib import Path


def note(
    name: str = "A rule", description: str = "use it in tests", kind: str = "feedback", **fields: str
) -> str:
    """Return a valid note; `fields` replace or add lines, None removes one."""
    lines = {
        "schema_version": "1",
        "name": name,
        "description": description,
        "type": kind,
        "captured": "2026-11-06",
        "last_seen": "2026-11-06",
        "sources": "\n  - observation",
        "confidence": "high",
    } | fields
    head = "".join(
        f"{key}: {value}\n".replace(": \n  -", ":\n  -") for key, value in lines.items() if value is not None
    )
    return f"---\n{head}---\n\nBody.\n"


def bad_note() -> str:
    """Return a note with an error that is easy to recognise."""
    return note(confidence="certain")


def put(vault: Path, path: str, text: str | bytes) -> Path:
    """Write a file of a vault, with its folders."""
    target = vault / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    return target
