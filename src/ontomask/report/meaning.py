"""Why one word stands for another: the way between two concepts in words, and as a small tree."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

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
    'lumbago is a backache is an ache'
    """
    before, after = change.concepts
    if before < 0 or after < 0 or before == after:
        return ""
    if ontology.is_below(before, after)[0]:
        return _climb(ontology, before, after, change.before, change.after)
    if ontology.is_below(after, before)[0]:
        return _climb(ontology, after, before, change.after, change.before)
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
    """`lumbago is a backache is an ache`, the middle left out where it is long."""
    steps = [ontology.labels[c] for c in ontology.shortest_way(low, high)[1:-1]] + [high_text]
    if len(steps) <= _MOST_STEPS:
        return " is ".join([low_text, *map(_a, steps)])
    left_out = len(steps) - 3
    return f"{low_text} is {_a(steps[0])} is {_a(steps[1])} … is {_a(high_text)} ({left_out} steps left out)"


def _a(noun: str) -> str:
    """The noun with its article, by how it is spelt; plurals have none.

    >>> _a("ache"), _a("European country"), _a("sports"), _a("illness")
    ('an ache', 'a European country', 'sports', 'an illness')
    """
    if re.search(r"[^siu]s$", noun):
        return noun
    vowel = re.match(r"(?!eu|uni|use|one\b|u[bkr]a)[aeiou]", noun, re.IGNORECASE)
    return f"an {noun}" if vowel else f"a {noun}"
