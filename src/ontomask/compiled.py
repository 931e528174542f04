"""The two ways loops are compiled here: `@kernel` for those called from Python, `@step` for their parts.

Machine code is kept on disk, so that only the first run on a machine compiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., object])
_compile: Any = numba.njit(cache=True, boundscheck=False, error_model="numpy")
_compile_part: Any = numba.njit(  # type: ignore[call-overload]
    cache=True, boundscheck=False, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
)


def kernel(function: Function) -> Function:
    """A compiled loop."""
    compiled: Function = _compile(function)
    return compiled


def step(function: Function) -> Function:
    """A part of compiled loops; without a way in from Python it compiles in a fraction of the time."""
    compiled: Function = _compile_part(function)
    return compiled


def first_run() -> bool:
    """Whether this version has never compiled on this machine; asked once, it remembers."""
    from contextlib import suppress

    from platformdirs import user_cache_path

    from ontomask import __version__

    mark = user_cache_path("ontomask", appauthor=False) / f"compiled-{__version__}-numba-{numba.__version__}"
    if mark.exists():
        return False
    with suppress(OSError):
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return True
