"""What may change while a D3D12 device runs: policies, budgets, and what the system asks of the application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.units import parse_size
from explorer.device import d3d12_residency, segment_budget
from explorer.device.app_residency_device import AppResidency
from explorer.device.d3d12_lists import TABLE_MODES
from explorer.errors import CommandError, InputError
from explorer.rules.d3d12_access import available_for_reservation

if TYPE_CHECKING:
    from explorer.device.d3d12 import D3D12Device

OPTIONS = ("policy", "budget", "tables", "app_policy", "residency_mode", "trim")
TRIMS = ("periodic", "restart", "to-budget", "to-budget=SIZE")


def set_option(device: D3D12Device, name: str, value: str) -> None:
    """Change an option.

    Args:
        device: The device.
        name: ``policy`` (of the kernel), ``budget`` (``[GROUP=]SIZE``), ``app_policy``, ``residency_mode``,
            ``tables``, or ``trim``: the system notifies the application now (``periodic``, ``restart``,
            ``to-budget[=SIZE]``).
        value: Its value.

    Raises:
        CommandError: Unknown option or value.
    """
    if name == "policy":
        device.kernel.set_policy(value)
    elif name == "budget":
        segment_budget.set_budget(device, value)
        group = device.state.groups[segment_budget.budget_group(value)]
        group.available_for_reservation = available_for_reservation(group.budget or 0)
        d3d12_residency.notify(device, *segment_budget.budget_group(value))
        return
    elif name == "tables":
        check_tables(value)
    elif name in ("app_policy", "residency_mode"):
        _set_residency(device, name, value)
    elif name == "trim":
        _trim(device, value)
        return
    else:
        raise CommandError("this option cannot change while running", where=name, found=value, accepted=OPTIONS)
    device.options[name] = value


def check_tables(value: str) -> None:
    """Refuse what is no moment at which tables are read."""
    if value not in TABLE_MODES:
        raise CommandError("unknown moment", where="tables", found=value, accepted=TABLE_MODES)


def _set_residency(device: D3D12Device, name: str, value: str) -> None:
    policy = value if name == "app_policy" else device.app.policy
    mode = value if name == "residency_mode" else device.app.mode
    fresh = AppResidency.of(policy, mode)
    device.app = fresh
    heaps = device.state.heaps
    # The longest unused is taken in last, so that it stands in front.
    for row in sorted(device.heap_descs, key=lambda one: (-int(heaps["used_frame"][one]), one)):
        fresh.track(device, row, device.heap_descs[row])


def _trim(device: D3D12Device, value: str) -> None:
    how, _, size = value.partition("=")
    if how == "periodic":
        device.kernel.periodic_trim(device)
    elif how == "restart":
        device.kernel.restart_trim()
    elif how == "to-budget":
        device.kernel.trim_to_budget(device, _size(size) if size else None)
    else:
        raise CommandError("unknown trim", where="trim", found=value, accepted=TRIMS)


def _size(text: str) -> int:
    try:
        return parse_size(text)
    except InputError as error:
        message, accepted = error.complaint.message, error.complaint.accepted
        raise CommandError(message, where="trim", found=text, accepted=accepted) from error
