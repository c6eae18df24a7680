"""Notes of the size and redundancy of real ones, for figures about space."""

from __future__ import annotations

import random

TEXT = (
    "the operator prefers short answers with one recommendation before the details when a decision is pending "
    "because long lists hide what matters use plain words avoid hedging name numbers dates sources and owners "
    "if a budget changes say by how much since last month and why quarter target income client launch website "
    "review draft invoice contract meeting friday morning train ticket doctor school garden water light memory"
)
WORDS = TEXT.split()


def prose_note(number: int, version: int, size: int = 2300) -> bytes:
    """Return a version of a note, about 2.3 KB; each version changes a sentence and a date."""
    random_ = random.Random(number)
    lines = []
    while sum(map(len, lines)) < size - 350:
        lines.append(" ".join(random_.choices(WORDS, k=12)).capitalize() + f" {random_.randrange(10_000)}.\n")
    for change in range(version):
        lines[change % len(lines)] = (
            f"Changed {number}-{change}: " + " ".join(random_.choices(WORDS, k=10)) + ".\n"
        )
    head = (
        f"---\nschema_version: 1\nname: Note {number} on {WORDS[number % len(WORDS)]}\n"
        f"description: when {' '.join(random_.choices(WORDS, k=6))} matters\ntype: feedback\n"
        f"captured: 2026-05-{number % 28 + 1:02}\nlast_seen: 2026-06-{(number + version) % 28 + 1:02}\n"
        f"sources:\n  - conversation_2026-05-{number % 28 + 1:02}\nconfidence: high\ntags: [{WORDS[number % 7]}]\n---\n\n"
    )
    return (head + "".join(lines)).encode()
