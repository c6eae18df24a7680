"""Writing what `atomicd fix` planned: the former version first, never over what somebody wrote meanwhile."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

from atomic_agents._io import move_file, replace_file
from atomic_agents.cli.incidents import LOCK_SECONDS
from atomic_agents.cli.mending import Change, Plan
from atomic_agents.exceptions import FileChangedError, NotRegularFileError
from atomic_agents.store import Store, open_store, state_folder
from atomic_agents.vault.lock import VaultLock


def carry_out(plan: Plan) -> None:
    """Write the changes of a plan and rename its files; each change then says whether that was done.

    Links are written before the names that they lead to: a kill in between leaves a plan that the next run
    completes.

    Args:
        plan: what is to be done.

    Raises:
        CannotWriteError: the history cannot be kept, so nothing was written.
        VaultBusyError: a migration is running.

    """
    store = open_store(state_folder(plan.root), now=time.time())
    try:
        with VaultLock(plan.root).hold(timeout=LOCK_SECONDS):
            plan.changes = [_write(store, plan.root, change) for change in plan.changes]
            plan.changes = [_rename(plan.root, change) for change in plan.changes]
    finally:
        store.close()


def _write(store: Store, root: Path, change: Change) -> Change:
    reading = change.reading
    if change.data == reading.data:
        return change
    with store.transaction():
        store.versions.record(change.path, reading.data, reading.sha256, time.time(), checked=change.is_valid)
    try:
        replace_file(Path(os.path.realpath(root / change.path)), change.data, expected=reading.status)
    except (FileChangedError, NotRegularFileError):
        return replace(change, refused="somebody wrote to it meanwhile; try again")
    except OSError as error:
        return replace(change, refused=error.strerror or "the system refuses")
    return replace(change, written=True)


def _rename(root: Path, change: Change) -> Change:
    if change.rename is None or change.refused is not None:
        return change
    try:
        move_file(root / change.path, root / change.new_path)
    except FileExistsError:
        return replace(change, written=False, refused=f"{change.rename} is there already")
    except NotRegularFileError:
        return replace(change, written=False, refused="it is a link, which keeps its name")
    except OSError as error:
        return replace(change, written=False, refused=error.strerror or "the system refuses")
    return replace(change, written=True)
