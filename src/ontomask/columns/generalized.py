"""A column with a hierarchy over its values: labels of nodes beside the texts of the plain column inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from ontomask.arrays import Int32
from ontomask.attributes import Attribute, Generalized
from ontomask.columns.base import Column, told_apart
from ontomask.hierarchies import EVERYTHING, Hierarchy
from ontomask.linking import Links
from ontomask.measures import Measure
from ontomask.ontology import Ontology


@dataclass(frozen=True, eq=False, kw_only=True)
class GeneralizedColumn(Column):
    """Values and the nodes above them.

    Attributes
    ----------
    plain
        The column without its hierarchy.
    tree
        The hierarchy, with a row for each value of the column.
    meanings
        The concept of every node of the hierarchy, -1 where it has none.
    nodes
        The text of each node that is not a value, as the attribute counts them.
    """

    attribute: Generalized
    plain: Column
    tree: Hierarchy
    meanings: Int32
    nodes: tuple[str, ...]
    means_itself: bool = False
    """Whether the hierarchy is what the values mean, for the plan names no ontology."""

    @property
    def hierarchy(self) -> Hierarchy:
        return self.tree

    @property
    def ontology(self) -> Ontology | None:
        return self.plain.ontology

    @property
    def links(self) -> Links | None:
        return self.plain.links

    @property
    def labels(self) -> list[str | None]:
        return self.plain.labels

    def released_as(self, attribute: Attribute) -> Int32:
        """What would be written as a node that means the same, or stands above it, is that node."""
        own, n = cast(Generalized, attribute), len(self.nodes)
        became = np.arange(own.n_replacements, dtype=np.int32)
        for r, node in self._namesakes(own).items():
            if self._is_same(own, r, node):
                became[n + r] = node
        became[n:] = became[n + self.plain.released_as(own.plain)]
        return became

    def _namesakes(self, attribute: Generalized) -> dict[int, int]:
        """The plain replacements that are spelt as a node, each with that node."""
        node_of = {text: node for node, text in enumerate(self.nodes)}
        texts = self.plain.texts(attribute.plain)
        return {r: node_of[text] for r, text in enumerate(texts) if text in node_of}

    @staticmethod
    def _is_same(attribute: Generalized, r: int, node: int) -> bool:
        """Whether a node may be written for a plain replacement: for a value, if it is true of it."""
        codes = np.flatnonzero(attribute.plain.own == r)
        if not len(codes):
            return int(attribute.stands_for[node]) == r
        return bool(attribute.covers(np.array([node], np.int32), attribute.own[codes[:1]])[0])

    def concepts(self, attribute: Attribute) -> Int32:
        own = cast(Generalized, attribute)
        plain = self.plain.concepts(own.plain)
        return np.concatenate([plain[own.stands_for], plain])

    def texts(self, attribute: Attribute) -> list[str | None]:
        """Labels of nodes, texts of the plain column; one that is spelt as another node is told apart."""
        own = cast(Generalized, attribute)
        texts = self.plain.texts(own.plain)
        taken = {*self.nodes, *texts}
        for r, node in self._namesakes(own).items():
            if not self._is_same(own, r, node):
                texts[r] = told_apart(str(texts[r]), taken)
                taken.add(texts[r])
        return [*self.nodes, *texts]

    def read(self, texts: Sequence[str | None]) -> tuple[Attribute, Int32]:
        """As labels of the hierarchy, else as the plain column does."""
        known: dict[str | None, int] = {text: node for node, text in enumerate(self.nodes)}
        own = self.texts(self.attribute)
        is_told_apart = [r for r in range(len(self.nodes), len(own)) if own[r] != self._plain_texts[r]]
        known |= {own[r]: r for r in is_told_apart}
        others = [text for text in texts if text not in known]
        extended, of_others = self.plain.read(others)
        attribute = self.attribute.with_plain(extended)
        index = self.attribute.index_in(attribute)
        plain_of = dict(zip(others, (of_others + len(self.nodes)).tolist(), strict=True))
        found = [int(index[known[text]]) if text in known else plain_of[text] for text in texts]
        return attribute, np.array(found, np.int32)

    def ids(self, attribute: Attribute) -> list[str | None]:
        """Of a node only if it is called as its concept: else that may tell which values it stands for."""
        own = cast(Generalized, attribute)
        plain = self.plain.ids(own.plain)
        means = [plain[r] for r in own.stands_for.tolist()]
        is_named = [
            self.ontology is not None
            and one is not None
            and self.ontology.labels[self.ontology.concept(one)] == text
            for one, text in zip(means, self.nodes, strict=True)
        ]
        return [*(one if named else None for one, named in zip(means, is_named, strict=True)), *plain]

    def recognised(self, texts: Sequence[str | None], ids: Sequence[str | None]) -> tuple[Attribute, Int32]:
        """As labels of the hierarchy, else as the plain column does; everything is its root."""
        node_of = {text: node for node, text in enumerate(self.nodes)}
        node_of.setdefault(EVERYTHING, int(self.attribute.levels[-1, 0]))
        others = [i for i, text in enumerate(texts) if text not in node_of]
        extended, of_others = self.plain.recognised([texts[i] for i in others], [ids[i] for i in others])
        found = np.array([node_of.get(str(text), -1) for text in texts], np.int32)
        found[others] = np.where(of_others >= 0, of_others + len(self.nodes), -1)
        return self.attribute.with_plain(extended), found

    @cached_property
    def _plain_texts(self) -> list[str | None]:
        return [*self.nodes, *self.plain.texts(self.attribute.plain)]

    def seen_with(
        self, attribute: Attribute, ontology: Ontology | None, measure: Measure | None
    ) -> tuple[Attribute, Int32]:
        """A node is to an intruder what it stands for."""
        own = cast(Generalized, attribute)
        seen, became = self.plain.seen_with(own.plain, ontology, measure)
        return seen, np.concatenate([became[own.stands_for], became])
