"""What the steps of tours claim, each with the run's own answer: the table that ``test_tours`` goes through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.columns import HEAP_GONE
from explorer.core.kinds import HeapKind
from explorer.core.units import GIB, KIB, MIB
from explorer.device import cost
from explorer.sim.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.events import Event


@dataclass(frozen=True, slots=True)
class Shot:
    """A run at a step of its tour.

    Attributes:
        scenario: Its id.
        snapshot: What stands then.
        frame: Frames run.
    """

    scenario: str
    snapshot: Snapshot
    frame: int

    def last(self, kind: str, rule: str = "") -> list[Event]:
        """Return the events of the last frame of a kind, and of a rule if one is given."""
        frame = max(self.frame - 1, 0)
        events = [event for event in self.snapshot.events if event.frame == frame and event.kind == kind]
        return [event for event in events if not rule or event.rule == rule]

    def total(self, kind: str) -> int:
        """Return how many events of a kind there were."""
        return self.snapshot.event_counts[kind]

    def usage(self, group: str) -> int:
        """Return the bytes that a segment group uses, of all nodes."""
        return sum(one.usage_bytes for one in self.snapshot.groups if one.group == group)

    def budget(self, group: str) -> int:
        """Return the budget of a segment group of node 0."""
        return next(one.budget_bytes or 0 for one in self.snapshot.groups if one.group == group)

    def row(self, name: str) -> int:
        """Return the index of a resource."""
        return self.snapshot.resources.names.index(name)

    def size(self, name: str) -> int:
        """Return the bytes that a resource holds."""
        return int(self.snapshot.resources.size[self.row(name)])

    def repeated_tiles(self, name: str) -> int:
        """Return the tiles of a reserved resource that one heap tile stands behind."""
        tiles = self.snapshot.tiles
        return int(tiles.count[(tiles.resource == self.row(name)) & (tiles.step == 0)].sum())

    def lost_tiles(self, name: str) -> int:
        """Return the tiles of a reserved resource whose heap is gone."""
        tiles = self.snapshot.tiles
        return int(tiles.count[(tiles.resource == self.row(name)) & (tiles.heap == HEAP_GONE)].sum())

    def asked(self, name: str) -> int:
        """Return the bytes that a resource needs."""
        return int(self.snapshot.resources.asked[self.row(name)])

    def groups_of(self, name: str) -> list[str]:
        """Return the groups of the segments in which a resource's blocks lie."""
        blocks = self.snapshot.blocks
        return [self.snapshot.segments[int(at)].group for at in blocks.segment[blocks.resource == self.row(name)]]

    def segment_of(self, name: str) -> str:
        """Return the segment of a resource's first block."""
        blocks = self.snapshot.blocks
        return self.snapshot.segments[int(blocks.segment[blocks.resource == self.row(name)][0])].name

    def frame_ns(self, frame: int) -> int:
        """Return the estimated time of a frame."""
        assert self.snapshot.history is not None
        return int(self.snapshot.history.frame_ns[frame])

    def heaps(self, kind: HeapKind) -> int:
        """Return the bytes of heaps of a kind."""
        heaps = self.snapshot.heaps
        return int(heaps.size[heaps.kind == int(kind)].sum())


def mib(value: int) -> str:
    """Return bytes in MiB as tours write them: whole where they are whole."""
    return f"{value // MIB:,} MiB" if value % MIB == 0 else f"{value / MIB:.1f} MiB"


def gib(value: int) -> str:
    """Return bytes in GiB with one decimal."""
    return f"{value / GIB:.1f} GiB"


def words(count: int) -> str:
    """Return a small number as a word."""
    return ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")[count]


Claim = tuple[str, "Callable[[Shot], object]"]
"""A part of a tour's text, and what the run says: True, or the values for its places."""

TOURS: dict[tuple[str, int], list[Claim]] = {
    ("d3d11-command-lists", 2): [
        ("the list switches to the new memory", lambda s: len(s.groups_of("Skinning 0")) == 2),
    ],
    ("d3d11-command-lists", 12): [
        ("their update went through command storage",
         lambda s: "command storage" in s.last("uploaded", "d3d11.P5.7")[0].text),
    ],
    ("d3d11-command-lists", 121): [("Terrain 0 was released", lambda s: len(s.last("changed", "d3d11.D10.5")) == 1)],
    ("d3d11-command-lists", 201): [("One draw read and wrote", lambda s: len(s.last("hazard", "d3d11.U1.8")) == 1)],
    ("d3d11-dynamic-ring", 1): [
        ("{} are DYNAMIC", lambda s: mib(s.usage("NON_LOCAL"))),
        ("when the {}th buffer was made", lambda s: s.last("hazard")[0].size_bytes // s.size("Few 00")),
    ],
    ("d3d11-dynamic-ring", 152): [
        ("{} buffers are discarded in a frame", lambda s: len(s.last("renamed"))),
        ("pass 64 MiB", lambda s: s.last("hazard")[0].size_bytes > 64 * MIB),
    ],
    ("d3d11-dynamic-ring", 405): [
        ("All {}", lambda s: len(s.last("renamed"))),
        ("in every second frame", lambda s: s.total("stalled") == 2),
    ],
    ("d3d11-game-hd7970", 3): [("each of the {} got other memory", lambda s: len(s.last("renamed")))],
    ("d3d11-game-hd7970", 7): [("nothing waited", lambda s: s.total("stalled") == 0)],
    ("d3d11-game-hd7970", 17): [("a second block", lambda s: len(s.groups_of("Vertex ring")) == 2)],
    ("d3d11-staging-readback", 20): [("no stall", lambda s: s.total("stalled") == 0)],
    ("d3d11-staging-readback", 210): [("Three waits so far", lambda s: s.total("stalled") == 3)],
    ("d3d11-staging-readback", 410): [
        ("Reading write-combined memory: no wait",
         lambda s: {e.rule for e in s.snapshot.events if e.kind == "stalled" and e.frame > 400} == {"device.wc-read"}),
    ],
    ("d3d12-aliasing-render-graph", 1): [("second owner of its bytes", lambda s: s.total("aliased") == 4)],
    ("d3d12-background-trim", 151): [("takes nothing", lambda s: s.total("notified") == 1 and s.total("trimmed") == 0)],
    ("d3d12-background-trim", 351): [
        ("Only one heap is in use",
         lambda s: int((s.snapshot.heaps.resident & (s.snapshot.heaps.size == 128 * MIB)).sum()) == 1),
    ],
    ("d3d12-background-trim", 505): [("each heap is paged in when it is used", lambda s: s.total("paged_in") > 4)],
    ("d3d12-budget-drop", 185): [
        ("{} textures of normal priority were demoted", lambda s: s.total("demoted")),
        ("the hero textures stay", lambda s: not [e for e in s.snapshot.events if e.kind == "demoted" and "ero" in
                                                  e.subject]),
    ],
    ("d3d12-console-two-speeds", 1): [
        ("Everything lies in the fast part", lambda s: s.total("misplaced") == 0),
    ],
    ("d3d12-console-two-speeds", 215): [("reported as misplaced", lambda s: len(s.last("misplaced")) == 1)],
    ("d3d12-console-two-speeds", 240): [
        ("read at {} GB/s instead of {}",
         lambda s: sorted(one.gpu_bandwidth // 10**9 for one in s.snapshot.segments if one.group == "LOCAL")),
        ("The second level", lambda s: s.segment_of("Level two texture 7").startswith("standard")),
    ],
    ("d3d12-descriptor-ring", 310): [("some copies are refused", lambda s: 0 < len(s.last("refused")) < 3)],
    ("d3d12-gpu-upload-heaps", 5): [
        ("Each mesh exists twice", lambda s: s.heaps(HeapKind.UPLOAD) == s.heaps(HeapKind.DEFAULT) - s.size("Target")),
    ],
    ("d3d12-gpu-upload-heaps", 260): [
        ("1,792 MiB of heaps became {}", lambda s: mib(s.usage("LOCAL") - s.size("Target"))),
        ("1,792 MiB", lambda s: 2 * (s.usage("LOCAL") - s.size("Target")) == 1792 * MIB),
    ],
    ("d3d12-gpu-upload-heaps", 452): [
        ("was put into system memory", lambda s: len(s.last("misplaced", "kernel.upload-fallback")) == 1),
    ],
    ("d3d12-gtx970-slow-half-gigabyte", 1): [
        ("a shadow map and the target were misplaced", lambda s: s.total("misplaced") == 2),
        ("into the slow one", lambda s: "slow" in s.segment_of("Scene colour")),
    ],
    ("d3d12-gtx970-slow-half-gigabyte", 302): [
        ("into the fast segment", lambda s: "fast" in s.segment_of("Scene colour")),
        ("less GPU time", lambda s: s.frame_ns(301) < s.frame_ns(299)),
    ],
    ("d3d12-hybrid-laptop", 1): [("lies in system memory", lambda s: s.groups_of("Shared picture 0") == ["NON_LOCAL"])],
    ("d3d12-hybrid-laptop", 60): [
        ("One picture of {} MiB crosses", lambda s: s.last("changed", "device.copy")[0].size_bytes // MIB),
    ],
    ("d3d12-linked-nodes", 20): [("over the bus", lambda s: len(s.last("changed", "kernel.cross-node")) == 1)],
    ("d3d12-linked-nodes", 302): [("mark the hazard", lambda s: len(s.last("hazard", "kernel.not-visible")) == 1)],
    ("d3d12-msaa-alignment", 1): [
        ("A large preview holds {} of texels", lambda s: mib(s.asked("Large preview 0"))),
        ("takes {}: whole 4 MiB", lambda s: mib(s.size("Large preview 0"))),
        ("whole {}.", lambda s: mib(int(s.snapshot.blocks.alignment[
            s.snapshot.blocks.resource == s.row("Large preview 0")][0]))),
    ],
    ("d3d12-msaa-alignment", 2): [
        ("A small preview holds {} of texels", lambda s: mib(s.asked("Small preview 0, 4 MiB"))),
        ("it takes {}, asked", lambda s: mib(s.size("Small preview 0, 4 MiB"))),
        ("with 64 KiB it takes {}", lambda s: mib(s.size("Small preview 0, 64 KiB"))),
    ],
    ("d3d12-msaa-alignment", 3): [
        ("holds {} KiB of texels and takes {} KiB",
         lambda s: (s.asked("Colour table 00") // KIB, s.size("Colour table 00") // KIB)),
    ],
    ("d3d12-one-budget-and-two", 5): [
        ("created, {} in both groups", lambda s: gib(
            s.heaps(HeapKind.UPLOAD) + s.heaps(HeapKind.DEFAULT))),
        ("{} heaps left that no frame had used", lambda s: s.total("evicted")),
    ],
    ("d3d12-one-budget-and-two", 150): [
        ("video memory is half empty", lambda s: 2 * s.usage("LOCAL") < s.budget("LOCAL")),
        ("Heaps that were idle for a second leave", lambda s: s.total("evicted") > 20),
    ],
    ("d3d12-one-budget-and-two", 320): [
        ("nothing has to leave any more", lambda s: not [
            e for e in s.snapshot.events if e.kind == "evicted" and e.frame > 301]),
    ],
    ("d3d12-oversubscribed-plain", 3): [("are demoted to system memory", lambda s: s.total("demoted") > 0)],
    ("d3d12-oversubscribed-plain", 120): [
        ("nothing comes home", lambda s: s.total("paged_in") == 0 and s.usage("LOCAL") == s.budget("LOCAL")),
        ("more than three times as long", lambda s: max(s.frame_ns(at) for at in range(60, 120)) > 3 * min(
            s.frame_ns(at) for at in range(60, 120))),
    ],
    ("d3d12-oversubscribed-priorities", 120): [
        ("are the ones that leave",
         lambda s: {e.subject[:3] for e in s.snapshot.events if e.kind == "demoted"} == {"Far"}),
    ],
    ("d3d12-residency-library", 1): [
        ("{} GiB of heaps were created", lambda s: sum(e.size_bytes for e in s.last("allocated")) // GIB),
        ("the kernel demoted {} that", lambda s: s.total("demoted")),
        ("the library evicted {} that no frame", lambda s: s.total("evicted")),
    ],
    ("d3d12-residency-library", 150): [
        ("The camera brought {} heaps back", lambda s: s.total("made_resident")),
        ("At {} % pressure", lambda s: 100 * s.usage("LOCAL") // s.budget("LOCAL")),
        ("none was idle for so long", lambda s: not [e for e in s.snapshot.events if e.kind == "evicted" and e.frame]),
    ],
    ("d3d12-residency-library", 250): [
        ("a heap for each one that comes", lambda s: len(
            [e for e in s.snapshot.events if e.kind == "demoted" and e.frame > 200]) == len(
            [e for e in s.snapshot.events if e.kind == "made_resident" and e.frame > 200])),
    ],
    ("d3d12-residency-library", 420): [
        ("sees {} GiB of budget in both groups", lambda s: round((s.budget("LOCAL") + s.budget("NON_LOCAL")) / GIB)),
    ],
    ("d3d12-rtv-slot-reuse", 1): [
        ("It was written {} times in this frame", lambda s: words(len(s.last("changed", "device.captured")))),
    ],
    ("d3d12-rtv-slot-reuse", 201): [
        ("was overwritten after", lambda s: len(s.last("hazard", "device.table-read")) == 1),
    ],
    ("d3d12-rtv-slot-reuse", 405): [("does no harm", lambda s: not s.last("hazard"))],
    ("d3d12-streaming-reserved-resources", 1): [
        ("{} of address space", lambda s: gib(64 * s.size("Reserved 00"))),
        ("and {} of memory", lambda s: mib(sum(e.size_bytes for e in s.last("changed", "d3d12.6.6a")))),
    ],
    ("d3d12-streaming-reserved-resources", 401): [("share tiles", lambda s: len(s.last("changed", "d3d12.6.6g")) == 1)],
    ("d3d12-streaming-reserved-resources", 431): [
        ("behind all {} tiles", lambda s: s.repeated_tiles("Reserved 02")),
        ("64 KiB in place of {}", lambda s: mib(s.repeated_tiles("Reserved 02") << 16)),
    ],
    ("d3d12-streaming-reserved-resources", 461): [
        ("under {} tiles", lambda s: s.lost_tiles("Parked")),
        ("Nothing happens", lambda s: not s.last("hazard") and not s.last("device_removed")),
    ],
    ("d3d12-uma-coherent-zero-copy", 10): [
        ("the event says that it is needless", lambda s: len(s.last("changed", "device.needless-copy")) == 1),
    ],
    ("d3d12-uma-coherent-zero-copy", 210): [
        ("nothing is copied any more", lambda s: not [e for e in s.snapshot.events if e.kind == "uploaded" and
                                                      e.frame >= 200]),
    ],
    ("d3d12-uma-coherent-zero-copy", 410): [
        ("at half the rate", lambda s: cost.cpu_ns(MIB, "WC", reads=False) // cost.cpu_ns(MIB, "WB", reads=False) == 2),
    ],
    ("d3d12-uma-coherent-zero-copy", 591): [
        ("{} at an eightieth", lambda s: mib(s.last("stalled", "device.wc-read")[0].size_bytes)),
        ("an eightieth of the speed", lambda s: cost.cpu_ns(MIB, "WC", reads=True) // cost.cpu_ns(MIB, "WB", reads=True)
         == 80),
    ],
    ("d3d12-upload-heaps-discrete", 2): [
        ("Two gauges fill", lambda s: s.usage("LOCAL") == s.usage("NON_LOCAL") > 0),
    ],
    ("d3d12-upload-heaps-uma", 2): [("One gauge holds both halves", lambda s: s.usage("NON_LOCAL") == 0)],
    ("d3d12-warp", 1): [("Every heap type lies in system memory", lambda s: s.usage("NON_LOCAL") == 0)],
    ("d3d9-agp-random-writes", 150): [("The same bytes in order", lambda s: s.frame_ns(149) < s.frame_ns(49) // 2)],
    ("d3d9-agp-random-writes", 295): [
        ("every read goes to memory", lambda s: len(s.last("stalled", "device.wc-read")) > 0),
    ],
    ("d3d9-copies", 1): [
        ("a sprite of {} KiB came over the bus", lambda s: min(e.size_bytes for e in s.last("uploaded")) // KIB),
    ],
    ("d3d9-default-first", 101): [
        ("nothing is uploaded", lambda s: not s.last("uploaded") and not s.last("evicted")),
    ],
    ("d3d9-default-last", 101): [
        ("{} targets were created", lambda s: words(len(s.last("created"))).capitalize()),
        ("until a gap of {} happened to be there", lambda s: mib(s.size("Effect target 0"))),
        ("a good part of the castle", lambda s: len(s.last("uploaded")) > 20),
    ],
    ("d3d9-device-loss", 101): [
        ("The device is lost", lambda s: len(s.last("device_lost")) == 1),
        ("the masters went to the page file", lambda s: len(s.last("paged_out")) > 100),
    ],
    ("d3d9-device-loss", 133): [
        ("uploads of everything that is drawn, and the page file before", lambda s: s.last("uploaded") and s.last(
            "paged_in") and s.frame_ns(132) == max(s.frame_ns(at) for at in range(133))),
    ],
    ("d3d9-driver-managed", 101): [
        ("the driver freed", lambda s: {e.rule for e in s.last("evicted")} == {"d3d9.R5.15"}),
    ],
    ("d3d9-ex-virtual-memory", 0): [("lies in non-local memory", lambda s: s.groups_of("Portrait 0") == ["NON_LOCAL"])],
    ("d3d9-ex-virtual-memory", 73): [("They stay", lambda s: s.groups_of("Portrait 0") == ["LOCAL"])],
    ("d3d9-ex-virtual-memory", 152): [("nothing was loaded again", lambda s: not s.last("paged_in"))],
    ("d3d9-hints-in-software", 0): [
        ("lie in system memory", lambda s: s.groups_of("Character 0") == ["SYSTEM"]),
        ("The props and the sparks lie in video memory", lambda s: s.groups_of("Prop 0") == ["LOCAL"]),
    ],
    ("d3d9-hints-in-software", 61): [
        ("then moved to system memory", lambda s: len(s.last("demoted", "d3d9.R3.3")) == 8),
    ],
    ("d3d9-ignored-advice", 100): [
        ("in every frame", lambda s: len(s.last("created")) == len(s.last("released")) == 20),
    ],
    ("d3d9-ignored-advice", 160): [
        ("locked {} times in a frame", lambda s: words(len(s.last("uploaded", "d3d9.R6.3")))),
        ("the first lock of each frame waits", lambda s: len(s.last("stalled", "d3d9.R6.2")) == 1),
    ],
    ("d3d9-ignored-advice", 210): [("the draw goes without it", lambda s: len(s.last("hazard", "d3d9.R2.17")) == 1)],
    ("d3d9-ignored-advice", 310): [
        ("was never drawn", lambda s: int(s.snapshot.resources.used_frame[s.row("Next room 00")]) < 0
         and "LOCAL" in s.groups_of("Next room 00")),
    ],
    ("d3d9-level-change", 401): [("push forest textures out", lambda s: len(s.last("evicted")) > 4)],
    ("d3d9-level-load", 0): [
        ("the buffers of the screen only", lambda s: s.groups_of("Level texture 000") == ["SYSTEM"]),
    ],
    ("d3d9-level-load", 30): [("PreLoad uploads {} textures in each frame", lambda s: words(len(s.last("uploaded"))))],
    ("d3d9-level-load", 121): [
        ("the slowest frame of the run", lambda s: s.frame_ns(120) == max(s.frame_ns(at) for at in range(121))),
    ],
    ("d3d9-mixed-pools", 151): [
        ("no gap of {}", lambda s: mib(s.last("refused", "alloc.fragmented")[0].size_bytes)),
        ("the back plate lies in AGP memory", lambda s: s.groups_of("Back plate") == ["NON_LOCAL"]),
    ],
    ("d3d9-priorities", 98): [
        ("All priorities are 0", lambda s: not s.snapshot.resources.priority.any()),
    ],
    ("d3d9-priorities", 110): [
        ("The heroes have priority {}", lambda s: int(s.snapshot.resources.priority[s.row("Hero 0")])),
    ],
    ("d3d9-priorities", 210): [("Back to {}", lambda s: int(s.snapshot.resources.priority[s.row("Hero 0")]))],
    ("d3d9-thrash", 1): [("it evicts the most recently used", lambda s: len(s.last("evicted", "d3d9.R5.8")) > 0)],
    ("d3d9-thrash", 100): [
        ("Every frame turns to MRU once", lambda s: s.total("lru_to_mru") == 100),
        ("Most of the set stays", lambda s: 3 * len(s.last("uploaded")) < 63),
    ],
    ("d3d9-thrash", 152): [("nothing is uploaded any more", lambda s: not s.last("uploaded"))],
    ("d3d9-uma-chipset", 60): [
        ("in the same chips twice", lambda s: sorted(s.groups_of("Wall 000")) == ["LOCAL", "SYSTEM"]),
    ],
    ("d3d9-vertex-ring-discard", 5): [("handed out a second block", lambda s: len(s.groups_of("Particle ring")) == 2)],
    ("d3d9-vertex-ring-discard", 200): [("not one lock has waited", lambda s: s.total("stalled") == 0)],
    ("d3d9-vertex-ring-plain", 2): [
        ("The lock waited for the GPU", lambda s: len(s.last("stalled", "d3d9.R6.2")) == 1),
    ],
    ("d3d9-vertex-ring-plain", 200): [("A stall in every frame", lambda s: s.total("stalled") == 199)],
    ("d3d9-video-updatetexture", 1): [
        ("by UpdateTexture: {}.", lambda s: mib(s.last("uploaded", "d3d9.R7.11")[0].size_bytes)),
    ],
    ("d3d9-video-updatetexture", 50): [("a short wait", lambda s: len(s.last("stalled", "d3d9.R2.4")) == 1)],
    ("d3d9-video-updatetexture", 101): [
        ("was copied: {} KiB", lambda s: s.last("uploaded", "d3d9.R7.11")[0].size_bytes // KIB),
    ],
    ("d3d9-write-only", 10): [
        ("a megabyte was read back first", lambda s: [e.size_bytes for e in s.last("stalled", "d3d9.R3.5")] == [MIB]),
    ],
    ("xg-usage-chooser", 6): [("{} requests were refused", lambda s: words(len(s.last("refused"))).capitalize())],
    ("xg-usage-chooser", 301): [
        ("its contents are not promised", lambda s: len(s.last("hazard", "device.stale-read")) == 1),
    ],
}  # fmt: skip

GIVEN: dict[tuple[str, int], str] = {
    ("d3d12-hundred-thousand", 3): "64",
    ("d3d12-linked-nodes", 20): "0 1",
    ("d3d12-linked-nodes", 302): "1",
    ("d3d12-bindless-million", 30): "4,096 244",
    ("d3d12-descriptor-ring", 10): "200",
    ("d3d12-descriptor-ring", 310): "600",
    ("d3d12-bindless-staging-descriptors", 20): "64",
    ("d3d9-priorities", 210): "5",
    ("d3d12-msaa-alignment", 2): "64",
}
"""Figures that the scenario itself asks for, or that follow from what it asks for alone."""
