"""Texts that look like keys, tokens and passwords; what is found is never shown (contract [RULE-W])."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from atomic_agents.units.codes import Fault

MASK: Final = "text that looks like a secret, not shown"

_MOST: Final = 1000
_MOST_TOLD: Final = 10
_PLACEHOLDER: Final = re.compile(
    r"(?i)[<>{}$*…]|(.)\1{5}|x{4}|example|changeme|placeholder|your|dummy|redacted|secret|password|none|null"
)
_LOWEST_KINDS: Final = 3


class _Shape(NamedTuple):
    """One kind of secret: in words, what a text must hold for it to be worth looking, and how it looks.

    A group `random` has to mix digits and both cases, a group `value` has to be more than a placeholder.
    """

    name: str
    hints: tuple[bytes, ...]
    pattern: re.Pattern[str]


def _shape(name: str, hints: str, pattern: str) -> _Shape:
    return _Shape(
        name, tuple(hints.encode().split()), re.compile(rf"(?<![A-Za-z0-9_-])(?:{pattern})", re.ASCII)
    )


_SHAPES: Final = (
    _shape("an AWS access key", "AKIA ASIA", r"(?:AKIA|ASIA)[A-Z2-7]{16}(?![A-Za-z0-9])"),
    _shape("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{36}"),
    _shape("a GitHub token", "github_pat_", r"github_pat_\w{60}"),
    _shape("a GitLab token", "glpat-", r"glpat-[\w-]{20}"),
    _shape("a Slack token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10}"),
    _shape("a Slack address", "hooks.slack.com", r"hooks\.slack\.com/services/T\w{6,}/B\w{6,}/\w{16}"),
    _shape("an API key", "sk-", r"sk-(?:(?:proj|ant|or|svcacct)-)?(?P<random>[\w-]{32,200})"),
    _shape("a payment key", "k_live_", r"[sr]k_live_[A-Za-z0-9]{20}"),
    _shape("a Google API key", "AIza", r"AIza[\w-]{35}"),
    _shape("a private key", "PRIVATE", r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"),
    _shape("a JSON web token", "eyJ", r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10}"),
    _shape(
        "a password in a URL", "://", r"[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,64}:(?P<value>[^\s:/@]{6,64})@"
    ),
)

_ASSIGNED: Final = re.compile(
    r"""(?ix) (?<![a-z]) (?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key)
    ["']? [ \t]{0,3} [:=]>? [ \t]{0,3} (["'`]) (?P<value>[^"'`\s]{8,200}) \1"""
)
_ASSIGNED_HINTS: Final = (b"passw", b"pwd", b"secret", b"token", b"key")
_QUOTED_VALUE: Final = re.compile(rb"[:=]>?[ \t]{0,3}[\"'`]")


def find_secrets(text: str, data: bytes) -> dict[int, str]:
    """Return the lines that hold what looks like a secret, and in words what it looks like.

    Args:
        text: the whole unit.
        data: its bytes, in which hints are found sooner.

    """
    lines: dict[int, str] = {}
    line, counted = 1, 0
    for offset, name in sorted(itertools.islice(_find(text, data), _MOST)):
        line, counted = line + text.count("\n", counted, offset), offset
        lines.setdefault(line, name)
    return lines


def judge_secrets(lines: Mapping[int, str]) -> Iterator[Fault]:
    """Yield a warning for each line that `find_secrets` returned, up to ten."""
    fix = "Remove it, replace it at its issuer, and keep secrets outside the vault."
    for line, name in itertools.islice(lines.items(), _MOST_TOLD):
        yield Fault("possible-secret", f"{name}, not shown", "no secrets", fix, line=line)


def mask(fault: Fault, lines: Mapping[int, str]) -> Fault:
    """Return a fault that shows nothing of a line with a secret.

    Args:
        fault: any fault.
        lines: what `find_secrets` returned.

    """
    return fault._replace(found=MASK) if fault.line in lines or has_secret(fault.found) else fault


def has_secret(text: str) -> bool:
    """Whether a text holds what looks like a secret, so that it may not be shown."""
    return next(_find(text, text.encode("utf-8", "replace")), None) is not None


def _find(text: str, data: bytes) -> Iterator[tuple[int, str]]:
    for shape in _SHAPES:
        if any(hint in data for hint in shape.hints):
            yield from _matches(text, shape.pattern, shape.name)
    lowered = data.lower()
    if any(hint in lowered for hint in _ASSIGNED_HINTS) and _QUOTED_VALUE.search(data):
        yield from _matches(text, _ASSIGNED, "a password or token")


def _matches(text: str, pattern: re.Pattern[str], name: str) -> Iterator[tuple[int, str]]:
    for match in pattern.finditer(text):
        parts = match.groupdict()
        if _is_random(parts.get("random")) and _is_real(parts.get("value")):
            yield match.start(), name


def _is_random(text: str | None) -> bool:
    if text is None:
        return True
    kinds = (str.isdigit, str.isupper, str.islower)
    return sum(any(map(kind, text)) for kind in kinds) >= _LOWEST_KINDS


def _is_real(value: str | None) -> bool:
    """Whether it is more than a word that stands for a password."""
    if value is None:
        return True
    if _PLACEHOLDER.search(value):
        return False
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))
