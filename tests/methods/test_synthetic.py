"""Values drawn for every record: each is allowed, and all that are allowed are drawn."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from methods.test_against_plain import Case, cases
from ontomask.attributes import Attribute, Numeric, Tuples
from ontomask.methods.marginality_mdav import MarginalityMdav, farthest_in_group
from ontomask.methods.task import Task
from ontomask.privacy import KAnonymity

SYNTHETIC = MarginalityMdav(replacement="synthetic")


def distance(attribute: Attribute, a: int, b: int) -> float:
    return float(attribute.distance(np.array([a], np.int32), attribute.own[[b]])[0])


def partition(case: Case) -> list[Counter[int]]:
    """The records of every group of the method, by tuple."""
    task = Task(case.tuples, case.attributes, [KAnonymity(case.k)], combine=case.combine)
    entries, _ = SYNTHETIC._by_blocks(task, SYNTHETIC.space(task))
    groups: dict[int, Counter[int]] = {}
    for t, g, n in zip(*(part.tolist() for part in entries), strict=True):
        groups.setdefault(g, Counter())[t] += n
    return list(groups.values())


def allowed(case: Case, t: int, group: Counter[int], j: int) -> set[int]:
    """The codes that a record of tuple t may be given in attribute j, by the definition."""
    attribute, codes = case.attributes[j], case.tuples.codes[:, j].tolist()
    radius = max(distance(attribute, codes[t], codes[u]) for u in group)
    return {v for v in codes if distance(attribute, codes[t], v) <= radius}


@settings(max_examples=40)
@given(cases(may_be_truthful=False))
def test_every_drawn_value_is_allowed_in_a_group_of_the_record(case: Case) -> None:
    masking = case.mask(SYNTHETIC)
    assert np.array_equal(np.bincount(masking.cells, masking.counts), case.tuples.counts), "all are there"
    groups = partition(case)
    assert min(group.total() for group in groups) >= case.k
    for t, g in zip(masking.cells.tolist(), masking.groups.tolist(), strict=True):
        its = [group for group in groups if t in group]
        drawn = masking.values[g]
        assert any(
            all(
                drawn[j] in attribute.own[list(allowed(case, t, group, j))]
                for j, attribute in enumerate(case.attributes)
            )
            for group in its
        )


def test_all_allowed_values_are_drawn_alike() -> None:
    """Two groups of three: 0, 1, 4 and 10, 11, 14. Within 4 of 0 are 0, 1, 4; within 3 of 1 the same."""
    ages = np.array([0.0, 1.0, 4.0, 10.0, 11.0, 14.0])
    codes = np.arange(6, dtype=np.int32)
    age = Numeric.of("age", ages, np.ones(6, np.int64))
    radii = farthest_in_group(age, codes, np.array([0, 0, 0, 1, 1, 1], np.int32))
    expected = {
        0: {0, 1, 4},
        1: {0, 1, 4},
        4: {0, 1, 4},
        10: {10, 11, 14},
        11: {10, 11, 14},
        14: {10, 11, 14},
    }
    rng, times = np.random.default_rng(0), 3000
    for code in codes.tolist():
        here = np.full(times, code, np.int32)
        drawn = ages[age.near(here, np.full(times, radii[code]), codes, rng.random(times))]
        counts = Counter(drawn.tolist())
        assert set(counts) == expected[int(ages[code])]
        assert min(counts.values()) > times / len(counts) * 0.9, "uniform: 1000 each, give or take 26"


@settings(max_examples=60)
@given(cases(may_be_truthful=False), st.data())
def test_near_is_all_that_is_near(case: Case, data: st.DataObject) -> None:
    """With all shares, exactly the codes within the radius, once each; numbers as any other attribute."""
    for j, attribute in enumerate(case.attributes):
        among = np.unique(case.tuples.codes[:, j])
        code = data.draw(st.sampled_from(among.tolist()))
        away = [distance(attribute, code, v) for v in among.tolist()]
        radius = data.draw(st.sampled_from([*away, 0.0, 0.4, 1.0]))
        within = sorted(v for v, d in zip(among.tolist(), away, strict=True) if d <= radius)
        n = len(within)
        asked = np.full(n, code, np.int32), np.full(n, radius), among, (np.arange(n) + 0.5) / n
        assert sorted(attribute.near(*asked).tolist()) == within
        assert sorted(Attribute.near(attribute, *asked).tolist()) == within


PETS = ["dog", "cat", "wolf", "lion", "cow", "goat", "horse", "mule", "frog", "toad", "newt", None]
PLAN = {
    "attributes": {
        "pet": {"role": "quasi-identifier", "ontology": "wordnet", "under": "animal"},
        "age": {"role": "quasi-identifier", "kind": "numeric"},
    },
    "privacy": {"k": 4},
    "method": {"name": "marginality-mdav", "replacement": "synthetic"},
    "seed": 3,
}


@pytest.fixture(scope="module")
def people() -> pa.Table:
    rng = np.random.default_rng(1)
    return pa.table({"pet": [PETS[i] for i in rng.integers(0, 12, 120)], "age": rng.integers(1, 30, 120)})


def test_rows_in_another_order_and_the_same_seed_give_the_same_release(people: pa.Table) -> None:
    turned = people.take(np.arange(len(people))[::-1])
    ours, theirs, other = (
        om.anonymize(table, plan).to_arrow()
        for table, plan in ((people, PLAN), (turned, PLAN), (people, PLAN | {"seed": 4}))
    )

    def rows(table: pa.Table) -> Counter[tuple[object, ...]]:
        return Counter(tuple(row.values()) for row in table.to_pylist())

    assert rows(ours) == rows(theirs) != rows(other)
    assert {*ours["pet"].to_pylist()} <= {*people["pet"].to_pylist()}, "values of the table"


def test_it_is_told_that_it_gives_no_k(people: pa.Table) -> None:
    release = om.anonymize(people, PLAN)
    assert release.figures["k_reached"] < 4 and release.figures["k_asked"] is None
    assert release.manifest["k_anonymous"] is False
    assert release.manifest["promised"] == "no k-anonymity, as marginality-mdav with these options gives none"
    assert any(one.is_serious for one in om.warnings_of(release))
    centroid = om.anonymize(people, PLAN | {"method": {"name": "marginality-mdav"}})
    assert centroid.figures["k_reached"] >= 4 and centroid.manifest["k_anonymous"] is True


def test_limits_of_a_column_hold(people: pa.Table) -> None:
    columns = {
        "pet": PLAN["attributes"]["pet"] | {"max_loss": 0.3},
        "age": PLAN["attributes"]["age"] | {"keep": True},
    }
    release = om.anonymize(people, PLAN | {"attributes": columns})
    assert release.to_arrow()["age"].to_pylist() == people["age"].to_pylist()
    view = release.view
    j = 0
    moved = view.attributes[j].distance(
        view.tuples.codes[view.pairs.original, j], view.pairs.values_of_pairs[:, j]
    )
    assert 0 < moved.max() <= 0.3 + 1e-9


def test_every_record_and_every_attribute_is_drawn_for_itself() -> None:
    """Two tuples of 100 records in one group: each record may keep or change each of two values."""
    tuples = Tuples(np.array([[0, 0], [1, 1]], np.int32), np.array([100, 100]))
    two = [Numeric.of(name, np.array([0.0, 1.0]), np.array([100, 100])) for name in "ab"]
    masking = SYNTHETIC.mask(tuples, two, [KAnonymity(200)], np.random.default_rng(0))
    assert masking.values.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    table = np.zeros((2, 4), int)
    table[masking.cells, masking.groups] = masking.counts
    assert table.sum(axis=1).tolist() == [100, 100]
    assert table.min() >= 15, "25 each, give or take 4"
