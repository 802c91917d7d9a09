"""Reading within bounds, and writing so that nothing half-written is ever left."""

from __future__ import annotations

import os
import sys
import tempfile
import zlib
from pathlib import Path

from explorer.errors import InputError, OutputError

MAX_FILE_BYTES = 1 << 30
"""Most bytes of a file, packed or unpacked; a dump of a million allocations has about 150 MB."""

_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``.

    Raises:
        InputError: It cannot be read, or is larger than ``MAX_FILE_BYTES``.
    """
    try:
        if path == "-":
            data = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        else:
            with Path(path).open("rb") as stream:
                data = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a file name"
        raise InputError(f"the file cannot be read: {reason}", file=path) from error
    return _bounded(data, path)


def unpack(data: bytes, file: str) -> bytes:
    """Return the bytes inside gzip, or the bytes themselves.

    Raises:
        InputError: Damaged, cut off, or too large when unpacked.
    """
    if not data.startswith(_GZIP):
        return _bounded(data, file)
    pieces: list[bytes] = []
    size = 0
    rest = data
    try:
        while rest.startswith(_GZIP):
            stream = zlib.decompressobj(wbits=31)
            while not stream.eof:
                piece = stream.decompress(rest, _PIECE)
                rest = stream.unconsumed_tail
                pieces.append(piece)
                size += len(piece)
                if size > MAX_FILE_BYTES:
                    raise InputError("the file is too large when unpacked", file=file,
                                     accepted=(f"at most {MAX_FILE_BYTES} bytes",))  # fmt: skip
                if not piece and not rest and not stream.eof:
                    raise InputError("the gzip data end too early: the file is cut off", file=file)
            rest = stream.unused_data
    except zlib.error as error:
        raise InputError("the gzip data are damaged", file=file) from error
    return b"".join(pieces)


def write_atomically(path: str, data: bytes) -> None:
    """Write a file, or standard output for ``-``; an older file stays as it was until all bytes are on the disk.

    Raises:
        InputError: It cannot be written.
    """
    if path == "-":
        _write_standard_output(data)
        return
    target = Path(path)
    temporary: str | None = None
    try:
        if target.exists() and not target.is_file():
            # A device such as /dev/null must not be replaced by a file.
            target.write_bytes(data)
            return
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(_mode(target))
        Path(temporary).replace(target)
        temporary = None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not a file name"
        raise InputError(f"the file cannot be written: {reason}", file=path) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _write_standard_output(data: bytes) -> None:
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except (OSError, AttributeError) as error:
        # There is no stream where the shell closed it.
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "standard output is closed"
        if sys.__stdout__ is not None:
            # What is still buffered has to go nowhere, else the interpreter fails again when it flushes at the end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())
        raise OutputError(f"the output cannot be written: {reason}", file="-") from error


def _mode(target: Path) -> int:
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _bounded(data: bytes, file: str) -> bytes:
    if len(data) > MAX_FILE_BYTES:
        raise InputError("the file is too large", file=file, accepted=(f"at most {MAX_FILE_BYTES} bytes",))
    return data
