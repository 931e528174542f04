"""Classification utility: a decision tree learned from the original and from the masked table.

Entropy trees, cross-validated as in Loh 2012 (there C4.5); scikit-learn grows them (extra `ml`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Float64, Int64
from ontomask.attributes.base import Tuples
from ontomask.errors import OntomaskError
from ontomask.evaluation.masked_table import masked_table
from ontomask.evaluation.pairs import ReleaseView
from ontomask.evaluation.subject import Family, Figure, Subject


def compare_classification(
    view: ReleaseView,
    original: npt.NDArray[np.integer],
    masked: npt.NDArray[np.integer],
    target: npt.NDArray[np.integer],
    counts: Int64,
    rng: np.random.Generator,
    *,
    folds: int = 10,
    pruning: float = 0.001,
) -> dict[str, Any]:
    """Accuracy (percent, stratified cross-validation) and attributes in the tree, before and after.

    `counts[e]` records of original tuple `original[e]` became masked tuple `masked[e]` and have the class
    `target[e]`; suppressed ones (-1) are left out of both. `pruning` is the least fall in entropy, in bits
    per record, for which a split is kept (cost-complexity). `accuracy_blind` is the share of the most
    frequent class.
    """
    kept = masked >= 0
    y, times = np.unique(target[kept], return_inverse=True)[1], counts[kept]
    if len(np.unique(y)) < 2:
        raise OntomaskError(
            "the target of a classification needs at least two classes in the released records"
        )
    in_fold = _folds(y, times, folds, rng)
    figures: dict[str, Any] = {}
    after, attributes, place = masked_table(view)
    sides = [
        ("original", view.tuples, view.attributes, original[kept]),
        ("masked", after, attributes, place[masked[kept]]),
    ]
    for name, tuples, own, rows in sides:
        features, attribute_of = _features(tuples, own)
        accuracy, used = _accuracy(features[rows], y, in_fold, pruning)
        figures[f"accuracy_{name}"] = accuracy
        figures[f"tree_attributes_{name}"] = [own[j].name for j in np.unique(attribute_of[used])]
    figures["accuracy_blind"] = float(100 * np.bincount(y, times).max() / times.sum())
    return figures


def _folds(y: Int64, counts: Int64, folds: int, rng: np.random.Generator) -> Int64:
    """Records of every entry in every fold, [entries, folds]: dealt out class by class."""
    if not 2 <= folds <= counts.sum():
        raise OntomaskError(
            f"{folds} folds cannot be made of {counts.sum()} records; use 2 or more, up to that"
        )
    records = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    records = records[np.argsort(y[records], kind="stable")]
    table = np.zeros((len(counts), folds), np.int64)
    np.add.at(table, (records, np.arange(len(records)) % folds), 1)
    return table


def _features(tuples: Tuples, attributes: Any) -> tuple[Any, Int64]:
    """One column per word and per numeric attribute (missing: the mean), and the attribute of each column."""
    try:
        from scipy import sparse
    except ImportError as error:
        raise OntomaskError(
            "classification needs scikit-learn", remedy="pip install 'ontomask[ml]'"
        ) from error

    blocks, owners = [], []
    for j, attribute in enumerate(attributes):
        codes = tuples.codes[:, j]
        if attribute.line is None:
            ones = np.ones(len(codes), np.float32)
            block = sparse.csr_array(
                (ones, codes, np.arange(len(codes) + 1, dtype=np.int32)), (len(codes), attribute.size)
            )
        else:
            numbers: Float64 = attribute.line.numbers[codes]
            known = ~np.isnan(numbers)
            centre = np.average(numbers[known], weights=tuples.counts[known]) if known.any() else 0.0
            block = sparse.csr_array(np.where(known, numbers, centre)[:, None].astype(np.float32))
        blocks.append(block)
        owners += [j] * block.shape[1]
    table = sparse.hstack(blocks, format="csr")
    table.indices, table.indptr = (
        table.indices.astype(np.int32),
        table.indptr.astype(np.int32),
    )  # for the trees
    return table, np.array(owners)


def _accuracy(features: Any, y: Int64, in_fold: Int64, pruning: float) -> tuple[float, Int64]:
    """Percent of records predicted right when their fold is left out, and the columns of the whole tree."""
    try:
        from sklearn.tree import DecisionTreeClassifier
    except ImportError as error:
        raise OntomaskError(
            "classification needs scikit-learn", remedy="pip install 'ontomask[ml]'"
        ) from error

    def grown(times: Int64) -> Any:
        tree = DecisionTreeClassifier(criterion="entropy", ccp_alpha=pruning, random_state=0)
        return tree.fit(features[times > 0], y[times > 0], sample_weight=times[times > 0])

    everything, right = in_fold.sum(axis=1), 0
    for held_out in in_fold.T:
        test = held_out > 0
        right += int(held_out[test] @ (grown(everything - held_out).predict(features[test]) == y[test]))
    splits = grown(everything).tree_.feature
    return 100 * right / int(everything.sum()), np.unique(splits[splits >= 0])


def classification_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """`compare_classification` of the target."""
    target, pairs = subject.target, subject.view.pairs
    assert target is not None
    original, masked = pairs.original[target.pairs], pairs.masked[target.pairs]
    return compare_classification(subject.view, original, masked, target.values, target.counts, subject.rng)


CLASSIFICATION = Family(
    classification_figures,
    (
        Figure("accuracy_original", "Accuracy of a tree, original", "%", "class predicted right, 10 folds"),
        Figure("accuracy_masked", "Accuracy of a tree, masked", "%", "the same, learned from the release"),
        Figure("accuracy_blind", "Accuracy of a blind guess", "%", "share of the most frequent class"),
        Figure("tree_attributes_original"),
        Figure("tree_attributes_masked"),
    ),
    needs=("target",),
)
