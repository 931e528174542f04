"""Files of Stata, SPSS and SAS: variables with labels, whose values may be codes with labels.

Codes are read as their labels, which mean something, and written back as codes where a column is not masked
or every new value has one. SAS keeps labels in a catalog beside the table. What the file says beside its
cells (notes, file label, labels of values that no row has) does not travel along; labels of variables do.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ontomask.errors import TableError, said_by
from ontomask.tables.arrow import ArrowTable, number_text
from ontomask.tables.memory import Rewriting
from ontomask.tables.options import TableOptions

if TYPE_CHECKING:
    import pyarrow as pa

_READERS = {
    ".dta": "read_dta",
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".xpt": "read_xport",
    ".sas7bdat": "read_sas7bdat",
}
_CATALOG = ".sas7bcat"
_WRITERS = {".dta": "write_dta", ".sav": "write_sav"}
_EXACT = 2**53


class Variable(NamedTuple):
    """A column as stored: its codes where they are read as labels, these labels, and what it is called."""

    codes: list[Any] | None
    labels: Mapping[Any, str]
    title: str | None


class StatisticalTable(ArrowTable):
    """A file of a statistics program."""

    def __init__(
        self,
        table: pa.Table,
        variables: Mapping[str, Variable],
        options: TableOptions,
        path: Path,
        digest: str,
    ) -> None:
        super().__init__(table, str(path), options, path, digest=digest)
        self._variables = variables
        partly = [n for n, one in variables.items() if one.labels and one.codes is None]
        if options.values == "labels":
            self.notes = tuple(f"column {name!r} is read as codes: not all have a label" for name in partly)

    def write_own(self, path: Path, suffix: str, rewriting: Rewriting) -> TableOptions | None:
        """Write codes with their labels, and the labels of variables."""
        if suffix not in _WRITERS:
            return None
        table = self.rewritten(rewriting)
        columns, labels = {}, {}
        for name in table.column_names:
            columns[name], found = self._stored(name, table.column(name), rewriting)
            if found:
                labels[name] = found
        titles = {name: self._variables[name].title for name in table.column_names}
        _write(path, columns, labels, {name: title for name, title in titles.items() if title})
        return self.options

    def _stored(self, name: str, column: pa.ChunkedArray, rewriting: Rewriting) -> tuple[Any, dict[Any, str]]:
        """A released column as it is stored, with the labels of the codes that it has."""
        import pyarrow as pa

        one = self._variables[name]
        if one.codes is None:
            if name in rewriting.masked or not one.labels:
                return column, {}
            there = set(column.unique().to_pylist())
            return column, {code: label for code, label in one.labels.items() if code in there}
        if name not in rewriting.masked:
            keep = [True] * self.n_rows if rewriting.rows is None else rewriting.rows.tolist()
            codes = [code for code, kept in zip(one.codes, keep, strict=True) if kept]
        else:
            code_of = {label: code for code, label in reversed([*one.labels.items()])}
            texts = column.to_pylist()
            if not all(text is None or text in code_of for text in texts):
                return column, {}  # a generalisation, or a range, has no code
            codes = [None if text is None else code_of[text] for text in texts]
        return pa.array(codes), {code: one.labels[code] for code in {*codes} - {None}}


def open_file(path: Path, options: TableOptions) -> StatisticalTable:
    """Read a file of Stata, SPSS or SAS."""
    import pyarrow as pa

    pyreadstat = _library(path)
    content = path.read_bytes()
    cells, notes = _read(getattr(pyreadstat, _READERS[path.suffix.lower()]), path, content, options)
    labels_of, catalog = dict(notes.variable_value_labels), None
    if path.suffix.lower() == ".sas7bdat" and options.values == "labels":
        catalog = catalog_beside(path)
    if catalog is not None:
        _, formats = _read(pyreadstat.read_sas7bcat, catalog, catalog.read_bytes(), options)
        labels_of |= labels_by_format(notes.variable_to_label, formats.value_labels)
    variables, columns = {}, []
    for name, values in cells.items():
        labels = labels_of.get(name, {})
        there = {value for value in values if value is not None}
        is_labelled = options.values == "labels" and bool(labels) and there <= labels.keys()
        title = notes.column_names_to_labels.get(name)
        variables[name] = Variable(list(values) if is_labelled else None, labels, title)
        columns.append(_column([labels.get(value) for value in values] if is_labelled else values))
    table = pa.table(columns, names=[*cells])
    opened = StatisticalTable(table, variables, options, path, hashlib.sha256(content).hexdigest())
    if catalog is not None:
        opened.notes = (*opened.notes, "codes are read as the labels of the SAS catalog beside the table")
    return opened


def _read(read: Any, path: Path, content: bytes, options: TableOptions) -> tuple[Any, Any]:
    """What the library makes of a file: cells, and notes on them."""
    given = {} if options.encoding is None else {"encoding": options.encoding}
    try:
        cells, notes = read(BytesIO(content), output_format="dict", **given)
    except Exception as error:  # of a damaged file the library raises whatever its parser stumbles over
        is_catalog = path.suffix.lower() == _CATALOG
        raise TableError(
            "not a readable catalog of SAS" if is_catalog else "not a readable file of Stata, SPSS or SAS",
            file=str(path),
            details=said_by(error),
            remedy="move it away, or read codes: `table.values: codes`" if is_catalog else "",
        ) from error
    return cells, notes


def catalog_beside(path: Path) -> Path | None:
    """The SAS catalog that holds the labels of a table: of its name, or of the name that SAS gives it."""
    wanted = [name.casefold() + _CATALOG for name in (path.stem, "formats")]
    there = {one.name.casefold(): one for one in path.parent.iterdir() if one.is_file()}
    return next((there[name] for name in wanted if name in there), None)


def labels_by_format(
    format_of: Mapping[str, str], formats: Mapping[str, Mapping[Any, str]]
) -> dict[str, Mapping[Any, str]]:
    """The labels of each variable whose format a catalog has; names of formats have no case.

    >>> labels_by_format({"sex": "sexf.", "age": "BEST"}, {"SEXF": {1.0: "male", 2.0: "female"}})
    {'sex': {1.0: 'male', 2.0: 'female'}}
    """
    known = {_format_name(name): labels for name, labels in formats.items()}
    wanted = {name: _format_name(one or "") for name, one in format_of.items()}
    return {name: known[one] for name, one in wanted.items() if one in known}


def _format_name(name: str) -> str:
    return name.rstrip(".").upper()


def write_file(path: Path, table: pa.Table, like: Path | None) -> None:
    """Write an Arrow table, without labels."""
    _write(path, {name: table.column(name) for name in table.column_names}, {}, {})


def _write(
    path: Path, columns: Mapping[str, Any], labels: Mapping[str, Mapping[Any, str]], titles: Mapping[str, str]
) -> None:
    pyreadstat = _library(path)
    try:
        import pandas  # noqa: F401 - what the writer takes
    except ImportError:
        raise _not_installed(path) from None
    import pyarrow as pa

    frame = pa.table({name: _storable(name, one) for name, one in columns.items()}).to_pandas()
    try:
        write = getattr(pyreadstat, _WRITERS[path.suffix.lower()])
        write(frame, path, column_labels=dict(titles), variable_value_labels=dict(labels))
    except (
        pyreadstat.ReadstatError,
        pyreadstat.PyreadstatError,
        UnicodeError,
        ValueError,
        OverflowError,
    ) as error:
        raise TableError(
            f"a {path.suffix} file has no place for this release",
            details=said_by(error),
            remedy="rename the column, or write CSV or Parquet",
        ) from error


def _storable(name: str, column: Any) -> pa.Array:
    """Values of types that these programs have: numbers of 64 bits, texts, days and times."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from ontomask.tables.arrow import raw_column

    t, kind = pa.types, column.type
    if t.is_integer(kind):
        largest = max((abs(end or 0) for end in pc.min_max(column).as_py().values()), default=0)
        if largest > _EXACT:
            raise TableError(
                f"a number of more than {_EXACT:,} has no place", column=name, remedy="write Parquet"
            )
        return column.cast(pa.float64())
    if t.is_floating(kind) or t.is_decimal(kind):
        return column.cast(pa.float64())
    if t.is_date32(kind) or (t.is_timestamp(kind) and kind.tz is None):
        return column
    read = raw_column(name, pa.chunked_array([column]) if isinstance(column, pa.Array) else column)
    return pa.array(read.texts, pa.string()).take(pa.array(read.codes)).fill_null("")


def _column(values: Sequence[Any]) -> pa.Array:
    """An Arrow column of the kind that its values share, else of text; whole numbers as such."""
    import pyarrow as pa

    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {int, float}:
        is_whole = all(v is None or (float(v).is_integer() and abs(v) <= _EXACT) for v in values)
        return pa.array([None if v is None else int(v) for v in values] if is_whole else values)
    if kinds == {dt.date}:
        return pa.array(values, pa.date32())
    if kinds == {dt.datetime}:
        return pa.array(values, pa.timestamp("us"))
    return pa.array([_text(value) for value in values], pa.string())


def _text(value: Any) -> str | None:
    return (
        number_text(float(value))
        if isinstance(value, (int, float))
        else None
        if value is None
        else str(value)
    )


def _library(path: Path) -> Any:
    try:
        import pyreadstat
    except ImportError:
        raise _not_installed(path) from None
    return pyreadstat


def _not_installed(path: Path) -> TableError:
    return TableError(
        "files of Stata, SPSS and SAS need two more packages",
        file=str(path),
        remedy="pip install 'ontomask[stat]'",
    )
