"""Decision trees by entropy, as C4.5 grows them: one branch for each word, two for numbers.

Quinlan 1993, *C4.5: Programs for Machine Learning*, chapters 2 and 4; Loh 2012 judges releases by such trees
(chapter 4). Trees see codes and counts; what a code is called is told by whoever prints a tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Literal

import numpy as np

from ontomask.arrays import Float64, Int32, Int64, Integers
from ontomask.errors import OntomaskError
from ontomask.evaluation._tree_kernels import Entries, Growth, Nodes, grow, prune, reached


@dataclass(frozen=True, eq=False)
class Feature:
    """A column that trees split by.

    Attributes
    ----------
    name
        Of the column.
    codes
        The value of each tuple; numbers have codes that ascend with them, and -1 for none.
    values
        What each code is to the one who made the feature.
    is_number
        Whether codes have an order.
    """

    name: str
    codes: Int32
    values: Int64
    is_number: bool

    @classmethod
    def of_words(cls, name: str, values: Integers) -> Feature:
        """Tuple i has the word `values[i]`."""
        used, codes = np.unique(values, return_inverse=True)
        return cls(name, codes.astype(np.int32), used.astype(np.int64), False)

    @classmethod
    def of_numbers(cls, name: str, values: Integers, numbers: Float64) -> Feature:
        """Tuple i has the value `values[i]`, which is the number `numbers[i]`; NaN is none."""
        used, first, codes = np.unique(numbers, return_index=True, return_inverse=True)
        known: Int32 = np.where(np.isnan(numbers), -1, codes).astype(np.int32)
        return cls(name, known, values[first[~np.isnan(used)]].astype(np.int64), True)


@dataclass(frozen=True)
class TreeOptions:
    """How a tree grows.

    Attributes
    ----------
    criterion
        ``gain``: the attribute with the greatest information gain, `E(T) - sum_v |T_v|/|T| E(T_v)`;
        ``ratio``: with the greatest gain for each bit of `-sum_v |T_v|/|T| log2 |T_v|/|T|`, of those that
        gain as much as is usual.
    least_gain
        In bits.
    least_leaf
        Two branches of a split have so many records.
    deepest
        Splits from the root to a leaf.
    confidence
        A branch is cut off where the upper limit of errors, at this confidence, is no lower below it; 1 cuts
        nothing off.
    """

    criterion: Literal["gain", "ratio"] = "gain"
    least_gain: float = 0.01
    least_leaf: int = 2
    deepest: int = 20
    confidence: float = 0.25


class DecisionTree:
    """A tree that predicts a class.

    >>> pain = Feature.of_words("pain", np.array([0, 0, 1, 1]))
    >>> age = Feature.of_numbers("age", np.arange(4), np.array([30.0, 60.0, 30.0, 60.0]))
    >>> tree = DecisionTree([pain, age], np.array([0, 0, 0, 1]), np.array([9, 9, 9, 9]))
    >>> print(tree.text([["no", "yes"], ["30", "60"]], ["well", "ill"]))
    pain = no: well (well=18, ill=0)
    pain = yes
    | age <= 30: well (well=9, ill=0)
    | age > 30: ill (well=0, ill=9)
    """

    def __init__(
        self,
        features: Sequence[Feature],
        y: Integers,
        times: Int64,
        options: TreeOptions | None = None,
    ) -> None:
        """`times[e]` records have the codes `features[j].codes[e]` and the class `y[e]`."""
        asked = options or TreeOptions()
        self.features = list(features)
        codes = np.ascontiguousarray(np.stack([one.codes for one in features], axis=1).astype(np.int32))
        is_number = np.array([one.is_number for one in features])
        self._entries = Entries(codes, is_number, y.astype(np.int32), times.astype(np.int64))
        growth = Growth(asked.criterion == "ratio", asked.least_gain, asked.least_leaf, asked.deepest)
        self.nodes: Nodes = grow(self._entries, int(y.max()) + 1, growth)
        if asked.confidence < 1:
            prune(self.nodes, NormalDist().inv_cdf(1 - asked.confidence))

    @cached_property
    def used(self) -> list[int]:
        """The features that it splits by, ascending."""
        found: set[int] = set()
        waiting = [0]
        while waiting:
            node = waiting.pop()
            if self.nodes.attribute[node] >= 0:
                found.add(int(self.nodes.attribute[node]))
                waiting.extend(range(self.nodes.first[node], self.nodes.first[node] + self.nodes.width[node]))
        return sorted(found)

    def predicted(self) -> Int64:
        """The class of each entry, by the records that were grown from; of equal ones the first."""
        found = reached(self.nodes, self._entries)
        predicted: Int64 = self.nodes.counts.argmax(axis=1)[found]
        return predicted

    def right(self, times: Int64) -> int:
        """How many of these records it predicts right, `times[e]` being of entry e: such as were held out."""
        return int(times @ (self.predicted() == self._entries.y))

    def text(self, values: Sequence[Sequence[str]], classes: Sequence[str]) -> str:
        """The tree in lines; `values[j][code]` and `classes[c]` are what codes and classes are called."""
        lines = [
            "| " * (len(path) - 1) + (path[-1] if path else "all") + self._told(node, classes)
            for path, node in self._walk(0, [], values)
            if path or self.nodes.attribute[0] < 0
        ]
        return "\n".join(lines)

    def rules(self, values: Sequence[Sequence[str]], classes: Sequence[str]) -> list[str]:
        """What leads to each leaf, and its class: `pain = yes and age > 30: ill (well=0, ill=9)`."""
        return [
            (" and ".join(path) or "all") + self._told(node, classes)
            for path, node in self._walk(0, [], values)
            if self.nodes.attribute[node] < 0
        ]

    def _walk(
        self, node: int, path: list[str], values: Sequence[Sequence[str]]
    ) -> Iterator[tuple[list[str], int]]:
        """Every node with the conditions that lead to it, parents first, branches in the order of codes."""
        yield path, node
        nodes, j = self.nodes, int(self.nodes.attribute[node])
        if j < 0:
            return
        name = self.features[j].name
        for child in range(nodes.first[node], nodes.first[node] + nodes.width[node]):
            if self.features[j].is_number:
                sign = ">" if nodes.branch[child] else "<="
                condition = f"{name} {sign} {values[j][nodes.bound[node]]}"
            else:
                condition = f"{name} = {values[j][nodes.branch[child]]}"
            yield from self._walk(child, [*path, condition], values)

    def _told(self, node: int, classes: Sequence[str]) -> str:
        """What is said behind a leaf: its class, and how many records of each class come to it."""
        if self.nodes.attribute[node] >= 0:
            return ""
        counts = self.nodes.counts[node]
        of_each = ", ".join(f"{name}={count}" for name, count in zip(classes, counts, strict=True))
        return f": {classes[int(counts.argmax())]} ({of_each})"


def accuracy(
    features: Sequence[Feature], y: Integers, in_fold: Int64, options: TreeOptions | None = None
) -> float:
    """Percent of records predicted right by a tree grown without their fold; `in_fold[e, f]` are its records.

    >>> word = Feature.of_words("word", np.array([0, 1]))
    >>> accuracy([word], np.array([0, 1]), np.array([[5, 5], [5, 5]]))
    100.0
    """
    everything = in_fold.sum(axis=1)
    trees = (DecisionTree(features, y, everything - held_out, options) for held_out in in_fold.T)
    right = sum(tree.right(held_out) for tree, held_out in zip(trees, in_fold.T, strict=True))
    return 100 * right / int(everything.sum())


def folds_of(y: Integers, times: Int64, folds: int, rng: np.random.Generator) -> Int64:
    """Records of every entry in every fold, [entries, folds]: dealt out at random, class by class."""
    if not 2 <= folds <= times.sum():
        raise OntomaskError(
            f"{folds} folds cannot be made of {times.sum()} records; use 2 or more, up to that"
        )
    records = rng.permutation(np.repeat(np.arange(len(times)), times))
    records = records[np.argsort(y[records], kind="stable")]
    table = np.zeros((len(times), folds), np.int64)
    np.add.at(table, (records, np.arange(len(records)) % folds), 1)
    return table
