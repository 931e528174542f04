"""UMLS in Rich Release Format: the Metathesaurus (MRCONSO, MRREL, MRSTY, MRDEF) or the Semantic Network.

Concepts are CUIs with their English, unsuppressed names. In MRREL the labels read from the second concept to
the first: `CUI1|PAR|CUI2|inverse_isa` says that CUI2 is the parent. A folder with SR* files alone is the
Semantic Network: semantic types under isa, with their typed relations such as ``causes``. Format: UMLS
Reference Manual, chapters 3 and 5.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import product
from operator import itemgetter
from pathlib import Path
from typing import Any

from ontomask.errors import OntologyError
from ontomask.files import files_below
from ontomask.ontology.core import Ontology
from ontomask.ontology.draft import Draft, at
from ontomask.ontology.formats.reading import numbered_lines

_COLUMNS = {
    "MRCONSO.RRF": "CUI LAT TS LUI STT SUI ISPREF AUI SAUI SCUI SDUI SAB TTY CODE STR SRL SUPPRESS CVF",
    "MRREL.RRF": "CUI1 AUI1 STYPE1 REL CUI2 AUI2 STYPE2 RELA RUI SRUI SAB SL RG DIR SUPPRESS CVF",
    "MRSTY.RRF": "CUI TUI STN STY ATUI CVF",
    "MRDEF.RRF": "CUI AUI ATUI SATUI SAB DEF SUPPRESS CVF",
    "SRDEF": "RT UI NAME STN DEF EX UN NH ABR RIN",
    "SRSTR": "ARG1 REL ARG2 LS",
    "SRSTRE1": "ARG1 REL ARG2",
    "SRSTRE2": "ARG1 REL ARG2",
}
_METATHESAURUS = ("MRCONSO.RRF", "MRREL.RRF")
SUPPRESSED = {"O", "E", "Y"}
_IS_A = "isa"
_CHILD_SECOND = ("CHD", _IS_A)
_PARENT_SECOND = ("PAR", "inverse_isa")
# Some vocabularies hang parts below wholes by PAR and CHD; a part is not a kind of its whole.
_PART_WHOLE = {"part_of", "has_part", "branch_of", "has_branch", "tributary_of", "has_tributary"}
_BLOCKED, _NOT_INHERITED = "B", "DNI"

_REMEDIES = dict.fromkeys(("SRDEF", "SRSTR"), "the Semantic Network is SRDEF with SRSTR or SRSTRE1") | {
    "MRSTY.RRF": "it has the semantic types of concepts"
}

Triple = tuple[str, str, str]


def recognises(path: Path) -> bool:
    """A folder with MRCONSO.RRF, MRREL.RRF or SRDEF in it, at any depth."""
    return path.is_dir() and any(_find(path, name) for name in (*_METATHESAURUS, "SRDEF"))


def source_files(path: Path) -> list[Path]:
    """The files that determine the result."""
    if _is_semantic_network(path):
        names = ["SRDEF", "SRSTR", "SRSTRE1", "SRSTRE2"]
        return [needed(path, "SRDEF"), *(file for name in names[1:] if (file := _find(path, name)))]
    optional = [file for name in ("MRSTY.RRF", "MRDEF.RRF") if (file := _find(path, name))]
    return [*(needed(path, name) for name in _METATHESAURUS), *optional]


def load(path: Path, name: str, sources: Collection[str] | None = None) -> Ontology:
    """Read a UMLS folder.

    `sources` keeps the names and links of these vocabularies alone (their SAB, such as ``MSH``). The links of
    several vocabularies together often run in a circle; those of one seldom do.
    """
    return load_network(path, name) if _is_semantic_network(path) else _load_concepts(path, name, sources)


def _is_semantic_network(path: Path) -> bool:
    return not any(_find(path, name) for name in _METATHESAURUS)


def _find(path: Path, name: str) -> Path | None:
    """The file of this name nearest to the top of the folder."""
    return min(files_below(path, name), key=lambda file: (len(file.parts), str(file)), default=None)


def needed(path: Path, name: str) -> Path:
    """The file of this name in a UMLS folder."""
    file = _find(path, name)
    if file is None:
        raise OntologyError(
            f"no file {name}",
            file=str(path),
            remedy=_REMEDIES.get(name, "needed are MRCONSO.RRF and MRREL.RRF"),
        )
    return file


def rows(path: Path, *wanted: str) -> Iterator[tuple[int, Any]]:
    """The wanted columns of every row, with its line number."""
    columns = _COLUMNS[path.name].split()
    pick, width = itemgetter(*map(columns.index, wanted)), len(columns)
    for number, line in numbered_lines(path):
        *fields, rest = line.rstrip("\r\n").split("|")
        if len(fields) != width or rest:
            wrong = f"{len(fields)} columns ended by '|', not {width}"
            if not line.endswith("\n"):
                wrong = "the last line is cut short"
            raise OntologyError(wrong, **at(path, number), remedy="get the file again")
        yield number, pick(fields)


def name_rank(ts: str, stt: str, is_preferred: str) -> int:
    """How much a name is that of its concept: 0 is the preferred name of the preferred term."""
    return 4 * (ts != "P") + 2 * (stt != "PF") + (is_preferred != "Y")


# ---------------------------------------------------------------------- Metathesaurus


def _load_concepts(path: Path, name: str, sources: Collection[str] | None) -> Ontology:
    draft = Draft(name)
    left_out, vocabularies = _read_names(needed(path, "MRCONSO.RRF"), sources, draft)
    _read_links(needed(path, "MRREL.RRF"), sources, left_out, draft)
    if types := _find(path, "MRSTY.RRF"):
        for _, (concept, semantic_type) in rows(types, "CUI", "STY"):
            if concept in draft:
                draft.semantic_type(concept, semantic_type)
    if definitions := _find(path, "MRDEF.RRF"):
        _read_definitions(definitions, vocabularies, draft)
    try:
        return draft.finish()
    except OntologyError as error:
        if sources is not None or not len(draft):
            raise
        hint = "vocabularies can contradict each other: read one by naming it in `sources`"
        raise error.at(remedy=f"{error.faults[0].remedy}; {hint}") from None


def _read_names(path: Path, sources: Collection[str] | None, draft: Draft) -> tuple[set[str], set[str]]:
    """Concepts, labels and terms; returns the CUIs that the filters left out, and the vocabularies kept."""
    draft.source = path
    ranks: dict[str, int] = {}
    seen: set[str] = set()
    vocabularies: set[str] = set()
    kept: set[str] = set()
    columns = ("CUI", "LAT", "TS", "STT", "ISPREF", "SAB", "STR", "SUPPRESS")
    for number, (cui, language, ts, stt, is_preferred, vocabulary, text, suppress) in rows(path, *columns):
        seen.add(cui)
        if language != "ENG" or suppress in SUPPRESSED:
            continue
        vocabularies.add(vocabulary)
        if sources is not None and vocabulary not in sources:
            continue
        kept.add(vocabulary)
        if cui not in draft:
            draft.concept(cui, line=number)
        draft.term(cui, text)
        rank = name_rank(ts, stt, is_preferred)
        if rank == 0 == ranks.get(cui):
            raise OntologyError(
                f"a second preferred English name for {cui!r}; a CUI has one: is the file joined from two?",
                **at(path, number),
                value=cui,
            )
        if rank < ranks.get(cui, 8):
            ranks[cui] = rank
            draft.label(cui, text)
    if sources is not None and (unknown := sorted(set(sources) - kept)):
        raise OntologyError(
            f"no English names of source {', '.join(unknown)}",
            **at(path),
            remedy=f"it has {', '.join(sorted(vocabularies)) or 'none'}",
        )
    return {cui for cui in seen if cui not in draft}, kept


def _read_links(path: Path, sources: Collection[str] | None, left_out: set[str], draft: Draft) -> None:
    draft.source = path
    hierarchical = skipped = 0
    columns = ("CUI1", "REL", "CUI2", "RELA", "SAB", "SUPPRESS")
    for number, (first, rel, second, rela, vocabulary, suppress) in rows(path, *columns):
        if suppress in SUPPRESSED or first == second or (sources is not None and vocabulary not in sources):
            continue
        if first in left_out or second in left_out:
            skipped += 1
            continue
        for cui in (first, second):
            if cui not in draft:
                raise OntologyError(
                    f"{second!r} {rela or rel} {first!r}, but {cui!r} is not in MRCONSO.RRF; are both "
                    "files of one release?",
                    **at(path, number),
                    value=cui,
                )
        if rela in _PART_WHOLE:
            draft.relation(rela, second, first)
        elif rel in _PARENT_SECOND or rela in _PARENT_SECOND:
            draft.is_a(first, second, number)
            hierarchical += 1
        elif rel in _CHILD_SECOND or rela in _CHILD_SECOND:
            draft.is_a(second, first, number)
            hierarchical += 1
        elif rela:
            draft.relation(rela, second, first)
    if not hierarchical and len(draft) > 1:
        raise OntologyError("no PAR, CHD or isa links between the concepts: no hierarchy", **at(path))
    if skipped:
        draft.note(f"{skipped:,} links of {path.name} lead to concepts without a name that was asked for")


def _read_definitions(path: Path, vocabularies: set[str], draft: Draft) -> None:
    """The first definition from a vocabulary whose names are used (so that it is in their language)."""
    defined: set[str] = set()
    for _, (concept, vocabulary, text, suppress) in rows(path, "CUI", "SAB", "DEF", "SUPPRESS"):
        if concept in defined or concept not in draft:
            continue
        if vocabulary in vocabularies and suppress not in SUPPRESSED:
            defined.add(concept)
            draft.gloss(concept, text)


# ---------------------------------------------------------------------- Semantic Network


def load_network(path: Path, name: str) -> Ontology:
    """The Semantic Network in a folder, whatever else is in it; relations are passed down to subtypes."""
    definitions = needed(path, "SRDEF")
    draft = Draft(name, definitions)
    ids: dict[str, str] = {}  # of semantic types, by name and by id
    relation_names: dict[str, str] = {}
    for number, (record, ui, text, gloss) in rows(definitions, "RT", "UI", "NAME", "DEF"):
        if record == "STY":
            draft.concept(ui, text, number)
            draft.gloss(ui, gloss)
            ids[ui] = ids[text] = ui
        elif record == "RL":
            relation_names[ui] = relation_names[text] = text
        else:
            raise OntologyError(
                f"record type {record!r}, neither STY nor RL", **at(definitions, number), value=record
            )

    stated = _find(path, "SRSTR")
    inherited = _find(path, "SRSTRE1") or _find(path, "SRSTRE2")
    draft.source = stated or inherited or needed(path, "SRSTR")
    links = _stated_links(stated, ids, relation_names) if stated else {}
    closed = _inherited_links(inherited, ids, relation_names) if inherited else None
    is_a = {link for link in links if link[1] == _IS_A} or _direct(closed or set())
    for child, _, parent in sorted(is_a):
        draft.is_a(child, parent)
    for subject, relation, target in sorted(_inherit(links, is_a) if closed is None else closed):
        if relation != _IS_A:
            draft.relation(relation, subject, target)
    return draft.finish()


def _stated_links(path: Path, ids: dict[str, str], relations: dict[str, str]) -> dict[Triple, str]:
    """Links between semantic types as SRSTR states them, with their status."""
    links: dict[Triple, str] = {}
    for number, (subject, relation, target, status) in rows(path, "ARG1", "REL", "ARG2", "LS"):
        if subject in relations or not target:  # relations have a hierarchy of their own; a root isa nothing
            continue
        links[_known(path, number, (subject, relation, target), ids, relations)] = status
    return links


def _inherited_links(path: Path, ids: dict[str, str], relations: dict[str, str]) -> set[Triple]:
    return {_known(path, number, link, ids, relations) for number, link in rows(path, "ARG1", "REL", "ARG2")}


def _known(path: Path, number: int, link: Triple, ids: dict[str, str], relations: dict[str, str]) -> Triple:
    subject, relation, target = link
    for text, known in ((subject, ids), (relation, relations), (target, ids)):
        if text not in known:
            raise OntologyError(
                f"{text!r} is not defined in SRDEF",
                **at(path, number),
                value=text,
                remedy="add it or remove the link",
            )
    return ids[subject], relations[relation], ids[target]


def _direct(closed: set[Triple]) -> set[Triple]:
    """The is-a links that no chain of two others replaces: SRSTRE files list every ancestor."""
    above: dict[str, set[str]] = {}
    for child, relation, parent in closed:
        if relation == _IS_A and child != parent:
            above.setdefault(child, set()).add(parent)
    return {
        (child, _IS_A, parent)
        for child, parents in above.items()
        for parent in parents
        if not any(parent in above.get(other, ()) for other in parents)
    }


def _inherit(links: dict[Triple, str], is_a: set[Triple]) -> set[Triple]:
    """Pass stated relations down to the subtypes of both ends, but for those that are blocked."""
    children: dict[str, list[str]] = {}
    for child, _, parent in is_a:
        children.setdefault(parent, []).append(child)

    def below(top: str) -> set[str]:
        found, waiting = {top}, [top]
        while waiting:
            new = set(children.get(waiting.pop(), ())) - found
            found |= new
            waiting.extend(new)
        return found

    held: set[Triple] = set()
    blocked: set[Triple] = set()
    for (subject, relation, target), status in links.items():
        if relation == _IS_A:
            continue
        if status == _NOT_INHERITED:
            held.add((subject, relation, target))
        else:
            pairs = {(a, relation, b) for a, b in product(below(subject), below(target))}
            (blocked if status == _BLOCKED else held).update(pairs)
    return held - blocked
