"""A D3D9 device and short ways to call it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from explorer.core.calls import CallRecord
from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.tables.adapters import adapter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.events import Event
    from explorer.device.d3d9 import D3D9Device
    from explorer.device.outcome import Outcome

MB = 1 << 20
FULL_SCREEN = {
    "BackBufferWidth": 1024, "BackBufferHeight": 768, "BackBufferFormat": "D3DFMT_X8R8G8B8", "BackBufferCount": 2,
    "Windowed": False, "EnableAutoDepthStencil": True, "AutoDepthStencilFormat": "D3DFMT_D24S8",
}  # fmt: skip
WINDOW = {"Windowed": True}


class Desk:
    """A device on an adapter; every call must be well-formed, its answer is the caller's business."""

    def __init__(self, adapter_id: str = "r9700pro", api: str = "d3d9", **options: str) -> None:
        self.api = api
        self.state = MemoryState(adapter(adapter_id), "tlsf")
        self.device = cast("D3D9Device", make_device(api, self.state, options))

    def call(self, name: str, inputs: dict[str, Any] | None = None, out: str | None = None) -> Outcome:
        return self.device.apply(CallRecord(self.api, name, inputs or {}, out))

    def ok(self, name: str, inputs: dict[str, Any] | None = None, out: str | None = None) -> Outcome:
        outcome = self.call(name, inputs, out)
        assert outcome.succeeded, (name, outcome.hr, outcome.reasons)
        return outcome

    # Creation ------------------------------------------------------------------------------------------------

    def start(self, parameters: dict[str, Any] | None = None, *flags: str) -> Outcome:
        name = "CreateDeviceEx" if self.api == "d3d9ex" else "CreateDevice"
        behaviour = ["D3DCREATE_MIXED_VERTEXPROCESSING", *(f"D3DCREATE_{flag}" for flag in flags)]
        return self.ok(name, {"pPresentationParameters": parameters or FULL_SCREEN, "BehaviorFlags": behaviour}, "D")

    def texture(
        self, name: str, pool: str = "MANAGED", size: int = 512, form: str = "A8R8G8B8", *, usage: str = "",
        levels: int = 1,
    ) -> Outcome:  # fmt: skip
        return self.call("CreateTexture", {
            "Width": size, "Height": size, "Levels": levels, "Usage": flags("D3DUSAGE", usage),
            "Format": f"D3DFMT_{form}", "Pool": f"D3DPOOL_{pool}",
        }, name)  # fmt: skip

    def buffer(self, name: str, pool: str = "DEFAULT", length: int = MB, usage: str = "") -> Outcome:
        inputs = {"Length": length, "Usage": flags("D3DUSAGE", usage), "FVF": 0, "Pool": f"D3DPOOL_{pool}"}
        return self.call("CreateVertexBuffer", inputs, name)

    def target(self, name: str, size: int = 512, *, lockable: bool = False) -> Outcome:
        inputs = {"Width": size, "Height": size, "Format": "D3DFMT_X8R8G8B8", "Lockable": lockable}
        return self.call("CreateRenderTarget", inputs, name)

    def plain(self, name: str, pool: str = "DEFAULT", size: int = 512) -> Outcome:
        inputs = {"Width": size, "Height": size, "Format": "D3DFMT_X8R8G8B8", "Pool": f"D3DPOOL_{pool}"}
        return self.call("CreateOffscreenPlainSurface", inputs, name)

    # Use -----------------------------------------------------------------------------------------------------

    def draw(self, *names: str, writes: tuple[str, ...] = ()) -> Outcome:
        return self.call("DrawPrimitive", {"references": list(names), "writes": list(writes)})

    def frame(self, *names: str, writes: tuple[str, ...] = ()) -> Outcome:
        self.ok("BeginScene")
        outcome = self.draw(*names, writes=writes)
        self.ok("EndScene")
        self.call("Present")
        return outcome

    def frames(self, count: int, *names: str) -> None:
        for _ in range(count):
            self.frame(*names)

    def lock(self, name: str, flag_words: str = "", *, access: str | None = None, size: int = 0) -> Outcome:
        inputs: dict[str, Any] = {"object": name, "SizeToLock": size, "Flags": flags("D3DLOCK", flag_words)}
        return self.call("Lock", inputs | ({"access": access} if access else {}))

    def write(self, name: str, flag_words: str = "", *, access: str | None = None, size: int = 0) -> Outcome:
        outcome = self.lock(name, flag_words, access=access, size=size)
        if outcome.succeeded:
            self.ok("Unlock", {"object": name})
        return outcome

    def lock_rect(self, name: str, flag_words: str = "", rect: tuple[int, ...] | None = None, **more: Any) -> Outcome:
        area = None if rect is None else dict(zip(("left", "top", "right", "bottom"), rect, strict=True))
        return self.call("LockRect", {"object": name, "pRect": area, "Flags": flags("D3DLOCK", flag_words), **more})

    def paint(self, name: str, flag_words: str = "", rect: tuple[int, ...] | None = None, **more: Any) -> Outcome:
        outcome = self.lock_rect(name, flag_words, rect, **more)
        if outcome.succeeded:
            self.ok("UnlockRect", {"object": name, **{k: v for k, v in more.items() if k == "Level"}})
        return outcome

    def reset(self, parameters: dict[str, Any] | None = None) -> Outcome:
        return self.call("Reset", {"pPresentationParameters": parameters or FULL_SCREEN})

    def lose(self) -> None:
        self.device.set_option("focus", "lost")

    def regain(self) -> None:
        self.device.set_option("focus", "regained")

    def level(self) -> str:
        return self.call("TestCooperativeLevel").hr

    # Looking -------------------------------------------------------------------------------------------------

    def row(self, name: str) -> int:
        return self.state.objects[name][1]

    def groups(self, name: str) -> list[str]:
        """Return the segment groups of a resource's blocks."""
        blocks = self.state.blocks
        rows = np.flatnonzero(blocks.live & (blocks["resource"] == self.row(name)))
        return sorted(self.state.segments[int(blocks["segment"][block])].group for block in rows)

    def offsets(self, name: str) -> list[tuple[int, int]]:
        blocks = self.state.blocks
        rows = np.flatnonzero(blocks.live & (blocks["resource"] == self.row(name)))
        return [(int(blocks["segment"][block]), int(blocks["offset"][block])) for block in rows]

    def spent(self) -> dict[str, int]:
        times = self.state.times
        return {"gpu": times.gpu, "transfer": times.transfer, "cpu": times.cpu, "stall": times.stall}

    def cost_of(self, outcome_of: Any, *args: Any, **more: Any) -> dict[str, int]:
        """Return the simulated time of a call by kind."""
        before = self.spent()
        outcome_of(*args, **more)
        return {key: value - before[key] for key, value in self.spent().items()}

    def free(self, group: str = "LOCAL") -> int:
        return sum(self.state.segments[i].free_bytes for i in self.state.segments_in(group))

    def largest(self, group: str = "LOCAL") -> int:
        return max(self.state.segments[i].largest_free for i in self.state.segments_in(group))

    def count(self, kind: str) -> int:
        return self.state.log.counts[kind]

    def check(self) -> None:
        """Every segment's books are right, and no two blocks share a byte."""
        for segment in self.state.segments:
            segment.validate()
        blocks = self.state.blocks
        rows = np.flatnonzero(blocks.live)
        spans = sorted((int(blocks["segment"][r]), int(blocks["offset"][r]), int(blocks["size"][r])) for r in rows)
        for (a, start, size), (b, other, _) in itertools.pairwise(spans):
            assert a != b or start + size <= other


def flags(prefix: str, words: str) -> list[str]:
    return [f"{prefix}_{word}" for word in words.split()]


def kinds(outcome: Outcome) -> list[str]:
    """Return the kinds of an outcome's events."""
    return [str(event.kind) for event in outcome.events]


def moved(events: Sequence[Event], kind: str) -> int:
    """Return the bytes of the events of a kind."""
    return sum(event.size_bytes for event in events if event.kind == kind)


def rules(outcome: Outcome) -> set[str]:
    """Return the rules of an outcome without their prefix."""
    return {reason.rule.removeprefix("d3d9.") for reason in outcome.reasons}
