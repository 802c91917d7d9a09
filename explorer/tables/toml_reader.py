"""Strict reading of TOML: every complaint names the file, the key path, what was found and what is accepted."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, cast

from explorer.core.units import MAX_BYTES
from explorer.errors import PresetError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

MAX_FILE_BYTES = 4 << 20
"""A preset or scenario above this is refused unread."""

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")


def read_toml(path: Path, file: str | None = None) -> dict[str, object]:
    """Return the parsed TOML file.

    Args:
        path: The file.
        file: How complaints name it; by default ``path`` as given.

    Raises:
        PresetError: Missing, too large, not UTF-8, or not TOML (with the line).
    """
    shown = file if file is not None else str(path)
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise PresetError("the file is too large", file=shown, found=f"{path.stat().st_size} bytes",
                              accepted=(f"at most {MAX_FILE_BYTES} bytes",))  # fmt: skip
        data = path.read_bytes()
    except OSError as error:
        raise PresetError(f"cannot read the file: {error.strerror or error}", file=shown) from error
    return parse_toml(data, shown)


def parse_toml(data: bytes, file: str) -> dict[str, object]:
    """Return the table that the TOML text holds.

    Raises:
        PresetError: Not UTF-8 or not TOML; carries the line where tomllib names one.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise PresetError("the file is not UTF-8 text", file=file, line=line) from error
    try:
        # tomllib wants bare line feeds or CR LF pairs; both come through here.
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _PLACE.search(message)
        line = int(place[1]) if place and place[1] else (text.count("\n") + 1 if place else None)
        reason = message[: place.start()] if place else message
        raise PresetError(f"not valid TOML: {reason}", file=file, line=line) from error
    except RecursionError as error:
        raise PresetError("not valid TOML: nested too deeply", file=file) from error
    except ValueError as error:
        # Digits beyond Python's limit for int() end here, not in a TOMLDecodeError.
        raise PresetError(f"not valid TOML: {error}", file=file) from error


class TableReader:
    """Takes the keys of one table one by one, and complains about the rest.

    Args:
        table: The table.
        path: Key path of the table, empty for the root.
        file: File for complaints.
    """

    def __init__(self, table: Mapping[str, object], path: str, file: str | None) -> None:
        self._table = table
        self._path = path
        self._file = file
        self._taken: list[str] = []

    def where(self, key: str) -> str:
        """Return the key path of ``key``."""
        return f"{self._path}.{key}" if self._path else key

    def fail(self, message: str, key: str, found: object = None, accepted: tuple[str, ...] = ()) -> PresetError:
        """Return (not raise) a complaint about ``key``."""
        return PresetError(message, file=self._file, where=self.where(key), found=found, accepted=accepted)

    def has(self, key: str) -> bool:
        """Return whether the key is present; marks it as known either way."""
        self._taken.append(key)
        return key in self._table

    def text(self, key: str, accepted: Sequence[str] = (), pattern: re.Pattern[str] | None = None) -> str:
        """Return a non-empty string, one of ``accepted`` or matching ``pattern`` where given."""
        value = self._require(key, accepted or ("a string",))
        if not isinstance(value, str):
            raise self.fail("must be a string", key, value, tuple(accepted) or ("a string",))
        if accepted and value not in accepted:
            raise self.fail("not an accepted value", key, value, tuple(accepted))
        if not value.strip():
            raise self.fail("must not be empty", key, value, ("a string",))
        if pattern is not None and pattern.fullmatch(value) is None:
            raise self.fail("not of the accepted form", key, value, (pattern.pattern,))
        return value

    def integer(self, key: str, low: int = 0, high: int = MAX_BYTES) -> int:
        """Return an integer in ``low..high``."""
        span = f"an integer from {low} to {high}"
        value = self._require(key, (span,))
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.fail("must be an integer", key, value, (span,))
        if not low <= value <= high:
            raise self.fail("must not be negative" if value < 0 <= low else "out of range", key, value, (span,))
        return value

    def boolean(self, key: str) -> bool:
        """Return true or false."""
        value = self._require(key, ("true", "false"))
        if not isinstance(value, bool):
            raise self.fail("must be true or false", key, value, ("true", "false"))
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of strings."""
        value = self._list(key, "a list of strings")
        for i, item in enumerate(value):
            if not isinstance(item, str) or not item.strip():
                raise self.fail("must be a string", f"{key}[{i}]", item, ("a string",))
        return tuple(cast("list[str]", value))

    def table(self, key: str) -> TableReader:
        """Return a reader of a sub-table."""
        value = self._require(key, ("a table",))
        if not isinstance(value, dict):
            raise self.fail("must be a table", key, value, ("a table",))
        return TableReader(cast("dict[str, object]", value), self.where(key), self._file)

    def tables(self, key: str) -> list[TableReader]:
        """Return readers of an array of tables."""
        readers: list[TableReader] = []
        for i, item in enumerate(self._list(key, "an array of tables")):
            if not isinstance(item, dict):
                raise self.fail("must be a table", f"{key}[{i}]", item, ("a table",))
            readers.append(TableReader(cast("dict[str, object]", item), self.where(f"{key}[{i}]"), self._file))
        return readers

    def text_map(self, key: str, accepted: Sequence[str] = ()) -> dict[str, str]:
        """Return a flat table of strings (quoted keys may hold dots); absent means empty."""
        if not self.has(key):
            return {}
        reader = self.table(key)
        return {name: reader.text(name, accepted) for name in reader.names()}

    def names(self) -> list[str]:
        """Return the keys of the table in file order."""
        return list(self._table)

    def finish(self) -> None:
        """Complain about the first key that nobody took.

        Raises:
            PresetError: An unknown key; the accepted ones are named.
        """
        known = set(self._taken)
        for key in self._table:
            if key not in known:
                raise self.fail("unknown key", key, key, tuple(dict.fromkeys(self._taken)))

    def _require(self, key: str, accepted: Sequence[str]) -> object:
        if not self.has(key):
            raise self.fail("the key is missing", key, None, tuple(accepted))
        return self._table[key]

    def _list(self, key: str, form: str) -> list[object]:
        value = self._require(key, (form,))
        if not isinstance(value, list):
            raise self.fail(f"must be {form}", key, value, (form,))
        return cast("list[object]", value)
