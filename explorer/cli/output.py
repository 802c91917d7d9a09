"""What commands print: one JSON object, or text for people; errors as the contract says."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TextIO, cast

from explorer import __version__
from explorer.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from explorer.errors import Complaint

OK, DIFFERS, BAD_INPUT, FAULT, INTERRUPTED = 0, 1, 2, 3, 130

STANDARD = "-"
"""Standard input or output as a file name."""

_LARGE = 1 << 53


def print_json(command: str, body: Mapping[str, Any]) -> None:
    """Print the one object of a command and a line feed.

    Args:
        command: For the schema, ``memory-explorer/<command>/1``.
        body: The object without ``schema`` and ``version``.
    """
    whole = {"schema": f"memory-explorer/{command}/1", "version": __version__, **body}
    text = json.dumps(plain(whole), ensure_ascii=False, indent=2, allow_nan=False)
    _write(text + "\n")


def print_text(lines: Sequence[str]) -> None:
    """Print lines for people; what a terminal would take for a command is made harmless."""
    _write("".join(_printable(line) + "\n" for line in lines))


def note(text: str) -> None:
    """Print a note on standard error."""
    sys.stderr.write(text + "\n")


def print_error(complaint: Complaint, as_json: bool) -> None:
    """Print what was wrong: an object on standard output, or one line on standard error."""
    parts = asdict(complaint)
    order = ("file", "line", "where", "found", "accepted", "message")
    if as_json:
        try:
            print_json("error", {"error": {key: parts[key] for key in order}})
        except OutputError:
            # Standard output takes nothing: standard error is all that is left.
            pass
        else:
            return
    note(f"memory-explorer: {_printable(str(complaint))}")


def plain(value: object) -> Any:
    """Return plain JSON data: whole numbers of 2^53 and more as decimal strings."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value) if -_LARGE < value < _LARGE else str(int(value))
    if isinstance(value, dict):
        members = cast("dict[object, object]", value)
        return {str(key): plain(inner) for key, inner in members.items()}
    if isinstance(value, list | tuple):
        return [plain(inner) for inner in cast("Sequence[object]", value)]
    return value


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns; ``none`` where there is no row."""
    if not rows:
        return ["  none"]
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    return [
        ("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip()
        for row in (head, *rows)
    ]


def _printable(line: str) -> str:
    return "".join(c if c.isprintable() else "�" for c in line)


def write_bytes(data: bytes) -> None:
    """Write bytes to standard output.

    Raises:
        OutputError: It is closed, or takes no more (a full disk).
        BrokenPipeError: The reader went away.
    """
    stream = cast("TextIO | None", sys.stdout)
    if stream is None:
        raise OutputError("the output cannot be written: standard output is closed", file=STANDARD)
    try:
        stream.flush()
        buffer = getattr(stream, "buffer", None)
        if buffer is None:
            stream.write(data.decode("utf-8", "replace"))
        else:
            buffer.write(data)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        leave_standard_output()
        reason = error.strerror or "it takes no more"
        raise OutputError(f"the output cannot be written: {reason}", file=STANDARD) from error


def leave_standard_output() -> None:
    """Let what is still buffered go nowhere: else the interpreter fails again when it flushes at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _write(text: str) -> None:
    # Names in dumps are in any language; a terminal's code page must not turn one into a fault.
    write_bytes(text.encode("utf-8", "replace"))
