"""A hierarchy for words, made from what an ontology says of their concepts.

The minimal taxonomy of the values (Ayala-Rivera et al. 2017), cut to a few levels if asked. It must not know
where values come from, nor how they were linked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import numpy as np

from ontomask.errors import OntologyError
from ontomask.hierarchies.cuts import nested_cuts
from ontomask.hierarchies.hierarchy import Hierarchy
from ontomask.hierarchies.taxonomy import Taxonomy, taxonomy
from ontomask.measures.base import Measure
from ontomask.measures.feature import Logsc
from ontomask.ontology.core import Ontology

UNEVEN = 0.6
"""A label that stands for more than this part of the values is worth a look."""
_FEW = 5


def hierarchy_of(
    ontology: Ontology,
    concepts: Mapping[str, int],
    *,
    name: str,
    measure: Measure | None = None,
    levels: int | None = None,
    prune: bool = True,
) -> Hierarchy:
    """A hierarchy over values whose concepts are known.

    A value that is an ancestor of others is a group of its own name. Values of one concept have the same
    labels above them. Labels are those of the ontology; where one is taken, a synonym, else the key
    of the concept.

    Parameters
    ----------
    concepts
        The concept of each value.
    measure
        By which distances several parents are weighed and levels are cut; else logsc.
    levels
        At most so many above the values, the root included; else all that the taxonomy has.
    prune
        Leave out concepts with a single child. (Levels leave them out in any case.)

    Examples
    --------
    >>> from ontomask.ontology.draft import Draft
    >>> tree = Draft.from_edges("t", [("pain", "symptom"), ("fever", "symptom"), ("ache", "pain"),
    ...                               ("colic", "pain"), ("lumbago", "ache")])
    >>> values = {text: tree.concept(text) for text in ("lumbago", "colic", "fever")}
    >>> hierarchy_of(tree, values, name="symptoms").rows()
    [['lumbago', 'pain', 'symptom'], ['colic', 'pain', 'symptom'], ['fever', 'fever', 'symptom']]
    >>> hierarchy_of(tree, values, name="symptoms", levels=1).rows()[0]
    ['lumbago', 'symptom']
    """
    if not concepts:
        raise OntologyError("a hierarchy needs a value at least")
    tree = taxonomy(ontology, np.array(list(concepts.values()), np.int64), measure or Logsc())
    if prune or levels is not None:
        tree = tree.pruned()
    if levels is None:
        paths = list(tree.paths())
    else:
        cuts = nested_cuts(tree, levels)
        paths = np.stack([np.arange(tree.n_values), *cuts], axis=1).tolist()
    labels = _labels(ontology, tree, list(concepts), {node for path in paths for node in path})
    rows = [[labels[node] for node in path] for path in paths]
    if levels is None:
        rows = [[label for label, _ in groupby(row)] for row in rows]
    keys = {label: ontology.key(int(tree.concepts[node])) for node, label in labels.items()}
    built = Hierarchy.from_rows(name, rows, concepts=keys)
    return Hierarchy.from_rows(name, rows, concepts=keys, notes=(*built.notes, *findings(built)))


def _labels(ontology: Ontology, tree: Taxonomy, texts: Sequence[str], nodes: Iterable[int]) -> dict[int, str]:
    """What to call each node, so that a label is one concept."""
    labels = dict(enumerate(texts))
    taken = set(texts)
    texts_of: dict[int, list[str]] = {}
    for text, concept in zip(texts, tree.concepts.tolist(), strict=False):
        texts_of.setdefault(concept, []).append(text)
    for node in sorted(set(nodes) - labels.keys()):
        concept = int(tree.concepts[node])
        label = ontology.labels[concept]
        own = texts_of.get(concept, [])
        if len(own) == 1 or label in own:
            labels[node] = label if label in own else own[0]
            continue
        key = ontology.key(concept)
        further = (f"{key} ({i})" for i in range(2, len(taken) + 3))
        names = (label, *ontology.synonyms(concept), key, *further)
        labels[node] = next(free for free in names if free not in taken)
        taken.add(labels[node])
    return labels


def findings(hierarchy: Hierarchy) -> list[str]:
    """What to look at in a hierarchy: values that a level leaves alone, labels that take nearly all.

    >>> rows = [[str(i), "much", "*"] for i in range(9)] + [["x", "x", "*"]]
    >>> for finding in findings(Hierarchy.from_rows("t", rows)): print(finding)
    1 of 10 values stands alone at level 1: x
    at level 1, 'much' stands for 9 of 10 values
    """
    found = []
    for level in range(1, hierarchy.height):
        sizes = Counter(hierarchy.levels[level].tolist())
        alone = [
            value for value in range(hierarchy.n_values) if sizes[int(hierarchy.levels[level, value])] == 1
        ]
        if alone and level == 1:
            few = ", ".join(hierarchy.values[value] for value in alone[:_FEW])
            more = f" and {len(alone) - _FEW:,} more" if len(alone) > _FEW else ""
            stand = "stands" if len(alone) == 1 else "stand"
            found.append(
                f"{len(alone):,} of {hierarchy.n_values:,} values {stand} alone at level {level}: {few}{more}"
            )
        node, size = sizes.most_common(1)[0]
        if size > UNEVEN * hierarchy.n_values:
            found.append(
                f"at level {level}, {hierarchy.labels[node]!r} stands for {size:,} of "
                f"{hierarchy.n_values:,} values"
            )
    return found
