"""The advisor: rules over events and snapshots, each with the numbers that triggered it, its source and its items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.sim import advisor_events, advisor_layout, advisor_use
from explorer.sim.advisor_facts import Facts, Finding
from explorer.sim.why_rules import rule_reason

if TYPE_CHECKING:
    from explorer.sim.snapshot import Snapshot

LOOKS = ("error", "warn", "info")
"""How grave: a hazard, a cost, a hint; advice is listed in this order."""

_ALL = ("d3d9", "d3d11", "d3d12", "")
_SEED = "seed 004: advice for D3D9 resources (preprocess, few creations a frame, DXTn, mipmaps, atlases, indices)"


@dataclass(frozen=True, slots=True)
class AdviceRule:
    """A rule of the advisor.

    Attributes:
        id: Its name.
        topic: One or two words for the pill.
        look: One of ``LOOKS``.
        apis: The APIs that it looks at (``Facts.api``).
        rule: The rule of the tables that it rests on; empty where ``source`` stands for it.
        find: Returns what it found, or None.
        source: Citation where no table has the rule.
    """

    id: str
    topic: str
    look: str
    apis: tuple[str, ...]
    rule: str
    find: Callable[[Facts], Finding | None]
    source: str = ""


@dataclass(frozen=True, slots=True)
class Advice:
    """A piece of advice about a state.

    Attributes:
        id: Id of the rule of the advisor.
        topic: One or two words.
        look: One of ``LOOKS``.
        claim: What is the case, with a number.
        evidence: The numbers behind it, and what to do.
        figures: The numbers that triggered it, by name.
        resources: Indices of the snapshot's resources that it is about.
        rule: Id of the rule that it rests on; empty for a citation alone.
        text: That rule's text; empty for a citation alone.
        source: Citation.
    """

    id: str
    topic: str
    look: str
    claim: str
    evidence: str
    figures: Mapping[str, int]
    resources: tuple[int, ...]
    rule: str
    text: str
    source: str


_D9, _D11, _D12 = ("d3d9",), ("d3d11",), ("d3d12",)

ADVICE: tuple[AdviceRule, ...] = (
    AdviceRule("refused", "no room", "error", _ALL, "d3d12.8.6b", advisor_events.refused),
    AdviceRule("descriptor-overwritten", "descriptors", "error", _D12, "d3d12.7.3c",
               advisor_events.descriptor_overwritten),
    AdviceRule("not-resident", "residency", "error", _D12, "d3d12.8.7", advisor_events.not_resident),
    AdviceRule("aliasing", "aliasing", "error", _D12, "d3d12.3.18d", advisor_events.aliasing_without_barrier),
    AdviceRule("ring-full", "descriptors", "error", _D12, "device.ring-full", advisor_use.ring_full),
    AdviceRule("unbound", "views", "error", _D11, "d3d11.U1.8", advisor_use.unbound),
    AdviceRule("not-drawable", "pools", "error", _D9, "d3d9.R2.17", advisor_use.not_drawable),
    AdviceRule("hazards", "hazards", "error", _ALL, "product.hazard", advisor_use.other_hazards),
    AdviceRule("over-budget", "budget", "warn", _ALL, "d3d12.8.6a", advisor_events.over_budget),
    AdviceRule("near-budget", "budget", "warn", _ALL, "kernel.over-budget", advisor_layout.near_budget),
    AdviceRule("demoted-in-use", "residency", "warn", ("d3d11", "d3d12"), "kernel.over-budget",
               advisor_layout.demoted_in_use),
    AdviceRule("thrash", "thrash", "warn", _D9, "d3d9.R5.8", advisor_events.thrash),
    AdviceRule("fragmented", "fragments", "warn", _D9, "d3d9.R6.6", advisor_layout.fragmented),
    AdviceRule("misplaced", "placement", "warn", _ALL, "d3d9.R6.8", advisor_events.misplaced),
    AdviceRule("no-priorities", "priority", "warn", ("d3d9",), "d3d9.R5.6", advisor_events.no_priorities),
    AdviceRule("no-residency-priorities", "priority", "warn", _D12, "d3d12.8.4b", advisor_events.no_priorities),
    AdviceRule("wrong-usage", "usage", "warn", ("d3d9",), "d3d9.R5.16", advisor_events.wrong_usage),
    AdviceRule("wrong-d3d11-usage", "usage", "warn", _D11, "d3d11.U1.5", advisor_events.wrong_usage),
    AdviceRule("write-only", "write only", "warn", _D9, "d3d9.R3.5", advisor_layout.missing_write_only),
    AdviceRule("read-back", "write only", "warn", _D9, "d3d9.R3.5", advisor_events.read_back_before_lock),
    AdviceRule("random-writes", "AGP writes", "warn", _D9, "d3d9.R6.4", advisor_events.random_writes),
    AdviceRule("write-combined-read", "CPU reads", "warn", _ALL, "device.wc-read",
               advisor_events.read_of_write_combined),
    AdviceRule("many-locks", "locks", "warn", _D9, "d3d9.R6.5", advisor_use.many_locks),
    AdviceRule("lockable-targets", "targets", "warn", _D9, "cost.lockable", advisor_use.lockable_targets),
    AdviceRule("stalls", "stalls", "warn", ("d3d9",), "d3d9.R6.2", advisor_events.stalls),
    AdviceRule("map-stalls", "stalls", "warn", _D11, "d3d11.P5.9", advisor_events.stalls),
    AdviceRule("versions", "renaming", "warn", _D11, "device.dynamic-ring", advisor_events.many_versions),
    AdviceRule("creations", "creations", "warn", _ALL, "", advisor_events.many_creations, _SEED),
    AdviceRule("stale-descriptors", "descriptors", "info", _D12, "d3d12.7.3c", advisor_layout.stale_descriptors),
    AdviceRule("needless-copies", "UMA", "warn", _D12, "device.needless-copy", advisor_layout.needless_copies),
    AdviceRule("coherent-heap", "UMA", "info", _D12, "device.coherent-wc", advisor_layout.coherent_heap_type),
    AdviceRule("upload-doubles", "upload heaps", "info", _D12, "d3d12.8.5c", advisor_layout.upload_doubles),
    AdviceRule("small-in-pages", "rounding", "info", ("d3d12",), "d3d12.4.3d", advisor_layout.small_in_pages),
    AdviceRule("msaa-alignment", "alignment", "info", _D12, "d3d12.4.4b", advisor_layout.msaa_alignment),
    AdviceRule("never-used", "unused", "info", _ALL, "kernel.order", advisor_layout.never_used),
    AdviceRule("uncompressed", "formats", "info", _D9, "d3d9.R12.4", advisor_layout.uncompressed),
    AdviceRule("no-mipmaps", "mipmaps", "info", _D9, "d3d9.R12.4", advisor_layout.no_mipmaps),
    AdviceRule("no-atlas", "atlases", "info", _D9, "d3d9.R12.4", advisor_layout.no_atlas),
    AdviceRule("not-indexed", "indices", "info", _D9, "d3d9.R12.4", advisor_layout.not_indexed),
)  # fmt: skip
"""Every rule of the advisor; the graver ones of the same find come first."""


class Advisor:
    """Looks at one snapshot after the other; what they share is found once."""

    def __init__(self) -> None:
        self._facts: Facts | None = None

    def advise(self, snapshot: Snapshot) -> tuple[Advice, ...]:
        """Return the advice about a snapshot, the gravest first, in the order of ``ADVICE``."""
        facts = self._facts = Facts(snapshot, self._facts)
        found: list[Advice] = []
        for rule in ADVICE:
            if facts.api in rule.apis:
                finding = rule.find(facts)
                if finding is not None:
                    found.append(_advice(rule, finding))
        return tuple(sorted(found, key=lambda advice: LOOKS.index(advice.look)))


def advise(snapshot: Snapshot) -> tuple[Advice, ...]:
    """Return the advice about one snapshot."""
    return Advisor().advise(snapshot)


def _advice(rule: AdviceRule, finding: Finding) -> Advice:
    name = finding.rule or rule.rule
    reason = rule_reason(name) if name else None
    return Advice(
        id=rule.id,
        topic=rule.topic,
        look=rule.look,
        claim=finding.claim,
        evidence=finding.evidence,
        figures=finding.figures,
        resources=finding.resources,
        rule=name,
        text=reason.text if reason is not None else "",
        source=reason.source if reason is not None else rule.source,
    )
