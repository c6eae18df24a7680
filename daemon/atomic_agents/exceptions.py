"""The exceptions that atomicd raises, with the exit code and the hint that each one carries.

A bad note is never an exception: it is a `atomic_agents.model.Problem` (contract section 3).
"""

from __future__ import annotations

from typing import ClassVar


class AtomicAgentsError(Exception):
    """Anything that atomicd itself reports as gone wrong.

    Args:
        message: one sentence that names what was found and what was expected.
        hint: one sentence that says what to do about it; may be empty.

    """

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(AtomicAgentsError):
    """The command line does not make sense (contract [D-6])."""

    exit_code = 64


class VaultMissingError(AtomicAgentsError):
    """The vault is not there, or is no folder (contract [D-6])."""

    exit_code = 66


class AlreadyRunningError(AtomicAgentsError):
    """Another daemon owns this vault (contract [D-4])."""

    exit_code = 69


class CannotWriteError(AtomicAgentsError):
    """A folder that atomicd must write to refuses (contract [D-6])."""

    exit_code = 73


class TemporaryError(AtomicAgentsError):
    """Something that a restart may mend (contract [D-6])."""

    exit_code = 75


class ConfigError(AtomicAgentsError):
    """The configuration is wrong; the message lists every fault at once (contract section 9)."""

    exit_code = 78


class SchemaValidationError(AtomicAgentsError):
    """Frontmatter does not match its schema; the message names the field (seed, Validation)."""


class FileChangedError(AtomicAgentsError):
    """A file is no longer what it was when it was read, so it was not replaced."""


class NotRegularFileError(AtomicAgentsError):
    """A path is a folder, FIFO, socket, device or link where a regular file was expected."""


class FileTooLargeError(AtomicAgentsError):
    """A file is larger than the limit and was not read."""


class MigrationError(AtomicAgentsError):
    """A migration, a snapshot or a rollback was refused or went wrong (seed, Schema migration)."""


class MigrationRollbackUnavailable(MigrationError):  # noqa: N818 - the seed's name
    """The backend cannot roll back, so no real migration is begun (seed MUST 5)."""


class MigrationSnapshotNotFound(MigrationError):  # noqa: N818 - the seed's name
    """No snapshot has this name."""


class SnapshotInvalidError(MigrationError):
    """An archive is damaged, foreign or hostile; nothing was changed (contract [M-2])."""


class MigrationBusyError(MigrationError):
    """Another migration, or the daemon, holds the vault's lock (seed, Multi-agent considerations)."""

    exit_code = 75


class MigrationScriptError(MigrationError):
    """A migration script cannot be loaded, raised, or broke its contract; names script and unit."""


class UnitsUnreadableError(MigrationError):
    """Units cannot be read or replaced, all of them named; nothing was touched (contract [M-1])."""


class NothingToMigrateError(MigrationError):
    """The vault is already at the target version; migrations go forward only."""

    exit_code = 0


class MigrationUnfinishedError(MigrationError):
    """An earlier run died and has to be recovered first (contract [M-3])."""

    exit_code = 75


class MigrationInterruptedError(MigrationError):
    """Ctrl-C or SIGTERM ended the run; the vault was rolled back."""

    exit_code = 130
