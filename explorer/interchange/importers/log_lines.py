"""JSON that someone copied out of a log: each line behind a time stamp, a tag, a process id."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

MAX_BYTES = 64 << 20
"""Logs above this size are not searched."""
MAX_STARTS = 50
"""How many lines that could begin the JSON are looked at."""
MAX_WHOLE = 3
"""How many of them are read to the end."""

_WINDOW = 1 << 16

_START = re.compile(rb"^([^{\n]*)\{\s*(?:\"[^\n]*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class LoggedJson:
    """JSON found in a log.

    Attributes:
        text: The JSON alone.
        stripped: Lines from which a prefix was taken.
        dropped: Lines without the prefix that were left out.
    """

    text: bytes
    stripped: int
    dropped: int


def json_in_log(text: bytes) -> LoggedJson | None:
    """Return the first JSON object that stands in log lines, or None; bounded in time by what is tried whole."""
    if len(text) > MAX_BYTES:
        return None
    text = text.replace(b"\r\n", b"\n")
    left = MAX_WHOLE
    for number, match in enumerate(_START.finditer(text)):
        if number == MAX_STARTS or not left:
            break
        window = text[match.start() : match.start() + _WINDOW]
        if not _begins_well(window, match[1], is_whole=match.start() + _WINDOW >= len(text)):
            continue
        left -= 1
        found = _read_from(text[match.start() :], match[1])
        if found is not None:
            return found
    return None


def _begins_well(window: bytes, prefix: bytes, *, is_whole: bool) -> bool:
    """Return whether the first lines read as JSON up to where they are cut off."""
    body, _, _ = _without_prefix(window, prefix)
    try:
        json.JSONDecoder(strict=False).raw_decode(body)
    except json.JSONDecodeError as error:
        return not is_whole and error.pos > len(body) // 2
    except (ValueError, RecursionError):
        return False
    return True


def _without_prefix(text: bytes, prefix: bytes) -> tuple[str, list[bytes], list[int]]:
    """Return the lines that have the prefix, joined without it; the parts; and their line numbers."""
    pattern = _shape(prefix)
    kept: list[bytes] = []
    numbers: list[int] = []
    for number, line in enumerate(text.split(b"\n")):
        match = pattern.match(line)
        if match is not None and line.strip():
            kept.append(line[match.end() :])
            numbers.append(number)
    # A line feed never parts two JSON tokens that would read as one, but it may stand where a logger cut a string.
    return b"".join(kept).decode("utf-8", "surrogateescape"), kept, numbers


def _read_from(text: bytes, prefix: bytes) -> LoggedJson | None:
    whole, kept, numbers = _without_prefix(text, prefix)
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(whole)
    except (ValueError, RecursionError):
        return None
    used = whole[:end].encode("utf-8", "surrogateescape")
    if not prefix.strip():
        return LoggedJson(used, 0, 0)
    lines = _lines_until(kept, len(used))
    blank = sum(1 for line in text.split(b"\n")[: numbers[lines - 1]] if not line.strip())
    return LoggedJson(used, lines, numbers[lines - 1] + 1 - lines - blank)


def _lines_until(lines: list[bytes], end: int) -> int:
    size = 0
    for number, line in enumerate(lines, 1):
        size += len(line)
        if size >= end:
            return number
    return len(lines)


def _shape(prefix: bytes) -> re.Pattern[bytes]:
    """Return a pattern for the prefix with any numbers and any blanks: time stamps and process ids change."""
    parts: list[bytes] = []
    for token in re.findall(rb"\d+|\s+|[^\d\s]+", prefix):
        if token.isdigit():
            parts.append(rb"\d+")
        elif token.isspace():
            parts.append(rb"\s*")
        else:
            parts.append(re.escape(token))
    # The JSON's own indentation stays: the blanks after the last mark are one at most.
    if parts and parts[-1] == rb"\s*":
        parts[-1] = rb"\s?"
    return re.compile(b"".join(parts))
