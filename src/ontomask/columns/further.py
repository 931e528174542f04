"""Columns beside the masked ones, released as they are or dropped: confidential values, whose row it is.

What requirements and figures see of them is a `Domain` of codes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ontomask.arrays import Int64
from ontomask.attributes import Domain
from ontomask.columns import read_column
from ontomask.columns.numbers import UNKNOWN, Spelling, spellings
from ontomask.errors import InternalError, OntomaskError
from ontomask.linking.spelling import spelling_of
from ontomask.plan import Plan
from ontomask.tables import Table

MOST_VALUES = 4_000
"""Of a confidential column of words, for t by meaning: all its distances are needed at once."""


@dataclass(frozen=True, eq=False)
class FurtherColumn:
    """A column of the original table as codes: words of one concept are one value, numbers are ranks."""

    domain: Domain
    code_of: Mapping[str | None, int]

    @classmethod
    def of(
        cls,
        name: str,
        texts: Sequence[str | None],
        counts: Int64,
        plan: Plan,
        with_distances: bool = True,
        spelling: Spelling = UNKNOWN,
    ) -> FurtherColumn:
        """Read as the plan explains it; without an explanation texts are compared as they are.

        `counts[i]` rows have the distinct text `texts[i]`.
        """
        settings = plan.attributes.get(name)
        is_ordered = settings is not None and settings.kind != "nominal"
        is_explained = settings is not None and settings.is_explained
        if name == plan.privacy.unit:
            return cls.of_names(name, texts)
        if not is_explained or all(text is None for text in texts):
            return cls.of_texts(name, texts)
        column = read_column(name, texts, counts, lenient(plan), is_masked=False, spelling=spelling)
        attribute, distances = column.attribute, None
        if attribute.line is None and with_distances and attribute.size <= MOST_VALUES:
            every = np.arange(attribute.size, dtype=np.int32)
            distances = attribute.distance_table(every, attribute.own).T / attribute.maximum
        codes = dict(zip(texts, column.code_of_text.tolist(), strict=True))
        return cls(Domain(name, attribute.size, is_ordered, distances), codes)

    @classmethod
    def of_texts(cls, name: str, texts: Sequence[str | None]) -> FurtherColumn:
        """Read as texts that are equal or not; spellings of one value are one, so that none counts twice."""
        code_of = codes_by_spelling(texts)
        return cls(Domain(name, len({*code_of.values()})), code_of)

    @classmethod
    def of_names(cls, name: str, texts: Sequence[str | None]) -> FurtherColumn:
        """Read as whose rows they are: each text is somebody else."""
        return cls(Domain(name, len(texts)), {text: code for code, text in enumerate(texts)})

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.domain.name

    @cached_property
    def as_written(self) -> FurtherColumn | None:
        """The same with every text a value of its own, in any spelling; None if that is how it is read.

        What values mean is one thing, and what who knows somebody's value looks for in the release another:
        *back pain* may count as *pain* there, and does not say so.
        """
        if self.domain.is_ordered:
            return None
        found = FurtherColumn.of_texts(self.name, [*self.code_of])
        return None if found.domain.size == self.domain.size else found

    def codes(self, texts: Sequence[str | None]) -> Int64:
        """The code of each text of the table."""
        try:
            return np.array([self.code_of[text] for text in texts], np.int64)
        except KeyError:
            raise InternalError(f"column {self.name!r} has a value that the table had not") from None


def lenient(plan: Plan) -> Plan:
    """The plan for columns that are released as they are, whatever their words and gaps."""
    if (plan.missing, plan.unmapped) == ("own-class", "own-leaf"):
        return plan
    return plan.replace(missing="own-class", unmapped="own-leaf")


def codes_by_spelling(texts: Sequence[str | None]) -> dict[str | None, int]:
    """A code for each text; spellings of one value share it.

    >>> codes_by_spelling(["Flu", "flu ", "cold", None])
    {'Flu': 0, 'flu ': 0, 'cold': 1, None: 2}
    """
    known: dict[str | None, int] = {}
    return {text: known.setdefault(text and spelling_of(text), len(known)) for text in texts}


def confidential_columns(
    table: Table, plan: Plan, known: Sequence[FurtherColumn] = ()
) -> list[FurtherColumn]:
    """The confidential columns of a plan; those that are known already are not read again."""
    read = {column.name: column for column in known}
    names = plan.with_role("confidential")
    texts = table.distinct_of([name for name in names if name not in read])
    spelt = spellings_of(table, plan, [*texts])
    as_it_is = lenient(plan)  # once: a wide table has hundreds
    return [
        read.get(name) or FurtherColumn.of(name, *texts[name], as_it_is, spelling=spelt.get(name, UNKNOWN))
        for name in names
    ]


def numbers_of_columns(
    table: Table, plan: Plan, names: Sequence[str]
) -> dict[str, Mapping[str | None, float]]:
    """Of each of some columns the number, rank or day that each text is, NaN if it is no value.

    A column that cannot be read so is not there: it is released as it is, whatever stands in it.
    """
    as_it_is, spelt = lenient(plan), spellings_of(table, plan, names)
    found: dict[str, Mapping[str | None, float]] = {}
    for name, (texts, counts) in table.distinct_of(names).items():
        try:
            column = read_column(
                name, texts, counts, as_it_is, is_masked=False, spelling=spelt.get(name, UNKNOWN)
            )
        except OntomaskError:
            continue
        if line := column.attribute.line:
            found[name] = dict(zip(texts, line.numbers[column.code_of_text].tolist(), strict=True))
    return found


def spellings_of(table: Table, plan: Plan, names: Sequence[str]) -> Mapping[str, Spelling]:
    """How numbers are written in some columns, as all columns of numbers that the plan names tell."""
    kinds = {name: one.kind for name, one in plan.attributes.items()}
    if not any(kinds.get(name) == "numeric" for name in names):
        return {}
    numeric = [name for name, kind in kinds.items() if kind == "numeric"]
    return spellings(table, plan, {name: found for name, (found, _) in table.distinct_of(numeric).items()})
