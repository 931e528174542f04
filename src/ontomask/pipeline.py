"""Plan + table -> release: the one flow, from left to right.

    table -> tuples -> linking -> attributes -> method -> masking -> verify -> release

Nothing is released unless every class of what is about to be written has at least k rows.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ontomask.arrays import Bool, Int32, Int64
from ontomask.attributes import Attribute, Nominal, Tuples
from ontomask.attributes.space import Combine
from ontomask.columns import Column, all_numeric, read_column, tuples_of
from ontomask.errors import NothingLeftError, OntomaskError
from ontomask.evaluation.loss import losses
from ontomask.evaluation.pairs import Pairs
from ontomask.files import remove, replacing
from ontomask.measures import measure
from ontomask.methods import METHODS, RESAMPLING_SETTINGS, SUPPRESSED, Masking, Method
from ontomask.plan import Plan
from ontomask.tables import Dealing, ReleasedTable, Table, TableOptions, open_table
from ontomask.tables.options import digest_of

if TYPE_CHECKING:
    import pyarrow as pa

Progress = Callable[[str], None]


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
    data: ReleasedTable
    _source: Table
    _kind: str

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of the released table."""
        return self.data.names

    @property
    def table(self) -> Any:
        """The released table: pandas or polars if that was given, else pyarrow."""
        if self._kind == "pandas":
            return self.data.to_pandas()
        return self.data.to_polars() if self._kind == "polars" else self.data.to_arrow()

    def to_arrow(self) -> pa.Table:
        """The released table as pyarrow."""
        return self.data.to_arrow()

    def write(self, path: str | Path) -> Path:
        """Write the release and its manifest beside it; k is verified on the file before it is in place.

        Returns the manifest's path.
        """
        path = Path(path)
        self._check_target(path)
        beside = path.with_name(f"{path.name.removesuffix(path.suffix)}.manifest.json")

        def verify(written: Table) -> None:
            _check_classes(_class_sizes(written, self.columns, self.plan), self.plan.privacy.k)

        self.data.write(path, check=verify)
        try:
            with replacing(beside) as temporary:
                output = {"file": path.name, "sha256": digest_of(path)}
                temporary.write_text(json.dumps(self.manifest | {"output": output}, indent=2) + "\n")
        except BaseException:
            remove(path)  # a release without its manifest must not stay
            raise
        return beside

    def _check_target(self, path: Path) -> None:
        """A release must not take the place of the table it protects."""
        self.data.check_target(path)
        source = self._source.path
        if source is not None and source.exists() and path.exists() and path.samefile(source):
            raise OntomaskError(f"cannot write {path}: it is the table itself; give the release another name")


def anonymize(table: Any, plan: Plan, *, progress: Progress | None = None) -> Release:
    """Mask the quasi-identifiers of a table.

    Parameters
    ----------
    table
        A path (CSV, Parquet, Excel, DuckDB, ...), or a pandas, polars, pyarrow or Ibis table.
    plan
        What is asked for.
    progress
        Told what is being done, step by step.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"hobby": ["fishing", "angling", "chess", "go", "go", "fishing"]})
    >>> release = anonymize(people, Plan.from_options(["hobby:wordnet"], k=2))
    >>> release.figures["smallest_class"] >= 2
    True
    """
    tell = progress or (lambda step: None)
    return released(prepare(table, plan, tell), plan, tell)


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table with its quasi-identifiers linked and its tuples counted: what does not hang on the method."""

    table: Table
    columns: tuple[Column, ...]
    tuples: Tuples
    tuple_of_raw: Int32
    """Which tuple each distinct tuple of texts is: words of one concept have become one value."""
    raw_counts: Int64
    not_named: tuple[str, ...]
    kind: str

    @property
    def attributes(self) -> list[Attribute]:
        """What methods and figures see of the columns."""
        return [column.attribute for column in self.columns]


def prepare(table: Any, plan: Plan, tell: Progress = lambda step: None) -> Prepared:
    """Table -> tuples -> linking -> attributes."""
    plan.check_runnable()
    tell("reading")
    opened = open_table(table, TableOptions(**plan.table.model_dump()))
    not_named = plan.check_against(opened.names)
    names = plan.with_role("quasi-identifier")
    raw = opened.tuples(names)

    tell("linking")
    per_value = [np.bincount(raw.codes[:, j], raw.counts).astype(np.int64) for j in range(len(names))]
    columns = tuple(
        read_column(name, texts, per_value[j], plan)
        for j, (name, texts) in enumerate(zip(names, raw.values, strict=True))
    )
    tuples, tuple_of_raw = tuples_of(columns, raw.codes, raw.counts)
    kind = type(table).__module__.partition(".")[0]
    return Prepared(opened, columns, tuples, tuple_of_raw, raw.counts, tuple(not_named), kind)


def released(prepared: Prepared, plan: Plan, tell: Progress = lambda step: None) -> Release:
    """Method -> masking -> verify -> release."""
    columns, tuples = prepared.columns, prepared.tuples
    tell("masking")
    combine = combine_of(plan)
    kept = _complete(columns, tuples, plan)
    masking = mask(make_method(plan), columns, tuples, kept, plan, combine)

    tell("verifying")
    texts = [c.texts(masking.values[j]) for j, c in enumerate(columns)]
    data = _released(prepared, plan, masking, texts)
    sizes = _class_sizes(data, columns, plan)
    _check_classes(sizes, plan.privacy.k)
    figures = {
        "n": prepared.table.n_rows,
        "k": plan.privacy.k,
        "classes": len(sizes),
        "smallest_class": int(sizes.min()) if len(sizes) else 0,
        "distinct_tuples": len(prepared.raw_counts),
        "unique_tuples": int((prepared.raw_counts == 1).sum()),
        "suppressed": int(masking.counts[masking.groups == SUPPRESSED].sum()),
        **losses(Pairs.of(masking), tuples, prepared.attributes, combine),
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
        data=data,
        _source=prepared.table,
        _kind=prepared.kind,
    )


def combine_of(plan: Plan) -> Combine:
    """How attributes are combined: as the plan says; if it does not, by what they are."""
    return plan.method.combine or ("euclidean" if all_numeric(plan) else "mean")


# ---------------------------------------------------------------------- method


def make_method(plan: Plan) -> Method:
    """The method that the plan names, with its options."""
    asked = plan.method
    kind: Any = METHODS[asked.name]
    if asked.name == "resampling":
        kind = RESAMPLING_SETTINGS[asked.setting]
    given = {key: getattr(asked, key) for key in (f.name for f in fields(kind))}
    made: Method = kind(**{key: value for key, value in given.items() if value is not None})
    return made


def mask(
    method: Method, columns: tuple[Column, ...], tuples: Tuples, kept: Bool, plan: Plan, combine: Combine
) -> Masking:
    """Run the method on the complete tuples; the others (`missing: suppress-row`) are suppressed."""
    if method.measure:
        columns = tuple(column.under(measure(method.measure)) for column in columns)
    attributes = [column.attribute for column in columns]
    some = Tuples(tuples.codes[kept], tuples.counts[kept])
    masking = method.mask(some, attributes, plan.privacy.k, np.random.default_rng(plan.seed), combine)
    values = tuple(c.writable(masking.values[j]) for j, c in enumerate(columns))
    dropped = np.flatnonzero(~kept).astype(np.int32)
    members = np.concatenate([np.flatnonzero(kept).astype(np.int32)[masking.tuples], dropped])
    order = np.argsort(members, kind="stable")
    return Masking(
        members[order],
        np.concatenate([masking.groups, np.full(len(dropped), SUPPRESSED, np.int32)])[order],
        np.concatenate([masking.counts, tuples.counts[dropped]])[order],
        values,
    )


def _complete(columns: tuple[Column, ...], tuples: Tuples, plan: Plan) -> Bool:
    """Which tuples take part: all, or those without a missing value."""
    kept: Bool = np.ones(len(tuples), bool)
    if plan.missing == "suppress-row":
        for j, column in enumerate(columns):
            kept &= tuples.codes[:, j] != column.attribute.missing
        left, k = int(tuples.counts[kept].sum()), plan.privacy.k
        if left < k:
            raise OntomaskError(
                f"only {left:,} of {tuples.n:,} rows have no missing value, fewer than k = {k}, so "
                "`missing: suppress-row` leaves too few; use own-class or a smaller k"
            )
    return kept


# ---------------------------------------------------------------------- back to rows


def _released(
    prepared: Prepared, plan: Plan, masking: Masking, texts: list[list[str | None]]
) -> ReleasedTable:
    """The table with masked columns; suppressed rows are dropped, or blanked if the plan says so."""
    dealing = Dealing(
        columns=tuple(column.name for column in prepared.columns),
        cells=prepared.tuple_of_raw,
        members=masking.tuples,
        groups=masking.groups,
        counts=masking.counts,
        texts={column.name: texts[j] for j, column in enumerate(prepared.columns)},
        blank=plan.method.blank,
        seed=plan.seed,
    )
    if not dealing.n_kept:
        raise NothingLeftError(
            f"no tuple occurs {plan.privacy.k} times, so suppression leaves no row; use another method"
        )
    return prepared.table.released(dealing, drop=plan.with_role("identifier"))


def _class_sizes(table: Table | ReleasedTable, columns: tuple[Column, ...], plan: Plan) -> Int64:
    """Rows of each class; blanked rows, and they alone, are exempt."""
    found = table.tuples([column.name for column in columns])
    if not plan.method.blank:
        return found.counts
    counted = [any(text is not None for text in found.texts(i)) for i in range(len(found))]
    return np.compress(counted, found.counts)


def _check_classes(sizes: np.ndarray, k: int) -> None:
    """Fail closed."""
    small = sizes[sizes < k]
    if len(small):
        raise OntomaskError(
            f"not released: {len(small):,} classes have fewer than k = {k} rows (the smallest has "
            f"{small.min()}). This is a fault of ontomask; please report it with the plan"
        )


# ---------------------------------------------------------------------- what to tell


def _notes(
    plan: Plan, columns: tuple[Column, ...], not_named: list[str], figures: dict[str, Any]
) -> tuple[str, ...]:
    notes = []
    if plan.privacy.k == 1:
        notes.append("k = 1 protects nobody: every row may stand alone")
    if not_named:
        notes.append(f"left as they are, because the plan does not name them: {', '.join(not_named)}")
    for column in columns:
        if column.attribute.size == 1:
            notes.append(f"column {column.name!r} has one value, so it tells nobody apart")
        if column.note:
            notes.append(f"column {column.name!r}: {column.note}")
        if isinstance(column.attribute, Nominal):
            notes += [f"column {column.name!r}: {note}" for note in column.attribute.ontology.notes]
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
        was_missing = kept & (tuples.codes[masking.tuples, j] == column.attribute.missing)
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
        c.name: {"name": c.attribute.ontology.name, "sha256": c.attribute.ontology.digest}
        for c in columns
        if isinstance(c.attribute, Nominal)
    }
    mappings = {
        name: digest_of(plan.path_of(settings.mapping))
        for name, settings in plan.attributes.items()
        if settings.mapping
    }
    packages = ("ontomask", "numpy", "numba", "pyarrow")
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "input": {"source": Path(opened.label).name, "sha256": opened.digest, "rows": opened.n_rows},
        "plan": {"sha256": plan.digest, "settings": plan.model_dump(mode="json")},
        "ontologies": ontologies,
        "mappings": mappings,
        "seed": plan.seed,
        "versions": {"python": platform.python_version()} | {name: version(name) for name in packages},
        "figures": figures,
        "notes": list(notes),
    }
