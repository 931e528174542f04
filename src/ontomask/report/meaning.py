"""Why one word stands for another: the way between two concepts in words, and as a small tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby, pairwise

from ontomask.ontology.core import Ontology
from ontomask.report.changes import Change, Changes
from ontomask.report.charts import Node

_MOST_STEPS = 4
_MOST_SOURCES = 7


def way_in_words(ontology: Ontology, change: Change) -> str:
    """How the value before is related to the one after.

    >>> from ontomask import load_ontology
    >>> wn = load_ontology("wordnet")
    >>> way_in_words(wn, Change("lumbago", "ache", 5, 0.2, (wn.concept("lumbago"), wn.concept("ache"))))
    'lumbago → backache → ache'
    >>> way_in_words(wn, Change("ache", "lumbago", 5, 0.2, (wn.concept("ache"), wn.concept("lumbago"))))
    'lumbago lies below ache: lumbago → backache → ache'
    """
    before, after = change.concepts
    if before < 0 or after < 0 or before == after:
        return ""
    if ontology.is_below(before, after)[0]:
        return _climb(ontology, before, after, change.before, change.after)
    if ontology.is_below(after, before)[0]:
        way = _climb(ontology, after, before, change.after, change.before)
        return f"{change.after} lies below {change.before}: {way}"
    top = ontology.nearest_common_ancestor(before, after)
    if top == 0:
        return f"{change.before} and {change.after} have nothing but the most general concept in common"
    return f"{change.before} and {change.after} both come under “{ontology.labels[top]}”"


def is_upward(changes: Changes, change: Change) -> bool:
    """Whether a value became one of its superconcepts."""
    ontology, (before, after) = changes.column.ontology, change.concepts
    return ontology is not None and min(before, after) >= 0 and bool(ontology.is_below(before, after)[0])


def neighbourhood(changes: Changes) -> tuple[str, list[Node]] | None:
    """The masked value that stands for most told values, and the tree that it and they span.

    None if no told change of the column leads to another word.
    """
    ontology = changes.column.ontology
    if ontology is None:
        return None
    sources: dict[str, list[Change]] = defaultdict(list)
    for change in changes.changed():
        if min(change.concepts) >= 0 and change.concepts[0] != change.concepts[1]:
            sources[change.after].append(change)
    if not sources:
        return None
    after = min(sources, key=lambda t: (-len(sources[t]), -sum(c.count for c in sources[t]), t))
    return after, _tree(ontology, sources[after][:_MOST_SOURCES])


def _tree(ontology: Ontology, changes: Sequence[Change]) -> list[Node]:
    """Everything on the ways from the values, and from what stands for them, up to what they share."""
    masked = changes[0].concepts[1]
    held = {change.concepts[0]: change for change in changes}
    common = ontology.common_ancestors([masked, *held]).tolist()
    top = min(common, key=lambda c: (int(ontology.links_up([masked, *held], c).sum()), c))
    below: dict[int, set[int]] = defaultdict(set)
    for concept in (masked, *held):
        way = ontology.shortest_way(concept, top)
        for child, parent in pairwise(way):
            below[parent].add(child)
    nodes = []
    if top == masked and top != 0:
        nodes.append(Node(ontology.labels[int(ontology.parents[top][0])], 0))

    def walk(concept: int, depth: int) -> None:
        text, remark, css = ontology.labels[concept], "", ""
        if concept in held:
            text, css = held[concept].before, "held"
            remark = f"{held[concept].count:,} moved from here"
        if concept == masked:
            text, remark, css = changes[0].after, "what stands for them now", "masked"
        nodes.append(Node(text, depth, remark, css))
        for child in sorted(below[concept], key=lambda c: (-len(below[c]), ontology.labels[c])):
            walk(child, depth + 1)

    walk(top, len(nodes))
    return nodes


def _climb(ontology: Ontology, low: int, high: int, low_text: str, high_text: str) -> str:
    """`lumbago → backache → ache`, the middle left out where it is long.

    Arrows, for labels are no nouns that an article fits: `Europe`, `Not in an occupation`, `Lawyers`.
    """
    between = [ontology.labels[c] for c in ontology.shortest_way(low, high)[1:-1]]
    way = [text for text, _ in groupby([low_text, *between, high_text])]  # some lists repeat a name above it
    if len(way) <= _MOST_STEPS + 1:
        return " → ".join(way)
    return f"{' → '.join(way[:3])} → … → {high_text} ({len(way) - 4} steps left out)"
