"""Words of another language for the shipped WordNet: *enfermera* is found, and written.

They come from the Open Multilingual Wordnet (Bond and Foster 2013): a tab file, or WN-LMF XML whose synsets
have offsets in their ids. Both use the offsets of WordNet 3.0; a map to the 3.1 that is shipped lies beside
it. Knows no table and no plan.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from ontomask.errors import OntologyError
from ontomask.ontology.core import Ontology
from ontomask.ontology.csr import Texts
from ontomask.ontology.draft import at, digest_of, table
from ontomask.ontology.formats._xml import readable_xml
from ontomask.ontology.formats.reading import numbered_lines, opened, peek_markup

MAP = Path(__file__).parent / "data" / "wordnet30.xz"

_NONE = 10**8  # no offset has nine digits
_TAB_SYNSET = re.compile(r"(\d{8})-([a-z])")
_LMF_SYNSET = re.compile(r".*-(\d{8})-n")
_NOT_BY_OFFSET = (
    "its synsets have no offsets of WordNet 3.0 in their ids, and a map of ILI ids is not shipped"
)


def relabelled(wordnet: Ontology, path: Path) -> Ontology:
    """WordNet with the words of a file laid over it.

    A word of the file means what it means there, the sense first that is the most frequent one in English;
    English words are found where the file has no such word. The label of a synset is its first word that
    means it before all else, no abbreviation if possible: files are mostly in the order of the alphabet, and
    *chispa*, a spark, is a poor name of an electrician. Ids are the English names of senses
    (``nurse.n.01``), so that mappings and `under` stay what they were.
    """
    concept_at = {offset: wordnet.concept(here) for here, offset in offsets_of_30(wordnet).items()}
    given: dict[int, dict[str, None]] = {}
    unknown: set[str] = set()
    for offset, word in words_in(path):
        if offset in concept_at:
            given.setdefault(concept_at[offset], {})[word] = None
        else:
            unknown.add(offset)
    if not given:
        raise OntologyError("no noun of it is in WordNet", **at(path), remedy=_NOT_BY_OFFSET)
    keys = [wordnet.key(concept) for concept in range(len(wordnet))]
    meant: dict[str, list[int]] = {}
    for concept in sorted(given, key=lambda concept: (_sense_number(keys[concept]), concept)):
        for word in dict.fromkeys(word.lower() for word in given[concept]):
            meant.setdefault(word, []).append(concept)

    def label_of(concept: int) -> str:
        return min(given[concept], key=lambda word: (meant[word.lower()][0] != concept, word.isupper()))

    labels = [label_of(c) if c in given else label for c, label in enumerate(wordnet.labels)]
    senses = {term: wordnet.senses[t].tolist() for t, term in enumerate(wordnet.terms)} | meant
    terms = sorted(senses)
    words = Texts.of(keys), Texts.of(labels), Texts.of(terms)
    rows = table([(t, concept) for t, term in enumerate(terms) for concept in senses[term]], len(terms))
    left_out = f"; {len(unknown):,} of its synsets are not in WordNet 3.1" if unknown else ""
    return replace(
        wordnet,
        name=f"wordnet with {path.name}",
        ids=words[0],
        labels=words[1],
        terms=words[2],
        senses=rows,
        digest=digest_of(*words, wordnet.parents, rows),
        notes=(*wordnet.notes, f"{len(given):,} concepts have labels of {path.name}{left_out}"),
    )


def words_in(path: Path) -> Iterator[tuple[str, str]]:
    """(offset in WordNet 3.0, word) of every noun in a tab or WN-LMF file, in its order."""
    is_xml = peek_markup(path).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<")
    return _lmf_words(path) if is_xml else _tab_words(path)


def _tab_words(path: Path) -> Iterator[tuple[str, str]]:
    """Of lines `10366966-n <tab> spa:lemma <tab> enfermera`; definitions and examples are left out."""
    for number, line in numbered_lines(path):
        if line.startswith("#") or not line.strip():
            continue
        synset, *rest = line.rstrip("\r\n").split("\t")
        found = _TAB_SYNSET.fullmatch(synset)
        if found is None or len(rest) < 2:
            raise OntologyError(
                "expected a synset, a kind and a word, with tabs between them",
                **at(path, number),
                remedy="such as `10366966-n<tab>spa:lemma<tab>enfermera`, or give WN-LMF XML",
            )
        word = rest[-1].strip()
        if found[2] == "n" and rest[0].rpartition(":")[2] == "lemma" and word:
            yield found[1], word.replace("_", " ")


def _lmf_words(path: Path) -> Iterator[tuple[str, str]]:
    """The lemma of every entry with the synsets of its senses."""
    with readable_xml(path), opened(path) as file:
        for _, element in ElementTree.iterparse(file):
            if element.tag != "LexicalEntry":
                continue
            lemma = element.find("Lemma")
            word = "" if lemma is None else lemma.get("writtenForm", "").strip()
            for sense in element.iter("Sense"):
                found = _LMF_SYNSET.fullmatch(sense.get("synset", ""))
                if found and word and "\n" not in word:
                    yield found[1], word
            element.clear()


def _sense_number(key: str) -> int:
    """1 for the most frequent sense of an English word; what has no such name comes last."""
    number = key.rpartition(".n.")[2]
    return int(number) if number != key else _NONE


# ---------------------------------------------------------------------- from 3.0 to 3.1


def offsets_of_30(wordnet: Ontology) -> Mapping[str, str]:
    """The offset in WordNet 3.0 of each offset of the shipped 3.1 that is there too."""
    here = sorted(map(int, wordnet.ids))
    shifts = np.cumsum(np.frombuffer(lzma.decompress(MAP.read_bytes()), "<i4"))
    return {
        f"{offset:08d}": f"{offset + shift:08d}"
        for offset, shift in zip(here, shifts.tolist(), strict=True)
        if shift != _NONE
    }


def write_offsets(offset_in_30: Mapping[str, str], wordnet: Ontology) -> None:
    """Store the map: how far each offset moved, as differences, for neighbours move together."""
    shifts = [
        int(offset_in_30[here]) - int(here) if here in offset_in_30 else _NONE for here in sorted(wordnet.ids)
    ]
    moved = np.diff(np.array(shifts, np.int64), prepend=0).astype("<i4")
    MAP.write_bytes(lzma.compress(moved.tobytes(), preset=9 | lzma.PRESET_EXTREME))
