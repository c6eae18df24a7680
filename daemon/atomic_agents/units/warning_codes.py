"""The codes that never block (contract [RULE-W])."""

from __future__ import annotations

from typing import Final

from atomic_agents.units.code import Code


def _warning(meaning: str, example: str, fix: str) -> Code:
    return Code("warning", meaning, example, fix)


_STYLE: Final = {
    "name-long": _warning(
        "The name has more than 80 characters.", "a name that is a sentence", "Shorten the name."
    ),
    "name-multiline": _warning(
        "The name has several lines; INDEX.md shows it on one.",
        "name: | over two lines",
        "Write the name on one line.",
    ),
    "description-long": _warning(
        "The description has more than 150 characters; INDEX.md shows a shortened hook.",
        "a description that is a status report",
        "Say in one line when the note matters and move the rest to the body.",
    ),
    "description-multiline": _warning(
        "The description has several lines; INDEX.md shows it on one.",
        "description: | over two lines",
        "Write the description on one line.",
    ),
    "topic-words": _warning(
        "The topic in the file name has fewer than 2 or more than 5 words.",
        "user_profile.md",
        "Name the topic in 2 to 5 words.",
    ),
    "dated-evergreen": _warning(
        "A feedback, user or reference note has a date in its name, though such notes do not expire.",
        "feedback_2026_debt_priority_order.md",
        "Take the date out of the name.",
    ),
    "undated-bounded": _warning(
        "A decision or project expires, but its name does not say when.",
        "decision_q3_income_target.md with expires_at: 2026-09-30",
        "Put the year, or year and quarter, behind the type: decision_2026-q3_income_target.md.",
    ),
    "source-form": _warning(
        "A source is neither conversation_…, journal/…, a file, nor observation.",
        "https://example.org/x",
        "Save the document below raw/ and name that file, or write `observation`.",
    ),
    "provenance-missing": _warning(
        "A wiki page does not say `provenance: distilled`.",
        "a wiki page without `provenance`",
        "Add `provenance: distilled`.",
    ),
    "bom": _warning(
        "The file begins with a byte order mark, which many tools take for text.",
        "a note saved by an old Windows editor",
        "Save the file as UTF-8 without BOM.",
    ),
    "double-frontmatter": _warning(
        "The body begins with a second frontmatter, as a tool leaves it that did not see the first.",
        "--- / name: a / --- / --- / name: b / ---",
        "Merge the two blocks into one.",
    ),
    "yaml-comment-cut": _warning(
        "YAML dropped part of an unquoted value.",
        "description: use #tag here",
        "Put the value in quotes.",
    ),
    "old-schema": _warning(
        "The file follows an older schema version that is still understood.",
        "schema_version: 1 in a vault at version 2",
        "Run `atomicd migrate`.",
    ),
    "possible-secret": _warning(
        "The file holds what looks like a key, token or password; it is never shown.",
        "a cloud access key in the body",
        "Remove it, replace the key at its issuer, and keep secrets outside the vault.",
    ),
}

_TIME: Final = {
    "dates-order": _warning(
        "The dates run backwards.",
        "last_seen before captured, or expires_at before captured",
        "Correct the date that is wrong.",
    ),
    "archive-candidate": _warning(
        "`expires_at` has passed.",
        "expires_at: 2026-09-30, in October",
        "Archive the note, or give it a new date.",
    ),
    "stale": _warning(
        "It was last confirmed over 90 days ago (configurable) and is not pinned.",
        "last_seen: 2026-01-01, in May",
        "Confirm it and set `last_seen`, or supersede it.",
    ),
    "shrunk": _warning(
        "One write took away over 80 % of the body.",
        "a note of 4,000 bytes overwritten with 300",
        "Look at `atomicd history` whether that was meant.",
    ),
}

_NEIGHBOURS: Final = {
    "wiki-source": _warning(
        "A wiki page's source does not lie below raw/, or is not there.",
        "sources: [conversation_2026-05-06] on a wiki page",
        "Save the document below raw/ and name it.",
    ),
    "link-missing": _warning(
        "`related`, `supersedes` or `superseded_by` names a file that is not there.",
        "supersedes: feedback_gone_rule.md",
        "Correct the file name, or remove it.",
    ),
    "supersede-mismatch": _warning(
        "Two files do not agree which replaces which.",
        "b supersedes a, but a has no superseded_by: b",
        "Write the counterpart into the other file.",
    ),
    "supersede-cycle": _warning(
        "Following `superseded_by` or `supersedes` leads back to the file itself.",
        "a superseded_by b, b superseded_by a",
        "Remove the wrong one of the links.",
    ),
    "duplicate-name": _warning(
        "Another unit of the same layer has the same name.",
        "two notes named `Answer first`",
        "Give one of them another name, or merge them.",
    ),
    "similar-name": _warning(
        "Another unit's name differs in case, blanks or punctuation alone.",
        "`Answer first` and `Answer-First`",
        "Merge the two, or make the names tell them apart.",
    ),
    "not-indexed": _warning(
        "No INDEX.md of the layer names the file.",
        "a note that was added while nothing kept the index",
        "Run `atomicd sync`, or add a line for it.",
    ),
    "index-long": _warning(
        "An INDEX.md has more than 150 lines (configurable).",
        "an index with 300 entries and `index.split = never`",
        "Let atomicd split it, or move prose elsewhere.",
    ),
    "pinned-budget": _warning(
        "More notes of the layer are pinned than the budget allows; every one is always loaded.",
        "the eleventh pinned note",
        "Unpin what need not be in every prompt.",
    ),
}

_LINT: Final = {
    "near-duplicate": _warning(
        "Another unit of the layer has nearly the same name or description.",
        "`Answer before the background` and `Answer before background`",
        "Merge the two, or say in each what the other does not.",
    ),
    "overlapping-sources": _warning(
        "Another unit of the same type rests on the same sources.",
        "two feedback notes with the same two conversations as `sources`",
        "Look whether one unit can hold both; if not, leave it.",
    ),
    "source-newer": _warning(
        "A document below raw/ changed after the wiki page that is made from it was last confirmed.",
        "last_seen: 2026-03-01, and raw/report.md of April",
        "Read the source again, correct the page, and set `last_seen`.",
    ),
    "body-link": _warning(
        "A relative Markdown link in the text leads to no file.",
        "[the plan](project_gone_plan.md)",
        "Correct the target, or take the link out.",
    ),
    "persona-name": _warning(
        "A persona file's name is not in capitals.",
        "persona/identity.md",
        "Rename it: IDENTITY.md, SOUL.md, USER.md.",
    ),
    "title-line": _warning(
        "A persona, tools, model or journal file does not begin with its title.",
        "persona/SOUL.md without `# SOUL — …`",
        "Begin the file with its title line.",
    ),
    "sections-missing": _warning(
        "A persona, tools or model file lacks sections that its kind has.",
        "persona/IDENTITY.md without `## Mission`",
        "Add the section, or say in it why there is nothing to say.",
    ),
    "budget-number": _warning(
        "A limit of the token budget in model.md names no number.",
        "- Daily token cap: plenty",
        "Write the limit as a number of tokens.",
    ),
    "day-file": _warning(
        "A journal entry or log is not named by a real day, or does not lie in its month's folder.",
        "journal/2026-05/2026-06-01.md",
        "Name it YYYY-MM-DD and put it into the folder YYYY-MM.",
    ),
    "journal-capture": _warning(
        "A journal entry lists a note under `Captured to memory` that is not there.",
        "- feedback_gone_rule.md — the new rule",
        "Correct the name, or write the note.",
    ),
    "log-line": _warning(
        "A line of a log of runs is no JSON object, or a field of it does not fit.",
        '{"trigger": "helper", …}',
        "Write each line with the fields of the format.",
    ),
    "text-encoding": _warning(
        "A persona, tools, model, journal or log file is no UTF-8 text.",
        "a journal entry saved as Latin-1",
        "Save the file again as UTF-8.",
    ),
}
"""What only `lint` looks at: other kinds of files, and files among each other."""

WARNINGS: Final = _STYLE | _TIME | _NEIGHBOURS | _LINT
