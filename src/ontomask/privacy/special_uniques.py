"""People whom few of their values single out: minimal sample uniques and the scores of SUDA.

A minimal sample unique (MSU) of a record is a set of columns in which nobody else has its values, and no
smaller set in it does so (Elliot, Manning and Ford 2002). The search goes by size and looks only at records
that no smaller set singles out, as SUDA2 does (Manning, Haglin and Keane 2008). Codes and counts are all that
is known here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from ontomask.arrays import Bool, Float64, Int64, Integers, UInt8, distinct_rows


@dataclass(frozen=True, eq=False)
class SpecialUniques:
    """The minimal sample uniques of distinct tuples.

    Attributes
    ----------
    counts : int64 [p]
        Records of each tuple; only those of one record have any.
    msus : int64 [p, M]
        How many MSUs of 1, 2, ... M columns each tuple has.
    with_column : int64 [M, m]
        How many MSUs of each size, of all tuples, have column j among theirs.
    """

    counts: Int64
    msus: Int64
    with_column: Int64

    @classmethod
    def of(cls, codes: Integers, counts: Int64, largest: int) -> SpecialUniques:
        """All MSUs of up to `largest` columns of distinct tuples `codes` [p, m], which `counts` records have.

        A set of all columns says no more than that the record is unique, and is not looked at, unless there
        is one column only.

        >>> people = np.array([[0, 0], [0, 1], [1, 0], [1, 2]])  # sex and job: the last two jobs are rare
        >>> SpecialUniques.of(people, np.array([1, 1, 1, 1]), largest=1).msus.ravel().tolist()
        [0, 1, 0, 1]
        """
        p, m = codes.shape
        sizes = max(1, min(largest, m - 1))
        msus, with_column = np.zeros((p, sizes), np.int64), np.zeros((sizes, m), np.int64)
        singled_out: dict[tuple[int, ...], UInt8] = {(): np.packbits(np.zeros(p, bool))}
        for size in range(1, sizes + 1):
            smaller, singled_out = singled_out, {}
            for columns in combinations(range(m), size):
                parts = [smaller[columns[:i] + columns[i + 1 :]] for i in range(size)]
                unique = np.unpackbits(np.bitwise_or.reduce(parts), count=p).astype(bool)
                left = np.flatnonzero(~unique)
                # Who is unique already shares these values with nobody: all others are among those left.
                alone = left[_is_alone([codes[left, j] for j in columns], counts[left])]
                msus[alone, size - 1] += 1
                with_column[size - 1, columns] += len(alone)
                unique[alone] = True
                singled_out[columns] = np.packbits(unique)
        return cls(counts, msus, with_column)

    @property
    def weights(self) -> Float64:
        """What an MSU of each size s adds to a score: ``prod_(i=s..M) (m - i)``, M the largest size.

        Elliot et al. (2005): as many as there are ways to add further columns one by one.
        """
        sizes, m = self.with_column.shape
        ways = [math.prod(m - i for i in range(size, sizes + 1) if i < m) for size in range(1, sizes + 1)]
        return np.array(ways, np.float64)

    @cached_property
    def scores(self) -> Float64:
        """The SUDA score of each tuple: the weights of its MSUs added up."""
        return self.msus @ self.weights

    @property
    def contributions(self) -> Float64:
        """Which share of all scores is of MSUs with column j, [m]; NaN where there is no score at all."""
        total = self.scores.sum()
        by_column: Float64 = self.weights @ self.with_column
        return by_column / total if total else np.full(len(by_column), np.nan)

    def risks(self, fraction: float) -> Float64:
        """DIS-SUDA of each tuple: see `dis_suda`."""
        ones, pairs = (int((self.counts == size).sum()) for size in (1, 2))
        return dis_suda(self.scores, self.with_column.shape[1], data_intrusion(ones, pairs, fraction), ones)


def data_intrusion(uniques: int, pairs: int, fraction: float) -> float:
    """DIS: the chance that a record which alone fits a person is theirs (Skinner and Elliot 2002).

        U pi / (U pi + 2 P (1 - pi))    for U classes of one record and P of two

    0 where no record is unique.

    >>> round(data_intrusion(uniques=4, pairs=3, fraction=0.01), 6)  # 0.04 / (0.04 + 6 * 0.99)
    0.006689
    """
    drawn = uniques * fraction
    return drawn / (drawn + 2 * pairs * (1 - fraction)) if uniques else 0.0


def dis_suda(scores: Float64, m: int, risk: float, uniques: int) -> Float64:
    """The risk of the file, as DIS finds it, dealt out to records by their SUDA scores s > 0.

        1 / (1 + U (1/DIS - 1) / (s^q sum_i s_i^-q)),    q = 1 + (8 - m) / 20 for m columns

    as sdcMicro computes it (after Elliot and Manning 2003); 0 where the score is 0.

    >>> dis_suda(np.array([0.0, 2.0, 2.0]), m=8, risk=0.1, uniques=2).round(6).tolist()  # equal scores: DIS
    [0.0, 0.1, 0.1]
    """
    risks, has = np.zeros(len(scores)), scores > 0
    if has.any() and risk > 0:
        powers = scores[has] ** (1 + (8 - m) / 20)
        risks[has] = 1 / (1 + uniques * (1 / risk - 1) / (powers * (1 / powers).sum()))
    return risks


def _is_alone(columns: Sequence[Integers], counts: Int64) -> Bool:
    """Which tuples are of one record, and no other tuple has their values in these columns."""
    if not len(counts):
        return np.zeros(0, bool)
    _, group = distinct_rows(columns)
    alone: Bool = np.bincount(group, counts)[group] == 1
    return alone
