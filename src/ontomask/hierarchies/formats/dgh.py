"""DGH text: the trees of several attributes in one file, of which one is read or written here.

Ranges are labels like others; what is written says nothing of semantic types and relations, which a hierarchy
does not know.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from ontomask.errors import OntologyError, OntomaskError
from ontomask.hierarchies.formats.content import Content, Node, content_of_tree, depths_of, nodes_of_tree
from ontomask.hierarchies.hierarchy import Hierarchy
from ontomask.hierarchies.intervals import range_of
from ontomask.ontology.draft import at
from ontomask.ontology.formats.dgh import LABEL, DghBlock, DghNode, parse

_NO_SEMANTICS = "Unknown:NONE"


def content(text: str, source: Path, column: str | None) -> Content:
    """The tree of a column; the only one there is belongs to whatever column is asked for."""
    block = _block(parse(text, source, may_repeat=True), source, column)
    nodes = list(block.tree.walk())
    labels, lines = [node.label for node in nodes], [node.line for node in nodes]
    return content_of_tree(labels, _parents(nodes), lines, source, block.name)


def _parents(nodes: list[DghNode]) -> list[int | None]:
    """The place of the node above each one."""
    place = {id(node): i for i, node in enumerate(nodes)}
    parents: list[int | None] = [None] * len(nodes)
    for i, node in enumerate(nodes):
        for child in node.children:
            parents[place[id(child)]] = i
    return parents


def _block(blocks: list[DghBlock], source: Path, column: str | None) -> DghBlock:
    if len(blocks) == 1:
        return blocks[0]
    found = next((block for block in blocks if block.name == column), None)
    if found is None:
        which = "which one is meant?" if column is None else f"not {column!r}"
        raise OntologyError(
            f"it describes {', '.join(repr(block.name) for block in blocks)}; {which}",
            **at(source),
            value=column,
            remedy="name one of these columns",
        )
    return found


def parts_of(hierarchy: Hierarchy) -> list[Node]:
    """The tree; what labels stand for has no place here."""
    return nodes_of_tree(hierarchy)


def written(parts: list[Node], name: str, ending: str) -> str:
    """One block; each group right below the root has a line of its own."""
    if not name.strip() or name != " ".join(name.split()) or set(name) & set(":(){}"):
        raise OntomaskError(
            f"{name!r} cannot be the name of an attribute in a {ending} file",
            value=name,
            is_public=True,
            remedy="give it a name without colons, brackets and outer blanks",
        )
    pairs = [*pairwise([*parts, (0, "")])]
    values = (label for (depth, label), (following, _) in pairs if following <= depth)
    kind = "continuous" if all(map(range_of, values)) else "discrete"
    tree: list[str] = []
    for (depth, label), (following, _) in pairs:
        before = "" if depth == 0 else "\n  " if depth == 1 else " "
        after = "}" * (depth - max(following, 1) + 1)
        tree.append(f"{before}{'{' if depth else '('}{label}{after}")
    return f"{name}:{kind}\n{_NO_SEMANTICS}\n{''.join(tree)})\n"


def parts_in(text: str, source: Path) -> list[Node]:
    """What a text says."""
    nodes = [*_block(parse(text, source, may_repeat=True), source, None).tree.walk()]
    return [(depth, node.label) for depth, node in zip(depths_of(_parents(nodes)), nodes, strict=True)]


def refusal(label: str) -> str:
    """Why a label has no place here."""
    if label != " ".join(label.split()):
        return "it has blanks at its ends, or several in a row"
    return "" if LABEL.fullmatch(label) else "it has braces, or parentheses that do not balance"
