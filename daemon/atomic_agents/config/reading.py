"""Reading the configuration: every fault is named, all at once (contract section 9)."""

from __future__ import annotations

import dataclasses
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args, get_origin, get_type_hints

from atomic_agents.config.places import default_path
from atomic_agents.config.sections import Config, section_type
from atomic_agents.exceptions import ConfigError


def load(path: Path | None = None, *, vault: Path | None = None) -> Config:
    """Return the configuration in force.

    Args:
        path: the file of `--config`; None looks at `ATOMICD_CONFIG` and then in the platform's folder.
        vault: the folder of `--vault`; None looks at `ATOMIC_AGENTS_ROOT` and then into the file.

    Raises:
        ConfigError: the file is missing though it was named, is no TOML, or holds unknown keys or wrong
            values; all of them are named.

    """
    named = path or _named_by_environment()
    file = named or default_path()
    table = _read(file, needed=named is not None)
    config = parse(table, file)
    root = str(vault) if vault is not None else os.environ.get("ATOMIC_AGENTS_ROOT")
    return dataclasses.replace(config, vault=dataclasses.replace(config.vault, root=root)) if root else config


def parse(table: Mapping[str, Any], file: Path) -> Config:
    """Return the configuration that a TOML table describes.

    Args:
        table: the file as `tomllib` reads it.
        file: its name, for the messages.

    Raises:
        ConfigError: unknown keys or wrong values; all of them are named.

    """
    faults: list[str] = []
    sections = {}
    for spec in dataclasses.fields(Config):
        kind = section_type(spec.name)
        sections[spec.name] = _section(kind, spec.name, table.get(spec.name, {}), faults)
    known = {spec.name for spec in dataclasses.fields(Config)}
    faults += [
        f"[{name}]: unknown section, expected one of {', '.join(sorted(known))}"
        for name in table
        if name not in known
    ]
    if faults:
        listing = "".join(f"\n  {fault}" for fault in faults)
        raise ConfigError(
            f"{file}: {len(faults)} fault(s) in the configuration:{listing}", hint="see config.example.toml"
        )
    return Config(**sections)


def _named_by_environment() -> Path | None:
    name = os.environ.get("ATOMICD_CONFIG")
    return Path(name).expanduser() if name else None


def _read(file: Path, *, needed: bool) -> dict[str, Any]:
    try:
        with file.open("rb") as handle:
            return tomllib.load(handle)
    except FileNotFoundError:
        if needed:
            raise ConfigError(
                f"{file}: not there, expected the configuration", hint="`atomicd init` writes one"
            ) from None
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: no TOML: {error}", hint="compare it with config.example.toml") from error
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from error


def _section(kind: type[Any], name: str, table: Any, faults: list[str]) -> Any:
    if not isinstance(table, dict):
        faults.append(f"{name}: found {_show(table)}, expected a table [{name}]")
        return kind()
    types = get_type_hints(kind)
    specs = {spec.name: spec for spec in dataclasses.fields(kind)}
    values = {}
    for key, value in table.items():
        if key not in specs:
            faults.append(f"{name}.{key}: unknown key, expected one of {', '.join(specs)}")
            continue
        fault = _fault(value, types[key], specs[key].metadata)
        if fault:
            faults.append(f"{name}.{key}: found {_show(value)}, expected {fault}")
        else:
            values[key] = _convert(value, types[key])
    return kind(**values)


def _fault(value: Any, kind: Any, facts: Mapping[str, Any]) -> str:
    """Return what was expected where the value is wrong, else ""."""
    if not _matches(value, kind):
        return _TYPE_NAMES.get(kind, "a list of strings")
    if facts["choices"] and value not in facts["choices"]:
        return f"one of {', '.join(facts['choices'])}"
    if facts["least"] is not None and value < facts["least"]:
        return f"at least {facts['least']}"
    return ""


_TYPE_NAMES: Final[dict[Any, str]] = {
    int: "an integer",
    float: "a number",
    str: "a string",
    bool: "true or false",
}


def _matches(value: Any, kind: Any) -> bool:
    if get_origin(kind) is tuple:
        return isinstance(value, list) and all(isinstance(item, get_args(kind)[0]) for item in value)
    if kind is float:
        return type(value) in {int, float} and value == value and abs(value) != float("inf")  # noqa: PLR0124
    return type(value) is kind


def _convert(value: Any, kind: Any) -> Any:
    if get_origin(kind) is tuple:
        return tuple(value)
    return float(value) if kind is float else value


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."  # noqa: PLR2004
