"""What a publisher should know about a release, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ontomask.attributes import Attribute
from ontomask.columns import Column
from ontomask.evaluation import ReleaseView
from ontomask.evaluation.changes import Changes
from ontomask.hierarchies import Hierarchy
from ontomask.methods.auto import Auto
from ontomask.methods.full_domain import FullDomain
from ontomask.methods.marginality_mdav import MarginalityMdav
from ontomask.methods.perturbation import Perturbation
from ontomask.methods.top_down import TopDown
from ontomask.numerals import PLAIN
from ontomask.plan import Plan
from ontomask.printable import some_of
from ontomask.privacy import KnownValues
from ontomask.tables import Table

_FAR = 3  # times as many, or a third: a change of a count that is worth a note
_ENOUGH = 10  # rows: counts of fewer change by chance


class SaidByWarning(str):
    """A note on what a warning tells as well, and more of (`assessment/warnings.py`)."""


def notes_of(
    plan: Plan,
    columns: Sequence[Column],
    not_named: Sequence[str],
    changes: Changes,
    figures: Mapping[str, Any],
) -> tuple[str, ...]:
    """Notes on the plan, on each column, and on rows that were left out."""
    return tuple(_notes(plan, columns, not_named, changes, figures))


def _notes(
    plan: Plan,
    columns: Sequence[Column],
    not_named: Sequence[str],
    changes: Changes,
    figures: Mapping[str, Any],
) -> Iterator[str]:
    if plan.least_size == 1:
        yield "k = 1 protects nobody: every row may stand alone"
    if not plan.method.own.gives_k:
        size = f": k = {plan.least_size} is only the size of its groups" if plan.method.own.has_groups else ""
        yield f"{plan.promised}{size}"
    elif plan.promised:
        yield f"k was not asked for: {plan.promised}"
    n_masked = len(columns)
    for one in plan.requirements():
        if isinstance(one, KnownValues) and n_masked < one.L:
            yield f"L = {one.L} is more than the {n_masked} masked columns: whole rows are compared"
    yield from _truth(plan, [column.name for column in columns])
    if not_named:
        became = "dropped" if plan.others == "drop" else "left as they are"
        yield f"{became}, because the plan does not name them: {some_of(not_named)}"
    for name in plan.with_role("pseudonym"):
        yield (
            f"column {name!r} has pseudonyms: who has the key can tell whose they are, and rows with one "
            "pseudonym are of one person"
        )
    for column in columns:
        if column.attribute.size == 1:
            yield f"column {column.name!r} has one value, so it tells nobody apart"
        if column.note:
            yield f"column {column.name!r}: {column.note}"
        if column.doubt:
            yield SaidByWarning(f"column {column.name!r}: {column.doubt}")
        if column.hierarchy is not None and isinstance(plan.method.own, FullDomain):
            yield from (f"column {column.name!r}: {note}" for note in _padding(column.hierarchy))
        if column.ontology is not None:
            yield from (f"column {column.name!r}: {note}" for note in column.ontology.notes)
    if figures["suppressed"]:
        yield SaidByWarning(f"{figures['suppressed']:,} of {figures['n']:,} rows were dropped")
    if figures["blanked"] and plan.method.own.blank:
        yield SaidByWarning(f"{figures['blanked']:,} of {figures['n']:,} rows were blanked")
    for j, column in enumerate(columns):
        yield from _gaps(column.attribute, j, changes, plan.method.own.gives_k)


def notes_without_k(plan: Plan, view: ReleaseView) -> Iterator[str]:
    """What a method that gives no k did to the columns."""
    if not plan.method.own.gives_k:
        for j in range(len(view.attributes)):
            yield from _counts(view, j)
        shares = [f"{one.name!r} {100 * view.unchanged(j):.0f} %" for j, one in enumerate(view.attributes)]
        yield f"values that are as they were, of each column: {', '.join(shares)}"


def method_notes(plan: Plan, attributes: Sequence[Attribute]) -> Iterator[str]:
    """What the method of a plan did that its name does not say; where a scheme is reused, it did nothing."""
    method = plan.method.own
    if isinstance(method, Auto):
        is_central = not any(attribute.is_truthful for attribute in attributes)
        chosen = method.chosen(plan.requirements(), is_central=is_central)
        yield f"method `auto` used `{chosen.name}`, which usually loses least for what is asked"
    has_limits = any(plan.attributes[one.name].max_loss is not None for one in attributes)
    unused = sorted(plan.method.given & ({"combine"} if has_limits else {"combine", "scale"}))
    if unused and isinstance(method, (MarginalityMdav, Perturbation)):
        yield f"{' and '.join(unused)} of the method: {method.name} does not mask by it, figures count by it"
    if isinstance(method, TopDown) and method.asks_a_service:
        yield (
            "MIM was counted by a search service over the network (or kept of an earlier answer): it was "
            "told the terms of the columns and of the target, nothing of the table"
        )
    if isinstance(method, TopDown) and method.target is None:
        yield (
            "no target was named, so values were kept that tell most people apart; name the column that "
            "analysts study as `target` of the method"
        )


def retyped_notes(table: Table, written: Mapping[str, Iterable[str | None]]) -> Iterator[str]:
    """Which columns are of numbers in the table and become text, as something else is written in them too.

    `written` has the texts of each masked column.
    """
    became_text = [
        name
        for name in table.typed_numbers([*written])
        if any(text is not None and PLAIN.number_of(text) is None for text in written[name])
    ]
    if became_text:
        yield (
            "numbers in the table and text in the release, as `*`, ranges or words stand among them: "
            f"{some_of(became_text)}"
        )


def _padding(tree: Hierarchy) -> Iterator[str]:
    """How many values have fewer labels above them than others, so that some are repeated."""
    if padded := int((tree.levels[1:] == tree.levels[:-1]).any(axis=0).sum()):
        yield f"{padded:,} of {tree.n_values:,} values repeat a label to reach all levels of the hierarchy"


def _truth(plan: Plan, names: Sequence[str]) -> Iterator[str]:
    """Which columns are true of every person, where somebody asked for it."""
    truthful = [name for name in names if plan.is_truthful(name)]
    central = [name for name in names if not plan.is_truthful(name)]
    if truthful and not plan.method.own.is_truthful:
        yield f"truthful, each value the original or a generalisation of it: {some_of(truthful)}"
        if central:
            yield f"central, perturbed so that a value fits its group but may be wrong: {some_of(central)}"


def _counts(view: ReleaseView, j: int) -> Iterator[str]:
    """Of a column of words, how many have become far more or far less frequent than they were."""
    attribute, pairs = view.attributes[j], view.pairs
    if attribute.plain.line is not None:  # of numbers, each may be of one person before and after
        return
    kept = np.flatnonzero(~pairs.suppressed)
    before, after = (
        np.bincount(values[kept], pairs.counts[kept], attribute.n_replacements)
        for values in (attribute.own[view.tuples.codes[pairs.original, j]], pairs.values_of_pairs[:, j])
    )
    more, less = np.maximum(before, after), np.minimum(before, after)
    if changed := int(((more >= _ENOUGH) & (more >= _FAR * less)).sum()):
        yield (
            f"column {attribute.name!r}: the rows of {changed:,} of {(more > 0).sum():,} values became three "
            "times as many, or a third: they are not to be counted in the release"
        )


def _gaps(attribute: Attribute, j: int, changes: Changes, in_groups: bool) -> Iterator[str]:
    """Missing values that were given the value of their group, and values that became missing.

    Without groups that others can see (`in_groups`), each was drawn.
    """
    if filled := int(changes.filled[j]):
        became = (
            "were given one that was drawn"
            if not in_groups
            else "became the root, as all of their group's did"
            if attribute.is_truthful
            else "were given their group's"
        )
        yield f"column {attribute.name!r}: {filled:,} of {changes.missing[j]:,} missing values {became}"
    if emptied := int(changes.emptied[j]):
        why = "as most of their group's are" if in_groups else "as was drawn for them"
        yield f"column {attribute.name!r}: {emptied:,} values became missing, {why}"
