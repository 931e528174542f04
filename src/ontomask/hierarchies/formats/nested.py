"""Nested YAML or JSON: labels inside labels; ``=`` names the concept that a label stands for."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from ontomask.errors import OntologyError
from ontomask.hierarchies.formats.content import Content, content_of_tree, depths_of, nodes_of_tree
from ontomask.hierarchies.hierarchy import Hierarchy
from ontomask.ontology.draft import at
from ontomask.ontology.formats.nested import (
    KEPT,
    LONGEST_ESCAPE,
    LONGEST_KEY,
    STANDS_FOR,
    Part,
    by_lines,
    parse,
    quoted,
    scalar,
)


def content(text: str, source: Path, column: str | None) -> Content:
    """The leaves with the labels above them."""
    entries = parse(text, source)
    said = content_of_tree(
        [entry.label for entry in entries],
        [entry.parent for entry in entries],
        [entry.line for entry in entries],
        source,
    )
    for entry in entries:
        for concept in entry.stands_for:
            if said.concepts.setdefault(entry.label, concept) != concept:
                raise OntologyError(
                    f"{entry.label!r} stands for {concept!r} and for {said.concepts[entry.label]!r}",
                    **at(source, entry.line),
                    value=entry.label,
                    remedy="keep one of them",
                )
    return said


def parts_of(hierarchy: Hierarchy) -> list[Part]:
    """The tree; what a label stands for is said where it first stands."""
    concepts = dict(hierarchy.concepts)
    return [(depth, label, concepts.pop(label, None)) for depth, label in nodes_of_tree(hierarchy)]


def written(parts: list[Part], name: str, ending: str) -> str:
    """A mapping of labels to those below them."""
    return _json(parts) if ending == ".json" else _yaml(parts)


def parts_in(text: str, source: Path) -> list[Part]:
    """What a text says."""
    if source.suffix != ".json" and (found := by_lines(text)):
        return found[0]
    entries = parse(text, source)
    depths = depths_of(entry.parent for entry in entries)
    meant = (entry.stands_for[0] if entry.stands_for else None for entry in entries)
    return [(depth, entry.label, one) for depth, entry, one in zip(depths, entries, meant, strict=True)]


@lru_cache(KEPT)
def refusal(label: str) -> str:
    """Why a label has no place here."""
    if label == STANDS_FOR:
        return f"{STANDS_FOR} names the concept of a label"
    is_long = len(label) > LONGEST_KEY // LONGEST_ESCAPE and len(quoted(label)) > LONGEST_KEY
    return "it is too long" if is_long else ""


def _yaml(nodes: list[Part]) -> str:
    lines = []
    depths = [depth for depth, _, _ in nodes]
    for (depth, label, concept), following in zip(nodes, [*depths[1:], 0], strict=True):
        indent, key = "  " * depth, scalar(label)
        meaning = "" if concept is None else f"{STANDS_FOR}: {scalar(concept)}"
        if following <= depth:
            lines.append(f"{indent}{key}: {{{meaning}}}\n")
        else:
            lines.append(f"{indent}{key}:\n{indent}  {meaning}\n" if meaning else f"{indent}{key}:\n")
    return "".join(lines)


def _json(nodes: list[Part]) -> str:
    lines = ["{"]
    ends = (-1, "", None)
    for (depth, label, concept), (following, _, _) in pairwise([*nodes, ends]):
        meaning = "" if concept is None else f"{quoted(STANDS_FOR)}: {quoted(concept)}"
        line = f"{'  ' * (depth + 1)}{quoted(label)}: {{{meaning}"
        if following > depth:
            lines.append(line + ("," if meaning else ""))
            continue
        lines.append(line + "}")
        lines += ["  " * level + "}" for level in range(depth, following, -1)]
        if following >= 0:
            lines[-1] += ","
    return "\n".join(lines) + "\n"
