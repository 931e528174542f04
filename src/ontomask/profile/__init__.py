"""A first look at a table: what its columns are, and a plan to start from.

What an outsider knows about a person no program can see, so the plan only proposes: each line says why, and
what is doubtful is commented out. Ontologies are tried on the distinct values; nothing is masked here.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ontomask.arrays import Int64
from ontomask.profile.coverage import Beside, Coverage, best_coverage, named_after
from ontomask.profile.guess import (
    NO_VALUE,
    are_dates,
    are_numbers,
    is_outcome,
    scale_of,
    why_identifier,
)
from ontomask.profile.yaml import comment, flow, scalar, wrapped
from ontomask.tables import Table, TableOptions, open_table

__all__ = ["ColumnProfile", "Coverage", "TableProfile", "draft_plan", "profile_table"]

Role = Literal["identifier", "quasi-identifier", "confidential", "other"]
Kind = Literal["nominal", "numeric", "ordinal"]

_MOST_LINKED = 5_000  # distinct values; more are free text or numbers of some sort
_PREFACE = (
    "What outsiders may know about a person only you can tell, so read every line. Quasi-identifiers are "
    "masked together, identifiers are dropped, all else is released as it is. Lines with #? are doubtful: "
    "remove the #? of those you agree with. Then, for instance:"
)


@dataclass(frozen=True)
class ColumnProfile:
    """What a column seems to be.

    Attributes
    ----------
    rows, missing
        Of the table; without a value here.
    distinct, unique
        Different values; those that stand in one row.
    role, sure, why
        The proposal, whether it goes into the plan or only into a comment, and the reason.
    order
        The values of an ordinal column, lowest first.
    coverage
        The best ontology for the values, if any is worth naming.
    span
        Smallest and greatest number; not of identifiers, which a plan must not repeat.
    """

    name: str
    rows: int
    missing: int
    distinct: int
    unique: int
    kind: Kind
    role: Role
    sure: bool
    why: str
    order: tuple[str, ...] = ()
    coverage: Coverage | None = None
    span: tuple[str, str] | None = None

    def settings(self, folder: Path) -> dict[str, Any]:
        """What stands in a plan in `folder`."""
        if self.role in ("identifier", "other"):
            return {"role": self.role}
        chosen: dict[str, Any] = {"role": self.role}
        if self.role == "quasi-identifier" or self.kind != "nominal":
            chosen["kind"] = self.kind
        if self.order:
            chosen["order"] = list(self.order)
        if self.coverage and self.role == "quasi-identifier":
            chosen["ontology"] = _as_seen_from(folder, self.coverage.ontology)
            if self.coverage.under and not self.coverage.outside:
                chosen["under"] = self.coverage.under
            if self.coverage.mapping:
                chosen["mapping"] = _as_seen_from(folder, self.coverage.mapping)
        return chosen


@dataclass(frozen=True)
class TableProfile:
    """What a table seems to be."""

    source: str
    rows: int
    columns: tuple[ColumnProfile, ...]
    options: TableOptions = field(default_factory=TableOptions)

    def __getitem__(self, column: str) -> ColumnProfile:
        return next(profile for profile in self.columns if profile.name == column)

    def to_yaml(self, folder: str | Path = ".") -> str:
        """A commented plan for `Plan.load`; paths in it are relative to `folder`, where it will lie."""
        return "\n".join([*self._lines(Path(folder))]) + "\n"

    def _lines(self, folder: Path) -> Iterator[str]:
        name = comment(Path(self.source).name)
        yield f"# A plan to start from: {name}, {self.rows:,} rows, {len(self.columns)} columns."
        yield from wrapped(_PREFACE, "# ")
        yield f"#   ontomask anonymize {name} --plan plan.yaml -o release.csv"
        if not any(c.sure and c.role == "quasi-identifier" for c in self.columns):
            yield "# No column is a quasi-identifier for sure: uncomment one at least before you run this."
        plain = TableOptions()
        given = {k: v for k, v in vars(self.options).items() if v is not None and v != getattr(plain, k)}
        if given:
            yield f"table: {flow(given)}"
        yield ""
        yield "attributes:"
        for column in self.columns:
            yield from self._column_lines(column, folder)
        yield ""
        yield f"privacy: {{k: {max(min(5, self.rows), 2)}}}   # each person looks like k - 1 others at least"
        yield "method: {name: sa-mdav, measure: logsc}"
        yield "missing: own-class   # or suppress-row, error"
        yield "unmapped: error      # or root, own-leaf, suppress: what becomes of values no ontology knows"
        yield "seed: 7"

    def _column_lines(self, column: ColumnProfile, folder: Path) -> Iterator[str]:
        for sentence in _sentences(column, Path(self.source).name):
            yield from wrapped(sentence, "  # ")
        entry = f"{scalar(column.name)}: {flow(column.settings(folder))}"
        yield f"  {entry}" if column.sure else f"  #? {entry}"


def draft_plan(
    path: str | Path, options: TableOptions | None = None, *, folder: str | Path | None = None
) -> str:
    """The text of a commented plan for a table.

    Parameters
    ----------
    path
        The table.
    options
        How to read it.
    folder
        Where the plan will lie, for the paths in it; the current folder if not given.
    """
    return profile_table(path, options).to_yaml(Path.cwd() if folder is None else folder)


def profile_table(table: Any, options: TableOptions | None = None) -> TableProfile:
    """Look at every column of a table (a path, or anything `open_table` takes).

    >>> import pyarrow as pa
    >>> people = pa.table({"job": ["nurse", "teacher", "nurse"], "age": ["31", "54", "31"]})
    >>> [(column.name, column.kind, column.role) for column in profile_table(people).columns]
    [('job', 'nominal', 'quasi-identifier'), ('age', 'numeric', 'quasi-identifier')]
    """
    options = options or TableOptions()
    opened = table if isinstance(table, Table) else open_table(table, options)
    no_value = [] if isinstance(table, Table) else _words_for_nothing(opened)
    if no_value:
        options = replace(options, na_values=(*options.na_values, *no_value))
        opened = open_table(table, options)
    is_file = isinstance(table, (str, Path))
    columns = tuple(
        _profile_column(name, found, opened.n_rows, named_after(Path(table), name) if is_file else Beside())
        for name, found in opened.distinct_of(opened.names).items()
    )
    return TableProfile(opened.label, opened.n_rows, columns, options)


def _words_for_nothing(table: Table) -> list[str]:
    """Texts such as n/a that plainly mean no value, as they are written in the table."""
    written = {text for texts, _ in table.distinct_of(table.names).values() for text in texts if text}
    return sorted(text for text in written if text.strip().lower() in NO_VALUE)


# ---------------------------------------------------------------------- one column


def _profile_column(
    name: str, found: tuple[list[str | None], Int64], n_rows: int, beside: Beside
) -> ColumnProfile:
    values, counts = found
    known = [(v, int(n)) for v, n in zip(values, counts.tolist(), strict=True) if v is not None]
    texts = [value for value, _ in sorted(known, key=lambda pair: (-pair[1], pair[0]))]
    given = sum(n for _, n in known)
    numeric = are_numbers(name, texts)
    coverage: Coverage | None = None
    kind: Kind = "numeric" if numeric else "nominal"
    order: tuple[str, ...] = ()
    role: Role = "quasi-identifier"
    sure = False
    if not texts:
        role, why = "other", "it has no value at all"
    elif are_dates(texts):
        why = "these are dates: a column of years or ages could be masked as a number"
    elif reason := why_identifier(name, texts, given, numeric):
        role, sure, why = "identifier", True, f"a likely identifier: {reason}"
    elif len(texts) == 1:
        role, why = "other", "it has one value, so it tells nobody apart"
    else:
        order = () if numeric else scale_of(texts) or ()
        if len(texts) <= _MOST_LINKED:
            coverage = best_coverage(name, texts, numeric, bool(order), beside)
        if coverage is not None:
            kind, order = "nominal", ()
        elif len(texts) == 2 and not numeric:
            # Of two values either order is right: their distance is 1 and the median is one of them.
            order = order or (texts[0], texts[1])
        if order:
            kind = "ordinal"
        role, sure, why = _proposal(name, kind, len(texts), given, coverage)
    return ColumnProfile(
        name=name,
        rows=n_rows,
        missing=n_rows - given,
        distinct=len(texts),
        unique=sum(n == 1 for _, n in known),
        kind=kind,
        role=role,
        sure=sure,
        why=why,
        order=order,
        coverage=coverage,
        span=_span(texts) if kind == "numeric" and texts and role != "identifier" else None,
    )


def _proposal(
    name: str, kind: Kind, distinct: int, given: int, coverage: Coverage | None
) -> tuple[Role, bool, str]:
    """Role, whether it goes into the plan as it is, and why."""
    if is_outcome(name):
        return (
            "confidential",
            False,
            "it sounds like an outcome: confidential, or a quasi-identifier if known",
        )
    if kind == "numeric":
        if distinct > max(20, given / 5):
            return (
                "quasi-identifier",
                False,
                "a measurement with many values; mask it if outsiders may know it",
            )
        return "quasi-identifier", True, "a number that outsiders may know"
    if kind == "ordinal":
        check = "of two values either order will do" if distinct == 2 else "check their order"
        return "quasi-identifier", True, f"steps that outsiders may know; {check}"
    if coverage is None:
        return "quasi-identifier", False, "no ontology at hand knows these values"
    if coverage.unknown:
        return "quasi-identifier", False, "the ontology lacks some values: map them first"
    if distinct > max(20, given / 2):
        return "quasi-identifier", False, "it has many values, is it free text?"
    return "quasi-identifier", True, "words that outsiders may know"


# ---------------------------------------------------------------------- words for a person


def _sentences(column: ColumnProfile, table: str) -> Iterator[str]:
    facts = [f"{column.distinct:,} distinct"]
    if column.unique:
        facts.append(f"{column.unique:,} of them in one row only")
    if column.span:
        facts.append(f"from {column.span[0]} to {column.span[1]}")
    if column.missing:
        facts.append(f"{column.missing / column.rows:.1%} missing")
    why = column.why[0].upper() + column.why[1:]
    yield f"{comment(column.name)}: {column.kind}, {', '.join(facts)}. {why}."
    coverage = column.coverage
    if column.role != "quasi-identifier":
        return
    if coverage is None:
        if column.kind == "nominal":
            yield "To mask it, give a hierarchy as `ontology:`, or say `unmapped: own-leaf`."
        return
    known = f"{Path(coverage.ontology).name} knows {coverage.share:.0%} of the values"
    yield known + (f", {coverage.by_head} by the last word of a phrase only." if coverage.by_head else ".")
    under = f" --under {coverage.under}" if coverage.under and not coverage.outside else ""
    if coverage.unknown:
        shown = ", ".join(comment(value) for value in coverage.unknown[:3])
        more = f" and {len(coverage.unknown) - 3} more" if len(coverage.unknown) > 3 else ""
        yield (
            f"Unknown: {shown}{more}. Review: ontomask link {comment(table)} --column {comment(column.name)} "
            f"--ontology {Path(coverage.ontology).name}{under} -o {comment(column.name)}_mapping.csv"
        )
    if coverage.under and coverage.outside:
        shown = ", ".join(comment(value) for value in coverage.outside[:3])
        yield f"`under: {coverage.under}` would fit all but: {shown}; give these a sense in a mapping first."


def _span(texts: Sequence[str]) -> tuple[str, str]:
    stripped = [text.strip() for text in texts]
    return min(stripped, key=float), max(stripped, key=float)


def _as_seen_from(folder: Path, ontology: str | Path) -> str:
    if isinstance(ontology, str):
        return ontology
    try:
        return Path(os.path.relpath(ontology, folder)).as_posix()
    except ValueError:  # another drive
        return str(ontology.resolve())
