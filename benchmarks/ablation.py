"""What each part of annealing is worth: the loss without it, on four tables.

`python benchmarks/ablation.py`. Words of Adult (394 tuples, k = 10), truthful Adult (18,109 tuples, k = 5),
20,000 tuples that are drawn (k = 5) and invented stays in hospitals with outliers (19,502 tuples, k = 2),
normal effort, one seed. A part is left out by a constant that is set before anything is compiled, in a
process of its own, so that it takes some minutes. There is no bar.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import numpy as np

from clinical import clinical
from measures import Table, busy
from ontomask.attributes import Attribute, Tuples
from ontomask.evaluation import Pairs, ReleaseView, losses
from ontomask.evaluation.generalization import generalization
from ontomask.methods import METHODS
from ontomask.methods._neighbours import Records, tree_order
from ontomask.methods.annealing import Effort
from ontomask.pipeline import prepare
from ontomask.privacy import KAnonymity
from scale import synthetic
from subjects import ADULT, adult_2
from truthful import truthful_plan

SEED = 1
NONE = 1e-12


def by_all_columns(records: Records, n: int, leaf: int, by_attribute: bool, state: np.ndarray) -> object:
    """An order as trees that look for neighbours make it."""
    return tree_order(records, n, leaf, by_attribute and leaf < 16, state)


WITHOUT: dict[str, dict[str, object]] = {
    "whole method": {},
    "the first groups alone": {"annealing._EFFORTS": {"normal": Effort(0, 1)}},
    "no heat: only what loses less": {"annealing._HOT": NONE, "annealing._COLD": NONE},
    "one temperature for all tuples": {"annealing.heat_of": lambda apart: np.ones(len(apart))},
    "no groups dissolved or formed": {
        "_annealing_kernels._DISSOLVED": 0.0,
        "_annealing_kernels._FORMED": 0.0,
    },
    "no tuples changing places": {"_annealing_kernels._TRIED": 0},
    "no neighbours of neighbours": {"_neighbours._FRIENDS": 0},
    "blocks cut by all columns at once": {"annealing.tree_order": by_all_columns},
    "blocks cut once": {"annealing._EFFORTS": {"normal": Effort(1500, 1)}},
    "SA-MDAV": {},
}


def main() -> int:
    """Every variant in a process of its own, whose machine code nobody else reads."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--one", choices=WITHOUT, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(figures(options.one)))
        return 0
    if not ADULT.exists():
        print(f"skipped: the data set is not at hand ({ADULT}); set ONTOMASK_DATA")
        return 0
    print(busy())
    table = Table()
    table.title("L % of Adult's words, granularity of truthful Adult, L % of drawn tuples, L % of stays")
    for name in WITHOUT:
        with tempfile.TemporaryDirectory() as folder:
            result = subprocess.run(
                [sys.executable, __file__, "--one", name],
                stdout=subprocess.PIPE,
                text=True,
                check=True,
                env=os.environ | {"NUMBA_CACHE_DIR": folder},
            )
        words, truthful, drawn, stays = json.loads(result.stdout)
        table.line(name, f"{words:.3f}  {truthful:.4f}  {drawn:.2f}  {stays:.3f}")
    return 0


def figures(name: str) -> list[float]:
    """The figures of a variant; SA-MDAV is not tried beside it."""
    for key, value in ({"annealing._COMPARED": 0} | WITHOUT[name]).items():
        module, constant = key.split(".")
        setattr(import_module(f"ontomask.methods.{module}"), constant, value)
    method = "sa-mdav" if name == "SA-MDAV" else "annealing"
    words, subject = prepare(ADULT, adult_2().plan), prepare(ADULT, truthful_plan(True))
    view = released(method, subject.tuples, subject.attributes, 5)
    with tempfile.TemporaryDirectory() as folder:
        hospital = clinical(Path(folder))[0]
        stays = prepare(hospital.table, hospital.plan)
    return [
        losses(released(method, words.tuples, words.attributes, 10))["information_loss"],
        generalization(view)["granularity"],
        losses(released(method, *synthetic(20_000), 5))["information_loss"],
        losses(released(method, stays.tuples, stays.attributes, 2))["information_loss"],
    ]


def released(method: str, tuples: Tuples, attributes: list[Attribute], k: int) -> ReleaseView:
    """What is released."""
    masking = METHODS[method]().mask(tuples, attributes, [KAnonymity(k)], np.random.default_rng(SEED))
    return ReleaseView(tuples, masking.attributes, Pairs.of(tuples, masking))


if __name__ == "__main__":
    sys.exit(main())
