"""The hierarchy-based losses of other tools, NCP, GenILoss and Prec, for releases of any kind.

They count how much less specific a value became. For a release that moves values sideways rather than up
(microaggregation, recoding), a pair counts as if both values had been generalised to the least node that
covers them: for generalised values this is the masked value itself, so the figures compare. A value that was
kept costs nothing, even one that has others below it.
"""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Float64, counted_sum
from ontomask.evaluation.pairs import ReleaseView
from ontomask.evaluation.subject import Family, Figure


def generalization(view: ReleaseView) -> dict[str, float]:
    """NCP (Xu et al. 2006), GenILoss (Iyengar 2002) and Prec (Sweeney 2002)::

        ncp         =     1/(n m) sum_i sum_j ncp_ij
        granularity = 1 - ncp
        gen_iloss   =     1/(n m) sum_i sum_j loss_ij
        prec        = 1 - 1/(n m) sum_i sum_j height_ij

    with those of a single change as its attribute counts them (`Attribute.generalization`). A suppressed or
    blanked value counts 1.
    """
    pairs, m = view.pairs, len(view.attributes)
    found = np.stack([_of_column(view, j) for j in range(m)], axis=-1)
    ncp, loss, height = (float(counted_sum(pairs.counts, one).sum()) / (pairs.n * m) for one in found)
    return {"ncp": ncp, "granularity": 1 - ncp, "gen_iloss": loss, "prec": 1 - height}


def ncp_of(view: ReleaseView, j: int) -> float:
    """NCP of the j-th attribute alone, 0 to 1."""
    return float(view.pairs.counts @ _of_column(view, j)[0]) / view.pairs.n


def _of_column(view: ReleaseView, j: int) -> Float64:
    """NCP, loss and height of each pair; 1 where it was suppressed."""
    pairs, attribute = view.pairs, view.attributes[j]
    found = np.ones((3, len(pairs.counts)))
    kept = ~pairs.suppressed
    codes = view.tuples.codes[pairs.original[kept], j]
    found[:, kept] = attribute.generalization(codes, pairs.values_of_pairs[kept, j])
    return found


GENERALIZATION = Family(
    lambda subject, found: generalization(subject.view),
    (
        Figure(
            "ncp",
            "NCP",
            "",
            "normalised certainty penalty, 0 to 1: share of a column's values that a masked one covers",
        ),
        Figure("granularity", "Granularity", "", "1 - NCP: 1 is untouched; 0 is nothing left"),
        Figure(
            "gen_iloss",
            "GenILoss",
            "",
            "generalised information loss, 0 to 1: as NCP, where one value alone counts nothing",
        ),
        Figure("prec", "Precision, Prec", "", "1 is untouched; 0 is everything at the top of its hierarchy"),
    ),
)
