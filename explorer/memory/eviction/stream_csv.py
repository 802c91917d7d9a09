"""Reference streams from CSV ``frame,resource,size``: strict, streaming, bounded."""

from __future__ import annotations

import csv
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.units import MAX_BYTES
from explorer.errors import InputError
from explorer.memory.eviction.stream import ReferenceStream, reference_stream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

COLUMNS = ("frame", "resource", "size")
MAX_ROWS = 100_000_000
MAX_RESOURCES = 10_000_000
MAX_LINE = 65_536
"""Longest line in characters: what is longer is not such a file, and is not read into memory."""
MAX_FRAME = (1 << 31) - 1


@dataclass(frozen=True, slots=True, eq=False)
class NamedStream:
    """A stream and what its objects are called.

    Attributes:
        stream: The references.
        names: Name of each object, indexed by its id.
    """

    stream: ReferenceStream
    names: tuple[str, ...]


def read_stream_csv(source: TextIO, file: str | None = None, *, max_rows: int = MAX_ROWS) -> NamedStream:
    """Read a stream from CSV, one reference a row, in the order of time.

    Columns are ``frame`` (an integer >= 0 that never falls), ``resource`` (a name) and ``size`` (bytes, > 0, the same
    in every row of a resource). A first row with exactly these names is a header. Empty lines are skipped.

    Args:
        source: Text to read from its position on, line by line.
        file: Name of the file, for errors.
        max_rows: Most references that are read.

    Raises:
        InputError: Names file, line, column, what was found and what is accepted.
    """
    reading = _Reading(file, max_rows)
    rows = csv.reader(_bounded_lines(source, file), strict=True)
    try:
        for row in rows:
            if row:
                reading.take(row, rows.line_num)
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", file=file, line=rows.line_num, accepted=(",".join(COLUMNS),)) from error
    except UnicodeDecodeError as error:
        raise InputError("not text in UTF-8", file=file, line=rows.line_num + 1) from error
    return reading.finish()


class _Reading:
    """The columns as far as they are read."""

    def __init__(self, file: str | None, max_rows: int) -> None:
        self.file = file
        self.max_rows = max_rows
        self.ids = array("I")
        self.frames = array("i")
        self.sizes = array("q")
        self.first_lines = array("Q")
        self.id_of: dict[str, int] = {}
        self.frame = 0
        self.started = False
        self.total_bytes = 0

    def take(self, row: list[str], line: int) -> None:
        """Take in one row."""
        if not self.started:
            self.started = True
            if tuple(row) == COLUMNS:
                return
        if len(row) != len(COLUMNS):
            raise self._error("a row of another number of fields", line, None, ",".join(row), ",".join(COLUMNS))
        if len(self.ids) >= self.max_rows:
            raise self._error("too many rows", line, None, None, f"up to {self.max_rows}")
        frame = self._integer(row[0], line, "frame", self.frame, MAX_FRAME)
        size = self._integer(row[2], line, "size", 1, MAX_BYTES)
        name = row[1]
        if not name:
            raise self._error("a resource without a name", line, "resource", repr(name), "any text")
        object_id = self.id_of.get(name)
        if object_id is None:
            if len(self.id_of) >= MAX_RESOURCES:
                raise self._error("too many resources", line, "resource", name, f"up to {MAX_RESOURCES}")
            object_id = self.id_of[name] = len(self.id_of)
            self.sizes.append(size)
            self.first_lines.append(line)
        elif self.sizes[object_id] != size:
            problem = f"the size of {name!r} is not that of line {self.first_lines[object_id]}"
            raise self._error(problem, line, "size", row[2], str(self.sizes[object_id]))
        self.total_bytes += size
        if self.total_bytes > MAX_BYTES:
            raise self._error("all references together reach 2^63 bytes", line, "size", row[2], "a smaller total")
        self.frame = frame
        self.ids.append(object_id)
        self.frames.append(frame)

    def finish(self) -> NamedStream:
        """Return the stream that was read."""
        if not self.ids:
            raise InputError("no references", file=self.file, accepted=(",".join(COLUMNS),))
        stream = reference_stream(
            np.frombuffer(self.ids, np.uint32),
            np.frombuffer(self.sizes, np.int64),
            frames=np.frombuffer(self.frames, np.int32),
        )
        return NamedStream(stream, tuple(self.id_of))

    def _integer(self, text: str, line: int, column: str, lowest: int, highest: int) -> int:
        accepted = f"an integer from {lowest} to {highest}"
        # isdecimal alone would let other scripts' digits in, and int() of a very long text takes quadratic time.
        if not (text.isascii() and text.isdecimal() and len(text) <= 19):
            raise self._error("not a whole number", line, column, text, accepted)
        value = int(text)
        if not lowest <= value <= highest:
            raise self._error("a number out of range", line, column, text, accepted)
        return value

    def _error(self, message: str, line: int, column: str | None, found: str | None, accepted: str) -> InputError:
        return InputError(message, file=self.file, line=line, where=column, found=found, accepted=(accepted,))


def _bounded_lines(source: TextIO, file: str | None) -> Iterator[str]:
    number = 0
    while line := source.readline(MAX_LINE):
        number += 1
        if len(line) == MAX_LINE and not line.endswith("\n"):
            raise InputError("a line is too long", file=file, line=number, accepted=(f"up to {MAX_LINE} characters",))
        # A byte order mark is no part of the first name.
        yield line.removeprefix("\ufeff") if number == 1 else line
