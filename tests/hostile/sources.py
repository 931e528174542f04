"""A generated table as a file or an object, written by other libraries than the product's own code.

`put(case, folder)` gives what is handed to the product. One writer for each way in; a way without one is
told by a test.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from hostile.cases import TEXTS, Case, yaml_text

STEM = "clinic-of-doctor-who"  # the input's name, which no release may tell


def put(case: Case, folder: Path) -> Any:
    """Write what the case needs into a folder; the table's path, or the table itself."""
    for name, content in case.files.items():
        (folder / name).write_text(content, encoding="utf-8")
    if case.way != "api":
        (folder / "plan.yaml").write_text(yaml_of(case.plan), encoding="utf-8")
    return WRITERS[case.source](case, folder / STEM)


def yaml_of(value: Any) -> str:
    """Nested dicts as YAML in flow style."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{yaml_text(str(k))}: {yaml_of(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(yaml_of, value)) + "]"
    return yaml_text(value) if isinstance(value, str) else json.dumps(value)


# ---------------------------------------------------------------------- text


def delimited(case: Case) -> bytes:
    """The table as delimited text in the case's dialect."""
    dialect, rows = case.dialect, zip(*(column.cells for column in case.columns), strict=True)
    separator, quotes = dialect["separator"], dialect["quotes"]

    def field(text: str, at: int) -> str:
        needs = any(mark in text for mark in f'{separator}"\r\n') or (not text and len(case.columns) == 1)
        if needs or quotes == "all" or (quotes == "some" and at % 2 and text):
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = [[column.name for column in case.columns], *([str(cell) for cell in row] for row in rows)]
    text = dialect["newline"].join(
        separator.join(field(text, at + row) for at, text in enumerate(line))
        for row, line in enumerate(lines)
    )
    return (text + dialect["newline"] * dialect["last newline"]).encode(dialect["encoding"])


def _text(suffix: str) -> Callable[[Case, Path], Path]:
    def write(case: Case, stem: Path) -> Path:
        path = stem.with_suffix(suffix)
        path.write_bytes(delimited(case))
        return path

    return write


# ---------------------------------------------------------------------- typed


def arrow(case: Case) -> pa.Table:
    """The table as Arrow; columns of mixed kinds are text."""
    columns = {}
    for column in case.columns:
        kinds = {type(cell) for cell in column.cells if cell is not None}
        is_one = len(kinds) <= 1
        cells = [c if c is None or is_one else str(c) for c in column.cells]
        columns[column.name] = pa.array(cells, pa.string() if not kinds or not is_one else None)
        if case.seed % 5 == 0 and kinds == {str}:
            columns[column.name] = columns[column.name].dictionary_encode()
    return pa.table(columns, metadata={"note": f"made for {case.token}"} if case.seed % 3 == 0 else None)


def _parquet(case: Case, stem: Path) -> Path:
    path = stem.with_suffix(".parquet")
    pa.parquet.write_table(arrow(case), path)
    return path


def _arrow(suffix: str) -> Callable[[Case, Path], Path]:
    def write(case: Case, stem: Path) -> Path:
        path = stem.with_suffix(suffix)
        pa.feather.write_feather(arrow(case), path, compression="uncompressed")
        return path

    return write


def _folder(case: Case, stem: Path) -> Path:
    table = arrow(case)
    stem.mkdir()
    half = table.num_rows // 2
    for at, part in enumerate([table.slice(0, half), table.slice(half)]):
        pa.parquet.write_table(part, stem / f"part{at}.parquet")
    return stem


def _xlsx(case: Case, stem: Path) -> Path:
    import openpyxl

    path = stem.with_suffix(".xlsx")
    book = openpyxl.Workbook()
    book.properties.creator = case.token
    sheet = book.active
    sheet.title = "people"  # what becomes of a telling name, `canaries` looks at
    for at, column in enumerate(case.columns, 1):
        for row, value in enumerate([column.name, *column.cells], 1):
            if value is None:
                continue
            cell = sheet.cell(row, at)
            cell.value = value
            if isinstance(value, str):
                cell.data_type = "s"  # a text that looks like a formula is a text
    book.save(path)
    return path


def _duckdb(case: Case, stem: Path) -> Path:
    import duckdb

    path = stem.with_suffix(".duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.register("given", arrow(case))
        connection.sql("CREATE TABLE people AS SELECT * FROM given")
    return path


def _ibis(case: Case, stem: Path) -> Any:
    import ibis

    return ibis.duckdb.connect().create_table("people", arrow(case))


def _polars(case: Case, stem: Path) -> Any:
    import polars

    return polars.from_arrow(arrow(case))


WRITERS: dict[str, Callable[[Case, Path], Any]] = {
    **{suffix: _text(suffix) for suffix in TEXTS},
    "by duckdb": _text(".csv"),
    ".parquet": _parquet,
    **{suffix: _arrow(suffix) for suffix in (".arrow", ".feather", ".ipc")},
    ".xlsx": _xlsx,
    ".duckdb": _duckdb,
    "folder": _folder,
    "pandas": lambda case, stem: arrow(case).to_pandas(),
    "polars": _polars,
    "pyarrow": lambda case, stem: arrow(case),
    "ibis": _ibis,
}
