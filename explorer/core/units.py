"""Bytes and addresses as plain integers: rounding, parsing and showing them."""

from __future__ import annotations

import re
from fractions import Fraction

from explorer.errors import InputError

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30
TIB = 1 << 40

MAX_BYTES = (1 << 63) - 1
"""Largest size or address the product handles; Qt and numpy take signed 64 bit."""

_FACTORS = {
    "": 1, "b": 1,
    "kib": KIB, "mib": MIB, "gib": GIB, "tib": TIB,
    "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12,
}  # fmt: skip
_SIZE = re.compile(r"^(?:(0x[0-9a-f_]+)|([0-9][0-9_,]*(?:\.[0-9]+)?))\s*([a-z]*)$")
_DIGITS = re.compile(r"[0-9][0-9,]*")
_GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
SIZE_FORMS = ("123", "64KiB", "1.5GiB", "0x1000", "10MB")


def is_power_of_two(value: int) -> bool:
    """Return whether ``value`` is 1, 2, 4 and so on."""
    return value > 0 and value & (value - 1) == 0


def align_up(value: int, alignment: int) -> int:
    """Return ``value`` rounded up to a multiple of ``alignment`` (> 0, any integer)."""
    return -(-value // alignment) * alignment


def align_down(value: int, alignment: int) -> int:
    """Return ``value`` rounded down to a multiple of ``alignment`` (> 0, any integer)."""
    return value // alignment * alignment


def ceil_div(value: int, divisor: int) -> int:
    """Return ``value / divisor`` rounded up."""
    return -(-value // divisor)


def without_commas(text: str) -> str:
    """Return a number without the commas between its groups of three digits.

    Elsewhere a comma may be a decimal sign: ``1,5`` is not read as 15.

    Raises:
        InputError: A comma stands somewhere else.
    """
    parts = _DIGITS.findall(text)
    if text.count(",") != sum(part.count(",") for part in parts) or not all(map(_is_grouped, parts)):
        raise InputError(
            "a comma separates groups of three digits, a point is the decimal sign",
            found=text, accepted=("1,024", "1.5GiB"),
        )  # fmt: skip
    return text.replace(",", "")


def _is_grouped(digits: str) -> bool:
    return "," not in digits or _GROUPED.fullmatch(digits) is not None


def parse_size(text: str) -> int:
    """Return the bytes that a SIZE says.

    Accepts ``123``, ``64KiB``, ``1.5GiB``, ``0x1000``; KB, MB, GB are powers of ten.

    Raises:
        InputError: Not a size, not a whole number of bytes, or above 2^63 - 1.
    """
    match = _SIZE.match(text.strip().lower())
    if match is None or match[3] not in _FACTORS:
        raise InputError("not a size", found=text, accepted=SIZE_FORMS)
    if match[1]:
        if match[3]:
            raise InputError("a hexadecimal size takes no unit", found=text, accepted=SIZE_FORMS)
        value = Fraction(int(match[1].replace("_", ""), 16))
    else:
        value = Fraction(without_commas(match[2]).replace("_", "")) * _FACTORS[match[3]]
    if value.denominator != 1:
        raise InputError("a size must be a whole number of bytes", found=text, accepted=SIZE_FORMS)
    if value > MAX_BYTES:
        raise InputError("a size must be below 2^63 bytes", found=text, accepted=SIZE_FORMS)
    return int(value)


def format_bytes(value: int, decimals: int = 1) -> str:
    """Return ``21.4 MiB``, ``512 B``: the short text for people, with a true minus sign."""
    sign, size = ("−", -value) if value < 0 else ("", value)
    for unit, factor in (("TiB", TIB), ("GiB", GIB), ("MiB", MIB), ("KiB", KIB)):
        if size >= factor:
            return f"{sign}{size / factor:,.{decimals}f} {unit}"
    return f"{sign}{size} B"


def format_exact(value: int) -> str:
    """Return ``22,413,312 B``."""
    return f"{value:,} B".replace("-", "−")


def format_address(value: int, digits: int = 8) -> str:
    """Return ``0x04BD_0000``: groups of four hexadecimal digits, at least ``digits`` of them."""
    text = f"{value:0{digits}X}"
    head = len(text) % 4
    groups = ([text[:head]] if head else []) + [text[i : i + 4] for i in range(head, len(text), 4)]
    return "0x" + "_".join(groups)


def format_ns(value: float) -> str:
    """Return ``16.9 ms``, ``43 µs`` or ``1.2 s``."""
    if value >= 1e9:
        return f"{value / 1e9:,.2f} s"
    if value >= 1e6:
        return f"{value / 1e6:,.1f} ms"
    return f"{value / 1e3:,.0f} µs" if value else "0 ms"
