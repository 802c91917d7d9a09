"""Which vectors prove which rule, for a browser of rules: computed by the tests from the answers, kept as an index."""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from explorer.tables.d3d9_tables import evidence

if TYPE_CHECKING:
    from collections.abc import Mapping


class _Proofs(msgspec.Struct):
    schema: str
    note: str
    rules: dict[str, dict[str, list[int]]]


@functools.cache
def _proofs() -> Mapping[str, Mapping[str, list[int]]]:
    data = resources.files("explorer.tables").joinpath("rule_proofs.json").read_bytes()
    return msgspec.json.decode(data, type=_Proofs).rules


def proofs(rule: str) -> tuple[str, ...]:
    """Return the ids of the vectors that a rule had a part in and that agree; none where only prose supports it.

    Args:
        rule: Id of a rule, for example ``d3d12.3.4a``.
    """
    if rule.startswith("d3d9."):
        return evidence(rule)
    kinds = _proofs().get(rule, {})
    # The collections count with four and three digits.
    if rule.startswith("d3d11."):
        return tuple(f"d3d11-{kind}-{number:04d}" for kind, numbers in kinds.items() for number in numbers)
    return tuple(f"{kind}-{number:03d}" for kind, numbers in kinds.items() for number in numbers)
