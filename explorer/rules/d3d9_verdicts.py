"""How the rules of Direct3D 9 say yes and no."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.verdicts import Reason, Remedy, Verdict
from explorer.tables.d3d9_tables import rules

if TYPE_CHECKING:
    from collections.abc import Mapping

INVALIDCALL = "D3DERR_INVALIDCALL"
NOTAVAILABLE = "D3DERR_NOTAVAILABLE"


@dataclass(frozen=True, slots=True)
class Fault:
    """One violated rule.

    Attributes:
        reason: The rule, with its remedy where there is one.
        hr: What the call answers if this rule decides.
    """

    reason: Reason
    hr: str = INVALIDCALL


@functools.cache
def reason(rule: str) -> Reason:
    """Return the reason of a rule that permits (``R2.2`` or ``d3d9.R2.2``)."""
    row = rules()[rule if rule.startswith("d3d9.") else f"d3d9.{rule}"]
    return Reason(row.id, row.text, row.source)


def fault(
    rule: str, remedy: str | None = None, changes: Mapping[str, object] | None = None, hr: str = INVALIDCALL
) -> Fault:
    """Return a violated rule, with what would make the call legal."""
    plain = reason(rule)
    if remedy is None:
        return Fault(plain, hr)
    return Fault(Reason(plain.rule, plain.text, plain.source, Remedy(remedy, dict(changes or {}))), hr)


def refused(faults: list[Fault], values: Mapping[str, object] | None = None) -> Verdict:
    """Return the verdict of a call that violates rules; the first one decides."""
    return Verdict(faults[0].hr, tuple(item.reason for item in faults), values or {})


@functools.cache
def _reasons(names: tuple[str, ...]) -> tuple[Reason, ...]:
    return tuple(reason(name) for name in names)


def granted(*names: str, hr: str = "D3D_OK", values: Mapping[str, object] | None = None) -> Verdict:
    """Return the verdict of a call that these rules permit."""
    return Verdict(hr, _reasons(names), values or {})
