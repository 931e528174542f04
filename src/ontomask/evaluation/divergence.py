"""Kullback-Leibler divergence between the frequencies of records before and after."""

from __future__ import annotations

import numpy as np

from ontomask.arrays import distinct_rows
from ontomask.evaluation.pairs import ReleaseView, own_values
from ontomask.evaluation.subject import Family, Figure


def kl_divergence(view: ReleaseView) -> dict[str, float]:
    """``KL = sum over original distinct records of f ln(f / f*)``, and how many of them have f* = 0.

    1/2 is added to the count of every original distinct record in both tables before they are made relative,
    so that a record which the release lacks does not make KL infinite.

    >>> from ontomask.attributes import Numeric, Tuples
    >>> from ontomask.evaluation.pairs import Pairs
    >>> age = Numeric.of("age", np.array([20.0, 30.0]), np.array([1, 1]))
    >>> table = Tuples(np.array([[0], [1]], np.int32), np.array([1, 1]))
    >>> kl_divergence(ReleaseView(table, [age], Pairs.unmasked(table, [age])))
    {'kl_divergence': 0.0, 'kl_absent': 0}
    """
    seen = view.merged
    p, n_masked = len(seen.tuples), len(seen.pairs.values)
    rows = np.vstack([own_values(seen.tuples, seen.attributes), seen.pairs.values])
    first, which = distinct_rows(list(rows.T))
    after = np.zeros(len(first))
    after[which[p : p + n_masked]] = seen.pairs.class_sizes
    left = after[which[:p]]
    f = (seen.tuples.counts + 0.5) / (seen.tuples.n + 0.5 * p)
    f_masked = (left + 0.5) / (seen.pairs.class_sizes.sum() + 0.5 * p)
    return {
        "kl_divergence": float((f * np.log(f / f_masked)).sum()),
        "kl_absent": int((left == 0).sum()),
    }


DIVERGENCE = Family(
    lambda subject, found: kl_divergence(subject.view),
    (
        Figure(
            "kl_divergence",
            "KL divergence",
            "",
            "how far the frequencies of original records are from the released ones",
        ),
        Figure("kl_absent", "Original combinations no longer there"),
    ),
)
