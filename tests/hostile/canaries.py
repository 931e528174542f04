"""Canaries: a text of its own in every role, searched for in everything that a run leaves behind.

Each role says where its text may be seen; anywhere else is a leak. Files are searched as bytes and unpacked.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from hostile.judge import contents, holds, manifest_of
from hostile.running import Outcome, command_here, in_child, workplace
from hostile.sources import yaml_of

ROWS = 30
_PRIVATE = {"internal"}
_SAID = {"screen", "report", *_PRIVATE}

# What is put where, and where it may be seen again.
ALLOWED: dict[str, set[str]] = {
    "identifier": set(),
    "identifier-column": {"manifest", *_SAID},
    "dropped-value": set(),
    "dropped-column": _SAID,
    "rare-word": set(),
    "rare-spelling": set(),
    "confidential": {"release"},
    "kept": {"release"},
    "input-file": _SAID,
    "folder": {"screen", "cache", *_PRIVATE},
    "sheet": _SAID,
    "author": set(),
    "metadata": set(),
    "mapped-value": set(),
    "mapping-remark": set(),
    "plan-remark": set(),
    "environment": set(),
}
RARE_NUMBER = "7351946"


def canary(role: str) -> str:
    """The text of a role: letters only, so that no file writes it differently; none is part of another."""
    return "Canary" + role.title().replace("-", "") + "Zz"


def people() -> dict[str, list[Any]]:
    """A table whose every role has its canary in one row at least."""
    words = ["cat", "dog", "rose"]
    job = [words[i % 3] for i in range(ROWS)]
    job[4], job[8] = f"{canary('rare-word')} of Elm Street", f"{canary('rare-spelling')} cat"
    return {
        canary("identifier-column"): [f"{canary('identifier')} {i}" for i in range(ROWS)],
        "job": job,
        "age": [20 + i for i in range(ROWS - 1)] + [int(RARE_NUMBER)],
        "illness": [canary("confidential") if i == 3 else f"illness {i % 4}" for i in range(ROWS)],
        "remark": [canary("kept") if i == 5 else f"remark {i % 4}" for i in range(ROWS)],
        canary("dropped-column"): [f"{canary('dropped-value')} {i}" for i in range(ROWS)],
    }


def _text(path: Path, columns: dict[str, list[Any]], separator: str = ",") -> None:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in rows))


def _parquet(path: Path, columns: dict[str, list[Any]]) -> None:
    table = pa.table(columns).replace_schema_metadata({"note": canary("metadata")})
    job = pa.field("job", pa.string(), metadata={"note": canary("metadata")})
    pa.parquet.write_table(table.set_column(1, job, table["job"].cast(pa.string())), path)


def _workbook(path: Path, columns: dict[str, list[Any]]) -> None:
    import openpyxl
    from openpyxl.comments import Comment

    book = openpyxl.Workbook()
    book.properties.creator = book.properties.title = canary("author")
    book.active.title = canary("sheet")
    for row in [list(columns), *zip(*columns.values(), strict=True)]:
        book.active.append(list(row))
    book.active["B2"].comment = Comment(canary("author"), canary("author"))
    book.create_sheet("more").append([canary("author")])
    book.save(path)


SOURCES: dict[str, Callable[[Path, dict[str, list[Any]]], None]] = {
    ".csv": _text,
    ".tsv": lambda path, columns: _text(path, columns, "\t"),
    ".parquet": _parquet,
    ".xlsx": _workbook,
}
TARGETS = (".csv", ".parquet", ".xlsx", ".duckdb", ".arrow")
METHODS_AND_REST: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("sa-mdav", "root", {}),
    ("mdav", "own-leaf", {}),
    ("recoding", "own-leaf", {}),
    ("suppression", "suppress", {"blank": True}),
)


def flights() -> list[tuple[str, str, str, str, dict[str, Any]]]:
    """Every source with every target, methods in turn."""
    pairs = [(source, target) for source in SOURCES for target in TARGETS]
    return [
        (source, target, *METHODS_AND_REST[at % len(METHODS_AND_REST)])
        for at, (source, target) in enumerate(pairs)
    ]


def leaks(source: str, target: str, method: str, unmapped: str, options: dict[str, Any]) -> list[str]:
    """Where canaries were seen that must not be."""
    return in_child(lambda: list(_leaks(source, target, method, unmapped, options)))


def leaks_of_a_refusal() -> list[str]:
    """The same for runs that are refused because of what is in a cell: nothing but the screen is there."""
    return in_child(lambda: [*_refused("unmapped", "error"), *_refused("missing-number", "number")])


def _leaks(source: str, target: str, method: str, unmapped: str, options: dict[str, Any]) -> Iterator[str]:
    with workplace() as root:
        folder = root / canary("folder")
        release = _prepared(folder, source, target, method, unmapped, options)
        done = _run(root, folder, source, release)
        if done.code != 0:
            yield f"the run ended with {done.code}: {(done.err or done.out)[-300:]}"
            return
        yield from _seen(root, release, done)


def _refused(name: str, unmapped: str) -> Iterator[str]:
    with workplace() as root:
        folder = root / canary("folder")
        columns = people()
        if unmapped == "number":
            columns["age"][7] = canary("rare-word")
        release = _prepared(
            folder, ".csv", ".csv", "sa-mdav", "root" if unmapped == "number" else "error", {}, columns
        )
        done = _run(root, folder, ".csv", release)
        if done.code != 2:
            yield f"{name}: exit code {done.code}"
        for role in ("rare-word", "rare-spelling", "identifier", "confidential"):
            if canary(role) in done.out + done.err:
                yield f"{name}: {role} is on the screen"


def _prepared(
    folder: Path,
    source: str,
    target: str,
    method: str,
    unmapped: str,
    options: dict[str, Any],
    columns: dict[str, list[Any]] | None = None,
) -> Path:
    folder.mkdir()
    SOURCES[source](folder / f"{canary('input-file')}{source}", columns or people())
    (folder / "onto.yaml").write_text("thing:\n  animal: [cat, dog]\n  plant: [rose, tulip]\n")
    remark, mapped = canary("mapping-remark"), canary("mapped-value")
    (folder / "m.csv").write_text(f"value,concept,remark\n{mapped},cat,{remark}\ncat,cat,{remark}\n")
    plan = {
        "attributes": {
            canary("identifier-column"): {"role": "identifier"},
            "job": {"role": "quasi-identifier", "ontology": "onto.yaml", "mapping": "m.csv"},
            "age": {"role": "quasi-identifier", "kind": "numeric"},
            "illness": {"role": "confidential"},
            "remark": {"role": "other"},
        },
        "others": "drop",
        "unmapped": unmapped,
        "method": {"name": method, **options},
        "privacy": {"k": 3},
    }
    if method == "suppression":
        del plan["attributes"]["age"]  # type: ignore[attr-defined]
    (folder / "plan.yaml").write_text(f"# {canary('plan-remark')}\n{yaml_of(plan)}\n")
    return folder / f"masked{target}"


def _run(root: Path, folder: Path, source: str, release: Path) -> Outcome:
    for name, variable in (("temp", "TMPDIR"), ("cache", "ONTOMASK_CACHE"), ("cache", "XDG_CACHE_HOME")):
        (root / name).mkdir(exist_ok=True)
        os.environ[variable] = str(root / name)
    tempfile.tempdir = None
    os.environ["ONTOMASK_SECRET"] = os.environ["USER"] = os.environ["LOGNAME"] = canary("environment")
    table = folder / f"{canary('input-file')}{source}"
    report = str(folder / "report.html")
    given = [
        "anonymize",
        str(table),
        "--plan",
        str(folder / "plan.yaml"),
        "-o",
        str(release),
        "--report",
        report,
    ]
    return command_here(given)


def _seen(root: Path, release: Path, done: Outcome) -> Iterator[str]:
    places: dict[str, list[tuple[str, bytes]]] = {
        "release": [*contents(release), *_unpacked(release)],
        "manifest": list(contents(manifest_of(release))),
        "report": list(contents(release.with_name("report.html"))),
        "screen": [("on the screen", (done.out + done.err).encode())],
        "temp": [(path.name, path.name.encode()) for path in (root / "temp").rglob("*")],
        "cache": [(p.name, p.read_bytes()) for p in (root / "cache").rglob("*") if p.is_file()],
    }
    internal = release.with_name(f"{release.stem}.internal.json")
    places["internal"] = list(contents(internal)) if internal.exists() else []
    for role, allowed in ALLOWED.items():
        for place, found in places.items():
            where = [what for what, content in found if holds(content, canary(role))]
            if where and place not in allowed:
                yield f"{role} is in the {place} ({where[0]})"
    for place, found in places.items():
        if place != "internal" and any(holds(content, RARE_NUMBER) for _, content in found):
            yield f"a rare number is in the {place}"
    if places["temp"]:
        yield f"left in the temporary folder: {[name for name, _ in places['temp']]}"


def _unpacked(release: Path) -> Iterator[tuple[str, bytes]]:
    """Cells of a database, which it packs."""
    if release.suffix == ".duckdb":
        import duckdb

        with contextlib.closing(duckdb.connect(str(release), read_only=True)) as connection:
            for (name,) in connection.sql("SELECT table_name FROM duckdb_tables()").fetchall():
                yield (
                    "in its cells",
                    repr((name, connection.table(name).columns, connection.table(name).fetchall())).encode(),
                )
