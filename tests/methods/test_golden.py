"""Published figures of page 7 of the specification that the masking methods must give."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ontomask as om
from ontomask.attributes import Attribute, Nominal, Numeric, Tuples
from ontomask.methods import Masking
from ontomask.methods.mdav import Mdav
from ontomask.methods.sa_mdav import SaMdav
from ontomask.privacy import KAnonymity

Data = Callable[[str], Path]
MAPPING = Path(__file__).parent.parent / "golden" / "adult_mapping.csv"


# ---------------------------------------------------------------- numeric microaggregation (7.8)


def numeric_table(path: Path, left_out: set[str]) -> tuple[Tuples, list[Numeric]]:
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = np.array([[float(row[name]) for name in rows[0] if name not in left_out] for row in rows])
    distinct, counts = np.unique(numbers, axis=0, return_counts=True)
    attributes, codes = [], []
    for column in distinct.T:
        values, code = np.unique(column, return_inverse=True)
        times = np.bincount(code, weights=counts).astype(np.int64)
        attributes.append(Numeric.of("", values, times, scale="zscore"))
        codes.append(code)
    return Tuples(np.stack(codes, axis=1).astype(np.int32), counts.astype(np.int64)), attributes


def squared_loss(tuples: Tuples, attributes: list[Numeric], masking: Masking) -> float:
    """SSE / SST over z-scores, in %."""
    sse = sst = 0.0
    for j, attribute in enumerate(attributes):
        original = attribute.numbers[tuples.codes[:, j]]
        mean = np.average(original, weights=tuples.counts)
        line = masking.attributes[j].line
        assert line is not None
        masked = line.replacements[masking.values[masking.groups, j]]
        sse += (masking.counts * ((original[masking.cells] - masked) / attribute.unit) ** 2).sum()
        sst += (tuples.counts * ((original - mean) / attribute.unit) ** 2).sum()
    return float(100 * sse / sst)


@pytest.mark.parametrize(
    ("name", "left_out", "published"),
    [
        ("cascrefmicrodata", set(), {3: 5.6922, 5: 9.0884, 10: 14.1559}),
        ("tarragona", set(), {3: 16.9326, 5: 22.4619, 10: 33.1929}),
        ("eia", {"UTILNAME", "STATE", "YEAR", "MONTH"}, {3: 0.4829, 5: 1.6667, 10: 3.8397}),
    ],
)
def test_numeric_mdav(data: Data, name: str, left_out: set[str], published: dict[int, float]) -> None:
    tuples, attributes = numeric_table(data(f"sdc/{name}.csv"), left_out)
    losses = {
        k: squared_loss(
            tuples,
            attributes,
            Mdav().mask(tuples, attributes, [KAnonymity(k)], np.random.default_rng(0), combine="euclidean"),
        )
        for k in published
    }
    assert {k: round(loss, 4) for k, loss in losses.items()} == published


# ---------------------------------------------------------------- Adult census (7.5)


@pytest.fixture(scope="module")
def adult(data: Data, wordnet: om.Ontology) -> tuple[Tuples, list[Nominal]]:
    with data("adult/adult.csv").open(newline="") as file:
        rows = Counter(
            (row["occupation"], row["native-country"]) for row in csv.DictReader(file, delimiter=";")
        )
    labels = sorted(rows)
    attributes, codes = [], []
    for column, top in zip(zip(*labels, strict=True), ("person", "location"), strict=True):
        values = sorted(set(column))
        links = om.link(values, wordnet, mapping=MAPPING, senses="first", under=top)
        concepts = np.array([links[value].concept for value in values], np.int32)
        attributes.append(Nominal(top, 1.0, -1, wordnet, om.measure("logsc"), concepts))
        codes.append([values.index(value) for value in column])
    counts = np.array([rows[label] for label in labels], np.int64)
    return Tuples(np.array(codes, np.int32).T.copy(), counts), attributes


def test_adult_has_the_shape_of_the_table(adult: tuple[Tuples, list[Nominal]]) -> None:
    tuples, _ = adult
    assert (tuples.n, len(tuples), int((tuples.counts == 1).sum()), int(tuples.counts.max())) == (
        30162,
        394,
        84,
        3735,
    )


def semantic_loss(tuples: Tuples, attributes: list[Nominal], masking: Masking) -> float:
    """L: SSE over the SSE of one group for all, in %."""
    everyone = Mdav().mask(tuples, attributes, [KAnonymity(tuples.n)], np.random.default_rng(0))
    return 100 * squared_errors(tuples, attributes, masking) / squared_errors(tuples, attributes, everyone)


def squared_errors(tuples: Tuples, attributes: list[Nominal], masking: Masking) -> float:
    distance = sum(
        a.distance(tuples.codes[masking.cells, j], masking.values[masking.groups, j])
        for j, a in enumerate(attributes)
    ) / len(attributes)
    return float((masking.counts * distance**2).sum())


@pytest.mark.parametrize(
    ("weighted", "table"),
    [
        (True, {2: 0.125, 5: 0.771, 10: 1.811, 50: 8.152, 200: 15.978, 1000: 25.534}),
        (False, {2: 0.108, 5: 0.666, 10: 1.467, 50: 4.113, 200: 11.843, 1000: 21.797}),
    ],
)
def test_adult_by_sa_mdav(
    adult: tuple[Tuples, list[Nominal]], weighted: bool, table: dict[int, float]
) -> None:
    tuples, attributes = adult
    losses = {
        k: semantic_loss(
            tuples,
            attributes,
            SaMdav(weighted=weighted).mask(tuples, attributes, [KAnonymity(k)], np.random.default_rng(0)),
        )
        for k in table
    }
    assert losses == pytest.approx(table, abs=0.001)


# ---------------------------------------------------------------- worked examples (7.1)

ANSWERS = {
    ("colic", "antibiotic"): 1,
    ("lumbago", "rehabilitation"): 3,
    ("migraine", "aspirin"): 2,
    ("appendicitis", "hospitalisation"): 1,
    ("gastritis", "codeine"): 1,
    ("lumbago", "codeine"): 2,
    ("colic", "hospitalisation"): 1,
}


def table_of(
    rows: dict[tuple[str, ...], int], ontologies: list[om.Ontology]
) -> tuple[Tuples, list[Attribute]]:
    """Rows of labels under `path`."""
    labels = sorted(rows)
    attributes: list[Attribute] = []
    codes = []
    for column, ontology in zip(zip(*labels, strict=True), ontologies, strict=True):
        values = sorted(set(column))
        concepts = ontology.concepts(values)
        attributes.append(Nominal(ontology.name, 1.0, -1, ontology, om.measure("path"), concepts))
        codes.append([values.index(value) for value in column])
    counts = np.array([rows[label] for label in labels], np.int64)
    return Tuples(np.array(codes, np.int32).T.copy(), counts), attributes


@pytest.mark.parametrize(
    ("rows", "names", "centroid", "total"),
    [
        (
            dict(
                zip(
                    [("colic",), ("lumbago",), ("migraine",), ("pain",), ("appendicitis",), ("gastritis",)],
                    [1, 3, 2, 1, 1, 1],
                    strict=True,
                )
            ),
            ["conditions"],
            ["ache"],
            16,
        ),
        (
            {(name,): 1 for name in ("colic", "lumbago", "migraine", "appendicitis", "gastritis")},
            ["conditions"],
            ["pain"],
            11,
        ),
        (ANSWERS, ["conditions", "treatments"], ["ache", "medication"], 21),
    ],
)
def test_centroid_of_one_group(
    golden: Callable[[str], om.Ontology],
    rows: dict[tuple[str, ...], int],
    names: list[str],
    centroid: list[str],
    total: float,
) -> None:
    """k = n makes one group of all: its masked values are the semantic centroid."""
    tuples, attributes = table_of(rows, [golden(name) for name in names])
    masking = SaMdav().mask(tuples, attributes, [KAnonymity(tuples.n)], np.random.default_rng(0))
    masked = [
        a.ontology.labels[a.replacements[masking.values[0, j]]]
        for j, a in enumerate(attributes)
        if isinstance(a, Nominal)
    ]
    assert masked == centroid
    distance = sum(
        a.distance(tuples.codes[:, j], np.repeat(masking.values[0, j], len(tuples)))
        for j, a in enumerate(attributes)
    )
    assert (tuples.counts * distance).sum() / len(attributes) == total
