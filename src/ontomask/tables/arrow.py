"""Tables held as Arrow: Parquet and Arrow files, and tables of pandas, polars and pyarrow.

Columns that are not masked keep their type. A masked column keeps it where every new value fits it, and
becomes text where one does not (a range such as `30-39` in a column of integers). What else a table says is
left behind (`tables.cells`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.errors import Gathering, TableError, said_by
from ontomask.tables.cells import copied, own_dtypes, plain, with_dtypes
from ontomask.tables.coded import RawColumn
from ontomask.tables.memory import MemoryTable, NewTexts, Rewriting
from ontomask.tables.options import TableOptions, checked_names

if TYPE_CHECKING:
    import pyarrow as pa

BETWEEN = ";"
"""Between the texts of a list where it is read as one."""
_FRACTION = re.compile(r"\.\d+")


class ArrowTable(MemoryTable):
    """A table in memory. `index` labels the rows of a data frame; it is no column and is not written."""

    def __init__(
        self,
        table: pa.Table,
        label: str,
        options: TableOptions,
        path: Path | None = None,
        index: Any = None,
        digest: str | None = None,
    ) -> None:
        super().__init__(table.column_names, table.num_rows, label, path, options)
        self.table, self._dtypes, self._index = plain(table), own_dtypes(table), index
        self._file_digest = digest

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file, or of names, types and values if there is none."""
        return self._file_digest or _content_digest(self.table)

    @property
    def lists(self) -> Mapping[str, str]:
        """The columns whose cells are lists, each with what stands between members where it is read."""
        return lists_in(self.table.schema)

    @property
    def without_text(self) -> frozenset[str]:
        """The columns whose cells cannot be read as texts."""
        return textless_in(self.table.schema)

    def typed_numbers(self, columns: Sequence[str]) -> Mapping[str, int | None]:
        """Those of some columns whose values are stored as numbers, with the decimals that these may have."""
        return numbers_in(self.table.schema, columns)

    def raw_columns(self, names: Sequence[str]) -> dict[str, RawColumn]:
        """Columns as coded texts."""
        found, faults = {}, Gathering()
        for name in names:
            with faults:
                found[name] = raw_column(name, self.table.column(name))
        faults.raise_any()
        return found

    def texts_of_rows(self, names: Sequence[str], rows: Int64) -> list[list[str | None]]:
        """For each of some columns the texts of some rows; columns without a text are left out."""
        first = int(rows[0])
        piece = self.table.slice(first, int(rows[-1]) + 1 - first)
        kept = [name for name in names if has_text(piece.schema.field(name).type)]
        read = [raw_column(name, piece.column(name)) for name in kept]
        return [[column.texts[code] for code in column.codes[rows - first].tolist()] for column in read]

    def index_of(self, rewriting: Rewriting) -> Any:
        """The labels of the rows that are kept."""
        if self._index is None or rewriting.rows is None:
            return self._index
        return self._index[rewriting.rows]

    def rewritten(self, rewriting: Rewriting) -> pa.Table:
        """The release as Arrow."""
        import pyarrow as pa

        table, codes = copied(self.table.select(rewriting.kept(self.names)), rewriting.rows), rewriting.codes
        if rewriting.rows is not None:
            codes = codes[rewriting.rows]
        for name, new in rewriting.masked.items():
            at = table.schema.get_field_index(name)
            column = new_column(new, codes, table.schema.field(at).type)
            table = table.set_column(at, pa.field(name, column.type), column)
        return with_dtypes(
            table, {name: dtype for name, dtype in self._dtypes.items() if self._keeps(table, name)}
        )

    def with_rewritten(self, rewriting: Rewriting) -> ArrowTable:
        """The table with some texts replaced."""
        found, table = self._anew(), self.rewritten(rewriting)
        found.table, found._dtypes = plain(table), own_dtypes(table)
        return found

    def _keeps(self, released: pa.Table, name: str) -> bool:
        at = released.schema.get_field_index(name)
        return at >= 0 and bool(released.schema.field(at).type == self.table.schema.field(name).type)


def open_object(source: Any, options: TableOptions) -> ArrowTable:
    """A data frame or table of another library."""
    import pyarrow as pa

    library = type(source).__module__.partition(".")[0]
    label = f"{library} table"
    try:
        if library == "pandas":
            index = _checked_index(source, label)
            table = pa.Table.from_pandas(source, preserve_index=False)
            return ArrowTable(_private(table), label, options, index=index.copy(deep=True))
        if library == "polars" and hasattr(source, "collect"):
            source = source.collect()
        if library == "polars":
            checked_names(source.columns, label)  # Arrow's interface would end a name at a zero byte
        if hasattr(source, "__arrow_c_stream__"):
            table = source if isinstance(source, pa.Table) else pa.table(source)
            return ArrowTable(_private(table), label, options)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise TableError(f"the {label} cannot be read", details=said_by(error)) from error
    raise TableError(
        f"a {type(source).__qualname__} is not a table",
        remedy="give a path, or a table of pandas, polars, pyarrow or Ibis",
    )


def _private(table: pa.Table) -> pa.Table:
    """A table in memory of our own: whoever gave it may go on changing the numbers it stands on."""
    return copied(plain(table)).replace_schema_metadata(table.schema.metadata)


def _checked_index(frame: Any, label: str) -> Any:
    """The index of a data frame if it only numbers the rows: any other may say who they are."""
    from pandas.api.types import is_integer_dtype

    index = frame.index
    names = [name for name in index.names if name is not None]
    if names or index.nlevels > 1 or not is_integer_dtype(index.dtype):
        what = f"is named {names[0]!r}" if names else "does not just number the rows"
        raise TableError(
            f"the index of the {label} {what}, and no plan can give it a role",
            remedy="make it a column with reset_index() and give it one, or drop it with "
            "reset_index(drop=True)",
        )
    return index


def open_file(path: Path, options: TableOptions) -> ArrowTable:
    """Read a Parquet file or an Arrow (Feather) file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        content = path.read_bytes()
        if path.suffix.lower() == ".parquet":
            table = pq.ParquetFile(pa.BufferReader(content)).read()
        else:
            try:
                table = pa.ipc.open_file(content).read_all()
            except pa.ArrowInvalid:
                table = pa.ipc.open_stream(content).read_all()
            table.validate(full=True)  # offsets and indices of a damaged file point anywhere
        return ArrowTable(table, str(path), options, path, digest=hashlib.sha256(content).hexdigest())
    except (pa.ArrowException, OverflowError, UnicodeDecodeError) as error:
        kind = "Parquet" if path.suffix.lower() == ".parquet" else "Arrow"
        raise TableError(f"not a readable {kind} file", file=str(path), details=said_by(error)) from error


def write_file(path: Path, table: pa.Table, like: Path | None) -> None:
    """Write Parquet (compressed like the file `like`, if that is one) or Arrow."""
    import pyarrow as pa
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    suffix, compression = path.suffix.lower(), compression_of(like)
    try:
        with path.open("wb") as file:
            if suffix == ".parquet":
                how = "none" if compression == "uncompressed" else compression
                pq.write_table(table, file, compression=how)
            else:
                how = "lz4" if suffix == ".feather" else "uncompressed"
                feather.write_feather(table, file, compression=how)
    except pa.ArrowException as error:
        raise _no_place(suffix, error) from error


def _no_place(suffix: str, error: Exception) -> TableError:
    return TableError(
        f"a {suffix} file has no place for a value of the release",
        details=said_by(error),
        remedy="drop the column, or write another format",
    )


def write_pieces(path: Path, schema: pa.Schema, pieces: Iterable[pa.Table], like: Path | None) -> None:
    """Write Parquet of a table that comes in pieces."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    how = compression_of(like)
    compression = "none" if how == "uncompressed" else how
    writer: Any = None
    try:
        for piece in chain([plain(schema.empty_table())], pieces):
            if writer is None:
                writer = pq.ParquetWriter(path, piece.schema, compression=compression)
            writer.write_table(piece)
    except pa.ArrowException as error:
        raise _no_place(".parquet", error) from error
    finally:
        if writer is not None:
            writer.close()


def compression_of(like: Path | None) -> str:
    """How a Parquet file is compressed, if this is one."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if like is not None and like.suffix.lower() == ".parquet" and like.is_file():
        try:
            with like.open("rb") as file:
                groups = pq.read_metadata(file)
        except (OSError, pa.ArrowException):  # it was changed since, and is none any more
            return "snappy"
        if groups.num_row_groups and groups.num_columns:
            return str(groups.row_group(0).column(0).compression).lower()
    return "snappy"


# ---------------------------------------------------------------------- values and their texts


def raw_column(name: str, column: pa.ChunkedArray) -> RawColumn:
    """A column as coded texts; only distinct values become Python objects."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    if is_readable_list(column.type):
        column = _joined(name, column)
    kind = column.type
    if not has_text(kind):
        raise TableError(
            f"holds {kind}, which has no plain text form",
            column=name,
            remedy="make its parts columns of their own, or drop it",
        )
    if pa.types.is_string(kind) or pa.types.is_null(kind):
        column = column.cast(pa.large_string())
    try:
        coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        return RawColumn(coded.indices.to_numpy(), texts_of(coded.dictionary))
    except pa.ArrowException as error:  # a time zone that does not exist, a time after midnight
        raise TableError(
            "a value has no text", column=name, details=said_by(error), remedy="drop it"
        ) from error


def numbers_in(schema: pa.Schema, columns: Sequence[str]) -> Mapping[str, int | None]:
    """Those of some columns that have a type of numbers, and its scale; None: it has no fixed one."""
    import pyarrow as pa

    t = pa.types
    kinds = {name: schema.field(name).type for name in columns}
    plain = {name: kind.value_type if t.is_dictionary(kind) else kind for name, kind in kinds.items()}
    return {
        name: k.scale if t.is_decimal(k) else None
        for name, k in plain.items()
        if t.is_integer(k) or t.is_floating(k) or t.is_decimal(k)
    }


def textless_in(schema: pa.Schema) -> frozenset[str]:
    """The columns whose cells cannot be read as texts."""
    return frozenset(one.name for one in schema if not (has_text(one.type) or is_readable_list(one.type)))


def lists_in(schema: pa.Schema) -> Mapping[str, str]:
    """The columns whose cells are lists that can be read, and what stands between members there."""
    return {field.name: BETWEEN for field in schema if is_readable_list(field.type)}


def is_readable_list(kind: pa.DataType) -> bool:
    """Whether cells are lists of texts or of whole numbers, which read as one text."""
    import pyarrow as pa

    t = pa.types
    if not (t.is_list(kind) or t.is_large_list(kind) or t.is_fixed_size_list(kind)):
        return False
    member = kind.value_type
    return bool(t.is_string(member) or t.is_large_string(member) or t.is_integer(member))


def separator_inside(name: str) -> TableError:
    """What to raise for lists whose members would be taken for several."""
    return TableError(
        f"holds lists with {BETWEEN!r} in a text, which stands between the texts where they are read",
        column=name,
        remedy="write something else there, or drop it",
    )


def _joined(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Lists as texts; nothing in a list, and no list, is an empty text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    chunks = []
    for chunk in column.chunks:
        lists = chunk.cast(pa.large_list(pa.large_string()))
        members = lists.flatten()
        if pc.any(pc.match_substring(members, BETWEEN)).as_py():
            raise separator_inside(name)
        if members.null_count:
            kept = [None if one is None else [text for text in one if text] for one in lists.to_pylist()]
            lists = pa.array(kept, lists.type)
        chunks.append(pc.binary_join(lists, pa.scalar(BETWEEN, pa.large_string())))
    return pa.chunked_array(chunks, pa.large_string())


def has_text(kind: pa.DataType) -> bool:
    """Whether values of a type have a plain text form."""
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    is_bytes = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    is_bytes = is_bytes or pa.types.is_fixed_size_binary(kind)
    return not (pa.types.is_nested(kind) or is_bytes or pa.types.is_interval(kind))


def texts_of(values: pa.Array) -> list[str | None]:
    """How values read as text: 39.0 as `39`, a time without trailing zeros, not-a-number as missing."""
    import pyarrow as pa

    if pa.types.is_floating(values.type):
        kind = values.type.to_pandas_dtype()  # by its own digits: 2.1 in 32 bits is not 2.0999999046325684
        return [None if v is None else number_text(float(str(kind(v)))) for v in values.to_pylist()]
    texts: list[str | None] = values.cast(pa.string()).to_pylist()
    if pa.types.is_temporal(values.type) and any(text and text.startswith("<") for text in texts):
        raise pa.ArrowInvalid("a time outside of the calendar")
    if pa.types.is_timestamp(values.type) or pa.types.is_time(values.type):
        return [text and _short_time(text) for text in texts]
    return texts


def number_text(value: float) -> str | None:
    """A number as people write it; None if it is not a number."""
    if value != value:
        return None
    return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)


def _short_time(text: str) -> str:
    return _FRACTION.sub(lambda fraction: fraction[0].rstrip("0").rstrip("."), text)


def new_column(new: NewTexts, codes: Int32, type_: pa.DataType) -> pa.ChunkedArray:
    """The masked values of rows, in the type of the old ones if they all fit."""
    import pyarrow as pa

    # Texts that no row uses may be original values: they must not travel along.
    used = np.flatnonzero(np.bincount(codes, minlength=len(new.texts)))
    number = np.zeros(len(new.texts), np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    values = typed([new.texts[i] for i in used.tolist()], new.writing.missing, type_)
    rows = pa.chunked_array([values.take(pa.array(number[codes]))])
    return rows.dictionary_encode() if pa.types.is_dictionary(type_) else rows


def typed(texts: Sequence[str | None], missing: str | None, type_: pa.DataType) -> pa.Array:
    """Texts in a type if they all fit it, else as numbers with a fraction (of integers), else as text."""
    import pyarrow as pa

    try:
        values = pa.array([missing if text is None else text for text in texts], pa.large_string())
    except (pa.ArrowException, UnicodeEncodeError) as error:
        raise TableError("a new value is not valid text", details=said_by(error)) from None
    if is_readable_list(type_):
        cells = [
            [part.strip() for part in text.split(BETWEEN)] if text else None if text is None else []
            for text in values.to_pylist()
        ]
        members = typed([part for cell in cells for part in cell or ()], None, type_.value_type)
        starts = np.concatenate([[0], np.cumsum([len(cell or ()) for cell in cells])]).astype(np.int32)
        is_null = pa.array([cell is None for cell in cells], pa.bool_())
        return pa.ListArray.from_arrays(pa.array(starts), members, mask=is_null)
    kind = type_.value_type if pa.types.is_dictionary(type_) else type_
    for candidate in (kind, pa.float64()) if pa.types.is_integer(kind) else (kind,):
        try:
            return values.cast(candidate)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    return values


def _content_digest(table: pa.Table) -> str:
    """SHA-256 of a table as an Arrow stream, however its chunks were cut."""
    import pyarrow as pa

    class Hashed:
        closed = False

        def __init__(self) -> None:
            self.sha = hashlib.sha256()

        def write(self, content: Any) -> int:
            self.sha.update(content)
            return len(content)

        def flush(self) -> None: ...
        def close(self) -> None: ...

    sink = Hashed()
    whole = table.combine_chunks()
    with pa.PythonFile(sink, "w") as file, pa.ipc.new_stream(file, whole.schema) as stream:
        stream.write_table(whole)
    return sink.sha.hexdigest()
