"""Measures that compare sets of features.

logsc (Sanchez, Batet, Isern & Valls 2012) compares the subsumers of two concepts and needs nothing but the
taxonomy. tversky (1977), rodriguez (Rodriguez & Egenhofer 2003) and petrakis (X-similarity, 2006) compare
words: synonyms, parts, neighbours, glosses; the ontology must have them. `equality` is the baseline that
knows no meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ontomask.arrays import Float64, Int64
from ontomask.errors import MeasureError
from ontomask.measures.base import Measure, indices, on_grid, scipy_sparse, with_equal_pairs
from ontomask.measures.sweep import Sweep, smallest_cell
from ontomask.ontology.core import ConceptIndices, Ontology, derived
from ontomask.ontology.csr import Csr

if TYPE_CHECKING:
    from scipy.sparse import csr_array

WORD = re.compile(r"[^\W_]+")
_LARGEST_TABLE = 1 << 22  # of distances by numbers of subsumers; a very deep ontology does without


@dataclass(frozen=True)
class Logsc(Measure):
    """`dis = log2(1 + (|T1 u T2| - |T1 n T2|) / |T1 u T2|)`, T the subsumers of a concept, itself included.

    A metric in [0, 1) that counts every inheritance path (Martinez 2013, eq. 3.9). Similarity `1 - dis`.
    """

    name: ClassVar[str] = "logsc"
    words: ClassVar[str] = (
        "how many of their superconcepts two concepts do not share (log of non-common superconcepts)"
    )
    is_metric: ClassVar[bool] = True

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return 1 - self.matrix(ontology, a, b)

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        from ontomask.measures import _kernels

        sweep = Sweep(ontology, a, b)
        if not len(sweep.a) or not len(sweep.b):
            return np.zeros((len(sweep.a), len(sweep.b)))
        size = ontology.subsumer_counts
        extra = sweep.rows.extra_ancestors
        # Bounds to the next power of two: calls of any size share a few tables.
        stride, most = (1 << int(size[one].max()).bit_length() for one in (sweep.a, sweep.b))
        table = _distances_by_size(ontology, stride, most) if stride * most < _LARGEST_TABLE else None
        out = np.empty((len(sweep.a), len(sweep.b)))
        for block in sweep.blocks():
            rows = _kernels.shared_subsumers(
                smallest_cell(stride),
                len(block.columns),
                sweep.parents.starts,
                sweep.parents.values,
                block.starts,
                block.ends,
                block.below,
                extra.starts,
                extra.values,
            )
            size_a, size_b = size[sweep.a], size[block.columns]
            if table is not None:
                _kernels.emit_by_size(out, block.offset, rows, sweep.row_of_a, size_a, size_b, table, stride)
                continue
            shared = rows[sweep.row_of_a].astype(np.int64)
            here = slice(block.offset, block.offset + len(block.columns))
            out[:, here] = _logsc(size_a[:, None] + size_b, shared)
        return out


def _logsc(total: Int64, shared: Int64) -> Float64:
    """The distance for |T1| + |T2| and |T1 n T2|."""
    union = np.maximum(total - shared, 1)
    return on_grid(np.log2(1 + np.clip(union - shared, 0, None) / union))


@derived
def _distances_by_size(ontology: Ontology, stride: int, most: int) -> Float64:
    """The logsc distance for every |T1| + |T2| < stride + most (rows) and |T1 n T2| < stride, flat."""
    return _logsc(np.arange(stride + most)[:, None], np.arange(stride)).ravel()


@dataclass(frozen=True)
class Equality(Measure):
    """Similarity 1 for the same concept, else 0: words as bare symbols."""

    name: ClassVar[str] = "equality"
    words: ClassVar[str] = "whether two values are equal, without meaning"
    is_metric: ClassVar[bool] = True

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return with_equal_pairs(np.zeros((len(indices(a)), len(indices(b)))), a, b, 1.0)

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return 1 - self.similarities(ontology, a, b)


class SetMeasure(Measure):
    """A measure whose similarity is in [0, 1]; distance `1 - sim`."""

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return with_equal_pairs(on_grid(1 - self.similarities(ontology, a, b)), a, b, 0.0)


@dataclass(frozen=True)
class Tversky(SetMeasure):
    """`|A & B| / (|A & B| + g |A - B| + (1 - g) |B - A|)` over the terms of a concept and its neighbours.

    Neighbours are direct superconcepts and subconcepts; g weighs by depth (Martinez 2013, eq. 3.4-3.5).
    """

    name: ClassVar[str] = "tversky"
    words: ClassVar[str] = "how many words two concepts and their neighbours share (Tversky)"

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        need_synonyms(ontology, self.name)
        return tversky_ratio(ontology, a, b, lambda c: term_sets(ontology, with_neighbours(ontology, c)))


@dataclass(frozen=True)
class Rodriguez(SetMeasure):
    """`w S_synsets + u S_features + v S_neighbourhoods`, each S a Tversky ratio (eq. 3.6).

    Features are parts. Where neither concept has any, they say nothing, and their weight goes to the other
    two in proportion.
    """

    name: ClassVar[str] = "rodriguez"
    words: ClassVar[str] = (
        "how many synonyms, parts and neighbours two concepts share (Rodríguez and Egenhofer)"
    )
    synsets: float = 1 / 3
    features: float = 1 / 3
    neighbourhoods: float = 1 / 3

    def __post_init__(self) -> None:
        weights = (self.synsets, self.features, self.neighbourhoods)
        if min(weights) < 0 or abs(sum(weights) - 1) > 1e-9 or self.features == 1:
            raise MeasureError(
                f"rodriguez: the weights must be >= 0 and sum to 1, features alone not 1; not {weights}"
            )

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        need_synonyms(ontology, self.name)
        total = self.synsets * tversky_ratio(ontology, a, b, lambda c: term_sets(ontology, own_rows(c)))
        total += self.neighbourhoods * tversky_ratio(
            ontology, a, b, lambda c: sets_matrix(neighbours(ontology, c), len(ontology))
        )
        parts = ontology.relations.get("has-part")
        if parts is None:
            return total / (self.synsets + self.neighbourhoods)
        alike = tversky_ratio(ontology, a, b, lambda c: sets_matrix(parts.take(c), len(ontology)))
        counts = parts.counts
        told = (counts[indices(a)][:, None] + counts[indices(b)][None, :]) > 0
        similarity: Float64 = np.where(
            told, total + self.features * alike, total / (self.synsets + self.neighbourhoods)
        )
        return similarity


@dataclass(frozen=True)
class Petrakis(SetMeasure):
    """X-similarity: 1 if the synsets overlap, else `max(S_neighbourhoods, S_descriptions)`, S = Jaccard.

    S_neighbourhoods is the greater of the is-a and the part-of neighbourhood (eq. 3.7-3.8).
    """

    name: ClassVar[str] = "petrakis"
    words: ClassVar[str] = (
        "how many words of their synonyms, neighbours and definitions two concepts share (Petrakis)"
    )

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        need_synonyms(ontology, self.name)
        vocabulary, words = gloss_words(ontology, self.name)
        overlap = jaccard(ontology, a, b, lambda c: term_sets(ontology, own_rows(c)))
        best = np.maximum(
            jaccard(ontology, a, b, lambda c: term_sets(ontology, neighbours(ontology, c))),
            jaccard(ontology, a, b, lambda c: sets_matrix(words.take(c), len(vocabulary))),
        )
        if "has-part" in ontology.relations:
            parts = part_neighbours(ontology)
            best = np.maximum(best, jaccard(ontology, a, b, lambda c: term_sets(ontology, parts.take(c))))
        return np.where(overlap > 0, 1.0, best)


# ---------------------------------------------------------------------- sets of features

SetsOf = Callable[[np.ndarray], "csr_array"]


def need_synonyms(ontology: Ontology, measure: str) -> None:
    """Synsets are the feature: one term per concept and no shared term would make every pair disjoint."""
    if len(ontology.senses.values) <= len(ontology):
        raise MeasureError(
            f"{measure} compares synonyms, and {ontology.name} has none; use logsc, which needs only is-a"
        )


def neighbours(ontology: Ontology, concepts: np.ndarray) -> Csr:
    """Direct superconcepts and subconcepts of each concept."""
    rows = np.arange(len(concepts))
    above, below = ontology.parents.take(concepts), ontology.children.take(concepts)
    return Csr.from_pairs(
        np.concatenate([np.repeat(rows, above.counts), np.repeat(rows, below.counts)]),
        np.concatenate([above.values, below.values]),
        len(concepts),
    )


def own_rows(concepts: np.ndarray) -> Csr:
    """Each concept alone."""
    return Csr.from_pairs(np.arange(len(concepts)), concepts, len(concepts))


def with_neighbours(ontology: Ontology, concepts: np.ndarray) -> Csr:
    """Each concept and its direct neighbours."""
    around = neighbours(ontology, concepts)
    return Csr.from_pairs(
        np.concatenate([np.arange(len(concepts)), around.row_of_value]),
        np.concatenate([concepts, around.values]),
        len(concepts),
    )


def part_neighbours(ontology: Ontology) -> Csr:
    """Parts and wholes of every concept as one relation."""
    parts = ontology.relations["has-part"]
    rows = np.concatenate([parts.row_of_value, parts.values])
    values = np.concatenate([parts.values, parts.row_of_value])
    return Csr.from_pairs(rows, values, len(ontology))


def sets_matrix(members: Csr, n_features: int) -> csr_array:
    """One 0/1 row per set."""
    shape = (len(members), n_features)
    sets: csr_array = scipy_sparse().csr_array(
        (np.ones(len(members.values)), members.values, members.starts), shape=shape
    )
    sets.sum_duplicates()
    sets.data[:] = 1
    return sets


def term_sets(ontology: Ontology, concepts: Csr) -> csr_array:
    """The terms of all concepts of each row."""
    terms = ontology.terms_of_concept.take(concepts.values)
    row = np.repeat(concepts.row_of_value, terms.counts)
    return sets_matrix(Csr.from_pairs(row, terms.values, len(concepts)), len(ontology.terms))


def set_sizes(a: ConceptIndices, b: ConceptIndices, sets_of: SetsOf) -> tuple[Float64, Float64, Float64]:
    """|A n B|, |A|, |B| of every pair."""
    left, right = sets_of(indices(a)), sets_of(indices(b))
    shared: Any = (left @ right.T).toarray()
    return shared, np.asarray(left.sum(axis=1))[:, None], np.asarray(right.sum(axis=1))[None, :]


def tversky_ratio(ontology: Ontology, a: ConceptIndices, b: ConceptIndices, sets_of: SetsOf) -> Float64:
    """Tversky's ratio, weighted by depth; 0/0 counts as 1."""
    shared, size_a, size_b = set_sizes(a, b, sets_of)
    depth_a = ontology.shortest_depth[indices(a)][:, None].astype(np.float64)
    depth_b = ontology.shortest_depth[indices(b)][None, :].astype(np.float64)
    both = depth_a + depth_b
    g = np.divide(depth_a, both, out=np.full(both.shape, 0.5), where=both > 0)
    g = np.where(depth_a <= depth_b, g, 1 - g)
    return ratio(shared, shared + g * (size_a - shared) + (1 - g) * (size_b - shared))


def jaccard(ontology: Ontology, a: ConceptIndices, b: ConceptIndices, sets_of: SetsOf) -> Float64:
    """|A n B| / |A u B|; two empty sets have nothing in common."""
    shared, size_a, size_b = set_sizes(a, b, sets_of)
    union = size_a + size_b - shared
    return np.divide(shared, union, out=np.zeros(shared.shape), where=union > 0)


def ratio(part: Float64, whole: Float64) -> Float64:
    """part / whole, 0/0 counted as 1."""
    return np.divide(part, whole, out=np.ones(part.shape), where=whole > 0)


def gloss_words(ontology: Ontology, measure: str) -> tuple[list[str], Csr]:
    """Vocabulary of the glosses and, per concept, the words of its gloss, repeats included."""
    if ontology.glosses is None:
        raise MeasureError(
            f"{measure} compares glosses, and {ontology.name} has none; use logsc, which needs only is-a"
        )
    return _gloss_words(ontology)


@derived
def _gloss_words(ontology: Ontology) -> tuple[list[str], Csr]:
    known: dict[str, int] = {}
    rows: list[int] = []
    words: list[int] = []
    for concept, gloss in enumerate(ontology.glosses or ()):
        found = [known.setdefault(word, len(known)) for word in WORD.findall(gloss.lower())]
        rows.extend([concept] * len(found))
        words.extend(found)
    return list(known), Csr.from_pairs(rows, words, len(ontology))
