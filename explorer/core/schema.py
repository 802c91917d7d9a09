"""Strict decoding of plain data (JSON, TOML) into frozen dataclasses, and back.

The description of what is accepted is the dataclass itself: its fields are the accepted keys, its annotations the
accepted values. Every refusal names the path, what was found and what is accepted; nothing is coerced and nothing is
ignored, because a typing error in a scenario must not turn into another scenario.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, cast

from explorer.errors import CallError, InputError

T = TypeVar("T")

_WORDS: Mapping[type, str] = {int: "a whole number", bool: "true or false", str: "a text", float: "a number"}


@dataclass(frozen=True, slots=True)
class Range:
    """Bounds of an integer, both inclusive."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Length:
    """Bounds of a text's or list's length, both inclusive."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class OneOf:
    """The accepted words of a text."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Plain data with keys; what they hold is decoded later."""


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a field in data, where it cannot be the field's own name."""

    name: str


UINT = Annotated[int, Range(0, 2**32 - 1)]
UINT16 = Annotated[int, Range(0, 2**16 - 1)]
UINT64 = Annotated[int, Range(0, 2**64 - 1)]
INT = Annotated[int, Range(-(2**31), 2**31 - 1)]
ObjectName = Annotated[str, Length(1, 260)]
"""The name of an object in a call record, as its creator bound it with ``out``."""


class ApiEnum(enum.IntEnum):
    """An enumeration of an API; members drop the prefix of the official constants.

    A member whose official rest starts with a digit has an underscore in front (``_64KB_STANDARD_SWIZZLE``).
    """

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        raise TypeError(f"{cls.__name__} names no prefix")

    @property
    def constant(self) -> str:
        """The official spelling, for example ``D3D12_HEAP_TYPE_UPLOAD``."""
        return self.prefix() + _bare(self.name)


class ApiFlags(enum.IntFlag, boundary=enum.KEEP):
    """A set of bit flags of an API; members drop the prefix. Unknown bits are kept: refusing them is a rule's job."""

    @classmethod
    def prefix(cls) -> str:
        """Return what stands before the member's name in the official constant."""
        raise TypeError(f"{cls.__name__} names no prefix")

    @property
    def constants(self) -> list[str | int]:
        """The official spellings of the set bits in the order of their values; unknown bits as one number."""
        names: list[str | int] = []
        rest = int(self)
        for member in type(self):
            if int(member) & rest == int(member):
                names.append(self.prefix() + _bare(str(member.name)))
                rest &= ~int(member)
        return [*names, rest] if rest else names


def _bare(name: str) -> str:
    return name[1:] if name.startswith("_") and name[1:2].isdigit() else name


@functools.cache
def constants_of(kind: type[enum.IntEnum | enum.IntFlag]) -> Mapping[str, int]:
    """Return official constant → value, in the order of definition, aliases included."""
    prefix: str = kind.prefix() if issubclass(kind, ApiEnum | ApiFlags) else ""
    return {prefix + _bare(name): int(member) for name, member in kind.__members__.items()}


@functools.cache
def _spellings(kind: type[enum.IntEnum | enum.IntFlag]) -> Mapping[str, int]:
    prefix: str = kind.prefix() if issubclass(kind, ApiEnum | ApiFlags) else ""
    known = dict(constants_of(kind))
    known.update({name[len(prefix) :]: value for name, value in constants_of(kind).items() if len(name) > len(prefix)})
    return known


@dataclass(frozen=True, slots=True)
class _Field:
    key: str
    name: str
    kind: Any
    required: bool


@functools.cache
def _fields(kind: type) -> tuple[_Field, ...]:
    hints = typing.get_type_hints(kind, include_extras=True)
    found: list[_Field] = []
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        key = field.name
        if typing.get_origin(hint) is Annotated:
            key = next((m.name for m in typing.get_args(hint)[1:] if isinstance(m, Key)), key)
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        found.append(_Field(key, field.name, hint, required))
    return tuple(found)


def keys_of(kind: type) -> tuple[str, ...]:
    """Return the accepted keys of a dataclass, in order."""
    return tuple(field.key for field in _fields(kind))


def decode(data: object, kind: type[T], path: str = "") -> T:
    """Return ``data`` as an instance of the dataclass ``kind``.

    Args:
        data: Plain data: mappings, sequences, text, numbers, booleans, None.
        kind: A dataclass whose annotations say what is accepted.
        path: Where the data stands, for messages.

    Raises:
        CallError: Unknown or missing key, wrong type, wrong constant, out of range; names path and accepted values.
    """
    return cast("T", _decode(data, kind, path))


def _at(path: str, key: str | int) -> str:
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def _decode(data: object, kind: Any, path: str) -> object:
    origin = typing.get_origin(kind)
    if origin is Annotated:
        inner, *marks = typing.get_args(kind)
        value = _decode(data, inner, path)
        _check(value, marks, path)
        return value
    if origin is typing.Union or origin is types.UnionType:
        return _decode_union(data, typing.get_args(kind), path)
    if origin is tuple:
        return _decode_list(data, typing.get_args(kind), path)
    if kind is Any or kind is object:
        return data
    if isinstance(kind, type):
        return _decode_class(data, cast("type[Any]", kind), path)
    raise TypeError(f"no decoder for {kind!r}")


def _decode_class(data: object, kind: type[Any], path: str) -> object:
    if issubclass(kind, enum.IntFlag):
        return _decode_flags(data, kind, path)
    if issubclass(kind, enum.IntEnum):
        return _decode_enum(data, kind, path)
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(data, kind, path)
    return _decode_scalar(data, kind, path)


def _decode_scalar(data: object, kind: type[Any], path: str) -> object:
    if kind is float and isinstance(data, int | float) and not isinstance(data, bool):
        return float(data)
    if kind is int and isinstance(data, str):
        # Numbers of 2^53 and more travel as text; people write addresses in hexadecimal.
        try:
            return int(data.replace("_", ""), 0)
        except ValueError:
            raise CallError("not a whole number", where=path, found=data, accepted=(_WORDS[int],)) from None
    if type(data) is not kind:
        raise CallError("wrong type", where=path, found=data, accepted=(_WORDS.get(kind, kind.__name__),))
    return data


def _decode_union(data: object, options: Sequence[Any], path: str) -> object:
    if data is None and type(None) in options:
        return None
    rest = [option for option in options if option is not type(None)]
    refused: CallError | None = None
    for option in rest:
        try:
            return _decode(data, option, path)
        except CallError as error:
            refused = refused or error
    assert refused is not None
    raise refused


def _decode_list(data: object, items: Sequence[Any], path: str) -> tuple[object, ...]:
    if not isinstance(data, list | tuple):
        raise CallError("wrong type", where=path, found=data, accepted=("a list",))
    values = cast("Sequence[object]", data)
    if len(items) == 2 and items[1] is Ellipsis:
        return tuple(_decode(value, items[0], _at(path, index)) for index, value in enumerate(values))
    if len(values) != len(items):
        raise CallError("wrong number of items", where=path, found=len(values), accepted=(f"{len(items)} items",))
    return tuple(_decode(value, item, _at(path, i)) for i, (value, item) in enumerate(zip(values, items, strict=True)))


def _decode_enum(data: object, kind: type[enum.IntEnum], path: str) -> enum.IntEnum:
    accepted = tuple(constants_of(kind))
    if isinstance(data, str):
        value = _spellings(kind).get(data)
        if value is None:
            raise CallError("unknown constant", where=path, found=data, accepted=accepted)
        return kind(value)
    if isinstance(data, int) and not isinstance(data, bool) and data in set(constants_of(kind).values()):
        return kind(data)
    raise CallError("unknown constant", where=path, found=data, accepted=accepted)


def _decode_flags(data: object, kind: type[enum.IntFlag], path: str) -> enum.IntFlag:
    if isinstance(data, int) and not isinstance(data, bool):
        _check(data, [Range(0, 2**32 - 1)], path)
        return kind(data)
    if isinstance(data, str):
        data = [part.strip() for part in data.split("|") if part.strip()]
    if not isinstance(data, list | tuple):
        raise CallError("wrong type", where=path, found=data, accepted=("a list of constants", "a whole number"))
    value = 0
    for index, part in enumerate(cast("Sequence[object]", data)):
        if isinstance(part, int) and not isinstance(part, bool):
            _check(part, [Range(0, 2**32 - 1)], _at(path, index))
            value |= part
            continue
        known = _spellings(kind).get(part) if isinstance(part, str) else None
        if known is None:
            raise CallError("unknown constant", where=_at(path, index), found=part, accepted=tuple(constants_of(kind)))
        value |= known
    return kind(value)


def _decode_dataclass(data: object, kind: type[Any], path: str) -> object:
    fields = _fields(kind)
    if isinstance(data, kind):
        return data
    if not isinstance(data, Mapping):
        raise CallError("wrong type", where=path, found=data, accepted=tuple(field.key for field in fields))
    values = cast("Mapping[str, object]", data)
    keys = {field.key for field in fields}
    for key in values:
        if key not in keys:
            accepted = tuple(field.key for field in fields)
            raise CallError("unknown key", where=_at(path, str(key)), found=str(key), accepted=accepted)
    arguments: dict[str, object] = {}
    for field in fields:
        if field.key in values:
            arguments[field.name] = _decode(values[field.key], field.kind, _at(path, field.key))
        elif field.required:
            raise CallError("missing key", where=_at(path, field.key), accepted=(describe(field.kind),))
    try:
        return kind(**arguments)
    except InputError as error:
        c = error.complaint
        where = _at(path, c.where) if c.where else path
        raise CallError(c.message, where=where, found=c.found, accepted=c.accepted) from error


def _check(value: object, marks: Sequence[object], path: str) -> None:
    for mark in marks:
        if isinstance(mark, Range) and isinstance(value, int) and not mark.low <= value <= mark.high:
            raise CallError("out of range", where=path, found=value, accepted=(f"{mark.low} … {mark.high}",))
        if isinstance(mark, Length) and isinstance(value, str | tuple):
            size = len(cast("Sequence[object]", value))
            if not mark.low <= size <= mark.high:
                raise CallError("wrong length", where=path, found=size, accepted=(f"{mark.low} … {mark.high}",))
        if isinstance(mark, Table) and not isinstance(value, Mapping):
            raise CallError("wrong type", where=path, found=repr(cast("object", value)), accepted=("a table",))
        if isinstance(mark, OneOf) and isinstance(value, str) and value not in mark.words:
            raise CallError("unknown value", where=path, found=value, accepted=mark.words)


def describe(kind: Any) -> str:
    """Return in words what a field accepts."""
    origin = typing.get_origin(kind)
    if origin is Annotated:
        inner, *marks = typing.get_args(kind)
        for mark in marks:
            if isinstance(mark, Range):
                return f"a whole number {mark.low} … {mark.high}"
            if isinstance(mark, OneOf):
                return " | ".join(mark.words)
        return describe(inner)
    if origin is typing.Union or origin is types.UnionType:
        return " or ".join("null" if option is type(None) else describe(option) for option in typing.get_args(kind))
    if origin is tuple:
        return f"a list of {describe(typing.get_args(kind)[0])}"
    if not isinstance(kind, type):
        return str(kind)
    named = cast("type[Any]", kind)
    if issubclass(named, enum.IntEnum | enum.IntFlag):
        return f"a constant such as {next(iter(constants_of(named)), '')}"
    return _WORDS.get(named, named.__name__)


def encode(value: object) -> object:
    """Return ``value`` as plain data that ``decode`` reads back to an equal value.

    Constants become their official spellings, fields at their default stay out.
    """
    if isinstance(value, ApiFlags):
        return value.constants
    if isinstance(value, ApiEnum):
        return value.constant
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _encode_dataclass(cast("Any", value))
    if isinstance(value, tuple | list):
        return [encode(item) for item in cast("Sequence[object]", value)]
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, enum.Enum):
        return value.value
    return value


def _encode_dataclass(value: Any) -> dict[str, object]:
    defaults = {field.name: field for field in dataclasses.fields(value)}
    data: dict[str, object] = {}
    for field in _fields(cast("type[Any]", type(value))):
        item = getattr(value, field.name)
        default = defaults[field.name]
        if not field.required:
            factory = default.default_factory
            plain: object = default.default if factory is dataclasses.MISSING else factory()
            if item == plain:
                continue
        data[field.key] = encode(item)
    return data
