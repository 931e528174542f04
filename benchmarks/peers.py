"""The same measures in nltk, wn and semsimian, on the same is-a graph, one pair after another.

Each peer lives in a virtual environment of its own in the user's cache folder, made on first use, and is
given our graph in the format it reads. This file runs on both sides: here it prepares and starts a peer;
inside the peer's environment, where nothing of ours is installed, it times the peer and prints JSON.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import quoteattr

if TYPE_CHECKING:
    import numpy as np

    from ontomask import Ontology

REPEATS = 3
PATIENCE_S = 20.0  # per measure: a slow peer gets fewer pairs
SENSE_FILES = 45


class PeerError(Exception):
    """A peer that cannot be installed or does not run."""


# ------------------------------------------------------------------ our side


def run_peer(name: str, ontology: Ontology, pairs: np.ndarray) -> dict[str, Any]:
    """Rates in pairs/s and the values found, by measure, for `pairs` of concepts."""
    home = cache_folder() / name
    python = _installed(name, home)
    graph = home / f"graph-{ontology.digest[:16]}"
    if not graph.exists():
        unfinished = home / f"{graph.name}.{os.getpid()}"
        unfinished.mkdir()
        EXPORT[name](ontology, unfinished)
        unfinished.rename(graph)
    order = {"folder": str(graph), "pairs": pairs.tolist()}
    result = subprocess.run(
        [python, __file__, name],
        input=json.dumps(order),
        env=os.environ | {"RAYON_NUM_THREADS": "1"},  # semsimian's; the others have one thread anyway
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        raise PeerError(f"it stopped: {_last_line(result.stderr)}")
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def cache_folder() -> Path:
    """Where the peers' environments are kept."""
    from platformdirs import user_cache_path

    return user_cache_path("ontomask", appauthor=False) / "peers"


def _installed(name: str, home: Path, *beside: str) -> Path:
    """The Python of an environment that has the package, and what it needs without saying so."""
    python = home / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (home / "installed").exists():
        home.mkdir(parents=True, exist_ok=True)
        venv.create(home / "venv", clear=True, with_pip=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", name, *beside]
        result = subprocess.run(pip, capture_output=True, text=True, check=False)
        if result.returncode:
            raise PeerError(f"it cannot be installed: {_last_line(result.stderr)}")
        (home / "installed").touch()
    return python


def _last_line(text: str) -> str:
    return (text.strip() or "no message").splitlines()[-1]


def export_wndb(ontology: Ontology, folder: Path) -> None:
    """A WNDB folder, the form nltk reads; a synset's name is its byte position in `data.noun`.

    Every concept has one word, `c` and its index, so nltk finds it as `c17.n.01`.
    """
    corpus = folder / "corpora" / "wordnet"
    corpus.mkdir(parents=True)
    for part in ("adj", "adv", "noun", "verb"):
        for file in (f"data.{part}", f"index.{part}", f"{part}.exc"):
            (corpus / file).write_text("")
    (corpus / "data.adj").write_text("  1 WordNet 3.1 Copyright\n")  # nltk asks for the release in every call
    (corpus / "lexnames").write_text("".join(f"{i:02d}\tfile.{i}\t1\n" for i in range(SENSE_FILES)))
    (corpus / "index.sense").touch()
    (corpus / "cntlist.rev").touch()

    def line(concept: int, offset: list[int]) -> str:
        parents = ontology.parents[concept].tolist()
        pointers = "".join(f"@ {offset[p]:08d} n 0000 " for p in parents)
        return f"{offset[concept]:08d} 03 n 01 c{concept} 0 {len(parents):03d} {pointers}| none\n"

    concepts = range(len(ontology))
    offset = [0] * len(ontology)  # a line's length does not depend on the numbers in it
    for concept in concepts[1:]:
        offset[concept] = offset[concept - 1] + len(line(concept - 1, [0] * len(ontology)))
    (corpus / "data.noun").write_text("".join(line(c, offset) for c in concepts))
    (corpus / "index.noun").write_text("".join(f"c{c} n 1 1 @ 1 0 {offset[c]:08d}  \n" for c in concepts))


def export_lmf(ontology: Ontology, folder: Path) -> None:
    """A WN-LMF lexicon, the form wn reads."""

    def entries() -> Iterable[str]:
        for c in range(len(ontology)):
            form = quoteattr(ontology.labels[c])
            yield f'<LexicalEntry id="x-e{c}"><Lemma writtenForm={form} partOfSpeech="n"/>'
            yield f'<Sense id="x-n{c}" synset="x-{c}"/></LexicalEntry>\n'
        for c in range(len(ontology)):
            yield f'<Synset id="x-{c}" ili="" partOfSpeech="n">'
            for parent in ontology.parents[c].tolist():
                yield f'<SynsetRelation relType="hypernym" target="x-{parent}"/>'
            yield "</Synset>\n"

    with (folder / "lexicon.xml").open("w", encoding="utf-8") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
        file.write(
            '<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">\n'
        )
        file.write('<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">\n')
        file.write('<Lexicon id="x" label="x" language="en" email="x" license="x" version="1">\n')
        file.writelines(entries())
        file.write("</Lexicon>\n</LexicalResource>\n")


def export_closure(ontology: Ontology, folder: Path) -> None:
    """Every (concept, ancestor), the form semsimian reads."""
    closure = ontology.ancestors
    pairs = {"below": closure.row_of_value.tolist(), "above": closure.values.tolist()}
    (folder / "closure.json").write_text(json.dumps(pairs))


EXPORT: dict[str, Callable[[Ontology, Path], None]] = {
    "nltk": export_wndb,
    "wn": export_lmf,
    "semsimian": export_closure,
}


# ------------------------------------------------------------------ the peer's side: nothing of ours


def time_nltk(folder: Path, pairs: list[list[int]]) -> dict[str, Any]:
    """path, wup, lch."""
    import warnings

    import nltk
    from nltk.corpus.reader import WordNetCorpusReader

    nltk.data.path.append(str(folder))
    with warnings.catch_warnings(action="ignore"):
        reader = WordNetCorpusReader(str(folder / "corpora" / "wordnet"), None)
    synsets = [(reader.synset(f"c{a}.n.01"), reader.synset(f"c{b}.n.01")) for a, b in pairs]
    return {
        "path": timed(lambda a, b: a.path_similarity(b), synsets),
        "wup": timed(lambda a, b: a.wup_similarity(b), synsets),
        "lch": timed(lambda a, b: a.lch_similarity(b), synsets),
    }


def time_wn(folder: Path, pairs: list[list[int]]) -> dict[str, Any]:
    """path, wup, lch."""
    import wn
    import wn.similarity
    import wn.taxonomy

    wn.config.data_directory = folder
    if not wn.lexicons():
        wn.add(folder / "lexicon.xml", progress_handler=None)
    lexicon = wn.Wordnet("x:1")
    synsets = [(lexicon.synset(f"x-{a}"), lexicon.synset(f"x-{b}")) for a, b in pairs]
    depth = wn.taxonomy.taxonomy_depth(lexicon, "n")
    return {
        "path": timed(wn.similarity.path, synsets),
        "wup": timed(wn.similarity.wup, synsets),
        "lch": timed(lambda a, b: wn.similarity.lch(a, b, depth), synsets),
    }


def time_semsimian(folder: Path, pairs: list[list[int]]) -> dict[str, Any]:
    """Jaccard of the ancestors, of which logsc is a function, and resnik; by pair and all by all."""
    from semsimian import Semsimian

    closure = json.loads((folder / "closure.json").read_text())
    triples = [(str(c), "is-a", str(a)) for c, a in zip(closure["below"], closure["above"], strict=True)]
    engine = Semsimian(triples, ["is-a"])
    terms = [(str(a), str(b)) for a, b in pairs]
    found = {
        "jaccard": timed(engine.jaccard_similarity, terms),
        "resnik": timed(lambda a, b: engine.resnik_similarity(a, b)[1], terms),
    }
    some = {a for a, _ in terms[:300]}
    best = min(_seconds(lambda: engine.all_by_all_pairwise_similarity(some, some)) for _ in range(REPEATS))
    return found | {"all by all": {"rate": len(some) ** 2 / best, "values": []}}


def timed(similarity: Callable[[Any, Any], float], pairs: list[tuple[Any, Any]]) -> dict[str, Any]:
    """Best rate of several passes over the pairs, after a first call that may set things up."""
    similarity(*pairs[0])
    values: list[float] = []
    seconds = _seconds(lambda: values.extend(similarity(*pair) for pair in pairs[:100]))
    kept = pairs[: max(100, min(len(pairs), int(PATIENCE_S / REPEATS / (seconds / 100))))]
    values.clear()
    best = math.inf
    for _ in range(REPEATS):
        values.clear()
        best = min(best, _seconds(lambda: values.extend(similarity(*pair) for pair in kept)))
    return {"rate": len(kept) / best, "values": values}


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


TIME: dict[str, Callable[[Path, list[list[int]]], dict[str, Any]]] = {
    "nltk": time_nltk,
    "wn": time_wn,
    "semsimian": time_semsimian,
}

if __name__ == "__main__":
    asked = json.load(sys.stdin)
    print(json.dumps(TIME[sys.argv[1]](Path(asked["folder"]), asked["pairs"])))
