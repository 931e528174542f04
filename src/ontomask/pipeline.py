"""Plan + table -> release: the one flow, from left to right.

    table -> tuples -> linking -> attributes -> method -> masking -> verify -> release

Nothing is released unless every class of what is about to be written has at least k rows.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask import tables
from ontomask.arrays import Bool, Int32, Int64
from ontomask.attributes import Attribute, Tuples
from ontomask.attributes.space import Combine
from ontomask.columns import Column, read_column, tuples_of
from ontomask.errors import InternalError, NothingLeftError, OntomaskError
from ontomask.evaluation.loss import losses
from ontomask.evaluation.pairs import Pairs, ReleaseView
from ontomask.files import replacing
from ontomask.methods import SUPPRESSED, Masking
from ontomask.plan import Plan, as_plan
from ontomask.plan.versions import VERSION
from ontomask.progress import RUN, SILENT, Listener, Phases
from ontomask.tables import Table, TableOptions, open_table

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Release:
    """What came out.

    Attributes
    ----------
    figures
        The checked figures: n, k, classes, smallest_class, sse, sst, information_loss, semantic_loss, ...
    manifest
        What went in and how: digests, plan, ontologies, seed, versions, figures.
    notes
        What the publisher should know, in plain words.
    """

    plan: Plan
    columns: tuple[Column, ...]
    tuples: Tuples
    masking: Masking
    figures: dict[str, Any]
    manifest: dict[str, Any]
    notes: tuple[str, ...]
    _data: tables.Release
    _source: str
    _kind: str

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of the released table."""
        return self._data.names

    @property
    def table(self) -> Any:
        """The released table: pandas or polars if that was given, else pyarrow."""
        if self._kind == "pandas":
            return self._data.to_pandas()
        return self._data.to_polars() if self._kind == "polars" else self._data.to_arrow()

    def to_arrow(self) -> pa.Table:
        """The released table as pyarrow."""
        return self._data.to_arrow()

    def write(self, path: str | Path) -> Path:
        """Write the release and its manifest beside it; k is verified on the file before it is in place.

        Returns the manifest's path.
        """
        path = Path(path)
        self._check_target(path)
        beside = path.with_name(f"{path.name.removesuffix(path.suffix)}.manifest.json")
        names = [column.name for column in self.columns]

        def verify(written: Table) -> None:
            found = written.tuples(names)
            counted = np.ones(len(found), bool)
            if self.plan.method.blank:  # blanked rows, and they alone, are exempt
                counted = np.array([any(t is not None for t in found.texts(i)) for i in range(len(found))])
            _check_classes(found.counts[counted], self.plan.least_size)

        self._data.write(path, check=verify)
        try:
            with replacing(beside) as temporary:
                output = {"file": path.name, "sha256": _digest(path)}
                temporary.write_text(json.dumps(self.manifest | {"output": output}, indent=2) + "\n")
        except BaseException:
            path.unlink(missing_ok=True)  # a release without its manifest must not stay
            raise
        return beside

    def _check_target(self, path: Path) -> None:
        """A release must not take the place of the table it protects."""
        if path.is_dir():
            raise OntomaskError(f"cannot write {path}: it is a folder; give a file name in it")
        if path.exists() and Path(self._source).exists() and path.samefile(self._source):
            raise OntomaskError(f"cannot write {path}: it is the table itself; give the release another name")


def anonymize(
    table: Any,
    plan: Plan | Mapping[str, Any] | str | Path,
    *,
    progress: Phases | Listener | None = None,
) -> Release:
    """Mask the quasi-identifiers of a table.

    Parameters
    ----------
    table
        A path (CSV, Parquet, Excel, DuckDB, ...), or a pandas, polars, pyarrow or Ibis table.
    plan
        What is asked for: a plan, its settings as nested dicts, or the path of its file.
    progress
        Is given a `Progress` whenever there is some; or the `Phases` of a longer command.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"hobby": ["fishing", "angling", "chess", "go", "go", "fishing"]})
    >>> release = anonymize(people, Plan.from_options(["hobby:wordnet"], k=2))
    >>> release.figures["smallest_class"] >= 2
    True
    """
    plan = as_plan(plan)
    phases = progress if isinstance(progress, Phases) else Phases(RUN, progress)
    return released(prepare(table, plan, phases), plan, phases)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table with its quasi-identifiers linked and its tuples counted: what does not hang on the method."""

    table: Table
    columns: tuple[Column, ...]
    tuples: Tuples
    tuple_of_row: Int32
    written_counts: Int64
    """Rows of each distinct tuple as written, before words of one concept became one value."""
    not_named: tuple[str, ...]
    kind: str

    @property
    def attributes(self) -> list[Attribute]:
        """What methods and figures see of the columns."""
        return [column.attribute for column in self.columns]


def prepare(table: Any, plan: Plan, progress: Phases = SILENT) -> Prepared:
    """Table -> tuples -> linking -> attributes."""
    plan.check_runnable()
    progress.tell("reading")
    opened = open_table(table, TableOptions(**plan.table.as_dict()))
    not_named = plan.check_against(opened.names)
    names = plan.with_role("quasi-identifier")
    raw = opened.tuples(names)

    progress.tell("linking")
    per_value = [np.bincount(raw.codes[:, j], raw.counts).astype(np.int64) for j in range(len(names))]
    columns = tuple(
        read_column(name, texts, per_value[j], plan)
        for j, (name, texts) in enumerate(zip(names, raw.values, strict=True))
    )
    tuples, tuple_of_raw = tuples_of(columns, raw.codes, raw.counts)
    kind = type(table).__module__.partition(".")[0]
    return Prepared(
        opened, columns, tuples, tuple_of_raw[raw.tuple_of_row], raw.counts, tuple(not_named), kind
    )


def released(prepared: Prepared, plan: Plan, progress: Phases = SILENT) -> Release:
    """Method -> masking -> verify -> release."""
    columns, tuples = prepared.columns, prepared.tuples
    combine = combine_of(plan)
    kept = _complete(columns, tuples, plan)
    masking = mask(plan, prepared.attributes, tuples, kept, progress)

    progress.tell("verifying")
    group_of_row = groups_of_rows(masking, prepared.tuple_of_row)
    texts = texts_of(columns, masking)
    sizes = _class_sizes(masking, texts)
    _check_classes(sizes, plan.least_size)
    figures = {
        "n": prepared.table.n_rows,
        "k": plan.least_size,
        "classes": len(sizes),
        "smallest_class": int(sizes.min()) if len(sizes) else 0,
        "distinct_tuples": len(prepared.written_counts),
        "unique_tuples": int((prepared.written_counts == 1).sum()),
        "suppressed": int(masking.counts[masking.groups == SUPPRESSED].sum()),
        **losses(ReleaseView(tuples, masking.attributes, Pairs.of(tuples, masking), combine)),
    }
    notes = (
        *_notes(plan, columns, list(prepared.not_named), figures),
        *_filled(columns, tuples, masking, texts),
    )
    return Release(
        plan=plan,
        columns=columns,
        tuples=tuples,
        masking=masking,
        figures=figures,
        manifest=_manifest(prepared.table, plan, columns, figures, notes),
        notes=notes,
        _data=_released(prepared, plan, texts, group_of_row),
        _source=prepared.table.source,
        _kind=prepared.kind,
    )


def combine_of(plan: Plan) -> Combine:
    """How attributes are combined: as the plan says; if it does not, by what they are."""
    return plan.method.combine or ("euclidean" if plan.is_all_numeric else "mean")


# ---------------------------------------------------------------------- method


def mask(plan: Plan, attributes: list[Attribute], tuples: Tuples, kept: Bool, progress: Phases) -> Masking:
    """Run the method on the complete tuples; the others (`missing: suppress-row`) are suppressed."""
    method = plan.method.own
    own = [a.under(plan.make_measure(method.measure)) for a in attributes] if method.measure else attributes
    rng = np.random.default_rng(plan.seed)
    done = np.zeros(1, np.int64)
    with progress.watching("masking", done, tuples.n):
        masking = method.mask(tuples.take(kept), own, plan.requirements(), rng, combine_of(plan), done)
    by = plan.make_measure()  # losses count by what the user asked for
    masking = replace(masking, attributes=tuple(a.under(by) for a in masking.attributes))
    if kept.all():
        return masking
    cell_is_kept = kept[tuples.tuple_of_cell]
    dropped = np.flatnonzero(~cell_is_kept).astype(np.int32)
    members = np.concatenate([np.flatnonzero(cell_is_kept).astype(np.int32)[masking.cells], dropped])
    lost = (tuples.counts if tuples.cells is None else tuples.cells.counts)[dropped]
    order = np.argsort(members, kind="stable")
    return replace(
        masking,
        cells=members[order],
        groups=np.concatenate([masking.groups, np.full(len(dropped), SUPPRESSED, np.int32)])[order],
        counts=np.concatenate([masking.counts, lost])[order],
    )


def texts_of(columns: tuple[Column, ...], masking: Masking) -> list[list[str | None]]:
    """What is written for each group, column by column."""
    found = []
    for j, (column, attribute) in enumerate(zip(columns, masking.attributes, strict=True)):
        texts = column.texts(attribute)
        found.append([texts[r] for r in masking.values[:, j].tolist()])
    return found


def _complete(columns: tuple[Column, ...], tuples: Tuples, plan: Plan) -> Bool:
    """Which tuples take part: all, or those without a missing value."""
    kept: Bool = np.ones(len(tuples), bool)
    if plan.missing == "suppress-row":
        for j, column in enumerate(columns):
            kept &= tuples.codes[:, j] != column.attribute.missing
        left, k = int(tuples.counts[kept].sum()), plan.least_size
        if left < k:
            raise OntomaskError(
                f"only {left:,} of {tuples.n:,} rows have no missing value, fewer than k = {k}, so "
                "`missing: suppress-row` leaves too few; use own-class or a smaller k"
            )
    return kept


# ---------------------------------------------------------------------- back to rows


def groups_of_rows(masking: Masking, tuple_of_row: Int32) -> Int32:
    """The group of each row: the records of a tuple are dealt to its groups in row order."""
    rows = np.argsort(tuple_of_row, kind="stable")
    groups = np.empty(len(rows), np.int32)
    groups[rows] = np.repeat(masking.groups, masking.counts)
    return groups


def _released(
    prepared: Prepared, plan: Plan, texts: list[list[str | None]], group_of_row: Int32
) -> tables.Release:
    """The table with masked columns; suppressed rows are dropped, or blanked if the plan says so."""
    suppressed = group_of_row == SUPPRESSED
    blank = plan.method.blank
    codes = np.where(suppressed, len(texts[0]), group_of_row).astype(np.int32)
    replaced = {c.name: (codes, [*texts[j], None]) for j, c in enumerate(prepared.columns)}
    rows = ~suppressed if suppressed.any() and not blank else None
    if rows is not None and not rows.any():
        raise NothingLeftError(
            f"no tuple occurs {plan.least_size} times, so suppression leaves no row; use another method"
        )
    others = prepared.not_named if plan.others == "drop" else ()
    return prepared.table.replaced(replaced, drop=(*plan.with_role("identifier"), *others), rows=rows)


def _class_sizes(masking: Masking, texts: list[list[str | None]]) -> np.ndarray:
    """Records of each class of the release: groups whose texts are equal are one class."""
    classes: dict[tuple[str | None, ...], int] = {}
    class_of_group = np.array([classes.setdefault(t, len(classes)) for t in zip(*texts, strict=True)], int)
    kept = masking.groups != SUPPRESSED
    return np.bincount(class_of_group[masking.groups[kept]], masking.counts[kept]).astype(np.int64)


def _check_classes(sizes: np.ndarray, k: int) -> None:
    """Fail closed."""
    small = sizes[sizes < k]
    if len(small):
        raise InternalError(
            f"not released: {len(small):,} classes have fewer than k = {k} rows (the smallest has "
            f"{small.min()})"
        )


# ---------------------------------------------------------------------- what to tell


def _notes(
    plan: Plan, columns: tuple[Column, ...], not_named: list[str], figures: dict[str, Any]
) -> tuple[str, ...]:
    notes = []
    if plan.least_size == 1:
        notes.append("k = 1 protects nobody: every row may stand alone")
    if not_named:
        became = "dropped" if plan.others == "drop" else "left as they are"
        notes.append(f"{became}, because the plan does not name them: {', '.join(not_named)}")
    for column in columns:
        if column.attribute.size == 1:
            notes.append(f"column {column.name!r} has one value, so it tells nobody apart")
        if column.note:
            notes.append(f"column {column.name!r}: {column.note}")
        if column.ontology is not None:
            notes += [f"column {column.name!r}: {note}" for note in column.ontology.notes]
    if figures["suppressed"]:
        how = "blanked" if plan.method.blank else "dropped"
        notes.append(f"{figures['suppressed']:,} of {figures['n']:,} rows were {how}")
    return tuple(notes)


def _filled(
    columns: tuple[Column, ...], tuples: Tuples, masking: Masking, texts: list[list[str | None]]
) -> list[str]:
    """Columns in which missing values were given the value of their group."""
    notes: list[str] = []
    kept = masking.groups != SUPPRESSED
    for j, column in enumerate(columns if kept.any() else ()):
        was_missing = kept & (
            tuples.codes[tuples.tuple_of_cell[masking.cells], j] == column.attribute.missing
        )
        now_missing = kept & np.array([text is None for text in texts[j]])[masking.groups]
        filled = int(masking.counts[was_missing & ~now_missing].sum())
        if column.attribute.missing >= 0 and filled:
            total = int(masking.counts[was_missing].sum())
            notes.append(
                f"column {column.name!r}: {filled:,} of {total:,} missing values were given their group's"
            )
    return notes


def _manifest(
    opened: Table, plan: Plan, columns: tuple[Column, ...], figures: dict[str, Any], notes: tuple[str, ...]
) -> dict[str, Any]:
    ontologies = {
        c.name: {"name": c.ontology.name, "sha256": c.ontology.digest}
        for c in columns
        if c.ontology is not None
    }
    mappings = {
        name: _digest(plan.path_of(settings.mapping))
        for name, settings in plan.attributes.items()
        if settings.mapping
    }
    packages = ("ontomask", "numpy", "numba", "pyarrow")
    return {
        "version": VERSION,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "input": {"source": Path(opened.source).name, "sha256": opened.digest, "rows": opened.n_rows},
        "plan": {"sha256": plan.digest, "settings": plan.as_dict()},
        "ontologies": ontologies,
        "mappings": mappings,
        "seed": plan.seed,
        "versions": {"python": platform.python_version()} | {name: version(name) for name in packages},
        "figures": figures,
        "notes": list(notes),
    }


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
