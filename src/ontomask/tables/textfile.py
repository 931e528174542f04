"""The bytes of a text file: its encoding, byte order mark and lines, checked before anything reads fields."""

from __future__ import annotations

import codecs
import hashlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ontomask.arrays import UInt8
from ontomask.errors import TableError
from ontomask.tables.encodings import makes_words, readings

_MARKS = {  # those of UTF-32 first: one of them begins as one of UTF-16 does
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_NOT_OF_FILES = ("idna", "punycode", "unicode-escape", "raw-unicode-escape")
_PIECE = 1 << 24
_SHOWN = 5


class Content(NamedTuple):
    """A text file in UTF-8, as it was or transcoded; its text begins at `body`, `digest` is of the file.

    `note` says how the encoding was found out, if it is not the usual one and nobody gave it.
    """

    mark: bytes
    encoding: str
    data: UInt8
    body: int
    digest: str
    note: str = ""


def read_content(path: Path, encoding: str | None) -> Content:
    """Read a file in an encoding (None: found out); it must be text that can be written back unchanged.

    The bytes are read once, into memory of our own: what is counted, hashed and written later is the same
    text, whatever happens to the file meanwhile.
    """
    data: UInt8 = np.fromfile(path, np.uint8)
    if encoding is not None:
        content = _content(path, data, _known(encoding))
        if makes_words(data, content.encoding):
            return content
        note = f"read as {encoding}, as given, the file has signs in words: is that its encoding?"
        return content._replace(note=note)
    mark = _mark_of(data)
    if mark and mark != codecs.BOM_UTF8:
        found = _MARKS[mark][: len("utf-16")]
        content = _content(path, data, found)
        return content._replace(note=f"the file is {found.upper()}, as its byte order mark says")
    try:
        return _content(path, data, "utf-8")
    except _NotUtf8Error as error:
        found = _found_encoding(data, error)
    content = _content(path, data, found)
    return content._replace(note=f"the file is not UTF-8 and was read as {found}, which was found out")


class _NotUtf8Error(TableError):
    """Bytes that are not UTF-8, although nobody said that they are something else."""


def _found_encoding(data: UInt8, error: _NotUtf8Error) -> str:
    """The encoding that makes words of the bytes; if there is none, or several, somebody has to say it."""
    fit = readings(data)
    if len(fit) == 1:
        return fit[0].encoding
    (fault,) = error.faults
    if not fit:
        raise TableError(
            f"{fault.text}, and no usual encoding makes words of the file",
            file=fault.file,
            line=fault.line,
            remedy="convert it to UTF-8, or set the encoding (`table.encoding`), such as cp1252",
        )
    raise TableError(
        f"{fault.text}; it may be {' or '.join(one.encoding for one in fit)}",
        file=fault.file,
        line=fault.line,
        details=tuple(f"{one.encoding}: {' '.join(one.words[:_SHOWN]).split()}" for one in fit),
        remedy=f"set the encoding (`table.encoding`), such as {fit[0].encoding}",
    )


def _mark_of(data: UInt8) -> bytes:
    start = data[:4].tobytes()
    return next((mark for mark in _MARKS if start.startswith(mark)), b"")


def _content(path: Path, data: UInt8, encoding: str) -> Content:
    digest = hashlib.sha256(data.data).hexdigest()
    mark = _mark_of(data)
    if encoding == "utf-8":
        if mark and mark != codecs.BOM_UTF8:
            found = _MARKS[mark][: len("utf-16")]
            raise TableError(
                f"the file is {found.upper()}", file=str(path), remedy=f"set the encoding to {found}"
            )
        _check_utf8(path, data)
        _check_zeros(path, data)
        return Content(mark, encoding, data, len(mark), digest)
    family = encoding[: len("utf-16")]
    if family in ("utf-16", "utf-32"):
        marked = _MARKS.get(mark, "")
        if not marked.startswith(encoding):
            mark, marked = b"", ""
        # Which end comes first must be in the name: without, every piece that is written begins with a mark.
        encoding = marked or (f"{family}-le" if encoding == family else encoding)
    else:
        mark = b""
    original = data[len(mark) :].tobytes()
    try:
        text = original.decode(encoding)
        transcoded: UInt8 = np.frombuffer(text.encode(), np.uint8)
        is_unchanged = text.encode(encoding) == original
    except UnicodeDecodeError as error:
        raise TableError(
            f"byte {len(mark) + error.start} is not {encoding}",
            file=str(path),
            line=line_of(original[: error.start]),
            remedy="give the right encoding",
        ) from None
    except UnicodeError:
        is_unchanged = False
    if not is_unchanged:
        raise TableError(
            f"{encoding} cannot be written back unchanged",
            file=str(path),
            remedy="convert the file to UTF-8",
        )
    _check_zeros(path, transcoded)
    return Content(mark, encoding, transcoded, 0, digest)


def _known(encoding: str) -> str:
    """The name of an encoding that text files are written in."""
    try:
        "".encode(encoding)
        name = codecs.lookup(encoding).name.removesuffix("-sig")
    except (LookupError, ValueError):
        name = ""
    if not name or name in _NOT_OF_FILES:
        raise TableError(
            f"there is no encoding {encoding!r} of text files",
            value=encoding,
            is_public=True,
            remedy="try utf-8, cp1252 or utf-16",
        )
    return name


def _check_utf8(path: Path, data: UInt8) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for first in range(0, len(data), _PIECE):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(data[first : first + _PIECE].tobytes(), first + _PIECE >= len(data))
        except UnicodeDecodeError as error:
            at = first - pending + error.start
            raise _NotUtf8Error(
                f"byte {at} is not UTF-8",
                file=str(path),
                line=line_of(data[:at].tobytes()),
                remedy="set the encoding of the file, such as cp1252",
            ) from None


def _check_zeros(path: Path, data: UInt8) -> None:
    for first in range(0, len(data), _PIECE):
        at = data[first : first + _PIECE].tobytes().find(0)
        if at >= 0:
            raise TableError(
                "a zero byte; this is not a text file",
                file=str(path),
                line=line_of(data[: first + at].tobytes()),
            )


def line_of(before: bytes) -> int:
    """The line on which the next byte stands."""
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
