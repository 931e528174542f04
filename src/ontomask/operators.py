"""Compare, aggregate, sort: the three operators on words, over one attribute or several.

What a researcher calls with plain values; methods use the same kernels (Martinez 2013, ch. 4). A value is a
term, or a tuple of terms if several ontologies are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ontomask.arrays import Float64
from ontomask.attributes import Nominal, Space, Tuples, replacements_of, space_of
from ontomask.attributes._kernels import distances, group_centroids, row_from_tuple
from ontomask.attributes.order import sort_records
from ontomask.errors import OntomaskError
from ontomask.measures import Measure, measure
from ontomask.ontology import Ontology, load_ontology

CentroidStrategy = Literal[
    "semantic", "mode", "mode-record", "lcs", "consensus", "medoid", "marginality", "random"
]
Terms = str | tuple[str, ...]
OntologyLike = Ontology | str


@dataclass(frozen=True)
class Centroid:
    """What stands for a set of values.

    `total` is the sum over all values of their (weighted, attribute-wise averaged) distance to it.
    """

    label: Any
    total: float
    concepts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Sample:
    """Values with counts, as tuples over nominal attributes."""

    attributes: list[Nominal]
    tuples: Tuples
    terms: list[tuple[str, ...]]
    single: bool

    def space(self, **options: Any) -> Space:
        return space_of(self.tuples, self.attributes, **options)

    def total(self, concepts: Sequence[int]) -> float:
        """Summed wsd to a tuple of concepts."""
        per_attribute = [
            a.measure.matrix(a.ontology, [c], a.concepts[self.tuples.codes[:, j]])[0]
            for j, (a, c) in enumerate(zip(self.attributes, concepts, strict=True))
        ]
        return float(self.tuples.counts @ np.mean(per_attribute, axis=0))


def distance(
    reference: Terms,
    value: Terms,
    count: int = 1,
    *,
    ontology: OntologyLike | Sequence[OntologyLike] = "wordnet",
    measure: str | Measure = "logsc",
) -> float:
    """Weighted semantic distance `wsd(b, <v, w>) = w (1/m) sum_j sd(b_j, v_j)` (eq. 4.2-4.3).

    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> distance("ache", "colic", 3, ontology=tree, measure="path")
    6.0
    """
    sample = _sample({value: count, reference: 0}, ontology, measure)
    target = sample.terms.index(_as_tuple(reference))
    return sample.total(
        [int(a.concepts[sample.tuples.codes[target, j]]) for j, a in enumerate(sample.attributes)]
    )


def centroid(
    values: Mapping[Any, int] | Iterable[Terms],
    *,
    ontology: OntologyLike | Sequence[OntologyLike] = "wordnet",
    measure: str | Measure = "logsc",
    strategy: CentroidStrategy = "semantic",
    seed: int = 0,
) -> Centroid:
    """What represents a set of values best.

    Parameters
    ----------
    values
        Terms with their counts, or a list of terms; tuples of terms for several attributes.
    ontology
        One for all attributes, or one each.
    strategy
        ``semantic``: `argmin over c in H(V) of sum_i w_i sd(c, v_i)`, H the minimum subsumer hierarchy
        (eq. 4.6-4.7); the others are baselines: ``mode`` (most frequent value per attribute), ``mode-record``
        (most frequent tuple), ``lcs``, ``consensus`` (the record of least confusion, Guzman-Arenas et al.),
        ``medoid`` (the record of least summed distance), ``marginality`` (per attribute the value of least
        summed distance, `argmin over v in V`, Domingo-Ferrer et al. 2013), ``random`` (a record, by `seed`).

    Examples
    --------
    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("colic", "pain")])
    >>> centroid({"ache": 2, "colic": 1}, ontology=tree, measure="path")
    Centroid(label='ache', total=2.0, concepts=(2,))
    """
    sample = _sample(_counted(values), ontology, measure)
    if strategy in ("semantic", "mode", "lcs", "marginality"):
        space = sample.space(strategy=strategy)
        p = len(sample.tuples)
        chosen = group_centroids(
            space, np.arange(p, dtype=np.int32), np.zeros(p, np.int32), sample.tuples.counts, 1
        )
        _, values = replacements_of(sample.attributes, space, chosen)
        concepts = [int(a.replacements[r]) for a, r in zip(sample.attributes, values[0], strict=True)]
    else:
        record = _record(sample, strategy, seed)
        concepts = [int(a.concepts[sample.tuples.codes[record, j]]) for j, a in enumerate(sample.attributes)]
    labels = tuple(a.ontology.labels[c] for a, c in zip(sample.attributes, concepts, strict=True))
    return Centroid(labels[0] if sample.single else labels, sample.total(concepts), tuple(concepts))


def sort(
    values: Mapping[Any, int] | Iterable[Terms],
    *,
    ontology: OntologyLike | Sequence[OntologyLike] = "wordnet",
    measure: str | Measure = "logsc",
    weighted: bool = False,
) -> list[Any]:
    """A total order: the value farthest from the centroid, then the others by distance to it (algorithm 1).

    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("ache", "pain"), ("cough", "symptom")])
    >>> sort(["pain", "ache", "cough", "ache"], ontology=tree, measure="path")
    ['cough', 'pain', 'ache', 'ache']
    """
    sample = _sample(_counted(values), ontology, measure)
    records = np.repeat(np.arange(len(sample.tuples)), sample.tuples.counts)
    order = sort_records(sample.space(), records, weighted)
    return [sample.terms[t][0] if sample.single else sample.terms[t] for t in order]


def _record(sample: _Sample, strategy: str, seed: int) -> int:
    """The record that a baseline picks; ties go to the first tuple."""
    counts = sample.tuples.counts
    if strategy == "mode-record":
        return int(np.argmax(counts))
    if strategy == "random":
        return int(np.random.default_rng(seed).choice(len(counts), p=counts / counts.sum()))
    if strategy == "medoid":
        space = sample.space()
        return int(
            np.argmin([distances(space, row_from_tuple(space, t)) @ counts for t in range(len(counts))])
        )
    if strategy == "consensus":
        return int(np.argmin(_confusions(sample) @ counts))
    known = ", ".join(CentroidStrategy.__args__)  # type: ignore[attr-defined]
    raise OntomaskError(f"centroid strategy {strategy!r} does not exist: use {known}")


def _confusions(sample: _Sample) -> Float64:
    """conf[a, b]: putting record a for record b costs the links from their LCS down to b: 0 if a is a b."""
    total = np.zeros((len(sample.tuples), len(sample.tuples)))
    for j, attribute in enumerate(sample.attributes):
        concepts = attribute.concepts
        a, b = np.repeat(concepts, len(concepts)), np.tile(concepts, len(concepts))
        links_down = attribute.ontology.links_up(b, attribute.ontology.lcs(a, b))
        codes = sample.tuples.codes[:, j]
        total += links_down.reshape(len(concepts), -1)[np.ix_(codes, codes)]
    return total


def _counted(values: Mapping[Any, int] | Iterable[Terms]) -> dict[Any, int]:
    if isinstance(values, Mapping):
        return dict(values)
    counted: dict[Any, int] = {}
    for value in values:
        counted[value] = counted.get(value, 0) + 1
    return counted


def _as_tuple(value: Terms) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def _sample(
    values: Mapping[Any, int], ontology: OntologyLike | Sequence[OntologyLike], by: str | Measure
) -> _Sample:
    if not values:
        raise OntomaskError("no values were given")
    given = {_as_tuple(value): count for value, count in values.items()}
    terms = sorted(given)
    width = len(terms[0])
    several = isinstance(ontology, Sequence) and not isinstance(ontology, str)
    sources: list[Any] = list(ontology) if several else [ontology] * width  # type: ignore[arg-type]
    if any(len(value) != width for value in terms) or len(sources) != width:
        raise OntomaskError("all values must have the same number of terms, and one ontology each")
    chosen = measure(by) if isinstance(by, str) else by
    attributes, codes = [], []
    for j, source in enumerate(sources):
        loaded = load_ontology(source)
        words = sorted({value[j] for value in terms})
        concepts = loaded.concepts(words)
        distinct, code_of_word = np.unique(concepts, return_inverse=True)
        code = dict(zip(words, code_of_word.tolist(), strict=True))
        attributes.append(Nominal(str(j), 1.0, -1, loaded, chosen, distinct.astype(np.int32)))
        codes.append([code[value[j]] for value in terms])
    tuples = Tuples(np.array(codes, np.int32).T.copy(), np.array([given[t] for t in terms], np.int64))
    return _Sample(attributes, tuples, terms, single=all(isinstance(value, str) for value in values))
