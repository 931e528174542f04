"""A hierarchy for words, made from what an ontology says of their concepts.

The minimal taxonomy of the values (Ayala-Rivera et al. 2017), cut to a few levels if asked. It must not know
where values come from, nor how they were linked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count, groupby

import numpy as np

from ontomask.arrays import Bool
from ontomask.errors import OntologyError
from ontomask.hierarchies.cuts import nested_cuts
from ontomask.hierarchies.hierarchy import Hierarchy, check_levels
from ontomask.hierarchies.taxonomy import Taxonomy, taxonomy
from ontomask.linking.normalise import letters_of
from ontomask.measures.base import Measure
from ontomask.measures.feature import Logsc
from ontomask.ontology.core import Ontology

UNEVEN = 0.6
"""A label that stands for more than this part of the values is worth a look."""
VAGUE_FROM, VAGUE_PART, VAGUE_LOSS = 1_000, 0.05, 2 / 3
"""A concept names no level if it has more concepts than this below it, more than this part of all, and loses
more than this part of what the root of the ontology would."""
_FEW = 5


def hierarchy_of(
    ontology: Ontology,
    concepts: Mapping[str, int],
    *,
    name: str,
    measure: Measure | None = None,
    levels: int | None = None,
    prune: bool = True,
    others: Mapping[str, int] | None = None,
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
    others
        Texts that are no values here, and what they mean: no label for something else is called so.

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
    check_levels(levels)
    tree = taxonomy(ontology, np.array(list(concepts.values()), np.int64), measure or Logsc())
    if prune or levels is not None:
        tree = tree.pruned()
    if levels is None:
        paths = list(tree.paths())
    else:
        cuts = nested_cuts(tree, ~_is_vague(ontology, tree), levels)
        paths = np.stack([np.arange(tree.n_values), *cuts], axis=1).tolist()
    nodes = {node for path in paths for node in path}
    labels = _labels(ontology, tree, list(concepts), nodes, others or {})
    rows = [[labels[node] for node in path] for path in paths]
    if levels is None or len(rows) == 1:
        rows = [[label for label, _ in groupby(row)] for row in rows]
    keys = {label: ontology.key(int(tree.concepts[node])) for node, label in labels.items()}
    built = Hierarchy.from_rows(name, rows, concepts=keys)
    return replace(built, notes=(*built.notes, *findings(built)))


def _is_vague(ontology: Ontology, tree: Taxonomy) -> Bool:
    """Whether a concept says too little to name a level: *whole*, *abstraction*, *causal agent*.

    It stands above a large part of a large ontology, and takes values most of the way to the ontology's root.
    """
    below = ontology.descendant_counts[tree.concepts]
    is_large = (below > VAGUE_FROM) & (below > VAGUE_PART * len(ontology))
    vague: Bool = is_large & (tree.losses > VAGUE_LOSS * tree.all_lost)
    return vague


def _labels(
    ontology: Ontology, tree: Taxonomy, texts: Sequence[str], nodes: Iterable[int], others: Mapping[str, int]
) -> dict[int, str]:
    """What to call each node, so that a label is one concept.

    A value names the concepts below it only if it is a name of its concept: somebody may have mapped
    *Farming-fishing* to *skilled worker*, but no plumber is in farming.
    """
    labels = dict(enumerate(texts))
    taken = set(texts)
    texts_of: dict[int, list[str]] = {}
    for text, concept in zip(texts, tree.concepts.tolist(), strict=False):
        texts_of.setdefault(concept, []).append(text)
    for node in sorted(set(nodes) - labels.keys()):
        concept = int(tree.concepts[node])
        label = ontology.labels[concept]
        named = {letters_of(name) for name in (label, ontology.ids[concept], *ontology.synonyms(concept))}
        own = [text for text in texts_of.get(concept, []) if letters_of(text) in named]
        if len(own) == 1 or label in own:
            labels[node] = label if label in own else own[0]
            continue
        key = ontology.key(concept)
        numbered = (f"{key} ({i})" for i in count(2))
        names = chain([label], ontology.synonyms(concept), [key], numbered)
        labels[node] = next(
            free for free in names if free not in taken and others.get(free, concept) == concept
        )
        taken.add(labels[node])
    return labels


def findings(hierarchy: Hierarchy, most: int | None = _FEW) -> list[str]:
    """What to look at in a hierarchy: values that levels leave alone, and labels that take nearly all.

    Of many values `most` are named; None for all.

    >>> rows = [[str(i), "much", "*"] for i in range(9)] + [["x", "x", "*"]]
    >>> for finding in findings(Hierarchy.from_rows("t", rows)): print(finding)
    1 of 10 values share no label with others below '*': x
    at level 1, 'much' stands for 9 of 10 values
    """
    found = []
    at_root, at_first = _alone(hierarchy, hierarchy.height - 1), _alone(hierarchy, 1)
    if at_root:
        root = hierarchy.labels[hierarchy.root]
        found.append(_told(at_root, hierarchy, f"share no label with others below {root!r}", most))
    if len(at_first) > len(at_root):
        found.append(_told(at_first, hierarchy, "stand alone at level 1", most))
    for level in range(1, hierarchy.height):
        node, size = Counter(hierarchy.levels[level].tolist()).most_common(1)[0]
        if size > UNEVEN * hierarchy.n_values:
            label = hierarchy.labels[node]
            found.append(f"at level {level}, {label!r} stands for {size:,} of {hierarchy.n_values:,} values")
    return found


def _alone(hierarchy: Hierarchy, level: int) -> list[str]:
    """The values that share their label at a level with no other; of values and root, none."""
    if not 0 < level < hierarchy.height:
        return []
    sizes = Counter(hierarchy.levels[level].tolist())
    return [
        value
        for value, node in zip(hierarchy.values, hierarchy.levels[level].tolist(), strict=True)
        if sizes[node] == 1
    ]


def _told(values: list[str], hierarchy: Hierarchy, what: str, most: int | None) -> str:
    more = f" and {len(values) - most:,} more" if most is not None and len(values) > most else ""
    return f"{len(values):,} of {hierarchy.n_values:,} values {what}: {', '.join(values[:most])}{more}"
