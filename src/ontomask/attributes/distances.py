"""How far the replacements of a column of words, or sets, are from its values: a table, or when asked for.

Up to `MOST_KEPT` distances of a column are kept; beyond that nothing is, but the rows asked for last. Both
give the same numbers, and nobody outside this room needs to know which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import count
from weakref import WeakValueDictionary

import numpy as np

from ontomask.arrays import Float64, Int32, Int64, Integers
from ontomask.measures import Measure
from ontomask.measures.base import on_grid
from ontomask.measures.sweep import Columns, Rows
from ontomask.ontology.core import Ontology
from ontomask.ontology.csr import Csr

MOST_KEPT = 1 << 24
"""Distances of one column that are kept (128 MiB): some 4,000 values and as many replacements."""

_AT_ONCE = 1 << 23
_PAIRS = 1024
_FEW = 1 << 13


class Distances:
    """Distances of every replacement to every code of a column; a concept of -1 is no value."""

    def __init__(
        self, ontology: Ontology, measure: Measure, replacements: Int32, concepts: Int32, maximum: float
    ) -> None:
        self.ontology, self.measure, self.maximum = ontology, measure, maximum
        self.replacements, self.concepts = replacements, concepts
        self.is_kept = len(replacements) * len(concepts) <= MOST_KEPT
        self._known = np.flatnonzero(concepts >= 0)
        self._rows: dict[int, Float64] = {}

    @cached_property
    def table(self) -> Float64:
        """All of them, [r, q]; for columns that are kept."""
        return self._compared(self.replacements, self.concepts)

    def row(self, replacement: int) -> Float64:
        """Distance of a replacement to every code."""
        if self.is_kept:
            kept: Float64 = self.table[replacement]
            return kept
        if replacement not in self._rows:
            if len(self._rows) * len(self.concepts) > MOST_KEPT:
                self._rows.clear()
            self._rows[replacement] = self._row(self.replacements[replacement])
        return self._rows[replacement]

    def block(self, replacements: Integers, codes: Integers) -> Float64:
        """Distance of each replacement to each code."""
        if not self.is_kept:
            return self._compared(self.replacements[replacements], self.concepts[codes])
        block: Float64 = self.table[np.ix_(replacements, codes)]
        return block

    def pairs(self, replacements: Integers, codes: Integers) -> Float64:
        """Distance of replacement i to code i."""
        if self.is_kept:
            return self.table[replacements, codes]
        return self._of_pairs(self.replacements[replacements], self.concepts[codes])

    def between(self, a: Integers, b: Integers) -> Float64:
        """Distance of replacement a[i] to replacement b[i]."""
        return self._of_pairs(self.replacements[a], self.replacements[b])

    def sums(self, replacements: Integers, codes: Integers, weights: Int64) -> Float64:
        """Per replacement the sum of its distances to the codes, each times its weight.

        >>> from ontomask.measures import measure
        >>> from ontomask.ontology.draft import Draft
        >>> tree = Draft.from_edges("t", [("ache", "pain"), ("colic", "pain")])
        >>> words = tree.concepts(["ache", "colic", "pain"])
        >>> path = Distances(tree, measure("path"), words, words, 2.0)
        >>> path.sums(np.array([0, 2]), np.array([0, 1]), np.array([3, 1])).tolist()
        [2.0, 4.0]
        """
        concepts, wanted = self.concepts[codes], self.replacements[replacements]
        known, real = concepts >= 0, wanted >= 0
        out: Float64 = self.maximum * np.where(real, weights[~known].sum(), weights[known].sum())
        if len(wanted) * 4 < len(self._every_row):
            rows = Rows(self.ontology, wanted[real], self._every_row)
            out[real] += self._weighted(rows, concepts[known], weights[known])
        else:
            every = self._weighted(self._every_row, concepts[known], weights[known])
            out[real] += every[replacements[real]]  # no value, if there is any, is the last replacement
        return out

    # ------------------------------------------------------------------ without a table

    @cached_property
    def _columns(self) -> Columns:
        return Columns(self.ontology, self.concepts[self._known])

    @cached_property
    def _every_row(self) -> Rows:
        return Rows(self.ontology, self.replacements[self.replacements >= 0])

    def _row(self, concept: int) -> Float64:
        row = np.full(len(self.concepts), self.maximum)
        if concept < 0:
            row[self.concepts < 0] = 0.0
        elif len(self._known):
            rows = Rows(self.ontology, [concept], self._every_row)
            row[self._known] = self.measure.matrix(self.ontology, rows, self._columns)[0]
        return row

    def _weighted(self, rows: Rows, concepts: Int32, weights: Int64) -> Float64:
        total = np.zeros(len(rows))
        width = max(1, _AT_ONCE // max(1, len(rows)))
        for start in range(0, len(concepts), width):
            some = slice(start, start + width)
            # Not a product of matrices: for a few columns its threads would wait for one another.
            total += np.einsum(
                "ij,j->i",
                self.measure.matrix(self.ontology, rows, concepts[some]),
                weights[some].astype(float),
            )
        return total

    def _compared(self, a: Int32, b: Int32) -> Float64:
        """Distance of each concept to each concept, no value among them."""
        left, right = a >= 0, b >= 0
        if left.all() and right.all():
            return self.measure.matrix(self.ontology, a, b)
        table = np.full((len(a), len(b)), self.maximum)
        if right.any():  # a column may have nothing but missing values
            table[np.ix_(left, right)] = self.measure.matrix(self.ontology, a[left], b[right])
        table[np.ix_(~left, ~right)] = 0.0
        return table

    def _of_pairs(self, a: Int32, b: Int32) -> Float64:
        """Distance of concept a[i] to concept b[i], from small blocks of pairs with the same a."""
        out = np.where(a == b, 0.0, self.maximum)
        words = np.flatnonzero((a >= 0) & (b >= 0) & (a != b))
        pairs, place = np.unique(a[words] * np.int64(len(self.ontology)) + b[words], return_inverse=True)
        found = np.empty(len(pairs))
        for start in range(0, len(pairs), _PAIRS):
            some = slice(start, start + _PAIRS)
            left, right = np.divmod(pairs[some], len(self.ontology))
            rows, row = np.unique(left, return_inverse=True)
            columns, column = np.unique(right, return_inverse=True)
            found[some] = self.measure.matrix(self.ontology, rows, columns)[row, column]
        out[words] = found[place]
        return out


class SetDistances:
    """Distances of sets A, the replacements, to sets B, the codes, by those of their members::

        d(A, B) = (1/|A| sum over a in A of min over b in B of d(a, b)
                   + 1/|B| sum over b in B of min over a in A of d(b, a)) / 2

    `to_codes(a)` are the distances d(a, b) of a member to all members of codes, `from_codes(a)` those the
    other way, if these are others. A set without members is no value, `far` from any other. Where members may
    be at distance 0 though they differ, `own[code]` tells the replacement that a code is, and all others are
    `least` apart from it.

    >>> table = np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 3.0], [4.0, 3.0, 0.0]])
    >>> one, two = Csr.from_pairs([0], [0], 1), Csr.from_pairs([0, 0], [1, 2], 1)
    >>> SetDistances(lambda member: table[member], one, two, 9.0).row(0).tolist()  # (1 + (1 + 4) / 2) / 2
    [1.75]
    """

    def __init__(
        self,
        to_codes: Callable[[int], Float64],
        replacements: Csr,
        codes: Csr,
        far: float,
        *,
        from_codes: Callable[[int], Float64] | None = None,
        own: Int32 | None = None,
        least: float = 0.0,
    ) -> None:
        self.to_codes, self.from_codes = to_codes, from_codes or to_codes
        self.replacements, self.codes = replacements, codes
        self.far, self.own, self.least = far, own, least
        self.is_kept = len(replacements) * len(codes) <= MOST_KEPT
        self._rows: dict[int, Float64] = {}
        self._of_members: dict[int, tuple[Float64, Float64]] = {}

    @cached_property
    def table(self) -> Float64:
        """All of them, [r, q]; for columns that are kept."""
        rows = [self._row(r, self.codes) for r in range(len(self.replacements))]
        return np.stack(rows) if rows else np.zeros((0, len(self.codes)))

    def row(self, replacement: int) -> Float64:
        """Distance of a replacement to every code."""
        if "table" in self.__dict__:
            kept: Float64 = self.table[replacement]
            return kept
        if replacement not in self._rows:
            if len(self._rows) * len(self.codes) > MOST_KEPT:
                self._rows.clear()
            self._rows[replacement] = self._row(replacement, self.codes)
        return self._rows[replacement]

    def block(self, replacements: Integers, codes: Integers) -> Float64:
        """Distance of each replacement to each code."""
        rows = [self.row(r)[codes] for r in replacements.tolist()]
        return np.stack(rows) if rows else np.zeros((0, len(codes)))

    def pairs(self, replacements: Integers, codes: Integers) -> Float64:
        """Distance of replacement i to code i."""
        out = np.empty(len(codes))
        order = np.argsort(replacements, kind="stable")
        for mine in np.split(order, np.flatnonzero(np.diff(replacements[order])) + 1) if len(order) else ():
            out[mine] = self.row(int(replacements[mine[0]]))[codes[mine]]
        return out

    def sums(self, replacements: Integers, codes: Integers, weights: Int64) -> Float64:
        """Per replacement the sum of its distances to the codes, each times its weight."""
        if len(codes) > len(replacements):
            some, own = self.codes.take(codes), None if self.own is None else self.own[codes]
            rows = [self._row(r, some, own) @ weights for r in replacements.tolist()]
            return np.array(rows, np.float64)
        out = np.zeros(len(replacements))
        for column, weight in zip(self._columns(codes, replacements), weights.tolist(), strict=True):
            out += weight * column
        return out

    def _row(self, replacement: int, codes: Csr, own: Int32 | None = None) -> Float64:
        """Distance of a replacement to some codes, `own` being the replacements that these are."""
        members = self.replacements[replacement].tolist()
        row = np.where(codes.counts > 0, self.far, self.far if members else 0.0)
        if members and len(codes.values):
            to_codes, from_codes = (
                np.stack(rows) for rows in zip(*map(self._of_member, members), strict=True)
            )
            row[codes.counts > 0] = _compared(to_codes, from_codes.min(axis=0), codes)
        if self.own is not None:
            row = np.where(
                (self.own if own is None else own) == replacement, 0.0, np.maximum(row, self.least)
            )
        return row

    def _columns(self, codes: Integers, replacements: Integers) -> Iterator[Float64]:
        """Per code the distances of some replacements to it."""
        among = self.replacements.take(replacements)
        used, place = np.unique(among.values, return_inverse=True)
        others = Csr(among.starts, place.astype(np.int32))
        known = [self._of_member(m) for m in used.tolist()]
        to_codes, from_codes = (
            (np.stack(rows, axis=1) for rows in zip(*known, strict=True)) if known else ((), ())
        )
        for code in codes.tolist():
            members = self.codes[code]
            column = np.where(among.counts > 0, self.far, self.far if len(members) else 0.0)
            if len(members) and known:
                column[among.counts > 0] = _compared(
                    from_codes[members], to_codes[members].min(axis=0), others
                )
            if self.own is not None:
                column = np.where(replacements == self.own[code], 0.0, np.maximum(column, self.least))
            yield column

    def _of_member(self, member: int) -> tuple[Float64, Float64]:
        """Distances of a member of replacements to all members of codes, and back."""
        if member not in self._of_members:
            if len(self._of_members) > _PAIRS:
                self._of_members.clear()
            to_codes = self.to_codes(member)
            back = to_codes if self.from_codes is self.to_codes else self.from_codes(member)
            self._of_members[member] = on_grid(to_codes), on_grid(back)
        return self._of_members[member]


def _compared(to_others: Float64, from_others: Float64, others: Csr) -> Float64:
    """Distance of a set to each other one that has members.

    `to_others[a, b]` are distances of its members, `from_others[b]` of any b to the nearest of them. They are
    on the grid and add up alike in any order, so that it does not matter which of two sets is the other one.
    """
    from ontomask.attributes._set_kernels import compared  # whoever has no sets compiles nothing

    return compared(to_others, from_others, others.starts, others.values)[others.counts > 0]


# ---------------------------------------------------------------------- for compiled loops

_handles = count(1)
_by_handle: WeakValueDictionary[int, Distances | SetDistances] = WeakValueDictionary()


def handle_of(distances: Distances | SetDistances) -> int:
    """A number by which a compiled loop asks for distances that are not kept, as long as they are in use."""
    handle = next(_handles)
    _by_handle[handle] = distances
    return handle


def fill_row(handle: int, replacement: int, row: Float64) -> None:
    """`Distances.row`."""
    row[:] = _by_handle[handle].row(replacement)


def settle_scores(
    handle: int,
    codes: Int64,
    replacements: Int64,
    known: int,
    records: Int64,
    settled: Int64,
    score: Float64,
) -> None:
    """Bring the summed distances of a group up to date: what changed, and new replacements whole.

    `score[r]` is the distance of replacement r to the `records[v]` records of each code v. The first `known`
    of `replacements` have one, of `settled[v]` records. Distances on a grid add up alike in any order, so
    that one step for many values is as good as one each.
    """
    distances = _by_handle[handle]
    if len(codes) * len(replacements) < _FEW:  # once for all costs less than asking twice
        known = 0
    changed = codes[records[codes] != settled[codes]]
    old, new = replacements[:known], replacements[known:]
    if len(changed) and len(old):
        score[old] += distances.sums(old, changed, records[changed] - settled[changed])
    if len(new):
        score[new] = distances.sums(new, codes, records[codes])
    settled[changed] = records[changed]
