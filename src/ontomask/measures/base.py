"""What every measure is: a small, pure, vectorised object over concept indices.

Distances are put on a fixed grid (multiples of 2^-30), so that sums of them are exact in float64 in any
order and equal means equal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from ontomask.arrays import Float64
from ontomask.errors import MeasureError
from ontomask.ontology.core import ConceptIndices, Ontology

Convention = Literal["links", "ws4j", "nltk"]
GRID = 2.0**30


def on_grid(distances: Float64) -> Float64:
    """Round to multiples of 2^-30."""
    rounded: Float64 = np.rint(distances * GRID) / GRID
    return rounded


class Measure(ABC):
    """A semantic distance, looked up by name with `ontomask.measure`.

    `words` say in reports what it counts, `is_metric` that the triangle inequality holds on every ontology,
    `bounded` that distances lie in [0, 1].
    """

    name: ClassVar[str]
    words: ClassVar[str] = ""
    is_metric: ClassVar[bool] = False
    bounded: ClassVar[bool] = True

    @abstractmethod
    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        """Similarity of every a[i] with every b[j], as the measure's authors define it."""

    @abstractmethod
    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        """Distance of every a[i] to every b[j], on the grid; 0 for equal concepts."""

    def maximum(self, ontology: Ontology) -> float:
        """Upper bound of the distance: what losing a value altogether costs."""
        return 1.0


def indices(concepts: ConceptIndices) -> npt.NDArray[np.int64]:
    """Concept indices as a flat array."""
    return np.atleast_1d(np.asarray(concepts, np.int64))


def with_equal_pairs(table: Float64, a: ConceptIndices, b: ConceptIndices, value: float) -> Float64:
    """Set the entries of equal concepts: sd(c, c) = 0 holds in every measure."""
    rows, columns = indices(a), indices(b)
    order = np.argsort(columns, kind="stable")
    first = np.searchsorted(columns[order], rows, "left")
    times = np.searchsorted(columns[order], rows, "right") - first
    nth = np.arange(times.sum()) - np.repeat(np.cumsum(times) - times, times)
    table[np.repeat(np.arange(len(rows)), times), order[np.repeat(first, times) + nth]] = value
    return table


def check_convention(convention: str) -> None:
    """Refuse a convention that does not exist."""
    if convention not in get_args(Convention):
        raise MeasureError(f"convention {convention!r} does not exist: use {', '.join(get_args(Convention))}")


def scipy_sparse() -> Any:
    """Sparse matrices, for the measures that compare sets of words."""
    try:
        import scipy.sparse
    except ImportError:
        raise MeasureError(
            "this measure compares sets of words, which needs SciPy",
            remedy="pip install 'ontomask[measures]', or use logsc",
        ) from None
    return scipy.sparse
