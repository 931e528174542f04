"""`ontomask init` and `ontomask anonymize`: from a table to a plan, from a plan to a release."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.printing import AsJson, print_json, print_table, spare, steps, warn
from ontomask.errors import OntomaskError

if TYPE_CHECKING:
    from ontomask.pipeline import Release
    from ontomask.plan import Plan
    from ontomask.profile import TableProfile

TablePath = Annotated[Path, typer.Argument(metavar="TABLE", help="CSV, Parquet, Excel or DuckDB file.")]
Separator = Annotated[str | None, typer.Option(help="Of a CSV; found out if not given.")]
Encoding = Annotated[str | None, typer.Option(help="Of a CSV; utf-8 if not given.")]
ColumnValue = "COLUMN:VALUE"


def init_command(
    table: TablePath,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Plan to write (YAML).")] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Annotated[str | None, typer.Option(help="Of a workbook.")] = None,
    database_table: Annotated[str | None, typer.Option("--table", help="Of a DuckDB file.")] = None,
) -> None:
    """Look at a table and write a commented plan for it; what is doubtful in it is left to you."""
    from ontomask.files import replacing
    from ontomask.profile import init

    with steps(1) as tell:
        tell("looking at the columns")
        profile = init(
            table, separator=separator, encoding=encoding or "utf-8", sheet=sheet, table=database_table
        )
    text = profile.to_yaml(output.parent if output else Path())
    if output is None:
        print(text, end="")
    elif output.exists():
        raise OntomaskError(f"{output} is there already; remove it or choose another name")
    else:
        with replacing(output) as temporary:
            temporary.write_text(text, encoding="utf-8")
    _tell_what_to_decide(profile, table, output)


def _tell_what_to_decide(profile: TableProfile, table: Path, output: Path | None) -> None:
    n, done = len(profile.undecided), f"wrote {output}: " if output else ""
    command = shlex.join(
        ["ontomask", "anonymize", str(table), "--plan", str(output or "plan.yaml"), "-o", "release.csv"]
    )
    if not n:
        warn(f"{done}every column has a role; look through them, then `{command}`")
        return
    of_all = f"{n} of {len(profile.columns)} columns {'is' if n == 1 else 'are'} undecided"
    listed = ", ".join(profile.undecided)
    warn(f"{done}{of_all}{', most telling first' if n > 1 else ''}: {listed}")
    warn(f"give {'it' if n == 1 else 'each'} a role, look through the others, then `{command}`")


def anonymize_command(
    table: TablePath,
    output: Annotated[Path, typer.Option("--output", "-o", help="Release to write.")],
    plan: Annotated[Path | None, typer.Option(help="Plan (YAML); options given here win over it.")] = None,
    qi: Annotated[
        list[str] | None,
        typer.Option(
            help="Quasi-identifier: COLUMN:ONTOLOGY, COLUMN:numeric or COLUMN:ordinal=low<mid<high."
        ),
    ] = None,
    identifier: Annotated[list[str] | None, typer.Option(help="Column to drop.")] = None,
    confidential: Annotated[list[str] | None, typer.Option(help="Confidential column.")] = None,
    k: Annotated[int | None, typer.Option("-k", help="Smallest class size.")] = None,
    method: Annotated[str | None, typer.Option(help="sa-mdav, recoding, s-mdav, resampling, ...")] = None,
    measure: Annotated[str | None, typer.Option("--measure", "-m", help="Semantic measure.")] = None,
    convention: Annotated[str | None, typer.Option(help="links, ws4j or nltk.")] = None,
    ic: Annotated[str | None, typer.Option(help="seco, sanchez or a file of counts.")] = None,
    weighted: Annotated[bool | None, typer.Option(help="Distances count records.")] = None,
    static: Annotated[bool | None, typer.Option(help="SA-MDAV around seeds.")] = None,
    setting: Annotated[str | None, typer.Option(help="Of resampling.")] = None,
    centroid: Annotated[str | None, typer.Option(help="Of numbers: mean or median.")] = None,
    combine: Annotated[str | None, typer.Option(help="mean or euclidean.")] = None,
    scale: Annotated[str | None, typer.Option(help="range or zscore.")] = None,
    h1: Annotated[bool | None, typer.Option(help="Recoding's first heuristic.")] = None,
    h2: Annotated[bool | None, typer.Option(help="Recoding's second heuristic.")] = None,
    distributional: Annotated[bool | None, typer.Option(help="Recoding without meaning.")] = None,
    blank: Annotated[bool | None, typer.Option(help="Suppression empties rows, not drops them.")] = None,
    under: Annotated[list[str] | None, typer.Option(metavar=ColumnValue, help="Senses below it.")] = None,
    mapping: Annotated[list[str] | None, typer.Option(metavar=ColumnValue, help="Mapping file.")] = None,
    senses: Annotated[list[str] | None, typer.Option(metavar=ColumnValue, help="Sense policy.")] = None,
    weight: Annotated[list[str] | None, typer.Option(metavar=ColumnValue, help="Weight.")] = None,
    missing: Annotated[str | None, typer.Option(help="own-class, suppress-row or error.")] = None,
    unmapped: Annotated[str | None, typer.Option(help="error, root, own-leaf or suppress.")] = None,
    na_value: Annotated[list[str] | None, typer.Option(help="Text that means no value.")] = None,
    separator: Separator = None,
    encoding: Encoding = None,
    sheet: Annotated[str | None, typer.Option(help="Of a workbook.")] = None,
    database_table: Annotated[str | None, typer.Option("--table", help="Of a DuckDB file.")] = None,
    seed: Annotated[int | None, typer.Option(help="For methods that draw at random.")] = None,
    report: Annotated[Path | None, typer.Option(help="Report to write (HTML).")] = None,
    internal: Annotated[bool, typer.Option(help="Report for internal use: shows rare values.")] = False,
    as_json: AsJson = False,
) -> None:
    """Mask a table: every class of quasi-identifiers has at least k rows, or nothing is written."""
    how = {
        "measure": measure,
        "convention": convention,
        "ic": str(Path(ic).resolve()) if ic and Path(ic).exists() else ic,
        "weighted": weighted,
        "static": static,
        "setting": setting,
        "centroid": centroid,
        "combine": combine,
        "scale": scale,
        "h1": h1,
        "h2": h2,
        "distributional": distributional,
        "blank": blank,
    }
    file = {
        "separator": separator,
        "encoding": encoding,
        "na_values": tuple(na_value) if na_value else None,
        "sheet": sheet,
        "table": database_table,
    }
    rest = {"missing": missing, "unmapped": unmapped, "seed": seed}
    columns: dict[str, Any] = {
        "qi": [_from_here(entry) for entry in qi or ()],
        "identifiers": identifier or (),
        "confidential": confidential or (),
        "under": under or (),
        "mapping": [_from_here(entry) for entry in mapping or ()],
        "senses": senses or (),
        "weight": weight or (),
    }
    asked = _plan(plan, columns, k, method, how, file, rest)
    asked.check_runnable()  # before anything is compiled for it
    from ontomask.pipeline import anonymize

    spare(output, plan)
    spare(report, plan, table, output)
    with steps(5 + bool(report), asked.method.name) as tell:
        release = anonymize(table, asked, progress=tell)
        if report is None:
            tell("writing")
            manifest = release.write(output)
        else:
            from ontomask.files import replacing
            from ontomask.report import render_report

            tell("reporting")
            with replacing(report) as temporary:  # in place only if the release is, and the other way round
                temporary.write_text(render_report(release, internal=internal), encoding="utf-8")
                tell("writing")
                manifest = release.write(output)
    if as_json:
        print_json(
            {
                "figures": release.figures,
                "notes": release.notes,
                "release": str(output),
                "manifest": str(manifest),
                "report": str(report) if report else None,
            }
        )
        return
    _print_release(release, output, manifest, report)


def _plan(
    path: Path | None,
    columns: dict[str, Any],
    k: int | None,
    method: str | None,
    how: dict[str, Any],
    file: dict[str, Any],
    rest: dict[str, Any],
) -> Plan:
    """The plan of the file with the options given, or of the options alone."""
    from ontomask.plan import Plan

    if path is None:
        return Plan.from_options(**columns, k=k, method=method, **how, **file, **rest)
    plan = Plan.load(path)
    if method:
        plan = plan.with_method(method)
    changes = {"table": _given(file), "privacy": _given({"k": k}), "method": _given(how)}
    attributes = plan.attributes_with(**columns)
    if attributes != plan.attributes:
        changes["attributes"] = attributes
    return plan.replace(**{key: value for key, value in changes.items() if value}, **_given(rest))


def _from_here(entry: str) -> str:
    """COLUMN:PATH with the path of a file made absolute: a plan's own paths are relative to the plan."""
    column, colon, path = entry.rpartition(":")
    return f"{column}{colon}{Path(path).resolve()}" if colon and path and Path(path).exists() else entry


def _given(options: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in options.items() if value is not None}


def _meaning_lost(release: Release) -> str:
    loss, measure = release.figures["semantic_loss"], release.plan.make_measure()
    if measure.bounded:
        return f"{100 * loss:.2f} % of the greatest distance, on average"
    return f"a {measure.name} distance of {loss:.3f}, on average"


def _print_release(release: Release, output: Path, manifest: Path, report: Path | None) -> None:
    figures = release.figures
    unique = figures["unique_tuples"]
    print_table(
        (),
        [
            ("rows", f"{figures['n']:,}"),
            (
                "unique before",
                f"{unique:,} of {figures['n']:,} rows had a combination of values to themselves",
            ),
            ("smallest class", f"{figures['smallest_class']:,} rows (k = {figures['k']})"),
            ("classes", f"{figures['classes']:,} of {figures['distinct_tuples']:,} combinations before"),
            ("meaning lost", _meaning_lost(release)),
            ("information loss", f"{figures['information_loss']:.2f} % (SSE / SST)"),
            ("release", str(output)),
            ("manifest", str(manifest)),
            *([("report", str(report))] if report else []),
        ],
    )
    for note in release.notes:
        warn(f"note: {note}")
    for name in _like_identifiers(release):
        warn(f"WARNING: column {name!r} sounds like an identifier and is released as it is")


def _like_identifiers(release: Release) -> list[str]:
    """Columns that nobody gave a role and whose names are those of identifiers."""
    from ontomask.profile.guess import why_identifier

    not_named = (name for name in release.names if name not in release.plan.attributes)
    return [name for name in not_named if why_identifier(name, [], 0, False)]
