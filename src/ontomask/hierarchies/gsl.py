"""Generalization Semantic Loss (GSL; Ayala-Rivera et al.): how much meaning a hierarchy loses by its labels.

Judged before anything is anonymised: the distance of every value to each label that may stand in its place.
It knows labels, concepts and a measure, but neither tables nor who asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.errors import MeasureError, OntologyError
from ontomask.hierarchies.hierarchy import Hierarchy
from ontomask.linking import Link, Links, SensePolicy, link, read_mapping
from ontomask.measures.base import Measure
from ontomask.measures.edge import WuPalmer
from ontomask.ontology.core import Ontology
from ontomask.ontology.formats.nested import NO_CONCEPT

Aggregate = Literal["mean", "max"]
Weighting = Literal["uniform", "level"]
_BLOCK = 512  # values at once: those of a block share most of what stands above them


@dataclass(frozen=True, eq=False, repr=False)
class Gsl:
    """The GSL of a hierarchy, in its three degrees; lower is better.

    Attributes
    ----------
    concepts
        The concept of every node, -1 where it has none. A node without one counts as the least common
        subsumer of the values below it; a value without one is left out.
    measure
        `max_sim - sim` of the measure is its distance; wup in the `ws4j` convention is that of the paper.
    aggregate
        How the values of a level are taken together: `mean` or `max` (equation 3).
    weighting
        How the levels are: `uniform` or `level`, by which lower levels weigh more (equation 5).

    References
    ----------
    Ayala-Rivera, McDonagh, Cerqueus, Murphy, Thorpe: Enhancing the utility of anonymized data by improving
    the quality of generalization hierarchies, Transactions on Data Privacy 10 (2017), section 3.4.

    Examples
    --------
    >>> from ontomask import load_ontology
    >>> wordnet = load_ontology("wordnet")
    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
    >>> gsl = Gsl(jobs, wordnet, linked_nodes(jobs, wordnet).concepts)
    >>> gsl.transitions.round(4).tolist()
    [[0.037, 0.0], [0.2727, 0.1579]]
    >>> gsl.levels.round(4).tolist(), round(gsl.score, 4)
    ([0.0185, 0.2153], 0.1169)
    """

    hierarchy: Hierarchy
    ontology: Ontology
    concepts: Int32
    measure: Measure = field(default_factory=lambda: WuPalmer("ws4j"))
    aggregate: Aggregate = "mean"
    weighting: Weighting = "uniform"

    def __post_init__(self) -> None:
        for name, option, known in (
            ("aggregate", self.aggregate, Aggregate),
            ("weighting", self.weighting, Weighting),
        ):
            if option not in get_args(known):
                raise MeasureError(
                    f"GSL has no {name} {option!r}: use {' or '.join(get_args(known))}", value=option
                )
        if not self.is_judged.any():
            raise OntologyError(
                f"no value of the hierarchy {self.hierarchy.name} is a concept of {self.ontology.name}",
                remedy="name another ontology, or give a mapping of its labels (CSV value,concept)",
            )

    def __repr__(self) -> str:
        return f"<GSL of {self.hierarchy.name}: {self.score:.4f}>"

    @property
    def is_judged(self) -> Bool:
        """Whether each value has a concept, so that it counts."""
        judged: Bool = self.concepts[: self.hierarchy.n_values] >= 0
        return judged

    @cached_property
    def meanings(self) -> Int32:
        """The concept that every node counts as; -1 where nothing at or below it has one."""
        counted = self.concepts.copy()
        is_value = np.arange(len(counted)) < self.hierarchy.n_values
        has_others = self.hierarchy.value_counts > is_value  # than itself, at or below it
        for node in np.flatnonzero((counted < 0) & has_others).tolist():
            below = self.concepts[self.hierarchy.values_below(node)]
            if (below >= 0).any():
                counted[node] = self.ontology.lcs_of_set(below[below >= 0])
        return counted

    @cached_property
    def transitions(self) -> Float64:
        """TransGSL(l, a) = max_sim - sim(l, a): [i, v] is that of value v and its node at level i + 1.

        A padded step loses nothing, for it stays at its node. Values without a concept have none (NaN).
        """
        lost = np.full((self.hierarchy.height, self.hierarchy.n_values), np.nan)
        self._measure(lost, np.flatnonzero(self.is_judged))
        return lost

    def _measure(self, lost: Float64, values: Int64) -> None:
        """Put in what some values lose."""
        levels = self.hierarchy.levels
        beside = values[np.lexsort(levels[:, values])]  # values below one node side by side, the root's first
        for start in range(0, len(beside), _BLOCK):
            some = beside[start : start + _BLOCK]
            nodes, place = np.unique(levels[1:, some], return_inverse=True)
            distances = self.measure.matrix(self.ontology, self.concepts[some], self.meanings[nodes])
            lost[:, some] = distances[np.arange(len(some)), place.reshape(-1, len(some))]

    def of_edited(self, hierarchy: Hierarchy, concepts: Int32) -> Gsl:
        """The GSL of a tree made of this one; only values that stand below other concepts are measured."""
        edited = replace(self, hierarchy=hierarchy, concepts=concepts)
        ways = [one.meanings[one.hierarchy.levels] for one in (self, edited)]
        if ways[0].shape == ways[1].shape:
            values = slice(hierarchy.n_values)
            is_other = (self.concepts[values] != concepts[values]) | (ways[0] != ways[1]).any(axis=0)
            lost = np.where(is_other, np.nan, self.transitions)
            edited._measure(lost, np.flatnonzero(is_other & edited.is_judged))
            edited.__dict__["transitions"] = lost
        return edited

    @cached_property
    def levels(self) -> Float64:
        """LevelGSL(i) = mean or max over the values of TransGSL, i = 1..h (equations 2 and 3)."""
        counted = self.transitions[:, self.is_judged]
        together: Float64 = counted.max(axis=1) if self.aggregate == "max" else counted.mean(axis=1)
        return together

    @property
    def weights(self) -> Float64:
        """w_i, which sum to 1: `1 / h`, or `(h + 1 - i) / (1 + 2 + .. + h)` (equation 5)."""
        h = self.hierarchy.height
        if self.weighting == "uniform":
            return np.full(h, 1 / h)
        return np.arange(h, 0, -1) / (h * (h + 1) / 2)

    @cached_property
    def score(self) -> float:
        """VghGSL = sum_i w_i LevelGSL(i) (equation 4)."""
        return float(self.weights @ self.levels)


def vgh_set_gsl(scores: Sequence[float], preferences: Sequence[float] | None = None) -> float:
    """VghSetGSL = (1/n) sum_i p_i VghGSL(V_i): several attributes as one (equation 6).

    `preferences` say how much each attribute matters; 1 if not given.

    >>> vgh_set_gsl([0.25, 0.5]), vgh_set_gsl([0.25, 0.5], [2, 1])
    (0.375, 0.5)
    """
    liking = [1.0] * len(scores) if preferences is None else list(preferences)
    return sum(p * score for p, score in zip(liking, scores, strict=True)) / len(scores)


def linked_nodes(
    hierarchy: Hierarchy,
    ontology: Ontology,
    *,
    senses: SensePolicy = "coherent",
    mapping: Mapping[str, str] | str | Path | None = None,
    under: str | None = None,
    suggestions: int = 3,
) -> Links:
    """The concept of every node: what the user says, else what the hierarchy says, else what its label means.

    A label of which the hierarchy says that it has none (`NO_CONCEPT`) has none, whatever it is called.

    Links are in the order of the nodes, so that `links.concepts` is what `Gsl` takes. All labels are linked
    at once, for they tell each other's senses. `under` speaks of the values: a label above them may mean
    something wider.

    Parameters
    ----------
    senses, mapping, under, suggestions
        As in `ontomask.link`; a mapping says what a label stands for, whatever the hierarchy says.
    """
    said = read_mapping(mapping) if isinstance(mapping, (str, Path)) else dict(mapping or {})
    every = {**hierarchy.concepts, **said}
    decided = {label: concept for label, concept in every.items() if concept != NO_CONCEPT}
    silent = every.keys() - decided.keys()
    speaking = [label for label in hierarchy.labels if label not in silent]
    found = link(speaking, ontology, mapping=decided, senses=senses, under=under, suggestions=suggestions)
    rows = (Link(label, None, "none") if label in silent else found[label] for label in hierarchy.labels)
    links = Links(ontology, tuple(rows))
    wider = [
        one.value
        for one in links.rows[hierarchy.n_values :]
        if one.concept is None and one.value not in silent
    ]
    if under is None or not wider:
        return links
    known = {one.value: ontology.ids[one.concept] for one in links if one.concept is not None}
    again = link(
        [*known, *wider],
        ontology,
        mapping={**known, **decided},
        senses=senses,
        suggestions=suggestions,
    )
    return Links(ontology, tuple(again[one.value] if one.value in wider else one for one in links))
