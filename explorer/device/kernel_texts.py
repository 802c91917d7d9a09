"""The sentences of the kernel memory manager's events, for those that a kernel wrote down as numbers, too."""

from __future__ import annotations

OVER_BUDGET = "because the group is over its budget"
"""Why something leaves when a budget asks for it."""


def for_room(size: int) -> str:
    """Return why something leaves when a heap asks for its bytes."""
    return f"to make room for {size:,} B"


def evicted(name: str, source: str, why: str) -> str:
    """Return the sentence of a heap that lost its memory."""
    return f"{name} left {source} {why}."


def paged_out(name: str, size: int, target: str) -> str:
    """Return the sentence of bytes that went to a segment that the GPU does not reach."""
    return f"{name}: {size:,} B went to {target}."


def went_to_file(name: str, size: int, target: str) -> str:
    """Return the sentence of bytes that system memory had no room for."""
    return f"{name}: system memory is full, {size:,} B went on to {target}."


def paged_in(name: str, size: int, source: str, target: str) -> str:
    """Return the sentence of bytes that came in."""
    return f"{name}: {size:,} B came from {source} to {target}."


def came_beside(name: str, size: int, source: str, target: str) -> str:
    """Return the sentence of bytes that came in beside their own segment."""
    return f"{name}: {size:,} B came from {source} to {target}, for this frame needs all that lies in its own segment."


def came_back(name: str, size: int, target: str) -> str:
    """Return the sentence of a demoted heap that came home."""
    return f"{name}: {size:,} B came back to {target} on use."


def demoted(name: str, size: int, source: str, target: str, why: str) -> str:
    """Return the sentence of a heap that left for the segment below."""
    return f"{name}: {size:,} B were demoted from {source} to {target} {why}."


def over_budget(group: str, node: int, usage: int, budget: int) -> str:
    """Return the sentence of a group that went over its budget."""
    return f"{group} of node {node}: {usage:,} B in use, budget {budget:,} B."


def within_budget(group: str, node: int) -> str:
    """Return the sentence of a group that is within its budget again."""
    return f"{group} of node {node} is within its budget again."


def frozen(group: str, excess: int) -> str:
    """Return the sentence of an application that is frozen."""
    return f"{group}: one frame needs {excess:,} B more than the budget; the application is frozen meanwhile."
