"""The vector measure: concepts are alike if their definitions use the same words.

Cosine of tf-idf vectors over the glosses of a concept and its direct neighbours (after Patwardhan & Pedersen
2006; Martinez 2013, eq. 3.14).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ontomask.arrays import Float64
from ontomask.measures.base import indices, scipy_sparse
from ontomask.measures.feature import SetMeasure, gloss_words, with_neighbours
from ontomask.ontology.core import ConceptIndices, Ontology, derived

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True)
class Vector(SetMeasure):
    """`sim = cos(v1, v2)`; distance `1 - sim`. A concept without a word to its name is alike to nothing."""

    name: ClassVar[str] = "vector"
    words: ClassVar[str] = "how many words the definitions of two concepts share"

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        left = context_vectors(ontology, indices(a))
        right = context_vectors(ontology, indices(b))
        cosine: Float64 = np.clip((left @ right.T).toarray(), 0, 1)
        return cosine


def context_vectors(ontology: Ontology, concepts: np.ndarray) -> csr_array:
    """Unit tf-idf vectors of the words in each concept's gloss and its neighbours' glosses."""
    sparse = scipy_sparse()
    counts, idf = _word_counts(ontology)
    around = with_neighbours(ontology, concepts)
    members = sparse.csr_array(
        (np.ones(len(around.values)), around.values, around.starts), shape=(len(concepts), len(ontology))
    )
    vectors = (members @ counts) @ sparse.diags_array(idf)
    length = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1))).ravel()
    scale = np.divide(1, length, out=np.zeros_like(length), where=length > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ vectors)


@derived
def _word_counts(ontology: Ontology) -> tuple[csr_array, Float64]:
    vocabulary, words = gloss_words(ontology, Vector.name)
    counts = scipy_sparse().csr_array(
        (np.ones(len(words.values)), words.values, words.starts),
        shape=(len(words), len(vocabulary)),
        copy=True,  # what follows works in place, and other measures use these words
    )
    counts.sum_duplicates()
    documents = np.bincount(counts.indices, minlength=len(vocabulary))
    return counts, np.log(len(ontology) / np.maximum(documents, 1))
