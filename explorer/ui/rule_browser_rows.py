"""Every rule of the product in one list: of APIs, kernel, devices and allocators, and the cost model. No Qt."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

API_WORDS: Mapping[str, str] = {
    "d3d9": "Direct3D 9, 9Ex",
    "d3d11": "Direct3D 10, 11, XG",
    "d3d12": "Direct3D 12",
    "kernel": "Kernel memory manager",
    "device": "Simulated device",
    "app": "Application's residency",
    "product": "This product",
    "alloc": "Allocators",
    "cost": "Cost model",
}
"""What the first part of a rule's id stands for."""

_ALLOCATOR_SOURCE = "modelling words of this product: no API defines why a hole does not do"


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """A rule.

    Attributes:
        id: As verdicts and events name it.
        group: A key of ``API_WORDS``.
        topic: One or two words.
        text: One sentence.
        source: Citation.
        checked: ISO date of the last check against the source, or empty.
        proofs: Ids of the vectors that it had a part in and that agree.
    """

    id: str
    group: str
    topic: str
    text: str
    source: str
    checked: str
    proofs: tuple[str, ...]


@functools.cache
def every_rule() -> tuple[RuleEntry, ...]:
    """Return all rules, grouped, in the order of their tables."""
    return tuple(_rules())


@functools.cache
def rules_by_id() -> Mapping[str, int]:
    """Return id → index in ``every_rule``."""
    return {entry.id: index for index, entry in enumerate(every_rule())}


def _rules() -> Iterator[RuleEntry]:
    # Imported here: the rules of all APIs are only needed by who opens the browser.
    from explorer.device.cost import FORMULAE
    from explorer.memory.allocators.protocol import REFUSAL_RULES
    from explorer.rules import d3d9, d3d11, d3d12
    from explorer.tables.kernel_rules import kernel_checked, kernel_rules, kernel_topics
    from explorer.tables.rule_proofs import proofs

    for row in (*d3d9.RULES, *d3d11.RULES, *d3d12.RULES):
        group = row.id.partition(".")[0]
        yield RuleEntry(row.id, group, row.topic, row.text, row.source, row.checked, proofs(row.id))
    for reason in kernel_rules().values():
        group = reason.rule.partition(".")[0]
        topic = kernel_topics()[reason.rule]
        yield RuleEntry(reason.rule, group, topic, reason.text, reason.source, kernel_checked(), ())
    for rule, text in REFUSAL_RULES.items():
        sentence = text[:1].upper() + text[1:] + "."
        yield RuleEntry(rule, "alloc", "refusals", sentence, _ALLOCATOR_SOURCE, "", ())
    for one in FORMULAE:
        yield RuleEntry(one.id, "cost", one.part, one.text, one.source, "", ())


def topics_of(group: str) -> tuple[str, ...]:
    """Return the topics of a group (empty: of all), in alphabetical order."""
    return tuple(sorted({entry.topic for entry in every_rule() if not group or entry.group == group}, key=str.lower))


def matching(text: str, group: str = "", topic: str = "") -> list[int]:
    """Return the indices of the rules that hold every word of a text in id, topic, sentence, source or a vector's id.

    Args:
        text: Words; an id finds its rule.
        group: A key of ``API_WORDS``; empty for all.
        topic: Empty for all.
    """
    words = text.lower().split()
    found: list[int] = []
    for index, entry in enumerate(every_rule()):
        if (group and entry.group != group) or (topic and entry.topic != topic):
            continue
        if all(word in _searched()[index] for word in words):
            found.append(index)
    return found


@functools.cache
def _searched() -> tuple[str, ...]:
    return tuple(
        "\n".join((entry.id, entry.topic, entry.text, entry.source, *entry.proofs)).lower() for entry in every_rule()
    )


def as_text(entry: RuleEntry) -> str:
    """Return a rule as lines to copy."""
    lines = [f"{entry.id} ({API_WORDS.get(entry.group, entry.group)}, {entry.topic})", entry.text]
    lines.append(f"Source: {entry.source}")
    if entry.checked:
        lines.append(f"Checked: {entry.checked}")
    lines.append(f"Proved by: {', '.join(entry.proofs) or 'no vector, only the source'}")
    return "\n".join(lines)
