"""Expressions of C++ text: constants are folded, helpers filled in, creation calls noted, all else stays a name."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, NoReturn

from explorer.errors import InputError
from explorer.interchange.cpp_text_tokens import Token, number_of
from explorer.interchange.cpp_text_types import helpers_of, signature, structures
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
    helped,
    shown,
    structured,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DEPTH = 16
_BITS = 2**64 - 1
_SCALARS = frozenset({
    "UINT", "UINT8", "UINT16", "UINT32", "UINT64", "INT", "INT32", "INT64", "BYTE", "WORD", "DWORD", "FLOAT",
    "BOOL", "SIZE_T", "LONG", "ULONG", "HRESULT", "void", "bool", "char", "int", "unsigned", "short", "long",
    "float", "double", "size_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "int32_t", "int64_t",
    "std::size_t", "std::uint32_t", "std::uint64_t", "HANDLE", "HWND", "LPVOID",
})  # fmt: skip
_NUMBERS: Mapping[str, int | float] = {
    "TRUE": True, "FALSE": False, "true": True, "false": False, "UINT_MAX": 2**32 - 1, "UINT32_MAX": 2**32 - 1,
    "UINT64_MAX": 2**64 - 1, "SIZE_MAX": 2**64 - 1, "INFINITY": float("inf"), "D3D11_APPEND_ALIGNED_ELEMENT": 2**32 - 1,
    "D3DFVF_XYZ": 0x002, "D3DFVF_XYZRHW": 0x004, "D3DFVF_XYZW": 0x4002, "D3DFVF_NORMAL": 0x010, "D3DFVF_PSIZE": 0x020,
    "D3DFVF_DIFFUSE": 0x040, "D3DFVF_SPECULAR": 0x080, "D3DFVF_TEX0": 0x000, "D3DFVF_TEX1": 0x100,
    "D3DFVF_TEX2": 0x200, "D3DFVF_TEX3": 0x300, "D3DFVF_TEX4": 0x400, "D3DADAPTER_DEFAULT": 0,
    "D3DSBT_ALL": 1, "D3DSBT_PIXELSTATE": 2, "D3DSBT_VERTEXSTATE": 3, "D3DPRESENT_INTERVAL_DEFAULT": 0,
    "D3DPRESENT_INTERVAL_ONE": 1, "D3DPRESENT_INTERVAL_IMMEDIATE": 0x80000000, "D3DPRESENT_RATE_DEFAULT": 0,
}  # fmt: skip
"""Names that stand for numbers. Source: MicrosoftDocs/win32 d3dfvf.md, d3dpresent.md; d3d9types.h."""

_NULLS = frozenset({"nullptr", "NULL"})
_SAME = frozenset({"Get", "get", "GetAddressOf", "ReleaseAndGetAddressOf", "put", "Put", "p", "std::move"})
_ZEROING = frozenset({"ZeroMemory", "SecureZeroMemory", "RtlZeroMemory", "memset", "std::memset"})
_CHOICES: Mapping[str, Callable[[list[int | float]], int | float]] = {
    "std::max": max, "std::min": min, "max": max, "min": min,
}  # fmt: skip
_SIZES: Mapping[str, int] = {
    "char": 1, "BYTE": 1, "UINT8": 1, "uint8_t": 1, "UINT16": 2, "uint16_t": 2, "WORD": 2, "short": 2, "int": 4,
    "UINT": 4, "INT": 4, "DWORD": 4, "UINT32": 4, "uint32_t": 4, "int32_t": 4, "float": 4, "FLOAT": 4, "double": 8,
    "UINT64": 8, "uint64_t": 8, "XMFLOAT2": 8, "XMFLOAT3": 12, "XMFLOAT4": 16, "XMFLOAT3X3": 36, "XMFLOAT4X4": 64,
    "XMMATRIX": 64, "XMVECTOR": 16,
}  # fmt: skip
"""Bytes of types that everyone has. Source: MicrosoftDocs/sdk-api windows data types, directxmath."""

_LEVELS: tuple[tuple[str, ...], ...] = (
    ("?",), ("||",), ("&&",), ("==", "!=", "<", ">", "<=", ">="), ("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip
_FOLDED: Mapping[str, Callable[[int, int], int]] = {
    "^": int.__xor__, "&": int.__and__, "+": int.__add__, "-": int.__sub__, "*": int.__mul__,
}  # fmt: skip


def is_type_name(name: str) -> bool:
    """Return whether a name in parentheses is a cast."""
    return name in _SCALARS or (name.startswith(("D3D", "DXGI_")) and not _is_member_like(name))


def is_known_word(name: str) -> bool:
    """Return whether a name means something already, so that no object can have it."""
    words = (_NUMBERS, _NULLS, _SCALARS, _ZEROING, structures())
    if any(name in known for known in words) or name.startswith(("D3D", "DXGI_", "XG_", "CD3D", "MAKEFOURCC", "IID_")):
        return True
    return bool(signature(name)) or name.endswith("_cast")


def _is_member_like(name: str) -> bool:
    from explorer.interchange.cpp_text_names import is_constant

    return is_constant(name)


class Expressions:
    """Reads expressions out of tokens.

    Args:
        tokens: The text; the last one is ``end``.
        meaning: Where variables are looked up and calls noted.
    """

    def __init__(self, tokens: list[Token], meaning: Meaning) -> None:
        self.tokens, self.meaning = tokens, meaning
        self.at = 0
        self.last_path: list[str] = []
        self._depth = 0

    @property
    def now(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    def is_at(self, *marks: str) -> bool:
        """Return whether one of these comes next; an empty one stands for the end."""
        return self.now.text in marks or ("" in marks and self.now.kind == "end")

    def peek(self, ahead: int) -> Token:
        """Return a later token."""
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def step(self) -> Token:
        """Take the next token."""
        token = self.now
        if token.kind != "end":
            self.at += 1
        return token

    def expect(self, mark: str) -> None:
        """Take this mark.

        Raises:
            InputError: Something else stands there.
        """
        if self.now.text != mark:
            self.refuse(f"no {mark}", (mark,))
        self.step()

    def refuse(self, message: str, accepted: tuple[str, ...], token: Token | None = None) -> NoReturn:
        """Raise an error at a token."""
        token = token or self.now
        raise InputError(message, line=token.line, found=token.text, accepted=accepted)

    def is_variable(self, value: Value) -> bool:
        """Return whether a value is that of a variable."""
        return any(value is known for known in self.meaning.variables.values())

    def value_or_braces(self) -> Value:
        """Read what may stand behind ``=`` or as an argument."""
        return self.braces() if self.now.text == "{" else self.expression()

    def expression(self, level: int = 0) -> Value:
        """Read an expression."""
        self._depth += 1
        if self._depth > _DEPTH * len(_LEVELS):
            self.refuse("nested too deep", (f"at most {_DEPTH} levels",))
        try:
            return self._binary(level)
        finally:
            self._depth -= 1

    def _binary(self, level: int) -> Value:
        if level == len(_LEVELS):
            return self._unary()
        left = self.expression(level + 1)
        while self.now.text in _LEVELS[level] and self.now.kind == "mark":
            mark = self.step()
            if mark.text == "?":
                self.expression()
                self.expect(":")
                self.expression()
                left = Unknown("a choice at run time", mark.line)
                continue
            right = self.expression(level + 1)
            left = self._folded(mark, left, right)
        return left

    def _folded(self, mark: Token, left: Value, right: Value) -> Value:
        if mark.text == "|":
            return self._joined(left, right, mark.line)
        if not isinstance(left, Number) or not isinstance(right, Number) or mark.text in ("||", "&&", *_LEVELS[3]):
            return Unknown(f"{shown(left)} {mark.text} {shown(right)}", mark.line)
        one, two = left.value, right.value
        if isinstance(one, float) or isinstance(two, float):
            return Unknown(f"{one} {mark.text} {two}", mark.line)
        if mark.text in ("/", "%"):
            if two == 0:
                self.refuse("division by zero", ("a divisor above 0",), mark)
            value = one // two if mark.text == "/" else one % two
        elif mark.text in ("<<", ">>"):
            if not 0 <= two < 64:
                self.refuse("shift out of range", ("0 … 63",), mark)
            value = one << two if mark.text == "<<" else one >> two
        else:
            value = _FOLDED[mark.text](int(one), int(two))
        if not -(2**63) <= value <= _BITS:
            self.refuse("beyond 64 bits", ("0 … 2^64 - 1",), mark)
        return Number(value, mark.line)

    def _joined(self, left: Value, right: Value, line: int) -> Value:
        if isinstance(left, Number) and isinstance(right, Number):
            return Number(int(left.value) | int(right.value), line)
        parts: list[str | int] = []
        for one in (left, right):
            if isinstance(one, Constant):
                parts.extend(one.parts)
            elif isinstance(one, Number):
                parts.append(int(one.value))
            else:
                return Unknown("flags that are not in the text", line)
        return Constant(tuple(parts), line)

    def _unary(self) -> Value:
        token = self.now
        if token.text == "&":
            self.step()
            return Address(self._unary_deeper(), token.line)
        if token.text in ("*", "!", "+"):
            self.step()
            value = self._unary_deeper()
            return value.of if token.text == "*" and isinstance(value, Address) else value
        if token.text in ("-", "~"):
            self.step()
            value = self._unary_deeper()
            if isinstance(value, Number):
                if isinstance(value.value, float):
                    return Number(-value.value, token.line)
                return Number(-int(value.value) if token.text == "-" else ~int(value.value) & 0xFFFFFFFF, token.line)
            return Unknown(f"{token.text}…", token.line)
        if token.text == "(" and self._is_cast():
            self._skip_cast()
            return self._unary_deeper()
        return self._postfix(self._primary())

    def _unary_deeper(self) -> Value:
        return self.expression(len(_LEVELS))

    def _is_cast(self) -> bool:
        at = self.at + 1
        if self.tokens[at].text == "const":
            at += 1
        name = self.tokens[at]
        if name.kind != "name":
            return False
        at += 1
        while self.tokens[at].text in ("int", "long"):
            at += 1
        pointers = 0
        while self.tokens[at].text == "*":
            pointers += 1
            at += 1
        if self.tokens[at].text != ")":
            return False
        follows = self.tokens[at + 1]
        begins = follows.kind in ("name", "number", "text", "char") or follows.text in ("(", "&", "-", "~")
        return (pointers > 0 or is_type_name(name.text)) and begins

    def _skip_cast(self) -> None:
        while self.now.text != ")":
            self.step()
        self.step()

    def _primary(self) -> Value:
        token = self.now
        self.last_path = []
        if token.kind == "number":
            self.step()
            return Number(number_of(token), token.line)
        if token.kind == "char":
            self.step()
            return Number(ord(token.text[-2]), token.line)
        if token.kind == "text":
            self.step()
            return Unknown(token.text, token.line)
        if token.text == "(":
            self.step()
            value = self.expression()
            self.expect(")")
            return value
        if token.text == "[":
            self.refuse("lambdas are not read", ("declarations, assignments and calls",))
        if token.kind != "name":
            self.refuse("not an expression", ("a number", "a constant", "a variable", "a call"))
        self.step()
        return self._named(token)

    def _named(self, token: Token) -> Value:
        name = token.text
        if name.endswith("_cast") and self.now.text == "<":
            while not self.is_at(">", ">>", ""):
                self.step()
            self.step()
            return self._primary_of_cast()
        if self.now.text == "<" and name.rsplit("::", 1)[-1] in ("ComPtr", "vector", "array", "make_unique"):
            while not self.is_at(">", ">>", ""):
                self.step()
            self.step()
        if name in _NULLS:
            return Null(name, token.line)
        if self.now.text == "(":
            arguments = self.arguments()
            inside = ", ".join(shown(argument) for argument in arguments)
            return self.constructed(name, arguments, token.line) or Unknown(f"{name}({inside})", token.line)
        if self.now.text == "{" and (name in structures() or name.startswith("CD3D") or name in _SCALARS):
            braces = self.braces()
            if name in structures():
                return structured(name, structures()[name], braces, token.line)
            items = [item for _, item in braces.items]
            return self.constructed(name, items, token.line) or Unknown(name, token.line)
        return self._looked_up(name, token.line)

    def _looked_up(self, name: str, line: int) -> Value:
        from explorer.interchange.cpp_text_names import is_constant, named_number

        self.last_path = [name]
        if name in self.meaning.variables:
            return self.meaning.variables[name]
        if name in _NUMBERS:
            return Number(_NUMBERS[name], line)
        bare = name.rsplit("::", 1)[-1]
        if is_constant(bare):
            return Constant((bare,), line)
        number = named_number(bare)
        return Number(number, line) if number is not None else Unknown(name, line)

    def _primary_of_cast(self) -> Value:
        self.expect("(")
        value = self.expression()
        self.expect(")")
        return value

    def constructed(self, name: str, arguments: list[Value], line: int) -> Value | None:
        """Return what a helper, a functional cast or a function with a known meaning makes; None for another."""
        bare = name.removeprefix("::")
        if helpers_of(bare):
            if not arguments:
                # A default constructor leaves every member undefined.
                made = helpers_of(bare)[0].structure
                return Structure(made, structures()[made], {}, False, line)
            if len(arguments) == 1 and isinstance(arguments[0], Structure) and "::" not in bare:
                return copy.deepcopy(arguments[0])
            return helped(Call(bare, arguments, line), helpers_of(bare), structures())
        if bare == "MAKEFOURCC" and len(arguments) == 4:
            letters = [one.value for one in arguments if isinstance(one, Number)]
            return Number(sum(int(value) << 8 * i for i, value in enumerate(letters)), line)
        if bare in _CHOICES and arguments and all(isinstance(one, Number) for one in arguments):
            numbers = [one.value for one in arguments if isinstance(one, Number)]
            return Number(_CHOICES[bare](numbers), line)
        if bare == "sizeof" and len(arguments) == 1 and shown(arguments[0]) in _SIZES:
            return Number(_SIZES[shown(arguments[0])], line)
        if bare == "IID_PPV_ARGS" and len(arguments) == 1:
            return Call(bare, arguments, line)
        if bare in _ZEROING and arguments:
            self._zero(arguments[0])
            return None
        if signature(bare):
            self._note(Call(bare, arguments, line))
            return None
        if len(arguments) == 1 and (bare in _SCALARS or is_type_name(bare)):
            return arguments[0]
        return None

    def _zero(self, target: Value) -> None:
        of = target.of if isinstance(target, Address) else target
        if isinstance(of, Structure):
            of.members.clear()
            of.zeroed = True

    def _note(self, call: Call) -> None:
        # Later assignments to a description are not part of this call.
        self.meaning.calls.append(Call(call.name, copy.deepcopy(call.arguments), call.line, call.this))

    def _postfix(self, value: Value) -> Value:
        path = self.last_path
        while self.now.kind == "mark" and self.now.text in (".", "->", "[", "("):
            mark = self.step()
            if mark.text == "[":
                index = self.expression()
                self.expect("]")
                path = self._indexed(path, index)
                value = self._item(value, index, mark.line)
            elif mark.text == "(":
                self.at -= 1
                self.arguments()
                value, path = Unknown(f"{_text(value)}()", mark.line), []
            else:
                value, path = self._member(value, path, mark.line)
        self.last_path = path
        return value

    def _member(self, value: Value, path: list[str], line: int) -> tuple[Value, list[str]]:
        name = self.step()
        if name.kind != "name":
            self.refuse("not a member", ("a name",), name)
        if self.now.text == "(":
            arguments = self.arguments()
            if name.text in _SAME:
                return value, path
            if signature(name.text):
                self._note(Call(name.text, arguments, name.line, _text(value)))
            return Unknown(f"{_text(value)}.{name.text}()", line), []
        if isinstance(value, Structure):
            return value.members.get(name.text, Unknown(name.text, line)), [*path, name.text]
        return Unknown(f"{_text(value)}.{name.text}", line), [*path, name.text]

    def _indexed(self, path: list[str], index: Value) -> list[str]:
        if isinstance(index, Number) and isinstance(index.value, int):
            return [*path, str(int(index.value))]
        return []

    def _item(self, value: Value, index: Value, line: int) -> Value:
        if isinstance(value, Braces) and isinstance(index, Number) and 0 <= index.value < len(value.items):
            return value.items[int(index.value)][1]
        at = str(index.value) if isinstance(index, Number) else _text(index)
        return Unknown(f"{_text(value)}[{at}]", line)

    def arguments(self) -> list[Value]:
        """Read ``( … )``."""
        self.expect("(")
        found: list[Value] = []
        while not self.is_at(")"):
            found.append(self.value_or_braces())
            if self.now.text == ",":
                self.step()
            elif self.now.text != ")":
                self.refuse("not the end of an argument", (",", ")"))
        self.step()
        return found

    def braces(self) -> Braces:
        """Read ``{ … }``, with or without designators."""
        self._depth += 1
        if self._depth > _DEPTH * len(_LEVELS):
            self.refuse("nested too deep", (f"at most {_DEPTH} levels",))
        first = self.step()
        found: list[tuple[str, Value]] = []
        while self.now.text != "}":
            designator = self._designator()
            found.append((designator, self.value_or_braces()))
            if self.now.text == ",":
                self.step()
            elif self.now.text != "}":
                self.refuse("not the end of a value", (",", "}"))
        self.step()
        self._depth -= 1
        return Braces(found, first.line)

    def _designator(self) -> str:
        parts: list[str] = []
        while self.now.text == ".":
            self.step()
            parts.append(self.step().text)
        if parts and self.now.text == "=":
            self.step()
        return ".".join(parts)


def _text(value: Value) -> str:
    return value.text if isinstance(value, Unknown) else value.name if isinstance(value, Structure) else "…"
