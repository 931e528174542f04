"""The part of a tree that fits on a page: the top levels first, and what lies below to be opened.

It knows a tree and the rows of its values, and nothing of how it is shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ontomask.arrays import Int64
from ontomask.hierarchies.hierarchy import Hierarchy

LINES = 60
MOST = 40
"""How many labels below one are shown at once."""


@dataclass
class Branch:
    """A node and what is shown below it, from the `start`-th label on; of the others, how many are `left`."""

    node: int
    n_values: int
    rows: int
    below: list[Branch] = field(default_factory=list)
    left: int = 0
    start: int = 0

    @property
    def is_open(self) -> bool:
        """Whether labels below it are shown."""
        return bool(self.below)

    def shows(self, node: int) -> bool:
        """Whether a node is it, or is shown below it."""
        return self.node == node or any(branch.shows(node) for branch in self.below)


def outline(
    tree: Hierarchy, rows: Int64, top: int, *, start: int = 0, lines: int = LINES, by_rows: bool = True
) -> Branch:
    """The tree below a node, level by level until that many lines are full.

    `rows` are those at or below each node; `by_rows`, what most of them have comes first, else labels are in
    the order of the values. Of more than `MOST` labels below one, those from `start` on are shown of the top,
    the first ones of others.

    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
    >>> shown = outline(jobs, jobs.value_counts, jobs.root)
    >>> [(jobs.labels[one.node], one.is_open) for one in shown.below]
    [('doctor', True), ('nun', False)]
    >>> shown.shows(jobs.node("surgeon")), shown.below[1].shows(jobs.node("surgeon"))
    (True, False)
    >>> [one.left for one in outline(jobs, jobs.value_counts, jobs.root, lines=2).below]
    [1, 0]
    """
    first = _branch(tree, rows, top)
    waiting, used = [first], 1
    while waiting:
        branch = waiting.pop(0)
        children = list(tree.children[branch.node])
        if by_rows:
            children.sort(key=lambda node: -int(rows[node]))
        branch.start = start if branch is first else 0
        shown = children[branch.start : branch.start + MOST]
        branch.left = len(children)
        if branch is not first and used + len(shown) > lines:
            continue
        branch.below = [_branch(tree, rows, node) for node in shown]
        branch.left -= len(shown)
        waiting += [one for one in branch.below if tree.children[one.node]]
        used += len(shown)
    return first


def _branch(tree: Hierarchy, rows: Int64, node: int) -> Branch:
    return Branch(node, int(tree.value_counts[node]), int(rows[node]))


def way_to(tree: Hierarchy, node: int) -> list[int]:
    """The nodes from the root down to a node.

    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
    >>> [jobs.labels[one] for one in way_to(jobs, jobs.node("surgeon"))]
    ['person', 'doctor', 'surgeon']
    """
    way = [node]
    while (above := int(tree.parents[way[-1]])) >= 0:
        way.append(above)
    return way[::-1]
