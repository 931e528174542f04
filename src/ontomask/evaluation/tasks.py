"""Task utility: do clusters and predictions made from the release agree with those made from the original?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ontomask.attributes.base import Tuples
from ontomask.evaluation.masked_table import masked_table
from ontomask.evaluation.pairs import Pairs, ReleaseView
from ontomask.evaluation.partitions import partition_agreement
from ontomask.evaluation.subject import Family, Figure
from ontomask.evaluation.ward import best_cut, cut, dendrogram

MOST_TUPLES = 5000


@dataclass(frozen=True)
class ClusterComparison:
    """Agreement of the clusters of the original and of the masked records.

    `sampled` says that the table had too many tuples and `records` of its records were clustered.
    """

    partition_distance: float
    rand: float
    adjusted_rand: float
    nmi: float
    clusters: int
    clusters_masked: int
    records: int
    sampled: bool

    def figures(self) -> dict[str, Any]:
        """Flat names."""
        return {
            name if name == "partition_distance" else f"cluster_{name}": x for name, x in asdict(self).items()
        }


def compare_clusters(
    view: ReleaseView,
    rng: np.random.Generator,
    *,
    clusters: int | None = None,
    same_number: bool = False,
    most_clusters: int = 50,
    most_tuples: int = MOST_TUPLES,
) -> ClusterComparison:
    """Cluster original and masked records by semantic Ward and compare the two partitions.

    Parameters
    ----------
    clusters
        How many, in both tables; None: each dendrogram's best by Calinski-Harabasz, up to `most_clusters`.
    same_number
        Cut the masked dendrogram into as many clusters as the original one.
    most_tuples
        Of a larger table so many pairs of tuples are drawn, by their records, without replacement.
    """
    part, sampled = _released_part(view, rng, most_tuples)
    masked, masked_attributes, place = masked_table(part)
    sides = [(part.tuples, part.attributes), (masked, masked_attributes)]
    labels: list[Any] = []
    for tuples, attributes in sides:
        merges = dendrogram(tuples, attributes, view.combine)
        number = clusters if clusters is not None else None
        if number is None and same_number and labels:
            number = int(labels[0].max()) + 1
        if number is None:
            labels.append(best_cut(merges, tuples, attributes, view.combine, most_clusters))
        else:
            labels.append(cut(merges, max(1, min(number, len(tuples)))))
    pairs = part.pairs
    agreement = partition_agreement(labels[0][pairs.original], labels[1][place[pairs.masked]], pairs.counts)
    sizes = [int(found.max()) + 1 for found in labels]
    return ClusterComparison(
        **agreement, clusters=sizes[0], clusters_masked=sizes[1], records=pairs.n, sampled=sampled
    )


def _released_part(view: ReleaseView, rng: np.random.Generator, most: int) -> tuple[ReleaseView, bool]:
    """The released records, or a sample of them, as a table of their own."""
    pairs = view.pairs
    kept = np.flatnonzero(~pairs.suppressed)
    sampled = max(len(np.unique(pairs.original[kept])), len(pairs.class_sizes)) > most
    if sampled:
        odds = pairs.counts[kept] / pairs.counts[kept].sum()
        kept = np.sort(rng.choice(kept, min(most, len(kept)), replace=False, p=odds))
    originals, place = np.unique(pairs.original[kept], return_inverse=True)
    part = Pairs.of_rows(place, pairs.values_of_pairs[kept], pairs.counts[kept])
    counts = np.bincount(place, pairs.counts[kept], minlength=len(originals)).astype(np.int64)
    tuples = Tuples(view.tuples.codes[originals], counts)
    return ReleaseView(tuples, view.attributes, part, view.combine), sampled


CLUSTERS = Family(
    lambda subject, found: compare_clusters(subject.view, subject.rng).figures(),
    (
        Figure(
            "partition_distance",
            "Distance of the clusters",
            "",
            "semantic clusters before and after: 0 the same, 1 nothing in common",
        ),
        Figure("cluster_rand", "Rand index of the clusters", "", "pairs of people treated alike; 1 is best"),
        Figure("cluster_adjusted_rand", "Adjusted Rand index", "", "the same above chance; 1 is best"),
        Figure("cluster_nmi", "Normalised mutual information of the clusters", "", "1 is best"),
        Figure("cluster_clusters", "Clusters before"),
        Figure("cluster_clusters_masked", "Clusters after"),
        Figure("cluster_records", "Records clustered"),
        Figure("cluster_sampled"),
    ),
    needs=("clusters",),
)
