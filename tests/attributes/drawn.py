"""Two columns with hierarchies that are small enough to draw.

      job                      *
     /   \\                 /      \\
   medic  nun           20-29    30-49
   /   \\               /    \\    /    \\
surgeon nurse         20    28  30    40
"""

from __future__ import annotations

import numpy as np

from ontomask.attributes import Generalized, Nominal, Numeric
from ontomask.measures import measure
from ontomask.ontology.draft import Draft

SURGEON, NURSE, NUN, MISSING = range(4)
MEDIC, ANY_JOB = range(2)


def jobs(missing: bool = False) -> Generalized:
    """Values surgeon, nurse, nun; nodes medic, job."""
    ontology = Draft.from_edges(
        "jobs", [("medic", "job"), ("nun", "job"), ("surgeon", "medic"), ("nurse", "medic")]
    )
    concepts = ontology.concepts(["surgeon", "nurse", "nun"])
    if missing:
        concepts = np.append(concepts, -1).astype(np.int32)
    words = Nominal("job", 1.0, MISSING if missing else -1, ontology, measure("path"), concepts)
    tree = [[-1, -2, -3, -4], [MEDIC, MEDIC, -3, -4], [ANY_JOB] * 4]
    meant = np.array([ontology.concept("medic"), -1], np.int32)  # nobody said what the root means
    return Generalized.over(words, np.array(tree, np.int32)[:, : words.size], meant)


def ages() -> Generalized:
    """Values 20, 28, 30, 40; nodes 20-29, 30-49, *."""
    numbers = Numeric.of("age", np.array([20.0, 28.0, 30.0, 40.0]), np.ones(4, np.int64))
    tree = np.array([[-1, -2, -3, -4], [0, 0, 1, 1], [2, 2, 2, 2]], np.int32)
    return Generalized.over(numbers, tree, np.full(3, -1, np.int32))
