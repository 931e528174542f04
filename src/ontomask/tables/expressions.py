"""How a value reads as text and the md5 of a row, as Ibis expressions: twins of `arrow.texts_of` and `order`.

One text serves every engine; where engines share no word for something, `EngineTable` has a method for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from ontomask.tables.arrow import BETWEEN, has_text

TextOf = Callable[[Any], Any]


def text_of(column: Any) -> Any:
    """How a value reads as text."""
    import ibis

    kind = column.type()
    if kind.is_array() and (kind.value_type.is_string() or kind.value_type.is_integer()):
        return column.cast("array<string>").join(BETWEEN).nullif("")
    if kind.is_floating():
        number = column.cast("string").cast("float64")  # by its own digits, as Arrow's are read
        whole = (number.abs() < 2**53) & (number.floor() == number)
        text = ibis.ifelse(whole, number.cast("int64").cast("string"), number.cast("string"))
        return ibis.ifelse(column.isnan(), ibis.null("string"), text)
    if kind.is_timestamp() and kind.timezone:
        return _short_time(column.cast("timestamp('UTC')").strftime("%Y-%m-%d %H:%M:%S.%f")) + "Z"
    if kind.is_timestamp() or kind.is_time():
        return _short_time(column.cast("string"))
    return column.cast("string")


def digest_of(
    columns: Sequence[str], start: str, rows: Any, text: TextOf = text_of, with_all: bool = False
) -> Any:
    """The md5 of `tables.order` over a first line and the fields of a row.

    Columns without a text are left out, or, `with_all`, take part as the engine prints them.
    """
    import ibis

    types = rows.schema().to_pyarrow()
    line: Any = ibis.literal(f"{start}\n")
    names = [name for name in columns if with_all or has_text(types.field(name).type)]
    for at, name in enumerate(names):
        field = (ibis.literal('"') + text(rows[name]).replace('"', '""') + '"').fill_null("")
        line = line + field if at == 0 else line + "," + field
    return function("md5", "string", "string")(line)


def settled_text(text: Any, na_values: Sequence[str]) -> Any:
    """A text, null where it means that there is no value."""
    import ibis

    return ibis.ifelse(text.strip().isin(na_values), ibis.null("string"), text) if na_values else text


@cache
def function(name: str, gives: str, *takes: str, of: str | None = None) -> Any:
    """A function that engines have and Ibis has no word for, of one value to three; `of` names its schema."""
    import ibis

    def one(a): ...  # type: ignore[no-untyped-def]
    def two(a, b): ...  # type: ignore[no-untyped-def]
    def three(a, b, c): ...  # type: ignore[no-untyped-def]

    called = (one, two, three)[len(takes) - 1]
    return ibis.udf.scalar.builtin(called, name=name, database=of, signature=(takes, gives))


def _short_time(text: Any) -> Any:
    """A time without the zeros that end its fraction."""
    import ibis

    return ibis.ifelse(text.contains("."), text.re_replace("0+$", "").re_replace("[.]$", ""), text)
