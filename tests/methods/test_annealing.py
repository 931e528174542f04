"""Annealing: never worse than SA-MDAV, near the optimum of small tables, and the costs that it goes by."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ontomask as om
from methods.test_against_plain import Case, cases
from ontomask.attributes import Attribute, Cells, Domain, Nominal, Numeric, Tuples, space_of
from ontomask.compiled import kernel
from ontomask.methods import Masking, annealing
from ontomask.methods._annealing_kernels import Schedule, Told, annealed, cost_of_swap, settled
from ontomask.methods._fitting import NUMERIC, Columns
from ontomask.methods._groups import (
    Placed,
    Search,
    cost_in,
    cost_of_coming,
    fill,
    gain_of_leaving,
    search_for,
)
from ontomask.methods._neighbours import WORD, Records, neighbours, nobody_near
from ontomask.methods.annealing import Annealing, Landscape, heat_of
from ontomask.methods.auto import Auto
from ontomask.methods.points import best_points, cost_of
from ontomask.methods.records import Cost, laid_out
from ontomask.methods.sa_mdav import SaMdav
from ontomask.methods.t_first import TFirst
from ontomask.methods.task import Entries, Task
from ontomask.ontology.draft import Draft
from ontomask.privacy import Closeness, KAnonymity

GO_ON = np.zeros(1, np.int64)
ROUNDING = 1e-6  # a number of the release is rounded, and distances are on a grid


def released_loss(case: Case, masking: Masking, objective: str = "sse") -> float:
    """Record by record: the square of the mean distance, the sum of squares, or distances and NCP."""
    weights = [attribute.weight for attribute in case.attributes]
    has_covers = any(attribute.is_truthful for attribute in case.attributes)
    total = 0.0
    for cell, group, count in zip(masking.cells, masking.groups, masking.counts, strict=True):
        lost = []
        for j, attribute in enumerate(masking.attributes):
            code, value = case.tuples.codes[[cell], j], masking.values[[group], j]
            if attribute.is_truthful:
                lost.append(attribute.generalization(code, value).ncp[0])
            else:
                lost.append(attribute.distance(code, value)[0])
        if has_covers or objective == "semantic-loss":
            of_one = np.dot(weights, lost) / sum(weights)
        elif case.combine == "euclidean":
            of_one = np.dot(weights, np.square(lost)) / sum(weights)
        else:
            of_one = (np.dot(weights, lost) / sum(weights)) ** 2
        total += float(count * of_one)
    return total


@settings(max_examples=40, deadline=None)
@given(cases(), st.sampled_from(["sse", "semantic-loss"]), st.booleans())
def test_it_is_never_worse_than_sa_mdav(case: Case, objective: str, split: bool) -> None:
    found = case.mask(Annealing(objective=objective, split=split))  # type: ignore[arg-type]
    sizes = np.bincount(found.groups, found.counts)
    assert sizes.min() >= case.k and sizes.sum() == case.tuples.n
    np.testing.assert_array_equal(np.bincount(found.cells, found.counts), case.tuples.counts)
    if not split:
        assert len(found.cells) == len(case.tuples)
    known = released_loss(case, case.mask(SaMdav()), objective)
    assert released_loss(case, found, objective) <= known * (1 + ROUNDING) + ROUNDING


# ---------------------------------------------------------------------- the optimum


def words(seed: int, size: int = 14) -> Nominal:
    """A column over a random tree."""
    rng, draft = np.random.default_rng(seed), Draft("tree")
    for i in range(size):
        draft.concept(f"c{i:02d}", f"concept {i}")
        if i:
            draft.is_a(f"c{i:02d}", f"c{int(rng.integers(max(0, i // 3 - 1), (i + 2) // 2)):02d}")
    concepts = rng.permutation(np.arange(1, size))[:7].astype(np.int32)
    return Nominal("words", 1.0, -1, draft.finish(), om.measure("logsc"), concepts)


def small_case(seed: int, combine: str, is_truthful: bool, p: int = 9) -> Case:
    """p tuples of two columns of words."""
    rng = np.random.default_rng(seed)
    columns: list[Attribute] = [replace(words(2 * seed + i), is_truthful=is_truthful) for i in range(2)]
    every = np.array(list(itertools.product(range(7), range(7))), np.int32)
    codes = every[np.sort(rng.permutation(len(every))[:p])]
    counts = rng.integers(1, 4, p)
    return Case(Tuples(codes, counts), columns, int(rng.integers(2, 6)), combine, seed)


def cost_of_subset(case: Case, members: list[int]) -> float:
    """The least cost of a group over all points there are."""
    codes, counts = case.tuples.codes[members], case.tuples.counts[members]
    columns = case.attributes
    if columns[0].is_truthful:
        assert all(isinstance(column, Nominal) for column in columns)
        covers = [
            column.ontology.lcs_of_set(column.concepts[codes[:, j]])  # type: ignore[attr-defined]
            for j, column in enumerate(columns)
        ]
        ncp = 0.0
        for j, (column, cover) in enumerate(zip(columns, covers, strict=True)):
            below = column.ontology.is_below(column.concepts, cover)  # type: ignore[attr-defined]
            is_changed = column.concepts[codes[:, j]] != cover  # type: ignore[attr-defined]
            ncp += float(counts @ is_changed) * below.mean() / len(columns)
        return ncp
    everything = [np.arange(column.n_replacements, dtype=np.int32) for column in columns]
    first, second = (column.distance_table(codes[:, j], everything[j]) for j, column in enumerate(columns))
    apart = first[:, :, None], second[:, None, :]
    if case.combine == "euclidean":
        costs = (apart[0] ** 2 + apart[1] ** 2) / 2
    else:
        costs = ((apart[0] + apart[1]) / 2) ** 2
    return float(np.tensordot(counts, costs, 1).min())


def optimum(case: Case) -> float:
    """The least cost of all partitions into groups of at least k: by subsets of tuples."""
    p = len(case.tuples)
    cost = {
        subset: cost_of_subset(case, [t for t in range(p) if subset >> t & 1])
        for subset in range(1, 1 << p)
        if sum(case.tuples.counts[t] for t in range(p) if subset >> t & 1) >= case.k
    }

    @cache
    def least(left: int) -> float:
        if not left:
            return 0.0
        first = left & -left
        rest, best, part = left ^ first, np.inf, left ^ first
        while True:  # all subsets of the rest, with the first tuple
            if part | first in cost:
                best = min(best, cost[part | first] + least(rest ^ part))
            if not part:
                return best
            part = (part - 1) & rest

    return least((1 << p) - 1)


@pytest.mark.parametrize("is_truthful", [False, True])
@pytest.mark.parametrize("combine", ["mean", "euclidean"])
def test_small_tables_are_near_the_optimum(combine: str, is_truthful: bool) -> None:
    ratios = []
    for seed in range(12):
        case = small_case(seed, combine, is_truthful)
        found, best = released_loss(case, case.mask(Annealing())), optimum(case)
        assert found >= best - ROUNDING
        ratios.append(found / best if best > 0 else 1.0)
    assert np.mean(ratios) <= 1.05
    assert np.mean([ratio < 1 + ROUNDING for ratio in ratios]) >= 0.5


# ---------------------------------------------------------------------- costs


def task_of(case: Case) -> Task:
    return Task(case.tuples, case.attributes, [KAnonymity(case.k)], combine=case.combine)  # type: ignore[arg-type]


@pytest.mark.parametrize("combine", ["mean", "euclidean"])
@pytest.mark.parametrize("seed", range(8))
def test_the_point_of_a_group_costs_least(combine: str, seed: int) -> None:
    """Of all points where attributes add up; else none is better that differs in one attribute."""
    case = small_case(seed, combine, False)
    task, space = task_of(case), space_of(case.tuples, case.attributes, combine=combine)  # type: ignore[arg-type]
    cost = cost_of(task)
    entries = Entries.whole(np.zeros(9, np.int64), case.tuples.counts)
    points = best_points(cost, task, space, entries, 1)
    chosen = points.candidates[0] - space.attributes["candidates_from"]
    tables = [
        column.distance_table(case.tuples.codes[:, j], np.arange(column.n_replacements, dtype=np.int32))
        for j, column in enumerate(case.attributes)
    ]

    def total(a: int, b: int) -> float:
        x, y = tables[0][:, a], tables[1][:, b]
        each = (x**2 + y**2) / 2 if combine == "euclidean" else ((x + y) / 2) ** 2
        return float(case.tuples.counts @ each)

    least = total(*chosen.tolist())
    others = [total(a, int(chosen[1])) for a in range(tables[0].shape[1])]
    others += [total(int(chosen[0]), b) for b in range(tables[1].shape[1])]
    assert least <= min(others) + ROUNDING
    best = cost_of_subset(case, list(range(9)))
    assert least <= best * (1.02 if combine == "mean" else 1) + ROUNDING


@settings(max_examples=30, deadline=None)
@given(cases(), st.booleans())
def test_the_loss_that_is_kept_is_the_loss(case: Case, split: bool) -> None:
    """Of sums; without heat it never rises. Groups keep k, and all records."""
    space = space_of(case.tuples, case.attributes, combine="euclidean", with_covers=True)
    weights = np.array([attribute.weight for attribute in case.attributes])
    cost, limits = Cost(weights, 1 if space.has_covers else 2, False), np.full(len(weights), np.inf)
    p, state = len(case.tuples), np.array([case.seed + 1], np.uint64)
    records, columns = laid_out(space, np.arange(p), cost, limits)
    counts = case.tuples.counts.astype(np.float64)
    near = neighbours(records, 24, 3, 64, state)
    placed = Placed(np.arange(p), np.zeros(p, np.int64), counts)
    search = search_for(records, columns, near, placed, case.k, may_split=split)
    told = np.zeros(2)
    cold = Schedule(3000, 1e-12, 1e-12, 0.0, True)
    found, losses = annealed(search, placed, cold, state, Told(np.zeros(1, np.int64), 100, told, True, GO_ON))
    assert (np.diff(losses) <= ROUNDING).all()
    assert told.tolist() == pytest.approx([losses[0], losses[-1]], abs=ROUNDING)
    np.testing.assert_allclose(np.bincount(found.tuples, found.counts, p), counts)
    sizes = np.bincount(found.groups, found.counts)
    assert sizes[sizes > 0].min() >= case.k
    groups = np.unique(found.groups, return_inverse=True)[1]
    again = found._replace(groups=groups)
    anew = settled(search_for(records, columns, near, again, case.k, may_split=split), again)
    assert anew == pytest.approx(losses.min(), abs=ROUNDING)


@kernel
def estimated(search: Search, placed: Placed, e: int, f: int) -> tuple[float, float, float]:
    """What entry e costs in the group of f, what its own saves, and what a swap costs, as is estimated."""
    fill(search, placed)
    entries = search.groups.entries
    t, n, to = entries[e].tuple, entries[e].count, entries[f].group
    there = cost_in(search, t, to)
    return (
        cost_of_coming(search, t, n, to, np.inf),
        gain_of_leaving(search, e, n),
        cost_of_swap(search, e, f, n, entries[f].count, there, np.inf),
    )


@pytest.mark.parametrize("seed", range(5))
def test_estimates_are_exact_for_numbers(seed: int) -> None:
    """Squares to the mean: s / (s + n) n D of who comes, s / (s - n) n D of who leaves, and of swaps."""
    rng = np.random.default_rng(seed)
    x, counts, groups = rng.normal(size=8), rng.integers(1, 4, 8).astype(float), np.repeat([0, 1], 4)
    counts[5] = counts[2]  # who change places are as many, so that sizes stay
    line = np.zeros(1, NUMERIC).view(np.recarray)
    line.scale, line.most = 1.0, np.inf
    no_words, nothing = np.zeros((8, 0), WORD).view(np.recarray), np.zeros(0, np.int64)
    records = Records(x[:, None], np.ones(1), no_words, np.zeros(0), np.zeros(1, np.int64), True, False)
    few = np.zeros(0, np.int32)
    columns = Columns(0, 1, np.zeros(1, np.int64), few, few, nothing, np.zeros(0), line)
    placed = Placed(np.arange(8), groups, counts)
    search = search_for(records, columns, np.zeros((8, 1), np.int32), placed, 1.0)

    def sse(members: list[int]) -> float:
        mean = np.average(x[members], weights=counts[members])
        return float(counts[members] @ (x[members] - mean) ** 2)

    coming, leaving, swapping = estimated(search, placed, 2, 5)
    home, to = [0, 1, 2, 3], [4, 5, 6, 7]
    assert coming == pytest.approx(sse([*to, 2]) - sse(to))
    assert leaving == pytest.approx(sse(home) - sse([0, 1, 3]))
    assert swapping == pytest.approx(sse([0, 1, 3, 5]) + sse([4, 2, 6, 7]) - sse(home) - sse(to))


def skewed_stays() -> pa.Table:
    """Days that are few for most people and very many for some, beside words."""
    hobbies = ["fishing", "chess", "poker", "hiking", "singing", "painting", "sewing", "rowing", "go", "judo"]
    hobbies += ["swimming", "dancing"]
    drawn = np.random.default_rng(1)
    days = drawn.lognormal(1, 1, 60).round(3)
    return pa.table({"hobby": [hobbies[i] for i in drawn.integers(12, size=60)], "days": days})


def test_any_method_may_release_the_best_points() -> None:
    """`centroid: joint`, which loses least; the words of annealing are such points in any case."""
    people = skewed_stays()
    plan = om.Plan.from_options(["hobby:wordnet", "days:numeric"], k=5)
    for method in ("sa-mdav", "annealing"):
        lost = {}
        for centroid in ("mean", "joint"):
            plan = plan.replace(method={"name": method, "centroid": centroid})
            lost[centroid] = om.anonymize(people, plan).figures["sse"]
        assert lost["joint"] < lost["mean"]
    with pytest.raises(om.OntomaskError, match=r"centroid: annealing says itself which words"):
        plan.replace(method={"name": "annealing", "centroid": "marginality"})


@pytest.mark.parametrize("hobby", ["wordnet", "wordnet truthful"])
def test_a_skewed_number_keeps_its_mean(hobby: str) -> None:
    """Groups get means of numbers, as of every method: the point that costs least is near the median."""
    people = skewed_stays()
    ontology, *truthful = hobby.split()
    settings = {"role": "quasi-identifier", "ontology": ontology} | (
        {"release": "truthful"} if truthful else {}
    )
    days = {"role": "quasi-identifier", "kind": "numeric"}
    plan = om.Plan.from_dict({"attributes": {"hobby": settings, "days": days}, "privacy": {"k": 5}})
    means = {}
    for centroid in ("mean", "median", "joint"):
        asked = plan.replace(method={"name": "annealing", "centroid": centroid})
        means[centroid] = np.mean(om.anonymize(people, asked).table["days"].to_numpy())
    truth = np.mean(people["days"].to_numpy())
    assert means["mean"] == pytest.approx(truth, rel=1e-4)
    assert means["median"] < 0.97 * truth
    assert means["joint"] < 0.99 * truth


def test_a_number_moves_no_farther_than_the_plan_lets_it() -> None:
    """With `max_loss` the point that costs least stands: a mean may be too far from somebody."""
    people = skewed_stays().select(["days"])
    people = people.append_column("before", people["days"])
    plan = om.Plan.from_dict(
        {
            "others": "keep",
            "attributes": {"days": {"role": "quasi-identifier", "kind": "numeric", "max_loss": 0.3}},
            "privacy": {"k": 3, "suppress": 0.5},
            "method": {"name": "annealing"},
        }
    )
    released = om.anonymize(people, plan).table
    before, after = released["before"].to_numpy(), released["days"].to_numpy()
    assert 30 <= len(after) < 60
    span = np.ptp(people["days"].to_numpy())
    assert 0 < np.abs(after - before).max() <= 0.3 * span + 1e-6


def test_auto_takes_t_first_where_t_is_asked_for() -> None:
    case = small_case(1, "mean", False)
    values = (np.arange(9) % 3).astype(np.int32)[:, None]
    cells = Cells(np.arange(9, dtype=np.int32), values, case.tuples.counts, (Domain("c", 3, False),))
    tuples = Tuples(case.tuples.codes, case.tuples.counts, cells)
    asked = [KAnonymity(2), Closeness("c", 0.5)]
    found, expected = (method.mask(tuples, case.attributes, asked) for method in (Auto(), TFirst()))
    np.testing.assert_array_equal(found.groups, expected.groups)
    plain, searched = case.mask(Auto()), case.mask(Annealing())
    np.testing.assert_array_equal(plain.groups, searched.groups)
    assert Auto(effort="quick", blank=True).chosen([], is_central=True) == Annealing(
        effort="quick", blank=True
    )
    assert Auto().chosen(asked, is_central=False) == Annealing()


@pytest.mark.parametrize(("t", "used"), [(None, "annealing"), (0.9, "t-first")])
def test_a_release_says_which_method_auto_used(t: float | None, used: str) -> None:
    people = pa.table({"hobby": ["chess", "go", "hiking", "poker"] * 2, "illness": [*"abababab"]})
    plan = om.Plan.from_options(["hobby:wordnet"], confidential=["illness"], k=2)
    plan = plan.replace(method={"name": "auto"}, privacy={"k": 2} | ({"t": {"illness": t}} if t else {}))
    notes = om.anonymize(people, plan).notes
    assert f"method `auto` used `{used}`, which usually loses least for what is asked" in notes


def test_room_grows_with_the_tuples_and_not_with_their_rows() -> None:
    case = replace(small_case(1, "mean", False, p=5), k=2)
    space = space_of(case.tuples, case.attributes)
    records, columns = laid_out(space, np.arange(5), cost_of(task_of(case)), np.full(2, np.inf))
    placed = Placed(np.arange(5), np.arange(5), np.full(5, 1e9))
    near = neighbours(records, 24, 3, 64, np.ones(1, np.uint64))
    assert len(search_for(records, columns, near, placed, 2).groups.groups) == 6


def test_there_is_room_for_tuples_that_were_split_many_times() -> None:
    """As in a block of later rounds: ten entries of each of three tuples, and all may be split further."""
    case = replace(small_case(1, "mean", False, p=3), k=2)
    space = space_of(case.tuples, case.attributes)
    cost, limits = cost_of(task_of(case)), np.full(2, np.inf)
    records, columns = laid_out(space, np.arange(3), cost, limits)
    placed = Placed(np.tile(np.arange(3), 10), np.repeat(np.arange(10), 3), np.full(30, 4.0))
    state = np.ones(1, np.uint64)
    search = search_for(records, columns, neighbours(records, 24, 3, 64, state), placed, 2, may_split=True)
    assert len(search.groups.entries) >= 30
    assert len(search.groups.groups) > len(search.groups.entries)  # no more: somebody is in every group
    told = Told(np.zeros(1, np.int64), 0, np.zeros(2), True, GO_ON)
    found, losses = annealed(search, placed, Schedule(20000, 0.5, 0.01, 0.0, True), state, told)
    assert losses.min() == pytest.approx(0, abs=ROUNDING)  # each tuple has k records
    np.testing.assert_allclose(np.bincount(found.tuples, found.counts), 40)


# ---------------------------------------------------------------------- large tables, seeds and workers


def large_case(p: int = 300) -> Case:
    rng = np.random.default_rng(3)
    columns: list[Attribute] = [words(1, 40), words(2, 40)]
    numbers = np.arange(60.0)
    columns.append(Numeric.of("number", numbers, np.ones(60, np.int64)))
    every = np.array(list(itertools.product(range(7), range(7), range(60))), np.int32)
    codes = every[np.sort(rng.permutation(len(every))[:p])]
    return Case(Tuples(codes, rng.integers(1, 3, p)), columns, 5, "mean", 1)


@pytest.mark.parametrize("split", [False, True])
def test_blocks_give_the_same_on_any_number_of_cores(monkeypatch: pytest.MonkeyPatch, split: bool) -> None:
    case, method = large_case(), Annealing(effort="quick", split=split)
    for name in ("_WHOLE", "_BLOCK", "_COMPARED", "_FEW"):
        monkeypatch.setattr(annealing, name, 64)
    found = []
    for cores in (1, 3):
        monkeypatch.setattr(annealing, "cores", lambda cores=cores: cores)
        found.append(case.mask(method))
    for field in ("cells", "groups", "counts", "values"):
        np.testing.assert_array_equal(getattr(found[0], field), getattr(found[1], field))
    sizes = np.bincount(found[0].groups, found[0].counts)
    assert sizes.min() >= 5 and sizes.sum() == case.tuples.n
    np.testing.assert_array_equal(np.bincount(found[0].cells, found[0].counts), case.tuples.counts)
    assert released_loss(case, found[0]) < 0.95 * released_loss(case, case.mask(SaMdav()))


@pytest.mark.parametrize(("n_groups", "sizes"), [(8, [12, 12]), (7, [12, 9])])
def test_whole_groups_are_cut_into_halves(
    monkeypatch: pytest.MonkeyPatch, n_groups: int, sizes: list[int]
) -> None:
    """Also where their number is odd: never into more blocks than that."""
    monkeypatch.setattr(annealing, "_WHOLE", 10)
    case = large_case(3 * n_groups)
    space = space_of(case.tuples, case.attributes)
    cost, limits = cost_of(task_of(case)), np.full(3, np.inf)
    records, columns = laid_out(space, np.arange(3 * n_groups), cost, limits)
    counts = np.ones(3 * n_groups)
    landscape = Landscape(records, columns, nobody_near(3 * n_groups, 4), counts, 3.0, False)
    groups = np.random.default_rng(1).permutation(np.repeat(np.arange(n_groups), 3))
    blocks = landscape.blocks(Placed(np.arange(3 * n_groups), groups, counts), np.ones(1, np.uint64))
    assert sorted((len(block.tuples) for block in blocks), reverse=True) == sizes
    found = {frozenset(block.tuples[block.groups == g]) for block in blocks for g in set(block.groups)}
    assert found == {frozenset(np.flatnonzero(groups == g)) for g in range(n_groups)}
    assert len(landscape.cut(np.arange(3 * n_groups), np.ones(1, np.uint64))) == 2


@pytest.mark.parametrize("block", [64, 10_000])
def test_a_search_that_is_stopped_gives_the_best_so_far(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """Valid groups that cooled down; where somebody interrupts instead, it ends soon too."""
    for name in ("_WHOLE", "_BLOCK", "_COMPARED", "_FEW"):
        monkeypatch.setattr(annealing, name, block if name != "_COMPARED" else 0)
    case = large_case()
    stopped = replace(task_of(case), stop=np.ones(1, np.int64))
    found = Annealing(effort="thorough").masking(stopped)
    assert np.bincount(found.groups, found.counts).min() >= case.k
    np.testing.assert_array_equal(np.bincount(found.cells, found.counts), case.tuples.counts)
    assert stopped.done[0] < 0.5 * case.tuples.n
    monkeypatch.setattr(annealing, "_LAST_LOOKS", 0)
    hot = Annealing(effort="thorough").masking(replace(task_of(case), stop=np.ones(1, np.int64)))
    assert released_loss(case, found) < released_loss(case, hot)
    assert released_loss(case, found) < 0.7 * released_loss(case, case.mask(SaMdav()))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(annealing, "_joined", interrupt)
    task = task_of(case)
    with pytest.raises(KeyboardInterrupt):
        Annealing(effort="quick").masking(task)
    assert task.stop[0]


def test_only_what_searches_can_be_ended_early() -> None:
    """`auto` may use a method that does not: nobody is told that it will end."""
    case = large_case(30)
    cells = Cells(np.arange(30), np.zeros((30, 1), np.int64), case.tuples.counts, (Domain("c", 1, False),))
    task = replace(task_of(case), tuples=replace(case.tuples, cells=cells))
    assert Annealing().searches(task) and Auto().searches(task) and not SaMdav().searches(task)
    assert not Auto().searches(replace(task, requirements=[KAnonymity(5), Closeness("c", 0.5)]))


def test_more_effort_and_split_tuples_lose_less() -> None:
    case = large_case(150)
    losses = [released_loss(case, case.mask(Annealing(effort=effort))) for effort in ("quick", "normal")]
    assert losses[1] <= losses[0] < 0.9 * released_loss(case, case.mask(SaMdav()))
    assert released_loss(case, case.mask(Annealing(effort="quick", split=True))) < losses[0]


@settings(max_examples=15, deadline=None)
@given(cases())
def test_a_seed_gives_one_release(case: Case) -> None:
    assume(len(case.tuples) > 3)
    first, second = case.mask(Annealing(effort="quick")), case.mask(Annealing(effort="quick"))
    np.testing.assert_array_equal(first.groups, second.groups)
    np.testing.assert_array_equal(first.values, second.values)


def test_isolated_tuples_are_hotter() -> None:
    """By the root of how far their neighbours are, with a mean of 1."""
    assert heat_of(np.array([0.0, 1.0, 4.0])).tolist() == pytest.approx([0, 1, 2])
    assert heat_of(np.zeros(2)).tolist() == [1, 1]
