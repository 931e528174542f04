"""Record linkage: how often an intruder who knows the original quasi-identifiers finds the right record.

SRL links by meaning (Martinez, Sanchez, Valls 2013), MRL by equality, RL from the masked side. What the
intruder knows is in the view: fewer attributes (`known_to`), another ontology or measure (attributes and
masked values built from those). Equality is that of concepts and numbers, not of spellings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from ontomask.arrays import Bool, Float64, Int32
from ontomask.attributes.base import Attribute, Tuples
from ontomask.evaluation._kernels import TABLE, Distances, Masked, expected_links
from ontomask.evaluation.pairs import ReleaseView, own_values
from ontomask.evaluation.subject import Family, Figure, Subject
from ontomask.measures.base import GRID
from ontomask.ontology.csr import starts_of

_LARGEST_TABLE = 1 << 22


def known_to(view: ReleaseView, attributes: Sequence[str]) -> ReleaseView:
    """The release as seen by an intruder who knows only these attributes of a person."""
    places = [j for j, a in enumerate(view.attributes) if a.name in attributes]
    tuples = Tuples(view.tuples.codes[:, places], view.tuples.counts)
    pairs = replace(view.pairs, values=view.pairs.values[:, places])
    return ReleaseView(tuples, [view.attributes[j] for j in places], pairs, view.combine).merged


def semantic_record_linkage(view: ReleaseView) -> float:
    """SRL, in percent: ``100/n sum_i p_i``, p_i = 1/|LR| if the true record is in LR, else 0.

    LR = the masked records at the smallest record distance from original record i.

    >>> from ontomask.attributes import Numeric
    >>> from ontomask.evaluation.pairs import Pairs
    >>> age = Numeric.of("age", np.array([20.0, 30.0, 60.0]), np.array([1, 1, 1])).including(np.array([25.0]))
    >>> table = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 1]))
    >>> pairs = Pairs.of_rows(np.arange(3), age.replacement_of(np.array([25.0, 25.0, 60.0]))[:, None])
    >>> round(semantic_record_linkage(ReleaseView(table, [age], pairs)), 2)  # (1/2 + 1/2 + 1) / 3
    66.67
    """
    seen = view.merged
    return float(100 * expected_right_links(seen).sum() / seen.pairs.n)


def matched_record_linkage(view: ReleaseView) -> float:
    """MRL, in percent: as SRL, where LR = the masked records *equal* to the original one (p = 0 if none).

    >>> from ontomask.attributes import Numeric
    >>> from ontomask.evaluation.pairs import Pairs
    >>> age = Numeric.of("age", np.array([20.0, 30.0, 60.0]), np.array([1, 1, 1])).including(np.array([25.0]))
    >>> table = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 1]))
    >>> pairs = Pairs.of_rows(np.arange(3), age.replacement_of(np.array([25.0, 25.0, 60.0]))[:, None])
    >>> round(matched_record_linkage(ReleaseView(table, [age], pairs)), 2)  # (0 + 0 + 1) / 3
    33.33
    """
    seen = view.merged
    same = is_unchanged(seen)
    found = seen.pairs.counts[same] / seen.pairs.class_sizes[seen.pairs.masked[same]]
    return float(100 * found.sum() / seen.pairs.n)


def record_linkage(view: ReleaseView) -> float:
    """RL, in percent: the mean over masked records of 1/|G| if the true record is in G, else 0.

    G = the original records equal to the masked one. Suppressed records are not there to be linked.
    """
    seen = view.merged
    same = is_unchanged(seen)
    found = seen.pairs.counts[same] / seen.tuples.counts[seen.pairs.original[same]]
    released = seen.pairs.n - seen.pairs.n_suppressed
    return float(100 * found.sum() / released) if released else 0.0


def blind_guess(view: ReleaseView) -> float:
    """What an intruder who picks a released record at random scores, in percent: ``100 / n``.

    Each of the n - s released records is the right answer for one person and is picked with chance
    1/(n - s); the s suppressed people are never found: ``100 (n - s)/n 1/(n - s)``. From the masked side
    (RL) the pick is one of n original records: the same.
    """
    return 100 / view.pairs.n if view.pairs.n_suppressed < view.pairs.n else 0.0


def is_unchanged(view: ReleaseView) -> Bool:
    """Whether a pair's masked tuple is equal to its original, per pair."""
    own = own_values(view.tuples, view.attributes)[view.pairs.original]
    same: Bool = ~view.pairs.suppressed & (own == view.pairs.values_of_pairs).all(axis=1)
    return same


def expected_right_links(view: ReleaseView) -> Float64:
    """For every original tuple of a merged view: how many of its records SRL finds, ``sum_i p_i``."""
    pairs, n_tuples = view.pairs, len(view.tuples)
    if not len(pairs.values):
        return np.zeros(n_tuples)
    # Few-valued attributes first: the masked tuples then share long beginnings, which are summed once.
    used = [np.unique(column, return_inverse=True) for column in pairs.values.T]
    order = np.argsort([len(values) for values, _ in used], kind="stable")
    codes = np.stack([used[j][1] for j in order], axis=1).astype(np.int32)
    rows = np.lexsort(codes.T[::-1])
    place = np.empty(len(rows), np.int32)
    place[rows] = np.arange(len(rows))
    kept = np.flatnonzero(~pairs.suppressed)  # pairs are in the order of their originals
    distances = _distances([(view.attributes[j], used[j][0]) for j in order], view.combine == "euclidean")
    originals = np.ascontiguousarray(view.tuples.codes[:, order])
    masked = Masked(codes[rows], pairs.class_sizes[rows], *_shared_beginnings(codes[rows]))
    starts = starts_of(np.bincount(pairs.original[kept], minlength=n_tuples))
    own, counts = place[pairs.masked[kept]], pairs.counts[kept]

    def search(part: slice) -> Float64:
        own_starts = starts[part.start : part.stop + 1]
        return expected_links(distances, originals[part], masked, own_starts, own, counts)

    # Each tuple is a search of its own and the loops hold no lock, so they share the cores.
    step = -(-n_tuples // (os.cpu_count() or 1))
    parts = [slice(start, min(start + step, n_tuples)) for start in range(0, n_tuples, step)]
    with ThreadPoolExecutor() as cores:
        return np.concatenate([*cores.map(search, parts)])


def _distances(columns: Sequence[tuple[Attribute, Int32]], euclidean: bool) -> Distances:
    """Lay out the distances of every attribute's codes to the replacements that are used."""
    facts = np.zeros((len(columns), 3))
    parts: list[list[Float64]] = [[], [], []]
    for fact, (attribute, used) in zip(facts, columns, strict=True):
        none = np.zeros(0)
        line = attribute.line
        if line is not None and attribute.size * len(used) > _LARGEST_TABLE:
            fact[:] = line.unit, line.far, len(used)
            own = (none, line.numbers, line.replacements[used])
        else:
            fact[:] = TABLE, 0.0, len(used)
            own = (_steps(attribute, used, 2 if euclidean else 1).ravel(), none, none)
        for part, piece in zip(parts, own, strict=True):
            part.append(piece)
    starts = np.stack([starts_of(np.array([len(piece) for piece in part]))[:-1] for part in parts])
    tables, numbers, masked_numbers = (np.concatenate(part) for part in parts)
    return Distances(facts, starts, tables, numbers, masked_numbers, euclidean)


def _steps(attribute: Attribute, used: Int32, power: int) -> Float64:
    """Distances of codes to the replacements that are used, in steps; unequal ones are at least one apart."""
    if line := attribute.line:
        before, after = line.numbers[:, None], line.replacements[used][None, :]
        distances = np.abs(before - after) / line.unit
        lost = np.isnan(before) != np.isnan(after)
        distances = np.where(lost, line.far, np.nan_to_num(distances))
        is_equal = (before == after) | (np.isnan(before) & np.isnan(after))
    else:
        every = np.arange(attribute.size, dtype=np.int32)
        distances = attribute.distance(*np.meshgrid(every, used, indexing="ij"))
        is_equal = distances == 0
    return np.where(is_equal, 0.0, np.maximum(np.rint(distances**power * GRID), 1.0))


def _shared_beginnings(codes: Int32) -> tuple[Int32, Int32]:
    """Of sorted rows: how many leading codes each shares with the row before, and, per number of leading
    codes (1, 2, ...), the next row that begins otherwise, [rows, m].
    """
    n, m = codes.shape
    differs = np.ones((n, m), bool)
    differs[1:] = np.logical_or.accumulate(codes[1:] != codes[:-1], axis=1)
    shared = (~differs).sum(axis=1).astype(np.int32)
    starts = np.where(differs, np.arange(n)[:, None], n)
    following = np.full((n, m), n, np.int64)
    following[:-1] = np.minimum.accumulate(starts[:0:-1], axis=0)[::-1]
    return shared, following.astype(np.int32)


def linkage_figures(subject: Subject, found: Mapping[str, Any]) -> dict[str, Any]:
    """What the intruder finds, after and before, and what a blind guess would."""
    seen = subject.seen
    # Nothing masked, the right record is always among the nearest: SRL = MRL = RL.
    return {
        "linkage_before": 100 * len(seen.tuples) / seen.pairs.n,
        "srl": semantic_record_linkage(seen),
        "mrl": matched_record_linkage(seen),
        "rl": record_linkage(seen),
        **dict.fromkeys(("srl_blind", "mrl_blind", "rl_blind"), blind_guess(seen)),
    }


LINKAGE = Family(
    linkage_figures,
    (
        Figure(
            "srl",
            "Semantic record linkage, SRL",
            "%",
            "people found by an intruder who knows their original values and picks the closest record",
        ),
        Figure("mrl", "Matching record linkage, MRL", "%", "the same by exactly equal values only"),
        Figure(
            "rl",
            "Record linkage, RL",
            "%",
            "released records traced back to their original by exactly equal values",
        ),
        Figure("linkage_before", "Linkage before masking", "%", "SRL, MRL and RL of the original table"),
        Figure("srl_blind", "Blind guess", "%", "what picking a record at random scores"),
        Figure("mrl_blind"),
        Figure("rl_blind"),
    ),
)
