"""Build the map from WordNet 3.0 to the shipped 3.1: `python build_wordnet30.py WNDB_FOLDER`.

The folder is that of WordNet 3.0 (for example of the Debian package wordnet-base). Wordnets of other
languages use the offsets of 3.0, which changed with 3.1. A synset of both is found by what it says, most
telling first: all its words and its gloss, one of the two, its words and those above it; each only where one
synset alone says it.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path

from ontomask.ontology import Ontology, load_ontology
from ontomask.ontology.formats import wndb
from ontomask.ontology.labels import MAP, write_offsets

Saying = Callable[[Ontology, int], Hashable]


def words(ontology: Ontology, concept: int) -> Hashable:
    """All words of a synset."""
    return frozenset(ontology.synonyms(concept))


def definition(ontology: Ontology, concept: int) -> str:
    """The gloss without its examples."""
    return ontology.gloss(concept).partition(";")[0]


SAYINGS: Sequence[Saying] = (
    lambda o, c: (words(o, c), o.gloss(c)),
    lambda o, c: (o.labels[c].lower(), o.gloss(c)),
    lambda o, c: o.gloss(c),
    lambda o, c: (words(o, c), definition(o, c)),
    lambda o, c: (words(o, c), frozenset(words(o, int(parent)) for parent in o.parents[c])),
    words,
)


def matched(new: Ontology, old: Ontology) -> dict[int, int]:
    """Which synset of the old release each one of the new is."""
    found: dict[int, int] = {}
    for saying in SAYINGS:
        told: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
        taken = set(found.values())
        for concept in range(len(new)):
            if concept not in found:
                told[saying(new, concept)][0].append(concept)
        for concept in range(len(old)):
            if concept not in taken:
                told[saying(old, concept)][1].append(concept)
        found |= {here[0]: there[0] for here, there in told.values() if len(here) == len(there) == 1}
    return found


def main(folder: Path) -> None:
    """Write the map beside this script."""
    new, old = load_ontology("wordnet"), wndb.load(folder, "wordnet30")
    found = matched(new, old)
    write_offsets({new.ids[here]: old.ids[there] for here, there in found.items()}, new)
    print(f"{len(found):,} of {len(old):,} synsets of 3.0; {MAP.stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
