"""`atomicd explain`: what a path is to the system, and why; or what a code means (contract section 8)."""

from __future__ import annotations

import datetime as dt
import difflib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from atomic_agents.cli.options import Choices, as_json, shared

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from atomic_agents.cli.explaining import Explanation, Rule
    from atomic_agents.quarantine import Incident

_EPILOG: Final = """\b
Examples:
  atomicd explain caldwell/memory/feedback_tone_of_voice.md
  atomicd explain --rules caldwell/wiki/debt_methods.md
  atomicd explain yaml-syntax      what a code means
\b
Exit status: 0 nothing blocks it, 1 something does, 2 wrong usage.
"""


def _complete(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the codes that the shell offers, and that it shall offer paths besides."""
    from click.shell_completion import CompletionItem

    from atomic_agents.units import CODES

    codes = [code for code in CODES if incomplete and code.startswith(incomplete)]
    offered = [CompletionItem(code, help=CODES[code].meaning) for code in codes]
    return offered or [CompletionItem(incomplete, type="file")]


@click.command(epilog=_EPILOG)
@shared
@as_json
@click.option("--rules", "with_rules", is_flag=True, help="List every rule, also those that hold.")
@click.argument("word", metavar="PATH|CODE", shell_complete=_complete)
def explain(choices: Choices, word: str, *, as_json: bool, with_rules: bool) -> int:
    """Say what PATH is to atomicd and why, or what the CODE of a problem means."""
    from atomic_agents.units import CODES

    if word in CODES and not Path(word).exists():
        return _explain_code(word, as_json=as_json)
    from atomic_agents.cli.gathering import gather
    from atomic_agents.exceptions import AtomicAgentsError

    try:
        found = gather(choices, word)
    except AtomicAgentsError as error:
        near = difflib.get_close_matches(word, CODES, n=3)
        if not near:
            raise
        raise AtomicAgentsError(str(error), hint=f"codes like it: {', '.join(near)}") from error
    _print(found, as_json=as_json, with_rules=with_rules)
    return 1 if any(problem.severity == "error" for problem in found.problems) else 0


def _print(found: Explanation, *, as_json: bool, with_rules: bool) -> None:
    from atomic_agents.cli.output import print_json, say

    if as_json:
        print_json(found.as_json())
        return
    say(found.place.path, bold=True)
    for line in _heading(found):
        say(f"  {line}")
    _show_rules(found, with_rules=with_rules)
    for head, lines in _sections(found):
        say(head, bold=True)
        for line in lines:
            say(f"  {line}")
    _show_events(found)


def _explain_code(name: str, *, as_json: bool) -> int:
    from atomic_agents.cli.output import print_json, say
    from atomic_agents.units import CODES

    code = CODES[name]
    if as_json:
        values: dict[str, Any] = {"code": name, "severity": code.severity}
        print_json(values | {"meaning": code.meaning, "example": code.example, "fix": code.fix})
        return 0
    blocks = "an error, which blocks" if code.severity == "error" else "a warning, which never blocks"
    say(f"{name}: {blocks}", colour="red" if code.severity == "error" else "yellow", bold=True)
    say(f"  {code.meaning}\n  example  {code.example}\n  fix      {code.fix}")
    return 0


def _heading(found: Explanation) -> Iterator[str]:
    place, status = found.place, found.status
    whose = f" of the agent {place.agent or 'at the root'}" if place.agent is not None else ""
    layer = f", in its {place.layer} layer" if place.layer is not None else ""
    if found.what == "file":
        yield f"{_KINDS[place.kind.value]}{whose}{layer}"
    elif found.what == "missing":
        yield f"not there; it would be {_KINDS[place.kind.value]}{whose}{layer}"
    else:
        yield found.what
    if status is not None and found.what == "file":
        changed = dt.datetime.fromtimestamp(status.st_mtime).astimezone()
        yield f"{status.st_size} bytes, changed {changed:%Y-%m-%d %H:%M:%S}"
    if found.ignored is not None:
        yield f"never judged: {found.ignored}"
    yield f"daemon: {found.daemon}"


_KINDS: Final = {
    "note": "a note",
    "wiki": "a wiki page",
    "index": "an index",
    "persona": "a persona file",
    "tools": "the tools",
    "model": "the model",
    "journal": "a journal entry",
    "log": "a log of runs",
    "raw": "a source document",
    "script": "a migration script",
    "other": "nothing that atomicd looks at",
}


def _show_rules(found: Explanation, *, with_rules: bool) -> None:
    from atomic_agents.cli.output import say
    from atomic_agents.cli.problems import print_problem

    if not found.rules:
        return
    say("Rules", bold=True)
    for problem in found.problems:
        print_problem(problem)
    if with_rules:
        for rule in found.rules:
            say(f"  {rule.code}: {rule.verdict}", colour=_COLOURS.get(rule.verdict))
    say(f"  {_counted(found.rules)}")


_COLOURS: Final = {"broken": "red", "not judged": "yellow", "silenced": "yellow"}


def _counted(rules: tuple[Rule, ...]) -> str:
    counts = Counter(rule.verdict for rule in rules)
    parts = [
        f"{number} {'hold' if verdict == 'holds' else verdict}" for verdict, number in counts.most_common()
    ]
    return f"{len(rules)} rules: {', '.join(parts)}"


def _sections(found: Explanation) -> Iterator[tuple[str, list[str]]]:
    if found.record is not None or found.pending:
        yield "State", list(_state(found))
    if found.place.layer is not None and found.place.kind.is_unit:
        yield "Index", list(_standing(found))
    if found.versions:
        last = dt.datetime.fromtimestamp(found.versions[-1].recorded).astimezone()
        kept = f"{len(found.versions)} kept, the last of {last:%Y-%m-%d %H:%M:%S}"
        yield "Versions", [kept, f"atomicd history {found.place.path}"]
    if found.incidents:
        yield (
            "Quarantine",
            [_told(incident) for incident in found.incidents],
        )


def _told(incident: Incident) -> str:
    codes = sorted({problem.code for problem in incident.problems})
    return f"{incident.id}: {incident.state}, {', '.join(codes)}"


def _state(found: Explanation) -> Iterator[str]:
    if found.record is not None:
        read = dt.datetime.fromtimestamp(found.record.read_at).astimezone()
        yield f"{_STATES[found.record.state.value]}; read {read:%Y-%m-%d %H:%M:%S}"
    yield from found.pending


_STATES: Final = {
    "valid": "valid",
    "held": "invalid, and about to be moved to quarantine",
    "adopted": "invalid since before the daemon came, so left in place until it is written again",
    "left": "left in place: a newer writer made it, or you said so",
    "unreadable": "could not be read",
    "index": "an index, as it was last read or written",
}


def _standing(found: Explanation) -> Iterator[str]:
    standing = found.standing
    if standing is None:
        yield "no entry"
        return
    yield f"{standing.index}, line {standing.line}, {standing.author}:"
    yield f"  {standing.text.strip()}"
    if standing.generated is not None:
        yield f"generated was: {standing.generated}"


def _show_events(found: Explanation) -> None:
    from atomic_agents.cli.output import columns, has_colours, say
    from atomic_agents.log import console_line

    if not found.events:
        return
    say("Last events", bold=True)
    for record in found.events:
        day = str(record.get("ts", ""))[:10]
        bare = {key: value for key, value in record.items() if key != "problems"}
        text = console_line(bare, colour=has_colours(), width=max(columns() - 13, 0))
        click.echo(
            "\n".join(
                f"  {day if not number else ' ' * 10} {line}" for number, line in enumerate(text.split("\n"))
            )
        )
