"""A budget that changes while a device runs: another program came or went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.events import EventKind
from explorer.core.units import MAX_BYTES, parse_size
from explorer.errors import CommandError, InputError

if TYPE_CHECKING:
    from explorer.device.device import Device


def set_budget(device: Device, value: str) -> None:
    """Change a group's budget: ``GROUP=SIZE``, or ``SIZE`` for LOCAL of node 0.

    Raises:
        CommandError: No such group, or not a size.
    """
    name, _, size = value.rpartition("=")
    state = device.state
    group = state.groups.get((0, (name or "LOCAL").upper()))
    if group is None:
        accepted = tuple(sorted({of for _, of in state.groups}))
        raise CommandError("no such segment group", where="budget", found=value, accepted=accepted)
    try:
        budget = parse_size(size)
    except InputError as error:
        raise CommandError(error.complaint.message, where="budget", found=value, accepted=("[GROUP=]SIZE",)) from error
    group.budget = min(budget, MAX_BYTES)
    device.options["budget"] = value
    text = f"The budget of {group.group} is now {budget:,} B."
    state.log.add(EventKind.BUDGET_CHANGED, group.group, size=budget, rule="d3d12.8.5b", text=text)
    state.check_budget(group)
