"""What the Qt stack must keep."""

from __future__ import annotations

import subprocess
import sys

import pytest
from PySide6.QtWidgets import QApplication, QLabel


def test_that_void_qt_calls_keep_the_none_refcount(qapp: QApplication) -> None:
    """PySide6 6.12.0 on Python 3.11 loses one reference to None per void call (reference: qt_stack section 2)."""
    if sys.version_info >= (3, 12):
        pytest.skip("None is immortal")
    label = QLabel()
    before = sys.getrefcount(None)
    for _ in range(500):
        label.setText("x")
    assert sys.getrefcount(None) > before - 100
    label.deleteLater()


def test_that_the_window_loads_neither_numba_nor_pyqtgraph_before_its_first_paint() -> None:
    code = (
        "import sys, explorer.ui.application\n"
        "late = {'numba', 'pyqtgraph', 'PIL'} & set(sys.modules)\n"
        "print(sorted(late))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
