"""Any table, however awkward its fields: bytes survive, tuples are counted right, formats agree."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from ontomask.tables import Table, TableOptions, open_table
from tables.dealings import released_by

AWKWARD = ["", "NA", "?", "007", "1.50", " x ", "a", "b", "x,y", 'q"r', '"', "l1\nl2", "c\rr", "é€😀"]
FIELD = st.sampled_from(AWKWARD) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4
)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    width = draw(st.integers(1, 4))
    row = st.lists(FIELD, min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=12))


@dataclass
class File:
    """Delimited text by its parts: fields as written, quotes and all."""

    rows: list[list[str]]
    fields: list[list[str]]
    separator: str
    line_end: str
    mark: bytes
    last_line_end: bool

    def content(self, fields: list[list[str]] | None = None) -> bytes:
        header = [f"c{i}" for i in range(len(self.rows[0]))]
        lines = [self.separator.join(line) for line in [header, *(fields or self.fields)]]
        return self.mark + (self.line_end.join(lines) + self.line_end * self.last_line_end).encode()

    def written(self, text: str, *, quotes: bool) -> str:
        must = any(mark in text for mark in (self.separator, '"', "\n", "\r"))
        return '"' + text.replace('"', '""') + '"' if must or quotes else text

    def opened(self, folder: str) -> Table:
        path = Path(folder) / "in.csv"
        path.write_bytes(self.content())
        return open_table(path, TableOptions(separator=self.separator))


@st.composite
def files(draw: st.DrawFn) -> File:
    file = File(
        draw(tables()),
        [],
        draw(st.sampled_from(",;\t|")),
        draw(st.sampled_from(["\n", "\r\n", "\r"])),
        draw(st.sampled_from([b"", b"\xef\xbb\xbf"])),
        draw(st.booleans()),
    )
    file.fields = [[file.written(text, quotes=draw(st.booleans())) for text in row] for row in file.rows]
    # Without its line end, a last empty line of a single column would not be there.
    file.last_line_end |= file.fields[-1] == [""]
    return file


def settled(text: str) -> str | None:
    return None if text.strip() in ("", "NA", "?") else text


def missing_last(values: Sequence[str | None]) -> tuple[tuple[bool, str], ...]:
    return tuple((value is None, value or "") for value in values)


@given(files())
def test_replacing_nothing_gives_the_same_bytes(file: File) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file.opened(folder).released().write(Path(folder) / "out.csv")
        assert (Path(folder) / "out.csv").read_bytes() == file.content()


@given(files(), st.data())
def test_replacing_a_column_leaves_every_other_byte(file: File, data: st.DataObject) -> None:
    column = data.draw(st.integers(0, len(file.rows[0]) - 1))
    rows = [tuple(map(settled, row)) for row in file.rows]
    becomes = {row: data.draw(st.none() | FIELD) for row in dict.fromkeys(rows)}  # None: suppressed
    if all(text is None for text in becomes.values()):
        return
    present = [line[column] for row, line in zip(file.rows, file.fields, strict=True) if settled(row[column])]
    quotes = bool(present) and all(field.startswith('"') for field in present)
    expected = []
    for row, line in zip(rows, file.fields, strict=True):
        text = becomes[row]
        if text is not None:
            new = [*line[:column], file.written(text, quotes=quotes), *line[column + 1 :]]
            expected.append(['""'] if new == [""] else new)

    def rule(texts: tuple[str | None, ...]) -> dict[str, str | None] | None:
        return None if becomes[texts] is None else {f"c{column}": becomes[texts]}

    with tempfile.TemporaryDirectory() as folder:
        table = file.opened(folder)
        release = released_by(table, table.names, rule)
        release.write(Path(folder) / "out.csv")
        file.last_line_end |= becomes[rows[-1]] is None  # the last line that is left has the line end it had
        assert (Path(folder) / "out.csv").read_bytes() == file.content(expected)


@given(files(), st.data())
def test_dropping_a_column_leaves_the_others(file: File, data: st.DataObject) -> None:
    width = len(file.rows[0])
    if width == 1:
        return
    column = data.draw(st.integers(0, width - 1))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.csv"
        file.opened(folder).released(drop=[f"c{column}"]).write(out)
        left = open_table(out, TableOptions(separator=file.separator, na_values=()))
        names = [f"c{i}" for i in range(width) if i != column]
        assert left.names == tuple(names)
        found = left.released().to_arrow().to_pylist()
        assert [tuple(row.values()) for row in found] == [
            (*row[:column], *row[column + 1 :]) for row in file.rows
        ]


@given(files(), st.data())
def test_tuples_are_those_of_a_plain_count(file: File, data: st.DataObject) -> None:
    columns = data.draw(st.permutations(range(len(file.rows[0]))))
    plain = [tuple(settled(row[column]) for column in columns) for row in file.rows]
    with tempfile.TemporaryDirectory() as folder:
        tuples = file.opened(folder).tuples([f"c{column}" for column in columns])
    texts = [tuples.texts(i) for i in range(len(tuples))]
    assert texts == sorted(set(plain), key=missing_last)
    assert dict(zip(texts, tuples.counts.tolist(), strict=True)) == Counter(plain)
    for at, values in enumerate(tuples.values):
        assert values == sorted({row[at] for row in plain}, key=lambda value: (value is None, value or ""))


@given(tables())
def test_every_kind_of_table_gives_the_same_tuples(rows: list[list[str]]) -> None:
    names = [f"c{i}" for i in range(len(rows[0]))]
    columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    arrow = pa.table(columns)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pq.write_table(arrow, folder / "t.parquet")
        feather.write_feather(arrow, str(folder / "t.feather"))
        open_table(arrow).released().write(folder / "t.csv")
        sources = [
            *(folder / f"t.{suffix}" for suffix in ("csv", "parquet", "feather")),
            pd.DataFrame(columns),
            pd.DataFrame(columns, dtype="category"),
            pl.DataFrame(columns),
            pl.DataFrame(columns).lazy(),
            arrow,
        ]
        first, *others = [
            open_table(source, TableOptions(separator="," if source is sources[0] else None)).tuples(names)
            for source in sources
        ]
        for other in others:
            assert other.values == first.values
            assert np.array_equal(other.codes, first.codes)
            assert np.array_equal(other.counts, first.counts)
