"""What each TiledResourcesTier adds, and what that means for reserved resources of an adapter.

Source: d3d12.3.15a, d3d12.3.15e, d3d12.3.15h, d3d12.6.5a, d3d12.6.5b (rows of ``tables/``).
"""

from __future__ import annotations

from dataclasses import dataclass

from explorer.rules.d3d12_findings import reason

RESERVED_TIER = 1
"""From here on there are reserved resources: buffers and 2D textures."""
NULL_TIER = 2
"""From here on a tile without memory reads zero and drops writes."""
VOLUME_TIER = 3
"""From here on 3D textures can be reserved."""
PACKED_ARRAY_TIER = 4
"""From here on arrays can have packed levels, in the undefined swizzle only."""


@dataclass(frozen=True, slots=True)
class TierLimit:
    """Something that a tier allows.

    Attributes:
        what: What it is, in a few words.
        from_tier: The lowest tier with it.
        is_there: Whether the tier that was asked about has it.
        rule: Id of the rule.
        text: What the rule says.
    """

    what: str
    from_tier: int
    is_there: bool
    rule: str
    text: str


_LIMITS = (
    ("Reserved buffers and 2D textures", RESERVED_TIER, "3.15a"),
    ("Tiles without memory read zero", NULL_TIER, "6.5a"),
    ("Reserved 3D textures", VOLUME_TIER, "3.15h"),
    ("Arrays with packed mips", PACKED_ARRAY_TIER, "3.15e"),
)


def tier_limits(tier: int) -> tuple[TierLimit, ...]:
    """Return what a tier allows and what not, in the order of the tiers.

    Args:
        tier: TiledResourcesTier, 0 (none) to 4.
    """
    return tuple(
        TierLimit(what, lowest, tier >= lowest, found.rule, found.text)
        for what, lowest, found in ((what, lowest, reason(rule)) for what, lowest, rule in _LIMITS)
    )
