"""The only way to write a file: temporary beside it, fsync, keep mode and owner, replace, fsync the folder.

Source: seed MUST 3; contract [WRITE-1], [Q-1], [D-5]. Every temporary file is called
`.{name}.{pid}-{random}.atomicd.tmp`, so that one left by a kill is known for what it is.
"""

from __future__ import annotations

from pathlib import Path

from atomic_agents._files.leftovers import is_leftover, remove_leftover
from atomic_agents._files.move import move_file
from atomic_agents._files.read import Reading, hash_file, identity, read_file
from atomic_agents._files.write import TEMPORARY, create_file, make_folder, replace_file, sync_folder

__all__ = [
    "TEMPORARY",
    "Reading",
    "atomic_write",
    "create_file",
    "hash_file",
    "identity",
    "is_leftover",
    "make_folder",
    "move_file",
    "read_file",
    "remove_leftover",
    "replace_file",
    "sync_folder",
]


def atomic_write(path: Path, text: str | bytes) -> None:
    """Replace a file's content, or create it: all or nothing, durable, mode and owner kept.

    Args:
        path: the file; a link in its last place is replaced by nothing, it is an error.
        text: the new content; `str` is written as UTF-8 with line ends as they are.

    Raises:
        NotRegularFileError: the path is a link or no regular file.
        OSError: the system refuses; the old content is still there and no temporary file stays.

    """
    replace_file(path, text if isinstance(text, bytes) else text.encode("utf-8"))
