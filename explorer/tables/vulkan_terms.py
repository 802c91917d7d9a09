"""What the terms of a description are called in Vulkan, as rows of ``vulkan_terms.json``. Own words, with sources."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, cast

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

RELATIONS: Mapping[str, str] = {"same": "the same", "near": "close", "none": "no counterpart"}
"""How near the two terms are → in words."""

_PREFIXES = ("D3D11_", "D3D10_", "XG_")
_FAMILIES: Mapping[str, str] = {
    "d3d9": "d3d9", "d3d9ex": "d3d9", "d3d10": "d3d11", "d3d10.1": "d3d11", "d3d11": "d3d11", "xg": "d3d11",
    "d3d12": "d3d12",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class VulkanTerm:
    """A term and its counterpart.

    Attributes:
        family: ``d3d9``, ``d3d11`` (with D3D10 and XG) or ``d3d12``.
        term: A call, a parameter or a constant; those of D3D11, D3D10 and XG without their prefix.
        vulkan: What does the same in Vulkan.
        relation: A key of ``RELATIONS``.
        note: One or two sentences: where they differ.
        source: Citations.
    """

    family: str
    term: str
    vulkan: str
    relation: str
    note: str
    source: str


class _File(msgspec.Struct):
    schema: str
    checked: str
    sources: dict[str, str]
    columns: list[str]
    rows: list[tuple[str, str, str, str, str, str]]


@functools.cache
def vulkan_terms() -> tuple[VulkanTerm, ...]:
    """Return every term, by API."""
    data = resources.files("explorer.tables").joinpath("vulkan_terms.json").read_bytes()
    file = msgspec.json.decode(data, type=_File)
    return tuple(
        VulkanTerm(family, term, vulkan, relation, note, "; ".join(file.sources[key] for key in keys.split()))
        for family, term, vulkan, relation, note, keys in file.rows
    )


def family_of(api: str) -> str:
    """Return the API whose terms an API has; empty for an unknown one."""
    return _FAMILIES.get(api, "")


def terms_in(api: str, call: str, inputs: Mapping[str, object]) -> tuple[VulkanTerm, ...]:
    """Return the terms that a call uses: its name, its parameters and its constants, in the order of the call.

    Args:
        api: One of ``core.calls.APIS``.
        call: Name of the call.
        inputs: Its parameters as a record has them.
    """
    known = {term.term: term for term in vulkan_terms() if term.family == family_of(api)}
    found: dict[str, VulkanTerm] = {}
    for word in _words(call, inputs):
        term = known.get(_bare(word))
        if term is not None:
            found.setdefault(term.term, term)
    return tuple(found.values())


def _bare(word: str) -> str:
    return next((word[len(prefix) :] for prefix in _PREFIXES if word.startswith(prefix)), word)


def _words(call: str, inputs: Mapping[str, object]) -> Iterator[str]:
    yield call
    yield call.rstrip("0123")
    for key, value in inputs.items():
        yield key
        yield from _words_of(value)


def _words_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _words("", cast("Mapping[str, object]", value))
    elif isinstance(value, Iterable):
        for item in cast("Iterable[object]", value):
            yield from _words_of(item)
