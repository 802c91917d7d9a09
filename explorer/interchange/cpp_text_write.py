"""Writes the C++ that makes a call: descriptions member by member, then the call."""

from __future__ import annotations

import enum
import json
import keyword
import math
import re
import typing
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any, cast

from explorer.core.calls import CallRecord, call_spec
from explorer.core.schema import ApiEnum, ApiFlags, constants_of, encode
from explorer.interchange.cpp_text_read import UNNAMED
from explorer.interchange.cpp_text_types import (
    DESC1_CALLS,
    Member,
    Parameter,
    bare,
    members_of,
    options_of,
    signature,
    structures,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_TAKEN = frozenset({
    "device", "desc", "heapProperties", "clearValue", "castableFormats", "initialData", "data", "sharedHandle",
    "userMemory", "heapOffset", "api", "nullptr", "NULL", "TRUE", "FALSE", "true", "false", "auto", "void",
    "int", "float", "double", "bool", "char", "unsigned", "signed", "long", "short", "const", "static",
    "struct", "class", "enum", "union", "namespace", "using", "template", "typename", "public", "private",
    "protected", "virtual", "new", "delete", "this", "throw", "catch", "do", "switch", "case", "default",
    "goto", "sizeof", "typedef", "operator", "friend", "inline", "extern", "volatile", "mutable", "register",
    "export", "constexpr", "memset", "ZeroMemory", "presentParameters", "descriptorHeapDesc",
})  # fmt: skip
_VARIABLES = {
    "pDesc": "desc", "pHeapProperties": "heapProperties", "pOptimizedClearValue": "clearValue",
    "pDescriptorHeapDesc": "descriptorHeapDesc", "pPresentationParameters": "presentParameters",
    "pCastableFormats": "castableFormats",
}  # fmt: skip
_CASTS = {"D3DFMT_": "D3DFORMAT"}


class Writer:
    """Writes one record.

    Args:
        record: A creation call whose input is in canonical form (as ``make_record`` makes it).
    """

    def __init__(self, record: CallRecord) -> None:
        self._record = record
        self._lines: list[str] = []
        self._aliases: dict[str, str] = {}
        self._used: dict[str, str] = {}

    def text(self) -> str:
        """Return the C++, with a line feed at its end."""
        record = self._record
        input_type = call_spec(record.api, record.call).input_type
        members = {member.name: member for member in members_of(input_type)}
        arguments = [self._argument(parameter, members) for parameter in signature(record.call)]
        call = f"device->{record.call}({', '.join(arguments)});"
        if len(call) > 110:
            call = f"device->{record.call}(\n    " + ",\n    ".join(arguments) + ");"
        head = [f"// api: {json.dumps(record.api)}"]
        head += [f"// {variable}: {json.dumps(name)}" for variable, name in self._aliases.items()]
        return "\n".join([*head, *self._lines, f"HRESULT hr = {call}", ""])

    # -- parameters

    def _argument(self, parameter: Parameter, members: Mapping[str, Member]) -> str:
        name = parameter.name
        member = members.get(name)
        given = self._record.inputs.get(name)
        match parameter.role:
            case "ignored":
                return "window" if name == "hFocusWindow" else "nullptr"
            case "out" | "iid":
                return self._out(parameter, given)
            case "count":
                castable = self._record.inputs.get("pCastableFormats")
                return str(len(cast("Sequence[object]", castable))) if castable else "0"
            case "shared":
                return self._shared(given)
            case "data":
                return self._data(given)
            case _:
                assert member is not None
                return self._value(parameter.role, member, given)

    def _value(self, role: str, member: Member, given: object) -> str:
        if role == "object":
            return self._variable(str(given))
        if role == "array":
            return self._formats(member, given)
        if role == "pointer":
            if given is None and member.optional:
                return "nullptr"
            values = cast("Mapping[str, object]", given if given is not None else {})
            return f"&{self._structure(member, values)}"
        if member.name == "HeapOffset" and given is None:
            self._lines.append("UINT64 heapOffset = allocator.Allocate();  // the heap's allocator chooses")
            return "heapOffset"
        value = given if given is not None else self._default(member.name)
        return self._scalar(value, member.kind)

    def _default(self, name: str) -> object:
        import dataclasses

        field = next(
            field for field in dataclasses.fields(call_spec(self._record.api, self._record.call).input_type)
            if field.name == name
        )  # fmt: skip
        return encode(field.default)

    def _out(self, parameter: Parameter, given: object) -> str:
        name = self._record.out
        if given is False:
            if name is not None:
                self._aliases["nullptr"] = name
            return "IID_PPV_ARGS(nullptr)" if parameter.role == "iid" else "nullptr"
        variable = self._variable(name) if name is not None else UNNAMED
        return f"IID_PPV_ARGS(&{variable})" if parameter.role == "iid" else f"&{variable}"

    def _variable(self, name: str) -> str:
        """Return the C++ variable of an object; a comment keeps a name that is no identifier."""
        is_plain = _NAME.fullmatch(name) and name not in _TAKEN and name != UNNAMED and not keyword.iskeyword(name)
        if is_plain and self._used.get(name, name) == name and not _looks_like_api(name):
            self._used[name] = name
            return name
        base = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_") or "object"
        base = f"o_{base}" if not base[0].isalpha() or base in _TAKEN or _looks_like_api(base) else base
        variable, number = base, 1
        while self._used.get(variable, name) != name or variable in (*_TAKEN, UNNAMED):
            number += 1
            variable = f"{base}_{number}"
        self._used[variable] = name
        if variable != name:
            self._aliases[variable] = name
        return variable

    def _shared(self, given: object) -> str:
        if given is None:
            return "nullptr"
        if given == "shared":
            self._lines.append("HANDLE sharedHandle = nullptr;")
            return "&sharedHandle"
        self._lines.append("void* userMemory;  // points to the application's texels")
        return "&userMemory"

    def _data(self, given: object) -> str:
        if given is None or given is False:
            return "nullptr" if given is None else "NULL"
        if given is True:
            return "initialData"
        name = "D3D10_SUBRESOURCE_DATA" if self._record.api.startswith("d3d10") else "D3D11_SUBRESOURCE_DATA"
        if not isinstance(given, list | tuple):
            self._lines.append(f"{name} initialData = {_data_item(given)};")
            return "&initialData"
        rows = ", ".join(_data_item(item) for item in cast("Sequence[object]", given))
        self._lines.append(f"{name} initialData[] = {{ {rows} }};" if rows else f"{name} initialData[] = {{}};")
        return "initialData"

    def _formats(self, member: Member, given: object) -> str:
        items = cast("Sequence[object]", given or ())
        if not items:
            return "nullptr"
        kind = options_of(member.kind)[0][0]
        rows = ", ".join(self._scalar(item, typing.get_args(kind)[0]) for item in items)
        self._lines.append(f"DXGI_FORMAT castableFormats[] = {{ {rows} }};")
        return "castableFormats"

    # -- structures

    def _structure(self, member: Member, values: Mapping[str, object]) -> str:
        kinds = [part for part in options_of(member.kind)[0] if isinstance(part, type) and is_dataclass(part)]
        kind = next((one for one in kinds if self._fits(one, values)), kinds[0])
        variable = _VARIABLES.get(member.name, "desc")
        self._lines.append(f"{self._type_of(kind)} {variable} = {{}};")
        self._members(variable, kind, values)
        return variable

    def _fits(self, kind: type, values: Mapping[str, object]) -> bool:
        from explorer.core.schema import decode
        from explorer.errors import CallError

        if len(self._record.api) > 3 and not kind.__name__.startswith(("D3D10_", "D3D11_", "XG_")):
            return True
        try:
            decode(values, kind)
        except CallError:
            return False
        return True

    def _type_of(self, kind: type) -> str:
        if kind.__name__ == "ResourceDesc":
            desc = cast("Mapping[str, object]", self._record.inputs["pDesc"])
            takes_more = self._record.call in DESC1_CALLS or "SamplerFeedbackMipRegion" in desc
            return "D3D12_RESOURCE_DESC1" if takes_more else "D3D12_RESOURCE_DESC"
        return next((name for name, known in structures().items() if known is kind), kind.__name__)

    def _members(self, path: str, kind: type, values: Mapping[str, object]) -> None:
        """Assign every member that is not zero."""
        whole = _with_defaults(kind, values)
        for member in members_of(kind):
            value = whole.get(member.name)
            if value is None:
                continue
            at = f"{path}.{member.name}"
            if member.inner is not None:
                self._inner(at, member, cast("Mapping[str, object]", value))
            elif isinstance(value, list | tuple) and not _is_flags(member.kind):
                items = cast("Sequence[object]", value)
                self._lines += [f"{at}[{index}] = {_number(item)};" for index, item in enumerate(items)]
            elif not _is_zero(cast("object", value), member.kind):
                self._lines.append(f"{at} = {self._scalar(cast('object', value), member.kind)};")

    def _inner(self, at: str, member: Member, value: Mapping[str, object]) -> None:
        assert member.inner is not None
        before = len(self._lines)
        self._members(at, member.inner, value)
        if member.optional and len(self._lines) == before:
            # A member of a union that is all zero must be chosen nevertheless.
            self._lines.append(f"{at} = {{}};")

    def _scalar(self, value: object, kind: Any) -> str:
        options = [bare(option) for option in options_of(kind)[0]]
        constants = next((one for one in options if isinstance(one, type) and issubclass(one, enum.IntEnum)), None)
        flags = next((one for one in options if isinstance(one, type) and issubclass(one, enum.IntFlag)), None)
        if flags is not None and isinstance(value, list | tuple):
            return _flags(cast("Sequence[object]", value), flags)
        if constants is not None and isinstance(value, int):
            prefix = constants.prefix() if issubclass(constants, ApiEnum) else ""
            return f"({_CASTS.get(prefix, prefix.rstrip('_'))})0x{value:X}"
        return _number(value)


def _looks_like_api(name: str) -> bool:
    from explorer.interchange.cpp_text_expressions import is_known_word

    return is_known_word(name)


def _flags(value: Sequence[object], kind: type[enum.IntFlag]) -> str:
    prefix = kind.prefix() if issubclass(kind, ApiFlags) else ""
    if not value:
        return next((name for name, number in constants_of(kind).items() if number == 0), "0")
    parts: list[str] = []
    for part in value:
        number = f"0x{part:X}" if isinstance(part, int) else str(part)
        is_bare = isinstance(part, int) and prefix.startswith("D3D12_")
        parts.append(f"({prefix.rstrip('_')}S){number}" if is_bare else number)
    return " | ".join(parts)


def _number(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        if math.isinf(value):
            return "INFINITY" if value > 0 else "-INFINITY"
        text = repr(value)
        return f"{text}f" if "." in text or "e" in text else f"{text}.0f"
    return str(value)


def _data_item(item: object) -> str:
    values = cast("Mapping[str, object]", item)
    pointer = "nullptr" if values.get("pSysMem") is False else "data"
    return f"{{ {pointer}, {values.get('SysMemPitch', 0)}, {values.get('SysMemSlicePitch', 0)} }}"


def _is_flags(kind: Any) -> bool:
    return any(isinstance(bare(one), type) and issubclass(bare(one), enum.IntFlag) for one in options_of(kind)[0])


def _is_zero(value: object, kind: Any) -> bool:
    if isinstance(value, list | tuple):
        return not value
    if isinstance(value, str):
        for option in options_of(kind)[0]:
            known = bare(option)
            if isinstance(known, type) and issubclass(known, enum.IntEnum):
                return constants_of(known).get(value) == 0
        return False
    # Minus zero is another float.
    return value == 0 and not (isinstance(value, float) and math.copysign(1, value) < 0)


def _with_defaults(kind: type, values: Mapping[str, object]) -> dict[str, object]:
    """Return the members with those at their default, which a record leaves out but C++ would make zero."""
    import dataclasses

    whole: dict[str, object] = {}
    for field, member in zip(dataclasses.fields(kind), members_of(kind), strict=True):
        if member.name in values:
            whole[member.name] = values[member.name]
        elif field.default is not dataclasses.MISSING and field.default is not None:
            whole[member.name] = encode(field.default)
        elif field.default_factory is not dataclasses.MISSING:
            whole[member.name] = encode(field.default_factory())
    return whole
