"""Worse copies of a hierarchy, for studies of how its quality shows in anonymised data.

As in Ayala-Rivera et al. (2017): levels are removed, nodes put into other groups, labels replaced by those of
other concepts within a bound of similarity. It must not know how a hierarchy is scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ontomask.arrays import Int64
from ontomask.errors import UnknownTermError
from ontomask.hierarchies.hierarchy import Hierarchy
from ontomask.measures.base import Measure
from ontomask.measures.feature import Logsc
from ontomask.ontology.core import Ontology

_TRIES = 3
"""How many copies are made for each one that is wanted, so that they can be chosen by their scores."""
_SAMPLE = 4_000


def perturbed(
    hierarchy: Hierarchy,
    ontology: Ontology,
    rng: np.random.Generator,
    *,
    strength: float,
    similarity: float = 0.5,
    measure: Measure | None = None,
    replace_root: bool = False,
) -> Hierarchy:
    """A hierarchy over the same values with other levels, groups and labels.

    Parameters
    ----------
    strength
        Between 0 and 1: the part of nodes that move to another parent of the level above, and of labels that
        are replaced; half as many of the levels between values and root are dropped, but never all of them.
    similarity
        A label is replaced by that of a concept whose distance is at most `1 - similarity` of the measure's
        maximum, and where it can be at least half of that.
    replace_root
        Whether the label of the root is replaced like others.

    Examples
    --------
    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
    >>> tree = jobs.as_ontology()
    >>> perturbed(jobs, tree, np.random.default_rng(1), strength=0.0).rows() == jobs.rows()
    True
    """
    known = _Neighbours(hierarchy, ontology, measure or Logsc())
    return _perturbed(hierarchy, known, rng, strength, similarity, replace_root)


def many_perturbed(
    hierarchy: Hierarchy,
    ontology: Ontology,
    n: int,
    seed: int,
    measure: Measure | None = None,
    *,
    replace_root: bool = False,
) -> list[Hierarchy]:
    """So many copies, best first, whose losses are spread from that of the hierarchy, which is one of them.

    The loss of a copy is the mean over its levels of the mean distance from values to their labels there.
    """
    known = _Neighbours(hierarchy, ontology, measure or Logsc())
    rng = np.random.default_rng(seed)
    copies = [hierarchy]
    for strength in np.linspace(0.02, 1, _TRIES * n):
        bound = float(rng.uniform(1 - strength, 1))
        copies.append(_perturbed(hierarchy, known, rng, float(strength), bound, replace_root))
    losses = np.array(_losses(copies, known))
    chosen = {0}
    for wanted in np.linspace(losses[0], losses.max(), n)[1:]:
        order = np.argsort(np.abs(losses - wanted), kind="stable").tolist()
        chosen.add(next(copy for copy in order if copy not in chosen))
    return [copies[copy] for copy in sorted(chosen, key=lambda copy: (losses[copy], copy))]


class _Neighbours:
    """What the labels of a hierarchy mean, and which concepts are near.

    Near ones are sought among the ancestors of all labels, the children of these, and a sample of the others.
    """

    def __init__(self, hierarchy: Hierarchy, ontology: Ontology, measure: Measure) -> None:
        self.ontology, self.measure = ontology, measure
        self.concepts = {
            label: self.concept(hierarchy.concepts.get(label, label)) for label in hierarchy.labels
        }
        known = np.unique([concept for concept in self.concepts.values() if concept is not None])
        above = np.unique(ontology.ancestors.take(known).values)
        sample = np.linspace(0, len(ontology) - 1, _SAMPLE).astype(np.int64)
        self._pool = np.unique(np.concatenate([above, ontology.children.take(above).values, sample]))
        self._row = {concept: row for row, concept in enumerate(known.tolist())}
        self._distances = measure.matrix(ontology, known, self._pool)

    def concept(self, reference: str) -> int | None:
        """What is meant by a label or key; None if the ontology does not know it."""
        try:
            return self.ontology.concept(reference)
        except UnknownTermError:
            return None

    def another(self, concept: int, similarity: float, rng: np.random.Generator) -> int | None:
        """Another concept within the bound, in its outer half if one is there; None if there is none."""
        bound = (1 - similarity) * self.measure.maximum(self.ontology)
        distances = self._distances[self._row[concept]]
        is_near = (distances <= bound) & (self._pool != concept)
        is_outer = is_near & (distances >= bound / 2)
        near = self._pool[is_outer if is_outer.any() else is_near]
        return int(rng.choice(near)) if len(near) else None


@dataclass
class _Level:
    """The group of each value, and the label and concept of each group."""

    groups: Int64
    labels: dict[int, str]
    concepts: dict[int, int | None]


def _perturbed(
    hierarchy: Hierarchy,
    known: _Neighbours,
    rng: np.random.Generator,
    strength: float,
    similarity: float,
    replace_root: bool,
) -> Hierarchy:
    levels = []
    for nodes in hierarchy.levels.astype(np.int64):
        labels = {node: hierarchy.labels[node] for node in nodes.tolist()}
        levels.append(_Level(nodes, labels, {node: known.concepts[label] for node, label in labels.items()}))
    values, *between, root = levels
    kept = [level for level in between if rng.random() >= strength / 2]
    if between and not kept:
        kept = [between[rng.integers(len(between))]]
    _regroup([values, *kept], rng, strength)
    for level in [*kept, root] if replace_root else kept:
        for node, concept in level.concepts.items():
            if concept is None or rng.random() >= strength:
                continue
            other = known.another(concept, similarity, rng)
            if other is not None:
                level.concepts[node], level.labels[node] = other, known.ontology.labels[other]
    return _relabelled(hierarchy, [values, *kept, root], known)


def _regroup(levels: Sequence[_Level], rng: np.random.Generator, strength: float) -> None:
    """Move nodes, from the highest level down, to another group of the level above, and all that is above."""
    for i in range(len(levels) - 2, -1, -1):
        above = [level.groups for level in levels[i + 1 :]]
        for node in dict.fromkeys(levels[i].groups.tolist()):
            if rng.random() >= strength:
                continue
            moved = levels[i].groups == node
            others = np.unique(above[0][above[0] != above[0][moved][0]])
            if not len(others):
                continue
            member = int(np.flatnonzero(above[0] == rng.choice(others))[0])
            for groups in above:
                groups[moved] = groups[member]


def _relabelled(hierarchy: Hierarchy, levels: Sequence[_Level], known: _Neighbours) -> Hierarchy:
    """The hierarchy that the groups are; a label that would be two nodes is numbered by its level."""
    concepts = dict(hierarchy.concepts)
    columns = [list(hierarchy.values)]
    last: dict[str, tuple[int, set[int]]] = {}  # the level at which a label was seen last, and its values
    for v, value in enumerate(hierarchy.values):
        last[value] = (0, {v})
    for i, level in enumerate(levels[1:], 1):
        names: dict[int, str] = {}
        for node in dict.fromkeys(level.groups.tolist()):
            members = set(np.flatnonzero(level.groups == node).tolist())
            label, number = level.labels[node], i
            while label in last and not (last[label][0] == i - 1 and last[label][1] <= members):
                label, number = f"{level.labels[node]} [{number}]", number + 1
            names[node] = label
            last[label] = (i, members)
            concept = level.concepts[node]
            if concept is not None:
                concepts[label] = known.ontology.key(concept)
        columns.append([names[node] for node in level.groups.tolist()])
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Hierarchy.from_rows(hierarchy.name, rows, concepts=concepts)


def _losses(copies: Sequence[Hierarchy], known: _Neighbours) -> list[float]:
    """Mean over the levels of each copy of the mean distance from values to labels; unknown ones lose all."""
    meant = [[copy.concepts.get(label, label) for label in copy.labels] for copy in copies]
    place = {reference: i for i, reference in enumerate(dict.fromkeys(chain.from_iterable(meant)))}
    found = [known.concept(reference) for reference in place]
    is_known = np.array([concept is not None for concept in found])
    concepts = np.array([concept or 0 for concept in found])
    n_values = copies[0].n_values
    values = np.array([place[reference] for reference in meant[0][:n_values]])
    table = known.measure.matrix(known.ontology, concepts[values], concepts)
    lost = known.measure.maximum(known.ontology)
    table[~is_known[values]] = lost
    table[:, ~is_known] = lost
    losses = []
    for copy, references in zip(copies, meant, strict=True):
        columns = np.array([place[reference] for reference in references])[copy.levels[1:]]
        losses.append(float(table[np.arange(n_values), columns].mean()))
    return losses
