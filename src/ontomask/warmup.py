"""Compile a method's loops in a process of their own while the table is still being read.

The first run on a machine compiles for ten seconds or more, half of it for reading and half for masking; on
two cores the halves run side by side. The machine code goes to the same place on disk, where the waiting
process finds it.
"""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from ontomask.attributes import Attribute, Cells, Domain, Generalized, Nominal, Tuples, space_of
from ontomask.attributes._kernels import group_centroids
from ontomask.measures import measure
from ontomask.methods import METHODS, Masking
from ontomask.methods.t_first import TFirst
from ontomask.ontology.core import Closure
from ontomask.ontology.draft import Draft
from ontomask.privacy import Closeness, KAnonymity, KnownValues, Requirement


def start(method: str) -> subprocess.Popen[bytes] | None:
    """Begin to compile a method; None where there is no second core to do it."""
    if (os.cpu_count() or 1) < 2:
        return None
    command = f"from ontomask.warmup import mask_a_toy; mask_a_toy({method!r})"
    # -P: a `numpy.py` in the current folder, beside the data, is not to be imported.
    return subprocess.Popen(
        [sys.executable, "-P", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def compile_centroids() -> None:
    """Compile what follows every masking, while another process is still busy with the method itself."""
    tuples, words = _toy()
    every = np.zeros(2, np.int32)
    group_centroids(space_of(tuples, [words]), every, every, tuples.counts, 1)


def mask_a_toy(method: str) -> Masking:
    """Run a method on four records of two words."""
    tuples, words = _toy()
    masker = METHODS[method]()
    attribute: Attribute = words
    if masker.has_hierarchies:
        tree = np.array([[-1, -2], [0, 0]], np.int32)
        attribute = Generalized.over(words, tree, np.zeros(1, np.int32))
    asked: list[Requirement] = [KAnonymity(2)]
    if masker.judges_sets:
        asked.append(KnownValues(1, 2))
    if method == TFirst.name:
        asked.append(Closeness("value", 1.0))
    return masker.mask(tuples, [attribute], asked, np.random.default_rng(0))


def _toy() -> tuple[Tuples, Nominal]:
    tree = Draft.from_edges("toy", [("a", "root"), ("b", "root")])
    # With known ancestors this process need not compile the loops of `ontology`: the other one does.
    tree.__dict__["ancestors"] = Closure(
        np.array([0, 1, 3, 5]),
        np.array([0, 0, 1, 0, 2], np.int32),
        np.array([0, 1, 0, 1, 0], np.int16),
    )
    words = Nominal("word", 1.0, -1, tree, measure("equality"), tree.concepts(["a", "b"]))
    counts = np.array([2, 2])
    beside = Cells(np.arange(2, dtype=np.int32), np.zeros((2, 1), np.int32), counts, (Domain("value", 1),))
    return Tuples(np.array([[0], [1]], np.int32), counts, beside), words
