"""Tables held as Arrow: Parquet and Arrow files, and tables of pandas, polars, pyarrow, Ibis or DuckDB.

Columns that are not masked keep their type. A masked column keeps it where every new value fits it, and
becomes text where one does not (a range such as `30-39` in a column of integers).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.errors import TableError
from ontomask.tables.source import (
    Changes,
    RawColumn,
    Replacement,
    checked_names,
    checked_rows,
    digest_of_file,
)

if TYPE_CHECKING:
    import pyarrow as pa

_FRACTION = re.compile(r"\.\d+")


class ArrowTable:
    """A table in memory; see `Source`."""

    def __init__(self, table: pa.Table, label: str, path: Path | None = None) -> None:
        self.table, self.label, self.path = table, label, path
        self.names = checked_names(table.column_names, label)
        self.n_rows = checked_rows(table.num_rows, label)
        self._file_digest = None if path is None else digest_of_file(path)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the file, or of names, types and values if there is none."""
        return self._file_digest or _content_digest(self.table)

    def raw_columns(self, names: Sequence[str]) -> dict[str, RawColumn]:
        """Columns as coded texts."""
        return {name: raw_column(name, self.table.column(name)) for name in names}

    def to_arrow(self, changes: Changes) -> pa.Table:
        """The table with the changes made."""
        import pyarrow as pa

        table = self.table.select(changes.kept(self.names))
        for name, change in changes.replaced.items():
            at = table.schema.get_field_index(name)
            field = table.schema.field(at)
            column = replaced_column(change, field.type)
            # What is said of the old values, such as their categories, is not said of the new.
            table = table.set_column(at, pa.field(name, column.type), column)
        touched = changes.dropped | set(changes.replaced)
        table = table.replace_schema_metadata(_without(table.schema.metadata, touched))
        return table if changes.rows is None else table.filter(pa.array(changes.rows))


def arrow_of(source: Any) -> tuple[pa.Table, str]:
    """A data frame or table of another library as Arrow, and what it is."""
    import pyarrow as pa

    library = type(source).__module__.partition(".")[0]
    label = f"{library} table"
    try:
        if library == "pandas":
            # An index is not a column that a plan could give a role: it is left out, never passed on.
            return pa.Table.from_pandas(source, preserve_index=False), label
        if library == "polars" and hasattr(source, "collect"):
            source = source.collect()
        if hasattr(source, "__arrow_c_stream__"):
            return pa.table(source), label
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise TableError(f"the {label} cannot be read: {error}") from error
    raise TableError(
        f"a {type(source).__qualname__} is not a table; give a path, or a table of pandas, polars, pyarrow "
        "or Ibis"
    )


def read_arrow_file(path: Path) -> ArrowTable:
    """Read a Parquet file or an Arrow (Feather) file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        if path.suffix.lower() == ".parquet":
            return ArrowTable(pq.read_table(path, partitioning=None), str(path), path)
        with pa.OSFile(str(path)) as file:
            try:
                table = pa.ipc.open_file(file).read_all()
            except pa.ArrowInvalid:
                file.seek(0)
                table = pa.ipc.open_stream(file).read_all()
        return ArrowTable(table, str(path), path)
    except pa.ArrowException as error:
        kind = "Parquet" if path.suffix.lower() == ".parquet" else "Arrow"
        raise TableError(f"{path}: not a readable {kind} file ({error})") from error


def write_arrow_file(path: Path, table: pa.Table, like: Path | None) -> None:
    """Write Parquet (compressed like the file `like`, if that is one) or Arrow."""
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    if path.suffix.lower() != ".parquet":
        feather.write_feather(
            table, str(path), compression="lz4" if path.suffix.lower() == ".feather" else "uncompressed"
        )
        return
    compression = "snappy"
    if like is not None and like.suffix.lower() == ".parquet":
        groups = pq.read_metadata(like)
        if groups.num_row_groups:
            compression = groups.row_group(0).column(0).compression
    pq.write_table(table, path, compression="none" if compression == "UNCOMPRESSED" else compression)


# ---------------------------------------------------------------------- values and their texts


def raw_column(name: str, column: pa.ChunkedArray) -> RawColumn:
    """A column as coded texts; only distinct values become Python objects."""
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if isinstance(column.type, pa.BaseExtensionType):
        column = pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
    kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise TableError(f"column {name!r} holds {kind}, which has no plain text form; drop it")
    if pa.types.is_string(kind) or pa.types.is_string_view(kind) or pa.types.is_null(kind):
        column = column.cast(pa.large_string())
    coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    return RawColumn(coded.indices.to_numpy(), _texts(coded.dictionary))


def _texts(values: pa.Array) -> list[str | None]:
    """How values read as text: 39.0 as `39`, a time without trailing zeros, not-a-number as missing."""
    import pyarrow as pa

    if pa.types.is_floating(values.type):
        kind = values.type.to_pandas_dtype()  # by its own digits: 2.1 in 32 bits is not 2.0999999046325684
        return [None if v is None else number_text(float(str(kind(v)))) for v in values.to_pylist()]
    texts: list[str | None] = values.cast(pa.string()).to_pylist()
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


def replaced_column(change: Replacement, type_: pa.DataType) -> pa.ChunkedArray:
    """The new values of every row, in the type of the old if they all fit."""
    import pyarrow as pa

    # Texts that no row uses may be original values: they must not travel along.
    used = np.flatnonzero(np.bincount(change.codes, minlength=len(change.texts)))
    number = np.zeros(len(change.texts), np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    texts = [change.missing if change.texts[i] is None else change.texts[i] for i in used.tolist()]
    try:
        values = pa.array(texts, pa.large_string())
    except (pa.ArrowException, UnicodeEncodeError) as error:
        raise TableError(f"a new value is not valid text: {error}") from None
    plain = type_.value_type if pa.types.is_dictionary(type_) else type_
    if pa.types.is_string_view(plain):
        plain = pa.large_string()  # polars' own form of text, which pyarrow cannot take rows from
    candidates = [plain, pa.float64()] if pa.types.is_integer(plain) else [plain]
    for candidate in (*candidates, pa.large_string()):
        try:
            values = values.cast(candidate)
            break
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    rows = pa.chunked_array([values.take(pa.array(number[change.codes]))])
    return rows.dictionary_encode() if pa.types.is_dictionary(type_) else rows


# ---------------------------------------------------------------------- what is said about a table


def _without(
    metadata: dict[bytes, bytes] | None, touched: set[str] | frozenset[str]
) -> dict[bytes, bytes] | None:
    """Schema metadata in which pandas' notes on dropped or replaced columns are gone."""
    if not metadata or b"pandas" not in metadata:
        return metadata
    notes = json.loads(metadata[b"pandas"])
    notes["columns"] = [column for column in notes["columns"] if column.get("field_name") not in touched]
    notes["index_columns"] = [
        index for index in notes["index_columns"] if not (isinstance(index, str) and index in touched)
    ]
    return {**metadata, b"pandas": json.dumps(notes).encode()}


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
    whole = table.replace_schema_metadata(None).combine_chunks()
    with pa.PythonFile(sink, "w") as file, pa.ipc.new_stream(file, whole.schema) as stream:
        stream.write_table(whole)
    return sink.sha.hexdigest()
