"""The two ways loops are compiled here: `@kernel` for those called from Python, `@step` for their parts.

Machine code is kept on disk, so that only the first run on a machine compiles. Loops run without Python's
lock, so that a watcher can tell how far they are. `NUMBA_DISABLE_JIT=1` runs them as plain Python, for a
debugger. Settings of numba count if they are in the environment, not if they lie in the current folder.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar


@contextmanager
def _without_yaml() -> Iterator[None]:
    known: Any = sys.modules.get("yaml")
    sys.modules["yaml"] = None  # type: ignore[assignment]  # whoever imports it is told that it is missing
    try:
        with warnings.catch_warnings(action="ignore"):
            yield
    finally:
        del sys.modules["yaml"]
        if known:
            sys.modules["yaml"] = known


# Beside somebody's data may lie a `.numba_config.yaml` that names a folder of machine code. It is pickled, so
# to load it is to run what is in it: numba is to read that file neither now nor whenever it compiles.
with _without_yaml():
    import numba
_settings: Any = numba.core.config
_settings._config_fname = ""
_settings.reload_config()

Function = TypeVar("Function", bound=Callable[..., object])
_options = {"cache": True, "boundscheck": False, "error_model": "numpy"}
_part = _options | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
_compile: Any = numba.njit(**_options, nogil=True)  # type: ignore[call-overload]
_compile_part: Any = numba.njit(**_part)  # type: ignore[call-overload]
_compile_inner: Any = numba.njit(**_part, _nrt=False)  # type: ignore[call-overload]
_compile_inlined: Any = numba.njit(**_part, _nrt=False, forceinline=True)  # type: ignore[call-overload]


def kernel(function: Function) -> Function:
    """A compiled loop."""
    compiled: Function = _compile(function)
    return compiled


def step(function: Function) -> Function:
    """A part of compiled loops; without a way in from Python it compiles in a fraction of the time."""
    compiled: Function = _compile_part(function)
    return compiled


def inner(function: Function) -> Function:
    """A step that makes no arrays: it is not told to count references to those that it is given.

    Counting them takes longer than a short loop, where groups of many arrays are passed on millions of times.
    `_nrt` is an option that numba has for itself: where it goes, this may become `step`, only slower.
    """
    compiled: Function = _compile_inner(function)
    return compiled


def inlined(function: Function) -> Function:
    """An inner step that is put where it is called.

    A call hands over every field of every array; where short loops are given many arrays, that takes
    most of the time. What is called from many places is compiled for each of them.
    """
    compiled: Function = _compile_inlined(function)
    return compiled


def first_run(module: str = "sa_mdav") -> bool:
    """Whether no machine code of a module is on disk yet, so that its first calls compile for seconds."""
    folder = os.environ.get("NUMBA_CACHE_DIR") or Path(__file__).parent
    return not any(Path(folder).rglob(f"{module}*.nbi"))
