"""The device of a conformance record: defaults, adapter, options, then what the record states."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from explorer.core.d3d9 import MultisampleType
from explorer.rules.d3d9_phrases import NotUnderstoodError, parse_format
from explorer.rules.d3d9_runtime import CAP_FIELDS, OPTION_KEYS, OTHER_CAPS, Runtime, runtime_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.rules.records import CheckOptions, VectorRecord
    from explorer.tables.adapters import Adapter

_ADAPTER_FIELDS = (
    "dynamic_textures", "driver_managed", "rt_patches", "n_patches", "max_texture_width", "max_texture_height",
    "max_volume_extent", "windows",
)  # fmt: skip
_USES: Mapping[str, str] = {"2d texture": "t", "plain surface": "s", "render target": "r", "cube": "c", "volume": "v"}
_CAP = re.compile(r"^(no |with or without |with |without )?(D3D[A-Z0-9]*CAPS[A-Z0-9_]*)( set| clear)?$")
_SAMPLES = re.compile(r"^(\d+)x (not )?supported\b.*$")
_REFUSALS = ("not supported", "unsupported", "not usable", "unusable", "no support")
_FIXED_PHRASES: Mapping[str, Mapping[str, object]] = {
    "POW2": {"pow2": True},
    "POW2 only": {"pow2": True, "nonpow2_conditional": False},
    "POW2 + NONPOW2CONDITIONAL": {"pow2": True, "nonpow2_conditional": True},
    "no POW2 restriction": {"pow2": False},
    "Windows XP": {"windows": "xp"},
    "Windows 7": {"windows": "win7"},
    "debug runtime": {"debug": True},
    "retail runtime": {"debug": False},
    "hardware vertex processing": {"vertex_processing": "hardware"},
    "mixed vertex processing": {"vertex_processing": "mixed"},
    "software vertex processing": {"vertex_processing": "software"},
}


class ContradictionError(Exception):
    """A record needs a device that the adapter or an option excludes; the text names what."""


_CACHE: dict[tuple[object, ...], tuple[Adapter | None, Runtime]] = {}


def base_runtime(options: CheckOptions, api: str) -> Runtime:
    """Return the device before the record speaks."""
    adapter = options.adapter
    # The adapter is kept beside the answer, so its identity stays its own.
    key = (id(adapter), tuple(sorted(options.options.items())), api)
    found = _CACHE.get(key)
    if found is None:
        found = _CACHE[key] = (adapter, runtime_of(adapter, options.options, api))
    return found[1]


def device_of(record: VectorRecord, options: CheckOptions) -> Runtime:
    """Return the device of a record.

    Raises:
        NotUnderstoodError: A precondition or requirement says nothing that is known here.
        ContradictionError: The record excludes the adapter or an option.
    """
    runtime = base_runtime(options, record.api)
    if not record.preconditions and not record.requires:
        return runtime
    fixed = _fixed(options)
    for phrase in record.preconditions:
        runtime = _merge(runtime, _stated(phrase, record, runtime), fixed, phrase)
    for key, value in record.requires.items():
        runtime = _merge(runtime, _required(key, value), fixed, key)
    return runtime


def _fixed(options: CheckOptions) -> frozenset[str]:
    """Return the fields that adapter and options settle."""
    names: set[str] = set()
    for key in options.options:
        full = key if key in OPTION_KEYS else f"d3d9.{key}"
        if full in OPTION_KEYS:
            bare = full.removeprefix("d3d9.")
            names.add({"runtime": "debug"}.get(bare, CAP_FIELDS.get(bare, bare)))
    if options.adapter is not None and options.adapter.d3d9 is not None:
        names.update(_ADAPTER_FIELDS)
    return frozenset(names)


def _merge(runtime: Runtime, changes: Mapping[str, object], fixed: frozenset[str], what: str) -> Runtime:
    for name, value in changes.items():
        if name in fixed and getattr(runtime, name) != value:
            raise ContradictionError(what)
    return replace(runtime, **changes) if changes else runtime  # pyright: ignore[reportArgumentType]  # by field name


def _stated(phrase: str, record: VectorRecord, runtime: Runtime) -> Mapping[str, object]:
    text = phrase.strip()
    if text in _FIXED_PHRASES:
        return _FIXED_PHRASES[text]
    cap = _CAP.match(text)
    if cap is not None and cap[2] in CAP_FIELDS:
        before = (cap[1] or "").strip()
        # "With or without": the first of the two holds.
        absent = before in ("no", "without") or (cap[3] or "").strip() == "clear"
        return {CAP_FIELDS[cap[2]]: not absent}
    if cap is not None and cap[2] in OTHER_CAPS:
        return {}
    samples = _SAMPLES.match(text)
    if samples is not None and int(samples[1]) in set(MultisampleType):
        number = int(samples[1])
        kinds = runtime.multisample_types
        return {"multisample_types": kinds - {number} if samples[2] else kinds | {number}}
    if any(word in text for word in _REFUSALS):
        return {"denied": runtime.denied | _capability(text, record)}
    if "supported" in text or "usable" in text or text.startswith("driver supports"):
        return _supported(text, record, runtime)
    if " or " in text:
        return _stated(text.split(" or ")[0], record, runtime)
    raise NotUnderstoodError(f"precondition {phrase}")


def _supported(text: str, record: VectorRecord, runtime: Runtime) -> Mapping[str, object]:
    if "non power-of-two" in text:
        return {"pow2": False}
    return {"granted": runtime.granted | _capability(text, record)}


_CALL_USES = {"CreateTexture": "t", "CreateCubeTexture": "c", "CreateVolumeTexture": "v",
              "CreateOffscreenPlainSurface": "s", "CreateRenderTarget": "r", "ColorFill": "s"}  # fmt: skip


def _capability(text: str, record: VectorRecord) -> frozenset[tuple[int, str]]:
    """Return which format for which use a sentence about support means."""
    lower = text.lower()
    uses = {use for words, use in _USES.items() if words in lower}
    if not uses:
        use = _CALL_USES.get(record.call.removesuffix("Ex"))
        uses = {use} if use else set("tcv")
    found: set[tuple[int, str]] = set()
    for key in ("format", "src_format", "dst_format"):
        value = record.input.get(key)
        if isinstance(value, str):
            found.update((parse_format(value.split(" (")[0]), use) for use in uses)
    return frozenset(found)


def _required(key: str, value: object) -> Mapping[str, object]:
    field = CAP_FIELDS.get(key, key)
    if key == "windows" and isinstance(value, str):
        windows = {"xp": "xp", "winxp": "xp", "7": "win7", "win7": "win7"}.get(value.lower())
        if windows is not None:
            return {"windows": windows}
    if key in OTHER_CAPS and isinstance(value, bool):
        return {}
    if key in CAP_FIELDS and isinstance(value, bool):
        return {field: value}
    if key in ("max_texture_width", "max_texture_height", "max_volume_extent", "quality_levels"):
        if isinstance(value, int) and not isinstance(value, bool):
            return {key: value}
    elif (key in ("debug", "point_sprites", "lockable_back_buffer") and isinstance(value, bool)) or (
        key in ("vertex_processing", "driver") and value in OPTION_KEYS[f"d3d9.{key}"]
    ):
        return {key: value}
    raise NotUnderstoodError(f"requires {key}")
