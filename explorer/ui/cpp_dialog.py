"""Paste C++: a text becomes the values of the Create form, or a message says which line cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from explorer.errors import InputError
from explorer.ui.controls import label

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord
    from explorer.ui.workspace import Workspace

_SIZE = (640, 460)
_TYPING_MS = 80
_EXAMPLE = (
    "CD3DX12_RESOURCE_DESC desc = CD3DX12_RESOURCE_DESC::Tex2D(DXGI_FORMAT_BC7_UNORM, 2048, 2048);\n"
    "device->CreateCommittedResource(&heap, D3D12_HEAP_FLAG_NONE, &desc, …);"
)


class CppDialog(QDialog):
    """Takes C++ and gives a call record. The text is read, never executed.

    Signals:
        accepted_record: ``CallRecord``.

    Args:
        workspace: State of the window.
        api: What the device is, where the text leaves it open.
        call: The form's call, where a description stands alone.
        parent: The window.
    """

    accepted_record = Signal(object)

    def __init__(self, workspace: Workspace, api: str, call: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("cpp_dialog")
        self.setWindowTitle("Paste C++")
        self._api, self._call = api, call
        self._record: CallRecord | None = None
        theme = workspace.theme
        self._edit = QPlainTextEdit()
        self._edit.setObjectName("cpp_text")
        self._edit.setAccessibleName("C++")
        self._edit.setPlaceholderText(_EXAMPLE)
        self._edit.setTabChangesFocus(True)
        font = theme.font(theme.small_px)
        font.setFamily(theme.fixed_family)
        self._edit.setFont(font)
        self._said = label("", wrap=True, name="cpp_said")
        self._use, self._cancel = QPushButton("Fill in the form"), QPushButton("Cancel")
        self._use.setObjectName("cpp_use")
        self._use.setProperty("primary", True)
        self._use.setDefault(True)
        self._cancel.setObjectName("cpp_cancel")
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_TYPING_MS)
        self._lay_out()
        self._typing.timeout.connect(self.read)
        self._edit.textChanged.connect(self._typing.start)
        self._use.clicked.connect(self._on_use)
        self._cancel.clicked.connect(self.reject)
        self.resize(*_SIZE)
        self._take_clipboard()

    def set_text(self, text: str) -> None:
        """Show a text and read it at once."""
        self._edit.setPlainText(text)
        self._typing.stop()
        self.read()

    def said(self) -> str:
        """Return what is said of the text."""
        return self._said.text()

    def record(self) -> CallRecord | None:
        """Return the call that the text makes; None where it cannot be read."""
        return self._record

    @Slot()
    def read(self) -> None:
        """Read the text and say what it is."""
        from explorer.interchange.cpp_text import from_cpp

        self._record = None
        text = self._edit.toPlainText()
        if not text.strip():
            self._say("One creation call with its descriptions, or one description alone.", "second")
        else:
            try:
                self._record = from_cpp(text, self._api, self._call)
            except InputError as error:
                self._say(str(error), "error")
            else:
                name = f", named {self._record.out}" if self._record.out else ""
                self._say(f"{self._record.api} {self._record.call}{name}", "second")
        self._use.setEnabled(self._record is not None)

    def _say(self, text: str, role: str) -> None:
        self._said.setProperty("role", role)
        self._said.style().unpolish(self._said)
        self._said.style().polish(self._said)
        self._said.setText(text)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 12, 12)
        layout.setSpacing(8)
        layout.addWidget(self._edit, 1)
        self._said.setMinimumHeight(self._said.fontMetrics().height() * 2 + 4)
        layout.addWidget(self._said)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addStretch(1)
        foot.addWidget(self._cancel)
        foot.addWidget(self._use)
        layout.addLayout(foot)

    def _take_clipboard(self) -> None:
        """Begin with what was copied, if it is a call or a description."""
        self.set_text(QApplication.clipboard().text())
        if self._record is None:
            self.set_text("")

    @Slot()
    def _on_use(self) -> None:
        if self._typing.isActive():
            self._typing.stop()
            self.read()
        if self._record is not None:
            self.accepted_record.emit(self._record)
            self.accept()
