"""Compiles every kernel into the user's cache: ``python -m explorer.memory.compile_kernels``, a process of its own."""

from __future__ import annotations

import os

from explorer.memory.kernels import warm_up


def main() -> int:
    """Compile politely: whoever waits for the window comes first. Returns 0."""
    if hasattr(os, "nice"):
        os.nice(10)
    warm_up()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
