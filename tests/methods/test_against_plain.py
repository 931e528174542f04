"""Every masking method against its plain twin on random small tables, and what all of them promise."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ontomask as om
from methods import plain
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples
from ontomask.distribution import Scaling
from ontomask.errors import OntomaskError
from ontomask.methods import METHODS, SUPPRESSED, Masking, Method
from ontomask.methods.k_ward import KWard
from ontomask.methods.marginality_mdav import MarginalityMdav
from ontomask.methods.mdav import Mdav, MdavEquality, MdavLcs, SMdav
from ontomask.methods.recoding import Recoding
from ontomask.methods.resampling import Resampling, Setting
from ontomask.methods.sa_mdav import SaMdav
from ontomask.methods.suppression import Suppression
from ontomask.ontology.draft import Draft
from ontomask.privacy import KAnonymity
from ontomask.s_distance import SDistance
from reference import ontologies

WEIGHTS = st.sampled_from([1.0, 1.0, 0.5, 0.3, 2.0])
MEASURES = ("logsc", "wup", "path", "jcn", "equality")


@dataclass(frozen=True)
class Case:
    """A small table, and how to mask it."""

    tuples: Tuples
    attributes: list[Attribute]
    k: int
    combine: str
    seed: int

    def mask(self, method: Method, **more: object) -> Masking:
        rng, asked = np.random.default_rng(self.seed), [KAnonymity(self.k)]
        return method.mask(self.tuples, self.attributes, asked, rng, combine=self.combine, **more)

    def groups(self, method: Method, **more: object) -> object:
        return plain.in_order(plain.as_plain(self.mask(method, **more)))

    def records(self, strategy: str = "semantic") -> plain.Records:
        return plain.Records(self.tuples, self.attributes, combine=self.combine, strategy=strategy)


@st.composite
def nominal(draw: st.DrawFn, measure: str | None) -> Nominal:
    """Distinct concepts in any label order; the missing value may come anywhere, or be the only one."""
    ontology = draw(ontologies())
    size = draw(st.integers(1, min(6, len(ontology))))
    concepts = draw(st.permutations(range(len(ontology))))[:size]
    missing = draw(st.sampled_from([-1, -1, 0, len(concepts)]))
    if missing >= 0:
        concepts.insert(missing, -1)
        if draw(st.integers(0, 9)) == 0:
            concepts, missing = [-1], 0
    return Nominal(
        "words",
        draw(WEIGHTS),
        missing,
        ontology,
        om.measure(measure or draw(st.sampled_from(MEASURES))),
        np.array(concepts, np.int32),
    )


@st.composite
def numbers(draw: st.DrawFn) -> list[float]:
    """Distinct quarters, whose sums are exact; NaN, if any, is last."""
    quarters = draw(st.sets(st.integers(-12, 12), min_size=1, max_size=6))
    values = sorted(q / 4 for q in quarters)
    if draw(st.integers(0, 2)) == 0:
        values = [*values[: draw(st.integers(0, len(values)))], float("nan")]
    return values


@st.composite
def cases(
    draw: st.DrawFn, measure: str | None = None, most_tuples: int = 14, may_be_truthful: bool = True
) -> Case:
    kinds = draw(st.lists(st.sampled_from(["nominal", "nominal", "numeric"]), min_size=1, max_size=3))
    parts = [draw(nominal(measure)) if kind == "nominal" else draw(numbers()) for kind in kinds]
    sizes = [part.size if isinstance(part, Nominal) else len(part) for part in parts]
    most = min(most_tuples, (math.prod(sizes) + 1) // 2)
    rows = draw(
        st.sets(
            st.tuples(*(st.integers(0, size - 1) for size in sizes)),
            min_size=draw(st.integers(1, most)),
            max_size=most_tuples,
        )
    )
    codes = np.array(sorted(rows), np.int32).reshape(-1, len(sizes))
    times_each = st.integers(1, draw(st.sampled_from([1, 3, 8])))
    counts = np.array([draw(times_each) for _ in codes], np.int64)
    attributes: list[Attribute] = []
    for j, part in enumerate(parts):
        if isinstance(part, Nominal):
            attributes.append(part)
            continue
        times = np.bincount(codes[:, j], weights=counts, minlength=len(part)).astype(np.int64)
        used = times > 0  # a column has the values it has: keep those that occur
        codes[:, j] = np.cumsum(used)[codes[:, j]] - 1
        attributes.append(
            Numeric.of(
                "numbers",
                np.array(part)[used],
                times[used],
                weight=draw(WEIGHTS),
                scale=draw(st.sampled_from(["range", "zscore"])),
                middle=draw(st.sampled_from(["mean", "median"])),
            )
        )
    if may_be_truthful and draw(st.booleans()):
        attributes = [replace(a, is_truthful=draw(st.booleans())) for a in attributes]
    tuples = Tuples(codes, counts)
    return Case(
        tuples,
        attributes,
        draw(st.integers(1, min(tuples.n, draw(st.sampled_from([3, 6, 1000]))))),
        draw(st.sampled_from(["mean", "mean", "euclidean"])),
        draw(st.integers(0, 2**32 - 1)),
    )


@settings(max_examples=30)
@given(cases(), st.booleans(), st.booleans())
def test_sa_mdav(case: Case, weighted: bool, static: bool) -> None:
    expected = plain.sa_mdav(case.records(), case.k, weighted=weighted, static=static)
    assert case.groups(SaMdav(weighted=weighted, static=static)) == plain.in_order(expected)


@settings(max_examples=30)
@given(cases(), st.sampled_from([Mdav, SMdav]))
def test_mdav(case: Case, kind: type[Mdav]) -> None:
    assert case.groups(kind()) == plain.in_order(plain.mdav(case.records(), case.k))


@settings(max_examples=30)
@given(cases(), st.sampled_from(["balanced", "published"]), st.booleans())
def test_marginality_mdav(case: Case, scaling: Scaling, classic: bool) -> None:
    method = MarginalityMdav(scaling=scaling, classic=classic)
    if method.measure:
        case = replace(case, attributes=[a.under(om.measure(method.measure)) for a in case.attributes])
    weights = SDistance.of(case.tuples, case.attributes, scaling).weights
    weighed = [
        a if a.is_truthful else replace(a, weight=weight)
        for a, weight in zip(case.attributes, weights.tolist(), strict=True)
    ]
    records = plain.Records(case.tuples, weighed, combine="variances", strategy=method.strategy)
    assert case.groups(method) == plain.in_order(plain.mdav(records, case.k))


@settings(max_examples=30)
@given(cases())
def test_the_least_marginal_value_as_centroid(case: Case) -> None:
    expected = plain.sa_mdav(case.records("marginality"), case.k, weighted=False)
    assert case.groups(SaMdav(), strategy="marginality") == plain.in_order(expected)


@settings(max_examples=40)
@given(cases())
def test_k_ward(case: Case) -> None:
    assert case.groups(KWard()) == plain.in_order(plain.k_ward(case.records(), case.k))


@given(cases(measure="equality"))
def test_mdav_equality(case: Case) -> None:
    assert case.groups(MdavEquality()) == plain.in_order(plain.mdav(case.records("mode"), case.k))


@given(cases(measure="wup"))
def test_mdav_lcs(case: Case) -> None:
    assert case.groups(MdavLcs()) == plain.in_order(plain.mdav(case.records("lcs"), case.k))


@settings(max_examples=30)
@given(cases(), st.booleans())
def test_recoding(case: Case, weighted: bool) -> None:
    expected = plain.recoding(case.records(), case.k, weighted=weighted)
    assert case.groups(Recoding(weighted=weighted)) == plain.in_order(expected)


def test_recoding_takes_the_values_of_a_tuple_that_gave_way() -> None:
    """Four unlike words, once each: a takes b, b has received and stays, c and d take a, which lives."""
    ontology = Draft.from_edges("t", [(word, "thing") for word in "abcd"])
    words = Nominal("words", 1.0, -1, ontology, om.measure("equality"), ontology.concepts("abcd"))
    case = Case(Tuples(np.arange(4, dtype=np.int32)[:, None], np.ones(4, np.int64)), [words], 2, "mean", 0)
    a, b = ontology.concept("a"), ontology.concept("b")
    assert case.groups(Recoding()) == [([(0, 1), (1, 1)], (b,)), ([(2, 1), (3, 1)], (a,))]


@given(cases())
def test_distributional_recoding(case: Case) -> None:
    expected = plain.recoding(case.records(), case.k, distributional=True)
    assert case.groups(Recoding(distributional=True)) == plain.in_order(expected)


@pytest.mark.parametrize("off", [{"h1": False}, {"h2": False}, {"h1": False, "h2": False}], ids=str)
def test_a_heuristic_switched_off_draws_at_random(off: dict[str, bool]) -> None:
    """Twelve people, all different: whom they follow depends on the seed, and on nothing else."""
    column = Numeric.of("x", np.arange(12.0) ** 2, np.ones(12, np.int64))
    table = Tuples(np.arange(12, dtype=np.int32)[:, None], np.ones(12, np.int64))
    drawn = [str(Case(table, [column], 3, "mean", seed).groups(Recoding(**off))) for seed in range(12)]
    assert len(set(drawn)) > 3
    assert drawn[0] == str(Case(table, [column], 3, "mean", 0).groups(Recoding(**off)))


@pytest.mark.parametrize(
    ("setting", "measure", "strategy"),
    [
        ("semantic", None, "semantic"),
        ("equality-mode", "equality", "mode"),
        ("wup-mode", "wup", "mode"),
        ("wup-lcs", "wup", "lcs"),
    ],
)
@given(st.data())
def test_resampling(setting: Setting, measure: str | None, strategy: str, data: st.DataObject) -> None:
    case = data.draw(cases(measure=measure))
    method = Resampling(weighted=data.draw(st.booleans(), label="weighted"), setting=setting)
    assert (method.measure, method.strategy) == (measure, strategy)
    rng = np.random.default_rng(case.seed)
    expected = plain.resampling(case.records(strategy), case.k, rng, weighted=method.weighted)
    assert case.groups(method) == plain.in_order(expected)


@pytest.mark.parametrize("seed", range(8))
def test_records_left_over_join_the_sets_as_dealt(seed: int) -> None:
    """27 numbers in 7 samples of 3: the six left over do not move the centroids for one another."""
    column = Numeric.of("x", np.arange(27.0), np.ones(27, np.int64))
    tuples = Tuples(np.arange(27, dtype=np.int32)[:, None], np.ones(27, np.int64))
    case = Case(tuples, [column], 7, "mean", seed)
    expected = plain.resampling(case.records(), case.k, np.random.default_rng(seed))
    assert case.groups(Resampling()) == plain.in_order(expected)


@given(cases())
def test_suppression(case: Case) -> None:
    masking = case.mask(Suppression())
    expected = plain.in_order(plain.suppression(case.records(), case.k))
    assert plain.in_order(plain.as_plain(masking)) == expected
    dropped = masking.cells[masking.groups == SUPPRESSED]
    assert dropped.tolist() == np.flatnonzero(case.tuples.counts < case.k).tolist()


# t-first needs more than k: see test_t_first.py; without t, auto is annealing.
WITHOUT_HIERARCHIES = [
    name
    for name, kind in METHODS.items()
    if kind.has_groups and not kind.has_hierarchies and name not in ("t-first", "auto")
]
EVERY_METHOD = [
    *(METHODS[name]() for name in WITHOUT_HIERARCHIES),
    *(Resampling(setting=setting) for setting in get_args(Setting)),
    SaMdav(weighted=True),
    SaMdav(static=True),
    Recoding(weighted=True),
    Recoding(h1=False),
    Recoding(h2=False),
    Recoding(h1=False, h2=False),
    Recoding(distributional=True),
    Resampling(weighted=True),
]


@pytest.mark.parametrize("method", EVERY_METHOD, ids=repr)
@settings(max_examples=25)
@given(case=cases())
def test_what_every_method_promises(method: Method, case: Case) -> None:
    masking = case.mask(method)
    n, k = case.tuples.n, case.k

    # Every record is in exactly one place, and entries are in tuple order.
    placed = np.bincount(masking.cells, weights=masking.counts, minlength=len(case.tuples))
    assert placed.tolist() == case.tuples.counts.tolist()
    assert (masking.counts > 0).all()
    assert (np.diff(masking.cells) >= 0).all()

    kept = masking.groups != SUPPRESSED
    if not isinstance(method, Suppression):
        assert kept.all()
        assert masking.counts.sum() == n
    if isinstance(method, (SaMdav, KWard, Recoding, Suppression)):
        assert len(masking.cells) == len(case.tuples)  # equal records stay together

    # No group is empty or smaller than k; then no class of equal masked records is either.
    sizes = np.bincount(masking.groups[kept], weights=masking.counts[kept], minlength=masking.n_groups)
    assert masking.values.shape == (masking.n_groups, len(case.attributes))
    assert len(sizes) == masking.n_groups
    assert (sizes >= k).all()
    if isinstance(method, Mdav):
        assert (sizes < 2 * k).all()
        assert (sizes == k).sum() >= masking.n_groups - 1

    again = case.mask(method)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(
            (masking.cells, masking.groups, masking.counts, masking.values),
            (again.cells, again.groups, again.counts, again.values),
            strict=True,
        )
    )


@pytest.mark.parametrize("method", EVERY_METHOD, ids=repr)
@given(case=cases(most_tuples=4))
@settings(max_examples=5)
def test_impossible_k(method: Method, case: Case) -> None:
    for k, says in ((case.tuples.n + 1, "choose a smaller k"), (0, "at least 1")):
        with pytest.raises(OntomaskError, match=says):
            method.mask(case.tuples, case.attributes, [KAnonymity(k)], np.random.default_rng(0))


def test_a_seed_matters() -> None:
    """Resampling draws from the generator it is given, and from nothing else."""
    numbers_ = np.arange(40.0)
    column = Numeric.of("x", numbers_, np.ones(40, np.int64))
    table = Tuples(np.arange(40, dtype=np.int32)[:, None], np.ones(40, np.int64))
    first, second = (Case(table, [column], 4, "mean", seed).groups(Resampling()) for seed in (1, 2))
    assert first != second
