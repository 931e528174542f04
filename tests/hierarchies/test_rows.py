"""Rows that are no tree are refused: the check of all rows at once finds what the one row by row tells."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ontomask.errors import OntologyError
from ontomask.hierarchies.hierarchy import Hierarchy, _check, _is_tree

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


TREES = [
    [["a", "a", "X", "*"], ["b", "X", "X", "*"], ["c", "c", "Y", "*"]],
    [["a", "a", "*"], ["b", "a", "*"]],
    [["a", "a"]],
]


@given(st.sampled_from(TREES), st.dictionaries(st.sampled_from(["d", "e", "X", "Y", "*"]), st.integers(0, 2)))
def test_texts_stand_where_their_values_do(rows: list[list[str]], places: dict[str, int]) -> None:
    tree = Hierarchy.from_rows("t", rows, concepts={"X": "x.n.01", "a": "a.n.01"})
    texts = {text: tree.values[place % tree.n_values] for text, place in places.items()}
    further = [
        [text if label == value else label for label in row]
        for text, value in texts.items()
        for row in tree.rows()
        if row[0] == value
    ]
    try:
        expected = tree.with_rows(tree.rows() + further)
    except OntologyError as error:
        with pytest.raises(OntologyError, match=re.escape(str(error))):
            tree.with_texts(texts)
        return
    found = tree.with_texts(texts)
    assert (found.rows(), found.labels, found.notes) == (expected.rows(), expected.labels, expected.notes)
    assert (found.concepts, found.name) == (expected.concepts, expected.name)
