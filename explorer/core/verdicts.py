"""What a rule answers: an HRESULT, values, and the reasons with their sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change that would make a refused call legal.

    Attributes:
        text: One clause in the imperative, for example ``remove D3DUSAGE_DYNAMIC``.
        changes: Input key path → new value (in the form that a call record uses).
    """

    text: str
    changes: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Reason:
    """One rule that decided.

    Attributes:
        rule: Id of the rule, for example ``d3d9.R2.8`` (the row in ``tables/``).
        text: One plain sentence, in our words.
        source: Citation as in the rule row.
        remedy: What would make it legal; None for a rule that permits or where nothing helps.
    """

    rule: str
    text: str
    source: str
    remedy: Remedy | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What Direct3D would answer, and why.

    Attributes:
        hr: Name of the HRESULT in the API's own spelling (``S_OK``, ``D3D_OK``, ``E_INVALIDARG`` …).
        values: Out values under the API's names (``SizeInBytes``, ``Alignment``, ``Levels`` …).
        reasons: Every rule that decided, the decisive one first; never empty.
    """

    hr: str
    reasons: tuple[Reason, ...]
    values: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def succeeded(self) -> bool:
        """True for success codes (``S_…``, ``D3D_OK``, ``…_NOAUTOGEN``)."""
        return self.hr.startswith("S_") or self.hr in ("D3D_OK", "D3DOK_NOAUTOGEN")
