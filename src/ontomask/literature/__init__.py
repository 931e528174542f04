"""Counts of terms in texts, and the MIM of attributes with the question that a table is mined for.

Loh 2012, section 3.3. It knows texts and terms; no table of people, no plan.
"""

from __future__ import annotations

from pathlib import Path

from ontomask.literature.collection import Collection, index_texts, is_index
from ontomask.literature.counts import Counts, Literature, counts_of, mim, mim_of
from ontomask.literature.entrez import Entrez, default_cache
from ontomask.literature.filters import FILTERS
from ontomask.literature.table import CountTable

__all__ = [
    "FILTERS",
    "Collection",
    "CountTable",
    "Counts",
    "Entrez",
    "Literature",
    "counts_of",
    "index_texts",
    "mim",
    "mim_of",
    "open_literature",
]


def open_literature(source: str) -> Literature:
    """What a name stands for: the address of a service, an index of texts, or a CSV file of counts."""
    if "://" in source:
        return Entrez(source, cache=default_cache())
    path = Path(source)
    return Collection(path) if is_index(path) else CountTable.read(path)
