"""The DGH text format: the generalisation hierarchies of several attributes in one file.

Blocks are parted by blank lines. Each gives the attribute and its kind, its semantic type with its relations
to the target attribute (``NONE`` for the target itself), and its tree::

    sex:discrete:generalization
    Organism-Attribute:Result-of, Associated-with
    (any {male} {female})

`parse` says line and column of whatever is wrong; what ranges such as ``25-30`` mean is left to its caller.
A label may hold parentheses if they balance, but no braces.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NoReturn, cast

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, place
from ontomask.ontology.formats.reading import peek_text, read_text

Kind = Literal["discrete", "continuous"]

_HEADER = re.compile(r"\s*[^\s:{}()][^:{}()\n]*:\s*(discrete|continuous)\s*(:|$)", re.MULTILINE)
_LABEL = r"(?:[^{}()]|\([^{}()]*\))*"
LABEL = re.compile(_LABEL)
_ROOT = re.compile(rf"\s*\(({_LABEL})")
_TOKEN = re.compile(rf"\{{({_LABEL})|[}})]|\s+|[^{{}})\s][^{{}}()]*")  # child, close, space, stray text
_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\s*-\s*(-?\d+(?:\.\d+)?)")


@dataclass
class DghNode:
    """A label in a tree, where it stands, and what is below it."""

    label: str
    line: int = 0
    column: int = 0
    children: list[DghNode] = field(default_factory=list)

    def __str__(self) -> str:
        return f"'{{{self.label}' (line {self.line}, column {self.column})"

    def walk(self) -> Iterator[DghNode]:
        """The node and everything below it, parents before children, left to right."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


@dataclass(frozen=True)
class DghBlock:
    """One attribute: `relations` are those to the target; the target itself has none."""

    name: str
    kind: Kind
    generalization: bool
    semantic_type: str
    relations: tuple[str, ...]
    tree: DghNode
    line: int

    @property
    def is_target(self) -> bool:
        """Whether this is the attribute the others are related to."""
        return not self.relations


def recognises(path: Path) -> bool:
    """A `.dgh` file, or a text file that begins with an attribute and its kind."""
    suffix = path.suffix.lower()
    return path.is_file() and (
        suffix == ".dgh" or (suffix == ".txt" and _HEADER.match(peek_text(path)) is not None)
    )


def source_files(path: Path) -> list[Path]:
    """The files that determine the result."""
    return [path]


def load(path: Path, name: str) -> Ontology:
    """Read the trees of a DGH file as one ontology.

    A single attribute gives its tree. Of several, each is a top concept named after the attribute, and a
    label that occurs elsewhere in the file too has the id ``attribute/label``.
    """
    blocks = parse(read_text(path), path)
    draft = Draft(name, path)
    if len(blocks) == 1:
        top = blocks[0].tree.label
        _add_tree(draft, blocks[0], {})
        draft.term(top, blocks[0].name)
        draft.semantic_type(top, blocks[0].semantic_type)
        return draft.finish()

    uses = Counter(block.name for block in blocks)
    uses.update(node.label for block in blocks for node in block.tree.walk())
    for block in blocks:
        draft.concept(block.name, block.name, block.line)
        draft.semantic_type(block.name, block.semantic_type)
        shared = (node.label for node in block.tree.walk() if uses[node.label] > 1)
        ids = {label: f"{block.name}/{label}" for label in shared}
        _add_tree(draft, block, ids)
        draft.is_a(ids.get(block.tree.label, block.tree.label), block.name, block.tree.line)
    for target in (block.name for block in blocks if block.is_target):
        for block in blocks:
            for relation in block.relations:
                draft.relation(relation, block.name, target)
    return draft.finish()


def _add_tree(draft: Draft, block: DghBlock, ids: dict[str, str]) -> None:
    for node in block.tree.walk():
        node_id = ids.get(node.label, node.label)
        draft.concept(node_id, node.label, node.line)
        for child in node.children:
            draft.is_a(ids.get(child.label, child.label), node_id, child.line)


# ---------------------------------------------------------------------- the parser


def parse(text: str, source: str | Path = "", *, may_repeat: bool = False) -> list[DghBlock]:
    """The attributes of a DGH text, in the order written.

    A label stands once in its tree, unless labels `may_repeat`: then what that means is left to the caller.

    >>> [block] = parse("sex:discrete\\nOrganism-Attribute:Result-of\\n(any {male} {female})")
    >>> block.name, block.relations, [child.label for child in block.tree.children]
    ('sex', ('Result-of',), ['male', 'female'])

    Raises
    ------
    OntologyError
        With the line and column of the first thing that is wrong.
    """
    blocks: dict[str, DghBlock] = {}
    for first_line, lines in _paragraphs(text):
        block = _BlockParser(source, first_line, lines).block(may_repeat)
        known = blocks.setdefault(block.name, block)
        if known is not block:
            _fail(
                source,
                (first_line, 1),
                f"the attribute {block.name!r} is described twice (first: line {known.line})",
            )
    if not blocks:
        raise OntologyError(f"{place(source)}no attribute found: the file is empty")
    return list(blocks.values())


def _paragraphs(text: str) -> Iterator[tuple[int, list[str]]]:
    """Runs of lines that are not blank, with the number of their first line."""
    lines: list[str] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.strip():
            lines.append(line)
        elif lines:
            yield number - len(lines), lines
            lines = []


def _fail(source: str | Path, at: tuple[int, int], problem: str) -> NoReturn:
    line, column = at
    raise OntologyError(f"{place(source, line)}, column {column}: {problem}")


class _BlockParser:
    """Reads one block, whose first line has the number `first_line`."""

    def __init__(self, source: str | Path, first_line: int, lines: list[str]) -> None:
        self.source = source
        self.lines = lines
        self.first_line = first_line
        self.text = "\n".join(lines)
        self.line_starts = [0, *(match.end() for match in re.finditer("\n", self.text))]

    def block(self, may_repeat: bool) -> DghBlock:
        """The block as a whole."""
        name, kind, generalization = self._header()
        semantic_type, relations = self._semantics()
        tree = self._tree()
        if not may_repeat:
            self._check_labels(tree)
        return DghBlock(name, kind, generalization, semantic_type, relations, tree, self.first_line)

    def _at(self, offset: int) -> tuple[int, int]:
        row = bisect_right(self.line_starts, offset) - 1
        return self.first_line + row, offset - self.line_starts[row] + 1

    def _fail(self, offset: int, problem: str) -> NoReturn:
        _fail(self.source, self._at(offset), problem)

    def _header(self) -> tuple[str, Kind, bool]:
        name, *options = self.lines[0].split(":")
        if not options or not name.strip() or name.lstrip().startswith("("):
            self._fail(0, "expected `name:discrete` or `name:continuous`")
        kind, *rest = (option.strip() for option in options)
        if kind not in ("discrete", "continuous"):
            self._fail(len(name) + 1, f"unknown kind {kind!r}; write 'discrete' or 'continuous'")
        if rest not in ([], ["generalization"]):
            self._fail(len(name) + len(options[0]) + 2, "only ':generalization' may follow the kind")
        return name.strip(), cast(Kind, kind), bool(rest)

    def _semantics(self) -> tuple[str, tuple[str, ...]]:
        wanted = "`Semantic-Type:Relation, Relation` (`Semantic-Type:NONE` for the target)"
        if len(self.lines) < 2:
            self._fail(len(self.text), f"the block ends here; expected a line {wanted}")
        semantic_type, _, rest = (part.strip() for part in self.lines[1].partition(":"))
        relations = [relation.strip() for relation in rest.split(",")]
        if not semantic_type or semantic_type.startswith("(") or not all(relations):
            self._fail(self.line_starts[1], f"expected a line {wanted}")
        return semantic_type, () if relations == ["NONE"] else tuple(relations)

    def _tree(self) -> DghNode:
        if len(self.lines) < 3:
            self._fail(len(self.text), "the block ends here; expected a tree such as `(any {male} {female})`")
        start = _ROOT.match(self.text, self.line_starts[2])
        if not start:
            self._fail(self.line_starts[2], "expected '(' and the root of the tree")
        root = self._node(start)
        path = [root]  # the nodes still open, from the root down
        for token in _TOKEN.finditer(self.text, start.end()):
            symbol, offset = token[0], token.start()
            if symbol.isspace():
                continue
            if not path:
                self._fail(
                    offset, "text after the end of the tree: a bracket too many, or a blank line missing?"
                )
            if symbol[0] == "{":
                node = self._node(token)
                path[-1].children.append(node)
                path.append(node)
            elif symbol == ("}" if len(path) > 1 else ")"):
                path.pop()
            elif symbol == "}":
                self._fail(offset, "a '}' too many: no '{' is open here")
            elif symbol == ")":
                self._fail(offset, f"')' comes before {path[-1]} is closed: {self._missing(path)}")
            else:
                self._fail(
                    offset,
                    f"unexpected {symbol.strip()!r}: a label ends at its first child, "
                    "and parentheses in a label must balance",
                )
        if path:
            what = f"{path[-1]} is closed: {self._missing(path)}" if path[1:] else "the tree is closed by ')'"
            self._fail(len(self.text), f"the block ends before {what}")
        return root

    def _node(self, opening: re.Match[str]) -> DghNode:
        bracket = opening.start(1) - 1
        label = " ".join(opening[1].split())
        if not label:
            self._fail(bracket + 1, "an empty label; every node needs a name")
        return DghNode(label, *self._at(bracket))

    def _missing(self, path: list[DghNode]) -> str:
        """How many braces are missing and, if the labels are ranges, before which child."""
        count = f"{len(path) - 1} '}}' are missing" if len(path) > 2 else "a '}' is missing"
        outside = (child for node in path for child in node.children if _sticks_out(child.label, node.label))
        misplaced = next(outside, None)
        return f"{count}, probably before {misplaced}" if misplaced else count

    def _check_labels(self, tree: DghNode) -> None:
        seen: dict[str, DghNode] = {}
        for node in tree.walk():
            first = seen.setdefault(node.label, node)
            if first is not node:
                _fail(
                    self.source,
                    (node.line, node.column),
                    f"the label {node.label!r} is used twice (first: line {first.line}, "
                    f"column {first.column}); labels must be unique in a tree",
                )


def _sticks_out(inner: str, outer: str) -> bool:
    """Whether both labels are ranges and the first does not lie in the second."""
    child, parent = _RANGE.fullmatch(inner), _RANGE.fullmatch(outer)
    if not child or not parent:
        return False
    return float(child[1]) < float(parent[1]) or float(child[2]) > float(parent[2])
