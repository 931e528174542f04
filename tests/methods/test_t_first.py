"""t-first against plain twins, its published bound, and what it promises of every table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from methods import plain
from methods.test_against_plain import Case, cases
from ontomask.attributes import Cells, Domain, Numeric, Tuples, space_of
from ontomask.errors import OntomaskError
from ontomask.methods._t_first_kernels import clusters_over_runs, clusters_within, runs_of
from ontomask.methods.t_first import TFirst, runs_needed, value_order
from ontomask.privacy import Closeness, KAnonymity
from ontomask.privacy.closeness import Ground

Grouped = list[tuple[int, ...]]
WATCHED = np.zeros(1, np.int64)


def grouped(tuples: Sequence[int], groups: Sequence[int]) -> Grouped:
    """The tuples of the records of each group, in the order of the groups."""
    found: dict[int, list[int]] = {}
    for t, g in zip(tuples, groups, strict=True):
        found.setdefault(g, []).append(t)
    return [tuple(found[g]) for g in sorted(found)]


def apart(own: Counter[int], totals: Counter[int], q: int, is_ordered: bool) -> Fraction:
    """Earth mover's distance between two histograms, in fractions."""
    differences = [Fraction(own[v], own.total()) - Fraction(totals[v], totals.total()) for v in range(q)]
    if not is_ordered:
        return sum((abs(d) for d in differences), Fraction(0)) / 2
    cumulated = [abs(sum(differences[: i + 1], Fraction(0))) for i in range(q)]
    return sum(cumulated, Fraction(0)) / max(q - 1, 1)


# ---------------------------------------------------------------------- the runs of a sorted column


def test_runs_share_a_value_that_is_cut() -> None:
    runs = runs_of(
        np.array([1, 5, 1]), 3
    )  # a b | b b b | b c: the middle run has the surplus of 7 = 3 * 2 + 1
    assert runs.part_of_value.tolist() == [0, 3, 2]
    assert runs.parts.tolist() == [[-1, 0, 3], [3, 1, -1], [3, 2, -1]]
    assert runs.room.tolist() == [[0, 1, 1], [3, 0, 0], [1, 1, 0]]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(1, 12))
def test_runs_hold_every_record_once(totals: list[int], n_runs: int) -> None:
    assume(n_runs <= sum(totals))
    runs = runs_of(np.array(totals), n_runs)
    by_part = Counter[int]()
    for part, room in zip(runs.parts.ravel().tolist(), runs.room.ravel().tolist(), strict=True):
        by_part[part] += room
    for part in set(runs.part_of_value.tolist()):
        of_values = sum(n for n, own in zip(totals, runs.part_of_value.tolist(), strict=True) if own == part)
        assert by_part[part] == of_values
    sizes = runs.room.sum(axis=1)
    assert sizes.sum() == sum(totals) and sizes.min() == sum(totals) // n_runs
    outer = np.abs(np.arange(n_runs) - (n_runs - 1) / 2) > 0.5
    assert (sizes[outer] == sum(totals) // n_runs).all()


# ---------------------------------------------------------------------- the bound of the paper


@given(st.integers(1, 9), st.integers(2, 30), st.integers(0, 2**32 - 1))
def test_the_bound_is_met_where_values_are_different(n_runs: int, clusters: int, seed: int) -> None:
    """k' = n / (2 (n-1) t + 1), solved for the least t that k' runs of different values promise."""
    n = n_runs * clusters
    assume(n > 1)
    t = (n / n_runs - 1) / (2 * (n - 1))
    assert runs_needed(n, 1, t) == n_runs
    assert runs_needed(n, 1, t * 0.999) == n_runs + 1 or n_runs == n
    rng = np.random.default_rng(seed)
    column = Numeric.of("x", np.sort(rng.normal(size=n)), np.ones(n, np.int64))
    space = space_of(Tuples(np.arange(n, dtype=np.int32)[:, None], np.ones(n, np.int64)), [column])
    rank = rng.permutation(n)
    runs = runs_of(np.ones(n, np.int64), n_runs)
    found = clusters_over_runs(space, runs.part_of_value[rank], runs.parts, runs.room, WATCHED)
    whole = Counter(range(n))
    for group in grouped(found[0].tolist(), found[1].tolist()):
        assert len(group) == n_runs
        assert apart(Counter(rank[list(group)].tolist()), whole, n, True) <= t + 1e-9


def test_the_published_number_of_runs() -> None:
    n, k, t = 1080, 3, 0.05
    assert runs_needed(n, k, t) == 10 == -(-n // (2 * (n - 1) * t + 1))
    assert runs_needed(n, 12, t) == 12


def test_words_are_sorted_from_the_farthest_on() -> None:
    """Three values on a line 0 - 1 - 3, most in the middle: 3 is farthest from it, then come 1 and 0."""
    distances = np.abs(np.subtract.outer([0.0, 1.0, 3.0], [0.0, 1.0, 3.0])) / 3
    assert value_order(np.array([1, 5, 1]), Domain("x", 3, distances=distances)).tolist() == [2, 1, 0]
    assert value_order(np.array([1, 5, 1]), Domain("x", 3, is_ordered=True)).tolist() == [0, 1, 2]
    assert value_order(np.array([1, 5, 2]), Domain("x", 3)).tolist() == [1, 2, 0]


# ---------------------------------------------------------------------- plain twins


def over_runs(records: plain.Records, value_of: Sequence[int], n_runs: int) -> Grouped:
    """Records sorted by value, cut into runs; a cluster takes from each run the nearest it has a value of."""
    left: Counter[int] = Counter(records.counts)
    in_order = sorted(value_of[t] for t in left.elements())
    n, middle = len(in_order), n_runs // 2
    sizes = [n // n_runs] * n_runs
    if n_runs % 2 == 0:
        sizes[middle - 1] += n % n_runs // 2
    sizes[middle] += n - sum(sizes)
    room = [Counter(in_order[sum(sizes[:r]) : sum(sizes[: r + 1])]) for r in range(n_runs)]
    groups: Grouped = []
    ones, seed = dict.fromkeys(left, 1), -1
    for i in range(n // n_runs):
        heart = records.centroid(left) if i % 2 == 0 else records.values(seed)
        seed = records.farthest(heart, left, ones)
        seeds_run = max(range(n_runs), key=lambda r: (room[r][value_of[seed]], -r))
        group: list[int] = []
        for run in [seeds_run, *(r for r in range(n_runs) if r != seeds_run)]:
            for _ in range(-(-room[run].total() // (n // n_runs - i))):
                among = [t for t in left if room[run][value_of[t]] > 0]
                t = records.closest(records.centroid(Counter(group)), among, ones) if group else seed
                room[run][value_of[t]] -= 1
                left[t] -= 1
                left += Counter()
                group.append(t)
        groups.append(tuple(group))
    return groups


def within(
    records: plain.Records, value_of: Sequence[int], q: int, t: float, is_ordered: bool, k: int, free: int
) -> Grouped:
    """Clusters that take who is nearest, of those that bring them closer to the table once `free` are in."""
    left: Counter[int] = Counter(records.counts)
    whole: Counter[int] = Counter(value_of[c] for c in left.elements())
    ones, seed = dict.fromkeys(left, 1), -1
    groups: list[list[int]] = []

    def distance(members: Counter[int]) -> Fraction:
        values = Counter(value_of[c] for c in members.elements())
        return apart(values, whole, q, is_ordered) if values else Fraction(0)

    def take(c: int) -> None:
        left.subtract([c])
        if not left[c]:
            del left[c]

    while left.total() >= k:
        heart = records.centroid(left) if len(groups) % 2 == 0 else records.values(seed)
        needy = [c for c in left if distance(Counter([c])) > t]
        seed = records.farthest(heart, needy or list(left), ones)
        group = [seed]
        take(seed)
        while left and not (len(group) >= k and distance(Counter(group)) <= t and distance(left) <= t):
            here, there = distance(Counter(group)), distance(left)
            among = list(left)
            if len(group) >= free:
                helping = []
                for c in left:
                    new_here, new_there = distance(Counter([*group, c])), distance(left - Counter([c]))
                    is_better = new_here < here if here > t else new_here <= t and new_there <= max(t, there)
                    if is_better and (here > t or new_there <= t or new_there < there):
                        helping.append(c)
                among = helping or among
            c = records.closest(records.centroid(Counter(group)), among, ones)
            group.append(c)
            take(c)
        groups.append(group)
    groups[-1].extend(left.elements())
    return [tuple(sorted(group)) for group in groups]


@settings(max_examples=30)
@given(cases(may_be_truthful=False), st.data())
def test_clusters_over_runs(case: Case, data: st.DataObject) -> None:
    p = len(case.tuples)
    values = data.draw(st.lists(st.integers(0, 4), min_size=p, max_size=p))
    totals = np.bincount(values, case.tuples.counts, minlength=5).astype(np.int64)
    runs = runs_of(totals, case.k)
    space = space_of(case.tuples, case.attributes, combine=case.combine)  # type: ignore[arg-type]
    found = clusters_over_runs(space, runs.part_of_value[values], runs.parts, runs.room, WATCHED)
    assert grouped(found[0].tolist(), found[1].tolist()) == over_runs(case.records(), values, case.k)
    assert found[2] == case.tuples.n // case.k


@settings(max_examples=30)
@given(cases(most_tuples=8, may_be_truthful=False), st.data())
def test_clusters_within_t(case: Case, data: st.DataObject) -> None:
    p, q = len(case.tuples), data.draw(st.integers(1, 3))
    values = data.draw(st.lists(st.integers(0, q - 1), min_size=p, max_size=p))
    t = data.draw(st.sampled_from([0.0, 0.0501, 0.1503, 0.3007, 0.5011, 1.0]))  # no distance is one of these
    is_ordered, free = data.draw(st.booleans()), data.draw(st.integers(1, 4))
    shares = np.bincount(values, case.tuples.counts, minlength=q) / case.tuples.n
    space = space_of(case.tuples, case.attributes, combine=case.combine)  # type: ignore[arg-type]
    found = clusters_within(space, np.array(values), shares, t + 1e-12, is_ordered, case.k, free, WATCHED)
    expected = within(case.records(), values, q, t, is_ordered, case.k, free)
    got = [tuple(sorted(group)) for group in grouped(found[0].tolist(), found[1].tolist())]
    assert got == expected


# ---------------------------------------------------------------------- what it promises


@st.composite
def tables(draw: st.DrawFn, size: int, is_ordered: bool, *, n_columns: int = 1) -> Tuples:
    """Cells of random tuples of one number, with one or more further columns."""
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, 9), *(st.integers(0, size - 1) for _ in range(n_columns))),
            min_size=4,
            max_size=60,
        )
    )
    cells, counts = np.unique(np.array(rows, np.int32), axis=0, return_counts=True)
    numbers, which = np.unique(cells[:, 0], return_inverse=True)
    distances = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) / max(size - 1, 1)
    domains = tuple(Domain(f"c{b}", size, is_ordered, distances) for b in range(n_columns))
    own = Cells(which.astype(np.int32), cells[:, 1:], counts.astype(np.int64), domains)
    codes = np.arange(len(numbers), dtype=np.int32)[:, None]
    return Tuples(codes, np.bincount(which, counts).astype(np.int64), own)


def number_for(table: Tuples) -> Numeric:
    return Numeric.of("x", np.arange(len(table)) ** 1.5, table.counts)


@pytest.mark.parametrize("refine", [False, True])
@pytest.mark.parametrize("ground", ["equal", "ordered", "semantic"])
@pytest.mark.parametrize("size", [2, 5, 60])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_every_class_is_within_t(size: int, ground: Ground, refine: bool, data: st.DataObject) -> None:
    """Binary and tied columns, and those with more values than records; judged in fractions."""
    table = data.draw(tables(size, ground == "ordered"))
    t, k = data.draw(st.sampled_from([0.05, 0.15, 0.25, 0.5])), data.draw(st.integers(1, 4))
    asked = [KAnonymity(k), Closeness("c0", t, ground)]
    masking = TFirst(refine=refine).mask(table, [number_for(table)], asked, np.random.default_rng(1))
    assert table.cells is not None
    assert np.bincount(masking.cells, masking.counts).tolist() == table.cells.counts.tolist()
    whole: Counter[int] = Counter()
    own = [Counter[int]() for _ in range(masking.n_groups)]
    for cell, group, n in zip(
        masking.cells.tolist(), masking.groups.tolist(), masking.counts.tolist(), strict=True
    ):
        value = int(table.cells.values[cell, 0])
        own[group][value] += n
        whole[value] += n
    there = sorted(whole) if ground == "ordered" else list(range(size))  # ranks are of what is released
    whole = Counter({there.index(v): n for v, n in whole.items()})
    for class_ in own:
        assert class_.total() >= k
        ranked = Counter({there.index(v): n for v, n in class_.items()})
        assert apart(ranked, whole, len(there), ground != "equal") <= t + 2e-9  # on a line, if semantic


@settings(max_examples=20, deadline=None)
@given(tables(3, False, n_columns=2))
def test_further_columns_are_left_to_repair(table: Tuples) -> None:
    asked = [KAnonymity(2), Closeness("c0", 0.3), Closeness("c1", 0.4)]
    masking = TFirst().mask(table, [number_for(table)], asked)
    assert table.cells is not None
    for column, t in ((0, 0.3), (1, 0.4)):
        counts = np.zeros((masking.n_groups, 3))
        np.add.at(counts, (masking.groups, table.cells.values[masking.cells, column]), masking.counts)
        shares = counts / counts.sum(axis=1, keepdims=True)
        assert (np.abs(shares - counts.sum(axis=0) / counts.sum()).sum(axis=1) / 2 <= t + 1e-6).all()


def test_without_t_it_is_refused() -> None:
    table = Tuples(np.zeros((1, 1), np.int32), np.array([5]))
    with pytest.raises(OntomaskError, match="t-first needs") as refused:
        TFirst().mask(table, [number_for(table)], [KAnonymity(2)])
    assert refused.value.faults[0].key == "method.name"


def test_the_same_seed_gives_the_same_groups() -> None:
    rng = np.random.default_rng(5)
    codes = np.arange(200, dtype=np.int32)[:, None]
    income = (codes + rng.integers(0, 90, (200, 1)) > 170).astype(np.int32)
    ones = np.ones(200, np.int64)
    table = Tuples(codes, ones, Cells(codes[:, 0], income, ones, (Domain("pay", 2),)))
    asked = [KAnonymity(3), Closeness("pay", 0.2)]
    first, second = (TFirst().mask(table, [number_for(table)], asked) for _ in range(2))
    assert first.groups.tolist() == second.groups.tolist()
    unrefined = replace(TFirst(), refine=False).mask(table, [number_for(table)], asked)
    assert first.groups.tolist() != unrefined.groups.tolist()
