"""How many people of a sample are unique in the population it was drawn from, by the sizes of its classes.

Three models of the population (Zayatz 1991; Chen and Keller-McNulty 1998; Hoshino 2001) and the rule of which
to believe (Dankar et al. 2012). Only class sizes and the number of people are looked at here. Where a model
has no estimate there is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ontomask.arrays import Int64

_EDGE = 1e-4
"""An alpha of Pitman's formula nearer to 0 or 1 than this is none: the maximum is at the edge."""
_WIDE = 20.0
"""The log odds of a beta nearer to 0 or 1 than there are class sizes that could tell."""
_STEPS = 200


@dataclass(frozen=True)
class PopulationUniques:
    """Records of a sample that are unique in the population: the estimate of each model, None without one.

    `chosen` is the one to believe (Dankar, El Emam, Neisa and Roffey 2012): of samples of a tenth or less
    that of Pitman, or of Zayatz where there is none; of larger ones the lower of Zayatz and SNB.
    """

    zayatz: float
    pitman: float | None
    snb: float | None
    chosen: float

    @classmethod
    def of(cls, sizes: Int64, people: float) -> PopulationUniques:
        """By the sizes of the classes of a sample of `people`.

        No estimate exceeds the unique records of the sample: others cannot be unique in the population. For
        the same reason there is nothing to estimate without unique records.

        >>> found = PopulationUniques.of(np.array([1, 1, 2]), people=8)  # half of them: Zayatz or SNB
        >>> round(found.zayatz, 4), found.snb, found.chosen == found.zayatz
        (1.2727, None, True)
        """
        frequencies = Frequencies.of(sizes, people)
        if not frequencies.uniques:
            return cls(0.0, 0.0, 0.0, 0.0)
        zayatz = zayatz_uniques(frequencies)
        pitman, snb = (
            None if found is None else min(frequencies.fraction * found, float(frequencies.uniques))
            for found in (pitman_uniques(frequencies), snb_uniques(frequencies))
        )
        if frequencies.fraction <= 0.1:
            return cls(zayatz, pitman, snb, zayatz if pitman is None else pitman)
        return cls(zayatz, pitman, snb, zayatz if snb is None else min(zayatz, snb))


@dataclass(frozen=True, eq=False)
class Frequencies:
    """`counts[i]` classes of a sample have `sizes[i]` records each; it was drawn from `people`."""

    sizes: Int64
    counts: Int64
    people: float

    @classmethod
    def of(cls, sizes: Int64, people: float) -> Frequencies:
        """From the size of every class; the population has no fewer people than the sample."""
        found, counts = np.unique(sizes[sizes > 0], return_counts=True)
        return cls(found, counts, max(float(people), float(found @ counts)))

    @property
    def n(self) -> int:
        """Records of the sample."""
        return int(self.sizes @ self.counts)

    @property
    def classes(self) -> int:
        """Classes of the sample."""
        return int(self.counts.sum())

    @property
    def fraction(self) -> float:
        """Which part of the population the sample is."""
        return self.n / self.people

    @property
    def uniques(self) -> int:
        """Classes of one record."""
        return self.of_size(1)

    def of_size(self, size: int) -> int:
        """Classes of so many records."""
        return int(self.counts[self.sizes == size].sum())


def zayatz_uniques(sample: Frequencies) -> float:
    """Unique records of the sample that are unique in the population (Zayatz 1991).

    As if classes of i people were as frequent in the population as classes of i records are in the sample
    (s_i): with the hypergeometric chance h_i that of i people exactly one is drawn,

        s_1 (s_1 h_1) / sum_i s_i h_i

    >>> round(zayatz_uniques(Frequencies.of(np.array([1, 1, 2]), people=8)), 4)  # h_1 = 1/2, h_2 = 4/7
    1.2727
    """
    drawn = np.array([_chance_of_one(int(i), sample.n, round(sample.people)) for i in sample.sizes])
    weight = sample.counts * drawn
    return float(sample.uniques * (weight[sample.sizes == 1].sum() / weight.sum()))


def _chance_of_one(size: int, n: int, people: int) -> float:
    """The chance that of `size` people among `people` exactly one is among the n drawn."""
    if size > people - n + 1:
        return 0.0
    others = people - size
    log_ways = _log_binomial(others, n - 1) - _log_binomial(people, n)
    return size * math.exp(log_ways)


def _log_binomial(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def pitman_uniques(sample: Frequencies) -> float | None:
    """Unique people of the population by Pitman's sampling formula (Hoshino 2001).

    With the theta and alpha of `pitman_parameters` the population of N is expected to have

        N prod_(i=1..N-1) (theta + alpha + i - 1) / (theta + i) -> Gamma(theta+1) / Gamma(theta+alpha) N^alpha

    unique people; it is computed as it stands, not by its limit. Without parameters there is no estimate.
    """
    found, N = pitman_parameters(sample), sample.people
    if found is None:
        return None
    theta, alpha = found
    log_share = math.lgamma(theta + alpha + N - 1) - math.lgamma(theta + N)
    return float(N * math.exp(log_share + math.lgamma(theta + 1) - math.lgamma(theta + alpha)))


def pitman_parameters(sample: Frequencies) -> tuple[float, float] | None:
    """The theta and alpha of Pitman's formula that make a sample most likely (Hoshino 2001).

    Of u classes of n records, s_j of them of size j, the likelihood is

        prod_(i=1..u-1) (theta + i alpha) / prod_(i=1..n-1) (theta + i) prod_j ((1-alpha) ... (j-1-alpha))^s_j

    with ``0 < alpha < 1`` and ``theta > -alpha``. None where it has no maximum inside these, such as when all
    records are unique.
    """
    u, n = sample.classes, sample.n
    if not 1 < u < n:
        return None

    def per_class(theta: float, alpha: float) -> float:
        """``sum_(i=1..u-1) 1 / (theta + i alpha)``."""
        return (_digamma(theta / alpha + u) - _digamma(theta / alpha + 1)) / alpha

    def best_theta(alpha: float) -> float | None:
        # theta lies above -alpha; its distance from there is searched by orders of magnitude.
        def slope(distance: float) -> float:
            theta = math.exp(distance) - alpha
            return per_class(theta, alpha) - (_digamma(theta + n) - _digamma(theta + 1))

        distance = _root(slope, math.log(_EDGE), math.log(n) + 20)
        return None if distance is None else math.exp(distance) - alpha

    def slope(alpha: float) -> float:
        theta = best_theta(alpha)
        if theta is None:
            return math.nan
        within: float = sum(
            s * (_digamma(j - alpha) - _digamma(1 - alpha))
            for j, s in zip(sample.sizes.tolist(), sample.counts.tolist(), strict=True)
        )
        return ((u - 1) - theta * per_class(theta, alpha)) / alpha - within

    alpha = _root(slope, _EDGE, 1 - _EDGE)
    theta = None if alpha is None else best_theta(alpha)
    return None if alpha is None or theta is None else (theta, alpha)


def snb_uniques(sample: Frequencies) -> float | None:
    """Unique people of the population, its class sizes a slid negative binomial (Chen, Keller-McNulty 1998).

    ``K beta^alpha``, K the number of classes of the population (`population_classes`), alpha and beta those
    of `snb_parameters`. Without these there is no estimate.
    """
    classes = population_classes(sample)
    found = snb_parameters(sample, classes)
    return None if found is None else classes * found[1] ** found[0]


def snb_parameters(sample: Frequencies, classes: float) -> tuple[float, float] | None:
    """The alpha and beta of the slid negative binomial that fit a sample of a population of so many classes.

    A class has 1 + X people, X negative binomial, ``P(X = 0) = beta^alpha``. Drawn with chance pi each,
    with ``A = 1 - (1 - beta)(1 - pi)`` and ``t = (1 - beta) pi / A``,

        P(1) = (beta / A)^alpha (pi + (1 - pi) alpha t)
        P(2) = (beta / A)^alpha (pi alpha t + (1 - pi) alpha (alpha + 1) t^2 / 2)

    of the classes have one and two records in the sample: alpha and beta make these the classes of one and
    two that there are. None where no alpha and beta do.
    """
    pi, ones, twos = sample.fraction, sample.uniques, sample.of_size(2)
    if not ones or not twos or pi >= 1:
        return None

    def fitted(beta: float) -> tuple[float, float]:
        """The alpha with which P(2) / P(1) is right, and by how many classes of one record P(1) is not.

        That alpha is the one positive root of a quadratic equation.
        """
        A, ratio = 1 - (1 - beta) * (1 - pi), twos / ones
        t = (1 - beta) * pi / A
        a = (1 - pi) * t**2 / 2
        b = pi * t + a - ratio * (1 - pi) * t
        alpha = 2 * ratio * pi / (b + math.sqrt(b**2 + 4 * a * ratio * pi))
        return alpha, classes * (beta / A) ** alpha * (pi + (1 - pi) * alpha * t) - ones

    log_odds = _root(lambda x: fitted(_logistic(x))[1], -_WIDE, _WIDE)
    if log_odds is None:
        return None
    beta = _logistic(log_odds)
    return fitted(beta)[0], beta


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def population_classes(sample: Frequencies) -> float:
    """How many classes the population has: the estimator of Shlosser as modified by Haas and Stokes (1998).

    With the fraction q and s_i classes of i records,

        K = u + s_1 (sum i q^2 (1-q^2)^(i-1) s_i / sum (1-q)^i ((1+q)^i - 1) s_i)
                (sum (1-q)^i s_i / sum i q (1-q)^(i-1) s_i)^2

    >>> round(population_classes(Frequencies.of(np.array([1, 1, 2]), people=8)), 4)  # q = 1/2
    4.4957
    """
    q, i, s = sample.fraction, sample.sizes.astype(np.float64), sample.counts
    seen_of_seen = (i * q**2 * (1 - q**2) ** (i - 1)) @ s
    lost_of_seen = ((1 - q**2) ** i - (1 - q) ** i) @ s
    unseen, seen_once = ((1 - q) ** i) @ s, (i * q * (1 - q) ** (i - 1)) @ s
    if not lost_of_seen:
        return float(sample.classes)
    return float(sample.classes + sample.uniques * seen_of_seen / lost_of_seen * (unseen / seen_once) ** 2)


def _root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Where a function changes its sign between two places; None if it has the same at both."""
    at_low, at_high = function(low), function(high)
    if not at_low * at_high <= 0:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        at_middle = function(middle)
        if math.isnan(at_middle):
            return None
        if at_middle * at_low > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _digamma(x: float) -> float:
    """The slope of log Gamma for x > 0: ``psi(x) = psi(x + 1) - 1/x``; from 8 on its asymptotic series."""
    total = 0.0
    while x < 8:
        total -= 1 / x
        x += 1
    y = 1 / x**2
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    return total + math.log(x) - 1 / (2 * x) - series
