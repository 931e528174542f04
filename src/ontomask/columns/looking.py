"""A masked column as a person looks at it: the tree over its values, their rows, and what a few would become.

It reads a column as a run does, and keeps what can be sent from one process to another. Nothing is decided.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.attributes import Members, Tuples, replacements_of, space_of
from ontomask.attributes._kernels import group_centroids
from ontomask.columns import climbs, read_column
from ontomask.columns.base import Column, most_frequent_text
from ontomask.columns.further import lenient, spellings_of
from ontomask.columns.generalized import GeneralizedColumn
from ontomask.columns.hierarchies import with_hierarchy
from ontomask.columns.numbers import UNKNOWN
from ontomask.columns.sets import SetColumn
from ontomask.columns.words import WordColumn
from ontomask.errors import Fault, OntomaskError
from ontomask.hierarchies import Hierarchy
from ontomask.hierarchies.ranges import found_in
from ontomask.linking.several import answers_of
from ontomask.plan import Plan
from ontomask.progress import Listener, Progress
from ontomask.tables import Table, open_table
from ontomask.tables.address import Place

Use = Literal["climbed", "covering", "meaning", ""]
_SEEDS, _FREQUENT, _FEW, _NEAR = 10, 300, 3, 2.0


@dataclass(frozen=True)
class Example:
    """A few values near each other, and what would be written for all of them, central or truthful."""

    values: tuple[str, ...]
    central: str
    truthful: str


@dataclass(frozen=True, eq=False)
class Look:
    """What is seen of a column.

    Attributes
    ----------
    tree
        The hierarchy that the plan names, else the one that would be built; None for sets of words.
    rows
        Rows with each value of the tree.
    concepts
        Of each node of the tree, -1 where it has none.
    is_judged
        Whether an ontology tells how much meaning the tree loses.
    is_editable
        Whether labels can be moved: numbers, dates and cut codes stand where they must.
    otherwise
        Texts of the table that the tree does not have, each with the value of the tree that it means.
    unlinked, doubtful
        Texts without a concept, and texts whose concept nobody is sure of.
    """

    tree: Hierarchy | None
    rows: Int64
    concepts: Int32
    is_judged: bool
    is_editable: bool
    otherwise: Mapping[str, str]
    unlinked: tuple[str, ...]
    doubtful: tuple[str, ...]
    example: Example | None

    def as_file(self) -> Hierarchy:
        """The tree with a row for every text of the table, as a file has to have it for a run to read it."""
        assert self.tree is not None
        return self.tree.with_texts(self.otherwise) if self.otherwise else self.tree


def use_of_tree(plan: Plan, name: str) -> Use:
    """What the present method does with the hierarchy of a column; empty if nothing.

    `climbed`: values become labels of it; `covering`: groups are given the lowest label above them;
    `meaning`: how far values are apart is counted in it.

    >>> plan = Plan.from_options(["job:wordnet"], hierarchy=["job:jobs.csv"])
    >>> use_of_tree(plan, "job"), use_of_tree(plan.replace(release="truthful"), "job")
    ('', 'covering')
    >>> use_of_tree(plan.with_method("incognito"), "job")
    'climbed'
    """
    settings = plan.attributes[name]
    if climbs(plan, settings):
        return "climbed"
    if settings.hierarchy is not None and plan.is_truthful(name):
        return "covering"
    return "meaning" if settings.hierarchy is not None and settings.means_itself else ""


def looks(
    place: Place, plan: Plan, names: Sequence[str], listener: Listener
) -> dict[str, Look | tuple[Fault, ...]]:
    """Some masked columns of a table; in the place of one that cannot be read, what is wrong with it."""
    listener(Progress("reading the table", 0.0))
    table, found = open_table(place, plan.table_options()), dict[str, Look | tuple[Fault, ...]]()
    for done, name in enumerate(names, 1):
        listener(Progress(f"looking at {name}", done / (len(names) + 1)))
        try:
            found[name] = look_at(table, plan, name)
        except OntomaskError as error:
            found[name] = tuple(map(table.placed, error.faults))
    return found


def look_at(table: Table, plan: Plan, name: str) -> Look:
    """A masked column; words without a concept mean only themselves here, whatever the plan says of them."""
    settings, asked = plan.attributes[name], lenient(plan)
    texts, counts = table.distinct(name)
    spelling = spellings_of(table, asked, [name]).get(name, UNKNOWN)
    column = read_column(name, texts, counts, asked, spelling=spelling)
    links = column.links
    unlinked = tuple(one.value for one in links.unlinked) if links else ()
    doubtful = tuple(one.value for one in links.doubtful if one.concept is not None) if links else ()
    if settings.several is not None:
        example = example_of(column, texts, counts, plan)
        nothing = np.zeros(0, np.int32)
        return Look(None, np.zeros(0, np.int64), nothing, False, False, {}, unlinked, doubtful, example)
    seen = (
        column
        if isinstance(column, GeneralizedColumn)
        else with_hierarchy(column, texts, counts, asked, settings)
    )
    codes = np.flatnonzero(np.arange(seen.attribute.size) != seen.attribute.missing)
    rows = np.bincount(seen.code_of_text, counts, minlength=seen.attribute.size).astype(np.int64)
    leaves = [*seen.plain.leaf_of.values()] if isinstance(seen.plain, WordColumn) else []
    concepts = np.where(np.isin(seen.meanings, leaves), -1, seen.meanings).astype(np.int32)
    is_word = settings.kind == "nominal" and not settings.is_made_of_values
    has_meaning = is_word and not settings.means_itself
    return Look(
        seen.tree,
        rows[codes],
        concepts,
        has_meaning and bool((concepts[: seen.tree.n_values] >= 0).any()),
        is_word,
        _otherwise(seen, codes, texts) if is_word else {},
        () if settings.means_itself else unlinked,
        () if settings.means_itself else doubtful,
        example_of(seen.plain, texts, counts, plan),
    )


def _otherwise(column: GeneralizedColumn, codes: Int64, texts: Sequence[str | None]) -> dict[str, str]:
    """The texts that the tree does not have, nor any spelling of them, with the value each means."""
    values = column.tree.values
    value_of = dict(zip(codes.tolist(), values, strict=True))
    present = [
        (text, value_of[code])
        for text, code in zip(texts, column.code_of_text.tolist(), strict=True)
        if text is not None and code in value_of
    ]
    found = found_in(column.tree, [text for text, _ in present])
    told = [row is not None and values[row] == value for (_, value), row in zip(present, found, strict=True)]
    if any(row is not None and not is_told for row, is_told in zip(found, told, strict=True)):
        told = [text == value for text, value in present]  # spellings mean different things: each is written
    return {text: value for (text, value), is_told in zip(present, told, strict=True) if not is_told}


# ---------------------------------------------------------------------- what a few would become


def example_of(column: Column, texts: Sequence[str | None], counts: Int64, plan: Plan) -> Example | None:
    """Two or three values that many rows have and that are near each other, and what a group of them becomes.

    Of the values that most rows have, the one whose neighbours are nearest; None if there is only one.
    """
    attribute = column.attribute
    rows = np.bincount(column.code_of_text, counts, minlength=attribute.size).astype(np.int64)
    is_told = (np.arange(attribute.size) != attribute.missing) & (rows > 0)
    is_told[column.code_of_text[_are_doubted(column, texts)]] = False
    frequent = np.argsort(-rows, kind="stable")
    frequent = frequent[is_told[frequent]][:_FREQUENT].astype(np.int32)
    if len(frequent) < 2:
        return None
    away = attribute.distance_table(frequent, attribute.own[frequent[:_SEEDS]])
    nearest = np.argsort(away, axis=0, kind="stable")[:_FEW]
    by_distance = np.argsort(np.take_along_axis(away, nearest, 0).sum(axis=0), kind="stable")
    text_of = {
        **dict(enumerate(column.labels)),
        **most_frequent_text(column.code_of_text.tolist(), texts, counts),
    }
    found = None
    for at in by_distance.tolist():
        second, *third = away[nearest[1:, at], at].tolist()
        is_near = [far <= _NEAR * second for far in third]
        group = frequent[nearest[: 2 + sum(is_near), at]]
        found = Example(
            tuple(str(text_of[code]) for code in group.tolist()),
            _written(column, group, rows[group], plan, is_truthful=False),
            _written(column, group, rows[group], plan, is_truthful=True),
        )
        if found.truthful not in found.values:  # one that stands above the others would show little
            break
    return found


def _are_doubted(column: Column, texts: Sequence[str | None]) -> list[bool]:
    """Which texts have no meaning, or a doubtful one: where all must be true, they mean only themselves."""
    links = column.links
    words = {one.value for one in links.doubtful} if links else set[str]()

    def parts_of(text: str) -> Collection[str]:
        if isinstance(column, SetColumn):
            return answers_of(text, column.separator, column.members.na_values)
        return (text,)

    return [text is not None and not words.isdisjoint(parts_of(text)) for text in texts]


def _written(column: Column, codes: Int32, rows: Int64, plan: Plan, *, is_truthful: bool) -> str:
    """What is written for a group of values, if the column is released as what is central, or true."""
    attribute = replace(column.attribute, is_truthful=is_truthful)
    strategy = "marginality" if plan.method.centroid == "marginality" else plan.method.own.strategy
    space = space_of(Tuples(codes[:, None], rows), [attribute], strategy=strategy, with_covers=True)
    members = np.arange(len(codes), dtype=np.int32), np.zeros(len(codes), np.int32), rows
    points = group_centroids(space, *members, 1)
    (extended,), values = replacements_of(
        [attribute], space, points, members=Members(*members, True, plan.method.own.has_centroids)
    )
    chosen = column.released_as(extended)[values[0, 0]]
    return column.texts(extended)[chosen] or "no value"
