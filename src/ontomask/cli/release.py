"""`ontomask init` and `ontomask anonymize`: from a table to a plan, from a plan to a release."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ontomask.cli.asking import (
    EngineName,
    KeyFile,
    Master,
    SetKeys,
    TableName,
    TablePlace,
    asked_place,
    asked_plan,
    asked_table,
    of_engine,
)
from ontomask.cli.printing import AsJson, manner, print_json, print_table, print_text, warn
from ontomask.cli.running import HOW_TOLD
from ontomask.cli.waiting import bar, tell_line
from ontomask.errors import OntomaskError
from ontomask.files import is_there

if TYPE_CHECKING:
    from ontomask.profile import TableProfile
    from ontomask.release import Release, Written
    from ontomask.tables.address import Place

ColumnValue = "COLUMN:VALUE"
_CALLED = {"serious": "WARNING", "warning": "warning", "note": "note"}


def init_command(
    table: TablePlace,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Plan to write (YAML).")] = None,
    database_table: TableName = None,
    engine: EngineName = None,
    master: Master = None,
    settings: SetKeys = None,
) -> None:
    """Look at a table and write a commented plan for it; what is doubtful in it is left to you."""
    from ontomask.files import replacing
    from ontomask.profile import profile_table

    options = asked_table(database_table, settings, engine, master)
    with bar({"looking at the columns": 1.0}) as progress:
        progress.tell("looking at the columns")
        profile = profile_table(table, options)
    asked = output or Path("plan.yaml")
    text = profile.to_yaml(asked.parent, name=asked.name)
    if output is None:
        print_text(text)
    elif is_there(output):
        raise OntomaskError(f"{output} is there already; remove it or choose another name")
    else:
        with replacing(output) as temporary:
            temporary.write_text(text, encoding="utf-8")
    _tell_what_to_decide(profile, _typed(table), output)


def _typed(place: Place) -> str:
    """A table as it is named in a command."""
    return str(place) if isinstance(place, Path) else place.url


def _tell_what_to_decide(profile: TableProfile, table: str, output: Path | None) -> None:
    for note in profile.notes:
        warn(f"note: {note}")
    n, done = len(profile.undecided), f"wrote {output}: " if output else ""
    command = shlex.join(
        ["ontomask", "anonymize", table, "--plan", str(output or "plan.yaml"), "-o", "release.csv"]
    )
    if not n:
        warn(f"{done}every column has a role; look through them, then `{command}`")
        return
    of_all = f"{n} of {len(profile.columns)} columns {'is' if n == 1 else 'are'} undecided"
    listed = ", ".join(profile.undecided)
    warn(f"{done}{of_all}{', most telling first' if n > 1 else ''}: {listed}")
    warn(f"give {'it' if n == 1 else 'each'} a role, look through the others, then `{command}`")


def anonymize_command(
    table: TablePlace,
    output: Annotated[
        Any,
        typer.Option("--output", "-o", parser=asked_place, help="Release to write: a file, folder or URL."),
    ],
    plan: Annotated[Path | None, typer.Option(help="Plan (YAML); options given here win over it.")] = None,
    qi: Annotated[
        list[str] | None,
        typer.Option(
            help="Quasi-identifier: COLUMN:ONTOLOGY, COLUMN:numeric, COLUMN:date or "
            "COLUMN:ordinal=low<mid<high."
        ),
    ] = None,
    identifier: Annotated[list[str] | None, typer.Option(help="Column to drop.")] = None,
    confidential: Annotated[list[str] | None, typer.Option(help="Confidential column.")] = None,
    others: Annotated[str | None, typer.Option(help="Columns not named: error, drop or keep.")] = None,
    under: Annotated[list[str] | None, typer.Option(metavar=ColumnValue, help="Senses below it.")] = None,
    mapping: Annotated[list[str] | None, typer.Option(metavar=ColumnValue, help="Mapping file.")] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(metavar=ColumnValue, help="Hierarchy file; of several for a column the best is used."),
    ] = None,
    unmapped: Annotated[str | None, typer.Option(help="error, root, own-leaf or suppress.")] = None,
    k: Annotated[int | None, typer.Option("-k", help="Smallest class size.")] = None,
    method: Annotated[str | None, typer.Option(help="sa-mdav, recoding, s-mdav, resampling, ...")] = None,
    measure: Annotated[str | None, typer.Option("--measure", "-m", help="Semantic measure.")] = None,
    database_table: TableName = None,
    engine: EngineName = None,
    master: Master = None,
    seed: Annotated[int | None, typer.Option(help="For methods that draw at random.")] = None,
    settings: SetKeys = None,
    key_file: KeyFile = None,
    report: Annotated[Path | None, typer.Option(help="Report to write (HTML).")] = None,
    records: Annotated[
        Path, typer.Option(help="Folder for the records of a release that is written into a database.")
    ] = Path(),
    internal: Annotated[bool, typer.Option(help="Report for internal use: shows rare values.")] = False,
    scheme: Annotated[
        Path | None, typer.Option(help="Write only what an earlier release wrote, as its scheme says.")
    ] = None,
    save_scheme: Annotated[
        Path | None, typer.Option(help="Scheme to write (JSON), for `--scheme` on a later table.")
    ] = None,
    fraction: Annotated[
        float | None, typer.Option(help="Report the risk of a sample: its part of the population.")
    ] = None,
    suda: Annotated[
        int | None, typer.Option(help="Report people whom at most so many columns single out.")
    ] = None,
    bound: Annotated[bool, typer.Option(help="Report how far the loss is from the least possible.")] = False,
    as_json: AsJson = False,
) -> None:
    """Mask a table: every class has at least k rows, unless the method gives no k, or nothing is written."""
    asked = asked_plan(
        plan,
        {
            "qi": qi,
            "identifiers": identifier,
            "confidential": confidential,
            "under": under,
            "mapping": mapping,
            "hierarchy": hierarchy,
        },
        method,
        {
            "others": others,
            "unmapped": unmapped,
            "privacy.k": k,
            "method.measure": measure,
            "table.table": database_table,
            **of_engine(engine, master),
            "seed": seed,
        },
        settings,
        key_file,
    )
    asked.check_runnable()  # before anything is compiled for it
    if not asked.method.own.gives_k and not manner.quiet:
        tell_line(asked.promised)  # before it takes its time
    from ontomask.assessment import warnings_of
    from ontomask.assessment.sampled import check_sampling
    from ontomask.outputs import Outputs, inputs_of
    from ontomask.pipeline import anonymize
    from ontomask.progress import RUN
    from ontomask.scheme import check_decides, check_target
    from ontomask.tables.register import release_in

    check_sampling(None, fraction, suda)
    if report is None and (fraction, suda, bound) != (None, None, False):
        raise OntomaskError(
            "--fraction, --suda and --bound are for the report", remedy="name one by --report"
        )
    if asked.method.blocks is not None and (report or scheme or save_scheme):
        raise OntomaskError(
            "a table that is masked in blocks has no report and no scheme: its tuples are elsewhere",
            key="method.blocks",
            remedy="leave --report, --scheme and --save-scheme out, or remove blocks",
        )
    further = tuple(path for path in (report, save_scheme) if path is not None)
    Outputs(output, further, records).check(inputs_of(table, asked, scheme))
    if not isinstance(output, Path):
        release_in(output).check_target(output)
    elif records != Path():
        raise OntomaskError(
            "--records is for releases in a database", remedy="those of a file stand beside it"
        )
    if save_scheme is not None:
        check_decides(asked)
        check_target(save_scheme)
    with bar(RUN | {"reporting": 2.0, "writing": 1.0}, asked.method.name) as progress:
        release = anonymize(table, asked, scheme=scheme, progress=progress)
        also: dict[Path, str | Callable[[Written], str]] = {}
        found = release.figures
        if report is not None:
            from ontomask.assessment import figures_of

            progress.tell("reporting")
            found = figures_of(release, sampling_fraction=fraction, suda=suda, bound=bound)
        warnings = warnings_of(release, found, output, records)
        if report is not None:
            from ontomask.report import render_report

            typed = ["ontomask", *(word for word in sys.argv[1:] if word not in HOW_TOLD)]

            def page(written: Written) -> str:
                return render_report(
                    release, found, internal=internal, warnings=warnings, command=typed, written=written
                )

            also[report] = page
        if save_scheme is not None:
            also[save_scheme] = release.scheme.text
        progress.tell("writing")
        manifest = release.write(output, also, warnings, records)
    if as_json:
        print_json(
            {
                "k_anonymous": release.manifest["k_anonymous"],
                "promised": release.manifest["promised"],
                "figures": release.figures,
                "notes": [one.text for one in warnings if one.level == "note"],
                "warnings": [
                    {"text": one.text, "is_serious": one.is_serious, "name": one.name}
                    for one in warnings
                    if one.level != "note"
                ],
                "release": _typed(output),
                "manifest": str(manifest),
                "report": str(report) if report else None,
                "scheme": str(save_scheme) if save_scheme else None,
            }
        )
        return
    _print_release(
        release, {"release": output, "manifest": manifest, "report": report, "scheme": save_scheme}
    )
    for one in warnings:
        warn(f"{_CALLED[one.level]}: {one.text}")


def _meaning_lost(release: Release) -> str:
    loss, measure = release.figures["semantic_loss"], release.plan.make_measure()
    if measure.bounded:
        return f"{100 * loss:.2f} % of the greatest distance, on average"
    return f"a {measure.name} distance of {loss:.3f}, on average"


def _requirements(release: Release) -> Iterator[tuple[str, str]]:
    """What was asked beside the size of classes, and what the worst class reached, after and before."""
    for one in release.plan.requirements():
        if one.needs or one.promises:
            found = (release.figures[f"{when}.{one.name}"] for when in ("reached", "reached_before"))
            after, before = ("no bound" if figure is None else f"{figure:.3g}" for figure in found)
            where = "group" if one.promises else "class"
            yield str(one), f"{after} in the worst {where}; before: {before}"


def _print_release(release: Release, files: Mapping[str, Place | None]) -> None:
    figures = release.figures
    asked = f"k = {figures['k_asked']}"
    if release.plan.promised:
        asked = "k was not asked for" if release.plan.method.own.gives_k else release.plan.promised
    unique = round(figures["sample_uniques_before"] / 100 * figures["n"])
    print_table(
        (),
        [
            ("rows", f"{figures['n']:,}"),
            (
                "unique before",
                f"{unique:,} of {figures['n']:,} rows had a combination of values to themselves",
            ),
            ("smallest class", f"{figures['k_reached']:,} rows ({asked})"),
            *_requirements(release),
            ("classes", f"{figures['classes']:,} of {figures['tuples_before']:,} combinations before"),
            ("meaning lost", _meaning_lost(release)),
            ("information loss", f"{figures['information_loss']:.2f} % (SSE / SST)"),
            *((name, str(path)) for name, path in files.items() if path is not None),
        ],
    )
