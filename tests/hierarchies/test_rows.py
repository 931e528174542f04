"""Rows that are no tree are refused: the check of all rows at once finds what the one row by row tells."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from ontomask.errors import OntologyError
from ontomask.hierarchies.hierarchy import _check, _is_tree

ANY = st.lists(st.lists(st.sampled_from("abcAB"), min_size=3, max_size=3), min_size=1, max_size=4)
PADDED = st.lists(
    st.tuples(*map(st.sampled_from, ("abcdefgh", "ABa", "ABC", "C*", "*"))).map(list), min_size=1, max_size=4
)


@given(ANY | PADDED)
@example([["a", "b", "a"]])
@example([["a", "A", "A", "C", "*"], ["b", "A", "C", "C", "*"]])
def test_a_tree_is_known_at_once_as_row_by_row(rows: list[list[str]]) -> None:
    try:
        _check(rows, range(1, len(rows) + 1), "")
    except OntologyError:
        is_tree = False
    else:
        is_tree = True
    number = {label: n for n, label in enumerate(dict.fromkeys(label for row in rows for label in row))}
    levels = np.array([[number[label] for label in row] for row in rows], np.int32).T
    assert _is_tree(levels) == is_tree
