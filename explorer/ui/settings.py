"""What the window remembers: layout, theme, recent files, units, column widths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings

if TYPE_CHECKING:
    from pathlib import Path

RECENT_LIMIT = 10
UNITS = ("binary", "bytes")
"""How sizes are shown: KiB, MiB … or exact bytes."""

_LAYOUT_VERSION = 1


class Settings:
    """The window's memory, in one INI file.

    Args:
        path: The file; None takes the user's own place.
    """

    def __init__(self, path: Path | None = None) -> None:
        if path is None:
            self._store = QSettings(
                QSettings.Format.IniFormat, QSettings.Scope.UserScope, "memory-layout-explorer", "window"
            )
        else:
            self._store = QSettings(str(path), QSettings.Format.IniFormat)

    def theme(self) -> str:
        """Return the chosen theme."""
        return self._text("look/theme", "system")

    def set_theme(self, choice: str) -> None:
        """Remember the chosen theme."""
        self._store.setValue("look/theme", choice)

    def units(self) -> str:
        """Return one of ``UNITS``."""
        units = self._text("look/units", UNITS[0])
        return units if units in UNITS else UNITS[0]

    def set_units(self, units: str) -> None:
        """Remember one of ``UNITS``."""
        self._store.setValue("look/units", units)

    def recent_files(self) -> list[str]:
        """Return the paths last opened, newest first."""
        value = self._store.value("files/recent", [])
        items = [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple) else []
        return [str(item) for item in items if item][:RECENT_LIMIT]

    def add_recent(self, path: str) -> None:
        """Put a path in front of the recent files."""
        others = [item for item in self.recent_files() if item != path]
        self._store.setValue("files/recent", [path, *others][:RECENT_LIMIT])

    def clear_recent(self) -> None:
        """Forget the recent files."""
        self._store.setValue("files/recent", [])

    def last_folder(self) -> str:
        """Return the folder last opened from or exported to; empty at first."""
        return self._text("files/folder", "")

    def set_last_folder(self, folder: str) -> None:
        """Remember a folder."""
        self._store.setValue("files/folder", folder)

    def layout(self) -> tuple[QByteArray, QByteArray] | None:
        """Return geometry and dock state, or None where there is none of this version."""
        if self._text("window/version", "") != str(_LAYOUT_VERSION):
            return None
        geometry, state = self._store.value("window/geometry"), self._store.value("window/state")
        if isinstance(geometry, QByteArray) and isinstance(state, QByteArray):
            return geometry, state
        return None

    def set_layout(self, geometry: QByteArray, state: QByteArray) -> None:
        """Remember geometry and dock state."""
        self._store.setValue("window/version", str(_LAYOUT_VERSION))
        self._store.setValue("window/geometry", geometry)
        self._store.setValue("window/state", state)

    def forget_layout(self) -> None:
        """Go back to the first layout at the next start."""
        self._store.remove("window")

    def column_widths(self, table: str) -> list[int]:
        """Return the remembered widths of a table's columns in logical pixels; empty at first."""
        text = self._text(f"columns/{table}", "")
        parts = text.split(" ") if text else []
        return [int(part) for part in parts] if all(part.isdecimal() for part in parts) else []

    def set_column_widths(self, table: str, widths: list[int]) -> None:
        """Remember column widths."""
        self._store.setValue(f"columns/{table}", " ".join(str(width) for width in widths))

    def flush(self) -> None:
        """Write to the disk now."""
        self._store.sync()

    def _text(self, key: str, default: str) -> str:
        value = self._store.value(key, default)
        return value if isinstance(value, str) else default
