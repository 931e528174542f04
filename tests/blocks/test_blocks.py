"""Blocks in this process: rules of cutting, masking of a block, and sums that are the ordinary figures."""

from __future__ import annotations

import pickle
from collections import Counter
from functools import reduce
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ontomask as om
from blocks.people import Stored, people, plan_of
from ontomask import cli
from ontomask.attributes import Numeric
from ontomask.blocks.cutting import Rules, rules_of
from ontomask.blocks.masking import Told, classes_of_tally
from ontomask.errors import PlanError
from ontomask.evaluation.classes import Sizes
from ontomask.evaluation.parts import Judged, figures_of_parts
from ontomask.privacy import Closeness, KAnonymity, average_class_size, class_risks, discernibility


def numbers(size: int) -> Numeric:
    return Numeric.of("x", np.arange(size, dtype=np.float64), np.ones(size, np.int64))


def random_rules(seed: int, leaf: int = 10) -> tuple[Rules, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = np.unique(rng.integers(0, [30, 7, 12], (400, 3)).astype(np.int32), axis=0)
    return rules_of([numbers(30), numbers(7), numbers(12)], codes, leaf, rng), codes


def walked(rules: Rules, codes: np.ndarray) -> int:
    """The block of a tuple, one step after the other."""
    node = 0
    while node >= 0:
        right = rules.goes_right[rules.first[node] + codes[rules.attribute[node]]]
        node = int(rules.child[node, int(right)])
    return int(rules.block_of_leaf[-1 - node])


@pytest.mark.parametrize("seed", range(3))
def test_every_tuple_is_in_one_block_by_its_codes_alone(seed: int) -> None:
    rules, sample = random_rules(seed)
    others = np.random.default_rng(seed + 9).integers(0, [30, 7, 12], (500, 3)).astype(np.int32)
    found = rules.blocks(others)
    assert found.tolist() == [walked(rules, one) for one in others]
    order = np.random.default_rng(1).permutation(len(others))
    assert rules.blocks(others[order]).tolist() == found[order].tolist()
    sizes = np.bincount(rules.blocks(sample))
    assert (
        len(sizes) == rules.n_blocks and sizes.min() >= 2 and sizes.max() <= 10 and sizes.sum() == len(sample)
    )
    assert sizes.mean() > 6.7  # nodes are halved


def test_blocks_are_of_near_tuples() -> None:
    rules, sample = random_rules(0)
    blocks = rules.blocks(sample)
    spread = [np.ptp(sample[blocks == block], axis=0) / [29, 6, 11] for block in range(rules.n_blocks)]
    assert np.mean(spread) < 0.5  # of all tuples it is 1; in blocks that were dealt at random 0.8


def test_a_sample_that_is_small_is_one_block() -> None:
    rules, sample = random_rules(0, leaf=1000)
    assert rules.n_blocks == 1 and set(rules.blocks(sample).tolist()) == {0}


def test_values_that_all_tuples_share_are_not_cut_by() -> None:
    sample = np.stack([np.zeros(50), np.arange(50)], axis=1).astype(np.int32)
    rules = rules_of([numbers(2), numbers(50)], sample, 10, np.random.default_rng(0))
    assert set(rules.attribute.tolist()) == {1} and rules.n_blocks >= 5


def test_a_value_that_nearly_all_tuples_share_leaves_a_low_tree() -> None:
    rng = np.random.default_rng(0)
    skewed = np.where(rng.random((5000, 4)) < 0.9, 0, rng.integers(0, 40, (5000, 4)))
    sample = np.unique(skewed.astype(np.int32), axis=0)
    rules = rules_of([numbers(40)] * 4, sample, 4, rng)
    assert rules.n_blocks > len(sample) / 16 and rules.together.max() < 60


def common(rules: Rules, a: int, b: int) -> int:
    """How many nodes the ways from the root to two leaves share."""

    def way(leaf: int) -> list[int]:
        parent = {int(child): node for node, pair in enumerate(rules.child) for child in pair}
        found, at = [], -1 - leaf
        while at in parent:
            at = parent[at]
            found.append(at)
        return found[::-1]

    return sum(x == y for x, y in zip(way(a), way(b), strict=False))


def test_a_block_that_lacks_something_is_joined_to_the_nearest_neighbour() -> None:
    rules, sample = random_rules(0)
    n = rules.n_blocks
    for block in range(n):
        joined = rules.joined([block]).block_of_leaf
        assert joined.max() == n - 2
        (partner,) = [other for other in range(n) if other != block and joined[other] == joined[block]]
        neighbours = [other for other in (block - 1, block + 1) if 0 <= other < n]
        assert common(rules, block, partner) == max(common(rules, block, other) for other in neighbours)
    assert rules.joined(range(n)).n_blocks <= n // 2
    again = rules
    while again.n_blocks > 1:
        again = again.joined([again.n_blocks - 1])
    assert set(again.blocks(sample).tolist()) == {0}


@pytest.fixture(scope="module")
def stored() -> Stored:
    return Stored(people(400), plan_of())


def together(told: list[Told], plan: om.Plan) -> Told:
    return reduce(lambda a, b: a.plus(b, plan.requirements()), told)


def figures_here(stored: Stored, size: int) -> dict[str, object]:
    """The figures of a run from what blocks tell, and the classes of all tallies."""
    plan = stored.recipe.plan
    made = [*stored.masked(stored.rules(size))]
    told = together([one.told for one in made], plan)
    tally = pa.concat_tables([one.tally for one in made])
    after = Judged.of(classes_of_tally(tally, stored.recipe.further), plan.requirements())
    names = plan.with_role("quasi-identifier")
    return figures_of_parts(
        plan.requirements(), names, told.losses, after, told.before, told.suppressed, told.blanked
    )


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"missing": "suppress-row"},
        {"method": {"name": "suppression", "blank": True}, "privacy": {"k": 2, "l": None}},
        {"method": {"name": "recoding"}, "release": "truthful"},
    ],
    ids=["sa-mdav", "rows left out", "blanked", "truthful"],
)
def test_the_figures_of_one_block_are_the_ordinary_ones(changes: dict[str, object]) -> None:
    plan = plan_of(**changes)
    expected = om.anonymize(people(400), plan)
    found = figures_here(Stored(people(400), plan), 10_000)
    assert found == pytest.approx(expected.figures, rel=1e-9, nan_ok=True)
    assert list(found) == list(expected.figures)


def rows_written(stored: Stored, size: int) -> Counter[tuple[str | None, ...]]:
    """What is written for how many rows, by the lines that are joined with them."""
    found: Counter[tuple[str | None, ...]] = Counter()
    rows = dict(
        zip(zip(*stored.texts.to_pydict().values(), strict=True), stored.counts.tolist(), strict=True)
    )
    keys, new = stored.texts.column_names, [f"new{at}" for at in range(3)]
    for made in stored.masked(stored.rules(size)):
        for line in () if made.whole is None else made.whole.to_pylist():
            found[tuple(line[name] for name in new)] += rows[tuple(line[key] for key in keys)]
        seen = set()
        for line in () if made.ranges is None else made.ranges.to_pylist():
            if line["kept"] and (line["of_cell"], line["first"]) not in seen:
                seen.add((line["of_cell"], line["first"]))
                found[tuple(line[name] for name in new)] += line["end"] - line["first"]
    return found


@pytest.mark.parametrize("size", [4, 40, 150])
def test_blocks_are_masked_to_k_and_figures_add_up(stored: Stored, size: int) -> None:
    rules = stored.rules(size)
    assert rules.n_blocks > 1
    written, found = rows_written(stored, size), figures_here(stored, size)
    assert min(written.values()) >= 3 and written.total() == 400
    assert found["classes"] == len(written) and found["k_reached"] == min(written.values())
    assert found["discernibility"] == sum(n * n for n in written.values())
    whole = om.anonymize(people(400), stored.recipe.plan).figures
    same = ("n", "tuples_before", "k_before", "sample_uniques_before", "sst", "reached_before.l.ill")
    assert {name: found[name] for name in same} == pytest.approx({name: whole[name] for name in same})
    assert size == 4 or found["information_loss"] < 2 * whole["information_loss"]


def test_what_a_block_becomes_depends_on_its_tuples_not_on_their_order() -> None:
    stored = Stored(people(400), plan_of(method={"name": "resampling"}))  # which draws, and splits tuples
    rules = stored.rules(60)

    def lines(seed: int) -> list[list[object]]:
        made = [*stored.masked(rules, seed)]
        return [
            sorted(map(str, part.to_pylist()))
            for one in made
            for part in (one.whole, one.split, one.ranges, one.tally)
            if part is not None
        ]

    assert lines(0) == lines(1)
    cells = [{*one.split["cell"].to_pylist()} for one in stored.masked(rules) if one.split is not None]
    assert len(set.union(*cells)) == sum(map(len, cells)) and len(cells) > 1
    told = [pickle.dumps(one.told) for one in stored.masked(rules, 0)]
    assert told == [pickle.dumps(one.told) for one in stored.masked(rules, 1)]


def test_what_parts_reach_together_is_the_worst_of_each() -> None:
    asked = [KAnonymity(3), Closeness("ill", 0.5)]
    sizes = Sizes.of(np.array([4, 2, 4]))
    parts = [Judged(sizes, sizes, (1, 0), (2.0, 0.3)), Judged(sizes, sizes, (1, 2), (3.0, 0.6))]
    found = Judged.together(parts, asked)
    assert (found.violating, found.reached) == ((2, 2), (2.0, 0.6))
    assert (found.sizes.sizes.tolist(), found.sizes.times.tolist()) == ([2, 4], [2, 4])


def test_figures_of_sizes_with_their_numbers_are_those_of_all_classes() -> None:
    sizes, times = np.array([1, 2, 3, 7]), np.array([4, 1, 5, 2])
    every = np.repeat(sizes, times)
    assert class_risks(sizes, 3, times=times) == pytest.approx(class_risks(every, 3))
    assert class_risks(every, 3)["records_below_k"] == pytest.approx(100 * 6 / every.sum())
    assert average_class_size(sizes, 3, times) == pytest.approx(every.mean() / 3)
    assert discernibility(sizes, 2, times) == (every**2).sum() + 2 * (every.sum() + 2)


def test_a_recipe_travels(stored: Stored) -> None:
    there: Stored = pickle.loads(pickle.dumps(stored))
    one, other = (next(iter(some.masked(some.rules(100)))) for some in (stored, there))
    assert one.tally.equals(other.tally)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"method": {"name": "datafly"}}, "datafly has to see the whole table"),
        ({"method": {"name": "noise"}, "privacy": {"k": None}}, "noise has to see the whole table"),
        ({"privacy": {"k": 3, "t": {"ill": 0.2}}}, "t compares groups with the whole table"),
        ({"attributes": {"age": {"max_loss": 0.1}}}, "max_loss of 'age' may need rows of other blocks"),
        ({"attributes": {"age": {"keep": True}}}, "keep of 'age' may need rows of other blocks"),
    ],
)
def test_what_needs_the_whole_table_is_refused(changes: dict[str, dict[str, object]], said: str) -> None:
    plan = om.Plan.from_options(["job:wordnet", "age:numeric"], confidential=["ill"])
    changes = {**changes, "method": {**changes.get("method", {}), "blocks": "spark"}}
    with pytest.raises(PlanError, match=said):
        plan.replace(**changes)


def test_a_table_that_is_not_in_spark_is_refused() -> None:
    with pytest.raises(om.OntomaskError, match="blocks are masked by Spark"):
        om.anonymize(people(50), plan_of(method={"blocks": "spark"}))


@pytest.mark.parametrize("option", ["--report", "--save-scheme", "--scheme"])
def test_the_command_refuses_what_needs_the_tuples(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table, plan = tmp_path / "people.parquet", tmp_path / "plan.yaml"
    pq.write_table(people(50), table)
    plan.write_text(plan_of(method={"blocks": "spark"}).to_yaml())
    asked = ["--plan", plan, "-o", tmp_path / "out.parquet", option, tmp_path / "more"]
    monkeypatch.setattr("sys.argv", ["ontomask", "anonymize", *map(str, [table, *asked])])
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    assert "a table that is masked in blocks has no report and no scheme" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.parquet", "plan.yaml"]
