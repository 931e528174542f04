"""Classification utility: decision trees learned from the original and from the masked table (Loh 2012).

The same records are predicted by both, from the values that each table has. Indices and counts only: what
values are called, whoever prints a tree tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ontomask.arrays import Int64, Integers
from ontomask.attributes import Attribute
from ontomask.errors import OntomaskError
from ontomask.evaluation.decision_tree import DecisionTree, Feature, TreeOptions, accuracy, folds_of
from ontomask.evaluation.pairs import ReleaseView
from ontomask.evaluation.subject import Family, Figure, Subject, Target


@dataclass(frozen=True, eq=False)
class Learned:
    """What is to be learned from: features of both tables, and the class of each entry, which are records.

    `classes` are the values of the target that classes are, ascending.
    """

    original: list[Feature]
    masked: list[Feature]
    y: Int64
    times: Int64
    classes: Int64

    @classmethod
    def of(
        cls, view: ReleaseView, original: Integers, masked: Integers, target: Integers, counts: Int64
    ) -> Learned:
        """`counts[e]` records of original tuple `original[e]` became masked tuple `masked[e]` (-1: none) and
        have the class `target[e]`; suppressed ones are left out of both tables."""
        kept = masked >= 0
        classes, y = np.unique(target[kept], return_inverse=True)
        if len(classes) < 2:
            raise OntomaskError(
                "the target of a classification needs at least two classes in the released records"
            )
        before, after = view.tuples.codes[original[kept]], view.pairs.values[masked[kept]]
        return cls(
            [_of_codes(one, before[:, j]) for j, one in enumerate(view.attributes)],
            [_of_replacements(one, after[:, j]) for j, one in enumerate(view.attributes)],
            y.astype(np.int64),
            counts[kept],
            classes.astype(np.int64),
        )

    @classmethod
    def of_target(cls, view: ReleaseView, target: Target) -> Learned:
        """The same of a target over the pairs of a view."""
        original, masked = view.pairs.original[target.pairs], view.pairs.masked[target.pairs]
        return cls.of(view, original, masked, target.values, target.counts)

    def tree(self, features: list[Feature], options: TreeOptions | None = None) -> DecisionTree:
        """The tree of all records."""
        return DecisionTree(features, self.y, self.times, options)

    @property
    def left(self) -> list[str]:
        """The attributes whose values the release still tells apart."""
        return [one.name for one in self.masked if len(np.unique(one.codes)) > 1]


def compare_classification(
    learned: Learned, rng: np.random.Generator, *, folds: int = 10, options: TreeOptions | None = None
) -> dict[str, Any]:
    """Accuracy (percent, stratified cross-validation) and attributes in the tree, before and after.

    `accuracy_blind` is the share of the most frequent class.
    """
    in_fold = folds_of(learned.y, learned.times, folds, rng)
    figures: dict[str, Any] = {}
    for name, features in (("original", learned.original), ("masked", learned.masked)):
        figures[f"accuracy_{name}"] = accuracy(features, learned.y, in_fold, options)
        figures[f"tree_attributes_{name}"] = [features[j].name for j in learned.tree(features, options).used]
    figures["attributes_left"] = learned.left
    of_class = np.bincount(learned.y, learned.times)
    figures["accuracy_blind"] = float(100 * of_class.max() / of_class.sum())
    return figures


def _of_codes(attribute: Attribute, codes: Integers) -> Feature:
    line = attribute.plain.line
    if line is None:
        return Feature.of_words(attribute.name, codes)
    return Feature.of_numbers(attribute.name, codes, line.numbers[codes])


def _of_replacements(attribute: Attribute, replacements: Integers) -> Feature:
    """Numbers, and ranges of them in the order of their middles; a node of a hierarchy is a word."""
    line, plain = attribute.line, attribute.plain.line
    if line is not None:
        return Feature.of_numbers(attribute.name, replacements, line.replacements[replacements])
    if plain is not None and np.isin(replacements, attribute.own).all():  # as they were
        numbers = np.full(attribute.n_replacements, np.nan)
        numbers[attribute.own] = plain.numbers
        return Feature.of_numbers(attribute.name, replacements, numbers[replacements])
    return Feature.of_words(attribute.name, replacements)


def classification_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """`compare_classification` of the target."""
    assert subject.target is not None
    return compare_classification(Learned.of_target(subject.view, subject.target), subject.rng)


CLASSIFICATION = Family(
    classification_figures,
    (
        Figure("accuracy_original", "Accuracy of a tree, original", "%", "class predicted right, 10 folds"),
        Figure("accuracy_masked", "Accuracy of a tree, masked", "%", "the same, learned from the release"),
        Figure("accuracy_blind", "Accuracy of a blind guess", "%", "share of the most frequent class"),
        Figure("tree_attributes_original"),
        Figure("tree_attributes_masked"),
        Figure("attributes_left"),
    ),
    needs=("target",),
)
