"""What an entry says: the texts for a unit in each form, and the three-way merge of one entry ([INDEX-3])."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from atomic_agents.index.entries import Entry, Form, rewritten
from atomic_agents.index.texts import as_hook, as_title, shorten
from atomic_agents.index.wanted import Role, Wanted
from atomic_agents.store.entries import Remembered

_NOT_IN_WIKI: Final = str.maketrans("[]|", "()/")
_NOT_IN_CODE: Final = str.maketrans("`", "'")


@dataclass(frozen=True, slots=True)
class Part:
    """A title or a hook as it is to stand.

    Args:
        text: shortened and escaped.
        plain: as another tool writes it, whole; "" where that would act as structure.
        raw: the same, but also where it would act.

    """

    text: str
    plain: str
    raw: str


@dataclass(frozen=True, slots=True)
class Saying:
    """What an entry of one form says of one unit."""

    title: Part
    hook: Part


@dataclass(frozen=True, slots=True)
class Revision:
    """An entry after the merge.

    Args:
        text: its line.
        title: what counts as the generated title from now on.
        hook: what counts as the generated hook from now on.
        kept: which of `title` and `hook` a person wrote, while the unit says something new.

    """

    text: str
    title: str
    hook: str
    kept: tuple[str, ...] = ()


@lru_cache(maxsize=1 << 12)
def saying(title: str, hook: str, form: Form, limit: int, *, defined: bool = False) -> Saying:
    """Return what an entry says.

    Args:
        title: the unit's name, on one line.
        hook: what is said of it, on one line.
        form: the form of the entry.
        limit: most characters of a title and of a hook, before escaping.
        defined: whether the document defines link labels.

    """
    short = shorten(title, limit)
    if form is Form.CODE:
        shown = short.translate(_NOT_IN_CODE)
    elif form is Form.WIKI:
        shown = as_title(short.translate(_NOT_IN_WIKI), defined=defined)
    else:
        shown = as_title(short, defined=defined)
    return Saying(
        Part(shown, title if as_title(title, defined=defined) == title else "", title),
        Part(
            as_hook(shorten(hook, limit), defined=defined),
            hook if as_hook(hook, defined=defined) == hook else "",
            hook,
        ),
    )


def says(entry: Entry, said: Saying) -> bool:
    """Whether an entry says just what the unit says, escaped or not: nobody wrote anything of their own.

    Args:
        entry: the entry.
        said: what an entry of its form says of the unit.

    """
    return entry.title in {said.title.text, said.title.raw} and entry.hook in {said.hook.text, said.hook.raw}


def revise(entry: Entry, base: Remembered | None, want: Wanted, said: Saying, *, moves: bool) -> Revision:
    """Merge one entry three ways: what was generated, what the line says, what the unit says now.

    Args:
        entry: the line as it stands.
        base: what is remembered of it; without it, what differs from the unit counts as a person's.
        want: what is wanted of the unit.
        said: the same, as an entry of this form says it.
        moves: whether the entry goes to another section. A hook that a person wrote keeps its words when
            its unit retires, and says in parentheses what became of it.

    """
    title, title_base = _merge(entry.title, base.title if base else None, said.title)
    body, note = _noted(entry.hook, base)
    hook, hook_base = _merge(body, base.hook if base and not note else None, said.hook)
    if hook and hook != hook_base and want.role.is_retired and (moves or note):
        hook = f"{hook} ({said.hook.text})"
    kept = []
    if base is not None and entry.title and title_base not in {title, base.title}:
        kept.append("title")
    if base is not None and hook_base not in {hook, base.hook} and not hook.endswith(f" ({hook_base})"):
        kept.append("hook")
    return Revision(rewritten(entry, title=title, hook=hook), title_base, hook_base, tuple(kept))


def _merge(now: str, base: str | None, part: Part) -> tuple[str, str]:
    """Return the text that is to stand and what counts as generated."""
    if now == part.text or (now and now == part.plain):
        return now, now
    if now == base or (now and now == part.raw):
        return part.text, part.text
    return now, part.text


def _noted(hook: str, base: Remembered | None) -> tuple[str, bool]:
    """Return a hook without the note that its unit's retirement added to it, and whether it had one."""
    if base is None or not Role(base.role).is_retired:
        return hook, False
    note = f" ({base.hook})"
    return (hook.removesuffix(note), True) if hook.endswith(note) else (hook, False)
