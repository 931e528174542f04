"""What can be wrong with XML, in words; for the formats that are written in it.

Entities are expanded by expat, which stops where they multiply; nothing outside the file is fetched.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree.ElementTree import ParseError
from xml.parsers.expat import ErrorString
from xml.parsers.expat.errors import (
    XML_ERROR_INVALID_TOKEN,
    XML_ERROR_NO_ELEMENTS,
    XML_ERROR_PARTIAL_CHAR,
    XML_ERROR_UNCLOSED_TOKEN,
    codes,
)

from ontomask.errors import OntologyError
from ontomask.ontology.draft import at

_CUT_SHORT = {
    codes[error] for error in (XML_ERROR_NO_ELEMENTS, XML_ERROR_PARTIAL_CHAR, XML_ERROR_UNCLOSED_TOKEN)
}


@contextmanager
def readable_xml(path: Path) -> Iterator[None]:
    """Whatever is no XML is an `OntologyError` with its line."""
    try:
        yield
    except ParseError as error:
        wrong, remedy = _problem(error.code)
        raise OntologyError(wrong, **at(path, error.position[0]), remedy=remedy) from None
    except (LookupError, ValueError) as error:
        raise OntologyError(
            f"not readable as XML ({error})", **at(path), remedy="save it as XML in UTF-8"
        ) from None
    except RecursionError:
        raise OntologyError(
            "elements are nested too deeply", **at(path), remedy="write one element per concept"
        ) from None


def _problem(code: int) -> tuple[str, str]:
    """What is wrong, and what to do about it."""
    if code in _CUT_SHORT:
        return "the XML is cut short", "get the file again"
    if code == codes[XML_ERROR_INVALID_TOKEN]:
        wrong = "not well-formed XML, or not in the encoding that its first line declares"
        return wrong, "save it as UTF-8"
    return f"not well-formed XML ({ErrorString(code)})", "mend it or get the file again"
