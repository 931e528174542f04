"""Measures by information content (IC): resnik (1995), lin (1998), jcn (Jiang & Conrath 1997).

IC is intrinsic, read off the taxonomy (`seco`, `sanchez`), or comes from a file of corpus counts. The LCS of
these measures is the common ancestor of highest IC.
"""

from __future__ import annotations

import csv
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from ontomask.arrays import Float64
from ontomask.errors import MeasureError
from ontomask.files import regular
from ontomask.measures.base import Measure, indices, on_grid, with_equal_pairs
from ontomask.measures.sweep import Sweep
from ontomask.ontology.core import ConceptIndices, Ontology, derived

# Rows of the sweep hold 8-byte numbers here, so fewer columns at a time fit the processor's cache.
_COLUMNS = 256
_OTHER_IC = "use ic='seco', ic='sanchez' or another file"


def seco(ontology: Ontology) -> Float64:
    """`1 - log(hypo(c) + 1) / log(N)`, hypo the number of concepts below (Seco, Veale & Hayes 2004)."""
    content: Float64 = 1 - np.log(ontology.descendant_counts + 1) / np.log(max(len(ontology), 2))
    return content


def sanchez(ontology: Ontology) -> Float64:
    """`-log((leaves(c) / |T(c)| + 1) / (max_leaves + 1))` (Sanchez, Batet & Isern 2011)."""
    leaves = ontology.leaf_counts
    content: Float64 = -np.log((leaves / ontology.subsumer_counts + 1) / (leaves.max() + 1))
    return content


def corpus(ontology: Ontology, path: str | Path) -> Float64:
    """`-log p(c)` from a file of counts.

    Either the `wnver::` files of WordNet::Similarity, whose counts are already propagated to ancestors, or
    CSV lines `concept,count` (an id, a sense name or a term), which are propagated here. A concept never
    seen counts as seen once, or as often as the rarest one seen if counts are fractions of one.
    """
    lines = _read_counts(Path(path))
    if lines and lines[0].startswith("wnver::"):
        counts, total = _propagated_counts(ontology, lines[1:], str(path))
    else:
        raw = _raw_counts(ontology, lines, str(path))
        closure = ontology.ancestors
        counts = np.bincount(closure.values, raw[closure.row_of_value], minlength=len(ontology)).astype(float)
        total = counts[0]
    if not total > 0:
        raise MeasureError("no concept was ever seen", file=str(path), remedy=_OTHER_IC)
    counts[counts == 0] = min(1, counts[counts > 0].min())
    content: Float64 = np.log(total) - np.log(counts)
    return np.maximum(content, 0)


def _read_counts(path: Path) -> list[str]:
    try:
        return regular(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise MeasureError(f"cannot read the corpus counts {path}: {error}", remedy=_OTHER_IC) from None


def _propagated_counts(ontology: Ontology, lines: list[str], path: str) -> tuple[Float64, float]:
    """The counts of every concept, and their total: that of the lines marked ROOT."""
    counts, total = np.zeros(len(ontology)), 0.0
    for number, line in enumerate(lines, 2):
        key, text, mark, *_ = [*line.split(), "", "", ""]
        if not key.endswith("n"):
            continue
        concept_id = key[:-1].zfill(8)
        if not ontology.has_id(concept_id):
            raise MeasureError(
                f"{ontology.name} has no synset {concept_id}",
                file=path,
                line=number,
                value=concept_id,
                remedy="the counts were made for another WordNet release",
            )
        try:
            count = float(text)
        except ValueError:
            wrong = f"expected a synset and its count: {line!r}"
            raise MeasureError(wrong, file=path, line=number, value=line) from None
        counts[ontology.concept(concept_id)] = count
        total += count if mark == "ROOT" else 0
    if ontology.virtual_root:
        counts[0] = total
    return counts, total


def _raw_counts(ontology: Ontology, lines: list[str], path: str) -> Float64:
    counts = np.zeros(len(ontology))
    for number, row in enumerate(csv.reader(lines), 1):
        if number == 1 and row[-1:] == ["count"]:
            continue
        try:
            reference, count = row
            counts[ontology.concept(reference)] += float(count)
        except ValueError:
            wrong = f"expected `concept,count`, found {row}"
            raise MeasureError(wrong, file=path, line=number) from None
    return counts


def information_content(ontology: Ontology, source: str) -> Float64:
    """IC of every concept; `source` is `seco`, `sanchez` or the path of a corpus count file."""
    changed = 0
    with suppress(OSError, ValueError):  # what cannot be read is told where it is read
        changed = Path(source).stat().st_mtime_ns
    return _information_content(ontology, source, changed)


@derived
def _information_content(ontology: Ontology, source: str, changed: int) -> Float64:
    if source == "seco":
        return seco(ontology)
    if source == "sanchez":
        return sanchez(ontology)
    return corpus(ontology, source)


@dataclass(frozen=True)
class InformationMeasure(Measure):
    """A measure over IC(c1), IC(c2) and IC(LCS); `ic` is `seco`, `sanchez` or a corpus count file."""

    ic: str = "seco"

    def content(self, ontology: Ontology) -> Float64:
        """IC of every concept."""
        return information_content(ontology, str(self.ic))

    def shared_content(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        """IC(LCS) of every pair."""
        from ontomask.measures import _kernels

        sweep = Sweep(ontology, a, b)
        content = self.content(ontology)[sweep.nodes]
        out = np.empty((len(sweep.a), len(sweep.b)))
        for block in sweep.blocks(_COLUMNS):
            rows = _kernels.greatest(
                np.zeros(0),
                len(block.columns),
                sweep.parents.starts,
                sweep.parents.values,
                block.starts,
                block.ends,
                block.below,
                content,
            )
            out[:, block.offset : block.offset + len(block.columns)] = rows[sweep.row_of_a]
        return out

    def contents(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> tuple[Float64, Float64]:
        """IC(a) as a column and IC(b) as a row."""
        content = self.content(ontology)
        return content[indices(a)][:, None], content[indices(b)][None, :]


@dataclass(frozen=True)
class Resnik(InformationMeasure):
    """`sim = IC(LCS)`; distance `max IC - sim`."""

    name: ClassVar[str] = "resnik"
    words: ClassVar[str] = "how much two concepts' nearest common superconcept says (Resnik)"
    bounded: ClassVar[bool] = False

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        return self.shared_content(ontology, a, b)

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        distances = on_grid(self.maximum(ontology) - self.shared_content(ontology, a, b))
        return with_equal_pairs(distances, a, b, 0.0)

    def maximum(self, ontology: Ontology) -> float:
        return float(self.content(ontology).max())


@dataclass(frozen=True)
class Lin(InformationMeasure):
    """`sim = 2 IC(LCS) / (IC(c1) + IC(c2))`; distance `1 - sim`."""

    name: ClassVar[str] = "lin"
    words: ClassVar[str] = "how much of what two concepts say their nearest common superconcept says (Lin)"

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        shared = self.shared_content(ontology, a, b)
        ic_a, ic_b = self.contents(ontology, a, b)
        total = ic_a + ic_b
        shared *= 2
        with np.errstate(invalid="ignore"):
            shared /= total
        if not total.all():
            shared[total == 0] = 1  # two roots
        return shared

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        distances = on_grid(np.maximum(1 - self.similarities(ontology, a, b), 0))
        return with_equal_pairs(distances, a, b, 0.0)


@dataclass(frozen=True)
class JiangConrath(InformationMeasure):
    """`dis = IC(c1) + IC(c2) - 2 IC(LCS)`; similarity `1 / (1 + dis)`."""

    name: ClassVar[str] = "jcn"
    words: ClassVar[str] = (
        "how much two concepts say beyond their nearest common superconcept (Jiang and Conrath)"
    )
    bounded: ClassVar[bool] = False

    def similarities(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        similarity: Float64 = 1 / (1 + self.matrix(ontology, a, b))
        return similarity

    def matrix(self, ontology: Ontology, a: ConceptIndices, b: ConceptIndices) -> Float64:
        ic_a, ic_b = self.contents(ontology, a, b)
        distances = ic_a + ic_b - 2 * self.shared_content(ontology, a, b)
        return with_equal_pairs(on_grid(np.maximum(distances, 0)), a, b, 0.0)

    def maximum(self, ontology: Ontology) -> float:
        return 2 * float(self.content(ontology).max())
