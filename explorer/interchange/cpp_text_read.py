"""Binds a creation call that C++ text makes to a call record."""

from __future__ import annotations

import enum
import typing
from dataclasses import is_dataclass
from typing import Any

from explorer.core.calls import CallRecord, call_spec, decode_input, make_record
from explorer.errors import CallError, InputError
from explorer.interchange.cpp_text_types import (
    Member,
    bare,
    call_of_structure,
    cpp_calls,
    lacks_member,
    members_of,
    options_of,
    signature,
)
from explorer.interchange.cpp_text_values import (
    Address,
    Braces,
    Call,
    Constant,
    Meaning,
    Null,
    Number,
    Structure,
    Unknown,
    Value,
    are_alike,
    is_array,
    shown,
    structured,
)

if typing.TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

AUTOMATIC = ("HeapOffset",)
"""Parameters that stay out of the record where the text does not know them: the heap's allocator chooses."""

UNNAMED = "unnamed"
"""The variable of an object without a name."""

_DEFAULT_API = {"d3d9": ("d3d9", "d3d9ex"), "d3d11": ("d3d11", "d3d10", "d3d10.1", "xg"), "d3d12": ("d3d12",)}


class Binder:
    """Makes the record of one call.

    Args:
        meaning: What the text says.
        api: The API where the text leaves it open.
    """

    def __init__(self, meaning: Meaning, api: str) -> None:
        self._meaning, self._api = meaning, api
        self._lines: dict[str, int] = {}

    def bind(self, call: Call) -> CallRecord:
        """Return the record of a call.

        Raises:
            InputError: An argument is missing, unknown or refused; names line, field, what was found, what is accepted.
        """
        api = self._api_of(call)
        kinds = {member.name: member for member in members_of(call_spec(api, call.name).input_type)}
        plain: dict[str, object] = {}
        out: str | None = None
        arguments = self._aligned(call)
        for parameter in signature(call.name):
            value = arguments[parameter.name]
            if parameter.role in ("out", "iid"):
                out = self._out_of(value)
                if isinstance(value, Null) and parameter.name in kinds:
                    plain[parameter.name] = False
                continue
            member = kinds.get(parameter.name)
            if member is None or self._is_automatic(parameter.name, value):
                continue
            found = self._argument(parameter.role, value, member, api)
            if found is not None:
                plain[parameter.name] = found
        return self._record(api, call, plain, out)

    def _record(self, api: str, call: Call, plain: dict[str, object], out: str | None) -> CallRecord:
        left_out = [key for key in AUTOMATIC if key not in plain and key in {p.name for p in signature(call.name)}]
        checked = CallRecord(api, call.name, {**plain, **dict.fromkeys(left_out, 0)}, out)
        try:
            record = make_record(api, call.name, decode_input(checked), out)
        except CallError as error:
            c = error.complaint
            where = (c.where or "").removeprefix("input.")
            line = self._line_of(where, call.line)
            raise InputError(c.message, line=line, where=where, found=c.found, accepted=c.accepted) from error
        kept = {key: value for key, value in record.inputs.items() if key not in left_out}
        return CallRecord(api, call.name, kept, out)

    def _line_of(self, where: str, line: int) -> int:
        while where and where not in self._lines:
            where = where.rpartition(".")[0]
        return self._lines.get(where, line)

    # -- the API

    def _api_of(self, call: Call) -> str:
        apis = [api for api, name in cpp_calls() if name == call.name]
        stated = self._meaning.aliases.get("api")
        if stated in apis:
            return str(stated)
        words = " ".join([*self._meaning.words, *self._meaning.types.values()])
        hints = {"XG_": ["xg"], "D3D10_": ["d3d10", "d3d10.1"], "D3D11_": ["d3d11"], "IDirect3DDevice9Ex": ["d3d9ex"]}
        told = next((found for mark, found in hints.items() if mark in words and set(found) & set(apis)), apis)
        if "ID3D10Device1" in words and "d3d10.1" in told:
            return "d3d10.1"
        possible = [api for api in told if api in apis]
        if self._api in possible:
            return self._api
        order = [api for family in _DEFAULT_API.values() for api in family]
        return min(possible, key=order.index)

    # -- arguments

    def _aligned(self, call: Call) -> dict[str, Value]:
        """Return parameter → argument; an interface id before an out pointer is no parameter of its own."""
        given = list(call.arguments)
        parameters = signature(call.name)
        found: dict[str, Value] = {}
        for index, parameter in enumerate(parameters):
            rest = len(parameters) - index - 1
            if parameter.role == "iid" and len(given) == rest + 2:
                given.pop(0)
            if not given:
                self._refuse_count(call, len(call.arguments))
            value = given.pop(0)
            if isinstance(value, Call) and value.name == "IID_PPV_ARGS":
                value = value.arguments[0]
            found[parameter.name] = value
        if given:
            self._refuse_count(call, len(call.arguments))
        return found

    def _refuse_count(self, call: Call, count: int) -> None:
        names = tuple(parameter.name for parameter in signature(call.name))
        raise InputError(
            f"{call.name} takes {len(names)} arguments", line=call.line, found=f"{count} arguments", accepted=names
        )

    def _out_of(self, value: Value) -> str | None:
        if isinstance(value, Null):
            return self._meaning.aliases.get("nullptr")
        of = value.of if isinstance(value, Address) else value
        name = of.text if isinstance(of, Unknown) else next(
            (key for key, known in self._meaning.variables.items() if known == of), ""
        )  # fmt: skip
        if name == UNNAMED and name not in self._meaning.aliases:
            return None
        return self._meaning.aliases.get(name, name.removeprefix("this.")) or None

    def _is_automatic(self, name: str, value: Value) -> bool:
        return name in AUTOMATIC and isinstance(value, Unknown)

    def _argument(self, role: str, value: Value, member: Member, api: str) -> object:
        if role == "shared":
            return self._shared(value)
        if role == "data":
            return self._data(value, member)
        if role == "array" and isinstance(value, Address):
            value = value.of
        return self._plain(value, member.kind, member.name)

    def _shared(self, value: Value) -> str | None:
        if isinstance(value, Null) or (isinstance(value, Number) and not value.value):
            return None
        of = value.of if isinstance(value, Address) else value
        kind = self._meaning.types.get(of.text, "") if isinstance(of, Unknown) else ""
        return "user_memory" if kind.endswith("*") else "shared"

    def _data(self, value: Value, member: Member) -> object:
        if isinstance(value, Null):
            return False if value.spelling == "NULL" else None
        of = value.of if isinstance(value, Address) else value
        options = options_of(member.kind)[0]
        one = next(option for option in options if isinstance(option, type) and is_dataclass(option))
        if isinstance(of, Structure):
            return self._structure(of, of.kind, member.name)
        if isinstance(of, Braces):
            return [self._structure(structured("", one, item, item.line), one, member.name) for _, item in of.items]
        return True

    # -- values

    def _plain(self, value: Value, kind: Any, path: str) -> object:
        options, optional = options_of(kind)
        if isinstance(value, Address) and bare(options[0]) is not bool:
            value = value.of
        self._lines[path] = value.line
        if optional and isinstance(value, Null):
            return None
        inner = self._structure_kind(options, value)
        if inner is not None:
            name = value.name if isinstance(value, Structure) else ""
            return self._structure(structured(name, inner, self._known(value, path), value.line), inner, path)
        if is_array(kind):
            return self._list(value, options, path)
        return self._scalar(value, options, path)

    def _known(self, value: Value, path: str) -> Value:
        if isinstance(value, Structure | Braces):
            return value
        raise InputError(
            "what stands here is not in the text", line=value.line, where=path, found=shown(value),
            accepted=("the description with its values", "{ … }", "a helper such as CD3DX12_RESOURCE_DESC::Buffer"),
        )  # fmt: skip

    def _structure_kind(self, options: Sequence[Any], value: Value) -> type | None:
        kinds = [option for option in options if isinstance(option, type) and is_dataclass(option)]
        if isinstance(value, Structure):
            same = [kind for kind in kinds if are_alike(kind, value.kind)]
            if kinds and not same:
                accepted = tuple(kind.__name__ for kind in kinds)
                raise InputError("another structure", line=value.line, found=shown(value), accepted=accepted)
            return same[0] if same else None
        return kinds[0] if kinds else None

    def _structure(self, value: Structure, kind: type, path: str) -> dict[str, object]:
        found: dict[str, object] = {}
        for member in members_of(kind):
            at = f"{path}.{member.name}" if path else member.name
            if member.name in value.members:
                plain = self._plain(value.members[member.name], member.kind, at)
                if plain is not None:
                    found[member.name] = plain
            elif member.optional or lacks_member(value.name, kind, member.name):
                continue
            elif not value.zeroed:
                raise InputError(
                    "a member that nothing sets", line=value.line, where=at, found="no value",
                    accepted=("= {} behind the declaration", f"an assignment to {member.name}"),
                )  # fmt: skip
            else:
                self._lines[at] = value.line
                found[member.name] = _zero(member)
        return found

    def _list(self, value: Value, options: Sequence[Any], path: str) -> object:
        if isinstance(value, Null):
            return []
        if not isinstance(value, Braces):
            value = self._known(value, path)
        assert isinstance(value, Braces)
        kind = next(option for option in options if typing.get_origin(option) is tuple)
        parts = typing.get_args(kind)
        return [self._plain(item, parts[0], f"{path}[{i}]") for i, (_, item) in enumerate(value.items)]

    def _scalar(self, value: Value, options: Sequence[Any], path: str) -> object:
        kind = bare(options[0])
        if kind is bool and path.rpartition(".")[2].startswith("p") and not isinstance(value, Number | Constant):
            # Where a pointer points to is not in the text; that it is null is.
            return not isinstance(value, Null)
        match value:
            case Number():
                return _number(value, kind)
            case Constant():
                if isinstance(kind, type) and issubclass(kind, enum.IntFlag):
                    return list(value.parts)
                if len(value.parts) == 1:
                    return value.parts[0]
            case Unknown():
                if kind is str:
                    return self._meaning.aliases.get(value.text, value.text)
            case Structure() | Braces() | Null() | Address() | Call():
                pass
        raise InputError(
            "a value that is not in the text" if isinstance(value, Unknown | Call) else "not a value of this field",
            line=value.line, where=path, found=shown(value), accepted=_accepted(kind),
        )  # fmt: skip


def _number(value: Number, kind: Any) -> object:
    if kind is bool:
        return bool(value.value)
    if kind is float:
        return float(value.value)
    number = value.value
    if isinstance(number, float):
        return int(number) if number.is_integer() else number
    # A minus one is how C++ writes all bits set.
    return int(number) & 0xFFFFFFFF if number < 0 else int(number)


def _accepted(kind: Any) -> tuple[str, ...]:
    from explorer.core.schema import describe

    return (describe(kind),)


def _zero(member: Member) -> object:
    kind = bare(options_of(member.kind)[0][0])
    if member.inner is not None:
        return {part.name: _zero(part) for part in members_of(member.inner) if not part.optional}
    if is_array(member.kind):
        return []
    if kind is bool:
        return False
    return 0.0 if kind is float else 0


def only_call(meaning: Meaning, call: str) -> Call:
    """Return the one creation call of a text, or the one that its one description is for.

    Raises:
        InputError: None, or more than one; names the line.
    """
    if len(meaning.calls) > 1:
        second = meaning.calls[1]
        raise InputError("more than one object", line=second.line, found=second.name, accepted=("one creation call",))
    if meaning.calls:
        return meaning.calls[0]
    found = {
        name: value for name, value in meaning.variables.items()
        if isinstance(value, Structure) and value.name in call_of_structure()
    }  # fmt: skip
    loose = [value for value in meaning.loose if value.name in call_of_structure()]
    descriptions = [*found.values(), *loose]
    if len(descriptions) != 1:
        lines = [one.line for one in descriptions]
        raise InputError(
            "no creation call, and not one description" if not descriptions else "more than one description",
            line=lines[1] if len(lines) > 1 else None,
            found=f"{len(descriptions)} descriptions",
            accepted=("one call such as device->CreateTexture2D(…)", "one description such as D3D12_RESOURCE_DESC"),
        )
    return _assumed(descriptions[0], meaning, call)


def _assumed(description: Structure, meaning: Meaning, call: str) -> Call:
    """Return the call that a lone description is for: defaults where the text says nothing."""
    line = description.line
    name = call_of_structure()[description.name]
    wanted = signature(call)
    if description.name.startswith("D3D12_RESOURCE_DESC") and any(one.name == "pDesc" for one in wanted):
        name = call if call != "CreateHeap" else name
    others: Mapping[str, Value] = {
        "pDesc": description, "pDescriptorHeapDesc": description,
        "pHeapProperties": _first(meaning, "D3D12_HEAP_PROPERTIES") or _default_heap(line),
        "pOptimizedClearValue": _first(meaning, "D3D12_CLEAR_VALUE") or Null("nullptr", line),
    }  # fmt: skip
    arguments: list[Value] = []
    for parameter in signature(name):
        if parameter.name in others:
            arguments.append(others[parameter.name])
        elif parameter.role in ("out", "iid"):
            arguments.append(Unknown(UNNAMED, line))
        elif parameter.role == "object":
            arguments.append(Unknown("heap", line))
        elif parameter.name in AUTOMATIC:
            arguments.append(Unknown("automatic", line))
        else:
            pointer = parameter.role in ("data", "ignored", "array")
            arguments.append(Null("nullptr", line) if pointer else Number(0, line))
    return Call(name, arguments, line)


def _first(meaning: Meaning, name: str) -> Structure | None:
    every = [value for value in meaning.variables.values() if isinstance(value, Structure) and value.name == name]
    return every[0] if every else None


def _default_heap(line: int) -> Structure:
    from explorer.core.d3d12_structs import HeapProperties

    members: dict[str, Value] = {"Type": Constant(("D3D12_HEAP_TYPE_DEFAULT",), line)}
    return Structure("D3D12_HEAP_PROPERTIES", HeapProperties, members, True, line)
