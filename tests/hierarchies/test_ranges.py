"""Numbers, orders and codes: ranges that contain one another, concepts that no range straddles, matching."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ontomask.errors import OntologyError, OntomaskError
from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.intervals import Range, RangeSet, exact, part_holding, range_of, read_ranges
from ontomask.hierarchies.ranges import (
    matched,
    numeric_hierarchy,
    ordinal_hierarchy,
    over_numbers,
    prefix_hierarchy,
)

AGES = {str(age): age for age in range(17, 91)}


def row(numbers: dict[str, float], text: str, **options: Any) -> list[str]:
    return numeric_hierarchy(numbers, **options).rows()[list(numbers).index(text)]


# ---------------------------------------------------------------------- by width


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["20-29", "20-39", "0-39", "*"]),  # 73 years in 4 levels: 10, 20, 40
        ({"levels": 2}, ["0-49", "*"]),
        ({"levels": 1}, ["*"]),
        ({"levels": 5}, ["25-29", "20-29", "20-39", "0-39", "*"]),
        ({"width": 5, "levels": 4}, ["25-29", "20-29", "20-39", "*"]),
        ({"width": 10}, ["20-29", "20-39", "0-39", "0-79", "*"]),
        ({"width": 10, "start": 17, "levels": 3}, ["17-26", "17-36", "*"]),
        ({"width": 2.5, "levels": 2}, ["25-<27.5", "*"]),
    ],
)
def test_equal_width(options: dict[str, Any], expected: list[str]) -> None:
    assert row(AGES, "25", **options) == ["25", *expected]


def test_numbers_that_are_not_whole_get_half_open_ranges() -> None:
    numbers = {"0.1": 0.1, "0.3": 0.3, "0.25": 0.25, "0.95": 0.95}
    assert row(numbers, "0.3", width=0.1, levels=2) == ["0.3", "0.3-<0.4", "*"]  # 0.3 / 0.1 < 3 in floats
    assert row(numbers, "0.25", levels=3) == ["0.25", "0.2-<0.4", "0-<0.4", "*"]
    assert row({"-7": -7, "12": 12}, "-7", width=10, levels=2) == ["-7", "-10--1", "*"]


def test_levels_on_which_nothing_differs_are_left_out() -> None:
    assert row({"5": 5, "6": 6, "8": 8}, "5", levels=9) == ["5", "4-5", "4-7", "*"]
    assert row({"-1": -1, "1": 1}, "1", width=5) == ["1", "0-4", "*"]
    assert row({"21": 21, "23": 23}, "21", width=10) == ["21", "*"]
    assert row({"21": 21, "29": 29, "31": 31}, "29", width=10, levels=9) == ["29", "20-29", "*"]


@given(
    st.lists(st.integers(-500, 500), min_size=2, max_size=40, unique=True),
    st.sampled_from(["width", "frequency"]),
    st.integers(1, 7),
    st.booleans(),
)
def test_every_range_holds_its_number_and_the_ranges_below_it(
    drawn: list[int], by: Any, levels: int, is_whole: bool
) -> None:
    numbers = {str(n): n for n in drawn} if is_whole else {str(n / 8): n / 8 for n in drawn}
    assume(is_whole or any(n % 8 for n in drawn))
    tree = numeric_hierarchy(numbers, by=by, levels=levels)
    assert tree.height <= levels
    for path in tree.rows():
        ranges = [range_of(label) for label in path[:-1]]
        for below, above in pairwise(ranges):
            assert below is not None and above is not None
            assert below.low is not None and above.low is not None and above.low <= below.low
            assert below.high is not None and above.high is not None and below.high <= above.high
    for level in range(1, tree.height):
        found = RangeSet([one for node in tree.nodes_at(level) if (one := range_of(tree.labels[node]))])
        for value in tree.values:
            assert found.holding(exact(float(value)), value).label == tree.label_at(value, level)


# ---------------------------------------------------------------------- by frequency


def test_equal_frequency_cuts_at_the_median_and_never_a_value() -> None:
    numbers = {"1": 1, "2": 2, "3": 3, "10": 10}
    assert numeric_hierarchy(numbers, by="frequency", levels=3).rows() == [
        ["1", "0-2", "*"],  # a level below would be the values themselves
        ["2", "0-2", "*"],
        ["3", "3-11", "*"],
        ["10", "3-11", "*"],
    ]
    counts = {"1": 1, "2": 1, "3": 1, "10": 97}
    assert row(numbers, "3", by="frequency", levels=2, counts=counts) == ["3", "0-9", "*"]
    halves = {"0.5": 0.5, "1.0": 1.0, "1.5": 1.5, "2.5": 2.5}
    assert row(halves, "1.0", by="frequency", levels=2) == ["1.0", "0.5-<1.5", "*"]
    assert row(halves, "2.5", by="frequency", levels=2) == ["2.5", "1.5-<3", "*"]


def test_bounds_of_equal_frequency_are_round_numbers_not_those_of_a_person() -> None:
    incomes = {"-163.24": -163.24, "-55.96": -55.96, "55.44": 55.44, "145.89": 145.89}
    labels = [path[1] for path in numeric_hierarchy(incomes, by="frequency", levels=2).rows()]
    assert labels == ["-200-<0", "-200-<0", "0-<200", "0-<200"]


def test_two_texts_of_one_number_stay_together() -> None:
    tree = numeric_hierarchy({"1": 1, "1.0": 1, "2": 2, "3": 3}, by="frequency", levels=2)
    assert [path[1] for path in tree.rows()] == ["1", "1", "2-3", "2-3"]


# ---------------------------------------------------------------------- by concepts


@given(st.integers(1, 40), st.integers(1, 60), st.integers(0, 39), st.booleans())
def test_parts_are_even_and_hold_their_numbers(span: int, parts: int, above: int, is_whole: bool) -> None:
    assume(above < span)
    whole, number = Range("x", Fraction(7), Fraction(7 + span)), Fraction(7 + above)
    part = part_holding(whole, number, parts, is_whole=is_whole)
    assert part.low is not None and part.high is not None
    assert 7 <= part.low <= number < part.high <= 7 + span
    assert abs(part.high - part.low - Fraction(span, parts)) < 1


@pytest.mark.parametrize(
    ("age", "group"),
    [
        (0, "Infant"), (1, "Infant"), (2, "Child, Preschool"), (5, "Child, Preschool"), (6, "Child"),
        (12, "Child"), (13, "Adolescent"), (18, "Adolescent"), (18.9, "Adolescent"), (19, "Adult"),
        (44, "Adult"), (45, "Middle Aged"), (64, "Middle Aged"), (65, "Elderly"), (79, "Elderly"),
        (80, "Ages, 80 and over"), (120, "Ages, 80 and over"),
    ],
)  # fmt: skip
def test_ages(age: float, group: str) -> None:
    assert row({"x": age}, "x", by="ranges") == ["x", group, "*"]


def test_levels_below_the_concepts_split_them_evenly() -> None:
    numbers = {"1": 1, "20": 20, "44": 44, "85": 85}
    assert numeric_hierarchy(numbers, by="ranges", levels=4).rows() == [
        ["1", "1", "1", "Infant", "*"],
        ["20", "19-24", "19-31", "Adult", "*"],
        ["44", "38-44", "32-44", "Adult", "*"],
        ["85", "Ages, 80 and over", "Ages, 80 and over", "Ages, 80 and over", "*"],
    ]
    assert row({"20.5": 20.5}, "20.5", by="ranges", levels=60)[-3:] == ["19-<32", "Adult", "*"]
    assert row({"20.5": 20.5}, "20.5", by="ranges", levels=3) == ["20.5", "19-<32", "Adult", "*"]


def test_a_number_outside_all_ranges_is_named() -> None:
    with pytest.raises(OntomaskError, match="no range holds '-1'") as error:
        numeric_hierarchy({"-1": -1}, by="ranges")
    assert "'-1'" not in str(error.value.without_values())


def test_a_set_of_ranges_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "bmi.csv"
    path.write_text("# kg/m2\nlabel,from,to\nunderweight,,18.5\nnormal,18.5,25\n\noverweight,25,\n")
    ranges = read_ranges(path)
    found = [ranges.holding(exact(n), "").label for n in (-3, 18.4, 18.5, 24.99, 25, 99)]
    assert found == ["underweight", "underweight", "normal", "normal", "overweight", "overweight"]
    tree = numeric_hierarchy({"20": 20, "40": 40}, by="ranges", ranges=ranges)
    assert tree.rows() == [["20", "normal", "*"], ["40", "overweight", "*"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", r"r.csv: a set of ranges begins with the line `label,from,to`"),
        ("label,from,to\n", r"r.csv: no range in it"),
        ("label,from,to\nx,1\n", r"r.csv, line 2: expected a label and two numbers"),
        ("# c\nlabel,from,to\nx,1,two\n", r"r.csv, line 3: expected a label and two numbers"),
        ("label,from,to\nx,5,5\n", r"r.csv, line 2: 'x' ends before it begins"),
        ("label,from,to\nx,1,5\ny,4,9\n", r"r.csv: the ranges 'x' and 'y' overlap"),
        ("label,from,to\n,1,5\n", r"r.csv, line 2: an empty label"),
        ('label,from,to\n"x,1,5\n', r"r.csv: the quoting is broken"),
    ],
)
def test_damaged_sets_of_ranges(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(OntologyError, match=message):
        read_ranges(path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "width: the width of a range must be greater than 0"),
        ({"width": float("nan")}, "greater than 0"),
        ({"levels": 101}, "levels: .* not 101"),
        ({"levels": 0}, "levels: a hierarchy is built with 1 to 100 levels"),
        ({"start": 20, "width": 10}, "'17' lies below the start of the first range"),
    ],
)
def test_impossible_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OntomaskError, match=message):
        numeric_hierarchy(AGES, **options)
    with pytest.raises(OntomaskError, match="is not a number that can lie in a range"):
        numeric_hierarchy({"inf": float("inf")})


# ---------------------------------------------------------------------- ranges as labels


@pytest.mark.parametrize(
    ("label", "low", "high", "is_open"),
    [
        ("40", 40, 40, False), ("40.0", 40, 40, False), ("25-30", 25, 30, False), ("25 - 30", 25, 30, False),
        ("25-<30", 25, 30, True), ("-5--1", -5, -1, False), ("<20", None, 20, True),
        (">=80", 80, None, False), ("80+", 80, None, False), ("1.5–2", Fraction(3, 2), 2, False),
    ],
)  # fmt: skip
def test_labels_that_are_ranges(label: str, low: Any, high: Any, is_open: bool) -> None:
    assert range_of(label) == Range(label, low, high, is_open)


@pytest.mark.parametrize("label", ["", "twenties", "30-25", "1-2-3", "*", "2020-01-01", "a-b", "1e", "."])
def test_labels_that_are_no_ranges(label: str) -> None:
    assert range_of(label) is None


HALF_OPEN = Hierarchy.from_rows(
    "age", [["20-30", "20-40", "all"], ["30-40", "20-40", "all"], ["40-60", "40-60", "all"]]
)


def test_numbers_below_ranges_that_share_their_bounds() -> None:
    texts = ["20", "29.9", "30", "40.0", "60"]
    tree = over_numbers(HALF_OPEN, texts, [20, 29.9, 30, 40, 60])
    assert [path[:2] for path in tree.rows()] == [
        ["20", "20-30"],
        ["29.9", "20-30"],
        ["30", "30-40"],
        ["40.0", "40-60"],
        ["60", "40-60"],  # the last is closed
    ]
    assert tree.height == HALF_OPEN.height + 1
    for number in (19.9, 60.1):
        with pytest.raises(OntomaskError, match="no range holds 'x'"):
            over_numbers(HALF_OPEN, ["x"], [number])


def test_a_range_that_says_that_it_is_open_is() -> None:
    tree = Hierarchy.from_rows("age", [["20-<30", "*"], ["30-<40", "*"]])
    with pytest.raises(OntomaskError, match="no range holds '40'"):
        over_numbers(tree, ["40"], [40])


def test_whole_ranges_leave_no_gap_for_whole_numbers() -> None:
    decades = Hierarchy.from_rows("age", [["20-29", "*"], ["30-39", "*"], ["40+", "*"]])
    tree = over_numbers(decades, ["29", "30", "99"], [29, 30, 99])
    assert [path[1] for path in tree.rows()] == ["20-29", "30-39", "40+"]
    with pytest.raises(OntomaskError, match=r"no range holds '29\.5'"):
        over_numbers(decades, ["29.5"], [29.5])


def test_leaves_that_are_numbers_are_matched_as_numbers() -> None:
    tree = Hierarchy.from_rows("age", [["40", "40-49", "*"], ["50", "50-59", "*"]])
    assert over_numbers(tree, ["50.0", "40"], [50.0, 40]).rows() == [
        ["50.0", "50-59", "*"],
        ["40", "40-49", "*"],
    ]
    with pytest.raises(OntomaskError, match="no range holds '45'"):
        over_numbers(tree, ["45"], [45])


def test_leaves_that_are_words_are_refused() -> None:
    with pytest.raises(OntologyError, match="the value 'young' of the hierarchy age is neither"):
        over_numbers(Hierarchy.from_rows("age", [["young", "*"], ["1", "*"]]), ["1"], [1])


# ---------------------------------------------------------------------- orders, codes, texts


def test_ordered_categories() -> None:
    order = ["none", "low", "mid", "high", "top"]
    assert ordinal_hierarchy(order).rows() == [
        ["none", "none", "none..low", "*"],
        ["low", "low", "none..low", "*"],
        ["mid", "mid", "mid..top", "*"],
        ["high", "high..top", "mid..top", "*"],
        ["top", "high..top", "mid..top", "*"],
    ]
    assert ordinal_hierarchy(order, levels=2).rows()[1] == ["low", "none..low", "*"]
    eight = ordinal_hierarchy(list("abcdefgh"))
    assert [eight.label_at(letter, 1) for letter in "aceg"] == ["a..b", "c..d", "e..f", "g..h"]
    assert ordinal_hierarchy(["only"]).rows() == [["only", "*"]]


def test_prefixes() -> None:
    assert prefix_hierarchy(["12345"]).rows() == [["12345", "1234*", "123**", "12***", "1****", "*"]]
    assert prefix_hierarchy(["12345", "123"], levels=2).rows() == [
        ["12345", "12***", "*"],
        ["123", "12***", "*"],
    ]
    short = prefix_hierarchy(["12345", "123"]).rows()
    assert short[1] == ["123", "123**", "123**", "12***", "1****", "*"]
    assert prefix_hierarchy(["7"], levels=5).rows() == [["7", "*"]]


def test_prefixes_of_the_lengths_that_are_asked_for() -> None:
    two_steps = prefix_hierarchy(["28013", "08001"], characters=[2, 3, 3, 5, 9])
    assert two_steps.rows() == [["28013", "280**", "28***", "*"], ["08001", "080**", "08***", "*"]]
    assert prefix_hierarchy(["28013"], characters=[7]).rows() == [["28013", "*"]]
    # Codes of several lengths: areas of British postcodes have one letter or two.
    assert prefix_hierarchy(["M1 1AE", "EC1A 1BB"], characters=[4, 2]).rows() == [
        ["M1 1AE", "M1 1****", "M1******", "*"],
        ["EC1A 1BB", "EC1A****", "EC******", "*"],
    ]


@given(
    st.lists(st.text("0123", min_size=1, max_size=5), min_size=1, max_size=12, unique=True), st.integers(1, 7)
)
def test_prefixes_are_hierarchies_whatever_the_lengths(codes: list[str], levels: int) -> None:
    tree = prefix_hierarchy(codes, levels=levels)
    assert tree.height <= levels
    for code, path in zip(codes, tree.rows(), strict=True):
        assert all(code.startswith(label.rstrip("*")) for label in path)


def test_texts_are_matched_exactly_then_by_letters() -> None:
    tree = Hierarchy.from_rows(
        "t", [[v, "*"] for v in ["Tech-support", "Sales", "sales", "40", ">50K", "C++"]]
    )
    texts = ["sales", "Sales", "tech support", " 40", "> 50k", "c++"]
    assert matched(tree, texts).tolist() == [2, 1, 0, 3, 4, 5]
    assert matched(tree, texts).dtype == np.int32


@pytest.mark.parametrize(
    "text", ["SALES", "4.0", "40.0", "040", "-40", "<=50K", "C", "techsupportx", "4-0", "1-23-4"]
)
def test_texts_that_only_look_alike_are_not_matched(text: str) -> None:
    tree = Hierarchy.from_rows(
        "t", [[v, "*"] for v in ["Tech-support", "Sales", "sales", "40", ">50K", "C++", "12-3-4"]]
    )
    with pytest.raises(OntomaskError, match="the hierarchy t has no value "):
        matched(tree, [text])


def test_missing_values_are_listed_and_can_be_hidden() -> None:
    tree = Hierarchy.from_rows("t", [["a", "*"], ["b", "*"]])
    with pytest.raises(OntomaskError) as error:
        matched(tree, ["a", *(f"x{i}" for i in range(12))])
    said = str(error.value)
    assert "the hierarchy t has no value 'x0', nor 11 others of the column" in said
    assert "'x9'" in said
    assert "... and 2 more" in said
    assert "add a row for each of them" in said
    assert "x0" not in str(error.value.without_values())


def test_a_label_that_does_not_hold_its_number_is_refused() -> None:
    lying = Hierarchy.from_rows("age", [["20-30", "20-25", "*"], ["30-60", "30-60", "*"]])
    with pytest.raises(OntomaskError, match="'29' stands below 20-25"):
        over_numbers(lying, ["29"], [29.0])
    with pytest.raises(OntomaskError, match="'20' stands below 30-39"):
        over_numbers(Hierarchy.from_rows("age", [["20", "30-39", "*"]]), ["20"], [20.0])
    assert over_numbers(lying, ["22"], [22.0]).rows() == [["22", "20-30", "20-25", "*"]]


def test_numbers_written_in_two_ways_are_one() -> None:
    tree = Hierarchy.from_rows("x", [["1", "a", "*"], ["1.0", "a", "*"], [".5", "b", "*"], ["1e3", "b", "*"]])
    rows = over_numbers(tree, ["1.00", "0.5", "1000"], [1.0, 0.5, 1000.0]).rows()
    assert rows == [["1.00", "a", "*"], ["0.5", "b", "*"], ["1000", "b", "*"]]
