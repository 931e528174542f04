"""Bad tables: damaged text, numbers that are none, encodings, and binary files cut, mixed up or damaged."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import cache

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from hostile.bad import GOOD, PLAN, TABLE, Bad, with_plan, write
from hostile.running import in_child, workplace
from ontomask.tables.register import ENGINES

BINARY = [s for one in ENGINES if one.module != "delimited" for s in one.suffixes if s not in one.only_read]
_LINES = TABLE.splitlines(keepends=True)

TEXT_TABLES: dict[str, bytes] = {
    "empty": b"",
    "one newline": b"\n",
    "blank lines": b"\n\n\n",
    "only spaces": b"   ",
    "only a BOM": b"\xef\xbb\xbf",
    "header only": _LINES[0].encode(),
    "header without newline": _LINES[0].strip().encode(),
    "a row too short": (TABLE + "Gus,cat\n").encode(),
    "a row too long": (TABLE + "Gus,cat,1,low,x,y\n").encode(),
    "a blank line inside": TABLE.replace("Cid", "\nCid").encode(),
    "an open quote": (TABLE + '"Gus,cat,1,low,x\n').encode(),
    "text after a quote": (TABLE + '"Gus"x,cat,1,low,x\n').encode(),
    "a quote inside": (TABLE + 'Gus,"c"at,1,low,x\n').encode(),
    "a NUL": (TABLE + "G\0us,cat,1,low,x\n").encode(),
    "only NULs": b"\0" * 100,
    "a name twice": TABLE.replace("level", "age").encode(),
    "a name missing": TABLE.replace("level", "").encode(),
    "a name of spaces": TABLE.replace("level", "  ").encode(),
    "no header": "".join(_LINES[1:]).encode(),
    "two encodings": TABLE.replace("Ana", "Añá").encode() + "Añá,cat,1,low,x\n".encode("latin-1"),
    "utf-16 without BOM": TABLE.encode("utf-16-le"),
    "utf-7": "name,job\nA\u00f1a,cat\n".encode("utf-7"),
    "a surrogate": TABLE.encode() + b"\xed\xa0\x80,cat,1,low,x\n",
    "an overlong sequence": TABLE.encode() + b"\xc0\xaf,cat,1,low,x\n",
    "half a character": TABLE.encode() + b"G\xe2\x82",
    "gzip": b"\x1f\x8b\x08\0" + b"x" * 40,
    "zip": b"PK\x03\x04" + b"x" * 40,
    "pdf": b"%PDF-1.7\n%\xe2\xe3\n",
    "html": b"<!doctype html><html><body><table></table></body></html>",
    "json": b'[{"name": "Ana"}]\n',
    "one column": b"job\ncat\n",
    "column missing": TABLE.replace("level", "grade").encode(),
    "a further column": TABLE.replace("ward", "ward,zip")
    .replace("x\n", "x,1\n")
    .replace("y\n", "y,1\n")
    .encode(),
    "an unknown word": (TABLE + "Gus,spaceship,1,low,x\n").encode(),
    "an unknown category": (TABLE + "Gus,cat,1,tiny,x\n").encode(),
    "no word at all": TABLE.replace("cat", "").replace("dog", "NA").replace("rose", "?").encode(),
    "one row": "".join(_LINES[:2]).encode(),
    "10,000 columns": (
        ",".join(f"c{i}" for i in range(10_000)) + "\n" + ",".join(["1"] * 10_000) + "\n"
    ).encode(),
}


def text_tables() -> Iterator[Bad]:
    for name, content in TEXT_TABLES.items():
        yield Bad("text table", name, write("t.csv", content))


NOT_NUMBERS = (
    "inf",
    "-inf",
    "nan",
    "NaN",
    "infinity",
    "1e400",
    "-1e999",
    "1,5",
    "0x10",
    "--1",
    "1e",
    "½",
    "twelve",
    "1 000",
    "1/2",
    "$5",
    "5%",
    "1.2.3",
    "e5",
    "9" * 400,
)


def numbers() -> Iterator[Bad]:
    for text in NOT_NUMBERS:
        row = f'{TABLE}Gus,cat,"{text}",low,x\n'
        yield Bad("number", text[:20], write("t.csv", row), mentions=("age",))
    for text in ("1e-2147483650", "1e-400", "1.7e308", "5e-324", "1e2147483650"):
        row = f"{TABLE}Gus,cat,{text},low,x\n"
        yield Bad("number", text, write("t.csv", row), mentions=("age",), codes=(0, 2))
    for weight in (0, -1, "inf", ".nan", 1e308, "heavy", [1], True):
        job = {**PLAN["attributes"], "age": {**PLAN["attributes"]["age"], "weight": weight}}
        yield Bad("number", f"weight {weight}", with_plan(attributes=job), mentions=("weight",))


ENCODINGS = (
    "hex",
    "base64",
    "rot13",
    "rot_13",
    "zlib",
    "bz2",
    "uu",
    "quopri",
    "idna",
    "punycode",
    "undefined",
    "unicode_escape",
    "mbcs",
    "nothing",
    "",
    "utf-8\0",
    "../x",
    "utf-32",
    "utf-16",
    "cp037",
    "utf-16-be",
    "ascii\n",
    "8",
)


def encodings() -> Iterator[Bad]:
    spoilt = TABLE.replace("Ana", "Añá").encode("latin-1")
    for name in ENCODINGS:
        yield Bad(
            "encoding",
            repr(name),
            lambda f, n=name: (write("t.csv", spoilt)(f), with_plan(table={"encoding": n})(f)),
        )
    for name in ("utf-8", "ascii", "shift_jis", "utf-16", "utf-32", "utf-7"):
        yield Bad(
            "encoding",
            f"--set table.encoding={name}",
            write("t.csv", spoilt),
            (*GOOD, "--set", f"table.encoding={name}"),
        )
    for separator in ("", "ab", '"', "\n", "\r", "é", "\0", "🙂"):
        yield Bad(
            "encoding",
            f"separator {separator!r}",
            with_plan(table={"separator": separator}),
            mentions=("separator",),
        )


@cache
def binary(suffix: str) -> bytes:
    """A good table in a binary format; made in a child, since a database leaves threads behind."""
    return in_child(lambda: _madebinary(suffix))


def _madebinary(suffix: str) -> bytes:
    table, buffer = pa.table({"job": ["cat", "dog"] * 50, "age": list(range(100))}), io.BytesIO()
    if suffix == ".parquet":
        pa.parquet.write_table(table, buffer)
    elif suffix == ".xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        for row in [table.column_names, *zip(*table.to_pydict().values(), strict=True)]:
            book.active.append(list(row))
        book.save(buffer)
    elif suffix == ".duckdb":
        import duckdb

        with workplace() as folder:
            with duckdb.connect(str(folder / "x.duckdb")) as connection:
                connection.register("given", table)
                connection.sql("CREATE TABLE t AS SELECT * FROM given")
            buffer.write((folder / "x.duckdb").read_bytes())
    elif suffix in (".dta", ".sav"):
        import pyreadstat

        with workplace() as folder:
            write_table = pyreadstat.write_dta if suffix == ".dta" else pyreadstat.write_sav
            write_table(table.to_pandas(), folder / f"x{suffix}")
            buffer.write((folder / f"x{suffix}").read_bytes())
    else:
        pa.feather.write_feather(table, buffer, compression="uncompressed")
    return buffer.getvalue()


def binary_tables() -> Iterator[Bad]:
    suffixes = BINARY
    whole = {suffix: binary(suffix) for suffix in suffixes}
    for suffix in suffixes:
        size, file = len(whole[suffix]), f"t{suffix}"
        run = ("anonymize", file, "--qi", "job:onto.yaml", "--qi", "age:numeric", "-k", "2", "-o", "out.csv")
        for share in (0, 0.01, 0.1, 0.3, 0.5, 0.8, 0.95):
            cut = whole[suffix][: int(size * share)]
            yield Bad("binary table", f"{suffix} cut at {share:.0%}", write(file, cut), run, ("t.", "file"))
        yield Bad("binary table", f"{suffix} of noise", write(file, bytes(range(256)) * 40), run, ("t.",))
        yield Bad("binary table", f"{suffix} of zeros", write(file, bytes(5000)), run, ("t.",))
        yield Bad("binary table", f"{suffix} that is text", write(file, TABLE), run, ("t.",))
        for other in suffixes:
            alike = {suffix, other} <= {".arrow", ".feather", ".ipc"}
            if other != suffix and not alike:
                yield Bad(
                    "binary table", f"{suffix} that is {other}", write(file, whole[other]), run, ("t.",)
                )
        middle = bytearray(whole[suffix])
        for at in range(size // 3, size // 3 + 60):
            middle[at] ^= 0xFF
        yield Bad("binary table", f"{suffix} damaged inside", write(file, bytes(middle)), run, codes=(0, 2))
