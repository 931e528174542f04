"""Arrow tables as nothing but their cells.

An Arrow table carries more than it shows: notes on the table, its fields and types, dictionaries with values
that no row has, values under nulls and beside a slice. None of it may leave the house with a release, so a
table is read into plain types, and what is released is copied cell by cell into a schema of names and types.
This file does not know where a table came from or what is masked in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.arrays import Bool, Int64
from ontomask.errors import TableError, said_by

if TYPE_CHECKING:
    import pyarrow as pa

_KEPT_EXTENSIONS = ("pandas.period", "pandas.interval", "arrow.uuid", "arrow.bool8", "arrow.json")
"""Types whose parameters are few and fixed; any other may say anything, and becomes what it is stored as."""

_OWN_DTYPES = re.compile(
    r"U?Int(8|16|32|64)|Float(32|64)|boolean|string(\[python\])?|[a-z]+\d*(\[(s|ms|us|ns)\])?\[pyarrow\]"
)
"""Types of pandas that its own notes alone tell from those that Arrow's types become."""


def plain(table: pa.Table) -> pa.Table:
    """A table in types whose rows can be taken, without notes on anything; damaged values are refused."""
    columns = [_plain_column(name, table.column(at)) for at, name in enumerate(table.column_names)]
    return _table(columns, table.column_names)


def copied(table: pa.Table, rows: Bool | None = None) -> pa.Table:
    """The cells of some rows (None: all) of a plain table, in memory that holds nothing else."""
    columns = []
    for column in table.columns:
        chunks, first = [], 0
        for chunk in column.chunks:
            chosen = slice(first, first + len(chunk))
            which = np.arange(len(chunk)) if rows is None else np.flatnonzero(rows[chosen])
            chunks.append(_taken(chunk, which))
            first += len(chunk)
        columns.append(_with_used_values(_chunked(chunks, column.type)))
    return _table(columns, table.column_names)


def own_dtypes(table: pa.Table) -> dict[str, str]:
    """The columns that pandas' notes on a table call one of its own types; damaged notes say nothing."""
    try:
        notes = json.loads((table.schema.metadata or {})[b"pandas"])
        said = {one["field_name"]: one["numpy_type"] for one in notes["columns"]}
    except (KeyError, TypeError, ValueError, RecursionError):
        return {}
    return {
        name: dtype
        for name, dtype in said.items()
        if name in table.column_names and isinstance(dtype, str) and _OWN_DTYPES.fullmatch(dtype)
    }


def with_dtypes(table: pa.Table, dtypes: Mapping[str, str]) -> pa.Table:
    """A table with the few notes that give pandas its own types back."""
    columns = [
        {"name": name, "field_name": name, "pandas_type": "object", "numpy_type": dtype, "metadata": None}
        for name, dtype in dtypes.items()
    ]
    if not columns:
        return table
    notes = {"index_columns": [], "column_indexes": [], "columns": columns, "pandas_version": "1.0"}
    return table.replace_schema_metadata({b"pandas": json.dumps(notes).encode()})


# ---------------------------------------------------------------------- types


def plain_type(kind: pa.DataType, *, inside: bool = False) -> pa.DataType:
    """A type without notes, in a form that rows can be taken from; a dictionary only where it is a column's.

    >>> import pyarrow as pa
    >>> plain_type(pa.list_(pa.field("of Ann", pa.dictionary(pa.int8(), pa.string_view()))))
    ListType(list<item: large_string>)
    """
    import pyarrow as pa

    t = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return (
            kind if kind.extension_name in _KEPT_EXTENSIONS else plain_type(kind.storage_type, inside=inside)
        )
    if t.is_string_view(kind):
        return pa.large_string()
    if t.is_binary_view(kind):
        return pa.large_binary()
    if t.is_decimal32(kind) or t.is_decimal64(kind):
        return pa.decimal128(kind.precision, kind.scale)
    if t.is_run_end_encoded(kind):
        return plain_type(kind.value_type, inside=inside)
    if t.is_dictionary(kind):
        value = plain_type(kind.value_type, inside=True)
        return value if inside else pa.dictionary(kind.index_type, value, kind.ordered)
    if t.is_struct(kind):
        return pa.struct([pa.field(one.name, plain_type(one.type, inside=True)) for one in kind])
    if t.is_map(kind):
        return pa.map_(plain_type(kind.key_type, inside=True), plain_type(kind.item_type, inside=True))
    if t.is_fixed_size_list(kind):
        return pa.list_(plain_type(kind.value_type, inside=True), kind.list_size)
    if t.is_list(kind) or t.is_list_view(kind):
        return pa.list_(plain_type(kind.value_type, inside=True))
    if t.is_large_list(kind) or t.is_large_list_view(kind):
        return pa.large_list(plain_type(kind.value_type, inside=True))
    return kind


def _plain_column(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    kind = plain_type(column.type)
    try:
        column.validate(full=True)
        column = _chunked([_plain_chunk(chunk, kind) for chunk in column.chunks], kind)
        return column.unify_dictionaries() if pa.types.is_dictionary(kind) else column
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise TableError(
            f"holds {column.type}, which cannot be read",
            column=name,
            details=said_by(error),
            remedy="leave it out",
        ) from error


def _plain_chunk(values: pa.Array, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(values.type, pa.BaseExtensionType) and values.type != kind:
        values = values.storage
    if pa.types.is_run_end_encoded(values.type):
        values = pc.run_end_decode(values)
    if pa.types.is_dictionary(values.type):
        decoded = kind.value_type if pa.types.is_dictionary(kind) else kind
        dictionary = _plain_chunk(values.dictionary, decoded)
        if not pa.types.is_dictionary(kind):
            return dictionary.take(values.indices)
        return pa.DictionaryArray.from_arrays(values.indices, dictionary, ordered=kind.ordered)
    if pa.types.is_list_view(values.type) or pa.types.is_large_list_view(values.type):
        return pa.array(values.to_pylist(), kind)  # Arrow's own cast leaves what no row shows, or fails
    try:
        return values if values.type == kind else values.cast(kind)
    except pa.ArrowNotImplementedError:  # lists of categories
        return pa.array(values.to_pylist(), kind)


# ---------------------------------------------------------------------- what no row shows


def _taken(values: pa.Array, which: Int64) -> pa.Array:
    """Some rows. Taking writes zeros in the place of nulls; filtering would copy what lies under them."""
    import pyarrow as pa

    kind = values.type
    if pa.types.is_struct(kind) and kind.num_fields:  # their parts do not know that the whole is null
        parts = [_taken(part, which) for part in values.flatten()]
        is_null = values.is_null().take(_indices(which))
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=is_null)
    taken = values.take(_indices(which))
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = _taken(taken.values, np.arange(len(taken.values)))
        return type(taken).from_arrays(taken.offsets, inner, type=kind, mask=taken.is_null())
    return taken


def _with_used_values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose dictionary has, in its order, the values that some row has, each once."""
    import pyarrow as pa

    kind = column.type
    if not pa.types.is_dictionary(kind) or not column.num_chunks:
        return column
    dictionary = column.chunk(0).dictionary
    used: Bool = np.zeros(len(dictionary), bool)
    for chunk in column.chunks:
        used[chunk.indices.drop_null().to_numpy()] = True
    values = dictionary.take(_indices(np.flatnonzero(used)))
    if values.null_count or len(values.unique()) < len(values):  # what no other library takes for categories
        return _chunked([chunk.dictionary.take(chunk.indices) for chunk in column.chunks], kind.value_type)
    number = np.append(np.cumsum(used) - 1, -1)
    chunks = []
    for chunk in column.chunks:
        is_null = chunk.indices.is_null().to_numpy(zero_copy_only=False)
        old = chunk.indices.fill_null(0).to_numpy()
        new = pa.array(np.where(is_null, 0, number[old]), kind.index_type, mask=is_null)
        chunks.append(pa.DictionaryArray.from_arrays(new, values, ordered=kind.ordered))
    return _chunked(chunks, kind)


def _indices(which: Int64) -> pa.Array:
    import pyarrow as pa

    return pa.array(which, pa.int64())


def _chunked(chunks: list[Any], kind: pa.DataType) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array(chunks, kind)


def _table(columns: list[Any], names: list[str]) -> pa.Table:
    """A table of these columns; a schema made of names and types says nothing else."""
    import pyarrow as pa

    return pa.table(columns, schema=pa.schema([(n, c.type) for n, c in zip(names, columns, strict=True)]))
