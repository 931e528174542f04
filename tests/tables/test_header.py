"""Titles above the column names and notes below the table: found, said, and never released."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from hypothesis import given
from hypothesis import strategies as st

from ontomask import Plan, anonymize, evaluate, init
from ontomask.errors import TableError
from ontomask.tables import TableOptions, open_table
from ontomask.tables.header import header_at, header_of_text, note_below

ROWS = [["Ann", 31, "cook"], ["Bo", 32, "nurse"], ["Cy", 60, "cook"], ["Di", 61, "nurse"]]
TITLES = [["Hospital San Juan, export of 3 May"], [], ["confidential: Dr Ruiz"]]


def text_file(folder: Path, lines: list[list[Any]], padded: bool) -> Path:
    width = 3 if padded else 0
    rows = [[*map(str, row), *[""] * (width - len(row))] for row in lines]
    (folder / "a.csv").write_text("".join(";".join(row) + "\n" for row in rows))
    return folder / "a.csv"


def workbook(folder: Path, lines: list[list[Any]], down: int = 0) -> Path:
    with xlsxwriter.Workbook(folder / "a.xlsx") as book:
        sheet = book.add_worksheet("People")
        for at, row in enumerate(lines, down):
            for column, cell in enumerate(row):
                sheet.write(at, column, cell)
    return folder / "a.xlsx"


FILES = {
    "text": lambda folder, lines: text_file(folder, lines, padded=False),
    "padded text": lambda folder, lines: text_file(folder, lines, padded=True),
    "sheet": workbook,
}


@pytest.mark.parametrize("kind", FILES)
def test_titles_stop_the_reader_which_says_where_the_header_is(tmp_path: Path, kind: str) -> None:
    path = FILES[kind](tmp_path, [*TITLES, ["name", "age", "job"], *ROWS])
    with pytest.raises(TableError, match=r"row 4 looks like the header; set `table.header_row: 4`"):
        open_table(path)
    table = open_table(path, TableOptions(header_row=4))
    assert (table.names, table.n_rows) == (("name", "age", "job"), 4)
    assert table.notes == ("rows 1 to 3, above the column names, are not released",)
    assert table.line_of("name", "Bo") == 6


@pytest.mark.parametrize("kind", FILES)
def test_titles_are_not_released(tmp_path: Path, kind: str) -> None:
    path = FILES[kind](tmp_path, [*TITLES, ["name", "age", "job"], *ROWS])
    profile = init(path)
    assert profile.options.header_row == 4 and "header_row: 4" in profile.to_yaml()
    assert "rows 1 to 3, above the column names, are not released" in profile.notes
    plan = Plan.from_options(["age:numeric"], ["name"], ["job"], k=2, header_row=4)
    release = anonymize(path, plan)
    assert release.notes.count("rows 1 to 3, above the column names, are not released") == 1
    release.write(tmp_path / f"out{path.suffix}")
    written = open_table(tmp_path / f"out{path.suffix}")
    assert (written.names, written.n_rows) == (("age", "job"), 4)
    if path.suffix == ".csv":
        assert (tmp_path / "out.csv").read_text() == "age;job\n32;cook\n32;nurse\n60;cook\n60;nurse\n"


def test_rows_of_a_sheet_are_counted_as_the_sheet_does(tmp_path: Path) -> None:
    path = workbook(tmp_path, [["name", "age", "job"], *ROWS], down=3)
    assert open_table(path).line_of("name", "Ann") == 5
    assert open_table(path, TableOptions(header_row=4)).names == ("name", "age", "job")
    with pytest.raises(TableError, match="row 2 is empty"):
        open_table(path, TableOptions(header_row=2))


@pytest.mark.parametrize("kind", FILES)
def test_a_release_without_titles_is_judged_by_the_plan_that_has_them(tmp_path: Path, kind: str) -> None:
    path = FILES[kind](tmp_path, [*TITLES, ["name", "age", "job"], *ROWS])
    plan = Plan.from_options(["age:numeric"], ["name"], ["job"], k=2, header_row=4)
    release = anonymize(path, plan)
    release.write(tmp_path / "release.csv")
    assert evaluate(path, tmp_path / "release.csv", plan)["k_reached"] == 2
    population = plan.replace(privacy={"k_map": {"k": 2, "population": str(tmp_path / "release.csv")}})
    assert anonymize(path, population).figures["reached.k_map"] == 2


@pytest.mark.parametrize("kind", FILES)
def test_notes_below_stop_the_reader_which_names_the_line(tmp_path: Path, kind: str) -> None:
    below = [["Source: registry of the ward"]]
    path = FILES[kind](tmp_path, [["name", "age", "job"], *ROWS, *below])
    with pytest.raises(
        TableError, match="line 6: this looks like a note or a total below the table, not a row of it; remove"
    ):
        open_table(path)


def test_notes_below_a_blank_row(tmp_path: Path) -> None:
    path = workbook(tmp_path, [["name", "age", "job"], *ROWS, [], ["made by the ward office"]])
    with pytest.raises(TableError, match="line 6: this looks like a note"):
        open_table(path)


@pytest.mark.parametrize("name", ["Total", "TOTAL:", "Summe", "Total general", "Somme"])
@pytest.mark.parametrize("blank", [False, True])
@pytest.mark.parametrize("kind", FILES)
def test_totals_below_stop_the_reader(tmp_path: Path, kind: str, name: str, blank: bool) -> None:
    below = [*([[]] if blank else []), [name, "95", ""]]
    path = FILES[kind](tmp_path, [["name", "age", "job"], *ROWS, *below])
    with pytest.raises(TableError, match="line 6: this looks like a note or a total"):
        open_table(path)


@pytest.mark.parametrize(
    "rows",
    [
        [["Total", "1"], ["Partial", "2"], ["Total", "3"]],  # of a loss of sight
        [["Ann", "1", "a"], ["Total", "3", "b"]],
        [["Ann", "1"], ["Total", ""]],
        [["Ann", "1"], ["Totally", "2"]],
        [["a", "b", "c"], ["Mary Ann", "", ""], ["", "", ""]],
        [["a", "b"], ["", ""], ["note of mine", ""]],  # too narrow to tell
        [["a", "b", "c"], ["", "", ""], ["Ann", "", ""]],
        [["a", "b", "c"], ["", "", ""], ["", "some words here", ""]],
    ],
)
def test_sparse_rows_are_rows(rows: list[list[str]]) -> None:
    assert note_below(rows) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a,b\n1,2\n", 1),
        ("job\ncook, chef\nnurse\n", 1),
        ("Export\nname;age\nAnn;31\n", 2),
        ('"Export\nof May"\n\nname,age\nAnn,31\n', 4),
        ("x\n\n\n", 1),
        ("", 1),
    ],
)
def test_headers_of_texts(text: str, line: int) -> None:
    assert header_of_text(text, ",;\t|") == line


@given(st.lists(st.lists(st.sampled_from(["", "a", "b", "1", "c d"]), min_size=3, max_size=3), max_size=8))
def test_a_header_is_never_above_its_titles(rows: list[list[str]]) -> None:
    at = header_at(rows)
    filled = [sum(map(bool, row)) for row in rows]
    assert at == 0 or all(2 * n <= max(filled) < 2 * filled[at] for n in filled[:at])


def test_a_row_of_numbers_is_no_header() -> None:
    assert header_at([["Report", "", ""], ["1", "2", "3"], ["4", "5", "6"]]) == 0
    assert header_at([["Report", "", ""], ["a", "b", "c"], ["4", "5", "6"]]) == 1


def test_a_line_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TableError, match="there is no line 9"):
        open_table(tmp_path / "a.csv", TableOptions(header_row=9))
