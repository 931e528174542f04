"""All figures of a masked table beside its original, or of a release just made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.arrays import Int32, Int64
from ontomask.assessment.further import over_original, over_release, rows_among
from ontomask.assessment.intruder import Intruder
from ontomask.assessment.joined import other_release
from ontomask.assessment.sampled import check_sampling, check_sets_of_columns, weights_of_texts
from ontomask.attributes import Attribute
from ontomask.columns import tuples_of
from ontomask.columns.further import FurtherColumn, confidential_columns
from ontomask.errors import OntomaskError, did_you_mean
from ontomask.evaluation import (
    ConfidentialColumn,
    Pairs,
    Population,
    ReleaseView,
    Sampling,
    Subject,
    Target,
    classes_of_original,
    figures,
)
from ontomask.masking import combine_of
from ontomask.pipeline import Prepared, prepare
from ontomask.plan import Plan, as_plan
from ontomask.privacy import Classes
from ontomask.release import Release
from ontomask.tables import DistinctTuples, Matched, Table, matched, open_table


def evaluate(
    original: Any,
    masked: Any,
    plan: Plan | Mapping[str, Any] | str | Path,
    *,
    key: str | None = None,
    known: Sequence[str] | None = None,
    attacker_ontology: str | None = None,
    attacker_measure: str | None = None,
    known_values: int | None = None,
    population: Any = None,
    weights: str | None = None,
    sampling_fraction: float | None = None,
    suda: int | None = None,
    other: Any = None,
    other_columns: Sequence[str] | None = None,
    alpha: float = 0.5,
    bound: bool = False,
    clusters: bool = False,
    target: str | None = None,
) -> dict[str, Any]:
    """What a masking lost and what is still at risk.

    Parameters
    ----------
    original, masked
        Paths or tables, matched row by row, or by a `key` column that both have.
    plan
        Says which columns are quasi-identifiers or confidential, their ontologies, and k.
    known
        The attributes the intruder knows; None: all.
    attacker_ontology, attacker_measure
        What the intruder links by; None: what the plan says. A label that the intruder's ontology lacks
        counts as its root.
    known_values
        L of LKC-privacy.
    population
        A table of all people the original may be drawn from, with the same quasi-identifiers: gives k-map and
        the risks of a journalist and a marketer.
    weights
        A column of the original with how many people of the population each record stands for: gives
        individual risk and population uniques.
    sampling_fraction
        The same where all records stand for as many: which part of the population the original is.
    suda
        Score people by the sets of at most so many columns that single them out.
    other
        Another release of overlapping people, matched as the masked table is: gives what both together tell.
    other_columns
        The quasi-identifiers of the other release; None: those of the plan that it has.
    alpha
        Weight of the loss in `score`.
    bound
        Prove how far the loss is from the least possible one, which takes a while.
    clusters
        Compare semantic clusters of both tables, which takes a while.
    target
        A column of the original that decision trees are to predict from both.

    Examples
    --------
    >>> import pyarrow as pa
    >>> before = pa.table({"pet": ["dog", "cat", "dog", "cat"]})
    >>> after = pa.table({"pet": ["carnivore", "carnivore", "dog", "cat"]})
    >>> plan = Plan.from_options(["pet:wordnet"], k=2)
    >>> found = evaluate(before, after, plan)
    >>> found["k_reached"], found["classes"], round(found["mrl"], 1)
    (1, 3, 50.0)
    """
    if not 0 <= alpha <= 1:
        raise OntomaskError(f"alpha is a share from 0 to 1, not {alpha}", value=str(alpha), is_public=True)
    if known_values is not None and known_values < 1:
        raise OntomaskError(f"known_values is the L of LKC-privacy, 1 or more, not {known_values}")
    check_sampling(weights, sampling_fraction, suda)
    if other is None and other_columns:
        raise OntomaskError(
            "columns of another release are named, but no release", remedy="give `other`, too"
        )
    if known is not None and not known:
        raise OntomaskError(
            "an intruder who knows nothing cannot link", remedy="name an attribute in `known`"
        )
    plan = as_plan(plan).replace(others="keep")  # nothing is released here
    if plan.shuffle and key is None:
        raise OntomaskError(
            "rows of a release with `shuffle: true` have another order, so they cannot be matched by it",
            key="shuffle",
            remedy="give a `key` column that both have, such as pseudonyms; the report of the release has "
            "its figures, too",
        )
    options = plan.table_options().of_others
    prepared = prepare(original, plan)
    both = Both(prepared, open_table(masked, options), key)
    people = None if population is None else _counted(open_table(population, options), both.names)
    view, many = both.view(combine_of(plan), people)
    confidential = confidential_columns(prepared.table, plan, prepared.further)
    check_sets_of_columns(suda, len(both.names))
    beside = None
    if other is not None:
        beside = other_release(
            both.masked, open_table(other, options), both.names, other_columns, key, confidential
        )
    return figures(
        Subject(
            view,
            plan.requirements(),
            classes=both.classes(view),
            classes_before=classes_of_original(prepared.tuples, prepared.attributes),
            attacker=Intruder(known, attacker_ontology, attacker_measure).view(view, prepared.columns),
            alpha=alpha,
            confidential=[both.confidential(column, view) for column in confidential],
            known_values=known_values,
            population=many,
            sampling=both.sampling(weights, sampling_fraction, view),
            largest_unique=suda,
            other=beside,
            bound=bound,
            clusters=clusters,
            target=None if target is None else both.target(target, view),
            seed=plan.seed,
        )
    )


def figures_of(
    release: Release,
    coded: Sequence[FurtherColumn] | None = None,
    *,
    sampling_fraction: float | None = None,
    suda: int | None = None,
    bound: bool = False,
) -> dict[str, Any]:
    """All figures of a release just made, those of the plan's confidential columns among them.

    `coded` are these columns where they have been read already; the others are those of `evaluate`.
    """
    plan, view = release.plan, release.view
    check_sampling(None, sampling_fraction, suda)
    check_sets_of_columns(suda, len(release.columns))
    if coded is None:
        coded = confidential_columns(release.counted, plan, release.further)
    columns = [_confidential(column, release) for column in coded]
    subject = Subject(
        view,
        plan.requirements(),
        confidential=columns,
        sampling=None if sampling_fraction is None else Sampling(view.pairs.counts / sampling_fraction),
        largest_unique=suda,
        bound=bound,
        seed=plan.seed,
    )
    return figures(subject, known=release.figures)


def _confidential(column: FurtherColumn, release: Release) -> ConfidentialColumn:
    """A confidential column over the classes of a release, and over those of its original."""
    before = release.counted.tuples([*release.masked, column.name])

    def spread(column: FurtherColumn) -> ConfidentialColumn:
        after = over_release(column, release.data, release.columns, release.view)
        return replace(after, before=over_original(column, before, release.columns))

    return _also_as_written(column, spread)


def _also_as_written(
    column: FurtherColumn, spread: Callable[[FurtherColumn], ConfidentialColumn]
) -> ConfidentialColumn:
    """How a column is spread over the classes by what its words mean, and beside it as they are written."""
    written = column.as_written
    return replace(spread(column), as_written=None if written is None else spread(written))


class Both:
    """An original table and a masked one, their rows matched."""

    def __init__(self, prepared: Prepared, masked: Table, key: str | None) -> None:
        self.prepared, self.masked, self.key = prepared, masked, key
        self.names = [column.name for column in prepared.columns]
        for name in self.names:
            if name not in masked.names:
                hint = did_you_mean(name, masked.names, masked.names)
                raise OntomaskError(f"the masked table has no column {name!r}{hint}", column=name)
        self.found = self._matched()

    def _matched(self, *beside: str) -> Matched:
        columns = [*self.names, *beside]
        return matched(self.prepared.table, self.masked, columns, self.names, self.key)

    def view(self, combine: Any, people: DistinctTuples | None) -> tuple[ReleaseView, Population | None]:
        """The masked tuples beside the original ones, and the people that both may be drawn from."""
        found, m = self.found, len(self.names)
        tuples, original = tuples_of(self.prepared.columns, found.before.codes, found.counts)
        attributes: list[Attribute] = []
        self.values = np.zeros((len(found.counts), m), np.int32)
        others = np.zeros((0 if people is None else len(people), m), np.int32)
        for j, column in enumerate(self.prepared.columns):
            texts = list(found.after.values[j])
            further = [] if people is None else people.values[j]
            attribute, of_text = column.read([*texts, *further])
            attributes.append(attribute)
            self.values[:, j] = _picked(of_text[: len(texts)], found.after.codes[:, j], found.absent)
            if people is not None:
                others[:, j] = of_text[len(texts) :][people.codes[:, j]]
        pairs = Pairs.of_rows(original, self.values, found.counts, found.absent)
        view = ReleaseView(tuples, attributes, pairs, combine)
        return view, None if people is None else Population(others, people.counts)

    def confidential(self, column: FurtherColumn, view: ReleaseView) -> ConfidentialColumn:
        """A confidential column of the original over the masked classes."""
        found = self._matched(column.name)
        classes = self._classes(found, view)

        def spread(column: FurtherColumn) -> ConfidentialColumn:
            codes = column.codes(found.before.values[-1])[found.before.codes[:, -1]]
            before = over_original(column, found.before, self.prepared.columns)
            return ConfidentialColumn(column.domain, classes, codes, found.counts, before)

        return _also_as_written(column, spread)

    def classes(self, view: ReleaseView) -> Classes:
        """The masked classes, and how the columns that requirements look at are spread over them."""
        further, m = self.prepared.further, len(self.names)
        found = self._matched(*(column.name for column in further)) if further else self.found
        values = np.zeros((len(found.counts), len(further)), np.int64)
        for b, column in enumerate(further):
            values[:, b] = column.codes(found.before.values[m + b])[found.before.codes[:, m + b]]
        domains = [column.domain for column in further]
        classes = Classes.of(self._classes(found, view), values, found.counts, domains)
        return replace(classes, values=view.pairs.values)

    def target(self, name: str, view: ReleaseView) -> Target:
        """A class to be predicted, over the pairs of tuples."""
        found = self._matched(name)
        texts = found.before.values[-1]
        return Target(name, self._pairs(found, view), found.before.codes[:, -1], found.counts, texts)

    def texts_of_replacements(self, j: int) -> dict[int, str | None]:
        """A text of the masked table for each replacement that it has in a column."""
        pairs = zip(self._replacements(j), self.found.after.values[j], strict=True)
        return dict(reversed(list(pairs)))

    def sampling(self, weights: str | None, fraction: float | None, view: ReleaseView) -> Sampling | None:
        """How many people the records of each pair stand for: by a column, or all as many."""
        if weights is None:
            return None if fraction is None else Sampling(view.pairs.counts / fraction)
        found = self._matched(weights)
        people = weights_of_texts(weights, found.before.values[-1])[found.before.codes[:, -1]]
        pairs = self._pairs(found, view)
        summed = np.bincount(pairs, people * found.counts, minlength=len(view.pairs.counts))
        return Sampling(summed.astype(np.float64))

    def _pairs(self, found: Matched, view: ReleaseView) -> Int64:
        """The pair of the view of every entry, which has a further column."""
        m = len(self.names)
        original = tuples_of(self.prepared.columns, found.before.codes[:, :m], found.counts)[1]
        pairs = np.stack([original, self._classes(found, view)], axis=1)
        return rows_among(pairs, np.stack([view.pairs.original, view.pairs.masked], axis=1))

    def _classes(self, found: Matched, view: ReleaseView) -> Int64:
        """The masked tuple of every entry, -1 where there is none."""
        values = np.zeros((len(found.counts), len(self.names)), np.int32)
        for j in range(len(self.names)):
            texts, known = found.after.values[j], self.found.after.values[j]
            of_text = dict(zip(known, self._replacements(j), strict=True))
            replacements = np.array([of_text[text] for text in texts], np.int32)
            values[:, j] = _picked(replacements, found.after.codes[:, j], found.absent)
        return np.where(found.absent, -1, rows_among(values, view.pairs.values))

    def _replacements(self, j: int) -> list[int]:
        """The replacement of each distinct masked text of a column, as the view has it."""
        codes = self.found.after.codes[:, j]
        of_text = np.zeros(len(self.found.after.values[j]), np.int64)
        of_text[codes[~self.found.absent]] = self.values[~self.found.absent, j]
        return [int(r) for r in of_text]


def _picked(of_text: Int32, codes: Int32, absent: Any) -> Int32:
    """Replacements of entries; those of absent ones mean nothing."""
    return np.where(absent, 0, of_text[np.where(absent, 0, codes)]).astype(np.int32)


def _counted(table: Table, names: Sequence[str]) -> DistinctTuples:
    table.check_columns(names)
    return table.tuples(names)
