"""What came out: the released table, its figures, and the files that are written for it together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ontomask.attributes import Tuples
from ontomask.columns import Column
from ontomask.errors import OntomaskError
from ontomask.evaluation import ReleaseView
from ontomask.files import remove, replacing
from ontomask.methods import Masking
from ontomask.plan import Plan
from ontomask.tables import ReleasedTable, Table
from ontomask.tables.options import digest_of
from ontomask.verification import check_requirements

if TYPE_CHECKING:
    import pyarrow as pa


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
        What went in and how: digests, plan, ontologies, seed, versions, figures.
    data
        The released table as its engine has it.
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
    kind: str = field(default="")

    def __repr__(self) -> str:
        f = self.figures
        return (
            f"<Release of {self.source.label}: {self.data.n_rows:,} rows, {f['classes']:,} classes of "
            f"{f['k_reached']:,} rows or more, {f['information_loss']:.2f} % of the information lost>"
        )

    def _repr_html_(self) -> str:
        shown = ("n", "suppressed", "k_asked", "k_reached", "classes", "semantic_loss", "information_loss")
        rows = "".join(f"<tr><td>{name}</td><td>{self.figures[name]:,.4g}</td></tr>" for name in shown)
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

    @property
    def table(self) -> Any:
        """The released table: pandas or polars if that was given, else pyarrow."""
        if self.kind == "pandas":
            return self.data.to_pandas()
        return self.data.to_polars() if self.kind == "polars" else self.data.to_arrow()

    def to_arrow(self) -> pa.Table:
        """The released table as pyarrow."""
        return self.data.to_arrow()

    def write(self, path: str | Path, also: Mapping[Path, str] | None = None) -> Path:
        """Write the release and its manifest beside it; requirements are counted on the file first.

        `also` are texts, such as a report, that are in place only if the release is, and the other way
        round. Returns the manifest's path.
        """
        path = Path(path)
        self.data.check_target(path)
        source = self.source.path
        if source is not None and source.exists() and path.exists() and path.samefile(source):
            raise OntomaskError(
                f"cannot write {path}: it is the table itself", remedy="give the release another name"
            )
        requirements = self.plan.requirements()
        with ExitStack() as together:
            for target, text in (also or {}).items():
                together.enter_context(replacing(target)).write_text(text, encoding="utf-8")
            self.data.write(path, lambda written: check_requirements(requirements, written, self.masked))
            beside = path.with_name(f"{path.name.removesuffix(path.suffix)}.manifest.json")
            try:
                output = {"file": path.name, "sha256": digest_of(path)}
                with replacing(beside) as manifest:
                    content = json.dumps(self.manifest | {"output": output}, indent=2) + "\n"
                    manifest.write_text(content, encoding="utf-8")
                together.close()
            except BaseException:
                for partial in (path, beside):  # a release without what belongs to it must not stay
                    remove(partial)
                raise
        return beside
