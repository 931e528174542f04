"""LKC-privacy on sets of columns: the compiled checker against every subset, value by value."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontomask.arrays import distinct_rows
from ontomask.attributes import Domain
from ontomask.privacy import Classes, KnownValues, _known_values_kernels
from ontomask.privacy._known_values_kernels import fewest_records
from ontomask.privacy.known_values import rows_of

Row = tuple[int, ...]


def classes_of(rows: list[Row], ill: list[int], people: list[int]) -> Classes:
    """The classes of a table, one row at a time."""
    first, which = distinct_rows(list(np.array(rows, np.int32).T))
    beside = np.array([ill, people]).T
    domains = [Domain("ill", 3), Domain("person", len(rows))]
    classes = Classes.of(which, beside, np.ones(len(rows), np.int64), domains)
    return replace(classes, values=np.array(rows, np.int32)[first])


def by_all_subsets(one: KnownValues, rows: list[Row], ill: list[int], people: list[int]) -> dict[Row, int]:
    """Per combination of values the fewest records, or people, of a group on at most L columns."""
    m = len(rows[0])
    fewest: dict[Row, int] = {}
    for size in range(1, min(one.L, m) + 1):
        for chosen in combinations(range(m), size):
            for row in rows:
                group = [i for i, other in enumerate(rows) if all(other[j] == row[j] for j in chosen)]
                found = len({people[i] for i in group}) if one.unit else len(group)
                if one.columns and max(Counter(ill[i] for i in group).values()) / len(group) > one.C + 1e-9:
                    found = 0
                fewest[row] = min(fewest.get(row, len(rows)), found)
    return fewest


tables = st.integers(1, 4).flatmap(
    lambda m: st.lists(
        st.tuples(st.tuples(*[st.integers(0, 2)] * m), st.integers(0, 2), st.integers(0, 4)),
        min_size=1,
        max_size=14,
    )
)
asked = st.builds(
    KnownValues,
    L=st.integers(1, 5),
    K=st.integers(1, 4),
    C=st.sampled_from([0.5, 2 / 3, 0.8, 1.0]),
    columns=st.sampled_from([(), ("ill",)]),
    unit=st.sampled_from([None, "person"]),
    on_sets=st.just(True),
)


@settings(deadline=None)
@given(tables, asked)
def test_the_checker_is_brute_force_over_all_subsets(
    table: list[tuple[Row, int, int]], one: KnownValues
) -> None:
    rows, ill, people = [[*part] for part in zip(*table, strict=True)]
    expected = by_all_subsets(one, rows, ill, people)
    classes = classes_of(rows, ill, people)
    assert classes.values is not None
    assert one.measured(classes).min() == one.reached(classes) == min(expected.values())
    assert one.violations(classes).any() == any(found < one.K for found in expected.values())
    if not one.columns:  # a value that is too sure in a group is so in some part of it, not in every one
        assert one.measured(classes).tolist() == [expected[tuple(row)] for row in classes.values.tolist()]


def test_pairs_of_large_tables_are_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: 4 rows; on (a, b) the pairs are (0, 0) twice, (0, 1) and (1, 1) once."""
    codes = np.array([[0, 0, 0, 1], [0, 0, 1, 1]])
    rows = rows_of(codes, np.array([3, 4, 5, 6]))
    for most in (_known_values_kernels.MOST_CELLS, 0):
        monkeypatch.setattr(_known_values_kernels, "MOST_CELLS", most)
        walk = getattr(fewest_records, "py_func", fewest_records)
        for name in ("number_pairs", "records_of_groups"):
            plain = getattr(_known_values_kernels, name)
            monkeypatch.setattr(_known_values_kernels, name, getattr(plain, "py_func", plain))
        assert walk(rows, 2, 0)[0].tolist() == [3 + 4, 3 + 4, 5, 6]
        assert walk(rows, 1, 0)[0].tolist() == [3 + 4, 3 + 4, 5 + 6, 6]
        assert walk(rows, 2, 6)[1].tolist() == [0, 1]  # the 5 of (0, 1) are the first too few
        assert walk(rows, 2, 7)[1].tolist() == [0]  # the 6 with a = 1 come before
        assert walk(rows, 2, 5)[1].tolist() == [-1]


def test_one_class_of_all_is_judged_as_a_whole() -> None:
    one = KnownValues(1, 3, on_sets=True)
    assert one.least_size == 1 and KnownValues(1, 3).least_size == 3
    assert one.violations(Classes(np.array([2]))).tolist() == [True]
    assert one.violations(Classes(np.array([2]), values=np.array([[0, 0]], np.int32))).tolist() == [True]
