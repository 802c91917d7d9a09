"""Reads C++ text: declarations, assignments and calls in a straight line. Nothing is executed."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING

from explorer.errors import InputError
from explorer.interchange.cpp_text_expressions import Expressions
from explorer.interchange.cpp_text_tokens import read_tokens
from explorer.interchange.cpp_text_types import structures
from explorer.interchange.cpp_text_values import (
    Address,
    Braces,
    Constant,
    Meaning,
    Number,
    Structure,
    Unknown,
    Value,
    assign,
    structured,
)

if TYPE_CHECKING:
    from explorer.interchange.cpp_text_tokens import Token

_PLAIN_WORDS = frozenset({"else", "do", "try", "public", "private"})
_CONDITIONS = frozenset({"if", "while", "switch"})
_DEFINING = frozenset({"struct", "class", "enum", "union"})
_HEADS = frozenset({"for", "catch"})
_SKIPPED = frozenset({"using", "typedef", "namespace", "return", "break", "continue", "delete", "goto", "throw"})
_QUALIFIERS = frozenset({"const", "constexpr", "static", "inline", "volatile", "mutable", "struct", "extern"})
_MEMBER = re.compile(r"[A-Za-z_]\w*")


def parse(text: str) -> Meaning:
    """Return what a text says.

    Raises:
        InputError: The text is no C++ that is read here; names the line, what was found and what is accepted.
    """
    tokens, aliases = read_tokens(text)
    meaning = Meaning(aliases=aliases, words=frozenset(token.text for token in tokens if token.kind == "name"))
    _Statements(tokens, meaning).read()
    return meaning


class _Statements(Expressions):
    """Statements over expressions.

    Args:
        tokens: The text.
        meaning: Filled in.
    """

    def __init__(self, tokens: list[Token], meaning: Meaning) -> None:
        super().__init__(tokens, meaning)

    def read(self) -> None:
        """Read all statements."""
        while self.now.kind != "end":
            self._statement()

    def _statement(self) -> None:
        token = self.now
        if token.text in (";", "{", "}", ":") or token.text in _PLAIN_WORDS:
            self.step()
            return
        if token.text in _CONDITIONS or token.text in _HEADS:
            self._head(token.text in _HEADS)
            return
        if token.text in _SKIPPED:
            self._skip_to_semicolon()
            return
        if token.text in _DEFINING and self._is_definition():
            self._skip_braces()
            return
        if self._is_declaration():
            self._declaration()
            return
        value = self.expression()
        operator = self.now.text
        if operator in ("=", "|=", "+="):
            self._assignment(value, token.line)
        elif isinstance(value, Structure) and not self.is_variable(value):
            self.meaning.loose.append(value)
        if self.now.text not in (";", "{", "}") and self.now.kind != "end":
            if self.now.text == ",":
                self.step()
                return
            self.refuse("not the end of a statement", (";",))

    def _head(self, is_skipped: bool) -> None:
        """Read the condition of an ``if``: calls may stand in it. That of a loop over something is skipped."""
        self.step()
        if not is_skipped:
            self.expect("(")
            self.expression()
            self.expect(")")
            return
        self.skip_balanced("(", ")")

    def _is_definition(self) -> bool:
        """Return whether a type is defined here: its members are no statements."""
        at = self.at
        while self.tokens[at].kind == "name":
            at += 1
        return self.tokens[at].text in ("{", ":")

    def _skip_braces(self) -> None:
        while not self.is_at("{", ";", ""):
            self.step()
        self.skip_balanced("{", "}")

    def skip_balanced(self, opening: str, closing: str) -> None:
        """Skip from an opening mark to its closing one."""
        depth = 0
        while self.now.kind != "end":
            depth += {opening: 1, closing: -1}.get(self.step().text, 0)
            if depth <= 0:
                return

    def _skip_to_semicolon(self) -> None:
        if self.now.text == "return":
            self.step()
            if not self.is_at(";"):
                self.expression()
            return
        while self.now.kind != "end" and self.now.text not in (";", "{"):
            self.step()

    # -- declarations

    def _is_declaration(self) -> bool:
        """Two names in a row, with template arguments, ``*`` and ``&`` between them: a type and a variable."""
        at = self.at
        while self.tokens[at].text in _QUALIFIERS:
            at += 1
        if self.tokens[at].kind != "name":
            return False
        first = self.tokens[at].text
        at += 1
        while first in ("unsigned", "long", "signed", "short") and self.tokens[at].text in ("int", "long", "char"):
            at += 1
        if self.tokens[at].text == "<":
            at = self._behind_template(at)
        while self.tokens[at].text in ("*", "&", "const"):
            at += 1
        if self.tokens[at].kind != "name" or self.tokens[at].text.startswith("::"):
            return False
        # ``a * b;`` with a known type is a declaration, else a product that nobody needs.
        return self.tokens[at + 1].text in ("=", ";", ",", "{", "(", "[", ")", ":")

    def _behind_template(self, at: int) -> int:
        depth = 0
        while self.tokens[at].kind != "end":
            depth += {"<": 1, ">": -1, ">>": -2}.get(self.tokens[at].text, 0)
            at += 1
            if depth <= 0:
                break
        return at

    def _declaration(self) -> None:
        while self.now.text in _QUALIFIERS:
            self.step()
        kind = self.step().text
        while self.now.kind == "name" and self.peek(1).kind == "name" and self.now.text in ("int", "long", "char"):
            self.step()
        if self.now.text == "<":
            first = self.at
            self.at = self._behind_template(self.at)
            kind = " ".join([kind, *(token.text for token in self.tokens[first : self.at])])
        while True:
            while self.now.text in ("*", "&", "const"):
                kind += "*" if self.step().text == "*" else ""
            self._declarator(kind)
            if self.now.text != ",":
                return
            self.step()

    def _declarator(self, kind: str) -> None:
        name = self.step()
        if name.kind != "name":
            self.refuse("not a variable", ("a name",), name)
        is_array = False
        while self.now.text == "[":
            is_array = True
            self.step()
            if not self.is_at("]"):
                self.expression()
            self.expect("]")
        self.meaning.types[name.text] = kind
        structure = None if is_array or kind.endswith("*") else structures().get(kind.rsplit("::", 1)[-1])
        self.meaning.variables[name.text] = self._initial(kind, structure, name)

    def _initial(self, kind: str, structure: type | None, name: Token) -> Value:
        value: Value | None = None
        if self.now.text == "=":
            self.step()
            value = self.value_or_braces()
        elif self.now.text == "{":
            value = self.braces()
        elif self.now.text == "(" and self._is_function():
            self.skip_balanced("(", ")")
            while self.is_at("const", "override", "noexcept", "final"):
                self.step()
        elif self.now.text == "(":
            arguments = self.arguments()
            value = self.constructed(kind, arguments, name.line) if kind.startswith("CD3D") else None
            if value is None and len(arguments) == 1:
                value = arguments[0]
        bare = kind.rsplit("::", 1)[-1]
        if bare.startswith("CD3D"):
            return self._helper_variable(bare, value, name.line)
        if structure is None:
            typed = value if value is not None else Unknown(name.text, name.line)
            return copy.deepcopy(typed) if isinstance(typed, Structure) else typed
        if isinstance(value, Unknown):
            # What a function of the application returns is not in the text.
            return Structure(bare, structure, {}, False, name.line)
        made = structured(bare, structure, copy.deepcopy(value) if value is not None else None, name.line)
        return Structure(bare, made.kind, made.members, made.zeroed, name.line)

    def _is_function(self) -> bool:
        """Return whether a function begins here: its parameters are declarations, a body or a list follows."""
        depth, at = 0, self.at
        while self.tokens[at].kind != "end":
            depth += {"(": 1, ")": -1}.get(self.tokens[at].text, 0)
            at += 1
            if depth <= 0:
                break
        return self.tokens[at].text in ("{", ":", "const", "override", "noexcept", "final")

    def _helper_variable(self, kind: str, value: Value | None, line: int) -> Value:
        if isinstance(value, Braces):
            value = self.constructed(kind, [item for _, item in value.items], line) if value.items else None
        if value is not None:
            return copy.deepcopy(value)
        name = kind.removeprefix("C").replace("D3DX12", "D3D12")
        known = structures().get(name)
        return Structure(name, known, {}, False, line) if known is not None else Unknown(kind, line)

    # -- assignments

    def _assignment(self, to: Value, line: int) -> None:
        """Read ``= value``, or a chain of them: ``a = b = value``."""
        targets: list[tuple[Value, list[str], str]] = []
        value = to
        while self.now.text in ("=", "|=", "+="):
            targets.append((value, self.last_path, self.step().text))
            value = self.value_or_braces()
        for target, path, operator in reversed(targets):
            self._assign(target, path, value, operator, line)

    def _assign(self, to: Value, path: list[str], value: Value, operator: str, line: int) -> None:
        if not path:
            return
        name, *rest = path
        variable = self.meaning.variables.get(name)
        if isinstance(variable, Address):
            variable = variable.of
        if not rest:
            if isinstance(variable, Structure):
                value = structured(variable.name, variable.kind, value, line)
            before = variable if operator != "=" else None
            self.meaning.variables[name] = copy.deepcopy(self.joined(before, value, line))
        elif isinstance(variable, Structure):
            if operator != "=":
                value = self.joined(to, value, line)
            assign(variable, rest, copy.deepcopy(value), line)
        elif variable is None and _MEMBER.fullmatch(rest[0]) and rest[0][0].isupper():
            raise InputError(
                "a member of a variable that is not declared here", line=line, where=name, found=".".join(path),
                accepted=(f"a declaration such as D3D11_BUFFER_DESC {name};",),
            )  # fmt: skip

    def joined(self, before: Value | None, value: Value, line: int) -> Value:
        """Return ``before | value`` of two constants, else the value."""
        if isinstance(before, Number | Constant) and isinstance(value, Number | Constant):
            parts: list[str | int] = []
            for one in (before, value):
                parts.extend(one.parts if isinstance(one, Constant) else [int(one.value)] if one.value else [])
            return Constant(tuple(dict.fromkeys(parts)), line) if parts else Number(0, line)
        return value
