"""Opening source files that may be gzip-compressed, and looking at how they begin.

It knows nothing of any format.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from ontomask.errors import OntologyError

PEEK_BYTES = 4096


def suffix(path: Path) -> str:
    """The suffix that tells the format: ``.obo`` for both ``hp.obo`` and ``HP.OBO.gz``."""
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return inner.suffix.lower()


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed; what cannot be read is an `OntologyError`."""
    try:
        with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb") as file:
            yield cast(BinaryIO, file)
    except (EOFError, zlib.error, gzip.BadGzipFile) as damage:
        raise OntologyError(f"{path.name}: damaged gzip file ({damage}); get it again") from None
    except OSError as error:
        raise OntologyError(f"{path}: cannot be read ({error.strerror or error})") from None


def peek(path: Path) -> bytes:
    """The first few kB of a file; an `OntologyError` if it holds nothing."""
    with opened(path) as file:
        start = file.read(PEEK_BYTES)
    if not start.strip():
        raise OntologyError(f"{path.name}: the file is empty")
    return start
