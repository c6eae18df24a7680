"""Where the configuration, the state and the log lie (contract section 9)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import platformdirs

APPLICATION: Final = "atomicd"
FILE_NAME: Final = "config.toml"


def default_path() -> Path:
    """Return where the configuration file lies when nothing names it."""
    return platformdirs.user_config_path(APPLICATION) / FILE_NAME


def state_root() -> Path:
    """Return the folder that holds a state folder for each vault (`ATOMICD_STATE_DIR` overrides it)."""
    override = os.environ.get("ATOMICD_STATE_DIR")
    return Path(override).expanduser() if override else platformdirs.user_state_path(APPLICATION)


def log_root() -> Path:
    """Return the folder of `atomicd.jsonl` (`ATOMICD_LOG_DIR` overrides it)."""
    override = os.environ.get("ATOMICD_LOG_DIR")
    return Path(override).expanduser() if override else platformdirs.user_log_path(APPLICATION)
