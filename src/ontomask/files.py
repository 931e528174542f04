"""Writing files and folders so that nothing half-written is ever left behind; reading what is a file."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from ontomask.errors import OntomaskError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """A temporary path beside `path`, moved into place if the block succeeds, removed if it does not.

    Readers see the old file or the whole new one. The block may write a folder there instead, if it removes
    the empty file first; it takes the place of nothing or of an empty folder. An `OSError` (no folder, no
    right, no space) becomes an `OntomaskError` that names the path.
    """
    target = Path(path)
    temporary = target.with_name(f".{target.name}.{token_hex(4)}{target.suffix}")
    try:
        # The system takes the umask from these rights, whatever other threads do meanwhile.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise OntomaskError(f"cannot write {target}: {error.strerror or error}") from None
    try:
        yield temporary
        temporary.replace(target)
    except OSError as error:
        raise OntomaskError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        remove(temporary)


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def most_unpacked(packed: int) -> int:
    """How many bytes a compressed file may hold: words shrink to a tenth, a bomb to a thousandth.

    >>> most_unpacked(10_000_000)
    1000000000
    """
    return max(2**26, 100 * packed)


def regular(path: Path) -> Path:
    """The path itself, to be opened; an `OSError` if a pipe or a device is there, which may never end."""
    try:
        can_be = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        can_be = False
    if not can_be:
        raise FileNotFoundError(errno.ENOENT, "no file can have this name")
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "neither a file nor a folder")
    return path
