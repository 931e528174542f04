"""What methods and k would do to a table, to be looked at before one of them is chosen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from ontomask.assessment.comparison import Attempt, attempt, attempts, phases_of
from ontomask.assessment.warnings import ReleaseWarning, warnings_of
from ontomask.errors import Fault, NothingLeftError
from ontomask.pipeline import prepare
from ontomask.plan import Plan
from ontomask.progress import RUN, Listener, Phases
from ontomask.report import charts, words
from ontomask.report.changes import Changes
from ontomask.report.reported import Reported
from ontomask.report.requirements import AskedRow, asked_rows
from ontomask.report.samples import Row, sample_rows, with_least
from ontomask.report.to_know import to_know


@dataclass(frozen=True)
class ColumnLoss:
    """How far the values of a column moved on average, how much of the differences between people in it is
    lost, and how many values stayed as they were; in percent."""

    name: str
    moved: float
    lost: float
    kept: float


@dataclass(frozen=True)
class WrittenValues:
    """How many different values a column has and would have, and which of these most rows would have, as far
    as enough rows share them to be told."""

    name: str
    before: int
    after: int
    frequent: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, column: Changes, most: int = 5) -> WrittenValues:
        """Of a column of a release."""
        counts = column.after_counts
        told = [int(at) for at in np.argsort(-counts, kind="stable")[:most] if counts[at] >= column.least]
        frequent = tuple((column.after_texts[at], int(counts[at])) for at in told)
        return cls(column.name, column.vanished()[1], int(np.count_nonzero(counts)), frequent)


@dataclass(frozen=True)
class Choice:
    """A method and k: the plan that asks for it, what it would give, or why it is refused.

    Attributes
    ----------
    digest, settings
        Of what that plan asks for; empty where the plan cannot be had with the method.
    asked
        What is required beside k, and what the worst groups have.
    larger
        What else is required, if it allows only larger groups than k, and how many rows these have at least.
    row
        All figures, as in a comparison; empty if it is refused.
    warnings
        What to be warned of before such a release is handed on; no value of the table is in it.
    to_know
        What is no warning, and is to be known before it is signed.
    written
        What would stand in each masked column.
    samples, internal
        Rows before and after: as far as anybody may see them, and for the house alone.
    most_rows
        How many rows of the table a person has at most.
    """

    method: str
    k: int | None
    digest: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    larger: tuple[str, int] | None = None
    row: Mapping[str, Any] = field(default_factory=dict)
    columns: tuple[ColumnLoss, ...] = ()
    asked: tuple[AskedRow, ...] = ()
    written: tuple[WrittenValues, ...] = ()
    samples: tuple[Row, ...] = ()
    internal: tuple[Row, ...] = ()
    most_rows: int = 1
    warnings: tuple[ReleaseWarning, ...] = ()
    to_know: tuple[str, ...] = ()
    refused: tuple[Fault, ...] = ()
    is_empty: bool = False

    @property
    def gives_k(self) -> bool:
        """Whether what the plan requires holds of it."""
        return bool(self.row.get("gives_k", True))

    def samples_for(self, plan: Plan) -> list[Row]:
        """Rows before and after, of which nothing is told that is rarer than a plan allows."""
        return with_least(self.samples, plan.least_rows_told(self.most_rows))

    def beside(self) -> list[tuple[str, str, str]]:
        """What is asked first of a release: figure in words, of the table as it is, and of the release."""
        told, percent, number = self.row, words.percent, words.number
        left_out = told["suppressed"] + told["blanked"]
        return [
            (
                "Rows alone with their values",
                percent(told["sample_uniques_before"]),
                percent(told["sample_uniques"]),
            ),
            *(
                (
                    f"Rows alone, if {name} is known too",
                    percent(told[f"alone_if_known_before.{name}"]),
                    percent(told[f"alone_if_known.{name}"]),
                )
                for stem, _, name in (key.partition(".") for key in told)
                if stem == "alone_if_known"
            ),
            ("Smallest group", number(told["k_before"]), number(told["k_reached"])),
            ("People an intruder finds", percent(told["linkage_before"]), percent(told["srl"])),
            ("Information lost", percent(0), percent(told["information_loss"])),
            ("Rows left out", number(0), number(left_out)),
        ]

    def loss_chart(self) -> Markup:
        """How far the values of each column moved, and how much of the differences in it is lost."""
        by_loss = sorted(self.columns, key=lambda column: -column.lost)
        said = (
            f"{column.name}: {words.percent(column.moved)} and {words.percent(column.lost)}"
            for column in by_loss
        )
        chart = charts.grouped_bars(
            [column.name for column in by_loss],
            {
                "how far values move on average": [column.moved for column in by_loss],
                "differences between people that are lost": [column.lost for column in by_loss],
            },
            title="Loss by column",
            desc="; ".join(said),
            show=words.percent,
            limit=100.0,
        )
        return Markup(chart)


def losing_least(found: Sequence[Choice]) -> list[Choice]:
    """For each k, the one that loses least of those that keep to the requirements.

    None, where one of a larger k loses less: its groups are large enough, too.

    >>> some = [Choice(name, k, row={"information_loss": loss}) for name, k, loss in [("sa-mdav", 2, 5.0),
    ...     ("recoding", 2, 8.0), ("recoding", 3, 9.0), ("mdav", 4, 9.9), ("mdav", 5, 9.8)]]
    >>> [(one.method, one.k) for one in losing_least(some)]
    [('sa-mdav', 2), ('recoding', 3), ('mdav', 5)]
    """
    able = [one for one in found if one.row and one.gives_k]
    least: dict[int | None, Choice] = {}
    for one in sorted(able, key=lambda one: (-(one.k or 0), float(one.row["information_loss"]))):
        if all(one.row["information_loss"] <= other.row["information_loss"] for other in least.values()):
            least[one.k] = one
    return [one for one in found if one in least.values()]


class Refusal(NamedTuple):
    """Those that are refused for the same reason, and the reason."""

    of: list[Choice]
    faults: tuple[Fault, ...]


def refusals(found: Sequence[Choice]) -> list[Refusal]:
    """Why some are refused, each reason once; where only k is another, it is told as k.

    >>> some = [Choice("mdav", k, refused=(Fault(f"k = {k} is more than the 6 records"),)) for k in (7, 9)]
    >>> [(len(one.of), one.faults[0].text) for one in refusals(some)]
    [(2, 'k is more than the 6 records')]
    """
    alike: dict[tuple[Fault, ...], list[Choice]] = {}
    for one in found:
        if one.refused:
            alike.setdefault(tuple(_whatever_k(fault, one.k) for fault in one.refused), []).append(one)
    return [Refusal(of, of[0].refused if len(of) == 1 else faults) for faults, of in alike.items()]


def _whatever_k(fault: Fault, k: int | None) -> Fault:
    return replace(fault, text=re.sub(rf"(k = )?\b{k}\b", "k", fault.text), value=None)


def choices(
    table: Any, plan: Plan, methods: Sequence[str], k: Sequence[int], listener: Listener | None = None
) -> list[Choice]:
    """Mask a table by several methods at several k, and tell of each what somebody who chooses wants to know.

    >>> import pyarrow as pa
    >>> people = pa.table({"pet": ["dog", "cat", "wolf", "cat", "dog", "lion"]})
    >>> for one in choices(people, Plan.from_options(["pet:wordnet"], k=2), ["sa-mdav"], [2, 7]):
    ...     print(one.k, one.refused[0].text if one.refused else one.row["k_reached"])
    2 3
    7 k = 7 is more than the 6 records of the table
    """
    phases = Phases(phases_of(methods, k), listener)
    prepared = prepare(table, plan, phases)
    most = prepared.source.most_rows(plan.privacy.unit)
    return [_choice(one, plan, most) for one in attempts(prepared, plan, methods, k, phases)]


def own_choice(table: Any, plan: Plan, listener: Listener | None = None) -> Choice:
    """What a plan as it is would give."""
    phases = Phases(RUN, listener)
    prepared = prepare(table, plan, phases)
    most = prepared.source.most_rows(plan.privacy.unit)
    return _choice(attempt(prepared, plan, plan.privacy.k or plan.least_size, phases=phases), plan, most)


def _choice(one: Attempt, plan: Plan, most_rows: int) -> Choice:
    """What came of an attempt, told as the plan allows whose owner looks at it."""
    settings = {} if one.plan is None else one.plan.as_asked(only_given=True)
    digest = "" if one.plan is None else one.plan.asked_digest
    has_groups = one.plan is None or one.plan.method.own.has_groups
    found = Choice(one.method, one.size if has_groups else None, digest, settings)
    release = one.release
    if release is None or one.plan is None:
        faults = () if one.error is None else one.error.faults
        return replace(found, refused=faults, is_empty=isinstance(one.error, NothingLeftError))
    told = Reported(release, one.row)
    largest = max(one.plan.requirements(), key=lambda each: each.least_size, default=None)
    is_larger = largest is not None and largest.least_size > one.size
    return replace(
        found,
        row=one.row,
        larger=(largest.key, largest.least_size) if largest and is_larger else None,
        columns=tuple(
            ColumnLoss(each.name, each.mean_distance, told.lost_share(each), each.kept_share)
            for each in told.columns
        ),
        asked=tuple(
            asked_rows([each for each in one.plan.requirements() if each.key != "k"], release.figures)
        ),
        written=tuple(map(WrittenValues.of, told.columns)),
        samples=tuple(sample_rows(release, least=plan.least_rows_told(most_rows))),
        internal=tuple(sample_rows(release, internal=True)),
        most_rows=most_rows,
        warnings=tuple(each for each in warnings_of(release, one.row) if each.level != "note"),
        to_know=tuple(to_know(told)),
    )
