"""The line in the window that says what stands still, why, and what to do; and the progress of long work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QPushButton

from explorer.ui.controls import IconButton, label, set_property

if TYPE_CHECKING:
    from explorer.ui.theme import Theme
    from explorer.ui.workspace import Message

_ACTION_WORDS = {"restart": "Restart the scenario", "open_file": "Open another file…", "export": "Export again…"}


class MessageBar(QFrame):
    """Shows one message until it is closed or the next one comes.

    Signals:
        acted: Id of the action that the user took.
    """

    acted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._message: Message | None = None
        self.setObjectName("message_bar")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 6, 4)
        layout.setSpacing(8)
        self._icon = QLabel()
        self._text = label("", name="message_text", wrap=True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._act, self._copy = QPushButton(), QPushButton("Copy details")
        self._act.setObjectName("message_action")
        self._copy.setObjectName("message_copy")
        self._close = IconButton(theme, "close", "Close the message", name="message_close")
        layout.addWidget(self._icon)
        layout.addWidget(self._text, 1)
        for button in (self._act, self._copy, self._close):
            layout.addWidget(button)
        self._act.clicked.connect(self._on_act)
        self._copy.clicked.connect(self._on_copy)
        self._close.clicked.connect(self.hide)
        theme.changed.connect(self._retint)
        self.hide()

    @property
    def message(self) -> Message | None:
        """The message last shown."""
        return self._message

    def text(self) -> str:
        """Return what is shown; empty while hidden."""
        return self._text.text() if not self.isHidden() else ""

    def show_message(self, message: Message) -> None:
        """Show a message in place of the last one."""
        self._message = message
        set_property(self, "level", message.level)
        self._text.setText(message.text)
        self._act.setText(_ACTION_WORDS.get(message.action, ""))
        self._act.setVisible(message.action in _ACTION_WORDS)
        self._copy.setVisible(bool(message.detail))
        self._retint()
        self.show()

    def _on_act(self) -> None:
        message = self._message
        self.hide()
        if message is not None:
            self.acted.emit(message.action)

    def _on_copy(self) -> None:
        if self._message is not None:
            QGuiApplication.clipboard().setText(self._message.detail)

    def _retint(self) -> None:
        level = self._message.level if self._message is not None else "info"
        self._icon.setPixmap(self._theme.pixmap(level if level != "error" else "warn", level))


class WorkBar(QFrame):
    """Progress of long work: verb, bar, what will be there after it, Cancel.

    Signals:
        cancelled: The user wants it to stop.
    """

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("work_bar")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 4, 6, 4)
        layout.setSpacing(8)
        self._text = label("", name="work_text")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setMaximumWidth(240)
        self._cancel = QPushButton("Cancel")
        self._cancel.setObjectName("work_cancel")
        self._cancel.clicked.connect(self.cancelled)
        layout.addWidget(self._text)
        layout.addWidget(self._bar, 1)
        layout.addStretch(1)
        layout.addWidget(self._cancel)
        self.hide()

    def show_work(self, text: str) -> None:
        """Show work of unknown length."""
        self._text.setText(text)
        self._bar.setRange(0, 0)
        self.show()

    def show_progress(self, share: float) -> None:
        """Show how far it is, 0.0 to 1.0."""
        self._bar.setRange(0, 1000)
        self._bar.setValue(round(min(max(share, 0.0), 1.0) * 1000))

    def finish(self) -> None:
        """Take the bar away."""
        self._bar.setRange(0, 1)
        self.hide()
