"""Everything that is wrong with a table is told at once, with column, line, value and what to do."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
import xlsxwriter

from ontomask import Plan, anonymize
from ontomask.errors import Gathering, LinkingError, OntomaskError, PlanError, TableError
from ontomask.tables import TableOptions, open_table

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


# ---------------------------------------------------------------------- of a header

TWICE = "the column name 'a' stands twice (columns 1, 2); rename one"
NAMELESS = "column 3 has no name; give it one in the header"


@pytest.mark.parametrize(
    ("content", "faults"),
    [
        ("a,a,\n1,2,3\n4,5,6\n7,8\n9\n", [TWICE, NAMELESS, "line 4: expected 3 fields, found 2"]),
        ("a,a,\n7,8\n1,2,3\n1,2,3\n1,2,3\n", [TWICE, NAMELESS, "line 2: expected 3 fields, found 2"]),
        ("a,a,\n1,2,3\n4,5,6\n", [TWICE, NAMELESS]),
        ('a,a,\n1,2,3\n4,"5,6\n', [TWICE, NAMELESS, "line 3: a quote opens here and never closes"]),
        ('a,a,\n1,"x"y,3\n', [TWICE, NAMELESS, "line 2: text follows a closing quote"]),
        ("a,a,\n1,2,3\n1,2,3\n\nTotal,4,6\n", [TWICE, NAMELESS, "line 4: this looks like a note or a total"]),
        ('a,"a,\n1,2,3\n', ["line 1: a quote opens here and never closes"]),
        ("b,a,a,b,a\n1,2,3,4\n", [
            "'a' stands 3 times (columns 2, 3, 5)", "'b' stands twice (columns 1, 4)", "line 2: expected 5",
        ]),
        ("a,b,,\n1,2,3,4\n", ["columns 3, 4 have no name; give each one in the header"]),
    ],
)  # fmt: skip
def test_every_fault_of_a_header_and_the_first_line_that_does_not_fit_it(
    tmp_path: Path, content: str, faults: list[str]
) -> None:
    (tmp_path / "ugly.csv").write_text(content)
    with pytest.raises(TableError) as caught:
        open_table(tmp_path / "ugly.csv", TableOptions(separator=","))
    told = str(caught.value).splitlines()
    assert len(told) == len(faults)
    for line, fault in zip(told, faults, strict=True):
        assert line.startswith(str(tmp_path / "ugly.csv")) and fault in line


def test_every_fault_of_the_names_of_a_table_in_memory() -> None:
    with pytest.raises(TableError) as caught:
        open_table(pa.table([[1], [2], [3], [4]], names=["a", "a", " ", "\ufeffb"]))
    assert [fault.text for fault in caught.value.faults] == [
        "the column name 'a' stands twice (columns 1, 2)",
        "column 3 has no name",
        "the name of column 4 begins with a byte order mark (U+FEFF)",
    ]


# ---------------------------------------------------------------------- of what stands around a table

AROUND = [
    ["Ward 3, export of May"],
    ["for the registry"],
    ["job", "age", "pay"],
    ["nurse", "31", "1000"],
    ["cook", "4o", "1200"],
    ["qwxyz", "33", "many"],
    ["Total", "64", "2200"],
]
TOLD = [
    ("", 1, "rows 1 to 2 have no column names; row 3 looks like the header"),
    ("", 7, "this looks like a note or a total below the table, not a row of it"),
    ("job", 6, "1 of 3 values have no concept in wordnet"),
    ("age", 5, "'4o' is not a number"),
    ("pay", 6, "'many' is not a number"),
]


def written(folder: Path, kind: str, rows: list[list[str]]) -> Path:
    if kind == "sheet":
        with xlsxwriter.Workbook(folder / "ugly.xlsx") as book:
            sheet = book.add_worksheet("People")
            for at, row in enumerate(rows):
                sheet.write_row(at, 0, row)
        return folder / "ugly.xlsx"
    width = len(AROUND[2]) if kind == "padded text" else 0
    lines = [",".join(row + [""] * (width - len(row))) for row in rows]
    (folder / "ugly.csv").write_text("\n".join(lines) + "\n")
    return folder / "ugly.csv"


@pytest.mark.parametrize("kind", ["text", "padded text", "sheet"])
@pytest.mark.parametrize("blank", [False, True])
def test_titles_a_total_and_cells_of_all_columns_in_one_message(
    tmp_path: Path, kind: str, blank: bool
) -> None:
    rows = [*AROUND[:-1], *([[]] if blank else []), AROUND[-1]]
    rows = [[cell.replace(", ", " ") for cell in row] for row in rows]
    error = refused(written(tmp_path, kind, rows), {name: ROLES[name] for name in ("job", "age", "pay")})
    assert [(fault.column, fault.line) for fault in error.faults] == [(name, line) for name, line, _ in TOLD]
    for fault, (_, _, text) in zip(error.faults, TOLD, strict=True):
        assert text in fault.text and "ugly" in fault.file and fault.remedy
    assert not any(cell in str(error.without_values()) for cell in ("qwxyz", "4o", "many"))


@pytest.mark.parametrize("kind", ["text", "sheet"])
def test_what_stands_around_a_table_whose_plan_does_not_fit(tmp_path: Path, kind: str) -> None:
    rows = [["Ward 3"], *AROUND[2:]]
    error = refused(written(tmp_path, kind, rows), {"age": ROLES["age"], "town": {"role": "identifier"}})
    assert [fault.line for fault in error.faults] == [1, 6, 0, 0, 4]
    assert [fault.key for fault in error.faults[2:4]] == ["attributes.town", "attributes"]
    nothing_else = [row for row in rows if "4o" not in row]
    alone = refused(written(tmp_path, kind, nothing_else), {"age": ROLES["age"]}, others="keep")
    assert isinstance(alone, TableError) and [fault.line for fault in alone.faults] == [1, 5]


@pytest.mark.parametrize("kind", ["text", "sheet"])
def test_what_stands_around_a_table_whose_columns_have_no_names(tmp_path: Path, kind: str) -> None:
    rows = [["Ward 3"], ["job", "a", "", "b"], ["nurse", "1", "2", "3"], ["Total", "1", "2", "3"]]
    told = str(refused(written(tmp_path, kind, rows), {"b": ROLES["age"]}, others="keep"))
    for text in (
        "row 2 looks like the header",
        "column 3 has no name",
        "a total below",
    ):
        assert text in told
