"""Equivalence classes: k-anonymity, k-map, and the risk that the size of a class leaves.

A class is the set of released records with the same quasi-identifiers; only sizes are looked at here.
"""

from __future__ import annotations

import numpy as np

from ontomask.arrays import Int64


def k_anonymity(sizes: Int64) -> int:
    """The largest k for which the release is k-anonymous: its smallest class (0: nothing was released).

    >>> k_anonymity(np.array([4, 2, 9]))
    2
    """
    return int(sizes[sizes > 0].min(initial=np.iinfo(np.int64).max)) if (sizes > 0).any() else 0


def k_map(population: Int64) -> int:
    """The largest k for which the release is a k-map (Sweeney 2002): every class may be k people.

    `population[c]` is the number of people of the population who could be in class c; see
    `matching_records`.

    >>> k_map(np.array([12, 7]))
    7
    """
    return int(population.min()) if len(population) else 0


def discernibility(sizes: Int64, suppressed: int = 0, times: Int64 | int = 1) -> int:
    """DM (Bayardo and Agrawal 2005): ``sum |g|^2 + s n``; each of s suppressed records counts n.

    `times` is how many classes have each of the sizes.

    >>> discernibility(np.array([2, 3]), suppressed=1)  # 4 + 9 + 1 * 6
    19
    """
    return int((times * sizes**2).sum() + suppressed * ((times * sizes).sum() + suppressed))


def average_class_size(sizes: Int64, k: int, times: Int64 | int = 1) -> float:
    """C_avg (LeFevre et al. 2006): ``(n / classes) / k``, n the released records; 1 is ideal.

    `times` is how many classes have each of the sizes.

    >>> average_class_size(np.array([2, 4]), k=2)
    1.5
    """
    classes = (times * (sizes > 0)).sum()
    return float((times * sizes).sum() / classes / k) if classes else 0.0


def class_risks(
    sizes: Int64, k: int, population: Int64 | None = None, times: Int64 | int = 1
) -> dict[str, float]:
    """Risks of re-identification from class sizes f and, if given, population sizes F; in percent.

    An intruder who knows that somebody is in the release (prosecutor) guesses right with chance 1/f. One who
    only knows that the release was drawn from a population (journalist) with 1/F; one who links everybody
    (marketer) is right in ``1/n sum_c f_c / F_c`` of the records. Without a population F = f is assumed, the
    worst case. A blind guess among all released records scores 100/n. `times` is how many classes have each
    of the sizes.

    >>> risks = class_risks(np.array([1, 3]), k=2)
    >>> risks["prosecutor_max"], risks["prosecutor_mean"], risks["records_below_k"], risks["sample_uniques"]
    (100.0, 50.0, 25.0, 25.0)
    """
    kept = sizes > 0
    f, classes = sizes[kept], np.broadcast_to(times, sizes.shape)[kept]
    F = np.maximum(f, population[kept]) if population is not None else f
    n = (classes * f).sum()
    names = (
        "prosecutor_max",
        "prosecutor_mean",
        "journalist_max",
        "marketer",
        "records_below_k",
        "sample_uniques",
        "class_risk_blind",
    )
    if not n:
        return dict.fromkeys(names, 0.0)
    shares = (
        1 / f.min(),
        classes.sum() / n,
        1 / F.min(),
        (classes * (f / F)).sum() / n,
        (classes * f)[f < k].sum() / n,
        classes[f == 1].sum() / n,
        1 / n,
    )
    return {name: float(100 * share) for name, share in zip(names, shares, strict=True)}
