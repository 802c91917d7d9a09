"""Where shipped and user data lie: the one module through which files of the product are found."""

from __future__ import annotations

import os
from pathlib import Path

from explorer.errors import InputError

HOME_VARIABLE = "MEMORY_EXPLORER_HOME"
"""Environment variable that replaces the user's folders (tests, portable installations)."""

_APPLICATION = "memory-layout-explorer"
_PACKAGE = Path(__file__).resolve().parents[1]


def presets_folder() -> Path:
    """Return the folder of the shipped presets (``adapters/``, ``systems/``, ``scenarios/``).

    Raises:
        InputError: The installation is incomplete.
    """
    return _shipped("presets")


def resources_folder() -> Path:
    """Return the folder of the shipped resources (schemas, icons, texts).

    Raises:
        InputError: The installation is incomplete.
    """
    return _shipped("resources")


def user_folder() -> Path:
    """Return the folder for the user's own data; it need not exist."""
    home = os.environ.get(HOME_VARIABLE)
    if home:
        return Path(home)
    # Imported here: the command line should not pay for it when the variable is set.
    import platformdirs

    return Path(platformdirs.user_data_dir(_APPLICATION, appauthor=False))


def user_presets_folder() -> Path:
    """Return the folder for the user's own presets; it need not exist."""
    return user_folder() / "presets"


def _shipped(name: str) -> Path:
    # A wheel carries the folders inside the package, a checkout beside it.
    for folder in (_PACKAGE / "_shipped" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise InputError(f"the folder of the shipped {name} is missing; install the product again", where=name)
