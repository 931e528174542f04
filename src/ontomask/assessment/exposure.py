"""Risk as it is: who could be found in a table before anything is masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ontomask.assessment.comparison import without_requirements
from ontomask.columns.further import lenient
from ontomask.evaluation import classes_of_original
from ontomask.pipeline import prepare
from ontomask.plan import Plan, as_plan
from ontomask.progress import Listener, Phases

_PHASES = {"reading": 1.0, "linking": 1.0}


@dataclass(frozen=True)
class Exposure:
    """People of a table by their quasi-identifiers; every row is a person unless the plan has a `unit`.

    So many are alone with their values; there are so many combinations, and the rarest is had by `smallest`.
    `found` are the people whom somebody who knows all their values is expected to find.
    """

    people: int
    alone: int
    combinations: int
    smallest: int
    found: float

    @property
    def alone_share(self) -> float:
        """People who are alone with their values, in percent."""
        return 100 * self.alone / self.people

    @property
    def found_share(self) -> float:
        """People found by who knows all their values, in percent."""
        return 100 * self.found / self.people


def exposure(
    table: Any, plan: Plan | Mapping[str, Any] | str | Path, progress: Phases | Listener | None = None
) -> Exposure:
    """How exposed people are by the quasi-identifiers of a plan; what else it asks for has no part in it.

    Among s people with the same values one is found once in s times. Who has several rows is found by the
    one that fewest share, and is alone if nobody shares it. Words that no ontology knows are different
    values here, whatever is to become of them.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 20, 30], "job": ["nurse", "nurse", "nurse"]})
    >>> found = exposure(people, Plan.from_options(["age:numeric", "job:wordnet"]))
    >>> found
    Exposure(people=3, alone=1, combinations=2, smallest=1, found=2.0)
    >>> round(found.found_share, 1)
    66.7
    """
    plan = as_plan(plan)
    unit = plan.privacy.unit
    counted = lenient(without_requirements(plan).with_method("sa-mdav"))
    if unit is not None:
        counted = counted.replace(privacy={"k": 2, "unit": unit})  # so that its values are counted
    phases = progress if isinstance(progress, Phases) else Phases(_PHASES, progress)
    prepared = prepare(table, counted, phases)
    classes = classes_of_original(prepared.tuples, prepared.attributes)
    if unit is None:
        sizes = classes.sizes
        n_people, alone, found = int(sizes.sum()), int((sizes == 1).sum()), float(len(sizes))
    else:
        of = classes.beside[unit]
        sizes = np.diff(of.starts)
        fewest = np.full(int(of.values.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(fewest, of.values, sizes[of.classes])
        fewest = fewest[np.unique(of.values)]
        n_people, alone, found = len(fewest), int((fewest == 1).sum()), float((1 / fewest).sum())
    return Exposure(n_people, alone, len(sizes), int(sizes.min()), found)
