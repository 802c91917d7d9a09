"""The words in which conformance records describe Direct3D 10 and 11 devices, resources and sizes.

Everything understood here is a rule of the spelling, not a list of sentences; what does not fit raises
``NotUnderstood`` with the phrase.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.d3d11_enums import BindFlag, CpuAccessFlag, Usage
from explorer.rules.d3d11_runtime import LEVELS
from explorer.tables.d3d11_tables import bind_flags, version

if TYPE_CHECKING:
    from collections.abc import Mapping


class NotUnderstood(Exception):  # noqa: N818 - an answer of its own, not an error
    """A call, key or phrase that this product does not know."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement about the device.

    Attributes:
        subject: ``level``, ``runtime``, ``samples`` or ``always`` (a capability that is there by default).
        operator: ``>=``, ``<=``, ``<``, ``>``, ``==``; for samples ``==`` (supported) and ``<`` (not supported).
        value: Feature level, runtime as (11, minor), or a sample count.
    """

    subject: str
    operator: str = "=="
    value: object = None


_LEVEL = re.compile(r"feature level (>=|<=|<|>|==?) ?(\d+_\d)")
_RUNTIME = re.compile(r"(?:D3D|Direct3D ?)(11\.\d) runtime(?: or (?:later|newer))?")
_OLDER = re.compile(r"runtime older than (?:D3D|Direct3D ?)(11\.\d)")
_SAMPLES = re.compile(r"(\d+)x (not )?supported(?: \([^()]*\))?")
_DEFAULT = re.compile(r".*\b(?:supported|usable)\b(?: \([^()]*\))?")


@functools.lru_cache(maxsize=1 << 10)
def clauses(sentence: str) -> tuple[Clause, ...]:
    """Return what a precondition states; of alternatives the first.

    Raises:
        NotUnderstood: No such statement is known.
    """
    text = sentence.strip()
    later = re.fullmatch(_RUNTIME, text)
    first = text if later else re.split(r" or (?!later|newer)", text)[0]
    return tuple(_clause(part.strip(), sentence) for part in first.split(" and "))


def _clause(text: str, sentence: str) -> Clause:
    if match := _LEVEL.fullmatch(text):
        level = LEVELS.get(match[2])
        if level is not None:
            return Clause("level", "==" if match[1] == "=" else match[1], level)
    if match := _RUNTIME.fullmatch(text):
        return Clause("runtime", ">=", version(match[1]))
    if match := _OLDER.fullmatch(text):
        return Clause("runtime", "<", version(match[1]))
    if match := _SAMPLES.fullmatch(text):
        return Clause("samples", "<" if match[2] else "==", int(match[1]))
    if _DEFAULT.fullmatch(text) and not re.search(r"\b(?:not|no|without)\b", text):
        return Clause("always")
    raise NotUnderstood(f"precondition: {sentence}")


@dataclass(frozen=True, slots=True)
class Described:
    """A resource in words; extents are None where the words say nothing.

    Attributes:
        dimension: ``buffer`` … ``texture3d``, or an empty text.
        extent: Width, height, depth in texels, or bytes of a buffer.
        has_data: Initial data is mentioned.
    """

    usage: int
    dimension: str = ""
    extent: tuple[int, ...] = ()
    bind: int = 0
    cpu: int = 0
    has_data: bool = False


_EXTENT = re.compile(r"texture([123])d(?: (\d+(?: ?x ?\d+)*))?")
_BYTES = re.compile(r"(\d+) bytes")


@functools.lru_cache(maxsize=1 << 10)
def described(phrase: str) -> Described:
    """Return the resource that a phrase such as ``STAGING texture2d 4x4, CPU WRITE, initial data`` names.

    Raises:
        NotUnderstood: A word of it is unknown.
    """
    rest = phrase.strip()
    word, _, rest = rest.partition(" ")
    if word not in Usage.__members__:
        raise NotUnderstood(f"resource: {phrase}")
    found: dict[str, int | str | tuple[int, ...] | bool] = {}
    bind = cpu = 0
    for part in (piece.strip() for piece in rest.split(",")):
        text = part
        if text == "initial data":
            found["has_data"] = True
            text = ""
        elif match := re.fullmatch(r"CPU ((?:READ|WRITE)(?: ?[|+] ?(?:READ|WRITE)| and (?:READ|WRITE))?)", text):
            cpu |= sum(int(CpuAccessFlag[name]) for name in set(re.findall(r"READ|WRITE", match[1])))
            text = ""
        text, extent = _take_extent(text, found)
        bind |= _binds(text.replace("without bind flags", "").split(), extent, phrase)
    dimension = str(found.get("dimension", "")) or _only_dimension(bind)
    extent_found = found.get("extent", ())
    return Described(
        int(Usage[word]), dimension, extent_found if isinstance(extent_found, tuple) else (), bind, cpu,
        bool(found.get("has_data")),
    )  # fmt: skip


def _take_extent(text: str, found: dict[str, int | str | tuple[int, ...] | bool]) -> tuple[str, bool]:
    """Take the resource type and its size out of a phrase."""
    taken = False
    if match := _BYTES.search(text):
        found["dimension"], found["extent"], taken = "buffer", (int(match[1]),), True
        text = text.replace(match[0], "")
    if match := _EXTENT.search(text):
        found["dimension"] = f"texture{match[1]}d"
        if match[2]:
            found["extent"] = tuple(int(number) for number in re.findall(r"\d+", match[2]))
        text, taken = text.replace(match[0], ""), True
    elif re.search(r"\bbuffer\b", text):
        found["dimension"], taken = "buffer", True
        text = re.sub(r"\bbuffer\b", "", text)
    return text, taken


def _binds(names: list[str], _has_extent: bool, phrase: str) -> int:
    value = 0
    for name in names:
        if name in ("|", "+"):
            continue
        if name not in BindFlag.__members__:
            raise NotUnderstood(f"resource: {phrase}")
        value |= BindFlag[name]
    return int(value)


def _only_dimension(bind: int) -> str:
    """Return the resource type if the bind flags leave but one."""
    possible: set[str] = {"buffer", "texture1d", "texture2d", "texture3d"}
    for row in bind_flags():
        if bind & row.value:
            possible &= row.dimensions
    return next(iter(possible)) if len(possible) == 1 else ""


_SIZE = re.compile(r"(NULL data, )?(?:size ?([-+*/]) ?(\d+)|(exact size|size)|size (\d+))")


def stated_size(phrase: str, exact: int) -> tuple[int, bool]:
    """Return (bytes, whether there is data) of a phrase such as ``NULL data, size 0`` or ``size*2``.

    Args:
        phrase: The words.
        exact: Bytes of the structure, for which ``size`` stands.

    Raises:
        NotUnderstood: Other words.
    """
    match = _SIZE.fullmatch(phrase.strip())
    if match is None:
        raise NotUnderstood(f"data: {phrase}")
    has_data = match[1] is None
    if match[4]:
        return exact, has_data
    if match[5]:
        return int(match[5]), has_data
    amount = int(match[3])
    if match[2] == "/" and not amount:
        raise NotUnderstood(f"data: {phrase}")
    changed: Mapping[str, int] = {
        "-": exact - amount, "+": exact + amount, "*": exact * amount, "/": exact // (amount or 1),
    }  # fmt: skip
    return changed[match[2]], has_data
