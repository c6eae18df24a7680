"""One scalar as YAML 1.1 reads it, by PyYAML's own rules, and what is reported where it cannot."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, Final

import yaml

STR: Final = "tag:yaml.org,2002:str"
MERGE: Final = "tag:yaml.org,2002:merge"
VALUE: Final = "tag:yaml.org,2002:value"
TIMESTAMP: Final = "tag:yaml.org,2002:timestamp"

LONGEST: Final = 1000
"""Most characters of a scalar that is no text: numbers of any length would take hours to build."""

_Resolvers = dict[str, list[tuple[str, re.Pattern[str]]]]
_RESOLVERS: Final[_Resolvers] = yaml.SafeLoader.yaml_implicit_resolvers
_CONSTRUCTOR: Final = yaml.constructor.SafeConstructor()
_TAGS: Final = tuple(
    f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "binary", "timestamp")
)
_BUILDERS: Final[dict[str, Callable[[Any, yaml.ScalarNode], Any]]] = {
    tag: yaml.SafeLoader.yaml_constructors[tag] for tag in _TAGS
}
_FAILURES: Final = (ValueError, OverflowError, AttributeError, TypeError, LookupError, yaml.YAMLError)


class ScalarError(ValueError):
    """A scalar cannot be built; `tag` says as what."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self.tag = tag


def resolve(value: str) -> str:
    """Return the tag that YAML gives to a plain scalar.

    Args:
        value: its text.

    """
    for tag, pattern in _RESOLVERS.get(value[:1], ()):
        if pattern.match(value):
            return tag
    return STR


def build(tag: str, value: str) -> Any:
    """Return the value of a scalar.

    Args:
        tag: its tag, resolved.
        value: its text.

    Raises:
        ScalarError: YAML cannot build it; none of PyYAML's own exceptions gets through.

    """
    if tag == STR:
        return value
    if len(value) > LONGEST:
        raise ScalarError(tag)
    return _build(tag, value)


@functools.lru_cache(maxsize=4096)
def _build(tag: str, value: str) -> Any:
    """Build what is no text; dates, numbers and words repeat from note to note and never change."""
    builder = _BUILDERS.get(tag)
    if builder is None:
        raise ScalarError(tag)
    try:
        return builder(_CONSTRUCTOR, yaml.ScalarNode(tag, value))
    except _FAILURES as error:
        raise ScalarError(tag) from error
