"""The trace of a method as data with labels, for the manifest and the report.

Every node in it was in the release at some step, so that at least K people share it: children of what stayed
as it is are not told. Figures are told to four digits, as in the manifest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ontomask.columns import Column
from ontomask.methods import Masking

_WHY = {
    "K": "fewer than K records would share their values",
    "C": "a confidential value would be surer than C",
    "k": "fewer than k records would be equal",
    "gain": "it would tell no more about the target",
}


def trace_of(columns: Sequence[Column], masking: Masking) -> dict[str, Any] | None:
    """The steps of a masking, what stayed as it is, and the MIM of columns where they were ranked by it; None
    if its method tells nothing.

    A value of None is a missing one.
    """
    if masking.trace is None:
        return None
    texts = []
    for column, attribute in zip(columns, masking.attributes, strict=True):
        own = column.texts(attribute)
        texts.append([own[r] for r in column.released_as(attribute).tolist()])
    names = [column.name for column in columns]
    steps = []
    for step in masking.trace.steps:
        told = texts[step.attribute]
        one = {
            "column": names[step.attribute],
            "value": told[step.node],
            "became": [told[child] for child in step.children],
            "infogain": float(f"{step.gain:.4g}"),
            "tier": step.tier + 1,
        }
        steps.append(one if step.mim is None else one | {"mim": step.mim})
    stayed = [
        {
            "column": names[stop.attribute],
            "value": texts[stop.attribute][stop.node],
            "because": f"{stop.requirement} would not hold" if stop.requirement else _WHY[stop.because],
            "on": [names[j] for j in stop.on],
            "after": stop.after,
        }
        for stop in masking.trace.stops
    ]
    found: dict[str, Any] = {"steps": steps, "stayed": stayed}
    scores = masking.trace.mim
    return found | {"mim": dict(zip(names, scores, strict=True))} if scores else found
