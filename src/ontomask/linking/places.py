"""Which of the places of one name is meant: the one that is part of what the others are part of.

*Birmingham* among *Leeds* and *Bristol* lies in England. WordNet says so by its relation `has-part`. It knows
concepts alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Float64, Int32
from ontomask.ontology.core import Ontology, derived
from ontomask.ontology.csr import Csr


@derived
def _wholes(ontology: Ontology) -> Csr | None:
    """What each concept is a direct part of."""
    parts = ontology.relations.get("has-part")
    return None if parts is None else parts.transposed(len(ontology))


def neighbourhood(ontology: Ontology, candidates: Sequence[Int32]) -> Float64 | None:
    """For each sense of each value, the largest share of the values that may lie in one whole with it.

    0 for a sense that is part of nothing; None if the ontology does not know parts.
    """
    wholes = _wholes(ontology)
    if wholes is None:
        return None
    above = [[_around(wholes, sense) for sense in senses.tolist()] for senses in candidates]
    times = np.zeros(len(ontology))
    for senses in above:
        times[list(set().union(*senses))] += 1
    share = times / max(len(candidates), 1)
    return np.array(
        [float(share[list(found)].max()) if found else 0.0 for senses in above for found in senses]
    )


def _around(wholes: Csr, concept: int) -> frozenset[int]:
    """What a place is part of, and what that is part of; farther up everything lies in one hemisphere."""
    near = wholes[concept].tolist()
    return frozenset((*near, *wholes.take(near).values.tolist()))
