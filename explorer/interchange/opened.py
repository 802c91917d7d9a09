"""What opening a file gives: the shape behind ``open --json`` (CLI contract, section 4)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from explorer.errors import ExplorerError
from explorer.interchange.session import Session
from explorer.sim.scenario import Scenario
from explorer.sim.snapshot import Snapshot
from explorer.tables.adapters import Adapter


class ImportCancelledError(ExplorerError):
    """The caller's ``cancelled`` said yes while a file was being read."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Sums over a layout, counted as the allocator libraries count. None: not stated.

    Attributes:
        blocks: Blocks of memory; a dedicated allocation is one.
        dedicated: Allocations that have a block of their own.
        allocations: Allocations, dedicated ones too.
        block_bytes: Bytes of all blocks.
        allocation_bytes: Bytes of all allocations.
        free_ranges: Unused ranges in blocks.
        free_bytes: ``block_bytes − allocation_bytes + overlap_bytes``.
        overlap_bytes: Bytes under more than one allocation, once for each further one.
    """

    blocks: int
    dedicated: int | None
    allocations: int
    block_bytes: int
    allocation_bytes: int
    free_ranges: int
    free_bytes: int
    overlap_bytes: int | None

    def differences(self, other: Layout) -> tuple[str, ...]:
        """Return the names of the figures that both state and that are not equal."""
        pairs = ((f.name, getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return tuple(name for name, one, two in pairs if one is not None and two is not None and one != two)


@dataclass(frozen=True, slots=True)
class HeapLayout:
    """The sums of one memory heap of the file.

    Attributes:
        name: As the file names it (``Heap 0``, ``L1``).
        kind: ``LOCAL``, ``NON_LOCAL``, ``VIRTUAL`` …
        layout: Sums.
    """

    name: str
    kind: str
    layout: Layout


@dataclass(frozen=True, slots=True)
class Repair:
    """Damage that was undone.

    Attributes:
        what: Stable id of the kind of damage.
        count: How often.
    """

    what: str
    count: int


@dataclass(frozen=True, slots=True)
class FileWarning:
    """Something in the file that was left out or is doubtful.

    Attributes:
        code: Stable id of the kind of problem.
        where: Key path.
        message: One sentence without the path.
        count: How often the same was found.
    """

    code: str
    where: str
    message: str
    count: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class OpenedFile:
    """A file that was read.

    Attributes:
        file: As it was given.
        format: Format id.
        format_version: Version, or the lowest one that writes what was found; None where the file does not tell.
        encoding: Encoding of its text.
        kind: ``layout``, ``adapter``, ``scenario``, ``session`` or ``snapshot``.
        detail: Whether single allocations are known; False: totals only, no map.
        snapshot: The layout; None where there is no map.
        totals: Sums of what was read.
        file_totals: What the file itself states.
        heaps: Sums of each memory heap.
        named: Allocations with a name.
        events: Kind of event → count.
        frames: Frames, or None.
        adapters: Adapters in the file, in order.
        scenario: The scenario, or None.
        session: The session, or None; ``snapshot`` is what it came to.
        repaired: What was repaired.
        warnings: What was left out or is doubtful.
        disagreements: Figures in which ``totals`` or a heap differ from the file's own.
    """

    file: str
    format: str
    format_version: str | None
    encoding: str
    kind: str
    detail: bool = False
    snapshot: Snapshot | None = None
    totals: Layout | None = None
    file_totals: Layout | None = None
    heaps: tuple[HeapLayout, ...] = ()
    named: int = 0
    events: dict[str, int] = field(default_factory=dict[str, int])
    frames: int | None = None
    adapters: tuple[Adapter, ...] = ()
    scenario: Scenario | None = None
    session: Session | None = None
    repaired: tuple[Repair, ...] = ()
    warnings: tuple[FileWarning, ...] = ()
    disagreements: tuple[str, ...] | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether the sums are those that the file states; None where it states none."""
        return None if self.disagreements is None else not self.disagreements


def opened_json(opened: OpenedFile) -> dict[str, Any]:
    """Return the object of ``open --json`` without ``schema`` and ``version``."""
    return {
        "file": opened.file,
        "format": opened.format,
        "format_version": opened.format_version,
        "encoding": opened.encoding,
        "kind": opened.kind,
        "detail": opened.detail,
        "totals": None if opened.totals is None else asdict(opened.totals),
        "file_totals": None if opened.file_totals is None else asdict(opened.file_totals),
        "agrees": opened.agrees,
        "heaps": [{"name": heap.name, "kind": heap.kind, **asdict(heap.layout)} for heap in opened.heaps],
        "named": opened.named,
        "events": opened.events,
        "frames": opened.frames,
        "adapters": [adapter.id for adapter in opened.adapters],
        "repaired": [asdict(repair) for repair in opened.repaired],
        "warnings": [asdict(warning) for warning in opened.warnings],
    }
