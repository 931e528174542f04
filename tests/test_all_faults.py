"""Everything that is wrong with a table is told at once, with column, line, value and what to do."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from ontomask import Plan, anonymize
from ontomask.errors import Gathering, LinkingError, OntomaskError, PlanError, TableError

UGLY = """\
job,age,pay,admitted,hobby,note
nurse,31,1000,2024-01-05,chess,x
"teacher",4o,1200,2024-13-40,zzqy,x
cook,33,many,05/01/2024,golf,x
qwxyz,34,1100,2024-02-01,golf,x
"""
ROLES = {
    "job": {"role": "quasi-identifier", "ontology": "wordnet"},
    "age": {"role": "quasi-identifier", "kind": "numeric"},
    "pay": {"role": "quasi-identifier", "kind": "numeric"},
    "admitted": {"role": "quasi-identifier", "kind": "date"},
    "hobby": {"role": "quasi-identifier", "ontology": "wordnet"},
}


def refused(table: object, roles: dict[str, dict[str, str]], **settings: object) -> OntomaskError:
    with pytest.raises(OntomaskError) as caught:
        anonymize(table, Plan.from_dict({"attributes": roles, "privacy": {"k": 2}, **settings}))
    return caught.value


def test_every_column_in_one_message(tmp_path: Path) -> None:
    (tmp_path / "ugly.csv").write_text(UGLY)
    error = refused(tmp_path / "ugly.csv", ROLES, others="keep")
    assert [(fault.column, fault.line) for fault in error.faults] == [
        ("job", 5),
        ("age", 3),
        ("pay", 4),
        ("admitted", error.faults[3].line),
        ("hobby", 3),
    ]
    assert all(fault.remedy and fault.value for fault in error.faults)
    assert "ugly.csv, line 3: column 'age': '4o' is not a number; correct it" in str(error)
    told = str(error.without_values())
    assert not any(value in told for value in ("4o", "many", "qwxyz", "zzqy"))


def test_columns_that_are_not_there_and_values_that_are_wrong(tmp_path: Path) -> None:
    (tmp_path / "ugly.csv").write_text(UGLY)
    error = refused(tmp_path / "ugly.csv", {**ROLES, "town": {"role": "identifier"}})
    assert [fault.text for fault in error.faults][:2] == [
        "the table has no such column",
        "nobody decided what becomes of 'note'",
    ]
    assert {fault.column for fault in error.faults} >= {"age", "pay", "job"}
    few = refused(tmp_path / "ugly.csv", {"town": {"role": "quasi-identifier"}}, others="keep")
    assert isinstance(few, PlanError)


def test_columns_of_a_type_without_texts_together() -> None:
    table = pa.table({"a": [{"x": 1}], "b": [b"1"], "c": ["nurse"]})
    roles = {name: {"role": "quasi-identifier"} for name in "abc"}
    error = refused(table, roles)
    assert isinstance(error, TableError) and [fault.column for fault in error.faults] == ["a", "b"]


def test_errors_of_one_type_stay_of_that_type() -> None:
    for kinds, expected in (
        ([LinkingError, LinkingError], LinkingError),
        ([LinkingError, TableError], OntomaskError),
        ([PlanError], PlanError),
    ):
        faults = Gathering()
        for kind in kinds:
            with faults:
                raise kind("is wrong")
        with pytest.raises(OntomaskError) as caught:
            faults.raise_any()
        assert type(caught.value) is expected and len(caught.value.faults) == len(kinds)


def test_a_bug_is_not_gathered() -> None:
    faults = Gathering()
    with pytest.raises(ZeroDivisionError), faults:
        raise ZeroDivisionError
    faults.raise_any()
