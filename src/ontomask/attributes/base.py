"""What every attribute is to a masking method: value codes and replacements with numbers attached, no labels.

A *code* stands for one distinct value of the column; a *replacement* for what may be put in the place of
values: a concept, a number, nothing. Both are indices. Codes run over the values in label order, so that the
lower code comes first in a tie. What kind a column is, nobody outside this room needs to ask.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.errors import InternalError
from ontomask.measures import Measure
from ontomask.ontology.csr import Csr


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of a column that is not masked: codes 0..size-1; words of one concept are one of them.

    `is_ordered` says that codes are ranks; `distances[v, w]`, 0..1, how far apart values are in meaning.
    """

    name: str
    size: int
    is_ordered: bool = False
    distances: Float64 | None = None


@dataclass(frozen=True, eq=False)
class Cells:
    """Tuples told apart by further columns, which a requirement needs to know where records of a tuple went.

    Cell c has `counts[c]` records of tuple `tuples[c]` whose code in further column b, that of `domains[b]`,
    is `values[c, b]`. Cells are in tuple order.
    """

    tuples: Int32
    values: Int32
    counts: Int64
    domains: tuple[Domain, ...] = ()


@dataclass(frozen=True, eq=False)
class Tuples:
    """The table as its distinct tuples: `codes[i, j]` of tuple i in attribute j, and how often it occurs.

    Tuples are ordered by their labels, column by column; "first" means first in that order. `cells` is given
    where a requirement looks at further columns; without, every tuple is one cell.
    """

    codes: Int32
    counts: Int64
    cells: Cells | None = None

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.counts.sum())

    @property
    def tuple_of_cell(self) -> Int32:
        """The tuple of every cell."""
        return np.arange(len(self), dtype=np.int32) if self.cells is None else self.cells.tuples

    @property
    def cell_counts(self) -> Int64:
        """Records of every cell."""
        return self.counts if self.cells is None else self.cells.counts

    @property
    def domains(self) -> tuple[Domain, ...]:
        """The further columns that tell cells apart."""
        return () if self.cells is None else self.cells.domains

    def __len__(self) -> int:
        return len(self.counts)

    def take(self, kept: Bool) -> Tuples:
        """The tuples marked, and their cells."""
        cells = None
        if self.cells is not None:
            mine = kept[self.cells.tuples]
            number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
            cells = Cells(
                number[self.cells.tuples[mine]],
                self.cells.values[mine],
                self.cells.counts[mine],
                self.cells.domains,
            )
        return Tuples(self.codes[kept], self.counts[kept], cells)


class Line(NamedTuple):
    """Values that are numbers with one unit of distance; NaN is no value."""

    numbers: Float64  # of every code
    replacements: Float64  # of every replacement
    unit: float
    far: float  # how far a missing value is from any other
    is_exact: bool = True  # whether each replacement is one number, and none a range of them


class Generalization(NamedTuple):
    """How much less specific values became, each 0..1."""

    ncp: Float64  # values that it may be now / all values
    loss: Float64  # the same without itself: 0 for one value, 1 for all
    height: Float64  # how far up it went / how far up it could have gone


class Subsumers(NamedTuple):
    """All that is true of some value: the values, what stands above them, and no value.

    They are candidates for the cover of a group, the deepest first: of those above all of its values the
    first is their least common subsumer. No value lies right below the root.
    """

    replacements: Int32  # which replacement each candidate is
    own: Int32  # per code its candidate
    up: Csr  # per candidate those at or above it, ascending
    ncp: Float64  # per candidate, for a value below it


@dataclass(frozen=True, eq=False)
class Attribute(ABC):
    """One column ready to be masked.

    `missing` is the code that stands for "no value", or -1: it is at distance 0 from itself and at the
    maximum from all else. A truthful column is released as what covers a group's values, and no value counts
    as a child of the root there; any other as what is central to them.
    """

    name: str
    weight: float
    missing: int
    is_truthful: bool = field(default=False, kw_only=True)

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of codes."""

    @property
    @abstractmethod
    def n_replacements(self) -> int:
        """Number of replacements."""

    @property
    @abstractmethod
    def own(self) -> Int32:
        """Per code the replacement that leaves the value as it is."""

    @property
    @abstractmethod
    def nothing(self) -> int:
        """The replacement that is no value, or -1."""

    @property
    @abstractmethod
    def maximum(self) -> float:
        """What losing a value altogether costs."""

    @property
    def plain(self) -> Attribute:
        """The attribute without the nodes of its hierarchy, if it has one."""
        return self

    def with_plain(self, extended: Attribute) -> Attribute:
        """The same with a plain attribute that has more replacements."""
        return extended

    @property
    def levels(self) -> Int32 | None:
        """`levels[i, code]`: the replacement of a code at level i of its hierarchy, if it has one."""
        return None

    @property
    def subsumers(self) -> Subsumers | None:
        """What may cover a group; None where that is a range of numbers."""
        return None

    @property
    def line(self) -> Line | None:
        """The numbers behind the values, if there are any."""
        return None

    @property
    def ends(self) -> tuple[Float64, Float64] | None:
        """The least and the greatest number that each replacement may be, if values are numbers."""
        return None

    @abstractmethod
    def distance(self, codes: Int32, replacements: Int32) -> Float64:
        """Distance of each code to the replacement put in its place; elementwise."""

    @abstractmethod
    def distance_table(self, codes: Int32, replacements: Int32) -> Float64:
        """Distance of each code to each replacement, [codes, replacements]."""

    @abstractmethod
    def between(self, a: Int32, b: Int32) -> Float64:
        """Distance of replacement a[i] to replacement b[i]."""

    @abstractmethod
    def covers(self, a: Int32, b: Int32) -> Bool:
        """Whether replacement a[i] is replacement b[i], or stands above it."""

    @abstractmethod
    def generalization(self, codes: Int32, replacements: Int32) -> Generalization:
        """NCP and generalisation height of each change, as if both were generalised to what covers them."""

    @abstractmethod
    def shares(self, wanted: Bool, replacements: Int32) -> Float64:
        """Of the values that each replacement may stand for, the share that is wanted, code by code.

        Who reads a release knows no better than that they are equally likely.
        """

    @abstractmethod
    def marginalities(self, counts: Int64) -> Float64:
        """m of every code, `counts[code]` records having it; see `ontomask.distribution`."""

    def near(self, codes: Int32, radii: Float64, among: Int32, shares: Float64) -> Int32:
        """Of the codes `among` that are at most `radii[i]` from `codes[i]`, the one at `shares[i]` of them.

        Shares go from 0 to below 1; where these are equally likely, so are the codes. `codes` are among them.
        """
        found = np.empty(len(codes), np.int32)
        order = np.argsort(codes, kind="stable")
        for some in np.split(order, np.flatnonzero(np.diff(codes[order])) + 1):
            away = self.distance_table(among, self.own[codes[some[:1]]])[:, 0]
            nearest_first = np.argsort(away, kind="stable")
            reached = np.searchsorted(away[nearest_first], radii[some], "right")
            found[some] = among[nearest_first[(shares[some] * reached).astype(np.int64)]]
        return found

    @abstractmethod
    def over_replacements(self, used: Int32) -> Attribute:
        """An attribute whose codes are the given distinct replacements: the released column."""

    @abstractmethod
    def standing_for(self, groups: Sequence[Int32], concepts: Int32) -> tuple[Self, Int32]:
        """The attribute with a replacement for each group of codes, and which these are.

        It is the range of numbers; of words, the concept given or, where that is -1, their LCS. Distances to
        what replaces the group are counted to it.
        """

    def released(self, replacements: Int32) -> tuple[Attribute, Int32, Int32]:
        """The released column of these replacements, which replacement each of its codes is, and their codes.

        Values that the column had come first and in the same order, so that ties fall as they did there.
        """
        used, codes = np.unique(replacements, return_inverse=True)
        place = np.full(self.n_replacements, self.size)
        place[self.own] = np.arange(self.size)
        order = np.argsort(place[used], kind="stable")
        return self.over_replacements(used[order]), used[order], np.argsort(order)[codes].astype(np.int32)

    def including_numbers(self, numbers: Float64) -> tuple[Attribute, Int32]:
        """The attribute with these numbers, as they can be written, and which replacement each is.

        Only where values are numbers.
        """
        raise InternalError(f"the values of {self.name} are no numbers")

    def covering_codes(self, groups: Sequence[Int32 | Int64]) -> tuple[Attribute, Int32]:
        """The attribute with a replacement that covers each group of codes, and which these are.

        Only where values are numbers; words have a hierarchy, or their subsumers.
        """
        raise InternalError(f"the values of {self.name} are no numbers, so that no range covers them")

    @abstractmethod
    def index_in(self, extended: Attribute) -> Int32:
        """Which replacement of an attribute that has more of them each replacement is."""

    @abstractmethod
    def with_nothing(self) -> Self:
        """The attribute with no value among its replacements; the others keep their indices."""

    def under(self, measure: Measure) -> Self:
        """The attribute under another measure, with the same codes and replacements."""
        return self
