"""From what was typed to what is asked for: a plan, or how a table is to be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.printing import warn
from ontomask.errors import OntomaskError, PlanError
from ontomask.files import is_there

if TYPE_CHECKING:
    from ontomask.plan import Plan
    from ontomask.tables import TableOptions
    from ontomask.tables.address import Place


def asked_place(text: str) -> Place:
    """Where a table stands: a path, or the URL of one in a database."""
    from ontomask.tables.address import place_of

    return place_of(text)


TablePlace = Annotated[
    Any,
    typer.Argument(
        metavar="TABLE",
        parser=asked_place,
        help="CSV, Parquet, Excel or DuckDB file, folder of Parquet, or "
        "postgresql://user@host/database?table=name.",
    ),
]
PlanPath = Annotated[Path, typer.Option(help="Plan (YAML).")]
TableName = Annotated[str | None, typer.Option("--table", help="Of a DuckDB file.")]
EngineName = Annotated[
    str | None, typer.Option("--engine", help="Who counts and writes: auto, memory, duckdb or spark.")
]
Master = Annotated[str | None, typer.Option(help="Of Spark: local[4], spark://host:7077, yarn, ...")]
KeyFile = Annotated[Path | None, typer.Option(help="File with the key of pseudonyms.")]
_PATHS = ("qi", "mapping", "hierarchy")  # COLUMN:PATH
SetKeys = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any key of the plan, such as method.static=true."),
]


def asked_plan(
    path: Path | None,
    columns: Mapping[str, Sequence[str] | None],
    method: str | None,
    shorthands: Mapping[str, object],
    settings: Iterable[str] | None,
    key_file: Path | None = None,
) -> Plan:
    """The plan of the file with what was typed beside it, or of that alone.

    `columns` are the lists of `Plan.with_options`; `shorthands` are keys of the plan that have an option of
    their own, None where it was not given.
    """
    from ontomask.plan import Plan

    given: dict[str, Any] = {
        key: [_from_here(entry, ":") if key in _PATHS else entry for entry in entries or ()]
        for key, entries in columns.items()
    }
    said = [f"{key}={value}" for key, value in shorthands.items() if value is not None]
    typed = [*(settings or ()), *([f"privacy.key_file={key_file}"] if key_file else ())]
    said += [_from_here(entry, "=") if _names_a_path(entry) else entry for entry in typed]
    return (Plan.load(path) if path else Plan()).with_options(**given, method=method, settings=said)


def asked_table(
    table: str | None,
    settings: Iterable[str] | None,
    engine: str | None = None,
    master: str | None = None,
) -> TableOptions:
    """How to read a table where there is no plan yet."""
    for entry in settings or ():
        if not entry.startswith("table."):
            raise PlanError(
                f"--set {entry} has no effect here",
                value=entry,
                remedy="only keys of the table do, such as table.encoding=cp1252",
            )
    plan = asked_plan(None, {}, None, {"table.table": table, **of_engine(engine, master)}, settings)
    return plan.table_options()


def of_engine(engine: str | None, master: str | None) -> dict[str, str | None]:
    """The keys of the plan that say who counts and writes."""
    return {"table.engine": engine or ("spark" if master else None), "table.master": master}


def asked_terms(given: Iterable[str], option: str) -> dict[str, str]:
    """The term of each attribute: what follows `=`, else its name."""
    terms: dict[str, str] = {}
    for entry in (part.strip() for one in given for part in one.split(",")):
        name, _, term = (part.strip() for part in entry.partition("="))
        if not name or name in terms:
            wrong = "is named twice" if name else "has no name"
            raise OntomaskError(
                f"an attribute {wrong} in {option}: {entry!r}",
                value=entry,
                is_public=True,
                remedy=f"as in {option} age,sex=gender",
            )
        terms[name] = term or name
    return terms


def write_keys(output: Path | None, keys: Mapping[str, Any]) -> None:
    """Write keys of a plan as YAML, if a file is named, and say so."""
    if output is None:
        return
    import yaml

    from ontomask.files import replacing

    with replacing(output) as temporary:
        temporary.write_text(yaml.safe_dump(dict(keys), sort_keys=False, allow_unicode=True), "utf-8")
    warn(f"wrote {output}")


def _names_a_path(setting: str) -> bool:
    from ontomask.options import options_of
    from ontomask.plan import AttributePlan, HierarchyPlan, MethodPlan

    known = options_of(AttributePlan) | options_of(HierarchyPlan) | options_of(MethodPlan)
    key = setting.partition("=")[0].rpartition(".")[2]
    return key in ("hierarchy", "key_file") or (key in known and known[key].is_path)


def _from_here(entry: str, mark: str) -> str:
    """COLUMN:PATH or KEY=PATH with the path made absolute: a plan's own paths are relative to the plan."""
    before, mark, path = entry.rpartition(mark)
    return f"{before}{mark}{realpath(path)}" if mark and path and is_there(Path(path)) else entry
