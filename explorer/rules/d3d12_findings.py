"""Collects what the rules of D3D12 find, and turns it into a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.schema import encode
from explorer.core.verdicts import Reason, Remedy, Verdict
from explorer.tables.d3d12_tables import rules_by_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PREFIX = "d3d12."
E_INVALIDARG = "E_INVALIDARG"


def reason(rule: str, remedy: Remedy | None = None, detail: str = "") -> Reason:
    """Return a reason out of a rule's row.

    Args:
        rule: The row's id without ``d3d12.``.
        remedy: What would make the call legal.
        detail: What of this call decided, as a clause.
    """
    row = rules_by_id()[PREFIX + rule]
    text = f"{row.text[:-1]}: {detail}." if detail else row.text
    return Reason(row.id, text, row.source, remedy)


class Findings:
    """Violated and permitting rules of one call, in the order found.

    Args:
        prefix: Key path in the call's input that the remedies' keys start from (``pDesc.``).
    """

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        self.violated: list[Reason] = []
        self.permitting: list[Reason] = []

    def refuse(
        self, rule: str, advice: str = "", changes: Mapping[str, object] | None = None, detail: str = ""
    ) -> None:
        """Note a violated rule; ``changes`` are relative to the prefix and take enumeration members."""
        remedy = None
        if advice:
            plain = {self.prefix + key: encode(value) for key, value in (changes or {}).items()}
            remedy = Remedy(advice, plain)
        self.violated.append(reason(rule, remedy, detail))

    def permit(self, rule: str, detail: str = "") -> None:
        """Note a rule that allows the call or decides about its outcome."""
        self.permitting.append(reason(rule, None, detail))

    @property
    def ok(self) -> bool:
        """Whether nothing is violated."""
        return not self.violated

    def merge(self, other: Findings) -> None:
        """Take over another's findings."""
        self.violated.extend(other.violated)
        self.permitting.extend(other.permitting)

    def verdict(
        self,
        values: Mapping[str, object] | None = None,
        *,
        refused_values: Mapping[str, object] | None = None,
        hr: str = E_INVALIDARG,
        success: str = "S_OK",
    ) -> Verdict:
        """Return the verdict: the violated rules, or what permits."""
        if self.violated:
            return Verdict(hr, once_each(self.violated), dict(refused_values or {}))
        return Verdict(success, once_each(self.permitting), dict(values or {}))


def once_each(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """Return each rule once, in order; where several parts of a call break it, their changes are made together."""
    found: dict[str, Reason] = {}
    for one in reasons:
        before = found.get(one.rule)
        if before is None:
            found[one.rule] = one
        elif before.remedy is not None:
            remedy = one.remedy and Remedy(before.remedy.text, {**before.remedy.changes, **one.remedy.changes})
            found[one.rule] = Reason(before.rule, before.text, before.source, remedy)
    return tuple(found.values())
