"""The intruder: what they know of people, and by which ontology and measure they compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ontomask.columns import Column
from ontomask.errors import OntomaskError, did_you_mean
from ontomask.evaluation import ReleaseView, known_to
from ontomask.measures import measure as measure_by_name
from ontomask.ontology import load_ontology


@dataclass(frozen=True)
class Intruder:
    """Somebody who links records; what is None is as the plan has it.

    `known` are the attributes of a person that they know. A label that their ontology lacks counts as its
    root.
    """

    known: Sequence[str] | None = None
    ontology: str | None = None
    measure: str | None = None

    def view(self, release: ReleaseView, columns: Sequence[Column]) -> ReleaseView | None:
        """The release as they see it; None if that is no other than the evaluation's."""
        if self.known is None and self.ontology is None and self.measure is None:
            return None
        other = None if self.ontology is None else load_ontology(self.ontology)
        by = None if self.measure is None else measure_by_name(self.measure)
        attributes, values = [], []
        for j, (column, attribute) in enumerate(zip(columns, release.attributes, strict=True)):
            own = release.pairs.values[:, j]
            if other is None and by is None:
                attributes.append(attribute)
                values.append(own)
                continue
            seen_as, in_their_terms = column.seen_with(attribute, other, by)
            attributes.append(seen_as)
            values.append(in_their_terms[own])
        pairs = replace(release.pairs, values=np.stack(values, axis=1))
        seen = ReleaseView(release.tuples, attributes, pairs, release.combine)
        if self.known is None:
            return seen
        names = [a.name for a in attributes]
        for name in self.known:
            if name not in names:
                hint = did_you_mean(name, names, names)
                raise OntomaskError(
                    f"{name!r} is not a quasi-identifier of the plan{hint}", value=name, is_public=True
                )
        return known_to(seen, self.known)
