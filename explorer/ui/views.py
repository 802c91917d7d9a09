"""The views of the window in one hand-written tuple: menus, docks, screenshots and tests read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from explorer.ui.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ViewSpec:
    """A view.

    Attributes:
        id: Its name, also on the command line.
        title: What its tab says.
        area: ``centre``, or the dock area ``left_top left_bottom right bottom_left bottom_right``.
        shortcut: Brings it to the front.
        make: Makes the widget; it has ``show_snapshot(snapshot)``, and ``set_theme(name)`` where it
            does not follow the theme by itself.
        early: Whether it is made soon after the first paint although nobody looks at it: its tab carries a count,
            or it answers the simulation.
    """

    id: str
    title: str
    area: str
    shortcut: str
    make: Callable[[Workspace], QWidget]
    early: bool = False


def _map(workspace: Workspace) -> QWidget:
    from explorer.ui.memory_map import MemoryMapView

    view = MemoryMapView()
    view.set_theme(workspace.theme.name)
    return view


def _device(workspace: Workspace) -> QWidget:
    from explorer.ui.device_view import DeviceView

    return DeviceView(workspace)


def _create(workspace: Workspace) -> QWidget:
    from explorer.ui.create_view import CreateView

    return CreateView(workspace)


def _resources(workspace: Workspace) -> QWidget:
    from explorer.ui.resources_view import ResourcesView

    return ResourcesView(workspace)


def _inspector(workspace: Workspace) -> QWidget:
    from explorer.ui.inspector_view import InspectorView

    return InspectorView(workspace)


def _events(workspace: Workspace) -> QWidget:
    from explorer.ui.events_view import EventsView

    return EventsView(workspace)


def _descriptors(workspace: Workspace) -> QWidget:
    from explorer.ui.descriptors_view import DescriptorsView

    return DescriptorsView(workspace)


def _policies(workspace: Workspace) -> QWidget:
    from explorer.ui.policies_view import PoliciesView

    return PoliciesView(workspace)


def _subresources(workspace: Workspace) -> QWidget:
    from explorer.ui.subresources_view import SubresourcesView

    return SubresourcesView(workspace)


def _timeline(workspace: Workspace) -> QWidget:
    from explorer.ui.timeline_view import TimelineView

    return TimelineView(workspace)


def _advisor(workspace: Workspace) -> QWidget:
    from explorer.ui.advisor_view import AdvisorView

    return AdvisorView(workspace)


def _tour(workspace: Workspace) -> QWidget:
    from explorer.ui.tour_view import TourView

    return TourView(workspace)


VIEWS: tuple[ViewSpec, ...] = (
    ViewSpec("device", "Device", "left_top", "Alt+1", _device),
    ViewSpec("create", "Create", "left_bottom", "Alt+2", _create),
    ViewSpec("map", "Memory map", "centre", "Alt+3", _map),
    ViewSpec("timeline", "Timeline", "bottom_left", "Alt+9", _timeline),
    ViewSpec("resources", "Resources", "bottom_left", "Alt+4", _resources, early=True),
    ViewSpec("inspector", "Inspector", "right", "Alt+5", _inspector),
    ViewSpec("events", "Events", "bottom_right", "Alt+6", _events, early=True),
    ViewSpec("advisor", "Advisor", "bottom_right", "Alt+A", _advisor, early=True),
    ViewSpec("tour", "Tour", "left_bottom", "Alt+T", _tour),
    ViewSpec("policies", "Policies", "right", "Alt+0", _policies),
    ViewSpec("descriptors", "Descriptors", "centre", "Alt+7", _descriptors),
    ViewSpec("subresources", "Subresources", "centre", "Alt+8", _subresources),
)
"""All views, in the order of menus."""


def view_ids() -> tuple[str, ...]:
    """Return the ids of all views."""
    return tuple(view.id for view in VIEWS)
