"""Whether the compiled kernels are ready, and how they get ready: without freezing anything.

Compiling takes seconds, loading from the cache a tenth of one. So nothing compiles by surprise: the plain-Python
references serve until ``warm_up`` ran once on this machine (a background process does that) and left its mark in
the cache folder. Importing this module imports neither numba nor any kernel.
"""

from __future__ import annotations

import hashlib
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import platformdirs

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")

WARM_UPS: tuple[str, ...] = (
    "explorer.memory.allocators.warm_up:warm_up_allocators",
    "explorer.memory.fragmentation:warm_up_fragmentation",
    "explorer.memory.eviction.lru_kernels:warm_up",
    "explorer.memory.eviction.mru_kernels:warm_up",
    "explorer.memory.eviction.fifo_kernels:warm_up",
    "explorer.memory.eviction.clock_kernels:warm_up",
    "explorer.memory.eviction.sieve_kernels:warm_up",
    "explorer.memory.eviction.s3_fifo_kernels:warm_up",
    "explorer.memory.eviction.arc_kernels:warm_up",
    "explorer.memory.eviction.belady_kernels:warm_up",
    "explorer.memory.eviction.levels_kernels:warm_up",
    "explorer.memory.frame_kernels:warm_up",
    "explorer.memory.paging_kernels:warm_up",
    # Above this package: a name only, so that one list says what is compiled before the mark is left.
    "explorer.render.raster:warm_up_raster",
)
"""``module:function`` of every group of kernels; each function calls its kernels once with their real types."""

_marked: dict[str, bool] = {}


def use_cache_folder() -> Path:
    """Point numba's cache at the user's cache folder, unless the environment names one; return it.

    Must run before numba is imported, which reads the variable only then.
    """
    folder = os.environ.get("NUMBA_CACHE_DIR")
    if not folder:
        folder = str(Path(platformdirs.user_cache_dir("memory-layout-explorer", appauthor=False)) / "kernels")
        os.environ["NUMBA_CACHE_DIR"] = folder
    return Path(folder)


def is_jit_disabled() -> bool:
    """Return whether the environment forbids compiling (coverage and mutation runs do)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of a module: without the interpreter lock, kept in the cache, on its first call."""
    return cast("Callable[P, R]", _numba().njit(nogil=True, cache=True)(function))


def flat_kernel(function: Callable[..., R]) -> Callable[..., R]:
    """Compile like ``kernel`` a function that makes no array: four times faster where it calls many small ones.

    References to arrays are not counted inside (that was most of the time of the allocators), so the function must
    neither make an array nor keep one. Division by zero is not checked. numba's cache does not know of these options:
    whoever changes them must touch the sources of the kernels.
    """
    options = {"nogil": True, "cache": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
    return cast("Callable[..., R]", _numba().njit(**options)(function))


def _numba() -> Any:
    use_cache_folder()
    return import_module("numba")


def kernels_ready() -> bool:
    """Return whether kernels can be called without compiling first. Cheap; may turn True at any time."""
    if is_jit_disabled():
        return False
    mark = _mark()
    if not _marked.get(str(mark), False):
        _marked[str(mark)] = mark.is_file()
    return _marked[str(mark)]


def warm_up() -> None:
    """Compile every kernel into the cache and leave the mark; returns at once where that was done before."""
    if is_jit_disabled() or kernels_ready():
        return
    for name in WARM_UPS:
        module, function = name.split(":")
        getattr(import_module(module), function)()
    mark = _mark()
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()


_mark_of: dict[Path, Path] = {}


def _mark() -> Path:
    """Return the file that says: these kernels, by this compiler, are in the cache."""
    folder = use_cache_folder()
    if folder not in _mark_of:
        # Reads the packages' own files and brings parsers for them: nothing that a window waits for.
        from importlib.metadata import version

        parts = [sys.version, version("numba"), version("numpy"), os.uname().machine if hasattr(os, "uname") else ""]
        for name in WARM_UPS:
            spec = find_spec(name.split(":")[0])
            if spec is None or spec.origin is None:
                continue
            # numba itself trusts path, size and time of a source.
            for source in sorted(Path(spec.origin).parent.glob("*_kernels.py")):
                state = source.stat()
                parts.append(f"{source} {state.st_size} {state.st_mtime_ns}")
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
        _mark_of[folder] = folder / f"ready-{digest}"
    return _mark_of[folder]
