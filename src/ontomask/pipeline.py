"""Plan + table -> release: the one flow, from left to right.

    table -> tuples -> linking -> attributes -> method -> masking -> verify -> release

Nothing is released unless the requirements hold for every class of what is about to be written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Int32
from ontomask.attributes import Attribute, Tuples
from ontomask.blocks.masking import Recipe
from ontomask.blocks.release import ReleaseInBlocks
from ontomask.blocks.spark import SparkBlocks
from ontomask.columns import Column, read_column, tuples_of
from ontomask.columns.coding import coded_texts
from ontomask.columns.following import Follower, read_follower
from ontomask.columns.further import FurtherColumn, spellings_of
from ontomask.columns.numbers import UNKNOWN, spellings
from ontomask.columns.population import People
from ontomask.columns.rare import rare_as_one
from ontomask.errors import Gathering, NothingLeftError, OntomaskError
from ontomask.evaluation import Subject, classes_of_original, figures
from ontomask.evaluation.changes import changes_of
from ontomask.evaluation.parts import figures_of_parts
from ontomask.manifest import manifest_of
from ontomask.masking import check_read_back, masked_tuples, texts_of, view_of
from ontomask.methods import SUPPRESSED, Masking, Method
from ontomask.methods.reuse import Reuse
from ontomask.notes import method_notes, notes_of, notes_without_k, retyped_notes
from ontomask.plan import Plan, as_plan
from ontomask.privacy import KMap
from ontomask.progress import RUN, SILENT, Listener, Phases
from ontomask.pseudonyms import key_of, pseudonyms_of
from ontomask.release import Release
from ontomask.scheme import Scheme, as_scheme
from ontomask.steps import trace_of
from ontomask.tables import Dealing, Distinct, ReleasedTable, Table, open_table
from ontomask.tables.header import BesideTableError
from ontomask.verification import check_requirements

_REUSED = "made with the scheme of an earlier release: no value is written that was not written there"
_ENDED_EARLY = "the search was ended before its time: the same plan and seed may give another release"
_IN_ORDER = "the rows are in the order of the original: shuffle them if that order tells who is who"


def anonymize(
    table: Any,
    plan: Plan | Mapping[str, Any] | str | Path,
    *,
    scheme: Scheme | str | Path | None = None,
    progress: Phases | Listener | None = None,
) -> Release:
    """Mask the quasi-identifiers of a table.

    Parameters
    ----------
    table
        A path (CSV, Parquet, Excel, DuckDB, ...), or a pandas, polars, pyarrow or Ibis table.
    plan
        What is asked for: a plan, its settings as nested dicts, or the path of its file.
    scheme
        What an earlier release of the same plan decided (`release.scheme`, or its file), to be done to this
        table: only combinations of values that it released are written.
    progress
        Is given a `Progress` whenever there is some; or the `Phases` of a longer command.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"hobby": ["fishing", "angling", "chess", "go", "go", "fishing"]})
    >>> release = anonymize(people, Plan.from_options(["hobby:wordnet"], k=2))
    >>> release.figures["k_reached"] >= 2
    True
    """
    plan = as_plan(plan)
    phases = progress if isinstance(progress, Phases) else Phases(RUN, progress)
    if plan.method.blocks is not None:
        return _released_in_blocks(table, plan, phases, scheme)
    decided = None if scheme is None else as_scheme(scheme)
    if decided is not None:
        decided.check(plan)
    return released(prepare(table, plan, phases), plan, phases, decided)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table with its quasi-identifiers linked and its tuples counted: what is the same for every method.

    Attributes
    ----------
    further
        The columns that requirements look at beside the quasi-identifiers.
    counted
        The columns whose distinct tuples were counted: quasi-identifiers, then what requirements need.
    cell_of_raw
        Which cell each of these is: words of one concept have become one value.
    not_named
        Columns of the table that the plan does not name.
    followers
        Columns that are written as a masked one tells them.
    source
        The table as it was opened; in `table` identifiers may have become pseudonyms, rare values a word, and
        confidential numbers others.
    notes
        What became of rare values and confidential numbers.
    """

    table: Table
    columns: tuple[Column, ...]
    further: tuple[FurtherColumn, ...]
    tuples: Tuples
    counted: tuple[str, ...]
    cell_of_raw: Int32
    not_named: tuple[str, ...]
    kind: str
    followers: tuple[Follower, ...]
    source: Table
    notes: tuple[str, ...] = ()

    @property
    def attributes(self) -> list[Attribute]:
        """What methods and figures see of the columns."""
        return [column.attribute for column in self.columns]

    def with_columns(self, columns: Sequence[Column]) -> Prepared:
        """The same where each column has become another, which says what it says in another way."""
        became = dict(zip(self.columns, columns, strict=True))
        followers = tuple(replace(one, key=became[one.key]) for one in self.followers)
        return replace(self, columns=tuple(columns), followers=followers)


def prepare(table: Any, plan: Plan, progress: Phases = SILENT) -> Prepared:
    """Table -> tuples -> linking -> attributes."""
    source, opened, not_named, notes = _ready(table, plan, progress)
    names, needed = plan.with_role("quasi-identifier"), plan.needed()
    counted = (*names, *needed)
    raw = opened.tuples(counted)

    progress.tell("linking")
    per_value = [np.bincount(raw.codes[:, j], raw.counts).astype(np.int64) for j in range(len(counted))]
    texts = list(zip(raw.values, per_value, strict=True))
    masked, beside = (
        dict(zip(names, texts, strict=False)),
        dict(zip(needed, texts[len(names) :], strict=True)),
    )
    columns, further = _read(opened, plan, masked, beside)
    codes = raw.codes.copy()
    for at, column in enumerate(further, len(names)):
        codes[:, at] = column.codes(raw.values[at])[raw.codes[:, at]]
    tuples, cell_of_raw = tuples_of(columns, codes, raw.counts, [column.domain for column in further])
    kind = type(table).__module__.partition(".")[0]
    followers = tuple(
        read_follower(columns[j], raw.values[j], opened.tuples((key, name)))
        for name, key in plan.followers.items()
        for j in [names.index(key)]
    )
    return Prepared(
        opened,
        columns,
        further,
        tuples,
        counted,
        cell_of_raw,
        tuple(not_named),
        kind,
        followers,
        source,
        notes,
    )


class _Ready(NamedTuple):
    """A table before anything is masked.

    `source` is as it was opened; `opened` has pseudonyms, no rare values, and numbers as they are released.
    `not_named` are the columns that the plan does not name, `notes` what became of values and numbers.
    """

    source: Table
    opened: Table
    not_named: list[str]
    notes: tuple[str, ...]


def _ready(table: Any, plan: Plan, progress: Phases) -> _Ready:
    """The table, with all that is done to columns which are not masked."""
    plan.check_runnable()
    hidden = plan.with_role("pseudonym")
    key = key_of(plan) if hidden else b""
    progress.tell("reading")
    source = table if isinstance(table, Table) else _opened(table, plan)
    not_named = _columns_not_named(source, plan)
    opened = source
    for name in hidden:  # from here on nobody sees what stood there
        opened = opened.renamed(name, pseudonyms_of(name, source.distinct(name)[0], key))
    notes = []
    coded = [name for name in plan.with_role("confidential") if plan.attributes[name].is_coded]
    spelt = spellings_of(source, plan, coded)
    for name, settings in plan.attributes.items():
        if settings.rare is not None:
            check_read_back(name, [settings.rare], source.options.na_values_of(name))
            found = rare_as_one(*source.distinct(name), plan.least_size, settings.rare)
            opened = opened.renamed(name, found.texts) if found.rare else opened
            notes.append(found.note(name, plan.least_size, settings.rare))
        elif name in coded:
            became, note = coded_texts(name, *source.distinct(name), plan, spelt.get(name, UNKNOWN))
            opened = opened.renamed(name, became)
            notes.append(note)
    return _Ready(source, opened, not_named, tuple(notes))


def _opened(table: Any, plan: Plan) -> Table:
    """The table; if its file holds more than that, this and all that is wrong with the rest."""
    try:
        return open_table(table, plan.table_options())
    except BesideTableError as error:
        if error.table is not None:
            _columns_not_named(error.table, plan, error)
        raise


def _columns_not_named(table: Table, plan: Plan, known: OntomaskError | None = None) -> list[str]:
    """The columns that the plan does not name; if it does not fit, all that is wrong.

    `known` is wrong already.
    """
    faults, not_named = Gathering(), list[str]()
    with faults:
        if known is not None:
            raise known
    with faults:
        not_named = plan.check_against(table.names)
    if faults:
        there = [name for name in plan.with_role("quasi-identifier") if name in table.names]
        with faults:
            _read(table, plan, table.distinct_of(there), {})
    faults.raise_any()
    return not_named


def _read(
    table: Table, plan: Plan, masked: Mapping[str, Distinct], beside: Mapping[str, Distinct]
) -> tuple[tuple[Column, ...], tuple[FurtherColumn, ...]]:
    """Quasi-identifiers, and what requirements need beside them; the faults of all are one error."""
    columns, further, faults = list[Column](), list[FurtherColumn](), Gathering()
    spelt = spellings(table, plan, {name: texts for name, (texts, _) in {**beside, **masked}.items()})
    for name, found in masked.items():
        with faults:
            columns.append(read_column(name, *found, plan, spelling=spelt.get(name, UNKNOWN)))
    for name, found in beside.items():
        with faults:
            further.append(FurtherColumn.of(name, *found, plan, spelling=spelt.get(name, UNKNOWN)))
    faults.raise_any(table.placed)
    return tuple(columns), tuple(further)


def released(
    prepared: Prepared, plan: Plan, progress: Phases = SILENT, scheme: Scheme | None = None
) -> Release:
    """Method -> masking -> verify -> release; with a scheme, what it says is done instead of the method."""
    how: Method = plan.method.own
    if scheme is not None:
        columns, values = scheme.applied(prepared.columns)
        prepared = prepared.with_columns(columns)
        how = Reuse(values, how)
    masking = mask(prepared, plan, progress, how)

    progress.tell("verifying")
    following = following_texts(prepared, masking)
    data = _released(prepared, plan, masking, following)
    masked = [column.name for column in prepared.columns]
    people = _people(prepared, plan)
    classes = check_requirements(plan.requirements(), data, masked, prepared.further, people)
    view = view_of(prepared.tuples, masking, plan)
    before = classes_of_original(prepared.tuples, prepared.attributes)
    subject = Subject(view, plan.requirements(), classes=classes, classes_before=before)
    found = figures(subject, of_a_run=True)
    changes = changes_of(view, plan.method.own.blank)
    said = (
        *notes_without_k(plan, view),
        *prepared.table.notes,
        *prepared.notes,
        *following_notes(prepared, masking, following),
        *retyped_notes(
            prepared.table,
            {
                name: data.tuples([name]).values[0]
                for name in prepared.table.typed_numbers([*masked, *plan.followers])
            },
        ),
        *(method_notes(plan, prepared.attributes) if scheme is None else (_REUSED,)),
        *((_ENDED_EARLY,) if progress.ended_early else ()),
        *((_IN_ORDER,) if prepared.source.keeps_order and not plan.shuffle else ()),
    )
    notes = notes_of(plan, prepared.columns, prepared.not_named, changes, found) + said
    # Columns that nobody named and that were dropped are of the input: the public record is silent on them.
    kept = prepared.not_named if plan.others == "keep" else ()
    public_notes = notes_of(plan, prepared.columns, kept, changes, found) + said
    trace = trace_of(prepared.columns, masking)
    manifest = manifest_of(plan, found, public_notes) | ({} if trace is None else {"trace": trace})
    if progress.ended_early:
        manifest["ended_early"] = True
    return Release(
        plan=plan,
        columns=prepared.columns,
        tuples=prepared.tuples,
        masking=masking,
        view=view,
        figures=found,
        notes=notes,
        manifest=manifest if scheme is None else manifest | {"scheme": {"sha256": scheme.digest}},
        data=data,
        further=prepared.further,
        people=people,
        source=prepared.source,
        counted=prepared.table,
        kind=prepared.kind,
        reused=scheme,
        trace=trace,
        seconds=progress.seconds,
    )


def _people(prepared: Prepared, plan: Plan) -> People | None:
    """The population that a requirement names, if there is one."""
    for one in plan.requirements():
        if isinstance(one, KMap):
            table = open_table(plan.place_of(one.population), plan.table_options().of_others)
            return People.of(table, prepared.columns)
    return None


# ---------------------------------------------------------------------- blocks


def _released_in_blocks(
    table: Any, plan: Plan, progress: Phases, scheme: Scheme | str | Path | None
) -> Release:
    """The same flow where an engine masks blocks of the tuples, and only their texts and sums come here."""
    if scheme is not None:
        raise OntomaskError(
            "what a scheme decided is not done in blocks", key="method.blocks", remedy="remove one of the two"
        )
    source, opened, not_named, notes_before = _ready(table, plan, progress)
    names, needed = plan.with_role("quasi-identifier"), plan.needed()

    progress.tell("linking")
    texts = opened.distinct_of([*names, *needed])
    columns, further = _read(
        opened, plan, {name: texts[name] for name in names}, {name: texts[name] for name in needed}
    )
    recipe = Recipe.of(plan, texts, opened.options, columns, further)

    progress.tell("masking")
    blocks = SparkBlocks.of(opened, recipe)
    shared = blocks.shared()
    others = not_named if plan.others == "drop" else ()
    data = blocks.released(shared, (*plan.with_role("identifier"), *others))

    progress.tell("verifying")
    told = shared.told
    found = figures_of_parts(
        plan.requirements(), names, told.losses, shared.after, told.before, told.suppressed, told.blanked
    )
    said = (
        *opened.notes,
        *notes_before,
        *retyped_notes(opened, dict(zip(names, shared.texts, strict=True))),
        *method_notes(plan, [column.attribute for column in columns]),
        f"masked in {shared.n_blocks:,} blocks of near tuples, each by itself",
    )
    kept = not_named if plan.others == "keep" else ()
    notes = notes_of(plan, columns, not_named, told.changes, found) + said
    public_notes = notes_of(plan, columns, kept, told.changes, found) + said
    return ReleaseInBlocks(
        plan=plan,
        columns=columns,
        further=further,
        figures=found,
        notes=notes,
        manifest=manifest_of(plan, found, public_notes),
        data=data,
        source=source,
        counted=opened,
        kind=type(table).__module__.partition(".")[0],
        changes=told.changes,
        blocks=blocks,
        seconds=progress.seconds,
    )


# ---------------------------------------------------------------------- method


def mask(prepared: Prepared, plan: Plan, progress: Phases = SILENT, how: Method | None = None) -> Masking:
    """Run the method, or do what it decided before (`how`), on the tuples of a table."""
    rng = np.random.default_rng(plan.seed)
    return masked_tuples(prepared.columns, prepared.tuples, plan, rng, progress, how)


# ---------------------------------------------------------------------- back to rows


def following_texts(prepared: Prepared, masking: Masking) -> dict[str, list[str | None]]:
    """What is written for each group in the columns that follow a masked one."""
    kept = masking.groups != SUPPRESSED
    codes = prepared.tuples.codes[prepared.tuples.tuple_of_cell[masking.cells[kept]]]
    found = {}
    for follower in prepared.followers:
        j = prepared.columns.index(follower.key)
        became = masking.values[masking.groups[kept], j]
        texts = follower.texts(masking.attributes[j], codes[:, j], became)
        found[follower.name] = [texts[r] for r in masking.values[:, j].tolist()]
    return found


def following_notes(
    prepared: Prepared, masking: Masking, texts: Mapping[str, Sequence[str | None]]
) -> Iterator[str]:
    """How much of each column that follows a masked one is written."""
    kept = masking.groups != SUPPRESSED
    for follower in prepared.followers:
        is_told = np.array([text is not None for text in texts[follower.name]], bool)
        told = int(masking.counts[kept][is_told[masking.groups[kept]]].sum())
        yield (
            f"column {follower.name!r} follows {follower.key.name!r}: {told:,} of "
            f"{masking.counts[kept].sum():,} rows have a value, the others are empty"
        )


def _released(
    prepared: Prepared, plan: Plan, masking: Masking, following: Mapping[str, Sequence[str | None]]
) -> ReleasedTable:
    """The table with masked columns, without identifiers and suppressed rows."""
    texts = texts_of(prepared.columns, masking)
    for column, own in zip(prepared.columns, texts, strict=True):
        check_read_back(column.name, own, prepared.table.options.na_values_of(column.name))
    dealing = Dealing(
        columns=prepared.counted,
        cells=prepared.cell_of_raw,
        members=masking.cells,
        groups=masking.groups,
        counts=masking.counts,
        texts={column.name: texts[j] for j, column in enumerate(prepared.columns)} | dict(following),
        seed=plan.seed,
        is_shuffled=bool(plan.shuffle),
    )
    if not dealing.n_kept:
        raise NothingLeftError(
            f"no tuple occurs {plan.least_size} times, so suppression leaves no row",
            key="method.name",
            remedy="use another method",
        )
    others = prepared.not_named if plan.others == "drop" else ()
    return prepared.table.released(dealing, drop=(*plan.with_role("identifier"), *others))
