"""The list of scenarios with what each one teaches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.ui.controls import SidePanel, hairline, label
from explorer.ui.facts import link_text, set_linked

if TYPE_CHECKING:
    from explorer.ui.theme import Theme


class ScenarioList(QWidget):
    """All presets: title, what it teaches, API, length; the title opens it.

    Signals:
        scenario_wanted: Id of the scenario.
    """

    scenario_wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("tour_scenarios")
        self._theme = theme
        self._is_filled = False
        body = QWidget()
        self._list = QVBoxLayout(body)
        self._list.setContentsMargins(12, 8, 12, 12)
        self._list.setSpacing(6)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(SidePanel(body, 12))

    def showEvent(self, event: object) -> None:
        """Read the presets when they are first looked at: some dozens of files."""
        if self._is_filled:
            return
        self._is_filled = True
        from explorer.sim.scenarios import scenario_ids, scenario_info

        for index, name in enumerate(scenario_ids()):
            info = scenario_info(name)
            if index:
                self._list.addWidget(hairline())
            title = label("", wrap=True, name=f"tour_open_{name}")
            set_linked(title, True)
            title.setText(link_text(name, info.title))
            title.setToolTip(f"Open {name}: {info.api}, {info.adapter}, {info.frames:,} frames")
            title.linkActivated.connect(self.scenario_wanted)
            self._list.addWidget(title)
            self._list.addWidget(label(info.teaches, "small", wrap=True))
            self._list.addWidget(label(f"{info.api} · {info.adapter} · {info.frames:,} frames", "third"))
        self._list.addStretch(1)
