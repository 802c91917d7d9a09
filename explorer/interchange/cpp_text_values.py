"""What an expression of C++ text stands for. Nothing is executed: constants are folded, the rest stays a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from explorer.errors import InputError
from explorer.interchange.cpp_text_types import BESIDES, NEEDED, Helper, lacks_member, members_of, options_of


@dataclass(slots=True)
class Number:
    """A number, or TRUE and FALSE."""

    value: int | float
    line: int


@dataclass(slots=True)
class Constant:
    """A constant of an API, or several joined by ``|``; parts may be numbers."""

    parts: tuple[str | int, ...]
    line: int


@dataclass(slots=True)
class Null:
    """A null pointer, as it was spelled."""

    spelling: str
    line: int


@dataclass(slots=True)
class Unknown:
    """A thing that the text does not explain: an object, a function's result."""

    text: str
    line: int


@dataclass(slots=True)
class Braces:
    """A list in braces whose structure is not known yet: (designator or empty, value)."""

    items: list[tuple[str, Value]]
    line: int


@dataclass(slots=True)
class Structure:
    """A structure: what was said of its members.

    Attributes:
        name: C++ name; empty for one inside another.
        kind: Its dataclass.
        members: Member → value.
        zeroed: Whether members that nothing was said of are zero, not undefined.
        line: Where it was declared.
    """

    name: str
    kind: type
    members: dict[str, Value]
    zeroed: bool
    line: int


@dataclass(slots=True)
class Address:
    """``&`` of something."""

    of: Value
    line: int


@dataclass(slots=True)
class Call:
    """A call: of a method (``this`` is not empty), a function, a helper or a constructor."""

    name: str
    arguments: list[Value]
    line: int
    this: str = ""


Value = Number | Constant | Null | Unknown | Braces | Structure | Address | Call


@dataclass(slots=True)
class Meaning:
    """What a text says.

    Attributes:
        variables: Name → value, at the end of the text.
        types: Name → declared type.
        calls: The creation calls, arguments as they were at that moment.
        loose: Structures that no variable holds.
        aliases: Variable → name of the object, out of comments.
        words: All names in the text.
    """

    variables: dict[str, Value] = field(default_factory=dict[str, "Value"])
    types: dict[str, str] = field(default_factory=dict[str, str])
    calls: list[Call] = field(default_factory=list[Call])
    loose: list[Structure] = field(default_factory=list[Structure])
    aliases: Mapping[str, str] = field(default_factory=dict[str, str])
    words: frozenset[str] = frozenset()


def are_alike(one: type, other: type) -> bool:
    """Return whether two dataclasses stand for the same structure (``DXGI_SAMPLE_DESC`` has one for each API)."""
    if one.__name__ == other.__name__:
        return True
    samples = ("SampleDesc", "DXGI_SAMPLE_DESC")
    return one.__name__ in samples and other.__name__ in samples


def structured(name: str, kind: type, value: Value | None, line: int) -> Structure:
    """Return a structure with an initialiser: braces, a structure, or nothing (its members are undefined then)."""
    if isinstance(value, Structure) and are_alike(value.kind, kind):
        return value
    if value is None:
        return Structure(name, kind, {}, False, line)
    if not isinstance(value, Braces):
        raise InputError(
            f"no value of {name or kind.__name__}", line=line, found=shown(value), accepted=("{ … }", "a helper")
        )
    made = Structure(name, kind, {}, True, line)
    if value.items and value.items[0][0]:
        for designator, item in value.items:
            assign(made, designator.split("."), item, item.line)
        return made
    rest = _fill(made, [item for _, item in value.items])
    if rest:
        raise InputError(
            f"too many values for {name or kind.__name__}", line=rest[0].line, found=shown(rest[0]),
            accepted=tuple(_layout(made)),
        )  # fmt: skip
    return made


def _layout(made: Structure) -> list[str]:
    """Return the members in the order of C++; a union counts as its first member."""
    found: list[str] = []
    for member in members_of(made.kind):
        beside, before = BESIDES.get(made.kind.__name__, ("", ""))
        if member.name == before:
            found.append(beside)
        if lacks_member(made.name, made.kind, member.name):
            continue
        found.append(member.name)
        if member.optional:
            break
    return found


def _fill(made: Structure, items: list[Value]) -> list[Value]:
    """Give the members their values by position and return what is left over; inner braces may be left out."""
    rest = list(items)
    inner = {member.name: member.inner for member in members_of(made.kind)}
    for name in _layout(made):
        if not rest:
            break
        kind = inner.get(name)
        if kind is not None and isinstance(rest[0], Number | Constant):
            part = Structure("", kind, {}, True, made.line)
            rest = _fill(part, rest)
            made.members[name] = part
        else:
            made.members[name] = rest.pop(0)
    return rest


def assign(to: Structure, path: list[str], value: Value, line: int) -> None:
    """Set a member of a structure; the path may end in ``[n]`` parts of an array.

    Raises:
        InputError: No such member; names the line and the members.
    """
    name, *rest = path
    members = {member.name: member for member in members_of(to.kind)}
    beside = BESIDES.get(to.kind.__name__, ("", ""))[0]
    if (name not in members and name != beside) or lacks_member(to.name, to.kind, name):
        accepted = tuple(part for part in members if not lacks_member(to.name, to.kind, part))
        raise InputError(
            f"no member of {to.name or to.kind.__name__}", line=line, where=name, found=name, accepted=accepted
        )
    if not rest:
        to.members[name] = value
        return
    if rest[0].isdecimal():
        _assign_item(to, name, int(rest[0]), value, line)
        return
    kind = members[name].inner if name in members else None
    if kind is None:
        raise InputError("not a structure", line=line, where=name, found=".".join(path), accepted=(name,))
    inside = to.members.get(name)
    if not isinstance(inside, Structure):
        inside = structured("", kind, inside, line) if inside is not None else Structure("", kind, {}, to.zeroed, line)
        to.members[name] = inside
    assign(inside, rest, value, line)


def _assign_item(to: Structure, name: str, index: int, value: Value, line: int) -> None:
    items = to.members.get(name)
    if not isinstance(items, Braces):
        items = Braces([], line)
        to.members[name] = items
    if index >= 16:
        raise InputError("no item of this array", line=line, where=name, found=index, accepted=("0 … 15",))
    while len(items.items) <= index:
        items.items.append(("", Number(0, line)))
    items.items[index] = ("", value)


def helped(call: Call, overloads: tuple[Helper, ...], kinds: Mapping[str, type]) -> Structure:
    """Return the structure that a helper makes.

    Raises:
        InputError: Too few or too many arguments; names the line and the parameters.
    """
    helper = _overload(call, overloads)
    needed = sum(default is NEEDED for _, default in helper.parameters)
    if not needed <= len(call.arguments) <= len(helper.parameters):
        raise InputError(
            f"{call.name} takes {needed} to {len(helper.parameters)} arguments", line=call.line,
            found=f"{len(call.arguments)} arguments", accepted=tuple(path for path, _ in helper.parameters),
        )  # fmt: skip
    name = helper.structure + ("1" if "_DESC1" in call.name else "")
    made = Structure(name, kinds[name], {}, True, call.line)
    for path, fixed in helper.fixed:
        assign(made, path.split("."), _plain(fixed, call.line), call.line)
    for index, (path, default) in enumerate(helper.parameters):
        given = call.arguments[index] if index < len(call.arguments) else _plain(default, call.line)
        assign(made, path.split("."), given.of if isinstance(given, Address) else given, call.line)
    return made


def _overload(call: Call, overloads: tuple[Helper, ...]) -> Helper:
    """Choose by what C++ would choose by: the type of the argument that tells the overloads apart."""
    given = call.arguments
    if call.name == "CD3DX12_HEAP_PROPERTIES" and given and _starts(given[0], "D3D12_CPU_PAGE_PROPERTY"):
        return overloads[1]
    if call.name == "CD3DX12_HEAP_DESC" and len(given) > 1 and isinstance(given[1], Constant):
        return overloads[1]
    if call.name == "CD3DX12_CLEAR_VALUE" and len(given) == 3:
        return overloads[1]
    return overloads[0]


def _starts(value: Value, prefix: str) -> bool:
    return isinstance(value, Constant) and str(value.parts[0]).startswith(prefix)


def _plain(value: object, line: int) -> Value:
    return Constant((value,), line) if isinstance(value, str) else Number(value if isinstance(value, int) else 0, line)


def shown(value: Value) -> str:
    """Return a value for a message."""
    match value:
        case Number():
            return str(value.value)
        case Constant():
            return " | ".join(str(part) for part in value.parts)
        case Null():
            return value.spelling
        case Unknown():
            return value.text
        case Address():
            return f"&{shown(value.of)}"
        case Call():
            return f"{value.name}(…)"
        case Structure():
            return value.name or value.kind.__name__
        case Braces():
            return "{ … }"


def is_array(kind: object) -> bool:
    """Return whether an annotation is a list."""
    import typing

    return any(typing.get_origin(option) is tuple for option in options_of(kind)[0])
