"""Reading source files of any format, with errors a person can act on.

Files may be gzip-compressed; text is UTF-8, with or without byte order mark. It knows nothing of any format.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ontomask.errors import OntologyError
from ontomask.files import most_unpacked, regular
from ontomask.ontology.draft import at

_PEEK_BYTES = 4096
_OTHER_ENCODINGS = {  # the first that fits counts
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


def suffix(path: Path) -> str:
    """The suffix that tells the format: ``.obo`` for both ``hp.obo`` and ``HP.OBO.gz``."""
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return inner.suffix.lower()


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed; what cannot be read is an `OntologyError`."""
    try:
        with regular(path).open("rb") as file:
            yield io.BufferedReader(_Unpacked(file, path)) if path.suffix.lower() == ".gz" else file
    except (EOFError, zlib.error, gzip.BadGzipFile) as damage:
        raise OntologyError(f"damaged gzip file ({damage})", file=path.name, remedy="get it again") from None
    except OSError as error:
        raise OntologyError(f"cannot be read ({error.strerror or error})", file=str(path)) from None


class _Unpacked(io.RawIOBase):
    """What is in a gzip file, up to far more than words could have been packed into it."""

    def __init__(self, packed: BinaryIO, path: Path) -> None:
        self._content = gzip.GzipFile(fileobj=packed)
        self._left = most_unpacked(path.stat().st_size)
        self._path = path

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._content.readinto(buffer)
        self._left -= count
        if self._left < 0:
            raise OntologyError("unpacks to far too much", file=self._path.name, remedy="unpack it yourself")
        return count


def peek(path: Path) -> bytes:
    """The first few kB of a file; an `OntologyError` if it holds nothing."""
    with opened(path) as file:
        start = file.read(_PEEK_BYTES)
    if not start.strip():
        raise OntologyError("the file is empty", file=path.name)
    return start


def read_text(path: Path) -> str:
    """The text of a UTF-8 file without byte order mark, lines ended by ``\\n``.

    Raises
    ------
    OntologyError
        The file is missing, empty, or not UTF-8 text (with the line of the first bad byte).
    """
    try:
        content = regular(path).read_bytes()
    except OSError as error:
        raise OntologyError(f"cannot be read ({error.strerror})", file=str(path)) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02x}"
        found = next((name for mark, name in _OTHER_ENCODINGS.items() if content.startswith(mark)), byte)
        raise OntologyError(
            f"not UTF-8 text ({found} found)", **at(path, line), remedy="save the file as UTF-8"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise OntologyError(
            "a zero byte: this is not UTF-8 text", **at(path, line), remedy="save the file as UTF-8"
        )
    if not text.strip():
        raise OntologyError("the file is empty", **at(path))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def peek_text(path: Path) -> str:
    """The beginning of a file for guessing its format; whatever cannot be read is left out."""
    try:
        return peek(path).decode("utf-8-sig", errors="ignore")
    except OntologyError:
        return ""


def peek_markup(path: Path) -> bytes:
    """The beginning of an XML file, whatever the width of its characters; empty if it cannot be read."""
    try:
        return peek(path).replace(b"\0", b"")
    except OntologyError:
        return b""


def one_line(label: str, source: str | Path, line: int) -> str:
    """The label itself, if it can serve as one: not empty, no line break inside."""
    if not label.strip():
        raise OntologyError("an empty label", **at(source, line), remedy="every node needs a name")
    if "\n" in label or "\r" in label:
        raise OntologyError(
            f"the label {label!r} has a line break",
            **at(source, line),
            value=label,
            remedy="write it on one line",
        )
    return label


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Every line with its number, line end included, so that a caller can tell a line that was cut."""
    number = 0
    try:
        with regular(path).open(encoding="utf-8-sig", newline="\n") as file:
            for number, line in enumerate(file, 1):
                yield number, line
    except OSError as error:
        raise OntologyError(f"cannot be read ({error.strerror})", file=str(path)) from None
    except UnicodeDecodeError:
        raise OntologyError(
            "not UTF-8 text", **at(path, _undecodable_line(path)), remedy="convert the file to UTF-8"
        ) from None
    if not number:
        raise OntologyError("the file is empty", **at(path), remedy="get it again")


def _undecodable_line(path: Path) -> int:
    """Where decoding fails: the reader works in blocks, so its own position is of no use."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return 0
