"""Scenarios that no person would write: each ends in the API's own error or in a message that names file and key."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Data = dict[str, Any]

HUGE = 2**62


def texture9(**changes: Any) -> Data:
    """Return the input of a D3D9 texture of 64 x 64."""
    base = {"Width": 64, "Height": 64, "Levels": 1, "Usage": [], "Format": "D3DFMT_A8R8G8B8", "Pool": "D3DPOOL_MANAGED"}
    return {**base, **changes}


def buffer12(**changes: Any) -> Data:
    """Return the input of a committed D3D12 buffer of 64 KiB."""
    desc = {"Dimension": "D3D12_RESOURCE_DIMENSION_BUFFER", "Width": 65536, "Height": 1, "DepthOrArraySize": 1,
            "MipLevels": 1, "Format": "DXGI_FORMAT_UNKNOWN", "SampleDesc": {"Count": 1},
            "Layout": "D3D12_TEXTURE_LAYOUT_ROW_MAJOR", **changes}  # fmt: skip
    heap = {"Type": "D3D12_HEAP_TYPE_DEFAULT"}
    return {"pHeapProperties": heap, "InitialResourceState": "D3D12_RESOURCE_STATE_COMMON", "pDesc": desc}


def buffer11(**changes: Any) -> Data:
    """Return the input of a D3D11 constant buffer of 4 KiB."""
    desc = {"ByteWidth": 4096, "Usage": "D3D11_USAGE_DYNAMIC", "BindFlags": ["D3D11_BIND_CONSTANT_BUFFER"],
            "CPUAccessFlags": ["D3D11_CPU_ACCESS_WRITE"], **changes}  # fmt: skip
    return {"pDesc": desc}


def group(group_id: str, call: str, inputs: Data, **changes: Any) -> Data:
    """Return a group of objects."""
    made = {"id": group_id, "call": call, "name": f"{group_id} {{i}}", "count": 4, "source": "nonsense"}
    return {**made, "input": inputs, **changes}


BASES: dict[str, Data] = {
    api: {
        "schema": "memory-explorer/scenario/1", "title": "Nonsense", "teaches": "Nothing.", "text": "Nothing.",
        "api": api, "adapter": adapter, "frames": 20,
        "objects": [objects], "pass": [{"name": "all", "draws": [{"group": "things"}]}],
    }
    for api, adapter, objects in (
        ("d3d9", "gf4mx440", group("things", "CreateTexture", texture9())),
        ("d3d11", "hd7970", group("things", "CreateBuffer", buffer11())),
        ("d3d12", "gtx1060-3g", group("things", "CreateCommittedResource", buffer12())),
    )
}  # fmt: skip
"""A small scenario of each API that runs."""


def scenario(api: str, change: Callable[[Data], object] | None = None) -> Data:
    """Return a base scenario with a change made to it."""
    data = copy.deepcopy(BASES[api])
    if change is not None:
        change(data)
    return data


def toml(data: Data) -> str:
    """Return a scenario as the text of its file."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in data.items())


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_value(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    # Texts of JSON are basic strings of TOML, numbers and booleans are the same.
    return json.dumps(value, ensure_ascii=False)


def top(**keys: Any) -> Callable[[Data], object]:
    """Return a change of a scenario's own keys."""
    return lambda data: data.update(keys)


def things(**keys: Any) -> Callable[[Data], object]:
    """Return a change of the group of objects."""
    return lambda data: data["objects"][0].update(keys)


def desc(**keys: Any) -> Callable[[Data], object]:
    """Return a change of the description of the objects (D3D9: of their parameters)."""

    def change(data: Data) -> None:
        inputs = data["objects"][0]["input"]
        inputs.get("pDesc", inputs).update(keys)

    return change


def more(*groups: Data) -> Callable[[Data], object]:
    """Return a change that adds groups."""
    return lambda data: data["objects"].extend(groups)


def at(*moments: Data) -> Callable[[Data], object]:
    """Return a change that adds moments."""
    return lambda data: data.setdefault("at", []).extend(moments)


def draws(**keys: Any) -> Callable[[Data], object]:
    """Return a change of the references of the pass."""
    return lambda data: data["pass"][0]["draws"][0].update(keys)


def release(api: str, name: str) -> Data:
    """Return the input that releases an object."""
    return {"object" if api == "d3d9" else "pObject": name}


def slots(count: int, **keys: Any) -> Data:
    """Return a group of one descriptor heap."""
    inputs = {"pDescriptorHeapDesc": {"Type": "D3D12_DESCRIPTOR_HEAP_TYPE_CBV_SRV_UAV", "NumDescriptors": count}}
    return group("slots", "CreateDescriptorHeap", inputs, count=1, **keys)


def heap(size: int) -> Data:
    """Return a group of one heap."""
    inputs = {"pDesc": {"SizeInBytes": size, "Properties": {"Type": "D3D12_HEAP_TYPE_DEFAULT"}}}
    return group("heap", "CreateHeap", inputs, count=1)


_MANY = 1_000_000
_DEVICE = group("device", "CreateDevice", {"pPresentationParameters": {
    "BackBufferWidth": 640, "BackBufferHeight": 480, "BackBufferFormat": "D3DFMT_X8R8G8B8", "BackBufferCount": 1,
    "Windowed": False}}, count=1)  # fmt: skip
_LOCKED = (
    {"frame": 2, "call": "LockRect", "input": {"object": "things 0", "Level": 0}},
    {"frame": 3, "option": "focus", "value": "lost"},
    {"frame": 5, "call": "UnlockRect", "input": {"object": "things 0", "Level": 0}},
    {"frame": 8, "option": "focus", "value": "regained"},
    {"frame": 9, "call": "TestCooperativeLevel"},
)

BROKEN: dict[str, tuple[str, Callable[[Data], object], str]] = {
    "0 frames": ("d3d9", top(frames=0), "frames"),
    "a negative number of frames": ("d3d11", top(frames=-1), "frames"),
    "10^9 frames": ("d3d12", top(frames=10**9), "frames"),
    "2^70 frames": ("d3d12", top(frames=2**70), "frames"),
    "count 0": ("d3d9", things(count=0), "objects[0].count"),
    "count 10^7": ("d3d12", things(count=10**7), "objects[0].count"),
    "more live than there are": ("d3d9", things(live=_MANY), "objects[0].live"),
    "a negative total": ("d3d11", things(total="-1"), "objects[0].total"),
    "a name of a gigabyte": ("d3d9", things(name="{i:1000000000}", count=1), "objects[0].name"),
    "a name that looks inside": ("d3d12", things(name="{i.__class__}", count=1), "objects[0].name"),
    "an open brace": ("d3d12", things(name="{", count=1), "objects[0].name"),
    "a name of 3,999 characters": ("d3d11", things(name="x" * 3999, count=1), "objects[0].name"),
    "one name for four": ("d3d9", things(name="same"), "objects[0].name"),
    "a second group of one id": ("d3d9", more(group("things", "CreateTexture", texture9())), "objects[1].id"),
    "a second object of one name": (
        "d3d12", more(group("other", "CreateCommittedResource", buffer12(), name="things {i}")), "objects.other.out"),
    "a name taken while it runs": (
        "d3d9", at({"frame": 2, "call": "CreateTexture", "input": texture9(), "out": "things 0"}), "at[0].out"),
    "one name for each": (
        "d3d12", at({"frame": 2, "call": "CreateCommittedResource", "input": buffer12(), "out": "same",
                     "each": "things"}), "at[0].out"),
    "aliases of each other": (
        "d3d12", more(group("b", "CreatePlacedResource", buffer12(), aliases=["b 1", "b 0"])), "objects.b.aliases"),
    "an alias of itself": ("d3d12", things(aliases=["things 0"]), "objects.things.aliases"),
    "an alias where nothing is placed": ("d3d9", things(aliases=["things 0"]), "objects.things.aliases"),
    "input that is a text": ("d3d9", things(input="text"), "objects[0].input"),
    "input that is a list": ("d3d11", at({"frame": 0, "call": "Release", "input": [1]}), "at[0].input"),
    "options that are a list": ("d3d12", top(options=[1]), "options"),
    "an unknown option": ("d3d12", top(options={"gravity": "1"}), "options.gravity"),
    "an unknown value of an option": ("d3d9", top(options={"windows": "95"}), "options.windows"),
    "an unknown policy": ("d3d11", top(options={"policy": "magic"}), "options.policy"),
    "an unknown allocator": ("d3d11", top(options={"allocator": "magic"}), "options.allocator"),
    "an alternative that is a number": ("d3d9", things(vary=[{"values": [1]}]), "objects[0].vary[0].values[0]"),
    "an alternative inside a number": (
        "d3d9", things(vary=[{"values": [{"Width.x": 1}]}]), "objects.things.vary[0].values[0].Width.x"),
    "no alternative": ("d3d9", things(vary=[{"values": []}]), "objects[0].vary[0].values"),
    "weights of 0": ("d3d9", things(vary=[{"values": [{}], "weights": [0]}]), "objects[0].vary[0].weights"),
    "an adapter that is not here": ("d3d12", top(adapter="voodoo"), "adapter"),
    "an adapter outside the folder": ("d3d12", top(adapter="../../presets"), "adapter"),
    "an adapter without D3D12": ("d3d12", top(adapter="gf4mx440"), "adapter"),
    "an adapter without D3D11": ("d3d11", top(adapter="gf4mx440"), "adapter"),
    "an adapter without D3D9": ("d3d9", top(adapter="warp"), "adapter"),
    "an unknown call": ("d3d9", at({"frame": 2, "call": "Fly"}), "at[0].call"),
    "an unknown parameter": ("d3d12", at({"frame": 2, "call": "Release", "input": {"x": 1}}), "at[0].input.x"),
    "an object that is not there": (
        "d3d11", at({"frame": 2, "call": "Release", "input": release("d3d11", "nobody")}), "at[0].input.pObject"),
    "an option that cannot change": ("d3d12", at({"frame": 2, "option": "gravity", "value": "1"}), "at[0].option"),
    "a negative budget": ("d3d12", at({"frame": 2, "option": "budget", "value": "-1"}), "at[0].option"),
    "a budget of a node that is not there": (
        "d3d12", at({"frame": 2, "option": "budget", "value": "LOCAL@9=0"}), "at[0].option"),
    "a stream of 10^6 out of 4": ("d3d9", top(stream=[{"group": "things", "count": _MANY}]), "stream[0].count"),
    "10^6 random references": ("d3d9", draws(pattern="random", count=_MANY), "pass[0].draws[0].count"),
    "references to nobody": ("d3d12", draws(group="nobody"), "pass[0].draws[0].group"),
    "a priority of 2^40": (
        "d3d9", at({"frame": 1, "call": "SetPriority", "input": {"object": "things 0", "PriorityNew": 2**40}}),
        "at[0].input.PriorityNew"),
    "a negative priority": (
        "d3d9", at({"frame": 1, "call": "SetPriority", "input": {"object": "things 0", "PriorityNew": -1}}),
        "at[0].input.PriorityNew"),
    "a negative width": ("d3d9", desc(Width=-1), "objects.things.input.Width"),
    "a width of 2^64": ("d3d12", desc(Width=str(2**64)), "objects.things.input.pDesc.Width"),
    "a negative number of slots": ("d3d12", more(slots(-1)), "objects.slots.input.pDescriptorHeapDesc.NumDescriptors"),
}  # fmt: skip
"""What it is → API, change, and the key that the message names."""

STRANGE: dict[str, tuple[str, Callable[[Data], object], str]] = {
    "no objects (D3D9)": ("d3d9", top(**{"objects": [], "pass": []}), ""),
    "no objects (D3D11)": ("d3d11", top(**{"objects": [], "pass": []}), ""),
    "no objects (D3D12)": ("d3d12", top(**{"objects": [], "pass": []}), ""),
    "a budget of 0": ("d3d12", at({"frame": 2, "option": "budget", "value": "0"}), "over_budget"),
    "a budget of 0 (D3D11)": ("d3d11", at({"frame": 2, "option": "budget", "value": "0"}), ""),
    "the largest budget": ("d3d12", at({"frame": 2, "option": "budget", "value": str(2**63 - 1)}), "budget_changed"),
    "wider than any texture (D3D9)": ("d3d9", desc(Width=2**32 - 1, Height=2**32 - 1, Levels=0), "refused"),
    "0 x 0": ("d3d9", desc(Width=0, Height=0), "refused"),
    "larger than everything (D3D9)": (
        "d3d9", lambda data: (desc(Width=2048, Height=2048, Pool="D3DPOOL_DEFAULT")(data), things(count=64)(data)),
        "refused"),
    "larger than everything (D3D11)": ("d3d11", desc(ByteWidth=2**32 - 1), "refused"),
    "larger than everything (D3D12)": ("d3d12", desc(Width=2**40), "refused"),
    "the largest number (D3D12)": ("d3d12", desc(Width=str(2**64 - 1)), "refused"),
    "0 bytes (D3D11)": ("d3d11", desc(ByteWidth=0), "refused"),
    "0 bytes (D3D12)": ("d3d12", desc(Width=0), "refused"),
    "a heap of 1 byte": ("d3d12", more(heap(1)), ""),
    "a heap of 0 bytes": ("d3d12", more(heap(0)), "refused"),
    "a heap of 2^62 bytes": ("d3d12", more(heap(HUGE)), "refused"),
    "0 slots": ("d3d12", more(slots(0)), ""),
    "2^32 - 1 slots": ("d3d12", more(slots(2**32 - 1)), "refused"),
    "every priority there is": (
        "d3d9", at(*({"frame": 1, "call": "SetPriority", "input": {"object": "things 0", "PriorityNew": value}}
                     for value in (0, 1, 10**6, 2**31, 2**32 - 1))), ""),
    "10^4 priorities in one call": (
        "d3d12", at({"frame": 1, "call": "SetResidencyPriority", "input": {
            "ppObjects": ["things 0"] * 10_000, "pPriorities": [0xC8000000] * 10_000}}), ""),
    "evicted 10^4 times": (
        "d3d12", at({"frame": 1, "call": "Evict", "input": {"ppObjects": ["things 0"] * 10_000}}), ""),
    "a loss in the middle of a lock": (
        "d3d9", lambda data: (more(_DEVICE)(data), at(*_LOCKED)(data)), "device_lost"),
    "a scene in a scene": ("d3d9", at({"frame": 2, "call": "BeginScene"}, {"frame": 3, "call": "EndScene"}), ""),
    "released while mapped": (
        "d3d11", at({"frame": 1, "call": "Map", "input": {
            "pResource": "things 0", "Subresource": 0, "MapType": "D3D11_MAP_WRITE_DISCARD"}},
            {"frame": 2, "call": "Release", "input": release("d3d11", "things 0")}), "released"),
    "Unicode names": ("d3d12", things(name="Ünlit 漢字 🎮 \u202e{i}"), "created"),
    "names with control characters": ("d3d9", things(name="a\tb\x1b {i}"), "created"),
    "a group after the end": ("d3d12", things(frame=1000), ""),
    "a pass that ends before it begins": ("d3d11", lambda data: data["pass"][0].update(first=9, last=3), ""),
    "a pass on a node that is not there": ("d3d12", lambda data: data["pass"][0].update(node=31), ""),
    "a tour to nowhere": ("d3d9", top(tour=[{"frame": 999_999, "text": "x", "select": "nobody"}]), ""),
    "a window that jumps": ("d3d9", draws(pattern="window", count=2, step=_MANY), ""),
}  # fmt: skip
"""What it is → API, change, and a kind of event that must have happened (empty: none in particular)."""
