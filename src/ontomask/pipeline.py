"""Plan + table -> release: the one flow, from left to right.

    table -> tuples -> linking -> attributes -> method -> masking -> verify -> release

Nothing is released unless the requirements hold for every class of what is about to be written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.arrays import Bool, Int32
from ontomask.attributes import Attribute, Tuples
from ontomask.attributes.space import Combine
from ontomask.columns import Column, coded_tuples, read_column, tuples_of
from ontomask.columns.following import Follower, read_follower
from ontomask.columns.further import FurtherColumn
from ontomask.columns.numbers import UNKNOWN, spellings
from ontomask.columns.population import People
from ontomask.errors import Gathering, NothingLeftError, OntomaskError
from ontomask.evaluation import Pairs, ReleaseView, Subject, classes_of_original, figures
from ontomask.manifest import manifest_of
from ontomask.methods import SUPPRESSED, Masking, Method, Task
from ontomask.methods.reuse import Reuse
from ontomask.notes import method_notes, notes_of, retyped_notes
from ontomask.plan import Plan, as_plan
from ontomask.privacy import KMap
from ontomask.progress import RUN, SILENT, Listener, Phases
from ontomask.pseudonyms import key_of, pseudonyms_of
from ontomask.purpose import Purpose, purpose_of
from ontomask.release import Release
from ontomask.scheme import Scheme, as_scheme
from ontomask.steps import trace_of
from ontomask.tables import Dealing, Distinct, ReleasedTable, Table, open_table
from ontomask.tables.header import BesideTableError
from ontomask.verification import check_limits, check_requirements, check_true

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
        The table as it was opened; in `table` identifiers may have become pseudonyms.
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
    plan.check_runnable()
    hidden = plan.with_role("pseudonym")
    key = key_of(plan) if hidden else b""
    progress.tell("reading")
    source = table if isinstance(table, Table) else _opened(table, plan)
    not_named = _columns_not_named(source, plan)
    opened = source
    for name in hidden:  # from here on nobody sees what stood there
        opened = opened.renamed(name, pseudonyms_of(name, source.distinct(name)[0], key))
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
        opened, columns, further, tuples, counted, cell_of_raw, tuple(not_named), kind, followers, source
    )


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
    said = (
        *prepared.table.notes,
        *following_notes(prepared, masking, following),
        *retyped_notes(prepared.table, data, [*masked, *plan.followers]),
        *(method_notes(plan, view) if scheme is None else (_REUSED,)),
        *((_ENDED_EARLY,) if progress.ended_early else ()),
        *((_IN_ORDER,) if prepared.source.keeps_order and not plan.shuffle else ()),
    )
    notes = notes_of(plan, prepared.columns, prepared.not_named, view, found) + said
    # Columns that nobody named and that were dropped are of the input: the public record is silent on them.
    kept = prepared.not_named if plan.others == "keep" else ()
    public_notes = notes_of(plan, prepared.columns, kept, view, found) + said
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
        kind=prepared.kind,
        reused=scheme,
        trace=trace,
        seconds=progress.seconds,
    )


def _people(prepared: Prepared, plan: Plan) -> People | None:
    """The population that a requirement names, if there is one."""
    for one in plan.requirements():
        if isinstance(one, KMap):
            table = open_table(plan.path_of(one.population), plan.table_options().of_others)
            return People.of(table, prepared.columns)
    return None


def combine_of(plan: Plan) -> Combine:
    """How attributes are combined: as the plan says; if it does not, by what they are."""
    return plan.method.combine or ("euclidean" if plan.is_all_numeric else "mean")


def view_of(tuples: Tuples, masking: Masking, plan: Plan) -> ReleaseView:
    """What the figures of a masking are computed from."""
    return ReleaseView(tuples, masking.attributes, Pairs.of(tuples, masking), combine_of(plan))


# ---------------------------------------------------------------------- method


def mask(prepared: Prepared, plan: Plan, progress: Phases = SILENT, how: Method | None = None) -> Masking:
    """Run the method on the complete tuples; the others (`missing: suppress-row`) are suppressed.

    `how` does what the method decided before, in its place.
    """
    method, tuples = plan.method.own, prepared.tuples
    kept = _complete(prepared.columns, tuples, plan)
    seen, cells = coded_tuples(prepared.columns, tuples.take(kept))
    attributes = prepared.attributes
    if method.measure:
        attributes = [a.under(plan.make_measure(method.measure)) for a in attributes]
    done = np.zeros(1, np.int64)
    purpose = Purpose() if isinstance(how, Reuse) else purpose_of(plan)  # what is decided needs no reasons
    budget = int(Fraction(str(plan.privacy.suppress)) * tuples.n)  # 29 % of 100 rows are 29
    task = Task(
        seen,
        attributes,
        plan.asked(),
        combine=combine_of(plan),
        budget=budget,
        rng=np.random.default_rng(plan.seed),
        done=done,
        max_loss=[plan.attributes[column.name].limit for column in prepared.columns],
        strategy="marginality" if plan.method.centroid == "marginality" else None,
        is_joint=plan.method.centroid == "joint",
        tiers=purpose.tiers,
        mim=purpose.mim,
    )
    masker = how or method
    stop = task.stop if masker.searches(task) else None
    with progress.watching("masking", done, tuples.n, task.loss, stop):
        masking = masker.masking(task)
    masking = replace(masking, values=_writable(prepared.columns, masking))
    check_true(masking, seen)
    check_limits(masking, seen, task.limits)
    by = plan.make_measure()  # losses count by what the user asked for
    masking = replace(masking, attributes=tuple(a.under(by) for a in masking.attributes))
    if method.blank:
        masking = masking.blanked()
    return _of_all(masking, tuples, np.flatnonzero(kept[tuples.tuple_of_cell])[cells].astype(np.int32))


def _writable(columns: Sequence[Column], masking: Masking) -> Int32:
    """The replacements of a masking; where its text must not be written, another in its place."""
    return np.stack(
        [
            column.released_as(attribute)[masking.values[:, j]]
            for j, (column, attribute) in enumerate(zip(columns, masking.attributes, strict=True))
        ],
        axis=1,
    )


def _complete(columns: Sequence[Column], tuples: Tuples, plan: Plan) -> Bool:
    """Which tuples take part: all, or those without a missing value."""
    kept: Bool = np.ones(len(tuples), bool)
    if plan.missing == "suppress-row":
        for j, column in enumerate(columns):
            kept &= tuples.codes[:, j] != column.attribute.missing
        left, k = int(tuples.counts[kept].sum()), plan.least_size
        if left < k:
            raise OntomaskError(
                f"only {left:,} of {tuples.n:,} rows have no missing value, fewer than k = {k}, so "
                "`missing: suppress-row` leaves too few",
                key="missing",
                remedy="use own-class or a smaller k",
            )
    return kept


def _of_all(masking: Masking, tuples: Tuples, cells: Int32) -> Masking:
    """A masking whose cell i is cell `cells[i]` of the tuples as one of these; other cells are suppressed."""
    is_dropped = np.ones(len(tuples.tuple_of_cell), bool)
    is_dropped[cells] = False
    dropped = np.flatnonzero(is_dropped).astype(np.int32)
    all_cells = np.concatenate([cells[masking.cells], dropped])
    lost = tuples.cell_counts[dropped]
    order = np.argsort(all_cells, kind="stable")
    return replace(
        masking,
        cells=all_cells[order],
        groups=np.concatenate([masking.groups, np.full(len(dropped), SUPPRESSED, np.int32)])[order],
        counts=np.concatenate([masking.counts, lost])[order],
    )


# ---------------------------------------------------------------------- back to rows


def texts_of(columns: Sequence[Column], masking: Masking) -> list[list[str | None]]:
    """What is written for each group, column by column."""
    found = []
    for j, (column, attribute) in enumerate(zip(columns, masking.attributes, strict=True)):
        texts = column.texts(attribute)
        found.append([texts[r] for r in masking.values[:, j].tolist()])
    return found


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


def _check_read_back(column: str, texts: Sequence[str | None], na_values: Sequence[str]) -> None:
    """No value may be written that means no value to who reads the file: a table may be opened by its own."""
    for text in texts:
        if text is not None and text.strip() in na_values:
            raise OntomaskError(
                f"{text!r} would be written, which means no value in this table",
                column=column,
                value=text,
                remedy="give the plan the `na_values` that the table was opened with",
            )


def _released(
    prepared: Prepared, plan: Plan, masking: Masking, following: Mapping[str, Sequence[str | None]]
) -> ReleasedTable:
    """The table with masked columns, without identifiers and suppressed rows."""
    texts = texts_of(prepared.columns, masking)
    for column, own in zip(prepared.columns, texts, strict=True):
        _check_read_back(column.name, own, prepared.table.options.na_values_of(column.name))
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
