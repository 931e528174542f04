"""The part of a tree that fits on a page."""

from __future__ import annotations

import numpy as np

from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.outline import MOST, Branch, outline

#  root - a - a0..a99 (100 values), b - b0..b4, c - c0
ROWS = [
    [f"{letter}{n}", letter, "root"] for letter, size in (("a", 100), ("b", 5), ("c", 1)) for n in range(size)
]
TREE = Hierarchy.from_rows("t", ROWS)


def shown(branch: Branch) -> dict[str, list[str]]:
    found = {TREE.labels[branch.node]: [TREE.labels[one.node] for one in branch.below]}
    for one in branch.below:
        found |= shown(one)
    return found


def test_top_levels_come_first_and_what_does_not_fit_is_counted() -> None:
    counts = np.ones(TREE.n_values, np.int64)
    counts[TREE.node("c0")] = 1000
    rows = TREE.sums(counts)
    whole = outline(TREE, rows, TREE.root, lines=12)
    assert shown(whole)["root"] == ["c", "a", "b"], "most rows first"
    assert shown(whole)["b"] == [f"b{n}" for n in range(5)]
    assert shown(whole)["a"] == []
    a = whole.below[1]
    assert (a.left, a.rows, a.n_values) == (100, 100, 100)
    assert shown(outline(TREE, rows, TREE.root, by_rows=False))["root"] == ["a", "b", "c"]


def test_many_labels_are_shown_part_by_part() -> None:
    rows, a = TREE.value_counts, TREE.node("a")
    seen: list[str] = []
    for start in range(0, 100, MOST):
        part = outline(TREE, rows, a, start=start)
        seen += shown(part)["a"]
        assert part.left - part.start == max(100 - start - MOST, 0) or start
    assert seen == [f"a{n}" for n in range(100)]
