"""Every measure against people: the noun pairs of Rubenstein & Goodenough (1965) and Miller & Charles (1991).

How close two words are said to be, beside how far apart their nearest senses are in WordNet 3.1.
"""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
from scipy.stats import spearmanr

import ontomask as om
from common import GOLDEN, Page

SETS = {"Miller-Charles": "miller_charles.csv", "Rubenstein-Goodenough": "rubenstein_goodenough.csv"}
VARIANTS: list[tuple[str, dict[str, str]]] = [
    ("logsc", {}),
    ("path", {}),
    ("lch", {}),
    ("wup", {"convention": "links"}),
    ("wup", {"convention": "ws4j"}),
    ("wup", {"convention": "nltk"}),
    *((name, {"ic": ic}) for name in ("resnik", "lin", "jcn") for ic in ("seco", "sanchez")),
    *((name, {}) for name in ("tversky", "rodriguez", "petrakis", "vector", "equality")),
]
PUBLISHED = {"logsc": 0.85, "lch": 0.74, "wup (links)": 0.74, "path": 0.59}


def pairs_of(name: str) -> list[tuple[str, str, float]]:
    """Two nouns and how alike people find them, 0 to 4."""
    with (GOLDEN / SETS[name]).open(newline="") as file:
        return [(row["first"], row["second"], float(row["rating"])) for row in csv.DictReader(file)]


def agreement(name: str, measure: str, **options: Any) -> tuple[float, float]:
    """Pearson's and Spearman's correlation of the ratings with nearness (minus the distance)."""
    wordnet = om.load_ontology("wordnet")
    pairs = pairs_of(name)
    near = [-wordnet.distance(a, b, measure=measure, **options) for a, b, _ in pairs]
    rated = [rating for _, _, rating in pairs]
    return float(np.corrcoef(rated, near)[0, 1]), float(spearmanr(rated, near).statistic)


def main() -> None:
    """All measures on both sets."""
    page = Page(
        "similarity",
        "Measures against people",
        "People rated how alike two nouns are, from 0 to 4: 51 on 65 pairs (Rubenstein & Goodenough "
        "1965, *Contextual correlates of synonymy*), and 38 others on 30 of these (Miller & Charles 1991, "
        "*Contextual correlates of semantic similarity*; *cord - smile* is *chord - smile* there). A measure "
        "gives the distance of the two nearest senses in WordNet 3.1; the tables show how its negative "
        "correlates with the ratings. IC comes from the taxonomy alone (seco, sanchez).",
    )
    found = {
        f"{name} ({', '.join(options.values())})" if options else name: {
            one: agreement(one, name, **options) for one in SETS
        }
        for name, options in VARIANTS
    }
    headings = [
        "measure",
        *(f"{one}, {kind}" for one in SETS for kind in ("Pearson", "Spearman")),
        "published",
    ]
    page.table(
        headings,
        [
            [what, *(f"{x:.2f}" for one in SETS for x in row[one]), PUBLISHED.get(what, "")]
            for what, row in found.items()
        ],
    )
    page.text("Published: Pearson on the Miller-Charles pairs, with WordNet 2.")
    pearson = {what: row["Miller-Charles"][0] for what, row in found.items()}
    edges = {what: pearson[what] for what in PUBLISHED}
    page.verdict(
        "logsc agrees with people best of logsc, lch, wup and path, and path least",
        max(edges, key=edges.__getitem__) == "logsc" and min(edges, key=edges.__getitem__) == "path",
        ", ".join(f"{what} {x:.2f}" for what, x in edges.items()),
    )
    page.write()


if __name__ == "__main__":
    main()
