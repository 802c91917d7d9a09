"""Opens the rule browser and the table of Vulkan's terms, once each, from wherever a rule is named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Slot

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QDialog, QWidget

    from explorer.core.calls import CallRecord
    from explorer.ui.rule_browser import RuleBrowser
    from explorer.ui.vulkan_panel import VulkanPanel
    from explorer.ui.workspace import Workspace


class RulePages(QObject):
    """The dialogs about rules and terms; they stay open beside the window.

    Args:
        workspace: ``rule_requested`` opens the page of a rule.
        window: Their parent.
        described: Returns the call that the Create form shows.
    """

    def __init__(self, workspace: Workspace, window: QWidget, described: Callable[[], CallRecord | None]) -> None:
        super().__init__(window)
        self._workspace, self._window, self._described = workspace, window, described
        self._browser: RuleBrowser | None = None
        self._terms: VulkanPanel | None = None
        workspace.rule_requested.connect(self.show_rule)
        workspace.terms_requested.connect(self.show_terms)

    @Slot()
    def browse(self) -> RuleBrowser:
        """Open the rule browser as it was left."""
        if self._browser is None:
            # Imported here: the first paint needs no rules.
            from explorer.ui.rule_browser import RuleBrowser

            self._browser = RuleBrowser(self._workspace, self._window)
        _raise(self._browser)
        return self._browser

    @Slot(str)
    def show_rule(self, rule: str) -> None:
        """Open the page of a rule."""
        self.browse().show_rule(rule)

    @Slot()
    def show_terms(self) -> VulkanPanel:
        """Open the table of Vulkan's terms."""
        if self._terms is None:
            from explorer.ui.vulkan_panel import VulkanPanel

            self._terms = VulkanPanel(self._workspace, self._window, self._described)
        self._terms.follow()
        _raise(self._terms)
        return self._terms


def _raise(dialog: QDialog) -> None:
    dialog.setWindowModality(Qt.WindowModality.NonModal)
    dialog.show()
    dialog.raise_()
    dialog.activateWindow()
