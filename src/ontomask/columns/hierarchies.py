"""Which hierarchy a column gets: read from a file, chosen among several, or built as the plan says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.attributes import Generalized
from ontomask.columns.base import Column, most_frequent_text, told_apart
from ontomask.columns.generalized import GeneralizedColumn
from ontomask.errors import OntomaskError
from ontomask.hierarchies import EVERYTHING, Hierarchy
from ontomask.hierarchies.build import hierarchy_of
from ontomask.hierarchies.formats import read_hierarchy
from ontomask.hierarchies.gsl import Gsl, linked_nodes
from ontomask.hierarchies.intervals import RangeSet, read_ranges
from ontomask.hierarchies.ranges import (
    calendar_hierarchy,
    matched,
    numeric_hierarchy,
    ordinal_hierarchy,
    over_numbers,
    prefix_hierarchy,
)
from ontomask.plan import AttributePlan, HierarchyPlan, Plan


def with_hierarchy(
    column: Column, texts: Sequence[str | None], counts: Int64, plan: Plan, settings: AttributePlan
) -> GeneralizedColumn:
    """The column with the hierarchy that the plan names, or with one that is built for it."""
    try:
        return _Reader(column, texts, counts, plan, settings).column_with_hierarchy()
    except OntomaskError as error:
        raise error.at(column=column.name) from None


class _Reader:
    """What is known of a column while its hierarchy is looked for; `values[i]` is the text of `codes[i]`."""

    def __init__(
        self,
        column: Column,
        texts: Sequence[str | None],
        counts: Int64,
        plan: Plan,
        settings: AttributePlan,
    ) -> None:
        self.column, self.texts, self.counts, self.plan = column, texts, counts, plan
        self.settings, self.asked = settings, settings.hierarchy or HierarchyPlan()
        self.text_of = {
            **dict(enumerate(column.labels)),  # of values that only coding makes
            **most_frequent_text(column.code_of_text.tolist(), texts, counts),
        }
        self.codes = [code for code in range(column.attribute.size) if code != column.attribute.missing]
        self.values = [str(self.text_of[code]) for code in self.codes]
        if not self.codes:
            raise OntomaskError(
                "none of its values has a concept, so there is nothing to generalise",
                key="unmapped",
                remedy="give a mapping, or say `unmapped: own-leaf`, by which each means only itself",
            )

    @cached_property
    def _present(self) -> list[tuple[str, int]]:
        """The texts of the column with their codes."""
        texts = zip(self.texts, self.column.code_of_text.tolist(), strict=True)
        missing = self.column.attribute.missing
        return [(text, code) for text, code in texts if text is not None and code != missing]

    def column_with_hierarchy(self) -> GeneralizedColumn:
        notes = [self.column.note]
        if self.asked.files:
            tree, meanings, chosen = self._best_file(self.asked.files)
            notes += [chosen, *tree.notes]
        else:
            tree = self._built()  # its own notes name values of the table
            meanings = self._meanings(tree)
        return self._over(tree, meanings, "; ".join(filter(None, notes)))

    # ------------------------------------------------------------------ files

    def _best_file(self, files: Sequence[str]) -> tuple[Hierarchy, Int32, str]:
        """Of several the one with the least VghGSL, the first if they tie (APES of Ayala-Rivera et al.)."""
        found = []
        for file in files:
            tree = self._of_values(read_hierarchy(self.plan.path_of(file), column=self.column.name))
            found.append((tree, self._meanings(tree)))
        if len(found) == 1:
            return *found[0], ""
        if self.settings.ontology is None:
            is_nominal = self.settings.kind == "nominal"
            raise OntomaskError(
                "several hierarchies are compared by meaning, which comes from an ontology",
                key="hierarchy",
                remedy="name the `ontology` of the column too" if is_nominal else "name one file",
            )
        assert self.column.ontology is not None
        by = self.plan.make_measure()
        scores = [Gsl(tree, self.column.ontology, meant, by).score for tree, meant in found]
        best = int(np.argmin(scores))
        told = ", ".join(f"{tree.name} {score:.4f}" for (tree, _), score in zip(found, scores, strict=True))
        name, measured = found[best][0].name, self.plan.method.measure
        return *found[best], f"of {len(found)} hierarchies {name} was used (GSL by {measured}: {told})"

    def _of_values(self, hierarchy: Hierarchy) -> Hierarchy:
        """The rows of the column's values, in their order."""
        if (line := self.column.attribute.line) and self.settings.kind == "numeric":
            return over_numbers(hierarchy, self.values, line.numbers[self.codes].tolist())
        present = [text for text, _ in self._present]
        rows = dict(zip(present, matched(hierarchy, present), strict=True))
        levels, n_below = hierarchy.levels[1:], hierarchy.value_counts
        for text, code in self._present:
            mine, other = rows[text], rows[str(self.text_of[code])]
            goes_on = (levels[:, mine] == mine) & (levels[:, other] == other) & (n_below[mine] == 1)
            if ((levels[:, mine] != levels[:, other]) & ~goes_on).any():
                raise OntomaskError(
                    f"{text!r} is one concept with another value, but the hierarchy {hierarchy.name} has "
                    "them in different places",
                    value=text,
                    details=(f"the other value is {self.text_of[code]!r}",),
                    remedy="put them below the same label, or map them to different concepts",
                )
        value_of: dict[int, str] = {}
        for text in self.values:
            if (first := value_of.setdefault(int(rows[text]), text)) != text:
                raise OntomaskError(
                    f"{text!r} and another value of the column are one of the hierarchy {hierarchy.name}",
                    value=text,
                    details=(f"the other value is {first!r}",),
                    remedy="give each a row, or map them to one concept",
                )
        labels = hierarchy.rows()
        return hierarchy.with_rows([labels[rows[text]] for text in self.values])

    def _meanings(self, tree: Hierarchy) -> Int32:
        """The concept of every node: of a value the one it was linked to."""
        ontology = self.column.ontology
        if ontology is None:
            return np.full(len(tree.labels), -1, np.int32)
        own = self.column.concepts(self.column.attribute)[self.column.attribute.own]
        known = {label: ontology.ids[own[code]] for label, code in zip(tree.values, self.codes, strict=True)}
        return linked_nodes(
            tree,
            ontology,
            senses=self.settings.senses,
            under=self.settings.under,
            mapping=known,
            suggestions=0,
        ).concepts

    # ------------------------------------------------------------------ built

    def _built(self) -> Hierarchy:
        name, asked, attribute = self.column.name, self.asked, self.column.attribute
        match asked.way(self.settings.kind):
            case None if self.settings.kind == "date":
                return calendar_hierarchy(self._numbers(), name=name, levels=asked.levels)
            case None:
                return self._of_values(
                    ordinal_hierarchy(self.settings.order or (), name=name, levels=asked.levels)
                )
            case "prefix":
                return prefix_hierarchy(
                    self.values, name=name, levels=asked.levels, characters=asked.characters
                )
            case "meaning":
                ontology = self.column.ontology
                assert ontology is not None
                own = self.column.concepts(attribute)[attribute.own]
                concepts = {text: int(own[code]) for text, code in zip(self.values, self.codes, strict=True)}
                others = {text: int(own[code]) for text, code in self._present}
                by = self.plan.make_measure()
                return hierarchy_of(
                    ontology, concepts, measure=by, levels=asked.levels, name=name, others=others
                )
            case way:
                return numeric_hierarchy(
                    self._numbers(),
                    name=name,
                    by=way,
                    width=asked.width,
                    levels=asked.levels,
                    counts=self._rows_of_values(),
                    ranges=self._ranges() if way == "ranges" else None,
                )

    def _numbers(self) -> dict[str, float]:
        """The number of each value."""
        line = self.column.attribute.line
        assert line is not None
        return {text: float(line.numbers[c]) for text, c in zip(self.values, self.codes, strict=True)}

    def _rows_of_values(self) -> Mapping[str, int]:
        rows = np.bincount(self.column.code_of_text, self.counts, minlength=self.column.attribute.size)
        return {text: int(rows[code]) for text, code in zip(self.values, self.codes, strict=True)}

    def _ranges(self) -> RangeSet:
        named = self.asked.ranges or "age"
        return read_ranges() if named == "age" else read_ranges(self.plan.path_of(named))

    # ------------------------------------------------------------------ the attribute

    def _over(self, tree: Hierarchy, meanings: Int32, note: str) -> GeneralizedColumn:
        attribute = self.column.attribute
        levels = np.empty((tree.height + 1, attribute.size), np.int32)
        levels[:, self.codes] = tree.levels
        labels, meant = list(tree.labels), meanings.tolist()
        if attribute.missing >= 0:
            # A missing value is a child of the root: not of *person*, but of what may be anything.
            if tree.labels[tree.root] != EVERYTHING:
                labels.append(EVERYTHING)
                meant.append(meant[tree.root])
                levels = np.concatenate([levels, np.full((1, attribute.size), len(labels) - 1, np.int32)])
            levels[:-1, attribute.missing] = -1 - attribute.missing
            levels[-1, attribute.missing] = levels[-1, self.codes[0]]
        code_of_value = dict(zip(range(tree.n_values), self.codes, strict=True))
        is_used = sorted({int(node) for node in np.unique(levels) if node >= tree.n_values})
        number = {node: -1 - code for node, code in code_of_value.items()} | {
            n: i for i, n in enumerate(is_used)
        }
        numbered = [[number.get(node, node) for node in row] for row in levels.tolist()]
        generalized = Generalized.over(
            attribute, np.array(numbered, np.int32), np.array([meant[node] for node in is_used], np.int32)
        )
        return GeneralizedColumn(
            attribute=generalized,
            code_of_text=self.column.code_of_text,
            ranks=self.column.ranks,
            note=note,
            doubt=self.column.doubt,
            coded=self.column.coded,
            plain=replace(self.column, attribute=generalized.values),
            tree=tree,
            meanings=meanings,
            nodes=self._texts_of([self._called(labels[node], meant[node]) for node in is_used]),
            means_itself=self.settings.means_itself,
        )

    def _called(self, label: str, concept: int) -> str:
        """A node that is called as its concept, as the column calls concepts: by its code, perhaps."""
        ontology = self.column.ontology
        is_named = ontology is not None and concept >= 0 and ontology.labels[concept] == label
        return self.column.name_of(concept) if is_named else label

    def _texts_of(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Labels as they are written: none of them may mean no value."""
        na_values = frozenset(self.plan.na_values_of(self.column.name))
        taken = {*labels, *na_values}
        return tuple(told_apart(text, taken) if text.strip() in na_values else text for text in labels)
