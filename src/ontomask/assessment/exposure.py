"""Risk as it is: who could be found in a table before anything is masked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ontomask.assessment.comparison import without_requirements
from ontomask.evaluation import classes_of_original
from ontomask.pipeline import prepare
from ontomask.plan import Plan, as_plan
from ontomask.progress import Listener, Phases

_PHASES = {"reading": 1.0, "linking": 1.0}


@dataclass(frozen=True)
class Exposure:
    """Rows of a table by their quasi-identifiers.

    So many are alone with their values; there are so many combinations, and the rarest has `smallest`.
    """

    rows: int
    alone: int
    combinations: int
    smallest: int

    @property
    def alone_share(self) -> float:
        """Rows that are alone with their values, in percent."""
        return 100 * self.alone / self.rows

    @property
    def found_share(self) -> float:
        """Rows found by who knows all values of a person, in percent: in a class of s rows, one in s."""
        return 100 * self.combinations / self.rows


def exposure(
    table: Any, plan: Plan | Mapping[str, Any] | str | Path, progress: Phases | Listener | None = None
) -> Exposure:
    """How exposed people are by the quasi-identifiers of a plan; what else it asks for has no part in it.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [20, 20, 30], "job": ["nurse", "nurse", "nurse"]})
    >>> found = exposure(people, Plan.from_options(["age:numeric", "job:wordnet"]))
    >>> found
    Exposure(rows=3, alone=1, combinations=2, smallest=1)
    >>> round(found.found_share, 1)
    66.7
    """
    plan = without_requirements(as_plan(plan)).with_method("sa-mdav")
    phases = progress if isinstance(progress, Phases) else Phases(_PHASES, progress)
    prepared = prepare(table, plan, phases)
    sizes = classes_of_original(prepared.tuples, prepared.attributes).sizes
    return Exposure(int(sizes.sum()), int((sizes == 1).sum()), len(sizes), int(sizes.min()))
