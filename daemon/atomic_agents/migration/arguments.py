"""The arguments of `python -m atomic_agents.migrate` (contract [M-6])."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Action = Literal["to", "status", "rollback", "list", "recover", "adopt"]

PROGRAM: Final = "python -m atomic_agents.migrate"

_EXAMPLES: Final = """\
examples:
  {program} --status
  {program} --to v2 --dry-run
  {program} --to v2 --rehearse
  {program} --to v2
  {program} --list-snapshots
  {program} --rollback 2026-08-12T143000_pre_v2_migration.tar.gz
  {program} --adopt-legacy --rename --dry-run

exit codes: 0 done, 1 failed or refused (nothing is half done), 2 wrong usage,
66 no such vault, 75 another migration is running, 78 broken configuration,
130 interrupted and rolled back
"""


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was asked for."""

    action: Action
    root: Path | None = None
    config: Path | None = None
    target: str = ""
    snapshot: str = ""
    dry_run: bool = False
    rehearse: bool = False
    rename: bool = False
    as_json: bool = False

    @property
    def writes(self) -> bool:
        """Whether units may be changed."""
        return self.action == "rollback" or (
            self.action in {"to", "adopt"} and not self.dry_run and not self.rehearse
        )


def parse_arguments(argv: Sequence[str] | None, *, program: str = PROGRAM) -> Arguments:
    """Return what was asked for.

    Args:
        argv: without the program's name; None takes the process's.
        program: what the help calls it.

    Raises:
        SystemExit: `--help`, or wrong usage (code 2).

    """
    parser = build_parser(program)
    given = parser.parse_args(argv)
    action = _action(given)
    if (given.dry_run or given.rehearse) and action not in {"to", "adopt"}:
        parser.error("--dry-run and --rehearse go with --to or --adopt-legacy")
    if given.rehearse and action == "adopt":
        parser.error("--adopt-legacy checks every decision before anything is written; use --dry-run")
    if given.rename and action != "adopt":
        parser.error("--rename goes with --adopt-legacy")
    return Arguments(
        action=action,
        root=given.agents_root,
        config=given.config,
        target=given.to or "",
        snapshot=given.rollback or "",
        dry_run=given.dry_run,
        rehearse=given.rehearse,
        rename=given.rename,
        as_json=given.json,
    )


def build_parser(program: str = PROGRAM) -> argparse.ArgumentParser:
    """Return the parser; the documentation shows its help.

    Args:
        program: what the help calls it.

    """
    parser = argparse.ArgumentParser(
        prog=program,
        usage="%(prog)s ACTION [OPTIONS]",
        description="Migrate a vault to another schema version, or go back.",
        epilog=_EXAMPLES.format(program=program),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", metavar="VERSION", help="migrate to this version, such as v2")
    what.add_argument("--status", action="store_true", help="tell where the vault stands; writes nothing")
    what.add_argument("--rollback", metavar="SNAPSHOT", help="bring the vault back to this snapshot")
    what.add_argument("--list-snapshots", action="store_true", help="list the snapshots, oldest first")
    what.add_argument("--recover", action="store_true", help="undo what a run that died left half done")
    what.add_argument(
        "--adopt-legacy", action="store_true", help="make units of files without schema_version"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--dry-run", action="store_true", help="write nothing; tell what would be done")
    how.add_argument(
        "--rehearse", action="store_true", help="run the scripts on a copy in memory; print every difference"
    )
    parser.add_argument(
        "--rename", action="store_true", help="with --adopt-legacy: also give files their pattern's name"
    )
    parser.add_argument(
        "--agents-root", "--vault", type=Path, metavar="DIR", help="the vault (else ATOMIC_AGENTS_ROOT, ...)"
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="the configuration file")
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line")
    return parser


def _action(given: argparse.Namespace) -> Action:
    if given.to is not None:
        return "to"
    if given.rollback is not None:
        return "rollback"
    flags: dict[Action, bool] = {
        "status": given.status,
        "list": given.list_snapshots,
        "recover": given.recover,
        "adopt": given.adopt_legacy,
    }
    return next(action for action, is_set in flags.items() if is_set)
