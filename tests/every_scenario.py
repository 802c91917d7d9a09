"""How far the tests of every scenario go: 200 frames, or ``EXPLORER_FRAMES`` of them (the acceptance run: 2000).

``EXPLORER_FRAMES=2000 python -m pytest -n auto tests/sim/test_every_scenario.py tests/ui/test_every_scenario.py``
"""

from __future__ import annotations

import os

from explorer.sim.scenarios import scenario_ids

FRAMES = int(os.environ.get("EXPLORER_FRAMES", "200"))

LARGE = ("d3d12-hundred-thousand",)
"""Loading one takes ten seconds: the acceptance run plays it as every other, CI as ``tests/sim/test_large_frames.py``
does."""

PLAYED = tuple(name for name in scenario_ids() if name not in LARGE)
SCENARIOS = scenario_ids() if FRAMES > 200 else PLAYED


def detour(frames: int) -> tuple[int, ...]:
    """Return frames to go to, one after the other, forwards and back, that end with ``frames``."""
    return frames // 3, frames // 7, 0, frames * 2 // 3, frames - 1, frames // 2, frames
