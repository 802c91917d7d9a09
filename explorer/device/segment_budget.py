"""A budget that changes while a device runs: another program came or went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.events import EventKind
from explorer.core.units import MAX_BYTES, parse_size
from explorer.errors import CommandError, InputError

if TYPE_CHECKING:
    from explorer.device.device import Device


def set_budget(device: Device, value: str) -> None:
    """Change a group's budget: ``GROUP@NODE=SIZE``, ``GROUP=SIZE`` for node 0, or ``SIZE`` for LOCAL of node 0.

    Raises:
        CommandError: No such group, or not a size.
    """
    size = value.rpartition("=")[2]
    state = device.state
    group = state.groups.get(budget_group(value))
    if group is None:
        accepted = tuple(name if node == 0 else f"{name}@{node}" for node, name in sorted(state.groups))
        raise CommandError("no such segment group", where="budget", found=value, accepted=accepted)
    try:
        budget = parse_size(size)
    except InputError as error:
        raise CommandError(
            error.complaint.message, where="budget", found=value, accepted=("[GROUP[@NODE]=]SIZE",)
        ) from error
    group.budget = min(budget, MAX_BYTES)
    device.options["budget"] = value
    text = f"The budget of {group.group} is now {budget:,} B."
    state.log.add(EventKind.BUDGET_CHANGED, group.group, size=budget, rule="d3d12.8.5c", text=text)
    state.check_budget(group)


def budget_group(value: str) -> tuple[int, str]:
    """Return the node and the group that a budget is for; node −1 where it is no number."""
    name, _, node = value.rpartition("=")[0].partition("@")
    return (int(node) if node.isdecimal() else -1 if node else 0), (name or "LOCAL").upper()
