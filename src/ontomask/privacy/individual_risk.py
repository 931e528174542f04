"""The risk of a person in a sample, by sampling weights: Benedetti and Franconi 1998.

A class of f records of the sample stands for F people of the population, F estimated by the sum of their
weights. Only these two numbers are looked at here.
"""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Float64, Int64

_BY_SERIES = 20
"""Classes of more records than this are summed by the series, which then needs some 60 terms at most."""
_TERMS = 80


def individual_risks(sizes: Int64, represented: Float64) -> Float64:
    """Chance that a record of each class is linked to its person, who may be any of F: ``E(1/F | f)``.

    With ``p = f / F`` and a negative binomial F given f (Franconi and Polettini 2004, equation 3)

        r_f = p^f / f 2F1(f, f; f + 1; 1 - p) = p integral of u^(f-1) / (p + (1 - p) u) over u from 0 to 1

    so that ``r_1 = p/(1-p) log(1/p)`` and ``r_(f+1) = p/(1-p) (1/f - r_f)``. It is ``1/f`` where the class is
    all of its people (p = 1), and near ``1/F`` for a large class. It is exact for all f: by that recurrence
    for small classes, else by the series of 2F1.

    Parameters
    ----------
    sizes
        Records f of every class, 1 or more.
    represented
        People F that a class stands for: the sum of its weights; f where that is less.

    References
    ----------
    Benedetti, R. and Franconi, L. (1998): Statistical and technological solutions for controlled data
    dissemination. Franconi, L. and Polettini, S. (2004): Individual risk estimation in mu-Argus: a review.

    Examples
    --------
    >>> individual_risks(np.array([1, 2, 1]), np.array([215.0, 152.0, 1.0])).round(4).tolist()
    [0.0251, 0.0126, 1.0]
    """
    f = sizes.astype(np.float64)
    p = f / np.maximum(represented, f)
    risks = np.empty(len(f))
    # Each step of the recurrence multiplies what is lost in rounding by p / (1 - p).
    is_small = (f <= _BY_SERIES) & (p <= 0.5)
    risks[is_small] = _by_recurrence(sizes[is_small], p[is_small])
    risks[~is_small] = _by_series(f[~is_small], p[~is_small])
    return risks


def _by_recurrence(sizes: Int64, p: Float64) -> Float64:
    odds = p / (1 - p)
    risks = -odds * np.log(p)
    for f in range(1, int(sizes.max(initial=1))):
        risks = np.where(sizes > f, odds * (1 / f - risks), risks)
    return risks


def _by_series(f: Float64, p: Float64) -> Float64:
    """``p/f 2F1(1, 1; f + 1; 1 - p) = p/f sum_n n! / ((f + 1) ... (f + n)) (1 - p)^n``."""
    total, term = np.ones(len(f)), np.ones(len(f))
    for n in range(1, _TERMS):
        term = term * n / (f + n) * (1 - p)
        total += term
    return p / f * total
