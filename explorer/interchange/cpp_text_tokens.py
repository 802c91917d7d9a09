"""Tokens of C++ text: enough to read declarations and calls, with the line of each."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST = 1 << 20
"""Characters of a text that is read."""

_PATTERN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>\#[^\n]*)
  | (?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
  | (?P<char>[uUL]?'(?:[^'\\\n]|\\.)')
  | (?P<number>0[xX][0-9a-fA-F']+[uUlLzZ]*|(?:[0-9][0-9']*\.?[0-9']*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[fFuUlLzZ]*)
  | (?P<name>(?:::)?[A-Za-z_][A-Za-z_0-9]*(?:::[A-Za-z_][A-Za-z_0-9]*)*)
  | (?P<mark>->|<<|>>|==|!=|<=|>=|&&|\|\||\|=|\+=|[-+*/%&|^~!=<>(){}\[\],;.?:])
    """,
    re.VERBOSE | re.DOTALL,
)
_ALIAS = re.compile(r"//\s*([A-Za-z_][A-Za-z_0-9]*):\s*(\"(?:[^\"\\]|\\.)*\")\s*$")


@dataclass(frozen=True, slots=True)
class Token:
    """A token.

    Attributes:
        kind: ``name number text char mark end``.
        text: As it stands.
        line: 1-based.
    """

    kind: str
    text: str
    line: int


def read_tokens(text: str) -> tuple[list[Token], Mapping[str, str]]:
    """Return the tokens of a text, and what its comments of the form ``// variable: "object name"`` say.

    Comments and preprocessor lines are no tokens. The list ends with a token of kind ``end``.

    Raises:
        InputError: The text is too long, or holds a character that C++ has not; names the line.
    """
    if len(text) > LONGEST:
        raise InputError("the text is too long", found=f"{len(text):,} characters", accepted=(f"at most {LONGEST:,}",))
    tokens: list[Token] = []
    aliases: dict[str, str] = {}
    at, line = 0, 1
    while at < len(text):
        match = _PATTERN.match(text, at)
        if match is None:
            raise InputError("not C++", line=line, found=text[at : at + 20], accepted=("declarations", "calls"))
        kind, found = str(match.lastgroup), match.group()
        if kind == "comment":
            alias = _ALIAS.match(found)
            if alias is not None:
                aliases[alias[1]] = _unquoted(alias[2], line)
        elif kind not in ("space", "directive"):
            tokens.append(Token(kind, found, line))
        line += found.count("\n")
        at = match.end()
    tokens.append(Token("end", "the end of the text", line))
    return tokens, aliases


def _unquoted(text: str, line: int) -> str:
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise InputError("not a name in quotes", line=line, found=text, accepted=('"a name"',)) from error


def number_of(token: Token) -> int | float:
    """Return the value of a number: integers in any base of C++, floats with or without suffix.

    Raises:
        InputError: Not a number of C++, or beyond 64 bits.
    """
    bare = token.text.replace("'", "").lower()
    try:
        if bare.startswith("0x"):
            value: int | float = int(bare.rstrip("ulz"), 16)
        elif any(mark in bare for mark in ".e") or bare.endswith("f"):
            return float(bare.rstrip("fl"))
        else:
            digits = bare.rstrip("ulz")
            value = int(digits, 8 if len(digits) > 1 and digits[0] == "0" else 10)
    except ValueError as error:
        raise InputError("not a number", line=token.line, found=token.text, accepted=("4096", "0x1000")) from error
    if value >= 2**64:
        raise InputError("beyond 64 bits", line=token.line, found=token.text, accepted=("0 … 2^64 - 1",))
    return value
