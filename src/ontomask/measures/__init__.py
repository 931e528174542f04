"""How far apart concepts are, by name.

>>> measure("wup", convention="ws4j")
WuPalmer(convention='ws4j')
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from ontomask.errors import MeasureError
from ontomask.measures.base import Measure
from ontomask.measures.edge import LeacockChodorow, Path, WuPalmer
from ontomask.measures.feature import Equality, Logsc, Petrakis, Rodriguez, Tversky
from ontomask.measures.information import JiangConrath, Lin, Resnik
from ontomask.measures.vector import Vector

__all__ = ["MEASURES", "Measure", "measure"]

MEASURES: dict[str, type[Measure]] = {
    kind.name: kind
    for kind in (
        Path,
        LeacockChodorow,
        WuPalmer,
        Tversky,
        Rodriguez,
        Petrakis,
        Logsc,
        Resnik,
        Lin,
        JiangConrath,
        Vector,
        Equality,
    )
}


def measure(name: str, **options: Any) -> Measure:
    """The measure of that name.

    Parameters
    ----------
    name
        One of `MEASURES`; the default everywhere is ``logsc``.
    options
        ``convention`` (path, lch, wup), ``ic`` (resnik, lin, jcn), weights (rodriguez).
    """
    if name not in MEASURES:
        raise MeasureError(f"measure {name!r} does not exist: use {', '.join(MEASURES)}")
    kind: Any = MEASURES[name]
    known = {f.name for f in fields(kind)}
    if unknown := sorted(set(options) - known):
        raise MeasureError(
            f"measure {name} has no option {unknown[0]!r}"
            + (f": it has {', '.join(sorted(known))}" if known else " (it has none)")
        )
    made: Measure = kind(**options)
    return made
