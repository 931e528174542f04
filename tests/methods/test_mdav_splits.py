"""Fixed-size clusters that split a tuple at both ends: no record may be lost, none invented."""

from __future__ import annotations

import numpy as np
import pytest

import ontomask as om
from ontomask.attributes import Nominal, Tuples
from ontomask.methods import METHODS
from ontomask.ontology.draft import Draft
from ontomask.privacy import KAnonymity


@pytest.mark.parametrize("method", ["mdav", "s-mdav", "mdav-equality", "mdav-lcs"])
@pytest.mark.parametrize("pairs", [5, 50, 500])
def test_every_cluster_may_split_two_tuples(method: str, pairs: int) -> None:
    counts = np.array([1, *[2, 6] * pairs, 13])
    names = [f"v{i:04d}" for i in range(len(counts))]
    flat = Draft.from_edges("flat", [(name, "root") for name in names])
    kind = METHODS[method]()
    attribute = Nominal("v", 1.0, -1, flat, om.measure(kind.measure or "logsc"), flat.concepts(names))
    tuples = Tuples(np.arange(len(counts), dtype=np.int32)[:, None], counts)
    masking = kind.mask(tuples, [attribute], [KAnonymity(4)], np.random.default_rng(0))
    assert np.array_equal(np.bincount(masking.cells, masking.counts), counts)
    sizes = np.bincount(masking.groups, masking.counts)
    assert sizes.min() >= 4 and sizes[:-1].max() == 4 and sizes[-1] < 8
