"""What came out: the released table, its figures, and the files that are written for it together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from html import escape
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ontomask.attributes import Tuples
from ontomask.columns import Column
from ontomask.columns.further import FurtherColumn
from ontomask.columns.population import People
from ontomask.errors import Fault, NotAcceptedError, OntomaskError
from ontomask.evaluation import ReleaseView
from ontomask.evaluation.changes import Changes, changes_of
from ontomask.files import staging
from ontomask.manifest import as_json, cost_of, internal_record_of
from ontomask.methods import Masking
from ontomask.outputs import Outputs, inputs_of
from ontomask.plan import Plan
from ontomask.scheme import Scheme
from ontomask.tables import ReleasedTable, Table
from ontomask.tables.address import Address, place_of
from ontomask.tables.options import digest_of
from ontomask.verification import check_requirements

if TYPE_CHECKING:
    import pyarrow as pa


class Written(NamedTuple):
    """The file or table of a release and its digest."""

    file: str
    digest: str

    @property
    def digest_of(self) -> str:
        """What it is the digest of: `rows` of a database, or the bytes of a file, by `sha256`."""
        return "rows" if self.digest.startswith("rows:") else "sha256"


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """A release that satisfies its requirements.

    Attributes
    ----------
    figures
        The figures of a run: classes and losses; see `om.evaluate` for all.
    notes
        What the publisher should know, in plain words.
    manifest
        How it was made: plan, ontologies, seed, versions, figures; nothing of the input.
    data
        The released table as its engine has it.
    source, counted
        The table as it was opened; and as it was counted, with pseudonyms and without rare values.
    reused
        The scheme that it was made with, if what it writes was decided by an earlier release.
    trace
        Every step of a method that tells them (`top-down`), and why what stayed as it is did.
    seconds
        How long each phase of the run took.
    """

    plan: Plan
    columns: tuple[Column, ...]
    tuples: Tuples
    masking: Masking
    view: ReleaseView
    figures: dict[str, Any]
    notes: tuple[str, ...]
    manifest: dict[str, Any]
    data: ReleasedTable
    source: Table
    counted: Table
    further: tuple[FurtherColumn, ...] = ()
    people: People | None = None
    reused: Scheme | None = None
    trace: dict[str, Any] | None = None
    kind: str = field(default="")
    seconds: Mapping[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        f = self.figures
        classes = f"{f['classes']:,} classes of {f['k_reached']:,} rows or more"
        if not self.plan.method.own.gives_k:
            classes = self.plan.promised
        return (
            f"<Release of {self.source.label}: {self.data.n_rows:,} rows, {classes}, "
            f"{f['information_loss']:.2f} % of the information lost>"
        )

    def _repr_html_(self) -> str:
        shown = ("n", "suppressed", "k_asked", "k_reached", "classes", "semantic_loss", "information_loss")
        told = {name: self.figures[name] for name in shown if self.figures[name] is not None}
        rows = "".join(f"<tr><td>{name}</td><td>{value:,.4g}</td></tr>" for name, value in told.items())
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        return f"<p>{escape(repr(self))}</p><table>{rows}</table><ul>{notes}</ul>"

    @property
    def names(self) -> tuple[str, ...]:
        """Columns of the released table."""
        return self.data.names

    @cached_property
    def masked(self) -> tuple[str, ...]:
        """Names of the masked columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def changes(self) -> Changes:
        """How many values of each masked column became what they were not."""
        return changes_of(self.view, self.plan.method.own.blank)

    def check(self, written: Table) -> None:
        """Raise unless what was written satisfies every requirement."""
        check_requirements(self.plan.requirements(), written, self.masked, self.further, self.people)

    @cached_property
    def least_rows_told(self) -> int:
        """How many rows must share what a report tells of the original."""
        return self.plan.least_rows_told(self.source.most_rows(self.plan.privacy.unit))

    @property
    def kept(self) -> list[str]:
        """Names of the columns that are released as they are."""
        changed = {*self.masked, *self.plan.followers, *self.plan.with_role("pseudonym")}
        return [name for name in self.names if name not in changed]

    @property
    def table(self) -> Any:
        """The released table as what was given: of pandas, polars, Ibis, Spark or DuckDB, else of pyarrow.

        A table of an engine stays there: nothing is computed before its rows are asked for.
        """
        return self.data.given_back(self.kind)

    def to_arrow(self) -> pa.Table:
        """The released table as pyarrow."""
        return self.data.to_arrow()

    @cached_property
    def scheme(self) -> Scheme:
        """What was decided, to be done to another table: `anonymize(table, plan, scheme=release.scheme)`."""
        return Scheme.of(self.plan, self.columns, self.masking)

    @property
    def inputs(self) -> list[Path]:
        """Every file and folder that was read; a release is never written over one of them."""
        return inputs_of(self.source.path, self.plan, self.reused.path if self.reused else None)

    def write(
        self,
        path: str | Path | Address,
        also: Mapping[Path, str | Callable[[Written], str]] | None = None,
        warnings: Sequence[tuple[str, str, str]] | None = None,
        records: Path = Path(),
    ) -> Path:
        """Write the release, its manifest and its internal record; requirements are counted on the file.

        `path` may be the URL of a table in a database (`tables.address`); the records then stand in the
        folder `records`.

        All files are in place, or none: `also` are texts, such as a report, that belong to the release; one
        that has to know the digest of what was written is made then. `warnings` (text, level and name each,
        as `om.warnings_of` has them) go into the manifest, which is silent on them otherwise; where the plan
        says which it accepts, nothing is written if there are others. Returns the manifest's path. The
        internal record can be read by the publisher alone.
        """
        self._check_accepted(warnings)
        also = also or {}
        began = perf_counter()
        outputs = Outputs(place_of(path), tuple(also), records)
        check = partial(outputs.check, self.inputs, self.source.reads_others)
        check()
        with staging(check) as files:
            with self.data.written(outputs.release, files) as written:
                self.check(written)
                digest = written.digest if written.path is None else digest_of(written.path)
                made = Written(outputs.release.name, digest)
                output = {"output": {"file": made.file, made.digest_of: made.digest}}
            for target, text in also.items():
                with files.writing(target) as staged:
                    staged.write_text(text if isinstance(text, str) else text(made), encoding="utf-8")
            with files.writing(outputs.internal) as staged:
                staged.touch(mode=0o600)
                staged.write_text(
                    as_json(
                        internal_record_of(self.source, self.plan, self.figures)
                        | _internally(output, outputs)
                    ),
                    encoding="utf-8",
                )
            with files.writing(outputs.manifest) as staged:
                record = self.manifest if warnings is None else self.manifest | _told(warnings)
                seconds = {**self.seconds, "writing": perf_counter() - began}
                record = record | {"cost": cost_of(self.source, seconds)}
                staged.write_text(as_json(record | output), encoding="utf-8")
        return outputs.manifest

    def _check_accepted(self, warnings: Sequence[tuple[str, str, str]] | None) -> None:
        """Raise with every warning that the plan does not accept, where it says which it does."""
        if self.plan.accept is None:
            return
        if warnings is None:
            raise OntomaskError(
                "the plan accepts warnings by name, and nobody looked for any",
                key="accept",
                remedy="write(path, warnings=om.warnings_of(release))",
            )
        faults = [
            Fault(
                text,
                key="accept",
                value=name,
                remedy=self._how_to_accept(name),
                is_public=True,
            )
            for text, level, name in warnings
            if level != "note" and name not in self.plan.accepted
        ]
        if faults:
            raise NotAcceptedError(*faults)

    def _how_to_accept(self, name: str) -> str:
        if name in (self.plan.accept or ()):
            digest = self.plan.asked_digest[:12]
            return f"it was accepted for another plan: write `accepted_for: {digest}` if it may be here, too"
        return f"add {name!r} there if that is so and may be"


def _internally(output: Mapping[str, Any], outputs: Outputs) -> dict[str, Any]:
    """What was written, as its publisher alone may know it: with the database that it is in."""
    if isinstance(outputs.release, Path):
        return dict(output)
    return {"output": {**output["output"], "database": outputs.release.database}}


def _told(warnings: Sequence[tuple[str, str, str]]) -> dict[str, list[dict[str, str]]]:
    """Warnings as the manifest has them; notes stand there already."""
    return {
        "warnings": [
            {"level": level, "text": text, "name": name} for text, level, name in warnings if level != "note"
        ]
    }
