"""Values that no concept is known of, in a hierarchy that was built from concepts.

Nothing is dropped: they stand below the root, and what stands above them must be true. It knows a hierarchy
and texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ontomask.hierarchies.hierarchy import EVERYTHING, Hierarchy

Unlinked = Literal["own-leaf", "root", "error"]


def with_unlinked(hierarchy: Hierarchy, texts: Sequence[str], unlinked: Unlinked = "own-leaf") -> Hierarchy:
    """The hierarchy with further values, which stay what they are up to the root, or become the root at once.

    The root is called `*`: of a word that nobody knows, nothing more can be said.

    >>> jobs = Hierarchy.from_rows("jobs", [["surgeon", "doctor", "person"], ["nun", "nun", "person"]])
    >>> with_unlinked(jobs, ["wizzard"]).rows()[-1]
    ['wizzard', 'wizzard', '*']
    >>> with_unlinked(jobs, ["wizzard"], "root").rows()
    [['surgeon', 'doctor', '*'], ['nun', 'nun', '*'], ['wizzard', '*', '*']]
    """
    if not texts:
        return hierarchy
    width, top = hierarchy.height + 1, hierarchy.labels[hierarchy.root]
    known = [[EVERYTHING if label == top else label for label in row] for row in hierarchy.rows()]
    for row, value in zip(known, hierarchy.values, strict=True):
        row[0] = value  # a value may be what the root is called
    further = [
        [text, *[text if unlinked == "own-leaf" else EVERYTHING] * (width - 2), EVERYTHING] for text in texts
    ]
    return Hierarchy.from_rows(
        hierarchy.name, known + further, concepts=hierarchy.concepts, notes=hierarchy.notes
    )
