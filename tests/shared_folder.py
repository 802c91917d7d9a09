"""Where the team's shared folder lies, if it lies here at all."""

from __future__ import annotations

from pathlib import Path

_BESIDE = Path(__file__).resolve().parents[2] / "shared"

SHARED: Path | None = _BESIDE if _BESIDE.is_dir() else None
"""The shared folder beside the checkout; None on a user's machine, where tests that need it skip."""
