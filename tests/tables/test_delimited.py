"""Delimited text: what is read, what survives a release, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from ontomask.errors import TableError
from ontomask.tables import Table, TableOptions, open_table
from tables.dealings import released_by, released_by_row

PEOPLE = b"name,city,note\nAnn,Oslo,a\nBob,Rome,b\nCid,Oslo,\n"


def opened(tmp_path: Path, content: bytes, name: str = "people.csv", **options: object) -> Table:
    path = tmp_path / name
    path.write_bytes(content)
    return open_table(path, TableOptions(**options))  # type: ignore[arg-type]


def masked(table: Table, path: Path, column: str, texts: list[str | None], **rest: object) -> bytes:
    """Row i of the column gets texts[i]."""
    released_by_row(table, {column: texts}, **rest).write(path)  # type: ignore[arg-type]
    return path.read_bytes()


# ---------------------------------------------------------------------- reading


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_dialects_are_recognised(
    tmp_path: Path, separator: str, line_end: str, last: bool, mark: bytes
) -> None:
    rows = [["name", "city", "note"], ["Ann", "Oslo", "x"], ["Bob", "Rome", "y"]]
    text = line_end.join(separator.join(row) for row in rows) + line_end * last
    table = opened(tmp_path, mark + text.encode())
    assert table.names == ("name", "city", "note")
    assert table.n_rows == 2
    assert table.distinct("note")[0] == ["x", "y"]


def test_distinct_counts_in_code_point_order_with_missing_last(tmp_path: Path) -> None:
    table = opened(tmp_path, "v,w\nb,\né,\nB,\nb,\nNA,\n ? ,\n,\n".encode())
    values, counts = table.distinct("v")
    assert values == ["B", "b", "é", None]
    assert counts.tolist() == [1, 2, 1, 3]


def test_what_is_missing_is_an_option(tmp_path: Path) -> None:
    table = opened(tmp_path, b"v,w\n,1\nNA,1\nunknown,1\n", na_values=("unknown",))
    assert table.distinct("v")[0] == ["", "NA", None]


def test_quotes_newlines_and_separators_inside_fields(tmp_path: Path) -> None:
    table = opened(tmp_path, b'a,b\n"x, ""y""\nz",1\n5" pipe,2\n"",3\n')
    assert table.distinct("a")[0] == ['5" pipe', 'x, "y"\nz', None]


def test_quoted_and_plain_fields_are_one_value(tmp_path: Path) -> None:
    values, counts = opened(tmp_path, b'a,b\n"x",1\nx,2\n').distinct("a")
    assert (values, counts.tolist()) == (["x"], [2])


def test_tuples(tmp_path: Path) -> None:
    tuples = opened(tmp_path, b"a,b\ny,1\nx,2\ny,\ny,1\nx,10\n").tuples(["a", "b"])
    assert tuples.values == [["x", "y"], ["1", "10", "2", None]]
    assert [tuples.texts(i) for i in range(len(tuples))] == [("x", "10"), ("x", "2"), ("y", "1"), ("y", None)]
    assert tuples.counts.tolist() == [1, 1, 2, 1]
    assert (tuples.codes.dtype, tuples.counts.dtype) == (np.int32, np.int64)


def test_tuples_of_many_wide_columns_do_not_overflow(tmp_path: Path) -> None:
    """2000 values in each of eight columns: 2000**8 does not fit into 64 bits."""
    rows = [[str((i * prime) % 2000) for prime in (1, 3, 7, 9, 11, 13, 17, 19)] for i in range(2000)]
    rows += rows[:5]
    names = [f"c{i}" for i in range(8)]
    content = "\n".join(",".join(row) for row in [names, *rows])
    tuples = opened(tmp_path, content.encode()).tuples(names)
    assert [tuples.texts(i) for i in range(len(tuples))] == sorted(set(map(tuple, rows)))
    assert sorted(tuples.counts.tolist()) == [1] * 1995 + [2] * 5


def test_more_rows_than_one_piece(tmp_path: Path) -> None:
    n = 400_000
    content = "id,v\n" + "".join(f"{i},{i % 7}\n" for i in range(n))
    table = opened(tmp_path, content.encode())
    assert table.distinct("v")[1].tolist() == [len(range(r, n, 7)) for r in range(7)]
    assert len(table.distinct("id")[0]) == n
    released_by(table, ["v"], lambda texts: {"v": f"<{texts[0]}>"}).write(tmp_path / "out.csv")
    expected = "id,v\n" + "".join(f"{i},<{i % 7}>\n" for i in range(n))
    assert (tmp_path / "out.csv").read_bytes() == expected.encode()


def test_adult(data: Callable[[str], Path], tmp_path: Path) -> None:
    """Occupation x native country: 394 pairs, 84 of them unique, the largest of 3,735 people."""
    table = open_table(data("adult/adult.csv"))
    assert (table.n_rows, len(table.names)) == (30_162, 9)
    counts = table.tuples(["occupation", "native-country"]).counts
    assert (len(counts), (counts == 1).sum(), counts.max()) == (394, 84, 3735)
    table.released().write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == data("adult/adult.csv").read_bytes()


# ---------------------------------------------------------------------- writing


def test_every_other_byte_survives(tmp_path: Path) -> None:
    content = '\ufeffid;"city";n\r\n007;Oslo;"1.50"\r\n 8 ;"Rome"; 2\r\n'.encode()
    out = masked(opened(tmp_path, content), tmp_path / "out.csv", "city", ["Europe", "Europe"])
    assert out == '\ufeffid;"city";n\r\n007;Europe;"1.50"\r\n 8 ;Europe; 2\r\n'.encode()


def test_new_values_are_quoted_where_they_must_be(tmp_path: Path) -> None:
    out = masked(opened(tmp_path, PEOPLE), tmp_path / "out.csv", "city", ["a,b", 'say "x"', "two\nlines"])
    assert out == b'name,city,note\nAnn,"a,b",a\nBob,"say ""x""",b\nCid,"two\nlines",\n'


def test_a_column_in_quotes_stays_in_quotes(tmp_path: Path) -> None:
    table = opened(tmp_path, b'a,b\n1,"x"\n2,"y"\n3,\n')
    out = masked(table, tmp_path / "out.csv", "b", ["z", "z", None])
    assert out == b'a,b\n1,"z"\n2,"z"\n3,\n'


def test_quotes_do_not_tell_which_originals_needed_them(tmp_path: Path) -> None:
    table = opened(tmp_path, b'a,b\n1,"Doe, Ann"\n2,Bob\n')
    assert masked(table, tmp_path / "out.csv", "b", ["z", "z"]) == b"a,b\n1,z\n2,z\n"


def test_missing_is_written_in_the_one_form_the_column_uses_most(tmp_path: Path) -> None:
    table = opened(tmp_path, b"a,b\n?,1\n?,2\nNA,3\nx,4\n")
    assert masked(table, tmp_path / "out.csv", "a", [None] * 4) == b"a,b\n?,1\n?,2\n?,3\n?,4\n"
    table = opened(tmp_path, b"a,b\nx,1\ny,2\n")
    assert masked(table, tmp_path / "out.csv", "a", [None] * 2) == b"a,b\n,1\n,2\n"


@pytest.mark.parametrize(
    ("na_values", "column", "written"),
    [
        (("99", ""), ["99", "99", "", "5"], ""),
        (("-9", "."), ["-9", "-9", ".", "5"], ""),
        (("9,9", "n/a"), ["9,9", "9,9", "n/a", "5"], ""),
        (("99", "."), ["99", ".", ".", "5"], "."),
        (("unknown", "99"), ["unknown", "unknown", "99", "5"], ""),  # nor as a word
    ],
)
def test_missing_is_never_written_as_a_number(
    tmp_path: Path, na_values: tuple[str, ...], column: list[str], written: str
) -> None:
    """Whoever reads the release would take 99 for an age."""
    rows = "".join(f'{i};"{text}"\n' if "," in text else f"{i};{text}\n" for i, text in enumerate(column))
    table = opened(tmp_path, b"id;age\n" + rows.encode(), na_values=na_values)
    out = masked(table, tmp_path / "out.csv", "age", [None, None, "7", "7"])
    assert out.decode() == f"id;age\n0;{written}\n1;{written}\n2;7\n3;7\n".replace(';""', ";")
    arrow = open_table(pa.table({"id": list("abcd"), "age": column}), TableOptions(na_values=na_values))
    found = released_by_row(arrow, {"age": [None, None, "7", "7"]}).to_arrow()["age"].to_pylist()
    assert found == [written or None, written or None, "7", "7"]


def test_dropped_columns_and_rows(tmp_path: Path) -> None:
    table = opened(tmp_path, PEOPLE)
    out = masked(
        table, tmp_path / "out.csv", "city", ["N", "S", "N"], drop=["name"], keep=[True, False, True]
    )
    assert out == b"city,note\nN,a\nN,\n"
    assert masked(table, tmp_path / "out.csv", "city", ["N", "S", "N"], drop=["note"]) == (
        b"name,city\nAnn,N\nBob,S\nCid,N\n"
    )


def test_a_lone_empty_field_is_not_written_as_a_blank_line(tmp_path: Path) -> None:
    table = opened(tmp_path, b"a,b\nx,1\n,2\n")
    table.released(drop=["b"]).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == b'a\nx\n""\n'


def test_blank_lines_at_the_end_are_no_rows_and_stay(tmp_path: Path) -> None:
    table = opened(tmp_path, PEOPLE + b"\n\n")
    assert table.n_rows == 3
    table.released().write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == PEOPLE + b"\n\n"


def test_one_column(tmp_path: Path) -> None:
    table = opened(tmp_path, b"name\nDoe, Ann\n\nBob\n")
    assert table.distinct("name")[0] == ["Bob", "Doe, Ann", None]
    table.released().write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_bytes() == b"name\nDoe, Ann\n\nBob\n"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-8-sig"])
def test_other_encodings_are_read_and_written(tmp_path: Path, encoding: str) -> None:
    table = opened(tmp_path, "a,b\nJosé,1\nÅse,2\n".encode(encoding), encoding=encoding)
    assert table.distinct("a")[0] == ["José", "Åse"]
    out = masked(table, tmp_path / "out.csv", "b", ["é", "é"])
    assert out == "a,b\nJosé,é\nÅse,é\n".encode(encoding)


def test_a_value_the_encoding_lacks(tmp_path: Path) -> None:
    table = opened(tmp_path, "a,b\né,1\n".encode("latin-1"), encoding="latin-1")
    with pytest.raises(TableError, match="'ω' cannot be written in iso8859-1"):
        masked(table, tmp_path / "out.csv", "b", ["ω"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv"]


def test_csv_to_tsv_and_back(tmp_path: Path) -> None:
    opened(tmp_path, b'a,b\n"x,1",007\n"t\tu",\n').released().write(tmp_path / "out.tsv")
    assert (tmp_path / "out.tsv").read_bytes() == b'a\tb\nx,1\t007\n"t\tu"\t\n'
    open_table(tmp_path / "out.tsv").released().write(tmp_path / "back.csv")
    assert (tmp_path / "back.csv").read_bytes() == b'a,b\n"x,1",007\nt\tu,\n'


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "the file is empty"),
        (b"a,b\n", "no rows"),
        (b"a,b", "no rows"),
        (b"\na,b\n1,2\n", "line 1: row 1 has no column names; row 2 looks like the header"),
        (b"\na\n1\n", "line 1: the line is blank"),
        (b"a,b,a\n1,2,3\n", r"'a' stands twice \(columns 1, 3\)"),
        (b"a,,c\n1,2,3\n", "column 2 has no name"),
        (b"a,b\n1,2\n3\n", r"line 3: expected 2 fields, found 1 \(separated by comma ','\)"),
        (b'a,b\n"x\ny",2\n3,4,5\n', "line 4: expected 2 fields, found 3"),
        (b"a,b\n1,2\n\n3,4\n", "line 3: the line is blank"),
        (b'a,b\n1,2\n3,"open\n5,6\n', "line 3: a quote opens here and never closes"),
        (b'a,b\n1,2\n3,"x"y\n', "line 3: text follows a closing quote"),
        (b"a,b\n1,2\n3,\x00\n", "line 3: a zero byte"),
        (
            b"a,b\n1,2\n3,\xfe\x9d\x81a\xff\n",
            r"line 3: byte 10 is not UTF-8, and no usual encoding makes words",
        ),
        (b"a,b;c\n1,2;3\n", r"separated by comma ',' \(2 columns\) or by semicolon ';' \(2 columns\)"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(TableError, match=message) as caught:
        opened(tmp_path, content)
    assert "people.csv" in str(caught.value)


def test_a_wrong_separator_is_told_with_the_right_one(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="by semicolon ';' there are 2; set the separator to ';'"):
        opened(tmp_path, b"a;b\n1;2\n", separator=",")


def test_an_ambiguous_separator_can_be_given(tmp_path: Path) -> None:
    assert opened(tmp_path, b"a,b;c\n1,2;3\n", separator=";").names == ("a,b", "c")
    assert opened(tmp_path, b"a\tb\n1\t2\n", separator="\\t").names == ("a", "b")
    assert opened(tmp_path, b"a:b\n1:2\n", separator=":").names == ("a", "b")


@pytest.mark.parametrize("separator", ["", ",,", '"', "\n", "é"])
def test_impossible_separators(tmp_path: Path, separator: str) -> None:
    with pytest.raises(TableError, match="one plain character"):
        opened(tmp_path, PEOPLE, separator=separator)


def test_decimal_commas_do_not_mislead(tmp_path: Path) -> None:
    assert opened(tmp_path, b"a;b\n1,5;2,5\n3,5;4,5\n").names == ("a", "b")


def test_bad_bytes_and_lines_far_into_a_file(tmp_path: Path) -> None:
    """Beyond one piece of the file, with a character that lies across the border of two."""
    rows = "1,é\n" * ((1 << 24) // 5 + 10)
    with pytest.raises(TableError, match=rf"line {len(rows) // 4 + 2}: byte {4 + len(rows.encode())} is not"):
        opened(tmp_path, b"a,b\n" + rows.encode() + b"\xff,1\n", encoding="utf-8")


def test_wrong_encoding_options(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="there is no encoding 'utf-9'"):
        opened(tmp_path, PEOPLE, encoding="utf-9")
    with pytest.raises(TableError, match="line 2: byte 4 is not ascii"):
        opened(tmp_path, "a,b\né,1\n".encode(), encoding="ascii")
