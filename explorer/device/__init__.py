"""Simulated devices, one for each generation of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.errors import CommandError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.device.device import Device
    from explorer.device.memory_state import MemoryState


def make_device(api: str, state: MemoryState, options: Mapping[str, str]) -> Device:
    """Return an empty device of an API.

    Raises:
        CommandError: The API has no device, or the adapter does not serve it.
    """
    generation = api[:4] if api.startswith("d3d9") else api
    if generation == "d3d9":
        from explorer.device.d3d9 import D3D9Device, D3D9ExDevice

        served, device = state.adapter.apis.d3d9, D3D9ExDevice if api == "d3d9ex" else D3D9Device
    elif generation == "d3d12":
        from explorer.device.d3d12 import D3D12Device

        served, device = state.adapter.apis.d3d12, D3D12Device
    else:
        from explorer.device.d3d11 import D3D11Device

        served = state.adapter.apis.d3d10 if generation.startswith("d3d10") else state.adapter.apis.d3d11
        # XG is the console's own library of the same resources.
        served = served or (api == "xg" and state.adapter.kind == "console")
        device, options = D3D11Device, {**options, "api": api}
    if not served:
        found, accepted = state.adapter.id, state.adapter.apis.names
        raise CommandError(f"the adapter does not serve {api}", where="adapter", found=found, accepted=accepted)
    return device(state, options)


def option_keys(api: str) -> tuple[str, ...]:
    """Return the options that a device of an API has from its start; ``d3d9.`` and ``d3d11.`` may be left out."""
    if api.startswith("d3d9"):
        from explorer.rules.d3d9_runtime import OPTION_KEYS

        return "policy", *OPTION_KEYS
    if api == "d3d12":
        from explorer.device.d3d12_zero_copy import LISTS
        from explorer.rules.d3d12_runtime import OPTION_KEYS as OPTION_KEYS_12

        return "policy", "app_policy", "residency_mode", "tables", *LISTS, *OPTION_KEYS_12
    from explorer.rules.d3d11_runtime import OPTION_KEYS as OPTION_KEYS_11

    return "policy", *OPTION_KEYS_11
