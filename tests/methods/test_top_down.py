"""Top-down specialisation: by hand, as the algorithm is written down, and the printed InfoGains."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.leveled import leveled
from methods.plain_top_down import Plain
from ontomask.attributes import Attribute, Cells, Domain, Generalized, Numeric, Tuples
from ontomask.errors import OntomaskError
from ontomask.methods import Masking, Task
from ontomask.methods._top_down_kernels import barred_splits
from ontomask.methods.info_gain import gains_of_splits, info_gain
from ontomask.methods.top_down import Search, TopDown
from ontomask.privacy import KAnonymity, KnownValues, Requirement
from ontomask.privacy.diversity import Diversity

Record = tuple[tuple[int, ...], int, int]


@dataclass(frozen=True)
class Case:
    """Records as (codes, class of the target, confidential value) and what is asked."""

    records: list[Record]
    attributes: list[Attribute]
    known: KnownValues
    k: int = 1
    method: TopDown = field(default_factory=TopDown)
    tiers: tuple[int, ...] = ()
    mim: tuple[float, ...] = ()

    @property
    def tuples(self) -> Tuples:
        cells = sorted(Counter(self.records).items())
        rows = sorted({codes for codes, _, _ in self.records})
        place = {codes: t for t, codes in enumerate(rows)}
        counts = Counter(codes for codes, _, _ in self.records)
        return Tuples(
            np.array(rows, np.int32),
            np.array([counts[row] for row in rows], np.int64),
            Cells(
                np.array([place[codes] for (codes, _, _), _ in cells], np.int32),
                np.array([[target, ill] for (_, target, ill), _ in cells], np.int32),
                np.array([n for _, n in cells], np.int64),
                (Domain("target", 3), Domain("ill", 3)),
            ),
        )

    @property
    def task(self) -> Task:
        asked: list[Requirement] = [self.known, KAnonymity(self.k)]
        return Task(self.tuples, self.attributes, asked, tiers=self.tiers, mim=self.mim)

    def masked(self) -> Masking:
        return self.method.masking(self.task)

    def plain(self) -> Plain:
        known = self.known
        found = Plain(
            self.records,
            self.attributes,
            known.L if known.on_sets else len(self.attributes),
            known.K,
            known.C if known.columns else 1.0,
            self.k,
            self.method.target is not None,
            self.tiers,
            self.mim if self.method.score == "mim" else (),
            self.method.needs_gain,
        )
        found.run()
        return found


# ---------------------------------------------------------------------- by hand


def test_info_gain_is_its_formula() -> None:
    """Of 8 records 3 are ill: 3 of the 4 on the left, none of the 4 on the right."""
    before = -(3 / 8 * math.log2(3 / 8) + 5 / 8 * math.log2(5 / 8))
    left = -(3 / 4 * math.log2(3 / 4) + 1 / 4 * math.log2(1 / 4))
    assert info_gain(np.array([[3, 1], [0, 4]])) == pytest.approx(before - 4 / 8 * left - 4 / 8 * 0)
    assert gains_of_splits(np.array([[3, 1], [0, 4]])) == pytest.approx([before - 4 / 8 * left])
    assert info_gain(np.array([[4], [4]])) == 1.0  # without a target: which of the two it is


#         any                  age: 20 30 40 50, split as it goes
#      /       \
#   health     other
#   /    \     /    \
#  nurse doctor smith cook
JOBS = np.array([[-1, -2, -3, -4], [0, 0, 1, 1], [2, 2, 2, 2]], np.int32)


def people(*rows: tuple[int, int, int]) -> Case:
    """(job, age, ill) of each; who is ill is the target and the confidential value."""
    job = Generalized.over(
        Numeric.of("job", np.arange(4.0), np.ones(4, np.int64)), JOBS, np.full(3, -1, np.int32)
    )
    age = Numeric.of("age", np.array([20.0, 30.0, 40.0, 50.0]), np.ones(4, np.int64))
    attributes = [replace(one, is_truthful=True) for one in (job, age)]
    records = [((j, a), ill, ill) for j, a, ill in rows]
    return Case(records, attributes, KnownValues(1, 2, on_sets=True), method=TopDown(target="target"))


def test_steps_are_the_best_valid_ones() -> None:
    """Health workers are ill, others are not; the young of each are too few to stand alone with K = 2."""
    case = people((0, 0, 1), (0, 1, 1), (1, 1, 1), (1, 2, 0), (2, 2, 0), (2, 3, 0), (3, 3, 0), (3, 2, 0))
    masking = case.masked()
    assert masking.trace is not None
    steps = masking.trace.steps
    # age < 40 tells all ill from all others: 1 - 0 of E(3 of 8); jobs 3 of 4 from 0 of 4.
    whole = -(3 / 8 * math.log2(3 / 8) + 5 / 8 * math.log2(5 / 8))
    assert [(step.attribute, step.gain) for step in steps[:2]] == [
        (1, pytest.approx(whole)),
        (0, pytest.approx(whole - 4 / 8 * -(3 / 4 * math.log2(3 / 4) + 1 / 4 * math.log2(1 / 4)))),
    ]
    age = masking.attributes[1]
    assert isinstance(age, Numeric)
    ends = age.ranges[[steps[0].node]].tolist()
    assert ends == [[-np.inf, np.inf]]
    assert [age.ranges[c].tolist() for c in steps[0].children] == [[20, 30], [40, 50]]
    # Nurses from doctors: two of two ill, one of two. Of the ages below 40 all are ill: no gain.
    assert steps[2].attribute == 0 and steps[2].gain == pytest.approx(
        -(3 / 4 * math.log2(3 / 4) + 1 / 4 * math.log2(1 / 4)) - 2 / 4 * 1
    )
    assert len(steps) == 3
    assert sorted((stop.attribute, stop.because, stop.after) for stop in masking.trace.stops) == [
        (0, "gain", 2),
        (1, "K", 1),  # 20 is one person
        (1, "gain", 1),
    ]


def test_what_is_asked_of_two_columns_stops_what_one_allows() -> None:
    """Jobs and ages apart leave 4 of 8 each, together some 1; with L = 2 only one of them is specialised."""
    rows = [(0, 0, 1), (0, 3, 1), (1, 0, 1), (1, 0, 1), (2, 3, 0), (2, 3, 0), (3, 3, 0), (3, 3, 1)]
    case = people(*rows)
    assert len(case.masked().trace.steps) > 1  # type: ignore[union-attr]
    both = replace(case, known=KnownValues(2, 2)).masked()
    assert both.trace is not None
    (step,) = [one for one in both.trace.steps if one.attribute == 1] or both.trace.steps[:1]
    stops = {(stop.because, stop.on) for stop in both.trace.stops}
    assert ("K", (0, 1)) in stops and step.attribute == 0


def test_a_value_that_is_too_sure_stops_a_specialisation() -> None:
    case = people((0, 0, 1), (0, 0, 1), (2, 0, 0), (2, 0, 1))
    sure = replace(case, known=KnownValues(1, 2, 0.75, ("ill",), on_sets=True)).masked()
    assert sure.trace is not None and not sure.trace.steps
    assert [(stop.because, stop.on) for stop in sure.trace.stops] == [("C", (0,))]
    assert case.masked().trace.steps  # type: ignore[union-attr]


def test_too_many_sets_are_refused() -> None:
    case = people((0, 0, 1), (0, 0, 1))
    many = [replace(case.attributes[1], name=f"age{i}") for i in range(40)]
    records: list[Record] = [((0,) * 40, 0, 0), ((1,) * 40, 0, 0)]
    wide = replace(case, records=records, attributes=many, known=KnownValues(20, 1, on_sets=True))
    with pytest.raises(OntomaskError, match="sets of 20, more than can be looked at"):
        wide.masked()


def test_a_target_of_one_class_is_told_by_nothing() -> None:
    case = people((0, 0, 1), (0, 1, 1), (1, 2, 1), (1, 3, 1))
    alike = Tuples(
        case.tuples.codes,
        case.tuples.counts,
        Cells(
            np.arange(4, dtype=np.int32), np.zeros((4, 1), np.int32), np.ones(4, np.int64), (Domain("t", 1),)
        ),
    )
    masking = TopDown(target="t").masking(Task(alike, case.attributes, [KnownValues(1, 1)]))
    assert masking.trace is not None and not masking.trace.steps
    assert {stop.because for stop in masking.trace.stops} == {"gain"}


def test_a_range_with_a_missing_value_is_everything() -> None:
    age = Numeric.of("age", np.array([20.0, 30.0, 40.0, np.nan]), np.ones(4, np.int64))
    wider, found = age.covering_codes([np.array([0, 3]), np.array([0, 1]), np.array([3]), np.array([1])])
    ends = wider.ranges[found[:2]].tolist()
    assert ends == [[-np.inf, np.inf], [20, 30]]
    assert found[2] == wider.nothing and wider.replacements[found[3]] == 30


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(0, 1), st.integers(1, 3)), min_size=1
    ),
    st.integers(1, 5),
)
def test_barred_splits_are_those_that_leave_too_few(
    rows: list[tuple[int, int, int, int]], least: int
) -> None:
    """Value by value and group by group."""
    rows = sorted(rows)
    places, a, b, counts = (np.array(part) for part in zip(*rows, strict=True))
    columns = np.stack([a, b]).astype(np.int32)
    found = barred_splits(columns, np.array([3, 2]), places.astype(np.int32), counts.astype(np.int64), least)
    expected = []
    for split in range(places.max()):
        left, right = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
        for place, x, y, n in rows:
            (left if place <= split else right)[x, y] += n
        both = left.keys() & right.keys()
        expected.append(any(left[g] < least or right[g] < least for g in both))
    assert found.tolist() == expected


# ---------------------------------------------------------------------- as it is written down


@st.composite
def numbers(draw: st.DrawFn) -> Numeric:
    values = sorted(draw(st.sets(st.integers(0, 9), min_size=1, max_size=6)))
    missing = [float("nan")] if draw(st.booleans()) else []
    found = np.array([*map(float, values), *missing])
    return replace(Numeric.of("numbers", found, np.ones(len(found), np.int64)), is_truthful=True)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    attributes: list[Attribute] = draw(st.lists(st.one_of(leveled(), numbers()), min_size=1, max_size=3))
    m = len(attributes)
    every = list(product(*(range(attribute.size) for attribute in attributes)))
    record = st.tuples(st.sampled_from(every), st.integers(0, 2), st.integers(0, 2))
    records = draw(st.lists(record, min_size=2, max_size=16))
    n = len(records)
    most = max(Counter(ill for _, _, ill in records).values()) / n
    level = draw(st.integers(1, m + 1))
    known = KnownValues(
        level,
        draw(st.integers(1, min(n, 4))),
        draw(st.sampled_from([1.0, max(most, 0.6)])),
        draw(st.sampled_from([(), ("ill",)])),
        on_sets=level < m,
    )
    score = draw(st.sampled_from(["infogain", "mim"]))
    target = draw(st.sampled_from([None, "target"]))
    some = st.lists(st.integers(0, 2), min_size=m, max_size=m)
    return Case(
        records,
        attributes,
        known,
        draw(st.sampled_from([1, 1, 2])),
        TopDown(target=target, score=score, needs_gain=draw(st.booleans())),  # type: ignore[arg-type]
        tuple(draw(some)) if draw(st.booleans()) else (),
        tuple(map(float, draw(some))),
    )


@settings(max_examples=50, deadline=None)
@given(cases())
def test_it_is_the_algorithm_as_it_is_written_down(case: Case) -> None:
    """The same steps in the same order, the same groups; so the result satisfies all and is maximal."""
    plain, search = case.plain(), Search(case.method, case.task)
    search.run()
    masking = search.masking()
    assert [
        (one.node.attribute, *(tuple(child.codes.tolist()) for child in one.children), one.gain)
        for one in search.steps
    ] == [
        (node.attribute, *(child.codes for child in children), gain) for node, children, gain in plain.steps
    ]
    assert plain.holds(plain.cut) and not [*plain.valid()]
    place = {(n.attribute, code): i for i, n in enumerate(plain.cut) for code in n.codes}
    expected: dict[tuple[int, ...], set[int]] = {}
    for cell, t in enumerate(case.tuples.tuple_of_cell.tolist()):
        values = tuple(place[j, code] for j, code in enumerate(case.tuples.codes[t].tolist()))
        expected.setdefault(values, set()).add(cell)
    found: dict[int, set[int]] = {}
    for cell, group in zip(masking.cells.tolist(), masking.groups.tolist(), strict=True):
        found.setdefault(group, set()).add(cell)
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, expected.values()))


@settings(max_examples=40, deadline=None)
@given(cases())
def test_what_is_written_is_true_and_said_in_the_trace(case: Case) -> None:
    masking = case.masked()
    assert masking.trace is not None and masking.suppressed == 0
    assert masking.counts.sum() == len(case.records)
    codes = case.tuples.codes[case.tuples.tuple_of_cell[masking.cells]]
    for j, attribute in enumerate(masking.attributes):
        written = masking.values[masking.groups, j]
        assert attribute.covers(written, attribute.own[codes[:, j]]).all()
        stopped = {stop.node for stop in masking.trace.stops if stop.attribute == j}
        assert stopped <= {*written.tolist()}, "what stays is in the release"


@settings(max_examples=30, deadline=None)
@given(cases(), st.integers(1, 3))
def test_any_other_requirement_may_be_asked_for(case: Case, l: int) -> None:  # noqa: E741 - the paper's name
    """And LKC of people: 'target' says whose record it is."""
    asked: list[Requirement] = [
        replace(case.known, unit="target", K=1, columns=()),
        Diversity("ill", l, "distinct"),
    ]
    task = replace(case.task, requirements=asked)
    if len({ill for _, _, ill in case.records}) < l:
        with pytest.raises(OntomaskError, match=r"cannot be had|is more than"):
            replace(case.method, target=None, score="infogain").masking(task)
        return
    masking = replace(case.method, target=None, score="infogain").masking(task)
    values = case.tuples.cells.values if case.tuples.cells is not None else np.zeros((0, 2))
    for group in range(masking.n_groups):
        assert len({*values[masking.cells[masking.groups == group], 1].tolist()}) >= l
