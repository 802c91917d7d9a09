"""A file as importers see it: unpacked, its text in UTF-8, log prefixes and damaged escapes undone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from explorer.errors import InputError
from explorer.interchange.files import unpack
from explorer.interchange.importers.dump_model import DumpTop, KnownPool
from explorer.interchange.importers.log_lines import json_in_log
from explorer.interchange.opened import FileWarning, ImportCancelledError, Repair

DEFAULT_CODE_PAGE = "cp1252"
MAX_WARNINGS = 1000

_UTF8_MARK, _UTF16_LE_MARK, _UTF16_BE_MARK = b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"
_DUMP_MARK, _HEAD_BYTES = b'"MemoryInfo"', 1 << 16
_BLANK = b"\0 \t\r\n"
_ESCAPE = re.compile(rb"\\(?:u([0-9A-Fa-fK-P]{4})|.)", re.DOTALL)
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_PAIRS = re.compile(
    rb"\\(?:u([dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
_DAMAGED = re.compile(rb"\\u[0-9K-P]{0,3}[K-P]")
_TO_HEX = bytes.maketrans(b"KLMNOP", b"ABCDEF")
_BYTE = re.compile(r"\(byte (\d+)\)")


@dataclass(slots=True, eq=False)
class Source:
    """A file that is being read.

    Attributes:
        file: As it was given.
        data: Unpacked bytes as they stand in the file.
        text: The same as UTF-8 without a mark; for a file in a code page each byte as one character (``name`` decodes).
        encoding: Encoding of the file's text.
        code_page: Code page of single-byte names.
        members: Top-level keys of a JSON object → undecoded value; None if the text is no JSON object.
        pools: ``DefaultPools`` of an allocator dump where they were read together with the members; else None.
        is_json: Whether the text is JSON.
        progress: Called with 0.0 … 1.0.
        cancelled: Asked now and then.
    """

    file: str
    data: bytes
    text: bytes
    encoding: str
    code_page: str = DEFAULT_CODE_PAGE
    members: Mapping[str, msgspec.Raw] | None = None
    pools: dict[str, KnownPool] | None = None
    is_json: bool = False
    progress: Callable[[float], None] | None = None
    cancelled: Callable[[], bool] | None = None
    _repairs: Counter[str] = field(default_factory=Counter[str])
    _warnings: Counter[tuple[str, str, str]] = field(default_factory=Counter[tuple[str, str, str]])

    @property
    def is_single_byte(self) -> bool:
        """Whether the text's characters stand for single bytes of a code page."""
        return self.encoding == self.code_page

    @property
    def repaired(self) -> tuple[Repair, ...]:
        """What was repaired, by id."""
        return tuple(Repair(what, count) for what, count in sorted(self._repairs.items()))

    @property
    def warnings(self) -> tuple[FileWarning, ...]:
        """What was left out or is doubtful, in the order of finding."""
        return tuple(FileWarning(code, where, text, count) for (code, where, text), count in self._warnings.items())

    def warn(self, code: str, where: str, message: str, count: int = 1) -> None:
        """Note a warning; the same again is counted."""
        key = (code, where, message)
        if count > 0 and (key in self._warnings or len(self._warnings) < MAX_WARNINGS):
            self._warnings[key] += count

    def repair(self, what: str, count: int) -> None:
        """Note that damage was undone."""
        if count > 0:
            self._repairs[what] += count

    def name(self, text: str) -> str:
        """Return a name of the file in characters: bytes of a code page are decoded, never refused."""
        if not self.is_single_byte or text.isascii():
            return text
        return text.encode("latin-1", "replace").decode(self.code_page, "replace")

    def at(self, fraction: float) -> None:
        """Report progress and stop if the caller wants to.

        Raises:
            ImportCancelledError: The caller cancelled.
        """
        if self.cancelled is not None and self.cancelled():
            raise ImportCancelledError("cancelled", file=self.file)
        if self.progress is not None:
            self.progress(fraction)


def open_source(
    data: bytes,
    file: str,
    *,
    code_page: str = DEFAULT_CODE_PAGE,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Source:
    """Return the bytes of a file as a source.

    Raises:
        InputError: Empty, damaged gzip, broken UTF-16, or broken JSON (names the line).
    """
    plain = unpack(data, file)
    if not (plain[:4096].strip(_BLANK) or plain.strip(_BLANK)):
        raise InputError("the file is empty", file=file)
    text, encoding = _to_utf8(plain, file, code_page)
    source = Source(file, plain, text, encoding, code_page, progress=progress, cancelled=cancelled)
    source.at(0.05)
    _read_json(source)
    return source


def _to_utf8(data: bytes, file: str, code_page: str) -> tuple[bytes, str]:
    if data.startswith(_UTF8_MARK):
        data = data[len(_UTF8_MARK) :]
    wide = "utf-16-be" if data.startswith(_UTF16_BE_MARK) else "utf-16-le"
    marked = data.startswith((_UTF16_LE_MARK, _UTF16_BE_MARK))
    if marked or data[1:2] == b"\0":
        body = data[2:] if marked else data
        if len(body) % 2:
            raise InputError("UTF-16 text with an odd number of bytes: the file is cut off", file=file)
        return body.decode(wide, "replace").encode("utf-8", "replace"), wide
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        try:
            b"".decode(code_page)
        except LookupError:
            raise InputError("unknown code page", where="code page", found=code_page,
                             accepted=("cp1252", "cp932", "cp1251", "latin-1")) from None  # fmt: skip
        return data.decode("latin-1").encode("utf-8"), code_page
    return data, "utf-8"


def _read_json(source: Source) -> None:
    """Find the JSON in the text: strictly first, then with damaged escapes repaired, then inside log lines."""
    looks_so = source.text.lstrip()[:1] in (b"{", b"[")
    error: msgspec.DecodeError | None = None
    if looks_so:
        error = _try_json(source, source.text)
        if error is None:
            return
    inside = json_in_log(source.text)
    if inside is not None and _try_json(source, inside.text) is None:
        source.repair("log-prefix", inside.stripped)
        if inside.dropped:
            source.warn("other-log-lines", "text", "lines between the dump's own were left out", inside.dropped)
        return
    if error is not None and looks_so and _is_meant_as_json(source.text):
        raise _json_error(error, source)


def _is_meant_as_json(text: bytes) -> bool:
    # "[section]" of a TOML file begins like a JSON list.
    return text.lstrip()[:1] == b"{" or re.match(rb"\[\s*[\[{\"\d\]-]", text.lstrip()) is not None


def _try_json(source: Source, text: bytes) -> msgspec.DecodeError | None:
    error = _members(source, text)
    if error is None:
        source.text = text
        return None
    if _DAMAGED.search(text):
        repaired, count = _repair_escapes(text)
        again = _members(source, repaired)
        if again is None:
            source.text = repaired
            source.repair("escapes", count)
            return None
        text = repaired if count else text
    if _SURROGATE.search(text):
        repaired, lone = _replace_lone_surrogates(text)
        if lone and _members(source, repaired) is None:
            source.text = repaired
            source.repair("lone-surrogates", lone)
            return None
    return error


def _members(source: Source, text: bytes) -> msgspec.DecodeError | None:
    try:
        # Checks the whole text: a part may be decoded late, but never found broken late.
        if text.lstrip()[:1] == b"{":
            if _DUMP_MARK in text[:_HEAD_BYTES] and _dump_members(source, text):
                return None
            source.members = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        else:
            msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError as error:
        return error
    except RecursionError:
        return msgspec.DecodeError("nested too deeply")
    source.is_json = True
    return None


def _dump_members(source: Source, text: bytes) -> bool:
    """Read members and pools of a dump at once: finding the pools first would scan nearly all of it twice."""
    try:
        top = msgspec.json.decode(text, type=DumpTop)
    except msgspec.ValidationError:
        # Something in it has the wrong type: the careful way says where.
        return False
    source.members = top.members()
    source.pools = None if top.default_pools is msgspec.UNSET else top.default_pools
    source.is_json = True
    return True


def _repair_escapes(text: bytes) -> tuple[bytes, int]:
    """D3D12MA up to 3.2.0 writes the digits A-F of an escape as K-P (reference dump_schemas, section 1.1)."""
    count = 0

    def fix(match: re.Match[bytes]) -> bytes:
        nonlocal count
        digits = match[1]
        if digits is None:
            return match[0]
        fixed = digits.translate(_TO_HEX)
        count += fixed != digits
        return b"\\u" + fixed

    return _ESCAPE.sub(fix, text), count


def _replace_lone_surrogates(text: bytes) -> tuple[bytes, int]:
    """Half of a character beyond the basic plane is no character: it becomes the replacement character."""
    count = 0

    def fix(match: re.Match[bytes]) -> bytes:
        nonlocal count
        if match[1] is None or match[1][4:]:
            return match[0]
        count += 1
        return b"\\ufffd"

    return _PAIRS.sub(fix, text), count


def _json_error(error: msgspec.DecodeError, source: Source) -> InputError:
    message = str(error)
    match = _BYTE.search(message)
    line = source.text.count(b"\n", 0, int(match[1])) + 1 if match else None
    if "truncated" in message:
        line = source.text.count(b"\n") + 1
        return InputError("the JSON ends too early: the file is cut off", file=source.file, line=line)
    return InputError(f"not valid JSON: {_BYTE.sub('', message).strip()}", file=source.file, line=line)
