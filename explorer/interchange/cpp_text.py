"""Descriptions as C++: the text that makes an object, read into a call record and written from one.

Read are declarations, assignments and calls in a straight line: ``D3D12_RESOURCE_DESC``, ``D3D12_HEAP_DESC`` and
their relatives, the ``D3D11_…_DESC``, ``D3D10_…_DESC`` and ``XG_…_DESC`` structures (braces, designators, member by
member), the helpers ``CD3DX12_…`` and ``CD3D11_…``, and the creation calls of every API with their argument lists.
Nothing is executed. A comment ``// variable: "name"`` gives an object a name that is no identifier.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import CallError
from explorer.interchange.cpp_text_parse import parse
from explorer.interchange.cpp_text_read import Binder, only_call
from explorer.interchange.cpp_text_types import cpp_calls
from explorer.interchange.cpp_text_write import Writer

if TYPE_CHECKING:
    from explorer.core.calls import CallRecord

__all__ = ["cpp_calls", "from_cpp", "to_cpp"]


def to_cpp(record: CallRecord) -> str:
    """Return the C++ that makes a creation call.

    Args:
        record: A call of ``cpp_calls()`` in canonical form; ``HeapOffset`` may be absent.

    Raises:
        CallError: Another call.
    """
    if (record.api, record.call) not in cpp_calls():
        accepted = tuple(call for api, call in cpp_calls() if api == record.api)
        raise CallError("no C++ for this call", where="call", found=record.call, accepted=accepted)
    return Writer(record).text()


def from_cpp(text: str, api: str = "", call: str = "") -> CallRecord:
    """Return the creation call that a C++ text makes.

    Args:
        text: One creation call with its descriptions, or one description alone: then the call that it is for, in the
            heap ``D3D12_HEAP_TYPE_DEFAULT`` where nothing else is said.
        api: What to choose where the text leaves open which API it is (``d3d9ex`` for ``CreateTexture``).
        call: What to choose where a D3D12 description stands alone (``CreateReservedResource``).

    Raises:
        InputError: Not C++ that is read here, no or several objects, a member that nothing sets, a value that the text
            does not hold or the API has not; names line, field, what was found and what is accepted.
    """
    meaning = parse(text)
    return Binder(meaning, api).bind(only_call(meaning, call))
