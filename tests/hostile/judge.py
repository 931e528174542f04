"""The judge of a release: from the table that went in, the plan, and the files that came out.

It shares no code with the product: delimited text is parsed here, other files by the libraries of their
formats. A finding is a pair (what rule, what was seen); none means that the release may leave the house.
"""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

from hostile.cases import GROUPS, TEXTS, Case, Column, gives_no_k
from hostile.truth import (
    GENERALISING,
    answers,
    day_of,
    hierarchy_of,
    is_range,
    is_truthful,
    na_values,
    number_of,
    text_of,
    untrue,
)

Finding = tuple[str, str]
Row = tuple[str, ...]


def judge(case: Case, folder: Path, source: Any, release: Path) -> list[Finding]:
    """Everything that is wrong with a release and the files beside it."""
    findings = [*_manifest(case, folder, source, release), *_bytes(case, folder, release)]
    names = expected_names(case)
    try:
        found, rows = read_release(release, case)
    except Exception as error:
        return [*findings, ("partial file", f"{release.name} cannot be read: {error!r}")]
    if found != names:
        return [*findings, ("header", f"{found} instead of {names}")]
    return [*findings, *_rows(case, names, rows, _suppressed(release))]


def expected_names(case: Case) -> list[str]:
    """The columns of a release."""
    dropped = case.plan.get("others") == "drop"
    return [c.name for c in case.columns if c.role != "identifier" and (c.is_named or not dropped)]


# ---------------------------------------------------------------------- rows


def _rows(case: Case, names: list[str], rows: list[Row], suppressed: int) -> Iterator[Finding]:
    masked = [c for c in case.columns if c.role == "quasi-identifier"]
    kept = [c for c in case.columns if c.name in names and c not in masked]
    may_drop = case.plan["method"]["name"] == "suppression" or case.plan.get("missing") == "suppress-row"
    budget = int(_share(case.plan["privacy"].get("suppress", 0)) * case.n_rows)
    if suppressed > budget and not may_drop:
        yield "rows lost", f"{suppressed} suppressed though the plan allows {budget}"
    if len(rows) != case.n_rows - suppressed:
        yield "rows lost", f"{len(rows)} of {case.n_rows} rows, {suppressed} said to be suppressed"
    place = {name: at for at, name in enumerate(names)}
    confidential = [c.name for c in kept if c.role == "confidential"]
    asked = {key: value for key, value in case.plan["privacy"].items() if key in REQUIREMENTS}
    if gives_no_k(case.plan["method"]):
        asked = {}
    for key, value in asked.items():
        sets = [tuple(masked)]
        if key == "lkc":
            value = value | {"columns": confidential}
            if case.plan["method"]["name"] == "top-down":  # which looks at sets of columns
                sets = [*combinations(masked, min(value["L"], len(masked)))]
        for columns in sets:
            classes: dict[Row, list[Row]] = {}
            for row in rows:
                classes.setdefault(tuple(row[place[c.name]] for c in columns), []).append(row)
            spread = {
                c.name: [
                    Counter(_value(case, row[place[c.name]], c) for row in own) for own in classes.values()
                ]
                for c in kept
            }
            for text in REQUIREMENTS[key](value, [*map(len, classes.values())], spread):
                yield "below a requirement", f"{key} = {value}: {text}"
    before = Counter(zip(*([_text(cell, c) for cell in c.cells] for c in kept), strict=True))
    after = Counter(tuple(_text(row[place[c.name]], c) for c in kept) for row in rows)
    if kept and after - before:
        yield "cells", f"rows of columns that are not masked differ: {list((after - before).items())[:2]!r}"
    for column in masked:
        cells = [row[place[column.name]] for row in rows]
        yield from CHECKS[column.kind](case, column, {*cells})
        in_order = case.source not in ("folder", ".duckdb", "ibis", "by duckdb")
        keeps_order = in_order and not case.plan.get("shuffle")
        if (
            case.plan.get("attributes", {}).get(column.name, {}).get("keep")
            and len(rows) == case.n_rows
            and keeps_order
        ):
            yield from _kept(case, column, cells)
        if is_truthful(case, column) and len(rows) == case.n_rows and keeps_order:
            yield from untrue(case, column, cells)


def _share(text: Any) -> float:
    """`2%` or 0.02."""
    return float(text.rstrip("%")) / 100 if isinstance(text, str) else float(text)


def _suppressed(release: Path) -> int:
    try:
        figures = json.loads(manifest_of(release).read_text("utf-8"))["figures"]
        return int(figures.get("suppressed", 0))
    except (OSError, ValueError, KeyError):
        return 0


def _value(case: Case, cell: Any, column: Column) -> str | None:
    """A value of a column that is not masked; all that means no value is the same."""
    text = _text(cell, column)
    return None if text.strip() in na_values(case) else text


def _kept(case: Case, column: Column, cells: list[str]) -> Iterator[Finding]:
    """Values that were to stay as they are; spellings of one concept or number are one."""
    became: dict[str | None, set[str | None]] = {}
    for before, after in zip(column.cells, cells, strict=True):
        written = _value(case, after, column)
        if written is not None or not case.plan["method"].get("blank"):  # a blanked row has no values
            became.setdefault(_value(case, before, column), set()).add(written)
    if any(len(after) > 1 for after in became.values()):
        yield "not kept", f"a value of {column.name!r} became several"


Spread = dict[str, list[Counter[str | None]]]


def _k_anonymity(k: Any, sizes: list[int], spread: Spread) -> Iterator[str]:
    small = [size for size in sizes if size < k]
    if small:
        yield f"{len(small)} of {len(sizes)} classes are smaller, the smallest has {min(small)}"


def _diversity(asked: Any, sizes: list[int], spread: Spread) -> Iterator[str]:
    for column, value in asked.items():
        way, level = next(iter(value.items())) if isinstance(value, dict) else ("distinct", value)
        for own in spread[column]:
            counts = sorted(own.values(), reverse=True)
            shares = [count / sum(counts) for count in counts]
            entropy = math.exp(-sum(share * math.log(share) for share in shares))
            if (way == "distinct" and len(counts) < level) or (way == "entropy" and entropy < level - NEAR):
                yield f"a class has {counts} of {column!r}"
            if way == "recursive" and counts[0] >= level["c"] * sum(counts[level["l"] - 1 :]):
                yield f"a class has {counts} of {column!r}"


def _gains(asked: Any, spread: Spread) -> Iterator[tuple[str, Any, dict[str | None, tuple[float, float]]]]:
    """Column, what is asked of it, and per value its share in a class and overall, class by class."""
    for column, value in asked.items():
        whole: Counter[str | None] = sum(spread[column], Counter())
        n = sum(whole.values())
        for own in spread[column]:
            size = sum(own.values())
            yield column, value, {text: (own[text] / size, whole[text] / n) for text in whole}


def _closeness(asked: Any, sizes: list[int], spread: Spread) -> Iterator[str]:
    for column, value, shares in _gains(asked, spread):
        t = value["equal"] if isinstance(value, dict) else value
        apart = sum(abs(p - q) for p, q in shares.values()) / 2
        if apart > t + NEAR:
            yield f"a class is {apart} from the whole in {column!r}"


def _likeness(asked: Any, sizes: list[int], spread: Spread) -> Iterator[str]:
    for column, value, shares in _gains(asked, spread):
        for p, q in shares.values():
            most = min(value["enhanced"], -math.log(q)) if isinstance(value, dict) else value
            if (p - q) / q > most + NEAR:
                yield f"a value of {column!r} gains {(p - q) / q}"


def _disclosure(asked: Any, sizes: list[int], spread: Spread) -> Iterator[str]:
    for column, delta, shares in _gains(asked, spread):
        for p, q in shares.values():
            if p == 0 or abs(math.log(p / q)) > delta + NEAR:
                yield f"a value of {column!r} has {p} of a class, {q} of all"


def _known_values(asked: Any, sizes: list[int], spread: Spread) -> Iterator[str]:
    yield from _k_anonymity(asked["K"], sizes, spread)
    for column in asked["columns"]:
        surest = max(max(own.values()) / sum(own.values()) for own in spread[column])
        if surest > asked["C"] + NEAR:
            yield f"a value of {column!r} has {surest} of a class"


NEAR = 1e-7
REQUIREMENTS: dict[str, Callable[[Any, list[int], Spread], Iterator[str]]] = {
    "k": _k_anonymity,
    "l": _diversity,
    "t": _closeness,
    "beta": _likeness,
    "delta": _disclosure,
    "lkc": _known_values,
    "k_map": lambda asked, sizes, spread: iter(()),
}


# ---------------------------------------------------------------------- masked values


def _words(case: Case, column: Column, texts: set[str]) -> Iterator[Finding]:
    """Texts that fewer than k people have are nobody's to know, unless the ontology has them."""
    k, hierarchy, marks = case.plan["privacy"].get("k", 5), hierarchy_of(case, column), na_values(case)
    people = Counter(text for cell in column.cells for text in {*answers(column, text_of(cell), marks)})
    texts = {answer for text in texts for answer in answers(column, text, marks)}
    labels = (
        column.labels | {*GROUPS, "*"}
        if hierarchy is not None or case.plan["method"]["name"] in GENERALISING
        else column.labels
    )
    for text in texts:
        if people[text] >= k or _is_label(text, labels):
            continue
        if (isinstance(hierarchy, str) and people[text]) or (_is_prefix(hierarchy) and not people[text]):
            continue  # a label of the file; the beginning of a code
        if people[text]:
            yield "rare text", f"{text!r} of {people[text]} rows is written in {column.name!r}, k = {k}"
        elif column.settings.get("ontology") != "wordnet":
            yield "rare text", f"{text!r} in {column.name!r} is neither in the table nor in the ontology"


def _is_prefix(hierarchy: Any) -> bool:
    return isinstance(hierarchy, dict) and hierarchy.get("by") == "prefix"


def _is_label(text: str, labels: frozenset[str]) -> bool:
    """Labels and synonyms of the ontology, with a key behind them where two are alike."""
    return (
        text in labels
        or text in {label.strip() for label in labels}
        or text.startswith("synonym ")
        or any(text.startswith(f"{label} (") and text.endswith(")") for label in labels)
    )


def _numbers(case: Case, column: Column, texts: set[str]) -> Iterator[Finding]:
    given = [number_of(text_of(cell)) for cell in column.cells]
    known = [x for x in given if x is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    room = 0.006 + 1e-9 * max(abs(low), abs(high))
    for text in texts:
        if text.strip() in na_values(case) or is_range(case, column, text):
            continue
        number = number_of(text)
        if number is None or not low - room <= number <= high + room:
            yield "number", f"{text!r} in {column.name!r} is no number between {low} and {high}"


def _ranks(case: Case, column: Column, texts: set[str]) -> Iterator[Finding]:
    for text in texts:
        is_known = text in column.settings["order"] or is_range(case, column, text)
        if text.strip() not in na_values(case) and not is_known:
            yield "cells", f"{text!r} in {column.name!r} is not in its order"


def _days(case: Case, column: Column, texts: set[str]) -> Iterator[Finding]:
    """In the column's format, and no day before its first or after its last."""
    form, marks = column.settings["format"], na_values(case)
    given = [day_of(text, form) for cell in column.cells if (text := text_of(cell)).strip() not in marks]
    for text in texts:
        if text.strip() in marks or is_range(case, column, text):
            continue
        try:
            is_between = min(given) <= day_of(text, form) <= max(given)
        except ValueError:
            is_between = False
        if not is_between:
            yield "cells", f"{text!r} in {column.name!r} is no {form} between the first day and the last"


CHECKS: dict[str, Callable[[Case, Column, set[str]], Iterator[Finding]]] = {
    "nominal": _words,
    "numeric": _numbers,
    "ordinal": _ranks,
    "date": _days,
}


# ---------------------------------------------------------------------- reading releases


def _text(cell: Any, column: Column) -> str:
    """The same, for comparing: numbers by what they are, since files write them differently."""
    text = text_of(cell)
    is_number = any(isinstance(one, (int, float)) for one in column.cells)
    return text_of(number_of(text)) if is_number and text else text


def read_release(path: Path, case: Case) -> tuple[list[str], list[Row]]:
    """Header and rows of a release, every cell as its text."""
    if path.suffix in (".parquet", ".arrow", ".feather", ".ipc") or path.is_dir():
        import pyarrow.feather
        import pyarrow.parquet

        is_parquet = path.suffix == ".parquet" or path.is_dir()
        table = (pyarrow.parquet if is_parquet else pyarrow.feather).read_table(path)
        columns = [column.to_pylist() for column in table.columns]
        return table.column_names, [tuple(map(text_of, row)) for row in zip(*columns, strict=True)]
    if path.suffix == ".xlsx":
        import openpyxl

        (sheet,) = openpyxl.load_workbook(path, data_only=False).worksheets
        header, *rows = sheet.iter_rows(values_only=True)
        return [text_of(cell) for cell in header], [tuple(map(text_of, row)) for row in rows]
    if path.suffix == ".duckdb":
        import duckdb

        with duckdb.connect(str(path), read_only=True) as connection:
            ((name,),) = connection.sql("SELECT table_name FROM duckdb_tables()").fetchall()
            found = connection.table(name)
            return list(found.columns), [tuple(map(text_of, row)) for row in found.fetchall()]
    return _read_text(path.read_bytes(), case)


def _read_text(content: bytes, case: Case) -> tuple[list[str], list[Row]]:
    """Text in the dialect of the source, or plain: UTF-8 with commas or tabs."""
    own, tabbed = case.dialect["separator"], (".tsv", ".tab")
    needed = "\t" if case.target in tabbed else own
    if case.source in tabbed and case.target == ".csv":
        needed = ","
    if case.source in TEXTS and needed == own:
        rows = parse(content.decode(case.dialect["encoding"]), own)
    else:
        rows = parse(content.decode("utf-8"), "\t" if case.target in tabbed else ",")
    return rows[0], [tuple(row) for row in rows[1:]]


def parse(text: str, separator: str) -> list[list[str]]:
    """Delimited text: fields in quotes hold anything, a doubled quote is one; lines end in LF or CRLF."""
    rows: list[list[str]] = []
    at, row = 0, []
    while at < len(text):
        if text[at] == '"':
            end = text.index('"', at + 1)
            while text[end + 1 : end + 2] == '"':
                end = text.index('"', end + 2)
            row.append(text[at + 1 : end].replace('""', '"'))
            at = end + 1
        else:
            end = at
            while end < len(text) and text[end] not in (separator, "\n", "\r"):
                end += 1
            row.append(text[at:end])
            at = end
        if text[at : at + 1] == separator:
            at += 1
            if at == len(text) or text[at] in "\r\n":
                row.append("")
            else:
                continue
        if text[at : at + 2] == "\r\n":
            at += 1
        if at < len(text) and text[at] not in "\n\r":
            raise ValueError("text after a closing quote")
        at += 1
        rows.append(row)
        row = []
    if len({len(row) for row in rows}) > 1:
        raise ValueError("rows of different lengths")
    return rows


# ---------------------------------------------------------------------- the files beside it


def manifest_of(release: Path) -> Path:
    return release.with_name(f"{release.stem}.manifest.json")


def strict_json(text: str) -> Any:
    """JSON as the standard has it: no NaN, no Infinity."""

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is not JSON")

    return json.loads(text, parse_constant=refuse)


def digest(path: Path) -> str:
    """SHA-256 of a file, or of the names and digests of the files of a folder."""
    if not path.is_dir():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    files = [one for one in path.rglob("*") if one.is_file()]
    lines = sorted(f"{digest(one)}  {one.relative_to(path).as_posix()}\n" for one in files)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _manifest(case: Case, folder: Path, source: Any, release: Path) -> Iterator[Finding]:
    path = manifest_of(release)
    try:
        text = path.read_text("utf-8")
        said = strict_json(text)
    except (OSError, ValueError) as error:
        yield "manifest", f"{path.name}: {error}"
        return
    if said["output"]["sha256"] != digest(release):
        yield "manifest", "its sha256 is not that of the release"
    asked, is_asked = said["figures"]["k_asked"], not gives_no_k(case.plan["method"])
    # l may ask for larger classes
    if (asked is not None) != is_asked or (is_asked and asked < case.plan["privacy"].get("k", 1)):
        yield "manifest", "its k is not what was asked for"
    hidden = {"the folder": str(folder)}
    if isinstance(source, Path):
        hidden |= {"the input's name": source.stem}
        if source.is_file() and digest(source) != digest(release):  # nothing to mask at k = 1
            hidden |= {"the input's digest": digest(source)}
    for what, secret in hidden.items():
        if secret in text:
            yield "manifest", f"it tells {what}"
    internal = release.with_name(f"{release.stem}.internal.json")
    if internal.exists():
        try:
            strict_json(internal.read_text("utf-8"))
        except ValueError as error:
            yield "manifest", f"{internal.name}: {error}"


def _bytes(case: Case, folder: Path, release: Path) -> Iterator[Finding]:
    """Identifiers in any byte of any file that was written."""
    written = [release, *release.parent.glob(f"{release.stem}.*")]
    for path in {file for one in written for file in ([one] if one.is_file() else one.rglob("*"))}:
        for where, content in contents(path):
            if holds(content, case.token):
                yield "identifier", f"{path.name} holds identifiers {where}"


def holds(content: bytes, text: str) -> bool:
    """Whether bytes hold a text, in any of the encodings that files and screens use."""
    return any(text.encode(encoding) in content for encoding in ("utf-8", "utf-16-le", "utf-16-be"))


def contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """The bytes of a file, and of what is packed in it: members of a workbook, cells of Parquet."""
    yield "in its bytes", path.read_bytes()
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as packed:
            for name in packed.namelist():
                yield f"in {name}", packed.read(name)
    elif path.suffix == ".parquet":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        yield "in its cells", repr(table.to_pydict()).encode("utf-8", "replace")
        yield "in its metadata", repr(table.schema.metadata).encode()
