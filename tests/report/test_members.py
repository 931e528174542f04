"""Single values of sets before and after, beside plain loops over the cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from ontomask.pipeline import Release
from ontomask.report import render_report
from ontomask.report.changes import Changes
from ontomask.report.members import member_rows
from report.html_of import Html

HOBBIES = ["chess", "cycling", "fishing", "hiking"]
cells = st.lists(st.sampled_from(HOBBIES), min_size=1, max_size=3, unique=True).map("; ".join) | st.none()


def masked(hobbies: list[str | None], k: int, **asked: Any) -> Release:
    plan = om.Plan.from_options([], k=k, method="sa-mdav", **asked)
    settings = {"role": "quasi-identifier", "ontology": "wordnet", "several": ";"}
    return om.anonymize(pa.table({"hobby": hobbies}), plan.replace(attributes={"hobby": settings}))


def people(hobbies: Iterable[str | None]) -> Counter[str]:
    return Counter(one.strip() for cell in hobbies if cell for one in cell.split(";"))


@settings(max_examples=30, deadline=None)
@given(st.lists(cells, min_size=8, max_size=30).filter(any), st.integers(2, 4))
def test_single_values_are_counted_as_plain_code_does_it(hobbies: list[str | None], k: int) -> None:
    release = masked(hobbies, k)
    had, has = people(hobbies), people(release.to_arrow()["hobby"].to_pylist())
    rows = member_rows(Changes.of(release, 0), ";")
    sets = Counter(tuple(sorted(cell.split("; "))) for cell in hobbies if cell)
    for row in rows:
        assert row.after == has[row.value]
        if row.before is not None and row.before > 0:
            assert row.before == had[row.value] >= k
            of_few = sum(n for one, n in sets.items() if row.value in one and n < k)
            assert of_few == 0 or of_few >= k
        elif row.before == 0:
            assert had[row.value] == 0
    inside = member_rows(Changes.of(release, 0, internal=True), ";")
    assert {row.value: row.before for row in inside if row.before} == had


def test_a_single_value_is_counted_alone_and_beside_others() -> None:
    hobbies = ["cycling"] * 4 + ["chess; cycling"] * 4 + ["hiking"] * 6
    release = masked([*hobbies], 4)
    assert [(row.value, row.before) for row in member_rows(Changes.of(release, 0), ";")] == [
        ("cycling", 8),
        ("hiking", 6),
        ("chess", 4),
    ]
    page = Html(render_report(release))
    assert {"cycling 8 8", "hiking 6 6", "chess 4 4"} <= {*page.texts("tr")}


def test_people_in_rare_combinations_are_not_told_as_a_difference() -> None:
    """Ten have cycling alone, which is told: eleven have it would tell of the one with fishing, too."""
    release = masked(["cycling"] * 10 + ["cycling; fishing"] + ["hiking"] * 8, 4)
    (row,) = [row for row in member_rows(Changes.of(release, 0), ";") if row.value == "cycling"]
    assert row.before is None
    assert not any(row.value == "fishing" and row.before for row in member_rows(Changes.of(release, 0), ";"))
