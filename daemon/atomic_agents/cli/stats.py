"""`atomicd quarantine stats`: which agent writes what wrongly, so that prompts can be mended."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

import click

from atomic_agents.cli.options import Choices, as_json, shared
from atomic_agents.cli.output import print_json, print_table, say
from atomic_agents.quarantine import Incident, Incidents

COLUMNS: Final = ("agent", "code", "field", "week")

_EPILOG: Final = """\b
Examples:
  atomicd quarantine stats
  atomicd quarantine stats --by agent --by code
  atomicd quarantine stats --json | jq '.[0]'
"""


@click.command(epilog=_EPILOG)
@shared
@as_json
@click.option("--by", type=click.Choice(COLUMNS), multiple=True, help="Count by these only.")
def stats(choices: Choices, as_json: bool, by: tuple[str, ...]) -> int:
    """Count incidents and blocked writes by agent, code, field and week (ISO, of the first write)."""
    columns = [name for name in COLUMNS if name in (by or COLUMNS)]
    rows = count(Incidents(choices.root()).all(), columns)
    if as_json:
        print_json(rows)
    elif not rows:
        say("Nothing was ever blocked, or all of it was dropped.")
    else:
        heads = [*columns, "incidents", "writes"]
        print_table([head.upper() for head in heads], [[str(row[head]) for head in heads] for row in rows])
    return 0


def count(incidents: Sequence[Incident], columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return how many incidents and writes there were, most writes first.

    Args:
        incidents: open and solved ones.
        columns: of `COLUMNS`, what to count by; an incident counts once for each different row.

    """
    found: Counter[tuple[str, ...]] = Counter()
    writes: Counter[tuple[str, ...]] = Counter()
    for incident in incidents:
        for key in set(_keys(incident, columns)):
            found[key] += 1
            writes[key] += incident.occurrences
    ordered = sorted(found, key=lambda key: (-writes[key], key))
    return [
        {**dict(zip(columns, key, strict=True)), "incidents": found[key], "writes": writes[key]}
        for key in ordered
    ]


def _keys(incident: Incident, columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
    year, week, _ = dt.datetime.fromisoformat(incident.first_seen).isocalendar()
    for problem in incident.problems:
        values = {
            "agent": incident.agent or "(the vault)",
            "code": problem.code,
            "field": problem.field or "-",
            "week": f"{year}-W{week:02}",
        }
        yield tuple(values[name] for name in columns)
