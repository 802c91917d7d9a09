"""The recorded sequences of calls, played call by call on one simulated device for each, answer as Windows does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from explorer.core import d3d9 as api
from explorer.core.calls import CallRecord
from explorer.device import make_device
from explorer.device.memory_state import MemoryState
from explorer.tables.adapters import adapter
from tests.conformance.d3d9.data import families, rows
from tests.conformance.d3d9.interpreter import CREATES, SKIPPED
from tests.conformance.d3d9.objects import create_input, device, value_of
from tests.conformance.d3d9.test_oracle_sequences import FILES, differs

if TYPE_CHECKING:
    from explorer.device.d3d9 import D3D9Device
    from explorer.device.outcome import Outcome
    from explorer.rules.d3d9 import Runtime

WINDOW = (640, 480, 22, 1)
GETTERS = {"getprio": "GetPriority", "levels": "GetLevelCount", "getlod": "GetLOD"}
SETTERS = {"setprio": api.SetPriority, "setlod": api.SetLOD}
PARTS = {"texture": api.GetSurfaceLevel, "cube_texture": api.GetCubeMapSurface, "volume_texture": api.GetVolumeLevel}


class Player:
    """Plays operations in the notation of the oracle files."""

    def __init__(self, runtime: Runtime) -> None:
        name = "d3d9ex" if runtime.ex else "d3d9"
        self.device = cast("D3D9Device", make_device(name, MemoryState(adapter("hd4870"), "tlsf"), {}))
        self.device.runtime = runtime
        start = api.CreateDevice(api.PresentParameters(*WINDOW), api.CreateFlags.HARDWARE_VERTEXPROCESSING)
        assert self.call("CreateDeviceEx" if runtime.ex else "CreateDevice", start, "Device").succeeded
        self.device.runtime = runtime
        self.slots: dict[str, str | None] = {}
        self.made = 0
        self.was_reset = False

    def call(self, name: str, arguments: Any, out: str | None = None) -> Outcome:
        outcome = self.device.call(CallRecord(self.device.api, name, {}, out), arguments)
        assert outcome.hr != "NOT_SIMULATED", name
        return outcome

    def run(self, ops: str) -> list[str | None]:
        return [self.one(op.strip()) for op in ops.removeprefix("!").split(";")]

    def one(self, op: str) -> str | None:
        name, *rest = op.split()
        if name in SKIPPED or (name == "desc" and self.was_reset):
            return None
        if name in CREATES:
            return self.create(rest[0], op)
        if name in ("reset", "tcl", "bb"):
            return getattr(self, name)(*rest)
        at = 1 if name in ("lev", "settex", "setvb", "setrt") else 0
        held = self.slots.get(rest[at])
        return "noobj" if held is None else self.use(name, held, rest)

    def new(self, slot: str, call: str, arguments: Any) -> Outcome:
        self.made += 1
        name = f"Object {self.made}"
        outcome = self.call(call, arguments, name)
        self.slots[slot] = name if outcome.succeeded else None
        return outcome

    def create(self, slot: str, op: str) -> str:
        arguments = create_input(op)
        outcome = self.new(slot, type(arguments).__name__, arguments)
        if not outcome.succeeded:
            return f"{hr(outcome)},out=null"
        row = self.device.state.objects[str(self.slots[slot])][1]
        return hr(outcome) + (
            f",lv={outcome.values['Levels']}" if self.device.things.of[row].resource.is_texture else ""
        )

    def use(self, name: str, held: str, rest: list[str]) -> str | None:
        if name in GETTERS:
            return f"v={self.call(GETTERS[name], api.ObjectCall(held)).values['returns']}"
        if name in SETTERS:
            setter = SETTERS[name]
            return f"old={self.call(setter.__name__, setter(held, int(rest[1]))).values['returns']}"
        match name:
            case "lev":
                return hr(self.level(rest[0], held, int(rest[2]), int(rest[3]) if len(rest) > 3 else 0))
            case "desc":
                return hr(self.level("99", held, int(rest[1]) if len(rest) > 1 else 0, 0))
            case "preload":
                return "ok" if self.call("PreLoad", api.ObjectCall(held)).succeeded else None
            case "gtype":
                found = self.call("GetType", api.ObjectCall(held)).values["returns"]
                return f"v={int(api.ResourceType[str(found).removeprefix('D3DRTYPE_')])}"
            case "rel":
                self.call("Release", api.ObjectCall(held))
                return "ref=0"
            case "lock" | "unlock":
                return self.lock(name, held, *rest[1:])
            case "settex":
                return hr(self.call("SetTexture", api.SetTexture(int(rest[0]), held)))
            case "setvb":
                stream = api.SetStreamSource(int(rest[0]), held, int(rest[2]), int(rest[3]))
                return hr(self.call("SetStreamSource", stream))
            case "setib":
                return hr(self.call("SetIndices", api.SetIndices(held)))
            case "setrt":
                return hr(self.call("SetRenderTarget", api.SetRenderTarget(int(rest[0]), held)))
            case "setds":
                return hr(self.call("SetDepthStencilSurface", api.SetDepthStencilSurface(held)))
            case _:
                raise AssertionError(name)

    def level(self, slot: str, held: str, level: int, face: int) -> Outcome:
        kind, number = self.device.state.objects[held]
        assert kind == "resource"
        part = PARTS[self.device.things.of[number].resource.kind]
        arguments = part(held, api.CubeFace(face), level) if part is api.GetCubeMapSurface else part(held, level)
        return self.new(slot, part.__name__, arguments)

    def lock(self, name: str, held: str, level: str, face: str, *more: str) -> str:
        cube = api.CubeFace(int(face))
        if name == "unlock":
            return hr(self.call("UnlockRect", api.UnlockRect(held, int(level), cube)))
        outcome = self.call("LockRect", api.LockRect(held, int(level), cube, None, api.LockFlags(int(more[1]))))
        return f"{hr(outcome)}," + (f"pitch={outcome.values['Pitch']}" if outcome.succeeded else "bits=kept")

    def bb(self, slot: str, number: str) -> str:
        return hr(self.new(slot, "GetBackBuffer", api.GetBackBuffer(0, int(number))))

    def tcl(self) -> str:
        return hr(self.call("TestCooperativeLevel", api.Empty()))

    def reset(self, *numbers: str) -> str:
        n = [int(part) for part in numbers]
        effect = n[4] if len(n) > 4 else 1
        width, height, form, count = n[:4] or WINDOW
        parameters = api.PresentParameters(width, height, form, count, SwapEffect=effect)
        outcome = self.call("Reset", api.Reset(parameters))
        self.was_reset = self.was_reset or outcome.succeeded
        return hr(outcome)


def hr(outcome: Outcome) -> str:
    return f"{value_of(outcome.hr):08x}"


@pytest.mark.parametrize(("file", "family"), families(*FILES))
def test_that_sequences_answer_on_a_device_as_windows_does(file: str, family: str) -> None:
    wrong = []
    for row in rows(file, family):
        found = differs(row, Player(device(file)).run(row["ops"]))
        if found:
            wrong.append((row["ops"], found))
    assert not wrong
