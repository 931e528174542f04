"""Bad inputs by class: each must end with its exit code, a message that names the thing, and nothing written.

Descriptions are data: what is put into a folder that holds a good run, and what the command is given. Where
the product has a register (options of plans, formats), bad values are made for all that is in it.
"""

from __future__ import annotations

import io
import os
import resource
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from hostile.running import Crash, Outcome, changed, command_here, in_child, snapshot, workplace
from hostile.sources import yaml_of
from ontomask.options import options_of
from ontomask.plan import AttributePlan, MethodPlan, Plan
from ontomask.plan.parts import TableSettings
from ontomask.tables.register import ENGINES

TABLE = (
    "name,job,age,level,ward\n"
    "Ana,cat,30,low,x\nBo,cat,31,mid,y\nCid,dog,45,low,x\nDag,dog,44,high,x\nEva,rose,60,mid,y\nFay,rose,61,low,x\n"
)
ONTOLOGY = "thing:\n  animal: [cat, dog]\n  plant: [rose, tulip]\n"
PLAN: dict[str, Any] = {
    "attributes": {
        "name": {"role": "identifier"},
        "job": {"role": "quasi-identifier", "ontology": "onto.yaml"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
        "level": {"role": "quasi-identifier", "kind": "ordinal", "order": ["low", "mid", "high"]},
        "ward": {"role": "confidential"},
    },
    "privacy": {"k": 2},
}
SECONDS = 10
MEMORY = 6 << 30  # of addresses; a bad input of some bytes has no business there
GOOD = ("anonymize", "t.csv", "--plan", "plan.yaml", "-o", "out.csv")

Make = Callable[[Path], object]


@dataclass(frozen=True)
class Bad:
    """A bad input: how the good folder is spoilt, what the command is given, what the answer must name."""

    kind: str
    name: str
    spoil: Make | None = None
    arguments: tuple[str, ...] = GOOD
    mentions: tuple[str, ...] = ()
    codes: tuple[int, ...] = (2,)
    file_limit: int | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"


def answer(bad: Bad) -> list[str]:
    """What is wrong with the product's answer to a bad input; it is given in a child, which may crash."""
    try:
        return in_child(lambda: _answer(bad), SECONDS + 3)
    except Crash as crash:
        return [str(crash)]


def _answer(bad: Bad) -> list[str]:
    with workplace() as folder:
        good_folder(folder)
        if bad.spoil is not None:
            bad.spoil(folder)
        before = snapshot(folder)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
        with _file_limit(bad.file_limit):
            done = command_here(bad.arguments, SECONDS)
        faults = list(_faults(bad, done))
        touched = changed(before, snapshot(folder))
        if touched and done.code != 0:
            faults.append(f"refused, but changed {touched}")
        if done.code == 0:
            lost = [name for name in touched if name in before]
            faults += [f"wrote over {lost}"] if lost else []
        return faults


def good_folder(folder: Path) -> None:
    (folder / "t.csv").write_text(TABLE)
    (folder / "onto.yaml").write_text(ONTOLOGY)
    (folder / "m.csv").write_text("value,concept\ncat,cat\n")
    (folder / "plan.yaml").write_text(yaml_of(PLAN))


def _faults(bad: Bad, done: Outcome) -> Iterator[str]:
    said = done.err + done.out
    if done.is_traceback:
        yield f"traceback: {' | '.join(done.err.strip().splitlines()[-2:])[-200:]}"
    elif done.code not in bad.codes:
        yield f"exit code {done.code} instead of {bad.codes}: {said.strip()[:120]}"
    elif done.code and len(done.err.strip()) < 8:
        yield "no message"
    plain = "".join(c for c in said if c not in " \n│")
    if done.code == 2 and bad.mentions and not any("".join(m.split()) in plain for m in bad.mentions):
        yield f"the message names none of {bad.mentions}: {said.strip()[:200]}"


class _file_limit:  # noqa: N801 - used as a function
    """No file may grow beyond some bytes: what a full disk is to a program."""

    def __init__(self, most: int | None) -> None:
        self._most = most

    def __enter__(self) -> None:
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)
        if self._most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (self._most, self._before[1]))

    def __exit__(self, *error: object) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)


def write(name: str, content: str | bytes) -> Make:
    """Spoil by writing a file."""
    data = content.encode() if isinstance(content, str) else content
    return lambda folder: (folder / name).write_bytes(data)


def with_plan(**changes: Any) -> Make:
    """Spoil by another plan: sections are merged."""

    def spoil(folder: Path) -> None:
        plan = {key: dict(value) for key, value in PLAN.items()}
        for key, value in changes.items():
            old = plan.get(key)
            plan[key] = {**old, **value} if isinstance(old, dict) and isinstance(value, dict) else value
        (folder / "plan.yaml").write_text(yaml_of(plan), encoding="utf-8")

    return spoil


# ---------------------------------------------------------------------- tables

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
    "latin-1": TABLE.replace("Ana", "Añá").encode("latin-1"),
    "utf-16": TABLE.encode("utf-16"),
    "utf-16 without BOM": TABLE.encode("utf-16-le"),
    "utf-32": TABLE.encode("utf-32"),
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
    "a further column": TABLE.replace("ward", "ward,zip").replace("x\n", "x,1\n").replace("y\n", "y,1\n").encode(),
    "an unknown word": (TABLE + "Gus,spaceship,1,low,x\n").encode(),
    "an unknown category": (TABLE + "Gus,cat,1,tiny,x\n").encode(),
    "no word at all": TABLE.replace("cat", "").replace("dog", "NA").replace("rose", "?").encode(),
    "one row": "".join(_LINES[:2]).encode(),
    "10,000 columns": (",".join(f"c{i}" for i in range(10_000)) + "\n" + ",".join(["1"] * 10_000) + "\n").encode(),
}  # fmt: skip


def text_tables() -> Iterator[Bad]:
    for name, content in TEXT_TABLES.items():
        yield Bad("text table", name, write("t.csv", content))


NOT_NUMBERS = (
    "inf", "-inf", "nan", "NaN", "infinity", "1e400", "-1e999", "1,5", "0x10", "--1", "1e", "½", "twelve", "1 000", "1/2",
    "$5", "5%", "1.2.3", "e5", "9" * 400,
)  # fmt: skip


def numbers() -> Iterator[Bad]:
    for text in NOT_NUMBERS:
        row = f'{TABLE}Gus,cat,"{text}",low,x\n'
        yield Bad("number", text[:20], write("t.csv", row), mentions=("age",))
    for text in ("1e-2147483650", "1e-400", "1.7e308", "5e-324", "1e2147483650"):
        row = f"{TABLE}Gus,cat,{text},low,x\n"
        yield Bad("number", text, write("t.csv", row), mentions=("age",), codes=(0, 2))
    for weight in (0, -1, "inf", ".nan", 1e308, 1e309, "heavy", [1], True):
        job = {**PLAN["attributes"], "age": {**PLAN["attributes"]["age"], "weight": weight}}
        yield Bad("number", f"weight {weight}", with_plan(attributes=job), mentions=("weight",))


ENCODINGS = (
    "hex", "base64", "rot13", "rot_13", "zlib", "bz2", "uu", "quopri", "idna", "punycode", "undefined", "unicode_escape",
    "mbcs", "nothing", "", "utf-8\0", "../x", "utf-32", "utf-16", "cp037", "utf-16-be", "ascii\n", "8",
)  # fmt: skip


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
def _binary(suffix: str) -> bytes:
    """A good table in a binary format; made in a child, since a database leaves threads behind."""
    return in_child(lambda: _made_binary(suffix))


def _made_binary(suffix: str) -> bytes:
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
    else:
        pa.feather.write_feather(table, buffer, compression="uncompressed")
    return buffer.getvalue()


def binary_tables() -> Iterator[Bad]:
    suffixes = [s for one in ENGINES if one.module != "delimited" for s in one.suffixes]
    whole = {suffix: _binary(suffix) for suffix in suffixes}
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


# ---------------------------------------------------------------------- ontologies

_BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
_LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>&i;</rdf:RDF>"
)
NOISE: dict[str, bytes] = {
    "empty": b"",
    "blank": b"\n\n",
    "noise": bytes(range(256)) * 8,
    "zeros": bytes(3000),
    "a list": b"[1, 2, [3",
    "unclosed": b'{"thing": {"cat": ',
    "XML unclosed": b"<?xml version='1.0'?><a><b>",
    "XML unknown encoding": b"<?xml version='1.0' encoding='klingon'?><a/>",
    "laughs": _LAUGHS.encode(),
    "bomb": _BOMB.encode(),
    "utf-16": ONTOLOGY.encode("utf-16"),
    "not UTF-8": b"thing:\n  caf\xe9: {}\n",
}
BROKEN_ONTOLOGIES: dict[str, str] = {
    "twice.yaml": "thing:\n  cat: {}\n  cat: {}\n",
    "twice-apart.yaml": "thing:\n  animal: [cat]\n  plant: [cat]\n",
    "tag.yaml": "thing: !!python/object/apply:os.system ['true']\n",
    "tabs.yaml": "thing:\n\tcat: {}\n",
    "scalar.yaml": "thing\n",
    "anchor.yaml": "thing: *nothing\n",
    "cycle.obo": (
        "format-version: 1.2\n\n[Term]\nid: A:1\nname: cat\nis_a: A:2\n\n[Term]\nid: A:2\nname: dog\nis_a: A:1\n"
    ),
    "nobody.obo": "format-version: 1.2\n\n[Term]\nid: A:1\nname: cat\nis_a: A:9\n",
    "noid.obo": "format-version: 1.2\n\n[Term]\nname: cat\n",
    "open.ttl": "@prefix : <http://x/> .\n:a :b",
    "prefix.ttl": "x:a x:b x:c .",
    "entity.owl": '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    "ragged.csv": "cat;animal;thing\ndog;animal\n",
    "one.csv": "cat\n",
    "cycle.dgh": "a|b\nb|a\n",
    "nothing.onto": "PK nothing",
    "odd.xyz": "cat",
}


def ontologies() -> Iterator[Bad]:
    def run(file: str) -> tuple[str, ...]:
        return ("anonymize", "t.csv", "--plan", "plan.yaml", "--qi", f"job:{file}", "-o", "out.csv")

    for suffix in (".yaml", ".json", ".obo", ".owl", ".ttl", ".rdf", ".csv", ".dgh", ".onto", ".xml", ".nt"):
        for name, content in NOISE.items():
            file = f"broken{suffix}"
            yield Bad("ontology", f"{suffix} of {name}", write(file, content), run(file), ("broken", "job"))
    for file, text in BROKEN_ONTOLOGIES.items():
        yield Bad("ontology", file, write(file, text), run(file), (file.partition(".")[0], "job"))
    deep = "".join("  " * 0 + f'{"{"}"c{i}": ' for i in range(3000)) + "{}" + "}" * 3000
    yield Bad("ontology", "3,000 deep", write("deep.json", deep), run("deep.json"), ("deep", "job"))
    for name in ("wordnett", "icd11", "WORDNET", "nothing.yaml", "mesh"):
        yield Bad("ontology", f"named {name}", None, run(name), (name,))
    for under in ("nobody", "", "cat; dog"):
        yield Bad("ontology", f"under {under!r}", None, (*GOOD, "--under", f"job:{under}"), ("under", "job"))


MAPPINGS: dict[str, bytes] = {
    "empty": b"",
    "no header": b"cat,cat\n",
    "no concept": b"value,thing\ncat,cat\n",
    "unknown concept": b"value,concept\ncat,nobody.n.09\n",
    "twice": b"value,concept\ncat,cat\ncat,dog\n",
    "ragged": b"value,concept\ncat\n",
    "not UTF-8": b"value,concept\ncaf\xe9,cat\n",
    "an open quote": b'value,concept\n"cat,cat\n',
    "zeros": bytes(100),
    "utf-16": "value,concept\ncat,cat\n".encode("utf-16"),
}


def mappings() -> Iterator[Bad]:
    for name, content in MAPPINGS.items():
        yield Bad(
            "mapping", name, write("m.csv", content), (*GOOD, "--mapping", "job:m.csv"), ("m.csv", "mapping")
        )


# ---------------------------------------------------------------------- plans

PLAN_TEXTS: dict[str, str | bytes] = {
    "empty": "",
    "a comment": "# nothing\n",
    "a list": "[a, b]",
    "a text": "hello",
    "a number": "7",
    "two documents": "a: 1\n---\nb: 2\n",
    "unclosed": "attributes: {",
    "tabs": "privacy:\n\tk: 3\n",
    "a key twice": "privacy: {k: 3}\nprivacy: {k: 2}\n",
    "a python tag": "privacy: !!python/object/apply:os.system ['true']\n",
    "an own tag": "privacy: !x {k: 3}\n",
    "an unknown alias": "privacy: *x\n",
    "an alias of itself": "a: &a [*a]\n",
    "a bomb": _BOMB,
    "deep": "attributes: " + "[" * 2000 + "]" * 2000,
    "deep mappings": "attributes: " + "{a: " * 1500 + "1" + "}" * 1500,
    "not UTF-8": b"privacy: {k: \xff}\n",
    "utf-16": "privacy: {k: 2}".encode("utf-16"),
    "zeros": bytes(50),
    "a control character": "privacy: {k: \x07}\n",
    "a merge key": "<<: {privacy: {k: 2}}\n",
    "a complex key": "? [a, b]\n: 1\n",
    "a null key": "~: 1\n",
    "version 99": "version: 99\n",
    "version of text": "version: new\n",
    "a huge k": "privacy: {k: " + "9" * 5000 + "}\n",
    "a date": "seed: 2024-01-01\n",
}  # fmt: skip

WRONG: tuple[Any, ...] = ([1], {"a": 1}, "zzz", -7, 1.5, "", True)


def plans() -> Iterator[Bad]:
    for name, text in PLAN_TEXTS.items():
        yield Bad(
            "plan",
            name,
            write("plan.yaml", text),
            mentions=("plan", "privacy", "attributes", "version", "seed"),
        )
    for key in ("privcy", "Method", "k", "table ", "", "attributes.age", "qi", "__class__", "\x1b[31m"):
        yield Bad(
            "plan", f"unknown key {key!r}", with_plan(**{key: 1}), mentions=(key.strip()[:3] or "key", "key")
        )
    yield from _wrong_values("table", TableSettings)
    yield from _wrong_values("method", MethodPlan)
    for value in (*WRONG[:-2], 0, "2", 2.0, None, 7, 10**30):
        spoil = with_plan(privacy={"k": value})
        yield Bad(
            "plan",
            f"k {str(value)[:20]}",
            spoil,
            mentions=("k",),
            codes=(0, 2) if value in ("2", None, 2.0) else (2,),
        )
    for key in (key for key, one in options_of(Plan).items() if one.values != "section"):
        for value in ([1], {"a": 1}, "zzz", -7):
            yield Bad("plan", f"{key}: {value!r}", with_plan(**{key: value}), mentions=(key,))
    for key in options_of(AttributePlan):
        for value in ([{"a": 1}], {"a": 1}, -7):
            age = {**PLAN["attributes"], "age": {**PLAN["attributes"]["age"], key: value}}
            yield Bad("plan", f"age.{key}: {value!r}", with_plan(attributes=age), mentions=(key, "age"))
    for name, changes in CONTRADICTIONS.items():
        yield Bad("plan", name, with_plan(**changes))


def _wrong_values(section: str, kind: Any) -> Iterator[Bad]:
    for key, one in options_of(kind).items():
        for value in ([[1]], {"a": 1}, *([-7] if one.kind is not str else [])):
            yield Bad(
                "plan", f"{section}.{key}: {value!r}", with_plan(**{section: {key: value}}), mentions=(key,)
            )
        if one.choices:
            yield Bad("plan", f"{section}.{key}: zzz", with_plan(**{section: {key: "zzz"}}), mentions=(key,))
    yield Bad("plan", f"{section}: a list", with_plan(**{section: [1]}), mentions=(section,))


_ATTRIBUTES = PLAN["attributes"]
CONTRADICTIONS: dict[str, dict[str, Any]] = {
    "nothing masked": {"attributes": {name: {"role": "other"} for name in _ATTRIBUTES}},
    "all identifiers": {"attributes": {name: {"role": "identifier"} for name in _ATTRIBUTES}},
    "an undecided column": {"attributes": {**_ATTRIBUTES, "ward": {"role": "undecided"}}},
    "ordinal without order": {"attributes": {**_ATTRIBUTES, "level": {"role": "quasi-identifier", "kind": "ordinal"}}},
    "an order of one": {"attributes": {**_ATTRIBUTES, "level": {**_ATTRIBUTES["level"], "order": ["low"]}}},
    "an order with repeats": {"attributes": {**_ATTRIBUTES, "level": {**_ATTRIBUTES["level"], "order": ["low", "low"]}}},
    "an ontology for numbers": {"attributes": {**_ATTRIBUTES, "age": {**_ATTRIBUTES["age"], "ontology": "wordnet"}}},
    "a weight of an identifier": {"attributes": {**_ATTRIBUTES, "name": {"role": "identifier", "weight": 2}}},
    "a column that is not there": {"attributes": {**_ATTRIBUTES, "zip": {"role": "identifier"}}},
    "an option of another method": {"method": {"name": "recoding", "static": True}},
    "convention without its measure": {"method": {"measure": "logsc", "convention": "links"}},
    "ic without its measure": {"method": {"measure": "logsc", "ic": "seco"}},
    "ic of a missing file": {"method": {"measure": "lin", "ic": "nothing.txt"}},
    "h2 and distributional": {"method": {"name": "recoding", "h2": False, "distributional": True}},
    "k beyond the table": {"privacy": {"k": 7}},
    "suppression of all": {"method": {"name": "suppression"}, "privacy": {"k": 6}},
    "an unknown role": {"attributes": {**_ATTRIBUTES, "ward": {"role": "secret"}}},
    "a role of none": {"attributes": {**_ATTRIBUTES, "ward": 5}},
    "a NUL in a path": {"attributes": {**_ATTRIBUTES, "job": {"role": "quasi-identifier", "ontology": "on\0to.yaml"}}},
    "a long path": {"attributes": {**_ATTRIBUTES, "job": {"role": "quasi-identifier", "ontology": "x" * 5000}}},
    "nobody's home": {"attributes": {**_ATTRIBUTES, "job": {"role": "quasi-identifier", "ontology": "~nobody9/x.yaml"}}},
    "a mapping of nobody's home": {
        "attributes": {**_ATTRIBUTES, "job": {**_ATTRIBUTES["job"], "mapping": "~nobody9/m.csv"}}
    },
}  # fmt: skip


# ---------------------------------------------------------------------- the command line

_ORDER = "level:ordinal=" + "<".join(f"value{i}" for i in range(100))
OPTIONS: dict[str, tuple[str, ...]] = {
    "nothing": ("anonymize",),
    "no output": GOOD[:-2],
    "no plan": ("anonymize", "t.csv", "-o", "out.csv"),
    "an unknown command": ("anonymise", "t.csv"),
    "an unknown option": (*GOOD, "--frobnicate"),
    "a short unknown option": (*GOOD, "-z"),
    "a further argument": (*GOOD, "more.csv"),
    "k of text": (*GOOD, "-k", "many"),
    "k of a fraction": (*GOOD, "-k", "2.5"),
    "k of nothing": (*GOOD, "-k", ""),
    "k of zero": (*GOOD, "-k", "0"),
    "k below zero": (*GOOD, "-k", "-3"),
    "k huge": (*GOOD, "-k", "9" * 30),
    "seed of text": (*GOOD, "--seed", "x"),
    "seed below zero": (*GOOD, "--seed", "-1"),
    "an unknown method": (*GOOD, "--method", "magic"),
    "an unknown measure": (*GOOD, "--measure", "magic"),
    "others of nonsense": (*GOOD, "--others", "maybe"),
    "unmapped of nonsense": (*GOOD, "--unmapped", "maybe"),
    "qi of a missing column": (*GOOD, "--qi", "nobody:numeric"),
    "qi of nothing": (*GOOD, "--qi", ""),
    "qi of a colon": (*GOOD, "--qi", ":"),
    "qi of an unknown kind": (*GOOD, "--qi", "age:ordinal"),
    "qi of an empty order": (*GOOD, "--qi", "age:ordinal="),
    "a qi twice": (*GOOD, "--qi", "age:numeric", "--qi", "age:numeric"),
    "a long order": (*GOOD, "--qi", _ORDER),
    "a qi with a NUL": (*GOOD, "--qi", "job:x\0y"),
    "a long ontology": (*GOOD, "--qi", f"job:{'x' * 300}"),
    "qi and identifier": (*GOOD, "--qi", "age:numeric", "--identifier", "age"),
    "identifier of nobody": (*GOOD, "--identifier", "nobody"),
    "confidential of nobody": (*GOOD, "--confidential", "nobody"),
    "under without a column": (*GOOD, "--under", "thing"),
    "under of nobody": (*GOOD, "--under", "nobody:thing"),
    "mapping without a file": (*GOOD, "--mapping", "job"),
    "mapping of a missing file": (*GOOD, "--mapping", "job:nothing.csv"),
    "set without a value": (*GOOD, "--set", "method.static"),
    "set of nothing": (*GOOD, "--set", "="),
    "set of an unknown key": (*GOOD, "--set", "metod.static=true"),
    "set of a section": (*GOOD, "--set", "method=5"),
    "set with a tag": (*GOOD, "--set", "seed=!!python/name:os.system"),
    "set with bad YAML": (*GOOD, "--set", "table.na_values=[a"),
    "set of an alias": (*GOOD, "--set", "seed=*a"),
    "set with a NUL": (*GOOD, "--set", "table.encoding=\0"),
    "a table of a CSV": (*GOOD, "--table", "people", "--set", "table.engine=magic"),
    "a lone surrogate": (*GOOD, "--qi", "a\udcffge:numeric"),
    "a table of a surrogate": ("anonymize", "t\udcff.csv", "--plan", "plan.yaml", "-o", "out.csv"),
    "an escape in an option": (*GOOD, "--method", "\x1b[31mred"),
    "an unknown suffix": (*GOOD[:-1], "out.xyz"),
    "no suffix": (*GOOD[:-1], "out"),
    "a suffix only": (*GOOD[:-1], ".csv"),
    "an empty output": (*GOOD[:-1], ""),
    "an output of a dot": (*GOOD[:-1], "."),
    "an output of two dots": (*GOOD[:-1], ".."),
    "a missing folder": (*GOOD[:-1], "no/such/out.csv"),
    "a file as folder": (*GOOD[:-1], "t.csv/out.csv"),
    "a long output": (*GOOD[:-1], "x" * 252 + ".csv"),
    "a longer output": (*GOOD[:-1], "x" * 5000 + ".csv"),
    "a NUL in the output": (*GOOD[:-1], "a\0b.csv"),
    "nobody's home": (*GOOD[:-1], "~nobody9/out.csv"),
    "init of nothing": ("init", "nothing.csv"),
    "init over the table": ("init", "t.csv", "-o", "t.csv"),
    "init over a plan": ("init", "t.csv", "-o", "plan.yaml"),
    "init of a folder": ("init", "."),
    "init with a useless key": ("init", "t.csv", "--set", "method.static=true"),
    "link without a column": ("link", "t.csv"),
    "link of nobody": ("link", "t.csv", "--column", "nobody"),
    "link with no ontology": ("link", "t.csv", "--column", "job", "--ontology", "nothing.yaml"),
    "link over its table": ("link", "t.csv", "--column", "job", "--ontology", "onto.yaml", "-o", "t.csv"),
    "link over its ontology": ("link", "t.csv", "--column", "job", "--ontology", "onto.yaml", "-o", "onto.yaml"),
    "link over a mapping": ("link", "t.csv", "--column", "job", "--ontology", "onto.yaml", "-o", "m.csv"),
    "link with unknown senses": ("link", "t.csv", "--column", "job", "--senses", "all"),
    "evaluate of nothing": ("evaluate", "t.csv", "nothing.csv", "--plan", "plan.yaml"),
    "evaluate with no plan": ("evaluate", "t.csv", "t.csv"),
    "evaluate by nobody": ("evaluate", "t.csv", "t.csv", "--plan", "plan.yaml", "--key", "nobody"),
    "evaluate known to nobody": ("evaluate", "t.csv", "t.csv", "--plan", "plan.yaml", "--known", "nobody"),
    "evaluate with alpha 7": ("evaluate", "t.csv", "t.csv", "--plan", "plan.yaml", "--alpha", "7"),
    "evaluate with alpha nan": ("evaluate", "t.csv", "t.csv", "--plan", "plan.yaml", "--alpha", "nan"),
    "compare without output": ("compare", "t.csv", "--plan", "plan.yaml"),
    "compare of unknown methods": ("compare", "t.csv", "--plan", "plan.yaml", "--methods", "magic", "-o", "out"),
    "compare with k of text": ("compare", "t.csv", "--plan", "plan.yaml", "-k", "a,b", "-o", "out"),
    "compare into a file": ("compare", "t.csv", "--plan", "plan.yaml", "-k", "2", "-o", "t.csv"),
    "ontology of nothing": ("ontology", "info", "nothing.yaml"),
    "senses of nobody": ("ontology", "senses", "onto.yaml", "zzzz"),
    "distance of nobody": ("ontology", "distance", "onto.yaml", "cat", "zzzz"),
    "path of nobody": ("ontology", "path", "onto.yaml", "zzzz"),
    "an unknown convention": ("ontology", "distance", "onto.yaml", "cat", "dog", "-m", "path", "--convention", "x"),
}  # fmt: skip


def options() -> Iterator[Bad]:
    for name, arguments in OPTIONS.items():
        yield Bad("option", name, None, arguments)


# ---------------------------------------------------------------------- paths


def _folder(name: str) -> Make:
    return lambda folder: ((folder / name).unlink(missing_ok=True), (folder / name).mkdir())


def _fifo(name: str) -> Make:
    return lambda folder: ((folder / name).unlink(missing_ok=True), os.mkfifo(folder / name))


def _loop(name: str) -> Make:
    return lambda folder: ((folder / name).unlink(missing_ok=True), (folder / name).symlink_to(name))


def _dangling(name: str) -> Make:
    return lambda folder: ((folder / name).unlink(missing_ok=True), (folder / name).symlink_to("nowhere"))


def _device(name: str) -> Make:
    return lambda folder: ((folder / name).unlink(missing_ok=True), (folder / name).symlink_to("/dev/null"))


def _gone(name: str) -> Make:
    return lambda folder: (folder / name).unlink()


SPOILT_PATHS = {"a folder": _folder, "a FIFO": _fifo, "a loop": _loop, "a dangling link": _dangling, "/dev/null": _device,
                "gone": _gone}  # fmt: skip


def paths() -> Iterator[Bad]:
    mapped = (*GOOD, "--mapping", "job:m.csv")
    for name, spoil in SPOILT_PATHS.items():
        for file in ("t.csv", "plan.yaml", "onto.yaml", "m.csv"):
            yield Bad(
                "path",
                f"{file} is {name}",
                spoil(file),
                mapped,
                (file.partition(".")[0], "mapping", "ontology"),
            )
    for role, arguments in {
        "table": ("anonymize", "{}", "--plan", "plan.yaml", "-o", "out.csv"),
        "plan": ("anonymize", "t.csv", "--plan", "{}", "-o", "out.csv"),
        "ontology": (*GOOD, "--qi", "job:{}"),
        "mapping": (*GOOD, "--mapping", "job:{}"),
        "report": (*GOOD, "--report", "{}"),
        "population": ("evaluate", "t.csv", "t.csv", "--plan", "plan.yaml", "--population", "{}"),
    }.items():
        for path in (
            "x" * 300 + ".csv",
            "x/" * 3000 + "y.csv",
            "~nobody9/t.csv",
            ".",
            "/",
            "t.csv/x.csv",
            "/proc/self/mem",
        ):
            yield Bad(
                "path", f"{role} {path[:20]}", None, tuple(part.replace("{}", path) for part in arguments)
            )
    for file in ("out.csv", "out.manifest.json", "out.internal.json", "report.html"):
        run = (*GOOD, "--report", "report.html")
        yield Bad("path", f"{file} is a folder", _folder(file), run, (file, "out"))
        yield Bad("path", f"{file} is a FIFO", _fifo(file), run, codes=(0, 2))
        yield Bad("path", f"{file} is a loop", _loop(file), run, codes=(0, 2))


OVERWRITES: dict[str, tuple[str, ...]] = {
    "the table": ("-o", "t.csv"),
    "the table by a detour": ("-o", "../{here}/./t.csv"),
    "the table by a link": ("-o", "link.csv"),
    "the table by a hard link": ("-o", "hard.csv"),
    "the mapping": ("-o", "m.csv"),
    "the ontology": ("-o", "onto.csv"),
    "the plan": ("-o", "out.csv", "--report", "plan.yaml"),
    "the report over the table": ("-o", "out.csv", "--report", "t.csv"),
    "the report over the mapping": ("-o", "out.csv", "--report", "m.csv"),
    "the report over the ontology": ("-o", "out.csv", "--report", "onto.csv"),
    "the report over the release": ("-o", "out.csv", "--report", "out.csv"),
    "the report over the release by a detour": ("-o", "out.csv", "--report", "./out.csv"),
    "the report over the manifest": ("-o", "out.csv", "--report", "out.manifest.json"),
    "the report over the internal manifest": ("-o", "out.csv", "--report", "out.internal.json"),
    "the plan by the manifest": ("-o", "p.csv"),
    "the table and a report": ("-o", "t.csv", "--report", "r.html"),
}


def overwrites() -> Iterator[Bad]:
    def prepare(folder: Path) -> None:
        (folder / "onto.csv").write_text("cat;animal;thing\ndog;animal;thing\nrose;plant;thing\n")
        (folder / "link.csv").symlink_to("t.csv")
        os.link(folder / "t.csv", folder / "hard.csv")
        (folder / "p.manifest.json").write_text(yaml_of(PLAN))

    for name, given in OVERWRITES.items():
        plan = "p.manifest.json" if name == "the plan by the manifest" else "plan.yaml"
        run = ("anonymize", "t.csv", "--plan", plan, "--qi", "job:onto.csv", "--mapping", "job:m.csv", *given)
        yield Bad("overwrite", name, lambda folder: prepare(folder), run)
    for suffix in (s for one in ENGINES if one.module != "delimited" for s in one.suffixes):
        run = (
            "anonymize",
            f"t{suffix}",
            "--qi",
            "job:onto.yaml",
            "--qi",
            "age:numeric",
            "-k",
            "2",
            "-o",
            f"t{suffix}",
        )
        yield Bad(
            "overwrite", f"{suffix} over itself", write(f"t{suffix}", _binary(suffix)), run, (f"t{suffix}",)
        )
        by_link = (*run[:-1], f"link{suffix}")

        def linked(folder: Path, suffix: str = suffix) -> None:
            (folder / f"t{suffix}").write_bytes(_binary(suffix))
            (folder / f"link{suffix}").symlink_to(f"t{suffix}")

        yield Bad("overwrite", f"{suffix} by a link", linked, by_link, codes=(0, 2))


def full_disks() -> Iterator[Bad]:
    for suffix in (s for one in ENGINES for s in one.suffixes):
        for most in (0, 30):
            yield Bad(
                "full disk", f"{suffix}, {most} bytes", None, (*GOOD[:-1], f"out{suffix}"), file_limit=most
            )
    for most in (0, 200, 2000):
        yield Bad("full disk", f"report, {most} bytes", None, (*GOOD, "--report", "r.html"), file_limit=most)
        yield Bad(
            "full disk",
            f"init, {most} bytes",
            None,
            ("init", "t.csv", "-o", "p.yaml"),
            codes=(0, 2),
            file_limit=most,
        )
        run = ("link", "t.csv", "--column", "job", "--ontology", "onto.yaml", "-o", "new.csv")
        yield Bad("full disk", f"link, {most} bytes", None, run, codes=(0, 2), file_limit=most)


CLASSES: tuple[Callable[[], Iterator[Bad]], ...] = (
    text_tables, numbers, encodings, binary_tables, ontologies, mappings, plans, options, paths, overwrites, full_disks,
)  # fmt: skip


def all_bad_inputs() -> list[Bad]:
    """Every bad input."""
    return [bad for one in CLASSES for bad in one()]
