"""Reading a small text file whole, with errors a person can act on.

For hierarchy files that fit in memory. It knows nothing of any format.
"""

from __future__ import annotations

from pathlib import Path

from ontomask.errors import OntologyError
from ontomask.ontology.draft import place

_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_PEEK_BYTES = 4096


def read_text(path: Path) -> str:
    """The text of a UTF-8 file without byte order mark, lines ended by ``\\n``.

    Raises
    ------
    OntologyError
        The file is missing, empty, or not UTF-8 text (with the line of the first bad byte).
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise OntologyError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = _OTHER_ENCODINGS.get(content[:2], f"byte 0x{content[error.start]:02x}")
        raise OntologyError(
            f"{place(path, line)}not UTF-8 text ({found} found); save the file as UTF-8"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise OntologyError(f"{place(path, line)}a zero byte: this is not UTF-8 text; save the file as UTF-8")
    if not text.strip():
        raise OntologyError(f"{place(path)}the file is empty")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def peek(path: Path) -> str:
    """The beginning of a file for guessing its format; whatever is not UTF-8 is left out."""
    try:
        with path.open("rb") as file:
            return file.read(_PEEK_BYTES).decode("utf-8-sig", errors="ignore")
    except OSError:
        return ""


def one_line(label: str, source: str | Path, line: int) -> str:
    """The label itself, if it can serve as one: not empty, no line break inside."""
    if not label.strip():
        raise OntologyError(f"{place(source, line)}an empty label; every node needs a name")
    if "\n" in label or "\r" in label:
        raise OntologyError(
            f"{place(source, line)}the label {label!r} has a line break; write it on one line"
        )
    return label
