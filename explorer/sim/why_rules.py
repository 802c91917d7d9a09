"""A rule by its id, whichever table it is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.verdicts import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping


def rule_reason(rule: str) -> Reason | None:
    """Return text and source of a rule; None for an id that no table has.

    Args:
        rule: For example ``d3d9.R5.5``, ``d3d11.M4.9``, ``d3d12.8.2a``, ``kernel.paging``, ``alloc.fragmented``.
    """
    prefix, _, _ = rule.partition(".")
    if prefix == "d3d9":
        from explorer.tables.d3d9_tables import rules

        return _found(rules(), rule)
    if prefix == "d3d11":
        from explorer.tables.d3d11_tables import rules as rules_11

        return _found(rules_11(), rule)
    if prefix == "d3d12":
        from explorer.tables.d3d12_tables import rules_by_id

        return _found(rules_by_id(), rule)
    if prefix == "alloc":
        from explorer.memory.allocators.protocol import REFUSAL_RULES

        text = REFUSAL_RULES.get(rule)
        return None if text is None else Reason(rule, text[:1].upper() + text[1:] + ".", "how an allocator refuses")
    if prefix == "cost":
        from explorer.device.cost import formula

        one = formula(rule)
        return None if one is None else Reason(rule, one.text, one.source)
    from explorer.tables.kernel_rules import kernel_rules

    return kernel_rules().get(rule)


def _found(rows: Mapping[str, object], rule: str) -> Reason | None:
    row = rows.get(rule)
    return None if row is None else Reason(rule, str(getattr(row, "text", "")), str(getattr(row, "source", "")))
