"""A column of sets of words, several answers in one cell: how far sets are apart, what stands for a group.

Distance and centroid are those of spec 8.4, what is true of every set of a group that of 8.1. Methods see the
sets that occur as values like any other; what is released for a group is composed here. It knows no texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64, Integers
from ontomask.attributes.base import Attribute, Generalization
from ontomask.attributes.distances import Distances, SetDistances
from ontomask.attributes.nominal import Nominal
from ontomask.measures import Measure
from ontomask.ontology.core import Ontology
from ontomask.ontology.csr import Csr, starts_of

Members = tuple[int, ...]
"""A set of concepts, ascending; none is no value."""
_ROOT: Members = (0,)
_LEAST = 1e-6  # what a set that changed costs at least, though each of its members is still there
_AT_ONCE = 1 << 18


@dataclass(frozen=True, eq=False)
class Sets(Attribute):
    """Values as sets of concepts; a replacement is one of these, the root alone, or a set of `extra`.

    `words` are the concepts that are in some set, as values of their own; `values[code]` is the set of a
    value. A concept of `private` must not be written: the root is, in its place.

    >>> from ontomask.measures import measure
    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("dog", "mammal"), ("cat", "mammal"), ("mammal", "animal"),
    ...                               ("cod", "animal")])
    >>> dog, cat, cod = tree.concepts(["dog", "cat", "cod"]).tolist()
    >>> pets = Sets.of("pets", tree, measure("path"), [(dog,), (cat, cod)])
    >>> [tree.labels[c] for c in pets.cover([0, 1])]
    ['animal', 'mammal']
    """

    words: Nominal
    values: tuple[Members, ...]
    extra: tuple[Members, ...] = ()
    private: Int32 = field(default_factory=lambda: np.zeros(0, np.int32))

    @classmethod
    def of(
        cls,
        name: str,
        ontology: Ontology,
        measure: Measure,
        values: Iterable[Sequence[int]],
        *,
        weight: float = 1.0,
        private: Int32 | None = None,
    ) -> Self:
        """Of the concepts of each value, in any order; at most one value has none."""
        sets = tuple(tuple(sorted(set(one))) for one in values)
        concepts = np.unique(np.array([c for one in sets for c in one], np.int32))
        words = Nominal(name, 1.0, -1, ontology, measure, concepts)
        hidden = np.zeros(0, np.int32) if private is None else private
        return cls(name, weight, sets.index(()) if () in sets else -1, words, sets, (), hidden)

    @property
    def size(self) -> int:
        return len(self.values)

    @property
    def n_replacements(self) -> int:
        return len(self.replacements)

    @property
    def maximum(self) -> float:
        return self.words.maximum

    @cached_property
    def replacements(self) -> tuple[Members, ...]:
        """The set of every replacement: values, the root alone, others; no value last."""
        others = sorted(one for one in self.extra if one)
        plain = [*(one for one in self.values if one and one != _ROOT), _ROOT, *others]
        found = dict.fromkeys([*plain, *map(self._public, plain)])
        may_be_missing = self.missing >= 0 or () in self.extra
        return (*found, ()) if may_be_missing else (*found,)

    def _public(self, members: Members) -> Members:
        """A set as it may be written."""
        hidden = self._private
        return tuple(sorted({0 if c in hidden else c for c in members})) if hidden else members

    @cached_property
    def _private(self) -> frozenset[int]:
        return frozenset(self.private.tolist())

    @property
    def public(self) -> Int32:
        """Per replacement the one that is written for it."""
        return self.replacement_of([self._public(one) for one in self.replacements])

    @cached_property
    def _place(self) -> dict[Members, int]:
        return {one: r for r, one in enumerate(self.replacements)}

    @property
    def nothing(self) -> int:
        return self._place.get((), -1)

    @cached_property
    def own(self) -> Int32:
        return self.replacement_of(self.values)

    def replacement_of(self, sets: Iterable[Members]) -> Int32:
        """The replacement that each set is."""
        return np.array([self._place[one] for one in sets], np.int32)

    def including(self, sets: Iterable[Members]) -> Self:
        """The attribute with these sets among its replacements; () is no value."""
        return replace(self, extra=tuple(dict.fromkeys([*self.extra, *sets])))

    def with_nothing(self) -> Self:
        return self.including([()])

    def index_in(self, extended: Attribute) -> Int32:
        assert isinstance(extended, Sets)
        return extended.replacement_of(self.replacements)

    def under(self, measure: Measure) -> Self:
        words = self.words.under(measure)
        return self if words is self.words else replace(self, words=words)

    def over_replacements(self, used: Int32) -> Sets:
        sets = [self.replacements[r] for r in used.tolist()]
        made = Sets.of(
            self.name, self.words.ontology, self.words.measure, sets, weight=self.weight, private=self.private
        )
        return replace(made, is_truthful=self.is_truthful)

    # ------------------------------------------------------------------ members

    @cached_property
    def _concepts(self) -> Int32:
        """The concepts that are in some replacement, ascending."""
        return np.unique(np.array([0, *(c for one in self.replacements for c in one)], np.int32))

    @cached_property
    def _all_words(self) -> Nominal:
        """The words, with all of these concepts among their replacements."""
        return self.words.including(self._concepts)

    @cached_property
    def _members(self) -> Csr:
        """Per replacement its members, as places in `_concepts`."""
        flat = np.array([c for one in self.replacements for c in one], np.int32)
        starts = starts_of(np.array([len(one) for one in self.replacements], np.int64))
        return Csr(starts, np.searchsorted(self._concepts, flat).astype(np.int32))

    @cached_property
    def _words_of_value(self) -> Csr:
        """Per code its members, as codes of `words`."""
        flat = np.array([c for one in self.values for c in one], np.int32)
        starts = starts_of(np.array([len(one) for one in self.values], np.int64))
        return Csr(starts, np.searchsorted(self.words.concepts, flat).astype(np.int32))

    @cached_property
    def _as_word(self) -> Int32:
        """The replacement of `_all_words` that each of `_concepts` is."""
        return self._all_words.replacement_of(self._concepts)

    # ------------------------------------------------------------------ distances

    @cached_property
    def _apart(self) -> Distances:
        """Distance of every concept in use to every other."""
        words = self.words
        return Distances(words.ontology, words.measure, self._concepts, self._concepts, words.maximum)

    @cached_property
    def distances(self) -> SetDistances:
        """Distance of every replacement to every code."""
        return SetDistances(self._apart.row, self._members, self._members.take(self.own), self.maximum)

    @cached_property
    def cover_costs(self) -> SetDistances:
        """NCP of what covers a replacement and a code, both sides alike.

        The lowest that is shared by both and stands above a member a of A is, of what a and some b of B have
        in common, the lowest: so this is the distance of sets where d(a, b) is the NCP of their LCS, and 0 if
        that is a itself.
        """
        words, every, own = self._all_words, np.arange(self.words.size, dtype=np.int32), self._all_words.own

        def costs(member: int, is_of_member: bool) -> Float64:
            given = np.full(len(every), self._as_word[member], np.int32)
            stays = words.covers(given, own) if is_of_member else words.covers(own, given)
            return np.where(stays, 0.0, words.generalization(every, given).ncp)

        return SetDistances(
            lambda member: costs(member, True),
            self._members,
            self._words_of_value,
            1.0,
            from_codes=lambda member: costs(member, False),
            own=self.own,
            least=_LEAST,
        )

    def distance(self, codes: Int32, replacements: Int32) -> Float64:
        return self.distances.pairs(replacements, codes)

    def distance_table(self, codes: Int32, replacements: Int32) -> Float64:
        return self.distances.block(replacements, codes).T

    def between(self, a: Int32, b: Int32) -> Float64:
        return self._to_every(self._apart.row, self.maximum).pairs(a, b)

    def _to_every(self, rows: Callable[[int], Float64], far: float) -> SetDistances:
        """Of every replacement to every replacement, by how far members are apart."""
        return SetDistances(rows, self._members, self._members, far)

    # ------------------------------------------------------------------ what covers what

    @property
    def up(self) -> Csr:
        """Per replacement itself and the root alone, which has to do with all but no value."""
        root = self._place[_ROOT]
        rows = [[r] if r in (root, self.nothing) else sorted((r, root)) for r in range(self.n_replacements)]
        return Csr(starts_of(np.array([*map(len, rows)])), np.concatenate(rows).astype(np.int32))

    @cached_property
    def _uncovered(self) -> SetDistances:
        """0 where a replacement covers another: as a distance, if what is not above is 1 apart."""
        words, every = self._all_words, self._as_word

        def not_below(member: int) -> Float64:
            above = np.full(len(every), every[member], np.int32)
            return (~words.covers(above, every)).astype(np.float64)

        return self._to_every(not_below, 1.0)

    def covers(self, a: Int32, b: Int32) -> Bool:
        """Whether every member of b has an ancestor in a, and every member of a is one of a member of b."""
        found: Bool = self._uncovered.pairs(a, b) == 0
        if self.is_truthful:
            found |= (a == self._place[_ROOT]) & (b == self.nothing)
        return found

    def cover(self, codes: Iterable[int]) -> Members:
        """What is true of the sets of all these codes, and loses least.

        A concept is *shared* if each set has a member at or below it. The cover has, for every member of any
        set, the lowest shared concept at or above it: so every member has an ancestor in the cover, and what
        is in the cover is an ancestor of a member of each set. The root is always shared; missing beside
        present values leaves nothing else.
        """
        sets = [self.values[code] for code in dict.fromkeys(codes)]
        if len(sets) == 1 or not any(sets):
            return sets[0]
        if not all(sets):
            return _ROOT
        shared = set.intersection(*({r for c in one for r in self._above(c)} for one in sets))
        lowest = {next(r for r in self._above(c) if r in shared) for one in sets for c in one}
        return tuple(sorted(int(self.words.replacements[r]) for r in lowest))

    def _above(self, concept: int) -> list[int]:
        """The replacements of `words` at or above a member, deepest first."""
        if concept not in self._known_above:
            row = self.words.up[int(self.words.replacement_of(np.array([concept], np.int32))[0])]
            self._known_above[concept] = row.tolist()
        return self._known_above[concept]

    @cached_property
    def _known_above(self) -> dict[int, list[int]]:
        return {}

    def generalization(self, codes: Int32, replacements: Int32) -> Generalization:
        """The mean over the members of a value, each by the member of the replacement that covers it at the
        lowest NCP; where none does, by the one with which it has most in common. See `Nominal`.
        """
        keys, place = np.unique(replacements.astype(np.int64) * self.size + codes, return_inverse=True)
        before, after = keys % self.size, keys // self.size
        was_missing, is_missing = before == self.missing, after == self.nothing
        found = np.tile((was_missing != is_missing).astype(np.float64), (3, 1))
        is_changed = self.own[before] != after
        wanted = np.flatnonzero(~was_missing & ~is_missing & is_changed)
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            found[:, some] = np.maximum(self._generalized(before[some], after[some]), _LEAST)
        if self.is_truthful and self.missing >= 0:  # the root may be any set, or none
            found[:, is_changed & (after == self._place[_ROOT])] = 1.0
        return Generalization(*found[:, place])

    def _generalized(self, codes: Int64, replacements: Int64) -> Float64:
        """NCP, loss and height of present values, [3, pairs]."""
        words, members, given = self._all_words, self._words_of_value.take(codes), self._members
        per_member = replacements[members.row_of_value]
        word = np.repeat(members.values, given.counts[per_member])
        instead = self._as_word[given.values[given.positions(per_member)]]
        each = np.stack(words.generalization(word, instead))
        costs = each[0] + 2.0 * ~words.covers(instead, words.own[word])
        of_member = np.repeat(np.arange(len(per_member)), given.counts[per_member])
        starts = starts_of(given.counts[per_member])[:-1]
        best = np.lexsort((costs, of_member))[starts]
        means: Float64 = np.add.reduceat(each[:, best], members.starts[:-1], axis=1) / members.counts
        return means

    def shares(self, wanted: Bool, replacements: Int32) -> Float64:
        """A set of the column is itself; any other may be each that it covers, or else the nearest one."""
        found = np.zeros(self.n_replacements)
        value_of = dict(zip(self.own.tolist(), range(self.size), strict=True))
        for r in np.unique(replacements).tolist():
            if r in value_of:
                found[r] = wanted[value_of[r]]
                continue
            covered = self.covers(np.full(self.size, r, np.int32), self.own)
            covered &= np.arange(self.size) != self.missing
            found[r] = wanted[covered].mean() if covered.any() else wanted[np.argmin(self.distances.row(r))]
        return found[replacements]

    # ------------------------------------------------------------------ what stands for a group

    def replacing(
        self, codes: Integers, groups: Integers, counts: Int64, n_groups: int, *, by_cover: bool
    ) -> tuple[Self, Int32]:
        """The attribute with what stands for each group among its replacements, and which that is.

        `counts[e]` records of group `groups[e]` have code `codes[e]`.
        """
        order = np.flatnonzero(groups >= 0)
        order = order[np.argsort(groups[order], kind="stable")]
        ends = np.searchsorted(groups[order], np.arange(n_groups + 1))
        found = [_ROOT] * n_groups
        for g in range(n_groups):
            mine = order[ends[g] : ends[g + 1]]
            if len(mine):
                own, which = np.unique(codes[mine], return_inverse=True)
                records = np.bincount(which, counts[mine]).astype(np.int64)
                found[g] = self.cover(own.tolist()) if by_cover else self.centre(own, records)
        extended = self.including(found)
        return extended, extended.replacement_of(found)

    def centre(self, codes: Integers, counts: Int64) -> Members:
        """A set of the usual size that is near to the sets of these codes, `counts` of each.

        The usual size is the lower median. From the members of these sets that one is taken which lowers
        ``sum over sets of count x distance`` most, and again, until there are as many. No value stands for
        the group if that costs less.
        """
        present = codes != self.missing
        lost = int(counts[~present].sum())
        if len(codes) == 1 or not present.any():
            return self.values[int(codes[0])]
        counts = counts[present]
        sets = self._words_of_value.take(codes[present])
        pool, flat = np.unique(sets.values, return_inverse=True)
        at = np.searchsorted(self._concepts, self.words.concepts[pool])
        apart = self._apart.block(at, at)
        starts = sets.starts[:-1]
        # Of each member that may be taken to the nearest of each set; the other way as members are taken.
        to_sets = np.minimum.reduceat(apart[:, flat], starts, axis=1)
        nearest, taken_to_sets = np.full(len(pool), np.inf), np.zeros(len(starts))
        taken: list[int] = []
        cost = np.inf
        for size in range(1, _lower_median(sets.counts, counts) + 1):
            from_sets = np.add.reduceat(np.minimum(nearest, apart)[:, flat], starts, axis=1) / sets.counts
            costs = ((from_sets + (taken_to_sets + to_sets) / size) / 2) @ counts
            costs[taken] = np.inf
            best = int(np.argmin(costs))
            cost = float(costs[best])
            taken.append(best)
            nearest, taken_to_sets = np.minimum(nearest, apart[best]), taken_to_sets + to_sets[best]
        if cost + self.maximum * lost > self.maximum * int(counts.sum()):
            return ()
        return tuple(sorted(int(self.words.concepts[pool[i]]) for i in taken))

    def standing_for(self, groups: Sequence[Int32], concepts: Int32) -> tuple[Self, Int32]:
        found = [
            self.cover(codes.tolist()) if concept < 0 else (concept,)
            for codes, concept in zip(groups, concepts.tolist(), strict=True)
        ]
        extended = self.including(found)
        return extended, extended.replacement_of(found)

    # ------------------------------------------------------------------ statistics

    def marginalities(self, counts: Int64) -> Float64:
        """``m(x_j) = sum over the other elements x_l of d(x_j, x_l)``."""
        return np.array([self.distances.row(r) @ counts for r in self.own.tolist()], np.float64)


def _lower_median(sizes: Int64, counts: Int64) -> int:
    order = np.argsort(sizes, kind="stable")
    reached = np.cumsum(counts[order])
    return int(sizes[order][np.searchsorted(2 * reached, reached[-1])])
