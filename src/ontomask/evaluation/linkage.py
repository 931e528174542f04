"""Record linkage: how often an intruder who knows the original quasi-identifiers finds the right record.

SRL links by meaning (Martinez, Sanchez, Valls 2013), MRL by equality, RL from the masked side, CRL by what
truthful cells contain. What the intruder knows is in the view: fewer attributes (`known_to`), another
ontology or measure (attributes and masked values built from those). Equality is that of concepts and numbers,
not of spellings.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ontomask.arrays import Bool, Float64, Int32, Int64
from ontomask.attributes.base import Attribute, Line, Tuples
from ontomask.evaluation._kernels import TABLE, Distances, Masked, expected_links
from ontomask.evaluation.pairs import ReleaseView, own_values
from ontomask.evaluation.subject import Family, Figure, Subject
from ontomask.measures.base import GRID
from ontomask.ontology.csr import Csr, starts_of

_LARGEST_TABLE = 1 << 22  # of numbers
_MOST_AT_ONCE = 1 << 23  # distances


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


def containing_record_linkage(view: ReleaseView) -> float | None:
    """CRL, in percent: as SRL, where LR = the released records whose every cell contains what is known.

    What is central to a group is not known to be true of anybody, so only truthful columns count; None if
    there is none.

    >>> from ontomask.attributes import Numeric
    >>> from ontomask.evaluation.pairs import Pairs
    >>> age = Numeric("age", 1.0, -1, np.array([20.0, 30.0, 60.0]), 40.0, is_truthful=True)
    >>> wide, masked = age.covering(np.array([20.0, 20.0, 30.0]), np.array([30.0, 30.0, 60.0]))
    >>> table = Tuples(np.array([[0], [1], [2]], np.int32), np.array([1, 1, 1]))
    >>> pairs = Pairs.of_rows(np.arange(3), masked[:, None])
    >>> round(containing_record_linkage(ReleaseView(table, [wide], pairs)), 2)  # (1/2 + 1/3 + 1) / 3
    61.11
    """
    truthful = [attribute.name for attribute in view.attributes if attribute.is_truthful]
    if not truthful:
        return None
    seen = known_to(view, truthful)
    pairs = seen.pairs
    own = own_values(seen.tuples, seen.attributes)[pairs.original]
    is_inside = ~pairs.suppressed
    for j, attribute in enumerate(seen.attributes):
        is_inside &= attribute.covers(pairs.values_of_pairs[:, j], own[:, j])
    found = expected_right_links(seen, by_cover=True)
    may_be_found = np.bincount(pairs.original[is_inside], minlength=len(found)) > 0
    return float(100 * found[may_be_found].sum() / pairs.n)


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


def expected_right_links(view: ReleaseView, by_cover: bool = False) -> Float64:
    """For every original tuple of a merged view: how many of its records SRL finds, ``sum_i p_i``.

    `by_cover`: a masked value is at distance 0 from all that it contains, and at 1 from all else.
    """
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
    columns = [_Column.of(view.attributes[j], used[j][0], by_cover) for j in order]
    originals = np.ascontiguousarray(view.tuples.codes[:, order])
    masked = Masked(codes[rows], pairs.class_sizes[rows], *_shared_beginnings(codes[rows]))
    own = Csr(starts_of(np.bincount(pairs.original[kept], minlength=n_tuples)), place[pairs.masked[kept]])
    found = np.empty(n_tuples)
    for some in _parts(columns, originals):
        distances, local = _distances(columns, originals[some], view.combine == "euclidean")
        entries = own.positions(some)
        found[some] = _on_all_cores(distances, local, masked, own.take(some), pairs.counts[kept[entries]])
    return found


def _on_all_cores(distances: Distances, codes: Int32, masked: Masked, own: Csr, counts: Int64) -> Float64:
    """`expected_links`; each tuple is a search of its own and the loops hold no lock."""

    def search(start: int) -> Float64:
        own_starts = own.starts[start : start + step + 1]
        return expected_links(distances, codes[start : start + step], masked, own_starts, own.values, counts)

    step = -(-len(codes) // (os.cpu_count() or 1))
    with ThreadPoolExecutor() as cores:
        return np.concatenate([*cores.map(search, range(0, len(codes), step))])


class _Column(NamedTuple):
    """An attribute, its replacements that are used, and how codes are compared with them."""

    attribute: Attribute
    used: Int32
    by_cover: bool
    line: Line | None  # in place of a table for which there are too many numbers

    @classmethod
    def of(cls, attribute: Attribute, used: Int32, by_cover: bool) -> _Column:
        is_large = attribute.size * len(used) > _LARGEST_TABLE
        line = None if by_cover or not is_large else _exact_line(attribute)
        return cls(attribute, used, by_cover, line)


def _exact_line(attribute: Attribute) -> Line | None:
    """The numbers behind the values, if each replacement is one too."""
    line = attribute.line
    return line if line is not None and line.is_exact else None


def _parts(columns: Sequence[_Column], codes: Int32) -> list[Int64]:
    """The tuples in parts whose tables of distances are small, those with the same value together."""
    cells = [0 if column.line else column.attribute.size * len(column.used) for column in columns]
    if sum(cells) <= _MOST_AT_ONCE:
        return [np.arange(len(codes))]
    order = np.argsort(codes[:, np.argmax(cells)], kind="stable")
    step = max(1, _MOST_AT_ONCE // sum(len(column.used) for column in columns))
    return [order[start : start + step] for start in range(0, len(order), step)]


def _distances(columns: Sequence[_Column], codes: Int32, euclidean: bool) -> tuple[Distances, Int32]:
    """Lay out the distances of the codes to the replacements that are used; and the codes by their rows."""
    facts = np.zeros((len(columns), 3))
    parts: list[list[Float64]] = [[], [], []]
    local = codes.copy()
    for j, column in enumerate(columns):
        none, n = np.zeros(0), len(column.used)
        if line := column.line:
            facts[j] = line.unit, line.far, n
            own = (none, line.numbers, line.replacements[column.used])
        else:
            facts[j] = TABLE, 0.0, n
            present, local[:, j] = np.unique(codes[:, j], return_inverse=True)
            own = (_steps(column, present, 2 if euclidean else 1).ravel(), none, none)
        for part, piece in zip(parts, own, strict=True):
            part.append(piece)
    starts = np.stack([starts_of(np.array([len(piece) for piece in part]))[:-1] for part in parts])
    tables, numbers, masked_numbers = (np.concatenate(part) for part in parts)
    return Distances(facts, starts, tables, numbers, masked_numbers, euclidean), local


def _steps(column: _Column, codes: Int32, power: int) -> Float64:
    """Distances of codes to the replacements that are used, in steps; unequal ones are at least one apart."""
    attribute, used, by_cover, _ = column
    if by_cover:
        known = np.repeat(attribute.own[codes], len(used))
        is_inside = attribute.covers(np.tile(used, len(codes)), known).reshape(len(codes), len(used))
        return np.where(is_inside, 0.0, 1.0)
    if line := _exact_line(attribute):
        before, after = line.numbers[codes][:, None], line.replacements[used][None, :]
        distances = np.abs(before - after) / line.unit
        lost = np.isnan(before) != np.isnan(after)
        distances = np.where(lost, line.far, np.nan_to_num(distances))
        is_equal = (before == after) | (np.isnan(before) & np.isnan(after))
    else:
        distances = attribute.distance_table(codes, used)
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
    crl = containing_record_linkage(seen)
    # Nothing masked, the right record is always among the nearest: SRL = MRL = RL.
    return {
        "linkage_before": 100 * len(seen.tuples) / seen.pairs.n,
        "srl": semantic_record_linkage(seen),
        "mrl": matched_record_linkage(seen),
        "rl": record_linkage(seen),
        **({} if crl is None else {"crl": crl}),
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
        Figure(
            "crl",
            "Containing record linkage, CRL",
            "%",
            "people found by an intruder who picks one of the records whose truthful cells contain their "
            "original values",
        ),
        Figure("linkage_before", "Linkage before masking", "%", "SRL, MRL and RL of the original table"),
        Figure("srl_blind", "Blind guess", "%", "what picking a record at random scores"),
        Figure("mrl_blind"),
        Figure("rl_blind"),
    ),
)
