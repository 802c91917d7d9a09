"""The glossary: terms of the field, found in texts and explained. No Qt."""

from __future__ import annotations

import functools
import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from explorer.core.schema import Key, Length, decode
from explorer.tables.locations import resources_folder
from explorer.tables.toml_reader import read_toml

if TYPE_CHECKING:
    from collections.abc import Mapping

_Word = Annotated[str, Length(1, 60)]
SCHEME = "term:"


@dataclass(frozen=True, slots=True)
class Term:
    """An entry.

    Attributes:
        term: The word.
        text: What it means, a sentence or two.
        also: Other spellings that mean the same.
    """

    term: _Word
    text: Annotated[str, Length(1, 600)]
    also: tuple[_Word, ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    terms: Annotated[tuple[Term, ...], Key("term")]


@functools.cache
def glossary() -> Mapping[str, Term]:
    """Return every spelling in lower case → its entry.

    Raises:
        InputError: The texts of the product are missing or broken.
    """
    file = decode(read_toml(resources_folder() / "texts" / "glossary.toml"), _File)
    return {word.lower(): term for term in file.terms for word in (term.term, *term.also)}


def terms_in(text: str) -> tuple[Term, ...]:
    """Return the entries whose words occur in a text, in the order of their first use."""
    found = {match.group(0).lower(): None for match in _pattern().finditer(text)}
    return tuple(dict.fromkeys(glossary()[word] for word in found))


def linked(text: str) -> str:
    """Return a text as rich text in which the first use of each term is a link ``term:…``."""
    seen: set[str] = set()
    parts: list[str] = []
    end = 0
    for match in _pattern().finditer(text):
        term = glossary()[match.group(0).lower()].term
        if term in seen:
            continue
        seen.add(term)
        parts.append(html.escape(text[end : match.start()]))
        link = html.escape(SCHEME + term)
        word = html.escape(match.group(0))
        parts.append(f'<a href="{link}" style="text-decoration:none">{word}</a>')
        end = match.end()
    parts.append(html.escape(text[end:]))
    return "".join(parts).replace("\n", "<br>")


@functools.cache
def _pattern() -> re.Pattern[str]:
    # The longest spelling first: "upload heaps" before "heap".
    words = sorted(glossary(), key=len, reverse=True)
    return re.compile(r"(?<![\w-])(?:" + "|".join(re.escape(word) for word in words) + r")(?![\w-])", re.IGNORECASE)
