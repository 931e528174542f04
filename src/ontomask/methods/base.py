"""What every masking method is given and gives back: integers only.

A method is a frozen dataclass whose options are fields declared with `ontomask.options.option`; plan, command
line, report and reference page take them from there. It never sees a label, a file, an engine or a global
random state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64, Int32, Int64
from ontomask.attributes import Attribute, Nominal, Space, Tuples, space_of
from ontomask.attributes.space import Combine, Strategy
from ontomask.errors import OntomaskError

SUPPRESSED = -1


@dataclass(frozen=True)
class Masking:
    """Entry e puts `counts[e]` records of tuple `tuples[e]` into group `groups[e]` (-1: suppressed).

    `values[j][g]` is what group g has in attribute j: a candidate's index (nominal) or a number (numeric).
    Entries are in tuple order, so the records of one tuple are dealt to its groups in row order.
    """

    tuples: Int32
    groups: Int32
    counts: Int64
    values: tuple[np.ndarray, ...]

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.values[0])


@dataclass(frozen=True)
class Method(ABC):
    """A masking method with its options.

    Attributes
    ----------
    name
        What the plan calls it.
    words
        What it does to people, for the report; `{k}` stands for the fewest people of a group.
    is_k_anonymous
        Whether every group has k records.
    has_centroids
        Whether a group is given its centroid, so that `centroid` of the plan has an effect.
    """

    name: ClassVar[str]
    words: ClassVar[str]
    is_k_anonymous: ClassVar[bool] = True
    has_centroids: ClassVar[bool] = True

    @property
    def measure(self) -> str | None:
        """The distance that it insists on; None: the one the user asked for."""
        return None

    @property
    def strategy(self) -> Strategy:
        """What stands for the words of a group."""
        return "semantic"

    @property
    def blank(self) -> bool:
        """Whether suppressed rows are kept with empty values instead of dropped."""
        return False

    def conflicts(self) -> Iterator[tuple[str, str]]:
        """(option, what is wrong) for options that do not go together."""
        return iter(())

    def in_words(self, k: int) -> str:
        """What was done to people, in a sentence of the report."""
        return self.words.format(k=k)

    @abstractmethod
    def mask(
        self,
        tuples: Tuples,
        attributes: Sequence[Attribute],
        k: int,
        rng: np.random.Generator,
        combine: Combine = "mean",
    ) -> Masking:
        """Put the records into groups of at least k and say what each group is replaced by."""


@dataclass(frozen=True)
class Microaggregation(Method):
    """The family of methods that only have to partition the records and name the centroid of each group."""

    def mask(
        self,
        tuples: Tuples,
        attributes: Sequence[Attribute],
        k: int,
        rng: np.random.Generator,
        combine: Combine = "mean",
    ) -> Masking:
        check_k(k, tuples.n)
        space = space_of(tuples, attributes, combine=combine, strategy=self.strategy)
        members, groups, counts, centroids = self.partition(space, k, rng)
        if counts.sum() != tuples.n:
            raise OntomaskError(f"{self.name} lost records: this is a fault of ontomask; please report it")
        order = np.lexsort((groups, members))
        values = tuple(
            _as_masked(attribute, centroids[:, j], int(space.attributes["candidates_from"][j]))
            for j, attribute in enumerate(attributes)
        )
        return Masking(members[order], groups[order], counts[order], values)

    @abstractmethod
    def partition(
        self, space: Space, k: int, rng: np.random.Generator
    ) -> tuple[Int32, Int32, Int64, Float64]:
        """(tuple, group, count) entries and the centroid of every group, [groups, m]."""


def check_k(k: int, n: int) -> None:
    """k must be at least 1 and at most the number of records."""
    if k < 1:
        raise OntomaskError(f"k must be at least 1, not {k}")
    if k > n:
        raise OntomaskError(f"k = {k} is more than the {n} records of the table; choose a smaller k")


def whole_tuples(group_of_tuple: Int32, counts: Int64) -> tuple[Int32, Int32, Int64]:
    """Entries of a partition that keeps the records of a tuple together."""
    return np.arange(len(counts), dtype=np.int32), group_of_tuple, counts


def _as_masked(attribute: Attribute, chosen: Float64, first_candidate: int) -> np.ndarray:
    if isinstance(attribute, Nominal):
        return (chosen - first_candidate).astype(np.int32)
    return chosen
