"""Ranges in the wording of definitions, and side by side."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from ontomask.errors import OntologyError
from ontomask.hierarchies.definitions import bounds_in, ranges_below, write_ranges
from ontomask.hierarchies.intervals import AGE_YEARS, read_ranges
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft

WORDINGS = {
    "Age [1 - 23 months]": (0, 2),
    "Age [2 - 5 years]": (2, 6),
    "13–18 years": (13, 19),
    "Adults are of 19 through 44 years of age. Between 19 and 24 years: YOUNG ADULT.": (19, 45),
    "An adult aged 45 - 64 years.": (45, 65),
    "A person 65 years of age or older. For a person older than 79 years, AGED, 80 AND OVER.": (65, None),
    "Age [80 over]": (80, None),
    "Persons 80 years old and above": (80, None),
    "A child between the ages of 2 and 5.": (2, 6),
    "An infant during the first 28 days after birth.": (0, 0),
    "Anyone younger than 3 years": (0, 3),
    "From 18 to 13 years": None,  # no range
    "13 to 18 items": None,
    "": None,
}
TABLE_3_1 = {
    "Infant": "Age [1 - 23 months]",
    "Child, Preschool": "Age [2 - 5 years]",
    "Child": "Age [6 - 12 years]",
    "Adolescent": "Age [13 - 18 years]",
    "Adult": "Age [19 - 44 years]",
    "Middle Aged": "Age [45 - 64 years]",
    "Elderly": "A person 65 years of age or older",
    "Ages, 80 and over": "Age [80 over]",
}


@pytest.mark.parametrize("text", WORDINGS)
def test_wordings(text: str) -> None:
    assert bounds_in(text) == WORDINGS[text]


def test_other_units() -> None:
    assert bounds_in("200 to 239 mg/dL", "mg/dl") == (200, 240)
    assert bounds_in("1.5 to 2.4 mg/dl", "mg/dl") == (Fraction("1.5"), Fraction("2.5"))
    assert bounds_in("under 6.5 percent", "percent") == (0, Fraction("6.5"))
    assert bounds_in("200 to 239 mg/dL", "mmol/l") is None
    assert bounds_in("2 to 3 years", "months") == (24, 48)
    assert bounds_in("2 to 3 weeks", "days") == (14, 28)
    assert bounds_in("between the ages of 2 and 5", "months") == (24, 72)  # which are years
    assert bounds_in("between the ages of 2 and 5", "pounds") is None


def groups(definitions: dict[str, str]) -> Ontology:
    draft = Draft("groups")
    draft.concept("top", "Age Groups")
    for label, text in definitions.items():
        draft.concept(label, label)
        draft.is_a(label, "top")
        draft.gloss(label, text)
    return draft.finish()


def test_table_3_1_is_the_set_that_is_shipped(tmp_path: Path) -> None:
    found, left_out = ranges_below(groups(TABLE_3_1), "Age Groups")
    assert left_out == []
    assert found.ranges == read_ranges(AGE_YEARS).ranges
    write_ranges(found, tmp_path / "ages.csv", "by table 3.1")
    assert read_ranges(tmp_path / "ages.csv").ranges == found.ranges


def test_open_ends_are_cut_and_parts_left_out() -> None:
    given = {
        "Adult": "19 years and older",
        "Young": "19 to 24 years",
        "Old": "65 years and over",
        "Twin": "65 years and over",
        "Newborn": "the first 28 days",
        "Person": "no age",
    }
    found, left_out = ranges_below(groups(given), "Age Groups")
    assert [(one.label, one.low, one.high) for one in found.ranges] == [("Adult", 19, 65), ("Old", 65, None)]
    assert left_out == [
        "Newborn: less than one of years",
        "Person: its definition has no range of years",
        "Twin: within another",
        "Young: within another",
    ]


def test_faults() -> None:
    with pytest.raises(OntologyError, match="no concept below 'Age Groups' is defined by a range of pounds"):
        ranges_below(groups(TABLE_3_1), "Age Groups", "pounds")
    with pytest.raises(OntologyError, match="'A' and 'B' overlap"):
        ranges_below(groups({"A": "2 to 9 years", "B": "5 to 12 years"}), "Age Groups")
