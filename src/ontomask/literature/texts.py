"""Reading texts to be searched: MEDLINE/PubMed XML (also gzipped) as a stream, and plain text files.

Of an article its title, its abstract, its headings and its types of publication are read; later versions and
deletions (DeleteCitation) are told as they come. Format: MEDLINE/PubMed XML data elements. It knows nothing
of terms or of an index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, iterparse

from ontomask.errors import OntologyError
from ontomask.files import files_below, regular
from ontomask.literature.filters import mark_of
from ontomask.ontology.formats._xml import readable_xml
from ontomask.ontology.formats.reading import opened, peek, read_text, suffix

_SETS = (b"PubmedArticleSet", b"MedlineCitationSet")
_SUFFIXES = (".xml", ".txt")
_MARKED = {
    "heading": "MeshHeadingList/MeshHeading/DescriptorName",
    "subheading": "MeshHeadingList/MeshHeading/QualifierName",
    "type": "Article/PublicationTypeList/PublicationType",
}


class Text(NamedTuple):
    """A text that is searched, by a key of its own; `marks` are words for headings (see `mark_of`)."""

    key: str
    title: str
    abstract: str
    marks: str


class Deletion(NamedTuple):
    """The text with this key is withdrawn."""

    key: str


def text_files(path: Path) -> list[Path]:
    """The files that a path stands for: itself, or all XML and text files of a folder, in order of name."""
    try:
        if not regular(path).is_dir():
            return [path]
    except OSError as error:
        raise OntologyError(f"cannot be read ({error.strerror})", file=str(path)) from None
    return sorted(file for file in files_below(path, "*") if suffix(file) in _SUFFIXES)


def read_texts(files: Iterable[Path]) -> Iterator[Text | Deletion]:
    """All texts of the files, in order; the last one with a key counts."""
    for file in files:
        if suffix(file) == ".xml":
            yield from _articles(file)
        else:
            yield Text(str(file), "", read_text(file), "")


def _articles(path: Path) -> Iterator[Text | Deletion]:
    start = peek(path).replace(b"\0", b"")  # its characters may be wide
    if not any(name in start for name in _SETS):
        raise OntologyError(
            "not a set of MEDLINE articles", file=path.name, remedy="expected is a PubmedArticleSet"
        )
    with opened(path) as file, readable_xml(path):
        events = iterparse(file, events=("start", "end"))
        _, root = next(events)
        for event, element in events:
            if event == "start":
                continue
            if element.tag == "MedlineCitation":
                yield _article(element, path)
                root.clear()
            elif element.tag == "DeleteCitation":
                yield from (Deletion(_number(pmid, path)) for pmid in element.iterfind("PMID"))


def _article(citation: Element, path: Path) -> Text:
    title = citation.find("Article/ArticleTitle")
    sections = citation.iterfind("Article/Abstract/AbstractText")
    marks = (
        mark_of(kind, element.text or "")
        for kind, place in _MARKED.items()
        for element in citation.iterfind(place)
    )
    return Text(
        _number(citation.find("PMID"), path),
        "" if title is None else "".join(title.itertext()),
        "\n".join("".join(section.itertext()) for section in sections),
        " ".join(marks),
    )


def _number(pmid: Element | None, path: Path) -> str:
    found = "" if pmid is None or pmid.text is None else pmid.text.strip()
    if not (found.isascii() and found.isdigit()):
        raise OntologyError(
            f"an article has the PMID {found!r}, which is no number",
            file=path.name,
            value=found,
            remedy="get the file again",
        )
    return found
