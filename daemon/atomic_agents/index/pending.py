"""An entry on its way into INDEX.md: new, come back, or moved to another section."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from atomic_agents.config.sections import Index as Settings
from atomic_agents.index.entries import Form, rewritten
from atomic_agents.index.lines import Kind, read_line
from atomic_agents.index.links import defines_label
from atomic_agents.index.saying import Revision, revise, saying
from atomic_agents.index.sheet import Row, Sheet
from atomic_agents.index.style import Style, compose, form_for, style_of
from atomic_agents.index.targets import lead, retarget
from atomic_agents.index.wanted import Wanted
from atomic_agents.store.entries import Remembered


@dataclass(slots=True)
class Pending:
    """An entry that is to be put somewhere.

    Args:
        want: what is wanted of the unit.
        base: what is remembered of it.
        text: its line as it last stood; "" for a new one.
        moves: whether it stood in the section of another role.
        returns: whether it goes back to where it last stood.
        children: rows of the operator's own that hang below it and go with it.

    """

    want: Wanted
    base: Remembered | None = None
    text: str = ""
    moves: bool = False
    returns: bool = False
    children: list[Row] = field(default_factory=list)


class Writing:
    """How entries are written in one layer's INDEX files; what new entries alone need is found when needed.

    Args:
        layer_dir: the layer's folder, relative to the vault.
        sheets: the index files, with the rows' owners set.
        wanted: what is wanted of each unit.
        settings: `[index]` of the configuration.

    """

    def __init__(
        self, layer_dir: str, sheets: Sequence[Sheet], wanted: Collection[Wanted], settings: Settings
    ) -> None:
        self.layer_dir = layer_dir
        self.limit = settings.max_hook
        self._sheets = sheets
        self._wanted = wanted
        self._configured = Form(settings.entry_style)

    @cached_property
    def style(self) -> Style:
        """The style of the entries that stand there."""
        return style_of(self._sheets, self._configured)

    @cached_property
    def shared(self) -> frozenset[str]:
        """Names that more than one unit has."""
        names = Counter(want.title for want in self._wanted)
        return frozenset(name for name, count in names.items() if count > 1)

    @cached_property
    def defined(self) -> bool:
        """Whether some line defines a link label."""
        lines = [row.line for sheet in self._sheets for row in sheet.rows if "]:" in row.line.text]
        return any(line.kind is not Kind.OPAQUE and defines_label(line.text) for line in lines)


def write(pending: Pending, writing: Writing, bullet: str, folder: str) -> Revision:
    """Return the line of an entry for its new place.

    Args:
        pending: the entry.
        writing: how entries are written.
        bullet: indent, bullet and gap of the entry there.
        folder: the folder of the index file, relative to the layer's; "" is the layer's own.

    """
    entry = read_line(pending.text).entry if pending.text else None
    if entry is None:
        return _new(pending.want, writing, bullet, folder)
    want = pending.want
    if entry.target and want.file not in lead(entry.target, entry.is_wiki, folder, writing.layer_dir):
        target = retarget(entry.target, relative(want.file, folder), is_wiki=entry.is_wiki)
        pending.text = rewritten(entry, target=target)
        entry = read_line(pending.text).entry
        assert entry is not None
    said = saying(want.title, want.hook, entry.form, writing.limit, defined=writing.defined)
    revision = revise(entry, pending.base, want, said, moves=pending.moves)
    body = entry.item.gap.lstrip(" \t") + revision.text[entry.item.start :]
    return Revision(bullet + body, revision.title, revision.hook, revision.kept)


def relative(file: str, folder: str) -> str:
    """Return a file's name as seen from the folder of an index file; both relative to the layer's folder."""
    if not folder:
        return file
    if file.startswith(f"{folder}/"):
        return file[len(folder) + 1 :]
    return "../" * (folder.count("/") + 1) + file


def _new(want: Wanted, writing: Writing, bullet: str, folder: str) -> Revision:
    file = relative(want.file, folder)
    form = form_for(writing.style, file, want.title, is_unique=want.title not in writing.shared)
    said = saying(want.title, want.hook, form, writing.limit, defined=writing.defined)
    return Revision(bullet + compose(writing.style, form, file, said), said.title.text, said.hook.text)


def is_own_work(base: Remembered) -> bool:
    """Whether the entry, as it was remembered, held words that a person wrote."""
    entry = read_line(base.line).entry
    if entry is None:
        return False
    return entry.hook != base.hook or entry.title not in {"", base.title}
