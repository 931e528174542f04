"""The hierarchy-based losses of other tools, NCP and Prec, for releases of any kind.

They count how much less specific a value became. For a release that moves values sideways rather than up
(microaggregation, recoding), a pair counts as if both values had been generalised to the least node that
covers them: for generalised values this is the masked value itself, so the figures compare. A value that was
kept costs nothing, even one that has others below it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ontomask.arrays import Bool, Float64
from ontomask.attributes.base import Attribute, Tuples
from ontomask.attributes.nominal import Nominal
from ontomask.attributes.numeric import Numeric
from ontomask.evaluation.loss import weights
from ontomask.evaluation.pairs import Column, Pairs


def generalization(pairs: Pairs, tuples: Tuples, attributes: Sequence[Attribute]) -> dict[str, float]:
    """NCP (Xu et al. 2006) and Prec (Sweeney 2002), with weights w of mean 1::

        ncp  =     1/(n m) sum_i sum_j w_j  u_ij / q_j
        prec = 1 - 1/(n m) sum_i sum_j w_j  h_ij / H_ij

    Words: u = distinct values of the column under the least common subsumer of original and masked value (0
    if that is one value), q = all of them; h = links from the original value up to that subsumer, H = links
    up to the subsumer of the whole column. Numbers: |x - x'| over the range, in both. A suppressed or
    blanked value counts 1.
    """
    n_values = np.zeros((len(pairs.counts), len(attributes)))
    heights = np.zeros_like(n_values)
    kept = ~pairs.suppressed
    n_values[~kept] = heights[~kept] = 1.0
    for j, attribute in enumerate(attributes):
        codes = tuples.codes[pairs.original[kept], j]
        masked = pairs.masked_values[j][pairs.masked[kept]]
        if isinstance(attribute, Numeric):
            n_values[kept, j] = heights[kept, j] = _share_of_range(attribute, codes, masked)
        else:
            assert isinstance(attribute, Nominal)
            # Few distinct changes stand for many pairs.
            keys, place = np.unique(masked.astype(np.int64) * attribute.size + codes, return_inverse=True)
            values, climbs = _climbs(attribute, keys % attribute.size, keys // attribute.size)
            n_values[kept, j], heights[kept, j] = values[place], climbs[place]
    scale = weights(attributes) / (pairs.n * len(attributes))
    return {
        "ncp": float(pairs.counts @ n_values @ scale),
        "prec": float(1 - pairs.counts @ heights @ scale),
    }


def _share_of_range(attribute: Numeric, codes: Column, masked: Column) -> Float64:
    """|x - x'| / range, at most 1."""
    before, after = attribute.numbers[codes], masked.astype(np.float64)
    width = float(np.nanmax(attribute.numbers) - np.nanmin(attribute.numbers)) or 1.0
    share = np.minimum(np.abs(before - after) / width, 1.0)
    return np.where(np.isnan(before) & np.isnan(after), 0.0, np.where(np.isnan(share), 1.0, share))


def _climbs(attribute: Nominal, codes: Column, masked: Column) -> tuple[Float64, Float64]:
    """u/q and h/H of each change of a code into a candidate."""
    ontology = attribute.ontology
    before, after = attribute.concepts[codes], attribute.candidates[masked]
    values = np.where((before < 0) & (after < 0), 0.0, 1.0)
    climbs = values.copy()
    words: Bool = (before >= 0) & (after >= 0)
    if words.any():
        below, cover = before[words], ontology.lcs(before[words], after[words])
        domain = np.unique(attribute.concepts[attribute.concepts >= 0])
        covered = np.bincount(ontology.ancestors.take(domain).values, minlength=len(ontology))[cover]
        is_same = below == after[words]
        values[words] = np.where((covered > 1) & ~is_same, covered / len(domain), 0.0)
        height = ontology.links_up(below, cover)
        full = ontology.links_up(below, ontology.lcs_of_set(domain))
        climbs[words] = np.where(height > 0, np.minimum(height / np.maximum(full, 1), 1.0), 0.0)
    return values, climbs
