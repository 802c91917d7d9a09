"""Transport, speed, scrubber with the frame counter, gauges, undo and redo."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QSlider, QToolButton, QVBoxLayout, QWidget

from explorer.core.events import EventKind
from explorer.core.units import format_ns
from explorer.ui.controls import ElidedLabel, label
from explorer.ui.gauges import GaugeRow

if TYPE_CHECKING:
    from explorer.sim.commands import RunState
    from explorer.sim.snapshot import Snapshot
    from explorer.ui.actions import ActionSet
    from explorer.ui.theme import Theme
    from explorer.ui.workspace import Workspace

BASE_FRAMES_PER_S = 60.0
SPEEDS: tuple[tuple[str, float | None], ...] = (
    ("0.1 ×", 6.0), ("0.25 ×", 15.0), ("0.5 ×", 30.0), ("1.0 ×", BASE_FRAMES_PER_S), ("2.0 ×", 120.0),
    ("4.0 ×", 240.0), ("Unlimited", None),
)  # fmt: skip
"""Word and frames a second; None runs flat out."""

_TRANSPORT = ("restart", "step_back", "play", "step_call", "step_frame", "loop")
_SLIDER_MAX = 1_000_000
_MOST_MARKS = 400
_LOST = frozenset({EventKind.DEVICE_LOST.value, EventKind.DEVICE_REMOVED.value})


class MarkedSlider(QSlider):
    """A slider with marks above its groove: amber for thrash and budget changes, red for loss."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._theme = theme
        self._marks: tuple[tuple[int, str], ...] = ()
        theme.changed.connect(self.update)

    @property
    def marks(self) -> tuple[tuple[int, str], ...]:
        """The shown marks: (frame, kind of event)."""
        return self._marks

    def set_marks(self, marks: tuple[tuple[int, str], ...]) -> None:
        """Show marks at frames."""
        if marks != self._marks:
            self._marks = marks
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the slider, then the marks."""
        super().paintEvent(event)
        span = max(self.maximum() - self.minimum(), 1)
        painter = QPainter(self)
        for frame, kind in self._marks[-_MOST_MARKS:]:
            x = 5 + (self.width() - 10) * frame / span
            colour = self._theme.colour("error" if kind in _LOST else "warn")
            painter.fillRect(QRectF(x, 0, 2, 4), colour)


def _say(words: QLabel, text: str) -> None:
    """Set a text that changes all the time; only one of another size makes the window lay itself out again."""
    if text == words.text():
        return
    words.setText(text)
    if words.sizeHint() != words.size():
        words.setFixedSize(words.sizeHint())


class Scrubber(QWidget):
    """Frame counter over a slider.

    Signals:
        sought: The frame that the user wants.
    """

    sought = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._frame, self._frames = 0, 0
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        head = QHBoxLayout()
        head.setSpacing(4)
        self._word = label("Frame", "small")
        self._counter = label("0", "strong", name="frame_counter")
        self._of = label("", "small", name="frame_of")
        self._right = ElidedLabel("", "small", name="frame_right")
        self._right.setAlignment(Qt.AlignmentFlag.AlignRight)
        for part in (self._word, self._counter, self._of):
            head.addWidget(part)
        head.addWidget(self._right, 1)
        self._slider = MarkedSlider(theme)
        self._slider.setObjectName("scrubber")
        self._slider.setAccessibleName("Frame")
        self._slider.setRange(0, 1)
        self._slider.valueChanged.connect(self._on_value)
        layout.addStretch(1)
        layout.addLayout(head)
        layout.addWidget(self._slider)
        layout.addStretch(1)

    def counter_text(self) -> str:
        """Return the frame counter, for example ``1,284 / 3,000``."""
        return f"{self._counter.text()} {self._of.text()}".strip()

    def right_text(self) -> str:
        """Return what stands over the right end, not cut: the frame's estimated time and the seed."""
        return self._right.text()

    def show_marks(self, marks: tuple[tuple[int, str], ...]) -> None:
        """Show what happened at which frame."""
        self._slider.set_marks(marks)

    def show_state(self, frame: int, frames: int, right: str) -> None:
        """Show where a run stands; ``frames`` 0 is an endless one."""
        self._frame, self._frames = frame, frames
        _say(self._counter, f"{frame:,}")
        _say(self._of, f"/ {frames:,}" if frames else "")
        if right != self._right.text():
            self._right.setText(right)
        self.setEnabled(frames > 0)
        if self._slider.isSliderDown():
            return
        self._slider.blockSignals(True)
        self._slider.setRange(0, min(max(frames, 1), _SLIDER_MAX))
        self._slider.setValue(min(frame, self._slider.maximum()))
        self._slider.blockSignals(False)

    @Slot(int)
    def _on_value(self, value: int) -> None:
        if value != self._frame:
            self.sought.emit(value)


class TopBar(QWidget):
    """The bar under the menus.

    Signals:
        sought: The frame that the user wants.
        speed_chosen: Frames a second, None flat out.
    """

    sought = Signal(object)
    speed_chosen = Signal(object)

    def __init__(self, workspace: Workspace, actions: ActionSet) -> None:
        super().__init__()
        self._workspace, self._actions = workspace, actions
        self._shown_playing: bool | None = None
        self.setObjectName("top_bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumHeight(workspace.theme.size("top_bar"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 0, 12, 0)
        layout.setSpacing(4)
        for name in _TRANSPORT:
            layout.addWidget(self._button(name))
        layout.addSpacing(8)
        self._speed = QComboBox()
        self._speed.setObjectName("speed")
        self._speed.setAccessibleName("Speed")
        self._speed.setToolTip(f"Frames a second of wall time; 1.0 × is {BASE_FRAMES_PER_S:.0f}")
        self._speed.addItems([word for word, _ in SPEEDS])
        self._speed.setCurrentText("1.0 ×")
        self._speed.setFixedWidth(92)
        self._speed.currentIndexChanged.connect(self._on_speed)
        layout.addWidget(self._speed)
        layout.addSpacing(8)
        self.scrubber = Scrubber(workspace.theme)
        self.scrubber.setMinimumWidth(130)
        self.scrubber.setMaximumWidth(300)
        self.scrubber.sought.connect(self.sought)
        layout.addWidget(self.scrubber, 2)
        layout.addSpacing(8)
        line = QFrame()
        line.setFixedWidth(1)
        line.setStyleSheet("")
        line.setProperty("vertical_line", True)
        layout.addWidget(line)
        layout.addSpacing(8)
        self.gauges = GaugeRow(workspace.theme)
        layout.addWidget(self.gauges, 6)
        layout.addSpacing(8)
        for name in ("undo", "redo"):
            layout.addWidget(self._button(name))
        workspace.run_state_changed.connect(self.show_state)

    @Slot(object)
    def show_snapshot(self, snapshot: Snapshot) -> None:
        """Show the gauges of a snapshot."""
        self.gauges.show_snapshot(snapshot)
        self.scrubber.show_marks(snapshot.history.marks if snapshot.history is not None else ())
        self._show_frame()

    @Slot(object)
    def show_state(self, state: RunState | None) -> None:
        """Show how the loop stands."""
        playing = state is not None and state.playing
        play = self._actions["play"]
        if play.isChecked() == playing and self._shown_playing == playing:
            # While it plays the frame is told with the snapshots, in the rhythm of the bar.
            if not playing:
                self._show_frame()
            return
        self._shown_playing = playing
        play.setChecked(playing)
        play.setIcon(self._workspace.theme.icon("pause" if playing else "play"))
        play.setText("Pause" if playing else "Play")
        self._show_frame()

    def _show_frame(self) -> None:
        snapshot, state = self._workspace.snapshot, self._workspace.run_state
        if snapshot is None:
            return
        if state is None:
            self.scrubber.show_state(snapshot.provenance.frame, 0, "imported, no time")
            return
        history = snapshot.history
        right = f"seed {snapshot.provenance.seed}"
        if history is not None and len(history.frame_ns):
            # The frame's own time, as the Timeline says it at the same frame.
            right = f"{format_ns(int(history.frame_ns[-1]))} est. · {right}"
        self.scrubber.show_state(snapshot.provenance.frame, state.frames, right)

    def _button(self, name: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"action_{name}")
        button.setProperty("tool", True)
        button.setIconSize(QSize(16, 16))
        button.setDefaultAction(self._actions[name])
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    @property
    def frames_per_second(self) -> float | None:
        """The chosen speed; None flat out."""
        return SPEEDS[self._speed.currentIndex()][1]

    @Slot(int)
    def _on_speed(self, index: int) -> None:
        self.speed_chosen.emit(SPEEDS[index][1])
