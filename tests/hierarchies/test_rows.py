"""Rows that are no tree are refused: the check of all rows at once finds what the one row by row tells."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ontomask.errors import OntologyError
from ontomask.hierarchies.hierarchy import _check, _is_tree

LABELS = st.sampled_from("abcAB")
ANY = st.lists(st.lists(LABELS, min_size=3, max_size=3), min_size=1, max_size=4)
NEARLY = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("ABCa"), st.sampled_from("ACD")).map(list),
    min_size=1,
    max_size=5,
)


@given(ANY | NEARLY)
def test_a_tree_is_known_at_once_as_row_by_row(rows: list[list[str]]) -> None:
    padded = [[*row, "*"] for row in rows]
    try:
        _check(padded, range(1, len(rows) + 1), "")
    except OntologyError:
        is_tree = False
    else:
        is_tree = True
    number = {label: n for n, label in enumerate(dict.fromkeys(label for row in padded for label in row))}
    levels = np.array([[number[label] for label in row] for row in padded], np.int32).T
    assert _is_tree(levels) == is_tree
