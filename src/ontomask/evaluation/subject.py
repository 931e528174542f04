"""What figures are computed from: a release, what was asked of it, and what is known about its intruder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ontomask.arrays import Float64, Int32, Int64, Integers
from ontomask.attributes import Domain
from ontomask.evaluation.pairs import ReleaseView
from ontomask.privacy import Classes, Confidential, JointClasses, KAnonymity, Requirement, least_size


@dataclass(frozen=True, eq=False)
class ConfidentialColumn:
    """A confidential attribute beside the release: entry e has value `values[e]` in masked class `masked[e]`.

    A class is numbered as the masked tuples of the view's pairs are; -1 is suppressed. `before` is how the
    values were spread over the classes of the original table, where that is known. `as_written` is the same
    by the texts that stand in the release, where values are words and some mean the same.
    """

    domain: Domain
    masked: Integers
    values: Integers
    counts: Int64
    before: Confidential | None = None
    as_written: ConfidentialColumn | None = None

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.domain.name

    @cached_property
    def spread(self) -> Confidential:
        """How the values are spread over the classes."""
        return Confidential.of(self.masked, self.values, self.counts, self.domain)


@dataclass(frozen=True, eq=False)
class Population:
    """A larger table that the release was drawn from: `counts[i]` people have replacements `values[i]`."""

    values: Int32
    counts: Int64


@dataclass(frozen=True, eq=False)
class Sampling:
    """How the table was drawn: the records of pair e of the view stand for `weights[e]` people, all told."""

    weights: Float64

    @property
    def people(self) -> float:
        """People of the population."""
        return float(self.weights.sum())

    def fraction(self, n: int) -> float:
        """Which part of the population n records are."""
        return min(n / self.people, 1.0)


@dataclass(frozen=True, eq=False)
class OtherRelease:
    """A release of overlapping people: the classes that people in both share, and its own k.

    `confidential` has for a column its values over the classes of this release and over those of the other,
    in the same codes.
    """

    joint: JointClasses
    k: int
    confidential: Mapping[str, tuple[Confidential, Confidential]]


@dataclass(frozen=True, eq=False)
class Target:
    """A class to be predicted: `counts[e]` records of pair `pairs[e]` of the view have class `values[e]`.

    `texts` are what classes are called, where somebody asks.
    """

    name: str
    pairs: Integers
    values: Integers
    counts: Int64
    texts: Sequence[str | None] = ()


@dataclass(frozen=True, eq=False)
class Subject:
    """A release to be judged; what is None or empty is not judged.

    Attributes
    ----------
    view
        Original and masked tuples.
    requirements
        What the release must satisfy.
    classes, classes_before
        The classes of the release and of the original, with all that the requirements look at.
    attacker
        The release as the intruder sees it (ontology, measure, known attributes); None: as the evaluation.
    alpha
        Weight of the loss in `score`.
    confidential
        Columns to check for l-diversity and t-closeness.
    known_values
        L of LKC-privacy.
    population
        Who the people may be drawn from.
    sampling
        How many people each record stands for.
    largest_unique
        Columns of the largest minimal sample uniques to look for.
    other
        Another release of the same people.
    bound
        Whether to prove how far the loss is from the least possible one, which takes a while.
    clusters
        Whether to compare semantic clusters, which takes a while.
    target
        A class that decision trees are to predict.
    seed
        For what is drawn at random.
    """

    view: ReleaseView
    requirements: Sequence[Requirement] = ()
    classes: Classes | None = None
    classes_before: Classes | None = None
    attacker: ReleaseView | None = None
    alpha: float = 0.5
    confidential: Sequence[ConfidentialColumn] = ()
    known_values: int | None = None
    population: Population | None = None
    sampling: Sampling | None = None
    largest_unique: int | None = None
    other: OtherRelease | None = None
    bound: bool = False
    clusters: bool = False
    target: Target | None = None
    seed: int = 0

    @property
    def k(self) -> int | None:
        """The k that was asked for, or the fewest records of a class that will do; None if nothing was."""
        return asked_k(self.requirements)

    @property
    def people_of_classes(self) -> Int64 | None:
        """How many people each class has, where k counts people who may have several rows."""
        return None if self.classes is None else people_of(self.requirements, self.classes)

    @property
    def rng(self) -> np.random.Generator:
        """Random numbers, the same every time."""
        return np.random.default_rng(self.seed)

    @property
    def plain(self) -> ReleaseView:
        """The view with tuples merged that its attributes cannot tell apart."""
        return self.view.merged

    @property
    def seen(self) -> ReleaseView:
        """The intruder's view, merged in the same way."""
        return self.plain if self.attacker is None else self.attacker.merged


def people_of(requirements: Sequence[Requirement], classes: Classes) -> Int64 | None:
    """How many people each class has, where k counts people who may have several rows."""
    units = [one.unit for one in requirements if isinstance(one, KAnonymity) and one.unit]
    return np.diff(classes.beside[units[0]].starts) if units else None


def asked_k(requirements: Sequence[Requirement]) -> int | None:
    """The k that requirements ask for, or the fewest records of a class that will do; None if there are none.

    >>> asked_k([KAnonymity(3), KAnonymity(5)])
    5
    """
    if not requirements:
        return None
    asked = [one.k for one in requirements if isinstance(one, KAnonymity)]
    return max(asked) if asked else least_size(requirements)


@dataclass(frozen=True)
class Figure:
    """A figure by its name; `.A` and `.B` stand for columns.

    `unit` is `%` or empty; `title` and `words` are for people. A figure without a title is not shown in
    reports.
    """

    name: str
    title: str = ""
    unit: str = ""
    words: str = ""


@dataclass(frozen=True)
class Family:
    """Figures that are computed together.

    Attributes
    ----------
    compute
        From a subject, and the figures that earlier families found.
    figures
        All that it may find.
    needs
        Attributes of the subject without which it does not apply.
    of_a_run
        Whether every run computes it: cheap, and worth a line in the manifest.
    """

    compute: Callable[[Subject, Mapping[str, Any]], Mapping[str, Any]]
    figures: tuple[Figure, ...]
    needs: tuple[str, ...] = ()
    of_a_run: bool = False

    def applies_to(self, subject: Subject) -> bool:
        """Whether the subject has what it needs."""
        return all(getattr(subject, name) not in (None, False, ()) for name in self.needs)
