"""A column that writes what an earlier release wrote, whatever its own table would write for the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from ontomask.arrays import Int32
from ontomask.attributes import Attribute
from ontomask.columns.base import Column, told_apart
from ontomask.hierarchies import Hierarchy
from ontomask.linking import Links
from ontomask.measures import Measure
from ontomask.ontology import Ontology


@dataclass(frozen=True, eq=False, kw_only=True)
class ReusedColumn(Column):
    """A column with texts that are given.

    Attributes
    ----------
    within
        The column as its own table has it.
    written
        The text of each replacement that the earlier release has.
    """

    within: Column
    written: Mapping[int, str | None]

    @classmethod
    def over(cls, column: Column, attribute: Attribute, written: Mapping[int, str | None]) -> ReusedColumn:
        """The column with an attribute that has the replacements of an earlier release, and their texts."""
        known = {field.name: getattr(column, field.name) for field in fields(Column)}
        return cls(**known | {"attribute": attribute}, within=column, written=written)

    @property
    def is_number(self) -> bool:  # type: ignore[override]
        return self.within.is_number

    @property
    def ontology(self) -> Ontology | None:
        return self.within.ontology

    @property
    def hierarchy(self) -> Hierarchy | None:
        return self.within.hierarchy

    @property
    def links(self) -> Links | None:
        return self.within.links

    @property
    def labels(self) -> list[str | None]:
        return self.within.labels

    def concepts(self, attribute: Attribute) -> Int32:
        return self.within.concepts(attribute)

    def ids(self, attribute: Attribute) -> list[str | None]:
        return self.within.ids(attribute)

    def texts(self, attribute: Attribute) -> list[str | None]:
        """What was written before; what would now be written alike for something else is told apart."""
        index = self.attribute.index_in(attribute)
        before = {int(index[r]): text for r, text in self.written.items()}
        taken = set(before.values()) - {None}
        return [
            before[r]
            if r in before
            else text
            if text is None or text not in taken
            else told_apart(text, taken)
            for r, text in enumerate(self.within.texts(attribute))
        ]

    def read(self, texts: Sequence[str | None]) -> tuple[Attribute, Int32]:
        return self.within.read(texts)

    def seen_with(
        self, attribute: Attribute, ontology: Ontology | None, measure: Measure | None
    ) -> tuple[Attribute, Int32]:
        return self.within.seen_with(attribute, ontology, measure)


def reused(
    column: Column, texts: Sequence[str | None], ids: Sequence[str | None]
) -> tuple[ReusedColumn, Int32]:
    """A column that writes these texts, and the replacement of each; -1 where it means nothing here."""
    attribute, found = column.recognised(texts, ids)
    known = np.flatnonzero(found >= 0).tolist()
    return ReusedColumn.over(column, attribute, {int(found[i]): texts[i] for i in known}), found
