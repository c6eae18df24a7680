"""The codes that block (contract [RULE-E])."""

from __future__ import annotations

from typing import Final

from atomic_agents.units.code import Code


def _error(meaning: str, example: str, fix: str) -> Code:
    return Code("error", meaning, example, fix)


_BYTES: Final = {
    "not-utf8": _error(
        "The file's bytes are no UTF-8 text.",
        "a note saved as Latin-1, so that `café` ends in the byte E9",
        "Save the file again as UTF-8.",
    ),
    "nul-byte": _error(
        "The file holds a NUL byte, as after a power loss or in a binary file.",
        "a note that consists of zeros",
        "Put the last good version back with `atomicd history` and `atomicd restore`.",
    ),
    "too-large": _error(
        "The file is larger than the limit (1 MiB unless configured otherwise).",
        "a log that was appended to a note for a year",
        "Move the bulk to raw/ or journal/ and keep the gist.",
    ),
    "control-characters": _error(
        "A field holds a control character other than a tab or a line break.",
        r'name: "a\eb"',
        "Delete the character that cannot be seen.",
    ),
    "conflict-markers": _error(
        "git left the two sides of a merge conflict in the file.",
        "<<<<<<< HEAD … ======= … >>>>>>> theirs",
        "Keep one side and delete the three marker lines.",
    ),
    "sync-conflict": _error(
        "A sync tool made this copy because two machines changed the note at once.",
        "feedback_x_rule.sync-conflict-20260512-101500-ABCDEFG.md",
        "Merge what is missing into the original and delete the copy; `atomicd conflicts` lists them.",
    ),
}

_FRONTMATTER: Final = {
    "frontmatter-missing": _error(
        "The first line is not `---`, so there is no frontmatter.",
        "a file that begins with a heading",
        "Begin the file with a line `---`, the fields, and another line `---`.",
    ),
    "frontmatter-unclosed": _error(
        "No second line `---` ends the frontmatter.",
        "a file whose frontmatter ends in `...` or `----`",
        "Put a line `---` after the last field.",
    ),
    "frontmatter-not-mapping": _error(
        "The frontmatter is empty, a list, or plain text instead of `key: value` lines.",
        "--- / - a / - b / ---",
        "Write one `key: value` a line.",
    ),
    "yaml-syntax": _error(
        "YAML cannot read the frontmatter.",
        "description: Rule: always do X",
        "Put the value in quotes.",
    ),
    "yaml-duplicate-key": _error(
        "A key stands twice in one mapping, and YAML would drop the first value.",
        "confidence: high / confidence: low",
        "Keep one of the two lines.",
    ),
    "yaml-too-complex": _error(
        "The frontmatter has more than 10,000 nodes or 20 levels once aliases are expanded.",
        "x: &x [*x]",
        "Keep the fields flat and move the data to the body or to a file of its own.",
    ),
}

_FIELDS: Final = {
    "field-missing": _error(
        "A required field is not there.",
        "a note without `captured`",
        "Add the field.",
    ),
    "field-type": _error(
        "A field holds another kind of value than it should.",
        "sources: observation",
        "Write the value in the expected form.",
    ),
    "field-empty": _error(
        "A required field has no value.",
        "description:",
        "Write a value, or look whether YAML took it for a comment.",
    ),
    "field-enum": _error(
        "A field holds a word that is not allowed there.",
        "confidence: High",
        "Use one of the listed words.",
    ),
    "date-invalid": _error(
        "A date is not real, not written YYYY-MM-DD, or has a time.",
        "captured: 2026-02-30",
        "Write the day alone, as in 2026-05-06.",
    ),
    "schema-version-unsupported": _error(
        "A newer writer made the file; it is left in place and never moved.",
        "schema_version: 9",
        "Update atomicd, or migrate the vault.",
    ),
    "provenance-invalid": _error(
        "A wiki page's provenance is not `distilled`.",
        "provenance: original",
        "Write `provenance: distilled`.",
    ),
    "filename-pattern": _error(
        "The file name does not match {type}[_{YYYY}[-qN]]_{topic}.md, or {topic}[_{YYYY}].md in wiki/.",
        "feedback_Stamp-then-post.md",
        "Rename the file: lowercase words joined by `_`, beginning with the type.",
    ),
    "filename-type": _error(
        "The file name begins with another type than the field `type` names.",
        "project_x_rule.md with type: feedback",
        "Rename the file or change the type.",
    ),
}

ERRORS: Final = _BYTES | _FRONTMATTER | _FIELDS
