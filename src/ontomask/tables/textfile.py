"""The bytes of a text file: its encoding, byte order mark and lines, checked before anything reads fields."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ontomask.arrays import UInt8
from ontomask.errors import TableError

_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_PIECE = 1 << 24


class Content(NamedTuple):
    """A text file in UTF-8, mapped or transcoded; its text begins at `body`."""

    mark: bytes
    encoding: str
    data: UInt8
    body: int


def read_content(path: Path, encoding: str) -> Content:
    """Read a file in an encoding; it must be valid text that can be written back unchanged."""
    try:
        encoding = codecs.lookup(encoding).name.removesuffix("-sig")
    except LookupError:
        raise TableError(
            f"there is no encoding {encoding!r}",
            value=encoding,
            is_public=True,
            remedy="try utf-8, cp1252 or utf-16",
        ) from None
    data: UInt8 = np.memmap(path, np.uint8, "r").view(np.ndarray)  # plain arrays are faster to slice
    start = data[:4].tobytes()
    mark = next((mark for mark in _MARKS if start.startswith(mark)), b"")
    if encoding == "utf-8":
        if mark and mark != codecs.BOM_UTF8:
            raise TableError("the file is UTF-16", file=str(path), remedy="set the encoding to utf-16")
        _check_utf8(path, data)
        _check_zeros(path, data)
        return Content(mark, encoding, data, len(mark))
    if encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        encoding = "utf-16-be" if mark == codecs.BOM_UTF16_BE or encoding == "utf-16-be" else "utf-16-le"
    else:
        mark = b""
    original = data[len(mark) :].tobytes()
    try:
        text = original.decode(encoding)
    except UnicodeDecodeError as error:
        raise TableError(
            f"byte {len(mark) + error.start} is not {encoding}",
            file=str(path),
            line=line_of(original[: error.start]),
            remedy="give the right encoding",
        ) from None
    if text.encode(encoding) != original:
        raise TableError(
            f"{encoding} cannot be written back unchanged",
            file=str(path),
            remedy="convert the file to UTF-8",
        )
    transcoded: UInt8 = np.frombuffer(text.encode(), np.uint8)
    _check_zeros(path, transcoded)
    return Content(mark, encoding, transcoded, 0)


def _check_utf8(path: Path, data: UInt8) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for first in range(0, len(data), _PIECE):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(data[first : first + _PIECE].tobytes(), first + _PIECE >= len(data))
        except UnicodeDecodeError as error:
            at = first - pending + error.start
            raise TableError(
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
