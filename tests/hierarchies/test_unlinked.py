"""Values that no concept is known of: below the root, and nothing untrue is said of them."""

from __future__ import annotations

import pytest

from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.unlinked import with_unlinked

JOBS = Hierarchy.from_rows(
    "jobs",
    [["surgeon", "doctor", "person"], ["nun", "nun", "person"]],
    concepts={"doctor": "doctor.n.01"},
    notes=["a note"],
)


def test_they_stay_what_they_are_or_become_the_root() -> None:
    own = with_unlinked(JOBS, ["x", "y"])
    assert own.rows() == [
        ["surgeon", "doctor", "*"],
        ["nun", "nun", "*"],
        ["x", "x", "*"],
        ["y", "y", "*"],
    ]
    assert (own.concepts, own.notes, own.name) == (JOBS.concepts, JOBS.notes, "jobs")
    assert with_unlinked(JOBS, ["x"], "root").rows()[-1] == ["x", "*", "*"]
    assert with_unlinked(JOBS, []) is JOBS


@pytest.mark.parametrize("how", ["own-leaf", "root"])
def test_a_value_with_the_name_of_the_root_stays_a_value(how: str) -> None:
    people = Hierarchy.from_rows("t", [["person", "person", "person"], ["nun", "nun", "person"]])
    with_others = with_unlinked(people, ["x"], how)  # type: ignore[arg-type]
    assert with_others.values == ("person", "nun", "x")
    assert {row[-1] for row in with_others.rows()} == {"*"}
