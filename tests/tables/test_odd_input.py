"""Files, values and names that nobody expects are read, or refused in words: no traceback, no hang."""

from __future__ import annotations

import os
import shutil
import socket
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import xlsxwriter

from ontomask.errors import OntomaskError, TableError
from ontomask.tables import TableOptions, open_table

SUFFIXES = ("csv", "parquet", "arrow", "xlsx", "duckdb")
ENGINES = ("auto", "duckdb")
SMALL = pa.table({"a": ["x", "y"], "b": [1, 2]})


def small(folder: Path, suffix: str) -> Path:
    path = folder / f"small.{suffix}"
    open_table(SMALL).released().write(path)
    return path


# ---------------------------------------------------------------------- files


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_no_file_is_not_read(tmp_path: Path, suffix: str, engine: Any) -> None:
    os.mkfifo(tmp_path / f"pipe.{suffix}")
    (tmp_path / f"device.{suffix}").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / f"s.{suffix}"))
        for name in ("pipe", "device", "s"):
            with pytest.raises(TableError, match="not a regular file"):
                open_table(tmp_path / f"{name}.{suffix}", TableOptions(engine=engine))
    (tmp_path / f"loop.{suffix}").symlink_to(tmp_path / f"loop.{suffix}")
    with pytest.raises(TableError, match="no such file"):
        open_table(tmp_path / f"loop.{suffix}", TableOptions(engine=engine))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_content(tmp_path: Path, suffix: str, engine: Any) -> None:
    whole = small(tmp_path, suffix).read_bytes()
    for content in (b"", b"\xff\xfe\xfd" * 200, whole[: len(whole) // 2] + b"\xff"):
        (tmp_path / f"bad.{suffix}").write_bytes(content)
        with pytest.raises(TableError):
            open_table(tmp_path / f"bad.{suffix}", TableOptions(engine=engine))


def test_folders_and_patterns_that_are_no_tables(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.parquet")
    for path, message in (
        (tmp_path, "is not a regular file"),
        (tmp_path / "*.parquet", "is not a regular file"),
        (tmp_path / "**x.parquet", "is no pattern"),
        ("[.parquet", "no file fits"),
        ("~nobody/x.csv", "no such file"),
        ("a\0b.csv", "no such file"),
    ):
        with pytest.raises(TableError, match=message):
            open_table(path)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_of_files_that_are_not_utf8(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / os.fsdecode(b"\xff\xfe." + suffix.encode())
    shutil.copy(small(tmp_path, suffix), path)
    if suffix == "duckdb":
        with pytest.raises(TableError, match="name is not UTF-8"):
            open_table(path)
        with pytest.raises(TableError, match="name is not UTF-8"):
            open_table(SMALL).released().write(path)
    else:
        open_table(path).released().write(path)
        assert open_table(path).n_rows == 2


def test_a_source_that_is_none_any_more_does_not_stop_its_release(tmp_path: Path) -> None:
    table = open_table(small(tmp_path, "parquet"))
    (tmp_path / "small.parquet").write_bytes(b"not Parquet any more")
    table.released().write(tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").to_pydict() == SMALL.to_pydict()


# ---------------------------------------------------------------------- text


@pytest.mark.parametrize(
    "encoding",
    ["hex", "base64", "zip", "rot13", "uu", "idna", "punycode", "undefined", "unicode_escape", "a\0b"],
)
def test_codecs_that_are_no_encoding_of_files(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(TableError, match="there is no encoding"):
        open_table(small(tmp_path, "csv"), TableOptions(encoding=encoding))


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-le", "utf-32-be", "utf-16", "utf-16-be"])
def test_wide_encodings_are_written_as_they_were(tmp_path: Path, encoding: str) -> None:
    text = "a,b\n" + "x,é\n" * 70_000  # more than one piece
    (tmp_path / "in.csv").write_bytes(text.encode(encoding))
    table = open_table(tmp_path / "in.csv", TableOptions(encoding=encoding))
    table.released().write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == text.encode(encoding)
    with pytest.raises(TableError, match=r"not UTF-8|is UTF-|a zero byte"):
        open_table(tmp_path / "in.csv", TableOptions(encoding="utf-8"))


def test_the_mark_of_utf_32_is_told_from_that_of_utf_16(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes("a\nx\n".encode("utf-32"))
    with pytest.raises(TableError, match="is UTF-32; set the encoding to utf-32"):
        open_table(tmp_path / "in.csv", TableOptions(encoding="utf-8"))
    assert open_table(tmp_path / "in.csv").notes == ("the file is UTF-32, as its byte order mark says",)


def test_one_endless_line(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_bytes(b"x" * 3_000_000)
    with pytest.raises(TableError, match="no rows"):
        open_table(tmp_path / "in.csv")
    (tmp_path / "in.csv").write_bytes(b"," * 1_000_000 + b"\n")
    with pytest.raises(TableError, match=r"1,000,001 columns; at most 200,000"):
        open_table(tmp_path / "in.csv")


# ---------------------------------------------------------------------- values and names

ODD: dict[str, pa.Array] = {
    "small decimals": pa.array([Decimal("1.5"), None], pa.decimal32(5, 2)),
    "large decimals": pa.array([Decimal("9" * 60), None], pa.decimal256(70, 5)),
    "a far year": pa.array([290_000 * 31_556_952 * 10**6, None], pa.timestamp("us")),
    "the end of time": pa.array([2**62, None], pa.timestamp("s")),
    "a zone that is none": pa.array([1, None], pa.timestamp("ms", "Nowhere/X")),
    "an offset": pa.array([1, None], pa.timestamp("ms", "+05:30")),
    "far days": pa.array([2**31 - 1, None], pa.date32()),
    "nanoseconds of a day": pa.array([1, None], pa.time64("ns")),
    "times after midnight": pa.array([2**62, None], pa.time64("us")),
    "durations": pa.array([2**62, None], pa.duration("s")),
    "intervals": pa.array([pa.MonthDayNano([1, 2, 3]), None]),
    "bytes": pa.array([b"\xff", None]),
    "nothing": pa.nulls(2),
    "runs": pc.run_end_encode(pa.array(["a", "a"])),
    "views": pa.array(["a" * 30, None], pa.string_view()),
    "lists of views": pa.array([[1], None], pa.list_view(pa.int64())),
    "maps": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())),
    "unions": pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array([1, 2])]),
    "huge numbers": pa.array([1e300, float("-inf")]),
    "no number": pa.array([float("nan"), None]),
    "ranked numbers": pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), [3, 4], ordered=True),
    "no category": pa.DictionaryArray.from_arrays(
        pa.array([None, None], pa.int8()), pa.array([], pa.string()), ordered=True
    ),
    "control characters": pa.array(["\x01\x1f", "a\r\nb\r"]),
    "what looks escaped": pa.array(["_x0041_", "=1+1"]),
    "no characters": pa.array(["\ufffe", "\uffff"]),
    "long text": pa.array(["x" * 40_000, None]),
    "an identifier": pa.array([b"0" * 16, None], pa.uuid()),
}  # fmt: skip


@pytest.mark.parametrize("engine", ["object", "memory", "duckdb"])
@pytest.mark.parametrize("kind", list(ODD))
def test_values_of_odd_kinds_are_kept_or_refused(tmp_path: Path, kind: str, engine: Any) -> None:
    source: Any = pa.table({"odd": ODD[kind], "plain": ["a", "b"]})
    options = TableOptions()
    if engine != "object":
        try:
            pq.write_table(source, tmp_path / "in.parquet")
        except pa.ArrowException:
            pytest.skip("Parquet has no such type")
        source, options = tmp_path / "in.parquet", TableOptions(engine=engine)
    try:
        table = open_table(source, options)
    except TableError as error:
        assert kind == "times after midnight", error
        return
    try:
        texts = table.distinct("odd")[0]
    except TableError:
        texts = []  # without a text; it may be written nevertheless
    release = table.released()
    for use in (release.to_arrow, release.to_pandas, release.to_polars):
        try:
            assert len(use()) == 2
        except TableError as error:
            assert "no place for a value" in str(error) or "DuckDB cannot read" in str(error)
    for suffix in SUFFIXES:
        try:
            release.write(tmp_path / f"out.{suffix}")
        except OntomaskError:
            continue
        written = open_table(tmp_path / f"out.{suffix}")
        assert (written.n_rows, written.names) == (2, ("odd", "plain"))
        if (
            texts and suffix != "duckdb" and kind != "an identifier"
        ):  # has times in UTC only; has no text here
            assert written.distinct("odd")[0] == texts, suffix


def test_damaged_text_in_arrow_is_refused() -> None:
    ends = np.array([0, 1, 2], np.int32).tobytes()
    text = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(ends), pa.py_buffer(b"\xff\xfe")])
    with pytest.raises(TableError, match=r"column 'a': .*cannot be read"):
        open_table(pa.table({"a": text}))
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 7], pa.int8()), ["x"], safe=False)
    with pytest.raises(TableError, match=r"column 'a': .*cannot be read"):
        open_table(pa.table({"a": codes}))


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["x", "y"])])
def test_categories_of_polars_in_every_format(tmp_path: Path, kind: Any) -> None:
    release = open_table(pl.DataFrame({"a": pl.Series(["x", "y"], dtype=kind)})).released()
    for suffix in SUFFIXES:
        release.write(tmp_path / f"out.{suffix}")
        assert open_table(tmp_path / f"out.{suffix}").distinct("a")[0] == ["x", "y"]


@pytest.mark.parametrize("name", ["a\nb", "a\x01b\x7f", "a\"b'c", "n" * 5000, " a ", "_x0041_", "\u202e"])
def test_odd_names_of_columns_are_kept(tmp_path: Path, name: str) -> None:
    release = open_table(SMALL.rename_columns([name, "b"])).released()
    for suffix in SUFFIXES:
        release.write(tmp_path / f"out.{suffix}")
        assert open_table(tmp_path / f"out.{suffix}").names == (name, "b"), suffix


def test_names_that_cannot_be_kept_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "twice.parquet")
    pq.write_table(pa.table([[1], [2]], names=["a", "A"]), tmp_path / "case.parquet")
    for engine in ENGINES:
        with pytest.raises(TableError, match="'a' stands twice"):
            open_table(tmp_path / "twice.parquet", TableOptions(engine=engine))  # type: ignore[arg-type]
    with pytest.raises(TableError, match="does not tell the columns 'a' and 'A' apart"):
        open_table(tmp_path / "case.parquet", TableOptions(engine="duckdb"))
    with pytest.raises(TableError, match="does not tell the columns 'a' and 'A' apart"):
        open_table(tmp_path / "case.parquet").released().write(tmp_path / "out.duckdb")
    for library in (pa.table, pd.DataFrame, pl.DataFrame):
        with pytest.raises(TableError, match="column 1 is not valid text"):
            open_table(library({"a\0b": [1]}))
    with pytest.raises(TableError, match="no columns"):
        open_table(pa.table({}))
    assert not (tmp_path / "out.duckdb").exists()


# ---------------------------------------------------------------------- workbooks

_SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData>'
    "</worksheet>"
)


def workbook(path: Path, rows: str) -> Path:
    """A workbook whose sheet is as written here."""
    with xlsxwriter.Workbook(str(path)) as book:
        book.add_worksheet().write(0, 0, "a")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/worksheets/sheet1.xml"] = _SHEET.format(rows).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


HEAD = '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>'


@pytest.mark.parametrize(
    ("rows", "extent"),
    [
        ('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>', "1,048,576 rows and 16,384 columns"),
        ("<row><c  s='1' r = 'XFD1048576'><v>1</v></c></row>", "1,048,577 rows and 16,384 columns"),
        ("<row>" + "<c/>" * 1000 + "</row>" + "<row/>" * 60_000 + "<row><c/></row>", "60,003 rows and 1,001"),
        ('<x:row r="9999999"><x:c r="ZZ1"/></x:row>', "9,999,999 rows and 702 columns"),
    ],
)  # fmt: skip
def test_cells_far_apart_take_no_memory(tmp_path: Path, rows: str, extent: str) -> None:
    with pytest.raises(TableError, match=f"reaches over {extent}.*at most 50,000,000 cells"):
        open_table(workbook(tmp_path / "in.xlsx", HEAD + rows))


def test_rows_and_cells_without_numbers_are_read(tmp_path: Path) -> None:
    head = '<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row>'
    table = open_table(
        workbook(tmp_path / "in.xlsx", head + "<row><c><v>1</v></c><c><v>2</v></c></row>" * 9000)
    )
    assert (table.n_rows, table.names) == (9000, ("a", "b"))


def test_a_workbook_that_unpacks_to_more_than_it_says(tmp_path: Path) -> None:
    path = workbook(tmp_path / "in.xlsx", HEAD + " " * 3_000_000)
    said, less = (n.to_bytes(4, "little") for n in (len(_SHEET) - 2 + len(HEAD) + 3_000_000, 1000))
    content = path.read_bytes()
    assert content.count(said) == 2
    path.write_bytes(content.replace(said, less))
    with pytest.raises(TableError, match="not a readable workbook"):
        open_table(path)


def test_a_workbook_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ontomask.tables.archive._MOST_BYTES", 1_000_000)
    with pytest.raises(TableError, match=r"unpacks to [\d,]+ bytes; at most 1,000,000"):
        open_table(workbook(tmp_path / "in.xlsx", HEAD + " " * 1_000_000))


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("<v>1e300</v>", "1e+300"), ("<v>NaN</v>", None),
        ("<v>1e-2147483650</v>", "0"), ("<v>99999999999999999999</v>", "1e+20"),
        ("<f>1+1</f><v>2</v>", "2"),
    ],
)  # fmt: skip
def test_numbers_of_a_sheet(tmp_path: Path, cell: str, text: str | None) -> None:
    rows = f'{HEAD}<row r="2"><c r="A2">{cell}</c></row><row r="3"><c r="A3"><v>7</v></c></row>'
    table = open_table(workbook(tmp_path / "in.xlsx", rows))
    assert set(table.distinct("a")[0]) == {text, "7"}
    for suffix in ("xlsx", "csv"):
        table.released().write(tmp_path / f"out.{suffix}")
        assert set(open_table(tmp_path / f"out.{suffix}").distinct("a")[0]) == {text, "7"}


@pytest.mark.parametrize("number", ["inf", "-inf", "1e400"])
def test_a_number_beyond_all_is_refused(tmp_path: Path, number: str) -> None:
    """It would be released as `inf`, which is not what the cell says."""
    rows = f'{HEAD}<row r="2"><c r="A2"><v>7</v></c></row><row r="3"><c r="A3"><v>{number}</v></c></row>'
    with pytest.raises(TableError, match="line 3: a cell holds a number that is too large"):
        open_table(workbook(tmp_path / "in.xlsx", rows))


@pytest.mark.parametrize(
    ("cell", "text"),
    [('t="e"><v>#DIV/0!</v>', None), ('t="b"><v>1</v>', "true"), ('t="str"><v>x</v>', "x")],
)
def test_other_cells_of_a_sheet(tmp_path: Path, cell: str, text: str | None) -> None:
    rows = f'{HEAD}<row r="2"><c r="A2" {cell}</c></row><row r="3"><c r="A3" t="str"><v>y</v></c></row>'
    table = open_table(workbook(tmp_path / "in.xlsx", rows))
    assert set(table.distinct("a")[0]) == {text, "y"}


def test_more_columns_than_a_sheet_has(tmp_path: Path) -> None:
    wide = pa.table({f"c{at}": [1] for at in range(16_385)})
    with pytest.raises(TableError, match="a sheet holds 16,384 columns, not 16,385"):
        open_table(wide).released().write(tmp_path / "out.xlsx")


# ---------------------------------------------------------------------- wide tables


def test_thirty_thousand_columns_of_text(tmp_path: Path) -> None:
    names = [f"c{at}" for at in range(30_000)]
    (tmp_path / "in.csv").write_text(",".join(names) + "\n" + f"{','.join('x' * 30_000)}\n" * 3)
    table = open_table(tmp_path / "in.csv")
    assert table.tuples(["c5", "c29999"]).counts.tolist() == [3]
    table.released(drop=["c7"]).write(tmp_path / "out.csv")
    assert len(open_table(tmp_path / "out.csv").names) == 29_999


def test_duckdb_is_told_in_words_that_a_value_is_damaged(tmp_path: Path) -> None:
    pq.write_table(pa.table({"odd": ODD["times after midnight"]}), tmp_path / "in.parquet")
    with pytest.raises(TableError, match="DuckDB cannot read"):
        open_table(tmp_path / "in.parquet", TableOptions(engine="duckdb")).distinct("odd")


def test_a_name_that_begins_with_a_byte_order_mark(tmp_path: Path) -> None:
    """As the first of a text file it would be taken for the mark of the file, and lost."""
    for source in (pa.table({"b": [1], "\ufeffa": [2]}), _written(tmp_path / "t.csv", "b,\ufeffa\n1,2\n")):
        with pytest.raises(TableError, match="the name of column 2 begins with a byte order mark"):
            open_table(source)
    assert open_table(_written(tmp_path / "u.csv", "\ufeffb,a\n1,2\n")).names == ("b", "a")


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
