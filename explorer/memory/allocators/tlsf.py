"""The allocator ``tlsf``: two-level segregated fit as VMA and D3D12MA 3.x lay out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import InputError
from explorer.memory.allocators.ranges import RangeAllocator, check_range
from explorer.memory.allocators.tlsf_reference import TLSF_STRATEGIES, TlsfReference

if TYPE_CHECKING:
    from explorer.memory.allocators.core import Core


class TlsfAllocator(RangeAllocator):
    """Two-level segregated fit.

    Args:
        size: Bytes of the range.
        strategy: One of ``TLSF_STRATEGIES``; ``balanced`` is the default of VMA and D3D12MA.
        small_step: 8 for virtual blocks, 64 for blocks of real memory.
        granularity: Page that blocks of different kinds never share.
        least: Bytes that every block holds at least.
    """

    def __init__(
        self, size: int, *, strategy: str = "balanced", small_step: int = 8, granularity: int = 1, least: int = 1
    ) -> None:
        check_range(size, granularity)
        if strategy not in TLSF_STRATEGIES:
            raise InputError("no such strategy", where="strategy", found=strategy, accepted=TLSF_STRATEGIES)
        if small_step not in (8, 64):
            raise InputError(
                "no such width of small classes", where="small_step", found=small_step, accepted=("8", "64")
            )
        core = TlsfReference(size, strategy, small_step, granularity)
        super().__init__("tlsf", size, core, compile_core=_compile, granularity=granularity, least=least)


def _compile(core: Core) -> Core:
    from explorer.memory.allocators.tlsf_compiled import TlsfCompiled

    assert isinstance(core, TlsfReference)
    return TlsfCompiled(core)
