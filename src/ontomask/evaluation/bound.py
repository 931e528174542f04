"""How far a release is from the best possible one: the proven bound of its loss, and the gap to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ontomask.evaluation.central_bound import least_loss
from ontomask.evaluation.generalization import generalization
from ontomask.evaluation.pairs import ReleaseView
from ontomask.evaluation.subject import Family, Figure, Subject
from ontomask.evaluation.truthful_bound import least_ncp


def bounds(subject: Subject, found: Mapping[str, Any]) -> dict[str, float | None]:
    """The least loss of any release with the same k, and by how much this one may be above it, in percent.

    Where all columns are truthful, of NCP::

        granularity_bound = 1 - least ncp         gap = 100 (ncp / least ncp - 1)

    else of L::

        lower_bound = 100 least sse / sst         gap = 100 (L / lower_bound - 1)

    A bound that would take too long is None. So is the gap where a class is smaller than k, or a value is
    not true of its record: such a release may lose less than any that is asked for.
    """
    view, k = subject.view, subject.k
    if k is None:
        return {}  # nothing has to be lost
    is_comparable = bool((view.pairs.class_sizes >= k).all())
    if all(attribute.is_truthful for attribute in view.attributes):
        least = least_ncp(view, k)
        loss = generalization(view)["ncp"]
        is_comparable &= is_true(view)
        shown = {"granularity_bound": None if least is None else 1 - least}
    else:
        loss, sst = float(found["information_loss"]), float(found["sst"])
        sse = least_loss(view, k)
        least = None if sse is None else 100 * sse / sst if sst > 0 else 0.0
        shown = {"lower_bound": least}
    return shown | {"gap": gap(loss, least) if is_comparable else None}


def gap(loss: float, least: float | None) -> float | None:
    """How much of the least loss a loss is more than it, in percent; None if that is unknown or no number.

    >>> gap(0.75, 0.6)
    25.0
    """
    if least is None or (least == 0 and loss > 0):
        return None
    return 100 * (loss / least - 1) if loss > least else 0.0


def is_true(view: ReleaseView) -> bool:
    """Whether every released value covers the original, by what the bound looks at, or is none."""
    pairs = view.pairs
    kept = ~pairs.suppressed
    for j, attribute in enumerate(view.attributes):
        codes = view.tuples.codes[pairs.original[kept], j]
        after = pairs.values_of_pairs[kept, j]
        covers = attribute.covers(after, attribute.own[codes])
        if above := attribute.subsumers:
            covers &= np.isin(after, above.replacements)
        if not (covers | (after == attribute.nothing)).all():
            return False
    return True


BOUNDS = Family(
    bounds,
    (
        Figure(
            "lower_bound",
            "Least possible L",
            "%",
            "no release with the same k loses less (proven)",
        ),
        Figure(
            "granularity_bound",
            "Greatest possible granularity",
            "",
            "no truthful release with the same k keeps more (proven)",
        ),
        Figure(
            "gap",
            "Gap to the best",
            "%",
            "the loss is at most so much above the least possible one",
        ),
    ),
    needs=("bound",),
)
