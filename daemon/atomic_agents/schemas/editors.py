"""The field tables as editors take them (contract [SCHEMA-1]).

Editors and linters mostly speak draft 07 and refuse keywords that they do not know, so the exported files are
written in that draft and without our own notes; the tables use nothing that the two drafts read differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from atomic_agents.model import Kind
from atomic_agents.schemas.files import Documents

DRAFT: Final = "http://json-schema.org/draft-07/schema#"

_OWN: Final = "x-atomicd"
_NEWER: Final = frozenset(
    {
        "prefixItems",
        "unevaluatedProperties",
        "unevaluatedItems",
        "dependentRequired",
        "dependentSchemas",
        "$defs",
    }
)
"""Keywords that draft 07 does not know; a vault's own table may use them."""


def editor_documents(documents: Documents) -> dict[str, Mapping[str, Any]]:
    """Return by file name what editors take: each version, and the newest without a number in its name.

    Args:
        documents: schemas by version and layer.

    """
    files: dict[str, Mapping[str, Any]] = {}
    for (version, kind), document in sorted(documents.items()):
        files[f"v{version}.{kind}.schema.json"] = for_editors(document)
    newest = max(version for version, _ in documents)
    for kind in (Kind.NOTE, Kind.WIKI):
        current = for_editors(documents[newest, kind])
        files[f"{kind}.schema.json"] = {**current, "$id": f"urn:atomic-agents:schema:{kind}"}
    return files


def for_editors(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return one schema in draft 07, or as it is, without our notes, where that draft cannot say it.

    Args:
        document: a JSON Schema.

    """
    bare: dict[str, Any] = _without_notes(document)
    if not _holds(bare, _NEWER):
        bare["$schema"] = DRAFT
    return bare


def _without_notes(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_notes(item) for key, item in value.items() if key != _OWN}
    return [_without_notes(item) for item in value] if isinstance(value, list) else value


def _holds(value: Any, keywords: frozenset[str]) -> bool:
    if isinstance(value, Mapping):
        return bool(keywords & value.keys()) or any(_holds(item, keywords) for item in value.values())
    return isinstance(value, list) and any(_holds(item, keywords) for item in value)
