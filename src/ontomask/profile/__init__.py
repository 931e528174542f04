"""A first look at a table: what its columns are, and a plan to start from.

What an outsider knows about a person no program can see, so the plan only proposes: each line says why, and
what is doubtful stands as `role: undecided`, which no run accepts. Ontologies are tried on the distinct
values; nothing is masked here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from html import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from ontomask.errors import PlanError, did_you_mean
from ontomask.numerals import usual_decimal
from ontomask.plan.flow import comment, flow
from ontomask.profile.column import ColumnProfile, column_without_text, profile_column
from ontomask.profile.coverage import ColumnFiles, Coverage, files_of_column
from ontomask.profile.draft import EFFECT, draft
from ontomask.profile.guess import Role, missing_value_words
from ontomask.profile.languages import language_of
from ontomask.tables import Table, TableOptions, open_table
from ontomask.tables.address import Address, place_of
from ontomask.tables.determining import Determination, determinations
from ontomask.tables.header import BesideTableError

if TYPE_CHECKING:
    from ontomask.plan import Plan

__all__ = ["ColumnProfile", "Coverage", "TableProfile", "init", "profile_table"]

_LOOKED_AT = 200  # distinct values of a column, to tell their language


@dataclass(frozen=True, repr=False)
class TableProfile:
    """What a table seems to be."""

    source: str
    rows: int
    columns: tuple[ColumnProfile, ...]
    options: TableOptions = field(default_factory=TableOptions)
    together: tuple[tuple[str, ...], ...] = ()
    """Columns that say the same: one that determines the others, and these."""
    notes: tuple[str, ...] = ()
    """What was found out about how the table is to be read."""
    sorted_by: tuple[str, ...] = ()
    """Columns that the rows are sorted by, surely not by chance."""
    location: str | None = None
    """The table as it was given; None if it is in memory."""

    def __getitem__(self, column: str) -> ColumnProfile:
        return next(profile for profile in self.columns if profile.name == column)

    @property
    def decimal(self) -> str | None:
        """The mark before decimals, as far as the smallest and greatest numbers of columns tell it."""
        return usual_decimal(one.span for one in self.columns if one.span)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Columns that a person has to decide about, most telling first: personal data, then rare values."""
        open_ones = [column for column in self.columns if not column.sure]
        open_ones.sort(key=lambda c: (not c.personal, -c.spellings / max(c.rows - c.missing, 1)))
        return tuple(column.name for column in open_ones)

    def decide(self, roles: Mapping[str, Role]) -> TableProfile:
        """The profile with the roles that a person gave to some columns.

        A column that followed from one which is now not masked is asked about: it tells what that one does.

        >>> import pyarrow as pa
        >>> people = pa.table({"job": ["nurse", "teacher", "nurse"], "pay": ["low", "high", "low"]})
        >>> init(people).undecided
        ('pay',)
        >>> init(people).decide({"pay": "confidential"}).plan().with_role("confidential")
        ('pay',)
        """
        names = [column.name for column in self.columns]
        for name, role in roles.items():
            if name not in names:
                raise PlanError(f"there is no such column{did_you_mean(name, names, names)}", column=name)
            if role not in get_args(Role):
                known = ", ".join(get_args(Role))
                raise PlanError(f"{role!r} is no role", column=name, value=role, remedy=f"known are {known}")
        key_of = {name: key for key, *others in self.together for name in others}

        def decided(column: ColumnProfile) -> ColumnProfile:
            if column.name in roles:
                return replace(column, role=roles[column.name], sure=True, why="so decided")
            key = key_of.get(column.name, "")
            role = roles.get(key, "quasi-identifier")
            if role == "quasi-identifier":
                return column
            return replace(column, role=role, sure=False, why=f"it follows from {key}")

        return replace(self, columns=tuple(map(decided, self.columns)))

    def settings(self, folder: str | Path = ".") -> dict[str, Any]:
        """The plan as nested dicts, in the order in which it is written."""
        plain = vars(TableOptions())
        table = {k: v for k, v in vars(self.options).items() if v is not None and v != plain[k]}
        return ({"table": table} if table else {}) | {
            "attributes": {column.name: column.settings(Path(folder)) for column in self.columns},
            **({"together": together} if (together := self._still_together()) else {}),
            "privacy": {"k": self._k, **({"unit": person} if (person := self._person) else {})},
            "method": {"name": "auto", "measure": "logsc"},
            "missing": "own-class",
            "unmapped": "error",
            "seed": 7,
            **({"shuffle": True} if self.telling_order else {}),
        }

    @property
    def units(self) -> list[ColumnProfile]:
        """The columns that tell of which person or household several rows are, and are not masked."""
        found = [column for column in self.columns if column.unit and column.role == "identifier"]
        return [column for column in found if column.distinct >= 2 * self._k]

    @property
    def _person(self) -> str | None:
        """The column by which people are counted, as several rows are of one."""
        return next((column.name for column in self.units if column.unit == "person"), None)

    @property
    def _k(self) -> int:
        return max(min(5, self.rows), 2)

    @property
    def telling_order(self) -> tuple[str, ...]:
        """The columns that rows are sorted by and that are not released as they are: the order tells them."""
        return tuple(
            name
            for name in self.sorted_by
            if not self[name].sure or self[name].role in ("identifier", "quasi-identifier")
        )

    def _still_together(self) -> list[list[str]]:
        """The columns that say the same, as far as a person did not decide otherwise."""
        found = []
        for key, *others in self.together:
            left = [name for name in others if self[name].role in ("other", "identifier")]
            if left and self[key].role == "quasi-identifier":
                found.append([key, *left])
        return found

    def to_yaml(self, folder: str | Path = ".", *, name: str = "plan.yaml") -> str:
        """A commented plan for `Plan.load`, to lie in `folder` as `name`; paths in it are relative to that.

        Commands in its comments run as they stand, where this was called.
        """
        return "\n".join(draft(self, Path(folder) / name)) + "\n"

    def plan(self, folder: str | Path = ".") -> Plan:
        """The plan as an object; `PlanError` names the columns that are undecided, if any is."""
        from ontomask.plan import Plan

        plan = Plan.from_dict(self.settings(folder), folder=folder)
        plan.check_decided()
        return plan

    @property
    def name(self) -> str:
        """Of its file, or of the table of a database."""
        return self.source.rpartition("/")[2]

    def __repr__(self) -> str:
        undecided, n = ", ".join(self.undecided) or "none", len(self.columns)
        return f"<TableProfile {self.name}: {self.rows:,} rows, {n} columns, undecided: {undecided}>"

    def _repr_html_(self) -> str:
        """A small table for notebooks; it shows no value of the table."""
        rows = "".join(
            f"<tr><td>{escape(c.name)}</td><td>{c.role if c.sure else f'<b>undecided</b>: {c.role}?'}</td>"
            f"<td>{EFFECT[c.role] if c.sure else ''}</td><td>{escape(c.why)}</td></tr>"
            for c in self.columns
        )
        head = "".join(f"<th>{title}</th>" for title in ("column", "proposed role", "then", "why"))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def init(table: Any, /, **options: Any) -> TableProfile:
    """Look at a table and propose a plan for it.

    Parameters
    ----------
    table
        A path, or a pandas, polars, pyarrow or Ibis table.
    options
        How to read it: separator, encoding, na_values, header_row, sheet, table.

    See Also
    --------
    TableProfile.decide, TableProfile.plan, TableProfile.to_yaml

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"job": ["nurse", "teacher", "nurse"], "age": ["31", "54", "31"]})
    >>> init(people).plan().with_role("quasi-identifier")
    ('job', 'age')
    """
    return profile_table(table, TableOptions(**options))


def profile_table(table: Any, options: TableOptions | None = None) -> TableProfile:
    """Look at every column of a table (a path, or anything `open_table` takes), in one walk of it."""
    options = options or TableOptions()
    try:
        opened = table if isinstance(table, Table) else open_table(table, options)
    except BesideTableError as error:
        if not error.header_row:
            raise
        options = replace(options, header_row=error.header_row)
        opened = open_table(table, options)
    readable = [name for name in opened.names if name not in opened.without_text]
    counts = {
        name: {text: int(n) for text, n in zip(texts, counted.tolist(), strict=True) if text is not None}
        for name, (texts, counted) in opened.distinct_of(readable).items()
    }
    missing = {name: missing_value_words(texts) for name, texts in counts.items()}
    everywhere = _missing_everywhere(counts, missing)
    if everywhere:
        options = replace(options, na_values=(*options.na_values, *sorted(everywhere)))
    options = replace(options, **opened.found)
    place = place_of(table) if isinstance(table, (str, Path, Address)) else None
    is_file, lists = isinstance(place, Path), opened.lists
    columns = tuple(
        column_without_text(name, opened.n_rows)
        if name in opened.without_text
        else profile_column(
            name,
            opened.n_rows,
            {text: n for text, n in counts[name].items() if text.strip() not in missing[name]},
            files_of_column(place, name) if isinstance(place, Path) else ColumnFiles(),
            lists.get(name),
            (*options.na_values, *sorted(missing[name] - everywhere)) if missing[name] - everywhere else (),
            options.na_values,
        )
        for name in opened.names
    )
    columns, together = _with_dependent_columns(opened, columns)
    with_text = [column.name for column in columns if column.spellings > 1]
    return TableProfile(
        opened.label,
        opened.n_rows,
        columns,
        options,
        together,
        notes=(*opened.notes, *_about_language(columns, counts)),
        sorted_by=tuple(opened.sorted_by(with_text)),
        location=place.url if isinstance(place, Address) else str(table) if is_file else None,
    )


def _about_language(columns: Sequence[ColumnProfile], counts: Mapping[str, Collection[str]]) -> Iterator[str]:
    """What to know where the words of a table are not English."""
    words = [column.name for column in columns if column.kind == "nominal" and not column.personal]
    shown = (text for name in words for text in islice(counts[name], _LOOKED_AT))
    language = language_of(counts, shown)
    if language not in (None, "English"):
        yield (
            f"names and values look {language}, and WordNet is English: where it lacks words, add "
            f"`labels: FILE`, a wordnet in {language} (see *Other languages* in docs/how-to/ontologies.md)"
        )


def _missing_everywhere(counts: Mapping[str, Collection[str]], missing: Mapping[str, set[str]]) -> set[str]:
    """Words that mean no value in every column that has them."""
    meant = {
        text.strip() for name, texts in counts.items() for text in texts if text.strip() not in missing[name]
    }
    return set().union(*missing.values()) - meant


def _with_dependent_columns(
    table: Table, columns: Sequence[ColumnProfile]
) -> tuple[tuple[ColumnProfile, ...], tuple[tuple[str, ...], ...]]:
    """The columns, and which go together: one that is masked, and those that it determines.

    Where a person still has to decide about the one, what it determines is told there: who drops it must not
    find the others released as they are.
    """
    masked = [column for column in columns if column.role == "quasi-identifier" and not column.personal]
    undecided = [column for column in columns if not column.sure and not _is_words_of_one(column)]
    either = [column.name for column in columns if column in masked or column in undecided]
    found = determinations(table, either)
    follows = partial(_keys_and_others, found)
    together = follows([column for column in masked if column.sure], {column.name for column in masked})
    key_of = {name: key for key, *others in together for name in others}
    told = {key: others for key, *others in follows(undecided, {*either} - {*key_of})}
    return tuple(_dependent(column, key_of, told) for column in columns), together


def _is_words_of_one(column: ColumnProfile) -> bool:
    """Whether it may name a person, and is neither a number nor a date, which others can follow from."""
    return column.personal and column.kind == "nominal"


def _dependent(
    column: ColumnProfile, key_of: Mapping[str, str], told: Mapping[str, Sequence[str]]
) -> ColumnProfile:
    if column.name in key_of:
        why = f"it follows from {key_of[column.name]}: `together` below"
        return replace(column, role="other", sure=True, advice="", why=why)
    if column.name in told:
        others = told[column.name]
        line = (
            f"`together: {flow([column.name, *others])}` at the top of the plan, beside `attributes`, with "
            "`role: other` for what follows"
        )
        text = f"It determines {', '.join(map(comment, others))}: where it is masked, write {line}"
        return replace(column, advice=". ".join(filter(None, [column.advice, text])))
    return column


def _keys_and_others(
    found: Sequence[Determination], keys: Sequence[ColumnProfile], among: Collection[str]
) -> tuple[tuple[str, ...], ...]:
    """Columns with those of some others that they determine, none of them twice.

    The one with most values comes first, of two that determine each other the one whose meaning is known.
    """
    taken: set[str] = set()
    together = []
    for key in sorted(keys, key=lambda column: (-column.spellings, column.coverage is None)):
        others = [one.of for one in found if one.by == key.name and one.of in among and one.of not in taken]
        if others and key.name not in taken:
            taken |= {key.name, *others}
            together.append((key.name, *others))
    return tuple(together)
