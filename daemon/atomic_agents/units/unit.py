"""What a valid unit says, for the index and the rules (contract section 3, Fields)."""

from __future__ import annotations

import datetime as dt
from typing import Any

from atomic_agents._schema import VERSION_FIELD, SchemaSet
from atomic_agents.model import Place, Unit
from atomic_agents.units.frontmatter import Reading


def make_unit(place: Place, reading: Reading, schemas: SchemaSet) -> Unit:
    """Return what a unit says; a missing optional field reads as its schema's default.

    Args:
        place: where it lies.
        reading: its bytes, read and valid.
        schemas: the versions in force.

    """
    meta = dict(reading.values or {})
    table = schemas.table(schemas.version_of(meta) or schemas.current, place.kind)
    values = {**table.defaults, **meta}
    return Unit(
        path=place.path,
        schema_version=meta[VERSION_FIELD],
        name=_text(values.get("name")),
        description=_text(values.get("description")),
        type=_text(values.get("type")),
        captured=_text(values.get("captured")),
        last_seen=_text(values.get("last_seen")),
        sources=_texts(values.get("sources")),
        confidence=_text(values.get("confidence")),
        pinned=values.get("pinned") is True,
        expires_at=_text(values.get("expires_at")) or None,
        supersedes=_text(values.get("supersedes")) or None,
        superseded_by=_text(values.get("superseded_by")) or None,
        tags=_texts(values.get("tags")),
        related=_texts(values.get("related")),
        body_bytes=reading.body_bytes,
        meta=meta,
    )


def _text(value: Any) -> str:
    if isinstance(value, dt.date):
        return value.isoformat()
    return value if isinstance(value, str) else ""


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(item for item in values if isinstance(item, str)) if isinstance(values, list) else ()
