"""Runs the operations of a recorded sequence through the rules, keeping the little state that they need."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from explorer.core import d3d9
from explorer.rules.d3d9 import LifeState, Resource, Runtime, Surface, back_buffer, describe, judge
from explorer.rules.d3d9_device import DeviceState
from tests.conformance.d3d9.objects import create_input, value_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.verdicts import Verdict

CREATES = ("tex", "cube", "vol", "vb", "ib", "off", "rt", "ds")
SKIPPED = ("cdf", "getaf", "getcont", "getrt", "getds", "desc_after_reset")
"""Operations whose answers say nothing about memory: container interfaces, filter types, what is bound."""


@dataclass
class Slot:
    """A named object: a resource, or a level of one."""

    resource: Resource
    level: int = 0
    face: int = 0
    part: bool = False
    life: LifeState | None = None
    locked: set[tuple[int, int]] = field(default_factory=set)
    released: bool = False

    def state(self) -> LifeState:
        if self.life is None:
            surface = not self.resource.is_texture and not self.resource.is_buffer
            self.life = LifeState(self.resource, part=self.part or surface)
        return self.life


class Interpreter:
    """Answers operations one by one, in the notation of the oracle files."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self.slots: dict[int, Slot | None] = {}
        self.device = DeviceState()
        self.was_reset = False

    def run(self, ops: str) -> list[str | None]:
        """Return an answer for each operation; None for one that is not judged."""
        return [self.one(op.strip()) for op in ops.removeprefix("!").split(";")]

    def one(self, op: str) -> str | None:
        name, *rest = op.split()
        if name in CREATES:
            return self._create(op)
        if name in SKIPPED or (name == "desc" and self.was_reset):
            return None
        method: Callable[..., str | None] = getattr(self, f"_{name}")
        return method(*rest)

    def _hr(self, verdict: Verdict) -> str:
        return f"{value_of(verdict.hr):08x}"

    def _create(self, op: str) -> str:
        slot, arguments = int(op.split()[1]), create_input(op)
        verdict = judge(arguments, None, self.runtime)
        made = describe(arguments, self.runtime) if verdict.succeeded else None
        self.slots[slot] = Slot(made) if made else None
        levels = f",lv={made.levels}" if made and made.is_texture else "" if made else ",out=null"
        return self._hr(verdict) + levels

    def _bb(self, slot: str, _: str) -> str:
        self.slots[int(slot)] = Slot(back_buffer())
        return "00000000"

    def _slot(self, name: str) -> Slot | None:
        return self.slots.get(int(name))

    def _lev(self, target: str, source: str, level: str, face: str = "0") -> str:
        slot = self._slot(source)
        if slot is None:
            return "noobj"
        calls = {
            "texture": d3d9.GetSurfaceLevel("o", int(level)),
            "cube_texture": d3d9.GetCubeMapSurface("o", d3d9.CubeFace(int(face)), int(level)),
            "volume_texture": d3d9.GetVolumeLevel("o", int(level)),
        }
        verdict = judge(calls[slot.resource.kind], slot.resource, self.runtime)
        self.slots[int(target)] = Slot(slot.resource, int(level), int(face), part=True) if verdict.succeeded else None
        return self._hr(verdict)

    def _desc(self, name: str, level: str = "0") -> str:
        slot = self._slot(name)
        return "noobj" if slot is None else self._lev("99", name, level)

    def _lock(self, name: str, level: str, face: str, rect: str, flags: str) -> str:
        slot = self._slot(name)
        if slot is None:
            return "noobj"
        assert rect == "-"
        key = int(level), int(face)
        surface = Surface(slot.resource, *key, locked=key in slot.locked)
        verdict = judge(d3d9.LockRect("o", key[0], Flags=d3d9.LockFlags(int(flags))), surface, self.runtime)
        if not verdict.succeeded:
            return f"{self._hr(verdict)},bits=kept"
        slot.locked.add(key)
        return f"{self._hr(verdict)},pitch={verdict.values['Pitch']},off=0"

    def _unlock(self, name: str, level: str, face: str) -> str:
        slot = self._slot(name)
        if slot is None:
            return "noobj"
        key = int(level), int(face)
        surface = Surface(slot.resource, *key, locked=key in slot.locked)
        verdict = judge(d3d9.UnlockRect("o", key[0]), surface, self.runtime)
        slot.locked.discard(key)
        return self._hr(verdict)

    def _ask(self, name: str, call: str) -> Verdict | None:
        slot = self._slot(name)
        return None if slot is None else judge(d3d9.ObjectCall("o"), slot.state(), self.runtime, call)

    def _getprio(self, name: str) -> str:
        verdict = self._ask(name, "GetPriority")
        return "noobj" if verdict is None else f"v={verdict.values['returns']}"

    def _setprio(self, name: str, value: str) -> str:
        slot = self._slot(name)
        assert slot is not None
        verdict = judge(d3d9.SetPriority("o", int(value)), slot.state(), self.runtime)
        slot.life = replace(slot.state(), priority=verdict.values["priority"])
        return f"old={verdict.values['returns']}"

    def _preload(self, name: str) -> str:
        return "ok" if self._ask(name, "PreLoad") else "noobj"

    def _levels(self, name: str) -> str:
        verdict = self._ask(name, "GetLevelCount")
        return "noobj" if verdict is None else f"v={verdict.values['returns']}"

    def _getlod(self, name: str) -> str:
        verdict = self._ask(name, "GetLOD")
        return "noobj" if verdict is None else f"v={verdict.values['returns']}"

    def _setlod(self, name: str, value: str) -> str:
        slot = self._slot(name)
        assert slot is not None
        verdict = judge(d3d9.SetLOD("o", int(value)), slot.state(), self.runtime)
        slot.life = replace(slot.state(), lod=verdict.values["lod"])
        return f"old={verdict.values['returns']}"

    def _gtype(self, name: str) -> str:
        slot = self._slot(name)
        if slot is None:
            return "noobj"
        return f"v={1 if slot.part else int(slot.resource.type)}"

    def _rel(self, name: str) -> str:
        slot = self._slot(name)
        assert slot is not None
        slot.released = True
        judge(d3d9.ObjectCall("o"), slot.state(), self.runtime, "Release")
        return "ref=0"

    def _settex(self, stage: str, name: str) -> str:
        return self._bind(d3d9.SetTexture(int(stage), "o"), name)

    def _setvb(self, stream: str, name: str, offset: str, stride: str) -> str:
        return self._bind(d3d9.SetStreamSource(int(stream), "o", int(offset), int(stride)), name)

    def _setib(self, name: str) -> str:
        return self._bind(d3d9.SetIndices("o"), name)

    def _bind(self, call: object, name: str) -> str:
        slot = self._slot(name)
        assert slot is not None
        return self._hr(judge(call, slot.resource, self.runtime))

    def _setrt(self, index: str, name: str) -> str:
        slot = self._slot(name)
        assert slot is not None
        return self._hr(judge(d3d9.SetRenderTarget(int(index), "o"), Surface(slot.resource), self.runtime))

    def _setds(self, name: str) -> str:
        slot = self._slot(name)
        assert slot is not None
        return self._hr(judge(d3d9.SetDepthStencilSurface("o"), Surface(slot.resource), self.runtime))

    def _reset(self, *numbers: str) -> str:
        n = [int(part) for part in numbers]
        values = (640, 480, 22, 1) if not n else (n[0], n[1], n[2], n[3])
        effect = n[4] if len(n) > 4 else 1
        parameters = d3d9.PresentParameters(*values, SwapEffect=effect)
        live = [slot for slot in self.slots.values() if slot and not slot.released]
        held = tuple("default_resource" for slot in live if slot.resource.pool == d3d9.Pool.DEFAULT)
        verdict = judge(d3d9.Reset(parameters), replace(self.device, held=held), self.runtime)
        self.device = replace(self.device, status=str(verdict.values["status"]))
        self.was_reset = True
        return self._hr(verdict)

    def _tcl(self) -> str:
        return self._hr(judge(d3d9.Empty(), self.device, self.runtime, "TestCooperativeLevel"))
