"""Settings that every test shares."""

from __future__ import annotations

import os

# Before any Qt import: the tests need no display.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
