"""A root signature in words: what each parameter binds and costs of the 64 DWORDs; no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.calls import decode_input
from explorer.core.d3d12_view_enums import DescriptorRangeFlags, DescriptorRangeType, RootParameterType
from explorer.rules.d3d12_descriptors import MAX_ROOT_COST, parameter_cost

if TYPE_CHECKING:
    from explorer.core.d3d12 import CreateRootSignature
    from explorer.core.d3d12_structs import DescriptorRange, RootParameter
    from explorer.core.descriptor_uses import RootSignaturePicture

RULE_COST, RULE_FLAGS, RULE_READ, RULE_CAPTURED = (
    "d3d12.7.8a", "d3d12.7.9e", "device.table-read", "device.table-captured",
)  # fmt: skip

_UNBOUNDED = 0xFFFFFFFF
_LETTERS = {
    DescriptorRangeType.CBV: "b",
    DescriptorRangeType.SRV: "t",
    DescriptorRangeType.UAV: "u",
    DescriptorRangeType.SAMPLER: "s",
    RootParameterType.CBV: "b",
    RootParameterType.SRV: "t",
    RootParameterType.UAV: "u",
    RootParameterType["_32BIT_CONSTANTS"]: "b",
}


@dataclass(frozen=True, slots=True)
class RangeTold:
    """A range of a table.

    Attributes:
        registers: ``t0–t31``, ``u2``, ``t0–∞``.
        flags: Flags without their prefix, or ``none``.
        is_static: The descriptors stay as they are from the recording on.
    """

    registers: str
    flags: str
    is_static: bool


@dataclass(frozen=True, slots=True)
class ParameterTold:
    """A root parameter.

    Attributes:
        index: Its number.
        type: Constant without prefix, for example ``DESCRIPTOR_TABLE``.
        registers: Registers of everything that it binds, with a space other than 0.
        first: First DWORD.
        dwords: How many.
        flags: Flags of its ranges or its descriptor, or ``none``.
        read: When the GPU gets to know the contents: ``at record`` or ``at execution``.
        ranges: Of a table.
    """

    index: int
    type: str
    registers: str
    first: int
    dwords: int
    flags: str
    read: str
    ranges: tuple[RangeTold, ...] = ()


@dataclass(frozen=True, slots=True)
class SignatureTold:
    """A root signature.

    Attributes:
        name: Name.
        version: ``1.0``, ``1.1`` or ``1.2``.
        dwords: Cost.
        free: What is left of 64.
        samplers: Static samplers; they cost nothing.
        in_force: A list needs it.
        parameters: In order.
    """

    name: str
    version: str
    dwords: int
    free: int
    samplers: int
    in_force: bool
    parameters: tuple[ParameterTold, ...]


def tell_signature(picture: RootSignaturePicture, *, captured: bool = False) -> SignatureTold:
    """Return a root signature in words.

    Args:
        picture: As the snapshot has it.
        captured: This implementation captures tables when they are recorded.
    """
    made: CreateRootSignature = decode_input(picture.record)
    version = made.Version.name.removeprefix("_").replace("_", ".")
    parameters: list[ParameterTold] = []
    first = 0
    for index, one in enumerate(made.pRootSignature.pParameters):
        parameters.append(_parameter(index, one, first, has_flags=version != "1.0", captured=captured))
        first += parameters[-1].dwords
    return SignatureTold(
        name=picture.name,
        version=version,
        dwords=first,
        free=MAX_ROOT_COST - first,
        samplers=len(made.pRootSignature.pStaticSamplers),
        in_force=picture.in_force,
        parameters=tuple(parameters),
    )


def registers(letter: str, first: int, count: int, space: int = 0) -> str:
    """Return registers as shaders name them: ``t0–t31``, ``b1 space2``, ``t0–∞``."""
    last = "∞" if count == _UNBOUNDED else f"{letter}{first + count - 1}"
    text = f"{letter}{first}" if count == 1 else f"{letter}{first}–{last}"
    return f"{text} space{space}" if space else text


def _parameter(index: int, one: RootParameter, first: int, *, has_flags: bool, captured: bool) -> ParameterTold:
    kind, cost = one.ParameterType, parameter_cost(one)
    word = kind.name.removeprefix("_")
    if kind is RootParameterType.DESCRIPTOR_TABLE:
        parts = one.DescriptorTable.pDescriptorRanges if one.DescriptorTable is not None else ()
        parts = one.DescriptorTable.pDescriptorRanges if one.DescriptorTable is not None else ()
        ranges = tuple(_range(part, has_flags=has_flags) for part in parts)
        bound = ", ".join(part.registers for part in ranges) or "none"
        flags = " | ".join(dict.fromkeys(part.flags for part in ranges)) or "none"
        return ParameterTold(
            index, word, bound, first, cost, flags, "at record" if captured else "at execution", ranges
        )
    if kind is RootParameterType["_32BIT_CONSTANTS"]:
        part = one.Constants
        bound = registers("b", part.ShaderRegister, 1, part.RegisterSpace) if part is not None else "none"
        return ParameterTold(index, word, bound, first, cost, "none", "at record")
    part = one.Descriptor
    bound = registers(_LETTERS[kind], part.ShaderRegister, 1, part.RegisterSpace) if part is not None else "none"
    flags = _names(int(part.Flags)) if part is not None else "none"
    return ParameterTold(index, word, bound, first, cost, flags, "at record")


def _range(one: DescriptorRange, *, has_flags: bool) -> RangeTold:
    bound = registers(_LETTERS[one.RangeType], one.BaseShaderRegister, one.NumDescriptors, one.RegisterSpace)
    is_static = has_flags and not one.Flags & DescriptorRangeFlags.DESCRIPTORS_VOLATILE
    return RangeTold(bound, _names(int(one.Flags)), is_static)


def _names(flags: int) -> str:
    # The DATA flags of root descriptors have the values of those of ranges.
    return " | ".join(flag.name or "" for flag in DescriptorRangeFlags if flag and flags & flag) or "none"
